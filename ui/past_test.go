package ui_test

import (
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/text"
)

// Whatever an operation or a decision is called, there is a past tense of it.
func TestEveryOperationHasAPast(t *testing.T) {
	for _, row := range lifecycle.Table() {
		if verb, _ := text.Past(row.Name.Phrase() + ` "A"`); verb == "" {
			t.Errorf("%s has none", row.Name.Phrase())
		}
	}
	for _, d := range model.Decisions() {
		if verb, _ := text.Past(d.Verb() + ` "A"`); verb == "" {
			t.Errorf("%s has none", d.Verb())
		}
	}
}
