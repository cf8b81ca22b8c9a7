package model

import (
	"fmt"
	"slices"
	"strings"
)

// importable are the states that an import may bring. Everything past plan_defined that
// is still open would say that somebody approved it, and nobody here did.
var importable = []State{Created, ObjectiveDefined, PlanDefined, Failed, Aborted, Completed}

func (s *step) checkImport() *Refusal {
	bad := func(why, hint string) *Refusal { return s.refuse(CodeRefused, GuardImport, why, hint) }
	if s.op.Import == nil || s.op.Import.Task == nil {
		return s.refuse(CodeInvalid, GuardImport, "no task was given", "say what is to be imported")
	}
	in, t := s.op.Import, s.op.Import.Task
	st := &t.Status
	if r := s.checkFree(t.UID, nil); r != nil {
		return r
	}
	switch {
	case !slices.Contains(importable, st.CurrentState):
		return bad(fmt.Sprintf("an import cannot bring a task that is %q", string(st.CurrentState)),
			"import it as plan_defined, so that a person accepts its plan here")
	case st.CurrentState == Completed && !t.reviewed():
		return bad("an import cannot bring work that waits for review", "import it as reviewed, or as plan_defined")
	case st.AcceptedPlan != nil:
		return bad("an import cannot bring an approval", "leave accepted_plan out")
	case st.CurrentRun != "" || st.Undo != nil || st.IsPaused || len(st.SubtaskUIDs) > 0:
		return bad("an import cannot bring a live run, a pause or a right to undo", "leave those keys out")
	case st.CurrentState == ObjectiveDefined && strings.TrimSpace(in.Objective) == "":
		return bad("it has no objective, but is objective_defined", "import it as created")
	case st.CurrentState == PlanDefined && strings.TrimSpace(in.Plan) == "":
		return bad("it has no plan, but is plan_defined", "import it as objective_defined")
	}
	for name := range in.Result {
		if !cleanResultName(name) {
			return bad(fmt.Sprintf("%s cannot name a file under result/", quote(name)), "use a plain relative path")
		}
	}
	return nil
}

// cleanResultName accepts slash paths that stay where they are put.
func cleanResultName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "\\\x00") {
			return false
		}
	}
	return true
}

// doImport adds a whole task. What it says about other tasks is taken as it is:
// dangling dependencies and cycles are problems of the data, which the snapshot lists.
func doImport(s *step) *Refusal {
	in := s.op.Import
	t := in.Task.Clone()
	t.Config.UID = t.UID
	t.Problems = nil
	t.HasStatus, t.HasObjective, t.HasPlan = true, false, false
	st := &t.Status
	st.Revision = max(st.Revision, 1)
	st.ObjectiveRevision, st.PlanRevision = 0, 0
	if st.LastUpdatedAt.IsZero() {
		st.LastUpdatedAt = s.op.At
	}
	if t.Config.CreatedAt.IsZero() {
		t.Config.CreatedAt = s.op.At
	}
	if t.Config.CreatedBy == "" {
		t.Config.CreatedBy = s.op.Actor
	}
	s.add(t, Touched{Config: true, Status: true, Dependencies: len(t.DependsOn) > 0, Spec: t.Spec != nil})
	for _, d := range []struct {
		doc  Doc
		text string
	}{{Objective, in.Objective}, {Plan, in.Plan}} {
		if strings.TrimSpace(d.text) == "" {
			continue
		}
		s.newRevision(t, d.doc, []byte(d.text))
		s.write(taskFile(t.UID, string(d.doc)+".md"), []byte(d.text), false)
	}
	if r := st.Review; r != nil && r.Revision == 0 {
		r.Revision = st.PlanRevision
	}
	names := make([]string, 0, len(in.Result))
	for name := range in.Result {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s.write(taskFile(t.UID, "result/"+name), []byte(in.Result[name]), false)
	}
	for _, e := range in.Events {
		e.UID = t.UID
		s.tx.events = append(s.tx.events, e)
	}
	s.say(strings.ReplaceAll(string(st.CurrentState), "_", " "))
	return nil
}
