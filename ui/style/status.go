package style

import (
	"vespe/model"
	"vespe/themes"
)

// statusLook is one status, ready to draw.
type statusLook struct {
	glyph string
	ink   Ink
	badge string
}

// Status is the glyph of a status, one cell by both rules of width, and its ink. No two
// statuses share a glyph, so the glyph alone tells them apart without colors.
func (s *Styles) Status(st model.Status) (glyph string, ink Ink) {
	if int(st) >= len(s.status) {
		return "?", s.Bad
	}
	l := &s.status[st]
	return l.glyph, l.ink
}

// StatusNode is Status for a place among lines: in ASCII some glyphs are what lines are made of,
// and a letter stands for them.
func (s *Styles) StatusNode(st model.Status) (glyph string, ink Ink) {
	glyph, ink = s.Status(st)
	switch glyph {
	case "+":
		glyph = "d" // done
	case "-":
		glyph = "b" // blocked
	case ".":
		glyph = "c" // created
	case "|":
		glyph = "i"
	}
	return glyph, ink
}

// StatusGlyph is the glyph of a status in its ink.
func (s *Styles) StatusGlyph(st model.Status) string {
	g, ink := s.Status(st)
	return ink.Render(g)
}

// Badge is the glyph and the word of a status in its ink, such as "◇ Plan review".
func (s *Styles) Badge(st model.Status) string {
	if int(st) >= len(s.status) {
		return s.Bad.Render("? " + st.Label())
	}
	return s.status[st].badge
}

// BadgeWidth is the width of the longest badge, for columns.
const BadgeWidth = 2 + model.LabelWidth

func (s *Styles) buildStatus(mk maker, p themes.Palette) {
	colors := [model.NumStatuses]string{
		model.StatusProblem:    p.Problem,
		model.StatusAborted:    p.Aborted,
		model.StatusFailed:     p.Failed,
		model.StatusError:      p.Error,
		model.StatusChanged:    p.Changed,
		model.StatusWaiting:    p.Waiting,
		model.StatusPaused:     p.Paused,
		model.StatusSubtasks:   p.Subtasks,
		model.StatusDone:       p.Done,
		model.StatusReviewPlan: p.ReviewPlan,
		model.StatusReviewWork: p.ReviewWork,
		model.StatusBlocked:    p.Blocked,
		model.StatusRunning:    p.Running,
		model.StatusReady:      p.Ready,
		model.StatusReplan:     p.Replan,
		model.StatusPlanning:   p.Planning,
		model.StatusCreated:    p.Created,
	}
	for i := range s.status {
		st := model.Status(i)
		ink := mk.ink(colors[i], "")
		if urgent(st) {
			ink = mk.ink(colors[i], "", bold)
		}
		g := st.Glyph(s.Options.ASCII)
		s.status[i] = statusLook{g, ink, ink.Render(g + " " + st.Label())}
	}
}

// Actor is the sign of an actor, one cell, and its ink: it tells people from programs at a glance.
func (s *Styles) Actor(a model.Actor) (sign string, ink Ink) {
	signs := [4]string{"●", "○", "◌", "·"}
	if s.Options.ASCII {
		signs = [4]string{"@", "*", "%", "."}
	}
	switch a.Kind() {
	case model.Human:
		return signs[0], s.Accent
	case model.Agent:
		return signs[1], s.Info
	case model.MCPClient:
		return signs[2], s.Info
	}
	return signs[3], s.Faint
}

// urgent reports whether a status asks something of a person.
func urgent(st model.Status) bool {
	switch st {
	case model.StatusProblem, model.StatusFailed, model.StatusError, model.StatusWaiting,
		model.StatusReviewPlan, model.StatusReviewWork:
		return true
	}
	return false
}

// Priority is the mark of a priority that is not the usual one; "" for any other.
func (s *Styles) Priority(p model.Priority) (string, Ink) {
	switch p {
	case model.Critical:
		return s.Glyph.Up + s.Glyph.Up, s.Bad
	case model.High:
		return s.Glyph.Up, s.Warn
	case model.Low:
		return s.Glyph.Down, s.Faint
	}
	return "", Ink{}
}

// Glyphs are the signs beside statuses; each is one cell, unless it says otherwise.
type Glyphs struct {
	Cursor, Selected           string // in the gutter of a row
	Folded, Unfolded, Leaf     string // in front of a tree's row
	Branch, Last, Trunk, Blank string // a tree's guides, two cells each
	Bullet, Dot, Arrow, Back   string
	Ellipsis, Rule, Thumb      string
	Bar, BarEmpty              string // progress
	Warning                    string
	Crumb                      string // between a task and what is below it, in a path
	Up, Down, Left, Right      string
}

func glyphs(ascii bool) Glyphs {
	if ascii {
		return Glyphs{
			Cursor: ">", Selected: "*",
			Folded: "+", Unfolded: "-", Leaf: " ",
			Branch: "|-", Last: "`-", Trunk: "| ", Blank: "  ",
			Bullet: "*", Dot: ".", Arrow: ">", Back: "<",
			Ellipsis: "~", Rule: "-", Thumb: "#",
			Bar: "#", BarEmpty: ".", Warning: "!", Crumb: ">",
			Up: "^", Down: "v", Left: "<", Right: ">",
		}
	}
	return Glyphs{
		Cursor: "▌", Selected: "●",
		Folded: "▸", Unfolded: "▾", Leaf: " ",
		Branch: "├╴", Last: "╰╴", Trunk: "│ ", Blank: "  ",
		Bullet: "•", Dot: "·", Arrow: "→", Back: "←",
		Ellipsis: "…", Rule: "─", Thumb: "┃",
		Bar: "━", BarEmpty: "─", Warning: "▲", Crumb: "›",
		Up: "↑", Down: "↓", Left: "←", Right: "→",
	}
}
