package store

import (
	"testing"

	"vespe/model"
	"vespe/model/review"
	"vespe/model/snapshot"
)

// What a person asks of approvals holds in a store that opens from a checkpoint, no matter who wrote that; and nothing of
// it is in the checkpoint.
func TestAnAcceptanceThatLacksASignature(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	checkpointed(t, s)
	is := func(by review.Attestor, want model.Status) *Store {
		t.Helper()
		comes := open(t, s.Root(), Options{Now: s.opt.Now, Rand: entropy(5), Attestor: by})
		for name, snap := range map[string]*snapshot.Snapshot{"warm": warm(t, comes), "loaded": load(t, comes)} {
			if i, _ := snap.Index(uid); snap.Status(i) != want {
				t.Errorf("%s it is %s, want %s", name, snap.Status(i), want)
			}
		}
		return comes
	}
	is(nil, model.StatusReady)
	comes := is(seals{}, model.StatusReviewPlan)
	if err := startsBy(t, comes, uid); err == nil {
		t.Error("it starts")
	}
	checkpointed(t, comes) // by the person who asks for more
	is(nil, model.StatusReady)
	is(free{}, model.StatusReady)

	acceptSealed(t, comes, uid, ann)
	snap := load(t, comes)
	if i, _ := snap.Index(uid); snap.Status(i) != model.StatusReady {
		t.Errorf("signed it is %s", snap.Status(i))
	}
	is(seals{}, model.StatusReady)
	if err := startsBy(t, comes, uid); err != nil {
		t.Error(err)
	}
	wantClean(t, comes)
}

// free asks for nothing, and must not be asked.
type free struct{}

func (free) Required(string) (review.Level, error)  { return review.LevelClaimed, nil }
func (free) Attest(review.Approval) review.Attested { panic("nobody needs to know") }
