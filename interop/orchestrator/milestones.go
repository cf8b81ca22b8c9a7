package orchestrator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/snapshot"
)

// stateOf is the rest of a state that one of the records keeps.
func stateOf(list []model.Extra) model.Extra {
	for _, r := range list {
		if raw, ok := r.Get(stateKey); ok {
			fields, _ := model.DecodeFields("", raw)
			return fields
		}
	}
	return nil
}

// stones are the milestones of a state, and those that the phases of its plan become.
func stones(state model.Extra) []milestone {
	var out []milestone
	if raw, ok := state.Get("milestones"); ok {
		_ = json.Unmarshal(raw, &out) // it was read when it came
	}
	var plan struct {
		Phases []phase `json:"phases"`
	}
	if raw, ok := state.Get("plan"); ok {
		_ = json.Unmarshal(raw, &plan)
	}
	for i, p := range plan.Phases {
		if p.Phase == 0 {
			p.Phase = i + 1
		}
		id := fmt.Sprintf("M%d", p.Phase)
		if !slices.ContainsFunc(out, func(m milestone) bool { return strings.EqualFold(m.ID, id) }) {
			out = append(out, milestone{ID: id, Name: p.Name})
		}
	}
	return out
}

// before makes the milestones that the store lacks, and gives those that it has from there what
// changed there since.
func before(b *records.Before) {
	var now, old []model.Extra
	for _, r := range b.Records {
		now = append(now, r.Fields)
		id, _ := r.Fields.Text("id")
		if kept, ok := b.Kept(id); ok {
			old = append(old, kept)
		}
	}
	if len(now) == 0 {
		return
	}
	var here model.Milestones
	if b.Snapshot != nil {
		here = b.Snapshot.MilestoneFile().Clone()
	}
	was := stones(stateOf(old))
	for _, m := range stones(stateOf(now)) {
		known := slices.IndexFunc(was, func(o milestone) bool { return o.ID == m.ID })
		switch at := here.Index(m.ID); {
		case at < 0 && known >= 0:
			b.Count("milestones removed here are not imported again", m.ID)
		case at < 0:
			name := freeName(here, m)
			if _, err := here.Find(m.ID); err == nil {
				b.Bad(b.Records[0], "duplicate-id", "another milestone here has the id "+m.ID, "rename the other one")
				continue
			}
			text := strings.TrimSpace(m.Description)
			here.List = append(here.List, model.Milestone{ID: m.ID, Name: name})
			b.Op(model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{ID: m.ID, Name: &name, Description: &text}})
		case known < 0:
			b.Count("milestones that exist here are not changed", m.ID)
		default:
			edit(b, here, at, was[known], m)
		}
	}
}

// edit follows what changed of a milestone there.
func edit(b *records.Before, here model.Milestones, at int, was, is milestone) {
	e := model.MilestoneEdit{ID: is.ID}
	if is.Name != was.Name && is.Name != here.List[at].Name {
		here.List[at].Name = ""
		name := freeName(here, is)
		here.List[at].Name = name
		e.Name = &name
	}
	if text := strings.TrimSpace(is.Description); text != strings.TrimSpace(was.Description) && text != here.List[at].Description {
		e.Description = &text
	}
	if e.Name != nil || e.Description != nil {
		b.Op(model.Op{Name: model.EditMilestone, Args: e})
	}
}

// freeName is a milestone's name, with its id where another is called so already.
func freeName(here model.Milestones, m milestone) string {
	name := records.Name(m.Name, m.ID)
	taken := func(name string) bool {
		return slices.ContainsFunc(here.List, func(x model.Milestone) bool {
			return x.ID != m.ID && (strings.EqualFold(x.Name, name) || strings.EqualFold(x.ID, name))
		})
	}
	if taken(name) {
		name = records.Name(name, "") + " (" + m.ID + ")"
	}
	return name
}

