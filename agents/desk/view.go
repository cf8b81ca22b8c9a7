package desk

import (
	"context"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

// Snapshot is what is in the store now.
func (d *Desk) Snapshot(ctx context.Context) (*snapshot.Snapshot, error) {
	_, snap, err := d.look(ctx)
	return snap, err
}

// View is the store and what is in it now, for who only reads. Every error is an *Error.
func (d *Desk) View(ctx context.Context) (*store.Store, *snapshot.Snapshot, error) {
	return d.look(ctx)
}

// ViewTask is View with the task that a reference names as its files say it now.
func (d *Desk) ViewTask(ctx context.Context, ref string) (*store.Store, *snapshot.Snapshot, *model.Task, error) {
	return d.fresh(ctx, ref)
}
