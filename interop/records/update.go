package records

import (
	"context"
	"errors"
	"maps"
	"slices"

	"vespe/model"
	"vespe/model/specfields"
)

// update makes the edits that bring a task up to date with its record. What was changed here
// and not there stays; what was changed on both sides becomes as it is there.
func (im *importer) update(c *Converted, t *model.Task) ([]model.Op, error) {
	record := model.Extra(c.Imported.Task.Spec.External)
	fresh, _ := record.Get(im.f.Key)
	text, err := im.text(t)
	if err != nil {
		return nil, err
	}
	kept := im.f.kept(t)
	if kept == nil && im.f.Fields == nil {
		im.report.Unchanged++
		if older(record, t) {
			im.report.Count("changed there since an import that kept no record; not updated", c.ID)
		}
		return nil, nil
	}
	if kept == nil {
		kept = im.f.Fields(View{Task: withSpec(t), Status: im.status(t.UID), Objective: text, Milestone: im.milestone(t.UID), ID: im.names.id})
		if im.f.Seal != nil {
			kept = im.f.Seal(kept, nil)
		}
	}
	said, _ := model.DecodeFields("", fresh)
	if model.SameJSON(model.EncodeFields(withoutNulls(kept)), model.EncodeFields(withoutNulls(said))) {
		im.report.Unchanged++
		return nil, nil
	}
	switch im.status(t.UID) {
	case model.StatusDone, model.StatusFailed, model.StatusAborted, model.StatusProblem:
		im.report.Unchanged++
		im.report.Count("changed there, but ended or unreadable here; not updated", c.ID)
		return nil, nil
	}
	base := im.f.again(kept, t, im.target, im.names)
	im.report.Updated++
	im.report.noted(c)
	u := updating{im: im, c: c, base: base, t: t, text: text}
	u.texts()
	u.onlyKept(kept, said)
	if err := u.plan(); err != nil {
		return nil, err
	}
	u.links()
	u.status()
	return u.out, nil
}

// older says whether a task has another value than a record for what is kept of it outside the record.
func older(record model.Extra, t *model.Task) bool {
	return t.Spec != nil && slices.ContainsFunc(t.Spec.External, func(was model.ExtraField) bool {
		is, ok := record.Get(was.Key)
		return ok && !model.SameJSON(was.Value, is)
	})
}

// withoutNulls is a record without the members that say nothing: a member that is null is as one
// that is absent.
func withoutNulls(record model.Extra) model.Extra {
	var out model.Extra
	for _, f := range record {
		if string(f.Value) != "null" {
			out = append(out, f)
		}
	}
	return out
}

func (im *importer) status(uid model.UID) model.Status {
	i, ok := im.o.Snapshot.Index(uid)
	if !ok {
		return model.StatusProblem
	}
	return im.o.Snapshot.Status(i)
}

func (im *importer) milestone(uid model.UID) string {
	i, ok := im.o.Snapshot.Index(uid)
	if !ok {
		return ""
	}
	return im.o.Snapshot.OwnMilestone(i)
}

func (im *importer) text(t *model.Task) (string, error) {
	if !t.HasObjective || im.o.Text == nil {
		return "", nil
	}
	text, err := im.o.Text(t.UID)
	if errors.Is(err, model.ErrNoContent) {
		return "", nil
	}
	return text, err
}

func withSpec(t *model.Task) *model.Task {
	if t.Spec != nil {
		return t
	}
	c := t.Clone()
	c.Spec = new(model.Spec)
	return c
}

// updating is one task on its way to what its record says now.
type updating struct {
	im      *importer
	c, base *Converted
	t       *model.Task
	text    string // its objective
	out     []model.Op
}

func (u *updating) op(op model.Op) {
	op.UID, op.Actor = u.t.UID, u.im.o.Actor
	u.out = append(u.out, op)
}

func (u *updating) left(what string) { u.im.report.Count(what, u.c.ID) }

func (u *updating) texts() {
	was, is := u.base.Imported, u.c.Imported
	mine := u.t.Spec
	if mine == nil {
		mine = new(model.Spec)
	}
	u.op(model.Op{Name: model.SetFields, Args: model.FieldEdit{Spec: specfields.Merge(mine, was.Task.Spec, is.Task.Spec)}})
	if name := is.Task.Config.Name; name != was.Task.Config.Name && name != u.t.Config.Name {
		u.op(model.Op{Name: model.RenameTask, Args: model.NewName{Name: name}})
	}
	if is.Objective != was.Objective && is.Objective != u.text {
		switch state := u.t.Status.CurrentState; {
		case is.Objective == "":
			u.left("the objective was removed there; it stays here")
		case state == model.Created || state == model.ObjectiveDefined:
			u.op(model.Op{Name: model.DefineObjective, Args: model.NewObjective{Text: is.Objective}})
		default:
			u.left("the objective changed there; it stays here, because a plan exists for it")
		}
	}
	if is.Result[summaryFile] != was.Result[summaryFile] {
		u.left("the result changed there; saved only in spec.external." + u.im.f.Key)
	}
	if is.Task.Status.RetryCount != was.Task.Status.RetryCount {
		u.left("the number of attempts changed there; saved only in spec.external." + u.im.f.Key)
	}
	if is.Task.Status.AssignedAgentUID != was.Task.Status.AssignedAgentUID {
		u.left("the assigned agent changed there; saved only in spec.external." + u.im.f.Key)
	}
}

