package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/project"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// withCheckpoint is a closed store of n tasks with a checkpoint of all but its last entry.
func withCheckpoint(t testing.TB, n int) (root string, uids []model.UID) {
	t.Helper()
	s := initIn(t, fastDir(t), testOptions())
	for i := range n {
		uids = append(uids, planned(t, s, fmt.Sprintf("task %d", i)))
	}
	checkpointed(t, s)
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uids[0], Actor: ann})
	must(t, s.Close())
	return s.Root(), uids
}

// checkpointed writes a checkpoint of everything.
func checkpointed(t testing.TB, s *Store) {
	t.Helper()
	load(t, s)
	must(t, s.checkpoints.Write(t.Context()))
}

func warm(t testing.TB, s *Store) *snapshot.Snapshot {
	t.Helper()
	snap, ok, err := s.Warm(t.Context())
	if err != nil || !ok {
		t.Fatalf("warm: %v, %v", ok, err)
	}
	return snap
}

// cold is what a reading of every file says.
func cold(t testing.TB, root string) string {
	t.Helper()
	opt := testOptions()
	opt.ReadOnly = true
	s := open(t, root, opt)
	snap := mustGet(s.loader.LoadFiles(t.Context()))(t)
	return dump(snap)
}

// TestWarmIsTheStore: the checkpoint and the entries since are what the files say.
func TestWarmIsTheStore(t *testing.T) {
	root, uids := withCheckpoint(t, 5)
	for _, step := range []struct {
		name string
		do   func(s *Store)
	}{
		{"one entry later", func(*Store) {}},
		{"a task later", func(s *Store) { create(t, s, "new", "text\n") }},
		{"a directory was added", func(*Store) {
			from := filepath.Join(root, layout.Name, layout.TaskDir(uids[1]))
			to := filepath.Join(root, layout.Name, layout.TaskDir("tsk-copied"))
			must(t, os.CopyFS(to, os.DirFS(from)))
			config := read(t, filepath.Join(to, layout.ConfigFile))
			write(t, filepath.Join(to, layout.ConfigFile), strings.Replace(config, string(uids[1]), "tsk-copied", 1))
		}},
		{"a directory was removed", func(*Store) {
			must(t, os.RemoveAll(filepath.Join(root, layout.Name, layout.TaskDir(uids[2]))))
		}},
		{"the policy was edited", func(*Store) {
			write(t, filepath.Join(root, layout.Name, layout.PolicyFile), `{"name":"other","on_subtask_failure":"hold"}`)
		}},
		{"a request came", func(*Store) {
			write(t, filepath.Join(root, layout.Name, layout.RequestFile("r1")), `{"id":"r1","kind":"question","title":"why?","state":"pending","created_at":"2026-03-01T09:00:00Z"}`)
		}},
	} {
		s := open(t, root, testOptions())
		step.do(s)
		must(t, s.Close())
		s = open(t, root, testOptions())
		same(t, step.name, cold(t, root), dump(warm(t, s)))
		if names, _ := s.loader.Current.Get(); names == nil {
			t.Errorf("%s: it is not the current snapshot", step.name)
		}
	}
}

// TestWarmSeesARequestThatIsNotProjected, though it reads the requests' files too.
func TestWarmSeesARequestThatIsNotProjected(t *testing.T) {
	root, _ := killedAfterCommit(t, func(s *Store) model.Op {
		first, second := create(t, s, "first", ""), create(t, s, "second", "")
		do(t, s, model.Op{Name: model.AddDependency, UID: second, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{first}}})
		checkpointed(t, s)
		return model.Op{Name: model.Abort, UID: first, Actor: ann, Reason: "no"}
	})
	write(t, filepath.Join(root, layout.Name, layout.RequestFile("r1")), `{"id":"r1","kind":"question","title":"why?","state":"pending","created_at":"2026-03-01T09:00:00Z"}`)
	if got := warm(t, open(t, root, testOptions())).Requests(); len(got) != 2 {
		t.Errorf("the requests are %+v", got)
	}
	// A load that finds a checkpoint reads the requests once more, beside their tasks.
	reader := Options{ReadOnly: true}
	seen := dump(load(t, open(t, root, reader)))
	same(t, "loaded with a checkpoint", cold(t, root), seen)
	s := open(t, root, reader)
	warm(t, s)
	same(t, "loaded after warm", seen, dump(load(t, s)))
}

