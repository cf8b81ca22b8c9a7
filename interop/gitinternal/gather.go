package gitinternal

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
)

// gathering puts the objects of an import into the records of the tasks that they belong to, with those
// that came before.
type gathering struct {
	f      *records.Format
	o      records.Options
	report *records.Report

	tasks   map[string]records.Record // of the import, by digits
	order   []string                  // of them
	fresh   map[string]object         // other objects of the import
	kept    map[string]model.Extra    // records that tasks of the store came as
	keptIn  map[string][]string       // object → tasks that keep it
	all     map[string]object         // fresh and kept
	here    map[string]int            // tasks of the store → their place in the snapshot
	current map[string]model.Extra    // tasks of the store as they would be exported
	owner   map[string]string         // object → task
	copies  map[string][]string       // task → plans by which it was worked on
}

func gather(ctx context.Context, f *records.Format, list []records.Record, o records.Options, report *records.Report) ([]records.Record, error) {
	g := &gathering{
		f: f, o: o, report: report, tasks: map[string]records.Record{}, fresh: map[string]object{}, kept: map[string]model.Extra{},
		keptIn: map[string][]string{}, all: map[string]object{}, here: map[string]int{}, current: map[string]model.Extra{},
		owner: map[string]string{}, copies: map[string][]string{},
	}
	list = g.sort(list)
	g.cycles()
	g.store()
	if g.twins(); len(report.Problems) > 0 {
		return nil, nil
	}
	if err := g.ours(ctx); err != nil {
		return nil, err
	}
	g.own()
	out, err := g.join(ctx)
	return append(out, list...), err
}

func (g *gathering) bad(r records.Record) func(code, why, hint string) {
	return func(code, why, hint string) {
		g.report.Problems = append(g.report.Problems, r.Problem(code, why, hint))
	}
}

// sort takes tasks and other objects apart. What it returns has no usable id, and is refused by who
// imports it.
func (g *gathering) sort(list []records.Record) (rest []records.Record) {
	for _, r := range list {
		bad := g.bad(r)
		if _, ok := r.Fields.Get(objectsKey); ok {
			bad("wrong-type", objectsKey+" is reserved by vespe", "remove it")
			continue
		}
		id, ok := uuid(text(r.Fields, "object_id"))
		typ, isText := r.Fields.Text("object_type")
		switch {
		case !isText || typ == "" || typ == "task":
			if _, again := g.tasks[id]; !ok || again {
				rest = append(rest, r)
				continue
			}
			g.tasks[id] = r
			g.order = append(g.order, id)
		default:
			g.object(r, bad)
		}
	}
	return rest
}

// object takes one that is no task, when there is nothing wrong with it.
func (g *gathering) object(r records.Record, bad func(code, why, hint string)) {
	c := &records.Converted{ID: text(r.Fields, "object_id"), Bad: bad, Unchecked: g.o.Unchecked}
	header(c, r.Fields)
	if at := c.Time(r.Fields, "created_at"); at.IsZero() {
		bad("missing-key", "it has no created_at", "add the time it was created")
	}
	c.Time(r.Fields, "updated_at")
	o := objectOf(r.Fields)
	o.from = r
	if was, again := g.fresh[o.id]; again && !model.SameJSON(model.EncodeFields(was.fields), model.EncodeFields(r.Fields)) {
		bad("duplicate-id", c.ID+" appears twice with different content", "remove one of them")
		return
	}
	g.fresh[o.id] = o
}

// twins refuses objects that have the id of a task.
func (g *gathering) twins() {
	for _, id := range slices.Sorted(maps.Keys(g.fresh)) {
		_, comes := g.tasks[id]
		_, here := g.here[id]
		if comes || here {
			g.bad(g.fresh[id].from)("duplicate-id", dashed(id)+" is also the id of a task", "change one of the ids")
		}
	}
}

