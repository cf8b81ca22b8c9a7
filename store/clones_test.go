package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/gitfiles"
	"vespe/store/layout"
)

// clones are two clones of a repository with a store of some tasks, each with the same clock and ids of its own.
func clones(t *testing.T, lay func(*Store)) (roots [2]string, stores [2]*Store) {
	t.Helper()
	origin := t.TempDir()
	mustGit(t, origin, "init", "-q", "-b", "main")
	s := initIn(t, origin, testOptions())
	lay(s)
	must(t, s.Close())
	commit(t, origin, "the store")
	for i := range roots {
		roots[i] = filepath.Join(t.TempDir(), "clone")
		mustGit(t, origin, "clone", "-q", origin, roots[i])
		c := newClock()
		c.t = c.t.Add(1e9 * 3600)
		stores[i] = open(t, roots[i], Options{Now: c.now, Rand: entropy(uint64(7 + i))})
	}
	return roots, stores
}

func mustGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func commit(t *testing.T, dir, message string) {
	t.Helper()
	mustGit(t, dir, "add", "-A")
	mustGit(t, dir, "commit", "-q", "-m", message)
}

// merge brings the second clone's commit into the first, with nothing of git configured; it returns the paths that conflict.
func mergeClones(t *testing.T, roots [2]string) (conflicts []string) {
	t.Helper()
	for i, root := range roots {
		commit(t, root, []string{"one", "two"}[i])
	}
	mustGit(t, roots[0], "fetch", "-q", roots[1], "HEAD")
	out, err := tryGit(roots[0], "merge", "-q", "--no-edit", "FETCH_HEAD")
	said := strings.Fields(mustGit(t, roots[0], "diff", "--name-only", "--diff-filter=U"))
	if err != nil && len(said) == 0 {
		t.Fatal(err, out)
	}
	return said
}

// errorsOf are the errors that Doctor and Verify find.
func errorsOf(t *testing.T, s *Store) (found []string) {
	t.Helper()
	ps := doctor(t, s)
	v, _ := verified(t, s, "")
	for _, p := range append(ps, v.Problems...) {
		if p.Severity == model.Error {
			found = append(found, p.Code+" "+p.Path+" "+p.Reason)
		}
	}
	return found
}

// Two people who work on different tasks on one day, at the same moments, have nothing to resolve in git, which is
// not told anything about vespe.
func TestClonesThatWorkOnDifferentTasksMerge(t *testing.T) {
	started := func(t *testing.T, s *Store) model.UID { return started(t, s, "work", "run-"+s.randomHex(4)) }
	ways := []struct {
		name string
		lay  func(t *testing.T, s *Store) model.UID // nil: a plan
		do   func(uid model.UID, who model.Actor) []model.Op
		uids [2]model.UID
		want [2]string
	}{
		{name: "accept", do: func(uid model.UID, who model.Actor) []model.Op {
			return []model.Op{{Name: model.AcceptPlan, UID: uid, Actor: who}}
		}},
		{name: "reject", do: func(uid model.UID, who model.Actor) []model.Op {
			return []model.Op{{Name: model.RejectPlan, UID: uid, Actor: who, Reason: "no", Args: model.Feedback{Comments: []model.NewComment{{Text: "why?"}}}}}
		}},
		{name: "comment", do: func(uid model.UID, who model.Actor) []model.Op {
			return []model.Op{{Name: model.AddComment, UID: uid, Actor: who, Args: model.Remarks{Comments: []model.NewComment{{Text: "why?"}}}}}
		}},
		{name: "finish a run", lay: started, do: func(uid model.UID, who model.Actor) []model.Op {
			return []model.Op{
				{Name: model.WorkCompleted, UID: uid, Actor: robot, Args: model.Completion{Summary: "done", Report: &model.RunReport{Attempt: 1}}},
				{Name: model.ReviewAccepted, UID: uid, Actor: who},
			}
		}},
		{name: "ask", do: func(uid model.UID, who model.Actor) []model.Op {
			return []model.Op{{Name: model.Ask, UID: uid, Actor: robot, Args: model.NewRequest{Title: "which?", Kind: model.KindQuestion}}}
		}},
	}
	roots, stores := clones(t, func(s *Store) {
		for k := range ways {
			for i := range ways[k].uids {
				if lay := ways[k].lay; lay != nil {
					ways[k].uids[i] = lay(t, s)
				} else {
					ways[k].uids[i] = planned(t, s, ways[k].name+string(rune('a'+i)))
				}
			}
		}
	})
	for i, s := range stores {
		for k := range ways {
			w := &ways[k]
			mustGet(s.DoAll(t.Context(), w.do(w.uids[i], []model.Actor{ann, "human:bob"}[i])))(t)
			w.want[i] = read(t, vespe(s, layout.TaskFile(w.uids[i], layout.StatusFile)))
		}
	}
	if conflicts := mergeClones(t, roots); len(conflicts) > 0 {
		t.Fatalf("git has conflicts in %q", conflicts)
	}
	all, ps, err := stores[0].Reflections(t.Context(), newClock().t)
	if err != nil || len(ps) > 0 {
		t.Fatal(ps, err)
	}
	n := map[model.UID]int{}
	for _, r := range all {
		n[r.Task]++
	}
	for _, w := range ways {
		for i, uid := range w.uids {
			wantEqual(t, w.name, read(t, vespe(stores[0], layout.TaskFile(uid, layout.StatusFile))), w.want[i])
		}
		wantEqual(t, w.name+": reflections of the second task", n[w.uids[1]], n[w.uids[0]])
	}
	if found := errorsOf(t, stores[0]); len(found) > 0 {
		t.Errorf("errors: %q", found)
	}
	if found := errorsOf(t, open(t, roots[0], testOptions())); len(found) > 0 {
		t.Errorf("errors for who comes: %q", found)
	}
}

