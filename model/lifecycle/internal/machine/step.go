// Package machine is the machinery of the lifecycle, without any row: a table of rows (Table, Row), one operation with
// everything that it sets off (Tx), and one transition in it (Step). A Step checks the guards of its row and runs its
// effect, which changes after-images (Edit, Note), writes files and events, and may fire further steps on the same Tx.
//
// guards.go has the guards that rows share, tree.go what is above and below a task, discussion.go the comments on a
// plan. Only the lifecycle may import it: its Apply is the one way to run a row.
package machine

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/staged"
)

// ExternalActor is who wrote bytes that no operation of vespe wrote.
const ExternalActor model.Actor = model.System + ":external"

// Tx is one operation with everything that it sets off.
type Tx struct {
	Table  *Table
	World  model.World   // what guards and effects read
	Staged *staged.World // the same with the effects so far; nil in a trial
	Op     model.Op
	Policy model.Policy
	Trial  bool // guards only, arguments may be missing

	Touched  map[model.UID]*Touch
	Order    []model.UID // of touched, the subject first
	Files    []model.FileChange
	Requests []model.Request
	Closed   []model.UndoRequest // of them, those that became superseded
	Talks    map[model.UID]*Discussion
	Events   []model.Event
	Warnings []string

	Root *Step
	report
	Acted bool // what was answered did something by itself
	Bound bool // and that cannot be taken back
}

// report is what goes into the Change along with tasks and files.
type report struct {
	effects           []foreseen         // beyond those of the root
	deeds             map[int]model.Deed // what the events tell, by their place
	Request           string             // Change.Request
	ChangedMilestones *model.Milestones  // Change.Milestones
	Milestone         string             // Change.Milestone
	Waits             bool               // Change.Waits
}

// Touch is one task that the operation writes.
type Touch struct {
	Orig   *model.Task // as it was before the operation; nil for a new task
	Before *model.Task // as a verdict found it: what undo restores
	Task   *model.Task // the after-image, changed in place
	Files  model.Touched
	Moved  bool // by more than bookkeeping: takes back the right to undo
	Judged bool // moved since before
}

// Step is one transition inside a Tx: the operation's own, or one that it set off.
type Step struct {
	*Tx
	Row          *Row
	Op           model.Op    // the arguments of this step
	Task         *model.Task // as the guards see it; nil when there is none
	Cause        model.UID   // the task that set it off; "" for the operation itself
	Drafted      bool        // a phase ends because its parent has what it was to draft
	PhasePreview bool        // the text is in a result that this world has no bytes of

	Deed    model.Deed // zero: that of the row
	Effects []model.Effect
	details model.Extra
	Made    []model.Comment // that the step brought
	Quiet   bool            // nothing had to be done
}

// Begin is an operation before anything has happened; a trial runs guards only.
func Begin(m *Table, w model.World, op model.Op, trial bool) *Tx {
	x := &Tx{Table: m, World: w, Op: op, Policy: w.Policy(), Trial: trial}
	if !trial {
		x.Touched, x.Staged = map[model.UID]*Touch{}, staged.New(w)
		x.World = x.Staged
	}
	return x
}

// Look is what guards read of an operation that nobody fires. It has no row.
func Look(w model.World, op model.Op) *Step {
	s := &Step{Tx: Begin(nil, w, op, true), Op: op}
	s.Task, _ = w.Task(op.UID)
	return s
}

// Fire checks a row's guards and runs its effect.
func (x *Tx) Fire(op model.Op, cause model.UID) *model.Refusal {
	s := x.StepOf(op, cause)
	if x.Root == nil {
		x.Root = s
	}
	if r := s.Check(); r != nil || x.Trial {
		return r
	}
	return s.Perform()
}

// StepOf is a step that has not been fired; cause is the task that sets it off, "" for the operation itself.
func (x *Tx) StepOf(op model.Op, cause model.UID) *Step {
	s := &Step{Tx: x, Row: x.Table.Row(op.Name), Op: op, Cause: cause}
	s.Task, _ = x.World.Task(op.UID)
	return s
}

// Check runs the guards in the order of the row; the first that fails is the answer.
func (s *Step) Check() *model.Refusal {
	for _, c := range s.Row.Checks {
		if r := c.Run(s); r != nil {
			return r
		}
	}
	return nil
}

