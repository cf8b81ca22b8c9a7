package gitinternal

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"vespe/model"
)

// kinds are the types that git-internal 0.6 has beside the task, with the directory that trees have for each.
var kinds = map[string]string{
	"intent": "intent", "context_snapshot": "snapshot", "context_pipeline": "pipeline", "plan": "plan", "run": "run",
	"patch_set": "patchset", "evidence": "evidence", "tool_invocation": "invocation", "provenance": "provenance", "decision": "decision",
}

// onlyKept are the types of which nothing is made here.
var onlyKept = []string{"intent", "context_snapshot", "context_pipeline", "tool_invocation"}

// dirOf is the directory of a type of object.
func dirOf(name string) string {
	if dir, ok := kinds[name]; ok {
		return dir
	}
	return name
}

// checkTexts refuses a member that is not an object of texts.
func checkTexts(fields model.Extra, name string, bad func(code, why, hint string)) {
	raw, ok := fields.Get(name)
	var texts map[string]string
	if ok && json.Unmarshal(raw, &texts) != nil {
		bad("wrong-type", name+" is not an object of strings", `write it like {"key": "value"}`)
	}
}

func str(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return model.ExtraField{Value: raw}.Text(), true
}

// refs are the ids of other objects that one names, as digits: each member that looks like one.
func refs(fields model.Extra) []string {
	var out []string
	for _, f := range fields {
		if f.Key == "object_id" {
			continue
		}
		text, _ := str(f.Value)
		ids := []any{text}
		_ = json.Unmarshal(f.Value, &ids) // where it is a list
		for _, id := range ids {
			text, _ := id.(string)
			if d, ok := uuid(text); ok {
				out = append(out, d)
			}
		}
	}
	if d := madeFor(fields); d != "" {
		out = append(out, d) // a plan names no task by itself
	}
	for _, s := range stepsOf(fields) {
		if s.Task != "" {
			out = append(out, s.Task)
		}
	}
	return slices.Compact(out)
}

// float is a number as the JSON of git-internal has it, so that its checksums are ours: the shortest
// digits that mean it, and a fraction where there is none.
func float(v float64) []byte {
	if a := math.Abs(v); a != 0 && (a < 1e-5 || a >= 1e16) {
		b := strconv.AppendFloat(nil, v, 'e', -1, 64)
		mantissa, exp, _ := strings.Cut(string(b), "e")
		n, _ := strconv.Atoi(exp)
		return []byte(mantissa + "e" + strconv.Itoa(n))
	}
	b := strconv.AppendFloat(nil, v, 'f', -1, 64)
	if !strings.Contains(string(b), ".") {
		b = append(b, ".0"...)
	}
	return b
}
