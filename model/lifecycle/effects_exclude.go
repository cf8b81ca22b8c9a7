package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/plantext"
	"vespe/model/review"
)

// needExcludable refuses to leave out what is not there.
var needExcludable = machine.Need(model.GuardExcluded, "for exclusions: a section of the plan or an open subtask", func(s *machine.Step) *model.Refusal {
	out := model.ArgsOf[model.Acceptance](&s.Op).Excluded
	if len(out) == 0 {
		return nil
	}
	plan, known, r := s.Doc(s.Task, model.Plan)
	if r != nil {
		return r
	}
	sections := plantext.Sections(string(plan.Body))
	for i, what := range out {
		switch child, isTask := s.World.Task(model.UID(what)); {
		case slices.Contains(out[:i], what):
			return s.Refuse(model.CodeInvalid, model.GuardExcluded, model.Quote(what)+" is left out twice", "name it once")
		case isTask && child.Config.ParentUID != s.Task.UID:
			return s.Refuse(model.CodeInvalid, model.GuardExcluded, model.Quoted(child)+" is not a subtask of it", "leave out its own subtasks, or sections of its plan")
		case isTask && child.Ended():
			return s.Refuse(model.CodeRefused, model.GuardExcluded, model.Quoted(child)+" "+machine.EndedHow(child), "it can no longer be left out")
		case isTask, !known || plan.Hash == "":
		case !slices.ContainsFunc(sections, func(o plantext.Section) bool { return o.Title == what }):
			return s.Refuse(model.CodeInvalid, model.GuardExcluded, "its plan has no section "+model.Quote(what), "give the exact text of a heading, or the uid of a subtask")
		}
	}
	if known && plan.Hash != "" && allLeftOut(string(plan.Body), sections, out) {
		return s.Refuse(model.CodeRefused, model.GuardExcluded, "this leaves out the whole plan", "accept a part of it, or reject it")
	}
	return nil
})

// allLeftOut reports whether nothing is left of a text but blank lines.
func allLeftOut(text string, sections []plantext.Section, titles []string) bool {
	out := plantext.LeftOut(sections, titles)
	n, some := 0, false
	for line := range strings.Lines(text) {
		if n++; strings.TrimSpace(line) == "" {
			continue
		}
		some = true
		covered := false
		for i, s := range sections {
			covered = covered || out[i] && s.From <= n && n <= s.To
		}
		if !covered {
			return false
		}
	}
	return some
}

// exclude pauses the subtasks that an acceptance leaves out, with all below them, and lets those go on
// that only an acceptance before it had left out. What they waited for before does not let them go on: a
// pause for a request or for subtasks comes back when a person resumes them.
func exclude(s *machine.Step, t *model.Task) {
	var in []string
	excluded := model.ArgsOf[model.Acceptance](&s.Op).Excluded
	for _, uid := range s.World.ChildUIDs(t.UID) {
		child, ok := s.World.Task(uid)
		switch out := slices.Contains(excluded, string(uid)); {
		case !ok || uid == t.UID || child.Unreadable():
		case out && !child.IsLeftOut():
			leaveOut(s, child, outOf+model.Quoted(t)+outOfIt)
			leaveOutBelow(s, child)
		case !out && child.IsLeftOut() && strings.HasPrefix(child.Status.PauseReason, outOf):
			takeIn(s, s.Edit(uid))
			takeInBelow(s, child)
			in = append(in, string(uid))
		}
	}
	if len(in) > 0 {
		s.Say("included again: " + partNames(s.Tx, in))
	}
	sayLeftOut(s, "left out", "", excluded)
}

// What the pause of a task says that was left out, or is below one that was.
const (
	outOf     = model.ExcludedReason + "the plan of "
	outOfIt   = " was accepted without it"
	outWith   = model.ExcludedReason + "it is part of "
	outBefore = "; it was paused before: "
)

