package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
)

// Decision is a decision of this person: on a task, or the answer to a request.
type Decision struct {
	UID     model.UID
	Request string
	At      time.Time
}

// searched is how many tasks are searched for decisions: those that changed last.
const searched = 1000

// tried is how many decisions that can't be taken back are passed over.
const tried = 50

// decided is what a snapshot says of the person's decisions, the newest first.
type decided []Decision

func (v Proposer) decided() decided {
	return snapshot.Kept(v.Snap, func(s *snapshot.Snapshot) (out decided) {
		for _, q := range s.Requests() {
			if q.Answer != nil && q.Answer.By == v.Actor {
				out = append(out, Decision{q.TaskUID, q.ID, q.Answer.At})
			}
		}
		tasks := make([]int, s.Len())
		for i := range tasks {
			tasks[i] = i
		}
		slices.SortFunc(tasks, func(i, k int) int { return cmp.Or(s.Since(k).Compare(s.Since(i)), k-i) })
		for _, i := range tasks[:min(len(tasks), searched)] {
			if by, at := lifecycle.LastDecision(s, s.Peek(i)); by == v.Actor {
				out = append(out, Decision{UID: s.UID(i), At: at})
			}
		}
		slices.SortStableFunc(out, func(x, y Decision) int { return y.At.Compare(x.At) })
		return out
	})
}

// Last is what undo takes back: the person's newest decision that can be taken back, and those of the same moment.
func (v Proposer) Last() (last []Decision) {
	if v.Snap == nil {
		return nil
	}
	for k, d := range v.decided() {
		if len(last) > 0 && !d.At.Equal(last[0].At) || len(last) == 0 && k == tried {
			break
		}
		if v.Allowed(v.undoOp(d)) == nil {
			last = append(last, d)
		}
	}
	return last
}

func (v Proposer) undoOp(d Decision) model.Op {
	op := model.Op{Name: model.UndoVerdict, Actor: v.Actor}
	if d.Request != "" {
		op.Args = model.RequestRef{Request: d.Request}
	}
	if _, ok := v.Snap.Task(d.UID); ok {
		op.UID = d.UID
	}
	return op
}

// NoUndo says why a decision cannot be taken back; "" when it can be.
func (v Proposer) NoUndo(d Decision) string { return v.WhyNot(v.Allowed(v.undoOp(d))) }

// Undo proposes to take decisions back. Its notes begin with when they were made.
func (v Proposer) Undo(list []Decision, now time.Time) (Proposal, error) {
	const most = 3
	p := Proposal{Name: model.UndoVerdict}
	for _, d := range list {
		op := v.undoOp(d)
		op.ID = v.NewID()
		p.Ops = append(p.Ops, op)
	}
	summary, with, err := v.Preview(p.Ops)
	if over := len(summary) - most; over > 0 {
		summary = append(summary[:most], fmt.Sprintf("and %d more", over))
	}
	p.Summary, p.Notes, p.Affected = strings.Join(summary, "\n"), with.Notes, with.Affected
	if len(list) > 0 && !list[0].At.IsZero() {
		p.Notes = append([]string{When(list[0].At, now)}, p.Notes...)
		if all := v.decided(); len(all) > 0 && all[0].At.After(list[0].At) && v.NoUndo(all[0]) != "" {
			p.Notes = append(p.Notes, "A later decision of yours can't be undone: "+v.NoUndo(all[0]))
		}
	}
	return p, err
}

// When says when a decision was made.
func When(at, now time.Time) string { return "Decided " + model.Ago(now.Sub(at)) }

// WasRead reports that an agent has read what was decided.
func (v Proposer) WasRead(d Decision) bool {
	for _, q := range v.Snap.Requests() {
		if q.ID == d.Request {
			return q.Answer != nil && q.Answer.FetchedBy != ""
		}
	}
	t, ok := v.Snap.Task(d.UID)
	return ok && t.Status.Review != nil && t.Status.Review.FetchedBy != ""
}
