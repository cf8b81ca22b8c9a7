package lifecycle

import (
	"context"
	"fmt"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/store"
)

func (a *app) transitionVerb(t model.Transition) *cobra.Command {
	var f core.VerbFlags
	use := "UID"
	example := t.Name.Command()
	if t.Name == model.UndoVerdict {
		use += "|REQUEST"
		example = "vespe undo"
	}
	text, hasText := argOf(t, model.ArgText)
	_, hasReason := argOf(t, model.ArgReason)
	subtask, hasSubtask := argOf(t, model.ArgUID)
	positional := 1
	if hasSubtask {
		use += " " + strings.ToUpper(subtask.Name)
		positional++
	}
	if comment, ok := argOf(t, model.ArgComment); ok {
		use += " " + strings.ToUpper(comment.Name)
		positional++
	}
	if hasText {
		use += " [" + strings.ToUpper(text.Name) + "|-]"
		positional++
	}
	least := 1
	if positional > least && !hasText {
		least = positional // a task and what else the transition is about
	}
	c := &cobra.Command{
		Use:               use,
		Short:             t.Help,
		Long:              t.Name.Title() + ": " + t.Help + "\n\nFrom: " + t.FromText + "\nTo:   " + t.ToText + "\nWho:  " + t.Who.String() + "\n\n" + t.Effect,
		Example:           "  " + example + " " + t.Example,
		Args:              core.Between(least, positional),
		ValidArgsFunction: a.CompleteTask(least),
	}
	if hasText {
		c.Flags().StringVarP(&f.File, "file", "f", "", "read the "+text.Name+" from a file, or - for standard input")
	}
	if hasReason || hasText {
		help := "why"
		if !hasReason {
			help = "the " + text.Name + " as a message"
		}
		c.Flags().StringVarP(&f.Message, core.MessageFlag, "m", "", help)
	}
	if arg, ok := argOf(t, model.ArgActor); ok {
		c.Flags().StringVar(&f.Worker, arg.Name, "", arg.Help)
	}
	if arg, ok := argOf(t, model.ArgBool); ok {
		c.Flags().BoolVar(&f.Failure, arg.Name, false, arg.Help)
	}
	if t.Name == model.AcceptPlan || t.Name == model.ReviewAccepted {
		c.SuggestFor = []string{"approve"}
	}
	if t.Name == model.AcceptPlan {
		c.Flags().StringVar(&f.Seen, "seen", "", "hash of the plan that you read, from show --json; fails if the plan has changed. Without it, a terminal "+
			"says what to look at, and asks")
	}
	f.OpFlags.Add(c)
	f.CommentFlags.Add(c, t.Name)
	c.RunE = func(cmd *cobra.Command, args []string) error { return a.fire(cmd.Context(), t, f, args) }
	return c
}

// argOf is the row's argument of one kind.
func argOf(t model.Transition, kind model.ArgKind) (model.Arg, bool) {
	for _, arg := range t.Args {
		if arg.Kind == kind {
			return arg, true
		}
	}
	return model.Arg{}, false
}

// fire does one transition and prints what came of it.
func (a *app) fire(ctx context.Context, t model.Transition, f core.VerbFlags, args []string) error {
	actor, s, snap, err := a.Begin(ctx)
	if err != nil {
		return err
	}
	if t.Name == model.UndoVerdict {
		if q, ok := requestNamed(snap, args[0]); ok {
			return a.undoAnswer(ctx, s, snap, q, f, actor)
		}
	}
	uid, err := snap.Find(args[0])
	if err != nil {
		return a.Repeated(ctx, s, f.Op(model.Op{Name: t.Name, Actor: actor}), err)
	}
	if err := a.GuardHuman(t, snap, uid, f.DryRun); err != nil {
		return err
	}
	if t.Name == model.Start && actor.Kind() == model.Human && lifecycle.NeedsConsent(a.World(ctx, snap, s), uid) {
		// Who starts it as a person allows it as one.
		task, _ := snap.Task(uid)
		if err := a.GuardPerson(t.Name, uid, task.Config.Name, f.DryRun); err != nil {
			return err
		}
	}
	if t.Name == model.Start && actor.Kind() == model.Human && !f.DryRun {
		if snap, err = a.ConfirmElsewhere(ctx, s, snap, uid, actor); err != nil {
			return err
		}
	}
	op := f.Op(model.Op{Name: t.Name, UID: uid, Actor: actor})
	if err := a.arguments(snap, t, f, args[1:], &op); err != nil {
		return err
	}
	if op.Name == model.WorkCompleted {
		if err := a.Claim(ctx, s, snap, op, f.DryRun); err != nil {
			return err
		}
	}
	if err := f.Fill(ctx, a.App, s, snap, &op); err != nil {
		return err
	}
	if t.Verdict && t.Who == model.WhoHuman {
		if err := a.Bind(ctx, s, snap, &op, f); err != nil {
			return err
		}
	}
	if op.Name == model.UndoVerdict {
		return a.undo(ctx, s, snap, op, f.DryRun)
	}
	return a.Do(ctx, s, snap, op, f.DryRun)
}

