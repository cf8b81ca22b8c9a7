package verdict

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/taskdocs"
	"vespe/ui/text"
)

// Dialog asks whether what a proposal is about is accepted.
type Dialog struct {
	dialog.Question
	Proposal
	UID      model.UID        // the task that it is about; "" for several
	Texts    []*taskdocs.Docs // the bytes that it accepts
	Excluded []string         // what the acceptance leaves out
	Parts    []overlay.Check  // and what it may leave out
	offers   map[keymap.Action]string
	chose    Choose
	differs  string // how a change of its plan is shown
}

// Choose does what a person chooses in a dialog: an action of keymap.Confirm. ConfirmYes is their yes.
type Choose func(s *Dialog, action keymap.Action) tea.Cmd

// Changed tells dialogs that the texts of a task changed.
type Changed struct {
	UID  model.UID
	Name string
}

// ask makes its question.
func (s *Dialog) ask(v Proposer, chose Choose, in dialog.Ask) {
	in.Bottom, in.Accepts = true, true
	in.Done = func() tea.Cmd { return s.chose(s, keymap.ConfirmYes) }
	s.chose, s.Question = chose, v.Question(in)
	s.differs = v.Hint(keymap.ConfirmDiff, "shows how")
}

// Can is what it offers beside a yes and a no.
func (s *Dialog) Can(action keymap.Action) dialog.Can {
	c := s.Question.Can(action)
	if title, ok := s.offers[action]; ok {
		c.No, c.Title = false, title
	}
	return c
}

func (s *Dialog) Do(action keymap.Action) (tea.Cmd, bool) {
	if s.Can(action).No {
		return nil, true
	}
	if _, ok := s.offers[action]; ok {
		return s.chose(s, action), true
	}
	return nil, false
}

func (s *Dialog) Heard(news any) tea.Cmd {
	n, ok := news.(Changed)
	switch {
	case !ok || !slices.ContainsFunc(s.Texts, func(d *taskdocs.Docs) bool { return d.UID == n.UID }):
	case s.Name != model.AcceptPlan || s.UID == "":
		s.Outdated(n.Name + " changed while this was open, so it can't be accepted from here")
	default:
		s.Outdated("the plan changed while this was open, so it can't be accepted from here: " + s.differs)
		s.offers[keymap.ConfirmDiff] = ""
	}
	return nil
}

// Plans is what an acceptance of plans is asked about.
type Plans struct {
	Texts    []*taskdocs.Docs
	Left     int      // tasks without a plan to decide on
	Risky    []string // those to be decided one by one
	Excluded []string // what the acceptance of one plan leaves out
	Hidden   []string // what rendering hides of its texts
	Unasked  int      // changes in it that no comment asked for
	Swapped  bool     // it took the place of another while it was on screen
	Differs  bool     // there is a difference to show
}

