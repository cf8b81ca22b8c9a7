package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"vespe/model"
	"vespe/model/reflection"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/pending"
	"vespe/store/reflections"
)

// crashRun is a journal of what a process did, and what the store said after each part of it.
type crashRun struct {
	disk *disk
	acts []powerAct
	was  uint64
	says map[uint64][]string // of the last time last
	last uint64
	// held says of an entry whether every file was what the log says. Not so before an edit is
	// taken over.
	held map[uint64]bool
}

// processes is how many there were: no two have the same random numbers.
var processes atomic.Uint64

func openDisk(d *disk, readOnly bool) (*Store, error) {
	s, err := Open("/nowhere", Options{
		Now: newClock().now, Rand: entropy(processes.Add(1) + 1000), ReadOnly: readOnly,
		FS: func(string) (fsys.FS, error) { return d, nil },
	})
	if err == nil {
		s.loader.Pending.Projector.Many = 12 // so that a small import is synced as a whole
	}
	return s, err
}

// saysOf is everything that a store says of its tasks.
func saysOf(s *Store, snap *snapshot.Snapshot) (string, error) {
	var b strings.Builder
	for line := range strings.Lines(dump(snap)) {
		// That a pending projection is done is not synced: one that is back says nothing wrong of the task.
		if !strings.HasPrefix(line, "problem ") || !strings.Contains(line, "Code:"+pending.Code) {
			b.WriteString(line)
		}
	}
	for i := range snap.Len() {
		for _, doc := range []model.Doc{model.Objective, model.Plan} {
			c, err := s.Content(context.Background(), snap.UID(i), doc)
			if err != nil && !errors.Is(err, model.ErrNoContent) {
				return "", err
			}
			fmt.Fprintf(&b, "%s %s %d %q\n", snap.UID(i), doc, c.Revision, c.Body)
		}
	}
	return b.String(), nil
}

// look opens a disk and says what is on it.
func look(d *disk, readOnly, warm bool) (seq uint64, text string, err error) {
	s, err := openDisk(d, readOnly)
	if err != nil {
		return 0, "", err
	}
	defer s.Close()
	ctx := context.Background()
	var snap *snapshot.Snapshot
	if !warm {
		snap, err = s.Load(ctx, nil)
	} else if snap, err = s.Refresh(ctx); err == nil {
		snap, err = s.Freshen(ctx, slices.Collect(uidsOf(snap)))
	}
	if err != nil {
		return 0, "", err
	}
	text, err = saysOf(s, snap)
	return snap.Seq(), text, err
}

func uidsOf(snap *snapshot.Snapshot) iter.Seq[model.UID] {
	return func(yield func(model.UID) bool) {
		for i := range snap.Len() {
			if !yield(snap.UID(i)) {
				return
			}
		}
	}
}

// recordRun carries out a case, and then one more transaction by another process. lose says
// which syncs are answered and not carried out.
func recordRun(t *testing.T, c powerCase, lose func(kind string, nth int) bool) *crashRun {
	t.Helper()
	d := newDisk()
	opt := testOptions()
	opt.FS = func(string) (fsys.FS, error) { return d, nil }
	template := initIn(t, t.TempDir(), opt)
	do(t, template, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{UID: other, Name: "other", Objective: "x\n"}})
	run := &crashRun{disk: d, acts: append(c.setUp(t, template), afterwards()), says: map[uint64][]string{}, held: map[uint64]bool{}}
	must(t, template.Close())
	d.makeDurable()
	d.syncs, d.lose = nil, lose
	heard := func() uint64 {
		seq, text, err := look(d, true, false)
		if err != nil {
			t.Fatal(err)
		}
		run.says[seq], run.held[seq] = append(run.says[seq], text), logHolds(onFS(d)) == nil
		return seq
	}
	run.was = heard()
	run.last = run.was
	must(t, run.carryOut(d, func(seq uint64) {
		run.last = max(run.last, seq)
		if got := heard(); got != seq && seq != 0 {
			t.Fatalf("after entry %d it is as of %d", seq, got)
		}
	}))
	if err := logHolds(onFS(d)); err != nil && !c.cloned {
		t.Fatal(err)
	}
	return run
}

