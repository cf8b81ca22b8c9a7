package keymap

// decomposeActions are those of the page on which a task is decomposed.
func decomposeActions() []Spec {
	t, in := firing("Create", Task), firing("Overlays", Subtasks)
	p := func(a Action, title, help string, footer int, keys ...string) Spec {
		return hidden(in(a, title, help, "", footer, keys...))
	}
	return []Spec{
		t(Decompose, "decompose", "Make subtasks of the task: those that its plan lists, or parts by files, layers or criteria. Change them before they are made.", "", 64, "%", "g b"),
		t(Suggest, "suggested edges", "List the dependencies that files suggest, because one task modifies what another creates; add all or some.", "", 0, "F"),
		p(DecomposeNext, "other source", "Show the plan's tasks, or parts by files, by layers, by criteria.", 12, "tab"),
		p(DecomposePrev, "source before", "Go back to the source before.", 0, "shift+tab"),
		p(DecomposeToggle, "leave out", "Leave the subtask out, or take it in again.", 11, "space", "x"),
		p(DecomposeSplit, "split it", "Split the subtask into parts, in the way that is suggested.", 14, "%"),
		p(DecomposeName, "name", "Give the subtask another name.", 15, "r", "i", "f2"),
		p(DecomposeItemUp, "move up", "Move the file or criterion to the part above.", 13, "H", "shift+left", "<"),
		p(DecomposeItemDown, "move down", "Move the file or criterion to the part below.", 13, "L", "shift+right", ">"),
		p(DecomposeItemNew, "to a new part", "Move the file or criterion into a new part at the end.", 18, "n"),
		p(DecomposeEarlier, "part earlier", "Do the part before the one above it.", 19, "["),
		p(DecomposeLater, "part later", "Do the part after the one below it.", 0, "]"),
		p(DecomposeReset, "start anew", "Undo every change to these subtasks.", 16, "U"),
		p(DecomposeDown, "text down", "Scroll the details of the subtask.", 17, "J"),
		p(DecomposeUp, "text up", "Scroll the details back.", 0, "K"),
		p(DecomposeAccept, "make subtasks", "Show what will happen, and make the subtasks.", 10, "enter", "a"),
		p(DecomposeClose, "close", "Close it; nothing happens.", 20, "q", "esc", "ctrl+c"),
	}
}
