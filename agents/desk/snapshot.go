package desk

import (
	"context"

	"vespe/model"
)

// Snapshot is what is in the store now.
func (d *Desk) Snapshot(ctx context.Context) (*model.Snapshot, error) {
	_, snap, err := d.look(ctx)
	return snap, err
}
