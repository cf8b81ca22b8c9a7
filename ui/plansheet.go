package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
)

// verdictSheet asks whether the plan of a task, or the work on it, is accepted.
type verdictSheet struct {
	dialog.Question
	a   *App
	uid model.UID // "" for several plans
	p   proposal
}

// planSheet asks whether plans are accepted: whose, which bytes, and what will happen.
type planSheet struct {
	verdictSheet
	sheets   []*sheet
	excluded []string        // of one plan: what its acceptance leaves out
	parts    []overlay.Check // and what it may leave out
}

// openPlanSheet opens the sheet. excluded is what the acceptance of one plan leaves out; was is the sheet in whose place it
// comes.
func (a *App) openPlanSheet(sheets []*sheet, left int, risky, excluded []string, was *planSheet) tea.Cmd {
	byUID := byTask(sheets)
	var uids []model.UID
	for _, s := range sheets {
		uids = append(uids, s.uid)
	}
	p, err := a.propose(model.Op{Name: model.AcceptPlan, Args: model.Acceptance{Excluded: excluded}}, uids, byUID)
	if err != nil {
		return a.refusedPreview(model.AcceptPlan, err, byUID)
	}
	notes := p.notes
	if left > 0 {
		notes = append(notes, fmt.Sprintf("left out: %s without a plan to decide on", plural(left, "task")))
	}
	if len(risky) > 0 {
		notes = append(notes, leftAlone(risky))
	}
	s := &planSheet{sheets: sheets, excluded: excluded}
	s.a = a
	s.p = p
	in := dialog.Ask{Yes: "Accept", Bottom: true, Accepts: true}
	if len(sheets) == 1 {
		uid := uids[0]
		s.uid = uid
		if a.swapped != nil && a.followed == uid {
			notes = append(notes, "the plan changed while it was on screen: "+a.keyHint(keymap.ConfirmDiff, "shows how"))
		}
		notes = a.planDoubts(sheets[0], notes)
		in.Title = fmt.Sprintf("Accept the plan of %q?", a.name(uid))
		in.Notes, in.Details = shorten(a, notes)
		in.Affected = append(a.leftOutRows(sheets[0], excluded), a.effectRow(&p, uid))
		in.Details = slices.Concat(in.Details, []overlay.Affected{a.factRow("effect", p.summary)}, a.commentRows(sheets[0]), a.specRows(uid), a.sizeRows(uid), a.reviewRows(sheets), a.blastRows(&p, sheets[0]))
		s.parts = a.partsOf(sheets[0])
	} else {
		in.Title, in.Summary = model.AcceptPlan.Title(), p.summary
		in.Notes = append([]string{"These plans are off screen: " + a.keyHint(keymap.ConfirmRead, "opens one of them")}, append(notes, a.sizeNotes(uids)...)...)
		in.Affected = append(a.reviewRows(sheets), p.affected...)
	}
	in.Done = func() tea.Cmd {
		a.shown = byUID
		return a.fire(job{ops: p.ops})
	}
	s.Question = a.question(in)
	if was != nil {
		s.Replaces(&was.Question)
	}
	return a.dialogs.Push(s)
}

// Can leaves out what there is no other verdict for.
func (s *verdictSheet) Can(action keymap.Action) dialog.Can {
	c := s.Question.Can(action)
	if action == keymap.ConfirmNotes || action == keymap.ConfirmReject {
		c.No = s.uid == ""
	}
	return c
}

func (s *verdictSheet) Do(action keymap.Action) (tea.Cmd, bool) {
	a := s.a
	switch {
	case s.Can(action).No:
		return nil, true
	case action == keymap.ConfirmNotes:
		a.dialogs.Drop(s)
		a.shown = s.p.sheets
		return a.composeNotes(s.p), true
	case action == keymap.ConfirmReject:
		a.dialogs.Drop(s)
		spec, _ := a.deps.Keymap.Spec(keymap.Reject)
		return a.beginWith(spec, []model.UID{s.uid}), true
	}
	return nil, false
}

func (s *verdictSheet) Heard(news any) tea.Cmd {
	if n, ok := news.(planNews); ok && n.uid == s.uid {
		s.Outdated("the plan changed while this was open, and what stands here cannot be accepted any more: " +
			s.a.keyHint(keymap.ConfirmDiff, "shows how"))
	}
	return nil
}

func (s *planSheet) Can(action keymap.Action) dialog.Can {
	c := s.verdictSheet.Can(action)
	switch action {
	case keymap.ConfirmDiff:
		c.No = s.uid == "" || s.uid != s.a.followed || s.a.noDiff() != ""
	case keymap.ConfirmRead:
		if c.No = s.uid != "" && s.sheets[0].objective == nil; s.uid != "" {
			c.Title = "objective"
		}
	case keymap.ConfirmParts:
		c.No = len(s.parts) < 2 // all of it cannot be left out
	}
	return c
}

func (s *planSheet) Do(action keymap.Action) (tea.Cmd, bool) {
	a := s.a
	switch {
	case s.Can(action).No:
		return nil, true
	case action == keymap.ConfirmDiff:
		return s.showDiff(), true
	case action == keymap.ConfirmRead && s.uid == "":
		return a.readPlans(s.sheets), true
	case action == keymap.ConfirmRead:
		c := s.sheets[0].objective
		return a.readText("The objective of "+a.name(s.uid)+", "+contentLine(c), c.Body), true
	case action == keymap.ConfirmParts:
		return a.chooseFrom("Parts of the plan of "+a.name(s.uid)+" to accept", &s.Question, s.parts, s.excluded, func(out []string) tea.Cmd {
			return a.openPlanSheet(s.sheets, 0, nil, out, s)
		}), true
	}
	return s.verdictSheet.Do(action)
}

// showDiff shows what changed before a plan is accepted, in the place of the sheet. When
// that has been read, a sheet for the bytes of then takes its place: the one that was
// there can no longer accept anything.
func (s *planSheet) showDiff() tea.Cmd {
	s.a.dialogs.Drop(s)
	return s.a.showDiffThen(func() tea.Cmd {
		if _, ok := s.a.snap.Task(s.uid); !ok {
			return nil
		}
		return s.a.review([]model.UID{s.uid})
	})
}

// composeNotes asks for the words that go along with an acceptance.
func (a *App) composeNotes(p proposal) tea.Cmd {
	row, _ := lifecycle.Lookup(p.name)
	arg, _ := asks(row)
	arg.Required = true
	return a.compose(p, arg)
}

// readPlans lets the person choose one of the plans that a sheet would accept, and shows it: the bytes that the sheet read,
// as they are.
func (a *App) readPlans(sheets []*sheet) tea.Cmd {
	byUID := byTask(sheets)
	var uids []model.UID
	for _, s := range sheets {
		if s.plan != nil {
			uids = append(uids, s.uid)
		}
	}
	if len(uids) == 0 {
		return nil
	}
	return a.pickTask("Read the plan of"+a.st.Glyph.Ellipsis, uids, func(uid model.UID) tea.Cmd {
		return a.readText(a.name(uid)+", "+contentLine(byUID[uid].plan), byUID[uid].plan.Body)
	})
}
