package keymap

// Key names what a key means, such as KeyAccept. In an action's row it may also be a key itself, as Normalize reads it:
// an extra key of that action alone.
type Key string

// The meanings. A key has the same one in every place. Each action's row says what it does there.
const (
	KeyDown      Key = "go.down"
	KeyUp        Key = "go.up"
	KeyFirst     Key = "go.first"
	KeyLast      Key = "go.last"
	KeyLeft      Key = "go.left"
	KeyRight     Key = "go.right"
	KeyHalfDown  Key = "go.half-down"
	KeyHalfUp    Key = "go.half-up"
	KeyPageDown  Key = "go.page-down"
	KeyPageUp    Key = "go.page-up"
	KeyNext      Key = "go.next"
	KeyPrev      Key = "go.previous"
	KeyOpen      Key = "open"
	KeyBack      Key = "back"
	KeyQuit      Key = "quit"
	KeyTab       Key = "other"
	KeyTabNext   Key = "tab.forward"
	KeyTabPrev   Key = "tab.backward"
	KeyNumber    Key = "number"
	KeyLayout    Key = "layout"
	KeyZoom      Key = "zoom"
	KeyFind      Key = "find"
	KeyFilter    Key = "filter"
	KeyPalette   Key = "palette"
	KeyHelp      Key = "help"
	KeySelect    Key = "select"
	KeySelectLow Key = "select.low"
	KeyAccept    Key = "accept"
	KeyReject    Key = "reject"
	KeyApprove   Key = "approve"
	KeyDeny      Key = "deny"
	KeyUndo      Key = "undo"
	KeyComment   Key = "comment"
	KeyDiff      Key = "diff"
	KeySend      Key = "send"
	KeyPhrase    Key = "phrase"
	KeyStart     Key = "start"
	KeyPause     Key = "pause"
	KeyAdd       Key = "add"
	KeyEdit      Key = "edit"
	KeyOutside   Key = "outside"
	KeySuspend   Key = "suspend"
)

// Meaning is a row of the table of keys.
type Meaning struct {
	Name Key
	Keys []string // the default; the first is the one that is shown
	Help string   // one sentence
}

// Meanings is the table of keys, as a fresh slice. Arrows and page keys are further ways to move.
func Meanings() []Meaning {
	return []Meaning{
		{KeyDown, []string{"j", "down"}, "Go down by one row."},
		{KeyUp, []string{"k", "up"}, "Go up by one row."},
		{KeyFirst, []string{"g", "home"}, "Go to the first row."},
		{KeyLast, []string{"G", "end"}, "Go to the last row."},
		{KeyLeft, []string{"h", "left"}, "Go left: fold, follow an edge back, or move to the column on the left."},
		{KeyRight, []string{"l", "right"}, "Go right: unfold, follow an edge, or move to the column on the right."},
		{KeyHalfDown, []string{"ctrl+d"}, "Go down by half a page."},
		{KeyHalfUp, []string{"ctrl+u"}, "Go up by half a page."},
		{KeyPageDown, []string{"pgdown", "ctrl+f"}, "Go down by a page."},
		{KeyPageUp, []string{"pgup", "ctrl+b"}, "Go up by a page."},
		{KeyNext, []string{"n"}, "Go to the next match, change, comment, entry or day."},
		{KeyPrev, []string{"N"}, "Go to the previous one."},
		{KeyOpen, []string{"enter"}, "Open what is selected, or press the button."},
		{KeyBack, []string{"esc"}, "Go back one step, or close. It never quits."},
		{KeyQuit, []string{"q", "ctrl+c"}, "Close, or go back as esc does. From one of the five views, quit."},
		{KeyTab, []string{"tab"}, "Go to the other pane, field, button or kind."},
		{KeyTabNext, []string{"]", "ctrl+right"}, "Go to the next tab, plan, period or source."},
		{KeyTabPrev, []string{"[", "ctrl+left"}, "Go to the previous one."},
		{KeyNumber, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, "Go to the view with this number. On a request, choose the option with this number."},
		{KeyLayout, []string{"v"}, "Show the same in another way: the next layout, raw text, side by side, all details."},
		{KeyZoom, []string{"z"}, "Show more of it: one pane on the whole screen, a wider map, all lines."},
		{KeyFind, []string{"/"}, "Search in what is shown."},
		{KeyFilter, []string{"f"}, "Choose what is shown."},
		{KeyPalette, []string{":", "ctrl+p"}, "List every action."},
		{KeyHelp, []string{"?", "f1"}, "List the keys that work here."},
		{KeySelect, []string{"space"}, "Select, or exclude."},
		{KeySelectLow, []string{"ctrl+a"}, "Select everything low-risk."},
		{KeyAccept, []string{"a"}, "Accept what is shown."},
		{KeyReject, []string{"r"}, "Send it back, with a reason."},
		{KeyApprove, []string{"y"}, "Approve a request. Yes to a question."},
		{KeyDeny, []string{"x"}, "Deny a request, stop a run, or close a comment."},
		{KeyUndo, []string{"u"}, "Undo."},
		{KeyComment, []string{"c"}, "Comment, reply, answer or add a note."},
		{KeyDiff, []string{"d"}, "Show what changed."},
		{KeySend, []string{"ctrl+s", "alt+enter", "ctrl+enter"}, "Send what you wrote, or choose the selected row."},
		{KeyPhrase, []string{"ctrl+t"}, "Insert a saved phrase where you write."},
		{KeyStart, []string{"s"}, "Start work, another attempt or the loop."},
		{KeyPause, []string{"p"}, "Put it off: decide later, pause, resume."},
		{KeyAdd, []string{"+"}, "Create a task."},
		{KeyEdit, []string{"e"}, "Edit what is selected."},
		{KeyOutside, []string{"o"}, "Open the text or file in another program."},
		{KeySuspend, []string{"ctrl+z"}, "Suspend to the shell."},
	}
}

// typing are the places with a line of text, where every character is text.
func typing(sc Scope) bool {
	switch sc {
	case Search, Prompt, Compose, Picker:
		return true
	}
	return false
}
