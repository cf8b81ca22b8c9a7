package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// faultFS fails calls that change something, or with reads all. Calls are counted from 1.
type faultFS struct {
	mu    sync.Mutex
	calls int
	at    int    // the call that fails; 0: none
	dead  bool   // every call after it fails too: the process is gone
	late  bool   // the call is carried out, and then says that it failed
	short bool   // a write that fails has written half
	reads bool   // calls that only read count, too
	err   error  // what it says
	act   func() // what happens first, when it is not nil
	trace []string
}

var errDead = errors.New("the process was killed")

// step counts a call and says whether to carry it out and what to answer.
func (f *faultFS) step(call, name string) (carryOut bool, answer error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.reads && !slices.Contains(changing, call) {
		if call == callLock && f.dead && f.at > 0 && f.calls >= f.at {
			return false, errDead
		}
		return true, nil
	}
	f.calls++
	f.trace = append(f.trace, call+" "+name)
	switch {
	case f.at == 0 || f.calls < f.at:
		return true, nil
	case f.calls == f.at:
		if f.act != nil {
			f.act()
		}
		return f.late, f.err
	case f.dead:
		return false, errDead
	}
	return true, nil
}

func (f *faultFS) around(call, name string, do func() error) error {
	carryOut, answer := f.step(call, name)
	if carryOut {
		if err := do(); err != nil {
			return err
		}
	}
	return answer
}

// on is another file system with the faults.
func (f *faultFS) on(disk fsys.FS) fsys.FS {
	return &hookFS{FS: disk, around: f.around, deep: f.reads, torn: f.short}
}

// system is the system's file system with the faults, for Options.FS.
func (f *faultFS) system(root string) (fsys.FS, error) {
	disk, err := fsys.OpenFS(root)
	return f.on(disk), err
}

// scenario is a transaction whose every step is made to fail.
type scenario struct {
	name  string
	setUp func(t *testing.T, s *Store) []model.Op
	// wrote says whether a store holds the transaction.
	wrote func(snap *snapshot.Snapshot, before uint64) bool
}

func scenarios() []scenario {
	next := func(snap *snapshot.Snapshot, before uint64) bool { return snap.Seq() > before }
	return []scenario{
		{"create", func(t *testing.T, s *Store) []model.Op {
			parent := create(t, s, "parent", "x\n")
			return []model.Op{{ID: "op", Name: model.CreateTask, Actor: ann, Args: model.NewTask{
				UID: "tsk-new", Name: "new", Objective: "do it\n", Parent: parent, DependsOn: []model.UID{parent},
			}}}
		}, next},
		{"define plan", func(t *testing.T, s *Store) []model.Op {
			uid := planned(t, s, "one")
			return []model.Op{{ID: "op", Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: strings.Repeat("large\n", txlog.MaxInline/6+1)}}}
		}, next},
		{"accept and start", func(t *testing.T, s *Store) []model.Op {
			uid := planned(t, s, "one")
			return []model.Op{
				{ID: "op", Name: model.AcceptPlan, UID: uid, Actor: ann},
				{ID: "op2", Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-1"}},
			}
		}, next},
		{"hand in a result", func(t *testing.T, s *Store) []model.Op {
			uid := planned(t, s, "one")
			do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
			do(t, s, model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-1"}})
			return []model.Op{{ID: "op", Name: model.WorkCompleted, UID: uid, Actor: robot, Args: model.Completion{Summary: "It is done.\n"}}}
		}, next},
		{"milestones", func(t *testing.T, s *Store) []model.Op {
			uid, name := planned(t, s, "one"), "Second"
			do(t, s, stone("m1", "First"), model.Op{Name: model.AssignMilestone, UID: uid, Actor: ann, Args: model.MilestoneEdit{ID: "m1"}})
			return []model.Op{
				{ID: "op", Name: model.CreateMilestone, Actor: ann, Args: model.MilestoneEdit{ID: "m2", Name: &name}},
				{ID: "op2", Name: model.AssignMilestone, UID: uid, Actor: ann, Args: model.MilestoneEdit{ID: "m2"}},
			}
		}, next},
		{"priority by rules", func(t *testing.T, s *Store) []model.Op {
			uid := planned(t, s, "one")
			must(t, s.disk.FS.Mkdir("rules"))
			must(t, s.disk.WriteFile("rules/priority.yml", []byte(invoices), false))
			return []model.Op{
				{ID: "op", Name: model.CreateTask, Actor: ann, Args: model.NewTask{UID: "tsk-new", Name: "new", Objective: "an invoice\n"}},
				{ID: "op2", Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "x", Mode: '='}}}},
			}
		}, next},
		{"import many", func(_ *testing.T, _ *Store) []model.Op {
			var ops []model.Op
			for i := range 3 {
				op := importOp(i)
				op.ID = fmt.Sprintf("op%d", i)
				ops = append(ops, op)
			}
			return ops
		}, next},
	}
}

