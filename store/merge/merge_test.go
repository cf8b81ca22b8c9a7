package merge

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"vespe/model"
)

var samples = map[string][3]string{
	"tasks/a/spec.json":                  {`{"priority":"low","labels":["x","y"]}`, `{"priority":"high","labels":["x","a"]}`, `{"priority":"medium","labels":["y","b"]}`},
	"tasks/a/dependencies.json":          {`{"depends_on":["b"]}`, `{"depends_on":["b","c"]}`, `{"depends_on":["d"]}`},
	"tasks/a/status.json":                {`{"current_state":"created"}`, `{"current_state":"working","revision":3,"last_ops":["1"]}`, `{"current_state":"error","revision":3,"last_ops":["2"]}`},
	"tasks/a/plan.md":                    {"a\n", "a\n", "c\n"},
	"hitl_queue/r.json":                  {`{"id":"r","title":"t","state":"pending"}`, `{"id":"r","title":"t","state":"superseded"}`, `{"id":"r","title":"u","state":"pending"}`},
	"tasks/a/persistent/runs/r/run.json": {`{"run":"r"}`, `{"run":"r","ended_at":"2026-03-01T09:00:00Z","outcome":"completed"}`, `{"run":"r","ended_at":"2026-03-01T09:00:01Z","outcome":"error","why":"x"}`},
	"milestones.json":                    {`{"milestones":[]}`, `{"milestones":[{"id":"a","name":"A"}]}`, `{"milestones":[{"id":"b","name":"B"}]}`},
}

// FuzzFile: which side is ours makes no difference, whatever the files hold.
func FuzzFile(f *testing.F) {
	for name, s := range samples {
		f.Add(name, []byte(s[0]), []byte(s[1]), []byte(s[2]))
	}
	f.Fuzz(func(t *testing.T, name string, base, a, b []byte) {
		x, ok := File(name, base, a, b)
		y, too := File(name, base, b, a)
		if ok != too || !bytes.Equal(x, y) {
			t.Errorf("%s: %v\n%s\nand from the other side %v\n%s", name, ok, x, too, y)
		}
	})
}

func TestEverySampleIsMerged(t *testing.T) {
	for name, s := range samples {
		if got, ok := File(name, []byte(s[0]), []byte(s[1]), []byte(s[2])); !ok || len(got) == 0 {
			t.Errorf("%s: %q %v", name, got, ok)
		}
	}
	for _, name := range []string{"config.json", "store.json", "guidelines.txt", "tasks/a/approvals/x.json"} {
		if _, ok := File(name, nil, []byte("{}"), []byte(`{"a":1}`)); ok {
			t.Errorf("%s was merged", name)
		}
	}
	if _, ok := File("tasks/a/plan.md", []byte("a\n"), []byte("b\n"), []byte("c\n")); ok {
		t.Error("one of two texts was dropped")
	}
	deep := []byte(strings.Repeat("[", 100) + strings.Repeat("]", 100))
	if _, ok := File("milestones.json", nil, deep, []byte("{}")); ok {
		t.Error("a value as deep as that was merged")
	}
}

