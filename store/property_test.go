package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/lifecycle"
)

// TestRandomOperationsReopenAsTheyWere fires random operations, sensible or not, from two
// openings of one store in turn. After each, the snapshot in memory is what the files say.
func TestRandomOperationsReopenAsTheyWere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		root := mustGet(os.MkdirTemp(fastDir(t), "store"))(rt)
		opt := testOptions()
		a := mustGet(Init(root, opt))(rt)
		defer a.Close()
		b, err := Open(root, opt)
		if err != nil {
			rt.Fatal(err)
		}
		defer b.Close()
		uids := []model.UID{"tsk-0", "tsk-1", "tsk-2", "tsk-3"}
		seq := uint64(0)
		then := map[uint64]string{} // the store after each entry
		for i := range rapid.IntRange(1, 25).Draw(rt, "operations") {
			s := a
			if rapid.Bool().Draw(rt, "which") {
				s = b
			}
			ops := drawnOps(rt, uids, i)
			got, err := s.DoAll(context.Background(), ops)
			var r *model.Refusal
			if err != nil && !errors.As(err, &r) {
				rt.Fatalf("%+v: %v", ops, err)
			}
			if err != nil {
				continue
			}
			if len(got.Warnings) > 0 {
				rt.Fatalf("warnings %q", got.Warnings)
			}
			if got.Seq < seq {
				rt.Fatalf("entry %d after %d", got.Seq, seq)
			}
			seq = got.Seq
			c := mustGet(Open(root, Options{ReadOnly: true}))(rt)
			again, err := c.Load(context.Background(), nil)
			_ = c.Close()
			if err != nil {
				rt.Fatal(err)
			}
			if want, have := dump(got.Snapshot), dump(again); want != have {
				rt.Fatalf("after %s in memory:\n%s\non disk:\n%s", ops[len(ops)-1].Name, want, have)
			}
			then[got.Seq] = dump(got.Snapshot)
		}
		projectionHolds(t, a)
		for seq, want := range then {
			past := mustGet(b.Past().AtSeq(context.Background(), seq))(rt)
			if have := dump(past.Snapshot); have != want || len(past.Pieced) > 0 {
				rt.Fatalf("entry %d was\n%s\nand looking back it is (pieced together: %q)\n%s", seq, want, past.Pieced, have)
			}
		}
	})
}

// drawnArgs are arguments for an operation of a name that was drawn, the nth.
func drawnArgs(name model.Name, n int, dep model.UID) model.Args {
	switch name {
	case model.RenameTask:
		return model.NewName{Name: fmt.Sprintf("name %d", n)}
	case model.AddDependency, model.RemoveDependency:
		return model.DependencyEdit{DependsOn: []model.UID{dep}}
	case model.SetFields:
		return model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: fmt.Sprint(n), Mode: '+'}}}
	case model.Start:
		return model.NewRun{ID: "run"}
	}
	op := model.Op{Name: name}
	lifecycle.FillText(&op, fmt.Sprintf("text %d\n", n))
	return op.Args
}

// drawnOps are operations that are fired together, the ith to be so; the first ones make tasks.
func drawnOps(rt *rapid.T, uids []model.UID, i int) (ops []model.Op) {
	names := []model.Name{
		model.DefineObjective, model.DefinePlan, model.AcceptPlan, model.RejectPlan, model.Start, model.WorkCompleted,
		model.ReviewAccepted, model.ReviewRejected, model.RaiseError, model.Retry, model.Pause, model.Resume,
		model.Abort, model.Check, model.Revalidate, model.Replan, model.UndoVerdict,
		model.RenameTask, model.AddDependency, model.RemoveDependency, model.SetFields, model.CreateTask,
	}
	for range rapid.IntRange(1, 3).Draw(rt, "together") {
		op := model.Op{
			Name:   rapid.SampledFrom(names).Draw(rt, "name"),
			UID:    rapid.SampledFrom(uids).Draw(rt, "uid"),
			Actor:  rapid.SampledFrom([]model.Actor{ann, robot}).Draw(rt, "actor"),
			Reason: "because",
		}
		dep := rapid.SampledFrom(uids).Draw(rt, "dep")
		op.Args = drawnArgs(op.Name, i, dep)
		if i < 4 || op.Name == model.CreateTask {
			op.Name = model.CreateTask
			n := model.NewTask{UID: op.UID, Name: fmt.Sprintf("task %d", i), Objective: fmt.Sprintf("text %d\n", i)}
			if rapid.Bool().Draw(rt, "nested") {
				n.Parent = dep
			}
			op.Args = n
		}
		ops = append(ops, op)
	}
	return ops
}