// cycles refuses what comes before itself.
func (g *gathering) cycles() {
	refuse := func(ids []string, of func(string) object, typ, key, why string) {
		done := map[string]bool{}
		for _, id := range ids {
			path := map[string]bool{}
			for id != "" && !done[id] && !path[id] {
				path[id] = true
				if o := of(id); o.typ == typ {
					id = o.ref(key)
				} else {
					id = ""
				}
			}
			if path[id] {
				g.bad(of(id).from)("cycle", why, "remove one of them")
			}
			maps.Copy(done, path)
		}
	}
	refuse(g.order, func(id string) object {
		return object{typ: "task", fields: g.tasks[id].Fields, from: g.tasks[id]}
	}, "task", "parent", "its parents form a cycle")
	for typ, key := range map[string]string{"plan": "previous", "intent": "parent"} {
		refuse(slices.Sorted(maps.Keys(g.fresh)), func(id string) object { return g.fresh[id] }, typ, key,
			"its "+key+" forms a cycle")
	}
}

// store looks at what the store keeps.
func (g *gathering) store() {
	maps.Copy(g.all, g.fresh)
	if g.o.Snapshot == nil {
		return
	}
	for i := range g.o.Snapshot.Len() {
		t := g.o.Snapshot.At(i)
		id, _ := uuid(idOf(t.UID))
		var record model.Extra
		if t.Spec != nil {
			record = within(model.Extra(t.Spec.External), key)
		}
		if record != nil {
			if named, ok := uuid(text(record, "object_id")); ok {
				id = named
			}
			g.kept[id] = record
		}
		for _, o := range objectsOf(record) {
			g.keptIn[o.id] = append(g.keptIn[o.id], id)
			if _, ok := g.all[o.id]; !ok {
				g.all[o.id] = o
			}
		}
		if _, taken := g.here[id]; !taken {
			g.here[id] = i
		}
	}
}

func isLoose(record model.Extra) bool { return string(raw(record, looseKey)) == "true" }

// ours leaves out what vespe itself has written of work that was done here: that is there already.
func (g *gathering) ours(ctx context.Context) error {
	about := map[string]bool{}
	for id := range g.tasks {
		about[id] = true
	}
	for _, o := range g.fresh {
		about[o.ref("task")] = true
		about[madeFor(o.fields)] = true
	}
	written, err := g.export(ctx, about)
	if err != nil {
		return err
	}
	maps.DeleteFunc(written, func(id string, _ model.Extra) bool { return g.keptIn[id] != nil })
	for id, o := range g.fresh {
		r, ok := written[id]
		if _, here := g.here[madeFor(o.fields)]; !ok && o.typ == "tool_invocation" && here && g.keptIn[id] == nil {
			delete(g.fresh, id) // vespe used to write these
			delete(g.all, id)
		}
		if !ok {
			continue
		}
		if !model.SameJSON(model.EncodeFields(r), model.EncodeFields(o.fields)) {
			g.report.Count("objects of work here were changed there; the records here stay", text(o.fields, "object_id"))
		}
		delete(g.fresh, id)
		delete(g.all, id)
	}
	for id, r := range g.tasks {
		now, ok := g.current[id]
		switch {
		case !ok:
		case g.kept[id] != nil && model.SameJSON(model.EncodeFields(now), model.EncodeFields(r.Fields)):
			r.Fields = bare(g.kept[id])
		default:
			r.Fields = withoutRuns(r.Fields, written)
		}
		g.tasks[id] = r
	}
	return nil
}

// madeFor is the task, as digits, for which vespe made an object; "" for what others made.
func madeFor(fields model.Extra) string {
	uid := text(within(fields, "external_ids"), taskID)
	if uid == "" {
		return ""
	}
	d, _ := uuid(idOf(model.UID(uid)))
	return d
}

// export writes tasks of the store, and gives the other objects that come of them, by their digits.
func (g *gathering) export(ctx context.Context, about map[string]bool) (map[string]model.Extra, error) {
	written := map[string]model.Extra{}
	var places []int
	of := map[int]string{}
	for _, id := range slices.Sorted(maps.Keys(about)) {
		if i, ok := g.here[id]; ok {
			places = append(places, i)
			of[i] = id
		}
	}
	if len(places) == 0 || g.o.Source == nil {
		return written, nil
	}
	x, _, err := g.f.Export(ctx, g.o.Source, g.o.Snapshot, places)
	for k, r := range x.Records {
		if o := objectOf(r); o.typ == "task" && o.id == of[x.Tasks[k]] {
			g.current[o.id] = r
		} else {
			written[o.id] = r
		}
	}
	return written, err
}

