package text_test

import (
	"testing"

	"vespe/ui/text"
)

func TestPast(t *testing.T) {
	for summary, want := range map[string]string{
		`accept plan of "A": ready`:           `Accepted the plan of "A": ready`,
		`complete "A": 2 files`:               `Completed "A": 2 files`,
		`choose for "Which port?": 80`:        `Chose for "Which port?": 80`,
		`deny "Deploy?": no`:                  `Denied "Deploy?": no`,
		`edit and approve "Deploy?"`:          `Approved with changes: "Deploy?"`,
		`make "A" depend on "B"`:              `Made "A" depend on "B"`,
		`defer plan of "A"`:                   `Deferred the plan of "A"`,
		`replan "A"`:                          `Sent back for a new plan: "A"`,
		`report error of "A"`:                 `Reported an error of "A"`,
		`fail "A": no disk`:                   `Failed "A": no disk`,
		`stop the run of "A"`:                 `Stopped the run of "A"`,
		`undo the acceptance of the plan "A"`: `Undid the acceptance of the plan "A"`,
		`"A" appeared`:                        `"A" appeared`,
		`progress of "A": 5`:                  `Progress of "A": 5`,
	} {
		if verb, rest := text.Past(summary); verb+rest != want {
			t.Errorf("%s: %s", summary, verb+rest)
		}
	}
}
