package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/store"
)

func TestMain(m *testing.M) {
	modeltest.Checks("40") // each makes a store
	os.Exit(m.Run())
}

// wish is one call of a desk.
type wish struct {
	kind    string // plan, ask, create, claim
	task    int
	key     string // "" for none
	content int
	base    int
}

// deed is a call, and what came of it.
type deed struct {
	wish
	actor model.Actor
	text  string // of the plan
	got   Review
	made  Created
	next  Next
	err   error
}

func (p deed) String() string {
	return fmt.Sprintf("%s %s task %d key %q content %d base %d → %s%s %v", p.actor, p.kind, p.task, p.key, p.content, p.base, p.got.ReviewID, p.next.Run, p.err)
}

func (p *deed) question(uids []model.UID) Question {
	return Question{TaskID: string(uids[p.task]), Title: "May I?", Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, p.content)), Key: p.key}
}

// do calls a desk.
func (p *deed) do(ctx context.Context, d *Desk, uids []model.UID) {
	p.actor = d.Actor()
	switch p.kind {
	case "plan":
		p.text = fmt.Sprintf("plan %d", p.content)
		if p.key != "" { // else it may stand already, by a call that had not the key
			p.text += fmt.Sprintf(" by %s, %s", p.actor, p.key)
		}
		p.got, p.err = d.SubmitPlan(ctx, Plan{TaskID: string(uids[p.task]), BaseVersion: p.base, PlanMD: p.text, Key: p.key})
	case "ask":
		p.got, p.err = d.Ask(ctx, p.question(uids))
	case "create":
		p.made, p.err = d.Create(ctx, NewTasks{Key: p.key, Items: []NewItem{{Name: fmt.Sprint("made ", p.content)}, {Name: "and more"}}})
	case "claim":
		p.next, p.err = d.Next(ctx, Want{Claim: true, Key: p.key})
	}
}

// crowd is several processes at one store: each has a store of its own on it.
type crowd struct {
	*rapid.T
	s     *store.Store
	desks []*Desk
	uids  []model.UID // tasks to plan, and to ask about
	ready int         // tasks that are to be claimed, made before
}

