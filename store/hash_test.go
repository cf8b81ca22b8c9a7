package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
)

// What compares files with the log holds none of them as a whole: one that somebody made very
// large costs time, and no memory.
func TestLargeFilesAreComparedInPieces(t *testing.T) {
	const size, most = 100 << 20, 40 << 20
	s, uid := decided(t)
	do(t, s, model.Op{Name: model.WorkCompleted, UID: uid, Actor: robot, Args: model.Completion{Summary: "done"}})
	var large []string
	for _, name := range []string{"plan.md", "status.json", "result/summary.md"} {
		large = append(large, layout.TaskFile(uid, name))
	}
	large = append(large, revisionAt(s, uid, model.Plan, 1))
	approvals, err := filepath.Glob(vespe(s, layout.TaskFile(uid, layout.ApprovalsDir+"/*.json")))
	if err != nil || len(approvals) != 1 {
		t.Fatalf("approvals %q %v", approvals, err)
	}
	large = append(large, layout.TaskFile(uid, layout.ApprovalsDir+"/"+filepath.Base(approvals[0])))
	if err := filepath.WalkDir(vespe(s, layout.ObjectsDir), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			large = append(large, layout.ObjectsDir+strings.TrimPrefix(path, vespe(s, layout.ObjectsDir)))
		}
		return err
	}); err != nil || len(large) != 6 {
		t.Fatalf("there is no body in objects/: %q %v", large, err)
	}
	for name, look := range map[string]func() []string{
		"doctor": func() []string {
			ps := doctor(t, s)
			var out []string
			for _, p := range ps {
				out = append(out, p.Path)
			}
			return out
		},
		"verify": func() []string { _, lines := verified(t, s, ""); return lines },
		"repairs": func() (out []string) {
			rs := mustGet(s.Fsck().Repair(t.Context(), true))(t)
			for _, r := range rs {
				out = append(out, r.Path)
			}
			return out
		},
	} {
		for _, file := range large {
			t.Run(name+"/"+file, func(t *testing.T) {
				path := vespe(s, file)
				body := mustGet(os.ReadFile(path))(t)
				must(t, os.Truncate(path, size))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				found := look()
				runtime.ReadMemStats(&after)
				if n := after.TotalAlloc - before.TotalAlloc; n > most {
					t.Errorf("%d MB were allocated", n>>20)
				}
				is := strings.Contains(strings.Join(found, "\n"), hashInName.ReplaceAllString(file, "$1")) || strings.Contains(strings.Join(found, "\n"), file)
				if judge := strings.HasSuffix(file, "/plan.md") || strings.HasSuffix(file, "/summary.md"); is == (judge && name == "repairs") {
					t.Errorf("what is said is %q", found)
				}
				must(t, os.WriteFile(path, body, 0o644))
			})
		}
	}
}
