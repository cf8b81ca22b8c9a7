package keymap

// breakActions are those of the page on which a plan is broken down.
func breakActions() []Spec {
	in := firing("Overlays", Planned)
	p := func(a Action, title, help string, footer int, keys ...string) Spec {
		return hidden(in(a, title, help, "", footer, keys...))
	}
	return []Spec{
		firing("Create", Task)(Breakdown, "break down", "List the tasks that the plan lists, with their files, dependencies and scores; leave some out, split or name them, and make subtasks of them.", "", 64, "g b"),
		p(BreakToggle, "leave out", "Leave the task out, or take it in again.", 11, "space", "x"),
		p(BreakSplit, "split it", "Split the task into parts, in the way that is suggested.", 12, "%"),
		p(BreakName, "name", "Give the task another name.", 13, "r", "i", "f2"),
		p(BreakReset, "start anew", "Read the plan again, and undo every change on this page.", 16, "U"),
		p(BreakDown, "text down", "Scroll what is said about the task under the cursor.", 17, "J"),
		p(BreakUp, "text up", "Scroll it back.", 0, "K"),
		p(BreakAccept, "make subtasks", "Show what will happen, and make the subtasks.", 10, "enter", "a"),
		p(BreakClose, "close", "Close it; nothing happens.", 20, "q", "esc", "ctrl+c"),
	}
}
