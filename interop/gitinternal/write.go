package gitinternal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/interop/records"
	"vespe/model"
)

// refTo names somebody there. Who is no more than a name is of no kind that decides anything.
func refTo(who model.Actor) model.Extra {
	id := who.Name()
	if strings.TrimSpace(id) == "" {
		id = "unknown"
	}
	return members("kind", cmp.Or(who.Kind(), "unknown"), "id", id, records.Null("display_name"), records.Null("auth_context"))
}

// members are members by their names, in their order; those whose value says nothing are left out. A whole member
// counts as it is.
func members(pairs ...any) (out model.Extra) {
	for i := 0; i < len(pairs); i++ {
		if f, ok := pairs[i].(model.ExtraField); ok {
			out = append(out, f)
			continue
		}
		key := pairs[i].(string)
		i++
		switch v := pairs[i].(type) {
		case string:
			if v != "" {
				out = append(out, model.TextField(key, v))
			}
		case []string:
			if len(v) > 0 {
				out = append(out, model.ListField(key, v))
			}
		case model.Extra:
			if v != nil {
				out = append(out, model.ObjectField(key, v))
			}
		case int:
			out = append(out, model.IntField(key, v))
		}
	}
	return out
}

func fieldsOf(f *records.Format, v records.View) model.Extra {
	t, sp := v.Task, v.Task.Spec
	var criteria, needs []string
	for _, c := range sp.AcceptanceCriteria {
		criteria = append(criteria, c.Text)
	}
	for _, d := range t.DependsOn {
		needs = append(needs, v.ID(d))
	}
	parent, intent := "", ""
	if t.Config.ParentUID != "" {
		parent = v.ID(t.Config.ParentUID)
	}
	if isUUID(sp.Intent) {
		intent = sp.Intent
	}
	var goal, requester any = sp.GoalType, nil
	if sp.GoalType != "" && !slices.Contains(goals(), sp.GoalType) {
		goal = members("other", sp.GoalType)
	}
	if sp.Requester != "" {
		requester = refTo(model.Actor(sp.Requester))
	}
	created, updated := t.Config.CreatedAt, t.Status.LastUpdatedAt
	return members(
		"object_id", v.ID(t.UID), "object_type", "task", "header_version", 1, "schema_version", 1,
		model.TimeField("created_at", records.First(created, updated)),
		model.TimeField("updated_at", records.Later(updated, created)),
		"created_by", refTo(t.Config.CreatedBy), "visibility", "private",
		model.ObjectField("tags", nil), model.ObjectField("external_ids", nil), records.Null("checksum"),
		model.TextField("title", t.Config.Name),
		// An object has one text: what a task without an objective has in its place.
		"description", strings.TrimRight(cmp.Or(v.Objective, sp.Description), "\n"),
		"goal", goal, "constraints", sp.Constraints, "acceptance_criteria", criteria, "requester", requester, "parent", parent,
		"intent", intent, "dependencies", needs, model.TextField("status", v.Word(f)))
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
		{v.Plan != "", "plans are not exported"},
		{v.Result != "", "results are not exported"},
		{v.Task.Status.AcceptedPlan != nil, "approvals are not exported"},
		{v.Task.Status.Runs > 0, "runs are not exported"},
		{v.Task.Status.Comments != nil, "comments are not exported"},
		{v.Task.Spec.Intent != "" && !isUUID(v.Task.Spec.Intent), "intents that are not UUIDs are not exported"},
		{slices.ContainsFunc(v.Task.Spec.AcceptanceCriteria, func(c model.Criterion) bool { return c.State+c.Evidence != "" }), "results of acceptance criteria are not exported"},
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

// seal writes the checksum of an object. One that says what came, and is only younger, is what came: an import is no
// change of it.
func seal(record, kept model.Extra) model.Extra {
	if kept != nil && sameBut(record, kept, "updated_at", "checksum") {
		return kept
	}
	return record.With(model.TextField("checksum", checksum(record)))
}

// sameBut compares two records without some of their members.
func sameBut(a, b model.Extra, members ...string) bool {
	for _, m := range members {
		a, b = a.Without(m), b.Without(m)
	}
	return model.SameJSON(model.EncodeFields(a), model.EncodeFields(b))
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

// checksum is the SHA-256 of an object with its keys sorted, at every depth, and its checksum null, as 64 hexadecimal
// digits. Numbers count as they are written.
func checksum(record model.Extra) string {
	v := jsontext.Value(model.ObjectField("", record.With(records.Null("checksum"))).Value)
	_ = v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)) // what can't be sorted counts as it is
	sum := sha256.Sum256(v)
	return hex.EncodeToString(sum[:])
}