// TestReplay: of what another clone did, what the lifecycle allows is done, the rest is a request, and the later of two
// values stands.
func TestReplay(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	event := func(id string, minute int, name model.Name, patch string, after ...string) model.Event {
		return model.Event{Name: name, UID: "tsk-a", At: at.Add(time.Duration(minute) * time.Minute), Actor: "human:bob", OpID: id, After: after, Patch: []byte(patch)}
	}
	set := func(value string) string { return `{"spec":{".":{"priority":{"=":"` + value + `"}}}}` }
	in := Input{
		Task: &model.Task{
			UID: "tsk-a", HasStatus: true, Spec: &model.Spec{Priority: "low"},
			Status: model.StatusFile{CurrentState: model.PlanDefined, LastOps: []string{"mine"}, UnmergedOps: []string{"theirs2"}, Revision: 5},
		},
		Events: []model.Event{
			event("both", 0, model.SetFields, ""), event("mine", 3, model.SetFields, set("high"), "both"),
			event("theirs1", 1, model.SetFields, set("medium"), "both"),
			event("theirs2", 4, model.RejectPlan, `{"status":{".":{"current_state":{"=":"objective_defined"}}}}`, "theirs1"),
		},
		Text:    func(model.Doc, string) ([]byte, int) { return nil, 0 },
		Refused: func(string) bool { return false },
		Allowed: func(*model.Task, model.Op) error { return nil },
	}
	out, done := Replay(in)
	if st := out.Task.Status; !done || st.CurrentState != model.ObjectiveDefined || strings.Join(st.LastOps, " ") != "mine theirs2" || len(st.UnmergedOps) > 0 {
		t.Errorf("%v %+v", done, st)
	}
	if out.Task.Spec.Priority != "high" {
		t.Errorf("the priority is %s, which is not the later one", out.Task.Spec.Priority)
	}
	in.Allowed = func(_ *model.Task, op model.Op) error {
		if op.Name == model.RejectPlan {
			return errors.New("its plan was accepted")
		}
		return nil
	}
	out, _ = Replay(in)
	if out.Task.Status.CurrentState != model.PlanDefined || len(out.Requests) != 1 || !strings.Contains(out.Requests[0].Detail, "its plan was accepted") {
		t.Errorf("%+v, requests %+v", out.Task.Status, out.Requests)
	}
	if len(out.Requests) == 1 && out.Requests[0].Holds() {
		t.Error("the task waits for the answer, which nothing needs")
	}
	again, _ := Replay(in)
	if !bytes.Equal(model.EncodeRequest(out.Requests[0]), model.EncodeRequest(again.Requests[0])) {
		t.Error("another clone asks something else")
	}
	in.Events[3].Cause = "tsk-b"
	for _, known := range []bool{false, true} {
		in.Caused = func(by model.UID, op string) bool { return known && by == "tsk-b" && op == "theirs2" }
		if out, _ := Replay(in); (len(out.Requests) == 0) != known {
			t.Errorf("another task set it off: %v, requests %+v", known, out.Requests)
		}
	}
	in.Events[3].Cause = ""
	if _, done := Replay(Input{Task: out.Task, Events: in.Events, Text: in.Text, Refused: in.Refused, Allowed: in.Allowed}); done {
		t.Error("it is settled twice")
	}
}

// TestReplayLeavesOutWhatIsMoot: a parent was aborted, and with it a task that another clone had completed: that keeps
// its result. The failure of a subtask that did not fail after all fails no parent. Neither is a person's question.
func TestReplayLeavesOutWhatIsMoot(t *testing.T) {
	for name, e := range map[string]model.Event{
		"abort": {Name: model.Abort, Patch: []byte(`{"status":{".":{"current_state":{"=":"aborted"}}}}`)},
		"a subtask's end": {
			Name: model.HandleSubtaskCompletion, Patch: []byte(`{"status":{".":{"current_state":{"=":"failed"}}}}`),
			Details: []model.ExtraField{{Key: "subtask", Value: []byte(`"tsk-b"`)}, {Key: "success", Value: []byte("false")}},
		},
	} {
		e.UID, e.OpID, e.Cause, e.Actor, e.After = "tsk-a", "theirs", "tsk-other", "human:ann", []string{"both"}
		out, done := Replay(Input{
			Task: &model.Task{UID: "tsk-a", HasStatus: true, Status: model.StatusFile{
				CurrentState: model.Completed, LastOps: []string{"both"}, UnmergedOps: []string{"theirs"}, Revision: 5,
			}},
			Events:  []model.Event{{Name: model.WorkCompleted, UID: "tsk-a", OpID: "both"}, e},
			Text:    func(model.Doc, string) ([]byte, int) { return nil, 0 },
			Refused: func(string) bool { return false },
			Caused:  func(by model.UID, op string) bool { return by == "tsk-other" && op == "theirs" },
			Allowed: func(_ *model.Task, op model.Op) error {
				if op.Name != model.HandleSubtaskCompletion || op.Args != (model.SubtaskEnd{Subtask: "tsk-b"}) {
					t.Errorf("%s: it is asked whether %+v is allowed", name, op)
				}
				return errors.New("it did not fail")
			},
		})
		if st := out.Task.Status; !done || st.CurrentState != model.Completed || len(st.UnmergedOps) > 0 || len(out.Requests) > 0 {
			t.Errorf("%s: %v, %+v, requests %+v", name, done, st, out.Requests)
		}
	}
}
