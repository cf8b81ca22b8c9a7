package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
)

// SystemActor is who a cascade is by: what vespe does because something else happened.
const SystemActor model.Actor = model.System + ":vespe"

// externalActor is who wrote bytes that no operation of vespe wrote.
const externalActor model.Actor = model.System + ":external"

// tx is one operation with everything that it sets off.
type tx struct {
	m      *machine
	w      model.World // what guards and effects read
	o      *Overlay    // the same with the effects so far; nil in a trial
	op     model.Op
	policy model.Policy
	trial  bool // guards only, arguments may be missing

	touched  map[model.UID]*touch
	order    []model.UID // of touched, the subject first
	files    []model.FileChange
	requests []model.Request
	closed   []model.UndoRequest // of them, those that became superseded
	talks    map[model.UID]*discussion
	events   []model.Event
	warnings []string

	root *step
	report
	acted bool // what was answered did something by itself
	bound bool // and that cannot be taken back
}

// report is what goes into the Change along with tasks and files.
type report struct {
	clauses           []string          // of the summary
	request           string            // Change.Request
	changedMilestones *model.Milestones // Change.Milestones
	milestone         string            // Change.Milestone
	waits             bool              // Change.Waits
}

// touch is one task that the operation writes.
type touch struct {
	orig   *model.Task // as it was before the operation; nil for a new task
	before *model.Task // as a verdict found it: what undo restores
	task   *model.Task // the after-image, changed in place
	files  model.Touched
	moved  bool // by more than bookkeeping: takes back the right to undo
	judged bool // moved since before
}

// step is one transition inside a tx: the operation's own, or one that it set off.
type step struct {
	*tx
	row          *Transition
	op           model.Op    // the arguments of this step
	task         *model.Task // as the guards see it; nil when there is none
	cause        model.UID   // the task that set it off; "" for the operation itself
	drafted      bool        // a phase ends because its parent has what it was to draft
	phasePreview bool        // the text is in a result that this world has no bytes of

	head    string // what is done: `accept plan of "X"`
	clauses []string
	details model.Extra
	made    []model.Comment // that the step brought
	quiet   bool            // nothing had to be done
}

// fire checks a row's guards and runs its effect.
func (x *tx) fire(op model.Op, cause model.UID) *model.Refusal {
	s := x.step(op, cause)
	if x.root == nil {
		x.root = s
	}
	if r := s.check(); r != nil || x.trial {
		return r
	}
	return s.perform()
}

func (x *tx) step(op model.Op, cause model.UID) *step {
	s := &step{tx: x, row: x.m.row(op.Name), op: op, cause: cause}
	s.task, _ = x.w.Task(op.UID)
	return s
}

// check runs the guards in the order of the row; the first that fails is the answer.
func (s *step) check() *model.Refusal {
	for _, c := range s.row.checks {
		if r := c.run(s); r != nil {
			return r
		}
	}
	return nil
}

// perform runs the effect and writes its event, which comes before those that the effect
// set off.
func (s *step) perform() *model.Refusal {
	at := len(s.events)
	s.tx.events = append(s.events, model.Event{})
	var from model.State
	if s.task != nil {
		from = stateOf(s.task)
	}
	if r := s.row.effect(s); r != nil {
		return r
	}
	if s.quiet || (isOnRequest(&s.op) || isOnMilestone(&s.op)) && !s.hasHistory() {
		s.tx.events = slices.Delete(s.events, at, at+1)
		return nil
	}
	e := model.Event{
		Name: s.op.Name, UID: s.op.UID, Actor: s.op.Actor, From: from,
		Reason: s.op.Reason, Summary: s.sentence(), Cause: s.cause, Details: s.details,
	}
	if e.Reason == "" && s.op.Name == model.RaiseError {
		e.Reason = s.op.Text()
	}
	if t, ok := s.w.Task(s.op.UID); ok {
		e.To = t.Status.CurrentState
	}
	if s.op.Name == model.AnswerRequest {
		e.To = from // what comes of it has events of its own
	}
	if s.op.Name == model.CreateTask {
		e.To = model.Created // its objective, if it has one, is a step of its own
	}
	s.events[at] = s.stamped(e)
	return nil
}

// hasHistory says whether there is a directory for the step's event. A request may be about no
// task, or about one that is gone or cannot be read.
func (s *step) hasHistory() bool {
	t, ok := s.w.Task(s.op.UID)
	return ok && !t.Unreadable()
}

func (x *tx) stamped(e model.Event) model.Event {
	e.At, e.OpID, e.Channel = x.op.At, x.op.ID, x.op.Channel
	if e.Name == model.ExternalEdit {
		e.Channel = model.ChannelFiles
	}
	return e
}

// emit writes an event that is no row of the table.
func (x *tx) emit(e model.Event) { x.events = append(x.events, x.stamped(e)) }

// say adds to what the step's event says.
func (s *step) say(clause string) { s.clauses = append(s.clauses, clause) }

// also adds to what the operation's summary says beyond its own step.
func (x *tx) also(clause string) { x.clauses = append(x.clauses, clause) }

// sentence is the step's event as one line.
func (s *step) sentence() string {
	head := s.head
	if head == "" {
		head = s.phrase()
	}
	if len(s.clauses) == 0 {
		return head
	}
	return head + ": " + strings.Join(s.clauses, "; ")
}

