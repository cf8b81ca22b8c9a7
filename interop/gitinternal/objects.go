package gitinternal

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
)

const (
	// objectsKey is the member of the record of a task, as it is kept, that holds the other objects which
	// belong to it; it is never written.
	objectsKey = "vespe_objects"
	// looseKey marks the task that holds what belongs to none.
	looseKey = "vespe_loose"
)

// object is one that is no task.
type object struct {
	id     string // its 32 digits
	typ    string
	at     time.Time // created_at
	fields model.Extra
	from   records.Record // where it was read
}

func objectOf(fields model.Extra) object {
	o := object{fields: fields, typ: text(fields, "object_type")}
	o.id, _ = uuid(text(fields, "object_id"))
	o.at, _ = model.ParseTime(text(fields, "created_at"))
	return o
}

// objectsOf are the objects in a task's record, as it is kept.
func objectsOf(record model.Extra) []object {
	var items []json.RawMessage
	if json.Unmarshal(raw(record, objectsKey), &items) != nil {
		return nil
	}
	var out []object
	for _, item := range items {
		if fields, problems := model.DecodeFields("", item); len(problems) == 0 {
			out = append(out, objectOf(fields))
		}
	}
	return out
}

// withObjects is a task's record with the objects that belong to it.
func withObjects(record model.Extra, objects []object) model.Extra {
	if len(objects) == 0 {
		return record.Without(objectsKey)
	}
	objects = slices.SortedFunc(slices.Values(objects), func(a, b object) int { return strings.Compare(a.id, b.id) })
	raw := make([]model.Extra, len(objects))
	for i, o := range objects {
		raw[i] = o.fields
	}
	return record.With(model.ExtraField{Key: objectsKey, Value: records.ListValue(raw)})
}

// bare is a task's record as git-internal has it.
func bare(record model.Extra) model.Extra { return record.Without(objectsKey).Without(looseKey) }

func text(fields model.Extra, key string) string {
	s, _ := fields.Text(key)
	return s
}

func raw(fields model.Extra, key string) []byte {
	b, _ := fields.Get(key)
	return b
}

// within are the members of a member that is an object; nil where it is none.
func within(fields model.Extra, key string) model.Extra {
	in, problems := model.DecodeFields("", raw(fields, key))
	if len(problems) > 0 {
		return nil
	}
	return in
}

// ref is a member that names another object, as digits; "" for none.
func (o *object) ref(key string) string {
	d, _ := uuid(text(o.fields, key))
	return d
}

// whole is a member that is a whole number; 0 where there is none.
func (o *object) whole(key string) int64 {
	var n int64
	if json.Unmarshal(raw(o.fields, key), &n) != nil {
		return 0
	}
	return n
}

// updated is updated_at, and created_at where there is none.
func (o *object) updated() time.Time {
	at, _ := model.ParseTime(text(o.fields, "updated_at"))
	return records.Later(records.First(at, o.at), o.at)
}

// bundle are the objects of one task, in the order in which they were made.
type bundle struct {
	task string // digits
	list []object
}

func newBundle(task string, list []object) bundle {
	list = slices.SortedFunc(slices.Values(list), func(a, b object) int {
		return cmp.Or(a.at.Compare(b.at), strings.Compare(a.id, b.id))
	})
	return bundle{task, list}
}

// of are the objects of a type that pass.
func (b bundle) of(typ string, pass func(*object) bool) []*object {
	var out []*object
	for i := range b.list {
		if o := &b.list[i]; o.typ == typ && (pass == nil || pass(o)) {
			out = append(out, o)
		}
	}
	return out
}

// ofRun are the objects of a type that belong to a run.
func (b bundle) ofRun(typ, run string) []*object {
	key := "run_id"
	if typ == "patch_set" {
		key = "run"
	}
	return b.of(typ, func(o *object) bool { return o.ref(key) == run })
}

func (b bundle) runs() []*object {
	return b.of("run", func(o *object) bool { return o.ref("task") == b.task })
}

// plans are those by which the task was worked on, the oldest first: those that its runs name, with what
// came before them; and where no run names one, those that send nobody to another task.
func (b bundle) plans() []*object {
	named := map[string]bool{}
	for _, r := range b.runs() {
		for p := r.ref("plan"); p != "" && !named[p]; {
			named[p] = true
			is := func(o *object) bool { return o.id == p }
			if plans := b.of("plan", is); len(plans) > 0 {
				p = plans[0].ref("previous")
			}
		}
	}
	delete(named, "")
	return b.of("plan", func(o *object) bool {
		if len(named) > 0 {
			return named[o.id]
		}
		return !slices.ContainsFunc(stepsOf(o.fields), func(s step) bool { return s.Task != "" && s.Task != b.task })
	})
}
