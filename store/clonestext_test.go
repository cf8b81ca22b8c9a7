package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// TestClonesMergeTextsWrittenByHand: two people edit one plan in an editor. vespe has neither text, so no merge drops
// one: the person who merges sees both. Two plans that vespe recorded need nobody.
func TestClonesMergeTextsWrittenByHand(t *testing.T) {
	for name, plan := range map[string]func(tm *team, c *clone, text string){
		"by hand": func(tm *team, c *clone, text string) {
			must(t, os.WriteFile(filepath.Join(c.dir, layout.Name, layout.TaskFile(tm.tasks[0], layout.DocFile(model.Plan))), []byte(text), 0o644))
		},
		"recorded": func(tm *team, c *clone, text string) {
			tm.in(c, func(s *Store) {
				do(t, s, model.Op{UID: tm.tasks[0], Actor: robot, Name: model.DefinePlan, Args: model.NewPlan{Text: text}})
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			tm := newTeam(t, 7, 2, 1)
			path := layout.Name + "/" + layout.TaskFile(tm.tasks[0], layout.DocFile(model.Plan))
			for i, c := range tm.clones {
				plan(tm, c, []string{"first\n", "second\n"}[i])
				tm.commit(c, "plan")
			}
			tips := []string{strings.TrimSpace(tm.git(tm.clones[0].dir, "rev-parse", "HEAD")), strings.TrimSpace(tm.git(tm.clones[1].dir, "rev-parse", "HEAD"))}
			for i, c := range tm.clones {
				tm.git(c.dir, "fetch", "-q", tm.clones[1-i].dir, tips[1-i])
				if out, err := tryGit(c.dir, "merge", "-q", tips[1-i]); err == nil {
					t.Fatalf("no conflict: %s", out)
				}
				tm.in(c, func(s *Store) {
					m, err := s.ContinueMerge(t.Context())
					text := read(t, filepath.Join(c.dir, path))
					if err != nil || slices.Contains(m.Left, path) != (name == "by hand") {
						t.Errorf("driver %v: %+v, %v", c.driver, m, err)
					}
					if both := strings.Contains(text, "first\n") && strings.Contains(text, "second\n"); both != (name == "by hand") {
						t.Errorf("driver %v: it reads\n%s", c.driver, text)
					}
				})
			}
		})
	}
}
