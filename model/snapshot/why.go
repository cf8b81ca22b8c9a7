package snapshot

import (
	"fmt"
	"strings"

	"vespe/model"
)

// Reason is one line of the answer to "why does this not move". Depth 0 concerns the
// task that was asked about; a deeper one explains the last line that is less deep.
type Reason struct {
	UID    model.UID    // whom the line is about; it may name no task
	Name   string       // "" when the uid names no task
	Status model.Status // StatusProblem when the uid names no task; of the task asked about, as this reason alone makes it
	Text   string       // a clause about the task: `blocked by "API", which waits for a person to review its plan`
	Depth  int
}

// An explanation is for reading: it stops at this many steps and lines.
const (
	maxWhyDepth = 12
	maxWhyLines = 60
)

// Why explains everything that keeps task i from going on, what its status says first: what its own
// files say, such as a pause or a plan that is not accepted, each subtask that it waits for, and each
// dependency that is not met, down to the root causes. Every other task is told once. nil for a task
// that waits for nothing: ready, running, or ended.
func (s *Snapshot) Why(i int) []Reason {
	switch s.status[i] {
	case model.StatusReady, model.StatusRunning, model.StatusDone, model.StatusAborted, model.StatusFailed:
		return nil
	}
	w := why{s: s, told: map[model.UID]bool{s.tasks.uid(int32(i)): true}}
	if s.status[i] == model.StatusBlocked { // if only by a cycle, which holds back what has no plan yet
		w.blockers(int32(i), 0)
		w.holds(int32(i))
	} else {
		w.holds(int32(i))
		if s.own[i] != model.StatusProblem && s.tasks.task(int32(i)).Status.CurrentState != model.Completed {
			w.blockers(int32(i), 0)
		}
	}
	if w.more > 0 {
		w.lines = append(w.lines, Reason{
			UID: s.tasks.uid(int32(i)), Name: s.Title(i), Status: s.status[i],
			Text: fmt.Sprintf("and %d more", w.more),
		})
	}
	return w.lines
}

// Over says how a task has ended; "" of one that has not.
func (s *Snapshot) Over(i int) string {
	switch s.status[i] {
	case model.StatusDone:
		return "it is done, and waits for nothing"
	case model.StatusFailed:
		return "it failed" + because(s.At(i).Status.ErrorDetails) + ", and waits for nothing"
	case model.StatusAborted:
		return "it was aborted, and waits for nothing"
	}
	return ""
}

// why gathers the lines of one explanation.
type why struct {
	s     *Snapshot
	told  map[model.UID]bool
	lines []Reason
	more  int // lines that did not fit
}

// holds tells all that holds the task asked about back by itself.
func (w *why) holds(i int32) {
	t := w.s.tasks.task(i)
	for _, st := range t.Holds(w.s.rules) {
		if st == model.StatusProblem && t.Unreadable() {
			for _, p := range t.Problems {
				if p.Severity == model.Error {
					w.own(i, st, "cannot be read: "+p.Reason)
				}
			}
		} else if st != model.StatusSubtasks || !w.subtasks(i, 0) {
			w.own(i, st, waitsForAs(w.s, i, st))
		}
		if st == model.StatusPaused {
			w.behindPause(i)
		}
	}
	if w.s.lacksAt(i) {
		w.own(i, model.StatusReviewPlan, waitsForAs(w.s, i, model.StatusReviewPlan))
	}
}

// behindPause tells what a task whose pause somebody takes back still waits for: its open requests, and the subtasks
// that it named.
func (w *why) behindPause(i int32) {
	t := w.s.tasks.task(i)
	if open := model.HeldTitles(model.OpenAmong(w.s.requests, t.UID)); open != "" {
		w.own(i, model.StatusWaiting, "waits for a person to answer"+because(open))
	}
	if len(t.Status.SubtaskUIDs) > 0 {
		w.subtasks(i, 0)
	}
}

