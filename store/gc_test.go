package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/leftovers"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// longStore is a store of a few tasks with a log of n entries, of which some have bodies in
// objects/; entries that GC may take are all but the last five.
func longStore(t testing.TB, n int) (s *Store, uids []model.UID) {
	t.Helper()
	s = initIn(t, fastDir(t), testOptions())
	s.collector.Least = 5
	uids = []model.UID{create(t, s, "one", "text\n"), create(t, s, "two", "text\n")}
	for i := 2; i < n; i++ {
		text := fmt.Sprintf("plan %d\n", i)
		if i%4 == 0 {
			text = strings.Repeat(text, txlog.MaxInline/len(text)+1)
		}
		do(t, s, model.Op{ID: fmt.Sprint("op-", i), Name: model.DefinePlan, UID: uids[i%2], Actor: robot, Args: model.NewPlan{Text: text}})
	}
	// Objects that were written just now may be in use.
	old := time.Now().Add(-2 * leftovers.Age)
	for _, name := range globs(t, s, "objects/*/*") {
		must(t, os.Chtimes(name, old, old))
	}
	return s, uids
}

func globs(t testing.TB, s *Store, pattern string) []string {
	t.Helper()
	names := mustGet(filepath.Glob(vespe(s, pattern)))(t)
	return names
}

func entries(t testing.TB, s *Store) int {
	t.Helper()
	seqs, err := s.log.ListLog()
	must(t, err)
	return len(seqs)
}

