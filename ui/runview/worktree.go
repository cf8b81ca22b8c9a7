package runview

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/dialog"
	"vespe/ui/text"
	"vespe/ui/view"
)

// worktreeMsg is where the worktree of a run lies.
type worktreeMsg struct {
	run, dir string
	live     bool
	err      error
}

// takeOver asks where the worktree of a run lies, to open a shell in it.
func (v *View) takeOver() tea.Cmd {
	id, live, _ := v.here()
	return func() tea.Msg {
		dir, err := v.from.Loop.Worktree(v.ctx, id)
		return worktreeMsg{id, dir, live, err}
	}
}

// onWorktree opens a shell in a worktree; of a run under way after a question.
func (v *View) onWorktree(m worktreeMsg) tea.Cmd {
	switch {
	case m.err != nil:
		return v.Say(view.Notice{Level: view.Failure, Text: "There is no worktree to take over", Why: m.err.Error()})
	case v.from.Shell == nil:
		return v.leaveToShell(m.dir, "no shell can be opened here")
	case m.live:
		return v.Ask(dialog.Ask{
			Title: "Take over", Summary: "Open a shell in the worktree of the current run",
			Notes: []string{
				v.OrKey("the worker continues in it: edits of both may conflict", keymap.RunCancel, "stops it first"),
				text.SafeLine(m.dir),
			},
			Yes: "Open it", Done: func() tea.Cmd { return v.openShell(m) },
		})
	}
	return v.openShell(m)
}

func (v *View) openShell(m worktreeMsg) tea.Cmd {
	run, err := v.from.Shell.In(m.dir, m.run)
	if err != nil {
		return v.leaveToShell(m.dir, err.Error())
	}
	return tea.Exec(run, func(err error) tea.Msg { return shellMsg{m.dir, err} })
}

// leaveToShell hands the path over where no shell can be opened.
func (v *View) leaveToShell(dir, why string) tea.Cmd {
	n := view.Notice{Level: view.Failure, Text: "The worktree is at " + dir, Why: why, Hint: "its path was copied to the clipboard"}
	return tea.Batch(v.Say(n), tea.SetClipboard(text.SafeLine(dir)))
}

// shellMsg says that a shell has ended.
type shellMsg struct {
	dir string
	err error
}

func (v *View) onShell(m shellMsg) tea.Cmd {
	n := view.Notice{Text: "back from " + m.dir}
	if m.err != nil { // a shell ends with the code of its last command
		n = view.Notice{Level: view.Remark, Text: n.Text + ": " + m.err.Error()}
	}
	return tea.Batch(v.Say(n), v.host.Head())
}
