package snapshot

import (
	"vespe/model"
)

// Turn is what a change makes of one task, as people see it.
type Turn struct {
	UID      model.UID
	From, To model.Status
	Voided   bool // the acceptance of its plan ends
}

// mostReached is how many dependents of one task are looked at for what becomes of them.
const mostReached = 200

// Turns are what after-images make of the tasks that they are of, and of the parents and the dependents of
// these: each whose status is another afterwards, or whose acceptance ends. The tasks of the change
// come first.
func Turns(s *Snapshot, after []*model.Task) []Turn {
	next := s.With(s.seq+1, s.head, after, nil)
	var turns []Turn
	seen := map[model.UID]bool{}
	look := func(uid model.UID) {
		was, ok1 := s.tasks.lookup(uid)
		is, ok2 := next.tasks.lookup(uid)
		if seen[uid] || !ok1 || !ok2 {
			return
		}
		seen[uid] = true
		voided := s.tasks.task(was).Status.AcceptedPlan != nil && next.tasks.task(is).Status.AcceptedPlan == nil
		if from, to := s.status[was], next.status[is]; from != to || voided {
			turns = append(turns, Turn{uid, from, to, voided})
		}
	}
	for _, t := range after {
		look(t.UID)
	}
	for _, t := range after {
		look(t.Config.ParentUID)
		for i, uid := range s.DependentUIDs(t.UID) {
			if i == mostReached {
				break
			}
			look(uid)
		}
	}
	return turns
}

// Words are a turn without the name of its task: "becomes Ready".
func (t Turn) Words() string {
	words := "becomes " + t.To.Label()
	if t.From == t.To {
		words = "stays " + t.To.Label()
	}
	if t.Voided {
		words += ", its approval is void"
	}
	return words
}

// Applied is what the store answers to an operation that is on disk.
type Applied struct {
	Seq      uint64
	Change   *model.Change
	Snapshot *Snapshot // the store just after it
	Replayed bool      // the op's ID had been applied before; nothing was written now
	Warnings []string  // committed, but something afterwards went wrong
}
