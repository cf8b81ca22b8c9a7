package distill

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/priority"
	"vespe/model/reflection"
)

var day = time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)

func rejection(task, why string) reflection.Line {
	return reflection.Line{At: day, Kind: reflection.OfVerdict, Task: model.UID("tsk-" + task), Name: task, Actor: "human:ann", Judgment: reflection.Judgment{Verdict: model.RejectPlan, Reason: why}}
}

func run(task, id, outcome, why string) reflection.Line {
	return reflection.Line{At: day, Kind: reflection.OfRun, Task: model.UID("tsk-" + task), Name: task, Actor: "agent:claude", RunResult: reflection.RunResult{Run: id, Outcome: outcome, Why: why}}
}

func keys(all []Suggestion) string {
	var out []string
	for _, s := range all {
		out = append(out, s.Key)
	}
	return strings.Join(out, " ")
}

func TestRejections(t *testing.T) {
	in := Input{Reflections: []reflection.Line{
		rejection("a", "The error path has no tests."),
		rejection("b", "tests missing for the error path, and the name is odd"),
		rejection("c", "Where are tests of this error path?"),
		rejection("d", "too slow"),
		{Kind: reflection.OfVerdict, Task: "tsk-e", Actor: "agent:x", Judgment: reflection.Judgment{Verdict: model.RejectPlan, Reason: "error path tests"}},
		{Kind: reflection.OfVerdict, Task: "tsk-e", Actor: "human:ann", Judgment: reflection.Judgment{Verdict: model.AcceptPlan, Reason: "error path tests are good"}},
	}}
	got := Suggest(in)
	if len(got) != 1 || got[0].Key != "words:error,path,test" {
		t.Fatalf("%+v", got)
	}
	want := `Check "error, path, tests" before you submit work: 3 rejections were about it, such as "The error path has no tests." (a, b, c).`
	if got[0].Guideline != want {
		t.Errorf("%s\nwant\n%s", got[0].Guideline, want)
	}
	// Two are too few, also where one was taken back.
	undone := in
	undone.Reflections = append(slices.Clone(in.Reflections), reflection.Line{Kind: reflection.OfVerdict, Task: "tsk-b", Actor: "human:ann", Judgment: reflection.Judgment{Verdict: model.UndoVerdict, Undone: model.RejectPlan}})
	if got := Suggest(undone); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	// What was decided is not proposed again, nor what is about the same, nor what is there.
	for _, key := range []string{"words:error,path,test", "words:error,path", "words:error,name,path,test"} {
		in.Decided = []string{key}
		if got := Suggest(in); len(got) != 0 {
			t.Errorf("decided %s: %+v", key, got)
		}
	}
	in.Decided = []string{"words:slow", "check:error"}
	if got := Suggest(in); len(got) != 1 {
		t.Errorf("%+v", got)
	}
	in.Guidelines = []byte("- " + want + "\n")
	if got := Suggest(in); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	// One word is enough where little is said.
	short := Input{Reflections: []reflection.Line{rejection("a", "No tests"), rejection("b", "tests?"), rejection("c", "needs a test"), rejection("c", "no")}}
	if got := Suggest(short); keys(got) != "words:test" {
		t.Errorf("%+v", got)
	}
}

