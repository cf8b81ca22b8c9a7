package look

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/cli/core"
)

func (a *app) reviewVerb() *cobra.Command {
	var md bool
	var revision int
	c := &cobra.Command{
		Use: "comments UID", Aliases: []string{"review"},
		Short: "Show comments, answers and the verdict on a plan",
		Long: "Show the review of a task's plan: the verdict, and every comment with its lines\n" +
			"and answers. --md prints text for an agent.",
		Example: "  vespe plan comments 3f9a1c\n  vespe plan comments 3f9a1c --revision 2 --md",
		GroupID: "plan", Args: core.Between(1, 1), ValidArgsFunction: a.CompleteTask(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.review(cmd.Context(), args[0], revision, md)
		},
	}
	c.Flags().BoolVar(&md, "md", false, "print Markdown")
	c.Flags().IntVar(&revision, "revision", 0, "show the review of an earlier revision of the plan")
	return c
}

func (a *app) review(ctx context.Context, name string, revision int, md bool) error {
	if md && a.JSON {
		return core.Usagef("--md and --json can't be combined")
	}
	s, snap, err := a.Load(ctx)
	if err != nil {
		return err
	}
	uid, err := snap.Find(name)
	if err != nil {
		return err
	}
	if revision == 0 && s.ReadOnly() == "" {
		snap = a.FetchedVerdict(ctx, s, snap, uid)
	}
	o, err := desk.ReviewOf(ctx, s, snap, uid, revision)
	if err != nil {
		return err
	}
	switch {
	case a.JSON:
		return core.WriteJSON(a.Stdout, o)
	case md:
		fmt.Fprint(a.Stdout, o.Markdown())
	default:
		core.PrintReview(a.Prose(a.Stdout, 6), o)
	}
	return nil
}
