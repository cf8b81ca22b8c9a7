package model

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A row of the history says what was asked and answered, what was decided and why.
func TestRowsSayWhatWasDecidedAndWhy(t *testing.T) {
	for want, e := range map[string]Event{
		"Which port?":              {Name: Ask, Details: []ExtraField{TextField("title", "Which port?")}},
		`"Which port?": take 8080`: {Name: AnswerRequest, Details: []ExtraField{TextField("title", "Which port?"), TextField("decision", "respond"), TextField("text", "take 8080")}},
		`"Which?": b`:              {Name: AnswerRequest, Details: []ExtraField{TextField("title", "Which?"), TextField("decision", "choose"), TextField("choice", "b")}},
		`"Run rm?": denied: no`:    {Name: AnswerRequest, Details: []ExtraField{TextField("title", "Run rm?"), TextField("decision", "deny"), TextField("text", "no")}},
		`"Run 'rm'?": denied: no`:  {Name: AnswerRequest, Details: []ExtraField{TextField("title", `Run "rm"?`), TextField("decision", "deny"), TextField("text", "no")}},
		"no way back":              {Name: RejectPlan, Reason: "no\nway  back"},
		"did a, but NOT b":         {Name: WorkCompleted, Details: []ExtraField{TextField("summary", "did a,\nbut NOT b")}},
		"":                         {Name: Start},
	} {
		if got := e.RowWords(); got != want {
			t.Errorf("%s says %q, want %q", e.Name, got, want)
		}
	}
	long := Event{Name: RejectPlan, Reason: strings.Repeat("ü", 9999)}
	if got := long.RowWords(); len(got) > maxRowWords+3 || !utf8.ValidString(got) {
		t.Errorf("it is %d bytes", len(got))
	}
}

// A row and the words that go with it say nothing twice.
func TestRowsSayNothingTwice(t *testing.T) {
	for want, row := range map[string][2]string{
		`answer "A": take 8080`: {`answer "A"`, "take\n 8080"},
		"take 8080":             {"", "take 8080"},
		`answer "A"`:            {`answer "A"`, ""},
		`answer "Which port?" about "A: b": take 8080`:   {`answer "Which port?" about "A: b": it resumes`, `"Which port?": take 8080`},
		`deny "Run rm?" about "A": no way`:               {`deny "Run rm?" about "A": it resumes without that`, `"Run rm?": denied: no way`},
		`approve "Run rm?" about "A": it resumes`:        {`approve "Run rm?" about "A": it resumes`, `"Run rm?": approved`},
		`re-open "A": ready to start: "A" failed: retry`: {`re-open "A": ready to start`, `"A" failed: retry`},
		`choose for "Which 'port'?" about "A": b`:        {`choose for "Which \"port\"?" about "A": chose "b"; it resumes`, `"Which \"port\"?": b`},
		`choose for "Which 'way'?" about "A": b`:         {`choose for "Which \"way\"?" about "A": chose "b"; it resumes`, `"Which 'way'?": b`},
		`"Which 'one'?": b`:                              {"", `"Which \"one\"?": b`},
		`ask "Which 'port'?" about "A": it waits`:        {`ask "Which \"port\"?" about "A": it waits`, `Which "port"?`},
		"ask: Which port?":                               {"ask: Which port?", "Which port?"},
	} {
		if got := RowText(row[0], row[1]); got != want {
			t.Errorf("%q and %q are %q, want %q", row[0], row[1], got, want)
		}
	}
	if got := RowText("reject", strings.Repeat("ü", 9999)); len(got) > maxRowWords+20 || !utf8.ValidString(got) {
		t.Errorf("a row of %d bytes", len(got))
	}
}
