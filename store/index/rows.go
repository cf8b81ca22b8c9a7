package index

import (
	"encoding/json"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/vocab"
	"vespe/store/texts"
)

// partMark begins each part of a text after the first; the part's name and a line break follow. It occurs in
// no text.
const partMark = "\x1e"

// fields are the columns of texts and words, in their order.
var fields = snapshot.SearchFields()

// column is the name of a field's column.
func column(f snapshot.SearchField) string {
	switch f {
	case snapshot.SearchComment, snapshot.SearchResult:
		return string(f) + "s"
	}
	return string(f)
}

// row is a task as it is written down.
type row struct {
	uid     model.UID
	gone    bool
	known   bool  // there are rows of it already
	columns []any // of tasks, without id
	texts   [6]string
}

// derived are the columns that also follow from other tasks.
type derived struct{ status, vespe, milestone string }

var specWords = func() (words [model.NumStatuses]string) {
	for i := range words {
		words[i] = vocab.Word(model.Status(i), vocab.TasksSpec)
		if words[i] == "" {
			words[i] = "NEW"
		}
	}
	return words
}()

func derive(snap *snapshot.Snapshot, i int) derived {
	st := snap.Status(i)
	return derived{specWords[st], st.String(), snap.MilestoneID(i)}
}

// taskColumns are the columns of tasks that rowOf gives, in its order.
const taskColumns = `task_id, created_at, source, objective, context, priority, status, subtasks, assigned_agent, last_updated,
	tool_output, result_summary, uid, name, vespe_status, state, parent_uid, depends_on, labels, goal_type, risk,
	milestone_id, created_by, description, plan_revision, looks`

// rowOf is task i of a snapshot with what was written about it.
func rowOf(snap *snapshot.Snapshot, i int, x texts.Task) row {
	t := snap.At(i)
	d := derive(snap, i)
	sp := t.Spec
	if sp == nil {
		sp = &model.Spec{}
	}
	priority := string(sp.Priority)
	if sp.Priority == model.Medium {
		priority = "med"
	}
	agent := ""
	if t.Status.AssignedAgentUID != "" {
		agent = t.Status.AssignedAgentUID.Name()
	}
	objective := strings.TrimRight(x.Objective, "\n")
	if objective == "" {
		objective = t.Config.Name
	}
	var summary string
	for _, r := range x.Results {
		if r.Name == "summary.md" {
			summary = strings.TrimRight(r.Body, "\n")
		}
	}
	context, subtasks := specMember(sp, "context", "{}"), specMember(sp, "steps", "[]")
	r := row{uid: t.UID, columns: []any{
		model.ULID(t.UID), at(t.Config.CreatedAt), orNull(sp.Source), objective, context, orNull(priority), d.status, subtasks, orNull(agent),
		at(t.Status.LastUpdatedAt), toolOutput(sp), orNull(summary),
		string(t.UID), t.Config.Name, d.vespe, string(t.Status.CurrentState), orNull(string(t.Config.ParentUID)), list(t.DependsOn), list(sp.Labels),
		orNull(sp.GoalType), orNull(sp.Risk), orNull(d.milestone), orNull(string(t.Config.CreatedBy)), orNull(sp.Description),
		t.Status.PlanRevision, int64(x.Looks), //nolint:gosec // only compared
	}}
	r.texts = [6]string{
		joined(t.Config.Name), joined(x.Objective, specTexts(sp)...), joined(x.Plan),
		joined("", x.Comments...), joined("", x.Results...), joined("", x.History...),
	}
	return r
}

// specTexts are what spec.json says in words.
func specTexts(sp *model.Spec) (out []texts.Text) {
	add := func(name, text string) {
		if text != "" {
			out = append(out, texts.Text{Name: name, Body: text})
		}
	}
	add("description", sp.Description)
	add("user_story", sp.UserStory)
	add("intent", sp.Intent)
	add("constraints", strings.Join(sp.Constraints, "\n"))
	var criteria, steps []string
	for _, c := range sp.AcceptanceCriteria {
		criteria = append(criteria, c.Text)
	}
	for _, s := range sp.Steps {
		steps = append(steps, s.Step)
	}
	add("acceptance_criteria", strings.Join(criteria, "\n"))
	add("steps", strings.Join(steps, "\n"))
	add("labels", strings.Join(sp.Labels, "\n"))
	add("files", strings.Join(append(append([]string{}, sp.FilesToCreate...), sp.FilesToModify...), "\n"))
	return out
}

// joined is a text and the parts after it.
func joined(first string, parts ...texts.Text) string {
	n := len(first)
	for _, p := range parts {
		n += len(p.Name) + len(p.Body) + 3
	}
	var b strings.Builder
	b.Grow(n)
	clean := func(s string) string {
		if strings.Contains(s, partMark) {
			s = strings.ReplaceAll(s, partMark, " ")
		}
		return s
	}
	b.WriteString(clean(first))
	for _, p := range parts {
		b.WriteString(partMark)
		b.WriteString(strings.ReplaceAll(clean(p.Name), "\n", " "))
		b.WriteByte('\n')
		b.WriteString(clean(p.Body))
	}
	return b.String()
}

// specMember is a member of spec.json as JSON.
func specMember(sp *model.Spec, key, none string) string {
	if key == "context" && len(sp.Context) == 0 || key == "steps" && len(sp.Steps) == 0 {
		return none
	}
	all, _ := model.DecodeFields("spec.json", model.EncodeSpec(sp))
	if raw, ok := all.Get(key); ok {
		return string(raw)
	}
	return none
}

// toolOutput is that of a task that was imported from the TASKS specification.
func toolOutput(sp *model.Spec) any {
	for _, f := range sp.External {
		if f.Key != "tasks_spec" {
			continue
		}
		was, _ := model.DecodeFields("tasks_spec", f.Value)
		if raw, ok := was.Get("tool_output"); ok && string(raw) != "null" {
			return string(raw)
		}
	}
	return nil
}

func at(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func list[T ~string](all []T) string {
	if len(all) == 0 {
		return "[]"
	}
	b, err := json.Marshal(all)
	if err != nil {
		return "[]"
	}
	return string(b)
}
