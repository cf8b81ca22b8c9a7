package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

const (
	ann   = model.Actor("human:ann")
	robot = model.Actor("agent:robot")
)

// clock is a time that moves on by a millisecond each time it is asked.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(time.Millisecond)
	return c.t
}

// entropy is a random source with a seed.
func entropy(seed uint64) *lockedRand {
	return &lockedRand{r: rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)})}
}

type lockedRand struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func (l *lockedRand) Read(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(b)
}

func testOptions() Options { return Options{Now: newClock().now, Rand: entropy(1)} }

// stuck is how long a test waits before it reports that something never came. It says nothing about speed.
const stuck = 3 * time.Minute

// newStore is an empty store in a temporary directory.
func newStore(t testing.TB) *Store {
	t.Helper()
	return initIn(t, t.TempDir(), testOptions())
}

// fastDir is a temporary directory in memory where there is one: for tests that repeat a
// transaction hundreds of times and cut it off by themselves.
func fastDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "vespe-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// failer is a test, also one of rapid.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func must(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mustGet is what a call returns that must not fail.
func mustGet[T any](v T, err error) func(failer) T {
	return func(t failer) T {
		t.Helper()
		must(t, err)
		return v
	}
}

func wantEqual[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %#v, want %#v", what, got, want)
	}
}

// initIn makes a store, which is closed when the test ends.
func initIn(t testing.TB, dir string, opt Options) *Store {
	t.Helper()
	s := mustGet(Init(dir, opt))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func open(t testing.TB, root string, opt Options) *Store {
	t.Helper()
	s := mustGet(Open(root, opt))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// takeOver records every edit by hand that s knows of.
func takeOver(t testing.TB, s *Store) snapshot.Applied {
	t.Helper()
	a, err := s.ImportEdits(t.Context(), nil)
	must(t, err)
	return a
}

// longStore is a store of two tasks with a log of n entries, of which some have bodies in objects/.
func longStore(t testing.TB, n int) (s *Store, uids []model.UID) {
	t.Helper()
	s = initIn(t, fastDir(t), testOptions())
	uids = []model.UID{create(t, s, "one", "text\n"), create(t, s, "two", "text\n")}
	for i := 2; i < n; i++ {
		text := fmt.Sprintf("plan %d\n", i)
		if i%4 == 0 {
			text = strings.Repeat(text, txlog.MaxInline/len(text)+1)
		}
		do(t, s, model.Op{ID: fmt.Sprint("op-", i), Name: model.DefinePlan, UID: uids[i%2], Actor: robot, Args: model.NewPlan{Text: text}})
	}
	return s, uids
}

func globs(t testing.TB, s *Store, pattern string) []string {
	t.Helper()
	return mustGet(filepath.Glob(vespe(s, pattern)))(t)
}

func doctor(t testing.TB, s *Store) []model.Problem {
	t.Helper()
	ps, err := s.Fsck().Doctor(t.Context())
	must(t, err)
	return ps
}

// repair repairs what doctor --fix does.
func repair(t testing.TB, s *Store) {
	t.Helper()
	_, err := s.Fsck().Repair(t.Context(), false)
	must(t, err)
}

// lastEntry is the number of the last entry of the log.
func lastEntry(t testing.TB, s *Store) uint64 {
	t.Helper()
	last, err := s.log.Tail(0)
	must(t, err)
	return last
}

func entryAt(t testing.TB, s *Store, seq uint64) *txlog.Entry {
	t.Helper()
	e, _, err := s.log.ReadEntry(seq)
	must(t, err)
	return e
}

func eventsOf(t testing.TB, s *Store, uid model.UID) []model.Event {
	t.Helper()
	events, _, err := s.History(t.Context(), uid)
	must(t, err)
	return events
}

// freshened is a snapshot with one task read again.
func freshened(t testing.TB, s *Store, uid model.UID) *snapshot.Snapshot {
	t.Helper()
	snap, err := s.Freshen(t.Context(), []model.UID{uid})
	must(t, err)
	return snap
}

// today is a snapshot with what differs from what was accepted.
func today(t testing.TB, s *Store, snap *snapshot.Snapshot) *snapshot.Snapshot {
	t.Helper()
	snap, err := s.AllToday(t.Context(), snap)
	must(t, err)
	return snap
}

func load(t testing.TB, s *Store) *snapshot.Snapshot {
	t.Helper()
	snap, err := s.Load(context.Background(), nil)
	must(t, err)
	return snap
}

func do(t testing.TB, s *Store, ops ...model.Op) snapshot.Applied {
	t.Helper()
	a := mustGet(s.DoAll(context.Background(), ops))(t)
	for _, w := range a.Warnings {
		t.Errorf("warning: %s", w)
	}
	return a
}

// create makes a task and returns its uid.
func create(t testing.TB, s *Store, name, objective string) model.UID {
	t.Helper()
	return do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: name, Objective: objective}}).Change.Tasks[0].UID
}