// withoutRuns is a task without those of its runs that are written from the store; a checksum that was right
// stays so.
func withoutRuns(task model.Extra, written map[string]model.Extra) model.Extra {
	var left []string
	all := runIDs(task)
	for _, id := range all {
		if d, _ := uuid(id); written[d] == nil {
			left = append(left, id)
		}
	}
	if len(left) == len(all) {
		return task
	}
	right := text(task, "checksum") == checksum(task)
	if task = task.Without("runs"); len(left) > 0 {
		task = task.With(model.ListField("runs", left))
	}
	if right {
		task = seal(task)
	}
	return task
}

// looseID are the digits of the task that holds what belongs to none.
func looseID() string {
	return strings.TrimPrefix(string(records.HashUID(time.Time{}, key, "belongs to no task")), "tsk-")
}

// join makes the records of the tasks that an import is about.
func (g *gathering) join(ctx context.Context) ([]records.Record, error) {
	of := map[string]map[string]bool{} // task → its objects
	put := func(task, id string) {
		if of[task] == nil {
			of[task] = map[string]bool{}
		}
		of[task][id] = true
	}
	touched := map[string]records.Record{}
	for id := range g.all {
		put(cmp.Or(g.owner[id], looseID()), id)
		for _, task := range g.keepers(id) {
			put(task, id)
		}
	}
	for task, ids := range g.copies {
		for _, id := range ids {
			put(task, id)
		}
	}
	for task, ids := range of {
		for _, id := range slices.Sorted(maps.Keys(ids)) {
			if o, ok := g.fresh[id]; ok && touched[task].Fields == nil {
				touched[task] = o.from
			}
		}
	}
	order, about := slices.Clone(g.order), map[string]bool{}
	for _, task := range slices.Sorted(maps.Keys(touched)) {
		if _, comes := g.tasks[task]; comes {
			continue
		}
		order = append(order, task)
		if g.kept[task] == nil && g.current[task] == nil {
			about[task] = true
		}
	}
	written, err := g.export(ctx, about)
	if err != nil {
		return nil, err
	}
	var out []records.Record
	for _, task := range order {
		r, comes := g.tasks[task]
		if !comes {
			r = touched[task]
			r.Fields = g.base(task, written)
		}
		var list []object
		attached := map[string][]byte{}
		maps.Copy(attached, r.Attached)
		for id := range of[task] {
			list = append(list, g.all[id])
			maps.Copy(attached, g.all[id].from.Attached)
		}
		r.Attached = attached
		r.Fields = withObjects(r.Fields, list)
		if n := len(model.EncodeFields(r.Fields)); n > maxKept {
			g.bad(r)("too-large", "it is larger than 3 MiB with the objects that belong to it", "remove some of its objects")
		}
		out = append(out, r)
	}
	return out, nil
}

// maxKept is how much of a task is kept, in bytes: it has to fit into its spec.json.
const maxKept = 3 << 20

// base is the record of a task that does not come along with its objects.
func (g *gathering) base(task string, written map[string]model.Extra) model.Extra {
	switch now := g.current[task]; {
	case g.kept[task] != nil:
		return g.kept[task].Without(objectsKey)
	case now != nil:
		return withoutRuns(now, written)
	}
	return g.looseTask()
}

// looseTask is the record of the task that holds what belongs to none.
func (g *gathering) looseTask() model.Extra {
	var at time.Time
	for id, o := range g.all {
		if g.owner[id] == "" && (at.IsZero() || o.at.Before(at)) {
			at = o.at
		}
	}
	return append(head("task", dashed(looseID()), at, at, "system:vespe", nil), members(
		"title", "git-internal objects without a task",
		"description", "They are kept in spec.external."+key+" until a task comes that they belong to. `vespe store export` writes them.",
		"status", "draft", model.ExtraField{Key: looseKey, Value: []byte("true")})...)
}

// runIDs are the runs that an object names.
func runIDs(fields model.Extra) []string {
	var out []string
	if json.Unmarshal(raw(fields, "runs"), &out) != nil {
		return nil
	}
	return out
}
