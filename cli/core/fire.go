package core

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/model/staged"
	"vespe/model/visible"
	"vespe/store"
)

// OpFlags are the flags that every verb which writes has.
type OpFlags struct {
	OpID     string
	Revision revisionFlag
	DryRun   bool
}

func (f *OpFlags) Add(c *cobra.Command) {
	f.AddOp(c)
	c.Flags().Var(&f.Revision, "if-revision", "fail unless status.json has this revision")
}

// AddOp adds those of a verb on what has no status.json.
func (f *OpFlags) AddOp(c *cobra.Command) {
	c.Flags().StringVar(&f.OpID, "op-id", "", "an id for this operation; repeating the id returns the first result")
	c.Flags().BoolVarP(&f.DryRun, "dry-run", "n", false, "show what would happen, without changes")
}

// Op is an operation with what the flags say about it.
func (f *OpFlags) Op(op model.Op) model.Op {
	op.ID, op.ExpectRevision = f.OpID, int(f.Revision)
	return op
}

// revisionFlag is a number from 1 up: 0 would mean that nothing is expected.
type revisionFlag int

func (r *revisionFlag) String() string { return strconv.Itoa(int(*r)) }

func (r *revisionFlag) Type() string { return "int" }

// Set implements pflag.Value.
func (r *revisionFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("not a positive whole number")
	}
	*r = revisionFlag(n)
	return nil
}

// Begin is what a verb that writes begins with: who acts, and the store as it is.
func (a *App) Begin(ctx context.Context) (actor model.Actor, s *store.Store, snap *snapshot.Snapshot, err error) {
	if actor, err = a.Writer(); err == nil {
		s, snap, err = a.Load(ctx)
	}
	return actor, s, snap, err
}

// Do fires one operation and prints the outcome, or what it would be.
func (a *App) Do(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op model.Op, dryRun bool) error {
	return a.DoAnd(ctx, s, snap, op, dryRun, func(applied snapshot.Applied) error {
		if err := a.Report(applied, op.UID); err != nil {
			return err
		}
		if c := applied.Change; c != nil && c.Waits {
			return &Shown{Code: ExitPending}
		}
		return nil
	})
}

// DoAnd fires one operation and continues with the outcome, or prints what it would be.
func (a *App) DoAnd(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op model.Op, dryRun bool, then func(snapshot.Applied) error) error {
	if dryRun {
		return a.Preview(ctx, s, snap, op)
	}
	applied, err := s.Do(ctx, op)
	if err != nil {
		return err
	}
	a.Wrote = true
	return then(applied)
}

// ReportMade prints the name of what was made, alone in its line; with --json everything.
func (a *App) ReportMade(applied snapshot.Applied, uid model.UID, line string) error {
	if a.JSON {
		return a.Report(applied, uid)
	}
	fmt.Fprintln(a.Stdout, line)
	a.PrintWarnings(WarningsOf(applied))
	return nil
}

// Fetch marks what an agent reads as read. That it cannot be is worth a warning, not what was read.
func (a *App) Fetch(ctx context.Context, s *store.Store, what string, op model.Op) (applied snapshot.Applied, ok bool) {
	actor, err := a.Actor()
	if err != nil || actor.Kind() != model.Agent && actor.Kind() != model.MCPClient {
		return applied, false
	}
	op.Actor = actor
	if applied, err = s.Do(ctx, op); err != nil {
		fmt.Fprintln(a.Stderr, "warning: can't record that the "+what+" was read: "+visible.Line(Explain(err)))
	}
	return applied, err == nil
}

// Repeated answers a call whose task is no longer found, because what it asked for is done
// already: a task that was renamed is not there under its old name. op has no task, so it is
// refused unless its id was used before; then cause is the answer.
func (a *App) Repeated(ctx context.Context, s *store.Store, op model.Op, cause error) error {
	if op.ID == "" {
		return cause
	}
	applied, err := s.Do(ctx, op)
	switch {
	case err != nil && CodeOf(err) == model.CodeNotDurable:
		return err
	case err != nil || !applied.Replayed:
		return cause
	}
	uid := op.UID
	if c := applied.Change; c != nil && len(c.Tasks) > 0 {
		uid = c.Tasks[0].UID
	}
	return a.Report(applied, uid)
}

