package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/cli/core"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// askFlags are what `ask` is told.
type askFlags struct {
	core.OpFlags
	kind, title, detail, args, risk, expires, key string
	options, allow                                []string
	wait                                          bool
	timeout                                       time.Duration
}

func (a *app) askVerb(t model.Transition) *cobra.Command {
	var f askFlags
	c := &cobra.Command{
		Use: "UID --title TITLE", Short: t.Help,
		Long: "Ask a person about a task. The task waits until all of its requests are answered.\n\n" +
			"A question is answered with text, a choice with one of its --options. An action is approved as it is,\n" +
			"approved with other --args, or denied. --allow changes that. Asking again with the same --key returns the existing\n" +
			"request, so a process that was killed while waiting can ask again and get the answer.\n" +
			"Expiry (--expires) is never an answer: the request stays open, in a separate group.",
		Example: "  vespe request ask 3f9a1c --title \"Which port?\" --options 80,8080 --wait\n" +
			"  vespe request ask 3f9a1c --kind action --title Drop --args '{\"sql\":\"DROP\"}'",
		Args: core.Between(1, 1), ValidArgsFunction: a.CompleteTask(1),
	}
	flags := c.Flags()
	flags.StringVar(&f.kind, "kind", "", "action, question, choice or escalation; the default is choice with --options, else question")
	flags.StringVar(&f.title, "title", "", "the question in one line")
	flags.StringVar(&f.detail, "detail", "", "read the details from a file, or - for standard input")
	flags.StringSliceVar(&f.options, "options", nil, "the options of a choice, separated by commas")
	flags.StringVar(&f.args, "args", "", "the arguments of the action, as a JSON object")
	flags.StringSliceVar(&f.allow, "allow", nil, "the allowed answers: accept, edit, respond, deny")
	flags.StringVar(&f.risk, "risk", "", "low, medium or high")
	flags.StringVar(&f.expires, "expires", "", "when the answer is no longer useful: 2h, 3d, or an RFC 3339 time")
	flags.StringVar(&f.key, "key", "", "a key that identifies the request")
	flags.BoolVar(&f.wait, "wait", false, "wait for the answer, like vespe wait")
	flags.DurationVar(&f.timeout, "timeout", 0, "with --wait: the maximum time to wait; 0 means no limit")
	f.Add(c)
	c.RunE = func(cmd *cobra.Command, args []string) error { return a.ask(cmd.Context(), f, args[0]) }
	return c
}

// ask files a request, and waits for its answer if it is to.
func (a *app) ask(ctx context.Context, f askFlags, ref string) error {
	n, err := a.newRequest(f)
	if err != nil {
		return err
	}
	if f.timeout < 0 || f.timeout > 0 && !f.wait {
		return core.Usagef("--timeout needs --wait and can't be negative")
	}
	actor, s, snap, err := a.Begin(ctx)
	if err != nil {
		return err
	}
	uid, err := snap.Find(ref)
	if err != nil {
		return err
	}
	op := f.Op(model.Op{Name: model.Ask, UID: uid, Actor: actor, Args: *n})
	return a.DoAnd(ctx, s, snap, op, f.DryRun, func(applied snapshot.Applied) error {
		id := applied.Change.Request
		if f.wait {
			a.PrintWarnings(core.WarningsOf(applied))
			return a.wait(ctx, s, id, f.timeout)
		}
		return a.ReportMade(applied, uid, id+"  "+visible.Line(applied.Change.Summary))
	})
}

// newRequest is what the flags say.
func (a *app) newRequest(f askFlags) (*model.NewRequest, error) {
	n := &model.NewRequest{Kind: f.kind, Title: f.title, Options: f.options, Allow: f.allow, Risk: f.risk, Key: f.key}
	if n.Kind == "" && len(n.Options) > 0 {
		n.Kind = model.KindChoice
	}
	if strings.TrimSpace(f.title) == "" {
		return nil, core.Usagef("the title is missing: give the question in one line with --title")
	}
	if model.ReservedKey(f.key) {
		return nil, core.Usagef("--key: keys that begin with %q are reserved for hooks", f.key)
	}
	if f.args != "" {
		n.Args = []byte(strings.TrimSpace(f.args))
	}
	var err error
	if f.detail != "" {
		n.Detail, err = a.ReadText(f.detail, "detail")
	}
	if err == nil && f.expires != "" {
		n.ExpiresAt, err = expiry(f.expires, a.Now())
	}
	return n, err
}

