package store

import (
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
}

func scenarios() []scenario {
	return []scenario{
		{"create", func(t *testing.T, s *Store) []model.Op {
			parent := create(t, s, "parent", "x\n")
			return []model.Op{{ID: "op", Name: model.CreateTask, Actor: ann, Args: model.NewTask{
				UID: "tsk-new", Name: "new", Objective: "do it\n", Parent: parent, DependsOn: []model.UID{parent},
			}}}
		}},
		{"define plan", func(t *testing.T, s *Store) []model.Op {
			uid := planned(t, s, "one")
			return []model.Op{{ID: "op", Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: strings.Repeat("large\n", txlog.MaxInline/6+1)}}}
		}},
		{"accept and start", func(t *testing.T, s *Store) []model.Op {
			uid := planned(t, s, "one")
			return []model.Op{
				{ID: "op", Name: model.AcceptPlan, UID: uid, Actor: ann},
				{ID: "op2", Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-1"}},
			}
		}},
		{"hand in a result", func(t *testing.T, s *Store) []model.Op {
			uid := planned(t, s, "one")
			do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
			do(t, s, model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-1"}})
			return []model.Op{{ID: "op", Name: model.WorkCompleted, UID: uid, Actor: robot, Args: model.Completion{Summary: "It is done.\n"}}}
		}},
		{"milestones", func(t *testing.T, s *Store) []model.Op {
			uid, name := planned(t, s, "one"), "Second"
			do(t, s, stone("m1", "First"), model.Op{Name: model.AssignMilestone, UID: uid, Actor: ann, Args: model.MilestoneEdit{ID: "m1"}})
			return []model.Op{
				{ID: "op", Name: model.CreateMilestone, Actor: ann, Args: model.MilestoneEdit{ID: "m2", Name: &name}},
				{ID: "op2", Name: model.AssignMilestone, UID: uid, Actor: ann, Args: model.MilestoneEdit{ID: "m2"}},
			}
		}},
		{"priority by rules", func(t *testing.T, s *Store) []model.Op {
			uid := planned(t, s, "one")
			must(t, s.disk.FS.Mkdir("rules"))
			must(t, s.disk.WriteFile("rules/priority.yml", []byte(invoices), false))
			return []model.Op{
				{ID: "op", Name: model.CreateTask, Actor: ann, Args: model.NewTask{UID: "tsk-new", Name: "new", Objective: "an invoice\n"}},
				{ID: "op2", Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "x", Mode: '='}}}},
			}
		}},
		{"import many", func(_ *testing.T, _ *Store) []model.Op {
			var ops []model.Op
			for i := range 3 {
				op := importOp(i)
				op.ID = fmt.Sprintf("op%d", i)
				ops = append(ops, op)
			}
			return ops
		}},
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

// faults are those of calls that are carried out.
func faults() []fault {
	return []fault{
		{name: "killed", dead: true, late: true, err: errDead}, // after a call, which is before the next
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

// cloneStore copies a store's files to another root.
func cloneStore(t testing.TB, s *Store) string {
	t.Helper()
	root := fastDir(t)
	must(t, os.CopyFS(filepath.Join(root, layout.Name), os.DirFS(filepath.Join(s.Root(), layout.Name))))
	return root
}
