package store

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/marks"
	"vespe/store/txlog"
)

// repair makes everything readable and puts tasks back in their places.
func (v *village) repair() {
	for _, uid := range v.uids {
		if copied := v.path(layout.TaskDir(uid + "-copy")); v.aside[uid] != copied {
			v.do(os.RemoveAll(copied))
		}
	}
	for _, uid := range v.uids {
		if at, away := v.aside[uid]; away {
			v.move(uid, at)
		}
		if !v.exists(uid) {
			continue
		}
		v.n++
		for _, name := range marks.Files {
			b, err := os.ReadFile(v.path(layout.TaskFile(uid, name)))
			if err != nil && name != layout.ConfigFile || err == nil && !bytes.Contains(b, []byte("<<<<<<<")) {
				continue
			}
			v.write(layout.TaskFile(uid, name), v.body(uid, name, nil))
		}
	}
}

// ofTheGraph are problems that valid files have together.
var ofTheGraph = []string{"cycle", "dangling-dependency", "self-dependency", "orphan", "parent-cycle", "self-parent"}

// converges: once the files are valid, one process takes over what was edited, and then
// nobody finds anything edited or wrong; processes that were there, one that comes and one
// that reads nothing but the files say the same.
func (v *village) converges() {
	v.repair()
	if v.seal != nil {
		v.seal.open()
	}
	one := rapid.SampledFrom(v.stores).Draw(v.rt, "who takes over")
	_, err := one.Load(context.Background(), nil)
	v.do(err)
	v.do(v.takeOver(one))
	v.stores = append(v.stores, v.open())
	var want string
	for i, s := range append(v.stores, v.open()) {
		snap, err := s.Load(context.Background(), nil)
		if i > len(v.stores)-1 { // the files alone
			snap, err = s.loader.LoadFiles(context.Background())
		}
		v.do(err)
		for _, uid := range s.Edited() {
			e, _ := s.edits.Of(uid)
			x, err := s.comparer.External(s.edits.Some([]model.UID{uid}), uid)
			names := []string{}
			for _, f := range x.Files {
				names = append(names, f.Name)
			}
			v.rt.Fatalf("%s is still edited for process %d: %v, gone %v, appeared %v, problems %+v, %v", uid, i, names, x.Gone, x.Appeared, e.Now.Problems, err)
		}
		for _, p := range snap.Problems() {
			if !slices.Contains(ofTheGraph, p.Code) {
				v.rt.Fatalf("process %d: %+v", i, p)
			}
		}
		v.believes(s)
		if got := dump(snap); want == "" {
			want = got
		} else {
			v.same(i, want, got)
		}
		if i == len(v.stores) {
			v.do(s.Close())
		}
	}
}

// same fails with the first line that a process sees otherwise.
func (v *village) same(process int, want, got string) {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			v.rt.Fatalf("process %d sees something else at line %d:\n%s\n%s", process, i+1, w[min(i, len(w)-1)], g[min(i, len(g)-1)])
		}
	}
}

// log checks what was written: nothing is empty, revisions only grow while a task is there.
func (v *village) log() {
	s := v.stores[0]
	have := map[string]bool{}
	v.do(walkFiles(v.path("."), func(_ string, b []byte) { have[model.HashBytes(b)] = true }))
	last, err := s.Head(context.Background())
	v.do(err)
	was := map[string]model.StatusFile{}
	for n := uint64(1); n <= last; n++ {
		e, _, err := s.log.ReadEntry(n)
		v.do(err)
		if len(e.Files) == 0 {
			v.rt.Fatalf("entry %d is empty: %s", n, e.Summary)
		}
		for i := range e.Ops {
			if op := &e.Ops[i]; op.Name == model.ExternalEdit && !slices.ContainsFunc(e.Files, func(f txlog.FileImage) bool {
				uid, _, _ := layout.TaskOf(f.Path)
				return uid == op.UID
			}) {
				v.rt.Fatalf("entry %d takes over nothing: %s", n, e.Summary)
			}
		}
		for i := range e.Files {
			f := &e.Files[i]
			have[f.Hash] = have[f.Hash] || f.Body != nil
			have[f.Was] = have[f.Was] || f.Kept != nil
			if uid, name, _ := layout.TaskOf(f.Path); name == layout.StatusFile || name == layout.ConfigFile && f.Hash == "" {
				if f.Hash == "" {
					delete(was, string(uid))
					continue
				}
				now, _ := model.DecodeStatus(name, f.Bytes)
				before := was[string(uid)]
				if now.Revision < before.Revision || now.PlanRevision < before.PlanRevision || now.ObjectiveRevision < before.ObjectiveRevision {
					v.rt.Fatalf("entry %d takes %s back from revision %d (objective %d, plan %d) to %d (%d, %d)", n, uid, before.Revision,
						before.ObjectiveRevision, before.PlanRevision, now.Revision, now.ObjectiveRevision, now.PlanRevision)
				}
				was[string(uid)] = now
			}
		}
	}
	for hash, path := range v.seen {
		if !have[hash] {
			v.rt.Fatalf("bytes of %s are nowhere", path)
		}
	}
}