// TestNoCheckpointOfWhatIsNotProjected: the files that go into it are behind the log.
func TestNoCheckpointOfWhatIsNotProjected(t *testing.T) {
	root, _ := killedAfterCommit(t, func(s *Store) model.Op {
		return model.Op{Name: model.AcceptPlan, UID: planned(t, s, "one"), Actor: ann}
	})
	s := open(t, root, testOptions())
	l := mustGet(s.disk.FS.TryLock(layout.LockFile))(t)
	defer l.Close()
	load(t, s)
	if err := s.checkpoints.Write(t.Context()); !errors.Is(err, checkpoint.ErrBehind) {
		t.Errorf("it was written: %v", err)
	}
}

// TestDamagedCheckpointsAreNotUsed: cut off at any length, with any byte changed, each is
// refused, and the store is read from its files.
func TestDamagedCheckpointsAreNotUsed(t *testing.T) {
	root, _ := withCheckpoint(t, 2)
	s := open(t, root, testOptions())
	seqs, err := s.checkpoints.List()
	if err != nil || len(seqs) != 1 {
		t.Fatalf("checkpoints %v, %v", seqs, err)
	}
	path := vespe(s, checkpoint.File(seqs[0]))
	whole := []byte(read(t, path))
	try := func(what string, b []byte) {
		t.Helper()
		// Over the file itself, which keeps what it is bound to.
		must(t, os.WriteFile(path, b, 0o644))
		if _, err := s.checkpoints.Open(seqs[0]); err == nil {
			t.Fatalf("%s: it is used", what)
		}
	}
	for n := 0; n < len(whole); n += 1 + n/64 {
		try(fmt.Sprint("cut off at ", n), whole[:n])
	}
	head, parts, err := sections.Parse(whole, checkpoint.Magic)
	if err != nil {
		t.Fatal(err)
	}
	covered := sections.Fixed + len(head) + 16*len(parts)
	ranges := [][2]int{{0, covered}}
	for at, i := align8(covered), 0; i < checkpoint.Ops; i++ { // the last is looked at when it is used
		ranges = append(ranges, [2]int{at, at + len(parts[i].Body)})
		at = align8(at + len(parts[i].Body))
	}
	for i := range whole {
		if !slices.ContainsFunc(ranges, func(r [2]int) bool { return r[0] <= i && i < r[1] }) {
			continue
		}
		b := slices.Clone(whole)
		b[i] ^= 0x20
		try(fmt.Sprint("byte ", i, " changed"), b)
	}
	if _, ok, err := s.Warm(t.Context()); ok || err != nil {
		t.Errorf("warm: %v, %v", ok, err)
	}
	load(t, s)
	ps := doctor(t, s)
	wantProblem(t, ps, "checkpoint-differs", ".ck")
}

// TestACheckpointOfAnotherVersionIsNoDamage: it is not used, and nobody is told of it.
func TestACheckpointOfAnotherVersionIsNoDamage(t *testing.T) {
	root, _ := withCheckpoint(t, 2)
	s := open(t, root, testOptions())
	seqs := mustGet(s.checkpoints.List())(t)
	path := vespe(s, checkpoint.File(seqs[0]))
	head, parts, err := sections.Parse([]byte(read(t, path)), checkpoint.Magic)
	must(t, err)
	for what, change := range map[string]func([][]byte) [][]byte{
		"another pack":  func(b [][]byte) [][]byte { b[checkpoint.Pack][len("VESPEPK")]--; return b },
		"fewer columns": func(b [][]byte) [][]byte { return b[:checkpoint.Deleted] },
	} {
		var bodies [][]byte
		for _, p := range parts {
			bodies = append(bodies, slices.Clone(p.Body))
		}
		c := sections.Content{Magic: checkpoint.Magic, Head: func(fsys.Info) []byte { return head }, Sections: change(bodies)}
		var b bytes.Buffer
		must(t, c.WriteTo(&b, fsys.Info{}))
		must(t, os.WriteFile(path, b.Bytes(), 0o644))
		if _, err := s.checkpoints.Open(seqs[0]); err == nil {
			t.Errorf("%s: it is used", what)
		}
		for _, p := range doctor(t, s) {
			t.Errorf("%s: %s: %s", what, p.Path, p.Reason)
		}
	}
}

// TestCopiedCheckpointsAreNotUsed: a copy of a store may hold other files than its log says.
func TestCopiedCheckpointsAreNotUsed(t *testing.T) {
	root, _ := withCheckpoint(t, 2)
	copied := cloneStore(t, open(t, root, testOptions()))
	s := open(t, copied, testOptions())
	if _, ok, err := s.Warm(t.Context()); ok || err != nil {
		t.Errorf("warm in a copy: %v, %v", ok, err)
	}
	healthy(t, s)
}