// Perform runs the effect and writes its event, which comes before those that the effect
// set off.
func (s *Step) Perform() *model.Refusal {
	at := len(s.Events)
	s.Tx.Events = append(s.Events, model.Event{})
	var from model.State
	if s.Task != nil {
		from = StateOf(s.Task)
	}
	if r := s.Row.Do(s); r != nil {
		return r
	}
	if s.Quiet || (IsOnRequest(&s.Op) || isOnMilestone(&s.Op)) && !s.hasHistory() {
		s.Tx.Events = slices.Delete(s.Events, at, at+1)
		return nil
	}
	e := model.Event{
		Name: s.Op.Name, UID: s.Op.UID, Actor: s.Op.Actor, From: from,
		Reason: s.Op.Reason, Summary: s.Does().Told(s.Effects), Cause: s.Cause, Details: s.details,
	}
	if e.Reason == "" && s.Op.Name == model.RaiseError {
		e.Reason = s.Op.Text()
	}
	if t, ok := s.World.Task(s.Op.UID); ok {
		e.To = t.Status.CurrentState
	}
	if s.Op.Name == model.AnswerRequest {
		e.To = from // what comes of it has events of its own
	}
	if s.Op.Name == model.CreateTask {
		e.To = model.Created // its objective, if it has one, is a step of its own
	}
	s.Events[at] = s.stamped(e)
	if s.Tx.deeds == nil {
		s.Tx.deeds = map[int]model.Deed{}
	}
	s.Tx.deeds[at] = s.Does()
	return nil
}

// hasHistory says whether there is a directory for the step's event. A request may be about no
// task, or about one that is gone or cannot be read.
func (s *Step) hasHistory() bool {
	t, ok := s.World.Task(s.Op.UID)
	return ok && !t.Unreadable()
}

func (x *Tx) stamped(e model.Event) model.Event {
	e.At, e.OpID, e.Channel = x.Op.At, x.Op.ID, x.Op.Channel
	if e.Name == model.ExternalEdit {
		e.Channel = model.ChannelFiles
	}
	return e
}

// Emit writes an event that is no row of the table.
func (x *Tx) Emit(e model.Event) { x.Events = append(x.Events, x.stamped(e)) }

// Does is what the step does.
func (s *Step) Does() model.Deed {
	if s.Deed != (model.Deed{}) {
		return s.Deed
	}
	t, ok := s.World.Task(s.Op.UID)
	if !ok {
		t = &model.Task{UID: s.Op.UID}
	}
	return s.Op.Name.Deed(model.Quoted(t))
}

// Edit is the after-image of a task that the operation moves.
func (x *Tx) Edit(uid model.UID) *model.Task {
	h := x.touch(uid)
	h.Moved, h.Judged = true, true
	h.Task.Status.Undo, h.Task.Status.Answered = nil, nil
	return h.Task
}

// Note is the after-image of a task of which only books are kept: a parent's progress,
// recorded hashes, a name. It does not count as a move, so a verdict on the task can
// still be taken back.
func (x *Tx) Note(uid model.UID) *model.Task { return x.touch(uid).Task }

func (x *Tx) touch(uid model.UID) *Touch {
	if h, ok := x.Touched[uid]; ok {
		return h
	}
	orig, _ := x.World.Task(uid)
	t := orig.Clone()
	t.Status.Revision++
	t.Status.LastUpdatedAt = x.Op.At
	t.HasStatus = true
	t.Status.CurrentState = StateOf(t)
	h := &Touch{Orig: orig, Before: orig, Task: t, Files: model.Touched{Status: true}}
	x.keep(uid, h)
	return h
}

// Add brings a new task into the world.
func (x *Tx) Add(t *model.Task, files model.Touched) {
	x.keep(t.UID, &Touch{Task: t, Files: files, Moved: true})
}

func (x *Tx) keep(uid model.UID, h *Touch) {
	x.Touched[uid] = h
	x.Order = append(x.Order, uid)
	x.Staged.Put(h.Task)
}

// Rebase makes what has happened so far the state that undo goes back to.
func (x *Tx) Rebase() {
	for _, h := range x.Touched {
		h.Before, h.Judged = h.Task.Clone(), false
	}
}

// SetDeps replaces a task's dependencies.
func (x *Tx) SetDeps(uid model.UID, deps []model.UID) *model.Task {
	t := x.Edit(uid)
	x.Staged.Relink(uid, t.DependsOn, deps)
	t.DependsOn = deps
	x.Touched[uid].Files.Dependencies = true
	return t
}

// To is where the state changes; only create, import and undo set it otherwise.
func (s *Step) To(t *model.Task, st model.State) { t.Status.CurrentState = st }

// Write adds a file below .vespe.
func (x *Tx) Write(path string, body []byte, immutable bool) {
	x.Files = append(x.Files, model.FileChange{Path: path, Body: body, Immutable: immutable})
	x.Staged.PutFile(&x.Files[len(x.Files)-1])
}

// Listed is a few names and how many more there are.
func (x *Tx) Listed(uids []model.UID) string {
	const most = 5
	var b strings.Builder
	for i, uid := range uids {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(uids)-most)
			break
		}
		switch {
		case i > 0 && i == len(uids)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(x.Named(uid))
	}
	return b.String()
}

// Named is the quoted name of a task, or its uid when there is none.
func (x *Tx) Named(uid model.UID) string {
	if t, ok := x.World.Task(uid); ok {
		return model.Quoted(t)
	}
	return model.Quote(string(uid))
}

