package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/loading"
	"vespe/store/marks"
)

// village is a store that several processes write, with people and git at its files in
// between: they edit and remove files, take whole tasks away, rename them, bring them back,
// make tasks by hand, and check out what the tree was before.
type village struct {
	rt      *rapid.T
	root    string
	opt     Options
	stores  []*Store
	uids    []model.UID
	aside   map[model.UID]string // tasks that were moved, and where to
	commits []map[string]string  // what git has: path below tasks/ → bytes
	seen    map[string]string    // hash of bytes that the store has to have: whose they are
	seal    *seal                // a task whose directory refuses to be written, now and then; nil: none does
	n       int
}

// byHand are the states that are written by hand.
var byHand = []model.State{model.Created, model.PlanDefined, model.Working, model.Completed, model.Errored}

func newVillage(t *testing.T, rt *rapid.T, seal *seal) *village {
	root := mustGet(os.MkdirTemp(fastDir(t), "store"))(rt)
	v := &village{rt: rt, root: root, opt: testOptions(), aside: map[model.UID]string{}, seen: map[string]string{}, seal: seal}
	if seal != nil {
		v.opt = seal.options()
	}
	first := mustGet(Init(root, v.opt))(rt)
	v.stores = append(v.stores, first)
	for i := range 3 {
		v.uids = append(v.uids, planned(t, first, fmt.Sprint("task ", i)))
	}
	v.do(first.checkpoints.Write(context.Background()))
	for range 2 {
		v.stores = append(v.stores, v.open())
	}
	v.commit()
	return v
}

func (v *village) open() *Store {
	s, err := Open(v.root, v.opt)
	v.do(err)
	return s
}

func (v *village) close() {
	for _, s := range v.stores {
		_ = s.Close()
	}
}

// do fails unless all is well.
func (v *village) do(err error) {
	if err != nil {
		v.rt.Helper()
		v.rt.Fatal(err)
	}
}

func (v *village) path(name string) string {
	return filepath.Join(v.root, layout.Name, filepath.FromSlash(name))
}

func (v *village) exists(uid model.UID) bool {
	_, err := os.Stat(v.path(layout.TaskDir(uid)))
	return err == nil
}

// task is one of all that there ever were.
func (v *village) task() model.UID { return rapid.SampledFrom(v.uids).Draw(v.rt, "task") }

// foreign is something that happens past vespe.
func (v *village) foreign() {
	v.n++
	uid := v.task()
	if v.seal != nil && rapid.IntRange(0, 3).Draw(v.rt, "permissions") == 0 {
		v.permissions(uid)
		return
	}
	switch kind := rapid.IntRange(0, 15).Draw(v.rt, "by hand"); kind {
	case 0:
		v.move(uid, v.path("tmp/aside-"+string(uid)))
	case 1:
		v.move(uid, v.path(layout.TaskDir(uid+"-copy")))
	case 2:
		v.do(os.RemoveAll(v.path(layout.TaskDir(uid))))
	case 3:
		v.make()
	case 4:
		v.commit()
	case 5:
		v.checkout(rapid.SampledFrom(v.commits).Draw(v.rt, "commit"))
	default:
		if v.exists(uid) {
			v.edit(uid)
		}
	}
}

// permissions are taken away from a task's directory, at once or with the next commit, or
// given back.
func (v *village) permissions(uid model.UID) {
	if v.seal.closed.Load() || v.seal.onEntry.Load() {
		v.seal.open()
		return
	}
	v.seal.uid = uid
	if rapid.Bool().Draw(v.rt, "at once") {
		v.seal.closed.Store(true)
	} else {
		v.seal.onEntry.Store(true)
	}
}

// move takes a task's directory to another name, or back from there.
func (v *village) move(uid model.UID, to string) {
	from := v.path(layout.TaskDir(uid))
	if at, away := v.aside[uid]; away {
		if v.exists(uid) { // something else has taken its place
			v.do(os.RemoveAll(at))
		} else {
			v.do(os.Rename(at, from))
		}
		delete(v.aside, uid)
		return
	}
	if v.exists(uid) {
		v.do(os.RemoveAll(to))
		v.do(os.Rename(from, to))
		v.aside[uid] = to
	}
}

// make writes a whole task by hand.
func (v *village) make() {
	uid := model.UID(fmt.Sprintf("tsk-hand-%d", v.n))
	v.uids = append(v.uids, uid)
	v.do(os.Mkdir(v.path(layout.TaskDir(uid)), 0o755))
	v.write(layout.TaskFile(uid, layout.ConfigFile), fmt.Sprintf(`{"uid": %q, "name": "by hand %d", "created_by": "human:bob", "created_at": "2026-03-01T09:00:00Z"}`, uid, v.n))
	if rapid.Bool().Draw(v.rt, "with a plan") {
		v.write(layout.TaskFile(uid, "plan.md"), fmt.Sprintf("plan %d\n", v.n))
	}
	if rapid.Bool().Draw(v.rt, "with a status") {
		v.write(layout.TaskFile(uid, layout.StatusFile), v.status(nil))
	}
}

