package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/layout"
)

// beside are files that editors, agents and people keep beside those that they write.
var beside = []string{
	".plan.md.swp", ".plan.md.swo", "4913", "plan.md~", "plan.md.bak", "#plan.md#", ".plan.md.tmp-1234", "plan.md.orig",
	"plan_draft.md", "plan_draft", "notes.txt", ".status.json.swp", "status.json~", "config.json.bak",
}

// What lies beside the files of a task is no content: it makes no problem and no edit, is in
// no list, changes no hash, and nothing that vespe does touches it.
func TestEditorsFilesAreNoContent(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}, model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-1"}})
	write(t, vespe(s, layout.TaskFile(uid, "result/report.md")), "# Report\n")
	checkpointed(t, s)
	results, err := s.Results(t.Context(), uid)
	if err != nil {
		t.Fatal(err)
	}
	put := map[string]string{}
	for _, dir := range []string{layout.TaskDir(uid), layout.TaskFile(uid, layout.PersistentDir), layout.TaskFile(uid, layout.RevisionsDir), layout.TaskFile(uid, "reviews"), layout.TaskFile(uid, layout.ApprovalsDir), layout.RequestsDir} {
		for _, name := range beside {
			if name == "4913" && dir == layout.RequestsDir {
				continue
			}
			path := vespe(s, dir+"/"+name)
			put[path] = "draft of " + name
			write(t, path, put[path])
		}
	}
	for _, name := range []string{"4913", ".tasks.swp", "tsk~"} {
		path := vespe(s, layout.TasksDir+"/"+name)
		put[path] = "draft of " + name
		write(t, path, put[path])
	}
	for _, name := range []string{".report.md.swp", "report.md~", "4913", "#report.md#"} {
		path := vespe(s, layout.TaskFile(uid, "result/"+name))
		put[path] = "draft of " + name
		write(t, path, put[path])
	}
	for _, link := range []string{layout.TaskFile(uid, ".#plan.md"), layout.TaskFile(uid, "result/.#report.md")} {
		if err := os.Symlink("ann@host.1234:567", vespe(s, link)); err != nil { // what Emacs locks with
			t.Fatal(err)
		}
	}
	n := open(t, s.Root(), testOptions())
	wantClean(t, n)
	load(t, n)
	if now, err := n.Results(t.Context(), uid); err != nil || model.HashResult(now) != model.HashResult(results) {
		t.Errorf("the result is %+v, %v", now, err)
	}
	do(t, n, model.Op{Name: model.WorkCompleted, UID: uid, Actor: robot, Args: model.Completion{Summary: "done\n"}})
	do(t, n, model.Op{Name: model.ReviewRejected, UID: uid, Actor: ann, Reason: "again"})
	do(t, n, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another\n"}})
	mustGet(n.ImportEdits(t.Context(), []model.UID{uid}))(t)
	repair(t, n)
	if events := externalEvents(t, n, uid); len(events) > 0 {
		t.Errorf("an edit was seen: %+v", events)
	}
	wantClean(t, n)
	healthy(t, n)
	for path, body := range put {
		if got, err := os.ReadFile(path); err != nil || string(got) != body {
			t.Errorf("%s holds %q, %v", path, got, err)
		}
	}
}

// saving is the way in which a program saves a file, step by step.
type saving struct {
	name  string
	steps func(path, body string) []func() error
}

