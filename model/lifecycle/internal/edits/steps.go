package edits

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/progress"
)

// maxProgress bounds a word of progress, in bytes.
const maxProgress = 1000

// stepSetter ticks a step by its place from 1 (steps.2=done), or opens it again (steps.2=open).
func stepSetter(place string) setter {
	return func(sp *model.Spec, a model.Assignment) (why, hint string) {
		n, err := strconv.Atoi(place)
		if err != nil || n < 1 || n > len(sp.Steps) {
			return fmt.Sprintf("it has %s, but no step %s", model.Plural(len(sp.Steps), "step", "steps"), model.Quote(place)), "steps are counted from 1"
		}
		switch strings.ToLower(strings.TrimSpace(a.Value)) {
		case "done", "true", "yes", "x":
			sp.Steps[n-1].Done = true
		case "open", "false", "no", "":
			sp.Steps[n-1].Done = false
		default:
			return fmt.Sprintf("a step is done or open, not %s", model.Quote(a.Value)), fmt.Sprintf("write %s=done", a.Key)
		}
		return onlyEquals(a)
	}
}

// setWords say which keys are set; where they are steps alone, that these are ticked, or open again.
func setDeed(set []model.Assignment, keys []string, of string) model.Deed {
	verb := ""
	for _, a := range set {
		v := map[string]string{"done": "tick", "open": "open"}[a.Value]
		if !strings.HasPrefix(a.Key, progress.StepPrefix) || verb != "" && v != verb {
			v = ""
		}
		if verb = v; v == "" {
			break
		}
	}
	words := strings.Join(keys, ", ")
	return model.Deed{Verb: cmp.Or(verb, "set"), Object: strings.ReplaceAll(words, progress.StepPrefix, "step ") + " of " + of}
}

// progressed is the progress that an operation sets; ok is false where it sets none.
func progressed(s *machine.Step) (text string, ok bool, r *model.Refusal) {
	for _, a := range model.ArgsOf[model.FieldEdit](&s.Op).Set {
		if a.Key != model.ProgressKey {
			continue
		}
		text, ok = strings.Join(strings.Fields(a.Value), " "), true
		_, subtasks := s.CountChildren(s.Op.UID)
		switch {
		case subtasks > 0:
			r = s.Refuse(model.CodeRefused, model.GuardValue, "its progress is counted from its subtasks", "report the progress of a subtask")
		case len(text) > maxProgress:
			r = s.Refuse(model.CodeInvalid, model.GuardValue, fmt.Sprintf("progress must be one line of at most %d bytes", maxProgress), "shorten it")
		}
	}
	return text, ok, r
}

// WarnOfSteps names the steps that are open when work is completed or accepted.
func WarnOfSteps(s *machine.Step, t *model.Task) {
	if said := progress.OpenStepsSaid(t); said != "" {
		s.Warnings = append(s.Warnings, said)
	}
}