// carryOut does all acts, the last one as another process. told is told of each transaction
// once it is acknowledged, and of anything else as 0.
func (run *crashRun) carryOut(d *disk, told func(seq uint64)) error {
	s, err := openDisk(d, false)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	for i, act := range run.acts {
		if i == len(run.acts)-1 {
			if err := s.Close(); err != nil {
				return err
			}
			if s, err = openDisk(d, false); err != nil {
				return err
			}
		}
		if act.run != nil {
			if err := act.run(s); err != nil {
				return err
			}
			told(0)
			continue
		}
		a, err := s.DoAll(context.Background(), act.ops)
		if err != nil {
			return err
		}
		if len(a.Warnings) > 0 {
			return fmt.Errorf("entry %d: %q", a.Seq, a.Warnings)
		}
		d.steps = append(d.steps, crashStep{acked: a.Seq})
		told(a.Seq)
	}
	return nil
}

// acked is the last entry that was acknowledged in the first k steps.
func (run *crashRun) acked(k int) uint64 {
	acked := run.was
	for i := range k {
		acked = max(acked, run.disk.steps[i].acked)
	}
	return acked
}

// compare says what is wrong with what a store says.
func (run *crashRun) compare(what string, seq uint64, text string, err error, least uint64, recovered *disk) error {
	said := run.says[seq]
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	case seq < least:
		return fmt.Errorf("%s: the acknowledged transaction %d is lost: it is as of %d", what, least, seq)
	case said == nil:
		return fmt.Errorf("%s: there is an entry %d", what, seq)
	case !slices.Contains(said, text):
		return fmt.Errorf("%s: at entry %d: %s", what, seq, difference(said[len(said)-1], text))
	case recovered != nil && run.held[seq]:
		if err := logHolds(onFS(recovered)); err != nil {
			return fmt.Errorf("%s: at entry %d: %w", what, seq, err)
		}
	}
	return nil
}

func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d\n want %s\n  got %s", i+1, w[i], g[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// check looks at a disk on which least was acknowledged: as one who only reads, as one who
// recovers or begins with a checkpoint, as one who does everything once more, and as the next
// process. n numbers the disks.
func (run *crashRun) check(n int, d *disk, least uint64) error {
	seq, text, err := look(d, true, n%2 == 1)
	if err := run.compare("read only", seq, text, err, least, nil); err != nil {
		return err
	}
	if n%2 == 0 {
		least = seq
		seq, text, err = look(d, false, false)
		if err := run.compare("recovered", seq, text, err, least, d); err != nil {
			return err
		}
	}
	next := run.was
	if err := run.carryOut(d, func(got uint64) { next = max(next, got) }); err != nil {
		return fmt.Errorf("repeated: %w", err)
	}
	if next != run.last {
		return fmt.Errorf("repeated it is entry %d", next)
	}
	seq, text, err = look(d, false, n%2 == 0)
	if err := run.compare("repeated", seq, text, err, run.last, d); err != nil {
		return err
	}
	return reflectsAll(d)
}

// reflectsAll says whether every entry that is there has its lines in reflections/, each once.
func reflectsAll(d *disk) error {
	s, err := openDisk(d, true)
	if err != nil {
		return err
	}
	defer s.Close()
	last, err := s.log.Tail(0)
	if err != nil {
		return err
	}
	var said []reflection.Line
	for name, body := range d.files() {
		if strings.HasPrefix(name, reflections.Dir+"/") {
			for line := range strings.Lines(body) {
				if r, err := reflection.Parse([]byte(line)); err == nil {
					said = append(said, r)
				}
			}
		}
	}
	for seq := uint64(1); seq <= last; seq++ {
		e, _, err := s.log.ReadEntry(seq)
		if fsys.Missing(err) {
			continue // compacted
		}
		if err != nil {
			return err
		}
		lines, err := s.writer.Reflections.Of(e)
		if err != nil {
			return err
		}
		for i := range lines {
			n := 0
			for k := range said {
				if said[k].Same(&lines[i]) {
					n++
				}
			}
			if n != 1 {
				return fmt.Errorf("what came of entry %d (%s) is in reflections/ %d times", seq, lines[i].Verdict+model.Name(lines[i].Outcome), n)
			}
		}
	}
	return nil
}

