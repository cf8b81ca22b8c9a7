package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// testdata/formats holds, for each format of stores that was ever written, one with files of
// every kind, as the program of that time wrote them, and what it says (<format>.golden). The
// current format's is made by UPDATE_GOLDEN=1 when there is none; one that is there is never
// made again. Names that begin with a dot have "dot-" in its place: git goes by .gitignore
// here too.

// fixture copies the store of a format to a directory of its own.
func fixture(t testing.TB, format int) (root string) {
	t.Helper()
	from, root := filepath.Join("testdata", "formats", fmt.Sprint(format)), fastDir(t)
	must(t, copyNamed(from, root, func(name string) string {
		if rest, ok := strings.CutPrefix(name, "dot-"); ok {
			return "." + rest
		}
		return name
	}))
	return root
}

// copyNamed copies a tree, each element of a name as renamed says.
func copyNamed(from, to string, renamed func(string) string) error {
	return filepath.WalkDir(from, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil || rel == "." {
			return err
		}
		elements := strings.Split(filepath.ToSlash(rel), "/")
		for i := range elements {
			elements[i] = renamed(elements[i])
		}
		target := filepath.Join(to, filepath.FromSlash(strings.Join(elements, "/")))
		if e.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, body, 0o644)
	})
}

// everyKind makes a store with files of every kind.
func everyKind(t *testing.T) *Store {
	t.Helper()
	root := fastDir(t)
	s := initIn(t, root, testOptions())
	write(t, vespe(s, layout.PolicyFile), "{\n  \"name\": \"fixture\",\n  \"max_attempts\": 2,\n  \"of_a_later_time\": {\"a\": [1, 2]}\n}\n")
	write(t, filepath.Join(root, layout.ProjectConfig), "{\"description\": \"a store of every kind of file\"}\n")
	parent, done, broken, edited := planned(t, s, "parent"), planned(t, s, "done"), planned(t, s, "broken"), planned(t, s, "edited")
	do(t, s, model.Op{Name: model.RejectPlan, UID: parent, Actor: ann, Reason: "too short"})
	do(t, s, model.Op{Name: model.DefinePlan, UID: parent, Actor: robot, Args: model.NewPlan{Text: strings.Repeat("a long plan\n", txlog.MaxInline/12+1)}})
	do(t, s, model.Op{Name: model.AddDependency, UID: parent, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{done, broken}}},
		model.Op{Name: model.AcceptPlan, UID: parent, Actor: ann},
		model.Op{Name: model.SetFields, UID: parent, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "a,b", Mode: '='}, {Key: "acceptance_criteria", Value: "it works", Mode: '='}}}})
	child := do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "child", Parent: parent, Objective: "small\n", Phases: true}}).Change.Tasks[0].UID
	do(t, s, model.Op{Name: model.AcceptPlan, UID: done, Actor: ann}, model.Op{Name: model.Start, UID: done, Actor: robot, Args: model.NewRun{ID: "run-1"}})
	write(t, vespe(s, layout.TaskFile(done, "result/report.md")), "# Report\n")
	write(t, vespe(s, layout.TaskFile(done, "result/deep/data.bin")), "\x00\x01\xff")
	do(t, s, model.Op{Name: model.WorkCompleted, UID: done, Actor: robot, Args: model.Completion{Summary: "It is done.\n"}})
	do(t, s, model.Op{Name: model.ReviewAccepted, UID: done, Actor: ann})
	do(t, s, model.Op{Name: model.RaiseError, UID: broken, Actor: robot, Args: model.ErrorReport{Details: "it broke", Failure: true}}) // asks a person
	write(t, vespe(s, layout.TaskFile(child, "persistent/20200102030405_006_started.json")),                                           // an older system's
		"{\"event_type\": \"started\", \"timestamp\": \"2020-01-02T03:04:05.006Z\", \"acting_agent_uid\": \"agent-7\", \"content\": \"began\"}\n")
	write(t, vespe(s, layout.TaskFile(child, layout.SpecFile)), "{\"description\": \"by hand\", \"of_a_later_time\": true}\n")
	write(t, vespe(s, layout.TaskFile(child, "objective.md.theirs-3")), "kept\n")
	load(t, s)
	forge(t, s, edited)
	load(t, s)
	takeOver(t, s)
	do(t, s, model.Op{Name: model.Pause, UID: child, Actor: ann, Reason: "later"})
	must(t, s.Close())
	return s
}

