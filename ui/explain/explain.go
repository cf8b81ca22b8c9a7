// Package explain says why a task stands where it does, and what would come of what may happen to it, as rows of a page.
package explain

import (
	"errors"
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/foresee"
	"vespe/model/schedule"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/text"
)

// Why says what a task waits for, where it stands among what is ready, and when it could end.
func Why(s *snapshot.Snapshot, i int) []dialog.Row {
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
	if st, ok := schedule.Of(s).WhyNext(i); ok {
		out = append(out, dialog.Row{Head: true, Text: "What is next"})
		place := "it is the only one that is ready"
		if st.Of > 1 {
			place = "it is " + schedule.Ordinal(st.Place) + " of " + text.Plural(st.Of, "ready task")
		}
		out = append(out, dialog.Row{Text: place})
		for k, line := range st.Reasons {
			out = append(out, dialog.Row{Text: line, UID: other(st.About[k], t.UID)})
		}
	}
	if lines, about := schedule.Of(s).ProspectsAbout(i); len(lines) > 0 {
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

// InTheWay is why something cannot be done to a task, without the name of what it is.
func InTheWay(s *snapshot.Snapshot, i int, err error) string {
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

// Impact says what likely events would do.
func Impact(s *snapshot.Snapshot, i int, actor model.Actor) []dialog.Row {
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
		title := text.Capital(im.Title)
		if im.Assumed {
			title += ", once it is worked on"
		}
		out = append(out, dialog.Row{Head: true, Text: title})
		if im.Refused != nil {
			out = append(out, dialog.Row{Text: "it cannot be done now: " + InTheWay(s, i, im.Refused)})
			continue
		}
		for k := range im.Tasks {
			x := &im.Tasks[k]
			if k == impactTasks {
				out = append(out, dialog.Row{Text: "and " + text.Plural(len(im.Tasks)-k, "more task")})
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
			out = append(out, dialog.Row{Text: "and " + text.Plural(more, "more task")})
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
