package write

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/priority"
	"vespe/model/visible"
	"vespe/store"
)

// prioritizedObject is the answer of prioritize.
type prioritizedObject struct {
	Seq      uint64                  `json:"seq,omitempty"`
	DryRun   bool                    `json:"dry_run,omitempty"`
	Rules    string                  `json:"rules,omitempty"` // hash of the file; absent: there is none
	Changed  int                     `json:"changed"`
	Given    int                     `json:"given"`  // somebody gave these their priority
	Scored   int                     `json:"scored"` // by the score command, just now
	Tasks    []prioritizedTaskObject `json:"tasks"`
	Warnings []string                `json:"warnings,omitempty"`
}

type prioritizedTaskObject struct {
	UID      string `json:"uid"`
	Name     string `json:"name"`
	Was      string `json:"was,omitempty"`
	Priority string `json:"priority,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Given    bool   `json:"given,omitempty"`
	Changed  bool   `json:"changed,omitempty"`
}

func (a *app) prioritizeVerb() *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:   "prioritize [UID…]",
		Short: "Set priorities by the rules in .vespe/rules/priority.yml",
		Long: "Set the priority of every open task, or of the ones you name, by the rules of the project.\n" +
			"A priority set by hand stays: `vespe task set UID priority=` lets the rules set it again.\n\n" +
			"The rules apply to a task when it is created or its objective changes, and to all tasks\n" +
			"when the rules change under an open workbench. This verb also runs the score command: score_command\n" +
			"of your config.toml, else the one of the rules if the store is trusted with it.",
		Example: "  vespe task prioritize\n  vespe task prioritize 3f9a1c --dry-run",
		GroupID: "task", ValidArgsFunction: a.CompleteTask(core.AnyNumber),
	}
	c.Flags().BoolVarP(&dry, "dry-run", "n", false, "show what would happen, without changes")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return a.prioritize(cmd.Context(), args, store.PrioritizeOptions{DryRun: dry, Scores: true})
	}
	return c
}

func (a *app) prioritize(ctx context.Context, refs []string, o store.PrioritizeOptions) error {
	_, s, snap, err := a.Begin(ctx)
	if err != nil {
		return err
	}
	if why := s.ReadOnly(); why != "" {
		return &model.Refusal{Code: model.CodeRefused, Op: model.Prioritize, Guard: "writable", Why: why}
	}
	if len(refs) > 0 {
		if o.UIDs, err = core.FindAll(snap, refs); err != nil {
			return err
		}
	}
	p, err := s.Prioritize(ctx, o)
	if err != nil {
		return err
	}
	a.Wrote = a.Wrote || p.Applied.Seq > 0
	obj := prioritizedObject{Seq: p.Applied.Seq, DryRun: o.DryRun, Rules: p.Rules, Scored: p.Scored, Tasks: []prioritizedTaskObject{}, Warnings: p.Warnings}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		x := prioritizedTaskObject{
			UID: string(t.UID), Was: string(t.Was), Priority: string(t.Verdict.Priority), Rule: t.Verdict.Rule, Given: t.Given, Changed: t.Changes,
		}
		if at, ok := snap.Index(t.UID); ok {
			x.Name = snap.Name(at)
		}
		if t.Given {
			x.Priority = x.Was
			obj.Given++
		}
		if t.Changes {
			obj.Changed++
		}
		if t.Changes || len(refs) > 0 {
			obj.Tasks = append(obj.Tasks, x)
		}
	}
	if a.JSON {
		return core.WriteJSON(a.Stdout, obj)
	}
	a.printPrioritized(obj)
	return nil
}

func (a *app) printPrioritized(obj prioritizedObject) {
	w := a.Prose(a.Stdout, 0)
	for _, t := range obj.Tasks {
		uid := model.UID(t.UID)
		is := orNone(t.Priority)
		if t.Changed {
			is = orNone(t.Was) + " → " + is
		}
		line := uid.Short() + "  " + core.Pad(is, 19) + "  " + visible.Line(t.Name)
		switch {
		case t.Given:
			line += "  (set by hand)"
		case t.Rule != "":
			line += "  (" + visible.Line(t.Rule) + ")"
		}
		fmt.Fprintln(w, line)
	}
	verb := "set"
	if obj.DryRun {
		verb = "would be set"
	}
	switch {
	case obj.Rules == "" && obj.Changed == 0:
		fmt.Fprintln(w, "No rules: .vespe/"+priority.Path+" doesn't exist. docs/format/priority.md describes it.")
	default:
		fmt.Fprintf(a.Stdout, "%d %s; %d set by hand and left alone\n", obj.Changed, verb, obj.Given)
	}
	a.PrintWarnings(obj.Warnings)
}

func orNone(p string) string {
	if p == "" {
		return "none"
	}
	return visible.Line(p)
}
