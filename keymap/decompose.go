package keymap

// decomposeActions are those of the page on which a task is decomposed.
func decomposeActions() []Spec {
	t, in := firing("Create", Task), firing("Overlays", Subtasks)
	p := func(a Action, title, help string, footer int, on ...Key) Spec {
		return hidden(in(a, title, help, "", footer, on...))
	}
	return []Spec{
		t(Decompose, "decompose", "Create subtasks from the plan's list, or by files, layers or criteria. You see them first.", "", 64),
		t(Suggest, "suggested edges", "List dependencies that files suggest, because one task modifies what another creates. Add all or some.", "", 0),
		p(DecomposeNext, "next source", "Switch between the plan's list, files, layers and criteria.", 12, KeyTabNext, KeyTab),
		p(DecomposePrev, "previous source", "Go to the previous source.", 0, KeyTabPrev, "shift+tab"),
		p(DecomposeToggle, "leave out", "Exclude the subtask, or include it again.", 11, KeySelect),
		p(DecomposeDown, "text down", "Scroll the details down.", 17, KeyHalfDown),
		p(DecomposeUp, "text up", "Scroll the details up.", 0, KeyHalfUp),
		p(DecomposeAccept, "create subtasks", "Review and create the subtasks.", 10, KeyOpen, KeyAccept, KeySend),
		p(DecomposeClose, "close", "Close without creating subtasks.", 20, KeyBack, KeyQuit),
	}
}
