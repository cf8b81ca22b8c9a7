package core

import (
	"bytes"
	"testing"
	"time"
)

// What takes long is told every two seconds, on standard error, and not over the workbench.
func TestWhatTakesLongIsTold(t *testing.T) {
	now, said := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), new(bytes.Buffer)
	a := NewApp(Deps{Stderr: said, Now: func() time.Time { return now }})
	tell := a.Working()
	for _, step := range []struct {
		after    time.Duration
		done     int
		onScreen bool
		want     string
	}{
		{0, 0, false, ""},
		{time.Second, 10, false, ""},
		{time.Second, 20, false, "git takes in: 20 of 100 tasks\n"},
		{time.Second, 30, false, ""},
		{time.Second, 40, true, ""},
		{time.Second, 50, false, "git takes in: 50 of 100 tasks\n"},
	} {
		now = now.Add(step.after)
		a.onScreen.Store(step.onScreen)
		said.Reset()
		if tell("git takes in", step.done, 100); said.String() != step.want {
			t.Errorf("at %d it said %q, want %q", step.done, said, step.want)
		}
	}
}
