package store

import (
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// killedAfterCommit is a store whose last transaction was committed and not projected.
func killedAfterCommit(t *testing.T, op func(s *Store) model.Op) (root string, uid model.UID) {
	t.Helper()
	opt := testOptions()
	f := &faultFS{dead: true, err: errDead}
	opt.FS = f.system
	s := initIn(t, t.TempDir(), opt)
	defer s.Close()
	o := op(s)
	f.at = f.calls + 6 // create, write, fsync, link, sync of log/
	f.trace = nil
	mustGet(s.Do(context.Background(), o))(t)
	if f.trace[4] != "sync log" {
		t.Fatalf("the calls were %q", f.trace)
	}
	return s.Root(), o.UID
}

// TestReadersSeeWhatIsNotProjected: through the log, and without writing, in each way to read.
func TestReadersSeeWhatIsNotProjected(t *testing.T) {
	ops := map[string]func(s *Store) model.Op{
		"accept": func(s *Store) model.Op {
			return model.Op{Name: model.AcceptPlan, UID: planned(t, s, "one"), Actor: ann}
		},
		"create": func(s *Store) model.Op {
			planned(t, s, "other")
			return model.Op{Name: model.CreateTask, UID: "tsk-new", Actor: ann, Args: model.NewTask{UID: "tsk-new", Name: "new", Objective: "x\n"}}
		},
		"accept, with a checkpoint": func(s *Store) model.Op {
			uid := planned(t, s, "one")
			checkpointed(t, s)
			return model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}
		},
		"create, with a checkpoint": func(s *Store) model.Op { // its name is not in tasks/ yet
			planned(t, s, "other")
			checkpointed(t, s)
			return model.Op{Name: model.CreateTask, UID: "tsk-new", Actor: ann, Args: model.NewTask{UID: "tsk-new", Name: "new", Objective: "x\n"}}
		},
	}
	for name, op := range ops {
		t.Run(name, func(t *testing.T) {
			root, uid := killedAfterCommit(t, op)
			before := tree(t, root)
			opt := testOptions()
			opt.ReadOnly = true
			seen := load(t, open(t, root, opt))
			r := open(t, root, opt)
			if strings.HasSuffix(name, "checkpoint") {
				same(t, "warm", dump(seen), dump(warm(t, r)))
			}
			load(t, r)
			same(t, "freshened", dump(seen), dump(freshened(t, r, uid)))
			if tree(t, root) != before {
				t.Error("a reader wrote")
			}
			got := task(t, seen, uid)
			if strings.HasPrefix(name, "accept") && got.Status.AcceptedPlan == nil || !got.HasObjective || len(seen.Problems()) > 0 {
				t.Errorf("read as %+v, problems %+v", got, seen.Problems())
			}

			// While the lock is held nobody recovers either.
			busy := open(t, root, testOptions())
			l := mustGet(busy.disk.FS.TryLock(layout.LockFile))(t)
			same(t, "with the lock held", dump(seen), dump(load(t, open(t, root, testOptions()))))
			must(t, l.Close())

			after := open(t, root, testOptions())
			same(t, "recovered", dump(seen), dump(load(t, after)))
			projectionHolds(t, after)
		})
	}
}

func TestRefreshFollowsOthers(t *testing.T) {
	a := newStore(t)
	uid := planned(t, a, "one")
	b := open(t, a.Root(), testOptions())
	before, err := b.Refresh(t.Context()) // the first is a load
	if err != nil || before.Seq() != 2 {
		t.Fatal(err)
	}
	if again, err := b.Refresh(t.Context()); err != nil || again != before {
		t.Errorf("nothing happened, and yet another snapshot: %v", err)
	}
	do(t, a, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	child := do(t, a, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "child", Parent: uid}}).Change.Tasks[0].UID
	got, err := b.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	task(t, got, child)
	same(t, "refreshed", dump(load(t, a)), dump(got))
	if n, err := b.Head(t.Context()); n != 4 || err != nil {
		t.Errorf("head %d, %v", n, err)
	}
	// A task that vanished is noticed when an entry names it.
	do(t, a, model.Op{Name: model.RenameTask, UID: child, Actor: ann, Args: model.NewName{Name: "gone soon"}})
	must(t, os.RemoveAll(vespe(a, layout.TaskDir(child))))
	if got, err = b.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := got.Task(child); ok && got.Len() != 2 {
		t.Error("a task that is gone is still half there")
	}
}

