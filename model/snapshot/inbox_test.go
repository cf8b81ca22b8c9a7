package snapshot

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/model"
)

func at(hour int) time.Time { return time.Date(2025, 5, 1, hour, 0, 0, 0, time.UTC) }

func since(hour int) func(*model.Task) {
	return func(t *model.Task) { t.Status.LastUpdatedAt = at(hour); t.Config.CreatedAt = at(hour) }
}

func prio(p model.Priority) func(*model.Task) {
	return func(t *model.Task) { t.Spec = &model.Spec{Priority: p} }
}

func TestInbox(t *testing.T) {
	blocked := inState(model.PlanDefined, accepted)
	s := New(Input{
		Tasks: []*model.Task{
			node("plan-old", inState(model.PlanDefined, since(1))),
			node("plan-new", inState(model.PlanDefined, since(2))),
			node("plan-held", inState(model.PlanDefined, since(3))),
			node("knew", inState(model.Completed, workVerdict("accepted")), "plan-held"), node("after", inState(model.Created), "knew"),
			node("wait1", blocked, "plan-held"), node("wait2", blocked, "wait1"),
			node("plan-high", inState(model.PlanDefined, since(4), prio(model.High))),
			node("work", inState(model.Completed, since(5))),
			node("after-work", blocked, "work"),
			node("asked", inState(model.Working, accepted, paused("hitl"))),
			node("silent", inState(model.Working, accepted, paused("hitl: hm"))),
			node("moved", inState(model.Working, accepted, withChange)),
			node("ground", inState(model.Working, accepted, func(t *model.Task) { t.Status.ChangedBecause = []model.ChangeReason{{File: "work/result"}} })),
			node("broken", inState(model.Working, brokenFile)),
			node("ring1", inState(model.Created), "ring2"), node("ring2", inState(model.Created), "ring1"),
			node("fine", inState(model.Completed, workVerdict("accepted"))),
		},
		Requests: []model.Request{
			{ID: "r1", TaskUID: "asked", Kind: "question", State: "pending", Title: "port?", CreatedAt: at(9)},
			{ID: "r2", TaskUID: "asked", Kind: "question", State: "responded", Title: "old"},
			{ID: "r3", TaskUID: "gone", Kind: "escalation", State: "pending", Title: "out of retries"},
		},
	})
	var got []string
	sameInboxLen(t, s)
	for _, item := range s.Inbox() {
		about := model.UID("-")
		if item.Task >= 0 {
			about = s.At(int(item.Task)).UID
		}
		got = append(got, fmt.Sprintf("%s %s %s %d", item.Kind, about, item.Title, item.Behind))
		if item.Kind == InboxProblem != (item.Problem >= 0) {
			t.Errorf("item %+v", item)
		}
		if item.Request == "r1" && !item.Since.Equal(at(9)) {
			t.Errorf("the request waits since %s", item.Since)
		}
	}
	want := []string{
		"waiting silent SILENT 0", // nobody knows since when
		"waiting asked port? 0",
		"escalation - out of retries 0",
		"plan plan-held PLAN-HELD 2",
		"plan plan-high PLAN-HIGH 0",
		"plan plan-old PLAN-OLD 0",
		"plan plan-new PLAN-NEW 0",
		"work work WORK 0",
		"stale moved MOVED 0",
		"changed ground GROUND 0",
		`problem ring1 dependency cycle: "RING1" → "RING2" → "RING1"; all of these are blocked 1`,
		"problem broken bad 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("inbox is\n%q\nwant\n%q", got, want)
	}
}

// A parent that waits for its subtask, and what depends on the parent, are behind it.
func TestBehindGoesThroughParents(t *testing.T) {
	kid := node("kid", inState(model.PlanDefined))
	kid.Config.ParentUID = "parent"
	s := New(Input{Tasks: []*model.Task{
		node("parent", inState(model.Working, accepted, paused("subtasks"), func(t *model.Task) { t.Status.SubtaskUIDs = []model.UID{"kid"} })),
		kid, node("later", inState(model.Created), "parent"),
	}})
	if box := s.Inbox(); len(box) != 1 || box[0].Behind != 2 {
		t.Errorf("inbox is %+v, want the subtask's plan with 2 behind", box)
	}
}

