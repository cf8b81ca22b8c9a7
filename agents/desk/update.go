package desk

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// Change is a change to a task.
type Change struct {
	TaskID string `json:"id,omitempty" jsonschema:"uid of the task; optional for a loop worker"`
	Rev    int    `json:"rev" jsonschema:"rev you last read"`
	Patch  Patch  `json:"patch" jsonschema:"the fields to change"`
}

// Patch is what an agent may change. What a person accepted with the plan is not among it once that is accepted;
// nor is ever what would make a check, or the person's say, less: risk may only rise, and checks only be added to.
type Patch struct {
	Name          *string   `json:"name,omitempty"`
	Labels        *[]string `json:"labels,omitempty"`
	StepsDone     []int     `json:"steps_done,omitempty" jsonschema:"positions of finished steps, from 1"`
	Risk          *string   `json:"risk,omitempty" jsonschema:"it can only be raised"`
	Description   *string   `json:"description,omitempty" jsonschema:"this and the fields below only while no plan is accepted"`
	UserStory     *string   `json:"user_story,omitempty"`
	GoalType      *string   `json:"goal_type,omitempty"`
	Constraints   *[]string `json:"constraints,omitempty"`
	AddCriteria   []string  `json:"add_criteria,omitempty" jsonschema:"new acceptance criteria; existing ones belong to the person"`
	FilesToCreate *[]string `json:"files_to_create,omitempty"`
	FilesToModify *[]string `json:"files_to_modify,omitempty"`
	TestFiles     *[]string `json:"test_files,omitempty"`
	AddDepends    []string  `json:"add_depends_on,omitempty" jsonschema:"uids of tasks it needs"`
	RemoveDepends []string  `json:"remove_depends_on,omitempty"`
}

// Updated is a task after a change.
type Updated struct {
	Task       Row      `json:"task"`
	Changed    []string `json:"changed" jsonschema:"fields that changed"`
	NextAction string   `json:"next_action" jsonschema:"what to do now; follow it"`
}

// bound are the keys of the patch that an acceptance binds to.
func (p *Patch) bound() (keys []string) {
	for _, k := range []struct {
		name string
		set  bool
	}{
		{"risk", p.Risk != nil},
		{"description", p.Description != nil},
		{"user_story", p.UserStory != nil},
		{"goal_type", p.GoalType != nil},
		{"constraints", p.Constraints != nil},
		{"add_criteria", len(p.AddCriteria) > 0},
		{"files_to_create", p.FilesToCreate != nil},
		{"files_to_modify", p.FilesToModify != nil},
		{"test_files", p.TestFiles != nil},
		{"add_depends_on", len(p.AddDepends) > 0},
		{"remove_depends_on", len(p.RemoveDepends) > 0},
	} {
		if k.set {
			keys = append(keys, k.name)
		}
	}
	return keys
}

// Update changes what an agent may change of a task, all of it or nothing. Rev is the revision that was read: a
// task that has changed is refused (CodeStale).
func (d *Desk) Update(ctx context.Context, c Change) (Updated, error) {
	s, snap, t, err := d.ViewTask(ctx, c.TaskID)
	if err != nil {
		return Updated{}, err
	}
	if c.Rev < 1 {
		return Updated{}, problem(CodeInvalid, "rev is missing", fmt.Sprintf("Read the task with task_get, id %q, and send the change with the rev that you read.", t.UID))
	}
	if keys := c.Patch.bound(); len(keys) > 0 && t.Status.AcceptedPlan != nil {
		return Updated{}, problem(CodeDenied, fmt.Sprintf("the plan of %q is accepted, and with it %s", visible.Line(t.Config.Name), strings.Join(keys, ", ")),
			"Leave them as they are. If they are wrong, say so with ask_human: a person decides.")
	}
	ops, keys, err := c.Patch.ops(snap, t)
	if err != nil {
		return Updated{}, told(err)
	}
	text, err := json.Marshal(c.Patch)
	if err != nil {
		return Updated{}, told(err)
	}
	if string(text) == "{}" {
		return Updated{}, problem(CodeInvalid, "the patch is empty", "Name what to change.")
	}
	if len(ops) == 0 { // a call that is repeated
		i, _ := snap.Index(t.UID)
		return Updated{Task: rowOf(snap, i), Changed: []string{}, NextAction: fmt.Sprintf("Nothing to change. Use rev %d from now on.", t.Status.Revision)}, nil
	}
	for i := range ops { // the same change of the same revision is one
		ops[i].ID = opID("update", string(d.o.Actor), string(t.UID), fmt.Sprint(c.Rev), string(text), string(ops[i].Name))
	}
	ops[0].ExpectRevision = c.Rev
	applied, err := d.do(ctx, s, ops...)
	if err != nil {
		return Updated{}, told(err)
	}
	i, ok := applied.Snapshot.Index(t.UID)
	if !ok {
		return Updated{}, problem(CodeNotFound, "the task was removed", orders[CodeNotFound])
	}
	row := rowOf(applied.Snapshot, i)
	return Updated{Task: row, Changed: keys, NextAction: fmt.Sprintf("Changed. Use rev %d from now on.", row.Rev)}, nil
}

