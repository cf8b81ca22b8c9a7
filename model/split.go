package model

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model/complexity"
	"vespe/model/visible"
)

// splitFrom is the member of spec.context that names the task which a part was split from.
const splitFrom = "split_from"

// Splitting is what split needs: the parts in the order in which they are to be done.
type Splitting struct{ Parts []NewPart }

// NewPart is one part of a split. Its uid is chosen by the caller (the store fills it in when it is
// empty). An empty name is made of the task's and the focus.
type NewPart struct {
	UID   UID
	Name  string
	Piece complexity.Piece
}

// Divide proposes parts of t (complexity.Divide). The error says why there are none.
func (t *Task) Divide(by complexity.Way) (*Splitting, error) {
	pieces, err := complexity.Divide(t.Work(), by)
	if err != nil {
		return nil, err
	}
	s := &Splitting{Parts: make([]NewPart, len(pieces))}
	for i := range pieces {
		s.Parts[i].Piece = pieces[i]
	}
	return s, nil
}

// WithUIDs is a copy of s in which each part has a uid. It is nil when s is.
func (s *Splitting) WithUIDs(newUID func() UID) *Splitting {
	if s == nil {
		return nil
	}
	out := &Splitting{slices.Clone(s.Parts)}
	for i := range out.Parts {
		if out.Parts[i].UID == "" {
			out.Parts[i].UID = newUID()
		}
	}
	return out
}

// Title is the part's name, given or made; i is its place.
func (p *NewPart) Title(whole string, i int) string {
	if name := cleanName(p.Name); name != "" {
		return name
	}
	focus := p.Piece.Focus
	if visible.Line(focus) != focus {
		focus = "" // a path may have what no name may
	}
	return complexity.PieceTitle(whole, i, focus)
}

// SplitFrom is the task that t was split from; "" for every other task. Whoever wrote it, it counts
// only of t's parent.
func (t *Task) SplitFrom() UID {
	if t.Spec == nil || t.Config.ParentUID == "" {
		return ""
	}
	for _, f := range t.Spec.Context {
		if f.Key == splitFrom && isString(f.Value) && UID(unquote(f.Value)) == t.Config.ParentUID {
			return t.Config.ParentUID
		}
	}
	return ""
}

// parts are the parts that t was split into and that were not taken back, in the order of their making.
func (x *tx) parts(t *Task) []*Task {
	var out []*Task
	for _, c := range x.w.ChildUIDs(t.UID) {
		if child, ok := x.w.Task(c); ok && child.Status.CurrentState != Aborted && child.SplitFrom() == t.UID {
			out = append(out, child)
		}
	}
	slices.SortStableFunc(out, func(a, b *Task) int {
		if slices.Contains(b.DependsOn, a.UID) {
			return -1
		}
		if slices.Contains(a.DependsOn, b.UID) {
			return 1
		}
		return byUID(a, b)
	})
	return out
}

var needSplittable = check{GuardInfo{GuardSplit, "work that can be split, and parts that hold all of it"}, (*step).checkSplit}

func (s *step) checkSplit() *Refusal {
	refuse := func(why, hint string) *Refusal { return s.refuse(CodeRefused, GuardSplit, why, hint) }
	work := s.task.Work()
	switch {
	case s.task.ended():
		return refuse("it "+endedHow(s.task), "create a new task for what is still to be done")
	case work.Files()+len(work.Criteria) < 2:
		return refuse("it names fewer than two files and acceptance criteria", "say with `vespe set` which files it concerns")
	}
	for _, c := range s.w.ChildUIDs(s.task.UID) {
		if child, ok := s.w.Task(c); ok && !child.ended() && child.Phase() == "" {
			return refuse(fmt.Sprintf("it has subtasks already, as %s", quoted(child)), "split these, or abort them first")
		}
	}
	if s.op.Split == nil {
		if s.trial {
			return nil
		}
		return s.refuse(CodeInvalid, GuardSplit, "no parts were given", "say how it is to be split")
	}
	return s.checkParts(work)
}

