package dialog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Ask is what a question says. Its no has the focus.
type Ask struct {
	Title, Summary, Yes string
	Notes               []string
	Brief               int    // how many notes stand there at first; 0 for all
	More                string // how the others are shown, after a semicolon
	Affected, Details   []overlay.Affected
	Danger              bool
	Sure                bool // what is asked has high risk, and its yes is another key: ConfirmSure
	Bottom              bool
	Accepts             bool           // its yes is an approval
	Quits               bool           // its yes ends the program
	Differs             func() tea.Cmd // shows what changed, in place of the question; nil for nothing to show
	Done                func() tea.Cmd
}

// Question asks for a yes.
type Question struct {
	Frame
	Confirm *overlay.Confirm
	ask     Ask
	sure    string // says which key is the yes, where it is not the usual one
	// changed is what it says of texts that no longer exist as it shows them.
	changed []string
}

// NewQuestion is a question.
func NewQuestion(st *style.Styles, keys *keymap.Keymap, in Ask) Question {
	yes, sure := keymap.ConfirmYes, ""
	if in.Sure {
		yes = keymap.ConfirmSure
		sure = fmt.Sprintf("High risk: press %s, not %s.", keys.Label(yes), keys.Label(keymap.ConfirmYes))
	}
	box := overlay.NewConfirm(st, overlay.ConfirmOptions{
		Title: in.Title, Summary: in.Summary, Warnings: in.Notes, Affected: in.Affected,
		Brief: in.Brief, More: in.More, Yes: in.Yes, No: "Cancel", Dangerous: in.Danger, Details: in.Details,
		YesLabel: keys.Label(yes), NoLabel: keys.Label(keymap.ConfirmNo),
	})
	return Question{Frame: Frame{Box: box, Scope: keymap.Confirm, Bottom: in.Bottom, Quits: in.Quits}, Confirm: box, ask: in, sure: sure}
}

// Can leaves out what only dialogs have.
func (q *Question) Can(action keymap.Action) Can {
	c := Can{Later: q.Waits() && action != keymap.ConfirmNo}
	switch action {
	case keymap.ConfirmYes:
		c.No = q.ask.Sure
	case keymap.ConfirmSure:
		c.No = !q.ask.Sure
	case keymap.ConfirmDetails:
		c.No = len(q.ask.Details) == 0 && (q.ask.Brief == 0 || len(q.ask.Notes) <= q.ask.Brief)
	case keymap.ConfirmDiff:
		c.No = q.ask.Differs == nil
	case keymap.ConfirmRead, keymap.ConfirmReject, keymap.ConfirmParts, keymap.ConfirmNotes:
		c.No = true
	}
	if action == keymap.ConfirmYes || action == keymap.ConfirmSure || action == keymap.ConfirmNotes {
		c.Later = c.Later || q.Confirm.Voided()
	}
	return c
}

// Do keeps the box from what it cannot. The key that asked about high risk doesn't confirm: it shows which key does.
func (q *Question) Do(action keymap.Action) (tea.Cmd, bool) {
	if action == keymap.ConfirmYes && q.sure != "" {
		q.Confirm.Warn(q.sure)
		q.sure = ""
	}
	if action == keymap.ConfirmDiff && q.ask.Differs != nil {
		return q.ask.Differs(), true
	}
	return nil, q.Can(action).No
}

// On does what it asks for after a yes.
func (q *Question) On(out overlay.Outcome) tea.Cmd {
	if _, ok := out.(overlay.Confirmed); ok {
		return q.ask.Done()
	}
	return nil
}

// Outdated says that what stands there can no longer be accepted.
func (q *Question) Outdated(says string) {
	if slices.Contains(q.changed, says) {
		return
	}
	q.Confirm.Warn(says)
	q.Confirm.Void()
	q.changed = append(q.changed, says)
}

// Replaces takes the place of another question.
func (q *Question) Replaces(was *Question) {
	for _, says := range was.changed {
		q.Outdated(says)
	}
	was.on.Drop(was)
}

// Line is a line to be typed: a reason, a name.
type Line struct {
	Title, Summary, Label, Help, Value string
	Notes                              []string
	Required                           bool
	Check                              func(string) error
	Done                               func(string) tea.Cmd
}

// prompt asks for a line.
type prompt struct {
	Frame
	done func(string) tea.Cmd
}

// NewPrompt asks for a line.
func NewPrompt(st *style.Styles, in Line) Dialog {
	note := strings.Join(append([]string{in.Summary}, in.Notes...), "\n")
	placeholder := in.Help
	switch {
	case in.Required:
	case placeholder == "":
		placeholder = "optional"
	default:
		placeholder += " (optional)"
	}
	box := overlay.NewPrompt(st, overlay.PromptOptions{
		Title: in.Title, Label: text.Capital(in.Label), Value: in.Value, Placeholder: placeholder, Note: note,
		Check: func(typed string) error {
			if in.Required && strings.TrimSpace(typed) == "" {
				return errors.New("The " + in.Label + " cannot be blank.")
			}
			if in.Check != nil {
				return in.Check(strings.TrimSpace(typed))
			}
			return nil
		},
	})
	return &prompt{Frame{Box: box, Scope: keymap.Prompt}, in.Done}
}

// Can leaves out what a line in the footer has.
func (p *prompt) Can(action keymap.Action) Can {
	switch action {
	case keymap.PromptComplete, keymap.PromptNext, keymap.PromptPrev:
		return Can{No: true}
	}
	return Can{}
}

func (p *prompt) On(out overlay.Outcome) tea.Cmd {
	if sent, ok := out.(overlay.Sent); ok {
		return p.done(strings.TrimSpace(sent.Text))
	}
	return nil
}

// Unseen says how much of a text a person has not seen.
func Unseen(percent int, of string) string {
	if percent == 0 {
		return "you have not seen " + of
	}
	return fmt.Sprintf("you have seen only %d%% of %s", percent, of)
}
