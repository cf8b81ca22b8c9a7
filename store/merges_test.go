package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/gitmerge"
)

// team is clones of one store whose people work at the same time, and git between them.
type team struct {
	t      testing.TB
	rnd    *rand.Rand
	clock  *clock
	clones []*clone
	tasks  []model.UID
	wide   bool // more kinds of operations: on subtasks, questions, comments, runs and milestones
	did    []doneOp
	asked  int
}

// clone is one of them. driver: its git merges vespe's files with vespe.
type clone struct {
	dir    string
	driver bool
	seed   uint64
}

// doneOp is an operation that was acknowledged in one of the clones.
type doneOp struct {
	uid   model.UID
	id    string
	name  model.Name
	label string // that it added
}

// templates are what teams begin with, by how many tasks there are: a store in git, and a clone of it. Empty are
// repositories without anything, by the format of their objects.
var templates = struct {
	sync.Mutex
	of    map[int]template
	empty map[string]string
}{of: map[int]template{}, empty: map[string]string{}}

type template struct {
	dir   string
	tasks []model.UID
	now   time.Time // when it was done
}

// template makes what a team with so many tasks begins with, once.
func (tm *team) template(tasks int) template {
	tm.t.Helper()
	templates.Lock()
	defer templates.Unlock()
	if made, ok := templates.of[tasks]; ok {
		return made
	}
	dir, err := os.MkdirTemp(filepath.Dir(fastDir(tm.t)), "vespe-template-")
	must(tm.t, err)
	made, first := template{dir: dir}, filepath.Join(dir, "first")
	s := initIn(tm.t, first, tm.options(0))
	for i := range tasks {
		made.tasks = append(made.tasks, planned(tm.t, s, fmt.Sprintf("task %d", i)))
	}
	must(tm.t, s.Close())
	made.now = tm.clock.now()
	tm.git(first, "init", "-q", "-b", "main")
	tm.git(first, "add", "-A")
	tm.git(first, "commit", "-qm", "first")
	tm.git(dir, "clone", "-q", first, "clone")
	templates.of[tasks] = made
	return made
}

func removeTemplates() {
	for _, made := range templates.of {
		_ = os.RemoveAll(made.dir)
	}
	for _, dir := range templates.empty {
		_ = os.RemoveAll(dir)
	}
	_ = os.RemoveAll(firstRepo.dir)
}

func newTeam(t testing.TB, seed uint64, clones, tasks int) *team {
	t.Helper()
	tm := &team{t: t, rnd: rand.New(rand.NewPCG(seed, 20)), clock: newClock()}
	made := tm.template(tasks)
	root := fastDir(t)
	tm.tasks, tm.clock.t = slices.Clone(made.tasks), made.now
	for i := range clones {
		c := &clone{dir: filepath.Join(root, fmt.Sprint(i)), driver: i%2 == 1, seed: uint64(i) + 1}
		from := "first"
		if i > 0 {
			from = "clone"
		}
		must(t, os.CopyFS(c.dir, os.DirFS(filepath.Join(made.dir, from))))
		if c.driver {
			tm.git(c.dir, "config", "merge.vespe.driver", mergeEnv+"=1 "+os.Args[0]+" %O %A %B %P")
		}
		tm.clones = append(tm.clones, c)
	}
	return tm
}

// fetch is git fetch without its processes: it gives a clone the objects of another one, and the name of its commit.
func (tm *team) fetch(c, from *clone) {
	tm.t.Helper()
	objects := filepath.Join(from.dir, ".git", "objects")
	must(tm.t, filepath.WalkDir(objects, func(path string, e os.DirEntry, err error) error {
		to := filepath.Join(c.dir, ".git", "objects", strings.TrimPrefix(path, objects))
		if err == nil && e.IsDir() {
			err = os.MkdirAll(to, 0o755)
		} else if err == nil {
			err = os.Link(path, to)
		}
		if errors.Is(err, os.ErrExist) {
			return nil
		}
		return err
	}))
	write(tm.t, filepath.Join(c.dir, ".git", "FETCH_HEAD"), tm.tip(from)+"\t\tbranch 'main' of "+from.dir+"\n")
}

// tip is the commit of a clone's branch.
func (tm *team) tip(c *clone) string {
	tm.t.Helper()
	return strings.TrimSpace(read(tm.t, filepath.Join(c.dir, ".git", "refs", "heads", "main")))
}

func (tm *team) options(seed uint64) Options {
	return Options{Now: tm.clock.now, Rand: entropy(seed + uint64(tm.clock.now().UnixMilli())), Environ: gitEnviron, Trusted: true}
}

func gitEnviron() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_EDITOR=true")
}

