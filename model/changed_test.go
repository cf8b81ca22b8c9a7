package model

import (
	"testing"
	"time"
)

type byUID map[UID]*Task

func (m byUID) Task(uid UID) (*Task, bool) { t, ok := m[uid]; return t, ok }

// What changed after an approval is said by its name, and of a task's own texts also who changed it.
func TestWhatChangedIsNamed(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	own, other := &Task{UID: "tsk-1"}, &Task{UID: "tsk-2"}
	other.Config.Name = "Parse"
	history := []Event{{Name: DefineObjective, At: now.Add(-2 * time.Hour), Actor: "human:ann", Details: []ExtraField{{Key: "revision", Value: []byte("2")}}}}
	edit := Event{Name: ExternalEdit, At: now, Actor: "system:external", Details: []ExtraField{{Key: "plan_revision", Value: []byte("2")}}}
	if got, want := (ChangeReason{File: "plan.md"}).Changed(own, byUID{"tsk-1": own}, []Event{edit}, now), "The plan was changed outside vespe just now, after the approval."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for file, want := range map[string]string{
		"objective.md":       "The objective was changed by ann 2h ago, after the approval.",
		"tsk-1/objective.md": "The objective was changed by ann 2h ago, after the approval.",
		"plan.md":            "The plan was changed after the approval.",
		"tsk-2/objective.md": `The objective of "Parse" was changed after the approval.`,
		ChangedUnrecorded:    "Something that is not recorded was changed after the approval.",
		BoundProtections:     "The gate or hitl settings in the project's config.json were changed after the approval.",
		"spec.json":          "The specification was changed after the approval.",
	} {
		if got := (ChangeReason{File: file}).Changed(own, byUID{"tsk-1": own, "tsk-2": other}, history, now); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
