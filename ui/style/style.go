package style

import (
	"charm.land/lipgloss/v2"

	"vespe/model"
	"vespe/themes"
)

// Options say what the terminal can do and what the person wants.
type Options struct {
	Dark    bool // the terminal's background
	ASCII   bool // no glyph and no border beyond ASCII
	NoColor bool // no colors at all (NO_COLOR)
	Basic   bool // the terminal has 16 colors: none of them is a ground that every text can be read on
}

// Styles is everything that components draw with. The zero value is not useful: New.
type Styles struct {
	Options Options
	Theme   themes.Theme
	Palette themes.Palette // of Theme, for Options.Dark
	Glyph   Glyphs

	Text, Muted, Faint, Bold                       Ink
	Accent, Good, Warn, Bad, Info, Violet, Teal    Ink
	Title, TitleFocus                              Ink // of panels
	Border, BorderFocus, Scroll                    Ink
	Select, SelectDim                              Ink // the row under the cursor, in the focused pane and in another
	Marker                                         Ink // the sign of the cursor's row and of selected rows
	Key, KeyText, KeyOff                           Ink // hints: the key, what it does, a disabled one
	Tab, TabActive                                 Ink
	Bar                                            Ink // header and footer
	Chip                                           Ink // a short label on the accent
	Raised                                         Ink // the ground of overlays
	Match, MatchNow                                Ink // search: every match, the one under the cursor
	Input, Placeholder                             Ink
	Heading, HeadingMinor, Emphasis, Strong        Ink
	Code, CodeBlock, Link, Quote, Rule, HiddenText Ink
	SynKeyword, SynString, SynNumber               Ink
	SynComment, SynFunc, SynType                   Ink
	DiffAdd, DiffDel, DiffHunk                     Ink // a line
	DiffAddWord, DiffDelWord                       Ink // the words of it that differ
	Edge, EdgeUp, EdgeDown, EdgeCycle              Ink
	Lanes                                          []Ink // tell neighboring edges apart; at least one

	status [model.NumStatuses]statusLook
	frame  [2]frameLook // unfocused, focused
}

// New builds the styles of a theme.
func New(t themes.Theme, o Options) *Styles {
	p := t.Palette(o.Dark)
	switch {
	case o.Basic && o.Dark:
		p = p.Basic()
	case o.Basic:
		p = p.Ungrounded()
	}
	s := &Styles{Options: o, Theme: t, Palette: p, Glyph: glyphs(o.ASCII)}
	if (o.NoColor || o.Basic) && !o.ASCII {
		s.Glyph.Cursor = "❯" // a block would vanish on a reversed row
	}
	mk := maker{o.NoColor}
	s.buildText(mk, p)
	s.buildMarkdown(mk, p)
	s.buildGraph(mk, p)
	s.buildStatus(mk, p)
	s.buildFrame()
	return s
}

// maker makes inks; without colors only attributes are left.
type maker struct{ noColor bool }

func (m maker) ink(fg, bg string, attrs ...func(lipgloss.Style) lipgloss.Style) Ink {
	st := lipgloss.NewStyle()
	if !m.noColor {
		if fg != "" {
			st = st.Foreground(lipgloss.Color(fg))
		}
		if bg != "" {
			st = st.Background(lipgloss.Color(bg))
		}
	}
	for _, a := range attrs {
		st = a(st)
	}
	return newInk(st)
}

// plainOnly gives an attribute that stands in for a color: it is set only without colors.
func (m maker) plainOnly(a func(lipgloss.Style) lipgloss.Style) func(lipgloss.Style) lipgloss.Style {
	if m.noColor {
		return a
	}
	return func(st lipgloss.Style) lipgloss.Style { return st }
}

func bold(st lipgloss.Style) lipgloss.Style      { return st.Bold(true) }
func italic(st lipgloss.Style) lipgloss.Style    { return st.Italic(true) }
func underline(st lipgloss.Style) lipgloss.Style { return st.Underline(true) }
func reverse(st lipgloss.Style) lipgloss.Style   { return st.Reverse(true) }
func faint(st lipgloss.Style) lipgloss.Style     { return st.Faint(true) }