// Preview says what operations would do, each after the ones before.
func (a *App) Preview(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, ops ...model.Op) error {
	if why := s.ReadOnly(); why != "" {
		return &model.Refusal{Code: model.CodeRefused, Op: ops[0].Name, UID: ops[0].UID, Guard: "writable", Why: why}
	}
	world := staged.New(a.World(ctx, snap, s))
	obj, would := ChangeObject{DryRun: true, Changed: []string{}}, ""
	for i, op := range ops {
		op.At = a.Now()
		c, err := lifecycle.Apply(world, op)
		if err != nil {
			return err
		}
		world.Absorb(c)
		if i == 0 {
			would, obj.Summary, obj.Milestone = c.Would(), c.Summary, c.Milestone
		}
		obj.Changed = append(obj.Changed, ChangedUIDs(c)...)
		doubts, err := a.doubts(ctx, s, snap, &op, c)
		if err != nil {
			return err
		}
		obj.Warnings, obj.Doubts = append(obj.Warnings, model.Texts(doubts)...), append(obj.Doubts, effectsOf(doubts)...)
		obj.Effects = append(obj.Effects, effectsOf(c.Effects)...)
	}
	if len(ops) > 1 {
		more := fmt.Sprintf(" (and %d more)", len(ops)-1)
		would, obj.Summary = would+more, obj.Summary+more
	}
	if a.JSON {
		return WriteJSON(a.Stdout, obj)
	}
	fmt.Fprintln(a.Prose(a.Stdout, 0), "Would "+visible.Line(would))
	a.PrintWarnings(obj.Warnings)
	return nil
}

// bytesWorld is a snapshot with today's bytes, so that a preview fails where the
// operation would.
type bytesWorld struct {
	*snapshot.Snapshot
	ctx   context.Context //nolint:containedctx // it lives as long as one call of Apply
	store *store.Store
	by    review.Attestor
	asks  string // Deps.StartConsent
}

func (a *App) World(ctx context.Context, snap *snapshot.Snapshot, s *store.Store) bytesWorld {
	by := a.attestor()
	if by != nil && a.Keys.CanSign() {
		by = nil // how sure an approval is can't be told before it is signed
	}
	return bytesWorld{snap, ctx, s, by, a.StartConsent}
}

// ApprovalFile, HasBytes and Attestor make it a review.Approvals.
func (w bytesWorld) ApprovalFile(uid model.UID, name string) ([]byte, error) {
	return w.store.ApprovalFile(w.ctx, uid, name)
}
func (w bytesWorld) HasBytes() bool            { return true }
func (w bytesWorld) Attestor() review.Attestor { return w.by }

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

func (a *App) Report(applied snapshot.Applied, uid model.UID) error {
	obj := ChangeObject{Seq: applied.Seq, Replayed: applied.Replayed, Changed: []string{}}
	if c := applied.Change; c != nil {
		obj.OpID, obj.Summary, obj.Changed, obj.Request, obj.Milestone = c.Op.ID, c.Summary, ChangedUIDs(c), c.Request, c.Milestone
	}
	obj.Warnings = WarningsOf(applied)
	if i, ok := applied.Snapshot.Index(uid); ok {
		task := TaskOf(applied.Snapshot, i)
		obj.Task = &task
	}
	if c := applied.Change; c != nil {
		obj.Effects, obj.Approval = effectsOf(c.Effects), a.writtenApproval(c)
	}
	if a.JSON {
		return WriteJSON(a.Stdout, obj)
	}
	w, summary := a.Prose(a.Stdout, 0), visible.Line(obj.Summary)
	if obj.Replayed {
		summary = "Already done: " + summary
	}
	fmt.Fprintln(w, summary)
	if c := applied.Change; c != nil && c.Waits {
		fmt.Fprintln(w, "`vespe wait "+obj.Request+"` waits for the answer")
	}
	if obj.Approval != nil {
		fmt.Fprintf(w, "  approval %s\n", visible.Line(obj.Approval.Line()))
	}
	a.PrintWarnings(obj.Warnings)
	return nil
}

// WarningsOf are the store's warnings and the operation's own.
func WarningsOf(applied snapshot.Applied) []string {
	warnings := slices.Clone(applied.Warnings)
	if c := applied.Change; c != nil {
		warnings = append(warnings, c.Warnings...)
	}
	return warnings
}