// AcceptPlans is the dialog that accepts plans: whose, which bytes, and what will happen.
func (v Proposer) AcceptPlans(in Plans, chose Choose) (*Dialog, error) {
	uids, texts := make([]model.UID, len(in.Texts)), ByTask(in.Texts)
	for i, d := range in.Texts {
		uids[i] = d.UID
	}
	p, err := v.Propose(model.Op{Name: model.AcceptPlan, Args: model.Acceptance{Excluded: in.Excluded}}, uids, texts)
	if err != nil {
		return nil, err
	}
	notes := p.Notes
	if in.Left > 0 {
		notes = append(notes, fmt.Sprintf("left out: %s without a plan to decide on", text.Plural(in.Left, "task")))
	}
	if len(in.Risky) > 0 {
		notes = append(notes, LeftAlone(in.Risky))
	}
	s := &Dialog{Proposal: p, Texts: in.Texts, Excluded: in.Excluded, offers: map[keymap.Action]string{}}
	if len(in.Texts) > 1 {
		s.offers[keymap.ConfirmRead] = ""
		s.ask(v, chose, dialog.Ask{
			Title: model.AcceptPlan.Title(), Summary: p.Summary, Yes: "Accept",
			Notes:    slices.Concat([]string{"These plans are off screen: " + v.Hint(keymap.ConfirmRead, "opens one of them")}, notes, v.sizeNotes(uids)),
			Affected: append(v.ReviewRows(in.Texts), p.Affected...),
		})
		return s, nil
	}
	d := in.Texts[0]
	s.UID, s.Parts = d.UID, sectionParts(d)
	s.offers[keymap.ConfirmNotes], s.offers[keymap.ConfirmReject] = "", ""
	if in.Differs {
		s.offers[keymap.ConfirmDiff] = ""
	}
	if d.Objective != nil {
		s.offers[keymap.ConfirmRead] = "objective"
	}
	if len(s.Parts) > 1 { // all of it cannot be left out
		s.offers[keymap.ConfirmParts] = ""
	}
	if in.Swapped {
		notes = append(notes, "the plan changed while it was on screen: "+v.Hint(keymap.ConfirmDiff, "shows how"))
	}
	s.ask(v, chose, dialog.Ask{
		Title: fmt.Sprintf("Accept the plan of %q?", v.name(d.UID)), Yes: "Accept",
		Notes: v.planDoubts(&in, notes), Brief: mostDoubts, More: v.orHint(keymap.ConfirmDetails, "shows all"),
		Affected: append(v.leftOutRows(d, in.Excluded), v.effectRow(&p, d.UID)),
		Details:  slices.Concat(v.commentRows(d), v.SpecRows(d.UID), v.sizeRows(d.UID), v.ReviewRows(in.Texts), v.blastRows(&p, d)),
	})
	return s, nil
}

// AcceptWork is the dialog that accepts the finished work of one task. patch says that there is one to show.
func (v Proposer) AcceptWork(p Proposal, d *taskdocs.Docs, patch bool, chose Choose) *Dialog {
	rows := []overlay.Affected{v.effectRow(&p, d.UID)}
	notes := p.Notes
	if w := d.Work(); w.Sound() {
		rows = append([]overlay.Affected{{Glyph: v.Styles.Glyph.Dot, Ink: v.Styles.Good, Title: w.Verified()}}, rows...)
	} else {
		notes = append([]string{w.Verified()}, notes...)
	}
	texts := []*taskdocs.Docs{d}
	s := &Dialog{Proposal: p, UID: d.UID, Texts: texts, offers: map[keymap.Action]string{keymap.ConfirmNotes: "", keymap.ConfirmReject: ""}}
	if patch {
		s.offers[keymap.ConfirmDiff] = ""
	}
	s.ask(v, chose, dialog.Ask{
		Title: fmt.Sprintf("Accept the work on %q?", v.name(d.UID)), Yes: "Accept",
		Notes: notes, Brief: mostDoubts, More: v.orHint(keymap.ConfirmDetails, "shows all"),
		Affected: rows,
		Details:  slices.Concat(v.reportRows(d), v.evidenceRows(d), v.WorkRows(texts), p.Affected, v.Later(&p)),
	})
	return s
}

// Question asks for a yes. While nobody knows which approvals are valid, none can be given.
func (v Proposer) Question(in dialog.Ask) dialog.Question {
	unruled := v.Unruled()
	if in.Accepts && unruled != nil {
		in.Notes = append([]string{"You can't accept anything, because vespe can't tell which approvals are valid: " + unruled.Error()}, in.Notes...)
	}
	q := dialog.NewQuestion(v.Styles, v.Keymap, in)
	if in.Accepts && unruled != nil {
		q.Confirm.Void()
	}
	return q
}

// Unruled is why nobody knows what an approval needs, so that nothing can be accepted; nil where that is known.
func (v Proposer) Unruled() error {
	if v.Keys == nil {
		return nil
	}
	_, err := v.Keys.Required("")
	return err
}

// ByTask are documents by their task.
func ByTask(list []*taskdocs.Docs) map[model.UID]*taskdocs.Docs {
	out := map[model.UID]*taskdocs.Docs{}
	for _, d := range list {
		out[d.UID] = d
	}
	return out
}
