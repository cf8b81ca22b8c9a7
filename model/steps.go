package model

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"vespe/internal/lazyregexp"
)

// progressKey is a key of `set` that is none of spec.json: how far the work is, in status.json.
const progressKey = "progress"

// maxProgress bounds a word of progress, in bytes.
const maxProgress = 1000

// stepPrefix begins the key of one step.
const stepPrefix = "steps."

// stepSetter ticks a step by its place from 1 (steps.2=done), or opens it again (steps.2=open).
func stepSetter(place string) setter {
	return func(sp *Spec, a Assignment) (why, hint string) {
		n, err := strconv.Atoi(place)
		if err != nil || n < 1 || n > len(sp.Steps) {
			return fmt.Sprintf("it has %s, but no step %s", Plural(len(sp.Steps), "step", "steps"), quote(place)), "steps are counted from 1"
		}
		switch strings.ToLower(strings.TrimSpace(a.Value)) {
		case "done", "true", "yes", "x":
			sp.Steps[n-1].Done = true
		case "open", "false", "no", "":
			sp.Steps[n-1].Done = false
		default:
			return fmt.Sprintf("a step is done or open, not %s", quote(a.Value)), fmt.Sprintf("write %s=done", a.Key)
		}
		return onlyEquals(a)
	}
}

// TickStep is the assignment that ticks a step, counted from 1, or opens it again.
func TickStep(n int, done bool) Assignment {
	a := Assignment{Key: stepPrefix + strconv.Itoa(n), Value: "open", Mode: '='}
	if done {
		a.Value = "done"
	}
	return a
}

// setWords say which keys are set; where they are steps alone, that these are ticked, or open again.
func setWords(set []Assignment, keys []string) string {
	verb := ""
	for _, a := range set {
		v := map[string]string{"done": "tick", "open": "open"}[a.Value]
		if !strings.HasPrefix(a.Key, stepPrefix) || verb != "" && v != verb {
			v = ""
		}
		if verb = v; v == "" {
			break
		}
	}
	words := strings.Join(keys, ", ")
	return cmp.Or(verb, "set") + " " + strings.ReplaceAll(words, stepPrefix, "step ")
}

// SayProgress is the assignment that says how far the work on a task is. Of a task with subtasks vespe counts it.
func SayProgress(text string) Assignment { return Assignment{Key: progressKey, Value: text, Mode: '='} }

// progressed is the progress that an operation sets; ok is false where it sets none.
func (s *step) progressed() (text string, ok bool, r *Refusal) {
	for _, a := range ArgsOf[FieldEdit](&s.op).Set {
		if a.Key != progressKey {
			continue
		}
		text, ok = strings.Join(strings.Fields(a.Value), " "), true
		_, subtasks := s.countChildren(s.op.UID)
		switch {
		case subtasks > 0:
			r = s.refuse(CodeRefused, GuardValue, "its progress is counted from its subtasks", "report the progress of a subtask")
		case len(text) > maxProgress:
			r = s.refuse(CodeInvalid, GuardValue, fmt.Sprintf("progress must be one line of at most %d bytes", maxProgress), "shorten it")
		}
	}
	return text, ok, r
}

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

// warnOfSteps names the steps that are open when work is completed or accepted.
func (s *step) warnOfSteps(t *Task) {
	if said := OpenStepsSaid(t); said != "" {
		s.warnings = append(s.warnings, said)
	}
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
