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
	"syscall"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// TestRecoveryMayFailToo kills a writer in the middle of projecting, and then every step
// of the recovery.
func TestRecoveryMayFailToo(t *testing.T) {
	t.Parallel()
	template := initIn(t, fastDir(t), testOptions())
	uid := planned(t, template, "one")
	crashed := cloneStore(t, template)
	var f *faultFS
	faulty := func(at int) Options {
		opt := Options{Now: newClock().now, Rand: entropy(uint64(at) + 7)}
		f = &faultFS{dead: true, err: errDead}
		opt.FS = f.system
		return opt
	}
	accept := model.Op{ID: "op", Name: model.AcceptPlan, UID: uid, Actor: ann}
	do(t, open(t, cloneStore(t, template), faulty(0)), accept)
	link := slices.IndexFunc(f.trace, func(c string) bool { return strings.HasPrefix(c, "link log/") })
	s := open(t, crashed, faulty(0))
	f.at = link + 3 // the link and the sync of log/, and then no more
	a, err := s.Do(context.Background(), accept)
	if err != nil || len(a.Warnings) != 1 {
		t.Fatalf("a commit that could not be projected: %v, %q", err, a.Warnings)
	}
	half := &Store{identity: identity{root: crashed}}
	for k := 1; ; k++ {
		root := cloneStore(t, half)
		s := open(t, root, faulty(k))
		f.at = k
		snap := load(t, s) // through the log where recovery did not come to its end
		if st := task(t, snap, uid).Status; st.AcceptedPlan == nil || len(snap.Problems()) > 0 {
			t.Fatalf("killed at call %d of the recovery (%v): %+v %+v", k, f.trace, st, snap.Problems())
		}
		ended := f.calls < k
		want := dump(snap)
		after := open(t, root, testOptions())
		same(t, fmt.Sprintf("after a recovery that was killed at call %d", k), want, dump(load(t, after)))
		projectionHolds(t, after)
		if ended {
			if k < 10 {
				t.Fatalf("the recovery has only %d calls", k-1)
			}
			return
		}
	}
}

func TestRecoveryKeepsForeignBytes(t *testing.T) {
	crash := func(t *testing.T) (*Store, model.UID, uint64) {
		s := newStore(t)
		uid := planned(t, s, "one")
		a := do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "second\n"}})
		return s, uid, a.Seq
	}
	t.Run("a later edit stays", func(t *testing.T) {
		s, uid, _ := crash(t)
		write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "edited since\n")
		s2 := open(t, s.Root(), testOptions())
		load(t, s2)
		do(t, s2, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "x"}})
		wantEqual(t, "plan.md", read(t, vespe(s, layout.TaskFile(uid, "plan.md"))), "edited since\n")
	})
	t.Run("an edit in between is kept beside", func(t *testing.T) {
		s, uid, seq := crash(t)
		if err := os.Remove(vespe(s, layout.ProjectedTip)); err != nil { // as if killed before it was projected
			t.Fatal(err)
		}
		write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "theirs\n")
		aside := vespe(s, layout.TaskFile(uid, fmt.Sprintf("plan.md.theirs-%d", seq)))
		for range 2 { // once more changes nothing
			snap := load(t, open(t, s.Root(), testOptions()))
			wantEqual(t, "plan.md", read(t, vespe(s, layout.TaskFile(uid, "plan.md"))), "second\n")
			wantEqual(t, "kept", read(t, aside), "theirs\n")
			wantProblem(t, snap.Problems(), "theirs", filepath.Base(aside))
			if kept := globs(t, s, layout.TaskFile(uid, "*"+layout.TheirsMark+"*")); len(kept) != 1 {
				t.Errorf("kept: %q", kept)
			}
			if p, bad := findProblem(doctor(t, s), "not-regular", ""); bad {
				t.Errorf("doctor: %+v", p)
			}
		}
	})
	t.Run("a link in its place is moved aside, never followed", func(t *testing.T) {
		s, uid, seq := crash(t)
		outside := filepath.Join(t.TempDir(), "outside")
		write(t, outside, "precious\n")
		plan := vespe(s, layout.TaskFile(uid, "plan.md"))
		must(t, errors.Join(os.Remove(vespe(s, layout.ProjectedTip)), os.Remove(plan), os.Symlink(outside, plan)))
		load(t, open(t, s.Root(), testOptions()))
		wantEqual(t, "plan.md", read(t, plan), "second\n")
		if read(t, outside) != "precious\n" {
			t.Error("the link was followed")
		}
		if to, err := os.Readlink(fmt.Sprintf("%s.theirs-%d", plan, seq)); err != nil || to != outside {
			t.Errorf("the link was not kept: %v", err)
		}
	})
}