func (a *App) PrintWarnings(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(a.Prose(a.Stderr, 0), "warning: "+visible.Line(w))
	}
}

func ChangedUIDs(c *model.Change) []string {
	uids := make([]string, 0, len(c.Tasks))
	for _, t := range c.Tasks {
		uids = append(uids, string(t.UID))
	}
	return uids
}

// Claim refuses that a worker of the loop completes the task that it works on: the loop does, once it has
// verified what is there. What the worker says of it is kept as its words.
func (a *App) Claim(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op model.Op, dryRun bool) error {
	t, ok := snap.Task(op.UID)
	run := a.Getenv("VESPE_RUN_ID")
	if !ok || run == "" || run != t.Status.CurrentRun || op.Actor.Kind() == model.Human {
		return nil
	}
	if text := strings.TrimSpace(op.Text()); text != "" && !dryRun {
		if err := desk.TellReport(ctx, s, op.UID, run, a.Now(), text); err != nil {
			return err
		}
	}
	return &model.Refusal{
		Code: model.CodeRefused, Op: op.Name, UID: op.UID, Task: t.Config.Name, Guard: model.GuardOwnRun,
		Why:  "vespe completes it after verifying the work of this run",
		Hint: "summarize what you did in a few lines, then stop; what you reported now is saved with the run",
	}
}

// maxText bounds what is read as an objective, a plan or a reason: 16 MiB.
const maxText = 16 << 20

// VerbFlags are the values that the flags of one transition's verb fill in.
type VerbFlags struct {
	OpFlags
	CommentFlags
	File, Message, Worker, Seen string
	Failure                     bool
}

// messageFlag is the one flag that may be empty: what a blank reason means is the row's
// to say.
const MessageFlag = "message"

// Bind ties a verdict to what is there now, with the person's signature.
func (a *App) Bind(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op *model.Op, f VerbFlags) (err error) {
	plan := ""
	if f.Seen != "" {
		if plan, err = SeenHash(f.Seen); err != nil {
			return err
		}
	}
	if !f.DryRun {
		if snap, err = a.settled(ctx, s, snap, op.UID); err != nil {
			return err
		}
	}
	if err := a.seeNow(ctx, s, snap, op, plan); err != nil || f.DryRun {
		return err
	}
	if f.Seen == "" && (op.Name == model.AcceptPlan || op.Name == model.ReviewAccepted) && a.Asks() {
		if err = a.Sure(ctx, s, snap, *op, "Accept it?", ""); err != nil {
			return err
		}
	}
	return a.Sign(ctx, s, snap, op)
}

// settled is the store once what somebody wrote into a task's comments past vespe is taken over: a
// verdict that went along with that would be on other comments than were there to be read.
func (a *App) settled(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID) (*snapshot.Snapshot, error) {
	took, err := s.ImportComments(ctx, uid)
	if err != nil || took == nil {
		return snap, err
	}
	return took.Snapshot, nil
}

// ReadText reads a text, which is called what, from a file, or for - from standard input.
func (a *App) ReadText(name, what string) (string, error) {
	if name == "-" {
		if a.StdinTerminal {
			fmt.Fprintf(a.Stderr, "Type the %s, then press ctrl+d on an empty line.\n", what)
		}
		return readText(a.Stdin, "the "+what+" from standard input")
	}
	file, err := os.Open(Absolute(a.Dir, name))
	if err != nil {
		return "", Usagef("can't read the %s: %s; give a file, or - for standard input", what, err)
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
		return "", Usagef("%s is larger than %d MiB: shorten it, or put long text into files under result/", what, maxText>>20)
	case bytes.IndexByte(b, 0) >= 0:
		return "", Usagef("%s is not text: it has a NUL byte", what)
	}
	return string(b), nil
}

// SeenHash reads the hash of --seen as people paste it.
func SeenHash(hash string) (string, error) {
	digits := strings.ToLower(strings.TrimPrefix(hash, "sha256-"))
	if b, err := hex.DecodeString(digits); err != nil || len(b) != sha256.Size {
		return "", Usagef("--seen %q is not a hash: write sha256- and 64 hexadecimal digits, as --json prints them", hash)
	}
	return "sha256-" + digits, nil
}
