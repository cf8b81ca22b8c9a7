package themes

import "slices"

// Theme is one named pair of palettes.
type Theme struct {
	Name  string
	Title string // one line about it, for the picker
	Dark  Palette
	Light Palette
}

// Palette returns the palette for a dark or a light terminal.
func (t Theme) Palette(dark bool) Palette {
	if dark {
		return t.Dark
	}
	return t.Light
}

// Palette is every token of one theme on one background, as "#rrggbb".
type Palette struct {
	// Surfaces.
	Bg, BgPanel, BgSelect, BgSelectDim string
	// Text, from what is read first to what is read last.
	Fg, FgMuted, FgFaint string
	// Lines and markers; these are not text.
	Border, BorderFocus, Scroll, Marker string
	// Hues. Accent is the theme's own; BgAccent is it as a background, with AccentText on it.
	Accent, BgAccent, AccentText, Good, Warn, Bad, Info, Violet, Teal string

	// One a status.
	Problem, Aborted, Failed, Error, Changed, Waiting, Paused, Subtasks, Done  string
	ReviewPlan, ReviewWork, Blocked, Running, Ready, Replan, Planning, Created string

	// Markdown. HiddenText marks what a rendering would not show.
	Heading, HeadingMinor, Code, BgCode, Link, Quote, HiddenText string
	// Code in fences.
	SynKeyword, SynString, SynNumber, SynComment, SynFunc, SynType string
	// Differences between two texts.
	DiffAdd, DiffDel, DiffHunk, BgDiffAdd, BgDiffDel string
	// Search: every match, and the one that the cursor is on.
	Match, BgMatch, MatchNow, BgMatchNow string
	// Graph: edges at rest, edges lit up- and downstream of the cursor, edges of a cycle, and
	// the lanes that tell neighboring edges apart.
	Edge, EdgeUp, EdgeDown, EdgeCycle        string
	Lane1, Lane2, Lane3, Lane4, Lane5, Lane6 string
}

// Kind says what a token paints, and so which contrast it needs.
type Kind int

// The kinds of token.
const (
	Surface Kind = iota // a background
	Text                // read: 4.5:1 on each background that it may stand on
	Mark                // lines and markers, not read: 3:1
)

// Token describes one token of a palette.
type Token struct {
	Name    string
	Kind    Kind
	Default string   // the token that stands in when a theme does not set it; "" when it must be set
	On      []string // backgrounds that it may stand on (for Text and Mark)
}

// Tokens lists every token in the order of the file format.
func Tokens() []Token {
	var p Palette
	fs := p.fields()
	out := make([]Token, len(fs))
	for i, f := range fs {
		out[i] = f.Token
	}
	return out
}

type field struct {
	Token
	value *string
}

// onRows are the backgrounds of rows and panes, onBase those of panes.
var (
	onRows = []string{"bg", "bg_panel", "bg_select", "bg_select_dim"}
	onBase = []string{"bg", "bg_panel"}
)

func surface(name, def string, v *string) field {
	return field{Token{Name: name, Kind: Surface, Default: def}, v}
}

func text(name, def string, v *string, on ...string) field {
	if len(on) == 0 {
		on = onRows
	}
	return field{Token{Name: name, Kind: Text, Default: def, On: on}, v}
}

func mark(name, def string, v *string) field {
	return field{Token{Name: name, Kind: Mark, Default: def, On: onBase}, v}
}

// fields is the one table that ties a token's name to its place in the struct.
func (p *Palette) fields() []field {
	return slices.Concat(p.common(), p.statuses(), p.texts(), p.lines())
}

// common are the tokens that everything is drawn with.
func (p *Palette) common() []field {
	return []field{
		surface("bg", "", &p.Bg),
		surface("bg_panel", "", &p.BgPanel),
		surface("bg_select", "", &p.BgSelect),
		surface("bg_select_dim", "bg_select", &p.BgSelectDim),
		text("fg", "", &p.Fg),
		text("fg_muted", "", &p.FgMuted),
		text("fg_faint", "", &p.FgFaint),
		mark("border", "", &p.Border),
		mark("border_focus", "accent", &p.BorderFocus),
		mark("scroll", "border", &p.Scroll),
		{Token{Name: "marker", Kind: Mark, Default: "accent", On: onRows}, &p.Marker},
		text("accent", "", &p.Accent),
		surface("bg_accent", "accent", &p.BgAccent),
		text("accent_text", "bg", &p.AccentText, "bg_accent"),
		text("good", "", &p.Good),
		text("warn", "", &p.Warn),
		text("bad", "", &p.Bad),
		text("info", "", &p.Info),
		text("violet", "", &p.Violet),
		text("teal", "", &p.Teal),
	}
}