func TestProgressMovesForward(t *testing.T) {
	s := newStore(t)
	var ops []model.Op
	for i := range 200 {
		ops = append(ops, importOp(i))
	}
	do(t, s, ops...)
	var calls [][2]int
	mustGet(s.Load(t.Context(), func(done, total int) { calls = append(calls, [2]int{done, total}) }))(t)
	if len(calls) < 2 || calls[0] != [2]int{0, 200} || calls[len(calls)-1] != [2]int{200, 200} {
		t.Errorf("progress was %v", calls)
	}
	if !slices.IsSortedFunc(calls, func(a, b [2]int) int { return a[0] - b[0] }) {
		t.Errorf("progress went back: %v", calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Load(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled load: %v", err)
	}
	healthy(t, s)
}

func TestDoctorSeesWhatLoadNeedNot(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	other := planned(t, s, "two")
	write(t, vespe(s, "tmp/left"), "x")
	write(t, vespe(s, layout.TaskFile(uid, "plan.md.theirs-1")), "x")
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "edited\n")
	write(t, vespe(s, revisionAt(s, uid, model.Plan, 1)), "forged\n")
	write(t, vespe(s, layout.TaskFile(uid, "persistent/20260101000000_000_bad.json")), "{")
	must(t, os.Remove(vespe(s, layout.TaskFile(other, "objective.md"))))
	entry := vespe(s, layout.EntryFile(2))
	write(t, entry, strings.Replace(read(t, entry), `"summary"`, `"summery"`, 1))
	before := tree(t, s.Root())
	ps := doctor(t, s)
	wantProblem(t, ps, "leftover", "tmp/left")
	wantProblem(t, ps, "theirs", "plan.md.theirs-1")
	wantProblem(t, ps, "foreign-change", string(uid)+"/plan.md")
	wantProblem(t, ps, "foreign-change", path.Base(revisionAt(s, uid, model.Plan, 1)))
	wantProblem(t, ps, "foreign-change", string(other)+"/objective.md")
	wantProblem(t, ps, "bad-json", "_bad.json")
	wantProblem(t, ps, "log-broken", "000000000003.json")
	if p, _ := findProblem(ps, "foreign-change", path.Base(revisionAt(s, uid, model.Plan, 1))); p.Severity != model.Error || p.UID != uid {
		t.Errorf("a forged revision is reported as %+v", p)
	}
	if tree(t, s.Root()) != before {
		t.Error("doctor wrote")
	}
	must(t, os.Remove(entry))
	wantProblem(t, doctor(t, s), "log-broken", "000000000003.json")
}

func TestFilledInOperations(t *testing.T) {
	s := newStore(t)
	a := do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "parent", Phases: true}})
	if len(a.Change.Tasks) != 4 {
		t.Fatalf("%d tasks for a parent with phases", len(a.Change.Tasks))
	}
	for _, c := range a.Change.Tasks {
		if !c.UID.Valid() || !strings.HasPrefix(string(c.UID), "tsk-") || c.Config.CreatedAt.IsZero() {
			t.Errorf("task %+v", c.Config)
		}
	}
	if a.Change.Op.ID == "" || time.Since(a.Change.Op.At) < 0 {
		t.Errorf("operation %+v", a.Change.Op)
	}
	same(t, "reopened", dump(a.Snapshot), dump(load(t, open(t, s.Root(), testOptions()))))
}

