package store

import (
	"slices"
	"testing"
	"time"

	"vespe/model"
)

// TestAClockThatJumps: ten years forwards and back, between processes and within one. The log says
// what came before what, numbers of revisions are never given twice, and the next process finds
// nothing to wonder about.
func TestAClockThatJumps(t *testing.T) {
	const years = 10 * 365 * 24 * time.Hour
	s := newStore(t)
	first := create(t, s, "first", "objective\n")
	uids := map[model.UID]bool{first: true}
	at, _ := s.loader.Current.Known()
	seq := at.Seq
	for i, jump := range []time.Duration{years, -years, 0, -years, years, years, -2 * years, 0} {
		c := newClock()
		c.t = c.t.Add(jump)
		p := open(t, s.Root(), Options{Now: c.now, Rand: entropy(uint64(100 + i))})
		load(t, p)
		uid := create(t, p, "task", "objective\n")
		if uids[uid] {
			t.Fatalf("the uid %s is given twice", uid)
		}
		uids[uid] = true
		for range 2 {
			do(t, p, model.Op{Name: model.DefinePlan, UID: first, Actor: robot, Args: model.NewPlan{Text: "plan " + string(uid) + "\n"}})
			c.t = c.t.Add(-jump)
			do(t, p, model.Op{Name: model.DefinePlan, UID: first, Actor: robot, Args: model.NewPlan{Text: "another plan " + string(uid) + "\n"}})
			c.t = c.t.Add(jump)
		}
		snap := load(t, p)
		if snap.Seq() != seq+5 || snap.Len() != len(uids) || len(snap.Problems()) > 0 {
			t.Fatalf("entry %d with %d tasks: %+v", snap.Seq(), snap.Len(), snap.Problems())
		}
		seq = snap.Seq()
		if n := task(t, snap, first).Status.PlanRevision; n != 4*(i+1) {
			t.Fatalf("revision %d after %d plans", n, 4*(i+1))
		}
		must(t, p.Close())
		r := open(t, s.Root(), Options{ReadOnly: true})
		if again := load(t, r); dump(again) != dump(snap) {
			same(t, "to the next process", dump(snap), dump(again))
		}
		if edited := r.Edited(); len(edited) > 0 {
			t.Errorf("taken for edited: %v", edited)
		}
	}
	projectionHolds(t, s)
	load(t, s)
	healthy(t, s)
	events, ps, err := s.History(t.Context(), first)
	if err != nil || len(ps) > 0 || len(events) != 2+4*8 {
		t.Fatalf("%d events, %v, %v", len(events), ps, err)
	}
	if !slices.ContainsFunc(events, func(e model.Event) bool { return e.At.Year() > 2034 }) || !slices.ContainsFunc(events, func(e model.Event) bool { return e.At.Year() < 2018 }) {
		t.Error("the clock did not jump")
	}
}
