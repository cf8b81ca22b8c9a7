package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

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
	sweep := func(lose func(call, name string) bool) (bad error) {
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
	for _, kind := range []string{"syncdir .", "syncdir tmp", "fsync tmp/new"} {
		if sweep(func(call, name string) bool { return strings.HasPrefix(call+" "+name, kind) }) == nil {
			t.Errorf("without %s nothing was noticed", kind)
		}
	}
}
