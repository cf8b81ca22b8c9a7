package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

const (
	waitStep  = 2 * time.Second        // between two looks whether the store is where it was
	waitAgain = 200 * time.Millisecond // between two tries to open one that is not there
)

func (a *app) waitVerb() *cobra.Command {
	var timeout time.Duration
	c := &cobra.Command{
		Use: "wait REQUEST|UID", Short: "Wait for a person's answer, or for the verdict on a plan",
		Long: "Wait until a request is answered, and print the answer. For a task: the newest answer about it that no agent has\n" +
			"read yet, at once; where there is none, until one of the requests about it that wait is answered; where\n" +
			"nothing waits, until there is a verdict on the plan that stood when the waiting began. Which of them it\n" +
			"was is said on standard error, and is in the object of --json: a request with its id, or the verdict on\n" +
			"a revision of the plan. An agent that reads an answer has it once: the next call for the task goes on to\n" +
			"what is next. The id of a request gives the same answer however often.\n\n" +
			"Exit codes: 0 accepted, edited, answered or chosen, with the answer on standard output · 6 denied, or the plan\n" +
			"rejected or asked about, with the text on standard output · 5 nobody has decided yet, which is no answer, nor\n" +
			"is a plan that was asked about once every question is answered · 4 superseded: a newer plan was made, the\n" +
			"task has ended, its cause has gone; or changed: the plan was accepted, and it, what it was accepted with or\n" +
			"its approval is not what it was since, so that it may not be started.\n\n" +
			"Nothing is kept by waiting: killed and called again, it finds the answer. It waits on while the store is moved\n" +
			"away, and any number may wait. That an agent has read the answer is written down.",
		Example: "  vespe wait req-7c1d\n  vespe wait 3f9a1c --timeout 45s --json",
		GroupID: "look", Args: between(1, 1), ValidArgsFunction: a.completeTask(1),
	}
	c.Flags().DurationVar(&timeout, "timeout", 0, "no longer than this; 0 is for ever")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if timeout < 0 {
			return usagef("--timeout is below 0")
		}
		s, err := a.open()
		if err != nil {
			return err
		}
		return a.wait(cmd.Context(), s, args[0], timeout)
	}
	return c
}

// awaited is what somebody waits for: one of some requests, or the verdict on a task's plan.
type awaited struct {
	requests []string
	uid      model.UID
	revision int
}

// awaitedBy is what a reference says that is to be waited for.
func awaitedBy(snap *model.Snapshot, ref string) (awaited, error) {
	q, qerr := findRequest(snap, ref)
	uid, terr := snap.Find(ref)
	switch {
	case qerr == nil && (terr != nil || q.ID == ref):
		return awaited{requests: []string{q.ID}}, nil //nolint:nilerr // that it names no task is as it should be
	case terr != nil && codeOf(qerr) == model.CodeAmbiguous:
		return awaited{}, qerr
	case terr != nil:
		return awaited{}, terr
	}
	w := awaited{uid: uid}
	var unread *model.Request // the newest answer that nobody has read
	all := snap.Requests()
	for i := range all {
		q := &all[i]
		if q.TaskUID != uid || !q.Holds() {
			continue
		}
		if q.IsOpen() {
			w.requests = append(w.requests, q.ID)
		} else if a := q.Answer; a != nil && a.FetchedBy == "" && a.ActedBy == "" && (unread == nil || a.At.After(unread.Answer.At)) {
			unread = q
		}
	}
	if unread != nil {
		w.requests = []string{unread.ID}
		return w, nil
	}
	if len(w.requests) > 0 {
		return w, nil
	}
	t, _ := snap.Task(uid)
	if w.revision = t.Status.PlanRevision; w.revision == 0 {
		return w, &model.Refusal{
			Code: model.CodeRefused, UID: uid, Task: t.Config.Name, Guard: model.GuardPlan,
			Why: "there is no plan to be decided on, and nothing was asked", Hint: "define its plan, or ask",
		}
	}
	return w, nil
}

// outcome is what came of waiting.
type outcome struct {
	code    int
	request *model.Request // nil for a plan
	verdict verdictObject
	text    string // for people: the answer itself
}

// verdictObject is a person's verdict on a plan.
type verdictObject struct {
	UID      string     `json:"uid"`
	Name     string     `json:"name,omitempty"`
	Revision int        `json:"plan_revision"`
	State    string     `json:"state"` // pending, accepted, rejected, asked, deferred, superseded, changed
	By       string     `json:"by,omitempty"`
	At       *time.Time `json:"at,omitempty"`
	Text     string     `json:"text,omitempty"`
}

// in is what a snapshot says; done is false while nobody has decided.
func (w *awaited) in(snap *model.Snapshot) (o outcome, done bool) {
	if len(w.requests) > 0 {
		return w.requestIn(snap)
	}
	return w.planIn(snap)
}

