// Package markdown shows Markdown documents of any length: plans and objectives.
//
// A document is parsed once, by goldmark, and taken apart into units: paragraphs, headings,
// rows of tables, stretches of fences. A unit is rendered when it comes into the window. So a plan of 5,000 lines opens as fast as
// one of 50, and the window knows its place as a unit and a row of it: the height of the
// whole is never needed.
//
// Inline text, which is most of it, is drawn by Glamour (charm.land/glamour/v2) with a
// style dialog made from our palette. Layout is done here: wrapping with the widths of
// ui/text, hanging indents of lists, quotes, tables, code. So is everything that Glamour
// hides or cannot map to the source:
//
//   - Nothing that an agent reads is hidden from a person. Comments, scripts,
//     definitions and titles of links, HTML and what it makes invisible, front matter, extra
//     cells of a table: all is shown as it is written, flagged where rendering would not
//     show it. Under that lies a net (words.go): a block whose source has words that its
//     rendering lacks is followed by its source.
//   - Control, bidirectional and invisible characters are made visible before parsing; text
//     is decoded here, cleaned again, and handed to Glamour so that it prints exactly that.
//   - Each row of the screen knows its source lines, by markers that Glamour passes through.
//
// Importing Glamour's renderer costs every start of the workbench about 14 ms, measured with
// GODEBUG=inittrace=1: chroma, which it imports, parses all of its styles and the headers of
// all of its lexers in package variables, and bluemonday compiles its patterns. Only
// another renderer would avoid it.
package markdown
