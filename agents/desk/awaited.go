package desk

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
	"vespe/store/view"
)

// Awaited is what somebody waits for: one of some requests, or the verdict on a task's plan.
type Awaited struct {
	Requests []string
	UID      model.UID // of the task that was named; "" where a request was
	Revision int       // of its plan; 0 for requests
}

// AwaitedBy is what a reference says that is to be waited for: the request that it names; of a task the newest
// answer that no agent has read, else the requests that wait about it, else the verdict on its plan.
func AwaitedBy(snap *snapshot.Snapshot, ref string) (Awaited, error) {
	q, qerr := FindRequest(snap, ref)
	uid, terr := snap.Find(ref)
	var no *model.Refusal
	if qerr != nil {
		no, _ = qerr.(*model.Refusal) //nolint:errorlint // FindRequest returns nothing else
	}
	switch {
	case qerr == nil && (terr != nil || q.ID == ref):
		return Awaited{Requests: []string{q.ID}}, nil //nolint:nilerr // that it names no task is as it should be
	case terr != nil && no != nil && no.Code == model.CodeAmbiguous:
		return Awaited{}, qerr
	case terr != nil:
		return Awaited{}, terr
	}
	w := Awaited{UID: uid}
	var unread *model.Request // the newest answer that nobody has read
	all := snap.Requests()
	for i := range all {
		q := &all[i]
		if q.TaskUID != uid || !q.Holds() {
			continue
		}
		if q.IsOpen() {
			w.Requests = append(w.Requests, q.ID)
		} else if a := q.Answer; a != nil && a.FetchedBy == "" && a.ActedBy == "" && (unread == nil || a.At.After(unread.Answer.At)) {
			unread = q
		}
	}
	if unread != nil {
		w.Requests = []string{unread.ID}
		return w, nil
	}
	if len(w.Requests) > 0 {
		return w, nil
	}
	t, _ := snap.Task(uid)
	if w.Revision = t.Status.PlanRevision; w.Revision == 0 {
		return w, &model.Refusal{
			Code: model.CodeRefused, UID: uid, Task: t.Config.Name, Guard: model.GuardPlan,
			Why: "there is no plan to review and no question", Hint: "define its plan, or ask",
		}
	}
	return w, nil
}

// How says how a waiting ended.
type How uint8

// How a waiting ends. Undecided is no end, and never an answer.
const (
	Undecided How = iota
	Yes           // accepted, edited, answered or chosen
	No            // denied; of a plan: rejected, or asked about
	Gone          // superseded, or accepted and changed since: there is nothing more to wait for
)

// Came is what came of waiting.
type Came struct {
	How     How
	Request *model.Request // nil for a plan
	Verdict Verdict
	Text    string // for people: the answer itself
}

// Verdict is a person's verdict on a plan.
type Verdict struct {
	UID      string     `json:"uid"`
	Name     string     `json:"name,omitempty"`
	Revision int        `json:"plan_revision"`
	State    string     `json:"state"` // pending, accepted, rejected, asked, deferred, superseded, changed
	By       string     `json:"by,omitempty"`
	At       *time.Time `json:"at,omitempty"`
	Text     string     `json:"text,omitempty"`
}

// In is what a snapshot says; done is false while nobody has decided.
func (w *Awaited) In(snap *snapshot.Snapshot) (c Came, done bool) {
	if len(w.Requests) > 0 {
		return w.requestIn(snap)
	}
	return w.planIn(snap)
}

func (w *Awaited) requestIn(snap *snapshot.Snapshot) (c Came, done bool) {
	all := snap.Requests()
	var first, open *model.Request
	for i := range all {
		q := &all[i]
		switch {
		case !slices.Contains(w.Requests, q.ID):
		case q.IsOpen():
			open = q
		case first == nil || q.Answer != nil && (first.Answer == nil || q.Answer.At.Before(first.Answer.At)):
			first = q
		}
	}
	switch {
	case first == nil && open != nil:
		return Came{Request: open}, false
	case first == nil:
		gone := &model.Request{ID: w.Requests[0], State: model.RequestSuperseded}
		return Came{How: Gone, Request: gone, Text: "the request no longer exists"}, true
	}
	c = Came{How: Yes, Request: first, Text: answerText(first)}
	switch first.State {
	case model.RequestDenied:
		c.How = No
	case model.RequestSuperseded:
		c.How, c.Text = Gone, "superseded: no longer needed"
	}
	return c, true
}

// answerText is the answer in what of it matters to anyone who asked.
func answerText(q *model.Request) string {
	a := q.Answer
	if a == nil {
		return q.State
	}
	lines := []string{a.Choice, string(a.Args), strings.TrimSpace(a.Text)}
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	return cmp.Or(strings.Join(lines, "\n"), q.State)
}

