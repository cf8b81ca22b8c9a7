package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/layout"
)

// TestFreshenReadsWhatItIsAskedFor: the tasks named are as their files say, the others as
// they were read, and every transaction is there.
func TestFreshenReadsWhatItIsAskedFor(t *testing.T) {
	s := newStore(t)
	edited, renamed := create(t, s, "edited", ""), create(t, s, "other", "")
	other, gone := create(t, s, "another", ""), create(t, s, "gone", "")
	load(t, s)
	second := open(t, s.Root(), testOptions())
	do(t, second, model.Op{Name: model.RenameTask, UID: renamed, Actor: ann, Args: model.NewName{Name: "renamed"}})
	for _, uid := range []model.UID{edited, other} {
		write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "a plan\n")
	}
	must(t, os.RemoveAll(vespe(s, layout.TaskDir(gone))))
	snap := mustGet(s.Freshen(t.Context(), []model.UID{edited, gone, "tsk-unknown", "../bad"}))(t)
	if !task(t, snap, edited).HasPlan {
		t.Error("the edit of the task that was asked for is not there")
	}
	if task(t, snap, renamed).Config.Name != "renamed" {
		t.Error("a transaction is missing")
	}
	if task(t, snap, other).HasPlan {
		t.Error("a task was read that was not asked for")
	}
	if _, ok := snap.Task(gone); ok {
		t.Error("a task without a directory is still there")
	}
	if now, _ := s.loader.Current.Get(); now != snap {
		t.Error("it is not the current snapshot")
	}
}

// TestRefreshSeesTasksLeave: with the entry that names them.
func TestRefreshSeesTasksLeave(t *testing.T) {
	s := newStore(t)
	uid := create(t, s, "one", "")
	load(t, s)
	second := open(t, s.Root(), testOptions())
	do(t, second, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "two"}})
	must(t, os.RemoveAll(vespe(s, layout.TaskDir(uid))))
	snap, err := s.Refresh(t.Context())
	if err != nil || snap.Len() != 0 || snap.Seq() != 2 {
		t.Errorf("%d tasks as of entry %d, %v", snap.Len(), snap.Seq(), err)
	}
}

// TestPartialWhileLoading: what was read is there while the rest is not, and nothing is
// partial before and after.
func TestPartialWhileLoading(t *testing.T) {
	t.Parallel()
	s := filled(t, fastDir(t), 400)
	opt := testOptions()
	reached, goOn := make(chan struct{}), make(chan struct{})
	opt.FS = (&hookFS{deep: true, before: only(callOpen, func(name string) {
		if name == layout.TaskDir(importOp(399).UID) {
			close(reached)
			<-goOn
		}
	})}).system
	r := open(t, s.Root(), opt)
	if r.Partial() != nil {
		t.Error("something is partial before a load")
	}
	whole := make(chan *snapshot.Snapshot)
	go func() {
		snap, err := r.Load(context.Background(), nil)
		if err != nil {
			t.Error(err)
		}
		whole <- snap
	}()
	<-reached
	deadline := time.Now().Add(stuck)
	for {
		// The last batch holds the task that is waited for; the others come in.
		if p := r.Partial(); p != nil && p.Len() >= 192 {
			if p.Len() >= 400 {
				t.Errorf("%d tasks are there although one is not read", p.Len())
			}
			wantEqual(t, "it says to be entry", p.Seq(), 0)
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing partial shows")
		}
	}
	close(goOn)
	if snap := <-whole; snap.Len() != 400 {
		t.Errorf("%d tasks", snap.Len())
	}
	if r.Partial() != nil {
		t.Error("something is partial after the load")
	}
}

// TestWaitingForAnotherTransactionEnds: with the context, inside one process too.
func TestWaitingForAnotherTransactionEnds(t *testing.T) {
	s := newStore(t)
	must(t, s.writer.Writing.Take(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Do(ctx, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "x"}})
	var r *model.Refusal
	if !errors.As(err, &r) || r.Code != model.CodeConflict || !errors.Is(err, context.Canceled) {
		t.Errorf("the answer is %v", err)
	}
	s.writer.Writing.Give()
	if names, _ := filepath.Glob(vespe(s, "tasks/*")); len(names) > 0 {
		t.Errorf("it wrote %v", names)
	}
	create(t, s, "x", "")
}
