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

// Clone is a deep copy; nil of nil.
func (s *Spec) Clone() *Spec { return cloned(specFormat(), s) }

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
