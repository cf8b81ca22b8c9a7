package detail

import (
	"strings"

	"vespe/model"
	"vespe/ui/markdown"
	"vespe/ui/text"
)

// requests are the questions about the task: those that wait, and those that were answered and
// nothing has come of yet. Each leads to the whole of it.
func (s *writer) requests(t *model.Task) {
	var open, answered []model.Request
	for _, r := range s.d.snap.Requests() {
		switch {
		case r.TaskUID != t.UID:
		case r.IsOpen():
			open = append(open, r)
		case r.Answer != nil && r.Answer.ActedBy == "" && r.State != model.RequestSuperseded:
			answered = append(answered, r)
		}
	}
	if len(open) > 0 {
		s.head("Waits for you", "")
	}
	for i := range open {
		s.request(&open[i])
	}
	if len(answered) > 0 {
		s.head("Answered, not acted on yet", "")
	}
	for i := range answered {
		s.request(&answered[i])
	}
}

// askedTitles are the titles of what holds the task, as its pause joins them.
func (s *writer) askedTitles(t *model.Task) string {
	var titles []string
	for _, r := range s.d.snap.Requests() {
		if r.TaskUID == t.UID && r.IsOpen() && r.Holds() {
			titles = append(titles, strings.TrimSpace(r.Title))
		}
	}
	return strings.Join(titles, "; ")
}

// drawnAtOnce is how many bytes of a text the overview draws as Markdown at once; a longer one it shows as it is written.
const drawnAtOnce = 2 << 10

// request are the rows of one: what is asked, the beginning of the detail, who asks.
func (s *writer) request(r *model.Request) {
	st, d := s.d.st, s.d
	title := r.Title
	if title == "" {
		title = r.Kind
	}
	var lines []string
	for i, l := range s.wrapped(st.Text, title, s.w-4) {
		lead := st.Accent.Render("?") + " "
		if i > 0 {
			lead = text.Spaces(2)
		}
		lines = append(lines, "  "+lead+l)
	}
	if r.Detail != "" && r.Detail != title {
		const most = 3
		body := s.wrapped(st.Muted, r.Detail, s.w-4)
		if !d.raw && len(r.Detail) <= drawnAtOnce {
			if drawn, whole := markdown.Whole(r.Detail, st, s.w-6); whole {
				bar := map[bool]string{true: "|", false: "│"}[st.Options.ASCII]
				body = body[:0]
				for _, l := range drawn { // behind a bar, so that none of it can pass for what vespe says
					body = append(body, st.Border.Render(bar)+" "+l)
				}
			}
		}
		if len(body) > most {
			body = body[:most]
			for len(body) > 1 && strings.TrimSpace(text.Strip(body[len(body)-1])) == "" {
				body = body[:len(body)-1]
			}
			body = append(body, st.Muted.Render(st.Glyph.Ellipsis))
		}
		for _, l := range body {
			lines = append(lines, text.Spaces(4)+l)
		}
	}
	says := []string{actor(r.CreatedBy), d.ago(r.CreatedAt)}
	if r.Kind != "" {
		says = append(says, words(r.Kind))
	}
	if r.Risk != "" {
		says = append(says, words(r.Risk)+" risk")
	}
	if state := r.StateAt(d.now); state != model.RequestPending && r.Answer == nil {
		says = append(says, words(state))
	}
	var by []string
	for _, w := range says {
		if w != "" {
			by = append(by, w)
		}
	}
	for _, l := range s.wrapped(st.Faint, strings.Join(by, ", "), s.w-4) {
		lines = append(lines, text.Spaces(4)+l)
	}
	if says := answered(r); says != "" {
		for _, l := range s.wrapped(st.Text, says, s.w-4) {
			lines = append(lines, text.Spaces(4)+l)
		}
	}
	if len(lines) == 0 {
		return
	}
	s.p.addStop(lines...)
	d.overLinks = append(d.overLinks, "")
	d.overAsks[len(d.overLinks)-1] = r.ID
}

// answered is what a person has answered, in a line; "" where nobody has.
func answered(r *model.Request) string {
	a := r.Answer
	if a == nil {
		return ""
	}
	line := words(r.State) + " by " + actor(a.By)
	for _, says := range []string{words(a.Choice), words(a.Text), words(string(a.Args))} {
		if says != "" {
			line += ": " + says
		}
	}
	return line
}
