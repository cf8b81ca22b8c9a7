package model

import "slices"

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
