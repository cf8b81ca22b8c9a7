package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/fsys"
)

// linearEnv makes the test binary a worker that carries out the operations of linearizability
// tests: "<mode> <root>".
const linearEnv = "VESPE_STORE_TEST_LINEAR"

// What the workers' locks and links are worth.
const (
	linLocked = "locked"
	linFree   = "without locks"
	linBroken = "broken" // without locks, and a number of the log can be given twice
)

// twiceFS gives a name that is taken away from anyone who has it.
type twiceFS struct{ noLockFS }

func (f twiceFS) Link(a, b string) error {
	err := f.FS.Link(a, b)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := f.FS.Remove(b); err != nil {
		return err
	}
	return f.FS.Link(a, b)
}

func linFS(mode string) func(root string) (fsys.FS, error) {
	return func(root string) (fsys.FS, error) {
		f, err := fsys.OpenFS(root)
		switch {
		case err != nil || mode == linLocked:
			return f, err
		case mode == linFree:
			return noLockFS{f}, nil
		}
		return twiceFS{noLockFS{f}}, nil
	}
}

func linUID(group, which int) model.UID {
	return model.UID(fmt.Sprintf("tsk-group%d-%c", group, 'a'+which))
}

// workLinear answers operations, one a line, until there are no more.
func workLinear(job string) error {
	mode, root, _ := strings.Cut(job, "|")
	opt := Options{FS: linFS(mode)}
	calls := &faultFS{act: func() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}}
	s, err := Open(root, Options{FS: func(root string) (fsys.FS, error) {
		f, err := linFS(mode)(root)
		return calls.on(f), err
	}})
	if err != nil {
		return err
	}
	defer s.Close()
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for in.Scan() {
		var op linOp
		if err := json.Unmarshal(in.Bytes(), &op); err != nil {
			return err
		}
		calls.mu.Lock()
		calls.calls, calls.at, calls.trace = 0, op.Die, nil
		calls.mu.Unlock()
		if err := out.Encode(linDo(s, root, opt, op)); err != nil {
			return err
		}
	}
	return in.Err()
}

// linLook reads a group: with the store that is open, or with a new one.
func linLook(s *Store, root string, opt Options, op linOp) (a linAnswer) {
	ctx := context.Background()
	var snap *snapshot.Snapshot
	var err error
	switch op.How {
	case 0:
		snap, err = s.Refresh(ctx)
	case 1:
		snap, err = s.Load(ctx, nil)
	default:
		var other *Store
		if other, err = Open(root, opt); err != nil {
			return linAnswer{Error: err.Error()}
		}
		defer other.Close()
		if snap, _, err = other.Warm(ctx); err == nil && snap == nil || op.How > 2 {
			snap, err = other.Load(ctx, nil)
		}
	}
	if err == nil {
		a.Group, err = groupOf(snap, op.Group)
	}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

// groupOf is a group as a snapshot has it.
func groupOf(snap *snapshot.Snapshot, group int) (g linGroup, err error) {
	for i := range groupSize {
		t, ok := snap.Task(linUID(group, i))
		if !ok || len(t.Problems) > 0 {
			return g, fmt.Errorf("no task %d, or problems: %+v", i, snap.Problems())
		}
		g.Revision[i] = t.Status.Revision
		if i < groupC {
			g.Labels[i], g.Run[i] = strings.Join(t.Spec.Labels, " "), t.Status.CurrentRun
			continue
		}
		var asked []string
		for _, r := range snap.Requests() {
			if slices.Contains(t.DependsOn, r.TaskUID) && r.State == model.RequestPending {
				asked = append(asked, string(r.TaskUID))
			}
		}
		slices.Sort(asked)
		g.Asked = strings.Join(asked, " ")
	}
	return g, nil
}

// transaction is the operation in the store's terms.
func (op linOp) transaction() []model.Op {
	uid := linUID(op.Group, op.Which)
	label := func(uid model.UID, mode byte) model.Op {
		return model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: op.Value, Mode: mode}}}}
	}
	var ops []model.Op
	switch op.Kind {
	case linSet:
		ops = []model.Op{label(uid, '=')}
		ops[0].ExpectRevision = op.Expect
	case linAdd:
		ops = []model.Op{label(uid, '+')}
	case linBoth:
		ops = []model.Op{label(linUID(op.Group, groupA), '+'), label(linUID(op.Group, groupB), '+')}
	case linClaim:
		ops = []model.Op{{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: op.Value}}}
	case linRelease:
		ops = []model.Op{
			{Name: model.RaiseError, UID: uid, Actor: robot, Args: model.ErrorReport{Details: "given up\n"}, ExpectRevision: op.Expect},
			{Name: model.Retry, UID: uid, Actor: robot},
		}
	case linAsk:
		vain, asker := model.UID("tsk-"+op.Value), linUID(op.Group, groupC)
		ops = []model.Op{
			{Name: model.CreateTask, Actor: ann, Args: model.NewTask{UID: vain, Name: op.Value, Objective: "x\n"}},
			{Name: model.AddDependency, UID: asker, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{vain}}},
			{Name: model.Abort, UID: vain, Actor: ann, Reason: "in vain"},
		}
	}
	for i := range ops {
		ops[i].ID = fmt.Sprintf("%s.%d", op.ID, i)
	}
	return ops
}

func linDo(s *Store, root string, opt Options, op linOp) (a linAnswer) {
	if op.Kind == linRead {
		return linLook(s, root, opt, op)
	}
	applied, err := s.DoAll(context.Background(), op.transaction())
	var r *model.Refusal
	switch {
	case err == nil:
		a.Seq, a.Replayed, a.Warnings = applied.Seq, applied.Replayed, applied.Warnings
		for _, t := range applied.Change.Tasks {
			for i := range groupSize {
				if t.UID == linUID(op.Group, i) {
					a.Revision[i] = t.Status.Revision
				}
			}
		}
	case errors.As(err, &r) && (r.Guard == failure.GuardLock || r.Guard == failure.GuardUnmoved):
		a.Busy = true
	case errors.As(err, &r) && (r.Guard == model.GuardRevision || r.Guard == model.GuardNoRun):
		a.Guard = r.Guard
	default:
		a.Error = err.Error()
	}
	return a
}
