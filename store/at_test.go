package store

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/asof"
)

// states is the state of every task, for comparing where not every byte is kept.
func states(snap *snapshot.Snapshot) string {
	out := ""
	for i := range snap.Len() {
		t := snap.At(i)
		out += fmt.Sprintf("%s %s %s plan %d paused %v\n", t.UID, t.Config.Name, t.Status.CurrentState, t.Status.PlanRevision, t.Status.IsPaused)
	}
	return out
}

// life takes a task through some of its states, and notes the store after each entry, and
// when that was.
func life(t *testing.T, s *Store, c *clock) (seqs []uint64, at map[uint64]time.Time, then map[uint64]*snapshot.Snapshot, uid model.UID) {
	t.Helper()
	at, then = map[uint64]time.Time{}, map[uint64]*snapshot.Snapshot{}
	note := func(a snapshot.Applied) {
		seqs = append(seqs, a.Seq)
		at[a.Seq], then[a.Seq] = c.now(), a.Snapshot
	}
	uid = s.NewUID()
	note(do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{UID: uid, Name: "one", Objective: "why\n"}}))
	note(do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "first\n"}}))
	note(do(t, s, model.Op{Name: model.RejectPlan, UID: uid, Actor: ann, Reason: "no"}))
	note(do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{UID: s.NewUID(), Name: "two", Objective: "x\n", DependsOn: []model.UID{uid}}}))
	note(do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "second\n"}}))
	note(do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}))
	note(do(t, s, model.Op{Name: model.Pause, UID: uid, Actor: ann, Reason: "lunch"}))
	note(do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "renamed"}}))
	note(do(t, s, model.Op{Name: model.Resume, UID: uid, Actor: ann}))
	note(do(t, s, model.Op{Name: model.Abort, UID: uid, Actor: ann, Reason: "enough"}))
	return seqs, at, then, uid
}

func refused(err error, code model.Code) bool {
	var r *model.Refusal
	return errors.As(err, &r) && r.Code == code
}

func lookBack(t *testing.T, s *Store, when time.Time) *asof.Past {
	t.Helper()
	p := mustGet(s.Past().At(t.Context(), when))(t)
	return p
}

func TestLookingBackIsHowItWas(t *testing.T) {
	c := newClock()
	s := initIn(t, fastDir(t), Options{Now: c.now, Rand: entropy(1)})
	before := c.now()
	seqs, at, then, uid := life(t, s, c)
	if p := lookBack(t, s, before); p.Snapshot.Len() != 0 || p.Seq != 0 {
		t.Errorf("before anything there were %d tasks, at entry %d", p.Snapshot.Len(), p.Seq)
	}
	for _, seq := range seqs {
		p := lookBack(t, s, at[seq])
		if p.Seq != seq || len(p.Pieced) > 0 {
			t.Fatalf("at the time of entry %d it is entry %d, pieced together %q", seq, p.Seq, p.Pieced)
		}
		same(t, fmt.Sprint("entry ", seq), dump(then[seq]), dump(p.Snapshot))
	}

	// The documents of then, and what had happened until then.
	for _, want := range []struct {
		seq    uint64
		plan   string
		events int
	}{{seqs[0], "", 2}, {seqs[1], "first\n", 3}, {seqs[3], "first\n", 4}, {seqs[4], "second\n", 5}} {
		p := lookBack(t, s, at[want.seq])
		got, err := p.Content(t.Context(), uid, model.Plan)
		if want.plan == "" && !errors.Is(err, model.ErrNoContent) || want.plan != "" && (err != nil || string(got.Body) != want.plan || got.Revision == 0) {
			t.Errorf("the plan at entry %d was %q, revision %d: %v", want.seq, got.Body, got.Revision, err)
		}
		if events, _, err := p.History(t.Context(), uid); err != nil || len(events) != want.events {
			t.Errorf("%d events at entry %d, want %d: %v", len(events), want.seq, want.events, err)
		}
	}
	if _, err := s.Past().AtSeq(t.Context(), 99); !refused(err, model.CodeNotFound) {
		t.Errorf("an entry that is not there: %v", err)
	}
}

// A clock that goes back makes entries that look older than those before them.
func TestLookingBackPastAClockThatWentBack(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	s := initIn(t, fastDir(t), Options{Now: func() time.Time { return now }, Rand: entropy(1)})
	create(t, s, "one", "o\n")
	now = now.AddDate(10, 0, 0)
	create(t, s, "two", "o\n")
	now = now.AddDate(-10, 0, 1)
	create(t, s, "three", "o\n")
	for when, want := range map[time.Time]int{
		now.AddDate(0, 0, -1): 1, now: 3, now.AddDate(1, 0, 0): 3,
	} {
		if got := lookBack(t, s, when).Snapshot.Len(); got != want {
			t.Errorf("%d tasks at %s, want %d", got, when, want)
		}
	}
}

// In a clone, which has no log, the events tell the states and the revisions the documents.
func TestLookingBackPastTheLog(t *testing.T) {
	c := newClock()
	s := initIn(t, fastDir(t), Options{Now: c.now, Rand: entropy(1)})
	before := c.now()
	seqs, at, then, uid := life(t, s, c)
	clone := cloned(t, s, c, 2)
	if p := lookBack(t, clone, before); p.Snapshot.Len() != 0 {
		t.Errorf("before anything:\n%s", states(p.Snapshot))
	}
	for _, seq := range seqs {
		p := lookBack(t, clone, at[seq])
		if seq != seqs[len(seqs)-1] && len(p.Pieced) == 0 {
			t.Errorf("entry %d: nothing is said to be pieced together", seq)
		}
		same(t, fmt.Sprint("entry ", seq), states(then[seq]), states(p.Snapshot))
	}
	p := lookBack(t, clone, at[seqs[3]])
	if got, err := p.Content(t.Context(), uid, model.Plan); err != nil || string(got.Body) != "first\n" {
		t.Errorf("the plan was %q: %v", got.Body, err)
	}
}
