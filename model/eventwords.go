package model

import (
	"strconv"
	"strings"
)

// maxRowWords bounds what a row says of an event, in bytes.
const maxRowWords = 300

// RowWords is what a row says of an event beside its name, in one line: what was asked, what was answered and decided, and
// why. It is the words of others, bounded; "" where there is nothing to say.
func (e *Event) RowWords() string {
	var parts []string
	add := func(text string) {
		if text = strings.Join(strings.Fields(text), " "); text != "" && !strings.Contains(strings.Join(parts, "\n"), text) {
			parts = append(parts, text)
		}
	}
	quoted := func(text string) {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			parts = append(parts, strconv.Quote(text))
		}
	}
	switch e.Name {
	case Ask, Escalate:
		add(e.Text("title"))
	case AnswerRequest:
		quoted(e.Text("title"))
		add(e.Text("decision"))
		add(e.Text("choice"))
		add(e.Text("text"))
	case WorkCompleted, Skip:
		add(e.Text("summary"))
	case RenameTask:
		add(e.Summary)
	case SetFields:
		add(e.Text(progressKey))
	}
	add(e.Reason)
	return boundRow(strings.Join(parts, ": "))
}

func boundRow(line string) string {
	if len(line) > maxRowWords {
		line = strings.ToValidUTF8(line[:maxRowWords], "") + "…"
	}
	return line
}

// RowText is a row of what happened and the words that go with it, which are bounded and on one line.
// Words that the row says already are left out.
func RowText(what, words string) string {
	words = boundRow(strings.Join(strings.Fields(words), " "))
	switch {
	case what == "":
		return words
	case strings.Contains(what, words):
		return what
	}
	return what + ": " + words
}

// keptWords is what a journal keeps of an event's words: its reason, or what a row says where that is more.
func (e *Event) keptWords() string {
	row := e.RowWords()
	if row == boundRow(strings.Join(strings.Fields(e.Reason), " ")) {
		return cutWords(e.Reason)
	}
	return strings.TrimPrefix(strings.TrimPrefix(row, e.Summary), ": ") // a rename's summary says it
}