func TestADraftSavedInTheLastMomentIsKept(t *testing.T) {
	plan := "" // once there is one
	f := &hookFS{before: only(callExchange, func(name string) {
		if strings.HasSuffix(name, "plan.md") && plan != "" {
			write(t, plan, "saved just now\n")
		}
	})}
	opt := testOptions()
	opt.FS = f.system
	s := initIn(t, t.TempDir(), opt)
	uid := planned(t, s, "one")
	plan = vespe(s, layout.TaskFile(uid, "plan.md"))
	a, err := s.Do(context.Background(), model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "second\n"}})
	if err != nil || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "theirs-3") {
		t.Fatalf("%v, warnings %q", err, a.Warnings)
	}
	if read(t, plan) != "second\n" || read(t, plan+".theirs-3") != "saved just now\n" {
		t.Errorf("plan %q, kept %q", read(t, plan), read(t, plan+".theirs-3"))
	}
}

func TestAnFsyncIsNotRepeated(t *testing.T) {
	opt := testOptions()
	f := &faultFS{err: syscall.EIO}
	opt.FS = f.system
	s := initIn(t, t.TempDir(), opt)
	uid := create(t, s, "one", "")
	op := model.Op{ID: "op", Name: model.DefineObjective, UID: uid, Actor: ann, Args: model.NewObjective{Text: "x\n"}}
	f.calls, f.trace, f.at = 0, nil, 5 // create, write, fsync, link, sync of log/
	a, err := s.Do(context.Background(), op)
	r := wantCode(t, err, model.CodeNotDurable)
	if !errors.Is(err, syscall.EIO) || a.Snapshot == nil || a.Seq != 2 || r.Hint == "" {
		t.Errorf("%+v, %v", a, err)
	}
	if f.trace[4] != "sync log" {
		t.Fatalf("the fifth call was %s", f.trace[4])
	}
	f.at = 0
	a, err = s.Do(context.Background(), op)
	wantCode(t, err, model.CodeNotDurable)
	if !a.Replayed {
		t.Error("applied twice")
	}
	// Nothing follows it: a power cut might take the one and leave the other.
	_, err = s.Do(context.Background(), model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "two"}})
	wantCode(t, err, model.CodeRefused)
	syncs := 0
	for _, c := range f.trace {
		if c == "sync log" {
			syncs++
		}
	}
	if syncs != 1 {
		t.Errorf("log/ was synced %d times after the failure", syncs)
	}
	if s.log.Hinted().Seq == a.Seq {
		t.Error("it is noted to be durable")
	}
	// Another process asks for the first time, and about an entry that was written again.
	before := mustGet(s.disk.FS.Stat(layout.EntryFile(a.Seq)))(t)
	body := read(t, vespe(s, layout.EntryFile(a.Seq)))
	other := open(t, s.Root(), testOptions())
	if a, err := other.Do(context.Background(), op); err != nil || !a.Replayed {
		t.Errorf("%+v, %v", a, err)
	}
	after, err := s.disk.FS.Stat(layout.EntryFile(a.Seq))
	if err != nil || after.Ino == before.Ino || after.Links != 1 || read(t, vespe(s, layout.EntryFile(a.Seq))) != body {
		t.Errorf("the entry was not made again: %+v, then %+v, %v", before, after, err)
	}
	if note := strings.Trim(read(t, vespe(s, layout.DoubtFile)), "0\n"); other.log.Hinted().Seq != a.Seq || note != "" {
		t.Errorf("it is still in doubt: %q", note)
	}
	healthy(t, other)
	do(t, other, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "two"}})
}

