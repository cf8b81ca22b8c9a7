package desk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store"
)

// waiting is a call of Wait under way.
type waiting struct {
	r   Review
	err error
}

func (f fixture) wait(d *Desk, id string, progress func(time.Duration)) <-chan waiting {
	done := make(chan waiting, 1)
	go func() {
		r, err := d.Wait(f.Context(), id, soon, progress)
		done <- waiting{r, err}
	}()
	return done
}

// got is what a call of Wait came to.
func (f fixture) got(done <-chan waiting) Review {
	f.Helper()
	select {
	case w := <-done:
		if w.err != nil {
			f.Fatal(w.err)
		}
		return w.r
	case <-time.After(2 * soon):
		f.Fatal("it waits for ever")
	}
	return Review{}
}

func TestWaitingGivesTheDecision(t *testing.T) {
	f := newFixture(t)
	uid := f.create("a")
	plan := f.submit(Plan{TaskID: string(uid), PlanMD: "one"})
	ask := f.ask(Question{TaskID: string(uid), Title: "Which port?"})
	d := deskAt(t, f.s, Options{Actor: claude})
	d.every = 10 * time.Millisecond
	ticks := make(chan time.Duration, 1000)
	forPlan := f.wait(d, plan.ReviewID, func(e time.Duration) { ticks <- e })
	forAsk, forAskToo := f.wait(d, ask.ReviewID, nil), f.wait(f.d, ask.ReviewID, nil)
	var last time.Duration
	for range 3 { // they all wait by then
		e := <-ticks
		if e <= last {
			t.Errorf("%v have passed after %v", e, last)
		}
		last = e
	}
	f.as(ann, answer(ask.ReviewID, model.Answering{Decision: model.DecideRespond, Text: "8080"}))
	for _, w := range []<-chan waiting{forAsk, forAskToo} {
		if r := f.got(w); r.State != StateAnswered || r.Text != "8080" {
			t.Errorf("it is %+v", r)
		}
	}
	f.as(ann, model.Op{Name: model.AcceptPlan, UID: uid})
	f.is(f.got(forPlan), StateAccepted)
	f.is(f.got(f.wait(d, plan.ReviewID, nil)), StateAccepted)
}

func TestThatTimeIsOverIsNoAnswer(t *testing.T) {
	f := newFixture(t)
	uid := f.create("a")
	r := f.submit(Plan{TaskID: string(uid), PlanMD: "one"})
	for n := range pollsEnough + 1 {
		again, err := f.d.Wait(t.Context(), r.ReviewID, time.Duration(n), nil)
		if err != nil {
			t.Fatal(err)
		}
		f.is(again, StatePending)
		if again.Decided() || again.Text != "" {
			t.Errorf("it is %+v", again)
		}
		if ends := strings.Contains(again.NextAction, "end your turn"); ends != (n+1 >= pollsEnough) {
			t.Errorf("after %d calls: %s", n+1, again.NextAction)
		}
	}
	worker := deskAt(t, f.s, Options{Actor: claude, Run: "run-1", Task: string(uid)})
	if r, err := worker.SubmitPlan(t.Context(), Plan{BaseVersion: 1, PlanMD: "two"}); err != nil || !strings.Contains(r.NextAction, "End your turn now") {
		t.Errorf("a worker of the loop is told %q, %v", r.NextAction, err)
	}
	// The decision is found whenever it comes.
	r = f.look(PlanReviewID(uid, 2))
	f.as(ann, model.Op{Name: model.RejectPlan, UID: uid, Reason: "no"})
	f.is(f.got(f.wait(f.d, r.ReviewID, nil)), StateRejected)
}

func TestAWaitCanBeCanceled(t *testing.T) {
	f := newFixture(t)
	r := f.ask(Question{Title: "Which port?"})
	ctx, cancel := context.WithCancel(t.Context())
	d := deskAt(t, f.s, Options{Actor: claude})
	d.every = time.Millisecond
	_, err := d.Wait(ctx, r.ReviewID, soon, func(time.Duration) { cancel() })
	refused(t, err, CodeCanceled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it is %v", err)
	}
	f.is(f.look(r.ReviewID), StatePending)
}

func TestItWaitsOnWhileTheStoreIsAway(t *testing.T) {
	f := newFixture(t)
	r := f.ask(Question{Title: "Which port?"})
	d := deskAt(t, f.s, Options{Actor: claude})
	d.every = 10 * time.Millisecond
	ticks := make(chan time.Duration, 1000)
	done := f.wait(d, r.ReviewID, func(e time.Duration) { ticks <- e })
	<-ticks
	here, there := filepath.Join(f.s.Root(), store.Name), filepath.Join(f.s.Root(), "away")
	if err := os.Rename(here, there); err != nil {
		t.Fatal(err)
	}
	if _, err := f.d.Look(t.Context(), r.ReviewID); err == nil {
		t.Error("a store that is away answers")
	} else {
		refused(t, err, CodeFailed, "the store is missing")
	}
	if err := os.CopyFS(here, os.DirFS(there)); err != nil { // it is another directory now
		t.Fatal(err)
	}
	again, err := store.Open(f.s.Root(), store.Options{Scratch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	op := answer(r.ReviewID, model.Answering{Decision: model.DecideRespond, Text: "8080"})
	op.Actor = ann
	if _, err := again.Do(t.Context(), op); err != nil {
		t.Fatal(err)
	}
	if r := f.got(done); r.State != StateAnswered || r.Text != "8080" {
		t.Errorf("it is %+v", r)
	}
	f.is(f.look(r.ReviewID), StateAnswered)
}
