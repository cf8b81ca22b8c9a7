package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

func (a *app) waitVerb() *cobra.Command {
	var timeout time.Duration
	c := &cobra.Command{
		Use: "wait REQUEST|UID", Short: "Wait for a person's answer, or for the verdict on a plan",
		Long: "Wait until a request is answered, and print the answer. For a task, print the newest answer that\n" +
			"no agent has read yet. If there is none, wait until one of its open requests is answered. If none\n" +
			"is open, wait for a verdict on the plan that is current when the wait begins. Standard error says\n" +
			"what was printed, and so does the object of --json: a request with its id, or the verdict on a\n" +
			"revision of the plan. An agent gets each answer once: its next call for the task waits for the\n" +
			"next one. The id of a request gives the same answer every time.\n\n" +
			"Exit codes: 0 accepted, edited, answered or chosen; the answer is on standard output · 6 denied,\n" +
			"or the plan was rejected or asked about; the text is on standard output · 5 no one has decided\n" +
			"yet, which is not an answer (also when all questions about a plan are answered) · 4 superseded or\n" +
			"changed. Superseded means that there is a newer plan, the task has ended, or the cause is gone.\n" +
			"Changed means that the accepted plan, what it was accepted with or its approval has changed or\n" +
			"needs a signature, so work may not start.\n\n" +
			"The command has no state: if it is killed, call it again and it finds the answer. It keeps waiting\n" +
			"while the store is moved away, and any number of processes may wait. vespe records when an agent\n" +
			"has read the answer.",
		Example: "  vespe wait req-7c1d\n  vespe wait 3f9a1c --timeout 45s --json",
		GroupID: "request", Args: core.Between(1, 1), ValidArgsFunction: a.CompleteTask(1),
	}
	c.Flags().DurationVar(&timeout, "timeout", 0, "the maximum time to wait; 0 means no limit")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if timeout < 0 {
			return core.Usagef("--timeout can't be negative")
		}
		s, err := a.Open()
		if err != nil {
			return err
		}
		return a.wait(cmd.Context(), s, args[0], timeout)
	}
	return c
}

// codeOfWait is the exit code for how a waiting ended.
func codeOfWait(how desk.How) int {
	switch how {
	case desk.Yes:
		return core.ExitOK
	case desk.No:
		return core.ExitDenied
	case desk.Gone:
		return core.ExitConflict
	}
	return core.ExitPending
}

// waitsFor says for people what is waited for.
func waitsFor(snap *snapshot.Snapshot, w desk.Awaited) string {
	if len(w.Requests) == 0 {
		t, _ := snap.Task(w.UID)
		return fmt.Sprintf("the verdict on plan %d of %q", w.Revision, core.Title(t))
	}
	var open []model.Request
	for _, q := range snap.Requests() {
		if slices.Contains(w.Requests, q.ID) {
			open = append(open, q)
		}
	}
	if len(open) > 1 {
		return fmt.Sprintf("an answer to one of %d requests: %s", len(open), requestTitles(open))
	}
	return "an answer to " + requestTitles(open)
}

// requestTitles are requests in words, with the ids that name them.
func requestTitles(all []model.Request) string {
	var words []string
	for i := range all {
		words = append(words, fmt.Sprintf("%q (%s)", visible.Line(all[i].Title), visible.Line(all[i].ID)))
	}
	return strings.Join(words, ", ")
}

// decided says for people whose task is waited for which of its decisions came; "" where they named
// the one request themselves.
func decided(w desk.Awaited, o desk.Came) string {
	switch q := o.Request; {
	case w.UID == "" || o.How == desk.Undecided:
		return ""
	case q != nil && q.Answer != nil:
		return fmt.Sprintf("the answer to %s, %s by %s:", requestTitles([]model.Request{*q}), visible.Line(q.State), visible.Line(string(q.Answer.By)))
	case q != nil:
		return "about " + requestTitles([]model.Request{*q}) + ":"
	}
	return fmt.Sprintf("the verdict on plan %d of %q:", o.Verdict.Revision, visible.Line(o.Verdict.Name))
}

