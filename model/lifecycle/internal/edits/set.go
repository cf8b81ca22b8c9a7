package edits

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/specfields"
	"vespe/model/strictness"
)

// setter changes one key of a spec. It returns why a value cannot be had, and what can.
type setter func(sp *model.Spec, a model.Assignment) (why, hint string)

// setterFor finds the setter of a key; name is the part after the dot of an object's key.
func setterFor(key string) setter {
	head, name, dotted := strings.Cut(key, ".")
	if dotted {
		switch head {
		case "context":
			return objectSetter(func(sp *model.Spec) *[]model.ExtraField { return &sp.Context }, name)
		case "external":
			return objectSetter(func(sp *model.Spec) *[]model.ExtraField { return &sp.External }, name)
		case "steps":
			return stepSetter(name)
		}
		return nil
	}
	if set := specialSetter(key); set != nil {
		return set
	}
	if f := model.SpecMember[string](key); f != nil {
		return func(sp *model.Spec, a model.Assignment) (string, string) {
			*f(sp) = strings.TrimSpace(a.Value)
			return onlyEquals(a)
		}
	}
	if f := model.SpecMember[[]string](key); f != nil {
		return func(sp *model.Spec, a model.Assignment) (string, string) {
			items, why := splitList(a.Value)
			*f(sp) = combine(*f(sp), items, a.Mode)
			return why, "separate the values with commas, or write a JSON list"
		}
	}
	return nil
}

func specialSetter(key string) setter {
	switch key {
	case "priority":
		return setPriority
	case "risk":
		return setRisk
	case "requires_hitl":
		return setRequiresHITL
	case "estimated_complexity":
		return setComplexity
	case "max_attempts":
		return setMaxAttempts
	case "acceptance_criteria":
		return setCriteria
	case "steps":
		return setSteps
	case "verify":
		return setVerify
	}
	return nil
}

func onlyEquals(a model.Assignment) (why, hint string) {
	if a.Mode == '+' || a.Mode == '-' {
		return fmt.Sprintf("%s is not a list", a.Key), fmt.Sprintf("write %s=VALUE", a.Key)
	}
	return "", ""
}

func setPriority(sp *model.Spec, a model.Assignment) (string, string) {
	word := strings.ToLower(strings.TrimSpace(a.Value))
	if word == "med" {
		word = string(model.Medium)
	}
	switch p := model.Priority(word); p {
	case "", model.Critical, model.High, model.Medium, model.Low:
		sp.Priority, sp.PriorityBy = p, nil
		return onlyEquals(a)
	}
	return fmt.Sprintf("%s is not a priority", model.Quote(a.Value)), "use critical, high, medium or low; `priority=` removes it"
}

func setRisk(sp *model.Spec, a model.Assignment) (string, string) {
	word := strings.ToLower(strings.TrimSpace(a.Value))
	switch word {
	case "", "low", "medium", "high":
		sp.Risk = word
		return onlyEquals(a)
	}
	return fmt.Sprintf("unknown risk %s", model.Quote(a.Value)), "use low, medium or high; `risk=` removes it"
}

func setRequiresHITL(sp *model.Spec, a model.Assignment) (string, string) {
	switch strings.ToLower(strings.TrimSpace(a.Value)) {
	case "true", "yes", "1":
		sp.RequiresHITL = true
	case "false", "no", "0", "":
		sp.RequiresHITL = false
	default:
		return fmt.Sprintf("%s is neither true nor false", model.Quote(a.Value)), "use true or false"
	}
	return onlyEquals(a)
}

func setComplexity(sp *model.Spec, a model.Assignment) (string, string) {
	text := strings.TrimSpace(a.Value)
	if text == "" {
		sp.EstimatedComplexity = 0
		return onlyEquals(a)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= 13) {
		return fmt.Sprintf("%s is not a complexity", model.Quote(a.Value)), "use a number from 0 to 13"
	}
	sp.EstimatedComplexity = n
	return onlyEquals(a)
}

