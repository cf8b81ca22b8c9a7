package core

import (
	"fmt"
	"io"
	"strings"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/visible"
)

// mostQuoted is how many lines that a comment is about are printed: --md and --json have all.
const mostQuoted = 3

// PrintReview prints what was said about a plan.
func PrintReview(w io.Writer, o *desk.PlanReview) {
	fmt.Fprintln(w, visible.Line(o.Name))
	if o.Report != nil {
		fmt.Fprintf(w, "\n%s\n", ReportText(o.Report))
	}
	fmt.Fprintln(w, visible.Line(o.Heading()))
	if o.Reason != "" {
		fmt.Fprintf(w, "  %s\n", indented(o.Reason))
	}
	if out := o.LeftOut(); out != "" {
		fmt.Fprintf(w, "\n%s", out)
	}
	for i := range o.Comments {
		c := &o.Comments[i]
		fmt.Fprintf(w, "\n%s  %s  %s  %s\n", c.ID, c.State, visible.Line(c.About()), desk.Said(c.By, c.Via))
		for _, l := range c.Quote[:min(len(c.Quote), mostQuoted)] {
			fmt.Fprintf(w, "  | %s\n", visible.Line(l))
		}
		if more := len(c.Quote) - mostQuoted; more > 0 {
			fmt.Fprintf(w, "  | … %s\n", model.Plural(more, "more line", "more lines"))
		}
		fmt.Fprintf(w, "  %s\n", indented(c.Text))
		for _, r := range c.Replies {
			text := r.State
			if r.Text != "" {
				text += ": " + r.Text
			}
			fmt.Fprintf(w, "  → %s, revision %d, %s\n", desk.Said(r.By, r.Via), r.Revision, indented(text))
		}
	}
}

func indented(text string) string {
	return strings.ReplaceAll(visible.String(strings.TrimSpace(text)), "\n", "\n  ")
}

// ReportText is the report on finished work for people: the first thing to read where it is judged.
func ReportText(r *desk.WorkReport) string {
	return fmt.Sprintf("%s\n  %s\n", r.Heading(), indented(r.Text))
}