// exported are the milestones that an export has: all, or those of its tasks.
func exported(x records.Exported) []snapshot.Milestoning {
	if x.Snapshot == nil {
		return nil
	}
	used := map[string]bool{}
	for _, r := range x.Records {
		id, _ := r.Text("milestone_id")
		used[id] = true
	}
	var out []snapshot.Milestoning
	for _, m := range x.Snapshot.Milestones() {
		if used[m.ID] || x.Whole && !m.Undefined {
			out = append(out, m)
		}
	}
	return out
}

func left(x records.Exported, count func(what, id string)) {
	for _, m := range exported(x) {
		if len(m.Extra) > 0 {
			count("milestones' own fields are not exported", m.ID)
		}
	}
}

// whole is a state: the tasks, their milestones, what follows from them, and the rest of the
// state that they came from.
func whole(x records.Exported) model.Extra {
	rest := stateOf(x.Records)
	tasks := make([]model.Extra, 0, len(x.Records))
	words, in := map[string][]string{}, map[string][]string{}
	for _, r := range x.Records {
		tasks = append(tasks, r.Without(stateKey))
	}
	slices.SortStableFunc(tasks, func(a, b model.Extra) int {
		i, _ := a.Text("id")
		k, _ := b.Text("id")
		return byID(i, k)
	})
	ids := map[string][]string{} // word → ids
	for _, r := range tasks {
		id, _ := r.Text("id")
		word, _ := r.Text("status")
		stone, _ := r.Text("milestone_id")
		ids[word] = append(ids[word], id)
		in[stone] = append(in[stone], id)
		words[stone] = append(words[stone], word)
	}
	list := []json.RawMessage{}
	for _, m := range exported(x) {
		list = append(list, model.ObjectField("", stone(m, rest, in[m.ID], words[m.ID])).Value)
	}
	running := ids["in_progress"]
	current := records.Null("current_task_id")
	if len(running) > 0 {
		current = model.TextField("current_task_id", running[0])
	}
	out := model.Extra{
		{Key: "tasks", Value: records.ListValue(tasks)},
		records.Raw("milestones", list), current,
		model.ListField("current_task_ids", running), model.ListField("completed_task_ids", ids["completed"]),
		model.ListField("failed_task_ids", ids["failed"]), model.ListField("in_flight_task_ids", running),
	}
	for _, f := range rest {
		if f.Key != "milestones" {
			out = append(out, f)
		}
	}
	return out
}

// stone is a milestone as it is written: as it came where it is still called so.
func stone(m snapshot.Milestoning, rest model.Extra, ids, words []string) model.Extra {
	var kept []model.Extra
	if raw, ok := rest.Get("milestones"); ok {
		list, _ := records.Parse("", raw)
		for _, r := range list {
			kept = append(kept, r.Fields)
		}
	}
	var out model.Extra
	for _, k := range kept {
		if id, _ := k.Text("id"); id == m.ID {
			out = k
		}
	}
	name, _ := out.Text("name")
	if out == nil || records.Name(name, m.ID) != m.Name && records.Name(name, m.ID)+" ("+m.ID+")" != m.Name {
		name = m.Name
	}
	text, _ := out.Text("description")
	if strings.TrimSpace(text) != m.Description {
		text = m.Description
	}
	return out.With(model.TextField("id", m.ID)).With(model.TextField("name", name)).With(model.TextField("description", text)).
		With(model.ListField("task_ids", ids)).With(model.TextField("status", derive(words)))
}

// derive is the status of a milestone whose tasks have these.
func derive(words []string) string {
	switch {
	case slices.Contains(words, "failed"):
		return "failed"
	case slices.Contains(words, "in_progress"):
		return "in_progress"
	case len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return w != "completed" }):
		return "completed"
	case slices.Contains(words, "completed"):
		return "in_progress" // it has begun
	}
	return "pending"
}

// byID orders T2 before T10 and behind T2 its parts.
func byID(a, b string) int {
	num := func(id string) (int, bool) {
		digits, _, _ := strings.Cut(strings.TrimPrefix(id, "T"), "-")
		n, err := strconv.Atoi(digits)
		return n, err == nil && strings.HasPrefix(id, "T")
	}
	i, okA := num(a)
	k, okB := num(b)
	if okA && okB && i != k {
		return cmp.Compare(i, k)
	}
	if okA != okB {
		if okA {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}
