package store

import (
	"os"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/layout"
)

// gitCase is something that git does with a store, and what must come of it.
type gitCase struct {
	name   string
	run    func(r *repo)
	edited func(r *repo) []model.UID // that are told to be edited
	check  func(r *repo, snap *snapshot.Snapshot)
}

// checkouts: what a checkout does.
func checkouts() []gitCase {
	return []gitCase{
		{
			"checkout of another branch",
			func(r *repo) { r.git("checkout", "-q", "side") },
			func(r *repo) []model.UID { return []model.UID{r.a, r.b} },
			func(r *repo, snap *snapshot.Snapshot) {
				if st := task(r.t, snap, r.b).Status; st.AcceptedPlan != nil {
					r.t.Error("an acceptance came with the branch")
				}
				if task(r.t, snap, r.side).Config.Name != "of the side" {
					r.t.Error("the branch's own task is not there")
				}
			},
		},
		{
			"checkout and back",
			func(r *repo) { r.git("checkout", "-q", "side"); r.git("checkout", "-q", "main") },
			func(*repo) []model.UID { return nil },
			func(*repo, *snapshot.Snapshot) {},
		},
		{
			"checkout of an older commit",
			func(r *repo) {
				do(r.t, r.s, model.Op{Name: model.DefinePlan, UID: r.a, Actor: robot, Args: model.NewPlan{Text: "later\n"}})
				do(r.t, r.s, model.Op{Name: model.AcceptPlan, UID: r.a, Actor: ann})
				r.commit("later")
				checkpointed(r.t, r.s)
				r.git("checkout", "-q", "HEAD~1")
			},
			func(r *repo) []model.UID { return []model.UID{r.a} },
			func(*repo, *snapshot.Snapshot) {},
		},
		{
			"checkout of single files",
			func(r *repo) { r.git("checkout", "side", "--", ".vespe/tasks/"+string(r.b)+"/status.json") },
			func(r *repo) []model.UID { return []model.UID{r.b} },
			func(r *repo, snap *snapshot.Snapshot) {
				if task(r.t, snap, r.b).Status.AcceptedPlan != nil {
					r.t.Error("an acceptance came with the file")
				}
			},
		},
		{
			"checkout by way of a branch without a store",
			func(r *repo) {
				if err := r.s.Close(); err != nil { // so that nobody remembers the tasks
					r.t.Fatal(err)
				}
				r.git("checkout", "-q", "--orphan", "none")
				r.git("rm", "-rfq", ".")
				if _, err := os.Stat(vespe(r.s, layout.TasksDir)); !os.IsNotExist(err) {
					r.t.Fatal("the tasks are still there")
				}
				r.git("checkout", "-qf", "side")
				r.s = open(r.t, r.s.Root(), testOptions())
			},
			func(r *repo) []model.UID { return []model.UID{r.a, r.b} },
			func(r *repo, snap *snapshot.Snapshot) {
				if st := task(r.t, snap, r.b).Status; st.AcceptedPlan != nil {
					r.t.Error("an acceptance came with the branch")
				}
			},
		},
	}
}

// joins: what brings commits of the other branch.
func joins() []gitCase {
	return []gitCase{
		{
			"cherry-pick",
			func(r *repo) { r.git("cherry-pick", "-X", "theirs", "side") },
			func(r *repo) []model.UID { return []model.UID{r.a, r.b} },
			func(r *repo, snap *snapshot.Snapshot) { task(r.t, snap, r.side) },
		},
		{
			"a rebase with a conflict that is given up",
			func(r *repo) {
				do(r.t, r.s, model.Op{Name: model.DefinePlan, UID: r.a, Actor: robot, Args: model.NewPlan{Text: "of main\n"}})
				r.commit("another plan")
				r.conflict("rebase", "side")
				r.git("rebase", "--abort")
			},
			func(*repo) []model.UID { return nil },
			func(r *repo, snap *snapshot.Snapshot) {
				if c, err := r.s.Content(r.t.Context(), r.a, model.Plan); err != nil || string(c.Body) != "of main\n" {
					r.t.Errorf("the plan is %q, %v", c.Body, err)
				}
			},
		},
		{
			"a rebase with a conflict that is resolved",
			func(r *repo) {
				do(r.t, r.s, model.Op{Name: model.DefinePlan, UID: r.a, Actor: robot, Args: model.NewPlan{Text: "of main\n"}})
				r.commit("another plan")
				r.conflict("rebase", "side")
				r.resolve("rebase", "--ours")
			},
			func(r *repo) []model.UID { return []model.UID{r.a, r.b} },
			func(r *repo, snap *snapshot.Snapshot) { task(r.t, snap, r.side) },
		},
		{
			"merge",
			func(r *repo) { r.git("merge", "-q", "-X", "theirs", "--no-edit", "side") },
			func(r *repo) []model.UID { return []model.UID{r.a, r.b} },
			func(r *repo, snap *snapshot.Snapshot) { task(r.t, snap, r.side) },
		},
		{
			"rebase",
			func(r *repo) { r.git("rebase", "-q", "-X", "theirs", "side") },
			func(r *repo) []model.UID { return []model.UID{r.a} }, // of b the rebased commit has what was there
			func(r *repo, snap *snapshot.Snapshot) { task(r.t, snap, r.side) },
		},
	}
}