func newCrowd(t *rapid.T, actors []model.Actor) crowd {
	dir, err := os.MkdirTemp("", "crowd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s, err := store.Init(dir, store.Options{Name: "crowd", Scratch: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	c := crowd{T: t, s: s, ready: 2}
	must := func(ops ...model.Op) snapshot.Applied {
		for i := range ops {
			ops[i].Actor = ann
		}
		a, err := s.DoAll(context.Background(), ops)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	var create, plan []model.Op
	for i := range 2 + c.ready {
		create = append(create, model.Op{Name: model.CreateTask, Args: model.NewTask{Name: fmt.Sprint("task ", i), Objective: "o"}})
	}
	for i, made := range must(create...).Change.Tasks {
		if i < 2 {
			c.uids = append(c.uids, made.UID)
			continue
		}
		plan = append(plan, model.Op{Name: model.DefinePlan, UID: made.UID, Args: model.NewPlan{Text: "p"}}, model.Op{Name: model.AcceptPlan, UID: made.UID})
	}
	must(plan...)
	for _, a := range actors {
		own, err := store.Open(dir, store.Options{Scratch: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = own.Close() })
		d, err := New(own, Options{Actor: a})
		if err != nil {
			t.Fatal(err)
		}
		c.desks = append(c.desks, d)
	}
	return c
}

func TestSeveralAtOneStore(t *testing.T) {
	actors := []model.Actor{claude, claude, "agent:codex"} // two sessions of one agent, and another
	one := rapid.Custom(func(t *rapid.T) wish {
		return wish{
			kind: rapid.SampledFrom([]string{"plan", "plan", "ask", "ask", "create", "claim"}).Draw(t, "kind"), task: rapid.IntRange(0, 1).Draw(t, "task"),
			key: rapid.SampledFrom([]string{"", "k1", "k2"}).Draw(t, "key"), content: rapid.IntRange(0, 2).Draw(t, "content"), base: rapid.IntRange(0, 3).Draw(t, "base"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		all := make([][]deed, len(actors))
		for i := range all {
			for _, w := range rapid.SliceOfN(one, 1, 8).Draw(t, fmt.Sprint("calls of ", i)) {
				all[i] = append(all[i], deed{wish: w})
			}
		}
		c := newCrowd(t, actors)
		var busy sync.WaitGroup
		for i, d := range c.desks {
			busy.Go(func() {
				for k := range all[i] {
					all[i][k].do(context.Background(), d, c.uids)
				}
			})
		}
		busy.Wait()
		var done []deed
		for _, deeds := range all {
			done = append(done, deeds...)
		}
		for _, p := range done {
			var e *Error
			if p.err != nil && (!errors.As(p.err, &e) || e.Code != CodeStale && e.Code != CodeKey && e.Code != CodeRefused) {
				t.Fatalf("%v", p)
			}
		}
		c.plans(done)
		c.requests(done)
		c.made(done)
		c.claims(done)
	})
}

// plans: each revision is what somebody handed in, each that was handed in is a revision, and a key has one.
func (c crowd) plans(done []deed) {
	byKey, byVersion, based := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, p := range done {
		if p.kind != "plan" || p.err != nil {
			continue
		}
		uid := c.uids[p.task]
		body, err := c.s.Revision(context.Background(), uid, model.Plan, p.got.Version)
		if err != nil || string(body.Body) != p.text {
			c.Fatalf("%v: revision %d is %q, %v", p, p.got.Version, body.Body, err)
		}
		if p.key != "" {
			key := fmt.Sprint(p.actor, uid, p.key)
			if was, ok := byKey[key]; ok && was != p.got.ReviewID {
				c.Fatalf("%v: the key was %s before", p, was)
			}
			byKey[key] = p.got.ReviewID
		}
		byVersion[p.got.ReviewID] = p.text
		based[p.got.ReviewID] = based[p.got.ReviewID] || p.base == p.got.Version-1
	}
	snap, err := c.s.Refresh(context.Background())
	if err != nil {
		c.Fatal(err)
	}
	for _, uid := range c.uids {
		t, _ := snap.Task(uid)
		last := ""
		for n := 1; n <= t.Status.PlanRevision; n++ {
			text, ok := byVersion[PlanReviewID(uid, n)]
			if !ok {
				c.Fatalf("nobody knows of revision %d of %s", n, uid)
			}
			if !based[PlanReviewID(uid, n)] {
				c.Fatalf("revision %d of %s was written on another than the one before it", n, uid)
			}
			if text == last {
				c.Fatalf("revisions %d and %d of %s are one plan: %q", n-1, n, uid, text)
			}
			last = text
		}
	}
}

// requests: each is one that somebody asked, and the same question under a key is one.
func (c crowd) requests(done []deed) {
	snap, err := c.s.Refresh(context.Background())
	if err != nil {
		c.Fatal(err)
	}
	known, byKey := map[string]bool{}, map[string]string{}
	for _, p := range done {
		if p.kind != "ask" || p.err != nil {
			continue
		}
		q, err := FindRequest(snap, p.got.ReviewID)
		question := p.question(c.uids)
		want, rerr := question.request()
		if err != nil || rerr != nil || q.TaskUID != c.uids[p.task] || !lifecycle.AsksSame(q, want) {
			c.Fatalf("%v: it is %+v, %v", p, q, err)
		}
		known[q.ID] = true
		if p.key != "" {
			key := fmt.Sprint(p.task, p.key)
			if was, ok := byKey[key]; ok && was != q.ID {
				c.Fatalf("%v: under the key is %s, too", p, was)
			}
			byKey[key] = q.ID
		}
	}
	for _, q := range snap.Requests() {
		if !known[q.ID] {
			c.Fatalf("nobody knows of %s", q.ID)
		}
	}
}

// made: a key makes two tasks once.
func (c crowd) made(done []deed) {
	snap, err := c.s.Refresh(context.Background())
	if err != nil {
		c.Fatal(err)
	}
	known, byKey := map[string]bool{}, map[string]string{}
	for _, p := range done {
		if p.kind != "create" || p.err != nil {
			continue
		}
		for _, t := range p.made.Tasks {
			known[t.ID] = true
			if now, ok := snap.Task(model.UID(t.ID)); !ok || now.Config.Name != t.Name {
				c.Fatalf("%v: %+v is not there", p, t)
			}
		}
		if p.key != "" {
			key := fmt.Sprint(p.actor, p.key)
			if was, ok := byKey[key]; ok && was != p.made.Tasks[0].ID {
				c.Fatalf("%v: the key made %s before", p, was)
			}
			byKey[key] = p.made.Tasks[0].ID
		}
	}
	if n := snap.Len() - len(c.uids) - c.ready; n != len(known) {
		c.Fatalf("%d tasks were made, and %d are known of", n, len(known))
	}
}

// claims: no task is given twice, but to the same call.
func (c crowd) claims(done []deed) {
	byRun, byKey := map[string]deed{}, map[string]string{}
	for _, p := range done {
		if p.kind != "claim" || p.err != nil || !p.next.Claimed {
			continue
		}
		was, ok := byRun[p.next.Run]
		if ok && (p.key == "" || was.key != p.key || was.actor != p.actor) {
			c.Fatalf("%v and %v have one task", was, p)
		}
		byRun[p.next.Run] = p
		if p.key != "" {
			key := fmt.Sprint(p.actor, p.key)
			if run, ok := byKey[key]; ok && run != p.next.Run {
				c.Fatalf("%v: the key was given %s, too", p, run)
			}
			byKey[key] = p.next.Run
		}
	}
	if len(byRun) > c.ready {
		c.Fatalf("%d runs of %d tasks", len(byRun), c.ready)
	}
}
