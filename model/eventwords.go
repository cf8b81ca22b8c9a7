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
	switch e.Name {
	case Ask, Escalate:
		add(e.Text("title"))
	case AnswerRequest:
		if title := strings.Join(strings.Fields(e.Text("title")), " "); title != "" {
			parts = append(parts, plainQuotes(Quote(title)))
		}
		add(answerWords[Decision(e.Text("decision"))].done)
		add(e.Text("choice"))
		add(e.Text("text"))
	case WorkCompleted, Skip:
		add(e.Text("summary"))
	case RenameTask:
		add(e.Summary)
	case SetFields:
		add(e.Text(ProgressKey))
	}
	add(e.Reason)
	return boundRow(strings.Join(parts, ": "))
}

// answerWords are what a decision on a request is called: as what is done, and where something goes along with it, as
// what was done.
var answerWords = map[Decision]struct{ do, done string }{
	DecideAccept:  {"approve", "approved"},
	DecideChoose:  {"choose", ""},
	DecideEdit:    {"approve", "approved with changes"},
	DecideRespond: {"answer", ""},
	DecideDeny:    {"deny", "denied"},
	DecideDefer:   {"defer", "deferred"},
}

// Deed is what somebody does who decides so about a request of this title.
func (d Decision) Deed(title string) Deed {
	if d == DecideEdit {
		title += " with changes"
	}
	return Deed{answerWords[d].do, title}
}

func boundRow(line string) string {
	if len(line) > maxRowWords {
		line = strings.ToValidUTF8(line[:maxRowWords], "") + "…"
	}
	return line
}

// RowText is a row of what happened and the words that go with it, which are bounded and on one line.
// Words that the row says already are left out: of an answer the question and what was decided, after which its words
// stand in place of what came of it.
func RowText(what, words string) string {
	what, words = plainQuotes(what), boundRow(strings.Join(strings.Fields(words), " "))
	if question, err := strconv.QuotedPrefix(words); err == nil { // a journal may be of an older vespe
		words = plainQuotes(question) + words[len(question):]
	}
	answered, said, ok := answeredRow(what, words)
	switch {
	case ok:
		return strings.TrimSuffix(answered+": "+said, ": ")
	case what == "":
		return words
	case words == "", strings.Contains(what, strings.ReplaceAll(words, `"`, "'")), strings.Contains(what, words):
		return what
	}
	return strings.TrimSuffix(what, ".") + ": " + words
}

// plainQuotes are the quotes inside of quotes as people write them.
func plainQuotes(quoted string) string { return strings.ReplaceAll(quoted, `\"`, "'") }

// answeredRow takes apart a row that names a question and words that begin with it.
func answeredRow(what, words string) (row, said string, ok bool) {
	question, err := strconv.QuotedPrefix(words)
	before, rest, found := strings.Cut(what, question)
	answer := words[len(question):]
	if err != nil || !found || answer != "" && !strings.HasPrefix(answer, ": ") { // a name may begin words too
		return "", "", false
	}
	row = before + question
	const about = " about "
	if task, err := strconv.QuotedPrefix(strings.TrimPrefix(rest, about)); err == nil && strings.HasPrefix(rest, about) {
		row += about + task
	}
	said = strings.TrimPrefix(answer, ": ")
	for _, w := range answerWords {
		if w.done != "" && (said == w.done || strings.HasPrefix(said, w.done+": ")) {
			said = strings.TrimPrefix(strings.TrimPrefix(said, w.done), ": ")
			break
		}
	}
	if said == "" { // there is room for what came of it
		return what, "", true
	}
	return row, said, true
}
