package store

import (
	"errors"
	"fmt"
	"time"

	"vespe/model"
)

// vouched is what a task is held against where its files hold an acceptance that was not given here: with it, where a
// person signed it whose key this clone trusts, as it would count in a fresh clone. Only what is news counts: an
// approval that is not younger than what the log last said of the task may have been taken back since, and one from
// the future nobody can tell the age of.
func (s *Store) vouched(against, now *model.Task) (*model.Task, error) {
	p := now.Status.AcceptedPlan
	if s.opt.Attestor == nil || p == nil || against == nil || against == now {
		return against, nil
	}
	if _, refused := model.Believed(against, now); len(refused) == 0 {
		return against, nil
	}
	body, err := s.settledView().approvalFile(now.UID, p.Approval)
	switch {
	case errors.Is(err, model.ErrNoContent), errors.Is(err, model.ErrUnread):
		return against, nil
	case err != nil:
		return against, err
	}
	at, ok := model.Vouched(s.storeID(), now, body, s.opt.Attestor)
	if !ok || at.After(s.now()) {
		return against, nil
	}
	since, known, err := s.lastWord(now.UID)
	if err != nil || !known || !at.After(since) {
		return against, err
	}
	return against.WithAcceptance(now), nil
}

// lastWord is the time of the last entry that names a task; zero where none ever did. known is false where that
// cannot be told any more.
func (s *Store) lastWord(uid model.UID) (at time.Time, known bool, err error) {
	x := &s.statuses
	x.mu.Lock()
	defer x.mu.Unlock()
	_, kept := s.kept()
	last, err := s.tail(kept.seq)
	if err != nil || last == 0 {
		return at, last == 0, err
	}
	b, err := s.openBase()
	if err != nil {
		return at, false, err
	}
	if x.last != last {
		x.last, x.down, x.newest = last, last+1, map[model.UID]uint64{}
	}
	seq, err := x.named(s, uid, b.seq)
	if err != nil || seq == 0 {
		return at, b.seq == 0 && err == nil, removed(err)
	}
	e, _, err := s.readEntry(seq)
	if err != nil {
		return at, false, fmt.Errorf("what was last said of %s: %w", uid, err)
	}
	return e.At, true, nil
}
