package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/cli/core"
	"vespe/engine"
	"vespe/engine/worktree"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// integratedObject is a commit of the integration branch that the target does not have.
type integratedObject struct {
	Commit string `json:"commit"`
	UID    string `json:"uid,omitempty"`
	Run    string `json:"run,omitempty"`
	Name   string `json:"name"`
	*desk.TaskStatus
	Comes bool `json:"comes"` // it is brought over
}

func (a *app) integrateVerb() *cobra.Command {
	var all, dryRun bool
	c := &cobra.Command{
		Use: "integrate", Short: "Bring accepted work to the target branch",
		Long: "List what is on the integration branch but not on the target, and fast-forward the target as far\n" +
			"as the work is accepted; --all goes to the end. If a checkout has conflicting changes, a branch\n" +
			"has diverged or the index has staged changes, nothing is changed, and the output says what is in\n" +
			"the way.",
		Example: "  vespe run integrate --dry-run\n  vespe run integrate",
		GroupID: "run", Args: core.Between(0, 0),
	}
	c.Flags().BoolVar(&all, "all", false, "include work that isn't accepted yet")
	c.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "show what would be integrated, without changes")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		// What is accepted may be brought over by a person's script; what nobody has accepted is a decision.
		if err := a.GuardPerson("integrate", "", "", !all); err != nil && !dryRun {
			return err
		}
		s, err := a.openLoop("integrate")
		if err != nil {
			return err
		}
		snap, err := s.Load(cmd.Context(), nil)
		if err != nil {
			return err
		}
		repo, err := a.Loops.Repo(cmd.Context(), s)
		if err != nil {
			return err
		}
		return a.integrate(cmd.Context(), s, snap, repo, all, dryRun)
	}
	return c
}

func (a *app) integrate(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, repo *worktree.Repo, all, dryRun bool) error {
	pending, err := repo.Pending(ctx)
	if err != nil {
		return gitRefusal("integrate", err)
	}
	policy := model.IntegrateReviewed
	if all {
		policy = model.IntegrateVerified
	}
	upTo, n := engine.UpTo(pending, snap, policy)
	out := make([]integratedObject, len(pending))
	for k, p := range pending {
		o := integratedObject{Commit: p.Commit, UID: p.Task, Run: p.Run, Name: p.Subject, Comes: k < n}
		if i, ok := snap.Index(model.UID(p.Task)); ok {
			is := desk.StatusOf(snap, i)
			o.Name, o.TaskStatus = snap.At(i).Config.Name, &is
		}
		out[k] = o
	}
	if upTo != "" && !dryRun {
		loop, err := a.Loops.Loop(ctx, s, engine.Options{})
		if err != nil {
			return err
		}
		if err := loop.Deliver(ctx, upTo); err != nil {
			return gitRefusal("integrate", err)
		}
		a.Wrote = true
	}
	if a.JSON {
		return a.PrintMember("commits", out)
	}
	if len(out) == 0 {
		fmt.Fprintln(a.Stdout, "Nothing to integrate.")
	}
	for _, o := range out {
		var what string
		switch {
		case o.TaskStatus == nil && !o.Comes:
			what = "waits: it belongs to no task here; --all includes it"
		case o.Comes && dryRun:
			what = "would be integrated"
		case o.Comes:
			what = "integrated"
		case o.Status == model.StatusDone.String():
			what = "waits for the one before it"
		default:
			st, _ := model.ParseStatus(o.Status)
			what = "waits: " + cmp.Or(o.StatusReason, st.Label())
		}
		fmt.Fprintf(a.Stdout, "%s  %s  %s\n", o.Commit[:min(10, len(o.Commit))], core.Pad(visible.Line(o.Name), 40), what)
	}
	return nil
}

// gitRefusal is an error of engine/worktree as a refusal where it is one.
func gitRefusal(op model.Name, err error) error {
	var (
		no       *worktree.Refused
		conflict *worktree.Conflict
	)
	var unverified *worktree.Unverified
	switch {
	case errors.As(err, &unverified):
		return &model.Refusal{Code: model.CodeRefused, Op: op, Guard: "git", Why: runlog.FirstLine(err.Error()), Hint: "the work conflicts with new changes on the target; nothing was changed"}
	case errors.As(err, &no):
		return &model.Refusal{Code: model.CodeRefused, Op: op, Guard: "git", Why: no.Why, Hint: no.Hint}
	case errors.As(err, &conflict):
		return &model.Refusal{Code: model.CodeConflict, Op: op, Guard: "git", Why: conflict.Error(), Hint: "nothing was changed; merge the branches yourself, or change one of them"}
	}
	return err
}
