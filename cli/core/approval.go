package core

import (
	"context"
	"encoding/hex"
	"errors"
	"io"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/store"
)

// seeNow reads what a verdict is about, so that it is given on that and on nothing that comes
// between. plan is the hash of the plan that the caller read before; "" for today's.
func (a *App) seeNow(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op *model.Op, plan string) (err error) {
	seen := &model.Seen{Head: snap.Head(), PlanHash: plan}
	for _, d := range []struct {
		doc  model.Doc
		hash *string
	}{{model.Objective, &seen.ObjectiveHash}, {model.Plan, &seen.PlanHash}} {
		c, err := s.Content(ctx, op.UID, d.doc)
		if err != nil && !errors.Is(err, model.ErrNoContent) {
			return err
		}
		if *d.hash == "" {
			*d.hash = c.Hash
		}
	}
	seen.Bound = map[string]string{}
	if writesApproval(op.Name) {
		if seen.Bound, err = s.Bound(ctx, op.Name, op.UID); err != nil {
			return err
		}
	}
	if t, ok := snap.Task(op.UID); ok {
		seen.Verdict = review.VerdictOn(t)
		lifecycle.SetArg(op, "excluded", binding.Excluded(op, t))
	}
	op.Seen = seen
	return nil
}

// writesApproval reports that an operation leaves an approval.
func writesApproval(name model.Name) bool {
	_, writes := binding.SignedOp("", &model.Op{Name: name})
	return writes
}

// Sign signs the approval that an operation writes, where the person has a key for it.
func (a *App) Sign(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op *model.Op) error {
	if a.Keys == nil || !a.Keys.CanSign() || op.Seen == nil {
		return nil
	}
	if op.ID == "" {
		id := make([]byte, 16)
		if _, err := io.ReadFull(a.Rand, id); err != nil {
			return err
		}
		op.ID = "op-" + hex.EncodeToString(id)
	}
	op.At = a.Now()
	statement, _ := binding.SignedOp(s.StoreID(), op)
	sig, err := a.Keys.Sign(ctx, statement)
	if err != nil {
		name := ""
		if t, ok := snap.Task(op.UID); ok {
			name = t.Config.Name
		}
		return &model.Refusal{
			Code: model.CodeRefused, Op: op.Name, UID: op.UID, Task: name, Guard: model.GuardLevel, Why: err.Error(),
			Hint: "nothing was changed; fix the key and retry",
		}
	}
	op.Signature = sig
	return nil
}

// ApprovalObject is an approval as it was written, and how far it is to be believed today.
type ApprovalObject struct {
	File      string            `json:"file"`
	Verdict   string            `json:"verdict"`
	By        string            `json:"by"`
	At        string            `json:"at"`
	Level     string            `json:"level"`
	Signer    string            `json:"signer,omitempty"`
	Problem   string            `json:"problem,omitempty"`
	Objective string            `json:"objective"`
	Plan      string            `json:"plan"`
	Bound     map[string]string `json:"bound"`
}

// ApprovalOf reads an approval's file. Its level is what its signature is worth now, and never
// what the file says of itself.
func (a *App) ApprovalOf(name string, body []byte) *ApprovalObject {
	o := &ApprovalObject{File: name, Level: review.LevelClaimed.String()}
	is, err := review.DecodeApproval(body)
	if err != nil {
		o.Problem = "can't read it: " + err.Error()
		return o
	}
	o.Verdict, o.By, o.At, o.Objective, o.Plan, o.Bound = is.Verdict, string(is.Approver), is.Time, is.Objective.Hash, is.Plan.Hash, is.Bound
	if by := a.attestor(); by != nil {
		attested := by.Attest(is)
		o.Level, o.Signer, o.Problem = attested.Level.String(), attested.Signer, attested.Why
		if attested.False {
			o.Problem = "its signature is invalid: " + attested.Why
		}
	}
	return o
}

// Line is an approval in one line.
func (o *ApprovalObject) Line() string {
	line := o.File + "  " + o.Level
	if o.Signer != "" {
		line += "  " + o.Signer
	}
	if o.Problem != "" {
		line += "  (" + o.Problem + ")"
	}
	return line
}

// writtenApproval is the approval among the files of a change; nil when there is none.
func (a *App) writtenApproval(c *model.Change) *ApprovalObject {
	for _, f := range c.Files {
		if name, ok := review.ApprovalName(f.Path); ok {
			return a.ApprovalOf(name, f.Body)
		}
	}
	return nil
}
