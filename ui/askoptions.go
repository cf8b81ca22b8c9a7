package ui

import (
	"slices"
	"strconv"
	"strings"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/style"
	"vespe/ui/text"
)

func (s *askSheet) options() {
	if len(s.q.Options) == 0 {
		return
	}
	note := ""
	if slices.Contains(s.q.Allowed(), model.DecideChoose) {
		note = "the number chooses"
		if s.v.box == nil && !s.v.picked {
			note = strings.TrimSpace(s.a.keyHint(keymap.Open, "opens it, and") + " the number chooses")
		}
		if len(s.q.Options) > len(s.a.chooseKeys()) {
			note += "; " + s.a.keyHint(keymap.RequestOptions, "lists all")
		}
	}
	s.head("Options", note)
	keys := s.a.chooseKeys()
	for i, o := range s.q.Options {
		label := strconv.Itoa(i + 1)
		if i < len(keys) {
			label = keymap.KeyLabel(keys[i])
		}
		lead := s.st.Key.Render(text.PadLeft(label, 3)) + "  "
		for _, l := range text.Wrap(text.SafeLine(o), max(4, s.w-5)) {
			s.add(lead + s.st.Text.Render(l))
			lead = text.Spaces(5)
		}
		s.does(o)
	}
}

// does says what an option does by itself, or why it cannot now.
func (s *askSheet) does(option string) {
	c, ok := s.q.ChoiceOf(option)
	if !ok || !s.q.IsOpen() || s.v.gone {
		return
	}
	say := func(ink style.Ink, words string) {
		for _, l := range text.Wrap(text.SafeLine(words), max(4, s.w-5)) {
			s.add(text.Spaces(5) + ink.Render(l))
		}
	}
	words := c.Does
	if c.Words {
		words += " You give a reason."
	}
	say(s.st.Muted, words)
	if _, err := c.Preview(sight{s.a.snap, s.a.sheets()}, s.q, s.a.deps.Actor); err != nil {
		say(s.st.Warn, "not now: "+s.a.refused(s.a.title(model.AnswerRequest), err).why)
	}
}
