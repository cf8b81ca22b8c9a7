// Package strictness finds edits by hand that loosen a task's rules: its risk, the consent to its start, its attempts,
// the checks of its work. The stricter rule holds until a person accepts the plan or sets the key.
package strictness

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vespe/model"
	"vespe/model/specfields"
)

// What an edit past vespe lowers of what a task asks for before it is believed is kept in status.json as it was, a key of
// spec.json and its value each. What a gate requires stays with it until a person accepts the plan, or sets the key.

const (
	maxLowered     = 20
	maxLoweredText = 200
)

// lowerableLists are the lists of a spec that are lowered by removing from them.
var lowerableLists = []struct {
	key, what string
	of        func(*model.Spec) []string
}{
	{"verify", "verify command", func(sp *model.Spec) []string { return specfields.CommandLines(sp.Verify) }},
	{"acceptance_criteria", "acceptance criterion", func(sp *model.Spec) (out []string) {
		for _, c := range sp.AcceptanceCriteria {
			out = append(out, c.Text)
		}
		return out
	}},
	{"test_files", "test file", func(sp *model.Spec) []string { return sp.TestFiles }},
	{"files_to_create", "file to create", func(sp *model.Spec) []string { return sp.FilesToCreate }},
}

// Lowering is what is lowered of a task whose files were edited past vespe, with what was before.
func Lowering(was, now *model.Task) []string {
	kept := slices.Clone(was.Status.Lowered)
	sp := was.Spec
	if sp == nil {
		sp = new(model.Spec)
	}
	kept = append(kept, "risk: "+model.RiskOf(was))
	if sp.RequiresHITL {
		kept = append(kept, "requires_hitl: true")
	}
	kept = append(kept, "max_attempts: "+strconv.Itoa(max(sp.MaxAttempts, 0)))
	for _, l := range lowerableLists {
		for _, text := range l.of(sp) {
			kept = append(kept, l.key+": "+text)
		}
	}
	slices.SortStableFunc(kept, func(a, b string) int { return cmp.Compare(gravity(a), gravity(b)) }) // what decides most is never left out
	var out []string
	for _, entry := range kept {
		entry = model.CutText(entry, maxLoweredText)
		if len(out) < maxLowered && loweredWords(now.Spec, entry) != "" && !slices.Contains(out, entry) {
			out = append(out, entry)
		}
	}
	return out
}

// gravity is the place of an entry's key among those that decide: the smaller, the more.
func gravity(entry string) int {
	key, _, _ := strings.Cut(entry, ": ")
	keys := []string{"risk", "requires_hitl", "max_attempts"}
	for _, l := range lowerableLists {
		keys = append(keys, l.key)
	}
	if i := slices.Index(keys, key); i >= 0 {
		return i
	}
	return len(keys)
}

// loweredWords says how a spec is less strict than an entry; "" where it is not.
func loweredWords(sp *model.Spec, entry string) string {
	if sp == nil {
		sp = new(model.Spec)
	}
	key, value, _ := strings.Cut(entry, ": ")
	switch key {
	case "risk":
		if now := model.RiskOf(&model.Task{Spec: sp}); model.RiskRank(now) < model.RiskRank(value) {
			return fmt.Sprintf("risk lowered from %s to %s outside vespe", value, now)
		}
	case "requires_hitl":
		if !sp.RequiresHITL {
			return "requires_hitl removed outside vespe"
		}
	case "max_attempts":
		switch was, err := strconv.Atoi(value); {
		case err == nil && was > 0 && sp.MaxAttempts == 0: // as many as the policy says
			return fmt.Sprintf("limit of %s removed outside vespe", model.Plural(was, "attempt", "attempts"))
		case err != nil || sp.MaxAttempts <= was:
		case was == 0:
			return fmt.Sprintf("attempts set to %d outside vespe", sp.MaxAttempts)
		default:
			return fmt.Sprintf("attempts raised from %d to %d outside vespe", was, sp.MaxAttempts)
		}
	}
	for _, l := range lowerableLists {
		if l.key == key && !slices.ContainsFunc(l.of(sp), func(text string) bool { return model.CutText(key+": "+text, maxLoweredText) == entry }) {
			return l.what + " removed outside vespe: " + value
		}
	}
	return ""
}

// LoweredWords say what was lowered of a task outside vespe, for the person who decides on it.
func LoweredWords(t *model.Task) (out []string) {
	for _, entry := range t.Status.Lowered {
		if words := loweredWords(t.Spec, entry); words != "" {
			out = append(out, words)
		}
	}
	return out
}

// WithLowered is a task whose files were edited past vespe, with what that lowers.
func WithLowered(was, now *model.Task) *model.Task {
	if was == nil || now == nil {
		return now
	}
	l := Lowering(was, now)
	if slices.Equal(l, now.Status.Lowered) {
		return now
	}
	now = now.Clone()
	now.Status.Lowered = l
	return now
}

// SettledLowered is what stays lowered once a person has set some keys.
func SettledLowered(lowered []string, keys func(key string) bool) (out []string) {
	for _, entry := range lowered {
		if key, _, _ := strings.Cut(entry, ": "); !keys(key) {
			out = append(out, entry)
		}
	}
	return out
}

// LessStrict says what a spec lowers of what a task asks for before it is believed: its risk, the approval of its
// start, the attempts after which a person is asked, the checks of the work; "" for nothing. A risk that nobody named
// counts as medium. most is how many attempts a task has that names no number.
func LessStrict(t *model.Task, now *model.Spec, most int) string {
	was := t.Spec
	if was == nil {
		was = new(model.Spec)
	}
	before, after := model.RiskOf(&model.Task{Spec: was}), model.RiskOf(&model.Task{Spec: now})
	attempts := func(sp *model.Spec) int { return cmp.Or(max(sp.MaxAttempts, 0), most) }
	makers := []string{model.Agent, model.MCPClient}
	switch {
	case model.RiskRank(after) < model.RiskRank(before):
		return fmt.Sprintf("lower its risk from %s to %s", before, after)
	case was.RequiresHITL && !now.RequiresHITL:
		return "drop the approval needed to start it"
	case attempts(now) > attempts(was):
		return fmt.Sprintf("raise its attempts from %d to %d", attempts(was), attempts(now))
	case len(was.Verify) == 0 && len(now.Verify) > 0 && !slices.Contains(makers, t.Config.CreatedBy.Kind()):
		return "set its first verify command, which replaces the test runners that were found"
	}
	for _, l := range lowerableLists {
		left := l.of(now)
		for _, text := range l.of(was) {
			if !slices.Contains(left, text) {
				return fmt.Sprintf("remove its %s %s", l.what, model.CutText(text, maxLoweredText))
			}
		}
	}
	return ""
}
