// Package progress is what the one who works on a task says of the work: the steps that are ticked, how far it is, and the
// report when it is done. Nobody has checked any of it.
package progress

import (
	"fmt"
	"strconv"
	"strings"

	"vespe/model"
)

// StepPrefix begins the key of one step.
const StepPrefix = "steps."

// TickStep is the assignment that ticks a step, counted from 1, or opens it again.
func TickStep(n int, done bool) model.Assignment {
	a := model.Assignment{Key: StepPrefix + strconv.Itoa(n), Value: "open", Mode: '='}
	if done {
		a.Value = "done"
	}
	return a
}

// SayProgress is the assignment that says how far the work on a task is. Of a task with subtasks vespe counts it.
func SayProgress(text string) model.Assignment {
	return model.Assignment{Key: model.ProgressKey, Value: text, Mode: '='}
}

// openSteps are the steps that are not ticked, with their places from 1.
func openSteps(t *model.Task) (out []string) {
	if t == nil || t.Spec == nil {
		return nil
	}
	for i, s := range t.Spec.Steps {
		if !s.Done {
			out = append(out, fmt.Sprintf("%d. %s", i+1, strings.Join(strings.Fields(s.Step), " ")))
		}
	}
	return out
}

// mostOpenSteps is how many of them a warning names.
const mostOpenSteps = 10

// OpenStepsSaid names the steps that are not ticked, in a sentence; "" for none.
func OpenStepsSaid(t *model.Task) string {
	open := openSteps(t)
	if len(open) == 0 {
		return ""
	}
	n, more := len(open), ""
	if n > mostOpenSteps {
		open, more = open[:mostOpenSteps], fmt.Sprintf("; and %d more", n-mostOpenSteps)
	}
	return fmt.Sprintf("%s not ticked: %s%s", model.Plural(n, "step is", "steps are"), strings.Join(open, "; "), more)
}
