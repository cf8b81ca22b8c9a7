package stats

import (
	"fmt"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/board"
	"vespe/model/chart"
	"vespe/model/history"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

const (
	labelWidth = 20
	showTimes  = 52 // cells of a block from which on it has all figures of times
	showTotals = 60 // cells of a block from which on it has the sums of times
	widestDay  = 3  // cells
	leastBlock = 54 // cells of a block; two stand side by side from twice that on
	mostBlock  = 84
	blockGap   = 4
)

// Stats draws statistics in lines of at most w cells.
func Stats(st *style.Styles, s *history.Stats, w int) []string {
	d := drawer{st: st, w: w, ascii: st.Options.ASCII}
	if s.Events == 0 {
		return []string{st.Muted.Render(text.Truncate("No activity in that time.", w))}
	}
	side := w >= 2*leastBlock+blockGap
	if side {
		d.w = (w - blockGap) / 2
	}
	d.w = min(d.w, mostBlock)
	left := join(d.throughput(s), d.waiting(s), d.actors(s))
	right := join(d.statuses(s), d.lengths(s), d.counts(s))
	if !side {
		return join(left, right)
	}
	out := make([]string, max(len(left), len(right)))
	for y := range out {
		a, b := "", ""
		if y < len(left) {
			a = left[y]
		}
		if y < len(right) {
			b = right[y]
		}
		out[y] = text.Pad(a, d.w+blockGap) + b
	}
	return out
}

// join sets blocks one below the other, a blank line between them.
func join(blocks ...[]string) []string {
	var out []string
	for _, b := range blocks {
		if len(b) == 0 {
			continue
		}
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, b...)
	}
	return out
}

// drawer draws lines of w cells.
type drawer struct {
	st    *style.Styles
	w     int
	ascii bool
}

// head is the first line of a block, with the names of its columns, each as wide as it says.
func (d *drawer) head(title string, columns ...string) string {
	l := rows.NewLine(d.w, style.Ink{})
	l.Add(d.st.Heading, text.Pad(title, labelWidth))
	for _, c := range columns {
		l.Add(d.st.Faint, c)
	}
	return l.String()
}

// row begins a line with a label.
func (d *drawer) row(ink style.Ink, label string) *rows.Line {
	l := rows.NewLine(d.w, style.Ink{})
	return l.Space(1).Add(ink, text.Pad(text.Truncate(label, labelWidth-2), labelWidth-1))
}

func flowInk(st *style.Styles, f history.Flows) style.Ink {
	switch f {
	case history.FlowDone, history.FlowFinished, history.FlowAccepted:
		return st.Good
	case history.FlowErrors, history.FlowFailed:
		return st.Bad
	case history.FlowSentBack:
		return st.Warn
	}
	return st.Info
}

func (d *drawer) throughput(s *history.Stats) []string {
	room := max(0, d.w-labelWidth-16)
	_, each := chart.Bins(make([]int, len(s.Days)), room)
	per := "by day"
	if each > 1 {
		per = fmt.Sprintf("by %d days", each)
	}
	out := []string{d.head("Throughput", "  total", "  a day", "  "+per)}
	for f := range history.NumFlows {
		bins, _ := chart.Bins(s.Flow[f].Daily, room)
		ink := d.st.Text
		if s.Flow[f].Total == 0 {
			ink = d.st.Faint
		}
		l := d.row(ink, f.String())
		l.Add(ink, text.PadLeft(text.Count(s.Flow[f].Total), 7)).Add(d.st.Muted, fmt.Sprintf("%7.1f", s.PerDay(f)))
		out = append(out, l.Space(2).Add(flowInk(d.st, f), chart.Stretch(chart.Spark(bins, d.ascii), min(widestDay, room/max(1, len(bins))))).String())
	}
	return out
}

// partyLook is the ink of who is waited for, and what it is called.
func partyLook(st *style.Styles, p model.Party) (style.Ink, string) {
	switch p {
	case model.ForPeople:
		return st.Accent, "people"
	case model.ForAgents:
		return st.Info, "agents"
	case model.ForTasks:
		return st.Violet, "other tasks"
	}
	return st.Muted, "a pause"
}

func (d *drawer) waiting(s *history.Stats) []string {
	out := []string{d.head("Waiting for", "  share", "     time")}
	room := max(0, d.w-labelWidth-18)
	for p := model.ForPeople; p < model.NumParties; p++ {
		ink, name := partyLook(d.st, p)
		share := s.WaitedShare(p)
		l := d.row(d.st.Text, name).Add(d.st.Text, fmt.Sprintf("%6.0f%%", 100*share)).Add(d.st.Muted, text.PadLeft(total(s.Waited[p]), 9))
		out = append(out, l.Space(2).Add(ink, chart.Bar(share, room, d.ascii)).String())
	}
	return out
}

// lasting is a time, "-" for none.
func lasting(d time.Duration) string {
	if d <= 0 {
		return "-"
	}
	return history.LastingLong(d)
}

func total(s history.Seconds) string {
	if s <= 0 {
		return "-"
	}
	return s.String()
}