// TestGC: old entries go, everything else stays as it was, for anyone who opens the store
// later and for anyone who has it open; what they did cannot be repeated.
func TestGC(t *testing.T) {
	s, uids := longStore(t, 20)
	reader := open(t, s.Root(), testOptions())
	load(t, reader)
	before := dump(load(t, s))
	known := mustGet(os.ReadFile(globs(t, s, "tasks/*/config.json")[0]))(t)
	write(t, vespe(s, "tmp/f-0123456789abcdef01234560"), string(known))
	write(t, vespe(s, "tmp/f-0123456789abcdef01234561"), "nobody else has this")
	old := time.Now().Add(-2 * leftovers.Age)
	for _, name := range []string{"tmp/f-0123456789abcdef01234560", "tmp/f-0123456789abcdef01234561"} {
		must(t, os.Chtimes(vespe(s, name), old, old))
	}
	write(t, vespe(s, "tmp/f-0123456789abcdef01234562"), string(known))

	kept := tree(t, s.Root())
	would, err := s.GC(t.Context(), GCOptions{DryRun: true})
	if err != nil || tree(t, s.Root()) != kept {
		t.Fatalf("a dry run: %+v, %v, and something was changed: %v", would, err, tree(t, s.Root()) != kept)
	}
	r, err := s.GC(t.Context(), GCOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r != would {
		t.Errorf("a dry run said %+v, then it was %+v", would, r)
	}
	if r.Entries != 15 || r.Through != 15 || r.Objects != 3 || r.Leftovers != 1 || r.Bytes == 0 || entries(t, s) != 5 {
		t.Errorf("the report is %+v, and there are %d entries", r, entries(t, s))
	}
	if left := globs(t, s, "tmp/*"); len(left) != 2 {
		t.Errorf("in tmp/ there are %v", left)
	}
	for _, name := range []string{"tmp/f-0123456789abcdef01234562", "tmp/f-0123456789abcdef01234561"} {
		must(t, os.Remove(vespe(s, name)))
	}
	for name, o := range map[string]*Store{"the same": s, "a new one": open(t, s.Root(), testOptions())} {
		same(t, name, before, dump(load(t, o)))
		healthy(t, o)
		for _, i := range []int{2, 14, 15, 19} {
			a, err := o.Do(t.Context(), model.Op{ID: fmt.Sprint("op-", i), Name: model.DefinePlan, UID: uids[i%2], Actor: robot, Args: model.NewPlan{Text: "again\n"}})
			if err != nil || !a.Replayed || a.Seq != uint64(i+1) || a.Change.Summary == "" {
				t.Errorf("%s: operation %d: %+v, %v", name, i, a, err)
			}
		}
	}
	do(t, s, model.Op{Name: model.RenameTask, UID: uids[0], Actor: ann, Args: model.NewName{Name: "renamed"}})
	snap, err := reader.Refresh(t.Context())
	if err != nil || snap.Seq() != 21 || task(t, snap, uids[0]).Config.Name != "renamed" {
		t.Errorf("a reader from before is at %v, %v", snap, err)
	}

	// Once more, over a base.
	again := open(t, s.Root(), Options{Now: s.opt.Now, Rand: entropy(2)})
	again.collector.Least = 1
	if r, err = again.GC(t.Context(), GCOptions{}); err != nil || r.Entries != 5 || r.Through != 20 {
		t.Errorf("the second: %+v, %v", r, err)
	}
	healthy(t, again)
	if r, err = again.GC(t.Context(), GCOptions{}); err != nil || r.Entries != 0 || r.Through != 20 {
		t.Errorf("the third: %+v, %v", r, err)
	}
	if a := do(t, again, model.Op{ID: "op-21-new", Name: model.RenameTask, UID: uids[1], Actor: ann, Args: model.NewName{Name: "x"}}); a.Seq != 22 {
		t.Errorf("the next entry is %d", a.Seq)
	}
	healthy(t, again)
}

// TestGCKeepsWhatIsYoung: by the time of the entries.
func TestGCKeepsWhatIsYoung(t *testing.T) {
	s, _ := longStore(t, 20)
	for _, c := range []struct {
		keep time.Duration
		want int
	}{{DefaultKeep, 0}, {time.Hour, 0}, {0, 15}} {
		r, err := s.GC(t.Context(), GCOptions{Keep: c.keep, DryRun: true})
		if err != nil || r.Entries != c.want {
			t.Errorf("keeping %v: %+v, %v", c.keep, r, err)
		}
	}
}

// TestAReaderThatMissesEntriesReadsTheFiles: one that was further behind than what is kept.
func TestAReaderThatMissesEntriesReadsTheFiles(t *testing.T) {
	s, uids := longStore(t, 6)
	reader := open(t, s.Root(), testOptions())
	load(t, reader)
	checkpointed(t, reader)
	for i := range 10 {
		do(t, s, model.Op{Name: model.RenameTask, UID: uids[0], Actor: ann, Args: model.NewName{Name: fmt.Sprint("name ", i)}})
	}
	compact(t, s, GCOptions{})
	want := dump(load(t, s))
	snap := mustGet(reader.Refresh(t.Context()))(t)
	same(t, "refreshed", want, dump(snap))
	writer := open(t, s.Root(), testOptions())
	if a := do(t, writer, model.Op{Name: model.RenameTask, UID: uids[1], Actor: ann, Args: model.NewName{Name: "x"}}); a.Seq != 17 {
		t.Errorf("the next entry is %d", a.Seq)
	}
}

// TestEntriesThatCameBackAreNoEntries: a power cut may undo any of the removals.
func TestEntriesThatCameBackAreNoEntries(t *testing.T) {
	s, uids := longStore(t, 12)
	old := map[string]string{}
	for _, n := range []uint64{1, 3, 4} {
		old[vespe(s, layout.EntryFile(n))] = read(t, vespe(s, layout.EntryFile(n)))
	}
	compact(t, s, GCOptions{})
	want := dump(load(t, s))
	for name, body := range old {
		write(t, name, body)
	}
	must(t, os.Remove(vespe(s, layout.ProjectedTip)))
	again := open(t, s.Root(), Options{Now: s.opt.Now, Rand: entropy(2)})
	same(t, "opened", want, dump(load(t, again)))
	healthy(t, again)
	if a := do(t, again, model.Op{Name: model.RenameTask, UID: uids[0], Actor: ann, Args: model.NewName{Name: "x"}}); a.Seq != 13 {
		t.Fatalf("the next entry is %d", a.Seq)
	}
	again.collector.Least = 5
	if _, err := again.GC(t.Context(), GCOptions{}); err != nil || entries(t, again) != 5 {
		t.Errorf("after the next GC there are %d entries, %v", entries(t, again), err)
	}
}

// TestAWriterWithoutLocksTakesNoOldNumber: one that looked for the end of the log before it
// was compacted.
func TestAWriterWithoutLocksTakesNoOldNumber(t *testing.T) {
	s, uids := longStore(t, 12)
	behind := open(t, s.Root(), testOptions())
	snap := load(t, behind)
	compact(t, s, GCOptions{})
	// As it was when it looked: entry 3 was the last.
	ops := behind.fill([]model.Op{{Name: model.RenameTask, UID: uids[0], Actor: ann, Args: model.NewName{Name: "late"}}})
	tx := mustGet(behind.writer.Compute(t.Context(), snap, ops, 0))(t)
	_, again, err := behind.writer.CommitAndProject(tx, txlog.Tip{Seq: 3, Head: model.HashBytes(nil)}, nil)
	if err != nil || !again {
		t.Fatalf("it was committed as an entry that is past: again %v, %v", again, err)
	}
	if _, err := os.Stat(vespe(s, layout.EntryFile(4))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its entry is still there: %v", err)
	}
	if a := do(t, behind, model.Op{Name: model.RenameTask, UID: uids[0], Actor: ann, Args: model.NewName{Name: "late"}}); a.Seq != 13 {
		t.Errorf("it became entry %d", a.Seq)
	}
	healthy(t, behind)
}

// TestADamagedBaseIsReported and the tasks are there all the same.
func TestADamagedBaseIsReported(t *testing.T) {
	t.Parallel()
	s, _ := longStore(t, 12)
	compact(t, s, GCOptions{})
	want := dump(load(t, s))
	whole := read(t, vespe(s, txlog.BaseFile))
	for i := 0; i < len(whole); i += 7 {
		b := []byte(whole)
		b[i] ^= 1
		write(t, vespe(s, txlog.BaseFile), string(b))
		o := open(t, s.Root(), testOptions())
		same(t, fmt.Sprint("byte ", i), want, dump(load(t, o)))
		if base, err := o.log.OpenBase(); err == nil {
			if images := map[string]txlog.LastImage{}; base.Paths.Into(images) != nil || i >= len(whole)-8 || inGap(whole, i) {
				continue
			}
			t.Fatalf("byte %d changed: nobody sees it", i)
		}
		ps := doctor(t, o)
		wantProblem(t, ps, "log-broken", txlog.BaseFile)
		_ = o.Close()
	}
}

// inGap says whether a byte lies between parts, where nothing is.
func inGap(whole string, i int) bool {
	head, parts, err := sections.Parse([]byte(whole), txlog.BaseMagic)
	if err != nil {
		return false
	}
	at := align8(sections.Fixed + len(head) + 16*len(parts))
	if i < at {
		return i >= sections.Fixed+len(head)+16*len(parts)
	}
	for _, s := range parts {
		if i < at+len(s.Body) {
			return false
		}
		if at = align8(at + len(s.Body)); i < at {
			return true
		}
	}
	return true
}

// TestEveryStepOfGCMayFail: however it ends, the tasks and the operations are there, and
// the next GC does the rest.
func TestEveryStepOfGCMayFail(t *testing.T) {
	t.Parallel()
	for _, ft := range faults() {
		t.Run(ft.name, func(t *testing.T) {
			t.Parallel()
			template, uids := longStore(t, 12)
			checkpointed(t, template)
			for i := range 3 {
				do(t, template, model.Op{Name: model.RenameTask, UID: uids[0], Actor: ann, Args: model.NewName{Name: fmt.Sprint("name ", i)}})
			}
			before := dump(load(t, template))
			d := inMemory(t, template)
			for k := 1; ; k++ {
				if gcFailsAt(t, d.copied(), template.opt.Now, before, uids, ft, k) {
					if k < 15 {
						t.Fatalf("it has only %d calls", k-1)
					}
					return
				}
			}
		})
	}
}

func gcFailsAt(t *testing.T, d *disk, now func() time.Time, before string, uids []model.UID, ft fault, k int) (done bool) {
	t.Helper()
	f := &faultFS{dead: ft.dead, late: ft.late, short: ft.short, err: ft.err}
	s, err := f.openOn(d, Options{Now: now, Rand: entropy(uint64(k))})
	must(t, err)
	s.collector.Least = 5
	load(t, s)
	f.mu.Lock()
	f.calls, f.at, f.trace = 0, k, nil
	f.mu.Unlock()
	_, err = s.GC(context.Background(), GCOptions{})
	calls, trace := f.calls, f.trace
	_ = s.Close()
	if calls < k {
		if err != nil {
			t.Fatalf("without a fault: %v", err)
		}
		return true
	}
	where := fmt.Sprintf("call %d (%s)", k, trace[k-1])
	again := openOn(t, d, Options{Now: now, Rand: entropy(uint64(k) + 1000)})
	again.collector.Least = 5
	same(t, where, before, dump(load(t, again)))
	for _, i := range []int{2, 6, 11} {
		a, err := again.Do(t.Context(), model.Op{ID: fmt.Sprint("op-", i), Name: model.DefinePlan, UID: uids[i%2], Actor: robot, Args: model.NewPlan{Text: "again\n"}})
		if err != nil || !a.Replayed || a.Seq != uint64(i+1) {
			t.Fatalf("%s: operation %d: %+v, %v", where, i, a, err)
		}
	}
	if _, err := again.GC(context.Background(), GCOptions{}); err != nil || entries(t, again) != 5 {
		t.Fatalf("%s: repeated: %v, %d entries", where, err, entries(t, again))
	}
	same(t, where+", repeated", before, dump(load(t, again)))
	ps := doctor(t, again)
	for _, p := range ps {
		if p.Code != "leftover" {
			t.Fatalf("%s: %+v", where, p)
		}
	}
	if a := do(t, again, model.Op{Name: model.RenameTask, UID: uids[1], Actor: ann, Args: model.NewName{Name: "after"}}); a.Seq != 16 {
		t.Fatalf("%s: the next entry is %d", where, a.Seq)
	}
	return false
}
