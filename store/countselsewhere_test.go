package store

import (
	"path/filepath"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/store/layout"
)

// acceptedIn accepts a plan, or finished work, in a store as a person with a key does, or without one.
func acceptedIn(t *testing.T, s *Store, op model.Name, uid model.UID, signed bool) {
	t.Helper()
	by := s.opt.Attestor
	defer func() { s.opt.Attestor = by }()
	s.opt.Attestor = nil
	seen, _ := seenNow(t, s, uid, op)
	o := model.Op{ID: "by-ann-" + string(uid), Name: op, UID: uid, Actor: ann, At: s.now(), Seen: seen}
	if signed {
		s.opt.Attestor = seals{}
		statement, _ := binding.SignedOp(s.StoreID(), &o)
		o.Signature = seals{}.of(statement)
	}
	do(t, s, o)
}

// countsAs says what an acceptance of a task counts as in a store: whether it does, and what people read where it does not.
func countsAs(t *testing.T, snap *snapshot.Snapshot, uid model.UID, op model.Name) (counts bool, words string) {
	t.Helper()
	got := task(t, snap, uid)
	i, _ := snap.Index(uid)
	if op == model.AcceptPlan {
		counts = got.Status.AcceptedPlan != nil && snap.Status(i) == model.StatusReady
	} else {
		counts = got.Status.Review != nil && snap.Status(i) == model.StatusDone
	}
	return counts, snap.StatusWord(i)
}

const unsigned = "accepted by ann elsewhere, unsigned"

// trusting knows keys, and asks for no more than a claim.
type trusting struct{ seals }

func (trusting) Required(string) (review.Level, error) { return review.LevelClaimed, nil }

// An acceptance of a plan, or of work, that was given in another clone counts where a key that is trusted here signed it, and
// nowhere else, by whatever way it comes. What does not count stays in the file byte for byte.
func TestAnAcceptanceFromElsewhereCountsByOneRule(t *testing.T) {
	type given struct {
		op     model.Name
		signed bool
		file   string
	}
	all := map[model.UID]given{}
	var own model.UID
	roots, stores := clones(t, func(s *Store) {
		own = planned(t, s, "own")
		for _, signed := range []bool{true, false} {
			all[planned(t, s, "planned")] = given{op: model.AcceptPlan, signed: signed}
			all[completed(t, s)] = given{op: model.ReviewAccepted, signed: signed}
		}
	})
	for uid, g := range all {
		acceptedIn(t, stores[1], g.op, uid, g.signed)
		g.file = read(t, vespe(stores[1], layout.TaskFile(uid, layout.StatusFile)))
		all[uid] = g
	}
	commit(t, roots[1], "accepted")
	here := stores[0]
	here.opt.Attestor = trusting{}
	do(t, here, model.Op{Name: model.RenameTask, UID: own, Actor: ann, Args: model.NewName{Name: "other"}})
	load(t, here)
	checkpointed(t, here)
	mustGit(t, roots[0], "pull", "-q", "--no-rebase", roots[1], "HEAD")
	for range 20 { // as long as it took
		here.now()
	}
	check := func(way string, snap *snapshot.Snapshot) {
		t.Helper()
		for uid, g := range all {
			if counts, words := countsAs(t, snap, uid, g.op); counts != g.signed || (words == unsigned) == g.signed {
				t.Errorf("%s, signed %v, %s: it counts %v, %q, %+v", g.op, g.signed, way, counts, words, task(t, snap, uid).Problems)
			}
		}
	}
	look := func(way, root string, imports, forgets bool) {
		t.Helper()
		s := open(t, root, Options{Now: here.opt.Now, Rand: entropy(5), Attestor: trusting{}})
		snap, err := s.AllToday(t.Context(), load(t, s))
		if err == nil && imports {
			_, err = s.ImportEdits(t.Context(), nil)
			snap = load(t, s)
		}
		if err != nil {
			t.Fatal(err)
		}
		check(way, snap)
		for uid, g := range all {
			if now := read(t, vespe(s, layout.TaskFile(uid, layout.StatusFile))); !g.signed && now != g.file {
				t.Errorf("%s, %s: the file was written: %s", g.op, way, now)
			}
		}
		if forgets {
			withoutCheckpoint(t, s)
		}
		closed(t, s)
	}
	look("pulled", roots[0], false, false)
	look("taken over", roots[0], true, false)
	look("again", roots[0], false, true)
	look("without the checkpoint", roots[0], false, false)
	snap, err := here.Refresh(t.Context()) // a process that was there all the while
	if err != nil {
		t.Fatal(err)
	}
	check("to a process that was there", snap)

	fresh := filepath.Join(t.TempDir(), "fresh")
	mustGit(t, roots[0], "clone", "-q", roots[1], fresh)
	look("in a fresh clone", fresh, false, false)
	other := open(t, fresh, Options{Now: here.opt.Now, Rand: entropy(9), Attestor: trusting{}})
	do(t, other, model.Op{Name: model.RenameTask, UID: own, Actor: ann, Args: model.NewName{Name: "another"}})
	withoutCheckpoint(t, other)
	look("in a clone with a log and no checkpoint", fresh, false, false)
	look("in a clone with a log", fresh, true, false)
	for uid, g := range all {
		if g.op != model.AcceptPlan {
			continue
		}
		for _, s := range []*Store{here, other} {
			if err := startsBy(t, s, uid); (err == nil) != g.signed {
				t.Errorf("signed %v: it starts: %v", g.signed, err)
			}
		}
	}
}