func (tm *team) git(dir string, args ...string) string {
	tm.t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil {
		tm.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

// in opens a clone's store for as long as f runs, as a command does.
func (tm *team) in(c *clone, f func(s *Store)) {
	tm.t.Helper()
	s := mustGet(Open(c.dir, tm.options(c.seed)))(tm.t)
	load(tm.t, s)
	f(s)
	must(tm.t, s.Close())
}

// operation is something that somebody may do to a task.
func (tm *team) operation(uid model.UID, n int) (model.Op, string) {
	label := ""
	op := model.Op{UID: uid, Actor: ann}
	switch tm.rnd.IntN(14) {
	case 0:
		op.Name, op.Actor, op.Args = model.DefinePlan, robot, model.NewPlan{Text: fmt.Sprintf("plan %d\n", n)}
	case 1:
		op.Name, op.Args = model.DefineObjective, model.NewObjective{Text: fmt.Sprintf("objective %d\n", n)}
	case 2, 3:
		op.Name = model.AcceptPlan
	case 4:
		op.Name, op.Reason = model.RejectPlan, fmt.Sprintf("reason %d", n)
	case 5:
		op.Name, op.Actor = model.Start, robot
	case 6:
		op.Name, op.Actor, op.Args = model.RaiseError, robot, model.ErrorReport{Details: fmt.Sprintf("error %d", n)}
	case 7:
		op.Name = model.Retry
	case 8:
		op.Name, op.Reason = model.Pause, fmt.Sprintf("pause %d", n)
	case 9:
		op.Name = model.Resume
	case 10:
		op.Name, op.Args = model.AddComment, model.Remarks{Comments: []model.NewComment{{Text: fmt.Sprintf("comment %d", n)}}}
	case 11:
		op.Name, op.Args = model.SetFields, model.FieldEdit{Set: []model.Assignment{{Key: "priority", Value: []string{"low", "medium", "high"}[n%3], Mode: '='}}}
	case 12:
		label = fmt.Sprintf("l%d", n)
		op.Name, op.Args = model.SetFields, model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: label, Mode: '+'}}}
	case 13:
		op.Name, op.Args = model.AddDependency, model.DependencyEdit{DependsOn: []model.UID{tm.tasks[tm.rnd.IntN(len(tm.tasks))]}}
	}
	return op, label
}

// work does some operations in a clone and commits them.
func (tm *team) work(c *clone, ops int) {
	tm.t.Helper()
	tm.in(c, func(s *Store) {
		for range ops {
			tm.asked++
			op, label := tm.operation(tm.tasks[tm.rnd.IntN(len(tm.tasks))], tm.asked)
			if tm.wide && tm.rnd.IntN(2) == 0 {
				op, label = tm.another(s, tm.asked), ""
			}
			applied, err := s.Do(tm.t.Context(), op)
			var refused *model.Refusal
			if errors.As(err, &refused) {
				continue
			}
			if err != nil {
				tm.t.Fatalf("%s: %v", op.Name, err)
			}
			if es := applied.Change.Events; len(es) > 0 && es[0].UID != "" {
				tm.did = append(tm.did, doneOp{es[0].UID, applied.Change.Op.ID, op.Name, label})
			}
		}
	})
	tm.commit(c, fmt.Sprintf("work %d", tm.asked))
}

func (tm *team) commit(c *clone, message string) {
	tm.t.Helper()
	tm.git(c.dir, "add", "-A")
	if out, err := tryGit(c.dir, "commit", "-m", message); err != nil && !strings.Contains(out, "nothing to commit") {
		tm.t.Fatalf("git commit: %v\n%s", err, out)
	}
}

// join brings what another clone has into one, in one of the ways that git has, and vespe may be asked to finish it.
func (tm *team) join(c, from *clone, how string) {
	tm.t.Helper()
	tm.bring(c, from, how)
	if tm.rnd.IntN(2) == 0 {
		tm.finish(c)
	}
}

// bring is join as far as git goes.
func (tm *team) bring(c, from *clone, how string) {
	tm.t.Helper()
	tm.fetch(c, from)
	args := map[string][]string{
		"merge": {"merge", "-q", "--no-edit", "FETCH_HEAD"}, "rebase": {"rebase", "-q", "FETCH_HEAD"},
		"cherry-pick": {"cherry-pick", "--allow-empty", "--keep-redundant-commits", "-m1", "FETCH_HEAD"},
	}[how]
	if how == "cherry-pick" && len(strings.Fields(tm.git(c.dir, "rev-list", "--parents", "-1", "FETCH_HEAD"))) < 3 {
		args = slices.DeleteFunc(args, func(a string) bool { return a == "-m1" })
	}
	out, err := tryGit(c.dir, args...)
	for range 200 {
		if err == nil {
			break
		}
		if !strings.Contains(out, "CONFLICT") {
			tm.t.Fatalf("git %v: %v\n%s\n%s", args, err, out, tm.git(c.dir, "status"))
		}
		tm.in(c, func(s *Store) {
			m, err := s.ContinueMerge(tm.t.Context())
			if err != nil || len(m.Left) > 0 {
				tm.t.Fatalf("%s: left %v, %v\n%s", how, m.Left, err, out)
			}
		})
		if how == "merge" {
			out, err = tryGit(c.dir, "commit", "-q", "--no-edit")
			continue
		}
		out, err = tryGit(c.dir, how, "--continue")
		if err != nil && strings.Contains(out, "--skip") && !strings.Contains(out, "CONFLICT") {
			out, err = tryGit(c.dir, how, "--skip")
		}
	}
	if err != nil {
		tm.t.Fatalf("git %s does not end: %s", how, out)
	}
}