// commit keeps the tree as it is.
func (v *village) commit() {
	c := map[string]string{}
	base := v.path(layout.TasksDir)
	v.do(walkFiles(base, func(path string, b []byte) {
		rel, err := filepath.Rel(base, path)
		v.do(err)
		c[rel] = string(b)
	}))
	v.commits = append(v.commits, c)
}

// checkout makes the tree what it was, file by file, as git does.
func (v *village) checkout(c map[string]string) {
	base := v.path(layout.TasksDir)
	same := map[string]bool{}
	v.do(walkFiles(base, func(path string, b []byte) {
		rel, err := filepath.Rel(base, path)
		v.do(err)
		if body, ok := c[rel]; ok && body == string(b) {
			same[rel] = true
			return
		}
		v.do(os.Remove(path))
		for dir := filepath.Dir(path); dir != base && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
		}
	}))
	for rel, body := range c {
		if same[rel] {
			continue
		}
		path := filepath.Join(base, rel)
		v.do(os.MkdirAll(filepath.Dir(path), 0o755))
		v.do(os.WriteFile(path, []byte(body), 0o644))
	}
	for uid, at := range v.aside {
		if _, err := os.Stat(at); err != nil {
			delete(v.aside, uid)
		}
	}
}

func (v *village) write(name, body string) { v.do(os.WriteFile(v.path(name), []byte(body), 0o644)) }

// edit writes or removes one file of a task, so that it can be read or so that it cannot.
func (v *village) edit(uid model.UID) {
	name := rapid.SampledFrom(marks.Files[:]).Draw(v.rt, "file")
	path := layout.TaskFile(uid, name)
	b, _ := os.ReadFile(v.path(path))
	switch kind := rapid.IntRange(0, 9).Draw(v.rt, "edit"); {
	case kind == 0 && name != layout.ConfigFile:
		v.do(removedOS(os.Remove(v.path(path))))
	case kind == 1 && b != nil && strings.HasSuffix(name, ".json"):
		v.write(path, " "+string(b)+strings.Repeat("\n", v.n)) // says the same
	case kind == 2:
		v.write(path, fmt.Sprintf("<<<<<<< ours\n%d\n=======\nb\n>>>>>>> theirs\n", v.n))
	default:
		v.write(path, v.body(uid, name, b))
	}
}

func removedOS(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// body is a file that can be read.
func (v *village) body(uid model.UID, name string, b []byte) string {
	switch name {
	case layout.StatusFile:
		return v.status(b)
	case layout.ConfigFile:
		c, _ := model.DecodeConfig(name, b)
		c.UID, c.Name = uid, fmt.Sprintf("name %d", v.n)
		if c.CreatedBy == "" {
			c.CreatedBy = ann
		}
		return string(model.EncodeConfig(c))
	case layout.DependenciesFile:
		return string(model.EncodeDependencies([]model.UID{v.task()}[:rapid.IntRange(0, 1).Draw(v.rt, "dependencies")], nil))
	case layout.SpecFile:
		return fmt.Sprintf("{\"description\": \"%d\"}\n", v.n)
	}
	return fmt.Sprintf("by hand %d\n", v.n)
}

// status is a status.json by hand, sometimes with verdicts, sometimes as little as may be.
func (v *village) status(b []byte) string {
	st, _ := model.DecodeStatus(layout.StatusFile, b)
	st.CurrentState = rapid.SampledFrom(byHand).Draw(v.rt, "state")
	switch rapid.IntRange(0, 3).Draw(v.rt, "status") {
	case 0:
		st = model.StatusFile{CurrentState: st.CurrentState}
	case 1:
		st.Progress = fmt.Sprint(v.n)
	default:
		st.Progress = fmt.Sprint(v.n)
		st.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1, By: "human:mallory", PlanHash: model.HashBytes(nil)}
		st.Review = &model.Review{Of: "work", Verdict: "accepted", By: "human:mallory"}
		st.Undo = &model.Undo{Transition: model.RejectPlan, By: "human:mallory", Tasks: []model.UndoTask{{
			UID: v.uids[0], Revision: st.Revision, Before: model.EncodeStatus(model.StatusFile{CurrentState: model.Working, AcceptedPlan: st.AcceptedPlan}),
		}}}
	}
	return string(model.EncodeStatus(st))
}

