package ui_test

import (
	"context"
	"testing"

	"vespe/internal/uitest"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui"
)

// task is a task as the store has it.
func task(t *testing.T, s *uitest.Store, uid model.UID) *model.Task {
	t.Helper()
	tk, ok := s.Snapshot().Task(uid)
	if !ok {
		t.Fatalf("no task %s", uid)
	}
	return tk
}

// byName is the task with a name.
func byName(t *testing.T, s *uitest.Store, name string) *model.Task {
	t.Helper()
	uid, err := s.Snapshot().Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return task(t, s, uid)
}

func asRobot(d *ui.Deps) { d.Actor = uitest.Robot }

// blockingStore writes nothing before its channel is closed.
type blockingStore struct {
	*uitest.Store
	until chan struct{}
}

func (b blockingStore) Do(ctx context.Context, op model.Op) (snapshot.Applied, error) {
	<-b.until
	return b.Store.Do(ctx, op)
}