// statuses are those of the words of tasks.
func (p *Palette) statuses() []field {
	return []field{
		text("status_problem", "bad", &p.Problem),
		text("status_aborted", "fg_muted", &p.Aborted),
		text("status_failed", "bad", &p.Failed),
		text("status_error", "warn", &p.Error),
		text("status_changed", "violet", &p.Changed),
		text("status_waiting", "accent", &p.Waiting),
		text("status_paused", "fg_muted", &p.Paused),
		text("status_subtasks", "info", &p.Subtasks),
		text("status_done", "good", &p.Done),
		text("status_review_plan", "accent", &p.ReviewPlan),
		text("status_review_work", "accent", &p.ReviewWork),
		text("status_blocked", "warn", &p.Blocked),
		text("status_running", "info", &p.Running),
		text("status_ready", "teal", &p.Ready),
		text("status_replan", "violet", &p.Replan),
		text("status_planning", "fg_muted", &p.Planning),
		text("status_created", "fg_faint", &p.Created),
	}
}

// texts are those of texts, of differences and of what a search found.
func (p *Palette) texts() []field {
	return []field{
		text("heading", "accent", &p.Heading, onBase...),
		text("heading_minor", "fg", &p.HeadingMinor, onBase...),
		surface("bg_code", "bg_panel", &p.BgCode),
		text("code", "teal", &p.Code, "bg", "bg_panel", "bg_code"),
		text("link", "info", &p.Link, onBase...),
		text("quote", "fg_muted", &p.Quote, onBase...),
		text("hidden_text", "violet", &p.HiddenText, onBase...),
		text("syntax_keyword", "violet", &p.SynKeyword, "bg", "bg_code"),
		text("syntax_string", "good", &p.SynString, "bg", "bg_code"),
		text("syntax_number", "warn", &p.SynNumber, "bg", "bg_code"),
		text("syntax_comment", "fg_faint", &p.SynComment, "bg", "bg_code"),
		text("syntax_func", "info", &p.SynFunc, "bg", "bg_code"),
		text("syntax_type", "accent", &p.SynType, "bg", "bg_code"),

		surface("bg_diff_add", "bg", &p.BgDiffAdd),
		surface("bg_diff_del", "bg", &p.BgDiffDel),
		text("diff_add", "good", &p.DiffAdd, "bg", "bg_panel", "bg_diff_add"),
		text("diff_del", "bad", &p.DiffDel, "bg", "bg_panel", "bg_diff_del"),
		text("diff_hunk", "fg_muted", &p.DiffHunk, onBase...),

		surface("bg_match", "bg_select", &p.BgMatch),
		text("match", "fg", &p.Match, "bg_match"),
		surface("bg_match_now", "bg_accent", &p.BgMatchNow),
		text("match_now", "accent_text", &p.MatchNow, "bg_match_now"),
	}
}

// lines are those of edges and lanes.
func (p *Palette) lines() []field {
	return []field{
		mark("edge", "border", &p.Edge),
		mark("edge_up", "info", &p.EdgeUp),
		mark("edge_down", "accent", &p.EdgeDown),
		mark("edge_cycle", "bad", &p.EdgeCycle),
		mark("lane_1", "info", &p.Lane1),
		mark("lane_2", "teal", &p.Lane2),
		mark("lane_3", "violet", &p.Lane3),
		mark("lane_4", "good", &p.Lane4),
		mark("lane_5", "warn", &p.Lane5),
		mark("lane_6", "fg_muted", &p.Lane6),
	}
}

// Get returns the color of a token by its name.
func (p Palette) Get(token string) (string, bool) {
	for _, f := range p.fields() {
		if f.Name == token {
			return *f.value, true
		}
	}
	return "", false
}
