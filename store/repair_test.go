package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/fsck"
	"vespe/store/layout"
)

// everyByte is the contents of every file in a store but the log's own derived ones.
func everyByte(t *testing.T, s *Store) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	must(t, filepath.WalkDir(vespe(s, ""), func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(name, "/cache/") && !strings.HasSuffix(name, ".ck") {
			all[read(t, name)] = true
		}
		return err
	}))
	return all
}

func TestRepairRepairsWhatIsMechanical(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*testing.T, *Store, string){
		"a revision":                damage("TASK/persistent/revisions/plan-0001-*.md", "forged\n"),
		"a revision that is gone":   damage("TASK/persistent/revisions/plan-0001-*.md", ""),
		"an event":                  damage("TASK/persistent/*_accept_plan-*.json", "{}"),
		"an approval":               damage("TASK/approvals/*.json", `{"type":"vespe.approval/v1","task":"x"}`),
		"an approval that is gone":  damage("TASK/approvals/*.json", ""),
		"a torn status":             damage("TASK/status.json", `{"current_state": "wor`),
		"a status that is gone":     damage("TASK/status.json", ""),
		"a torn identity":           damage("TASK/config.json", `{{{`),
		"an object":                 damage("objects/*/*", "other bytes"),
		"an object that is gone":    damage("objects/*/*", ""),
		"a leftover":                damage("tmp/entry-0123456789abcdef01234567", "half an ent"),
		"a checkpoint that is torn": damage("log/snap-*.ck", "vespechk nonsense"),
		"a leftover that is logged": damage("tmp/f-0123456789abcdef01234567", "plan of one\n"),
		"a second name of a file": func(t *testing.T, s *Store, dir string) {
			must(t, os.Link(vespe(s, dir+"/status.json"), filepath.Join(t.TempDir(), "status.json")))
		},
		"a link for a file": func(t *testing.T, s *Store, dir string) {
			name := vespe(s, dir+"/status.json")
			must(t, os.Remove(name))
			must(t, os.Symlink("/etc/passwd", name))
		},
	} {
		t.Run(name, func(t *testing.T) { repairs(t, name, spoil) })
	}
}

// damage writes something else into a file, or takes it away.
func damage(name, text string) func(*testing.T, *Store, string) {
	return func(t *testing.T, s *Store, dir string) {
		t.Helper()
		pattern := strings.ReplaceAll(name, "TASK", dir)
		found, err := filepath.Glob(vespe(s, pattern))
		if err != nil || len(found) > 1 {
			t.Fatal(found, err)
		}
		if len(found) == 0 {
			found = []string{vespe(s, pattern)}
		}
		if text == "" {
			err = os.Remove(found[0])
		} else {
			err = os.WriteFile(found[0], []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// repairs spoils a store, and sees what a repair makes of it.
func repairs(t *testing.T, name string, spoil func(*testing.T, *Store, string)) {
	t.Helper()
	s, uid := decided(t)
	must(t, s.Close())
	spoil(t, s, layout.TaskDir(uid))
	s = open(t, s.Root(), testOptions())
	before, bytes := tree(t, s.Root()), everyByte(t, s)
	would, err := s.Fsck().Repair(t.Context(), true)
	if err != nil || len(would) != 1 || tree(t, s.Root()) != before {
		t.Fatalf("a dry run: %+v, %v; changed something: %v", would, err, tree(t, s.Root()) != before)
	}
	did, err := s.Fsck().Repair(t.Context(), false)
	if err != nil || len(did) != 1 || did[0].Path != would[0].Path || (did[0].Kept == "") != (would[0].Kept == "") {
		t.Fatalf("%+v, %v; a dry run said %+v", did, err, would)
	}
	if _, lines := verified(t, s, ""); len(lines) > 0 {
		t.Errorf("afterwards there is %q", lines)
	}
	ps := doctor(t, s)
	for _, p := range ps {
		if p.Code != "theirs" {
			t.Errorf("afterwards: %+v", p)
		}
	}
	after := everyByte(t, s)
	for b := range bytes {
		if !after[b] && !strings.HasPrefix(name, "a leftover") && !strings.HasPrefix(name, "a checkpoint") {
			t.Errorf("nobody has these bytes any more: %q", b)
		}
	}
	if again, err := s.Fsck().Repair(t.Context(), false); err != nil || len(again) > 0 {
		t.Errorf("a second time: %+v, %v", again, err)
	}
	do(t, s, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "goes on"}})
}

// What somebody may have meant is left as it is.
func TestRepairLeavesWhatSomebodyMayHaveMeant(t *testing.T) {
	s, uid := decided(t)
	other := planned(t, s, "other")
	gone := planned(t, s, "gone")
	must(t, s.Close())
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "edited\n")
	status := read(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)))
	write(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)), strings.Replace(status, `"progress": ""`, `"progress": "half"`, 1))
	write(t, vespe(s, layout.TaskFile(other, layout.StatusFile)), "<<<<<<< HEAD\n{}\n=======\n{ }\n>>>>>>> theirs\n")
	write(t, vespe(s, "tmp/f-89abcdef0123456789abcdef"), "bytes that nobody else has")
	must(t, os.Remove(vespe(s, layout.TaskFile(other, "plan.md"))))
	s = open(t, s.Root(), testOptions())
	before := tree(t, s.Root())
	if did, err := s.Fsck().Repair(t.Context(), false); err != nil || len(did) > 0 || tree(t, s.Root()) != before {
		t.Fatalf("%+v, %v", did, err)
	}

	// A task that was removed stays so, and the log is told.
	must(t, os.RemoveAll(vespe(s, layout.TaskDir(gone))))
	before = tree(t, vespe(s, layout.TasksDir))
	if did, err := s.Fsck().Repair(t.Context(), false); err != nil || len(did) != 1 || did[0].UID != gone || tree(t, vespe(s, layout.TasksDir)) != before {
		t.Fatalf("%+v, %v", did, err)
	}
}

// In a log with a gap nobody knows what was written last: nothing that may change is
// written.
func TestRepairDoesNotGuessAcrossAGap(t *testing.T) {
	s, uid := decided(t)
	must(t, s.Close())
	must(t, os.Remove(vespe(s, layout.EntryFile(3))))
	write(t, vespe(s, layout.TaskFile(uid, layout.StatusFile)), "{")
	write(t, vespe(s, revisionAt(s, uid, model.Plan, 1)), "forged\n")
	s = open(t, s.Root(), testOptions())
	did := mustGet(s.Fsck().Repair(t.Context(), false))(t)
	if !slices.ContainsFunc(did, func(r fsck.Repair) bool { return strings.Contains(r.Path, "/plan-0001-") }) || len(did) != 1 {
		t.Errorf("did %+v", did)
	}
	if read(t, vespe(s, layout.TaskFile(uid, layout.StatusFile))) != "{" {
		t.Error("an old status was put back")
	}
}
