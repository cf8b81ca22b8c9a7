package overlay

import (
	"errors"
	"fmt"

	"vespe/internal/viewtest"
	"vespe/ui/style"
)

func entries() []Entry {
	return []Entry{
		{"task.accept", "Accept the plan", "Review", "A person accepts what is on the screen.", "a", "", "", false, false},
		{"task.reject", "Reject the plan", "Review", "Back to planning, with a reason.", "r", "", "", false, false},
		{"task.start", "Start", "Lifecycle", "Open a run.", "s", "its plan is not accepted: accept it first", "", false, false},
		{"task.retry", "Retry", "Lifecycle", "Try again after an error.", "R", "the task is not in error", "", false, false},
		{"task.abort", "Abort…", "Lifecycle", "End the task and its subtasks.", "A", "", "", false, false},
		{"view.graph", "Graph", "View", "Show the rails.", "3", "", "", false, false},
		{"view.theme", "Theme…", "View", "Choose another theme; each is shown as you go.", "t", "", "", false, false},
		{"app.quit", "Quit", "App", "Leave vespe.", "q", "", "", false, false},
	}
}

func sections() []Section {
	return []Section{
		{"In the tree", true, []HelpRow{
			{Keys: "h  left", Title: "fold, or parent", Help: "Fold the task, or go to its parent."},
			{Keys: "l  right", Title: "unfold, or child", Help: "Unfold the task, or go to its first child."},
		}},
		{"On a task", true, []HelpRow{
			{Keys: "a", Title: "accept", Help: "Accept the plan or the work that is shown."},
			{Keys: "r", Title: "reject", Help: "Reject it, with a reason."},
		}},
		{"Everywhere", false, []HelpRow{
			{Keys: ":  ^p", Title: "palette", Help: "List every action; a disabled one says why."},
			{Keys: "?  F1", Title: "help", Help: "This list."},
			{Keys: "q", Title: "quit", Help: "Go back; at the top, leave."},
		}},
	}
}

const oldPlan = `# Match payments

1. Read the statement.
2. Match by invoice number in the reference text.
3. Write what matched to the ledger.

Nothing is written before a person has seen it.

## Tests

- golden files per bank
- a statement with no match

## Files

- match.go
- ledger.go
`

const newPlan = `# Match payments

1. Read the statement.
2. Match by invoice number, then by amount and customer.
3. Write what matched to the ledger.
4. List what did not match.

Nothing is written before a person has seen it.

## Tests

- golden files per bank
- a statement with no match

## Files

- match.go
- unmatched.go
`

// all makes one of each overlay, as it is after some keys.
func all(st *style.Styles) map[string]func() Overlay {
	return map[string]func() Overlay{
		"palette": func() Overlay { return NewPalette(st, entries(), []string{"view.graph", "task.accept"}) },
		"palette-typed": func() Overlay {
			p := NewPalette(st, entries(), nil)
			typed(p, letters("rt")...)
			return p
		},
		"palette-refused": func() Overlay {
			p := NewPalette(st, entries(), nil)
			typed(p, "s", "t", "a", "r", "enter")
			return p
		},
		"picker": func() Overlay { return NewPicker(st, pickerOptions(st)) },
		"help":   func() Overlay { return NewHelp(st, sections()) },
		"help-typed": func() Overlay {
			h := NewHelp(st, sections())
			typed(h, letters("pla")...)
			return h
		},
		"prompt": func() Overlay {
			p := NewPrompt(st, PromptOptions{
				Title: "Rename", Label: "name", Value: "Match payments", Note: "Only the name changes; the task keeps its identity and its history.",
				Check: func(string) error { return errors.New("another task has this name: pick one that says more") },
			})
			typed(p, "enter")
			return p
		},
		"compose": func() Overlay {
			c := NewCompose(st, ComposeOptions{Title: "Reject the plan", Note: "The plan goes back to planning with your reason.", Placeholder: "why?", Required: true})
			c.HandlePaste("The amounts alone are not enough:\ntwo customers often pay the same sum.")
			return c
		},
		"compose-empty": func() Overlay {
			c := NewCompose(st, ComposeOptions{Title: "Reject the plan", Placeholder: "why?", Required: true})
			typed(c, "ctrl+s")
			return c
		},
		"checklist": func() Overlay {
			c := checks()
			c.SetStyles(st)
			typed(c, "down", "space")
			return c
		},
		"confirm": func() Overlay { return NewConfirm(st, confirmOptions(st)) },
		"diff": func() Overlay {
			return compared(st, DiffOptions{
				Title: "Plan of \"Match payments to invoices\"", OldTitle: "revision 2, shown to you", NewTitle: "revision 3, now",
				Old: oldPlan, New: newPlan, Note: "Not accepted: the plan changed while you were reading it.",
			})
		},
		"bar": func() Overlay {
			b := NewBar(st, BarOptions{Label: "filter", Placeholder: "is:blocked"})
			typed(b, letters("status:rea")...)
			b.SetInfo("12 of 340")
			return b
		},
		"bar-error": func() Overlay {
			b := NewBar(st, BarOptions{Label: "/"})
			typed(b, letters("is:redy")...)
			b.SetError("no status \"redy\"; did you mean ready?")
			return b
		},
	}
}

func pickerOptions(st *style.Styles) PickerOptions {
	var choices []Choice
	for k, s := range viewtest.Project()[:14] {
		glyph, ink := st.Status(s.Status)
		choices = append(choices, Choice{ID: fmt.Sprint(k), Title: s.Name, Detail: s.Status.String(), Glyph: glyph, Ink: ink})
	}
	return PickerOptions{Title: "Depends on", Placeholder: "name of a task", Choices: choices, Current: "3"}
}

func confirmOptions(st *style.Styles) ConfirmOptions {
	var affected []Affected
	for _, s := range viewtest.Project()[1:9] {
		glyph, ink := st.Status(s.Status)
		affected = append(affected, Affected{Glyph: glyph, Ink: ink, Title: s.Name, Detail: s.Status.String()})
	}
	return ConfirmOptions{
		Title: "Abort", Summary: "Billing service and its 8 subtasks end here, as aborted.", Affected: affected,
		Warnings: []string{"An agent is working on \"Dunning letters\"."}, Yes: "Abort 9 tasks", No: "Leave them", Dangerous: true,
	}
}
