package model

import (
	"fmt"
	"strconv"
	"strings"

	"vespe/internal/lazyregexp"
)

// ProgressKey is a key of `set` that is none of spec.json: how far the work is, in status.json.
const ProgressKey = "progress"

// StepPrefix begins the key of one step.
const StepPrefix = "steps."

// TickStep is the assignment that ticks a step, counted from 1, or opens it again.
func TickStep(n int, done bool) Assignment {
	a := Assignment{Key: StepPrefix + strconv.Itoa(n), Value: "open", Mode: '='}
	if done {
		a.Value = "done"
	}
	return a
}

// SayProgress is the assignment that says how far the work on a task is. Of a task with subtasks vespe counts it.
func SayProgress(text string) Assignment { return Assignment{Key: ProgressKey, Value: text, Mode: '='} }

// OpenSteps are the steps that are not ticked, with their places from 1.
func OpenSteps(t *Task) (out []string) {
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
func OpenStepsSaid(t *Task) string {
	open := OpenSteps(t)
	if len(open) == 0 {
		return ""
	}
	n, more := len(open), ""
	if n > mostOpenSteps {
		open, more = open[:mostOpenSteps], fmt.Sprintf("; and %d more", n-mostOpenSteps)
	}
	return fmt.Sprintf("%s not ticked: %s%s", Plural(n, "step is", "steps are"), strings.Join(open, "; "), more)
}

var (
	percentWords = lazyregexp.New(`(?:^|[^\d.])(\d{1,3})(?:\.\d+)? ?%`)
	countWords   = lazyregexp.New(`(?:^|[^\d.])(\d{1,6}) ?(?:/|of) ?(\d{1,6})(?:$|[^\d.])`)
)

// Percent is how much of the work is done by its progress: what it says as "60%", "3/5" or "3 of 5". ok is false where
// it says no such thing.
func (s *StatusFile) Percent() (percent int, ok bool) {
	if m := percentWords.Get().FindStringSubmatch(s.Progress); m != nil {
		n, err := strconv.Atoi(m[1])
		return min(n, 100), err == nil && n <= 100
	}
	if m := countWords.Get().FindStringSubmatch(s.Progress); m != nil {
		done, err1 := strconv.Atoi(m[1])
		total, err2 := strconv.Atoi(m[2])
		return 100 * done / max(total, 1), err1 == nil && err2 == nil && total > 0 && done <= total
	}
	return 0, false
}