// onlyKept says which of the record's members changed that nothing here follows.
func (u *updating) onlyKept(kept, fresh model.Extra) {
	for _, key := range slices.Sorted(maps.Keys(u.im.f.OnlyKept)) {
		was, _ := kept.Get(key)
		is, _ := fresh.Get(key)
		if !model.SameJSON(was, is) {
			u.left(u.im.f.OnlyKept[key] + "; saved only in spec.external." + u.im.f.Key)
		}
	}
}

// plan follows a plan that nobody here has changed or judged.
func (u *updating) plan() error {
	was, is := u.base.Imported, u.c.Imported
	if is.Plan == was.Plan {
		return nil
	}
	mine := ""
	if u.t.HasPlan && u.im.o.Source != nil {
		c, err := u.im.o.Source.Content(context.Background(), u.t.UID, model.Plan)
		if err != nil && !errors.Is(err, model.ErrNoContent) {
			return err
		}
		mine = string(c.Body)
	}
	st := &u.t.Status
	open := slices.Contains([]model.State{model.Created, model.ObjectiveDefined, model.PlanDefined}, st.CurrentState)
	switch {
	case mine == is.Plan:
	case is.Plan == "":
		u.left("the plan was removed there; it stays here")
	case !open || st.AcceptedPlan != nil || mine != was.Plan || u.im.o.Source == nil:
		u.left("the plan changed there; the one here stays, because it was edited or reviewed")
	case !u.t.HasObjective && is.Objective == "":
		u.left("new plan there, but no objective here; saved only in spec.external." + u.im.f.Key)
	default:
		u.op(model.Op{Name: model.DefinePlan, Args: model.NewPlan{Text: is.Plan}})
	}
	return nil
}

func (u *updating) links() {
	was, is := u.base.Imported.Task, u.c.Imported.Task
	if is.Config.ParentUID != was.Config.ParentUID {
		u.left("the parent changed there; parents never change here")
	}
	var add, remove []model.UID
	for _, d := range is.DependsOn {
		if slices.Contains(was.DependsOn, d) || slices.Contains(u.t.DependsOn, d) {
			continue
		}
		_, here := u.im.task(d)
		if _, comes := u.im.ids[d]; !here && !comes {
			u.left("depends there on a task that is missing here")
			continue
		}
		add = append(add, d)
	}
	for _, d := range was.DependsOn {
		if !slices.Contains(is.DependsOn, d) && slices.Contains(u.t.DependsOn, d) {
			remove = append(remove, d)
		}
	}
	if len(remove) > 0 {
		u.op(model.Op{Name: model.RemoveDependency, Args: model.DependencyEdit{DependsOn: remove}})
	}
	if len(add) > 0 {
		u.op(model.Op{Name: model.AddDependency, Args: model.DependencyEdit{DependsOn: add}})
	}
}

// status follows what a person or nobody has to judge; what would be a verdict is left to one.
func (u *updating) status() {
	was, is := u.base.Imported.Task.Status.CurrentState, u.c.Imported.Task.Status.CurrentState
	human := u.im.o.Actor.Kind() == model.Human
	switch {
	case is != was && (is == model.Aborted || is == model.Failed):
		if !human {
			u.left(u.c.Word + " there; here only a person can abort a task")
			return
		}
		u.op(model.Op{Name: model.Abort, Reason: u.c.Word + " in " + u.im.f.Name})
	case is != was && is == model.Completed:
		u.left(u.c.Word + " there; the state here stays, because no work was accepted")
	case u.c.Hold != "" && u.base.Hold == "" && !u.t.Status.IsPaused:
		u.op(model.Op{Name: model.Pause, Reason: u.c.Hold})
	case u.c.Hold == "" && u.base.Hold != "" && u.t.Status.IsPaused && u.t.Status.PauseReason == u.base.Hold:
		if !human {
			u.left("no longer waiting there; here only a person can resume a task")
			return
		}
		u.op(model.Op{Name: model.Resume, Reason: u.c.Word + " in " + u.im.f.Name})
	case u.c.Word != u.base.Word:
		u.left(u.c.Word + " there; the state here stays, because plans are accepted and work is started here")
	}
}