// phrase is the row's words with the task's name.
func (s *step) phrase() string {
	t, ok := s.w.Task(s.op.UID)
	if !ok {
		t = &model.Task{UID: s.op.UID}
	}
	return s.op.Name.Phrase() + " " + model.Quoted(t)
}

// edit is the after-image of a task that the operation moves.
func (x *tx) edit(uid model.UID) *model.Task {
	h := x.touch(uid)
	h.moved, h.judged = true, true
	h.task.Status.Undo, h.task.Status.Answered = nil, nil
	return h.task
}

// note is the after-image of a task of which only books are kept: a parent's progress,
// recorded hashes, a name. It does not count as a move, so a verdict on the task can
// still be taken back.
func (x *tx) note(uid model.UID) *model.Task { return x.touch(uid).task }

func (x *tx) touch(uid model.UID) *touch {
	if h, ok := x.touched[uid]; ok {
		return h
	}
	orig, _ := x.w.Task(uid)
	t := orig.Clone()
	t.Status.Revision++
	t.Status.LastUpdatedAt, t.Status.WaitingSince = x.op.At, time.Time{}
	t.HasStatus = true
	t.Status.CurrentState = stateOf(t)
	h := &touch{orig: orig, before: orig, task: t, files: model.Touched{Status: true}}
	x.keep(uid, h)
	return h
}

// add brings a new task into the world.
func (x *tx) add(t *model.Task, files model.Touched) {
	x.keep(t.UID, &touch{task: t, files: files, moved: true})
}

func (x *tx) keep(uid model.UID, h *touch) {
	x.touched[uid] = h
	x.order = append(x.order, uid)
	x.o.put(h.task)
}

// rebase makes what has happened so far the state that undo goes back to.
func (x *tx) rebase() {
	for _, h := range x.touched {
		h.before, h.judged = h.task.Clone(), false
	}
}

// setDeps replaces a task's dependencies.
func (x *tx) setDeps(uid model.UID, deps []model.UID) *model.Task {
	t := x.edit(uid)
	x.o.relink(uid, t.DependsOn, deps)
	t.DependsOn = deps
	x.touched[uid].files.Dependencies = true
	return t
}

// to is where the state changes; only create, import and undo set it otherwise.
func (s *step) to(t *model.Task, st model.State) { t.Status.CurrentState = st }

// write adds a file below .vespe.
func (x *tx) write(path string, body []byte, immutable bool) {
	x.files = append(x.files, model.FileChange{Path: path, Body: body, Immutable: immutable})
	x.o.putFile(&x.files[len(x.files)-1])
}

// change finishes the operation: the books that follow from everything else, and the
// right to undo.
func (x *tx) change() *model.Change {
	x.saveDiscussions()
	x.settleRequests()
	x.settleAnswers()
	x.settleElsewhere()
	x.settleUndo()
	c := &model.Change{
		Op: x.op, Files: x.files, Requests: x.requests, Events: x.events,
		Warnings: x.warnings, Summary: x.summary(), Request: x.request, Waits: x.waits,
		Milestones: x.changedMilestones, Milestone: x.milestone,
	}
	for _, uid := range x.order {
		h := x.touched[uid]
		c.Tasks = append(c.Tasks, h.task)
		c.Touched = append(c.Touched, h.files)
	}
	return c
}

// summary is the operation as one line, with what it set off.
func (x *tx) summary() string {
	s := x.root
	all := append(slices.Clone(s.clauses), x.clauses...)
	whole := *s
	whole.clauses = all
	return whole.sentence()
}

// settleElsewhere lets go of verdicts that were given elsewhere where the operation left nothing that they could be of:
// another plan or objective, or a verdict that was given here.
func (x *tx) settleElsewhere() {
	for _, h := range x.touched {
		st := &h.task.Status
		e := st.Elsewhere
		if e == nil || x.op.Name == model.ExternalEdit {
			continue
		}
		e.Undo = nil // the revision that it was of is past
		if p := e.Plan; p != nil && (st.AcceptedPlan != nil || st.Review != nil && st.Review.Of == "plan" ||
			p.PlanRevision != st.PlanRevision || p.ObjectiveRevision != st.ObjectiveRevision ||
			slices.Contains([]model.State{model.Created, model.ObjectiveDefined, model.Replanned}, st.CurrentState)) {
			e.Plan, e.ParentContentHashes, e.ChangedBecause = nil, nil, nil
			if e.Review != nil && e.Review.Of == "plan" {
				e.Review = nil
			}
		}
		if e.Review.AcceptsWork() && (st.Review != nil || st.CurrentState != model.Completed) {
			e.Review = nil
		}
		if e.Plan == nil && e.Review == nil {
			st.Elsewhere = nil
		}
	}
}

// listed is a few names and how many more there are.
func (x *tx) listed(uids []model.UID) string {
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
		b.WriteString(x.named(uid))
	}
	return b.String()
}

// named is the quoted name of a task, or its uid when there is none.
func (x *tx) named(uid model.UID) string {
	if t, ok := x.w.Task(uid); ok {
		return model.Quoted(t)
	}
	return model.Quote(string(uid))
}