// causes tells what holds task i back, when that is other tasks.
func (w *why) causes(i int32, depth int) bool {
	switch w.s.status[i] {
	case model.StatusBlocked:
		w.blockers(i, depth)
		return true
	case model.StatusSubtasks:
		return w.subtasks(i, depth)
	}
	return false
}

func (w *why) blockers(i int32, depth int) {
	s := w.s
	if p := s.shutAbove(i); p >= 0 && !w.told[s.tasks.uid(p)] {
		w.told[s.tasks.uid(p)] = true
		w.add(p, fmt.Sprintf("is part of %q, which failed: nothing below it starts until it is reopened", model.Plain(s.Title(int(p)))), depth)
	}
	if s.graph.InCycle(i) {
		w.put(Reason{
			UID: s.tasks.uid(i), Name: s.Title(int(i)), Status: model.StatusBlocked, Depth: depth,
			Text: "is in a cycle: " + SpellCycle(s.graph.CycleThrough(i), s.Title),
		})
		for _, v := range s.graph.Cycles[s.graph.CycleIndex(i)] {
			w.told[s.tasks.uid(v)] = true
		}
	}
	for _, uid := range s.tasks.task(i).DependsOn {
		d, ok := s.tasks.lookup(uid)
		switch {
		case w.told[uid] || ok && s.policy.Met(s.tasks.task(d)):
		case !ok:
			w.told[uid] = true
			w.put(Reason{
				UID: uid, Status: model.StatusProblem, Depth: depth,
				Text: fmt.Sprintf("depends on %s, which is not in this store", uid),
			})
		default:
			w.tell("blocked by", d, depth)
		}
	}
}

// subtasks tells which subtasks are awaited: those that status.json names, or when it
// names none, the children whose work is not done.
func (w *why) subtasks(i int32, depth int) bool {
	s := w.s
	before := len(w.lines) + w.more
	uids := s.tasks.task(i).Status.SubtaskUIDs
	if len(uids) == 0 {
		uids = s.uids(s.tree.kids.Of(i))
	}
	for _, uid := range uids {
		c, ok := s.tasks.lookup(uid)
		switch {
		case w.told[uid] || ok && !s.Unfinished(int(c)):
		case !ok:
			w.told[uid] = true
			w.put(Reason{
				UID: uid, Status: model.StatusProblem, Depth: depth,
				Text: fmt.Sprintf("waits for the subtask %s, which is not in this store", uid),
			})
		default:
			w.tell("waits for its subtask", c, depth)
		}
	}
	return len(w.lines)+w.more > before
}

// tell is the line about a task that holds another back, and below it what holds that
// one back.
func (w *why) tell(how string, d int32, depth int) {
	w.told[w.s.tasks.uid(d)] = true
	w.add(d, fmt.Sprintf("%s %q, which %s", how, model.Plain(w.s.Title(int(d))), w.s.WaitsFor(int(d))), depth)
	if depth+1 < maxWhyDepth {
		w.causes(d, depth+1)
	}
}

func (w *why) add(i int32, text string, depth int) {
	w.put(Reason{UID: w.s.tasks.uid(i), Name: w.s.Title(int(i)), Status: w.s.status[i], Text: text, Depth: depth})
}

func (w *why) own(i int32, st model.Status, text string) {
	w.put(Reason{UID: w.s.tasks.uid(i), Name: w.s.Title(int(i)), Status: st, Text: text})
}

func (w *why) put(r Reason) {
	if len(w.lines) >= maxWhyLines {
		w.more++
		return
	}
	w.lines = append(w.lines, r)
}

// WaitsFor says in a clause without a subject what moves task i on; never "".
func (s *Snapshot) WaitsFor(i int) string { return waitsForAs(s, int32(i), s.status[i]) }