// finish is what vespe does once git is done.
func (tm *team) finish(c *clone) {
	tm.t.Helper()
	tm.in(c, func(s *Store) {
		mustGet(s.ContinueMerge(tm.t.Context()))(tm.t)
	})
	tm.commit(c, "merged")
}

// everyone brings everything to everyone, until nothing is left to bring.
func (tm *team) everyone() {
	tm.t.Helper()
	for range 8 {
		for i, c := range tm.clones {
			for j := range tm.clones {
				if i != j {
					tm.join(c, tm.clones[j], "merge")
				}
			}
			tm.finish(c)
		}
		if tm.equal() == "" {
			return
		}
	}
	tm.t.Fatalf("the clones do not become equal:\n%s", tm.equal())
}

// equal says where clones differ; "" where none does.
func (tm *team) equal() string {
	tm.t.Helper()
	first, args := tm.clones[0].dir, []string{"rev-parse"}
	for _, c := range tm.clones {
		if args = append(args, tm.tip(c)+"^{tree}"); c.dir != first {
			tm.fetch(tm.clones[0], c)
		}
	}
	trees := strings.Fields(tm.git(first, args...))
	for i, c := range tm.clones {
		if trees[i] != trees[0] {
			return c.dir + "\n" + tm.git(first, "diff", trees[0], trees[i])
		}
	}
	return ""
}

// check looks at every operation that somebody was told had been done.
func (tm *team) check() {
	tm.t.Helper()
	for _, c := range tm.clones {
		tm.in(c, func(s *Store) {
			ctx := tm.t.Context()
			snap := load(tm.t, s)
			for _, p := range snap.Problems() {
				if p.Code != "not-believed" { // an acceptance that was given in another clone
					tm.t.Errorf("%s: problem %+v", c.dir, p)
				}
			}
			for i := range snap.Len() {
				if st := snap.At(i).Status; st.PauseKind() == "subtasks" && !slices.ContainsFunc(st.SubtaskUIDs, func(uid model.UID) bool {
					c, ok := snap.Task(uid)
					return ok && c.Status.CurrentState != model.Completed && c.Status.CurrentState != model.Failed && c.Status.CurrentState != model.Aborted
				}) {
					tm.t.Errorf("%s: %s waits for subtasks, and none of %v is open", c.dir, snap.At(i).UID, st.SubtaskUIDs)
				}
			}
			named := map[string]bool{}
			for _, r := range snap.Requests() {
				if named[strings.TrimPrefix(r.Key, "merge-")] = true; strings.Contains(r.Detail, "is not there") {
					tm.t.Errorf("%s: a text is missing: %s", c.dir, r.Detail)
				}
			}
			behind := map[model.UID]map[string]bool{}
			for _, op := range tm.did {
				if behind[op.uid] == nil {
					behind[op.uid] = tm.history(ctx, s, op.uid)
				}
				got := task(tm.t, snap, op.uid)
				switch {
				case named[op.id]:
				case !behind[op.uid][op.id] && op.name != model.CreateTask: // with that nothing begins
					tm.t.Errorf("%s: %s of %s is in no history", c.dir, op.name, op.uid)
				case op.label != "" && !slices.Contains(got.Spec.Labels, op.label):
					tm.t.Errorf("%s: the label %s of %s is lost", c.dir, op.label, op.uid)
				}
			}
			ps, err := s.Fsck().Doctor(ctx)
			v, more := s.Fsck().Verify(ctx, "")
			must(tm.t, errors.Join(err, more))
			for _, p := range append(ps, v.Problems...) {
				if p.Severity == model.Error {
					tm.t.Errorf("%s: doctor or verify: %+v", c.dir, p)
				}
			}
		})
	}
}