// once checks disks as they may be when the power goes, at every so many of the points and
// ways there are. It ends at the first bad one. Where a sync was left out it begins there: until
// then the disks are those of a run that leaves out none.
func (run *crashRun) once(images, every int) (states int, bad error) {
	n := 0
	for k := max(run.disk.base, run.disk.lost); k <= len(run.disk.steps); k++ {
		for mode := range crashModes {
			for i := range images {
				if n++; n%every != 0 {
					continue
				}
				states++
				r := rand.New(rand.NewPCG(uint64(i), uint64(k*crashModes+mode)))
				if err := run.check(states, run.disk.crash(k, mode, r), run.acked(k)); err != nil {
					return states, fmt.Errorf("after %d of %d steps, mode %d, image %d: %w", k-run.disk.base, len(run.disk.steps)-run.disk.base, mode, i, err)
				}
			}
		}
	}
	return states, nil
}

// again kills the process, or cuts the power, in the middle of a run; anyone who comes next, and
// recovers, is cut off too.
func (run *crashRun) again(first func(k int) *disk, points, every int) (states int, bad error) {
	n := 0
	for k := run.disk.base; k <= len(run.disk.steps); k++ {
		if (k-run.disk.base)%points != 0 {
			continue
		}
		second := *run
		second.disk = first(k)
		begins := len(second.disk.steps)
		if err := run.carryOut(second.disk, func(uint64) {}); err != nil {
			return states, fmt.Errorf("after %d steps: %w", k-run.disk.base, err)
		}
		for j := begins; j <= len(second.disk.steps); j++ {
			if n++; n%every != 0 {
				continue
			}
			states++
			mode := states % crashModes
			r := rand.New(rand.NewPCG(uint64(k), uint64(j)))
			if err := run.check(states/crashModes, second.disk.crash(j, mode, r), max(run.acked(k), second.acked(j))); err != nil {
				return states, fmt.Errorf("after %d of %d steps, and then %d of %d, mode %d: %w",
					k-run.disk.base, len(run.disk.steps)-run.disk.base, j-begins, len(second.disk.steps)-begins, mode, err)
			}
		}
	}
	return states, nil
}

// cut is a disk as it may be when the power goes after k steps.
func (run *crashRun) cut(k int) *disk {
	return run.disk.crash(k, k%crashModes, rand.New(rand.NewPCG(7, uint64(k))))
}

// powerEffort is how much is looked at.
type powerEffort struct {
	images, every int // of disks after one cut
	points, after int // of points of a first crash, and of those of a second one
}

var (
	fewCuts  = powerEffort{images: 1, every: 29, points: 47, after: 29}
	someCuts = powerEffort{images: 1, every: 11, points: math.MaxInt, after: 11}
	// what is kept of unsynced names is drawn: a control that has to meet one case draws more often
	moreDraws = powerEffort{images: 16, every: 1, points: math.MaxInt, after: math.MaxInt}
	manyCuts  = powerEffort{images: 1, every: 1, points: math.MaxInt, after: 1}
)

// sweep is everything about a run. It ends at the first bad disk.
func (run *crashRun) sweep(e powerEffort) (states int, bad error) {
	for _, part := range []struct {
		what string
		do   func() (int, error)
	}{
		{"cut", func() (int, error) { return run.once(e.images, e.every) }},
		{"killed and then cut", func() (int, error) { return run.again(run.disk.killed, e.points, e.after) }},
		{"cut twice", func() (int, error) { return run.again(run.cut, e.points, e.after) }},
	} {
		n, err := part.do()
		if states += n; err != nil {
			return states, fmt.Errorf("%s: %w", part.what, err)
		}
	}
	return states, nil
}

func testPowerCut(t *testing.T, e powerEffort) {
	var total atomic.Int64
	t.Run("all", func(t *testing.T) {
		for _, c := range powerCases() {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				states, bad := recordRun(t, c, nil).sweep(e)
				total.Add(int64(states))
				if bad != nil {
					t.Error(bad)
				}
			})
		}
	})
	t.Logf("%d states", total.Load())
}

// TestPowerCut cuts the power after every step of what a process does, and looks at what a
// disk may hold then: data only as far as it was synced, names only of directories that were,
// of everything else any part. Anyone who recovers is cut off too: after a power cut, and after
// a kill, which leaves behind what is there but not durable.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	effort := fewCuts
	if testing.Short() { // for the race detector there is nothing to see: no goroutine shares this disk
		effort.every, effort.points, effort.after = 190, math.MaxInt, 170
	}
	testPowerCut(t, effort)
}