// Two who plan one task have to agree on its plan, and both revisions are there.
func TestClonesThatPlanOneTaskKeepBothRevisions(t *testing.T) {
	var uid model.UID
	roots, stores := clones(t, func(s *Store) { uid = planned(t, s, "one") })
	for i, s := range stores {
		do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: []string{"mine\n", "theirs\n"}[i]}})
	}
	for _, file := range mergeClones(t, roots) {
		if base := filepath.Base(file); base != layout.StatusFile && base != "plan.md" {
			t.Errorf("git has a conflict in %s", file)
		}
	}
	mustGit(t, roots[0], "checkout", "--theirs", ".")
	commit(t, roots[0], "theirs")
	found, err := filepath.Glob(vespe(stores[0], layout.TaskFile(uid, layout.RevisionsDir+"/plan-0002-*.md")))
	if err != nil || len(found) != 2 {
		t.Fatalf("of the second revision there are %q, %v", found, err)
	}
	s := open(t, roots[0], testOptions())
	if c, err := s.Revision(t.Context(), uid, model.Plan, 2); err != nil || string(c.Body) != "theirs\n" {
		t.Errorf("revision 2 is %q, %v", c.Body, err)
	}
	if c, err := s.Content(t.Context(), uid, model.Plan); err != nil || c.Revision != 2 {
		t.Errorf("the plan is revision %d, %v", c.Revision, err)
	}
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "both\n"}})
	wantEqual(t, "the next one is revision", task(t, load(t, s), uid).Status.PlanRevision, 3)
	if found := errorsOf(t, s); len(found) > 0 {
		t.Errorf("errors: %q", found)
	}
}

// A store in a repository that git is not told about says so, and is repaired.
func TestDoctorWritesGitAttributes(t *testing.T) {
	s := newStore(t)
	file := vespe(s, gitfiles.AttributesFile)
	wantEqual(t, "a new store tells git", read(t, file), gitfiles.Attributes)
	write(t, file, "*.png binary\n* -text")
	if ps := doctor(t, s); len(ps) > 0 {
		t.Errorf("outside of a repository: %+v", ps)
	}
	mustGit(t, s.Root(), "init", "-q")
	wantProblem(t, doctor(t, s), "git-attributes", gitfiles.AttributesFile)
	if _, err := s.Fsck().Repair(t.Context(), true); err != nil || read(t, file) != "*.png binary\n* -text" {
		t.Errorf("a dry run writes %q, %v", read(t, file), err)
	}
	did, err := s.Fsck().Repair(t.Context(), false)
	if err != nil || len(did) != 1 || read(t, file) != "*.png binary\n"+gitfiles.Attributes {
		t.Errorf("%+v, %v, and it says %q", did, err, read(t, file))
	}
	if ps := doctor(t, s); len(ps) > 0 {
		t.Errorf("afterwards: %+v", ps)
	}
	must(t, os.Remove(file))
	if _, err := s.Fsck().Repair(t.Context(), false); err != nil || read(t, file) != gitfiles.Attributes {
		t.Errorf("%v, and it says %q", err, read(t, file))
	}
}
