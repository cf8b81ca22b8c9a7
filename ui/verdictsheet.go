package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/foresee"
	"vespe/model/specfields"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// sheetComments is how many comments a sheet names; the rest is a number.
const sheetComments = 6

// labelled pads what a row of a sheet is called.
func labelled(label string) string { return fmt.Sprintf("%-9s", label) }

// factRow is a row of a sheet: what it is about, and what it says.
func (a *App) factRow(label, says string) overlay.Affected {
	return overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Accent, Title: labelled(label), Detail: safeLine(says)}
}

// commentRows say what has been said about a plan and waits for something, and what goes along
// with the verdict.
func (a *App) commentRows(s *sheet) []overlay.Affected {
	var open, blocking, answered int
	var rows []overlay.Affected
	bar := a.commentBar()
	row := func(ink style.Ink, lead, says string) {
		rows = append(rows, overlay.Affected{Glyph: bar, Ink: ink, Title: lead, Detail: safeLine(firstLine(says)), One: true})
	}
	if s.review != nil {
		for i := range s.review.Comments {
			c := &s.review.Comments[i]
			switch {
			case c.Blocking && !c.Settled():
				blocking++
			case c.State == model.CommentOpen:
				open++
			case c.State != model.CommentResolved:
				answered++
			default:
				continue
			}
			lead := safeLine(string(c.Kind) + ", " + string(c.State))
			if c.Blocking {
				lead = "blocking " + lead
			}
			if l := linesOf(c.Place); l != "" && !c.Place.Lost() {
				lead += ", " + l
			}
			row(detail.CommentInk(a.st, c), lead, detail.Voice(c.By, c.Via)+": "+c.Text)
		}
	}
	drafts := a.typed.Of(s.uid)
	for i := range drafts {
		d := &drafts[i]
		lead := "draft " + string(d.Kind)
		if l := linesOf(d.Place); l != "" {
			lead += ", " + l
		}
		row(a.st.Violet, lead, d.Text)
	}
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{blocking, "blocking"}, {open, "open"}, {answered, "answered, not resolved"}, {len(drafts), "of yours not sent"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	if over := len(rows) - sheetComments; over > 0 {
		rows = append(rows[:sheetComments], overlay.Affected{Glyph: bar, Ink: a.st.Faint, Title: fmt.Sprintf("and %d more", over)})
	}
	return append([]overlay.Affected{a.factRow("comments", strings.Join(parts, ", "))}, rows...)
}

// mostDoubts is how many doubts a question names; the others are among its details.
const mostDoubts = 3

// shorten leaves as many doubts as a question has room for, and returns the others as details.
func shorten(a *App, doubts []string) (short []string, rest []overlay.Affected) {
	if len(doubts) <= mostDoubts {
		return doubts, nil
	}
	for _, d := range doubts[mostDoubts:] {
		rest = append(rest, overlay.Affected{Glyph: a.st.Glyph.Warning, Ink: a.st.Warn, Title: d})
	}
	short = slices.Clone(doubts[:mostDoubts])
	short[mostDoubts-1] += "; " + plural(len(rest), "more warning") + a.orKey(keymap.ConfirmDetails, "shows all")
	return short, rest
}

// planDoubts are what should make a person hesitate who accepts a plan, the gravest first; notes are those of the preview.
func (a *App) planDoubts(s *sheet, notes []string) []string {
	var out []string
	t, ok := a.snap.Task(s.uid)
	risk := ""
	if ok {
		risk = model.RiskSaid(t)
	}
	if risk == model.RiskHigh {
		out = append(out, riskWords(risk))
	}
	out = append(out, a.readNotes(s.uid)...)
	if rows := a.commentRows(s); len(rows) > 0 {
		out = append(out, "comments: "+rows[0].Detail)
	}
	if c := a.panes.detail.Changes(); c != nil && s.uid == a.followed && s.plan != nil && c.Hash == s.plan.Hash {
		n := 0
		for _, change := range c.List {
			if change.Unasked {
				n++
			}
		}
		if n > 0 {
			out = append(out, plural(n, "change")+" that no comment asked for"+a.orKey(keymap.ConfirmDiff, "shows them"))
		}
	}
	if !ok {
		return append(out, notes...)
	}
	if risk != "" && risk != model.RiskHigh && risky(risk) {
		out = append(out, riskWords(risk))
	}
	out = append(out, a.overlapWords(s.uid)...)
	if sp := t.Spec; sp != nil && len(sp.FilesToCreate)+len(sp.FilesToModify) > 0 && len(sp.TestFiles)+len(sp.Verify) == 0 {
		out = append(out, "it names no tests and no checks")
	}
	if score := t.Complexity(a.snap.Policy().SizeLimits()); score.Split {
		out = append(out, "size: "+detail.ScoreWords(&score))
	}
	for i := range out {
		out[i] = capital(out[i])
	}
	return append(out, notes...)
}

// verb is a verb for n things: one waits, two wait.
func verb(n int, word string) string {
	if n == 1 {
		return word + "s"
	}
	return word
}

// effectRow says what a verdict does: to the task itself, and to others.
func (a *App) effectRow(p *proposal, uid model.UID) overlay.Affected {
	im := foresee.ImpactOf(a.snap, uid, p.after, p.requests)
	says, others := "", 0
	for k := range im.Tasks {
		x := &im.Tasks[k]
		switch {
		case x.UID != uid:
			others++
		case x.To == model.StatusReady:
			says = "It can start."
		case x.To == model.StatusBlocked && a.dependencyLine(uid) != "":
			says = "It waits for " + a.dependencyLine(uid) + "."
		default:
			says = "It " + x.Becomes() + "."
		}
	}
	if others > 0 {
		says += fmt.Sprintf(" %s %s status with it.", plural(others, "other task"), verb(others, "change"))
	}
	if i, ok := a.snap.Index(uid); ok && a.snap.Waiting(i) != "" {
		says += " Tasks that wait for it: " + a.snap.Waiting(i) + "."
	}
	switch n := len(a.typed.Of(uid)); n {
	case 0:
	case 1:
		says += " Your comment goes along."
	default:
		says += fmt.Sprintf(" Your %d comments go along.", n)
	}
	return overlay.Affected{Title: strings.TrimSpace(says)}
}

// specRows say what a plan is about beside its text: its risk, the files it means to touch, and all else of its
// specification that an acceptance binds to. It is agreed to with the plan, so nothing of it is cut.
func (a *App) specRows(uid model.UID) []overlay.Affected {
	t, ok := a.snap.Task(uid)
	if !ok || t.Spec == nil {
		return nil
	}
	var out []overlay.Affected
	sp := t.Spec
	if risk := model.RiskSaid(t); risk != "" {
		r := a.factRow("risk", risk)
		if risky(risk) {
			r.Glyph, r.Ink = a.st.Glyph.Warning, a.st.Warn
		}
		out = append(out, r)
	}
	return append(out, a.termRows(sp)...)
}

// termRows are the terms of a task that a person can read.
func (a *App) termRows(sp *model.Spec) []overlay.Affected {
	if sp == nil {
		return nil
	}
	var out []overlay.Affected
	var files []string
	for _, f := range []struct {
		what string
		list []string
	}{{"new", sp.FilesToCreate}, {"changed", sp.FilesToModify}, {"tests", sp.TestFiles}} {
		if len(f.list) > 0 {
			files = append(files, fmt.Sprintf("%d %s (%s)", len(f.list), f.what, strings.Join(f.list, ", ")))
		}
	}
	if len(files) > 0 {
		out = append(out, a.factRow("files", strings.Join(files, ", ")))
	}
	each := func(label string, list []string) {
		for _, says := range list {
			out = append(out, a.factRow(label, strings.Join(strings.Fields(says), " ")))
			label = ""
		}
	}
	terms := sp.Terms()
	for _, f := range specfields.All() {
		switch f.Key {
		case "risk", "files_to_create", "files_to_modify", "test_files": // which have rows of their own
			continue
		}
		each(termLabel(f), f.Lines(terms))
	}
	return out
}

// termLabel is the name of a field where there is little room for it.
func termLabel(f specfields.Field) string {
	switch f.Key {
	case "acceptance_criteria":
		return "criteria"
	case "constraints":
		return "limits"
	case "verify":
		return "checks"
	case "goal_type":
		return "type"
	case "user_story":
		return "story"
	case "max_attempts":
		return "attempts"
	case "requires_hitl":
		return "by person"
	case "":
		return "other"
	}
	return strings.ToLower(f.Title)
}

// risky reports whether a task is decided about by itself, never with others at once. A risk that
// nobody named counts as medium.
func risky(risk string) bool { return !strings.EqualFold(risk, model.RiskLow) }

// riskOf is the risk of a task.
func (a *App) riskOf(uid model.UID) string {
	if t, ok := a.snap.Task(uid); ok {
		return model.RiskSaid(t)
	}
	return ""
}

// riskWords are "high risk", or that nobody named one.
func riskWords(risk string) string {
	if risk == "" {
		return "no named risk, which counts as medium"
	}
	return safeLine(risk) + " risk"
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
func (a *App) oneByOne(op model.Name, risky []string) tea.Cmd {
	return a.fail(view.Notice{
		Text: op.Title() + " refused", Why: "decide these one by one: " + text.Listed(risky, 5),
		Hint: "clear the selection, and read each",
	})
}

func leftAlone(risky []string) string {
	return "left out, decide them one by one: " + text.Listed(risky, 5)
}

// alone takes the tasks out of a selection that are not to be accepted with others.
func (a *App) alone(uids []model.UID) (rest []model.UID, names []string) {
	if len(uids) < 2 {
		return uids, nil
	}
	for _, uid := range uids {
		if risk := a.riskOf(uid); risky(risk) {
			names = append(names, fmt.Sprintf("%s (%s)", a.name(uid), riskWords(risk)))
			continue
		}
		rest = append(rest, uid)
	}
	return rest, names
}

// blastRows say what a verdict sets off: which tasks become something else, which approvals end,
// and who has been waiting.
func (a *App) blastRows(p *proposal, s *sheet) []overlay.Affected {
	out := a.becomes(p)
	if i, ok := a.snap.Index(s.uid); ok && a.snap.Waiting(i) != "" {
		out = append(out, a.factRow("behind it", "unfinished tasks: "+a.snap.Waiting(i)))
	}
	if e := lastPlanned(s.history); e != nil && e.Actor.Kind() != model.Human {
		out = append(out, a.factRow("waiting", e.Actor.Name()+", who submitted the plan"))
	}
	return out
}

// mostBecome is how many tasks of each kind a sheet names.
const mostBecome = 20

// becomes is what a proposal does besides what it is asked to: tasks that become something else or
// whose approval ends, what follows from that later, and what becomes of the time that all work takes.
func (a *App) becomes(p *proposal) []overlay.Affected {
	if len(p.after) == 0 {
		return nil
	}
	im := foresee.ImpactOf(a.snap, p.after[0].UID, p.after, p.requests)
	var out []overlay.Affected
	for k := range im.Tasks {
		x := &im.Tasks[k]
		if k == mostBecome {
			out = append(out, overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Faint, Title: fmt.Sprintf("and %d more", len(im.Tasks)-k)})
			break
		}
		row := overlay.Affected{Title: safeLine(x.Name), Detail: safeLine(x.Becomes())}
		row.Glyph, row.Ink = a.st.Status(x.To)
		out = append(out, row)
	}
	return append(out, a.laterRows(im)...)
}

// laterRows are what follows from an impact besides what its tasks become at once.
func (a *App) laterRows(im *foresee.Impact) []overlay.Affected {
	rest := *im
	rest.Tasks = nil
	var out []overlay.Affected
	label := "then"
	for _, line := range rest.Lines("", mostBecome) {
		out = append(out, a.factRow(label, line))
		label = ""
	}
	return out
}

// laterLines are what follows from a proposal, for where there is room for a few lines.
func (a *App) laterLines(p *proposal) []string {
	if len(p.after) == 0 {
		return nil
	}
	const most = 4
	im := foresee.ImpactOf(a.snap, p.after[0].UID, p.after, p.requests)
	out := im.InTurn(most)
	if line := im.MovedWords(); line != "" {
		out = append(out, capital(line))
	}
	return out
}

// later is laterRows of a proposal.
func (a *App) later(p *proposal) []overlay.Affected {
	if len(p.after) == 0 {
		return nil
	}
	return a.laterRows(foresee.ImpactOf(a.snap, p.after[0].UID, p.after, p.requests))
}

// lastPlanned is the event that defined the plan there is.
func lastPlanned(history []model.Event) *model.Event {
	for i := range slices.Backward(history) {
		if history[i].Name == model.DefinePlan {
			return &history[i]
		}
	}
	return nil
}