func savings() []saving {
	writeTo := func(path, body string) func() error {
		return func() error { return os.WriteFile(path, []byte(body), 0o644) }
	}
	rename := func(a, b string) func() error { return func() error { return os.Rename(a, b) } }
	remove := func(path string) func() error {
		return func() error {
			if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
				return err
			}
			return nil
		}
	}
	in := func(path, name string) string { return filepath.Join(filepath.Dir(path), name) }
	return []saving{
		{"in place", func(path, body string) []func() error {
			return []func() error{writeTo(path, ""), writeTo(path, body[:len(body)/2]), writeTo(path, body)}
		}},
		{"a new file over the old", func(path, body string) []func() error {
			tmp := in(path, ".plan.md.tmp-1")
			return []func() error{writeTo(tmp, body[:len(body)/2]), writeTo(tmp, body), rename(tmp, path)}
		}},
		{"vim, with a backup", func(path, body string) []func() error {
			probe, swap := in(path, "4913"), in(path, ".plan.md.swp")
			return []func() error{
				writeTo(swap, "swap"), writeTo(probe, ""), remove(probe), rename(path, path+"~"), writeTo(path, body[:len(body)/2]),
				writeTo(path, body), remove(path + "~"), remove(swap),
			}
		}},
		{"emacs, with a backup", func(path, body string) []func() error {
			lock, auto := in(path, ".#plan.md"), in(path, "#plan.md#")
			return []func() error{
				func() error { return os.Symlink("ann@host.1:2", lock) }, writeTo(auto, body), rename(path, path+"~"), writeTo(path, body),
				remove(auto), remove(lock),
			}
		}},
		{"away and back", func(path, body string) []func() error {
			return []func() error{remove(path), writeTo(path, body)}
		}},
	}
}

// Whatever vespe does to a task between any two steps of a program that saves its plan, what
// the person saved is kept, and so is what vespe was given; and all settles.
func TestATransitionInTheMiddleOfASave(t *testing.T) {
	t.Parallel()
	const saved = "# What I wrote\n\nword by word, over an hour\n"
	for _, save := range savings() {
		t.Run(save.name, func(t *testing.T) {
			for at, ended := 0, false; !ended; at++ {
				for _, op := range []model.Op{
					{Name: model.DefinePlan, Actor: robot, Args: model.NewPlan{Text: "given by an agent\n"}},
					{Name: model.RenameTask, Actor: ann, Args: model.NewName{Name: "renamed"}},
					{Name: model.AcceptPlan, Actor: ann},
				} {
					ended = saveWith(t, save, at, op, saved)
				}
			}
		})
	}
}

func saveWith(t *testing.T, save saving, at int, op model.Op, saved string) (ended bool) {
	t.Helper()
	s := initIn(t, fastDir(t), testOptions())
	defer s.Close()
	where := fmt.Sprintf("%s before step %d", op.Name, at)
	op.UID = planned(t, s, "one")
	checkpointed(t, s)
	path := vespe(s, layout.TaskFile(op.UID, "plan.md"))
	steps := save.steps(path, saved)
	for i, step := range steps {
		if i == at {
			_, err := s.Do(t.Context(), op)
			var r *model.Refusal
			if err != nil && (!errors.As(err, &r) || op.Name == model.RenameTask) {
				t.Fatalf("%s: %v", where, err)
			}
			op.ID = ""
			if err == nil && op.Name == model.DefinePlan {
				defer func() {
					if !holds(t, s, op.Text()) {
						t.Errorf("%s: what vespe was given is lost", where)
					}
				}()
			}
		}
		if err := step(); err != nil {
			t.Fatalf("%s: %v", where, err)
		}
	}
	n := open(t, s.Root(), testOptions())
	load(t, n)
	takeOver(t, n)
	if !holds(t, n, saved) {
		t.Errorf("%s: what was saved is lost", where)
	}
	c, err := n.Content(t.Context(), op.UID, model.Plan)
	if err != nil || c.Revision == 0 || string(c.Body) != read(t, path) || string(c.Body) != saved && string(c.Body) != op.Text() {
		t.Errorf("%s: the plan is %q, revision %d, %v", where, c.Body, c.Revision, err)
	}
	for _, p := range load(t, open(t, s.Root(), testOptions())).Problems() {
		if p.Code != failure.Theirs {
			t.Errorf("%s: problem %+v", where, p)
		}
	}
	if a := task(t, load(t, n), op.UID).Status.AcceptedPlan; a != nil && a.PlanHash == c.Hash && !strings.Contains(where, "accept_plan") {
		t.Errorf("%s: the plan came to be accepted", where)
	}
	return at >= len(steps)-1
}