// importOp imports a task of six files.
func importOp(i int) model.Op {
	at := newClock().now()
	uid := model.UID(fmt.Sprintf("tsk-%032d", i))
	return model.Op{Name: model.ImportTask, UID: uid, Actor: ann, Args: model.Imported{
		Task: &model.Task{
			UID:    uid,
			Config: model.Config{UID: uid, Name: fmt.Sprintf("imported %d", i), CreatedBy: ann, CreatedAt: at},
			Status: model.StatusFile{CurrentState: model.ObjectiveDefined, LastUpdatedAt: at},
			Spec:   &model.Spec{Description: strings.Repeat("words and words ", 20), Labels: []string{"a"}},
		},
		Objective: strings.Repeat("an objective of several lines\n", 20),
		Events:    []model.Event{{Name: "imported", UID: uid, At: at, Actor: ann, Summary: "came from elsewhere"}},
	}}
}

// fault is one way in which call k goes wrong.
type fault struct {
	name       string
	dead, late bool
	short      bool
	err        error
}

func faults() []fault {
	return []fault{
		{name: "killed", dead: true, late: true, err: errDead}, // after a call, which is before the next
		{name: "no space", err: syscall.ENOSPC, short: true},
		{name: "I/O error, done all the same", late: true, err: syscall.EIO},
	}
}

// inMemory is a copy of a store's files on a disk in memory, which is copied itself in no time.
func inMemory(t testing.TB, s *Store) *disk {
	t.Helper()
	d, root := newDisk(), vespe(s, "")
	must(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		name, bad := filepath.Rel(root, path)
		if err = errors.Join(err, bad); err != nil || name == "." {
			return err
		}
		if e.IsDir() {
			return d.Mkdir(name)
		}
		b, err := os.ReadFile(path)
		return errors.Join(err, d.Overwrite(name, b))
	}))
	d.makeDurable()
	return d
}

// copied is the disk once more: with the same identity, as if nothing had happened since.
func (d *disk) copied() *disk { return d.killed(len(d.steps)) }

// openOn opens the store on a disk, with the faults.
func (f *faultFS) openOn(d *disk, opt Options) (*Store, error) {
	opt.FS = func(string) (fsys.FS, error) { return f.on(d), nil }
	s, err := Open("/nowhere", opt)
	if err == nil {
		s.loader.Pending.Projector.Many = 12 // so that a small import is synced as a whole
	}
	return s, err
}

