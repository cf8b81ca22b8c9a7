// Package text measures and shapes terminal text: the one place that decides how wide a
// string is.
//
// Two rules of width exist. lipgloss counts grapheme clusters; the renderer, tmux and many
// terminals count code points (wcwidth). Where they differ, a row loses its right border.
// So all text that did not come from vespe itself goes through Safe or SafeLine, whose
// output has one width under both rules, cluster by cluster, and no control, bidirectional
// or invisible character. Everything after that (Width, Truncate, Pad, Wrap, …) may then
// measure by clusters and be right everywhere.
//
//	safe.go     Safe, SafeLine: untrusted text into text that can be drawn
//	width.go    Width, and the scanner over escape sequences and clusters
//	fit.go      Truncate, Pad, Center, Fit, Columns: exact cells
//	wrap.go     Wrap, WrapIndent: paragraphs into lines (plain text)
//	paint.go    Highlight, Paint: a style laid over text that is already styled
//
// The functions that take styled text understand SGR (ESC [ … m) and OSC 8 hyperlinks, and
// pass over other escape sequences as having no width.
package text
