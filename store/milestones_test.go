package store

import (
	"os"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/layout"
)

// stone makes a milestone.
func stone(id, name string) model.Op {
	return model.Op{Name: model.CreateMilestone, Actor: ann, Args: model.MilestoneEdit{ID: id, Name: &name}}
}

func into(uid model.UID, id string) model.Op {
	return model.Op{Name: model.AssignMilestone, UID: uid, Actor: ann, Args: model.MilestoneEdit{ID: id}}
}

// milestoneOf is the id of the milestone that a task is in.
func milestoneOf(snap *snapshot.Snapshot, uid model.UID) string {
	i, _ := snap.Index(uid)
	if k := snap.MilestoneOf(i); k >= 0 {
		return snap.Milestones()[k].ID
	}
	return ""
}

func TestMilestonesGoThroughTheLog(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, stone("m1", "First"), stone("m2", "Second"), into(uid, "m2"))
	soon := "soon"
	a := do(t, s, model.Op{ID: "edit", Name: model.EditMilestone, Actor: ann, Args: model.MilestoneEdit{ID: "m2", Description: &soon}})
	if a.Change.Milestone != "m2" || a.Change.Summary != `Edited milestone m2 "Second". Changed: description.` {
		t.Errorf("%q %q", a.Change.Milestone, a.Change.Summary)
	}
	want := `{
  "milestones": [
    {
      "id": "m1",
      "name": "First",
      "task_ids": []
    },
    {
      "id": "m2",
      "name": "Second",
      "description": "soon",
      "task_ids": [
        "` + string(uid) + `"
      ]
    }
  ]
}
`
	if got := read(t, vespe(s, layout.MilestonesFile)); got != want {
		t.Errorf("%s", got)
	}
	other := open(t, s.Root(), testOptions())
	wantEqual(t, "another process has it in", milestoneOf(load(t, other), uid), "m2")
	again := do(t, other, model.Op{ID: "edit", Name: model.EditMilestone, Actor: ann, Args: model.MilestoneEdit{ID: "m2", Description: &soon}})
	if !again.Replayed || again.Change.Milestones == nil || len(again.Change.Milestones.List) != 2 {
		t.Errorf("replayed: %+v", again)
	}
	do(t, other, into(uid, "m1"))
	if snap, err := s.Refresh(t.Context()); err != nil || milestoneOf(snap, uid) != "m1" {
		t.Errorf("the first process has it in %q (%v)", milestoneOf(snap, uid), err)
	}
	events := eventsOf(t, s, uid)
	if last := events[len(events)-1]; last.Name != model.AssignMilestone || last.Summary != `Assigned "one" to milestone m1 "First"` {
		t.Errorf("the event is %+v", last)
	}
	if ps, err := s.Fsck().Doctor(t.Context()); err != nil || len(ps) > 0 {
		t.Errorf("doctor: %v %v", ps, err)
	}
}

// Anyone who edits milestones.json is believed: a transaction continues from that, and keeps what it
// does not know.
func TestMilestonesByHand(t *testing.T) {
	s := newStore(t)
	uid, two := planned(t, s, "one"), planned(t, s, "two")
	do(t, s, stone("m1", "First"))
	checkpointed(t, s)
	write(t, vespe(s, layout.MilestonesFile), `{"owner": "ann", "milestones": [{"id": "M9", "goal": {"n": 1}, "task_ids": ["`+string(uid)+`"]}]}`)
	wantEqual(t, "by hand it is in", milestoneOf(load(t, open(t, s.Root(), testOptions())), uid), "M9")
	a := do(t, s, into(two, "M9"))
	wantEqual(t, "the second is in", milestoneOf(a.Snapshot, two), "M9")
	got := read(t, vespe(s, layout.MilestonesFile))
	for _, kept := range []string{`"owner": "ann"`, `"goal": {"n": 1}`, string(uid), string(two)} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s is lost in\n%s", kept, got)
		}
	}
	if ps, err := s.Fsck().Doctor(t.Context()); err != nil || len(ps) > 0 {
		t.Errorf("doctor: %v %v", ps, err)
	}
	write(t, vespe(s, layout.MilestonesFile), "{\"milestones\": [\n{\"name\": \"no id\"},\n{\"id\": \"m2\", \"name\": 7}]}\n")
	_, err := s.Do(t.Context(), into(two, "m2"))
	if r := wantCode(t, err, model.CodeRefused); r.Guard != model.GuardReadable {
		t.Errorf("refused by %s", r.Guard)
	}
	ps := load(t, s).Problems()
	if p, ok := findProblem(ps, "bad-milestone", layout.MilestonesFile); !ok || p.Line != 2 {
		t.Errorf("the problems are %+v", ps)
	}
	if p, ok := findProblem(ps, "wrong-type", layout.MilestonesFile); !ok || p.Line != 3 {
		t.Errorf("the problems are %+v", ps)
	}
	do(t, s, model.Op{Name: model.RenameTask, UID: two, Actor: ann, Args: model.NewName{Name: "goes on"}})
	must(t, os.Remove(vespe(s, layout.MilestonesFile)))
	if a := do(t, s, stone("m3", "Third")); len(a.Snapshot.Milestones()) != 1 {
		t.Errorf("%+v", a.Snapshot.Milestones())
	}
}

func TestMilestonesAsTheyWere(t *testing.T) {
	c := newClock()
	s := newStore(t)
	s.opt.Now = c.now
	uid := planned(t, s, "one")
	before := c.now()
	do(t, s, stone("m1", "First"))
	empty := c.now()
	do(t, s, into(uid, "m1"))
	full := c.now()
	do(t, s, model.Op{Name: model.RemoveMilestone, Actor: ann, Args: model.MilestoneEdit{ID: "m1"}})
	if p := lookBack(t, s, before); len(p.Snapshot.Milestones()) != 0 {
		t.Errorf("before there was one: %+v", p.Snapshot.Milestones())
	}
	if p := lookBack(t, s, empty); len(p.Snapshot.Milestones()) != 1 || milestoneOf(p.Snapshot, uid) != "" {
		t.Errorf("then: %+v", p.Snapshot.Milestones())
	}
	if p := lookBack(t, s, full); milestoneOf(p.Snapshot, uid) != "m1" {
		t.Errorf("then: %+v", p.Snapshot.Milestones())
	}
}
