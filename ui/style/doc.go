// Package style turns a theme into what components draw with: inks (styles boiled down to
// their escape sequence), glyphs and words for statuses, panels, rows, badges and key hints.
// It is built once a theme, background or profile changes; drawing with it allocates only
// the result.
//
// Without colors (NO_COLOR) nothing is lost: a status is a glyph and a word, the row under
// the cursor has a marker and is reversed, and what colors alone would say is underlined
// or bold.
package style
