package model

import (
	"bytes"
	"slices"
)

// Clone is a deep copy: nothing of it is shared with t but immutable strings.
func (t *Task) Clone() *Task {
	if t == nil {
		return nil
	}
	c := *t
	c.Config.Extra = t.Config.Extra.Clone()
	c.Status = t.Status.Clone()
	c.DependsOn = slices.Clone(t.DependsOn)
	c.DepsExtra = t.DepsExtra.Clone()
	c.Spec = t.Spec.Clone()
	c.Problems = slices.Clone(t.Problems)
	return &c
}

// Clone is a deep copy.
func (s StatusFile) Clone() StatusFile {
	s.ParentContentHashes = slices.Clone(s.ParentContentHashes)
	s.SubtaskUIDs = slices.Clone(s.SubtaskUIDs)
	s.ChangedBecause = slices.Clone(s.ChangedBecause)
	if s.AcceptedPlan != nil {
		a := *s.AcceptedPlan
		a.Extra = a.Extra.Clone()
		a.Excluded = slices.Clone(a.Excluded)
		s.AcceptedPlan = &a
	}
	if s.Review != nil {
		r := *s.Review
		r.Extra = r.Extra.Clone()
		s.Review = &r
	}
	if s.Comments != nil {
		b := *s.Comments
		b.Extra = b.Extra.Clone()
		s.Comments = &b
	}
	if s.Undo != nil {
		u := *s.Undo
		u.Tasks = slices.Clone(u.Tasks)
		for i := range u.Tasks {
			u.Tasks[i].Before = bytes.Clone(u.Tasks[i].Before)
		}
		u.Requests = slices.Clone(u.Requests)
		s.Undo = &u
	}
	s.Elsewhere = s.Elsewhere.Clone()
	s.Answered = slices.Clone(s.Answered)
	s.Lowered = slices.Clone(s.Lowered)
	s.LastOps, s.UnmergedOps, s.PickedOps = slices.Clone(s.LastOps), slices.Clone(s.UnmergedOps), slices.Clone(s.PickedOps)
	s.Extra = s.Extra.Clone()
	return s
}

// Clone is a deep copy; nil of nil.
func (s *Spec) Clone() *Spec {
	if s == nil {
		return nil
	}
	c := *s
	c.Constraints = slices.Clone(s.Constraints)
	c.AcceptanceCriteria = slices.Clone(s.AcceptanceCriteria)
	for i := range c.AcceptanceCriteria {
		c.AcceptanceCriteria[i].Extra = c.AcceptanceCriteria[i].Extra.Clone()
	}
	if s.PriorityBy != nil {
		by := *s.PriorityBy
		by.Extra = by.Extra.Clone()
		c.PriorityBy = &by
	}
	c.Steps = slices.Clone(s.Steps)
	for i := range c.Steps {
		c.Steps[i].Extra = c.Steps[i].Extra.Clone()
	}
	c.Context = Extra(s.Context).Clone()
	c.FilesToCreate = slices.Clone(s.FilesToCreate)
	c.FilesToModify = slices.Clone(s.FilesToModify)
	c.TestFiles = slices.Clone(s.TestFiles)
	c.Verify = slices.Clone(s.Verify)
	for i := range c.Verify {
		c.Verify[i] = slices.Clone(c.Verify[i])
	}
	c.Labels = slices.Clone(s.Labels)
	c.External = Extra(s.External).Clone()
	c.Extra = s.Extra.Clone()
	return &c
}

// Clone is a deep copy; nil of nil.
func (e Extra) Clone() Extra {
	if e == nil {
		return nil
	}
	c := make(Extra, len(e))
	for i, f := range e {
		c[i] = ExtraField{Key: f.Key, Value: bytes.Clone(f.Value)}
	}
	return c
}
