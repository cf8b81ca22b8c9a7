package store

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/leftovers"
	"vespe/store/txlog"
)

// The oldest entry goes first, and the names of the others are those that a search from any of
// them meets: a writer without a lock tells a number that is free because it went by the one before.
func TestGCRemovesTheOldestFirst(t *testing.T) {
	s, _ := longStore(t, 20)
	f := &faultFS{}
	s.setFS(f.on(s.disk.FS))
	compact(t, s, GCOptions{})
	var gone []string
	for _, call := range f.trace {
		if name, ok := strings.CutPrefix(call, "remove "+layout.LogDir+"/0"); ok {
			gone = append(gone, name)
		}
	}
	if len(gone) != 15 || !slices.IsSorted(gone) {
		t.Errorf("entries went in the order %q", gone)
	}
}

// What was replaced past vespe and does not fit into its entry stays as long as the entry; what no
// entry names stays while somebody may be about to name it.
func TestGCKeepsBodiesInUse(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	checkpointed(t, s)
	status := vespe(s, layout.TaskFile(uid, layout.StatusFile))
	form := read(t, status) + strings.Repeat(" ", 2*txlog.MaxInline)
	write(t, status, form)
	do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	kept := vespe(s, layout.ObjectFile(model.HashBytes([]byte(form))))
	loose := vespe(s, layout.ObjectFile(model.HashBytes([]byte("young"))))
	write(t, loose, "young")
	for _, aged := range []bool{false, true} {
		if aged {
			old := time.Now().Add(-2 * leftovers.Age)
			for _, name := range []string{kept, loose} {
				must(t, os.Chtimes(name, old, old))
			}
		}
		compact(t, s, GCOptions{})
		if got := read(t, kept); got != form {
			t.Errorf("old %v: what was replaced is %.20q", aged, got)
		}
		if _, err := os.Stat(loose); (err != nil) != aged {
			t.Errorf("old %v: what nobody names: %v", aged, err)
		}
	}
}

// A task that was taken away leaves nothing in the base, and verify does not ask for it.
func TestGCForgetsTasksThatWent(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	create(t, s, "two", "x\n")
	load(t, s)
	must(t, os.RemoveAll(vespe(s, layout.TaskDir(uid))))
	load(t, s)
	takeOver(t, s)
	create(t, s, "three", "x\n")
	s.collector.Least = 1
	compact(t, s, GCOptions{})
	b := mustGet(s.log.OpenBase())(t)
	must(t, b.Paths.Each(func(path string, _ txlog.LastImage) {
		if of, _, _ := layout.TaskOf(path); of == uid {
			t.Errorf("the base knows %s", path)
		}
	}))
	if _, lines := verified(t, s, ""); len(lines) > 0 {
		t.Errorf("%q", lines)
	}
}
