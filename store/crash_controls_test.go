package store

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// powerControl leaves out syncs of one kind. Either that must be found, or it says why nothing
// is lost without them.
type powerControl struct {
	kind    string
	in      string           // the case where it shows; "": any
	nth     func(n int) bool // which of them; nil: all
	rare    bool             // it shows in few images, so that many are drawn from the start, in make torture
	covered string           // why nothing is lost
}

func powerControls() []powerControl {
	return []powerControl{
		{kind: "fsync entry"},
		{kind: "fsync object"},
		{kind: "fsync a file"},
		{kind: "fsync a file of a new task"},
		{kind: "syncdir log", in: "edges"},
		{kind: "syncdir objects/aa"},
		{kind: "syncdir objects"},
		{kind: "syncdir .", in: "first after a clone"},
		{kind: "syncdir tasks"},
		{kind: "syncdir hitl_queue"},
		{kind: "syncdir a task"},
		{kind: "syncdir a directory of a task"},
		{kind: "syncdir a new task"},
		{kind: "syncdir a directory of a new task"},
		{kind: "syncdir log/owed"},
		{kind: "syncdir reflections"},
		{kind: "syncdir a day of reflections"},
		{kind: "syncdir tmp", covered: "a pending projection is known by its name alone; TestPowerCutInInit leaves it out where a file is read"},
		{kind: "syncall .", in: "import many", nth: func(n int) bool { return n%3 == 1 }, covered: "it only asks whether there is such a call"},
		{kind: "syncall .", in: "import many", rare: true, nth: func(n int) bool { return n%3 == 2 }},
		{kind: "syncall .", in: "import many", nth: func(n int) bool { return n%3 == 0 }},
	}
}

// TestPowerCutIsNoticed leaves out each kind of sync: a check that finds nothing then would
// find nothing ever. There is no sync that is not among them. TestTorturePowerCutIsNoticed looks longer for what
// is not to be found.
func TestPowerCutIsNoticed(t *testing.T) {
	t.Parallel()
	testPowerCutIsNoticed(t, fewCuts, false)
}

func testPowerCutIsNoticed(t *testing.T, covered powerEffort, thorough bool) {
	t.Helper()
	var mu sync.Mutex
	kinds := map[string]bool{}
	in := map[string][]powerCase{}
	for _, c := range powerCases() {
		for kind := range recordRun(t, c, nil).disk.syncs {
			kinds[kind] = true
			in[kind] = append(in[kind], c)
		}
	}
	for _, c := range powerControls() {
		delete(kinds, c.kind)
		if c.rare && !thorough {
			continue
		}
		name := c.kind
		if c.covered != "" {
			name += ", which is not missed"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states, bad := c.look(t, in[c.kind], covered)
			mu.Lock()
			defer mu.Unlock()
			if (bad == nil) != (c.covered != "") {
				t.Errorf("in %d states: %v", states, bad)
			}
			t.Log(states, bad)
		})
	}
	if len(kinds) > 0 {
		t.Errorf("nobody leaves out %q", slices.Sorted(maps.Keys(kinds)))
	}
}

func (c *powerControl) look(t *testing.T, cases []powerCase, covered powerEffort) (states int, bad error) {
	efforts := []powerEffort{someCuts, moreDraws, manyCuts}
	switch {
	case c.covered != "":
		efforts = []powerEffort{covered}
	case c.rare:
		efforts = efforts[1:]
	}
	lose := func(kind string, n int) bool { return kind == c.kind && (c.nth == nil || c.nth(n)) }
	for _, e := range efforts {
		for _, pc := range cases {
			if c.in != "" && pc.name != c.in {
				continue
			}
			run := recordRun(t, pc, lose)
			if c.nth != nil {
				run.disk.lose = nil // those who recover count anew
			}
			n, err := run.sweep(e)
			if states += n; err != nil {
				return states, fmt.Errorf("%s: %w", pc.name, err)
			}
		}
	}
	return states, nil
}

// statusLast says whether anyone who looks only at a task's files while they are written sees
// nothing in status.json that the other files do not say yet.
func (run *crashRun) statusLast() error {
	for k := run.disk.base; k <= len(run.disk.steps); k++ {
		s := onFS(run.disk.killed(k))
		last, err := s.log.Tail(0)
		if err != nil || last == run.was {
			continue
		}
		e, _, err := s.log.ReadEntry(last)
		if err != nil {
			return err
		}
		todo, err := s.writer.ToWrite(e)
		if err != nil {
			return err
		}
		late := map[model.UID]string{}
		for _, f := range todo {
			uid, rest, _ := layout.TaskOf(f.Path)
			if late[uid] == "" || rest == layout.StatusFile {
				late[uid] = rest
			}
		}
		for uid, rest := range late {
			if uid != "" && rest != layout.StatusFile && slices.ContainsFunc(e.Files, func(f txlog.FileImage) bool { return f.Path == layout.TaskFile(uid, layout.StatusFile) }) {
				return fmt.Errorf("after %d steps %s is behind the status of %s", k-run.disk.base, rest, uid)
			}
		}
	}
	return nil
}

