package gitinternal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// objectsKey is the member of the record of a task, as it is kept, that holds the plans of the task; it is never
// written. Stores of earlier versions have other objects there too, and a task that holds those of none, with looseKey:
// they stay, and are written as they came.
const (
	objectsKey = "vespe_objects"
	looseKey   = "vespe_loose"
)

// The external_ids of a plan that vespe has written: whose, and which revision.
const (
	taskID     = "vespe_task"
	revisionID = "vespe_revision"
)

// objectsOf are the objects in a task's record, as it is kept.
func objectsOf(record model.Extra) (out []model.Extra) {
	var items []json.RawMessage
	if json.Unmarshal(raw(record, objectsKey), &items) != nil {
		return nil
	}
	for _, item := range items {
		if fields, problems := model.DecodeFields("", item); len(problems) == 0 {
			out = append(out, fields)
		}
	}
	return out
}

// plansOf are the plans among them, in the order in which they were made.
func plansOf(record model.Extra) []model.Extra {
	out := slices.DeleteFunc(objectsOf(record), func(o model.Extra) bool { return text(o, "object_type") != "plan" })
	slices.SortStableFunc(out, func(a, b model.Extra) int {
		at, _ := model.ParseTime(text(a, "created_at"))
		other, _ := model.ParseTime(text(b, "created_at"))
		return cmp.Or(at.Compare(other), strings.Compare(ref(a, "object_id"), ref(b, "object_id")))
	})
	return out
}

// bare is a task's record as git-internal has it.
func bare(record model.Extra) model.Extra { return record.Without(objectsKey).Without(looseKey) }

// gathering puts the plans of an import into the records of their tasks, with those that came before.
type gathering struct {
	report *records.Report
	tasks  []records.Record
	plans  map[string]model.Extra // by digits
	of     map[string][]string    // task → its plans
}

// gather takes tasks and plans apart from other objects. These are read for nothing but which task a plan is of: a run
// names both, and an intent the plan of the tasks that it led to.
func gather(_ context.Context, list []records.Record, o records.Options, report *records.Report) ([]records.Record, error) {
	g := &gathering{report: report, plans: map[string]model.Extra{}, of: map[string][]string{}}
	kept := keptIn(o.Snapshot)
	var runs, intents []model.Extra
	for _, r := range list {
		if _, ok := r.Fields.Get(objectsKey); ok {
			g.bad(r)("wrong-type", objectsKey+" is reserved by vespe", "remove it")
			continue
		}
		typ, isText := r.Fields.Text("object_type")
		switch {
		case !isText || typ == "" || typ == "task":
			g.tasks = append(g.tasks, r)
			continue
		case typ == "plan":
			if g.check(r, o.Unchecked); !ours(r.Fields, o.Snapshot, kept) {
				g.plans[ref(r.Fields, "object_id")] = r.Fields
			}
			continue
		case typ == "run":
			runs = append(runs, r.Fields)
		case typ == "intent":
			intents = append(intents, r.Fields)
		}
		report.Count("objects of the type "+visible.Line(typ)+" are not imported", text(r.Fields, "object_id"))
	}
	g.cycles()
	g.own(runs, intents)
	return g.join(kept), nil
}

func (g *gathering) bad(r records.Record) func(code, why, hint string) {
	return func(code, why, hint string) {
		g.report.Problems = append(g.report.Problems, r.Problem(code, why, hint))
	}
}

// check refuses a plan that is wrong.
func (g *gathering) check(r records.Record, unchecked bool) {
	c := &records.Converted{ID: text(r.Fields, "object_id"), Bad: g.bad(r), Unchecked: unchecked}
	header(c, r.Fields)
	if at := c.Time(r.Fields, "created_at"); at.IsZero() {
		c.Bad("missing-key", "it has no created_at", "add the time it was created")
	}
	was, again := g.plans[ref(r.Fields, "object_id")]
	if again && !model.SameJSON(model.EncodeFields(was), model.EncodeFields(r.Fields)) {
		c.Bad("duplicate-id", c.ID+" appears twice with different content", "remove one of them")
	}
}