// vespe is something that a process does.
func (v *village) vespe() {
	v.n++
	ctx := context.Background()
	k := rapid.IntRange(0, len(v.stores)-1).Draw(v.rt, "process")
	s := v.stores[k]
	before := v.files()
	var err error
	switch rapid.IntRange(0, 9).Draw(v.rt, "vespe") {
	case 0:
		_, err = s.Load(ctx, nil)
	case 1:
		if _, err = s.Load(ctx, nil); err == nil {
			err = v.takeOver(s)
		}
	case 2:
		err = v.takeOver(s)
	case 3:
		if err = s.checkpoints.Write(ctx); errors.Is(err, checkpoint.ErrBehind) || fsys.Missing(err) {
			err = nil
		}
	case 4:
		v.do(s.Close())
		v.stores[k] = v.open()
	case 5:
		_, err = s.Freshen(ctx, []model.UID{v.task(), v.task()})
	case 6:
		n := &model.NewTask{Name: fmt.Sprintf("new %d", v.n), Objective: "x\n", Parent: v.task()}
		var a snapshot.Applied
		if a, err = s.Do(ctx, model.Op{Name: model.CreateTask, Actor: ann, Args: *n}); err == nil {
			v.uids = append(v.uids, a.Change.Op.UID)
		}
	default:
		_, err = s.Do(ctx, v.op())
	}
	var r *model.Refusal
	if err != nil && !errors.As(err, &r) {
		v.rt.Fatal(err)
	}
	after := v.files()
	for path, body := range before {
		if after[path] != body {
			v.seen[model.HashBytes([]byte(body))] = path
		}
	}
	for _, s := range v.stores {
		v.believes(s)
	}
}

// takeOver imports everything, after which the store has to have every document that it
// does not call edited.
func (v *village) takeOver(s *Store) error {
	if _, err := s.ImportEdits(context.Background(), nil); err != nil {
		return err
	}
	edited := s.Edited()
	snap, _ := s.loader.Current.Get()
	for path, body := range v.files() {
		uid, name, _ := layout.TaskOf(path)
		if _, known := snap.Task(uid); known && strings.HasSuffix(name, ".md") && !slices.Contains(edited, uid) && s.isKnown(uid) && v.fresh(s, uid) {
			v.seen[model.HashBytes([]byte(body))] = path
		}
	}
	return nil
}

// fresh says whether a store knows what the files of a task are now.
func (v *village) fresh(s *Store, uid model.UID) bool {
	d, err := s.disk.FS.OpenDir(layout.TasksDir)
	v.do(err)
	defer d.Close()
	now := marks.Read(d, uid, v.opt.Now().AddDate(100, 0, 0))
	return now != 0 && now == s.edits.Marks.Of(uid)
}

// files is every own file of tasks.
func (v *village) files() map[string]string {
	out := map[string]string{}
	for _, uid := range v.uids {
		for _, name := range marks.Files {
			if b, err := os.ReadFile(v.path(layout.TaskFile(uid, name))); err == nil {
				out[layout.TaskFile(uid, name)] = string(b)
			}
		}
	}
	return out
}

func (v *village) op() model.Op {
	op := model.Op{UID: v.task(), Actor: ann, Reason: "because"}
	op.Name = rapid.SampledFrom([]model.Name{
		model.DefineObjective, model.DefinePlan, model.DefinePlan, model.AcceptPlan, model.AcceptPlan, model.RejectPlan, model.Start,
		model.WorkCompleted, model.ReviewAccepted, model.ReviewRejected, model.RaiseError, model.Retry, model.Pause, model.Resume,
		model.Check, model.Revalidate, model.Replan, model.UndoVerdict, model.RenameTask, model.AddDependency, model.RemoveDependency,
		model.SetFields, model.Abort,
	}).Draw(v.rt, "operation")
	op.Args = drawnArgs(op.Name, v.n, v.task())
	return op
}

// believes fails when a verdict counts that was not given to vespe.
func (v *village) believes(s *Store) {
	snap, _ := s.loader.Current.Get()
	if snap == nil {
		return
	}
	for i := range snap.Len() {
		t := snap.At(i)
		if a := t.Status.AcceptedPlan; a != nil && a.By != ann {
			v.rt.Fatalf("an acceptance by %s counts", a.By)
		}
		if r := t.Status.Review; r != nil && r.Verdict == "accepted" && r.By != ann {
			v.rt.Fatalf("a review by %s counts", r.By)
		}
		if u := t.Status.Undo; u != nil && u.By != ann {
			v.rt.Fatalf("a verdict of %s can be taken back", u.By)
		}
	}
}

// TestEditsInterleaved: whatever processes, people and git do in turn, no bytes are lost
// that the store knew, no verdict counts that it was not given, no number goes back, nothing
// is told that did not happen, and everything is settled by anyone who takes it over first.
// In every other store the directory of one task or another refuses to be written for a while.
func TestEditsInterleaved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var sealed *seal
		if rapid.Bool().Draw(rt, "with permissions") {
			sealed = &seal{}
		}
		v := newVillage(t, rt, sealed)
		defer v.close()
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			if rapid.Bool().Draw(rt, "past vespe") {
				v.foreign()
			} else {
				v.vespe()
			}
		}
		v.converges()
		v.log()
	})
}

// isKnown says whether what a task's files hold is what the store knows.
func (s *Store) isKnown(uid model.UID) bool {
	snap, _ := s.loader.Current.Get()
	return !s.edits.Differs(uid) && !loading.NeedsLook(snap, uid)
}
