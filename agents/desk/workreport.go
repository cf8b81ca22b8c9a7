package desk

import (
	"context"
	"fmt"
	"time"

	"vespe/model"
	"vespe/model/progress"
	"vespe/model/visible"
	"vespe/store"
)

// WorkReport is what was said when work was reported as done. Nobody has checked it.
type WorkReport struct {
	Text string     `json:"text" jsonschema:"the words of who did the work; nobody has checked them"`
	By   string     `json:"by"`
	At   *time.Time `json:"at,omitempty"`
	Cut  int        `json:"cut_bytes,omitempty" jsonschema:"bytes that are left out at the end"`
}

// ReportOf is a report as others are shown it; nil for none.
func ReportOf(r *progress.WorkReport) *WorkReport {
	if r == nil {
		return nil
	}
	return &WorkReport{Text: r.Text, By: string(r.By), At: TimeOrNil(r.At)}
}

// ReportOn is the report on the work of a task, with at most most bytes of its text. One that cannot be read is
// left out: what was done is there all the same.
func ReportOn(ctx context.Context, s *store.Store, t *model.Task, most int) *WorkReport {
	is, err := s.WorkReport(ctx, t)
	if err != nil || is == nil {
		return nil
	}
	r := ReportOf(is)
	r.Text, _ = is.Cut(most)
	r.Cut = len(is.Text) - len(r.Text)
	return r
}

// Heading says whose report it is.
func (r *WorkReport) Heading() string {
	line := "Reported by " + visible.Line(r.By)
	if r.At != nil {
		line += ", " + r.At.UTC().Format("2006-01-02 15:04")
	}
	if r.Cut > 0 {
		line += fmt.Sprintf(", without its last %d bytes", r.Cut)
	}
	return line + ", in their own words:"
}
