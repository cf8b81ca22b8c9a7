package loading

import (
	"context"
	"sync"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/store/parallel"
)

// lackings remembers what acceptances were found to lack for the person who has the store open.
type lackings struct {
	mu    sync.Mutex
	stamp string
	known map[model.UID]lacking
}

// lacking is what an acceptance lacks; of is all that this was found by.
type lacking struct{ of, why string }

// stamped is an Attestor whose answers hold while its stamp is the same.
type stamped interface{ Stamp() string }

// viewing is an Attestor that knows a cheaper one for what is only shown.
type viewing interface{ Viewer() review.Attestor }

// forPerson is a snapshot in which the acceptances count that are enough for the person. It costs nothing where the
// person asks for no more than a claim.
func (s *Loader) forPerson(snap *snapshot.Snapshot) *snapshot.Snapshot {
	by := s.Attestor()
	if !binding.Asks(by) {
		return snap
	}
	x := &s.lackings
	x.mu.Lock()
	defer x.mu.Unlock()
	known, stamp := x.known, ""
	if k, ok := by.(stamped); ok {
		stamp = k.Stamp()
	}
	if stamp != x.stamp {
		known = nil
	}
	if v, ok := by.(viewing); ok {
		by = v.Viewer()
	}
	at := snap.Startable()
	found := make([]lacking, len(at))
	_ = parallel.Each(context.Background(), len(at), func(k int) error {
		t := snap.At(int(at[k]))
		of := acceptanceOf(t)
		if was, ok := known[t.UID]; ok && was.of == of {
			found[k] = was
			return nil
		}
		body, err := s.Projected().ApprovalFile(t.UID, t.Status.AcceptedPlan.Approval)
		if err != nil {
			body, of = nil, "" // to be asked again
		}
		found[k] = lacking{of, binding.Lacks(snap.StoreID(), t, body, by)}
		return nil
	})
	x.stamp, x.known = stamp, make(map[model.UID]lacking, len(at))
	lacks := map[model.UID]model.Lack{}
	for k, i := range at {
		t := snap.At(int(i))
		if found[k].of != "" {
			x.known[t.UID] = found[k]
		}
		if why := found[k].why; why != "" {
			lacks[t.UID] = model.LackOf(t, why)
		}
	}
	if len(lacks) == 0 {
		lacks = nil
	}
	return snap.Lacking(lacks)
}

// acceptanceOf is the acceptance of a task with what it is held against.
func acceptanceOf(t *model.Task) string {
	of := model.StatusFile{AcceptedPlan: t.Status.AcceptedPlan, ParentContentHashes: t.Status.ParentContentHashes}
	return model.RiskSaid(t) + model.HashBytes(model.EncodeStatus(of))
}