// TestACopyIsReadWholeOnce: who reads it first writes a checkpoint of it, in which a forged acceptance does not
// count either.
func TestACopyIsReadWholeOnce(t *testing.T) {
	const n = 12
	root, uids := withCheckpoint(t, n)
	copied := cloneStore(t, &Store{identity: identity{root: root}})
	forge(t, &Store{identity: identity{root: copied}}, uids[1])
	one := func(fresh bool) (read int64) {
		var reads atomic.Int64
		opt := testOptions()
		opt.FS = (&hookFS{deep: true, after: func(call, name string) {
			if call == callRead && strings.HasPrefix(name, layout.TasksDir+"/") {
				reads.Add(1)
			}
		}}).system
		s := open(t, copied, opt)
		snap, ok, err := s.Warm(t.Context())
		if err == nil && (!ok || fresh) {
			snap, err = s.Load(t.Context(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		read = reads.Load()
		if task(t, snap, uids[0]).Status.AcceptedPlan == nil || task(t, snap, uids[1]).Status.AcceptedPlan != nil {
			t.Errorf("accepted are %v and %v", task(t, snap, uids[0]).Status.AcceptedPlan, task(t, snap, uids[1]).Status.AcceptedPlan)
		}
		if fresh && task(t, snap, uids[2]).Config.Name != "By hand" {
			t.Errorf("an edit by hand is not seen: %q", task(t, snap, uids[2]).Config.Name)
		}
		must(t, s.Close())
		return read
	}
	if read := one(false); read < n {
		t.Errorf("the first reads %d files", read)
	}
	if read := one(false); read > 0 {
		t.Errorf("the second reads %d files", read)
	}
	must(t, replaceIn(filepath.Join(copied, layout.Name, layout.TaskFile(uids[2], layout.ConfigFile)), "task 2", "By hand"))
	one(true)
}

// TestAnotherLogIsNotContinued: a checkpoint of entries that were replaced.
func TestAnotherLogIsNotContinued(t *testing.T) {
	root, _ := withCheckpoint(t, 2)
	s := open(t, root, testOptions())
	seqs := mustGet(s.checkpoints.List())(t)
	w := open(t, root, testOptions())
	create(t, w, "after it", "x\n")
	next := vespe(s, layout.EntryFile(seqs[len(seqs)-1]+1))
	write(t, next, strings.Replace(read(t, next), `"prev": "sha256-`, `"prev": "sha256-00`, 1))
	if _, ok, err := s.Warm(t.Context()); ok || err != nil {
		t.Errorf("warm: %v, %v", ok, err)
	}
}

// TestCheckpointsReplaceEachOther: one at a time, found with and without the hint.
func TestCheckpointsReplaceEachOther(t *testing.T) {
	root, uids := withCheckpoint(t, 2)
	s := open(t, root, testOptions())
	warm(t, s)
	must(t, s.checkpoints.Write(t.Context()))
	if names, _ := filepath.Glob(vespe(s, "log/snap-*")); len(names) != 1 {
		t.Errorf("there are %v", names)
	}
	must(t, os.Remove(vespe(s, "cache/checkpoint")))
	s = open(t, root, testOptions())
	if task(t, warm(t, s), uids[0]).Status.AcceptedPlan == nil {
		t.Error("the newer one is not used")
	}
}

// TestCloseWritesACheckpoint when there is none, and when many entries followed the last.
func TestCloseWritesACheckpoint(t *testing.T) {
	root := fastDir(t)
	s := initIn(t, root, testOptions())
	s.checkpoints.Least = 1
	uid := create(t, s, "one", "")
	must(t, s.Close())
	seqs := func() []uint64 {
		seqs := mustGet(open(t, root, testOptions()).checkpoints.List())(t)
		return seqs
	}
	if got := seqs(); !slices.Equal(got, []uint64{1}) {
		t.Fatalf("checkpoints %v", got)
	}
	for _, n := range []int{checkpoint.Every - 1, 1} {
		s = open(t, root, testOptions())
		s.checkpoints.Least = 1
		warm(t, s)
		for i := range n {
			do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: fmt.Sprint("name ", n, i)}})
		}
		must(t, s.Close())
	}
	if got := seqs(); !slices.Equal(got, []uint64{checkpoint.Every + 1}) {
		t.Errorf("checkpoints %v", got)
	}
	opt := testOptions()
	opt.ReadOnly = true
	s = open(t, root, opt)
	s.checkpoints.Least = 1
	if s.checkpoints.Overdue(0) {
		t.Error("a store that was opened for reading only would write one")
	}
}

