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

// decider asks for verdicts and gives them to the store.
type decider struct {
	*core
	comments *commenter
	nav      *navigator
	loader   *loader
	tasks    *taskEditor

	shown map[model.UID]*taskdocs.Docs // whose bytes the last acceptance was made from
}

// proposer makes proposals from what is on the screen now.
func (c *core) proposer() verdict.Proposer {
	d := &c.deps
	return verdict.Proposer{
		Snap: c.snap, Shown: c.docs, Styles: c.st, Keymap: d.Keymap, Drafts: c.typed, Keys: d.Keys, Actor: d.Actor, ReadOnly: d.ReadOnly,
		NewID: d.NewID, Hint: c.keyHint,
	}
}

// allowed says why an operation cannot be done now; nil when it can be.
func (c *core) allowed(op model.Op) error {
	v := c.proposer()
	if err := v.Writable(op); err != nil || c.snap == nil {
		return v.Allowed(op)
	}
	if err := c.ofThisRun(op); err != nil {
		return err
	}
	return v.Allowed(op)
}

// fit are the tasks that an operation can be done to.
func (c *core) fit(op model.Name, targets []model.UID) (uids []model.UID) {
	for _, uid := range targets {
		if c.allowed(model.Op{Name: op, UID: uid, Actor: c.deps.Actor}) == nil {
			uids = append(uids, uid)
		}
	}
	return uids
}

// oneByOne says that nothing of a selection is decided on together.
func (d *decider) oneByOne(risky []string) tea.Cmd {
	return d.fail(view.Notice{
		Text: "Can't decide on these together", Why: "decide on them one by one: " + text.Listed(risky, 5),
		Hint: "clear the selection, and read each",
	})
}

// confirmPlans opens the dialog that accepts plans; was is the one in whose place it comes.
func (d *decider) confirmPlans(in verdict.Plans, was *verdict.Dialog) tea.Cmd {
	if len(in.Texts) == 1 && in.Texts[0].UID == d.nav.followed {
		in.Hidden = append(d.proposer().Changed(in.Texts[0].UID, d.keyHint(keymap.Diff, "shows it"), d.deps.Now()), d.hiddenNotes()...)
		in.Swapped = d.comments.swapped != nil
		in.Differs = d.noDiff() == ""
	}
	if s := in.Texts[0]; len(in.Texts) == 1 && s.Base != nil && s.Plan != nil { // no matter who decided on the earlier one
		for _, change := range d.comments.planOf(s).Changes().List {
			if change.Unasked {
				in.Unasked++
			}
		}
	}
	s, err := d.proposer().AcceptPlans(in, d.chose)
	if err != nil {
		d.shown = verdict.ByTask(in.Texts) // bytes that changed are shown
		return d.onRefused(&job{ops: []model.Op{{Name: model.AcceptPlan}}}, err)
	}
	return d.pushConfirm(s, was)
}

// pushConfirm opens a dialog, in the place of another.
func (d *decider) pushConfirm(s, was *verdict.Dialog) tea.Cmd {
	if was != nil {
		s.Replaces(&was.Question)
	}
	return d.dialogs.Push(s)
}

// reviewWork opens the dialog for accepting finished work: whose, what was reported, what shows that it is right, and
// which files it left.
func (d *decider) reviewWork(targets []model.UID) tea.Cmd {
	uids, risky := d.proposer().Alone(d.fit(model.ReviewAccepted, targets))
	if len(risky) > 0 {
		if len(uids) == 0 {
			return d.oneByOne(risky)
		}
		targets = uids
	}
	return d.withDocs(model.ReviewAccepted.Title(), uids, func(docs []*taskdocs.Docs) tea.Cmd {
		return d.bound(model.ReviewAccepted, docs, func(docs []*taskdocs.Docs) tea.Cmd {
			v := d.proposer()
			p, err := v.Propose(model.Op{Name: model.ReviewAccepted}, targets, verdict.ByTask(docs))
			switch {
			case err != nil:
				return d.fail(v.Refused(model.ReviewAccepted.Title(), err))
			case len(risky) > 0:
				p.Notes = append(p.Notes, verdict.LeftAlone(risky))
			}
			if len(docs) != 1 {
				return d.confirm(p, v.WorkRows(docs))
			}
			return d.pushConfirm(v.AcceptWork(p, docs[0], docs[0].UID == d.nav.followed && d.workShown(), d.chose), nil)
		})
	})
}

// chose does what a person chose in a dialog.
func (d *decider) chose(s *verdict.Dialog, action keymap.Action) tea.Cmd {
	switch action {
	case keymap.ConfirmRead:
		if s.UID == "" {
			return d.readPlans(s.Texts)
		}
		c := s.Texts[0].Objective
		return d.readText("The objective of "+d.name(s.UID)+", "+verdict.ContentLine(c), c.Body)
	case keymap.ConfirmParts:
		return d.chooseParts(s)
	}
	d.shown = verdict.ByTask(s.Texts)
	if action == keymap.ConfirmNotes { // the words that go along; who leaves them is asked again
		row, _ := lifecycle.Lookup(s.Name)
		arg, _ := verdict.Asks(row)
		arg.Required = true
		return d.compose(s.Proposal, arg)
	}
	d.dialogs.Drop(s)
	switch {
	case action == keymap.ConfirmReject:
		spec, _ := d.deps.Keymap.Spec(keymap.Reject)
		return d.beginWith(spec, []model.UID{s.UID})
	case action == keymap.ConfirmDiff && s.Name == model.ReviewAccepted:
		t, ok := d.snap.Task(s.UID)
		if !ok {
			return nil
		}
		run, _ := d.hasWork(t)
		return d.showWork(s.UID, run, func() tea.Cmd { return d.reviewWork([]model.UID{s.UID}) })
	case action == keymap.ConfirmDiff: // a dialog for the bytes of then takes its place when it has been read
		again := func() tea.Cmd {
			if _, ok := d.snap.Task(s.UID); !ok {
				return nil
			}
			return d.review([]model.UID{s.UID})
		}
		if len(d.proposer().Changed(s.UID, "", d.deps.Now())) > 0 {
			return d.comments.showStale(s.UID, again)
		}
		return d.showPlanDiff(s.UID, again)
	}
	return d.fire(job{ops: s.Ops})
}

// chooseParts lists parts of what a dialog accepts, to leave some out. The dialog for the rest takes its place, and accepts the
// bytes of the one that was there.
func (d *decider) chooseParts(s *verdict.Dialog) tea.Cmd {
	title := "Parts of the plan of " + d.name(s.UID) + " to accept"
	return d.chooseFrom(title, &s.Question, s.Parts, s.Excluded, func(out []string) tea.Cmd {
		return d.confirmPlans(verdict.Plans{Texts: s.Texts, Excluded: out}, s)
	})
}

// readPlans lets the person choose one of the plans that a dialog would accept, and shows it: the bytes that were read,
// as they are.
func (d *decider) readPlans(docs []*taskdocs.Docs) tea.Cmd {
	byUID := verdict.ByTask(docs)
	var uids []model.UID
	for _, s := range docs {
		if s.Plan != nil {
			uids = append(uids, s.UID)
		}
	}
	if len(uids) == 0 {
		return nil
	}
	return d.pickTask("Read the plan of"+d.st.Glyph.Ellipsis, uids, func(uid model.UID) tea.Cmd {
		return d.readText(d.name(uid)+", "+verdict.ContentLine(byUID[uid].Plan), byUID[uid].Plan.Body)
	})
}