// completed is a task whose work waits for its review.
func completed(t *testing.T, s *Store) model.UID {
	t.Helper()
	uid := planned(t, s, "completed")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	do(t, s, model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-" + s.randomHex(4)}})
	do(t, s, model.Op{Name: model.WorkCompleted, UID: uid, Actor: robot, Args: model.Completion{Summary: "done\n"}})
	return uid
}

// What others do to a task leaves an acceptance that does not count here as it is, another plan ends it, and a person's own
// acceptance stands in its place.
func TestAnAcceptanceFromElsewhereStaysUntilAPersonDecides(t *testing.T) {
	s, uid, _ := pulled(t, false)
	takeOver(t, s)
	accepted := func() *model.AcceptedPlan { // as git carries it on
		st, _ := model.DecodeStatus("", []byte(read(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)))))
		return st.AcceptedPlan
	}
	do(t, s, model.Op{Name: model.AddComment, UID: uid, Actor: robot, Args: model.Remarks{Comments: []model.NewComment{{Text: "well"}}}})
	if a := accepted(); a == nil || a.By != ann {
		t.Fatalf("a comment has taken it away: %+v", a)
	}
	if counts, words := countsAs(t, looked(t, s), uid, model.AcceptPlan); counts || words != unsigned {
		t.Errorf("it counts %v, %q", counts, words)
	}
	do(t, s, model.Op{Name: model.Replan, UID: uid, Actor: robot, Reason: "another way"},
		model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another plan\n"}})
	if got := task(t, looked(t, s), uid); accepted() != nil || got.Status.Elsewhere != nil {
		t.Errorf("it outlives its plan: %+v, %+v", accepted(), got.Status.Elsewhere)
	}

	s, uid, _ = pulled(t, false)
	acceptSealed(t, s, uid, "human:bea")
	if a := accepted(); a == nil || a.By != "human:bea" {
		t.Errorf("accepted here, the file says %+v", a)
	}
	if counts, _ := countsAs(t, looked(t, s), uid, model.AcceptPlan); !counts {
		t.Error("an acceptance that was given here does not count")
	}
	do(t, s, model.Op{Name: model.UndoVerdict, UID: uid, Actor: "human:bea"})
	if counts, _ := countsAs(t, looked(t, s), uid, model.AcceptPlan); counts {
		t.Error("once that is taken back, the one from elsewhere counts")
	}
}
