package store

import (
	"slices"
	"testing"

	"vespe/model"
)

// TestTextMergeThatIsClean: git without vespe's driver merges by lines, here into a spec.json with a key written twice.
// `vespe merge --continue` merges it anew, beside the conflicts that git names.
func TestTextMergeThatIsClean(t *testing.T) {
	for _, how := range []string{"merge", "rebase", "cherry-pick"} {
		t.Run(how, func(t *testing.T) {
			tm := newTeam(t, 7, 2, 1)
			uid := tm.tasks[0]
			tm.git(tm.clones[1].dir, "config", "--unset", driverSetting)
			set := func(c *clone, sets ...model.Assignment) {
				tm.in(c, func(s *Store) { do(t, s, model.Op{UID: uid, Actor: ann, Name: model.SetFields, Set: sets}) })
				tm.commit(c, "set")
			}
			add := func(key, value string) model.Assignment { return model.Assignment{Key: key, Value: value, Mode: '+'} }
			set(tm.clones[0], add("files_to_modify", "h"))
			tm.bring(tm.clones[1], tm.clones[0], "merge")
			set(tm.clones[0], model.Assignment{Key: "files_to_modify", Value: "h", Mode: '-'}, add("test_files", "h"))
			set(tm.clones[1], add("test_files", "g"))
			tm.bring(tm.clones[1], tm.clones[0], how)
			for _, c := range tm.clones {
				if how == "cherry-pick" && c == tm.clones[0] {
					continue
				}
				tm.finish(c)
			}
			tm.in(tm.clones[1], func(s *Store) {
				got := task(t, load(t, s), uid)
				if files := got.Spec.TestFiles; len(got.Problems) > 0 || !slices.Equal(files, []string{"g", "h"}) || len(got.Spec.FilesToModify) > 0 {
					t.Errorf("%+v, test files %q, files to modify %q", got.Problems, files, got.Spec.FilesToModify)
				}
			})
			tm.everyone()
			tm.check()
		})
	}
}
