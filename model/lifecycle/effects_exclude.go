package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/plantext"
	"vespe/model/review"
)

// needExcludable refuses to leave out what is not there.
var needExcludable = machine.Need(model.GuardExcluded, "for exclusions: a section of the plan", func(s *machine.Step) *model.Refusal {
	out := model.ArgsOf[model.Acceptance](&s.Op).Excluded
	if len(out) == 0 {
		return nil
	}
	plan, known, r := s.Doc(s.Task, model.Plan)
	if r != nil {
		return r
	}
	sections := plantext.Sections(string(plan.Body))
	known = known && plan.Hash != ""
	for i, what := range out {
		switch {
		case slices.Contains(out[:i], what):
			return s.Refuse(model.CodeInvalid, model.GuardExcluded, model.Quote(what)+" is left out twice", "name it once")
		case known && !slices.ContainsFunc(sections, func(o plantext.Section) bool { return o.Title == what }):
			return s.Refuse(model.CodeInvalid, model.GuardExcluded, "its plan has no section "+model.Quote(what), "give the exact text of a heading")
		}
	}
	if known && allLeftOut(string(plan.Body), sections, out) {
		return s.Refuse(model.CodeRefused, model.GuardExcluded, "this leaves out the whole plan", "accept a part of it, or reject it")
	}
	return nil
})

// allLeftOut reports whether nothing is left of a text but blank lines.
func allLeftOut(text string, sections []plantext.Section, titles []string) bool {
	out := plantext.LeftOut(sections, titles)
	n, some := 0, false
	for line := range strings.Lines(text) {
		if n++; strings.TrimSpace(line) == "" {
			continue
		}
		some = true
		covered := false
		for i, s := range sections {
			covered = covered || out[i] && s.From <= n && n <= s.To
		}
		if !covered {
			return false
		}
	}
	return some
}

// needSoundAbove refuses to start a task below one that failed: its work could not be used.
var needSoundAbove = machine.Need(model.GuardParent, "no failed task above it", func(s *machine.Step) *model.Refusal {
	for t, seen := s.Task, map[model.UID]bool{}; !seen[t.UID]; {
		seen[t.UID] = true
		above, ok := s.World.Task(t.Config.ParentUID)
		if !ok {
			return nil
		}
		if above.Status.CurrentState == model.Failed {
			return s.Refuse(model.CodeRefused, model.GuardParent, fmt.Sprintf("it is part of %s, which failed", model.Quoted(above)), "reopen "+model.Quoted(above)+" first")
		}
		t = above
	}
	return nil
})

// sayLeftOut names what of a plan is not accepted, and warns of sections that a text has no more; the
// text may be "" where that is known.
func sayLeftOut(s *machine.Step, how, text string, parts []string) {
	if len(parts) == 0 {
		return
	}
	s.Say(machine.LeavesOut, model.Plural(len(parts), "part of it is "+how, "parts of it are "+how), partNames(parts))
	s.Detail(model.ListField("excluded", parts))
	if text == "" {
		return
	}
	sections := plantext.Sections(text)
	for _, what := range parts {
		if !slices.ContainsFunc(sections, func(o plantext.Section) bool { return o.Title == what }) {
			s.Warnings = append(s.Warnings, fmt.Sprintf("the acceptance leaves out %s, which its plan no longer has", model.Quote(what)))
		}
	}
}

// sayTakenIn warns of what the acceptance that stood left out and this one does not.
func sayTakenIn(s *machine.Step, t *model.Task) {
	a := t.Status.AcceptedPlan
	if a == nil {
		return
	}
	out := model.ArgsOf[model.Acceptance](&s.Op).Excluded
	in := slices.DeleteFunc(slices.Clone(a.Excluded), func(what string) bool { return slices.Contains(out, what) })
	if len(in) > 0 {
		s.Warnings = append(s.Warnings, "this acceptance includes what the previous one left out: "+partNames(in))
	}
}

// sameParts refuses to make an acceptance hold again that leaves out other parts than its approval does,
// and warns where that is not there to be asked.
func sameParts(s *machine.Step, t *model.Task) *model.Refusal {
	p := t.Status.AcceptedPlan
	body, known, r := binding.ApprovalOf(s.Tx, t)
	if r != nil || !known || p.Approval == "" {
		return r
	}
	a, err := review.DecodeApproval(body)
	switch {
	case body == nil, err != nil, p.ApprovalHash != "" && p.ApprovalHash != model.HashBytes(body):
		s.Warnings = append(s.Warnings, "the approval is missing; by status.json it left out "+
			cmp.Or(partNames(p.Excluded), "nothing"))
	case !slices.Equal(a.Excluded, p.Excluded):
		return s.Refuse(model.CodeConflict, model.GuardApproval, model.ApprovalsDir+p.Approval+" leaves out different parts than status.json",
			"restore status.json from git, or replan it")
	}
	return nil
}

// partNames are sections as the object of a sentence.
func partNames(parts []string) string {
	const most = 5
	var words []string
	for i, what := range parts {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(parts)-i))
			break
		}
		words = append(words, "the section "+model.Quote(what))
	}
	return machine.Listing(words)
}
