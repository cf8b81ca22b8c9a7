package markdown

import (
	"charm.land/glamour/v2/ansi"

	"vespe/ui/style"
)

// look is what a document is drawn with, as SGR sequences, and the same for Glamour.
type look struct {
	st      *style.Styles
	glamour ansi.StyleConfig

	text, muted, faint       string
	bullet, done, quote      string
	link, url, tag           string
	hidden, rule, number     string
	code, codeBar, codeLabel string
	tableHead                string
	match, matchNow          string
	here, selected           string // the number of the cursor's line, its row

	flag, flagWord      string // the sign of hidden text, and the sign with its word
	bar, quoteBar, dash string
	bullets             []string // by depth
	ticked, unticked    string
	column, cross       string
}

const strike = "\x1b[9m"

func newLook(st *style.Styles) *look {
	lk := &look{
		st:   st,
		text: st.Text.Open(), muted: st.Muted.Open(), faint: st.Faint.Open(),
		bullet: st.Muted.Open(), done: st.Good.Open(), quote: st.Quote.Open(),
		link: st.Link.Open(), url: st.Faint.Open(), tag: st.Faint.Open(),
		hidden: st.HiddenText.Open(), rule: st.Rule.Open(), number: st.Faint.Open(),
		code: st.CodeBlock.Open(), codeBar: st.Rule.Open(), codeLabel: st.Faint.Open(),
		tableHead: st.Bold.Open(),
		match:     st.Match.Open(), matchNow: st.MatchNow.Open(),
		here: st.Marker.Open(), selected: st.Select.Open(),
		flag: "⚑", bar: "│", quoteBar: "▎", dash: "─",
		bullets: []string{"•", "◦", "▪"},
		ticked:  "✓", unticked: "☐",
		column: "│", cross: "┼",
	}
	if st.Options.ASCII {
		lk.flag, lk.bar, lk.quoteBar, lk.dash = "!", "|", "|", "-"
		lk.bullets = []string{"-", "*", "+"}
		lk.ticked, lk.unticked, lk.column, lk.cross = "[x]", "[ ]", "|", "+"
	}
	lk.flagWord = lk.flag + " hidden"
	lk.glamour = glamourStyle(st)
	return lk
}

// glamourStyle is our palette as a style dialog of Glamour. Margins, indentation, prefixes
// and suffixes are left out: layout is not Glamour's part here.
func glamourStyle(st *style.Styles) ansi.StyleConfig {
	color := func(hex string) *string {
		if st.Options.NoColor || hex == "" {
			return nil
		}
		return &hex
	}
	yes := true
	p := st.Palette
	head := func(hex string) ansi.StyleBlock {
		return ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: color(hex), Bold: &yes}}
	}
	var c ansi.StyleConfig
	c.Document.Color = color(p.Fg)
	c.Heading = head(p.HeadingMinor)
	c.H1, c.H2 = head(p.Heading), head(p.Heading)
	c.H4, c.H5, c.H6 = head(p.FgMuted), head(p.FgMuted), head(p.FgMuted)
	c.Emph.Italic = &yes
	c.Strong.Bold = &yes
	c.Code.Color = color(p.Code)
	c.Code.BackgroundColor = color(p.BgCode)
	if st.Options.NoColor {
		c.H1.Underline = &yes
		c.Code.Underline = nil
	}
	return c
}
