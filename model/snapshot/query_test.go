package snapshot

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
)

func queryWorld() *Snapshot {
	api := node("tsk-aaaa1", inState(model.PlanDefined))
	api.Config.Name, api.Config.CreatedBy = "API design", "human:ann"
	api.Spec = &model.Spec{Labels: []string{"Backend", "v2"}, Priority: model.High, GoalType: "feature", Description: "Größe der fields: all"}
	kid := node("tsk-bbbb1", inState(model.PlanDefined, accepted), "tsk-aaaa1")
	kid.Config.Name, kid.Config.ParentUID, kid.Config.CreatedBy = "write parser", "tsk-aaaa1", "agent:claude"
	kid.Status.AssignedAgentUID = "agent:codex"
	run := node("tsk-cccc1", inState(model.Working, accepted, running))
	run.Config.ParentUID = "tsk-bbbb1"
	end := node("tsk-dddd1", inState(model.Completed, workVerdict("accepted")))
	lost := node("tsk-eeee1", inState(model.Created), "tsk-ghost")
	lost.Config.ParentUID = "nobody"
	ring := node("tsk-ffff1", inState(model.PlanDefined, accepted), "tsk-ffff1")
	return New(Input{Tasks: []*model.Task{api, kid, run, end, lost, ring}})
}

func TestFilter(t *testing.T) {
	s := queryWorld()
	for src, want := range map[string]string{
		"":                          "abcdef",
		"is:blocked":                "bf",
		"is:review-plan":            "a",
		"IS:Review-Plan":            "a",
		`is:"review plan"`:          "a",
		"is:review":                 "a",
		"is:inbox":                  "a",
		"is:open":                   "abcef",
		"is:closed":                 "d",
		"-is:open":                  "d",
		"is:running,done":           "cd",
		"is:root":                   "adef",
		"is:leaf":                   "cdef",
		"is:parent":                 "ab",
		"is:orphan":                 "e",
		"is:cycle":                  "f",
		"is:cycle,running":          "cf",
		"is:open is:root":           "aef",
		"status:created":            "e",
		"!status:created":           "abcdf",
		"under:tsk-bbbb1":           "bc",
		"under:aaaa":                "abc",
		`under:"API design"`:        "abc",
		"-under:aaaa":               "def",
		"under:bbbb,ffff":           "bcf",
		"under:nothing-like-it":     "",
		"label:backend":             "a",
		"label:v":                   "",
		"priority:high":             "a",
		"priority:none":             "bcdef",
		"by:ann":                    "a",
		"by:human:ann":              "a",
		"by:CODEX":                  "b",
		"by:agent:claude":           "b",
		"type:Feature":              "a",
		"has:deps":                  "bef",
		"has:problem":               "ef",
		"has:plan":                  "abcdf",
		"-has:objective":            "e",
		"has:dependents":            "a",
		"has:subtasks":              "ab",
		"has:run":                   "c",
		"has:labels":                "a",
		"has:description":           "a",
		"PARSER":                    "b",
		"größe":                     "a",
		"GRÖSSE":                    "",
		"GRÖßE":                     "a",
		`"fields: all"`:             "a",
		`-"write parser" is:open`:   "acef",
		"backend":                   "a",
		"tsk-dddd":                  "d",
		"write -parser":             "",
		"is:blocked -is:cycle":      "b",
		`"is:blocked"`:              "",
		"  is:blocked\t under:aaaa": "b",
		"-":                         "abcdef",
	} {
		f, err := ParseFilter(src)
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		got := ""
		for _, i := range s.Select(f) {
			got += string(s.At(int(i)).UID[4])
		}
		if got != want {
			t.Errorf("%q selects %q, want %q", src, got, want)
		}
	}
}

// Of whichever tasks the inbox has a file that cannot be read, a filter for problems finds those:
// also where it is a document, which leaves the status what it was.
func TestAFilterForProblemsFindsThoseOfTheInbox(t *testing.T) {
	broken := model.Problem{Path: "p", Severity: model.Error, Code: "too-large", Reason: "is too large"}
	own := node("tsk-gggg1", inState(model.Created))
	own.Problems = []model.Problem{broken}
	s := queryWorld().With(1, "h", []*model.Task{own}, nil)
	of := func(uid model.UID, sev model.Severity) model.Problem {
		p := broken
		p.UID, p.Severity = uid, sev
		return p
	}
	s = s.Amend(Amendment{Problems: &[]model.Problem{of("tsk-dddd1", model.Error), of("tsk-cccc1", model.Warning), of("tsk-aaaa1", model.Error), of("", model.Error), of("tsk-none", model.Error)}})
	inbox := ""
	for _, it := range s.Inbox() {
		if it.Kind == InboxProblem && it.Task >= 0 {
			inbox += string(s.UID(int(it.Task))[4])
		}
	}
	for src, want := range map[string]string{
		"status:problem": "adg", "is:problem": "adg", "-status:problem": "bcef", "status:problem,created": "adeg", "status:created": "e", "is:problem is:review": "a",
	} {
		f, err := ParseFilter(src)
		if err != nil {
			t.Fatal(err)
		}
		for what, s := range map[string]*Snapshot{"": s, ", packed": s.Compact(), ", after a change": s.With(2, "h2", []*model.Task{node("tsk-hhhh1", inState(model.Completed))}, nil)} {
			got := ""
			for _, i := range s.Select(f) {
				if c := s.UID(int(i))[4]; c != 'h' {
					got += string(c)
				}
			}
			if got != want {
				t.Errorf("%q selects %q%s, want %q", src, got, what, want)
			}
		}
		if found := string(slices.Sorted(slices.Values([]byte(inbox)))); src == "is:problem" && found != want {
			t.Errorf("the inbox has problems of %q", found)
		}
	}
	s = s.Amend(Amendment{Problems: &[]model.Problem{}})
	f, _ := ParseFilter("status:problem")
	if got := s.Select(f); len(got) != 1 {
		t.Errorf("when the documents can be read again it selects %d", got)
	}
}

