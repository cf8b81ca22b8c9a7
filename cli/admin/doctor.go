package admin

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vespe/agents/doctor"
	"vespe/cli/core"
	"vespe/model"
	"vespe/model/visible"
	"vespe/store/fsck"
)

func (a *app) doctorVerb() *cobra.Command {
	var fix, dryRun bool
	c := &cobra.Command{
		Use: "doctor", Short: "Find problems in the store, with their causes and fixes",
		Long: "List every problem in the store. The exit code is 1 if one of them hides a task or breaks\n" +
			"the log; warnings alone exit 0.\n\n" +
			"--fix first repairs what needs no decision: it restores immutable records and unreadable files\n" +
			"from the log, repairs damaged bodies and checkpoints, and removes leftovers of interrupted\n" +
			"writes. The old contents are saved beside each file. It never touches anything that may be\n" +
			"intended: readable edits, removed files and tasks, both sides of a merge.\n\n" +
			"In an agent's environment it also reports what the agent's commands can reach.\n" +
			"`vespe agent doctor` checks how agents are set up.",
		Example: "  vespe store doctor\n  vespe store doctor --json\n  vespe store doctor --fix --dry-run",
		GroupID: "store", Args: core.Between(0, 0),
	}
	c.Flags().BoolVar(&fix, "fix", false, "first repair what needs no decision")
	c.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "with --fix: show the repairs without making them")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if dryRun && !fix {
			return core.Usagef("--dry-run needs --fix; without --fix doctor changes nothing")
		}
		return a.runDoctor(cmd.Context(), fix, dryRun)
	}
	return c
}

type repairObject struct {
	UID  string `json:"uid,omitempty"`
	Path string `json:"path"`
	What string `json:"what"`
	Kept string `json:"kept,omitempty"`
}

func (a *app) runDoctor(ctx context.Context, fix, dryRun bool) error {
	s, err := a.Open()
	if err != nil {
		return err
	}
	at, err := a.Locate()
	if err != nil {
		return err
	}
	var repairs []fsck.Repair
	if fix {
		if repairs, err = s.Fsck().Repair(ctx, dryRun); err != nil {
			return err
		}
	}
	problems, err := s.Fsck().Doctor(ctx)
	if err != nil {
		return err
	}
	strict, err := a.StrictRules(s)
	if err != nil {
		return err
	}
	bad := errorsIn(problems)
	noDriver := s.InGit().LacksDriver(ctx)
	var reach *doctor.Reach // of an agent: of a person there is nothing to say
	if name := a.AgentHere(); name != "" {
		r := doctor.Probe(s.Root(), name)
		reach = &r
	}
	if a.JSON {
		list := make([]repairObject, len(repairs))
		for i, r := range repairs {
			list[i] = repairObject{string(r.UID), r.Path, r.What, r.Kept}
		}
		err = core.WriteJSON(a.Stdout, struct {
			Repairs  []repairObject       `json:"repairs,omitempty"`
			DryRun   bool                 `json:"dry_run,omitempty"`
			Problems []core.ProblemObject `json:"problems"`
			Strict   []string             `json:"strict,omitempty"` // what holds because rules cannot be read
			Errors   int                  `json:"errors"`
			Reach    *doctor.Reach        `json:"reach,omitempty"`
			Root     string               `json:"root"`
			Worktree string               `json:"worktree,omitempty"`
			NoDriver bool                 `json:"lacks_merge_driver,omitempty"`
		}{list, dryRun, append([]core.ProblemObject{}, core.ProblemObjects(problems)...), strict, bad, reach, at.Root, at.Worktree, noDriver})
	} else {
		w := a.Prose(a.Stdout, 0)
		a.printRepairs(repairs, dryRun)
		a.PrintProblems(problems)
		for _, line := range strict {
			fmt.Fprintln(w, "rules: "+visible.Line(line))
		}
		if len(problems)+len(strict) == 0 {
			fmt.Fprintln(w, "No problems.")
		}
		if bad > 0 && !fix {
			fmt.Fprintln(w, "`vespe store doctor --fix` repairs what needs no decision. Add --dry-run to see the repairs first.")
		}
		if reach != nil {
			fmt.Fprintln(w, visible.Line(reach.Text))
		}
		a.PrintWorktree(at)
		if noDriver {
			fmt.Fprintln(w, "Git in this clone doesn't use vespe to merge the store's files. Run `vespe store merge --set-up`.")
		}
	}
	if err == nil && bad+len(strict) > 0 {
		return &core.Shown{Code: core.ExitFailed}
	}
	return err
}

