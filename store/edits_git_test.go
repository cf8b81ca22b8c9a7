package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"vespe/model"
	"vespe/store/edits"
	"vespe/store/layout"
)

// repo is a store in a git repository on the branch main with a branch side, which has
// another plan of the first task, an acceptance of the second, and a task of its own.
type repo struct {
	t    *testing.T
	s    *Store
	a, b model.UID // on both branches
	side model.UID // only on side
}

func (r *repo) git(args ...string) string { return gitIn(r.t, r.s.Root(), args...) }

func (r *repo) commit(message string) {
	r.git("add", "-A")
	r.git("commit", "-qm", message)
}

// look is what everyone does after git has been at the files: a new process finds what is
// different and takes it over.
func (r *repo) look() *Store {
	r.t.Helper()
	opt := testOptions()
	opt.Trusted, opt.Environ = true, os.Environ
	s := open(r.t, r.s.Root(), opt)
	load(r.t, s)
	mustGet(s.ImportEdits(r.t.Context(), nil))(r.t)
	return s
}

// conflict runs git where it must come to a conflict in the first task; what a new process
// then finds names it, and whatever is not concerned continues.
func (r *repo) conflict(args ...string) {
	r.t.Helper()
	if out, err := tryGit(r.s.Root(), args...); err == nil {
		r.t.Fatalf("git %s met no conflict: %s", args, out)
	}
	files := map[string]string{}
	for _, name := range []string{layout.StatusFile, "plan.md"} {
		files[name] = read(r.t, vespe(r.s, layout.TaskFile(r.a, name)))
	}
	n := r.look()
	defer n.Close()
	for name, was := range files {
		if name == layout.StatusFile || strings.Contains(was, "<<<<<<<") {
			wantProblem(r.t, load(r.t, n).Problems(), model.CodeConflictMarks, name)
		}
		wantEqual(r.t, "a file with a conflict", read(r.t, vespe(r.s, layout.TaskFile(r.a, name))), was)
	}
	if _, err := n.Do(r.t.Context(), model.Op{Name: model.AcceptPlan, UID: r.a, Actor: ann}); err == nil {
		r.t.Error("a plan with both sides of a merge was accepted")
	}
}

// resolve resolves the conflicts of a rebase with the files of one side.
func (r *repo) resolve(command, side string) {
	for range 5 {
		r.git("checkout", side, "--", ".vespe")
		r.git("add", "-A")
		if out, err := tryGit(r.s.Root(), command, "--continue"); err == nil {
			return
		} else if !strings.Contains(out, "CONFLICT") {
			r.t.Fatalf("git %s --continue: %s", command, out)
		}
	}
	r.t.Fatal("the rebase does not end")
}

// firstRepo is the repository of which every other one is a copy.
var firstRepo struct {
	sync.Mutex
	dir        string
	a, b, side model.UID
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	firstRepo.Lock()
	defer firstRepo.Unlock()
	if firstRepo.dir == "" {
		makeRepo(t)
	}
	root := filepath.Join(t.TempDir(), "repo")
	must(t, os.CopyFS(root, os.DirFS(firstRepo.dir)))
	r := &repo{t: t, s: &Store{identity: identity{root: root}}, a: firstRepo.a, b: firstRepo.b, side: firstRepo.side}
	r.git("update-index", "-q", "--refresh")
	r.s = r.look()
	return r
}

func makeRepo(t *testing.T) {
	t.Helper()
	dir := mustGet(os.MkdirTemp(filepath.Dir(fastDir(t)), "vespe-template-"))(t)
	s := initIn(t, dir, testOptions())
	r := &repo{t: t, s: s}
	r.a, r.b = planned(t, s, "a"), planned(t, s, "b")
	r.git("init", "-q", "-b", "main")
	r.commit("first")
	r.git("checkout", "-qb", "side")
	do(t, s, model.Op{Name: model.DefinePlan, UID: r.a, Actor: robot, Args: model.NewPlan{Text: "plan of the side\n"}})
	do(t, s, model.Op{Name: model.AcceptPlan, UID: r.b, Actor: ann})
	r.side = planned(t, s, "of the side")
	r.commit("side")
	checkpointed(t, s)
	r.git("checkout", "-q", "main")
	load(t, r.look())
	must(t, r.s.Close())
	r.s = r.look()
	r.commit("what vespe found")
	must(t, r.s.Close())
	firstRepo.dir, firstRepo.a, firstRepo.b, firstRepo.side = dir, r.a, r.b, r.side
}