// ops are the operations of a patch, and the keys that it is of.
func (p *Patch) ops(snap *snapshot.Snapshot, t *model.Task) (ops []model.Op, keys []string, err error) {
	add := func(key string, op model.Op) {
		op.UID = t.UID
		ops, keys = append(ops, op), append(keys, key)
	}
	if p.Name != nil && *p.Name != t.Config.Name {
		add("name", model.Op{Name: model.RenameTask, Args: model.NewName{Name: *p.Name}})
	}
	sp, set, err := p.spec(t)
	if err != nil {
		return nil, nil, err
	}
	if len(set) > 0 {
		add(set[0], model.Op{Name: model.SetFields, Args: model.FieldEdit{Spec: sp}})
		keys = append(keys, set[1:]...)
	}
	uids := func(refs []string, there bool) ([]model.UID, error) {
		var out []model.UID
		for _, ref := range refs {
			uid, err := snap.Find(ref)
			if err != nil {
				return nil, err
			}
			if slices.Contains(t.DependsOn, uid) == there && !slices.Contains(out, uid) {
				out = append(out, uid)
			}
		}
		return out, nil
	}
	more, err := uids(p.AddDepends, false)
	if err != nil {
		return nil, nil, err
	}
	if len(more) > 0 {
		add("add_depends_on", model.Op{Name: model.AddDependency, Args: model.DependencyEdit{DependsOn: more}})
	}
	less, err := uids(p.RemoveDepends, true)
	if err != nil {
		return nil, nil, err
	}
	if len(less) > 0 {
		add("remove_depends_on", model.Op{Name: model.RemoveDependency, Args: model.DependencyEdit{DependsOn: less}})
	}
	return ops, keys, nil
}

// spec is spec.json with the patch, and what of it is other.
func (p *Patch) spec(t *model.Task) (*model.Spec, []string, error) {
	c := t.Clone()
	sp := c.Spec
	if sp == nil {
		sp = new(model.Spec)
	}
	var set []string
	text := func(key string, to *string, from *string) {
		if from != nil && *to != *from {
			*to, set = *from, append(set, key)
		}
	}
	list := func(key string, to *[]string, from *[]string) {
		if from != nil && !slices.Equal(*to, *from) {
			*to, set = *from, append(set, key)
		}
	}
	list("labels", &sp.Labels, p.Labels)
	text("description", &sp.Description, p.Description)
	text("user_story", &sp.UserStory, p.UserStory)
	text("goal_type", &sp.GoalType, p.GoalType)
	list("constraints", &sp.Constraints, p.Constraints)
	list("files_to_create", &sp.FilesToCreate, p.FilesToCreate)
	list("files_to_modify", &sp.FilesToModify, p.FilesToModify)
	list("test_files", &sp.TestFiles, p.TestFiles)
	if p.Risk != nil && *p.Risk != sp.Risk {
		if !slices.Contains([]string{model.RiskLow, model.RiskMedium, model.RiskHigh}, *p.Risk) {
			return nil, nil, problem(CodeInvalid, fmt.Sprintf("unknown risk %q", visible.Line(*p.Risk)), "Use low, medium or high.")
		}
		sp.Risk, set = *p.Risk, append(set, "risk")
	}
	for _, text := range p.AddCriteria {
		if !slices.ContainsFunc(sp.AcceptanceCriteria, func(c model.Criterion) bool { return c.Text == text }) {
			sp.AcceptanceCriteria, set = append(sp.AcceptanceCriteria, model.Criterion{Text: text}), append(set, "add_criteria")
		}
	}
	for _, k := range p.StepsDone {
		if k < 1 || k > len(sp.Steps) {
			return nil, nil, problem(CodeInvalid, fmt.Sprintf("the task has %d steps, so there is no step %d", len(sp.Steps), k), "Read the steps with task_get, include details.")
		}
		if !sp.Steps[k-1].Done {
			sp.Steps[k-1].Done, set = true, append(set, "steps_done")
		}
	}
	return sp, slices.Compact(set), nil
}