func (s *step) checkParts(work complexity.Work) *Refusal {
	parts := s.op.Split.Parts
	pieces := make([]complexity.Piece, len(parts))
	uids := make([]UID, len(parts))
	for i := range parts {
		pieces[i], uids[i] = parts[i].Piece, parts[i].UID
	}
	if why := complexity.Check(work, pieces); why != "" {
		hint := "look at the task again: every file and criterion belongs to one part"
		if len(parts) < 2 {
			hint = "move something into another part"
		}
		return s.refuse(CodeInvalid, GuardSplit, why, hint)
	}
	for i := range parts {
		if r := s.checkName(parts[i].Title(s.task.Config.Name, i)); r != nil {
			return r
		}
		if s.trial && uids[i] == "" {
			continue
		}
		if r := s.checkFree(uids[i], uids[:i]); r != nil {
			return r
		}
	}
	return nil
}

// doSplit makes the parts below the task, each waiting for the one before it and the first for what
// the task waits for. Who waited for the task waits for the last part. The task itself stays
// what it is.
func doSplit(s *step) *Refusal {
	parent := s.note(s.op.UID)
	objective, _, r := s.doc(parent, Objective)
	if r != nil {
		return r
	}
	parts := s.op.Split.Parts
	dependents := s.w.DependentUIDs(parent.UID)
	before := slices.Clone(parent.DependsOn)
	uids := make([]UID, len(parts))
	for i := range parts {
		name := parts[i].Title(parent.Config.Name, i)
		t := s.newTask(parts[i].UID, name, parent.UID, before, partSpec(parent, &parts[i].Piece))
		s.emit(Event{
			Name: CreateTask, UID: t.UID, Actor: s.op.Actor, To: Created, Cause: parent.UID,
			Summary: fmt.Sprintf("create %s, part %d of %d of %s", quoted(t), i+1, len(parts), quoted(parent)),
		})
		if r := s.newObjective(t, partText(parent, parts, i, objective.Body)); r != nil {
			return r
		}
		uids[i], before = t.UID, []UID{t.UID}
	}
	s.head = fmt.Sprintf("split %s into %s", quoted(parent), plural(len(uids), "part", "parts"))
	s.detail(ListField("parts", uids))
	s.listParts(parent.UID, uids)
	if r := s.repoint(dependents, parent.UID, uids[len(uids)-1], "the last of them"); r != nil {
		return r
	}
	return s.waitForAll(parent, uids, "parts")
}

// waitForAll lets a working task wait for all that was made of it.
func (s *step) waitForAll(parent *Task, uids []UID, called string) *Refusal {
	if parent.Status.CurrentState != Working {
		return nil
	}
	if run := parent.Status.CurrentRun; run != "" {
		s.warnings = append(s.warnings, fmt.Sprintf("%s works on %s now (%s); it waits for the %s",
			orSomebody(parent.Status.AssignedAgentUID), quoted(parent), run, called))
	}
	for _, uid := range uids {
		if r := s.fire(Op{ID: s.op.ID, At: s.op.At, Name: SpawnSubtask, Actor: s.op.Actor, UID: parent.UID, Subtask: uid}, uid); r != nil {
			return r
		}
	}
	s.also(quoted(parent) + " waits for them")
	return nil
}

// listParts puts parts behind their task in the milestone that lists it. Where the task's spec.json names
// one, the parts' do, too.
func (s *step) listParts(whole UID, parts []UID) {
	ms := s.milestones()
	k := ms.Holder(whole)
	if k < 0 || ms.Broken {
		return
	}
	ms = ms.Clone()
	list := &ms.List[k].TaskIDs
	*list = slices.Insert(*list, slices.Index(*list, whole)+1, parts...)
	s.setMilestones(ms)
	for _, uid := range parts {
		s.note(uid).Spec.MilestoneID = "" // it is in one place only
	}
}