// TestTheOrderOfSteps pins the protocol: nothing is named before it is durable, the commit
// comes before every file that it is about, and status.json comes last.
func TestTheOrderOfSteps(t *testing.T) {
	opt := testOptions()
	f := &faultFS{}
	opt.FS = f.system
	s := initIn(t, t.TempDir(), opt)
	uid := planned(t, s, "one")
	f.trace = nil
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "second\n"}})
	var got []string
	for _, c := range f.trace {
		c = strings.ReplaceAll(c, layout.TaskDir(uid)+"/", "")
		if i := strings.Index(c, "tmp/"); i >= 0 {
			c = c[:i] + "tmp/" + strings.TrimRight(c[i+4:], "0123456789abcdef")
		}
		c = hashInName.ReplaceAllString(c, "$1")
		if strings.Contains(c, "_define_plan-") {
			c = "rename to persistent/<event>"
		}
		got = append(got, c)
	}
	file := func(moves ...string) []string {
		return append([]string{"create tmp/f-", "write tmp/f-", "fsync tmp/f-"}, moves...)
	}
	here := layout.TaskDir(uid)
	want := slices.Concat(
		[]string{"create tmp/entry-", "write tmp/entry-", "fsync tmp/entry-", "link log/000000000003.json", "sync log", "remove tmp/entry-"},
		file("rename to persistent/revisions/plan-0002.md"),
		file("exchange plan.md", "remove tmp/f-"),
		file("rename to persistent/<event>"),
		file("exchange status.json", "remove tmp/f-"),
		[]string{"sync persistent/revisions", "sync persistent", "sync " + here, "overwrite cache/projected"},
	)
	if !slices.Equal(got, want) {
		t.Errorf("the steps are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestANewRevisionCountsBeforeItsStatus: between writing a plan and counting it, what is
// on disk is the next revision and no foreign edit.
func TestANewRevisionCountsBeforeItsStatus(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	write(t, vespe(s, revisionAt(s, uid, model.Plan, 2)), "second\n")
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "second\n")
	if c, err := s.Content(t.Context(), uid, model.Plan); err != nil || c.Revision != 2 {
		t.Errorf("revision %d, %v", c.Revision, err)
	}
}

func TestAnOlderReadingReplacesNoNewerOne(t *testing.T) {
	s := newStore(t)
	uid := create(t, s, "one", "")
	older, at := load(t, s), txlog.Tip{Seq: 1, Head: "sha256-x"}
	newer := do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "two"}}).Snapshot
	if got := s.loader.Keep(older, at); got != newer {
		t.Errorf("the snapshot of entry %d was replaced by that of %d", newer.Seq(), got.Seq())
	}
}

// TestForeignEditsOfOtherTasks: a transition that also changes tasks beside its subject
// starts from what their files say now.
func TestForeignEditsOfOtherTasks(t *testing.T) {
	s := newStore(t)
	parent := create(t, s, "parent", "x\n")
	child := do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "child", Parent: parent}}).Change.Tasks[0].UID
	path := vespe(s, layout.TaskFile(child, "status.json"))
	write(t, path, strings.Replace(read(t, path), `"created"`, `"failed"`, 1))
	a := do(t, s, model.Op{Name: model.Abort, UID: parent, Actor: ann, Reason: "enough"})
	if got := task(t, a.Snapshot, child).Status.CurrentState; got != model.Failed {
		t.Errorf("a child that had failed is %s now", got)
	}
	if len(a.Change.Tasks) != 2 || a.Change.Events[0].Name != model.ExternalEdit || a.Change.Events[0].UID != child {
		t.Errorf("the edit of the child is not in the transaction: %+v", a.Change.Events)
	}
	same(t, "reopened", dump(a.Snapshot), dump(load(t, open(t, s.Root(), testOptions()))))
}

// TestAHintOfAnotherLog says nothing about this one.
func TestAHintOfAnotherLog(t *testing.T) {
	root, uid := killedAfterCommit(t, func(s *Store) model.Op {
		return model.Op{Name: model.AcceptPlan, UID: planned(t, s, "one"), Actor: ann}
	})
	s := open(t, root, testOptions())
	in := mustGet(s.disk.FS.Stat(layout.EntryFile(3)))(t)
	for _, h := range []txlog.Hint{
		{Tip: txlog.Tip{Seq: 3, Head: model.HashBytes(nil)}, Size: in.Size + 1, Time: in.ModTime.UnixNano(), Names: 0},
		{Tip: txlog.Tip{Seq: 3, Head: model.HashBytes(nil)}, Size: in.Size, Time: in.ModTime.UnixNano() + 1, Names: 0},
		{Tip: txlog.Tip{Seq: 9, Head: model.HashBytes(nil)}, Size: in.Size, Time: in.ModTime.UnixNano(), Names: 0},
	} {
		write(t, vespe(s, layout.ProjectedTip), string(h.Encode()))
		opt := testOptions()
		opt.ReadOnly = true
		if task(t, load(t, open(t, root, opt)), uid).Status.AcceptedPlan == nil {
			t.Errorf("%+v was believed", h)
		}
	}
	load(t, s)
	projectionHolds(t, s)
}
