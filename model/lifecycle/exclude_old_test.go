package lifecycle_test

import (
	"testing"

	"vespe/model"
)

// A subtask that a person left out of a plan, with an older vespe, goes on only with a person.
func TestAPersonResumesWhatAPersonExcluded(t *testing.T) {
	d := newDesk(t)
	uid := d.create("excluded", "")
	d.do(model.Op{Name: model.Pause, UID: uid, Actor: agent, Reason: model.ExcludedReason + `the plan of "it" was accepted without it`})
	d.refused(model.Op{Name: model.Resume, UID: uid, Actor: agent}, model.GuardActor, model.CodeDenied)
	d.do(model.Op{Name: model.Resume, UID: uid, Actor: ann})
}
