// Package distill makes proposals of what reviews and runs taught: lines for guidelines.txt and rules for
// rules/priority.yml, by counting. It is pure, and nothing of it holds before a person has accepted it.
//
// # What is counted
//
//	rejections  reasons of rejections and replans of people that have words in common, three or more: a
//	            guideline that quotes one. A verdict that was taken back does not count
//	checks      a command that failed in the verification of three runs or more: a guideline to run it first
//	failures    runs that ended in an error for the same reason, three or more, numbers aside, and that no
//	            check tells of: a guideline
//	escalations tasks of a label, or of a first directory of their files, of which attempts ran out or that were
//	            escalated three times or more: a rule that gives such tasks a high priority
//
// What stands in the files already is not proposed again.
package distill

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vespe/internal/lazyregexp"
	"vespe/model"
	"vespe/model/reflection"
	"vespe/model/visible"
)

// least is how often something has to have happened to be worth a proposal.
const least = 3

// The bounds of what is looked at.
const (
	mostReasons = 2000 // the newest
	mostWords   = 24   // of one reason
	mostTasks   = 4    // that are named
)

// Input is what suggestions are made of.
type Input struct {
	Reflections []reflection.Line
	// Failed are the commands that failed in the verification of a run, by its id.
	Failed map[string][][]string
	// Task is a task as it is now; nil where it is not there any more.
	Task       func(model.UID) *model.Task
	Guidelines []byte
	Rules      []byte
}

// Suggestion is one change that is proposed. It has a guideline or a rule.
type Suggestion struct {
	Title     string // what it says, in one line
	Why       string // what was counted
	Guideline string // a line of guidelines.txt, without its mark
	Rule      *Rule
}

// Rule is one of the rules of rules/priority.yml.
type Rule struct {
	Name     string
	When     string
	Priority model.Priority
}

// Text is what to add to a file below .vespe.
func (s *Suggestion) Text() (file, text string) {
	if s.Rule == nil {
		return model.GuidelinesFile, "- " + s.Guideline
	}
	return model.PriorityFile, fmt.Sprintf("- name: %s\n  when: %s\n  priority: %s", quoted(s.Rule.Name), quoted(s.Rule.When), s.Rule.Priority)
}