// TestGitConverges: whatever git does with .vespe, what a new process then finds is told,
// verdicts do not come from it, and another look finds nothing. Work continues.
func TestGitConverges(t *testing.T) {
	for _, tt := range slices.Concat(checkouts(), joins(), stashes(), resets()) {
		t.Run(tt.name, func(t *testing.T) {
			r := newRepo(t)
			seen := map[model.UID]int{}
			tt.run(r)
			for _, uid := range []model.UID{r.a, r.b} { // after git, which takes events away and brings others
				seen[uid] = len(externalEvents(t, r.s, uid))
			}
			must(t, r.s.Close())
			comes := open(t, r.s.Root(), testOptions())
			load(t, comes)
			for _, uid := range []model.UID{r.a, r.b} {
				wantEqual(t, "edited for who comes", slices.Contains(comes.Edited(), uid), slices.Contains(tt.edited(r), uid))
			}
			must(t, comes.Close())
			r.s = r.look()
			for _, uid := range []model.UID{r.a, r.b} {
				told := len(externalEvents(t, r.s, uid)) > seen[uid]
				if told != slices.Contains(tt.edited(r), uid) {
					t.Errorf("%s: told of an edit: %v", task(t, load(t, r.s), uid).Config.Name, told)
				}
			}
			snap := load(t, r.s)
			tt.check(r, snap)
			wantClean(t, r.s)
			// No number is given twice, and everything can be decided on.
			do(t, r.s, model.Op{Name: model.RaiseError, UID: r.a, Actor: robot, Args: model.ErrorReport{Details: "x"}}, model.Op{Name: model.Replan, UID: r.a, Actor: ann, Reason: "after git"},
				model.Op{Name: model.DefinePlan, UID: r.a, Actor: robot, Args: model.NewPlan{Text: "after git\n"}}, model.Op{Name: model.AcceptPlan, UID: r.a, Actor: ann})
			wantClean(t, r.s)
			for _, p := range chainProblems(t, r.s) {
				t.Errorf("doctor: %+v", p)
			}
		})
	}
}

// TestGitCleanUnderAProcess: git takes the machinery away while a process lives on. What that is
// told to do then is there for all.
func TestGitCleanUnderAProcess(t *testing.T) {
	for _, how := range []string{"-qfdX", "-qfdx"} {
		t.Run(how, func(t *testing.T) {
			r := newRepo(t)
			load(t, r.s)
			untracked := planned(t, r.s, "untracked")
			r.git("clean", how)
			if _, err := os.Stat(vespe(r.s, layout.LogDir)); !os.IsNotExist(err) {
				t.Fatal("git clean has left log/")
			}
			do(t, r.s, model.Op{Name: model.DefinePlan, UID: r.a, Actor: robot, Args: model.NewPlan{Text: "after git\n"}})
			n := r.look()
			if c, err := n.Content(t.Context(), r.a, model.Plan); err != nil || string(c.Body) != "after git\n" {
				t.Errorf("the plan is %q, %v", c.Body, err)
			}
			if _, ok := load(t, n).Task(untracked); ok != (how == "-qfdX") {
				t.Errorf("the task that git does not know: there %v", ok)
			}
			do(t, n, model.Op{Name: model.AcceptPlan, UID: r.a, Actor: ann})
			same(t, "both", dump(load(t, n)), dump(load(t, r.s)))
			for _, p := range chainProblems(t, n) {
				t.Errorf("doctor: %+v", p)
			}
		})
	}
}

// chainProblems are those of the log itself.
func chainProblems(t *testing.T, s *Store) []model.Problem {
	t.Helper()
	ps := doctor(t, s)
	return slices.DeleteFunc(ps, func(p model.Problem) bool { return p.Code != "log-broken" })
}

// TestPull: tasks and edits that another clone made are there after a pull, told, and
// without the verdicts that were given elsewhere.
func TestPull(t *testing.T) {
	r := newRepo(t)
	r.git("checkout", "-q", "main")
	there := filepath.Join(t.TempDir(), "clone")
	gitIn(t, r.s.Root(), "clone", "-q", r.s.Root(), there)
	c := open(t, there, testOptions())
	load(t, c)
	news := planned(t, c, "made elsewhere")
	do(t, c, model.Op{Name: model.AcceptPlan, UID: news, Actor: ann})
	do(t, c, model.Op{Name: model.AcceptPlan, UID: r.b, Actor: ann})
	gitIn(t, there, "add", "-A")
	gitIn(t, there, "commit", "-qm", "elsewhere")

	checkpointed(t, r.s)
	r.git("pull", "-q", "--ff-only", there, "main")
	must(t, r.s.Close())
	r.s = r.look()
	snap := load(t, r.s)
	if got := task(t, snap, news); got.Config.Name != "made elsewhere" || got.Status.AcceptedPlan != nil {
		t.Errorf("the new task is %+v", got)
	}
	if got := task(t, snap, r.b).Status; got.AcceptedPlan != nil || got.CurrentState != model.Working {
		t.Errorf("the accepted one is %+v", got)
	}
	events := externalEvents(t, r.s, r.b)
	if len(events) == 0 || events[len(events)-1].Actor != edits.ActorGit {
		t.Errorf("events %+v", events)
	}
	_, err := r.s.Do(t.Context(), model.Op{Name: model.Start, UID: r.b, Actor: robot})
	refusal := wantCode(t, err, model.CodeRefused)
	if !strings.Contains(refusal.Why, "elsewhere, unsigned") || refusal.Hint == "" {
		t.Errorf("%s (%s)", refusal.Why, refusal.Hint)
	}
	wantClean(t, r.s)
}