func setMaxAttempts(sp *model.Spec, a model.Assignment) (string, string) {
	text := strings.TrimSpace(a.Value)
	if text == "" {
		sp.MaxAttempts = 0
		return onlyEquals(a)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1000 {
		return fmt.Sprintf("%s is not a valid number of attempts", model.Quote(a.Value)), "use a whole number from 1 to 1000"
	}
	sp.MaxAttempts = n
	return onlyEquals(a)
}

// setCriteria keeps state and evidence of the criteria that stay.
func setCriteria(sp *model.Spec, a model.Assignment) (string, string) {
	return setTexts(&sp.AcceptanceCriteria, a, "criteria", func(c *model.Criterion) *string { return &c.Text })
}

// setSteps keeps what is done of the steps that stay.
func setSteps(sp *model.Spec, a model.Assignment) (string, string) {
	return setTexts(&sp.Steps, a, "steps", func(s *model.Step) *string { return &s.Step })
}

// setTexts changes which items a list has by their texts. One that stays keeps what else it says.
func setTexts[T any](list *[]T, a model.Assignment, what string, text func(*T) *string) (string, string) {
	words, why := splitList(a.Value)
	old := *list
	texts := make([]string, len(old))
	for i := range old {
		texts[i] = *text(&old[i])
	}
	*list = nil
	for _, word := range combine(texts, words, a.Mode) {
		var item T
		if i := slices.Index(texts, word); i >= 0 {
			item = old[i]
		}
		*text(&item) = word
		*list = append(*list, item)
	}
	return why, "separate the " + what + " with commas (`\\,` is a comma inside one), or write a JSON list"
}

// setVerify takes commands as lists of arguments: words without a shell, so that quotes
// and variables mean nothing. A JSON list of lists takes any argument.
func setVerify(sp *model.Spec, a model.Assignment) (string, string) {
	const hint = `write commands separated by commas, or JSON as in [["go","test","./..."]]`
	var commands [][]string
	if strings.HasPrefix(strings.TrimSpace(a.Value), "[") {
		if err := json.Unmarshal([]byte(a.Value), &commands); err != nil {
			return "the commands are not a JSON list of lists: " + err.Error(), hint
		}
	} else {
		items, why := splitList(a.Value)
		if why != "" {
			return why, hint
		}
		for _, item := range items {
			if strings.ContainsAny(item, "\"'$|&;<>`\\") {
				return fmt.Sprintf("%s needs a shell, but commands run without one", model.Quote(item)), hint
			}
			commands = append(commands, strings.Fields(item))
		}
	}
	for _, c := range commands {
		if len(c) == 0 || c[0] == "" {
			return "a command has no program", hint
		}
	}
	switch a.Mode {
	case '+':
		sp.Verify = append(slices.Clone(sp.Verify), commands...)
	case '-':
		sp.Verify = slices.DeleteFunc(slices.Clone(sp.Verify), func(v []string) bool {
			return slices.ContainsFunc(commands, func(c []string) bool { return slices.Equal(c, v) })
		})
	default:
		sp.Verify = commands
	}
	return "", ""
}

// objectSetter sets one member of context or external to a text; an empty value, or "-=",
// takes it away.
func objectSetter(field func(*model.Spec) *[]model.ExtraField, name string) setter {
	return func(sp *model.Spec, a model.Assignment) (string, string) {
		switch {
		case strings.TrimSpace(name) == "":
			return a.Key + " doesn't name a member", "write it like context.sender=VALUE"
		case a.Mode == '+':
			return fmt.Sprintf("%s is not a list", a.Key), fmt.Sprintf("write %s=VALUE", a.Key)
		case a.Mode == '-' || a.Value == "":
			*field(sp) = model.Extra(*field(sp)).Without(name)
		default:
			*field(sp) = model.Extra(*field(sp)).With(model.TextField(name, a.Value))
		}
		return "", ""
	}
}

// splitList reads comma-separated values, with `\,` for a comma inside one, or a JSON list
// of strings.
func splitList(value string) (items []string, why string) {
	if strings.HasPrefix(strings.TrimSpace(value), "[") {
		if err := json.Unmarshal([]byte(value), &items); err != nil {
			return nil, "it is not a JSON list of strings: " + err.Error()
		}
	} else {
		const comma = "\x00"
		for item := range strings.SplitSeq(strings.ReplaceAll(value, `\,`, comma), ",") {
			items = append(items, strings.ReplaceAll(item, comma, ","))
		}
	}
	var out []string
	for _, item := range items {
		if item = strings.TrimSpace(item); item != "" && !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out, ""
}

// combine replaces old by items, or adds them, or takes them away. old is not written to.
func combine(old, items []string, mode byte) []string {
	switch mode {
	case '+':
		out := slices.Clone(old)
		for _, item := range items {
			if !slices.Contains(out, item) {
				out = append(out, item)
			}
		}
		return out
	case '-':
		return slices.DeleteFunc(slices.Clone(old), func(s string) bool { return slices.Contains(items, s) })
	}
	return items
}

// checkSet tries every assignment on a copy.
func checkSet(s *machine.Step) *model.Refusal {
	by := model.ArgsOf[model.FieldEdit](&s.Op)
	if len(by.Set) == 0 && by.Spec == nil {
		if s.Trial {
			return nil
		}
		return s.Refuse(model.CodeUsage, model.GuardKey, "there is nothing to set", "write KEY=VALUE")
	}
	sp, r := assigned(s)
	if r != nil {
		return r
	}
	return checkSafer(s, sp)
}

// assigned is the task's spec with every assignment made.
func assigned(s *machine.Step) (*model.Spec, *model.Refusal) {
	by := model.ArgsOf[model.FieldEdit](&s.Op)
	if by.Spec != nil {
		if s.Task.IsFinal() {
			return nil, s.Refuse(model.CodeRefused, model.GuardNotFinal, fmt.Sprintf("it %s, and spec.json is part of what was reviewed", machine.EndedHow(s.Task)),
				"labels and priority can still be set")
		}
		return by.Spec.Clone(), CheckSpec(s, by.Spec, model.GuardValue)
	}
	sp := s.Task.Spec.Clone()
	if sp == nil {
		sp = new(model.Spec)
	}
	for _, a := range by.Set {
		set := setterFor(a.Key)
		if a.Key == model.ProgressKey {
			set = func(*model.Spec, model.Assignment) (string, string) { return onlyEquals(a) }
		}
		switch {
		case set == nil:
			return nil, s.Refuse(model.CodeUsage, model.GuardKey, fmt.Sprintf("unknown key %s", model.Quote(a.Key)), keyHint(a.Key))
		case a.Mode != 0 && a.Mode != '=' && a.Mode != '+' && a.Mode != '-':
			return nil, s.Refuse(model.CodeUsage, model.GuardKey, fmt.Sprintf("unknown operator %q", a.Mode), "use =, += or -=")
		case !utf8.ValidString(a.Value):
			return nil, s.Refuse(model.CodeInvalid, model.GuardValue, fmt.Sprintf("the value of %s is not valid UTF-8", a.Key), "use another value")
		case s.Task.IsFinal() && a.Key != "labels" && a.Key != "priority":
			return nil, s.Refuse(model.CodeRefused, model.GuardNotFinal, fmt.Sprintf("it %s, and %s is part of what was reviewed", machine.EndedHow(s.Task), a.Key),
				"labels and priority can still be set")
		}
		if why, hint := set(sp, a); why != "" {
			return nil, s.Refuse(model.CodeInvalid, model.GuardValue, why, hint)
		}
	}
	if r := CheckSpec(s, sp, model.GuardValue); r != nil && CheckSpec(s, s.Task.Spec, model.GuardValue) == nil {
		return nil, r
	}
	return sp, nil
}

// CheckSpec refuses a spec.json that would not be read back as it was written.
func CheckSpec(s *machine.Step, sp *model.Spec, g model.Guard) *model.Refusal {
	if sp == nil {
		return nil
	}
	_, problems := model.DecodeSpec(model.SpecFile, model.EncodeSpec(sp))
	if len(problems) == 0 {
		return nil
	}
	return s.Refuse(model.CodeInvalid, g, model.SpecFile+" would be unreadable: "+problems[0].Reason, problems[0].Hint)
}

// keyHint names a key that was likely meant, or all of them.
func keyHint(key string) string {
	head, _, _ := strings.Cut(key, ".")
	if head == "context" || head == "external" {
		return fmt.Sprintf("write it like %s.NAME=VALUE", head)
	}
	if meant := model.Nearest(strings.ToLower(key), model.SpecKeys()); meant != "" {
		return "did you mean " + meant + "?"
	}
	return "the keys are " + strings.Join(model.SpecKeys(), ", ")
}

// setsKey reports a key that the operation sets.
func setsKey(s *machine.Step, key string) bool {
	return slices.ContainsFunc(model.ArgsOf[model.FieldEdit](&s.Op).Set, func(a model.Assignment) bool { return a.Key == key })
}

// doSet writes spec.json. Other terms than those that the plan was accepted with make the
// task changed.
func doSet(s *machine.Step) *model.Refusal {
	by := model.ArgsOf[model.FieldEdit](&s.Op)
	sp, r := assigned(s)
	if r != nil {
		return r
	}
	progress, far, r := progressed(s)
	if r != nil {
		return r
	}
	was := s.Task.Spec
	if was == nil {
		was = new(model.Spec)
	}
	same := bytes.Equal(model.EncodeSpec(was), model.EncodeSpec(sp))
	lowered := s.Task.Status.Lowered
	if s.Op.Actor.Kind() == model.Human {
		lowered = strictness.SettledLowered(lowered, func(key string) bool { return setsKey(s, key) })
		same = same && len(lowered) == len(s.Task.Status.Lowered)
	}
	if far && same && len(by.Set) == 1 {
		t := s.Note(s.Op.UID)
		t.Status.Progress = progress
		s.Deed.Object = fmt.Sprintf("progress of %s: %s", model.Quoted(t), progress)
		s.Detail(model.TextField(model.ProgressKey, progress))
		return nil
	}
	if same && !far {
		s.Quiet = true
		s.Say(machine.NothingToDo)
		return nil
	}
	t := s.Note(s.Op.UID)
	t.Spec, t.Status.Lowered = sp, lowered
	if far {
		t.Status.Progress = progress
	}
	renamed(s, was, sp)
	s.Touched[t.UID].Files.Spec = true
	keys := make([]string, 0, len(by.Set))
	for _, a := range by.Set {
		if !slices.Contains(keys, a.Key) {
			keys = append(keys, a.Key)
		}
	}
	if by.Spec != nil {
		keys = specfields.DifferentKeys(was, sp)
	}
	s.Deed = setDeed(by.Set, keys, model.Quoted(t))
	s.Detail(model.ListField("keys", keys))
	binding.MarkTerms(s, t, binding.TermsOf(s.Task, ""))
	return nil
}
