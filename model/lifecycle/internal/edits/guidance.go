package edits

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

// maxGuidance is the most that one of them holds, in bytes.
const maxGuidance = 256 << 10

func guidanceRows() []machine.Row {
	return []machine.Row{{Transition: model.Transition{
		Name: model.EditGuidance, Takes: model.Guidance{}, Who: model.WhoHuman,
	}, Checks: []machine.Guard{machine.NeedActor, machine.Need(model.GuardGuidance, "guidelines and rules that haven't changed since the caller read them", checkGuidance)}, Do: doEditGuidance}}
}

func checkGuidance(s *machine.Step) *model.Refusal {
	g := model.ArgsOf[model.Guidance](&s.Op)
	switch {
	case s.Op.Args == nil && s.Trial:
		return nil
	case len(g.Files)+len(g.Decided) == 0:
		return s.Refuse(model.CodeUsage, model.GuardGuidance, "nothing was given", "give the proposals to accept or decline")
	}
	for _, p := range g.Decided {
		if p.Key == "" || len(p.Key) > machine.MaxNote || !utf8.ValidString(p.Key) {
			return s.Refuse(model.CodeInvalid, model.GuardGuidance, "a proposal has no valid key", "propose it again")
		}
	}
	w, known := s.World.(model.Guided)
	for i := range g.Files {
		f := &g.Files[i]
		switch {
		case f.Name != model.GuidelinesFile && f.Name != model.PriorityFile:
			return s.Refuse(model.CodeInvalid, model.GuardGuidance, model.Quote(f.Name)+" is not a guidance file", "name "+model.GuidelinesFile+" or "+model.PriorityFile)
		case len(f.Body) > maxGuidance || !utf8.Valid(f.Body):
			return s.Refuse(model.CodeInvalid, model.GuardGuidance, f.Name+" would be too large, or not valid UTF-8", "shorten it")
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
			return s.Refuse(model.CodeConflict, model.GuardGuidance, f.Name+" has changed since the proposal was made", "look at it again")
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

func unreadableGuidance(s *machine.Step, name string, err error) *model.Refusal {
	return s.Refuse(model.CodeRefused, model.GuardGuidance, name+" cannot be read: "+err.Error(), "repair it, or remove it")
}

// doEditGuidance writes the files, and what was decided on.
func doEditGuidance(s *machine.Step) *model.Refusal {
	g := model.ArgsOf[model.Guidance](&s.Op)
	var changed []string
	for i := range g.Files {
		s.Write(g.Files[i].Name, g.Files[i].Body, false)
		changed = append(changed, g.Files[i].Name)
	}
	if len(changed) > 0 {
		s.Head = "edit " + strings.Join(changed, " and ")
	} else {
		s.Head = fmt.Sprintf("decline %s", model.Plural(len(g.Decided), "proposal", "proposals"))
	}
	if len(g.Decided) == 0 {
		return nil
	}
	var known []model.Proposed
	if w, ok := s.World.(model.Guided); ok {
		b, err := w.GuidanceFile(model.ProposalsFile)
		if err == nil {
			known, err = model.DecodeProposals(b)
		}
		if err != nil && !errors.Is(err, model.ErrNoContent) {
			return unreadableGuidance(s, model.ProposalsFile, err)
		}
	}
	for _, p := range g.Decided {
		p.By, p.At = s.Op.Actor, s.Op.At
		known = slices.DeleteFunc(known, func(k model.Proposed) bool { return k.Key == p.Key })
		known = append(known, p)
	}
	b, err := model.EncodeProposals(known)
	if err != nil {
		return s.Refuse(model.CodeInvalid, model.GuardGuidance, "can't write the decision: "+err.Error(), "propose it again")
	}
	s.Write(model.ProposalsFile, append(b, '\n'), false)
	return nil
}
