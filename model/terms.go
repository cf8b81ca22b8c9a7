package model

import (
	"bytes"
	"slices"
)

// The terms of an acceptance are what a person agrees to besides the texts: the parts of
// spec.json, dependencies.json and the project's config.json that say what is to be done and
// by which rules. The rest is bookkeeping, which goes on while the work does and voids
// nothing:
//
//   - of spec.json priority, priority_by, labels, milestone_id, estimated_complexity and external, whether a
//     step is done, and the state and the evidence of a criterion;
//   - of config.json name, description, git, integrations and task_size_limits, which are guidance, and
//     worker and parallel_workers: who does the work and how fast. What of worker would take a decision
//     away from a person counts only where a person trusts the store with it.
//
// A key that vespe does not know is a term: nobody can say that it does not matter. Of gate and hitl only less counts
// (protections.go).

// The files that a ChangeReason and a bound hash name for terms.
const (
	DependenciesFile = "dependencies.json"
	BoundPolicy      = "config.json" // of the store, not of the task, whose identity is no term
)

// unboundPolicy are the unknown keys of config.json that are no terms.
var unboundPolicy = []string{"git", "integrations", sizeLimits, workerKey, parallelKey}

// Terms are the parts of a spec that an acceptance binds to. It is never nil, and shares
// with s.
func (s *Spec) Terms() *Spec {
	if s == nil {
		return new(Spec)
	}
	t := *s
	t.Priority, t.PriorityBy, t.MilestoneID, t.EstimatedComplexity, t.Labels, t.External = "", nil, "", 0, nil, nil
	t.AcceptanceCriteria = slices.Clone(s.AcceptanceCriteria)
	for i := range t.AcceptanceCriteria {
		t.AcceptanceCriteria[i].State, t.AcceptanceCriteria[i].Evidence = "", ""
	}
	t.Steps = slices.Clone(s.Steps)
	for i := range t.Steps {
		t.Steps[i].Done = false
	}
	return &t
}

// Terms are the parts of a policy of which every change counts for an acceptance.
func (p Policy) Terms() Policy {
	p = p.wholeTerms()
	for _, key := range []string{gateKey, hitlWord.object} { // protections.go
		p.Extra = p.Extra.Without(key)
	}
	return p
}

// wholeTerms are the terms with the protections.
func (p Policy) wholeTerms() Policy {
	p.Name, p.Description = "", ""
	for _, key := range unboundPolicy {
		p.Extra = p.Extra.Without(key)
	}
	return p
}

// RulesHash is the hash of a policy's terms.
func RulesHash(p Policy) string {
	if p.Unread != "" { // nobody knows what they are: no acceptance is bound to these
		return HashBytes([]byte("unread: " + p.Unread))
	}
	return HashBytes(EncodePolicy(p.Terms()))
}

// SpecHash is the hash of the terms in a specification.
func SpecHash(s *Spec) string { return HashBytes(EncodeSpec(s.Terms())) }

// DependenciesHash is the hash of dependencies.json as vespe writes it.
func DependenciesHash(t *Task) string {
	return HashBytes(EncodeDependencies(t.DependsOn, t.DepsExtra))
}

// TermReasons compares the terms that a task was accepted with with those of today: one entry a
// file whose hash was recorded, Old equal to New where nothing changed.
func TermReasons(t *Task, rules RulesHashes) []ChangeReason {
	a := t.Status.AcceptedPlan
	if a == nil {
		return nil
	}
	var out []ChangeReason
	if a.PolicyHash != "" {
		out = append(out, ChangeReason{BoundPolicy, a.PolicyHash, rules.today(a.PolicyHash)})
	}
	if a.DependenciesHash != "" {
		out = append(out, ChangeReason{DependenciesFile, a.DependenciesHash, DependenciesHash(t)})
	}
	if a.SpecHash != "" {
		out = append(out, ChangeReason{SpecFile, a.SpecHash, SpecHash(t.Spec)})
	}
	return out
}

// ChangesOf is changed_because of a task as it reads with the policy and the files of today:
// what is marked already, and terms that are not the accepted ones. Terms can become others
// without a word to the task: the policy is one file for all.
func ChangesOf(t *Task, rules RulesHashes) []ChangeReason {
	reasons := t.Status.ChangedBecause
	if !t.HasStandingAcceptance() {
		return reasons
	}
	for _, why := range TermReasons(t, rules) {
		reasons, _ = PutReason(reasons, why)
	}
	return reasons
}

// The protections of a policy hold agents back while accepted work is done: which of their calls wait for a person
// (gate), and which starts (hitl). An acceptance relies on them, and on nothing more: it holds where they are what
// they were or stricter, and is changed where one of them was loosened. So they are bound apart from the terms, whose
// every change counts. Older versions bound the terms with the protections in them; such an acceptance holds as long
// as both together are what they were.

// BoundProtections is the name under which the protections are bound, where there are any.
const BoundProtections = "protections"

// Protections are the parts of a policy that hold agents back.
func (p Policy) Protections() Policy {
	var out Policy
	for _, f := range p.Extra {
		if f.Key == gateKey || f.Key == hitlWord.object {
			out.Extra = append(out.Extra, f)
		}
	}
	out.Unread = p.Unread
	return out
}

// ProtectionsHash is the hash of a policy's protections; "" where it has none.
func ProtectionsHash(p Policy) string {
	b := ProtectionsBody(p)
	if b == nil {
		return ""
	}
	return HashBytes(b)
}

// ProtectionsBody is the protections of a policy in vespe's form, however the file writes them; nil for none.
func ProtectionsBody(p Policy) []byte {
	if p = p.Protections(); len(p.Extra) == 0 {
		return nil
	}
	return Canonical(bytes.TrimSpace(EncodePolicy(p)))
}

// RulesHashes are the hashes that a policy's terms may be bound by.
type RulesHashes struct {
	Terms string // without the protections
	whole string // with them, as older versions bound them
}

// RulesOf are the hashes of a policy as it is.
func RulesOf(p Policy) RulesHashes {
	terms := RulesHash(p)
	if p.Unread != "" {
		return RulesHashes{terms, terms}
	}
	return RulesHashes{terms, HashBytes(EncodePolicy(p.wholeTerms()))}
}

// today is the hash of today that an acceptance with a hash is to be compared with.
func (r RulesHashes) today(accepted string) string {
	if accepted == r.whole {
		return r.whole
	}
	return r.Terms
}

// IsLooser says whether one policy holds agents back from a task less than another did.
func (p Policy) IsLooser(was Policy, t *Task) bool {
	needs := func(p Policy) bool {
		least := RiskRank(p.HITLStart())
		return least >= 0 && RiskRank(RiskOf(t)) >= least
	}
	if needs(was) && !needs(p) {
		return true
	}
	now, then := p.Gate(), was.Gate()
	if now.Unread != "" || then.Unread != "" {
		return now.Unread == ""
	}
	for _, l := range [][2][]string{{then.Tools, now.Tools}, {then.Commands, now.Commands}, {then.Paths, now.Paths}, {then.Reads, now.Reads}} {
		if slices.ContainsFunc(l[0], func(rule string) bool { return !slices.Contains(l[1], rule) }) {
			return true
		}
	}
	least, before := RiskRank(now.Risk), RiskRank(then.Risk)
	return before >= 0 && (least < 0 || least > before)
}