// Row is a transition, or an edit, with what runs when it is fired.
type Row struct {
	model.Transition
	StateHints map[model.State]string // what to do instead, where the general hint would mislead
	Checks     []Guard                // the guards, in their order
	Do         func(*Step) *model.Refusal
}

// EditRow is a row of something that never changes the state, which anybody may do.
func EditRow(n model.Name, takes model.Args, do func(*Step) *model.Refusal, checks []Guard) Row {
	return Row{Transition: model.Transition{Name: n, Takes: takes}, Checks: checks, Do: do}
}

// OnTask are the guards of a row about a task: those that all have, then its own.
func OnTask(own ...Guard) []Guard {
	return append([]Guard{NeedTask, NeedReadable, NeedActor, NeedRevision}, own...)
}

// Table is a table of transitions with the edits beside it. Effects reach other rows
// through it, never through a package's variable.
type Table struct {
	Rows []Row // the lifecycle
	at   map[model.Name]*Row
}

// NewTable knows the rows of the lifecycle, and the operations that never change the state: create, rename, … It
// fills in their Guards.
func NewTable(rows, edits []Row) *Table {
	m := &Table{Rows: rows, at: map[model.Name]*Row{}}
	for _, list := range [][]Row{rows, edits} {
		for i := range list {
			row := &list[i]
			row.Guards = make([]model.GuardInfo, len(row.Checks))
			for k, c := range row.Checks {
				row.Guards[k] = c.GuardInfo
			}
			m.at[row.Name] = row
		}
	}
	return m
}

// Row is the transition or edit of that name, or nil.
func (m *Table) Row(n model.Name) *Row { return m.at[n] }

// StateOf is the stored state; a task without status.json is created.
func StateOf(t *model.Task) model.State {
	if t.Status.CurrentState == "" {
		return model.Created
	}
	return t.Status.CurrentState
}

// IsOnRequest says whether an operation is about a request rather than a task, which may be
// gone.
func IsOnRequest(op *model.Op) bool {
	return op.Name == model.Ask || op.Name == model.AnswerRequest || op.Name == model.FetchAnswer || op.Name == model.Escalate || op.Name == model.Settle || op.Name == model.UndoVerdict && op.Request() != ""
}

// isOnMilestone says whether an operation is about a milestone rather than a task.
func isOnMilestone(op *model.Op) bool {
	return op.Name == model.CreateMilestone || op.Name == model.EditMilestone || op.Name == model.RemoveMilestone
}

// RequestOf is the request with an id.
func (x *Tx) RequestOf(id string) (model.Request, bool) {
	for _, r := range x.World.Requests() {
		if r.ID == id {
			return r, true
		}
	}
	return model.Request{}, false
}

// OpenOn are the requests about a task that hold it while they are open, oldest first.
func (x *Tx) OpenOn(uid model.UID) []model.Request {
	return model.OpenAmong(x.World.Requests(), uid)
}

// FileOf says which file a ChangeReason means.
func (x *Tx) FileOf(file string) string { return model.FileOf(x.World, file) }

// Detail adds to the step's event.
func (s *Step) Detail(f model.ExtraField) { s.details = append(s.details, f) }

// Change is the operation with everything that it set off.
func (x *Tx) Change() *model.Change {
	effects := slices.Clone(x.Root.Effects)
	done := slices.Clone(effects)
	for _, e := range x.effects {
		effects, done = append(effects, e.before), append(done, e.after)
	}
	deed := x.Root.Does()
	c := &model.Change{
		Op: x.Op, Files: x.Files, Requests: x.Requests, Events: x.Events,
		Warnings: x.Warnings, Deed: deed, Summary: deed.Told(done), Effects: effects, Request: x.Request, Waits: x.Waits,
		Milestones: x.ChangedMilestones, Milestone: x.Milestone,
	}
	for _, uid := range x.Order {
		h := x.Touched[uid]
		c.Tasks = append(c.Tasks, h.Task)
		c.Touched = append(c.Touched, h.Files)
	}
	return c
}

// Spelled is a cycle as people read it, the middle of a long one left out.
func (s *Step) Spelled(cycle []model.UID) string {
	names := make([]string, 0, len(cycle))
	for _, u := range cycle {
		if t, ok := s.World.Task(u); ok {
			names = append(names, model.Quoted(t))
		} else if n := model.ArgsOf[model.NewTask](&s.Op); n.UID != "" && u == n.UID {
			names = append(names, model.Quote(n.Name))
		} else {
			names = append(names, model.Quote(string(u)))
		}
	}
	const most = 6
	if len(names) > most {
		names = append(append(names[:most-2:most-2], fmt.Sprintf("… %d more …", len(names)-most+1)), names[len(names)-1])
	}
	return strings.Join(names, " → ")
}
