package store

import (
	"os"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/follow"
	"vespe/store/layout"
	"vespe/store/view"
)

// tamperings are what somebody may do to an approval.
func tamperings(t *testing.T) map[string]func(path, other string) {
	return map[string]func(path, other string){
		"edited":            func(path, _ string) { write(t, path, read(t, path)+"\n") },
		"level raised":      func(path, _ string) { write(t, path, strings.Replace(read(t, path), `"level": 0`, `"level": 2`, 1)) },
		"removed":           func(path, _ string) { must(t, os.Remove(path)) },
		"replaced":          func(path, other string) { must(t, os.Rename(other, path)) },
		"put over":          func(path, other string) { write(t, path, read(t, other)) },
		"a directory there": func(path, _ string) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o700)) },
	}
}

// An approval that is not what was given is a problem of its task for anyone who looks, before anybody
// builds on it, and none any more when it is put right: of plans and of finished work, in a process
// that lives on as in one that comes.
func TestATamperedApprovalIsSeen(t *testing.T) {
	for name, tamper := range tamperings(t) {
		for _, work := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				s := newStore(t)
				uid := reviewed(t, s)
				plan := planned(t, s, "plan")
				do(t, s, model.Op{Name: model.AcceptPlan, UID: plan, Actor: ann})
				file, other := globName(t, s, layout.TaskFile(plan, "approvals/accept-*.json")), globName(t, s, layout.TaskFile(uid, "approvals/review-accepted-*.json"))
				if work {
					file, other = other, file
				}
				own := read(t, vespe(s, file))
				lives := following(t, s, follow.Options{})
				lives.Watch([]model.UID{plan, uid})
				tamper(vespe(s, file), vespe(s, other))

				is := func(snap *snapshot.Snapshot) bool {
					return slices.ContainsFunc(snap.Problems(), func(p model.Problem) bool {
						return p.Code == view.CodeApproval && p.Path == layout.Shown(file) && p.Severity == model.Error && p.UID != ""
					})
				}
				inInbox := func(snap *snapshot.Snapshot) bool {
					return slices.ContainsFunc(snap.Inbox(), func(i snapshot.InboxItem) bool {
						return i.Kind == snapshot.InboxProblem && strings.HasPrefix(i.Title, "approvals/") && i.Task >= 0
					})
				}
				until(t, lives, "problem", func(snap *snapshot.Snapshot, _ model.Update) bool { return is(snap) && inInbox(snap) })
				looked := func() *snapshot.Snapshot {
					comes := open(t, s.Root(), testOptions())
					snap := today(t, comes, load(t, comes))
					return snap
				}
				if snap := looked(); !is(snap) || !inInbox(snap) {
					t.Errorf("who comes sees %+v", snap.Problems())
				}
				if _, lines := verified(t, open(t, s.Root(), testOptions()), ""); !slices.ContainsFunc(lines, func(l string) bool {
					return strings.HasPrefix(l, "error") && strings.HasSuffix(l, hashInName.ReplaceAllString(file, "$1"))
				}) {
					t.Errorf("verify finds %q", lines)
				}
				_ = os.Remove(vespe(s, file))
				write(t, vespe(s, file), own)
				until(t, lives, "end of the problem", func(snap *snapshot.Snapshot, _ model.Update) bool { return !is(snap) })
				if snap := looked(); is(snap) {
					t.Errorf("put right, it is %+v", snap.Problems())
				}
			})
		}
	}
}

// While a transaction is not written out yet, its approval is no problem.
func TestAnApprovalThatIsComing(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	opt := testOptions()
	opt.ReadOnly = true // it writes nothing out itself
	r := open(t, s.Root(), opt)
	load(t, r)
	died := open(t, s.Root(), Options{FS: unprojected().unlocked})
	if a, err := died.Do(t.Context(), model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}); err != nil || len(a.Warnings) == 0 {
		t.Fatalf("a transaction that could not be projected: %v %q", err, a.Warnings)
	}
	must(t, r.loader.Sweep(t.Context(), nil, nil))
	if _, err := os.Stat(vespe(s, layout.TaskFile(uid, layout.ApprovalsDir))); err == nil {
		t.Fatal("it is written out")
	}
	snap, _ := r.loader.Current.Get()
	if task(t, snap, uid).Status.AcceptedPlan == nil || len(snap.Problems()) > 0 {
		t.Errorf("it is %+v, with %v", task(t, snap, uid).Status, snap.Problems())
	}
}
