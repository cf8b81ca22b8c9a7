package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/overlay"
)

// confirmInput is a question with a yes and a no. The no has the focus.
type confirmInput struct {
	title, summary, yes string
	notes               []string
	affected, details   []overlay.Affected
	danger              bool
	sure                bool // its yes is ConfirmSure
	bottom              bool
	accepts             bool // its yes is an approval
	quits               bool // its yes ends the program
	done                func() tea.Cmd
}

// question asks for a yes.
type question struct {
	window
	confirm *overlay.Confirm
	sure    bool // what is asked has high risk, and its yes is another key
	details bool // there is more to show than the question says
	done    func() tea.Cmd
	// changed is what it says of texts that no longer exist as it shows them.
	changed []string
}

// question makes one.
func (a *App) question(in confirmInput) question {
	unruled := a.unruled()
	if in.accepts && unruled != nil {
		in.notes = append([]string{"You can't accept anything, because vespe can't tell which approvals are valid: " + unruled.Error()}, in.notes...)
	}
	yes := keymap.ConfirmYes
	if in.sure {
		yes = keymap.ConfirmSure
	}
	box := overlay.NewConfirm(a.st, overlay.ConfirmOptions{
		Title: in.title, Summary: in.summary, Warnings: in.notes, Affected: in.affected,
		Yes: in.yes, No: "Cancel", Dangerous: in.danger, Details: in.details,
		YesLabel: a.deps.Keymap.Label(yes), NoLabel: a.deps.Keymap.Label(keymap.ConfirmNo),
	})
	if in.accepts && unruled != nil {
		box.Void()
	}
	return question{
		window:  window{a: a, box: box, scope: keymap.Confirm, bottom: in.bottom, quits: in.quits},
		confirm: box, sure: in.sure, details: len(in.details) > 0, done: in.done,
	}
}

func (a *App) openConfirm(in confirmInput) tea.Cmd {
	q := a.question(in)
	return a.push(&q)
}

func (q *question) Can(action keymap.Action) can {
	c := can{later: q.wait != 0 && action != keymap.ConfirmNo}
	switch action {
	case keymap.ConfirmYes:
		c.no = q.sure
	case keymap.ConfirmSure:
		c.no = !q.sure
	case keymap.ConfirmDetails:
		c.no = !q.details
	case keymap.ConfirmDiff, keymap.ConfirmRead, keymap.ConfirmReject, keymap.ConfirmParts, keymap.ConfirmNotes:
		c.no = true
	}
	if action == keymap.ConfirmYes || action == keymap.ConfirmSure || action == keymap.ConfirmNotes {
		c.later = c.later || q.confirm.Voided()
	}
	return c
}

func (q *question) Do(action keymap.Action) (tea.Cmd, bool) { return nil, q.Can(action).no }

func (q *question) On(out overlay.Outcome) tea.Cmd {
	if _, ok := out.(overlay.Confirmed); ok {
		return q.done()
	}
	return nil
}

// outdated says that what stands there can no longer be accepted.
func (q *question) outdated(says string) {
	q.confirm.Warn(says)
	q.confirm.Void()
	q.changed = append(q.changed, says)
}

// replaces takes the place of another question.
func (q *question) replaces(was *question) {
	for _, says := range was.changed {
		q.outdated(says)
	}
	q.a.drop(was)
}

// promptInput is a line to be typed: a reason, a name.
type promptInput struct {
	title, summary, label, help, value string
	notes                              []string
	required                           bool
	check                              func(string) error
	done                               func(string) tea.Cmd
}

// prompt asks for a line.
type prompt struct {
	window
	done func(string) tea.Cmd
}

func (a *App) openPrompt(in promptInput) tea.Cmd {
	note := strings.Join(append([]string{in.summary}, in.notes...), "\n")
	placeholder := in.help
	if placeholder == "" && !in.required {
		placeholder = "optional"
	}
	box := overlay.NewPrompt(a.st, overlay.PromptOptions{
		Title: in.title, Label: capital(in.label), Value: in.value, Placeholder: placeholder, Note: note,
		Check: func(typed string) error {
			if in.required && strings.TrimSpace(typed) == "" {
				return sentence("The " + in.label + " cannot be blank.")
			}
			if in.check != nil {
				return plainRefusal(in.check(strings.TrimSpace(typed)))
			}
			return nil
		},
	})
	return a.push(&prompt{window{a: a, box: box, scope: keymap.Prompt}, in.done})
}

// Can leaves out what a line in the footer has.
func (p *prompt) Can(action keymap.Action) can {
	switch action {
	case keymap.PromptComplete, keymap.PromptNext, keymap.PromptPrev:
		return can{no: true}
	}
	return can{}
}

func (p *prompt) On(out overlay.Outcome) tea.Cmd {
	if sent, ok := out.(overlay.Sent); ok {
		return p.done(strings.TrimSpace(sent.Text))
	}
	return nil
}

// plainRefusal says a refusal as a sentence beneath a line of text.
func plainRefusal(err error) error {
	if err == nil {
		return nil
	}
	n := refusalNotice("", err)
	return sentence(capital(joinHints(n.why, n.hint)) + ".")
}

type sentence string

func (s sentence) Error() string { return string(s) }
