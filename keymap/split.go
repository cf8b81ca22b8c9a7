package keymap

// splitActions are those of the page on which a task is split.
func splitActions() []Spec {
	t, in := firing("Create", Task), firing("Overlays", Pieces)
	p := func(a Action, title, help string, footer int, keys ...string) Spec {
		return hidden(in(a, title, help, "", footer, keys...))
	}
	return []Spec{
		t(Split, "split", "Split the task into parts: by files, layers or criteria, side by side with their scores, to be changed before anything is made.", "", 33, "%"),
		t(Suggest, "suggested edges", "List the dependencies that files suggest, because one task modifies what another creates; add all or some.", "", 0, "F"),
		p(SplitLeft, "part left", "Go to the part on the left.", 0, "h", "left"),
		p(SplitRight, "part right", "Go to the part on the right.", 0, "l", "right"),
		p(SplitItemLeft, "move left", "Move the file or criterion to the part on the left.", 11, "H", "shift+left", "<"),
		p(SplitItemRight, "move right", "Move the file or criterion to the part on the right.", 12, "L", "shift+right", ">"),
		p(SplitItemNew, "to a new part", "Move the file or criterion into a new part at the end.", 14, "n"),
		p(SplitWayNext, "other way", "Split by files, by layers, by criteria.", 13, "tab"),
		p(SplitWayPrev, "way before", "Go back to the way of splitting before.", 0, "shift+tab"),
		p(SplitEarlier, "part earlier", "Let the part be done before the one on its left.", 17, "["),
		p(SplitLater, "part later", "Let the part be done after the one on its right.", 0, "]"),
		p(SplitName, "name", "Give the part another name.", 15, "r", "i", "f2"),
		p(SplitReset, "start anew", "Undo every change to these parts.", 16, "U"),
		p(SplitAccept, "make the parts", "Show what will happen, and make the parts.", 10, "enter", "a"),
		p(SplitClose, "close", "Close it; nothing happens.", 20, "q", "esc", "ctrl+c"),
	}
}