// waitsForAs is WaitsFor as if the task had a status that one of its reasons alone makes of it.
func waitsForAs(s *Snapshot, i int32, status model.Status) string {
	t := s.tasks.task(i)
	st := &t.Status
	switch status {
	case model.StatusProblem:
		for _, p := range t.Problems {
			if p.Severity == model.Error {
				return "cannot be read: " + p.Reason
			}
		}
		return fmt.Sprintf("has an unknown state %q", st.CurrentState)
	case model.StatusAborted:
		return "was aborted: remove the dependency or depend on another task"
	case model.StatusFailed:
		return "failed" + because(st.ErrorDetails) + ": remove the dependency or depend on another task"
	case model.StatusError:
		return "is in error" + because(st.ErrorDetails) + ": retry it"
	case model.StatusChanged:
		changes := s.Changes(t)
		file := model.FileOf(s, changes[0].File)
		if more := len(changes) - 1; more > 0 {
			file = fmt.Sprintf("%s and %d more", model.Plain(file), more)
		}
		return "has changed since it was accepted" + because(file) + ": a person must confirm that it is still valid, or ask for a new plan"
	case model.StatusWaiting:
		text := strings.TrimSpace(strings.TrimPrefix(st.PauseReason, "hitl"))
		return "waits for a person to answer" + because(strings.TrimSpace(strings.TrimPrefix(text, ":")))
	case model.StatusPaused:
		return "is paused" + because(st.PauseReason) + ": resume it"
	case model.StatusSubtasks:
		return "waits for its subtasks to end"
	case model.StatusReviewPlan:
		if lacks := s.Lacks(t); lacks != "" {
			return "needs a signature (" + model.Plain(lacks) + "): accept its plan again with your key, vespe plan accept " + t.UID.Short()
		}
		if words := t.ElsewhereWords(); words != "" {
			return "was " + words + ": confirm it, vespe plan confirm " + t.UID.Short()
		}
		if st.CurrentState == model.Working {
			return "is working, but its plan isn't accepted in this clone: accept it, or replan it"
		}
		switch kind, _ := s.inboxKind(i, model.StatusReviewPlan); kind {
		case InboxAsked:
			return "waits for answers to a person's questions about its plan"
		case InboxDeferred:
			return "waits for a person who deferred its plan"
		}
		if s.withParent(i) {
			return "waits for the plan of " + model.Quoted(s.tasks.peek(s.tree.parent[i])) + " to be accepted"
		}
		return "waits for a person to review its plan"
	case model.StatusReviewWork:
		if words := t.ElsewhereWords(); words != "" {
			return "was " + words + ": confirm it, vespe plan confirm " + t.UID.Short()
		}
		return "waits for a person to review its work"
	case model.StatusBlocked:
		if s.graph.InCycle(i) {
			return "is in a dependency cycle"
		}
		return "is blocked itself"
	case model.StatusRunning:
		if st.AssignedAgentUID != "" {
			return fmt.Sprintf("is being worked on by %s: nothing to do but wait", st.AssignedAgentUID)
		}
		return "is being worked on: nothing to do but wait"
	case model.StatusReady:
		return "is ready but not started yet"
	case model.StatusReplan:
		return "was sent back and waits for a new plan"
	case model.StatusPlanning:
		return "waits for a plan to be written"
	case model.StatusCreated:
		return "waits for an objective to be written"
	}
	return "is done"
}

// because is detail in brackets, on one line and not too long; "" for nothing.
func because(detail string) string {
	detail = model.Plain(detail)
	if detail == "" {
		return ""
	}
	return " (" + detail + ")"
}

// SpellCycle is "A" → "B" → "A" for tasks of which each depends on the next.
func SpellCycle(cycle []int32, title func(i int) string) string {
	const most = 20
	var out strings.Builder
	for k, v := range cycle {
		if k == most {
			fmt.Fprintf(&out, "… (%d more) → ", len(cycle)-k)
			break
		}
		fmt.Fprintf(&out, "%q → ", model.Plain(title(int(v))))
	}
	if len(cycle) > 0 {
		fmt.Fprintf(&out, "%q", model.Plain(title(int(cycle[0]))))
	}
	return out.String()
}
