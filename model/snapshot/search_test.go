package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/model"
)

func TestParseSearch(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"parser":                              "{parser}",
		"  two   words ":                      "{two} {words}",
		`"two words"`:                         `{two words phrase}`,
		"plan:index":                          "{index in plan}",
		`comment:"too large"`:                 "{too large in comment phrase}",
		"comments:large":                      "{large in comment}",
		"RESULT:x HISTORY:y":                  "{x in result} {y in history}",
		"migr*":                               "{migr prefix}",
		`"migr*"`:                             "{migr* phrase}",
		"good -bad":                           "{good} {bad not}",
		"good !plan:bad":                      "{good} {bad in plan not}",
		"status:ready parser":                 "filter {parser}",
		"is:open":                             "filter",
		"under:API label:x by:ann parser":     "filter {parser}",
		`"http://example.org/a?b=c"`:          "{http://example.org/a?b=c phrase}",
		`"std::string"`:                       "{std::string phrase}",
		"plan:":                               "",
		"* ** - ! \" ( ) AND":                 "{ ( ) AND phrase}",
		"NEAR(a b, 5) OR ^c {d e}f":           "{NEAR(a} {b,} {5)} {^c} {{d} {e}f}",
		"配置 naïve":                            "{配置} {naïve}",
		"a\x00b":                              "{a\x00b}",
		`plan:"quoted: colon" "k: v" "k:v w"`: "{quoted: colon in plan phrase} {k: v phrase} {k:v w phrase}",
	} {
		s, err := ParseSearch(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []string
		if !s.Filter.Empty() {
			got = append(got, "filter")
		}
		for _, w := range s.Words {
			said := w.Text
			if w.Field != "" {
				said += " in " + string(w.Field)
			}
			for word, is := range map[string]bool{" phrase": w.Phrase, " prefix": w.Prefix, " not": w.Not} {
				if is {
					said += word
				}
			}
			got = append(got, "{"+said+"}")
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestParseSearchRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"status:redy parser": "ready",
		"priority:x":         "critical",
		"is:bogus":           "plan-review",
		"-parser":            "only excludes words",
		"is:":                "needs a value",
	} {
		_, err := ParseSearch(text)
		var r *model.Refusal
		if !errors.As(err, &r) || r.Code != model.CodeUsage || r.Op != "search" || !strings.Contains(fmt.Sprint(r.Why, r.Hint), want) {
			t.Errorf("%q: %+v", text, err)
		} else if strings.Contains(r.Hint, "mean is:") || strings.Contains(r.Hint, "mean priority:") {
			t.Errorf("%q: the key is right, and the hint is %q", text, r.Hint)
		}
	}
	// In a filter, which nothing is looked up for, a field says where it belongs.
	_, err := ParseFilter("plan:index")
	var r *model.Refusal
	if !errors.As(err, &r) || !strings.Contains(r.Hint, "vespe search plan:") {
		t.Errorf("%+v", err)
	}
}

func TestUnknownKeysAreRefused(t *testing.T) {
	for text, hint := range map[string]string{
		"stauts:ready": "status:", "pln:word": "plan:", "http://x": "quotes", "zzzzzz:x": "quotes", "parser foo:bar": "quotes",
	} {
		_, err := ParseSearch(text)
		var r *model.Refusal
		if !errors.As(err, &r) || r.Code != model.CodeUsage || !strings.Contains(r.Why, "unknown filter") || !strings.Contains(r.Hint, hint) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{`"http://x"`, "parser", "plan:x", `"foo:bar" is:open`} {
		if _, err := ParseSearch(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestOr(t *testing.T) {
	s, err := ParseSearch(`a OR plan:b c "OR" or`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range s.Words {
		got = append(got, fmt.Sprint(w.Text, " ", w.Or))
	}
	if want := []string{"a false", "b true", "c false", "OR false", "or false"}; !slices.Equal(got, want) {
		t.Errorf("the words are %q", got)
	}
	for _, text := range []string{"OR", "OR a", "a OR", "a OR OR b", "a OR -b", "-a OR b", "is:open OR b", "a OR is:open", "is:open OR is:done"} {
		var r *model.Refusal
		if _, err := ParseSearch(text); !errors.As(err, &r) || r.Code != model.CodeUsage || r.Hint == "" {
			t.Errorf("search %q: %v", text, err)
		}
		if _, err := ParseFilter(text); !errors.As(err, &r) || r.Code != model.CodeUsage || r.Hint == "" {
			t.Errorf("filter %q: %v", text, err)
		}
	}
}

func FuzzParseSearch(f *testing.F) {
	for _, text := range []string{"parser", `plan:"a b" -c*`, "is:open", `"`, "-", ":", "plan:*", "a:b:c", "a OR b", "OR OR"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSearch(text)
		var r *model.Refusal
		if err != nil && (!errors.As(err, &r) || r.Code != model.CodeUsage) {
			t.Fatal(err)
		}
		for _, w := range s.Words {
			if w.Text == "" || w.Phrase && w.Prefix || w.Or && w.Not {
				t.Errorf("%q has %+v", text, w)
			}
		}
	})
}
