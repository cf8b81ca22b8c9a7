package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxGuidance is the most that one of them holds, in bytes.
const maxGuidance = 256 << 10

func guidanceRows() []Transition {
	return []Transition{{
		Name: EditGuidance, Takes: Guidance{}, Who: WhoHuman,
		checks: []check{needActor, {GuardInfo{GuardGuidance, "guidelines and rules that haven't changed since the caller read them"}, (*step).checkGuidance}},
		effect: doEditGuidance,
	}}
}

func (s *step) checkGuidance() *Refusal {
	g := ArgsOf[Guidance](&s.op)
	switch {
	case s.op.Args == nil && s.trial:
		return nil
	case len(g.Files)+len(g.Decided) == 0:
		return s.refuse(CodeUsage, GuardGuidance, "nothing was given", "give the proposals to accept or decline")
	}
	for _, p := range g.Decided {
		if p.Key == "" || len(p.Key) > maxNote || !utf8.ValidString(p.Key) {
			return s.refuse(CodeInvalid, GuardGuidance, "a proposal has no valid key", "propose it again")
		}
	}
	w, known := s.w.(Guided)
	for i := range g.Files {
		f := &g.Files[i]
		switch {
		case f.Name != GuidelinesFile && f.Name != PriorityFile:
			return s.refuse(CodeInvalid, GuardGuidance, Quote(f.Name)+" is not a guidance file", "name "+GuidelinesFile+" or "+PriorityFile)
		case len(f.Body) > maxGuidance || !utf8.Valid(f.Body):
			return s.refuse(CodeInvalid, GuardGuidance, f.Name+" would be too large, or not valid UTF-8", "shorten it")
		}
		if !known {
			continue
		}
		now, err := w.GuidanceFile(f.Name)
		if errors.Is(err, ErrNoContent) {
			continue // a preview: the store looks again
		}
		if err != nil {
			return s.unreadableGuidance(f.Name, err)
		}
		if hash := hashOrNone(now); hash != f.Was {
			return s.refuse(CodeConflict, GuardGuidance, f.Name+" has changed since the proposal was made", "look at it again")
		}
	}
	return nil
}

func hashOrNone(b []byte) string {
	if b == nil {
		return ""
	}
	return HashBytes(b)
}

func (s *step) unreadableGuidance(name string, err error) *Refusal {
	return s.refuse(CodeRefused, GuardGuidance, name+" cannot be read: "+err.Error(), "repair it, or remove it")
}

// doEditGuidance writes the files, and what was decided on.
func doEditGuidance(s *step) *Refusal {
	g := ArgsOf[Guidance](&s.op)
	var changed []string
	for i := range g.Files {
		s.write(g.Files[i].Name, g.Files[i].Body, false)
		changed = append(changed, g.Files[i].Name)
	}
	if len(changed) > 0 {
		s.head = "edit " + strings.Join(changed, " and ")
	} else {
		s.head = fmt.Sprintf("decline %s", Plural(len(g.Decided), "proposal", "proposals"))
	}
	if len(g.Decided) == 0 {
		return nil
	}
	var known []Proposed
	if w, ok := s.w.(Guided); ok {
		b, err := w.GuidanceFile(ProposalsFile)
		if err == nil {
			known, err = DecodeProposals(b)
		}
		if err != nil && !errors.Is(err, ErrNoContent) {
			return s.unreadableGuidance(ProposalsFile, err)
		}
	}
	for _, p := range g.Decided {
		p.By, p.At = s.op.Actor, s.op.At
		known = slices.DeleteFunc(known, func(k Proposed) bool { return k.Key == p.Key })
		known = append(known, p)
	}
	b, err := EncodeProposals(known)
	if err != nil {
		return s.refuse(CodeInvalid, GuardGuidance, "can't write the decision: "+err.Error(), "propose it again")
	}
	s.write(ProposalsFile, append(b, '\n'), false)
	return nil
}
