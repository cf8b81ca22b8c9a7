package records

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

// Options say where records go.
type Options struct {
	Snapshot *snapshot.Snapshot // the store as it is
	Actor    model.Actor        // who imports
	Now      time.Time          // when a record was made that says nothing about it
	// Text reads a task's objective as it is.
	Text func(model.UID) (string, error)
	// Source is the store beyond its snapshot; nil: nobody can look.
	Source Source
	// Unchecked takes records whose checksum does not match.
	Unchecked bool
}

// Import is Ops of what an input holds. With a problem there is nothing, unless the format is Partial.
func (f *Format) Import(in Input, o Options) ([]model.Op, Report, error) {
	list, problems := f.Records(in)
	if len(problems) > 0 && !f.Partial {
		return nil, Report{Problems: problems}, nil
	}
	ops, report, err := f.Ops(list, o)
	if f.Partial {
		report.Problems = append(problems, report.Problems...)
		slices.SortStableFunc(report.Problems, func(a, b model.Problem) int { return a.Line - b.Line })
	}
	return ops, report, err
}

// Ops makes an import operation of each record that the store does not have, parents before
// their children, and edits of each that it has and that changed since it came. With a
// problem in the report there are no operations, unless the format is Partial: what is wrong with
// one record would leave the others pointing at nothing.
func (f *Format) Ops(records []Record, o Options) ([]model.Op, Report, error) {
	im := importer{f: f, o: o, names: f.names(o.Snapshot), uids: map[string]model.UID{}, ids: map[model.UID]string{}}
	records = im.ofTasks(records)
	im.name(records)
	before := im.before(records)
	var items []*Converted
	for _, r := range records {
		id, _ := r.Fields.Text(f.IDKey)
		uid, ok := im.uids[id]
		if !ok || im.files[id].Line != r.Line {
			continue
		}
		sound := len(im.report.Problems)
		if c := im.convert(r, uid); len(im.report.Problems) == sound {
			items = append(items, c)
		}
	}
	if len(im.report.Problems) > 0 && !f.Partial {
		im.report.Created, im.report.Updated, im.report.Unchanged = 0, 0, 0
		return nil, im.report.Finish(), nil
	}
	var made, edits []model.Op // an edit may name what is made
	for _, c := range parentsFirst(items) {
		if t, ok := im.task(c.Imported.Task.UID); ok {
			ops, err := im.update(c, t)
			if err != nil {
				return nil, im.report, err
			}
			edits = append(edits, ops...)
			continue
		}
		made = append(made, im.make(c)...)
	}
	return slices.Concat(before, made, edits), im.report.Finish(), nil
}

type importer struct {
	f      *Format
	o      Options
	names  names
	uids   map[string]model.UID // of the records
	ids    map[model.UID]string // and back
	files  map[string]Record    // by their ids
	report Report
}

// ofTasks leaves out the records that are of no task.
func (im *importer) ofTasks(list []Record) []Record {
	if im.f.NoTask == nil {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(r Record) bool {
		why := im.f.NoTask(r.Fields)
		if why != "" {
			id, _ := r.Fields.Text(im.f.IDKey)
			im.report.Count(why, id)
		}
		return why != ""
	})
}

// Before is what a format makes before the tasks that are imported.
type Before struct {
	Records []Record
	Options
	// Kept is what a task was imported from last.
	Kept func(id string) (model.Extra, bool)

	im  *importer
	ops []model.Op
}

// Op adds an operation by anyone who imports.
func (b *Before) Op(op model.Op) {
	op.Actor = b.Actor
	b.ops = append(b.ops, op)
}

// Count notes what is not carried, and of what.
func (b *Before) Count(what, id string) { b.im.report.Count(what, id) }

// Bad says what makes a record, and with it the import, unusable.
func (b *Before) Bad(r Record, code, why, hint string) { b.im.bad(r)(code, why, hint) }

