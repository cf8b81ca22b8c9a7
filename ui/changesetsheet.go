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
	"vespe/ui/overlay"
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

// acceptTogether opens the sheet that accepts the plans of a changeset.
func (a *App) acceptTogether(c *changeset) tea.Cmd {
	sheets, ok := sheetsOf(c.sheets, c.included(nil))
	if !ok {
		return a.remark("the plans are still loading")
	}
	return a.bound(model.AcceptPlan, sheets, func(a *App, sheets []*sheet) tea.Cmd {
		byUID := map[model.UID]*sheet{}
		for _, s := range sheets {
			byUID[s.uid] = s
		}
		return a.openTogether(c, byUID, nil, nil)
	})
}

// mostBlocked is how many plans a sheet names that cannot be accepted.
const mostBlocked = 4

// openTogether opens the sheet for plans that are accepted in one transaction, without those parts that
// are left out. byUID are the bytes that it accepts; replaces is the sheet in whose place it comes.
func (a *App) openTogether(c *changeset, byUID map[model.UID]*sheet, left []string, replaces *dialog) tea.Cmd {
	uids := slices.DeleteFunc(c.included(left), func(uid model.UID) bool { return byUID[uid] == nil })
	sheets, _ := sheetsOf(byUID, uids)
	if len(sheets) == 0 {
		return a.fail(notice{text: a.title(model.AcceptPlan) + " refused", why: "no plan of the changeset is left to accept", hint: "take one back in, or reject them"})
	}
	p, err := a.proposeEach(model.Op{Name: model.AcceptPlan}, uids, byUID, func(op *model.Op) { op.Args = model.Acceptance{Excluded: a.excludedFrom(op.UID, left)} })
	if err != nil && len(p.left) == 0 {
		return a.refusedPreview(model.AcceptPlan, err, byUID)
	}
	blocked, notes := a.unreadTogether(c, uids)
	for _, err := range p.left {
		blocked = append(blocked, a.refused(a.title(model.AcceptPlan), err).line())
	}
	if over := len(blocked) - mostBlocked; over > 0 {
		blocked = append(blocked[:mostBlocked:mostBlocked], fmt.Sprintf("and %s more that can't be accepted like this", plural(over, "plan")))
	}
	if len(blocked) > 0 {
		notes = append(blocked, notes...)
		notes = append(notes, "so nothing of it can be accepted: fix that"+a.orElse(keymap.ConfirmParts, "leaves parts out"))
	}
	notes = append(notes, a.sizeNotes(uids)...)
	in := confirmInput{
		title: fmt.Sprintf("Accept %s of a changeset", plural(len(uids), "plan")),
		summary: fmt.Sprintf("Accept %s of %q in one transaction: all of them, or none if a byte of one has changed.",
			plural(len(uids), "plan"), a.name(c.page.Root())),
		notes: notes, yes: "Accept all", bottom: true, accepts: true, replaces: replaces, plans: sheets,
		affected: slices.Concat(a.leftTogether(c, left), a.planRows(c, sheets), a.blastTogether(&p, sheets)),
		done: func(a *App) tea.Cmd {
			if len(blocked) > 0 {
				return a.fail(notice{text: a.title(model.AcceptPlan) + " refused", why: strings.Join(blocked, "; "), hint: "nothing was accepted"})
			}
			a.shown = byUID
			return a.fire(job{ops: p.ops})
		},
		withNotes: func(a *App) tea.Cmd {
			if len(blocked) > 0 {
				return a.fail(notice{text: a.title(model.AcceptPlan) + " refused", why: strings.Join(blocked, "; "), hint: "nothing was accepted"})
			}
			row, _ := model.Lookup(model.AcceptPlan)
			arg, _ := asks(row)
			arg.Required = true
			a.shown = byUID
			return a.compose(p, arg)
		},
		others: func(a *App, action keymap.Action) tea.Cmd { return a.verdictTogether(action, uids, byUID) },
		parts:  func(a *App, d *dialog) tea.Cmd { return a.chooseTogether(c, d, byUID, left) },
	}
	cmd := a.openConfirm(in)
	if len(blocked) > 0 {
		a.top().box.(*overlay.Confirm).Void()
	}
	return cmd
}

// orElse is ", or KEY what"; nothing when the action has no key.
func (a *App) orElse(action keymap.Action, what string) string {
	if hint := a.keyHint(action, what); hint != "" {
		return ", or " + hint
	}
	return ""
}

// unreadTogether says which of some plans have not been on the screen whole. One of more than low risk
// is not accepted so.
func (a *App) unreadTogether(c *changeset, uids []model.UID) (blocked, notes []string) {
	var unread []string
	for _, uid := range uids {
		n := c.page.Read(uid)
		if n == 100 {
			continue
		}
		if risk := a.riskOf(uid); risky(risk) {
			blocked = append(blocked, fmt.Sprintf("%s has %s, and %s", a.name(uid), riskWords(risk), onScreen(n, "its objective and plan")))
			continue
		}
		unread = append(unread, fmt.Sprintf("%s (%d%%)", a.name(uid), n))
	}
	if len(unread) > 0 {
		notes = []string{fmt.Sprintf("not read whole: %s", listed(unread, 5))}
	}
	return blocked, notes
}

// leftTogether name what is left out of a changeset.
func (a *App) leftTogether(c *changeset, left []string) []overlay.Affected {
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
func (a *App) planRows(c *changeset, sheets []*sheet) []overlay.Affected {
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
		if n := len(a.typed.of(s.uid)); n > 0 {
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

// chooseTogether lists the plans of a changeset, with their sections, to leave some out.
func (a *App) chooseTogether(c *changeset, d *dialog, byUID map[model.UID]*sheet, left []string) tea.Cmd {
	return a.chooseFrom("Parts of the changeset to accept", d, a.partsTogether(c, byUID), left, func(a *App, out []string) tea.Cmd {
		return a.openTogether(c, byUID, out, d)
	})
}

// partsTogether are the parts of a changeset: each task whose plan waits for a verdict, with the
// sections of its plan and the open tasks below it.
func (a *App) partsTogether(c *changeset, byUID map[model.UID]*sheet) []overlay.Check {
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
		t, known := a.snap.Task(m.UID)
		isPart := m.In && s != nil
		if !isPart && (!known || hasEnded(t) || i == 0 || byUID[t.Config.ParentUID] == nil) {
			above = append(above, -1)
			continue
		}
		row := a.taskPart(m, s)
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
				sec.Head = "Sections of the plan of " + a.name(m.UID)
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
	byUID := map[model.UID]*sheet{}
	for _, s := range sheets {
		byUID[s.uid] = s
	}
	p, err := a.propose(model.Op{Name: names[action]}, uids, byUID)
	if err != nil {
		return a.refusedPreview(names[action], err, byUID)
	}
	a.shown = byUID
	return a.ask(p)
}

// warnTogether says in open sheets for several that one of their plans no longer exists.
func (a *App) warnTogether(uid model.UID) {
	for _, d := range a.dialogs {
		if d.others != nil && slices.ContainsFunc(d.plans, func(s *sheet) bool { return s.uid == uid }) {
			d.outdated(a.name(uid) + " changed while this was open, and what stands here cannot be accepted any more")
		}
	}
}