func TestBehindIsBounded(t *testing.T) {
	tasks := []*model.Task{node("plan", inState(model.PlanDefined))}
	for i := range 3000 {
		tasks = append(tasks, node(model.UID(fmt.Sprintf("t%04d", i)), inState(model.Created), "plan"))
	}
	if box := New(Input{Tasks: tasks}).Inbox(); len(box) != 1 || box[0].Behind != MaxBehind {
		t.Errorf("inbox is %+v, want %d behind", box, MaxBehind)
	}
}

// sameInboxLen holds the number of items to the items.
func sameInboxLen(t interface{ Errorf(string, ...any) }, s *Snapshot) {
	n := 0
	for _, item := range s.Inbox() {
		if !item.Kind.IsParked() {
			n++
		}
	}
	if s.InboxLen() != n {
		t.Errorf("InboxLen is %d, %d of %d items are not parked", s.InboxLen(), n, len(s.Inbox()))
	}
}

// What was put off, or asked back, is listed last and not counted, until somebody has answered.
func TestParkedPlans(t *testing.T) {
	verdict := func(word string, revision, open int) func(*model.Task) {
		return func(x *model.Task) {
			x.Status.PlanRevision = 2
			x.Status.Review = &model.Review{Of: "plan", Verdict: word, Revision: revision}
			x.Status.Comments = &model.CommentBook{Revision: 2, Open: open}
		}
	}
	s := New(Input{Tasks: []*model.Task{
		node("deferred", inState(model.PlanDefined, verdict(model.VerdictDeferred, 2, 0))),
		node("asked", inState(model.PlanDefined, verdict(model.VerdictAsked, 2, 1))),
		node("answered", inState(model.PlanDefined, verdict(model.VerdictAsked, 2, 0))),
		node("revised", inState(model.PlanDefined, verdict(model.VerdictAsked, 1, 1))),
	}})
	var got []string
	for _, item := range s.Inbox() {
		got = append(got, fmt.Sprint(item.Kind, " ", item.Title))
	}
	want := []string{"plan ANSWERED", "plan REVISED", "deferred DEFERRED", "asked ASKED"}
	slices.Sort(got[:2])
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	sameInboxLen(t, s)
	packed, err := Unpack(s.Pack())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(packed.Inbox(), s.Inbox()) {
		t.Errorf("out of a pack it is %+v", packed.Inbox())
	}
}

// Past its budget the count is of direct dependents: an answer, and at once.
func TestBehindKeepsToItsBudget(t *testing.T) {
	s := New(Input{Tasks: []*model.Task{
		node("a", inState(model.PlanDefined)), node("b", inState(model.Created), "a"), node("c", inState(model.Created), "b"),
	}})
	for budget, want := range map[int]int{0: 1, 5: 2} {
		items := []InboxItem{{Task: 0}}
		if countBehind(s, items, budget); items[0].Behind != want {
			t.Errorf("with a budget of %d there are %d behind, want %d", budget, items[0].Behind, want)
		}
	}
}

// Every task that needs a person is in the inbox, none twice, and nothing else is there
// on account of its status.
func TestInboxHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := New(genInput(rt))
		seen := map[int32]int{}
		var last InboxItem
		for k, item := range s.Inbox() {
			if k > 0 && item.Kind < last.Kind {
				rt.Fatalf("%v stands after %v", item.Kind, last.Kind)
			}
			last = item
			if item.Task >= 0 && item.Kind != InboxEscalation && item.Kind != InboxProblem {
				seen[item.Task]++
			}
		}
		for i := range s.Len() {
			n, need := seen[int32(i)], s.Status(i).WaitsFor() == model.ForPeople && s.Status(i) != model.StatusProblem
			questions, itself := 0, 1 // an escalation that holds a task is the item of its question, too
			for _, r := range s.Requests() {
				if r.TaskUID != s.At(i).UID || r.State == "accepted" {
					continue
				}
				if itself = 0; r.Kind != "escalation" {
					questions++
				}
			}
			switch {
			case s.Status(i) == model.StatusWaiting:
				if n != itself+questions {
					rt.Fatalf("%d is waiting with %d questions and is there %d times", i, questions, n)
				}
			case need && n != 1+questions, !need && n != questions:
				rt.Fatalf("%d is %s with %d questions and is there %d times", i, s.Status(i), questions, n)
			}
		}
	})
}
