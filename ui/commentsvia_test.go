package ui_test

import (
	"context"
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui"
)

// told is a store in which all comments and answers came by files.
type told struct{ *uitest.Store }

func (s told) Review(ctx context.Context, uid model.UID, revision int) (*model.ReviewFile, error) {
	f, err := s.Store.Review(ctx, uid, revision)
	if f != nil {
		f = lifecycle.JoinReviews(nil, f)
	}
	return f, err
}

// What vespe was not given is shown as what a file says, on the text and on the dialog.
func TestACommentThatOnlyAFileSays(t *testing.T) {
	for _, byFiles := range []bool{false, true} {
		s := uitest.NewSmall()
		if _, err := s.Do(t.Context(), model.Op{
			Name: model.AddComment, UID: s.Plan, Actor: "human:bob", Args: model.Remarks{Comments: []model.NewComment{{Text: "drop it", Place: model.Place{From: 4}}}},
		}); err != nil {
			t.Fatal(err)
		}
		uitest.Run(t, uitest.Options{Store: s.Store, Change: func(deps *ui.Deps) {
			if byFiles {
				deps.Store = told{s.Store}
			}
		}}, func(d *uitest.Driver) {
			reading(d, "lexer tokens")
			d.See("bob", "drop it")
			says := func() {
				t.Helper()
				if byFiles {
					d.See("bob, as a file says")
				} else {
					d.Hidden("as a file says")
				}
			}
			says()
			d.Press(keymap.Accept).See("Accept", "drop it")
			says()
		})
	}
}