func (s *Styles) buildText(mk maker, p themes.Palette) {
	s.Text = mk.ink(p.Fg, "")
	s.Muted = mk.ink(p.FgMuted, "")
	s.Faint = mk.ink(p.FgFaint, "", mk.plainOnly(faint))
	s.Bold = mk.ink(p.Fg, "", bold)
	s.Accent = mk.ink(p.Accent, "", mk.plainOnly(bold))
	s.Good = mk.ink(p.Good, "")
	s.Warn = mk.ink(p.Warn, "", mk.plainOnly(bold))
	s.Bad = mk.ink(p.Bad, "", mk.plainOnly(bold))
	s.Info = mk.ink(p.Info, "")
	s.Violet = mk.ink(p.Violet, "")
	s.Teal = mk.ink(p.Teal, "")

	s.Title = mk.ink(p.FgMuted, "")
	s.TitleFocus = mk.ink(p.Accent, "", bold)
	s.Border = mk.ink(p.Border, "", mk.plainOnly(faint))
	s.BorderFocus = mk.ink(p.BorderFocus, "")
	s.Scroll = mk.ink(p.Scroll, "")

	s.Select, s.SelectDim = mk.ink("", p.BgSelect), mk.ink("", p.BgSelectDim)
	if s.Options.NoColor || s.Options.Basic {
		s.Select, s.SelectDim = mk.ink("", "", reverse), mk.ink("", "", underline)
		s.Select.sole = !s.Options.NoColor
	}
	s.Marker = mk.ink(p.Marker, "", bold)

	s.Key = mk.ink(p.Accent, "", bold)
	s.KeyText = mk.ink(p.FgMuted, "")
	s.KeyOff = mk.ink(p.FgFaint, "", mk.plainOnly(faint))
	s.Tab = mk.ink(p.FgMuted, "")
	s.TabActive = mk.ink(p.Accent, "", bold, underline)
	s.Bar = mk.ink(p.FgMuted, p.BgPanel)
	s.Raised = mk.ink(p.Fg, p.BgPanel)
	s.Chip = mk.ink(p.AccentText, p.BgAccent, bold, mk.plainOnly(reverse))
	s.Match = mk.ink(p.Match, p.BgMatch, mk.plainOnly(underline))
	s.MatchNow = mk.ink(p.MatchNow, p.BgMatchNow, mk.plainOnly(reverse))
	s.Input = mk.ink(p.Fg, "")
	s.Placeholder = mk.ink(p.FgFaint, "", mk.plainOnly(faint))
}

func (s *Styles) buildMarkdown(mk maker, p themes.Palette) {
	s.Heading = mk.ink(p.Heading, "", bold)
	s.HeadingMinor = mk.ink(p.HeadingMinor, "", bold)
	s.Emphasis = mk.ink("", "", italic)
	s.Strong = mk.ink("", "", bold)
	s.Code = mk.ink(p.Code, p.BgCode)
	s.CodeBlock = mk.ink(p.Fg, p.BgCode)
	s.Link = mk.ink(p.Link, "", underline)
	s.Quote = mk.ink(p.Quote, "", italic)
	s.Rule = mk.ink(p.Border, "", mk.plainOnly(faint))
	s.HiddenText = mk.ink(p.HiddenText, "", mk.plainOnly(reverse))
	s.SynKeyword = mk.ink(p.SynKeyword, "", mk.plainOnly(bold))
	s.SynString = mk.ink(p.SynString, "")
	s.SynNumber = mk.ink(p.SynNumber, "")
	s.SynComment = mk.ink(p.SynComment, "", italic)
	s.SynFunc = mk.ink(p.SynFunc, "")
	s.SynType = mk.ink(p.SynType, "")
	s.DiffAdd = mk.ink(p.DiffAdd, p.BgDiffAdd)
	s.DiffDel = mk.ink(p.DiffDel, p.BgDiffDel)
	s.DiffHunk = mk.ink(p.DiffHunk, "", mk.plainOnly(faint))
	s.DiffAddWord = mk.ink(p.DiffAdd, p.BgDiffAdd, bold, underline)
	s.DiffDelWord = mk.ink(p.DiffDel, p.BgDiffDel, bold, underline)
}

func (s *Styles) buildGraph(mk maker, p themes.Palette) {
	s.Edge = mk.ink(p.Edge, "", mk.plainOnly(faint))
	s.EdgeUp = mk.ink(p.EdgeUp, "", bold)
	s.EdgeDown = mk.ink(p.EdgeDown, "", bold)
	s.EdgeCycle = mk.ink(p.EdgeCycle, "", bold, mk.plainOnly(reverse))
	for _, c := range []string{p.Lane1, p.Lane2, p.Lane3, p.Lane4, p.Lane5, p.Lane6} {
		s.Lanes = append(s.Lanes, mk.ink(c, ""))
	}
}