func TestRuns(t *testing.T) {
	tasks := map[model.UID]*model.Task{}
	for _, name := range []string{"a", "b", "c"} {
		tasks[model.UID("tsk-"+name)] = &model.Task{Spec: &model.Spec{Labels: []string{"db", "x-" + name}, FilesToModify: []string{"store/" + name + ".go", "store/z.go"}}}
	}
	in := Input{Failed: map[string][][]string{}, Task: func(uid model.UID) *model.Task { return tasks[uid] }}
	for i, name := range []string{"a", "b", "c", "a"} {
		id := fmt.Sprint("run-", i)
		in.Reflections = append(in.Reflections, run(name, id, model.RunErrored, fmt.Sprint("exit code ", i)))
		in.Failed[id] = [][]string{{"go", "test", "./..."}, {"go", "test", "./..."}, {"make", fmt.Sprint(i)}}
	}
	if got := keys(Suggest(in)); got != "check:go test ./..." {
		t.Errorf("%s", got)
	}
	in.Failed = nil
	got := Suggest(in)
	if len(got) != 1 || got[0].Guideline != `Make sure that no run ends with "exit code 0" again: 4 did (a, b, c).` {
		t.Errorf("%+v", got)
	}
	in.Reflections = nil
	for i, name := range []string{"a", "b", "c"} {
		r := run(name, fmt.Sprint("run-", i), model.RunErrored, name)
		r.Attempt = 3
		if i == 1 {
			r = reflection.Line{Kind: reflection.OfVerdict, Task: r.Task, Name: name, Actor: "human:ann", Judgment: reflection.Judgment{Verdict: model.AnswerRequest, Request: "esc-0011"}}
		}
		in.Reflections = append(in.Reflections, r)
	}
	got = Suggest(in)
	if keys(got) != "rule:label:db rule:directory:store" {
		t.Fatalf("%s", keys(got))
	}
	_, rules, err := Apply(nil, []byte("default: low # as it was\n"), got)
	if err != nil {
		t.Fatal(err)
	}
	parsed, problems := priority.Parse("x", rules)
	if len(problems) > 0 || !strings.HasPrefix(string(rules), "default: low # as it was\nrules:\n  - name: 'often escalated: label db'\n    when: '\"db\" in labels'\n    priority: high\n") {
		t.Errorf("%v\n%s", problems, rules)
	}
	for _, facts := range []priority.Facts{{Labels: []string{"db"}}, {Files: priority.Files{FilesToModify: []string{"store/q.go"}}}} {
		if v := parsed.Judge(&facts, nil); v.Priority != model.High {
			t.Errorf("%+v of %+v", v, facts)
		}
	}
	in.Rules = rules
	if got := Suggest(in); len(got) != 0 {
		t.Errorf("%s", keys(got))
	}
}

func TestApply(t *testing.T) {
	line := []Suggestion{{Guideline: "new"}}
	for was, want := range map[string]string{
		"":                          heading + "\n\n- new\n",
		"Be kind.":                  "Be kind.\n\n" + heading + "\n\n- new\n",
		heading + "\n\n- old\n\n":   heading + "\n\n- old\n- new\n\n",
		heading + "\n":              heading + "\n\n- new\n",
		heading + "\n- a\n\n# B\nc": heading + "\n- a\n- new\n\n# B\nc\n",
	} {
		if got, _, err := Apply([]byte(was), nil, line); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v; want %q", was, got, err, want)
		}
	}
	rule := []Suggestion{{Rule: &Rule{"it's", `"x" in labels`, model.High}}}
	item := func(in string) string {
		return in + "- name: 'it''s'\n" + in + "  when: '\"x\" in labels'\n" + in + "  priority: high\n"
	}
	for was, want := range map[string]string{
		"": "rules:\n" + item("  "),
		"rules:\n- {when: is_subtask, priority: low} # c\n# d\ndefault: low\n": "rules:\n- {when: is_subtask, priority: low} # c\n" + item("") + "# d\ndefault: low\n",
		"rules:   # none\ndefault: low\n":                                      "rules:   # none\n" + item("  ") + "default: low\n",
	} {
		if _, got, err := Apply(nil, []byte(was), rule); err != nil || string(got) != want {
			t.Errorf("%q: %v\n%s\nwant\n%s", was, err, got, want)
		}
	}
	for _, was := range []string{"rules: []\n", "rules: [\n", "patterns: 3\n"} {
		if _, _, err := Apply(nil, []byte(was), rule); err == nil {
			t.Errorf("%q took a rule", was)
		}
	}
}
