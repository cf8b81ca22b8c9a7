package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"vespe/model"
	"vespe/store"
)

// maxText bounds what is read as an objective, a plan or a reason: 16 MiB.
const maxText = 16 << 20

// verbFlags are the values that the flags of one transition's verb fill in.
type verbFlags struct {
	opFlags
	commentFlags
	file, message, worker, seen string
	failure                     bool
}

// messageFlag is the one flag that may be empty: what a blank reason means is the row's
// to say.
const messageFlag = "message"

func (a *app) transitionVerb(t model.Transition) *cobra.Command {
	var f verbFlags
	use := t.Name.Verb() + " UID"
	if t.Name == model.UndoVerdict {
		use += "|REQUEST"
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
		Long:              t.Title + ": " + t.Help + "\n\nFrom: " + t.FromText + "\nTo:   " + t.ToText + "\nWho:  " + t.Who.String() + "\n\n" + t.Effect,
		Example:           "  vespe " + strings.ReplaceAll(t.Example, "\n", "\n  vespe "),
		GroupID:           "life",
		Args:              between(least, positional),
		ValidArgsFunction: a.completeTask(least),
	}
	if hasText {
		c.Flags().StringVarP(&f.file, "file", "f", "", "read the "+text.Name+" from a file, or - for standard input")
	}
	if hasReason || hasText {
		help := "why"
		if !hasReason {
			help = "the " + text.Name + " as a message"
		}
		c.Flags().StringVarP(&f.message, messageFlag, "m", "", help)
	}
	if arg, ok := argOf(t, model.ArgActor); ok {
		c.Flags().StringVar(&f.worker, arg.Name, "", arg.Help)
	}
	if arg, ok := argOf(t, model.ArgBool); ok {
		c.Flags().BoolVar(&f.failure, arg.Name, false, arg.Help)
	}
	if t.Name == model.AcceptPlan {
		c.Flags().StringVar(&f.seen, "seen", "", "hash of the plan that was read, as in show --json; a changed plan is refused. Without it a terminal shows the plan and asks")
	}
	f.opFlags.add(c)
	f.commentFlags.add(c, t.Name)
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
func (a *app) fire(ctx context.Context, t model.Transition, f verbFlags, args []string) error {
	actor, s, snap, err := a.begin(ctx)
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
		return a.repeated(ctx, s, f.op(model.Op{Name: t.Name, Actor: actor}), err)
	}
	if err := a.guardHuman(t, snap, uid, f.dryRun); err != nil {
		return err
	}
	if t.Name == model.Start && actor.Kind() == model.Human && model.NeedsConsent(a.world(ctx, snap, s), uid) {
		// Who starts it as a person allows it as one.
		task, _ := snap.Task(uid)
		if err := a.guardPerson(t.Name, uid, task.Config.Name, f.dryRun); err != nil {
			return err
		}
	}
	if t.Name == model.Start && actor.Kind() == model.Human && !f.dryRun {
		if snap, err = a.confirmElsewhere(ctx, s, snap, uid, actor); err != nil {
			return err
		}
	}
	op := f.op(model.Op{Name: t.Name, UID: uid, Actor: actor, Failure: f.failure, ByHand: t.Name == model.Reopen && f.failure})
	rest := args[1:]
	if _, ok := argOf(t, model.ArgUID); ok {
		if op.Subtask, err = snap.Find(rest[0]); err != nil {
			return err
		}
		rest = rest[1:]
	}
	if _, ok := argOf(t, model.ArgComment); ok {
		op.Comment = rest[0]
		rest = rest[1:]
	}
	if err := a.words(t, f, rest, &op); err != nil {
		return err
	}
	if op.Name == model.WorkCompleted {
		if err := a.claim(ctx, s, snap, op, f.dryRun); err != nil {
			return err
		}
	}
	if err := f.fill(ctx, a, s, snap, &op); err != nil {
		return err
	}
	if f.worker != "" {
		if op.Worker, err = model.ParseActor(f.worker); err != nil {
			return usagef("--worker: %s", err)
		}
	}
	if t.Verdict && t.Who == model.WhoHuman {
		if err := a.bind(ctx, s, snap, &op, f); err != nil {
			return err
		}
	}
	return a.do(ctx, s, snap, op, f.dryRun)
}

