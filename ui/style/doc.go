// Package style turns a theme into what components draw with: inks (styles boiled down to
// their escape sequence), glyphs and words for statuses, panels, rows, badges and key hints.
// It is built once a theme, background or profile changes; drawing with it allocates only
// the result.
//
//	ink.go     Ink: one style
//	style.go   Styles: every ink by name, from a palette
//	status.go  a status as glyph + word + ink, in Unicode and ASCII
//	panel.go   borders with a title and a scrollbar, rows of lists
//	hint.go    key hints for footers
//
// Without colors (NO_COLOR) nothing is lost: a status is a glyph and a word, the row under
// the cursor has a marker and is reversed, and what colors alone would say is underlined
// or bold.
package style
