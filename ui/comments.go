package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
)

func commentHandlers() map[keymap.Action]handler {
	none := handler{
		do:  func(*App) tea.Cmd { return nil },
		off: func(*App) string { return "there is no comment under the cursor" },
	}
	return map[keymap.Action]handler{
		keymap.CommentsSend: none, keymap.LineRange: none, keymap.CommentAnswer: none, keymap.CommentSettle: none,
		keymap.CommentNext: none, keymap.CommentPrev: none, keymap.CommentFold: none, keymap.CommentsFold: none,
		keymap.CommentsUnfold: none, keymap.Contents: none,
	}
}
