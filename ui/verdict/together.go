package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vespe/ui/taskdocs"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// partOf is the name of a section of a task's plan among the parts of a changeset.
func partOf(uid model.UID, section string) string { return string(uid) + " " + section }

// excludedFrom is what the acceptance of a task's plan leaves out, of all that is left out of a
// changeset: its sections, and its own subtasks that can be left out.
func (v Proposer) excludedFrom(uid model.UID, left []string) []string {
	var out []string
	for _, what := range left {
		owner, section, isSection := strings.Cut(what, " ")
		if isSection && owner == string(uid) {
			out = append(out, section)
		}
		if t, ok := v.Snap.Task(model.UID(owner)); ok && !isSection && t.Config.ParentUID == uid {
			out = append(out, owner)
		}
	}
	return out
}

// mostBlocked is how many plans a sheet names that cannot be accepted.
const mostBlocked = 4

// Together is a changeset on which a verdict is proposed, with what has been read of it.
type Together struct {
	Proposer
	Page *detail.Changeset
}

// Included are the tasks of a changeset whose plans a verdict is on, parents first, without those that are left out: by name,
// or as part of one that is.
func Included(members []detail.Member, left []string) []model.UID {
	var out []model.UID
	gone := -1 // the depth of a task that is left out with all below it
	for _, m := range members {
		if gone >= 0 && m.Depth > gone {
			continue
		}
		gone = -1
		if slices.Contains(left, string(m.UID)) {
			gone = m.Depth
			continue
		}
		if m.In {
			out = append(out, m.UID)
		}
	}
	return out
}

// Accept is the sheet that accepts plans of a changeset in one transaction: the bytes that docs has of them, without the parts
// that are left out.
func (c *Together) Accept(docs map[model.UID]*taskdocs.Docs, left []string, chose Choose) (*Sheet, error) {
	uids := slices.DeleteFunc(Included(c.Page.Members(), left), func(uid model.UID) bool { return docs[uid] == nil })
	if len(uids) == 0 {
		return nil, &model.Refusal{Code: model.CodeRefused, Op: model.AcceptPlan, Why: "no plan of the changeset is left to accept", Hint: "take one back in, or reject them"}
	}
	p, err := c.proposeEach(model.Op{Name: model.AcceptPlan}, uids, docs, func(op *model.Op) {
		op.Args = model.Acceptance{Excluded: c.excludedFrom(op.UID, left)}
	})
	if err != nil && len(p.Refused) == 0 {
		return nil, err
	}
	s := &Sheet{Proposal: p, Excluded: left, Parts: c.parts(docs), offers: map[keymap.Action]string{
		keymap.ConfirmRead: "", keymap.ConfirmNotes: "", keymap.ConfirmReject: "", keymap.ConfirmParts: "",
	}}
	for _, uid := range uids {
		s.Texts = append(s.Texts, docs[uid])
	}
	s.All, s.Page = docs, c.Page
	blocked, notes := c.unread(uids)
	for _, err := range p.Refused {
		blocked = append(blocked, c.Refused(model.AcceptPlan.Title(), err).Line())
	}
	if over := len(blocked) - mostBlocked; over > 0 {
		blocked = append(blocked[:mostBlocked:mostBlocked], fmt.Sprintf("and %s more that can't be accepted like this", plural(over, "plan")))
	}
	if s.Blocked = blocked; len(blocked) > 0 {
		leave := c.Hint(keymap.ConfirmParts, "leaves parts out")
		notes = append(slices.Concat(blocked, notes), strings.TrimSuffix("so nothing of it can be accepted: fix that, or "+leave, ", or "))
	}
	s.ask(c.Proposer, chose, dialog.Ask{
		Title: fmt.Sprintf("Accept %s of a changeset", plural(len(uids), "plan")),
		Summary: fmt.Sprintf("Accept %s of %q in one transaction: all of them, or none if a byte of one has changed.",
			plural(len(uids), "plan"), c.name(c.Page.Root())),
		Notes: append(notes, c.sizeNotes(uids)...), Yes: "Accept all",
		Affected: slices.Concat(c.leftRows(left), c.planRows(s.Texts), c.blastTogether(&p, s.Texts)),
	})
	if len(blocked) > 0 {
		s.Confirm.Void()
	}
	return s, nil
}

// unread says which of some plans have not been on the screen whole. One of more than low risk
// is not accepted so.
func (c *Together) unread(uids []model.UID) (blocked, notes []string) {
	var unread []string
	for _, uid := range uids {
		n := c.Page.Read(uid)
		if n == 100 {
			continue
		}
		if risk := c.RiskOf(uid); Risky(risk) {
			blocked = append(blocked, fmt.Sprintf("%s has %s, and %s", c.name(uid), riskWords(risk), dialog.Unseen(n, "its objective and plan")))
			continue
		}
		unread = append(unread, fmt.Sprintf("%s (%d%%)", c.name(uid), n))
	}
	if len(unread) > 0 {
		notes = []string{fmt.Sprintf("not read whole: %s", text.Listed(unread, 5))}
	}
	return blocked, notes
}

// leftRows name what is left out.
func (c *Together) leftRows(left []string) []overlay.Affected {
	if len(left) == 0 {
		return nil
	}
	row := c.FactRow("left out", are(len(left), "part")+" not accepted")
	row.Glyph, row.Ink = c.Styles.Glyph.Warning, c.Styles.Warn
	out := []overlay.Affected{row}
	in := Included(c.Page.Members(), left)
	for _, what := range left {
		owner, section, isSection := strings.Cut(what, " ")
		r := overlay.Affected{Glyph: c.Styles.Glyph.Dot, Ink: c.Styles.Warn, Title: c.name(model.UID(owner)), Detail: "waits on, with all below it"}
		if isSection {
			r.Title, r.Detail = safeLine(section), "of the plan of "+c.name(model.UID(owner))
		} else if t, ok := c.Snap.Task(model.UID(owner)); ok && slices.Contains(in, t.Config.ParentUID) {
			r.Detail = "is paused, with all below it"
		}
		out = append(out, r)
	}
	return out
}