// expiry reads a time, or how long from now.
func expiry(text string, now time.Time) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if d, err := core.ParseAgo(text); err == nil && d > 0 {
		return now.Add(d), nil
	}
	return time.Time{}, core.Usagef("--expires %q is not a time: give a duration (2h, 3d) or a time (2026-11-14T15:00:00Z)", text)
}

// answerFlags are what `answer` is told.
type answerFlags struct {
	core.OpFlags
	message, args, choice, seen string
}

func (a *app) answerVerb(t model.Transition) *cobra.Command {
	var f answerFlags
	c := &cobra.Command{
		Use: "REQUEST [DECISION]", Short: t.Help,
		Long: "Answer a request. REQUEST is its id, the start of its id, or a task with one open request.\n" +
			"DECISION is approve, edit, respond, deny, choose or defer; with --choice it is choose.\n\n" +
			"approve approves it as it is, edit with other --args. choose picks one of its options, by its text or\n" +
			"its number. A number says at a terminal which option that is, and asks; elsewhere it needs --seen.\n" +
			"respond answers with text. deny refuses, with a reason (-m). defer leaves it open. The request lists which\n" +
			"of these it allows. `vespe undo REQUEST` takes the answer back until something builds on it.",
		Example: "  vespe request answer req-7c1d approve\n  vespe request answer req-7c1d deny -m \"not on a Friday\"\n  vespe request answer req-7c1d --choice 2",
		Args:    core.Between(1, 2), ValidArgsFunction: a.completeAnswer, SuggestFor: []string{"approve", "deny"},
	}
	c.Flags().StringVarP(&f.message, core.MessageFlag, "m", "", "the text of the answer")
	c.Flags().StringVar(&f.args, "args", "", "edit: the new arguments, as a JSON object")
	c.Flags().StringVar(&f.choice, "choice", "", "the option, or its number")
	c.Flags().StringVar(&f.seen, "seen", "", "hash of the request that you read, from request list --json; fails if it has changed")
	f.Add(c)
	c.RunE = func(cmd *cobra.Command, args []string) error { return a.answer(cmd.Context(), f, args[0], args[1:]) }
	return c
}

