package priority

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vespe/model"
)

const path = ".vespe/" + Path

const example = `# what is urgent
bank_whitelist: [Bank.example, "@pay.example"]
patterns:
  - regex: fraud|security alert
    priority: critical
  - {regex: "invoice|payment due", priority: med}
  - {regex: 'meeting', priority: high}
rules:
  - name: risky changes
    when: risk == "high" && len(files_to_modify) > 1
    priority: high
  - when: |
      any(labels, # == "security")
        or context["team"] == "core"
    priority: critical
llm_thresholds: {critical: 0.95}
default: low
`

func mustParse(t *testing.T, src string) *Rules {
	t.Helper()
	r, ps := Parse(path, []byte(src))
	if r == nil || len(ps) > 0 {
		t.Fatalf("%+v", ps)
	}
	return r
}

func score(x float64) *float64 { return &x }

func TestJudge(t *testing.T) {
	r := mustParse(t, example)
	for name, tt := range map[string]struct {
		objective string
		spec      model.Spec
		score     *float64
		want      model.Priority
		rule      string
	}{
		"default":           {objective: "Parse the file", want: "low", rule: "default"},
		"a pattern":         {objective: "Answer the INVOICE of May", want: "medium", rule: "patterns[2] invoice|payment due"},
		"the first pattern": {objective: "fraud in an invoice", want: "critical", rule: "patterns[1] fraud|security alert"},
		"a bank": {
			objective: "fraud", spec: model.Spec{Context: model.Extra{model.TextField("sender", "Ann <ann@BANK.example>")}},
			want: "high", rule: "bank_whitelist bank.example",
		},
		"no bank":       {spec: model.Spec{Context: model.Extra{model.TextField("sender", "ann@not-bank.example")}}, want: "low", rule: "default"},
		"an expression": {spec: model.Spec{Risk: "high", FilesToModify: []string{"a", "b"}}, want: "high", rule: "rules[1] risky changes"},
		"a list":        {spec: model.Spec{Labels: []string{"x", "security"}}, want: "critical", rule: `rules[2] any(labels, # == "security") or context["team"] == "core"`},
		"an object":     {spec: model.Spec{Context: model.Extra{model.TextField("team", "core")}}, want: "critical", rule: `rules[2] any(labels, # == "security") or context["team"] == "core"`},
		"a score":       {score: score(.8), want: "high", rule: "score 0.8"},
		"below":         {score: score(.94), want: "high", rule: "score 0.94"},
		"a low score":   {objective: "invoice", score: score(.2), want: "medium", rule: "patterns[2] invoice|payment due"},
		"a tie":         {objective: "invoice", score: score(.5), want: "medium", rule: "patterns[2] invoice|payment due"},
		"over the rule": {objective: "meeting", score: score(.95), want: "critical", rule: "score 0.95"},
	} {
		f := Of(&model.Task{Spec: &tt.spec}, tt.objective, "")
		v := r.Judge(&f, tt.score)
		if v.Priority != tt.want || v.Rule != tt.rule {
			t.Errorf("%s: %s by %q, want %s by %q", name, v.Priority, v.Rule, tt.want, tt.rule)
		}
		counts := 0
		for _, s := range v.Steps {
			if s.Counts {
				counts++
			}
			if s.Error != "" {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if counts != 1 {
			t.Errorf("%s: %d rules count", name, counts)
		}
	}
}

func TestWithoutRulesNothingIsSet(t *testing.T) {
	f := Of(&model.Task{}, "x", "")
	if v := (*Rules)(nil).Judge(&f, score(1)); v.Priority != "" {
		t.Errorf("%+v", v)
	}
	if v := mustParse(t, "# nothing yet\n").Judge(&f, nil); v.Priority != "" || v.Rule != "" {
		t.Errorf("%+v", v)
	}
	if r := mustParse(t, ""); r.Hash == "" {
		t.Error("an empty file has a hash")
	}
	if r := mustParse(t, "llm_thresholds: {med: 0.5}\n"); r.Judge(&f, score(.6)).Priority != model.Medium {
		t.Error("med is medium")
	}
}

func TestWhatIsWrongWithRules(t *testing.T) {
	for src, want := range map[string]string{
		"patterns: [\n": "1 bad-yaml",
		"a: 1\na: 2\n":  "2 bad-", // whoever of the two sees it
		"patterns: 7\n": "1 bad-rule patterns is a value",
		"patterns:\n  - regex: '('\n    priority: high\n":                                        "2 bad-rule patterns[1]",
		"patterns:\n  - regex: a\n    priority: urgent\n":                                        `3 bad-rule "urgent" is not a priority`,
		"patterns:\n  - regex: a\n":                                                              "2 bad-rule patterns[1] has no priority",
		"rules:\n  - when: nosuch > 1\n    priority: low\n":                                      "2 bad-rule rules[1]: unknown name nosuch",
		"rules:\n  - when: len(name)\n    priority: low\n":                                       "2 bad-rule rules[1]: expected bool",
		"rules:\n  - when: |\n      true\n      and nosuch\n    priority: low\n":                 "4 bad-rule",
		"rules:\n  - when: all(labels, any(labels, true))\n    priority: low\n":                  "2 bad-rule rules[1]: nested loops",
		"rules:\n  - when: any(1..9999999, true)\n    priority: low\n":                           "2 bad-rule rules[1]: ranges",
		"rules:\n  - when: len(repeat(name, 9999999)) > 1\n    priority: low\n":                  "2 bad-rule rules[1]: ",
		"rules:\n  - when: now().Year() > 1\n    priority: low\n":                                "2 bad-rule rules[1]: ",
		"rules:\n  - when: name matches \"(\"\n    priority: low\n":                              "2 bad-rule rules[1]: ",
		"rules:\n  - when: '" + strings.Repeat("true and ", 600) + "true'\n    priority: low\n":  "2 bad-rule rules[1]: ",
		"rules:\n  - when: name matches objective\n    priority: low\n":                          "2 bad-rule rules[1]: a pattern must be",
		"rules:\n  - when: name matches \"(.{400}){2}(.{400}){2}\"\n    priority: low\n":         "2 bad-rule rules[1]: the regular expression is too large",
		"rules:\n  - when: '" + strings.Repeat(" ", 4100) + "true'\n    priority: low\n":         "2 bad-rule rules[1]: the expression is longer",
		"patterns:\n  - {regex: '" + strings.Repeat(".{999}", 500) + "', priority: low}\n":       "2 bad-rule patterns[1]: the regular expression is too large",
		"patterns:\n" + strings.Repeat("  - {regex: '.{900}', priority: low}\n", 20):             "4 bad-rule patterns[3]: the regular expressions of the file",
		"rules:\n  - when: let a = name + name; a == name\n    priority: low\n":                  "2 bad-rule rules[1]: let is not supported",
		"rules:\n  - when: 'any(labels, objective contains #)'\n    priority: low\n":             "2 bad-rule rules[1]: a loop can only use",
		"rules:\n  - when: len(name" + strings.Repeat("+name", 9) + ") > 3\n    priority: low\n": "2 bad-rule rules[1]: more than 8",
		"llm_thresholds: {high: 2}\n":                                                            "1 bad-rule the threshold of high",
		"default: &x low\nbank_whitelist: *x\n":                                                  "1 bad-rule",
		"default: [low]\n":                                                                       "1 bad-rule a priority is a list",
		"default: low\n---\ndefault: high\n":                                                     "3 bad-rule there are two documents",
		"- low\n":                                                                                "1 bad-rule the file is a list",
		"score_command: run me\n":                                                                "1 bad-rule score_command is a value",
		"<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> other\n":                                     "1 " + model.CodeConflictMarks,
		strings.Repeat("[", MaxFile):                                                             "0 too-deep",
		"default: \xff\n":                                                                        "0 bad-utf8",
		strings.Repeat("#", MaxFile+1):                                                           "0 too-large",
	} {
		r, ps := Parse(path, []byte(src))
		if r != nil || len(ps) == 0 {
			t.Errorf("%.60q is taken: %+v", src, ps)
			continue
		}
		got := fmt.Sprintf("%d %s %s", ps[0].Line, ps[0].Code, ps[0].Reason)
		if !strings.HasPrefix(got, want) || ps[0].Hint == "" || ps[0].Path != path {
			t.Errorf("%.60q: %q (%s), want %q", src, got, ps[0].Hint, want)
		}
	}
	r, ps := Parse(path, []byte("defualt: low\nllm_thresholds: {low: 0.1}\npatterns:\n  - {regex: a, priority: low, note: x}\n"))
	if r == nil || len(ps) != 3 || ps[0].Severity != model.Warning || ps[2].Line != 4 {
		t.Errorf("%+v", ps)
	}
}

// However much a task says of itself, rules look at no more than a part of it, and a loop is a pass over
// the texts of a list and nothing else.
func TestRulesLookAtTheBeginningOfWhatIsLong(t *testing.T) {
	long := strings.Repeat("ü", maxText)
	many := make([]string, maxText)
	f := Of(&model.Task{Config: model.Config{CreatedBy: model.Actor(long)}, Spec: &model.Spec{
		Description: long, UserStory: long, GoalType: long, Source: long, Requester: long,
		Labels: many, Constraints: []string{"short", long}, FilesToCreate: many, FilesToModify: many, TestFiles: many,
		AcceptanceCriteria: make([]model.Criterion, 2*maxText), Context: model.Extra{model.TextField("sender", "a@b.example"), model.TextField("x", long)},
	}}, long, "m1")
	if f.Sender != "a@b.example" || len(f.Constraints) != 1 || len(f.Labels) != maxText {
		t.Errorf("%q, %d constraints, %d labels", f.Sender, len(f.Constraints), len(f.Labels))
	}
	b, err := json.Marshal(f)
	if err != nil || len(b) > 16*4*maxText {
		t.Errorf("%d bytes of facts, %v", len(b), err)
	}
	for _, text := range []string{f.Objective, f.Description, f.UserStory, f.GoalType, f.Source, f.Requester, f.CreatedBy} {
		if len(text) > maxText || !utf8.ValidString(text) {
			t.Errorf("a text of %d bytes", len(text))
		}
	}
	for _, list := range [][]string{f.Labels, f.FilesToCreate, f.FilesToModify, f.TestFiles, f.Criteria} {
		if len(list) > maxText {
			t.Errorf("a list of %d", len(list))
		}
	}
	far := Of(new(model.Task), strings.Repeat("a", maxText)+" late", "")
	if v := mustParse(t, "patterns:\n  - {regex: 'late', priority: high}\n").Judge(&far, nil); v.Priority != "" {
		t.Errorf("far: %+v", v)
	}
	r := mustParse(t, "rules:\n  - {when: 'any(constraints, lower(#) contains \"short\") and any(labels, len(#) == 0)', priority: high}\n")
	if v := r.Judge(&f, nil); v.Priority != model.High {
		t.Errorf("%+v", v)
	}
}

func TestAnExpressionThatFails(t *testing.T) {
	r := mustParse(t, "rules:\n  - {when: 'int(source) > 1', priority: high}\ndefault: low\n")
	f := Of(&model.Task{Spec: &model.Spec{Source: "no number"}}, "", "")
	v := r.Judge(&f, nil)
	if v.Priority != model.Low || v.Steps[0].Error == "" || v.Steps[0].Matches {
		t.Errorf("%+v", v)
	}
	f.Source = "2"
	if v := r.Judge(&f, nil); v.Priority != model.High {
		t.Errorf("%+v", v)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("rules: [{when: 'name matches \"a\"', priority: low}]"))
	f.Add([]byte("a: &b [*b]\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		r, ps := Parse(path, src)
		if r == nil && len(ps) == 0 {
			t.Fatal("refused without a word")
		}
		for _, p := range ps {
			if p.Reason == "" || p.Line < 0 || p.Line > strings.Count(string(src), "\n")+strings.Count(string(src), "\r")+2 {
				t.Errorf("%+v", p)
			}
		}
		facts := Of(&model.Task{Spec: &model.Spec{Labels: []string{"a", "b"}}}, "an objective", "m1")
		if v := r.Judge(&facts, score(.7)); v.Priority != "" && v.Priority.Rank() == model.Priority("").Rank() && v.Priority != model.Medium {
			t.Errorf("%+v", v)
		}
	})
}

// BenchmarkWorstRegexes is one task with endless texts against as much of regular expressions as is
// taken, and the same against a single word.
func BenchmarkWorstRegexes(b *testing.B) {
	worst, problems := Parse(Path, []byte("patterns:\n"+strings.Repeat("  - {regex: '.*a.{900}c', priority: low}\n", 2)))
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	word, _ := Parse(Path, []byte("patterns:\n  - {regex: 'zzz', priority: high}\n"))
	f := Facts{Objective: strings.Repeat("ab", maxText/2)}
	for b.Loop() {
		worst.Judge(&f, nil)
	}
	took := b.Elapsed() / time.Duration(b.N)
	start := time.Now()
	word.Judge(&f, nil)
	b.ReportMetric(float64(took.Milliseconds()), "ms≤300")
	b.ReportMetric(float64(time.Since(start).Microseconds()), "µs-a-word")
	b.ReportMetric(0, "ns/op")
}