// planIn is what became of a plan.
func (w *Awaited) planIn(snap *snapshot.Snapshot) (c Came, done bool) {
	c.Verdict = Verdict{UID: string(w.UID), Revision: w.Revision, State: model.RequestPending}
	over := func(text string) (Came, bool) {
		c.How, c.Text, c.Verdict.State = Gone, "superseded: "+text, model.RequestSuperseded
		return c, true
	}
	t, ok := snap.Task(w.UID)
	if !ok {
		return over("the task is gone")
	}
	c.Verdict.Name = t.Config.Name
	st := &t.Status
	if r := st.Review; r != nil && r.Of == "plan" && r.Revision == w.Revision {
		c.Verdict.State, c.Verdict.By, c.Verdict.At, c.Verdict.Text = r.Verdict, string(r.By), TimeOrNil(r.At), r.Reason
		c.Text = r.Reason
	}
	if p := st.AcceptedPlan; p != nil && p.PlanRevision == w.Revision {
		if c.Verdict.State != model.RequestAccepted {
			c.Verdict.By, c.Verdict.At, c.Verdict.Text, c.Text = string(p.By), TimeOrNil(p.At), "", ""
		}
		c.Verdict.State = model.RequestAccepted
	}
	switch c.Verdict.State {
	case model.RequestAccepted:
		c.How, c.Text = Yes, cmp.Or(c.Text, c.Verdict.State)
		return c, true
	case model.VerdictAsked:
		if b := st.Comments; b == nil || b.Revision != w.Revision || b.Open == 0 {
			c.Verdict.State, c.Text = model.RequestPending, "" // every question is answered: it is for the person to decide again
			break
		}
		fallthrough
	case model.VerdictRejected:
		c.How = No
		return c, true
	}
	switch {
	case st.PlanRevision != w.Revision:
		return over(fmt.Sprintf("the plan is now at revision %d", st.PlanRevision))
	case st.CurrentState == model.Failed, st.CurrentState == model.Aborted, st.CurrentState == model.Replanned:
		return over("the task is " + string(st.CurrentState))
	}
	return c, false
}

// StillHolds is what came of waiting; where that is an acceptance that is no longer to be relied on, one that
// says so: `start` would refuse it.
func StillHolds(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, c Came) (Came, error) {
	uid := model.UID(c.Verdict.UID)
	if c.Request != nil || c.How != Yes {
		return c, nil
	}
	if i, ok := snap.Index(uid); ok && snap.StatusReason(i) != "" {
		c.How, c.Verdict.State, c.Verdict.Text = Gone, "changed", snap.StatusReason(i)
		c.Text = fmt.Sprintf("changed: it was accepted by %s, but it %s. A person has to accept it again", c.Verdict.By, c.Verdict.Text)
		return c, nil
	}
	today, err := s.Today(ctx, snap, []model.UID{uid})
	if err != nil {
		return c, err
	}
	t, ok := today.Task(uid)
	if !ok || t.Status.CurrentState == model.Completed { // what was done is for the person who looks at the work
		return c, nil
	}
	var why []string
	for _, p := range today.Problems() {
		if p.UID == uid && p.Code == view.CodeApproval {
			why = append(why, p.Path+" "+p.Reason)
		}
	}
	for _, f := range today.Changes(t) {
		why = append(why, model.FileOf(today, f.File)+" has changed")
	}
	if len(why) > 0 {
		c.How, c.Verdict.State, c.Verdict.Text = Gone, "changed", strings.Join(why, "; ")
		c.Text = fmt.Sprintf("changed: it was accepted by %s, and since then %s. A person must decide again", c.Verdict.By, c.Verdict.Text)
	}
	return c, nil
}

const (
	waitStep  = 2 * time.Second        // between two looks whether the store is where it was
	waitAgain = 200 * time.Millisecond // between two tries to open one that is not there
)

// News is the store when there is something new in its log, or it was away and is back: then it is another
// *Store, which reopen has made, with what is in it. It waits until ctx ends.
func News(ctx context.Context, s *store.Store, seq uint64, reopen func(context.Context) (*store.Store, *snapshot.Snapshot, error)) (*store.Store, *snapshot.Snapshot, error) {
	was, _ := os.Stat(place(s))
	for {
		head, err := s.Await(ctx, seq, waitStep)
		if ctx.Err() != nil {
			return s, nil, ctx.Err()
		}
		now, gone := os.Stat(place(s))
		if err == nil && gone == nil && os.SameFile(was, now) {
			if head <= seq {
				continue
			}
			fresh, err := s.Refresh(ctx)
			if err == nil && fresh.Seq() > seq {
				return s, fresh, nil
			}
		}
		for {
			again := time.NewTimer(waitAgain)
			select {
			case <-ctx.Done():
				again.Stop()
				return s, nil, ctx.Err()
			case <-again.C:
			}
			if n, snap, err := reopen(ctx); err == nil {
				return n, snap, nil
			}
		}
	}
}

// TimeOrNil is a time in UTC; nil where it is not known.
func TimeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// leastOfID is how many characters of a request's id are enough to name it.
const leastOfID = 4

// FindRequest is the request with an id, or with one that begins so: with or without the word that every id
// begins with. The error is a *model.Refusal.
func FindRequest(snap *snapshot.Snapshot, ref string) (*model.Request, error) {
	all := snap.Requests()
	var found []*model.Request
	for i := range all {
		q := &all[i]
		if q.ID == ref {
			return q, nil
		}
		_, bare, _ := strings.Cut(q.ID, "-")
		if len(ref) >= leastOfID && (strings.HasPrefix(q.ID, ref) && ref != "req-" && ref != "esc-" || strings.HasPrefix(bare, ref)) {
			found = append(found, q)
		}
	}
	switch len(found) {
	case 0:
		return nil, &model.Refusal{
			Code: model.CodeNotFound, Op: "find", UID: model.UID(ref), Guard: model.GuardRequest,
			Why: "unknown request", Hint: "`vespe request list` lists the pending ones; --all lists every one",
		}
	case 1:
		return found[0], nil
	}
	var ids []string
	for _, q := range found[:min(5, len(found))] {
		ids = append(ids, q.ID)
	}
	return nil, &model.Refusal{
		Code: model.CodeAmbiguous, Op: "find", UID: model.UID(ref), Guard: model.GuardRequest,
		Why: fmt.Sprintf("%d requests match", len(found)), Hint: "give more of the id: " + strings.Join(ids, ", "),
	}
}