// openOn opens the store on a disk.
func openOn(t testing.TB, d *disk, opt Options) *Store {
	t.Helper()
	s, err := (&faultFS{}).openOn(d, opt)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestEveryStepMayFail makes each call of each transaction fail in each way. However it
// ends, reopening finds nothing of the transaction, or all of it; all of it when it was
// acknowledged or when the error said that it is committed; and repeating it with the same
// ids gives it once. Of what is committed readers see documents, revisions, results and events, before anyone recovers.
func TestEveryStepMayFail(t *testing.T) {
	t.Parallel()
	for _, sc := range scenarios() {
		for _, ft := range faults() {
			t.Run(sc.name+"/"+ft.name, func(t *testing.T) {
				t.Parallel()
				s := initIn(t, fastDir(t), testOptions())
				ops, before := sc.setUp(t, s), dump(load(t, s))
				template := inMemory(t, s)
				whole := template.copied()
				do(t, openOn(t, whole, thatFails()), ops...)
				after := readersOn(t, whole)
				for k := 1; ; k++ {
					if done := failAt(t, template, before, after, ops, sc, ft, k); done {
						if k < 8 {
							t.Fatalf("the transaction has only %d calls", k-1)
						}
						return
					}
				}
			})
		}
	}
}

// thatFails are the options of each process that fails: what it writes is the same.
func thatFails() Options { return Options{Now: newClock().now, Rand: entropy(7)} }

// readersOn is what those see who only read.
func readersOn(t *testing.T, d *disk) string {
	t.Helper()
	r := openOn(t, d, Options{ReadOnly: true})
	return everything(t, r, load(t, r))
}

func failAt(t *testing.T, template *disk, before, after string, ops []model.Op, sc scenario, ft fault, k int) (done bool) {
	t.Helper()
	d := template.copied()
	f := &faultFS{dead: ft.dead, late: ft.late, short: ft.short, err: ft.err}
	s, err := f.openOn(d, thatFails())
	must(t, err)
	was := load(t, s).Seq()
	f.mu.Lock()
	f.calls, f.at, f.trace = 0, k, nil
	f.mu.Unlock()
	applied, err := s.DoAll(context.Background(), ops)
	calls := f.calls
	where := func() string { return fmt.Sprintf("call %d (%s): result %v", k, f.trace[min(k, len(f.trace))-1], err) }
	if cerr := s.Close(); cerr != nil {
		t.Fatal(cerr)
	}
	if calls < k { // it never came so far
		if err != nil || len(applied.Warnings) > 0 {
			t.Fatalf("without a fault: %v, %v", err, applied.Warnings)
		}
		return true
	}

	var r *model.Refusal
	committed := errors.As(err, &r) && r.Code == model.CodeNotDurable
	if ft.dead && lastEntry(t, onFS(d)) > was {
		same(t, where()+": for readers", after, readersOn(t, d))
	}
	again, oerr := (&faultFS{}).openOn(d, Options{Now: newClock().now, Rand: entropy(uint64(k) + 1000)})
	if oerr != nil {
		t.Fatalf("%s: open: %v", where(), oerr)
	}
	defer again.Close()
	snap, lerr := again.Load(context.Background(), nil)
	if lerr != nil {
		t.Fatalf("%s: load: %v", where(), lerr)
	}
	if len(snap.Problems()) > 0 {
		t.Fatalf("%s: problems %+v", where(), snap.Problems())
	}
	wrote := sc.wrote(snap, was)
	switch {
	case (err == nil || committed) && !wrote:
		t.Fatalf("%s: an acknowledged transaction is lost", where())
	case err != nil && !committed && wrote && !ft.dead:
		t.Fatalf("%s: it said that nothing happened", where())
	case !wrote && dump(snap) != before:
		same(t, where()+": half of it is there", before, dump(snap))
	}
	projectionHolds(t, again)

	// The same ids once more: applied, and once.
	a, err := again.DoAll(context.Background(), ops)
	if err != nil || a.Replayed != wrote || a.Seq != was+1 {
		t.Fatalf("%s: repeated: %+v, %v", where(), a, err)
	}
	projectionHolds(t, again)
	return false
}

// cloneStore copies a store's files to another root.
func cloneStore(t testing.TB, s *Store) string {
	t.Helper()
	root := fastDir(t)
	must(t, os.CopyFS(filepath.Join(root, layout.Name), os.DirFS(filepath.Join(s.Root(), layout.Name))))
	return root
}