func leaveOut(s *machine.Step, child *model.Task, reason string) {
	c := s.Edit(child.UID)
	if was := c.Status.PauseReason; c.Status.IsPaused && was != "" {
		reason += outBefore + was
	}
	c.Status.IsPaused, c.Status.PauseReason = true, reason
	s.Emit(model.Event{
		Name: model.Pause, UID: c.UID, Actor: s.Op.Actor, Cause: s.Op.UID, From: c.Status.CurrentState, To: c.Status.CurrentState,
		Reason: c.Status.PauseReason, Summary: fmt.Sprintf("pause %s: %s", model.Quoted(c), strings.TrimPrefix(reason, model.ExcludedReason)),
	})
}

// leaveOutBelow pauses what is open below a task that was left out, down to what was left out by itself.
func leaveOutBelow(s *machine.Step, t *model.Task) {
	below(s, t, func(c *model.Task) bool {
		if c.IsLeftOut() {
			return false
		}
		if !c.Ended() && !c.Unreadable() {
			leaveOut(s, c, outWith+model.Quoted(t)+", which was left out")
		}
		return true
	})
}

// takeInBelow lets go on what was paused because the task above it was left out.
func takeInBelow(s *machine.Step, t *model.Task) {
	below(s, t, func(c *model.Task) bool {
		with := strings.HasPrefix(c.Status.PauseReason, outWith)
		if c.IsLeftOut() && with && !c.Unreadable() {
			takeIn(s, s.Edit(c.UID))
		}
		return !c.IsLeftOut() || with
	})
}

// below visits what is below a task, and of a branch no more where visit says so.
func below(s *machine.Step, t *model.Task, visit func(*model.Task) bool) {
	seen := map[model.UID]bool{t.UID: true}
	for todo := []model.UID{t.UID}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		for _, uid := range s.World.ChildUIDs(at) {
			c, ok := s.World.Task(uid)
			if !ok || seen[uid] {
				continue
			}
			if seen[uid] = true; visit(c) {
				todo = append(todo, uid)
			}
		}
	}
}

// takeIn takes back the pause of a task that was left out. What still holds it comes back: open subtasks,
// a question that waits, or what it was paused for before.
func takeIn(s *machine.Step, t *model.Task) {
	st := &t.Status
	_, before, _ := strings.Cut(st.PauseReason, outBefore)
	by := st.PausedBy
	unpause(t)
	st.SubtaskUIDs = slices.DeleteFunc(st.SubtaskUIDs, func(c model.UID) bool { return !s.IsOpen(c) })
	was := model.StatusFile{IsPaused: before != "", PauseReason: before}
	switch held := model.HeldTitles(s.OpenOn(t.UID)); {
	case was.PauseKind() == "other":
		st.IsPaused, st.PauseReason, st.PausedBy = true, before, by
	case held != "":
		st.IsPaused, st.PauseReason = true, "hitl: "+held
	case was.PauseKind() == "hitl" && !askedBefore(s.Tx, t.UID, before):
		st.IsPaused, st.PauseReason = true, before
	case len(st.SubtaskUIDs) > 0:
		st.IsPaused, st.PauseReason = true, "subtasks"
	}
	e := model.Event{
		Name: model.Resume, UID: t.UID, Actor: s.Op.Actor, Cause: s.Op.UID, From: st.CurrentState, To: st.CurrentState,
		Summary: fmt.Sprintf("resume %s: it is included again", model.Quoted(t)),
	}
	if st.IsPaused {
		e.Summary += ", and stays " + machine.PausedHow(t)
	}
	s.Emit(e)
}

// askedBefore reports that a pause was for a request which nobody waits for any more.
func askedBefore(x *machine.Tx, uid model.UID, pause string) bool {
	return slices.ContainsFunc(x.World.Requests(), func(q model.Request) bool {
		return q.TaskUID == uid && q.Holds() && !q.IsOpen() && q.Title != "" && strings.Contains(pause, strings.TrimSpace(q.Title))
	})
}

