package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/store/checkpoint"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/marks"
)

// writers is a store that two processes write, and somebody with an editor.
type writers struct {
	rt     *rapid.T
	stores []*Store
	uids   []model.UID
	lost   map[string]string // hash of bytes that vespe replaced, and which file they were in
	old    map[string]string // path of a file: bytes that it held at some time
	n      int
}

// disk is every file that tasks' authors write.
func (w *writers) disk() map[string]string {
	out := map[string]string{}
	for _, uid := range w.uids {
		for _, name := range marks.Files {
			if b, err := os.ReadFile(vespe(w.stores[0], layout.TaskFile(uid, name))); err == nil {
				out[layout.TaskFile(uid, name)] = string(b)
			}
		}
	}
	return out
}

// foreign writes, changes, sets back or removes a file past vespe.
func (w *writers) foreign() {
	w.n++
	uid := rapid.SampledFrom(w.uids).Draw(w.rt, "edited task")
	name := rapid.SampledFrom(marks.Files[:]).Draw(w.rt, "edited file")
	path := vespe(w.stores[0], layout.TaskFile(uid, name))
	if rapid.IntRange(0, 9).Draw(w.rt, "whole task") == 0 {
		w.move(uid)
		return
	}
	if _, err := os.Stat(vespe(w.stores[0], layout.TaskDir(uid))); err != nil {
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		b = nil
	}
	body := string(b)
	was := body
	isJSON := strings.HasSuffix(name, ".json")
	switch kind := rapid.IntRange(0, 6).Draw(w.rt, "edit"); {
	case kind == 0 && name != layout.ConfigFile:
		_ = os.Remove(path)
		return
	case kind == 1:
		body = w.old[path] // set back
		if body == "" {
			return
		}
	case kind == 2 && isJSON:
		body = " " + body + fmt.Sprint(strings.Repeat("\n", w.n)) // says the same
	case kind == 3:
		body = fmt.Sprintf("<<<<<<< ours\n%d\n=======\nb\n>>>>>>> theirs\n", w.n)
	case name == layout.StatusFile:
		st, _ := model.DecodeStatus(name, b)
		st.CurrentState = rapid.SampledFrom([]model.State{model.Created, model.PlanDefined, model.Working, model.Completed, model.Errored}).Draw(w.rt, "state")
		st.Progress = fmt.Sprint(w.n)
		st.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1, By: "human:mallory", PlanHash: model.HashBytes(nil)}
		st.Review = &model.Review{Of: "work", Verdict: "accepted", By: "human:mallory"}
		body = string(model.EncodeStatus(st))
	case name == layout.ConfigFile:
		c, _ := model.DecodeConfig(name, b)
		c.Name = fmt.Sprintf("name %d", w.n)
		body = string(model.EncodeConfig(c))
	case name == layout.DependenciesFile:
		body = string(model.EncodeDependencies([]model.UID{rapid.SampledFrom(w.uids).Draw(w.rt, "dependency")}, nil))
	case name == layout.SpecFile:
		body = fmt.Sprintf("{\"description\": \"%d\"}\n", w.n)
	default:
		body = fmt.Sprintf("by hand %d\n", w.n)
	}
	if was != "" && w.old[path] == "" {
		w.old[path] = was
	}
	must(w.rt, os.WriteFile(path, []byte(body), 0o644))
}

// move takes a task's directory away, or brings it back.
func (w *writers) move(uid model.UID) {
	dir, aside := vespe(w.stores[0], layout.TaskDir(uid)), vespe(w.stores[0], "tmp/aside-"+string(uid))
	if _, err := os.Stat(aside); err == nil {
		dir, aside = aside, dir
	}
	must(w.rt, os.Rename(dir, aside))
}

// vespe is something that a process does with the store.
func (w *writers) vespe() {
	w.n++
	s := w.stores[rapid.IntRange(0, len(w.stores)-1).Draw(w.rt, "process")]
	before := w.disk()
	var err error
	switch rapid.IntRange(0, 5).Draw(w.rt, "kind") {
	case 0:
		_, err = s.Load(context.Background(), nil)
	case 1:
		if _, err = s.Load(context.Background(), nil); err == nil {
			_, err = s.ImportEdits(context.Background(), nil)
		}
	case 2:
		err = s.checkpoints.Write(context.Background())
		if errors.Is(err, checkpoint.ErrBehind) || fsys.Missing(err) {
			err = nil
		}
	default:
		_, err = s.Do(context.Background(), w.op())
	}
	var r *model.Refusal
	if err != nil && !errors.As(err, &r) {
		w.rt.Fatal(err)
	}
	after := w.disk()
	for path, body := range before {
		if after[path] != body {
			w.lost[model.HashBytes([]byte(body))] = path
		}
	}
}

