package store

import (
	"errors"
	"fmt"
	"testing"

	"vespe/model"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// An id that was used for one operation is refused for another, also once all that is left of the
// first is in the base: by this process and by new ones, over one base and over two.
func TestAnIDOfACompactedOperationIsRefusedForAnother(t *testing.T) {
	s, uids := longStore(t, 20)
	made := s.NewUID()
	create := model.Op{ID: "made", Name: model.CreateTask, Actor: ann, Args: model.NewTask{UID: made, Name: "three", Objective: "x\n"}}
	do(t, s, create)
	for i := range 8 {
		do(t, s, model.Op{Name: model.RenameTask, UID: uids[0], Actor: ann, Args: model.NewName{Name: fmt.Sprint("name ", i)}})
	}
	for _, through := range []uint64{22, 28} {
		if s.collector.Least = int(29 - through); s.collector.Least < 1 {
			t.Fatal(s.collector.Least)
		}
		if r, err := s.GC(t.Context(), GCOptions{}); err != nil || r.Through < 21 {
			t.Fatalf("gc: %+v, %v", r, err)
		}
		same := model.Op{ID: "op-7", Name: model.DefinePlan, UID: uids[1], Actor: robot, Args: model.NewPlan{Text: "again\n"}}
		others := map[string]model.Op{
			"another name":     {ID: "op-7", Name: model.RenameTask, UID: uids[1], Actor: ann, Args: model.NewName{Name: "x"}},
			"another task":     {ID: "op-7", Name: model.DefinePlan, UID: uids[0], Actor: robot, Args: model.NewPlan{Text: "again\n"}},
			"not a new task":   {ID: "made", Name: model.RenameTask, UID: made, Actor: ann, Args: model.NewName{Name: "x"}},
			"a new task again": {ID: "op-7", Name: model.CreateTask, Actor: ann, Args: create.Args},
		}
		for _, o := range []*Store{s, open(t, s.Root(), testOptions())} {
			for _, op := range []model.Op{same, create} {
				if a, err := o.Do(t.Context(), op); err != nil || !a.Replayed {
					t.Errorf("%s again: %+v, %v", op.ID, a, err)
				}
			}
			for what, op := range others {
				var r *model.Refusal
				if a, err := o.Do(t.Context(), op); !errors.As(err, &r) || r.Code != model.CodeConflict {
					t.Errorf("%s: %+v, %v", what, a, err)
				}
			}
		}
		healthy(t, s)
	}
}

// A base of an older vespe knows of an operation only that it was done.
func TestABaseWithoutKinds(t *testing.T) {
	s, uids := longStore(t, 20)
	compact(t, s, GCOptions{})
	b := mustGet(s.log.OpenBase())(t)
	c := sections.Content{Magic: txlog.BaseMagic, Head: b.HeadOf, Sections: [][]byte{txlog.BaseOps: b.Ops, txlog.BasePaths: b.Paths}}
	must(t, c.Write(s.disk.FS, txlog.BaseFile+".older"))
	must(t, s.disk.FS.Rename(txlog.BaseFile+".older", txlog.BaseFile))
	n := open(t, s.Root(), testOptions())
	load(t, n)
	a, err := n.Do(t.Context(), model.Op{ID: "op-7", Name: model.RenameTask, UID: uids[1], Actor: ann, Args: model.NewName{Name: "x"}})
	if err != nil || !a.Replayed {
		t.Errorf("%+v, %v", a, err)
	}
	healthy(t, n)
	for i := range 4 {
		do(t, n, model.Op{ID: fmt.Sprint("later-", i), Name: model.RenameTask, UID: uids[1], Actor: ann, Args: model.NewName{Name: fmt.Sprint("name ", i)}})
	}
	n.collector.Least = 1
	compact(t, n, GCOptions{})
	if _, err = n.Do(t.Context(), model.Op{ID: "later-1", Name: model.AcceptPlan, UID: uids[1], Actor: ann}); err == nil {
		t.Error("one that is known by now was answered for another")
	}
	if a, err = n.Do(t.Context(), model.Op{ID: "op-7", Name: model.RenameTask, UID: uids[1], Actor: ann, Args: model.NewName{Name: "x"}}); err != nil || !a.Replayed {
		t.Errorf("%+v, %v", a, err)
	}
	healthy(t, n)
}