// TestOperationsAreFoundThroughACheckpoint: without reading the entries before it, and
// once each.
func TestOperationsAreFoundThroughACheckpoint(t *testing.T) {
	s := newStore(t)
	for i := range 20 {
		do(t, s, model.Op{ID: fmt.Sprint("op-", i), Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: fmt.Sprint(i)}})
	}
	checkpointed(t, s)
	do(t, s, model.Op{ID: "op-20", Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "20"}})

	r := open(t, s.Root(), testOptions())
	warm(t, r)
	if got := r.loader.Ops.UpTo(20).Len(); got != 40 { // and as many tasks
		t.Fatalf("the checkpoint knows %d operations and tasks", got)
	}
	for _, i := range []int{0, 7, 19, 20} {
		a, err := r.Do(t.Context(), model.Op{ID: fmt.Sprint("op-", i), Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: fmt.Sprint(i)}})
		if err != nil || !a.Replayed || a.Seq != uint64(i+1) {
			t.Errorf("operation %d: %+v, %v", i, a, err)
		}
	}
	if a := do(t, r, model.Op{ID: "op-21", Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "21"}}); a.Replayed {
		t.Error("a new operation was taken for an old one")
	}
	var refused *model.Refusal
	_, err := r.DoAll(t.Context(), []model.Op{
		{ID: "op-3", Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "x"}},
		{ID: "op-4", Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "y"}},
	})
	if !errors.As(err, &refused) || refused.Guard != failure.GuardOpID {
		t.Errorf("ids of two transactions: %v", err)
	}
}

// TestOpTable: merged, it finds what it was made of, equal hashes too.
func TestOpTable(t *testing.T) {
	var table txlog.OpTable
	want := map[string]uint64{}
	for round := range 4 {
		more := map[string][]uint64{}
		for i := range 50 {
			id, seq := fmt.Sprint("op ", round, " ", i), uint64(round*50+i+1)
			more[id], want[id] = []uint64{seq}, seq
		}
		table = table.With(more)
	}
	for id, seq := range want {
		if got := table.Find(id); !slices.Equal(got, []uint64{seq}) {
			t.Errorf("%s is in %v, want %d", id, got, seq)
		}
	}
	if got := table.With(map[string][]uint64{"op 0 0": {9}}).Find("op 0 0"); !slices.Equal(got, []uint64{1, 9}) {
		t.Errorf("two of one hash are in %v", got)
	}
	if got := table.Find("another"); got != nil {
		t.Errorf("an unknown one is in %v", got)
	}
}

// TestTransactionsAfterWarmReadTheirOwnTasks: files edited since the checkpoint count, as
// they do after a load.
func TestTransactionsAfterWarmReadTheirOwnTasks(t *testing.T) {
	root, uids := withCheckpoint(t, 2)
	s := open(t, root, testOptions())
	path := vespe(s, layout.TaskFile(uids[1], layout.StatusFile))
	write(t, path, strings.Replace(read(t, path), `"plan_defined"`, `"created"`, 1))
	warm(t, s)
	_, err := s.Do(context.Background(), model.Op{Name: model.AcceptPlan, UID: uids[1], Actor: ann})
	var r *model.Refusal
	if !errors.As(err, &r) || r.Guard != "state" {
		t.Errorf("accepted from the state in the checkpoint: %v", err)
	}
}

// TestASweepIsNotRepeated: what the first reading after a cold one learned of the files is
// kept for the next process, which reads none of them again.
func TestASweepIsNotRepeated(t *testing.T) {
	s := filled(t, fastDir(t), 2*project.Many)
	s.checkpoints.Least = 1
	checkpointed(t, s)
	past := time.Now().Add(-time.Minute)
	for _, name := range globs(t, s, "tasks/*/*") {
		must(t, os.Chtimes(name, past, past))
	}
	load(t, s)
	must(t, s.Close())
	again := open(t, s.Root(), testOptions())
	snap := warm(t, again)
	var uids []model.UID
	for i := range snap.Len() {
		uids = append(uids, snap.UID(i))
	}
	suspects, _, err := again.loader.Suspects(t.Context(), uids, nil)
	if err != nil || len(suspects) > 0 {
		t.Errorf("%d tasks would be read again, %v", len(suspects), err)
	}
}

// align8 is where a section begins.
func align8(n int) int { return (n + 7) &^ 7 }