// history is the operations that a task's files say they have the effects of.
func (tm *team) history(ctx context.Context, s *Store, uid model.UID) map[string]bool {
	events, _, err := s.History(ctx, uid)
	if err != nil {
		tm.t.Fatal(err)
	}
	after := map[string][]string{}
	for _, e := range events {
		after[e.OpID] = append(after[e.OpID], e.After...)
	}
	st := task(tm.t, load(tm.t, s), uid).Status
	all := map[string]bool{}
	for todo := slices.Concat(st.LastOps, st.PickedOps); len(todo) > 0; todo = todo[1:] {
		if !all[todo[0]] {
			all[todo[0]] = true
			todo = append(todo, after[todo[0]]...)
		}
	}
	if len(st.UnmergedOps) > 0 {
		tm.t.Errorf("%s has unmerged operations: %v", uid, st.UnmergedOps)
	}
	return all
}

// rounds lets the team work, and join what it did in random ways.
func (tm *team) rounds(n, ops int) {
	tm.t.Helper()
	for range n {
		c := tm.clones[tm.rnd.IntN(len(tm.clones))]
		tm.work(c, 1+tm.rnd.IntN(ops))
		from := tm.clones[tm.rnd.IntN(len(tm.clones))]
		if from == c || tm.rnd.IntN(3) == 0 {
			continue
		}
		tm.join(c, from, []string{"merge", "merge", "rebase", "cherry-pick"}[tm.rnd.IntN(4)])
	}
}

// TestClonesMerge: three clones work on the same tasks and merge, rebase and cherry-pick in random order, with
// git's merge driver and without. Every operation is applied on all sides or a request, and all clones become equal.
// TestTortureClonesMerge has two clones as well, and a few thousand rounds.
func TestClonesMerge(t *testing.T) {
	tm := newTeam(t, 3, 3, 20)
	tm.wide = true
	tm.rounds(7, 6)
	tm.everyone()
	tm.check()
	t.Logf("%d operations of %d", len(tm.did), tm.asked)
}

// TestClonesMergeWithoutTheDriver: two merges of one task that nobody has finished meet, in a clone whose git does not
// know vespe's driver. Of the three operations in them one stands, and each of the others is unmerged on one side alone.
func TestClonesMergeWithoutTheDriver(t *testing.T) { mergeWithoutTheDriver(t, "merge") }

func mergeWithoutTheDriver(t *testing.T, ways ...string) {
	t.Helper()
	for _, how := range ways {
		t.Run(how, func(t *testing.T) {
			tm := newTeam(t, 19, 3, 1)
			first, second, third := tm.clones[0], tm.clones[1], tm.clones[2]
			tm.git(second.dir, "config", "--unset", "merge.vespe.driver")
			for i, c := range tm.clones {
				label := fmt.Sprintf("l%d", i)
				tm.in(c, func(s *Store) {
					applied := do(t, s, model.Op{
						UID: tm.tasks[0], Actor: ann, Name: model.SetFields,
						Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: label, Mode: '+'}}},
					})
					tm.did = append(tm.did, doneOp{tm.tasks[0], applied.Change.Op.ID, model.SetFields, label})
				})
				tm.commit(c, label)
			}
			tm.bring(third, second, "merge")
			tm.bring(second, first, "merge")
			tm.bring(third, second, how)
			tm.everyone()
			tm.check()
		})
	}
}

const mergeEnv = "VESPE_TEST_MERGE"

// mergeAsGitAsks is vespe as git's merge driver.
func mergeAsGitAsks(args []string) int {
	if err := gitmerge.Drive(context.Background(), os.Environ(), args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestClonesVerifyAfterTheSameAcceptance: two people accept the same plan, and one of them confirms what the other one
// accepted. Once merged nothing is wrong in either clone, and Repair leaves the reviews as git merged them.
func TestClonesVerifyAfterTheSameAcceptance(t *testing.T) {
	tm := newTeam(t, 25, 2, 2)
	first, second := tm.clones[0], tm.clones[1]
	accept := func(c *clone, who model.Actor, i int) {
		tm.in(c, func(s *Store) {
			do(t, s, model.Op{UID: tm.tasks[i], Actor: who, Name: model.AcceptPlan})
		})
		tm.commit(c, "accepted")
	}
	accept(first, ann, 0)
	accept(second, "human:bob", 0)
	accept(first, ann, 1)
	tm.everyone()
	accept(second, "human:bob", 1)
	tm.everyone()
	tm.check()
	for _, c := range tm.clones {
		tm.in(c, func(s *Store) {
			if done, err := s.Fsck().Repair(t.Context(), false); err != nil || len(done) > 0 {
				t.Errorf("%s: repaired %+v, %v", c.dir, done, err)
			}
		})
		if changed := tm.git(c.dir, "status", "--porcelain"); changed != "" {
			t.Errorf("%s is changed:\n%s", c.dir, changed)
		}
	}
}
