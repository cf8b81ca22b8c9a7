package model

import (
	"fmt"
	"slices"
	"strings"
)

// What an edit past vespe lowers of what a task asks for before it is believed is kept in status.json as it was, a key of
// spec.json and its value each. What a gate requires stays with it until a person accepts the plan, or sets the key.

const (
	maxLowered     = 20
	maxLoweredText = 200
)

// lowering is what is lowered of a task whose files were edited past vespe, with what was before.
func lowering(was, now *Task) []string {
	kept := slices.Clone(was.Status.Lowered)
	sp := was.Spec
	if sp == nil {
		sp = new(Spec)
	}
	kept = append(kept, "risk: "+RiskOf(was))
	if sp.RequiresHITL {
		kept = append(kept, "requires_hitl: true")
	}
	for _, line := range argvLines(sp.Verify) {
		kept = append(kept, "verify: "+line)
	}
	for _, c := range sp.AcceptanceCriteria {
		kept = append(kept, "acceptance_criteria: "+c.Text)
	}
	var out []string
	for _, entry := range kept {
		entry = cutText(entry, maxLoweredText)
		if len(out) < maxLowered && loweredWords(now.Spec, entry) != "" && !slices.Contains(out, entry) {
			out = append(out, entry)
		}
	}
	return out
}

// loweredWords says how a spec is less strict than an entry; "" where it is not.
func loweredWords(sp *Spec, entry string) string {
	if sp == nil {
		sp = new(Spec)
	}
	key, value, _ := strings.Cut(entry, ": ")
	is := func(text string) bool { return cutText(key+": "+text, maxLoweredText) == entry }
	switch key {
	case "risk":
		if now := RiskOf(&Task{Spec: sp}); riskRank(now) < riskRank(value) {
			return fmt.Sprintf("risk lowered from %s to %s outside vespe", value, now)
		}
	case "requires_hitl":
		if !sp.RequiresHITL {
			return "requires_hitl removed outside vespe"
		}
	case "verify":
		if !slices.ContainsFunc(argvLines(sp.Verify), is) {
			return "verify command removed outside vespe: " + value
		}
	case "acceptance_criteria":
		if !slices.ContainsFunc(sp.AcceptanceCriteria, func(c Criterion) bool { return is(c.Text) }) {
			return "acceptance criterion removed outside vespe: " + value
		}
	}
	return ""
}

// LoweredWords say what was lowered of a task outside vespe, for the person who decides on it.
func LoweredWords(t *Task) (out []string) {
	for _, entry := range t.Status.Lowered {
		if words := loweredWords(t.Spec, entry); words != "" {
			out = append(out, words)
		}
	}
	return out
}

// WithLowered is a task whose files were edited past vespe, with what that lowers.
func WithLowered(was, now *Task) *Task {
	if was == nil || now == nil {
		return now
	}
	l := lowering(was, now)
	if slices.Equal(l, now.Status.Lowered) {
		return now
	}
	now = now.Clone()
	now.Status.Lowered = l
	return now
}

// loweredRisk is the risk that counts in place of a lower one; "" for none.
func (t *Task) loweredRisk() (risk string) {
	for _, entry := range t.Status.Lowered {
		if key, value, _ := strings.Cut(entry, ": "); key == "risk" && riskRank(value) > riskRank(risk) {
			risk = value
		}
	}
	return risk
}

// settled is what stays lowered once a person has set some keys.
func settled(lowered []string, keys func(key string) bool) (out []string) {
	for _, entry := range lowered {
		if key, _, _ := strings.Cut(entry, ": "); !keys(key) {
			out = append(out, entry)
		}
	}
	return out
}
