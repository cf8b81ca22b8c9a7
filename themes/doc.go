// Package themes holds the colors of the workbench as named tokens: what a color is
// for, never where it is used. A theme is one TOML file with a palette for dark and one
// for light terminals; two are built in.
//
//	theme.go     Theme, Palette, the table of tokens with their rules
//	parse.go     the file format, with errors that name the line and suggest a token
//	bundled.go   the themes that are built in (vespe.toml, contrast.toml)
//	basic.go     the colors of a terminal with 16
//	contrast.go  WCAG contrast, and the rules that a legible palette keeps
//
// # A theme file
//
//	name = "mine"
//
//	[dark]
//	bg = "#15181e"          # a color …
//	fg = "#d7dbe3"
//	accent = "#f5b83d"
//	status_ready = "good"   # … or the name of another token
//
//	[light]
//	…
//
// Only the tokens without a default (Required) must be given; each other token has another
// token as its default, so that a small theme is whole. An unknown token is an error, not
// a silent nothing.
//
// The package is pure: it reads no file but those embedded in it, knows no terminal and
// imports nothing of vespe.
package themes
