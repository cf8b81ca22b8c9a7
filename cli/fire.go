package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

// opFlags are the flags that every verb which writes has.
type opFlags struct {
	opID     string
	revision revisionFlag
	dryRun   bool
}

func (f *opFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.opID, "op-id", "", "repeat with the same id to get the first answer again")
	c.Flags().Var(&f.revision, "if-revision", "fail unless status.json has this revision")
	c.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "show what would happen, without changes")
}

// op is an operation with what the flags say about it.
func (f *opFlags) op(op model.Op) model.Op {
	op.ID, op.ExpectRevision = f.opID, int(f.revision)
	return op
}

// revisionFlag is a number from 1 up: 0 would mean that nothing is expected.
type revisionFlag int

func (r *revisionFlag) String() string { return strconv.Itoa(int(*r)) }
func (r *revisionFlag) Type() string   { return "int" }

// Set implements pflag.Value.
func (r *revisionFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("it must be a whole number from 1 up")
	}
	*r = revisionFlag(n)
	return nil
}

// begin is what a verb that writes begins with: who acts, and the store as it is.
func (a *app) begin(ctx context.Context) (actor model.Actor, s *store.Store, snap *model.Snapshot, err error) {
	if actor, err = a.writer(); err == nil {
		s, snap, err = a.load(ctx)
	}
	return actor, s, snap, err
}

// do fires one operation and prints the outcome, or what it would be.
func (a *app) do(ctx context.Context, s *store.Store, snap *model.Snapshot, op model.Op, dryRun bool) error {
	return a.doAnd(ctx, s, snap, op, dryRun, func(applied model.Applied) error {
		if err := a.report(applied, op.UID); err != nil {
			return err
		}
		if c := applied.Change; c != nil && c.Waits {
			return &shown{exitPending}
		}
		return nil
	})
}

// doAnd fires one operation and goes on with the outcome, or prints what it would be.
func (a *app) doAnd(ctx context.Context, s *store.Store, snap *model.Snapshot, op model.Op, dryRun bool, then func(model.Applied) error) error {
	if dryRun {
		return a.preview(ctx, s, snap, op)
	}
	applied, err := s.Do(ctx, op)
	if err != nil {
		return err
	}
	a.wrote = true
	return then(applied)
}

// reportMade prints the name of what was made, alone in its line; with --json everything.
func (a *app) reportMade(applied model.Applied, uid model.UID, line string) error {
	if a.json {
		return a.report(applied, uid)
	}
	fmt.Fprintln(a.Stdout, line)
	a.printWarnings(warningsOf(applied))
	return nil
}

// fetch marks what an agent reads as read. That it cannot be is worth a warning, not what was read.
func (a *app) fetch(ctx context.Context, s *store.Store, what string, op model.Op) (applied model.Applied, ok bool) {
	actor, err := a.actor()
	if err != nil || actor.Kind() != model.Agent && actor.Kind() != model.MCPClient {
		return applied, false
	}
	op.Actor = actor
	if applied, err = s.Do(ctx, op); err != nil {
		fmt.Fprintln(a.Stderr, "warning: that the "+what+" was read could not be written down: "+visible.Line(explain(err)))
	}
	return applied, err == nil
}

// repeated answers a call whose task is not found any more, because what it asked for is done
// already: a task that was renamed is not there under its old name. op has no task, so it is
// refused unless its id was used before; then cause is the answer.
func (a *app) repeated(ctx context.Context, s *store.Store, op model.Op, cause error) error {
	if op.ID == "" {
		return cause
	}
	applied, err := s.Do(ctx, op)
	switch {
	case err != nil && codeOf(err) == model.CodeNotDurable:
		return err
	case err != nil || !applied.Replayed:
		return cause
	}
	uid := op.UID
	if c := applied.Change; c != nil && len(c.Tasks) > 0 {
		uid = c.Tasks[0].UID
	}
	return a.report(applied, uid)
}