// keptIn are the records that a store's tasks came as, by the digits of the tasks.
func keptIn(snap *snapshot.Snapshot) map[string]model.Extra {
	out := map[string]model.Extra{}
	if snap == nil {
		return out
	}
	for i := range snap.Len() {
		t := snap.At(i)
		if t.Spec == nil {
			continue
		}
		if record := within(model.Extra(t.Spec.External), key); record != nil {
			out[cmp.Or(ref(record, "object_id"), digitsOf(t.UID))] = record
		}
	}
	return out
}

// ours reports a plan that vespe wrote of a revision which is here: there is nothing to import.
func ours(plan model.Extra, snap *snapshot.Snapshot, kept map[string]model.Extra) bool {
	external := within(plan, "external_ids")
	uid := model.UID(text(external, taskID))
	if snap == nil || slices.ContainsFunc(plansOf(kept[digitsOf(uid)]), func(p model.Extra) bool { return ref(p, "object_id") == ref(plan, "object_id") }) {
		return false
	}
	t, ok := snap.Task(uid)
	if !ok {
		return false
	}
	for n := 1; n <= t.Status.PlanRevision; n++ {
		if text(external, revisionID) == fmt.Sprint(n) {
			return true
		}
	}
	return false
}

func digitsOf(uid model.UID) string {
	d, _ := uuid(idOf(uid))
	return d
}

// cycles refuses tasks that are above themselves, and those with the id of a plan.
func (g *gathering) cycles() {
	above := map[string]string{}
	for _, r := range g.tasks {
		above[ref(r.Fields, "object_id")] = ref(r.Fields, "parent")
	}
	for _, r := range g.tasks {
		seen := map[string]bool{"": true}
		id := ref(r.Fields, "object_id")
		if _, plan := g.plans[id]; plan && id != "" {
			g.bad(r)("duplicate-id", dashed(id)+" is also the id of a plan", "change one of the ids")
		}
		for at := above[id]; !seen[at]; at = above[at] {
			if seen[at] = true; at == id {
				g.bad(r)("cycle", "its parents form a cycle", "remove one of them")
				return
			}
		}
	}
}

// own finds the plans of each task: those that its runs name, else the one of its intent, and all that these replaced.
// vespe writes which task a plan is of.
func (g *gathering) own(runs, intents []model.Extra) {
	link := func(task, plan string) {
		for p, ok := g.plans[plan]; ok && task != "" && !slices.Contains(g.of[task], plan); p, ok = g.plans[plan] {
			g.of[task] = append(g.of[task], plan)
			plan = ref(p, "previous")
		}
	}
	for _, r := range runs {
		link(ref(r, "task"), ref(r, "plan"))
	}
	for _, i := range intents {
		for _, t := range g.tasks {
			task := ref(t.Fields, "object_id")
			if ref(t.Fields, "intent") == ref(i, "object_id") && text(t.Fields, "parent") == "" && len(g.of[task]) == 0 {
				link(task, ref(i, "plan"))
			}
		}
	}
	for id, p := range g.plans {
		if uid := text(within(p, "external_ids"), taskID); uid != "" {
			link(digitsOf(model.UID(uid)), id)
		}
	}
}

// join makes the records of the tasks. What a task keeps stays with it.
func (g *gathering) join(kept map[string]model.Extra) []records.Record {
	used := map[string]bool{}
	for i, r := range g.tasks {
		task := ref(r.Fields, "object_id")
		all := map[string]model.Extra{}
		for _, o := range objectsOf(kept[task]) {
			all[ref(o, "object_id")] = o
		}
		for _, id := range g.of[task] {
			all[id], used[id] = g.plans[id], true
		}
		var list []model.Extra
		for _, id := range slices.Sorted(maps.Keys(all)) {
			list = append(list, all[id])
		}
		if len(list) > 0 {
			r.Fields = r.Fields.With(model.ExtraField{Key: objectsKey, Value: records.ListValue(list)})
		}
		if len(model.EncodeFields(r.Fields)) > maxKept {
			g.bad(r)("too-large", "it is larger than 3 MiB with its plans", "remove some of its plans")
		}
		g.tasks[i] = r
	}
	for _, id := range slices.Sorted(maps.Keys(g.plans)) {
		if !used[id] {
			g.report.Count("plans that belong to no task of the import are not imported", dashed(id))
		}
	}
	return g.tasks
}