func (w *writers) op() model.Op {
	op := model.Op{UID: rapid.SampledFrom(w.uids).Draw(w.rt, "task"), Actor: ann, Reason: "because"}
	op.Name = rapid.SampledFrom([]model.Name{
		model.DefineObjective, model.DefinePlan, model.DefinePlan, model.AcceptPlan, model.RejectPlan, model.Start, model.WorkCompleted,
		model.ReviewAccepted, model.ReviewRejected, model.RaiseError, model.Retry, model.Pause, model.Resume, model.Check,
		model.Revalidate, model.Replan, model.UndoVerdict, model.RenameTask, model.AddDependency, model.RemoveDependency, model.SetFields,
	}).Draw(w.rt, "operation")
	op.Args = drawnArgs(op.Name, w.n, rapid.SampledFrom(w.uids).Draw(w.rt, "dependency"))
	return op
}

// found are the hashes of everything that the store still has.
func (w *writers) found() map[string]bool {
	out := map[string]bool{}
	s := w.stores[0]
	must(w.rt, walkFiles(vespe(s, "."), func(_ string, b []byte) { out[model.HashBytes(b)] = true }))
	last, err := s.Head(context.Background())
	if err != nil {
		w.rt.Fatal(err)
	}
	for n := uint64(1); n <= last; n++ {
		e, _, err := s.log.ReadEntry(n)
		if err != nil {
			w.rt.Fatal(err)
		}
		for i := range e.Files {
			f := &e.Files[i]
			out[f.Hash] = out[f.Hash] || f.Body != nil
			out[f.Was] = out[f.Was] || f.Kept != nil
		}
	}
	return out
}

// TestNobodysBytesAreLost: whatever processes and editors do in turn, every sequence of
// bytes that vespe replaced in a file of a task is somewhere in the tree or the log, and no
// verdict counts that was not given to vespe.
func TestNobodysBytesAreLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		root := mustGet(os.MkdirTemp(fastDir(t), "store"))(rt)
		opt := testOptions()
		first := mustGet(Init(root, opt))(rt)
		defer first.Close()
		first.checkpoints.Least = 1
		w := &writers{rt: rt, stores: []*Store{first}, lost: map[string]string{}, old: map[string]string{}}
		for i := range 3 {
			w.uids = append(w.uids, planned(t, first, fmt.Sprint("task ", i)))
		}
		must(rt, first.checkpoints.Write(context.Background()))
		second := mustGet(Open(root, opt))(rt)
		defer second.Close()
		w.stores = append(w.stores, second)
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			if rapid.Bool().Draw(rt, "by hand") {
				w.foreign()
				continue
			}
			w.vespe()
			for _, s := range w.stores {
				w.believes(s)
			}
		}
		have := w.found()
		for hash, path := range w.lost {
			if !have[hash] {
				rt.Fatalf("bytes of %s are nowhere", path)
			}
		}
		w.converges()
	})
}

// believes fails when a verdict of mallory's counts.
func (w *writers) believes(s *Store) {
	snap, _ := s.loader.Current.Get()
	if snap == nil {
		return
	}
	for _, uid := range w.uids {
		t, ok := snap.Task(uid)
		if !ok {
			continue
		}
		if a := t.Status.AcceptedPlan; a != nil && a.By != ann {
			w.rt.Fatalf("an acceptance by %s counts", a.By)
		}
		if r := t.Status.Review; r != nil && r.Verdict == "accepted" && r.By != ann {
			w.rt.Fatalf("a review by %s counts", r.By)
		}
	}
}

// converges: once nobody edits any more and what can be read is taken over, nothing is
// left to be found by anyone.
func (w *writers) converges() {
	for _, s := range w.stores {
		if rapid.Bool().Draw(w.rt, "come back") {
			for _, uid := range w.uids {
				if _, err := os.Stat(vespe(s, layout.TaskDir(uid))); err != nil {
					w.move(uid)
				}
			}
		}
		mustGet(s.Load(context.Background(), nil))(w.rt)
		mustGet(s.ImportEdits(context.Background(), nil))(w.rt)
	}
	for _, s := range w.stores {
		snap, err := s.Load(context.Background(), nil)
		if err != nil {
			w.rt.Fatal(err)
		}
		for _, uid := range s.Edited() {
			if t, ok := snap.Task(uid); ok && !model.HasError(t.Problems) {
				x, err := s.comparer.External(s.edits.Some([]model.UID{uid}), uid)
				w.rt.Fatalf("%s is still edited: %+v %v", uid, x, err)
			} else if !ok {
				w.rt.Fatalf("%s is still being taken away", uid)
			}
		}
		w.believes(s)
	}
}