// preview says what an operation would do.
func (a *app) preview(ctx context.Context, s *store.Store, snap *model.Snapshot, op model.Op) error {
	if why := s.ReadOnly(); why != "" {
		return &model.Refusal{Code: model.CodeRefused, Op: op.Name, UID: op.UID, Guard: "writable", Why: why}
	}
	op.At = a.Now()
	change, err := model.Apply(a.world(ctx, snap, s), op)
	if err != nil {
		return err
	}
	if a.json {
		return writeJSON(a.Stdout, changeObject{DryRun: true, Summary: change.Summary, Changed: changedUIDs(change), Warnings: change.Warnings})
	}
	fmt.Fprintln(a.Stdout, "would "+visible.Line(change.Summary))
	a.printWarnings(change.Warnings)
	return nil
}

// bytesWorld is a snapshot with today's bytes, so that a preview fails where the
// operation would.
type bytesWorld struct {
	*model.Snapshot
	ctx   context.Context //nolint:containedctx // it lives as long as one call of Apply
	store *store.Store
	asks  string // Deps.StartConsent
}

func (a *app) world(ctx context.Context, snap *model.Snapshot, s *store.Store) bytesWorld {
	return bytesWorld{snap, ctx, s, a.StartConsent}
}

// StartConsent is what the person asks for beside the policy.
func (w bytesWorld) StartConsent() string { return w.asks }

// Content is today's bytes of a document.
func (w bytesWorld) Content(uid model.UID, doc model.Doc) (model.Content, error) {
	return w.store.Content(w.ctx, uid, doc)
}

// ReviewFile is a review file as vespe wrote it.
func (w bytesWorld) ReviewFile(uid model.UID, known *model.CommentBook) ([]byte, error) {
	return w.store.ReviewFile(w.ctx, uid, known)
}

// Revision is a recorded revision of a document.
func (w bytesWorld) Revision(uid model.UID, doc model.Doc, n int) ([]byte, error) {
	c, err := w.store.Revision(w.ctx, uid, doc, n)
	return c.Body, err
}

// ResultHash is the hash of result/ as it is now.
func (w bytesWorld) ResultHash(uid model.UID) (string, error) {
	files, err := w.store.Results(w.ctx, uid)
	if err != nil {
		return "", err
	}
	return model.HashResult(files), nil
}

// ResultFile reads one file under result/.
func (w bytesWorld) ResultFile(uid model.UID, name string) ([]byte, error) {
	return w.store.ReadResult(w.ctx, uid, name, maxText)
}

func (a *app) report(applied model.Applied, uid model.UID) error {
	obj := changeObject{Seq: applied.Seq, Replayed: applied.Replayed, Changed: []string{}}
	if c := applied.Change; c != nil {
		obj.OpID, obj.Summary, obj.Changed, obj.Request, obj.Milestone = c.Op.ID, c.Summary, changedUIDs(c), c.Request, c.Milestone
	}
	obj.Warnings = warningsOf(applied)
	if i, ok := applied.Snapshot.Index(uid); ok {
		task := taskOf(applied.Snapshot, i)
		obj.Task = &task
	}
	if c := applied.Change; c != nil {
		obj.Approval = a.writtenApproval(c)
	}
	if a.json {
		return writeJSON(a.Stdout, obj)
	}
	if obj.Replayed {
		fmt.Fprintln(a.Stdout, "already done: "+visible.Line(obj.Summary))
	} else {
		fmt.Fprintln(a.Stdout, visible.Line(obj.Summary))
	}
	if c := applied.Change; c != nil && c.Waits {
		fmt.Fprintln(a.Stdout, "`vespe wait "+obj.Request+"` waits for the answer")
	}
	if obj.Approval != nil {
		a.printApproval(obj.Approval, applied.Snapshot)
	}
	a.printWarnings(obj.Warnings)
	return nil
}

// warningsOf are the store's warnings and the operation's own.
func warningsOf(applied model.Applied) []string {
	warnings := slices.Clone(applied.Warnings)
	if c := applied.Change; c != nil {
		warnings = append(warnings, c.Warnings...)
	}
	return warnings
}

func (a *app) printWarnings(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(a.Stderr, "warning: "+visible.Line(w))
	}
}

func changedUIDs(c *model.Change) []string {
	uids := make([]string, 0, len(c.Tasks))
	for _, t := range c.Tasks {
		uids = append(uids, string(t.UID))
	}
	return uids
}