// undo asks at a terminal first, where somebody else decided, and then takes back only what was shown.
func (a *app) undo(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op model.Op, dryRun bool) error {
	if !dryRun && a.Asks() {
		if t, ok := snap.Task(op.UID); ok && op.ExpectRevision == 0 {
			op.ExpectRevision = t.Status.Revision
		}
		if err := a.Sure(ctx, s, snap, op, "Undo it?", "decided_by"); err != nil {
			return err
		}
	}
	return a.Do(ctx, s, snap, op, dryRun)
}

// arguments gives the operation those that its row lists, from the flags and from what follows the task.
func (a *app) arguments(snap *snapshot.Snapshot, t model.Transition, f core.VerbFlags, rest []string, op *model.Op) (err error) {
	_, hasReason := argOf(t, model.ArgReason)
	for _, arg := range t.Args {
		var value any
		switch arg.Kind {
		case model.ArgUID:
			value, err = snap.Find(rest[0])
			rest = rest[1:]
		case model.ArgComment:
			value, rest = rest[0], rest[1:]
		case model.ArgBool:
			value = f.Failure
		case model.ArgActor:
			if f.Worker == "" {
				continue
			}
			if value, err = model.ParseActor(f.Worker); err != nil {
				err = core.Usagef("--%s: %s", arg.Name, err)
			}
		case model.ArgReason:
			if arg.Required && f.Message == "" && f.Comments == "" && !f.DryRun && a.Asks() && lifecycle.Allowed(snap, *op) == nil {
				fmt.Fprintf(a.Stderr, "%s: ", model.Capital(arg.Help))
				f.Message, _ = a.Line()
			}
			if value = f.Message; arg.Required && f.Message == "" && f.Comments == "" {
				err = core.Usagef("the reason is missing: say with -m %s", arg.Help)
			}
		case model.ArgText:
			if hasReason {
				f.Message = ""
			}
			value, err = a.text(arg, f, rest)
		}
		if err != nil {
			return err
		}
		lifecycle.SetArg(op, arg.Name, value)
	}
	return nil
}

// text is the transition's text: an argument, a file, standard input, or -m where the
// row takes no reason of its own.
func (a *app) text(arg model.Arg, f core.VerbFlags, rest []string) (string, error) {
	given := 0
	for _, has := range []bool{len(rest) > 0, f.File != "", f.Message != ""} {
		if has {
			given++
		}
	}
	switch {
	case given > 1:
		return "", core.Usagef("give the %s once: as an argument, with --file, or with -m", arg.Name)
	case len(rest) > 0 && rest[0] == "-":
		return a.ReadText("-", arg.Name)
	case len(rest) > 0:
		return rest[0], a.noPath(arg.Name, rest[0])
	case f.File != "":
		return a.ReadText(f.File, arg.Name)
	case f.Message != "":
		return f.Message, nil
	case arg.Required:
		return "", core.Usagef("give the %s: as an argument, with --file F, or - for standard input", arg.Name)
	}
	return "", nil
}

// noPath refuses the path of a file where its text was meant: nobody's whole plan is "plan.md".
func (a *app) noPath(what, text string) error {
	if strings.ContainsFunc(text, unicode.IsSpace) || !strings.ContainsAny(text, "./") {
		return nil
	}
	if info, err := os.Stat(core.Absolute(a.Dir, text)); err == nil && info.Mode().IsRegular() {
		return core.Usagef("%q is a file: to read the %s from it, use --file %s; to use the name itself as the %s, pass it with - "+
			"on standard input", text, what, text, what)
	}
	return nil
}