// TestRecoveryRemovesTheTemporaryName of an entry whose writer died just after the commit.
func TestRecoveryRemovesTheTemporaryName(t *testing.T) {
	s := newStore(t)
	uid := create(t, s, "one", "")
	tmp := vespe(s, "tmp/entry-left")
	must(t, errors.Join(os.Link(vespe(s, layout.EntryFile(1)), tmp), os.Remove(vespe(s, layout.ProjectedTip))))
	write(t, vespe(s, "tmp/other"), "not its name")
	s2 := open(t, s.Root(), testOptions())
	task(t, load(t, s2), uid) // an entry with two names is read
	do(t, s2, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "x"}})
	if _, err := os.Lstat(tmp); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary name is still there: %v", err)
	}
	read(t, vespe(s, "tmp/other"))
}

// TestALostRaceIsRunAgain: who finds the number taken starts again from what the other
// wrote.
func TestALostRaceIsRunAgain(t *testing.T) {
	other := newStore(t)
	uid := create(t, other, "one", "x\n")
	label := func(s *Store, l string) error {
		_, err := s.Do(context.Background(), model.Op{
			Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: l, Mode: '+'}}},
		})
		return err
	}
	noLock := open(t, other.Root(), Options{FS: unlocked})
	left := 2 // of the first commits, each of which somebody else comes before
	f := &hookFS{before: only(callLink, func(name string) {
		if strings.HasPrefix(name, "log/") && left > 0 {
			left--
			if err := label(noLock, fmt.Sprintf("theirs%d", left)); err != nil {
				t.Error(err)
			}
		}
	})}
	s := open(t, other.Root(), Options{FS: f.system})
	must(t, label(s, "ours"))
	snap := load(t, open(t, other.Root(), Options{}))
	if got := task(t, snap, uid).Spec.Labels; !slices.Equal(got, []string{"theirs1", "theirs0", "ours"}) || snap.Seq() != 4 {
		t.Errorf("labels %q as of entry %d", got, snap.Seq())
	}
	projectionHolds(t, other)
	healthy(t, other)
}

// TestNothingFollowsWhatIsNotProjected: where locks do not work, someone may commit and die
// after the last entry was found to be projected. That entry is finished, too, before another
// comes after it: later nobody would.
func TestNothingFollowsWhatIsNotProjected(t *testing.T) {
	s := newStore(t)
	uid := create(t, s, "one", "x\n")
	died := open(t, s.Root(), Options{FS: unprojected().unlocked})
	came := false
	f := &hookFS{after: func(call, name string) {
		if call != callRead || name != layout.ProjectedTip || came {
			return
		}
		came = true
		a, err := died.DoAll(t.Context(), []model.Op{
			{Name: model.CreateTask, UID: "tsk-new", Actor: ann, Args: model.NewTask{UID: "tsk-new", Name: "new", Objective: "x\n"}},
			{Name: model.AddDependency, UID: uid, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{"tsk-new"}}},
		})
		if err != nil || len(a.Warnings) == 0 {
			t.Errorf("a transaction that could not be projected: %v %q", err, a.Warnings)
		}
	}}
	next := open(t, s.Root(), Options{FS: f.unlocked})
	do(t, next, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}})
	if !came {
		t.Fatal("nobody came in between")
	}
	projectionHolds(t, s)
	wantClean(t, s)
}

