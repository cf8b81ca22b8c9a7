package admin

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
	"vespe/store/gitmerge"
)

func (a *app) mergeVerb() *cobra.Command {
	var resume, setUp bool
	c := &cobra.Command{
		Use: "merge (--continue|--set-up|ANCESTOR OURS THEIRS PATH)", Short: "Merge changes that two clones made to the same tasks",
		Long: "Git merges a store file by file and leaves conflicts where two clones changed the same task.\n" +
			"`vespe store merge --continue` resolves them, during a merge, a rebase or a cherry-pick. Then continue\n" +
			"with git. When git is done, run it again: vespe applies the operations of both clones by the rules\n" +
			"of the lifecycle. Refused operations become requests in your inbox. The store must be trusted.\n\n" +
			"`vespe store merge --set-up` makes vespe git's merge driver in this clone (git config\n" +
			"merge.vespe.driver), so that git leaves fewer conflicts. Git runs it with four files.",
		Example: "  git pull; vespe store merge --continue && git commit --no-edit\n  vespe store merge --continue\n  vespe store merge --set-up",
		GroupID: "store", Args: core.Between(0, 4),
	}
	c.Flags().BoolVar(&resume, "continue", false, "resolve the conflicts that git left in the store, and merge the tasks")
	c.Flags().BoolVar(&setUp, "set-up", false, "make vespe git's merge driver for the store's files in this clone")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case setUp && !resume && len(args) == 0:
			return a.setUpMerge(cmd.Context())
		case resume && !setUp && len(args) == 0:
			return a.continueMerge(cmd.Context())
		case !resume && !setUp && len(args) == 4:
			environ := os.Environ
			if a.Environ != nil {
				environ = a.Environ
			}
			return gitmerge.Drive(cmd.Context(), environ(), args)
		}
		return core.Usagef("use `vespe store merge --continue`; only git runs it with four files")
	}
	return c
}

func (a *app) setUpMerge(ctx context.Context) error {
	s, err := a.Open()
	if err != nil {
		return err
	}
	if err := s.InGit().SetDriver(ctx, a.Program()); err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout, "Git in this clone now uses vespe to merge the store's files.")
	return nil
}

func (a *app) continueMerge(ctx context.Context) error {
	s, err := a.Open()
	if err != nil {
		return err
	}
	ctx, stop := core.Interruptible(ctx)
	defer stop()
	m, err := s.ContinueMerge(ctx)
	if err != nil {
		return err
	}
	if a.JSON {
		return core.WriteJSON(a.Stdout, struct {
			Resolved []string `json:"resolved"`
			Left     []string `json:"left"`
			Busy     string   `json:"git_busy,omitempty"`
			Tasks    int      `json:"tasks"`
			Taken    int      `json:"taken_over"`
			Warnings []string `json:"warnings,omitempty"`
		}{notNil(m.Resolved), notNil(m.Left), m.Busy, m.Tasks, m.Taken, m.Warnings})
	}
	if n := len(m.Resolved); n > 0 {
		fmt.Fprintf(a.Stdout, "Resolved %s.\n", model.Plural(n, "conflict", "conflicts"))
	}
	for _, path := range m.Left {
		fmt.Fprintf(a.Stdout, "Not resolved: %s. Edit it, then run `git add` on it.\n", visible.Line(path))
	}
	for _, w := range m.Warnings {
		fmt.Fprintln(a.Stderr, "vespe: "+visible.Line(w))
	}
	switch {
	case len(m.Left) > 0:
	case m.Busy != "":
		verb := strings.TrimPrefix(strings.TrimPrefix(m.Busy, "an "), "a ")
		fmt.Fprintf(a.Stdout, "Run `git %s --continue`, then `vespe store merge --continue` once more.\n", verb)
	case m.Tasks+m.Taken > 0:
		if m.Tasks > 0 {
			fmt.Fprintf(a.Stdout, "Merged %s. ", model.Plural(m.Tasks, "task", "tasks"))
		}
		if m.Taken > 0 {
			fmt.Fprintf(a.Stdout, "Recorded the changed files of %s. ", model.Plural(m.Taken, "task", "tasks"))
		}
		fmt.Fprintf(a.Stdout, "Commit the changes in %s.\n", store.Name)
	case len(m.Resolved) == 0:
		fmt.Fprintln(a.Stdout, "Nothing to merge.")
	}
	return nil
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