// planned is a task with a plan that nobody has decided on.
func planned(t testing.TB, s *Store, name string) model.UID {
	t.Helper()
	uid := create(t, s, name, "objective of "+name+"\n")
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "plan of " + name + "\n"}})
	return uid
}

func task(t testing.TB, snap *snapshot.Snapshot, uid model.UID) *model.Task {
	t.Helper()
	task, ok := snap.Task(uid)
	if !ok {
		t.Fatalf("there is no task %s", uid)
	}
	return task
}

// dump is everything that a snapshot holds, as text that can be compared.
func dump(s *snapshot.Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seq %d head %s store %s\npolicy %s", s.Seq(), s.Head(), s.StoreID(), model.EncodePolicy(s.Policy()))
	for i := range s.Len() {
		t := s.At(i)
		fmt.Fprintf(&b, "task %s status=%v objective=%v plan=%v is %s\n%s%s%s", t.UID, t.HasStatus, t.HasObjective, t.HasPlan, s.Status(i),
			model.EncodeConfig(t.Config), model.EncodeStatus(t.Status), model.EncodeDependencies(t.DependsOn, t.DepsExtra))
		if t.Spec != nil {
			b.Write(model.EncodeSpec(t.Spec))
		}
	}
	for _, r := range s.Requests() {
		b.Write(model.EncodeRequest(r))
	}
	if ms := s.MilestoneFile(); ms.Broken || len(ms.List) > 0 {
		fmt.Fprintf(&b, "milestones broken=%v %s", ms.Broken, model.EncodeMilestones(ms))
	}
	for _, p := range s.Problems() {
		fmt.Fprintf(&b, "problem %+v\n", p)
	}
	return b.String()
}

// same fails with the first line that differs.
func same(t testing.TB, what, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			t.Fatalf("%s: line %d\n want %s\n  got %s", what, i+1, w[i], g[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", what, len(g), len(w))
}

func vespe(s *Store, name string) string {
	return filepath.Join(s.root, layout.Name, filepath.FromSlash(name))
}

func write(t testing.TB, path, body string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(body), 0o644))
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

// findProblem is the first problem with a code whose path ends so.
func findProblem(ps []model.Problem, code, suffix string) (model.Problem, bool) {
	for _, p := range ps {
		if p.Code == code && strings.HasSuffix(p.Path, suffix) {
			return p, true
		}
	}
	return model.Problem{}, false
}

func wantProblem(t testing.TB, ps []model.Problem, code, suffix string) {
	t.Helper()
	p, ok := findProblem(ps, code, suffix)
	if !ok {
		t.Errorf("no problem %s for …%s in\n%+v", code, suffix, ps)
		return
	}
	if p.Reason == "" || p.Hint == "" {
		t.Errorf("problem without reason or hint: %+v", p)
	}
}

// healthy fails unless Doctor finds nothing at all.
func healthy(t testing.TB, s *Store) {
	t.Helper()
	for _, p := range doctor(t, s) {
		t.Errorf("doctor: %+v", p)
	}
}

// projectionHolds checks every file that the log ever wrote against its last image.
func projectionHolds(t testing.TB, s *Store) {
	t.Helper()
	must(t, logHolds(s))
}

func logHolds(s *Store) error {
	last, err := s.log.Tail(0)
	if err != nil {
		return err
	}
	images := map[string]txlog.LastImage{}
	prev := ""
	for n := uint64(1); n <= last; n++ {
		e, head, err := s.log.ReadEntry(n)
		if err != nil {
			return err
		}
		if e.Prev != prev {
			return fmt.Errorf("entry %d does not follow from the one before", n)
		}
		prev = head
		inFile := map[string]bool{} // what somebody wrote past vespe is kept in a file of the same entry
		for i := range e.Files {
			inFile[e.Files[i].Hash] = true
		}
		for i := range e.Files {
			f := &e.Files[i]
			before := images[f.Path].Hash
			images[f.Path] = txlog.LastImage{Hash: f.Hash}
			if f.Hash == "" {
				continue // somebody took it away
			}
			if f.Was != before && f.Kept == nil && !f.KeptApart && (f.Was == "" || !inFile[f.Was]) {
				return fmt.Errorf("entry %d replaced bytes of %s that no entry wrote", n, f.Path)
			}
			if _, err := s.log.BodyOf(f); err != nil {
				return err
			}
		}
	}
	for name, im := range images {
		if uid, _, ok := layout.TaskOf(name); ok && images[layout.TaskFile(uid, layout.ConfigFile)].Hash == "" {
			continue // it went as a whole
		}
		if got, err := s.disk.Hash(name); err != nil || got != im.Hash {
			return errors.Join(fmt.Errorf("%s is not what the log says", name), err)
		}
	}
	return nil
}

// walkFiles calls do with every regular file below a directory.
func walkFiles(dir string, do func(path string, body []byte)) error {
	return filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil {
			do(path, b)
		}
		return err
	})
}

// onFS is a store that only reads or waits on a file system.
func onFS(f fsys.FS) *Store {
	return newStoreOn("", f, Options{}.filled())
}