// TestARefusalForWhatCameSince: where locks do not work, the files of a newer entry may be in
// the way of a transaction that is computed on the one before, such as an event of the same
// moment. That is no refusal; the transaction is computed again.
func TestARefusalForWhatCameSince(t *testing.T) {
	s := newStore(t)
	uid := create(t, s, "one", "x\n")
	now := func() time.Time { return newClock().t.Add(time.Hour) }
	label := func(s *Store, l string) {
		do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: l, Mode: '+'}}}})
	}
	other := open(t, s.Root(), Options{Now: now})
	came := false
	f := &hookFS{before: only(callRead, func(name string) {
		if strings.Contains(name, "_set-") && !came { // before it looks for the file of a new event
			came = true
			label(other, "theirs")
		}
	})}
	ours := open(t, s.Root(), Options{Now: now, FS: f.unlocked})
	label(ours, "ours")
	if !came {
		t.Fatal("nobody came in between")
	}
	if got := task(t, load(t, open(t, s.Root(), Options{})), uid).Spec.Labels; !slices.Equal(got, []string{"theirs", "ours"}) {
		t.Errorf("labels %q", got)
	}
	projectionHolds(t, s)
	wantClean(t, s)
}

// TestForeignBytesAreKeptOnce: what someone writes between a commit and its projection is
// kept in one plain file, which doctor can read.
func TestForeignBytesAreKeptOnce(t *testing.T) {
	base := newStore(t)
	uid := planned(t, base, "one")
	var f *faultFS
	opt := testOptions()
	opt.FS = func(root string) (fsys.FS, error) {
		f = &faultFS{dead: true, err: errDead}
		return f.system(root)
	}
	define := model.Op{ID: "op", Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "second\n"}}
	twin := open(t, cloneStore(t, base), opt)
	do(t, twin, define)
	link := slices.IndexFunc(f.trace, func(c string) bool { return strings.HasPrefix(c, "link log/") })
	s := open(t, base.Root(), opt)
	f.at = link + 3
	mustGet(s.Do(context.Background(), define))(t)
	write(t, vespe(base, layout.TaskFile(uid, "plan.md")), "mine\n")
	after := open(t, base.Root(), testOptions())
	load(t, after)
	kept := globs(t, after, layout.TaskFile(uid, "*"+layout.TheirsMark+"*"))
	if len(kept) != 1 {
		t.Fatalf("kept: %q", kept)
	}
	wantEqual(t, "kept", read(t, kept[0]), "mine\n")
	if p, bad := findProblem(doctor(t, after), "not-regular", ""); bad {
		t.Errorf("doctor: %+v", p)
	}
}

// TestADirectoryThatCannotBeWritten refuses what would be written there, before anything is
// committed, and nothing else.
func TestADirectoryThatCannotBeWritten(t *testing.T) {
	s := newStore(t)
	fixed, other := create(t, s, "fixed", ""), create(t, s, "other", "")
	guarded := open(t, s.Root(), Options{Now: s.opt.Now, Rand: entropy(2), FS: (&hookFS{before: refusing(layout.TaskDir(fixed), fs.ErrPermission, callAccess)}).system})
	_, err := guarded.Do(t.Context(), model.Op{Name: model.RenameTask, UID: fixed, Actor: ann, Args: model.NewName{Name: "x"}})
	var r *model.Refusal
	if !errors.As(err, &r) || r.Guard != failure.GuardWritable || r.UID != fixed || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("renaming a task that cannot be written: %v", err)
	}
	if last, err := s.log.Tail(0); err != nil || last != 2 {
		t.Errorf("the last entry is %d, %v", last, err)
	}
	do(t, guarded, model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "x"}})
	healthy(t, s)
}

// TestWritable asks the file system itself.
func TestWritable(t *testing.T) {
	s := newStore(t)
	uid := create(t, s, "one", "")
	for _, dir := range []string{".", layout.TasksDir, layout.TaskDir(uid)} {
		if err := s.disk.FS.Writable(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if err := s.disk.FS.Writable(layout.TaskDir("tsk-none")); !fsys.Missing(err) {
		t.Errorf("a directory that is not there: %v", err)
	}
	must(t, os.Chmod(vespe(s, layout.TaskDir(uid)), 0o555))
	defer func() { _ = os.Chmod(vespe(s, layout.TaskDir(uid)), 0o755) }()
	// root may write everywhere.
	if err := s.disk.FS.Writable(layout.TaskDir(uid)); (err == nil) != (os.Geteuid() == 0) {
		t.Errorf("a directory without the permission: %v", err)
	}
}
