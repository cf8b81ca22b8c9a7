package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// A store of the original, which vespe never wrote to, opens without a problem. What it says is ready or blocked reads
// as that, and starts once a person has accepted the plan here.
func TestAcceptedElsewhere(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, layout.Name, name)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)))
	}
	write(layout.RootMarker, "")
	const ready, blocked = model.UID("tsk-0193775cf10073f7a21458854308f5e3"), model.UID("tsk-0193775cf10073f7a21458854308f5e4")
	for uid, word := range map[model.UID]string{ready: "ready", blocked: "blocked"} {
		at, deps := "tasks/"+string(uid)+"/", `{"depends_on": []}`
		if word == "blocked" {
			deps = `{"depends_on": ["` + string(ready) + `"]}`
		}
		write(at+"config.json", `{"uid": "`+string(uid)+`", "name": "`+word+`", "created_by": "agt-x", "created_at": "2024-11-29T10:00:00Z", "parent_uid": null}`)
		write(at+"status.json", `{"current_state": "`+word+`", "last_updated_at": "2024-11-29T10:00:00Z", "progress": null, "parent_content_hashes": {}}`)
		write(at+"dependencies.json", deps)
		write(at+"objective.md", "Do it.\n")
		write(at+"plan.md", "# Plan\n")
	}
	s := open(t, dir, Options{})
	ctx := context.Background()
	snap, err := s.Load(ctx, nil)
	if err != nil || len(snap.Problems()) > 0 {
		t.Fatalf("%v, problems %+v", err, snap.Problems())
	}
	is := func(uid model.UID, want model.Status) {
		t.Helper()
		i, _ := snap.Index(uid)
		if got := snap.Status(i); got != want {
			t.Errorf("%s is %s, want %s: %+v", uid, got, want, snap.Changes(snap.At(i)))
		}
	}
	is(ready, model.StatusReady)
	is(blocked, model.StatusBlocked)
	if n := len(snap.Inbox()); n != 2 || snap.InboxLen() != n {
		t.Errorf("%d wait for a person, and %d are counted: %+v", n, snap.InboxLen(), snap.Inbox())
	}
	for _, by := range []model.Actor{"system:loop", "agent:claude", "human:ann"} {
		_, err := s.Do(ctx, model.Op{Name: model.Start, UID: ready, Actor: by})
		var no *model.Refusal
		if !errors.As(err, &no) || no.Guard != model.GuardApproval {
			t.Errorf("%s starts it: %v", by, err)
		}
	}
	taken, err := s.ImportEdits(ctx, []model.UID{ready, blocked}) // a write: the store has an identity now
	if err != nil {
		t.Fatal(err)
	}
	if taken.Snapshot != nil {
		snap = taken.Snapshot
	}
	is(ready, model.StatusReady)
	is(blocked, model.StatusBlocked)
	mustGet(s.Do(ctx, model.Op{Name: model.AcceptPlan, UID: ready, Actor: "human:ann"}))(t)
	applied := mustGet(s.Do(ctx, model.Op{Name: model.Start, UID: ready, Actor: "system:loop"}))(t)
	snap = applied.Snapshot
	is(ready, model.StatusRunning)
	is(blocked, model.StatusBlocked)
}