// stashes: what a stash does.
func stashes() []gitCase {
	return []gitCase{
		{
			"a stash that is popped onto something else",
			func(r *repo) {
				do(r.t, r.s, model.Op{Name: model.DefinePlan, UID: r.a, Actor: robot, Args: model.NewPlan{Text: "stashed\n"}})
				r.git("stash", "-q", "-u")
				r.s = r.look()
				do(r.t, r.s, model.Op{Name: model.DefinePlan, UID: r.a, Actor: robot, Args: model.NewPlan{Text: "of main\n"}})
				r.commit("another plan")
				r.conflict("stash", "pop")
				r.git("checkout", "--theirs", "--", ".vespe")
				r.git("reset", "-q")
			},
			func(r *repo) []model.UID { return []model.UID{r.a} },
			func(r *repo, snap *snapshot.Snapshot) {
				if c, err := r.s.Content(r.t.Context(), r.a, model.Plan); err != nil || string(c.Body) != "stashed\n" {
					r.t.Errorf("the plan is %q, %v", c.Body, err)
				}
			},
		},
		{
			"stash",
			func(r *repo) {
				do(r.t, r.s, model.Op{Name: model.AcceptPlan, UID: r.a, Actor: ann})
				r.git("stash", "-q", "-u")
			},
			func(r *repo) []model.UID { return []model.UID{r.a} },
			func(r *repo, snap *snapshot.Snapshot) {
				if task(r.t, snap, r.a).Status.AcceptedPlan != nil {
					r.t.Error("the acceptance was stashed, and still counts")
				}
			},
		},
		{
			"stash and pop",
			func(r *repo) {
				do(r.t, r.s, model.Op{Name: model.AcceptPlan, UID: r.a, Actor: ann})
				r.git("stash", "-q", "-u")
				r.git("stash", "pop", "-q")
			},
			func(*repo) []model.UID { return nil },
			func(r *repo, snap *snapshot.Snapshot) {
				if task(r.t, snap, r.a).Status.AcceptedPlan == nil {
					r.t.Error("the acceptance that vespe was given is gone")
				}
			},
		},
	}
}

// resets: what takes files back or away.
func resets() []gitCase {
	return []gitCase{
		{
			"reset",
			func(r *repo) {
				do(r.t, r.s, model.Op{Name: model.DefinePlan, UID: r.a, Actor: robot, Args: model.NewPlan{Text: "later\n"}})
				r.git("reset", "-q", "--hard")
			},
			func(r *repo) []model.UID { return []model.UID{r.a} },
			func(r *repo, snap *snapshot.Snapshot) {
				if c, err := r.s.Content(r.t.Context(), r.a, model.Plan); err != nil || string(c.Body) != "plan of a\n" {
					r.t.Errorf("the plan is %q, %v", c.Body, err)
				}
			},
		},
		{
			"reset to before",
			func(r *repo) {
				do(r.t, r.s, model.Op{Name: model.DefinePlan, UID: r.a, Actor: robot, Args: model.NewPlan{Text: "later\n"}})
				do(r.t, r.s, model.Op{Name: model.AcceptPlan, UID: r.a, Actor: ann})
				r.commit("later")
				r.git("reset", "-q", "--hard", "HEAD~1")
			},
			func(r *repo) []model.UID { return []model.UID{r.a} },
			func(r *repo, snap *snapshot.Snapshot) {
				if task(r.t, snap, r.a).Status.AcceptedPlan != nil {
					r.t.Error("an acceptance of another plan counts")
				}
			},
		},
		{
			"clean",
			func(r *repo) {
				r.side = planned(r.t, r.s, "untracked")
				r.git("clean", "-qfd")
			},
			func(*repo) []model.UID { return nil },
			func(r *repo, snap *snapshot.Snapshot) {
				if _, ok := snap.Task(r.side); ok {
					r.t.Error("the task is still there")
				}
			},
		},
	}
}