// quoted is a text as YAML takes it in any place.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// Suggest counts, and proposes what is not there, the most frequent of each kind first.
func Suggest(in Input) []Suggestion {
	var out []Suggestion
	checks, told := in.checks()
	for _, list := range [][]Suggestion{in.rejections(), checks, in.failures(told), in.escalations()} {
		for _, s := range list {
			if !in.has(&s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// has reports that a suggestion is in the files already.
func (in *Input) has(s *Suggestion) bool {
	return s.Guideline != "" && strings.Contains(string(in.Guidelines), s.Guideline) ||
		s.Rule != nil && (strings.Contains(string(in.Rules), s.Rule.When) || strings.Contains(string(in.Rules), quoted(s.Rule.When)))
}

// reason is one rejection.
type reason struct {
	text  string
	task  string
	words []string
}

// rejections finds reasons that have words in common.
func (in *Input) rejections() []Suggestion {
	all := in.reasons()
	var out []Suggestion
	for {
		words, members := commonest(all)
		if len(members) < least {
			return out
		}
		var of []reason
		var left []reason
		for i, r := range all {
			if slices.Contains(members, i) {
				of = append(of, r)
			} else {
				left = append(left, r)
			}
		}
		all = left
		shortest := slices.MinFunc(of, func(a, b reason) int { return cmp.Compare(len(a.text), len(b.text)) })
		about := spoken(shortest.text, words)
		out = append(out, Suggestion{
			Title: "check: " + about,
			Why:   fmt.Sprintf("%d rejections were about it (%s)", len(of), tasksOf(of)),
			Guideline: fmt.Sprintf("Check %s before you submit work: %d rejections were about it, such as %q (%s).",
				about, len(of), cut(shortest.text, 160), tasksOf(of)),
		})
	}
}

// reasons are those of rejections that stand.
func (in *Input) reasons() []reason {
	var found []reflection.Line
	for _, r := range in.Reflections {
		switch {
		case r.Kind != reflection.OfVerdict:
		case r.Verdict == model.UndoVerdict:
			for i, f := range slices.Backward(found) {
				if f.Task == r.Task && f.Verdict == r.Undone {
					found = slices.Delete(found, i, i+1)
					break
				}
			}
		case (r.Verdict == model.RejectPlan || r.Verdict == model.ReviewRejected || r.Verdict == model.Replan) && r.Actor.Kind() == model.Human:
			found = append(found, r)
		}
	}
	found = found[max(0, len(found)-mostReasons):]
	var out []reason
	for _, r := range found {
		text := visible.Line(strings.Join(strings.Fields(r.Reason), " "))
		if w := wordsOf(text); len(w) > 0 {
			out = append(out, reason{text, in.name(&r), w})
		}
	}
	return out
}

// commonest is the pair of words that most reasons have in common, with the further words that all of those have; or,
// where no pair has enough, one word of short reasons.
func commonest(all []reason) (words []string, members []int) {
	pairs := map[[2]string][]int{}
	single := map[string][]int{}
	for i, r := range all {
		for a, w := range r.words {
			if len(r.words) <= 4 {
				single[w] = append(single[w], i)
			}
			for _, v := range r.words[a+1:] {
				pairs[[2]string{w, v}] = append(pairs[[2]string{w, v}], i)
			}
		}
	}
	best := ""
	for _, p := range slices.SortedFunc(maps.Keys(pairs), func(a, b [2]string) int { return cmp.Compare(a[0]+" "+a[1], b[0]+" "+b[1]) }) {
		if m := pairs[p]; len(m) >= least && len(m) > len(members) {
			members, best = m, p[0]
		}
	}
	if best == "" {
		for _, w := range slices.Sorted(maps.Keys(single)) {
			if m := single[w]; len(m) >= least && len(m) > len(members) {
				members = m
			}
		}
	}
	if len(members) == 0 {
		return nil, nil
	}
	words = slices.Clone(all[members[0]].words)
	for _, i := range members[1:] {
		words = slices.DeleteFunc(words, func(w string) bool { return !slices.Contains(all[i].words, w) })
	}
	return words, members
}

var stop = strings.Fields(`about after again also always been before being below could does done every from have here into just like made make more
	most must need never none only other over please same should some still such than that their them then there these they this those under until very
	want were what when where which while will with without would your plan work task code thing`)

// wordsOf are the words of a reason that say something, without their endings, sorted.
func wordsOf(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		if w = stem(w); utf8.RuneCountInString(w) < 4 || slices.Contains(stop, w) || slices.Contains(out, w) || len(out) == mostWords {
			continue
		}
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

// stem takes the commonest endings off a word.
func stem(w string) string {
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if head, ok := strings.CutSuffix(w, end); ok && len(head) >= 4 && !strings.HasSuffix(head, "s") {
			return head
		}
	}
	return w
}

// spoken are words as a text has them, in its order.
func spoken(text string, words []string) string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		if slices.Contains(words, stem(strings.ToLower(w))) && !slices.Contains(out, strings.ToLower(w)) {
			out = append(out, strings.ToLower(w))
		}
	}
	return `"` + strings.Join(out, ", ") + `"`
}

// checks finds commands that failed again and again; told are the runs that they failed in.
func (in *Input) checks() (out []Suggestion, told map[string]bool) {
	told = map[string]bool{}
	by := map[string][]reason{}
	for _, r := range in.Reflections {
		if r.Kind != reflection.OfRun {
			continue
		}
		var seen []string
		for _, argv := range in.Failed[r.Run] {
			line := visible.Line(strings.Join(argv, " "))
			if line == "" || slices.Contains(seen, line) {
				continue
			}
			seen = append(seen, line)
			by[line] = append(by[line], reason{text: r.Run, task: in.name(&r)})
		}
	}
	for _, line := range most(by) {
		for _, r := range by[line] {
			told[r.text] = true
		}
		out = append(out, Suggestion{
			Title:     "run " + cut(line, 80) + " before you stop",
			Why:       fmt.Sprintf("it failed after %d runs (%s)", len(by[line]), tasksOf(by[line])),
			Guideline: fmt.Sprintf("Run `%s` before you stop: it failed after %d runs (%s).", cut(line, 200), len(by[line]), tasksOf(by[line])),
		})
	}
	return out, told
}

// most are the keys that have enough, the most first.
func most(by map[string][]reason) []string {
	keys := slices.Sorted(maps.Keys(by))
	keys = slices.DeleteFunc(keys, func(k string) bool { return len(by[k]) < least })
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(len(by[b]), len(by[a])) })
	return keys
}