// planRows are the plans that a changeset accepts: which bytes, what risk, what has been said.
func (c *Together) planRows(sheets []*taskdocs.Docs) []overlay.Affected {
	var out []overlay.Affected
	for _, s := range sheets {
		row := overlay.Affected{Glyph: c.Styles.Glyph.Dot, Ink: c.Styles.Accent, Title: c.name(s.UID)}
		var says []string
		if t, ok := c.Snap.Task(s.UID); ok {
			if risk := model.RiskSaid(t); risk != "" {
				says = append(says, riskWords(risk))
				if Risky(risk) {
					row.Glyph, row.Ink = c.Styles.Glyph.Warning, c.Styles.Warn
				}
			}
			if b := t.Status.Comments; b != nil && b.Open+b.Blocking > 0 {
				says = append(says, fmt.Sprintf("%s open, %d blocking", plural(b.Open, "comment"), b.Blocking))
			}
		}
		if n := len(c.Drafts.Of(s.UID)); n > 0 {
			says = append(says, plural(n, "draft")+" sent along")
		}
		if n := c.Page.Read(s.UID); n == 100 {
			says = append(says, "read")
		} else {
			says = append(says, fmt.Sprintf("%d%% read", n))
		}
		row.Detail = safeLine(strings.Join(says, ", "))
		out = append(out, row)
		for _, doc := range []*model.Content{s.Objective, s.Plan} {
			if doc != nil {
				out = append(out, overlay.Affected{Glyph: " ", Ink: c.Styles.Faint, Title: "  " + labelled(string(doc.Doc)), Detail: ContentLine(doc)})
			}
		}
		out = append(out, c.termsOf(s.UID)...)
	}
	return out
}

// termsOf are what a plan of several is agreed to with beside its texts.
func (v Proposer) termsOf(uid model.UID) []overlay.Affected {
	t, ok := v.Snap.Task(uid)
	if !ok {
		return nil
	}
	rows := v.termRows(t.Spec)
	if deps := v.dependencyLine(uid); deps != "" {
		rows = append(rows, v.FactRow("needs", deps))
	}
	for i := range rows {
		rows[i].Glyph, rows[i].Ink, rows[i].Title = " ", v.Styles.Faint, "  "+rows[i].Title
	}
	return rows
}

// blastTogether says what a verdict on a changeset sets off.
func (v Proposer) blastTogether(p *Proposal, sheets []*taskdocs.Docs) []overlay.Affected {
	out := v.becomes(p)
	if len(sheets) > 0 {
		out = append(out, v.FactRow("approval", v.levelLine(v.riskiest(sheets))))
	}
	waiting := map[string]int{}
	var names []string
	for _, s := range sheets {
		if e := taskdocs.LastPlanned(s.History); e != nil && e.Actor.Kind() != model.Human {
			if waiting[e.Actor.Name()]++; waiting[e.Actor.Name()] == 1 {
				names = append(names, e.Actor.Name())
			}
		}
	}
	for _, name := range names {
		out = append(out, v.FactRow("waiting", fmt.Sprintf("%s, who submitted %s", name, plural(waiting[name], "plan"))))
	}
	return out
}

// riskiest is the task of the highest risk.
func (v Proposer) riskiest(sheets []*taskdocs.Docs) model.UID {
	best, rank := sheets[0].UID, -1
	for _, s := range sheets {
		risk := cmp.Or(strings.ToLower(v.RiskOf(s.UID)), model.RiskMedium)
		if n := slices.Index([]string{model.RiskLow, model.RiskMedium, model.RiskHigh}, risk); n > rank {
			best, rank = s.UID, n
		}
	}
	return best
}

// parts are those that a verdict may leave out: each task whose plan waits for one, with the
// sections of its plan and the open tasks below it.
func (c *Together) parts(byUID map[model.UID]*taskdocs.Docs) []overlay.Check {
	var out []overlay.Check
	var above []int // the rows of the tasks that the next may be below
	for i, m := range c.Page.Members() {
		above = above[:min(len(above), m.Depth)]
		inside := -1
		for _, k := range above {
			if k >= 0 {
				inside = k
			}
		}
		s := byUID[m.UID]
		t, known := c.Proposer.Snap.Task(m.UID)
		isPart := m.In && s != nil
		if !isPart && (!known || HasEnded(t) || i == 0 || byUID[t.Config.ParentUID] == nil) {
			above = append(above, -1)
			continue
		}
		row := c.taskPart(m, s)
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
				sec.Head = "Sections of the plan of " + c.name(m.UID)
			}
			out = append(out, sec)
		}
	}
	return out
}

// taskPart is a task as a part of a changeset.
func (v Proposer) taskPart(m detail.Member, s *taskdocs.Docs) overlay.Check {
	row := overlay.Check{ID: string(m.UID), Title: v.name(m.UID), Depth: m.Depth}
	if i, ok := v.Snap.Index(m.UID); ok {
		row.Glyph, row.Ink = v.Styles.Status(v.Snap.Status(i))
		row.Detail = v.Snap.StatusWord(i)
	}
	if s != nil && s.Plan != nil && m.In {
		row.Detail = RevisionName(s.Plan) + ", " + plural(lineCount(s.Plan.Body), "line")
	}
	return row
}