// says is everything that can be asked of a store.
func says(t testing.TB, s *Store) string {
	t.Helper()
	ctx := t.Context()
	var b strings.Builder
	snap := load(t, s)
	b.WriteString(dump(snap))
	for i := range snap.Len() {
		uid := snap.UID(i)
		fmt.Fprintf(&b, "\n== %s\n", uid)
		for _, doc := range []model.Doc{model.Objective, model.Plan} {
			c, err := s.Content(ctx, uid, doc)
			fmt.Fprintf(&b, "%s: revision %d, %d bytes, %s, %v\n", doc, c.Revision, len(c.Body), c.Hash, err)
			for n := 1; ; n++ {
				r, err := s.Revision(ctx, uid, doc, n)
				if err != nil {
					break
				}
				fmt.Fprintf(&b, "  revision %d: %d bytes, %s\n", n, len(r.Body), r.Hash)
			}
		}
		results, err := s.Results(ctx, uid)
		fmt.Fprintf(&b, "results: %+v %v\n", results, err)
		events, ps, err := s.History(ctx, uid)
		for _, e := range events {
			fmt.Fprintf(&b, "event %s %s %s by %s (%s) %s->%s reason=%q: %s\n", e.File, e.At.Format("2006-01-02T15:04:05.000"), e.Name, e.Actor, e.Channel, e.From, e.To, e.Reason, e.Summary)
		}
		fmt.Fprintf(&b, "history: %+v %v\n", ps, err)
	}
	feed, err := s.Events(ctx, 0, 0)
	fmt.Fprintf(&b, "\nthe log has %d events up to entry %d, %v\n", len(feed.Events), feed.Head, err)
	v, err := s.Fsck().Verify(ctx, "")
	fmt.Fprintf(&b, "verified entries %d to %d, %d files, %d bodies, %d approvals, %v\n", v.First, v.Last, v.Files, v.Objects, v.Approvals, err)
	for _, p := range v.Problems {
		fmt.Fprintf(&b, "verify: %s %s\n", p.Code, p.Path)
	}
	ps, err := s.Fsck().Doctor(ctx)
	for _, p := range ps {
		fmt.Fprintf(&b, "doctor: %s %s\n", p.Code, p.Path)
	}
	fmt.Fprintf(&b, "doctor: %v\n", err)
	return b.String()
}

func formats(t testing.TB) []int {
	t.Helper()
	if _, err := os.Stat(filepath.Join("testdata", "formats", fmt.Sprint(Format))); err != nil {
		t.Fatalf("there is no fixture of the current format: make one with UPDATE_GOLDEN=1 (%v)", err)
	}
	var all []int
	for n := 1; n <= Format; n++ {
		all = append(all, n)
	}
	return all
}

// Every format that was ever written opens, says what it did then, can be worked on, and is
// whole after that.
func TestFormatsKeepOpening(t *testing.T) {
	now := filepath.Join("testdata", "formats", fmt.Sprint(Format))
	if _, err := os.Stat(now); err != nil && os.Getenv("UPDATE_GOLDEN") != "" {
		s := everyKind(t)
		must(t, copyNamed(s.Root(), now, func(name string) string {
			if rest, ok := strings.CutPrefix(name, "."); ok {
				return "dot-" + rest
			}
			return name
		}))
	}
	for _, n := range formats(t) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s := open(t, fixture(t, n), testOptions())
			got := says(t, s)
			golden := filepath.Join("testdata", "formats", fmt.Sprintf("%d.golden", n))
			if os.Getenv("UPDATE_GOLDEN") != "" {
				write(t, golden, got)
			}
			same(t, "format "+fmt.Sprint(n), read(t, golden), got)
			workOn(t, s)
			same(t, "after work, read by another process", says(t, s), says(t, open(t, s.Root(), testOptions())))
		})
	}
}

// workOn does something to each task that lets it be done.
func workOn(t *testing.T, s *Store) {
	t.Helper()
	snap := load(t, s)
	done := 0
	for i := range snap.Len() {
		_, err := s.Do(t.Context(), model.Op{Name: model.RenameTask, UID: snap.UID(i), Actor: ann, Args: model.NewName{Name: fmt.Sprint("renamed ", i)}})
		if err == nil {
			done++
		}
	}
	if done != snap.Len() {
		t.Errorf("%d of %d tasks could be renamed", done, snap.Len())
	}
}

// The fixtures hold every kind of file, so that none is forgotten.
func TestFormatFixtureIsComplete(t *testing.T) {
	root := fixture(t, Format)
	var all []string
	must(t, filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(root, path)
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	}))
	for _, pattern := range []string{
		".project-config.json", ".vespe/.vespe_root", ".vespe/.gitignore", ".vespe/store.json", ".vespe/config.json",
		".vespe/lock", ".vespe/cache/projected", ".vespe/log/*.json", ".vespe/log/snap-*.ck",
		".vespe/objects/*/*", ".vespe/hitl_queue/*.json",
		".vespe/tasks/*/config.json", ".vespe/tasks/*/status.json", ".vespe/tasks/*/dependencies.json", ".vespe/tasks/*/spec.json",
		".vespe/tasks/*/objective.md", ".vespe/tasks/*/plan.md", ".vespe/tasks/*/reviews/plan-*.json", ".vespe/tasks/*/reviews/work-*.json",
		".vespe/tasks/*/approvals/*-accept.json", ".vespe/tasks/*/persistent/*.json", ".vespe/tasks/*/persistent/revisions/plan-0002.md",
		".vespe/tasks/*/persistent/runs/*/run.json", ".vespe/tasks/*/persistent/edits/status-*.json",
		".vespe/tasks/*/result/*", ".vespe/tasks/*/result/deep/*", ".vespe/tasks/*/*.theirs-*",
	} {
		if !slices.ContainsFunc(all, func(name string) bool { ok, err := filepath.Match(pattern, name); return ok && err == nil }) {
			t.Errorf("there is no %s in %s", pattern, strings.Join(all, "\n"))
		}
	}
}