// bind ties a verdict to what is there now, with the person's signature.
func (a *app) bind(ctx context.Context, s *store.Store, snap *model.Snapshot, op *model.Op, f verbFlags) (err error) {
	plan := ""
	if f.seen != "" {
		if plan, err = planHash(f.seen); err != nil {
			return err
		}
	}
	if !f.dryRun {
		if snap, err = a.settled(ctx, s, snap, op.UID); err != nil {
			return err
		}
	}
	texts, err := a.seeNow(ctx, s, snap, op, plan)
	if err != nil || f.dryRun {
		return err
	}
	if op.Name == model.AcceptPlan && f.seen == "" && a.StdinTerminal && a.StderrTerminal {
		if err = a.confirm(ctx, s, snap, *op, texts); err != nil {
			return err
		}
	}
	if op.Name == model.ReviewAccepted && a.StdinTerminal && a.StderrTerminal {
		if err = a.confirmWork(ctx, s, snap, *op); err != nil {
			return err
		}
	}
	return a.sign(ctx, s, snap, op)
}

// settled is the store once what somebody wrote into a task's comments past vespe is taken over: a
// verdict that went along with that would be on other comments than were there to be read.
func (a *app) settled(ctx context.Context, s *store.Store, snap *model.Snapshot, uid model.UID) (*model.Snapshot, error) {
	took, err := s.SettleComments(ctx, uid)
	if err != nil || took == nil {
		return snap, err
	}
	return took.Snapshot, nil
}

// words fills in what the transition is to say: its reason, its text, or both.
func (a *app) words(t model.Transition, f verbFlags, rest []string, op *model.Op) error {
	reason, hasReason := argOf(t, model.ArgReason)
	if hasReason {
		if reason.Required && f.message == "" && f.comments == "" {
			return usagef("it needs a reason: give %s with -m", reason.Help)
		}
		op.Reason = f.message
	}
	text, hasText := argOf(t, model.ArgText)
	if !hasText {
		return nil
	}
	if hasReason {
		f.message = ""
	}
	var err error
	op.Text, err = a.text(text, f, rest)
	return err
}

// text is the transition's text: an argument, a file, standard input, or -m where the
// row takes no reason of its own.
func (a *app) text(arg model.Arg, f verbFlags, rest []string) (string, error) {
	given := 0
	for _, has := range []bool{len(rest) > 0, f.file != "", f.message != ""} {
		if has {
			given++
		}
	}
	switch {
	case given > 1:
		return "", usagef("give the %s once: as an argument, with --file, or with -m", arg.Name)
	case len(rest) > 0 && rest[0] == "-", f.file == "-":
		return a.readAll(arg.Name)
	case len(rest) > 0:
		return rest[0], a.noPath(arg.Name, rest[0])
	case f.file != "":
		return a.readFile(f.file)
	case f.message != "":
		return f.message, nil
	case arg.Required:
		return "", usagef("give the %s: as an argument, with --file F, or - for standard input", arg.Name)
	}
	return "", nil
}

// noPath refuses the path of a file where its text was meant: nobody's whole plan is "plan.md".
func (a *app) noPath(what, text string) error {
	if strings.ContainsFunc(text, unicode.IsSpace) || !strings.ContainsAny(text, "./") {
		return nil
	}
	if info, err := os.Stat(absolute(a.Dir, text)); err == nil && info.Mode().IsRegular() {
		return usagef("%q is a file: give the %s in it with --file %s; should the name itself be the %s, with - from standard input", text, what, text, what)
	}
	return nil
}

// readAll reads a text from standard input.
func (a *app) readAll(what string) (string, error) {
	if a.StdinTerminal {
		fmt.Fprintf(a.Stderr, "Type the %s, then ctrl+d on a line of its own.\n", what)
	}
	return readText(a.Stdin, "the "+what+" from standard input")
}

// readNamed is a file's text, or what stands on standard input for "-".
func (a *app) readNamed(name, what string) (string, error) {
	if name == "-" {
		return a.readAll(what)
	}
	return a.readFile(name)
}

func (a *app) readFile(name string) (string, error) {
	file, err := os.Open(absolute(a.Dir, name))
	if err != nil {
		return "", usagef("%s", err)
	}
	defer file.Close()
	return readText(file, name)
}

func readText(r io.Reader, what string) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxText+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading %s: %w", what, err)
	case len(b) > maxText:
		return "", usagef("%s is larger than %d MiB: shorten it, or put long text into files under result/", what, maxText>>20)
	case bytes.IndexByte(b, 0) >= 0:
		return "", usagef("%s is not text: it has a NUL byte", what)
	}
	return string(b), nil
}

// planHash reads a hash as people paste it.
func planHash(hash string) (string, error) {
	digits := strings.ToLower(strings.TrimPrefix(hash, "sha256-"))
	if b, err := hex.DecodeString(digits); err != nil || len(b) != sha256.Size {
		return "", usagef("--seen %q is not a hash: write sha256- and 64 hexadecimal digits, as in show --json", hash)
	}
	return "sha256-" + digits, nil
}
