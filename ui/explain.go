package ui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/foresee"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/lookback"
)

// explainHandlers are the pages that say why a task stands where it does, and what would come of what
// may happen to it.
func explainHandlers() map[keymap.Action]handler {
	return map[keymap.Action]handler{
		keymap.Why: onTask(func(a *App) tea.Cmd {
			return a.explain("Why", a.selected(), whyLines)
		}),
		keymap.Impact: onTask(func(a *App) tea.Cmd {
			actor := a.deps.Actor
			return a.explain("Impact", a.selected(), func(s *snapshot.Snapshot, i int) []dialog.Row { return impactLines(s, i, actor) })
		}),
	}
}

func lookHandlers() map[keymap.Action]handler {
	period := func(by int) handler {
		return handler{
			do: func(a *App) tea.Cmd { return a.dialogs.Top().(*lookback.Looking).Turn(by) },
			off: func(a *App) string {
				if p, ok := a.dialogs.Top().(*lookback.Looking); !ok || !p.IsStatistics() {
					return "it works in the statistics"
				}
				return ""
			},
		}
	}
	return map[keymap.Action]handler{
		keymap.PeriodLess: period(1),
		keymap.PeriodMore: period(-1),
		keymap.Statistics: {do: func(a *App) tea.Cmd { return lookback.Open(viewHost{a}, a.dialogs) }, off: func(a *App) string {
			if why := a.noTasks(); why != "" || a.snap != nil {
				return why
			}
			return "the store is loading"
		}},
		keymap.Timeline: onTask(func(a *App) tea.Cmd {
			i, _ := a.currentIndex()
			return lookback.OpenTimeline(viewHost{a}, a.dialogs, i)
		}),
	}
}

// explainedPage is a page that has been worked out.
type explainedPage struct {
	title string
	lines []dialog.Row
}

// explain works a page out beside the keys: schedules of a large store take longer than a key may.
func (a *App) explain(title string, uid model.UID, work func(*snapshot.Snapshot, int) []dialog.Row) tea.Cmd {
	snap := a.snap
	i, ok := snap.Index(uid)
	if !ok {
		return nil
	}
	of := title + ": " + a.name(uid)
	return a.await(title, func() opening { return explainedPage{of, work(snap, i)} })
}

func (m explainedPage) open(a *App) tea.Cmd {
	return a.dialogs.Push(dialog.NewLinks(a.st, m.title, a.pageWidth(), m.lines, a.goTo))
}

// whyLines say what a task waits for, where it stands among what is ready, and when it could end.
func whyLines(s *snapshot.Snapshot, i int) []dialog.Row {
	out := []dialog.Row{{Head: true, Text: "Status: " + s.StatusWord(i)}}
	t := s.At(i)
	for _, r := range s.Why(i) {
		words := r.Text
		if r.UID == t.UID && r.Depth == 0 {
			words = "it " + words
		}
		out = append(out, dialog.Row{Depth: r.Depth, Status: r.Status, Glyph: true, Text: words, UID: other(r.UID, t.UID)})
	}
	for _, c := range s.Changes(t) {
		of, _, _ := strings.Cut(c.File, "/")
		row := dialog.Row{Depth: 1, Text: model.FileOf(s, c.File) + " has changed since it was accepted"}
		if _, known := s.Index(model.UID(of)); known {
			row.UID = other(model.UID(of), t.UID)
		}
		out = append(out, row)
	}
	if st, ok := s.WhyNext(i); ok {
		out = append(out, dialog.Row{Head: true, Text: "What is next"})
		place := "it is the only one that is ready"
		if st.Of > 1 {
			place = "it is " + snapshot.Ordinal(st.Place) + " of " + plural(st.Of, "ready task")
		}
		out = append(out, dialog.Row{Text: place})
		for k, line := range st.Reasons {
			out = append(out, dialog.Row{Text: line, UID: other(st.About[k], t.UID)})
		}
	}
	if lines, about := s.ProspectsAbout(i); len(lines) > 0 {
		out = append(out, dialog.Row{Head: true, Text: "When it could be done"})
		for k, line := range lines {
			out = append(out, dialog.Row{Text: line, UID: other(about[k], t.UID)})
		}
	}
	if over := s.Over(i); over != "" {
		out = append(out, dialog.Row{Text: over})
	}
	return out
}

// other is a task when it is not the one that a page is about.
func other(uid, own model.UID) model.UID {
	if uid == own {
		return ""
	}
	return uid
}

// inTheWay is why something cannot be done to a task, without the name of what it is.
func inTheWay(s *snapshot.Snapshot, i int, err error) string {
	var r *model.Refusal
	switch {
	case !errors.As(err, &r):
		return err.Error()
	case r.Guard == model.GuardState:
		return fmt.Sprintf("its status is %s; this needs %s", s.StatusWord(i), r.Op.Needs())
	}
	return r.Why
}

// impactTasks is how many tasks a page names of each kind.
const impactTasks = 30

// impactLines say what likely events would do.
func impactLines(s *snapshot.Snapshot, i int, actor model.Actor) []dialog.Row {
	var out []dialog.Row
	uid := s.UID(i)
	for _, event := range foresee.Events(s, i) {
		im, err := foresee.Ask(s, foresee.Question{UID: uid, Event: event, Actor: actor})
		if err != nil {
			continue
		}
		if len(out) == 0 && im.Refused == nil {
			for _, line := range im.Around() {
				out = append(out, dialog.Row{Text: line})
			}
		}
		title := capital(im.Title)
		if im.Assumed {
			title += ", once it is worked on"
		}
		out = append(out, dialog.Row{Head: true, Text: title})
		if im.Refused != nil {
			out = append(out, dialog.Row{Text: "it cannot be done now: " + inTheWay(s, i, im.Refused)})
			continue
		}
		for k := range im.Tasks {
			x := &im.Tasks[k]
			if k == impactTasks {
				out = append(out, dialog.Row{Text: "and " + plural(len(im.Tasks)-k, "more task")})
				break
			}
			name := x.Name + " "
			if x.UID == uid {
				name = "it "
			}
			out = append(out, dialog.Row{Status: x.To, Glyph: true, Text: name + x.Becomes(), UID: other(x.UID, uid)})
		}
		later := im.Later[:min(len(im.Later), impactTasks)]
		for k := range later {
			x := &later[k]
			out = append(out, dialog.Row{Status: x.To, Glyph: true, Text: x.Name + " " + x.Why, UID: other(x.UID, uid)})
		}
		if more := len(im.Later) - len(later) + im.LaterMore; more > 0 {
			out = append(out, dialog.Row{Text: "and " + plural(more, "more task")})
		}
		rest := *im
		rest.Tasks, rest.Later, rest.LaterMore = nil, nil, 0
		lines := rest.Lines(uid, impactTasks)
		if len(lines)+len(im.Tasks)+len(im.Later) == 0 {
			lines = []string{foresee.Nothing}
		}
		for _, line := range lines {
			out = append(out, dialog.Row{Text: line})
		}
	}
	if len(out) == 0 {
		out = append(out, dialog.Row{Text: "no preview: its files can't be read"})
	}
	return out
}