func (a *app) printRepairs(repairs []fsck.Repair, dryRun bool) {
	w := a.Prose(a.Stdout, 0)
	for _, r := range repairs {
		what := r.What
		if dryRun {
			what = "would be " + what
		}
		fmt.Fprintln(w, visible.Line(r.Path)+": "+visible.Line(what))
		if r.Kept != "" {
			fmt.Fprintln(w, "  old contents: "+visible.Line(r.Kept))
		}
	}
}

func errorsIn(ps []model.Problem) int {
	n := 0
	for _, p := range ps {
		if p.Severity == model.Error {
			n++
		}
	}
	return n
}

func (a *app) verifyVerb() *cobra.Command {
	var contains string
	c := &cobra.Command{
		Use: "verify", Short: "Check every file and approval against the log",
		Long: "Check the store against its log: each entry follows from the one before, each body matches its\n" +
			"hash, each file is as the log last wrote it, and each approval was given here and covers the\n" +
			"current files. The exit code is 1 if anything differs, such as a manual edit that no command has\n" +
			"recorded yet. Changes that git brought and that are in HEAD are only listed.\n\n" +
			"It prints the hash of the last entry. Save it elsewhere and check it later with --contains: a log\n" +
			"that was truncated or rewritten doesn't contain it.",
		Example: "  vespe store verify\n  vespe store verify --json\n  vespe store verify --contains sha256-3f9a…",
		GroupID: "store", Args: core.Between(0, 0),
	}
	c.Flags().StringVar(&contains, "contains", "", "fail unless the log contains the entry with this hash")
	c.RunE = func(cmd *cobra.Command, _ []string) error { return a.verify(cmd.Context(), contains) }
	return c
}

func (a *app) verify(ctx context.Context, contains string) error {
	s, err := a.Open()
	if err != nil {
		return err
	}
	v, err := s.Fsck().Verify(ctx, contains)
	if err != nil {
		return err
	}
	bad := errorsIn(v.Problems)
	if a.JSON {
		err = core.WriteJSON(a.Stdout, struct {
			First     uint64               `json:"first"`
			Last      uint64               `json:"last"`
			Head      string               `json:"head"`
			Files     int                  `json:"files"`
			Objects   int                  `json:"objects"`
			Approvals int                  `json:"approvals"`
			Unlogged  int                  `json:"unlogged_approvals"`
			Levels    levelsObject         `json:"levels"`
			Problems  []core.ProblemObject `json:"problems"`
			Errors    int                  `json:"errors"`
		}{v.First, v.Last, v.Head, v.Files, v.Objects, v.Approvals, v.Unlogged, levelsObject{v.Levels[0], v.Levels[1], v.Levels[2]}, append([]core.ProblemObject{}, core.ProblemObjects(v.Problems)...), bad})
	} else {
		a.PrintProblems(v.Problems)
		a.printVerification(v, bad)
	}
	if err == nil && bad > 0 {
		return &core.Shown{Code: core.ExitFailed}
	}
	return err
}

// levelsObject are how many approvals reach which level.
type levelsObject struct {
	Claimed int `json:"claimed"`
	Signed  int `json:"signed"`
	Touched int `json:"touched"`
}

func (a *app) printVerification(v fsck.Verification, bad int) {
	w := a.Prose(a.Stdout, 0)
	if v.Last == 0 {
		fmt.Fprintln(w, "The log is empty: there is nothing to compare with.")
	} else {
		fmt.Fprintf(w, "Compared entries %d to %d, %d files, %d bodies and %d approvals.\n", v.First, v.Last, v.Files, v.Objects, v.Approvals)
	}
	if v.Approvals > 0 {
		fmt.Fprintf(w, "Approvals: %d claimed, %d signed, %d touched.\n", v.Levels[0], v.Levels[1], v.Levels[2])
	}
	if v.Unlogged > 0 {
		fmt.Fprintf(w, "%d approvals came with the files and aren't in this log. They count if a key that you trust signed them. `vespe inbox` lists the others.\n", v.Unlogged)
	}
	if v.Head != "" {
		fmt.Fprintf(w, "Last entry: %d, %s.\n", v.Last, v.Head)
	}
	switch {
	case bad == 0 && len(v.Problems) > 0:
		fmt.Fprintln(w, "Everything else matches the log.")
	case bad == 0 && v.Last > 0:
		fmt.Fprintln(w, "Everything matches the log.")
	case bad > 0:
		fmt.Fprintf(w, "Differences from the log: %d.\n", bad)
	}
}