// wait waits for what a reference says, and prints what came of it.
func (a *app) wait(ctx context.Context, s *store.Store, ref string, timeout time.Duration) error {
	ctx, stop := core.Interruptible(ctx)
	defer stop()
	snap, _, err := a.Snapshot(ctx, s, false)
	if err != nil {
		return err
	}
	w, err := desk.AwaitedBy(snap, ref)
	if err != nil {
		return err
	}
	waiting := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	for told := false; ; told = true {
		o, done := w.In(snap)
		if done {
			if o, err = desk.StillHolds(ctx, s, snap, o); err != nil {
				return err
			}
			if of := decided(w, o); of != "" && !a.JSON {
				fmt.Fprintln(a.Stderr, of)
			}
			return a.came(ctx, s, snap, o)
		}
		if !told {
			fmt.Fprintln(a.Stderr, "waiting for "+waitsFor(snap, w))
		}
		there, now, err := a.next(waiting, s, snap)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return a.came(ctx, s, snap, o)
		case err != nil:
			return err
		}
		s, snap = there, now
	}
}

// next is the store when there is something new in its log, or it was away and is back.
func (a *app) next(ctx context.Context, s *store.Store, snap *snapshot.Snapshot) (*store.Store, *snapshot.Snapshot, error) {
	return desk.News(ctx, s, snap.Seq(), func(ctx context.Context) (*store.Store, *snapshot.Snapshot, error) {
		n, err := store.Open(s.Root(), a.Options())
		if err != nil {
			return nil, nil, err
		}
		now, _, err := a.Snapshot(ctx, n, false)
		if err != nil {
			_ = n.Close() // it was only read from
			return nil, nil, err
		}
		a.Opened = append(slices.DeleteFunc(a.Opened, func(o *store.Store) bool { return o == s }), n)
		_ = s.Close() // the same
		return n, now, nil
	})
}

// came prints what came of waiting. That an agent has read an answer is written down, so that
// anyone who wants to take it back knows.
func (a *app) came(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, o desk.Came) error {
	var obj any = o.Verdict
	if q := o.Request; q != nil {
		if o.How != desk.Undecided {
			q = a.fetched(ctx, s, snap, q)
		}
		obj = core.RequestOf(snap, q, a.Now())
	} else if o.How == desk.Yes || o.How == desk.No {
		snap = a.FetchedVerdict(ctx, s, snap, model.UID(o.Verdict.UID))
	}
	if a.JSON {
		name := "verdict"
		if o.Request != nil {
			name = "request"
		}
		all := map[string]any{name: obj}
		if r := a.reviewFor(ctx, s, snap, o); r != nil {
			all["review"] = r
		}
		if err := core.WriteJSON(a.Stdout, all); err != nil {
			return err
		}
	} else {
		text := a.reviewed(ctx, s, snap, o)
		if o.How == desk.Undecided {
			text = "no one has decided yet"
		}
		fmt.Fprintln(a.Stdout, visible.String(strings.TrimRight(text, "\n")))
	}
	if o.How == desk.Yes {
		return nil
	}
	return &core.Shown{Code: codeOfWait(o.How)}
}

// fetched marks an answer as read, when an agent reads it.
func (a *app) fetched(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, q *model.Request) *model.Request {
	if q.Answer == nil || q.Answer.FetchedBy != "" {
		return q
	}
	applied, ok := a.Fetch(ctx, s, "answer", model.Op{Name: model.FetchAnswer, UID: knownUID(snap, q.TaskUID), Args: model.RequestRef{Request: q.ID}})
	if !ok {
		return q
	}
	for _, now := range applied.Change.Requests {
		if now.ID == q.ID {
			return &now
		}
	}
	return q
}

// reviewFor is the review that a verdict on a plan came with, with all comments; nil where there
// is none, or it cannot be read.
func (a *app) reviewFor(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, o desk.Came) *desk.PlanReview {
	if o.Request != nil || o.How == desk.Gone || o.How == desk.Undecided || o.Verdict.Revision == 0 {
		return nil
	}
	r, err := desk.ReviewOf(ctx, s, snap, model.UID(o.Verdict.UID), o.Verdict.Revision)
	if err != nil {
		return nil
	}
	return r
}

// reviewed is the outcome in words; where comments came with a verdict, or parts were left out, the
// whole review.
func (a *app) reviewed(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, o desk.Came) string {
	if r := a.reviewFor(ctx, s, snap, o); r != nil && len(r.Comments)+len(r.Excluded) > 0 {
		return r.Markdown()
	}
	return o.Text
}
