package request

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

func (s *writer) options() {
	if len(s.q.Options) == 0 {
		return
	}
	note := ""
	if slices.Contains(s.q.Allowed(), model.DecideChoose) {
		note = "the number chooses"
		if s.v.box == nil && !s.v.fits {
			note = strings.TrimSpace(s.k.host.Hint(keymap.Open, "opens it, and") + " the number chooses")
		}
		if len(s.q.Options) > len(s.k.chooseKeys()) {
			note += "; " + s.k.host.Hint(keymap.RequestOptions, "lists all")
		}
	}
	s.head("Options", note)
	keys := s.k.chooseKeys()
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
func (s *writer) does(option string) {
	c, ok := lifecycle.ChoiceOf(s.q, option)
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
	if _, err := c.Preview(s.k.host.Sight(), s.q, s.k.Actor); err != nil {
		say(s.st.Warn, "not now: "+s.k.host.Refused(model.AnswerRequest.Title(), err).Why)
	}
}

// command adds what would run, with the words marked that destroy things or get around a check, and named below it.
func (s *writer) command(ink style.Ink, body string) {
	found := dangersIn(body)
	s.drawn(body, func(l string) string {
		var marks [][2]int
		for _, w := range found {
			marks = append(marks, rows.Occurrences(l, w)...)
		}
		slices.SortFunc(marks, func(x, y [2]int) int { return cmp.Compare(x[0], y[0]) })
		return rows.NewLine(text.Width(l), style.Ink{}).AddMatches(ink, s.st.Bad, l, marks).String()
	})
	if len(found) == 0 {
		return
	}
	for _, line := range text.Wrap(s.st.Glyph.Warning+" "+text.SafeLine(strings.Join(found, ", ")), s.w) {
		s.add(s.st.Bad.Render(line))
	}
}

// dangerWords are the words that a request marks, in lower case. docs/guide.md lists them.
func dangerWords() []string {
	return []string{
		"rm -rf", "rm -fr", "rm -r", "--force", "--hard", "--no-verify", "--delete", "--mirror", "--privileged", "--no-preserve-root",
		"git clean", "git push -f", "sudo", "mkfs", "dd if=", "chmod -r", "chown -r", "shred", "> /dev/", "drop table", "drop database",
		"drop schema", "truncate", "delete from", "| sh", "| bash", "|sh", "|bash", "eval ", "kubectl delete", "terraform destroy",
	}
}

// dangerNotes name the dangerous words of arguments, for a question.
func dangerNotes(list ...[]byte) []string {
	var said []string
	for _, raw := range list {
		said = append(said, argRows(raw)...)
	}
	if found := dangersIn(strings.Join(said, " ")); len(found) > 0 {
		return []string{"Dangerous: " + strings.Join(found, ", ")}
	}
	return nil
}

// dangersIn are the dangerous words of a text, however it is spaced; of two that say the same the longer one.
func dangersIn(body string) (out []string) {
	body = " " + strings.ToLower(strings.Join(strings.Fields(body), " ")) + " "
	for _, w := range dangerWords() {
		if strings.Contains(body, w) && !slices.ContainsFunc(out, func(o string) bool { return strings.Contains(o, w) }) {
			out = append(out, w)
		}
	}
	return out
}