var digitsRe = lazyregexp.New(`[0-9]+`)

// failures finds runs that ended in an error for one reason.
func (in *Input) failures(told map[string]bool) (out []Suggestion) {
	by := map[string][]reason{}
	for _, r := range in.Reflections {
		if r.Kind != reflection.OfRun || r.Outcome != model.RunErrored && r.Outcome != model.RunFailed || told[r.Run] {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimSpace(r.Why), "\n")
		text := visible.Line(strings.Join(strings.Fields(first), " "))
		if text != "" {
			key := digitsRe.Get().ReplaceAllString(strings.ToLower(text), "#")
			by[key] = append(by[key], reason{text: text, task: in.name(&r)})
		}
	}
	for _, key := range most(by) {
		text := cut(by[key][0].text, 160)
		out = append(out, Suggestion{
			Title:     "runs end with: " + cut(text, 80),
			Why:       fmt.Sprintf("%d runs ended like this (%s)", len(by[key]), tasksOf(by[key])),
			Guideline: fmt.Sprintf("Make sure that no run ends with %q again: %d did (%s).", text, len(by[key]), tasksOf(by[key])),
		})
	}
	return out
}

// escalations finds labels and directories whose tasks need a person again and again.
func (in *Input) escalations() (out []Suggestion) {
	labels, dirs := map[string][]reason{}, map[string][]reason{}
	for _, r := range in.Reflections {
		if !escalated(&r) || in.Task == nil {
			continue
		}
		t := in.Task(r.Task)
		if t == nil || t.Spec == nil {
			continue
		}
		one := reason{task: in.name(&r)}
		for _, l := range t.Spec.Labels {
			labels[l] = append(labels[l], one)
		}
		var seen []string
		for _, f := range slices.Concat(t.Spec.FilesToCreate, t.Spec.FilesToModify) {
			if dir, _, ok := strings.Cut(f, "/"); ok && !slices.Contains(seen, dir) {
				seen = append(seen, dir)
				dirs[dir] = append(dirs[dir], one)
			}
		}
	}
	add := func(kind, what, when string, of []reason) {
		tasks := map[string]bool{}
		for _, r := range of {
			tasks[r.task] = true
		}
		if len(tasks) < 2 || visible.Line(what) != what || strings.ContainsAny(what, `"'\`) {
			return
		}
		out = append(out, Suggestion{
			Title: fmt.Sprintf("tasks of %s %s have a high priority", kind, what),
			Why:   fmt.Sprintf("%d times a person was needed (%s)", len(of), tasksOf(of)),
			Rule:  &Rule{Name: "often escalated: " + kind + " " + what, When: when, Priority: model.High},
		})
	}
	for _, l := range most(labels) {
		add("label", l, fmt.Sprintf("%q in labels", l), labels[l])
	}
	for _, d := range most(dirs) {
		add("directory", d, fmt.Sprintf("any(files_to_create, hasPrefix(#, %q)) || any(files_to_modify, hasPrefix(#, %q))", d+"/", d+"/"), dirs[d])
	}
	return out
}

// escalated reports that attempts ran out, or that a person answered what was escalated.
func escalated(r *reflection.Line) bool {
	if r.Kind == reflection.OfRun {
		return r.Outcome == model.RunFailed || r.Outcome == model.RunErrored && r.Attempt >= model.DefaultPolicy().MaxAttempts
	}
	return r.Verdict == model.AnswerRequest && model.IsEscalation(r.Request)
}

func (in *Input) name(r *reflection.Line) string {
	if r.Name != "" {
		return cut(visible.Line(r.Name), 60)
	}
	if in.Task != nil {
		if t := in.Task(r.Task); t != nil {
			return cut(visible.Line(t.Config.Name), 60)
		}
	}
	return r.Task.Short()
}

// tasksOf names the tasks, each once.
func tasksOf(all []reason) string {
	var out []string
	for _, r := range all {
		if !slices.Contains(out, r.task) {
			out = append(out, r.task)
		}
	}
	if n := len(out) - mostTasks; n > 0 {
		out = append(out[:mostTasks:mostTasks], fmt.Sprintf("%d more", n))
	}
	return strings.Join(out, ", ")
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return s
}
