package snapshot

import (
	"strings"
	"testing"
	"time"

	"vespe/model"
)

func lackingTasks() (tasks []*model.Task, one *model.Task) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, uid := range []model.UID{"tsk-a", "tsk-b"} {
		tasks = append(tasks, &model.Task{
			UID: uid, Config: model.Config{UID: uid, Name: string(uid)}, HasStatus: true, HasPlan: true,
			Status: model.StatusFile{
				CurrentState: model.Working, AcceptedPlan: &model.AcceptedPlan{Approval: "accept-1.json", ApprovalHash: model.HashPrefix + strings.Repeat("1", 64), At: at},
				Review: &model.Review{Of: "plan", Verdict: model.VerdictDeferred},
			},
		})
	}
	return tasks, tasks[0]
}

// A task whose acceptance lacks something waits for the person, in every list, until another acceptance is there; a
// pack of the snapshot knows nothing of it.
func TestLackingIsAReviewOfThePlan(t *testing.T) {
	tasks, one := lackingTasks()
	plain := New(Input{Tasks: tasks})
	s := plain.Lacking(map[model.UID]model.Lack{"tsk-a": model.LackOf(one, "no key")})
	if s.Status(0) != model.StatusReviewPlan || s.StatusWord(0) != "Needs a signature" || s.Status(1) != model.StatusReady {
		t.Errorf("they are %s (%s) and %s", s.Status(0), s.StatusWord(0), s.Status(1))
	}
	if in := s.Inbox(); len(in) != 1 || in[0].Kind != InboxPlan || in[0].Task != 0 || s.InboxLen() != 1 {
		t.Errorf("the inbox is %+v, %d", in, s.InboxLen())
	}
	if len(s.Startable()) != 2 {
		t.Errorf("startable are %v", s.Startable())
	}
	if plain.Status(0) != model.StatusReady {
		t.Error("the snapshot that it was made of has changed")
	}
	if back := s.Lacking(nil); back.Status(0) != model.StatusReady || back.Total() != plain.Total() {
		t.Error("it does not come back")
	}
	unpacked, err := Unpack(s.Pack())
	if err != nil || unpacked.Status(0) != model.StatusReady {
		t.Errorf("unpacked: %v, %v", unpacked.Status(0), err)
	}

	renamed := one.Clone()
	renamed.Config.Name = "other"
	if n := s.With(1, "", []*model.Task{renamed}, nil); n.Status(0) != model.StatusReviewPlan {
		t.Errorf("renamed it is %s", n.Status(0))
	}
	anew := one.Clone()
	p := *one.Status.AcceptedPlan
	p.Approval = "accept-2.json"
	anew.Status.AcceptedPlan = &p
	if n := s.With(1, "", []*model.Task{anew}, nil); n.Status(0) != model.StatusReady {
		t.Errorf("accepted anew it is %s", n.Status(0))
	}
	more := &model.Task{UID: "tsk-c", Config: model.Config{UID: "tsk-c", Name: "c"}, HasStatus: true}
	if n := s.With(1, "", []*model.Task{more}, nil); n.Status(0) != model.StatusReviewPlan {
		t.Errorf("beside a new task it is %s", n.Status(0))
	}
}
