package edits

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/visible"
)

// importable are the states that an import may bring. Everything past plan_defined that
// is still open would say that somebody approved it, and nobody here did.
var importable = []model.State{model.Created, model.ObjectiveDefined, model.PlanDefined, model.Failed, model.Aborted, model.Completed}

func checkImport(s *machine.Step) *model.Refusal {
	bad := func(why, hint string) *model.Refusal {
		return s.Refuse(model.CodeRefused, model.GuardImport, why, hint)
	}
	in := model.ArgsOf[model.Imported](&s.Op)
	t := in.Task
	if t == nil {
		return s.Refuse(model.CodeInvalid, model.GuardImport, "no task was given", "give the tasks to import")
	}
	st := &t.Status
	if r := CheckFree(s, t.UID, nil); r != nil {
		return r
	}
	switch {
	case !slices.Contains(importable, st.CurrentState):
		return bad(fmt.Sprintf("a task in state %q can't be imported", string(st.CurrentState)),
			"import it as plan_defined, so that a person accepts its plan here")
	case st.CurrentState == model.Completed && !t.IsReviewed():
		return bad("work that waits for review can't be imported", "import it as reviewed, or as plan_defined")
	case st.AcceptedPlan != nil:
		return bad("an approval can't be imported", "omit accepted_plan")
	case st.CurrentRun != "" || st.Undo != nil || st.IsPaused || len(st.SubtaskUIDs) > 0:
		return bad("a live run, a pause or an undo record can't be imported", "omit those keys")
	case st.CurrentState == model.ObjectiveDefined && strings.TrimSpace(in.Objective) == "":
		return bad("it has no objective, but is objective_defined", "import it as created")
	case st.CurrentState == model.PlanDefined && strings.TrimSpace(in.Plan) == "":
		return bad("it has no plan, but is plan_defined", "import it as objective_defined")
	}
	return checkImportFiles(s, &in)
}

// checkImportFiles refuses files that could not be written, or not be read back.
func checkImportFiles(s *machine.Step, in *model.Imported) *model.Refusal {
	bad := func(why, hint string) *model.Refusal {
		return s.Refuse(model.CodeRefused, model.GuardImport, why, hint)
	}
	for _, text := range []string{in.Objective, in.Plan} {
		if !utf8.ValidString(text) || len(text) > machine.MaxDocument {
			return bad("its objective or plan is not valid UTF-8, or too long",
				fmt.Sprintf("save it as UTF-8, in at most %d bytes", machine.MaxDocument))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.Result)) {
		if !cleanResultName(name) {
			return bad(fmt.Sprintf("%s is not a valid path under result/", model.Quote(name)), "use a plain relative path")
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, ok := in.Result[dir]; ok {
				return bad(fmt.Sprintf("%s under result/ would be both a file and a directory", model.Quote(dir)), "rename one of the two")
			}
		}
	}
	t := in.Task
	c := t.Config
	c.UID = t.UID
	_, problems := model.DecodeConfig("config.json", model.EncodeConfig(c))
	_, more := model.DecodeStatus("status.json", model.EncodeStatus(t.Status))
	problems = append(problems, more...)
	_, _, more = model.DecodeDependencies("dependencies.json", model.EncodeDependencies(t.DependsOn, t.DepsExtra))
	problems = append(problems, more...)
	if len(problems) > 0 {
		return bad(problems[0].Path+" would be unreadable: "+problems[0].Reason, problems[0].Hint)
	}
	return CheckSpec(s, t.Spec, model.GuardImport)
}

const (
	maxResultName  = 255 // bytes of one element, what file systems take
	maxResultDepth = 32  // elements; the store looks no deeper
)

// cleanResultName accepts slash paths that stay where they are put, and that every file
// system takes: one that a transaction could not write would be in its way for good.
func cleanResultName(name string) bool {
	if visible.Line(name) != name || strings.Count(name, "/") >= maxResultDepth {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || len(part) > maxResultName || strings.Contains(part, "\\") {
			return false
		}
	}
	return true
}

// doImport adds a whole task. What it says about other tasks is taken as it is:
// dangling dependencies and cycles are problems of the data, which the snapshot lists.
func doImport(s *machine.Step) *model.Refusal {
	in := model.ArgsOf[model.Imported](&s.Op)
	t := in.Task.Clone()
	t.Config.UID = t.UID
	t.Problems, t.Spec = nil, safer(s, nil, t.Spec)
	t.HasStatus, t.HasObjective, t.HasPlan = true, false, false
	st := &t.Status
	st.Revision = max(st.Revision, 1)
	st.ObjectiveRevision, st.PlanRevision = 0, 0
	if st.LastUpdatedAt.IsZero() {
		st.LastUpdatedAt = s.Op.At
	}
	if t.Config.CreatedAt.IsZero() {
		t.Config.CreatedAt = s.Op.At
	}
	if t.Config.CreatedBy == "" {
		t.Config.CreatedBy = s.Op.Actor
	}
	s.Add(t, model.Touched{Config: true, Status: true, Dependencies: len(t.DependsOn) > 0, Spec: t.Spec != nil})
	for _, d := range []struct {
		doc  model.Doc
		text string
	}{{model.Objective, in.Objective}, {model.Plan, in.Plan}} {
		if strings.TrimSpace(d.text) == "" {
			continue
		}
		s.Detail(model.IntField(model.RevisionKey(d.doc), s.NewRevision(t, d.doc, []byte(d.text))))
		s.Write(model.TaskFile(t.UID, string(d.doc)+".md"), []byte(d.text), false)
	}
	if r := st.Review; r != nil && r.Revision == 0 {
		r.Revision = st.PlanRevision
	}
	for _, name := range slices.Sorted(maps.Keys(in.Result)) {
		s.Write(model.TaskFile(t.UID, "result/"+name), []byte(in.Result[name]), false)
	}
	for _, e := range in.Events {
		e.UID = t.UID
		s.Tx.Events = append(s.Tx.Events, e)
	}
	s.SayState(st.CurrentState)
	return nil
}
