package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// MaxItems is how many tasks one call makes at most.
const MaxItems = 200

// NewTasks are tasks to be made, all of them or none.
type NewTasks struct {
	Items []NewItem `json:"items" jsonschema:"the tasks, in order; at most 200"`
	Key   string    `json:"idempotency_key,omitempty" jsonschema:"the same key creates nothing twice"`
}

// NewItem is one task to be made.
type NewItem struct {
	Ref           string     `json:"ref,omitempty" jsonschema:"your own name for it; later items can use it in parent and depends_on"`
	Name          string     `json:"name" jsonschema:"one line, up to 200 characters"`
	Objective     string     `json:"objective,omitempty" jsonschema:"the goal and how to tell it is reached; Markdown"`
	Parent        string     `json:"parent,omitempty" jsonschema:"uid of its parent, or ref of an earlier item"`
	DependsOn     []string   `json:"depends_on,omitempty" jsonschema:"uids of tasks it needs, or refs of earlier items"`
	Description   string     `json:"description,omitempty"`
	UserStory     string     `json:"user_story,omitempty"`
	GoalType      string     `json:"goal_type,omitempty" jsonschema:"feature, bugfix, refactor, docs, perf, test, chore, build, ci or style"`
	Constraints   []string   `json:"constraints,omitempty"`
	Criteria      []string   `json:"criteria,omitempty" jsonschema:"acceptance criteria"`
	FilesToCreate []string   `json:"files_to_create,omitempty"`
	FilesToModify []string   `json:"files_to_modify,omitempty"`
	TestFiles     []string   `json:"test_files,omitempty"`
	Verify        [][]string `json:"verify,omitempty" jsonschema:"commands that check the work, as argv lists"`
	Priority      string     `json:"priority,omitempty"`
	Risk          string     `json:"risk,omitempty"`
	RequiresHITL  bool       `json:"requires_hitl,omitempty" jsonschema:"a person must approve the start"`
	Labels        []string   `json:"labels,omitempty"`
	Milestone     string     `json:"milestone,omitempty" jsonschema:"milestone id"`
}

// Created is what was made.
type Created struct {
	Tasks      []CreatedTask `json:"tasks"`
	NextAction string        `json:"next_action" jsonschema:"what to do now; follow it"`
}

// CreatedTask is one task that was made.
type CreatedTask struct {
	Ref  string `json:"ref,omitempty"`
	ID   string `json:"id" jsonschema:"uid"`
	Name string `json:"name"`
}

// Create makes tasks in one transaction: all of them, or none. Parents and dependencies may be items before. With
// a Key it is done once; the same key with other items is refused.
func (d *Desk) Create(ctx context.Context, n NewTasks) (Created, error) {
	switch {
	case len(n.Items) == 0:
		return Created{}, problem(CodeInvalid, "there are no items", "Give at least one task.")
	case len(n.Items) > MaxItems:
		return Created{}, problem(CodeTooLarge, fmt.Sprintf("there are %d items; at most %d are made in one call", len(n.Items), MaxItems), "Send them in several calls, each with its own key.")
	}
	if err := checkKey(n.Key); err != nil {
		return Created{}, err
	}
	s, snap, err := d.View(ctx)
	if err != nil {
		return Created{}, err
	}
	ops, err := n.ops(s, snap)
	if err != nil {
		return Created{}, err
	}
	if n.Key != "" {
		for i := range ops {
			ops[i].ID = opID("create", string(d.o.Actor), n.Key, fmt.Sprint(i))
		}
	}
	applied, err := d.do(ctx, s, ops...)
	var no *model.Refusal
	if errors.As(err, &no) && no.Guard == "op_id" {
		return Created{}, n.keyUsed()
	}
	if err != nil {
		return Created{}, told(err)
	}
	uids := make([]model.UID, len(ops))
	for i := range ops {
		uids[i] = model.ArgsOf[model.NewTask](&ops[i]).UID
	}
	if applied.Replayed {
		if uids, err = n.made(applied, ops); err != nil {
			return Created{}, err
		}
	}
	out := Created{NextAction: "The tasks are created. Each needs a plan before work: read it with task_get, then send its plan with plan_submit."}
	for i, it := range n.Items {
		out.Tasks = append(out.Tasks, CreatedTask{Ref: it.Ref, ID: string(uids[i]), Name: strings.TrimSpace(it.Name)})
	}
	return out, nil
}

func (n *NewTasks) keyUsed() error {
	return problem(CodeKey, fmt.Sprintf("the key %q was used for other tasks", visible.Line(n.Key)), "Use another key for other tasks.")
}