// maxKept is how much of a task is kept, in bytes: it has to fit into its spec.json.
const maxKept = 3 << 20

// plans gives a task the texts of its plans. A plan needs an objective: the title where there is no other.
func plans(c *records.Converted, list []model.Extra, title string) {
	var texts []string
	for _, p := range list {
		t := planText(p)
		if strings.TrimSpace(t) != "" && (len(texts) == 0 || texts[len(texts)-1] != t) {
			texts = append(texts, t)
		}
	}
	if len(texts) == 0 {
		return
	}
	c.Imported.Earlier, c.Imported.Plan = texts[:len(texts)-1], texts[len(texts)-1]
	if c.Imported.Objective == "" {
		c.Imported.Objective = records.Body(title)
	}
}

// expand writes a task with the plans that it came with and the revisions that were made here. The id of such a plan
// derives from the task and the revision: the same store gives the same bytes.
func expand(ctx context.Context, s records.Source, x records.Expanding, report *records.Report) ([]model.Extra, error) {
	if string(raw(x.Kept, looseKey)) == "true" {
		return objectsOf(x.Kept), nil
	}
	record, kept := bare(x.Record), plansOf(x.Kept)
	if x.Kept != nil && sameBut(record, bare(x.Kept), "updated_at", "checksum") {
		record = bare(x.Kept) // an import is no change of what came
	}
	out := []model.Extra{record}
	t := x.View.Task
	events, err := historyOf(ctx, s, t)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{} // of plans that came from there
	for _, p := range kept {
		texts[planText(p)] = text(p, "object_id")
	}
	previous := ""
	for n := 1; n <= t.Status.PlanRevision; n++ {
		c, err := s.Revision(ctx, t.UID, model.Plan, n)
		if errors.Is(err, model.ErrNoContent) {
			report.Count("missing revisions of plans are not exported", text(record, "object_id"))
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("the plan of %s, revision %d: %w", t.UID, n, err)
		}
		id := texts[string(c.Body)]
		if id == "" {
			at, by := made(t, events, n)
			id = idOf(records.HashUID(at, key, string(t.UID), "plan", fmt.Sprint(n)))
			hash := strings.TrimPrefix(model.HashBytes(c.Body), "sha256-")
			external := members(taskID, string(t.UID), revisionID, fmt.Sprint(n), "vespe_sha256", hash)
			out = append(out, seal(planFields(head("plan", id, at, at, by, external), string(c.Body), previous)))
		}
		previous = id
	}
	return append(out, objectsOf(x.Kept)...), nil
}

func historyOf(ctx context.Context, s records.Source, t *model.Task) ([]model.Event, error) {
	if t.Status.PlanRevision == 0 {
		return nil, nil
	}
	events, _, err := s.History(ctx, t.UID)
	if err != nil {
		return nil, fmt.Errorf("the history of %s: %w", t.UID, err)
	}
	return events, nil
}

// made is when a revision of the plan came to be, and by whom.
func made(t *model.Task, events []model.Event, n int) (time.Time, model.Actor) {
	for _, e := range events {
		member := "plan_revision"
		if e.Name == model.DefinePlan {
			member = "revision"
		}
		for _, f := range e.Details {
			if f.Key == member && f.Text() == fmt.Sprint(n) {
				return e.At, e.Actor
			}
		}
	}
	return t.Config.CreatedAt, t.Config.CreatedBy
}

// sameBut compares two records without some of their members.
func sameBut(a, b model.Extra, members ...string) bool {
	for _, m := range members {
		a, b = a.Without(m), b.Without(m)
	}
	return model.SameJSON(model.EncodeFields(a), model.EncodeFields(b))
}
