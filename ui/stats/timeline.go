package stats

import (
	"fmt"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/chart"
	"vespe/model/history"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Timeline draws the life of a task in lines of w cells: a bar of its statuses, who was waited for, and
// the statuses one after the other with what happened in them. now has the zone of the times.
func Timeline(st *style.Styles, t *history.Timeline, c *history.Chronicle, now time.Time, w int) []string {
	if t == nil || len(t.Spans) == 0 {
		return []string{st.Muted.Render(text.Truncate("The history of this task is empty.", w))}
	}
	d := drawer{st: st, w: w, ascii: st.Options.ASCII}
	return join(d.life(t, now), d.waited(t), d.list(t, c, now))
}

// life is the bar: the sign of each status in its ink for as long as it lasted, and the times below.
func (d *drawer) life(t *history.Timeline, now time.Time) []string {
	lengths := make([]time.Duration, len(t.Spans))
	for k := range t.Spans {
		lengths[k] = t.Spans[k].Length()
	}
	signs, blocks := rows.NewLine(d.w, style.Ink{}), rows.NewLine(d.w, style.Ink{})
	for k, n := range chart.Split(lengths, d.w) {
		if n == 0 {
			continue
		}
		glyph, ink := d.st.Status(t.Spans[k].Status)
		signs.Add(ink, glyph).Add(ink, text.Spaces(n-1))
		if d.st.Options.NoColor {
			blocks.Add(ink, strings.Repeat(glyph, n))
			continue
		}
		blocks.Add(ink, strings.Repeat(block(d.ascii), n))
	}
	first, last := stamp(t.From, now), "now"
	if !t.Spans[len(t.Spans)-1].Open || !t.Spans[len(t.Spans)-1].Status.Open() {
		last = stamp(t.To, now)
	}
	times := rows.NewLine(d.w, style.Ink{}).Add(d.st.Faint, first)
	middle := t.From.Add(t.To.Sub(t.From) / 2)
	if at := stamp(middle, now); d.w > 60 {
		times.To((d.w-text.Width(at))/2).Add(d.st.Faint, at)
	}
	times.To(d.w-text.Width(last)).Add(d.st.Faint, last)
	if d.st.Options.NoColor {
		return []string{blocks.String(), times.String()}
	}
	return []string{signs.String(), blocks.String(), times.String()}
}

func block(ascii bool) string {
	if ascii {
		return "="
	}
	return "━"
}

// stamp is a moment, short: the year only when it differs.
func stamp(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Year() != now.Year() {
		return t.Format("2 Jan 2006 15:04")
	}
	return t.Format("2 Jan 15:04")
}

// waited says how long the task took, and who was waited for.
func (d *drawer) waited(t *history.Timeline) []string {
	out := []string{d.head("Total", text.PadLeft(lasting(t.To.Sub(t.From)), 16))}
	var all history.Seconds
	for _, w := range t.Waited {
		all += w
	}
	for p := model.ForPeople; p < model.NumParties; p++ {
		if t.Waited[p] == 0 {
			continue
		}
		ink, name := partyLook(d.st, p)
		share := float64(t.Waited[p]) / float64(max(1, all))
		l := d.row(d.st.Text, "for "+name).Add(d.st.Text, fmt.Sprintf("%6.0f%%", 100*share)).Add(d.st.Muted, text.PadLeft(total(t.Waited[p]), 9)).Space(2)
		out = append(out, l.Add(ink, chart.Bar(share, max(0, min(40, l.Left())), d.ascii)).String())
	}
	if t.Rounds > 0 {
		out = append(out, d.row(d.st.Text, "verdicts").Add(d.st.Text, text.PadLeft(text.Count(t.Rounds), 7)).String())
	}
	if t.Retries > 0 {
		out = append(out, d.row(d.st.Text, "retries").Add(d.st.Text, text.PadLeft(text.Count(t.Retries), 7)).String())
	}
	return out
}

const (
	stampWidth = 20
	wordWidth  = model.LabelWidth
)

// list is a line for each status and below it one for each event.
func (d *drawer) list(t *history.Timeline, c *history.Chronicle, now time.Time) []string {
	var out []string
	for k, sp := range t.Spans {
		glyph, ink := d.st.Status(sp.Status)
		l := rows.NewLine(d.w, style.Ink{})
		l.Add(d.st.Muted, text.Pad(stamp(sp.From, now), stampWidth)).Add(ink, glyph+" "+text.Pad(sp.Status.Label(), wordWidth))
		if sp.Status.WaitsFor() != model.ForNobody {
			partyInk, party := partyLook(d.st, sp.Status.WaitsFor())
			l.Space(2).Add(d.st.Bold, text.PadLeft(lasting(sp.Length()), 8)).Space(2).Add(partyInk, "for "+party)
			if sp.Open {
				l.Add(d.st.Faint, ", by now")
			}
		}
		out = append(out, l.String())
		for _, m := range t.Within[k] {
			out = append(out, d.event(&c.Moments[m], now))
		}
	}
	return out
}

func (d *drawer) event(m *history.Moment, now time.Time) string {
	l := rows.NewLine(d.w, style.Ink{})
	sign, ink := d.st.Actor(m.Actor())
	l.Space(2).Add(d.st.Faint, text.Pad(stamp(m.When(), now), stampWidth-2)).Add(ink, sign).Space(1)
	l.Add(d.st.Muted, text.SafeLine(m.Actor().Name())).Space(1).Add(d.st.Text, " "+text.SafeLine(m.Name().Past()))
	if r := model.RowText("", m.Reason); r != "" {
		l.Space(2).Add(d.st.Muted, text.SafeLine(r))
	}
	return l.String()
}