func (im *importer) before(records []Record) []model.Op {
	if im.f.Before == nil {
		return nil
	}
	b := Before{Records: records, Options: im.o, Kept: im.names.record, im: im}
	im.f.Before(&b)
	return b.ops
}

// name gives every record its task.
func (im *importer) name(records []Record) {
	first := make(map[string]Record, len(records))
	im.files = first
	for _, r := range records {
		id, ok := r.Fields.Text(im.f.IDKey)
		if !ok || strings.TrimSpace(id) == "" {
			im.bad(r)("missing-id", "it has no "+im.f.IDKey, "give it one, as a string")
			continue
		}
		if other, again := first[id]; again {
			im.bad(r)("duplicate-id", fmt.Sprintf("%s is already record %d, on line %d", id, other.Index, other.Line), "remove one of them")
			continue
		}
		first[id] = r
		uid, ok := im.names.uids[id]
		if !ok {
			uid = im.f.UID(id, r.Fields, im.o.Now)
		}
		if other, again := im.ids[uid]; again {
			im.bad(r)("duplicate-id", id+" and "+other+" are the same id in two spellings", "remove one of them")
			continue
		}
		im.ids[uid] = id
		im.uids[id] = uid
	}
}

func (im *importer) bad(r Record) func(code, why, hint string) {
	return func(code, why, hint string) {
		im.report.Problems = append(im.report.Problems, r.Problem(code, why, hint))
	}
}

func (im *importer) convert(r Record, uid model.UID) *Converted {
	now := im.o.Now
	if t, ok := im.task(uid); ok {
		now = t.Config.CreatedAt
	}
	return im.f.convert(r, uid, surroundings{now: now, target: im.target, other: im.other, bad: im.bad(r), unchecked: im.o.Unchecked})
}

// other is the record of an id: of the file, else the one that the store keeps.
func (im *importer) other(id string) (model.Extra, bool) {
	if r, ok := im.files[id]; ok {
		return r.Fields, true
	}
	return im.names.record(id)
}

// target is the task that an id names; one that is nowhere keeps a uid of its own, which
// doctor reports as dangling.
func (im *importer) target(id string) model.UID {
	if uid, ok := im.uids[id]; ok {
		return uid
	}
	if uid, ok := im.names.uids[id]; ok {
		return uid
	}
	im.report.Count(cmp.Or(im.f.Missing, "referenced tasks that are neither in the file nor in the store"), id)
	return im.f.UID(id, nil, time.Time{})
}

func (im *importer) task(uid model.UID) (*model.Task, bool) {
	if im.o.Snapshot == nil {
		return nil, false
	}
	return im.o.Snapshot.Task(uid)
}

// make makes the task. Who imports does so; the system that it comes from holds it.
func (im *importer) make(c *Converted) []model.Op {
	im.report.Created++
	im.report.noted(c)
	uid := c.Imported.Task.UID
	ops := []model.Op{{Name: model.ImportTask, UID: uid, Actor: im.o.Actor, Args: *c.Imported}}
	if c.Hold != "" {
		// An import brings no pause; it is held as anybody would hold it.
		ops = append(ops, model.Op{Name: model.Pause, UID: uid, Actor: im.f.System, Reason: c.Hold, At: c.Imported.Task.Status.LastUpdatedAt})
	}
	return ops
}

// parentsFirst orders items so that a parent comes before its children; among the rest the
// order stays. Members of a parent cycle come in the order of the file.
func parentsFirst(items []*Converted) []*Converted {
	at := make(map[model.UID]int, len(items))
	for i, c := range items {
		at[c.Imported.Task.UID] = i
	}
	out := make([]*Converted, 0, len(items))
	seen := make([]bool, len(items))
	for i := range items {
		var chain []int
		for k, ok := i, true; ok && !seen[k]; k, ok = at[items[k].Imported.Task.Config.ParentUID] {
			seen[k] = true
			chain = append(chain, k)
		}
		for _, k := range slices.Backward(chain) {
			out = append(out, items[k])
		}
	}
	return out
}