// named says for people what is waited for.
func (w *awaited) named(snap *model.Snapshot) string {
	if len(w.requests) == 0 {
		t, _ := snap.Task(w.uid)
		return fmt.Sprintf("the verdict on plan %d of %q", w.revision, title(t))
	}
	var open []model.Request
	for _, q := range snap.Requests() {
		if slices.Contains(w.requests, q.ID) {
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
func (w *awaited) decided(o outcome) string {
	switch q := o.request; {
	case w.uid == "" || o.code == exitPending:
		return ""
	case q != nil && q.Answer != nil:
		return fmt.Sprintf("the answer to %s, %s by %s:", requestTitles([]model.Request{*q}), visible.Line(q.State), visible.Line(string(q.Answer.By)))
	case q != nil:
		return "about " + requestTitles([]model.Request{*q}) + ":"
	}
	return fmt.Sprintf("the verdict on plan %d of %q:", o.verdict.Revision, visible.Line(o.verdict.Name))
}

func (w *awaited) requestIn(snap *model.Snapshot) (o outcome, done bool) {
	all := snap.Requests()
	var first, open *model.Request
	for i := range all {
		q := &all[i]
		switch {
		case !slices.Contains(w.requests, q.ID):
		case q.IsOpen():
			open = q
		case first == nil || q.Answer != nil && (first.Answer == nil || q.Answer.At.Before(first.Answer.At)):
			first = q
		}
	}
	switch {
	case first == nil && open != nil:
		return outcome{code: exitPending, request: open}, false
	case first == nil:
		gone := &model.Request{ID: w.requests[0], State: model.RequestSuperseded}
		return outcome{code: exitConflict, request: gone, text: "it is gone"}, true
	}
	o = outcome{request: first, text: answerText(first)}
	switch first.State {
	case model.RequestDenied:
		o.code = exitDenied
	case model.RequestSuperseded:
		o.code, o.text = exitConflict, "superseded: its cause has gone"
	}
	return o, true
}

// answerText is the answer in what of it matters to whoever asked.
func answerText(q *model.Request) string {
	a := q.Answer
	if a == nil {
		return q.State
	}
	lines := []string{a.Choice, string(a.Args), strings.TrimSpace(a.Text)}
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	if len(lines) == 0 {
		return q.State
	}
	return strings.Join(lines, "\n")
}

// wait waits for what a reference says, and prints what came of it.
func (a *app) wait(ctx context.Context, s *store.Store, ref string, timeout time.Duration) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	snap, _, err := a.snapshot(ctx, s, false)
	if err != nil {
		return err
	}
	w, err := awaitedBy(snap, ref)
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
		o, done := w.in(snap)
		if done {
			if o, err = a.stillHolds(ctx, s, snap, o); err != nil {
				return err
			}
			if of := w.decided(o); of != "" && !a.json {
				fmt.Fprintln(a.Stderr, of)
			}
			return a.came(ctx, s, snap, o)
		}
		if !told {
			fmt.Fprintln(a.Stderr, "waiting for "+w.named(snap))
		}
		s, snap, err = a.next(waiting, s, snap)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return a.came(ctx, s, snap, o)
		case err != nil:
			return err
		}
	}
}

// next is the store when there is something new in its log, or it was away and is back.
func (a *app) next(ctx context.Context, s *store.Store, snap *model.Snapshot) (*store.Store, *model.Snapshot, error) {
	place := filepath.Join(s.Root(), store.Name)
	was, _ := os.Stat(place)
	for {
		head, err := s.Await(ctx, snap.Seq(), waitStep)
		if ctx.Err() != nil {
			return s, snap, ctx.Err()
		}
		now, gone := os.Stat(place)
		if err == nil && gone == nil && os.SameFile(was, now) {
			if head <= snap.Seq() {
				continue
			}
			fresh, err := s.Refresh(ctx)
			if err == nil && fresh.Seq() > snap.Seq() {
				return s, fresh, nil
			}
		}
		if s, snap, err = a.reopen(ctx, s, snap); err != nil {
			return s, snap, err
		}
		return s, snap, nil
	}
}

// reopen opens a store again, which may have been moved away, as soon as it is there.
func (a *app) reopen(ctx context.Context, s *store.Store, snap *model.Snapshot) (*store.Store, *model.Snapshot, error) {
	for {
		again := time.NewTimer(waitAgain)
		select {
		case <-ctx.Done():
			again.Stop()
			return s, snap, ctx.Err()
		case <-again.C:
		}
		n, err := store.Open(s.Root(), a.options())
		if err != nil {
			continue
		}
		now, _, err := a.snapshot(ctx, n, false)
		if err != nil {
			_ = n.Close() // it was only read from
			continue
		}
		a.opened = append(slices.DeleteFunc(a.opened, func(o *store.Store) bool { return o == s }), n)
		_ = s.Close() // the same
		return n, now, nil
	}
}

// came prints what came of waiting. That an agent has read an answer is written down, so that
// whoever wants to take it back knows.
func (a *app) came(ctx context.Context, s *store.Store, snap *model.Snapshot, o outcome) error {
	var obj any = o.verdict
	if q := o.request; q != nil {
		if o.code != exitPending {
			q = a.fetched(ctx, s, snap, q)
		}
		obj = requestOf(snap, q, a.Now())
	} else if o.code == exitOK || o.code == exitDenied {
		snap = a.fetchedVerdict(ctx, s, snap, model.UID(o.verdict.UID))
	}
	if a.json {
		name := "verdict"
		if o.request != nil {
			name = "request"
		}
		all := map[string]any{name: obj}
		if r := a.reviewFor(ctx, s, snap, o); r != nil {
			all["review"] = r
		}
		if err := writeJSON(a.Stdout, all); err != nil {
			return err
		}
	} else {
		text := a.reviewed(ctx, s, snap, o)
		if o.code == exitPending {
			text = "nobody has decided yet"
		}
		fmt.Fprintln(a.Stdout, visible.String(strings.TrimRight(text, "\n")))
	}
	if o.code == exitOK {
		return nil
	}
	return &shown{o.code}
}

// fetched marks an answer as read, when an agent reads it.
func (a *app) fetched(ctx context.Context, s *store.Store, snap *model.Snapshot, q *model.Request) *model.Request {
	if q.Answer == nil || q.Answer.FetchedBy != "" {
		return q
	}
	applied, ok := a.fetch(ctx, s, "answer", model.Op{Name: model.FetchAnswer, UID: knownUID(snap, q.TaskUID), Request: q.ID})
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