// ops are the operations that make the items.
func (n *NewTasks) ops(s *store.Store, snap *snapshot.Snapshot) ([]model.Op, error) {
	refs := map[string]model.UID{}
	var ops []model.Op
	for i := range n.Items {
		it := &n.Items[i]
		bad := func(err error) error {
			var e *Error
			if errors.As(told(err), &e) {
				return &Error{Code: e.Code, Message: fmt.Sprintf("item %d, %q: %s", i+1, visible.Line(it.Name), e.Message), Next: e.Next + " Nothing was created.", err: err}
			}
			return err
		}
		meant := func(ref string) (model.UID, error) {
			if uid, ok := refs[ref]; ok {
				return uid, nil
			}
			return snap.Find(ref)
		}
		task := &model.NewTask{UID: s.NewUID(), Name: it.Name, Objective: it.Objective}
		sp, err := it.spec()
		if err != nil {
			return nil, bad(err)
		}
		task.Spec = sp
		if it.Parent != "" {
			if task.Parent, err = meant(it.Parent); err != nil {
				return nil, bad(err)
			}
		}
		for _, ref := range it.DependsOn {
			uid, err := meant(ref)
			if err != nil {
				return nil, bad(err)
			}
			if !slices.Contains(task.DependsOn, uid) {
				task.DependsOn = append(task.DependsOn, uid)
			}
		}
		if it.Ref != "" {
			if _, twice := refs[it.Ref]; twice {
				return nil, bad(problem(CodeInvalid, fmt.Sprintf("the ref %q is given twice", visible.Line(it.Ref)), "Give each item its own ref."))
			}
			refs[it.Ref] = task.UID
		}
		ops = append(ops, model.Op{Name: model.CreateTask, Args: *task})
	}
	return ops, nil
}

// spec is what the item says beside its name and objective; nil for nothing.
func (it *NewItem) spec() (*model.Spec, error) {
	for what, size := range map[string]int{"objective": len(it.Objective), "description": len(it.Description), "user_story": len(it.UserStory)} {
		if err := tooLarge(what, size, MaxText, "Shorten it."); err != nil {
			return nil, err
		}
	}
	sp := &model.Spec{
		Description: it.Description, UserStory: it.UserStory, GoalType: it.GoalType, Constraints: it.Constraints, Risk: it.Risk, RequiresHITL: it.RequiresHITL,
		FilesToCreate: it.FilesToCreate, FilesToModify: it.FilesToModify, TestFiles: it.TestFiles, Verify: it.Verify, Labels: it.Labels, MilestoneID: it.Milestone,
	}
	if sp.Risk == model.RiskLow {
		sp.Risk = "" // only a person names a risk below medium, which is what counts where none is named
	}
	if it.Priority != "" {
		p, ok := model.ParsePriority(it.Priority)
		if !ok {
			return nil, problem(CodeInvalid, fmt.Sprintf("unknown priority %q", visible.Line(it.Priority)), "Use critical, high, medium or low.")
		}
		sp.Priority = p
	}
	for _, c := range it.Criteria {
		sp.AcceptanceCriteria = append(sp.AcceptanceCriteria, model.Criterion{Text: c})
	}
	if string(model.EncodeSpec(sp)) == string(model.EncodeSpec(new(model.Spec))) {
		return nil, nil
	}
	return sp, nil
}

// made are the tasks that were made under the key before, if they are these.
func (n *NewTasks) made(applied snapshot.Applied, ops []model.Op) ([]model.UID, error) {
	byOp := map[string]*model.Task{}
	for _, e := range applied.Change.Events {
		if e.Name != model.CreateTask {
			continue
		}
		for _, t := range applied.Change.Tasks {
			if t.UID == e.UID {
				byOp[e.OpID] = t
			}
		}
	}
	if len(byOp) != len(ops) {
		return nil, n.keyUsed()
	}
	was := map[model.UID]model.UID{} // what a new uid stands for
	var uids []model.UID
	for i := range ops {
		t := byOp[ops[i].ID]
		want := model.ArgsOf[model.NewTask](&ops[i])
		as := func(uid model.UID) model.UID {
			if old, ok := was[uid]; ok {
				return old
			}
			return uid
		}
		if t == nil || t.Config.Name != strings.TrimSpace(want.Name) || t.Config.ParentUID != as(want.Parent) || !sameDeps(t.DependsOn, want.DependsOn, as) || !sameSpec(t.Spec, want.Spec) ||
			!sameObjective(applied.Change.Files, t.UID, want.Objective) {
			return nil, n.keyUsed()
		}
		was[want.UID] = t.UID
		uids = append(uids, t.UID)
	}
	return uids, nil
}

func sameDeps(there, want []model.UID, as func(model.UID) model.UID) bool {
	if len(there) != len(want) {
		return false
	}
	for _, uid := range want {
		if !slices.Contains(there, as(uid)) {
			return false
		}
	}
	return true
}

// sameSpec compares specs but for the priority, which rules may have set.
func sameSpec(a, b *model.Spec) bool {
	plain := func(sp *model.Spec) string {
		var c model.Spec
		if sp != nil {
			c = *sp
		}
		c.Priority, c.PriorityBy = "", nil
		return string(model.EncodeSpec(&c))
	}
	return plain(a) == plain(b)
}

func sameObjective(files []model.FileChange, uid model.UID, want string) bool {
	for _, f := range files {
		if strings.HasSuffix(f.Path, string(uid)+"/objective.md") {
			return string(f.Body) == want
		}
	}
	return strings.TrimSpace(want) == ""
}
