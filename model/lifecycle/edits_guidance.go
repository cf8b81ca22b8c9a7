package lifecycle

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
)

// maxGuidance is the most that one of them holds, in bytes.
const maxGuidance = 256 << 10

func guidanceRows() []Transition {
	return []Transition{{
		Name: model.EditGuidance, Takes: model.Guidance{}, Who: WhoHuman,
		checks: []check{needActor, {GuardInfo{model.GuardGuidance, "guidelines and rules that haven't changed since the caller read them"}, checkGuidance}},
		effect: doEditGuidance,
	}}
}

func checkGuidance(s *step) *model.Refusal {
	g := model.ArgsOf[model.Guidance](&s.op)
	switch {
	case s.op.Args == nil && s.trial:
		return nil
	case len(g.Files)+len(g.Decided) == 0:
		return s.refuse(model.CodeUsage, model.GuardGuidance, "nothing was given", "give the proposals to accept or decline")
	}
	for _, p := range g.Decided {
		if p.Key == "" || len(p.Key) > maxNote || !utf8.ValidString(p.Key) {
			return s.refuse(model.CodeInvalid, model.GuardGuidance, "a proposal has no valid key", "propose it again")
		}
	}
	w, known := s.w.(model.Guided)
	for i := range g.Files {
		f := &g.Files[i]
		switch {
		case f.Name != model.GuidelinesFile && f.Name != model.PriorityFile:
			return s.refuse(model.CodeInvalid, model.GuardGuidance, model.Quote(f.Name)+" is not a guidance file", "name "+model.GuidelinesFile+" or "+model.PriorityFile)
		case len(f.Body) > maxGuidance || !utf8.Valid(f.Body):
			return s.refuse(model.CodeInvalid, model.GuardGuidance, f.Name+" would be too large, or not valid UTF-8", "shorten it")
		}
		if !known {
			continue
		}
		now, err := w.GuidanceFile(f.Name)
		if errors.Is(err, model.ErrNoContent) {
			continue // a preview: the store looks again
		}
		if err != nil {
			return unreadableGuidance(s, f.Name, err)
		}
		if hash := hashOrNone(now); hash != f.Was {
			return s.refuse(model.CodeConflict, model.GuardGuidance, f.Name+" has changed since the proposal was made", "look at it again")
		}
	}
	return nil
}

func hashOrNone(b []byte) string {
	if b == nil {
		return ""
	}
	return model.HashBytes(b)
}

func unreadableGuidance(s *step, name string, err error) *model.Refusal {
	return s.refuse(model.CodeRefused, model.GuardGuidance, name+" cannot be read: "+err.Error(), "repair it, or remove it")
}

// doEditGuidance writes the files, and what was decided on.
func doEditGuidance(s *step) *model.Refusal {
	g := model.ArgsOf[model.Guidance](&s.op)
	var changed []string
	for i := range g.Files {
		s.write(g.Files[i].Name, g.Files[i].Body, false)
		changed = append(changed, g.Files[i].Name)
	}
	if len(changed) > 0 {
		s.head = "edit " + strings.Join(changed, " and ")
	} else {
		s.head = fmt.Sprintf("decline %s", model.Plural(len(g.Decided), "proposal", "proposals"))
	}
	if len(g.Decided) == 0 {
		return nil
	}
	var known []model.Proposed
	if w, ok := s.w.(model.Guided); ok {
		b, err := w.GuidanceFile(model.ProposalsFile)
		if err == nil {
			known, err = model.DecodeProposals(b)
		}
		if err != nil && !errors.Is(err, model.ErrNoContent) {
			return unreadableGuidance(s, model.ProposalsFile, err)
		}
	}
	for _, p := range g.Decided {
		p.By, p.At = s.op.Actor, s.op.At
		known = slices.DeleteFunc(known, func(k model.Proposed) bool { return k.Key == p.Key })
		known = append(known, p)
	}
	b, err := model.EncodeProposals(known)
	if err != nil {
		return s.refuse(model.CodeInvalid, model.GuardGuidance, "can't write the decision: "+err.Error(), "propose it again")
	}
	s.write(model.ProposalsFile, append(b, '\n'), false)
	return nil
}
