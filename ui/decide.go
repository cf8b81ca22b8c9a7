package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/taskdocs"
	"vespe/ui/text"
	"vespe/ui/verdict"
	"vespe/ui/view"
)

// proposer makes proposals from what is on the screen now.
func (a *App) proposer() verdict.Proposer {
	d := &a.deps
	return verdict.Proposer{
		Snap: a.snap, Shown: a.sheet, Styles: a.st, Keymap: d.Keymap, Drafts: a.typed, Keys: d.Keys, Actor: d.Actor, ReadOnly: d.ReadOnly,
		NewID: d.NewID, Hint: a.keyHint,
	}
}

// allowed says why an operation cannot be done now; nil when it can be.
func (a *App) allowed(op model.Op) error {
	v := a.proposer()
	if err := v.Writable(op); err != nil || a.snap == nil {
		return v.Allowed(op)
	}
	if err := a.ofThisRun(op); err != nil {
		return err
	}
	return v.Allowed(op)
}

// fit are the tasks that an operation can be done to.
func (a *App) fit(op model.Name, targets []model.UID) (uids []model.UID) {
	for _, uid := range targets {
		if a.allowed(model.Op{Name: op, UID: uid, Actor: a.deps.Actor}) == nil {
			uids = append(uids, uid)
		}
	}
	return uids
}

// oneByOne says that nothing of a selection is decided on together.
func (a *App) oneByOne(risky []string) tea.Cmd {
	return a.fail(view.Notice{
		Text: "Can't decide on these together", Why: "decide on them one by one: " + text.Listed(risky, 5),
		Hint: "clear the selection, and read each",
	})
}

// openPlanSheet opens the sheet that accepts plans; was is the one in whose place it comes.
func (a *App) openPlanSheet(in verdict.Plans, was *verdict.Sheet) tea.Cmd {
	if len(in.Texts) == 1 && in.Texts[0].UID == a.followed {
		in.Hidden, in.Swapped = a.hiddenNotes(), a.swapped != nil
		in.Differs = a.noDiff() == ""
		if c := a.panes.detail.Changes(); c != nil && in.Texts[0].Plan != nil && c.Hash == in.Texts[0].Plan.Hash {
			for _, change := range c.List {
				if change.Unasked {
					in.Unasked++
				}
			}
		}
	}
	s, err := a.proposer().AcceptPlans(in, a.chose)
	if err != nil {
		a.shown = verdict.ByTask(in.Texts) // bytes that changed are shown
		return a.onRefused(&job{ops: []model.Op{{Name: model.AcceptPlan}}}, err)
	}
	return a.pushSheet(s, was)
}

// pushSheet opens a sheet, in the place of another.
func (a *App) pushSheet(s, was *verdict.Sheet) tea.Cmd {
	if was != nil {
		s.Replaces(&was.Question)
	}
	return a.dialogs.Push(s)
}

// reviewWork opens the sheet for accepting finished work: whose, what was reported, what shows that it is right, and
// which files it left.
func (a *App) reviewWork(targets []model.UID) tea.Cmd {
	uids, risky := a.proposer().Alone(a.fit(model.ReviewAccepted, targets))
	if len(risky) > 0 {
		if len(uids) == 0 {
			return a.oneByOne(risky)
		}
		targets = uids
	}
	return a.withSheets(model.ReviewAccepted.Title(), uids, func(sheets []*taskdocs.Docs) tea.Cmd {
		return a.bound(model.ReviewAccepted, sheets, func(sheets []*taskdocs.Docs) tea.Cmd {
			v := a.proposer()
			p, err := v.Propose(model.Op{Name: model.ReviewAccepted}, targets, verdict.ByTask(sheets))
			switch {
			case err != nil:
				return a.fail(v.Refused(model.ReviewAccepted.Title(), err))
			case len(risky) > 0:
				p.Notes = append(p.Notes, verdict.LeftAlone(risky))
			}
			if len(sheets) != 1 {
				return a.confirm(p, v.WorkRows(sheets))
			}
			return a.pushSheet(v.AcceptWork(p, sheets[0], sheets[0].UID == a.followed && a.workShown(), a.chose), nil)
		})
	})
}

// chose does what a person chose in a sheet.
func (a *App) chose(s *verdict.Sheet, action keymap.Action) tea.Cmd {
	switch action {
	case keymap.ConfirmRead:
		if s.UID == "" {
			return a.readPlans(s.Texts)
		}
		c := s.Texts[0].Objective
		return a.readText("The objective of "+a.name(s.UID)+", "+verdict.ContentLine(c), c.Body)
	case keymap.ConfirmParts:
		return a.chooseParts(s)
	}
	a.dialogs.Drop(s)
	switch {
	case action == keymap.ConfirmReject:
		spec, _ := a.deps.Keymap.Spec(keymap.Reject)
		return a.beginWith(spec, []model.UID{s.UID})
	case action == keymap.ConfirmDiff && s.Name == model.ReviewAccepted:
		t, ok := a.snap.Task(s.UID)
		if !ok {
			return nil
		}
		run, _ := a.hasWork(t)
		return a.showWork(s.UID, run, func() tea.Cmd { return a.reviewWork([]model.UID{s.UID}) })
	case action == keymap.ConfirmDiff: // a sheet for the bytes of then takes its place when it has been read
		return a.showPlanDiff(s.UID, func() tea.Cmd {
			if _, ok := a.snap.Task(s.UID); !ok {
				return nil
			}
			return a.review([]model.UID{s.UID})
		})
	}
	a.shown = verdict.ByTask(s.Texts)
	if action == keymap.ConfirmNotes { // the words that go along
		row, _ := lifecycle.Lookup(s.Name)
		arg, _ := verdict.Asks(row)
		arg.Required = true
		return a.compose(s.Proposal, arg)
	}
	return a.fire(job{ops: s.Ops})
}

// chooseParts lists parts of what a sheet accepts, to leave some out. The sheet for the rest takes its place, and accepts the
// bytes of the one that was there.
func (a *App) chooseParts(s *verdict.Sheet) tea.Cmd {
	title := "Parts of the plan of " + a.name(s.UID) + " to accept"
	return a.chooseFrom(title, &s.Question, s.Parts, s.Excluded, func(out []string) tea.Cmd {
		return a.openPlanSheet(verdict.Plans{Texts: s.Texts, Excluded: out}, s)
	})
}

// readPlans lets the person choose one of the plans that a sheet would accept, and shows it: the bytes that the sheet read,
// as they are.
func (a *App) readPlans(sheets []*taskdocs.Docs) tea.Cmd {
	byUID := verdict.ByTask(sheets)
	var uids []model.UID
	for _, s := range sheets {
		if s.Plan != nil {
			uids = append(uids, s.UID)
		}
	}
	if len(uids) == 0 {
		return nil
	}
	return a.pickTask("Read the plan of"+a.st.Glyph.Ellipsis, uids, func(uid model.UID) tea.Cmd {
		return a.readText(a.name(uid)+", "+verdict.ContentLine(byUID[uid].Plan), byUID[uid].Plan.Body)
	})
}