func (a *app) completeAnswer(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	switch len(args) {
	case 0:
		return a.completeRequest(cmd.Context(), func(q *model.Request) bool { return q.IsOpen() })
	case 1:
		for _, d := range model.Decisions() {
			out = append(out, core.DecisionWord(d))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) answer(ctx context.Context, f answerFlags, ref string, rest []string) error {
	const use = "approve, edit, respond, deny, choose or defer"
	by := model.Answering{Text: f.message, Choice: f.choice}
	switch {
	case len(rest) > 0 && rest[0] == core.DecisionWord(model.DecideAccept):
		by.Decision = model.DecideAccept
	case len(rest) > 0:
		by.Decision = model.Decision(rest[0])
	case f.choice != "":
		by.Decision = model.DecideChoose
	default:
		return core.Usagef("the decision is missing: give %s, or an option with --choice", use)
	}
	if !slices.Contains(model.Decisions(), by.Decision) {
		return core.Usagef("unknown decision %q: use %s", by.Decision, use)
	}
	if f.args != "" {
		by.Args = []byte(strings.TrimSpace(f.args))
	}
	actor, s, snap, err := a.Begin(ctx)
	if err != nil {
		return err
	}
	op := f.Op(model.Op{Name: model.AnswerRequest, Actor: actor})
	q, err := desk.FindRequest(snap, ref)
	if err != nil {
		var task error
		if op.UID, task = snap.Find(ref); task != nil {
			return err
		}
		if open := model.OpenAmong(snap.Requests(), op.UID); len(open) == 1 {
			q = &open[0]
		}
	}
	number := false
	if q != nil {
		by.Request, by.Seen = q.ID, q.ContentHash()
		op.UID = knownUID(snap, q.TaskUID)
		if n, err := strconv.Atoi(f.choice); err == nil && n > 0 && n <= len(q.Options) && !slices.Contains(q.Options, f.choice) {
			by.Choice, number = q.Options[n-1], true
		}
	}
	if f.seen != "" {
		if by.Seen, err = core.SeenHash(f.seen); err != nil {
			return err
		}
	}
	if err := a.GuardPerson(op.Name, op.UID, ref, f.DryRun); err != nil {
		return err
	}
	if by.Decision == model.DecideDeny && by.Text == "" && q != nil && q.IsOpen() && !f.DryRun && a.Asks() {
		fmt.Fprint(a.Stderr, "Reason: ")
		by.Text, _ = a.Line()
	}
	op.Args = by
	lets := slices.Contains([]model.Decision{model.DecideAccept, model.DecideEdit, model.DecideChoose}, by.Decision)
	switch {
	case !lets || q == nil || f.seen != "" || f.DryRun:
	case !a.Asks() && number:
		return core.Usagef("the options may have changed since you read them: give --choice %q, or add --seen HASH from `vespe request list --json`", by.Choice)
	case a.Asks():
		core.PrintRequest(a.Prose(a.Stderr, 4), snap, q, a.Now())
		fmt.Fprintln(a.Stderr)
		if err := a.Sure(ctx, s, snap, op, "Answer it?", ""); err != nil {
			return err
		}
	}
	return a.Do(ctx, s, snap, op, f.DryRun)
}

// knownUID is the uid of a task that is there, or none: a request may outlive its task.
func knownUID(snap *snapshot.Snapshot, uid model.UID) model.UID {
	if _, ok := snap.Task(uid); !ok {
		return ""
	}
	return uid
}

// undoAnswer takes back the answer to a request.
func (a *app) undoAnswer(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, q *model.Request, f core.VerbFlags, actor model.Actor) error {
	uid := knownUID(snap, q.TaskUID)
	if err := a.GuardPerson(model.UndoVerdict, uid, q.Title, f.DryRun); err != nil {
		return err
	}
	op := f.Op(model.Op{Name: model.UndoVerdict, UID: uid, Actor: actor, Args: model.RequestRef{Request: q.ID}, Reason: f.Message})
	return a.undo(ctx, s, snap, op, f.DryRun)
}

// requestNamed is the request that a reference surely means: no task is called so.
func requestNamed(snap *snapshot.Snapshot, ref string) (*model.Request, bool) {
	q, err := desk.FindRequest(snap, ref)
	if err != nil {
		return nil, false
	}
	if _, err := snap.Find(ref); err == nil && q.ID != ref {
		return nil, false
	}
	return q, true
}

func (a *app) completeRequest(ctx context.Context, wanted func(*model.Request) bool) ([]string, cobra.ShellCompDirective) {
	_, snap, err := a.Load(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, q := range snap.Requests() {
		if wanted(&q) {
			out = append(out, q.ID+"\t"+visible.Line(q.Title))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) requestsVerb() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "list [REQUEST]", Aliases: []string{"requests"}, Short: "List open requests, or show one",
		Example: "  vespe request list\n  vespe request list --all --json\n  vespe request list req-7c1d",
		GroupID: "request", Args: core.Between(0, 1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeRequest(cmd.Context(), func(*model.Request) bool { return true })
		},
	}
	c.Flags().BoolVar(&all, "all", false, "include closed requests")
	return a.View(c, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		if len(args) == 1 {
			q, err := desk.FindRequest(snap, args[0])
			if err != nil {
				return nil, err
			}
			if a.JSON {
				return nil, a.PrintMember("request", core.RequestOf(snap, q, a.Now()))
			}
			core.PrintRequest(a.Prose(a.Stdout, 4), snap, q, a.Now())
			return nil, nil
		}
		return nil, a.listRequests(snap, all)
	})
}

func (a *app) listRequests(snap *snapshot.Snapshot, all bool) error {
	now := a.Now()
	objects := []core.RequestObject{}
	requests := slices.DeleteFunc(slices.Clone(snap.Requests()), func(q model.Request) bool { return !all && !q.IsOpen() })
	for i := range requests {
		objects = append(objects, core.RequestOf(snap, &requests[i], now))
	}
	if a.JSON {
		return a.PrintMember("requests", objects)
	}
	w := a.Prose(a.Stdout, 0)
	for i, o := range objects {
		q := &requests[i]
		line := core.Pad(visible.Line(o.ID), 16) + "  " + core.Pad(core.RequestState(q, now), 10) + "  " + core.Pad(visible.Line(o.Kind), 10) + "  " + visible.Line(o.Title)
		if o.Name != "" {
			line += "  (" + visible.Line(o.Name) + ")"
		}
		if o.CreatedAt != nil {
			line += "  " + model.Age(now.Sub(*o.CreatedAt))
		}
		fmt.Fprintln(w, line)
	}
	if len(objects) == 0 {
		fmt.Fprintln(a.Stdout, "No open requests.")
	}
	return nil
}
