package keymap

// decomposeActions are those of the page on which a task is decomposed.
func decomposeActions() []Spec {
	t, in := firing("Create", Task), firing("Overlays", Subtasks)
	p := func(a Action, title, help string, footer int, keys ...string) Spec {
		return hidden(in(a, title, help, "", footer, keys...))
	}
	return []Spec{
		t(Decompose, "decompose", "Create subtasks from the plan's list, or by files, layers or criteria. You can edit them first.", "", 64, "%", "g b"),
		t(Suggest, "suggested edges", "List dependencies that files suggest, because one task modifies what another creates. Add all or some.", "", 0, "F"),
		p(DecomposeNext, "next source", "Switch between the plan's list, files, layers and criteria.", 12, "tab"),
		p(DecomposePrev, "previous source", "Go to the previous source.", 0, "shift+tab"),
		p(DecomposeToggle, "leave out", "Exclude the subtask, or include it again.", 11, "space", "x"),
		p(DecomposeSplit, "split", "Split the subtask as suggested.", 14, "%"),
		p(DecomposeName, "name", "Rename the subtask.", 15, "r", "i", "f2"),
		p(DecomposeItemUp, "move up", "Move the file or criterion to the subtask above.", 13, "H", "shift+left", "<"),
		p(DecomposeItemDown, "move down", "Move the file or criterion to the subtask below.", 13, "L", "shift+right", ">"),
		p(DecomposeItemNew, "to new subtask", "Move the file or criterion to a new subtask.", 18, "n"),
		p(DecomposeEarlier, "earlier", "Move the subtask up in the order.", 19, "["),
		p(DecomposeLater, "later", "Move the subtask down in the order.", 0, "]"),
		p(DecomposeReset, "reset", "Undo all changes to these subtasks.", 16, "U"),
		p(DecomposeDown, "text down", "Scroll the details down.", 17, "J"),
		p(DecomposeUp, "text up", "Scroll the details up.", 0, "K"),
		p(DecomposeAccept, "create subtasks", "Review and create the subtasks.", 10, "enter", "a"),
		p(DecomposeClose, "close", "Close without creating subtasks.", 20, "q", "esc", "ctrl+c"),
	}
}
