package gitinternal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/interop/records"
	"vespe/model"
)

// head is what every object has, but for its checksum.
func head(typ, id string, created, updated time.Time, by model.Actor, external model.Extra) model.Extra {
	if id != "" {
		id = dashed(id)
	}
	return model.Extra{
		model.TextField("object_id", id),
		model.TextField("object_type", typ),
		model.IntField("header_version", 1),
		model.IntField("schema_version", 1),
		model.TimeField("created_at", records.First(created, updated)),
		model.TimeField("updated_at", records.Later(updated, created)),
		records.Raw("created_by", refTo(by)),
		model.TextField("visibility", "private"),
		{Key: "tags", Value: []byte("{}")},
		model.ObjectField("external_ids", external),
		records.Null("checksum"),
	}
}

// refTo names somebody there. Who is no more than a name is of no kind that decides anything.
func refTo(who model.Actor) actorRef {
	ref := actorRef{Kind: who.Kind(), ID: who.Name()}
	if ref.Kind == "" {
		ref.Kind = "unknown"
	}
	if strings.TrimSpace(ref.ID) == "" {
		ref.ID = "unknown"
	}
	return ref
}

func fieldsOf(f *records.Format, v records.View) model.Extra {
	t := v.Task
	out := head("task", "", t.Config.CreatedAt, t.Status.LastUpdatedAt, t.Config.CreatedBy, nil)
	out[0] = model.TextField("object_id", v.ID(t.UID))
	out = append(out, model.TextField("title", t.Config.Name))
	text := func(key, s string) {
		if s != "" {
			out = append(out, model.TextField(key, s))
		}
	}
	list := func(key string, items []string) {
		if len(items) > 0 {
			out = append(out, model.ListField(key, items))
		}
	}
	// An object has one text: what a task without an objective has in its place.
	text("description", strings.TrimRight(cmp.Or(v.Objective, t.Spec.Description), "\n"))
	if g := t.Spec.GoalType; slices.Contains(goals(), g) {
		text("goal", g)
	} else if g != "" {
		out = append(out, model.ObjectField("goal", model.Extra{model.TextField("other", g)}))
	}
	list("constraints", t.Spec.Constraints)
	var criteria, needs []string
	for _, c := range t.Spec.AcceptanceCriteria {
		criteria = append(criteria, c.Text)
	}
	list("acceptance_criteria", criteria)
	if who := model.Actor(t.Spec.Requester); who != "" {
		out = append(out, records.Raw("requester", refTo(who)))
	}
	if t.Config.ParentUID != "" {
		text("parent", v.ID(t.Config.ParentUID))
	}
	if _, ok := uuid(t.Spec.Intent); ok {
		text("intent", t.Spec.Intent)
	}
	for _, d := range t.DependsOn {
		needs = append(needs, v.ID(d))
	}
	list("dependencies", needs)
	return append(out, model.TextField("status", v.Word(f)))
}

// lost is what a task object has no place for.
func lost(v records.View) []string {
	carried := []string{"goal_type", "constraints", "acceptance_criteria", "requester", "intent"}
	if v.Objective == "" {
		carried = append(carried, "description")
	}
	out := v.Members(carried...)
	for _, l := range []struct {
		is   bool
		what string
	}{
		{v.Result != "", "have a result"},
		{v.Task.Status.AcceptedPlan != nil, "have an approval, which is no more than a decision there"},
		{v.Task.Status.Comments != nil, "have comments"},
		{v.Task.Spec.Intent != "" && !isUUID(v.Task.Spec.Intent), "have an intent that is no UUID"},
		{slices.ContainsFunc(v.Task.Spec.AcceptanceCriteria, func(c model.Criterion) bool { return c.State+c.Evidence != "" }), "say of acceptance criteria whether they are met"},
	} {
		if l.is {
			out = append(out, l.what)
		}
	}
	return out
}

func isUUID(s string) bool {
	_, ok := uuid(s)
	return ok
}

func seal(record model.Extra) model.Extra {
	return record.With(model.TextField("checksum", checksum(record)))
}

// sealed says whether a checksum is that of an object. git-internal seals one that it has just made, and then
// writes another updated_at into it.
func sealed(record model.Extra, sum string) bool {
	if strings.EqualFold(sum, checksum(record)) {
		return true
	}
	made, ok := record.Get("created_at")
	return ok && strings.EqualFold(sum, checksum(record.With(model.ExtraField{Key: "updated_at", Value: made})))
}

// checksum is the SHA-256 of an object with its keys sorted, at every depth, and its checksum
// null, as 64 hexadecimal digits.
func checksum(record model.Extra) string {
	sum := sha256.Sum256(sorted(nil, model.ObjectField("", bare(record).With(records.Null("checksum"))).Value))
	return hex.EncodeToString(sum[:])
}

// sorted appends a JSON value without white space and with the keys of its objects in order of
// their bytes.
func sorted(dst, raw []byte) []byte {
	switch raw[0] {
	case '{':
		fields, _ := model.DecodeFields("", raw)
		slices.SortFunc(fields, func(a, b model.ExtraField) int { return strings.Compare(a.Key, b.Key) })
		dst = append(dst, '{')
		for i, f := range fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(quoted(dst, f.Key), ':')
			dst = sorted(dst, f.Value)
		}
		return append(dst, '}')
	case '[':
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return append(dst, raw...)
		}
		dst = append(dst, '[')
		for i, item := range items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = sorted(dst, item)
		}
		return append(dst, ']')
	case '"':
		return quoted(dst, model.ExtraField{Value: raw}.Text())
	}
	return append(dst, raw...)
}

func quoted(dst []byte, s string) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		return append(dst, `""`...)
	}
	return out
}
