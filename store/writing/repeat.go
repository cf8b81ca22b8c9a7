package writing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// replay answers operations that were committed before, from their entry.
func (s *Writer) replay(seq uint64, at txlog.Tip, ops []model.Op, snap *snapshot.Snapshot) (snapshot.Applied, error) {
	e, _, err := s.Log.ReadEntry(seq)
	if err != nil {
		return snapshot.Applied{}, failure.New(model.CodeInvalid, failure.GuardStore, &ops[0], err, "run `vespe store doctor`", "the operation was applied before, but its log entry can't be read")
	}
	for i := range ops {
		if k := slices.IndexFunc(e.Ops, func(r txlog.OpRecord) bool { return r.ID == ops[i].ID }); k >= 0 && !isRecordOf(&e.Ops[k], &ops[i]) {
			return snapshot.Applied{}, failure.New(model.CodeConflict, failure.GuardOpID, &ops[i], nil, "use a new id for each operation; nothing was changed",
				"the id %q was used before, for %s", ops[i].ID, e.Ops[k].Name)
		}
	}
	applied := snapshot.Applied{Seq: seq, Snapshot: snap, Replayed: true, Change: s.changeOf(e, ops[0], snap)}
	if err := s.Pending.Still(seq, &ops[0]); err != nil {
		return applied, err
	}
	// Anyone who committed it may have died before its name in log/ was durable; an entry that
	// others followed is.
	if seq == at.Seq {
		if err := s.syncLog(seq, &ops[0]); err != nil {
			return applied, err
		}
	}
	return applied, nil
}

// isRecordOf says whether the log's record can be of an operation. A new task's uid may have
// been filled in.
func isRecordOf(r *txlog.OpRecord, op *model.Op) bool {
	return r.Name == op.Name && (op.Name == model.CreateTask || op.Name == model.ImportTask || op.UID == "" || r.UID == op.UID)
}

// changeOf rebuilds what an entry did, as far as the log keeps it: the after-images, laid
// over the tasks as they are now.
func (s *Writer) changeOf(e *txlog.Entry, op model.Op, snap *snapshot.Snapshot) *model.Change {
	c := &model.Change{Op: op, Summary: e.Summary, Warnings: e.Warnings}
	if k := slices.IndexFunc(e.Ops, func(r txlog.OpRecord) bool { return r.ID == op.ID }); k >= 0 {
		c.Milestone = e.Ops[k].Milestone
	}
	at := map[model.UID]int{}
	for _, uid := range e.Tasks {
		t := &model.Task{UID: uid}
		if now, ok := snap.Task(uid); ok {
			t = now.Clone()
		}
		at[uid] = len(c.Tasks)
		c.Tasks = append(c.Tasks, t)
		c.Touched = append(c.Touched, model.Touched{})
	}
	for i := range e.Files {
		f := &e.Files[i]
		if f.Hash == "" {
			continue // somebody deleted it
		}
		b, err := s.Log.BodyOf(f)
		if err != nil {
			c.Warnings = append(c.Warnings, fmt.Sprint(err))
			continue
		}
		uid, rest, isTask := layout.TaskOf(f.Path)
		k, known := at[uid]
		switch {
		case isTask && known && layOver(c.Tasks[k], &c.Touched[k], rest, layout.Shown(f.Path), b):
		case isTask && layout.IsEventFile(rest):
			ev, _ := model.DecodeEvent(layout.Shown(f.Path), b)
			c.Events = append(c.Events, ev)
		case strings.HasPrefix(f.Path, layout.RequestsDir+"/"):
			r, _ := model.DecodeRequest(layout.Shown(f.Path), b)
			c.Requests = append(c.Requests, r)
			replayedRequest(c, &op, &r)
		case f.Path == layout.MilestonesFile:
			ms, _ := model.DecodeMilestones(layout.Shown(f.Path), b)
			c.Milestones = &ms
		default:
			c.Files = append(c.Files, model.FileChange{Path: f.Path, Body: b, Immutable: f.Immutable})
		}
	}
	return c
}

// layOver puts one of a task's own files into it.
func layOver(t *model.Task, touched *model.Touched, rest, path string, b []byte) bool {
	switch rest {
	case layout.ConfigFile:
		touched.Config = true
		t.Config, _ = model.DecodeConfig(path, b)
	case layout.StatusFile:
		touched.Status, t.HasStatus = true, true
		t.Status, _ = model.DecodeStatus(path, b)
	case layout.DependenciesFile:
		touched.Dependencies = true
		t.DependsOn, t.DepsExtra, _ = model.DecodeDependencies(path, b)
	case layout.SpecFile:
		touched.Spec = true
		t.Spec, _ = model.DecodeSpec(path, b)
	default:
		return false
	}
	return true
}

// findOps is the entry that holds these operations; 0 when none does. Only the heads of
// entries that were not looked at before are read.
func (s *Writer) findOps(ctx context.Context, ops []model.Op, last uint64) (uint64, error) {
	if err := s.Ops.Update(ctx, last); err != nil {
		return 0, s.unreadable(&ops[0], err)
	}
	var seq uint64
	for i := range ops {
		is, err := s.Ops.EntryOf(ops[i].ID)
		if err != nil {
			return 0, s.unreadable(&ops[i], err)
		}
		if i == 0 {
			seq = is
		}
		if is != seq {
			return 0, failure.New(model.CodeConflict, failure.GuardOpID, &ops[i], nil, "use a new id for each operation; nothing was changed",
				"the id %q was used before, in a different transaction", ops[i].ID)
		}
	}
	return seq, nil
}

// replayedRequest says again which request an operation was about.
func replayedRequest(c *model.Change, op *model.Op, r *model.Request) {
	ask, asked := op.Args.(model.NewRequest)
	asked = asked && r.ID == lifecycle.NewRequestID(op.UID, ask.Key, op.ID)
	started := op.Name == model.Start && r.IsOpen() && r.TaskUID == op.UID
	if asked || started || r.ID == op.Request() {
		c.Request, c.Waits = r.ID, started
	}
}