func TestFilterErrors(t *testing.T) {
	for src, want := range map[string][]string{
		"is:redy":         {"redy", "plan-review", "did you mean ready?"},
		"status:open":     {"open", "running"},
		"stats:ready":     {"stats:", "under:", "did you mean status:?"},
		"color:red":       {"color:", "label:", "quotes"},
		"priority:hihg":   {"hihg", "critical", "did you mean high?"},
		"has:plans":       {"plans", "objective", "did you mean plan?"},
		"is:":             {"is: needs a value", "blocked"},
		"label: x":        {"label: needs a value"},
		"ok is:blocked,x": {"unknown value x"},
	} {
		_, err := ParseFilter(src)
		var r *model.Refusal
		if !errors.As(err, &r) || r.Code != model.CodeUsage {
			t.Errorf("%q: error is %v, want a usage refusal", src, err)
			continue
		}
		for _, w := range want {
			if text := r.Why + " " + r.Hint; !strings.Contains(text, w) {
				t.Errorf("%q: %q does not say %q", src, text, w)
			}
		}
	}
}

func TestBindTellsWhatIsNotThere(t *testing.T) {
	s := queryWorld()
	f, err := ParseFilter("under:nothing")
	if err != nil {
		t.Fatal(err)
	}
	var r *model.Refusal
	if _, err := s.Bind(f); !errors.As(err, &r) || r.Code != model.CodeNotFound {
		t.Errorf("Bind says %v, want not_found", err)
	}
	f, _ = ParseFilter("under:aaaa")
	bound, err := s.Bind(f)
	if err != nil || !s.Match(bound, 2) || s.Match(bound, 3) {
		t.Errorf("a bound filter does not match as it should: %v", err)
	}
}

func TestFilterKeysAreUnderstood(t *testing.T) {
	keys, values := FilterKeys()
	for _, k := range keys {
		tries := values[k]
		if tries == nil {
			tries = []string{"anything"}
		}
		for _, v := range tries {
			if _, err := ParseFilter(k + ":" + v); err != nil {
				t.Errorf("%s:%s is offered and refused: %v", k, v, err)
			}
		}
	}
}

// A term and its negation share the tasks out; several terms select what each selects.
func TestFilterHolds(t *testing.T) {
	keys, values := FilterKeys()
	rapid.Check(t, func(rt *rapid.T) {
		s := New(genInput(rt))
		var words []string
		all := map[int32]int{}
		for range rapid.IntRange(1, 3).Draw(rt, "words") {
			word := rapid.SampledFrom([]string{"api", "docs", "tsk-01", "zzz"}).Draw(rt, "text")
			if rapid.Bool().Draw(rt, "keyed") {
				k := rapid.SampledFrom(keys).Draw(rt, "key")
				v := "api"
				if values[k] != nil {
					v = rapid.SampledFrom(values[k]).Draw(rt, "value")
				}
				word = k + ":" + v
			}
			words = append(words, word)
			yes, no := mustSelect(rt, s, word), mustSelect(rt, s, "-"+word)
			both := slices.Sorted(slices.Values(slices.Concat(yes, no)))
			if n := len(both); n != s.Len() || len(slices.Compact(both)) != n {
				rt.Fatalf("%s selects %v and -%s %v of %d", word, yes, word, no, s.Len())
			}
			for _, i := range yes {
				all[i]++
			}
		}
		for _, i := range mustSelect(rt, s, strings.Join(words, " ")) {
			if all[i] < len(words) {
				rt.Fatalf("%q selects %d, which one word does not", words, i)
			}
			delete(all, i)
		}
		for i, n := range all {
			if n == len(words) {
				rt.Fatalf("%q leaves %d out, which each word selects", words, i)
			}
		}
	})
}

func mustSelect(rt *rapid.T, s *Snapshot, src string) []int32 {
	f, err := ParseFilter(src)
	if err != nil {
		rt.Fatalf("%q: %v", src, err)
	}
	return s.Select(f)
}

func FuzzParseFilter(f *testing.F) {
	for _, seed := range []string{
		"", "is:ready", `-"a b" under:"x:y",z`, `"`, "-", "!-!", ":", "a:", ":a", "is:,", "is:é", `label:"a`, "\x00\xff:",
	} {
		f.Add(seed)
	}
	s := queryWorld()
	f.Fuzz(func(t *testing.T, src string) {
		filter, err := ParseFilter(src)
		if err != nil {
			var r *model.Refusal
			if !errors.As(err, &r) || r.Code != model.CodeUsage || r.Why == "" {
				t.Fatalf("%q: %v is no usage refusal", src, err)
			}
			return
		}
		again, err := ParseFilter(filter.String())
		if err != nil || !slices.Equal(s.Select(filter), s.Select(again)) {
			t.Fatalf("%q reads back as another filter: %v", src, err)
		}
	})
}