// unlistParts takes parts out of the lists of milestones.
func (s *step) unlistParts(parts []UID) {
	ms := s.milestones().Clone()
	listed := false
	for _, uid := range parts {
		listed = ms.unlist(uid) || listed
	}
	if listed && !ms.Broken {
		s.setMilestones(ms)
	}
}

// repoint lets everyone who waits for one task wait for another, which is called so in a sentence. Who
// has ended waits for nobody.
func (s *step) repoint(dependents []UID, from, to UID, called string) *Refusal {
	var moved []UID
	for _, uid := range dependents {
		d, ok := s.w.Task(uid)
		switch {
		case !ok || uid == to || d.final() || d.unreadable() || !slices.Contains(d.DependsOn, from) || s.isAbove(uid, to):
			continue
		case d.Status.CurrentState == Working && d.Status.CurrentRun != "":
			s.warnings = append(s.warnings, fmt.Sprintf("%s still depends on %s: somebody works on it now", quoted(d), s.named(from)))
			continue
		}
		for _, op := range []Op{{Name: AddDependency, Deps: []UID{to}}, {Name: RemoveDependency, Deps: []UID{from}}} {
			op.ID, op.At, op.Actor, op.UID = s.op.ID, s.op.At, s.op.Actor, uid
			if op.Name == AddDependency && slices.Contains(d.DependsOn, to) {
				continue
			}
			if r := s.fire(op, s.op.UID); r != nil {
				return r
			}
		}
		moved = append(moved, uid)
	}
	if len(moved) == 0 {
		return nil
	}
	s.say(fmt.Sprintf("%s %s for %s", s.listed(moved), verb(len(moved), "waits", "wait"), called))
	var changed []UID
	for _, uid := range moved {
		if d, ok := s.w.Task(uid); ok && len(d.Status.ChangedBecause) > 0 {
			changed = append(changed, uid)
		}
	}
	if len(changed) > 0 {
		s.say(fmt.Sprintf("what %s %s accepted with is not so any more, and %s changed",
			s.listed(changed), verb(len(changed), "was", "were"), verb(len(changed), "it is", "they are")))
	}
	return nil
}

// isAbove says whether a task is above another in the tree.
func (x *tx) isAbove(uid, below UID) bool {
	seen := map[UID]bool{}
	for at := below; at != "" && !seen[at]; {
		seen[at] = true
		t, ok := x.w.Task(at)
		if !ok {
			return false
		}
		if at = t.Config.ParentUID; at == uid {
			return true
		}
	}
	return false
}

// partSpec is the spec of a part: what holds for the whole holds for it, and the files and criteria
// are its own. Steps, commands that verify the whole, and ids in other systems stay with the task.
func partSpec(whole *Task, p *complexity.Piece) *Spec {
	was := whole.Spec
	sp := &Spec{
		UserStory: was.UserStory, GoalType: was.GoalType, Constraints: slices.Clone(was.Constraints), Priority: was.Priority,
		Source: was.Source, Requester: was.Requester, Risk: was.Risk, RequiresHITL: was.RequiresHITL, MilestoneID: was.MilestoneID,
		MaxAttempts: was.MaxAttempts, Labels: slices.Clone(was.Labels), Intent: was.Intent,
		FilesToCreate: slices.Clone(p.Create), FilesToModify: slices.Clone(p.Modify), TestFiles: slices.Clone(p.Tests),
		Context: Extra{TextField(splitFrom, string(whole.UID))},
	}
	if by := was.PriorityBy; by != nil {
		sp.PriorityBy = &PriorityBy{Priority: by.Priority, Rule: by.Rule} // what a rule set, rules may set again
	}
	for _, c := range p.Criteria {
		sp.AcceptanceCriteria = append(sp.AcceptanceCriteria, Criterion{Text: was.AcceptanceCriteria[c].Text})
	}
	return sp
}