// statusFirst is a run as of one who writes each status.json before the file that comes before
// it.
func (run *crashRun) statusFirst() *crashRun {
	other := *run
	d := run.disk.killed(len(run.disk.steps))
	const calls = 5 // create, write, sync, exchange, remove
	for i := d.base + 2*calls; i < len(d.steps); i++ {
		if n := d.steps[i].names; len(n) == 2 && n[0].name == layout.StatusFile {
			block := slices.Clone(d.steps[i-3 : i+2])
			copy(d.steps[i-3:], d.steps[i-3-calls:i-3])
			copy(d.steps[i-3-calls:], block)
		}
	}
	other.disk = d
	return &other
}

// TestStatusComesLast: a process that was killed leaves no status.json that is ahead of the
// other files of its task, for anyone who reads only these. For those who ask vespe it would not
// matter: they see the log.
func TestStatusComesLast(t *testing.T) {
	t.Parallel()
	for _, c := range powerCases() {
		run := recordRun(t, c, nil)
		if err := run.statusLast(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.name != "accept and start" {
			continue
		}
		first := run.statusFirst()
		if err := first.statusLast(); err == nil {
			t.Error("a status that comes first was not noticed")
		}
		if states, bad := first.sweep(someCuts); bad != nil || states < 20 {
			t.Errorf("in %d states: %v", states, bad)
		}
	}
}

// initRun is the journal of making a store.
func initRun(t *testing.T, d *disk) error {
	t.Helper()
	s := newStoreOn(t.TempDir(), d, Options{Now: newClock().now, Rand: entropy(processes.Add(1) + 1000)}.filled())
	s.setFormat(Format)
	return s.lay()
}

// TestPowerCutInInit: what is left of a store that was being made is a store, or becomes one
// when it is made again.
func TestPowerCutInInit(t *testing.T) {
	t.Parallel()
	check := func(d *disk, least bool) error {
		if _, err := d.Stat(layout.RootMarker); fsys.Missing(err) {
			if least {
				return errors.New("the store is lost")
			}
			if err := initRun(t, d); err != nil {
				return err
			}
		}
		s, err := openDisk(d, false)
		if err != nil {
			return err
		}
		defer s.Close()
		snap, err := s.Load(t.Context(), nil)
		if err != nil || len(snap.Problems()) > 0 || s.ID() == "" || snap.Policy().Name == "" {
			return fmt.Errorf("%w, or problems: %+v", err, snap.Problems())
		}
		_, err = s.Do(t.Context(), model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "x", Objective: "x\n"}})
		return err
	}
	sweep := func(lose func(kind string, n int) bool) (bad error) {
		d := newDisk()
		d.lose = lose
		d.makeDurable()
		must(t, initRun(t, d))
		for k := 0; k <= len(d.steps); k++ {
			for mode := range crashModes {
				r := rand.New(rand.NewPCG(uint64(k), uint64(mode)))
				if err := check(d.crash(k, mode, r), k == len(d.steps)); err != nil {
					return fmt.Errorf("after %d of %d steps, mode %d: %w", k, len(d.steps), mode, err)
				}
				killed := d.killed(k)
				if err := check(killed, false); err != nil {
					return fmt.Errorf("killed after %d steps: %w", k, err)
				}
				if err := check(killed.crash(len(killed.steps), mode, r), true); err != nil {
					return fmt.Errorf("killed after %d of %d steps, and then cut, mode %d: %w", k, len(d.steps), mode, err)
				}
			}
		}
		return nil
	}
	if err := sweep(nil); err != nil {
		t.Error(err)
	}
	for _, kind := range []string{"syncdir .", "syncdir tmp", "fsync a file"} {
		if sweep(func(k string, _ int) bool { return k == kind }) == nil {
			t.Errorf("without %s nothing was noticed", kind)
		}
	}
}

// TestTheDiskIsAFileSystem: what a store leaves on the disk of these tests is what it leaves on
// a real one.
func TestTheDiskIsAFileSystem(t *testing.T) {
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			d := newDisk()
			root := fastDir(t)
			for _, disk := range []func(string) (fsys.FS, error){nil, func(string) (fsys.FS, error) { return d, nil }} {
				opt := testOptions()
				opt.FS = disk
				at := root
				if disk != nil {
					at = filepath.Join(t.TempDir(), filepath.Base(root))
				}
				s := initIn(t, at, opt)
				do(t, s, sc.setUp(t, s)...)
				must(t, s.Close())
			}
			want := map[string]string{}
			must(t, walkFiles(filepath.Join(root, layout.Name), func(path string, body []byte) {
				rel, _ := filepath.Rel(filepath.Join(root, layout.Name), path)
				want[rel] = string(body)
			}))
			got := d.files()
			derived := func(name, _ string) bool { // holds times and numbers of files
				return strings.HasSuffix(name, ".ck") || strings.HasPrefix(name, "cache/")
			}
			maps.DeleteFunc(want, derived)
			maps.DeleteFunc(got, derived)
			if !maps.Equal(want, got) || len(want) < 10 {
				t.Errorf("files are\n%q\nand not\n%q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
		})
	}
}
