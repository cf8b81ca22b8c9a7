package engine

import (
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/visible"
)

// What the store takes of texts; the model refuses more.
const (
	maxTitle  = 200      // characters
	maxDetail = 48 << 10 // bytes
)

// fits makes the texts of an operation such as the store keeps. They hold what workers and checks printed and what
// files are called, which may be no text at all; a run whose end could not be written down for that would never end.
func fits(op model.Op) model.Op {
	op.Reason = valid(op.Reason, maxDetail)
	switch args := op.Args.(type) {
	case model.Completion:
		args.Summary = valid(args.Summary, maxDetail)
		op.Args = args
	case model.ErrorReport:
		args.Details = valid(args.Details, maxDetail)
		op.Args = args
	case model.NewRequest:
		args.Title, args.Detail = line(args.Title), valid(args.Detail, maxDetail)
		op.Args = args
	}
	return op
}

// line is a text as a title.
func line(s string) string {
	s = strings.TrimSpace(visible.Line(valid(runlog.FirstLine(s), maxDetail)))
	if utf8.RuneCountInString(s) > maxTitle {
		s = string([]rune(s)[:maxTitle-1]) + "…"
	}
	return s
}

// valid is a text without what is none, cut to so many bytes.
func valid(s string, most int) string {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	if len(s) <= most {
		return s
	}
	most -= len("…")
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