// maxPassedOn is how long an objective may be to be repeated in those of the parts, in bytes.
const maxPassedOn = 64 << 10

// partText is the objective of part i.
func partText(whole *Task, parts []NewPart, i int, objective []byte) string {
	var b strings.Builder
	p := &parts[i].Piece
	fmt.Fprintf(&b, "Part %d of %d of %s.\n", i+1, len(parts), quoted(whole))
	list := func(title string, items []string) {
		if len(items) == 0 {
			return
		}
		b.WriteString("\n" + title + ":\n\n")
		for _, item := range items {
			b.WriteString("- " + strings.ReplaceAll(item, "\n", "\n  ") + "\n")
		}
	}
	list("Files to create", p.Create)
	list("Files to modify", p.Modify)
	list("Tests", p.Tests)
	criteria := make([]string, len(p.Criteria))
	for k, c := range p.Criteria {
		criteria[k] = whole.Spec.AcceptanceCriteria[c].Text
	}
	list("It is done when", criteria)
	if text := strings.TrimSpace(string(objective)); text != "" && len(text) <= maxPassedOn {
		b.WriteString("\n---\n\nThe whole of it, of which the other parts are others' work:\n\n" + text + "\n")
	}
	return b.String()
}

// begun is a part, or a task below one, that work has begun on; nil when there is none.
func (x *tx) begun(parts []*Task) *Task {
	for _, part := range parts {
		for _, uid := range append([]UID{part.UID}, x.openBelow(part.UID)...) {
			t, ok := x.w.Task(uid)
			if ok && (t.Status.CurrentState == Working || t.Status.CurrentState == Errored || t.Status.CurrentRun != "" || t.ended()) {
				return t
			}
		}
	}
	return nil
}

// lastSplit are the parts that undo takes back: those of a split that came after the last verdict. Where
// it cannot be taken back any more, the verdict may be.
func (s *step) lastSplit() []*Task {
	parts := s.parts(s.task)
	if u := s.task.Status.Undo; len(parts) == 0 || u != nil && (u.At.After(parts[0].Config.CreatedAt) || s.begun(parts) != nil) {
		return nil
	}
	return parts
}

// undoableSplit refuses once work has begun on a part.
func (s *step) undoableSplit(parts []*Task) *Refusal {
	if t := s.begun(parts); t != nil {
		how := "work has begun on " + quoted(t)
		if t.ended() {
			how = quoted(t) + " " + endedHow(t)
		}
		return s.refuse(CodeRefused, GuardUndo, "it was split, and "+how, "abort what is not wanted any more")
	}
	for _, part := range parts {
		if part.unreadable() {
			return s.refuseUnreadable(part)
		}
	}
	return nil
}

// takeBackSplit aborts the parts, the last first, so that nobody waits for one of them. Who waits for
// one waits for the task again.
func (s *step) takeBackSplit(parts []*Task) *Refusal {
	s.note(s.op.UID)
	uids := make([]UID, len(parts))
	for i, part := range parts {
		uids[i] = part.UID
	}
	s.head = fmt.Sprintf("take back: split %s into %s", quoted(s.task), plural(len(uids), "part", "parts"))
	s.detail(TextField("transition", string(SplitTask)))
	s.detail(ListField("parts", uids))
	s.unlistParts(uids)
	for _, uid := range slices.Backward(uids) {
		others := slices.DeleteFunc(slices.Clone(s.w.DependentUIDs(uid)), func(d UID) bool { return slices.Contains(uids, d) })
		if r := s.repoint(others, uid, s.op.UID, "it again"); r != nil {
			return r
		}
		if r := s.fire(Op{
			ID: s.op.ID, At: s.op.At, Name: Abort, Actor: s.op.Actor, UID: uid, Reason: "the split of " + quoted(s.task) + " was taken back",
		}, s.op.UID); r != nil {
			return r
		}
	}
	return nil
}
