package model

import (
	"slices"
	"strings"
)

// Bind looks up the tasks that under: names, so that Match need not do it for every task
// and a name that means nothing is told. The error is Find's. The result may be used
// with other snapshots too: it holds uids.
func (s *Snapshot) Bind(f Filter) (Filter, error) {
	f.terms = slices.Clone(f.terms)
	for k := range f.terms {
		t := &f.terms[k]
		if t.key != "under" || t.bound {
			continue
		}
		t.bound = true
		t.uids = nil
		for _, ref := range t.values {
			uid, err := s.Find(ref)
			if err != nil {
				return f, err
			}
			t.uids = append(t.uids, uid)
		}
	}
	return f, nil
}

// Match reports whether f selects task i. What under: names and does not exist has
// nothing under it; Bind tells.
func (s *Snapshot) Match(f Filter, i int) bool {
	for k := range f.terms {
		if s.matchTerm(&f.terms[k], int32(i)) == f.terms[k].not {
			return false
		}
	}
	return true
}

// Select is every task that f selects, in uid order.
func (s *Snapshot) Select(f Filter) []int32 {
	f = s.bindLeniently(f)
	var out []int32
	for i := range s.tasks {
		if s.Match(f, i) {
			out = append(out, int32(i))
		}
	}
	return out
}

// bindLeniently is Bind that leaves out what it cannot find.
func (s *Snapshot) bindLeniently(f Filter) Filter {
	f.terms = slices.Clone(f.terms)
	for k := range f.terms {
		if t := &f.terms[k]; t.key == "under" && !t.bound {
			t.uids, t.bound = s.refs(t.values), true
		}
	}
	return f
}

// refs are the tasks that values name; what names none or several is left out.
func (s *Snapshot) refs(values []string) []UID {
	var out []UID
	for _, ref := range values {
		if uid, err := s.Find(ref); err == nil {
			out = append(out, uid)
		}
	}
	return out
}

func (s *Snapshot) matchTerm(t *term, i int32) bool {
	if t.mask&(1<<s.status[i]) != 0 {
		return true
	}
	task := s.tasks[i]
	switch t.key {
	case "status":
		return false
	case "under":
		return s.isUnder(t, i)
	case "by":
		return matchActor(t.values, task.Config.CreatedBy) || matchActor(t.values, task.Status.AssignedAgentUID)
	}
	for _, v := range t.values {
		if s.matchValue(t.key, v, i) {
			return true
		}
	}
	return false
}

func (s *Snapshot) matchValue(key, v string, i int32) bool {
	t := s.tasks[i]
	switch key {
	case "":
		return t.contains(v)
	case "is":
		return s.matchIs(v, i)
	case "has":
		return s.matchHas(v, i)
	case "label":
		return t.Spec != nil && slices.ContainsFunc(t.Spec.Labels, func(l string) bool {
			return strings.EqualFold(l, v)
		})
	case "type":
		return t.Spec != nil && strings.EqualFold(t.Spec.GoalType, v)
	case "priority":
		p := string(t.priority())
		return p == v || p == "" && v == "none"
	}
	return false
}

func (s *Snapshot) isUnder(t *term, i int32) bool {
	uids := t.uids
	if !t.bound {
		uids = s.refs(t.values)
	}
	for _, uid := range uids {
		if a, ok := s.lookup(uid); ok && s.tree.within(i, a) {
			return true
		}
	}
	return false
}

// matchIs answers the words of is: that are no set of statuses.
func (s *Snapshot) matchIs(v string, i int32) bool {
	switch v {
	case "root":
		return s.tree.parent[i] == noParent
	case "leaf":
		return s.tree.kids.degree(i) == 0
	case "parent":
		return s.tree.kids.degree(i) > 0
	case "orphan":
		return s.tree.parent[i] == noParent && s.tasks[i].Config.ParentUID != ""
	case "cycle":
		return s.graph.inCycle(i)
	}
	return false
}

func (s *Snapshot) matchHas(v string, i int32) bool {
	t := s.tasks[i]
	switch v {
	case "plan":
		return t.HasPlan
	case "objective":
		return t.HasObjective
	case "deps":
		return len(t.DependsOn) > 0
	case "dependants":
		return s.graph.in.degree(i) > 0
	case "subtasks":
		return s.tree.kids.degree(i) > 0
	case "labels":
		return t.Spec != nil && len(t.Spec.Labels) > 0
	case "description":
		return t.Spec != nil && strings.TrimSpace(t.Spec.Description) != ""
	case "problem":
		return len(s.allProblems().of[t.UID]) > 0
	case "run":
		return t.Status.CurrentRun != ""
	}
	return false
}

func matchActor(values []string, a Actor) bool {
	if a == "" {
		return false
	}
	for _, v := range values {
		if strings.EqualFold(string(a), v) || strings.EqualFold(a.Name(), v) {
			return true
		}
	}
	return false
}

// contains looks for low, which is lower case, in what a person would search.
func (t *Task) contains(low string) bool {
	if containsFold(t.Config.Name, low) || containsFold(string(t.UID), low) {
		return true
	}
	if t.Spec == nil {
		return false
	}
	return containsFold(t.Spec.Description, low) || slices.ContainsFunc(t.Spec.Labels, func(l string) bool {
		return containsFold(l, low)
	})
}
