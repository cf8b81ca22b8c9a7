package runs

import (
	"strings"
	"time"

	"vespe/model"
	"vespe/ui/style"
	"vespe/ui/text"
)

// AttemptLook says how an attempt is drawn.
type AttemptLook struct {
	Here  bool // it is the one on screen
	Waits bool // while it is under way, it waits for somebody
	Zone  *time.Location
}

// whyRows is how many rows of why an attempt came to what it did are drawn.
const whyRows = 3

// Attempt draws an attempt at a task in rows of at most w cells: what came of it, by whom, when, for how
// much, and below that why.
func Attempt(st *style.Styles, r *Run, look AttemptLook, w int) []string {
	live := r.Run.Live()
	glyph, ink := Look(st, r, live && look.Waits, live)
	word := Outcome(&r.Run)
	if live {
		word = "under way"
	}
	mark := "  "
	if look.Here {
		mark = st.Marker.Render(st.Glyph.Arrow) + " "
	}
	head := mark + ink.Render(glyph) + " " + st.Bold.Render("attempt "+text.Count(r.Attempt)) + "  " + ink.Render(text.SafeLine(word))
	parts := []string{text.SafeLine(r.Worker.Name())}
	if d := r.Took(); d > 0 {
		parts = append(parts, Span(d))
	}
	if !r.Started.IsZero() {
		parts = append(parts, r.Started.In(look.Zone).Format("2 Jan 15:04"))
	}
	if r.Report != nil {
		if s := Dollars(r.Report.Cost); s != "" {
			parts = append(parts, s)
		}
		if c := r.Report.Result; c != "" {
			parts = append(parts, "commit "+text.SafeLine(c[:min(len(c), 10)]))
		}
	}
	head += "  " + st.Muted.Render(strings.Join(parts, " "+st.Glyph.Dot+" "))
	out := []string{text.Truncate(head, w)}
	if r.Report == nil {
		return out
	}
	for line := range strings.SplitSeq(strings.TrimSpace(r.Report.Why), "\n") {
		for _, s := range text.Wrap(text.SafeLine(line), max(1, w-6)) {
			if len(out) == 1+whyRows {
				out[whyRows] = text.Truncate(out[whyRows]+" "+st.Glyph.Ellipsis, w)
				return out
			}
			if strings.TrimSpace(s) != "" {
				out = append(out, text.Truncate("      "+st.Text.Render(s), w))
			}
		}
	}
	return out
}

// AttemptOf is which attempt at its task a run is, from 1; older are before it.
func AttemptOf(r *model.Run, older int) int {
	if r.Report != nil && r.Report.Attempt > 0 {
		return r.Report.Attempt
	}
	return older + 1
}