func (d *drawer) statuses(s *history.Stats) []string {
	columns := []string{"    now", "  times", "  median", "      90%", "    total"}
	switch {
	case d.w < showTimes:
		columns = []string{"    now", "  median"}
	case d.w < showTotals:
		columns = columns[:4]
	}
	out := []string{d.head("Time in a status", columns...)}
	var most history.Seconds
	for _, t := range s.InStatus {
		most = max(most, t.Total)
	}
	room := max(0, d.w-labelWidth-42)
	for _, status := range board.Order() {
		t := s.InStatus[status]
		if t.N == 0 && t.Now == 0 {
			continue
		}
		glyph, ink := d.st.Status(status)
		l := rows.NewLine(d.w, style.Ink{})
		l.Space(1).Add(ink, text.Pad(glyph+" "+status.Label(), labelWidth-1)).Add(d.st.Text, text.PadLeft(text.Count(t.Now), 7))
		if t.N > 0 {
			if d.w >= showTimes {
				l.Add(d.st.Muted, text.PadLeft(text.Count(t.N), 7))
			}
			l.Add(d.st.Text, text.PadLeft(history.LastingLong(t.Median), 8))
			if d.w >= showTimes {
				l.Add(d.st.Muted, text.PadLeft(history.LastingLong(t.P90), 9))
			}
			if d.w >= showTotals {
				l.Add(d.st.Muted, text.PadLeft(t.Total.String(), 9))
			}
			l.Space(2).Add(ink, chart.Bar(float64(t.Total)/float64(max(1, most)), room, d.ascii))
		}
		out = append(out, l.String())
	}
	return out
}

func (d *drawer) lengths(s *history.Stats) []string {
	columns := []string{"  times", "  median", "      90%"}
	if d.w < showTimes {
		columns = columns[:2]
	}
	out := []string{d.head("How long", columns...)}
	for _, r := range []struct {
		name string
		l    history.Lengths
	}{
		{"until a verdict", s.Verdict}, {"until an answer", s.Answer}, {"start to finish", s.Work}, {"created to done", s.Lead},
	} {
		l := d.row(d.st.Text, r.name)
		if r.l.N == 0 {
			out = append(out, l.Add(d.st.Faint, text.PadLeft("none", 7)).String())
			continue
		}
		l.Add(d.st.Muted, text.PadLeft(text.Count(r.l.N), 7)).Add(d.st.Text, text.PadLeft(history.LastingLong(r.l.Median), 8))
		if d.w >= showTimes {
			l.Add(d.st.Muted, text.PadLeft(history.LastingLong(r.l.P90), 9))
		}
		out = append(out, l.String())
	}
	return out
}

// counts are the rounds of review and the retries, each as a bar a number.
func (d *drawer) counts(s *history.Stats) []string {
	block := func(title string, counts []int, from int, name func(n int) string) []string {
		const mostRows = 6
		most, rest := 0, 0
		for n, k := range counts {
			if n >= from {
				most = max(most, k)
			}
			if n >= from+mostRows {
				rest += k
			}
		}
		if most == 0 {
			return nil
		}
		out := []string{d.head(title)}
		add := func(label string, k int) {
			l := d.row(d.st.Text, label).Add(d.st.Text, text.PadLeft(text.Count(k), 7)).Space(2)
			out = append(out, l.Add(d.st.Info, chart.Bar(float64(k)/float64(most), max(0, min(30, l.Left())), d.ascii)).String())
		}
		for n := from; n < len(counts) && n < from+mostRows; n++ {
			add(name(n), counts[n])
		}
		if rest > 0 {
			add("more often", rest)
		}
		return out
	}
	return join(
		block("Plans accepted by", s.Rounds, 1, func(n int) string {
			return "the " + ordinal(n) + " verdict"
		}),
		block("Tasks retried", s.Retries, 0, func(n int) string {
			return [3]string{"never", "once", "twice"}[min(n, 2)] + map[bool]string{true: fmt.Sprintf(" and %d more", n-2)}[n > 2]
		}),
	)
}

func ordinal(n int) string {
	switch n {
	case 1:
		return "first"
	case 2:
		return "second"
	case 3:
		return "third"
	}
	return fmt.Sprintf("%dth", n)
}

func (d *drawer) actors(s *history.Stats) []string {
	if len(s.Actors) == 0 {
		return nil
	}
	const most = 8
	out := []string{d.head("Who did it", " events")}
	for k, a := range s.Actors {
		if k == most {
			out = append(out, d.row(d.st.Faint, fmt.Sprintf("and %d more", len(s.Actors)-most)).String())
			break
		}
		sign, ink := d.st.Actor(a.Actor)
		l := rows.NewLine(d.w, style.Ink{})
		l.Space(1).Add(ink, sign).Space(1).Add(d.st.Text, text.Pad(text.SafeLine(a.Actor.Name()), labelWidth-3)).Add(d.st.Text, text.PadLeft(text.Count(a.N), 7)).Space(2)
		out = append(out, l.Add(ink, chart.Bar(float64(a.N)/float64(s.Actors[0].N), max(0, min(30, l.Left())), d.ascii)).String())
	}
	return out
}

// Period is what a Stats counts, in words.
func Period(s *history.Stats) string {
	zone := s.To.Location()
	from, to := s.From.In(zone).Format("2 Jan 2006"), s.To.Format("2 Jan 2006")
	if from == to {
		return to
	}
	return strings.Join([]string{from, to}, " to ")
}
