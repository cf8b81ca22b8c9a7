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

func titles(all []Suggestion) string {
	var out []string
	for _, s := range all {
		out = append(out, s.Title)
	}
	return strings.Join(out, "; ")
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
	if len(got) != 1 || got[0].Title != `check: "error, path, tests"` {
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
	// What is there is not proposed again.
	in.Guidelines = []byte("- " + want + "\n")
	if got := Suggest(in); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	// One word is enough where little is said.
	short := Input{Reflections: []reflection.Line{rejection("a", "No tests"), rejection("b", "tests?"), rejection("c", "needs a test"), rejection("c", "no")}}
	if got := Suggest(short); titles(got) != `check: "tests"` {
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
	if got := titles(Suggest(in)); got != "run go test ./... before you stop" {
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
	if titles(got) != "tasks of label db have a high priority; tasks of directory store have a high priority" {
		t.Fatalf("%s", titles(got))
	}
	file, rules := got[0].Text()
	_, more := got[1].Text()
	rules = "default: low # as it was\nrules:\n" + rules + "\n" + more + "\n"
	parsed, problems := priority.Parse("x", []byte(rules))
	if file != model.PriorityFile || len(problems) > 0 || !strings.HasPrefix(rules, "default: low # as it was\nrules:\n- name: 'often escalated: label db'\n  when: '\"db\" in labels'\n  priority: high\n") {
		t.Errorf("%s: %v\n%s", file, problems, rules)
	}
	for _, facts := range []priority.Facts{{Labels: []string{"db"}}, {Files: priority.Files{FilesToModify: []string{"store/q.go"}}}} {
		if v := parsed.Judge(&facts, nil); v.Priority != model.High {
			t.Errorf("%+v of %+v", v, facts)
		}
	}
	in.Rules = []byte(rules)
	if got := Suggest(in); len(got) != 0 {
		t.Errorf("%s", titles(got))
	}
}
