package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

// desk is a store with its index.
type desk struct {
	t     testing.TB
	dir   string
	state string
	s     *store.Store
	x     *Index
	n     int
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), state: t.TempDir()}
	s, err := store.Init(d.dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.s = s
	t.Cleanup(func() {
		if d.x != nil {
			_ = d.x.Close()
		}
		_ = d.s.Close()
	})
	return d
}

func (d *desk) open() *desk {
	d.t.Helper()
	x, err := Open(context.Background(), d.s, Options{State: d.state})
	if err != nil {
		d.t.Fatal(err)
	}
	d.x = x
	return d
}

func (d *desk) close() {
	d.t.Helper()
	if err := d.x.Close(); err != nil {
		d.t.Fatal(err)
	}
	d.x = nil
}

func (d *desk) do(op model.Op) {
	d.t.Helper()
	d.n++
	op.ID, op.Actor = fmt.Sprint("op-", d.n), "agent:claude"
	if op.Name == model.AcceptPlan || op.Name == model.RejectPlan || op.Name == model.ReviewAccepted {
		op.Actor = "human:ann"
	}
	if _, err := d.s.Do(context.Background(), op); err != nil {
		d.t.Fatal(op.Name, err)
	}
}

func (d *desk) create(name, objective, plan string) model.UID {
	d.t.Helper()
	uid := d.s.NewUID()
	d.do(model.Op{Name: model.CreateTask, Args: model.NewTask{UID: uid, Name: name, Objective: objective}})
	if plan != "" {
		d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: plan}})
	}
	return uid
}

// file writes a task's file past vespe.
func (d *desk) file(uid model.UID, name, body string) {
	d.t.Helper()
	path := filepath.Join(d.dir, store.Name, "tasks", string(uid), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) snap() *snapshot.Snapshot {
	d.t.Helper()
	snap, err := d.s.Load(context.Background(), nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return snap
}

func (d *desk) update(sweep bool) *snapshot.Snapshot {
	d.t.Helper()
	snap := d.snap()
	if err := d.x.Update(context.Background(), snap, UpdateOptions{Sweep: sweep}); err != nil {
		d.t.Fatal(err)
	}
	return snap
}

func (d *desk) search(text string) snapshot.SearchAnswer {
	d.t.Helper()
	a, err := d.x.Search(context.Background(), d.snap(), snapshot.SearchQuery{Text: text})
	if err != nil {
		d.t.Fatal(text, err)
	}
	return a
}

// found are the names of the tasks that a query finds, sorted.
func (d *desk) found(text string) string {
	d.t.Helper()
	var names []string
	for _, h := range d.search(text).Hits {
		names = append(names, h.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
