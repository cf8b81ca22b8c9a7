package verdict

import (
	"fmt"
	"slices"
	"strings"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/foresee"
	"vespe/model/specfields"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/taskdocs"
	"vespe/ui/text"
)

// mostComments is how many comments a dialog names; the rest is a number.
const mostComments = 6

// labeled pads what a row of a dialog is called.
func labeled(label string) string { return fmt.Sprintf("%-9s", label) }

// FactRow is a row of a dialog: what it is about, and what it says.
func (v Proposer) FactRow(label, says string) overlay.Affected {
	return overlay.Affected{Glyph: v.Styles.Glyph.Dot, Ink: v.Styles.Accent, Title: labeled(label), Detail: text.SafeLine(says)}
}

// commentRows say what has been said about a plan and waits for something, and what goes along
// with the verdict.
func (v Proposer) commentRows(s *taskdocs.Docs) []overlay.Affected {
	var open, blocking, answered int
	var rows []overlay.Affected
	bar := CommentBar(v.Styles)
	row := func(ink style.Ink, lead, says string) {
		rows = append(rows, overlay.Affected{Glyph: bar, Ink: ink, Title: lead, Detail: text.SafeLine(text.FirstLine(says)), One: true})
	}
	if s.Review != nil {
		for i := range s.Review.Comments {
			c := &s.Review.Comments[i]
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
			lead := text.SafeLine(string(c.Kind) + ", " + string(c.State))
			if c.Blocking {
				lead = "blocking " + lead
			}
			if l := LinesOf(c.Place); l != "" && !c.Place.Lost() {
				lead += ", " + l
			}
			row(detail.CommentInk(v.Styles, c), lead, detail.Voice(c.By, c.Via)+": "+c.Text)
		}
	}
	drafts := v.Drafts.Of(s.UID)
	for i := range drafts {
		d := &drafts[i]
		lead := "draft " + string(d.Kind)
		if l := LinesOf(d.Place); l != "" {
			lead += ", " + l
		}
		row(v.Styles.Violet, lead, d.Text)
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
	if over := len(rows) - mostComments; over > 0 {
		rows = append(rows[:mostComments], overlay.Affected{Glyph: bar, Ink: v.Styles.Faint, Title: fmt.Sprintf("and %d more", over)})
	}
	return append([]overlay.Affected{v.FactRow("comments", strings.Join(parts, ", "))}, rows...)
}

// mostDoubts is how many doubts a question shows at first.
const mostDoubts = 3

// planDoubts are what should make a person hesitate who accepts a plan, the gravest first; notes are those of the preview.
func (v Proposer) planDoubts(in *Plans, notes []string) []string {
	d := in.Texts[0]
	notes = slices.Concat(in.Hidden, notes)
	if i, ok := v.Snap.Index(d.UID); ok {
		return foresee.PlanDoubts(v.Snap, i, d.Review, in.Unasked, v.orHint(keymap.ConfirmDiff, "shows them"), notes)
	}
	return notes
}

// effectRow says what a verdict does: to the task itself, and to others.
func (v Proposer) effectRow(p *Proposal, uid model.UID) overlay.Affected {
	says := ""
	if i, ok := v.Snap.Index(uid); ok {
		says = foresee.Effect(v.Snap, i, p.After, p.Requests)
	}
	switch n := len(v.Drafts.Of(uid)); n {
	case 0:
	case 1:
		says += " Your comment is sent with it."
	default:
		says += fmt.Sprintf(" Your %d comments are sent with it.", n)
	}
	return overlay.Affected{Title: strings.TrimSpace(says)}
}

// SpecRows say what a plan is about beside its text: its risk, the files it means to touch, and all else of its
// specification that an acceptance binds to. It is agreed to with the plan, so nothing of it is cut.
func (v Proposer) SpecRows(uid model.UID) []overlay.Affected {
	t, ok := v.Snap.Task(uid)
	if !ok || t.Spec == nil {
		return nil
	}
	var out []overlay.Affected
	sp := t.Spec
	if risk := model.RiskSaid(t); risk != "" {
		r := v.FactRow("risk", risk)
		if Risky(risk) {
			r.Glyph, r.Ink = v.Styles.Glyph.Warning, v.Styles.Warn
		}
		out = append(out, r)
	}
	return append(out, v.termRows(sp)...)
}

// termRows are the terms of a task that a person can read.
func (v Proposer) termRows(sp *model.Spec) []overlay.Affected {
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
		out = append(out, v.FactRow("files", strings.Join(files, ", ")))
	}
	each := func(label string, list []string) {
		for _, says := range list {
			out = append(out, v.FactRow(label, strings.Join(strings.Fields(says), " ")))
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

// Risky reports whether a task is decided about by itself, never with others at once. A risk that
// nobody named counts as medium.
func Risky(risk string) bool { return !strings.EqualFold(risk, model.RiskLow) }

// RiskOf is the risk of a task.
func (v Proposer) RiskOf(uid model.UID) string {
	if t, ok := v.Snap.Task(uid); ok {
		return model.RiskSaid(t)
	}
	return ""
}

// riskWords are "high risk", or that nobody named one.
func riskWords(risk string) string {
	if risk == "" {
		return "no risk set, which counts as medium"
	}
	return text.SafeLine(risk) + " risk"
}

func LeftAlone(risky []string) string {
	return "left out, decide on them one by one: " + text.Listed(risky, 5)
}

// Alone takes the tasks out of a selection that are not to be accepted with others.
func (v Proposer) Alone(uids []model.UID) (rest []model.UID, names []string) {
	if len(uids) < 2 {
		return uids, nil
	}
	for _, uid := range uids {
		if risk := v.RiskOf(uid); Risky(risk) {
			names = append(names, fmt.Sprintf("%s (%s)", v.name(uid), riskWords(risk)))
			continue
		}
		rest = append(rest, uid)
	}
	return rest, names
}

// blastRows say what a verdict sets off: which tasks become something else, which approvals end;
// and who submitted the plan.
func (v Proposer) blastRows(p *Proposal, s *taskdocs.Docs) []overlay.Affected {
	out := v.becomes(p)
	if e := taskdocs.LastPlanned(s.History); e != nil && e.Actor.Kind() != model.Human {
		out = append(out, v.FactRow("submitted", "by "+e.Actor.Label()))
	}
	return out
}

// mostBecome is how many tasks of each kind a dialog names.
const mostBecome = 20

// becomes lists the side effects of a proposal: tasks whose status changes or whose approval ends, what follows later, and
// how the time for all work changes.
func (v Proposer) becomes(p *Proposal) []overlay.Affected {
	if len(p.After) == 0 {
		return nil
	}
	im := foresee.ImpactOf(v.Snap, p.After[0].UID, p.After, p.Requests)
	var out []overlay.Affected
	for k := range im.Tasks {
		x := &im.Tasks[k]
		if k == mostBecome {
			out = append(out, overlay.Affected{Glyph: v.Styles.Glyph.Dot, Ink: v.Styles.Faint, Title: fmt.Sprintf("and %d more", len(im.Tasks)-k)})
			break
		}
		row := overlay.Affected{Title: text.SafeLine(x.Name), Detail: text.SafeLine(x.Becomes())}
		row.Glyph, row.Ink = v.Styles.Status(x.To)
		out = append(out, row)
	}
	return append(out, v.laterRows(im)...)
}

// laterRows are what follows from an impact besides what its tasks become at once.
func (v Proposer) laterRows(im *foresee.Impact) []overlay.Affected {
	rest := *im
	rest.Tasks = nil
	var out []overlay.Affected
	label := "then"
	for _, line := range rest.Lines("", mostBecome) {
		out = append(out, v.FactRow(label, line))
		label = ""
	}
	return out
}

// LaterLines are what follows from a Proposal, for where there is room for a few lines.
func (v Proposer) LaterLines(p *Proposal) []string {
	if len(p.After) == 0 {
		return nil
	}
	const most = 4
	im := foresee.ImpactOf(v.Snap, p.After[0].UID, p.After, p.Requests)
	out := im.InTurn(most)
	if line := im.MovedWords(); line != "" {
		out = append(out, text.Capital(line))
	}
	return out
}

// Later is laterRows of a Proposal.
func (v Proposer) Later(p *Proposal) []overlay.Affected {
	if len(p.After) == 0 {
		return nil
	}
	return v.laterRows(foresee.ImpactOf(v.Snap, p.After[0].UID, p.After, p.Requests))
}

// CommentBar stands beside comments and the lines that they mean.
func CommentBar(st *style.Styles) string {
	if st.Options.ASCII {
		return "|"
	}
	return "▎"
}
