package desk

import (
	"fmt"
	"testing"

	"vespe/model"
	"vespe/store"
)

// What a key made is found also when the log no longer has its entry.
func TestKeysOutliveTheLog(t *testing.T) {
	f := newFixture(t)
	uid := f.create("a")
	plan := Plan{TaskID: string(uid), PlanMD: "one", Key: "k"}
	f.submit(plan)
	question := Question{TaskID: string(uid), Title: "May I?", Key: "k"}
	asked := f.ask(question)
	batch := NewTasks{Key: "k", Items: []NewItem{{Name: "b"}}}
	if _, err := f.d.Create(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	f.submit(Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "two"})
	for i := range 120 {
		f.as(ann, model.Op{Name: model.RenameTask, UID: uid, Args: model.NewName{Name: fmt.Sprint("name ", i)}})
	}
	if r, err := f.s.GC(t.Context(), store.GCOptions{}); err != nil || r.Through < 5 {
		t.Fatalf("%+v, %v", r, err)
	}
	again := f.submit(plan)
	f.is(again, StateSuperseded)
	if again.ReviewID != PlanReviewID(uid, 1) {
		t.Errorf("the plan is %+v", again)
	}
	plan.PlanMD, plan.BaseVersion = "three", 2
	_, err := f.d.SubmitPlan(t.Context(), plan)
	refused(t, err, CodeKey)
	if r := f.ask(question); r.ReviewID != asked.ReviewID {
		t.Errorf("the question is %+v", r)
	}
	_, err = f.d.Create(t.Context(), batch)
	refused(t, err, CodeRefused, "long ago", "task_list")
	snap, err := f.s.Refresh(t.Context())
	if err != nil || snap.Len() != 2 || len(snap.Requests()) != 1 {
		t.Errorf("there are %d tasks and %d requests, %v", snap.Len(), len(snap.Requests()), err)
	}
}
