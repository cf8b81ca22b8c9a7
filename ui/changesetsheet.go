package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/view"
)

// partOf is the name of a section of a task's plan among the parts of a changeset.
func partOf(uid model.UID, section string) string { return string(uid) + " " + section }

// excludedFrom is what the acceptance of a task's plan leaves out, of all that is left out of a
// changeset: its sections, and its own subtasks that can be left out.
func (a *App) excludedFrom(uid model.UID, left []string) []string {
	var out []string
	for _, what := range left {
		owner, section, isSection := strings.Cut(what, " ")
		if isSection && owner == string(uid) {
			out = append(out, section)
		}
		if t, ok := a.snap.Task(model.UID(owner)); ok && !isSection && t.Config.ParentUID == uid {
			out = append(out, owner)
		}
	}
	return out
}

// sheetsOf are the sheets of tasks; false when one has not been read.
func sheetsOf(from map[model.UID]*sheet, uids []model.UID) ([]*sheet, bool) {
	var out []*sheet
	for _, uid := range uids {
		s := from[uid]
		if s == nil || s.err != nil {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

// accept opens the sheet that accepts the plans.
func (c *changeset) accept() tea.Cmd {
	sheets, ok := sheetsOf(c.sheets, c.included(nil))
	if !ok {
		return c.a.remark("the plans are still loading")
	}
	return c.a.bound(model.AcceptPlan, sheets, func(sheets []*sheet) tea.Cmd { return c.openSheet(byTask(sheets), nil, nil) })
}

// changesetSheet asks whether plans of a changeset are accepted in one transaction.
type changesetSheet struct {
	dialog.Question
	a       *App
	c       *changeset
	byUID   map[model.UID]*sheet // the bytes that it accepts
	uids    []model.UID
	left    []string // the parts that are left out
	p       proposal
	blocked []string // why nothing can be accepted
}

// mostBlocked is how many plans a sheet names that cannot be accepted.
const mostBlocked = 4

// openSheet opens the sheet. byUID are the bytes that it accepts, without those parts that are left out; was is the sheet in
// whose place it comes.
func (c *changeset) openSheet(byUID map[model.UID]*sheet, left []string, was *changesetSheet) tea.Cmd {
	a := c.a
	s := &changesetSheet{a: a, c: c, byUID: byUID, left: left}
	s.uids = slices.DeleteFunc(c.included(left), func(uid model.UID) bool { return byUID[uid] == nil })
	sheets, _ := sheetsOf(byUID, s.uids)
	if len(sheets) == 0 {
		return a.fail(view.Notice{Text: model.AcceptPlan.Title() + " refused", Why: "no plan of the changeset is left to accept", Hint: "take one back in, or reject them"})
	}
	var err error
	s.p, err = a.proposeEach(model.Op{Name: model.AcceptPlan}, s.uids, byUID, func(op *model.Op) { op.Args = model.Acceptance{Excluded: a.excludedFrom(op.UID, left)} })
	if err != nil && len(s.p.left) == 0 {
		return a.refusedPreview(model.AcceptPlan, err, byUID)
	}
	blocked, notes := c.unread(s.uids)
	for _, err := range s.p.left {
		blocked = append(blocked, a.refused(model.AcceptPlan.Title(), err).Line())
	}
	if over := len(blocked) - mostBlocked; over > 0 {
		blocked = append(blocked[:mostBlocked:mostBlocked], fmt.Sprintf("and %s more that can't be accepted like this", plural(over, "plan")))
	}
	if len(blocked) > 0 {
		notes = append(blocked, notes...)
		leave := a.keyHint(keymap.ConfirmParts, "leaves parts out")
		notes = append(notes, strings.TrimSuffix("so nothing of it can be accepted: fix that, or "+leave, ", or "))
	}
	s.blocked = blocked
	s.Question = a.question(dialog.Ask{
		Title: fmt.Sprintf("Accept %s of a changeset", plural(len(s.uids), "plan")),
		Summary: fmt.Sprintf("Accept %s of %q in one transaction: all of them, or none if a byte of one has changed.",
			plural(len(s.uids), "plan"), a.name(c.page.Root())),
		Notes: append(notes, a.sizeNotes(s.uids)...), Yes: "Accept all", Bottom: true, Accepts: true,
		Affected: slices.Concat(c.leftRows(left), c.planRows(sheets), a.blastTogether(&s.p, sheets)),
		Done: func() tea.Cmd {
			return s.unlessBlocked(func() tea.Cmd { return a.fire(job{ops: s.p.ops}) })
		},
	})
	if was != nil {
		s.Replaces(&was.Question)
	}
	if len(blocked) > 0 {
		s.Confirm.Void()
	}
	return a.dialogs.Push(s)
}

// unlessBlocked does what accepts the plans, or says why they cannot be.
func (s *changesetSheet) unlessBlocked(accept func() tea.Cmd) tea.Cmd {
	if len(s.blocked) > 0 {
		return s.a.fail(view.Notice{Text: model.AcceptPlan.Title() + " refused", Why: strings.Join(s.blocked, "; "), Hint: "nothing was accepted"})
	}
	s.a.shown = s.byUID
	return accept()
}

func (s *changesetSheet) Can(action keymap.Action) dialog.Can {
	c := s.Question.Can(action)
	switch action {
	case keymap.ConfirmRead, keymap.ConfirmNotes, keymap.ConfirmReject, keymap.ConfirmParts:
		c.No = false
	}
	return c
}

func (s *changesetSheet) Do(action keymap.Action) (tea.Cmd, bool) {
	if s.Can(action).No {
		return nil, true
	}
	a := s.a
	switch action {
	case keymap.ConfirmRead:
		sheets, _ := sheetsOf(s.byUID, s.uids)
		return a.readPlans(sheets), true
	case keymap.ConfirmNotes:
		a.dialogs.Drop(s)
		return s.unlessBlocked(func() tea.Cmd { return a.composeNotes(s.p) }), true
	case keymap.ConfirmReject:
		a.dialogs.Drop(s)
		return a.verdictTogether(keymap.Reject, s.uids, s.byUID), true
	case keymap.ConfirmParts:
		return a.chooseFrom("Parts of the changeset to accept", &s.Question, s.c.parts(s.byUID), s.left, func(out []string) tea.Cmd {
			return s.c.openSheet(s.byUID, out, s)
		}), true
	}
	return nil, false
}

func (s *changesetSheet) Heard(news any) tea.Cmd {
	if n, ok := news.(memberNews); ok && slices.Contains(s.uids, n.uid) {
		s.Outdated(s.a.name(n.uid) + " changed while this was open, and what stands here cannot be accepted any more")
	}
	return nil
}

// unread says which of some plans have not been on the screen whole. One of more than low risk
// is not accepted so.
func (c *changeset) unread(uids []model.UID) (blocked, notes []string) {
	var unread []string
	for _, uid := range uids {
		n := c.page.Read(uid)
		if n == 100 {
			continue
		}
		if risk := c.a.riskOf(uid); risky(risk) {
			blocked = append(blocked, fmt.Sprintf("%s has %s, and %s", c.a.name(uid), riskWords(risk), dialog.Unseen(n, "its objective and plan")))
			continue
		}
		unread = append(unread, fmt.Sprintf("%s (%d%%)", c.a.name(uid), n))
	}
	if len(unread) > 0 {
		notes = []string{fmt.Sprintf("not read whole: %s", text.Listed(unread, 5))}
	}
	return blocked, notes
}

// leftRows name what is left out.
func (c *changeset) leftRows(left []string) []overlay.Affected {
	a := c.a
	if len(left) == 0 {
		return nil
	}
	row := a.factRow("left out", are(len(left), "part")+" not accepted")
	row.Glyph, row.Ink = a.st.Glyph.Warning, a.st.Warn
	out := []overlay.Affected{row}
	in := c.included(left)
	for _, what := range left {
		owner, section, isSection := strings.Cut(what, " ")
		r := overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Warn, Title: a.name(model.UID(owner)), Detail: "waits on, with all below it"}
		if isSection {
			r.Title, r.Detail = safeLine(section), "of the plan of "+a.name(model.UID(owner))
		} else if t, ok := a.snap.Task(model.UID(owner)); ok && slices.Contains(in, t.Config.ParentUID) {
			r.Detail = "is paused, with all below it"
		}
		out = append(out, r)
	}
	return out
}

// planRows are the plans that a changeset accepts: which bytes, what risk, what has been said.
func (c *changeset) planRows(sheets []*sheet) []overlay.Affected {
	a := c.a
	var out []overlay.Affected
	for _, s := range sheets {
		row := overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Accent, Title: a.name(s.uid)}
		var says []string
		if t, ok := a.snap.Task(s.uid); ok {
			if risk := model.RiskSaid(t); risk != "" {
				says = append(says, riskWords(risk))
				if risky(risk) {
					row.Glyph, row.Ink = a.st.Glyph.Warning, a.st.Warn
				}
			}
			if b := t.Status.Comments; b != nil && b.Open+b.Blocking > 0 {
				says = append(says, fmt.Sprintf("%s open, %d blocking", plural(b.Open, "comment"), b.Blocking))
			}
		}
		if n := len(a.typed.Of(s.uid)); n > 0 {
			says = append(says, plural(n, "draft")+" sent along")
		}
		if n := c.page.Read(s.uid); n == 100 {
			says = append(says, "read")
		} else {
			says = append(says, fmt.Sprintf("%d%% read", n))
		}
		row.Detail = safeLine(strings.Join(says, ", "))
		out = append(out, row)
		for _, doc := range []*model.Content{s.objective, s.plan} {
			if doc != nil {
				out = append(out, overlay.Affected{Glyph: " ", Ink: a.st.Faint, Title: "  " + labelled(string(doc.Doc)), Detail: contentLine(doc)})
			}
		}
		out = append(out, a.termsOf(s.uid)...)
	}
	return out
}

// termsOf are what a plan of several is agreed to with beside its texts.
func (a *App) termsOf(uid model.UID) []overlay.Affected {
	t, ok := a.snap.Task(uid)
	if !ok {
		return nil
	}
	rows := a.termRows(t.Spec)
	if deps := a.dependencyLine(uid); deps != "" {
		rows = append(rows, a.factRow("needs", deps))
	}
	for i := range rows {
		rows[i].Glyph, rows[i].Ink, rows[i].Title = " ", a.st.Faint, "  "+rows[i].Title
	}
	return rows
}

// blastTogether says what a verdict on a changeset sets off.
func (a *App) blastTogether(p *proposal, sheets []*sheet) []overlay.Affected {
	out := a.becomes(p)
	if len(sheets) > 0 {
		out = append(out, a.factRow("approval", a.levelLine(a.riskiest(sheets))))
	}
	waiting := map[string]int{}
	var names []string
	for _, s := range sheets {
		if e := lastPlanned(s.history); e != nil && e.Actor.Kind() != model.Human {
			if waiting[e.Actor.Name()]++; waiting[e.Actor.Name()] == 1 {
				names = append(names, e.Actor.Name())
			}
		}
	}
	for _, name := range names {
		out = append(out, a.factRow("waiting", fmt.Sprintf("%s, who submitted %s", name, plural(waiting[name], "plan"))))
	}
	return out
}

// riskiest is the task of the highest risk.
func (a *App) riskiest(sheets []*sheet) model.UID {
	best, rank := sheets[0].uid, -1
	for _, s := range sheets {
		risk := cmp.Or(strings.ToLower(a.riskOf(s.uid)), model.RiskMedium)
		if n := slices.Index([]string{model.RiskLow, model.RiskMedium, model.RiskHigh}, risk); n > rank {
			best, rank = s.uid, n
		}
	}
	return best
}

// parts are those that a verdict may leave out: each task whose plan waits for one, with the
// sections of its plan and the open tasks below it.
func (c *changeset) parts(byUID map[model.UID]*sheet) []overlay.Check {
	var out []overlay.Check
	var above []int // the rows of the tasks that the next may be below
	for i, m := range c.page.Members() {
		above = above[:min(len(above), m.Depth)]
		inside := -1
		for _, k := range above {
			if k >= 0 {
				inside = k
			}
		}
		s := byUID[m.UID]
		t, known := c.a.snap.Task(m.UID)
		isPart := m.In && s != nil
		if !isPart && (!known || hasEnded(t) || i == 0 || byUID[t.Config.ParentUID] == nil) {
			above = append(above, -1)
			continue
		}
		row := c.a.taskPart(m, s)
		row.Inside = inside
		if !isPart { // it can be left out of the plan above it, and nothing of its own is accepted
			above = append(above, len(out))
			out = append(out, row)
			continue
		}
		if i == 0 { // what the rest belongs to is not left out with all of it
			above = append(above, -1)
		} else {
			above = append(above, len(out))
			out = append(out, row)
		}
		own := above[len(above)-1]
		first := len(out)
		for _, sec := range sectionParts(s) {
			if sec.ID = partOf(m.UID, sec.Title); sec.Inside >= 0 {
				sec.Inside += first
			} else {
				sec.Inside = own
			}
			sec.Depth += m.Depth + 1
			sec.Head = ""
			if i == 0 && len(out) == first {
				sec.Head = "Sections of the plan of " + c.a.name(m.UID)
			}
			out = append(out, sec)
		}
	}
	return out
}

// taskPart is a task as a part of a changeset.
func (a *App) taskPart(m detail.Member, s *sheet) overlay.Check {
	row := overlay.Check{ID: string(m.UID), Title: a.name(m.UID), Depth: m.Depth}
	if i, ok := a.snap.Index(m.UID); ok {
		row.Glyph, row.Ink = a.st.Status(a.snap.Status(i))
		row.Detail = a.snap.StatusWord(i)
	}
	if s != nil && s.plan != nil && m.In {
		row.Detail = revisionName(s.plan) + ", " + plural(lineCount(s.plan.Body), "line")
	}
	return row
}

// verdictTogether gives another verdict than an acceptance: with one text, to all of some tasks, on the
// bytes that from has of them.
func (a *App) verdictTogether(action keymap.Action, uids []model.UID, from map[model.UID]*sheet) tea.Cmd {
	names := map[keymap.Action]model.Name{keymap.Reject: model.RejectPlan, keymap.AskPlan: model.QuestionPlan, keymap.Pause: model.DeferPlan}
	sheets, ok := sheetsOf(from, uids)
	if !ok {
		return a.remark("the plans are still loading")
	}
	byUID := byTask(sheets)
	p, err := a.propose(model.Op{Name: names[action]}, uids, byUID)
	if err != nil {
		return a.refusedPreview(names[action], err, byUID)
	}
	a.shown = byUID
	return a.ask(p)
}