// needTakenIn refuses to go on with a task below one that a person has left out, also where it came
// there afterwards.
var needTakenIn = machine.Need(model.GuardNotPaused, "no excluded task above it", func(s *machine.Step) *model.Refusal {
	if s.Op.Name == model.Resume && !s.Task.IsLeftOut() {
		return nil // an answer to what it asks
	}
	for t, seen := s.Task, map[model.UID]bool{}; !seen[t.UID]; {
		seen[t.UID] = true
		above, ok := s.World.Task(t.Config.ParentUID)
		if !ok {
			return nil
		}
		if above.IsLeftOut() {
			return s.Refuse(model.CodeRefused, model.GuardNotPaused, fmt.Sprintf("it is part of %s, which is %s", model.Quoted(above), machine.PausedHow(above)),
				"a person can resume "+model.Quoted(above))
		}
		t = above
	}
	return nil
})

// needSoundAbove refuses to start a task below one that failed: its work could not be used.
var needSoundAbove = machine.Need(model.GuardParent, "no failed task above it", func(s *machine.Step) *model.Refusal {
	for t, seen := s.Task, map[model.UID]bool{}; !seen[t.UID]; {
		seen[t.UID] = true
		above, ok := s.World.Task(t.Config.ParentUID)
		if !ok {
			return nil
		}
		if above.Status.CurrentState == model.Failed {
			return s.Refuse(model.CodeRefused, model.GuardParent, fmt.Sprintf("it is part of %s, which failed", model.Quoted(above)), "reopen "+model.Quoted(above)+" first")
		}
		t = above
	}
	return nil
})

// sayLeftOut names what of a plan is not accepted, and warns of sections that a text has no more; the
// text may be "" where that is known.
func sayLeftOut(s *machine.Step, how, text string, parts []string) {
	if len(parts) == 0 {
		return
	}
	s.Say(fmt.Sprintf("%s: %s", model.Plural(len(parts), "part of it is "+how, "parts of it are "+how), partNames(s.Tx, parts)))
	s.Detail(model.ListField("excluded", parts))
	if text == "" {
		return
	}
	sections := plantext.Sections(text)
	for _, what := range parts {
		_, isTask := s.World.Task(model.UID(what))
		if !isTask && !slices.ContainsFunc(sections, func(o plantext.Section) bool { return o.Title == what }) {
			s.Warnings = append(s.Warnings, fmt.Sprintf("the acceptance leaves out %s, which its plan no longer has", model.Quote(what)))
		}
	}
}

// sayTakenIn warns of what the acceptance that stood left out and this one does not.
func sayTakenIn(s *machine.Step, t *model.Task) {
	a := t.Status.AcceptedPlan
	if a == nil {
		return
	}
	out := model.ArgsOf[model.Acceptance](&s.Op).Excluded
	in := slices.DeleteFunc(slices.Clone(a.Excluded), func(what string) bool { return slices.Contains(out, what) })
	if len(in) > 0 {
		s.Warnings = append(s.Warnings, "this acceptance includes what the previous one left out: "+partNames(s.Tx, in))
	}
}

// sameParts refuses to make an acceptance hold again that leaves out other parts than its approval does,
// and warns where that is not there to be asked.
func sameParts(s *machine.Step, t *model.Task) *model.Refusal {
	p := t.Status.AcceptedPlan
	body, known, r := binding.ApprovalOf(s.Tx, t)
	if r != nil || !known || p.Approval == "" {
		return r
	}
	a, err := review.DecodeApproval(body)
	switch {
	case body == nil, err != nil, p.ApprovalHash != "" && p.ApprovalHash != model.HashBytes(body):
		s.Warnings = append(s.Warnings, "the approval is missing; by status.json it left out "+
			cmp.Or(partNames(s.Tx, p.Excluded), "nothing"))
	case !slices.Equal(a.Excluded, p.Excluded):
		return s.Refuse(model.CodeConflict, model.GuardApproval, model.ApprovalsDir+p.Approval+" leaves out different parts than status.json",
			"restore status.json from git, or replan it")
	}
	return nil
}

// partNames are sections and subtasks as the object of a sentence.
func partNames(x *machine.Tx, parts []string) string {
	const most = 5
	var words []string
	for i, what := range parts {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(parts)-i))
			break
		}
		if t, ok := x.World.Task(model.UID(what)); ok {
			words = append(words, "the subtask "+model.Quoted(t))
			continue
		}
		words = append(words, "the section "+model.Quote(what))
	}
	return machine.Listing(words)
}
