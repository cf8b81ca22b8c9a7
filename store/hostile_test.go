package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vespe/model"
)

// TestHostileTree puts everything that does not belong there into a store: each thing is
// a problem with its path, nothing outside is read, and everything else loads.
func TestHostileTree(t *testing.T) {
	s := newStore(t)
	good := planned(t, s, "good")
	outside := filepath.Join(t.TempDir(), "outside")
	write(t, filepath.Join(outside, "config.json"), `{"uid":"stolen","name":"stolen"}`)
	write(t, filepath.Join(outside, "secret.json"), `{"id":"secret"}`)

	at := func(uid, name string) string { return vespe(s, "tasks/"+uid+"/"+name) }
	minimal := func(uid string) {
		write(t, at(uid, "config.json"), `{"uid":"`+uid+`","name":"`+uid+`"}`)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	type want struct{ code, suffix string }
	var wants []want
	bad := func(code, suffix string) { wants = append(wants, want{code, suffix}) }

	minimal("json")
	write(t, at("json", "status.json"), "{\n\"current_state\": \"working\",\n,}")
	bad("bad-json", "json/status.json")
	minimal("conflict")
	write(t, at("conflict", "status.json"), "{\n<<<<<<< HEAD\n\"current_state\":\"working\"\n=======\n")
	bad("", "conflict/status.json")
	minimal("type")
	write(t, at("type", "status.json"), `{"current_state":7}`)
	bad("wrong-type", "type/status.json")
	minimal("utf8")
	write(t, at("utf8", "spec.json"), "{\"description\":\"\xff\"}")
	bad("", "utf8/spec.json")
	minimal("deep")
	write(t, at("deep", "spec.json"), `{"x":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}`)
	bad("", "deep/spec.json")
	write(t, at("noconfig", "status.json"), `{"current_state":"created"}`)
	bad("missing-file", "noconfig/config.json")
	must(os.MkdirAll(at("empty", ""), 0o755))
	bad("missing-file", "empty/config.json")

	must(os.MkdirAll(at("link", ""), 0o755))
	must(os.Symlink(filepath.Join(outside, "config.json"), at("link", "config.json")))
	bad("not-regular", "link/config.json")
	minimal("inlink") // a link that stays inside the tree
	must(os.Symlink("../"+string(good)+"/status.json", at("inlink", "status.json")))
	bad("not-regular", "inlink/status.json")
	minimal("planlink")
	must(os.Symlink(outside+"/secret.json", at("planlink", "plan.md")))
	bad("not-regular", "planlink/plan.md")
	minimal("dirlink")
	must(os.Symlink(outside, at("dirlink", "persistent")))
	bad("not-regular", "dirlink/persistent")
	must(os.Symlink(outside, vespe(s, "tasks/stolen")))
	bad("not-regular", "tasks/stolen")
	must(os.Symlink(string(good), vespe(s, "tasks/alias")))
	bad("not-regular", "tasks/alias")

	minimal("fifo")
	must(unix.Mkfifo(at("fifo", "status.json"), 0o644))
	bad("not-regular", "fifo/status.json")
	must(unix.Mkfifo(vespe(s, "hitl_queue/fifo.json"), 0o644))
	bad("not-regular", "hitl_queue/fifo.json")
	must(os.Symlink(filepath.Join(outside, "secret.json"), vespe(s, "hitl_queue/link.json")))
	bad("not-regular", "hitl_queue/link.json")
	minimal("dir")
	must(os.MkdirAll(at("dir", "status.json"), 0o755))
	bad("not-regular", "dir/status.json")
	must(os.MkdirAll(at("hard", ""), 0o755))
	must(os.Link(filepath.Join(outside, "config.json"), at("hard", "config.json")))
	bad("not-regular", "hard/config.json")
	minimal("huge")
	must(os.WriteFile(at("huge", "spec.json"), nil, 0o644))
	must(os.Truncate(at("huge", "spec.json"), maxJSON+1))
	bad("too-large", "huge/spec.json")
	if os.Getuid() == 0 && runtime.GOOS == "linux" {
		minimal("device")
		must(unix.Mknod(at("device", "status.json"), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5)))) // zero
		bad("not-regular", "device/status.json")
	} else {
		minimal("forbidden")
		write(t, at("forbidden", "status.json"), "{}")
		must(os.Chmod(at("forbidden", "status.json"), 0))
		bad("unreadable", "forbidden/status.json")
	}

	write(t, at("renamed", "config.json"), `{"uid":"other","name":"x"}`)
	bad("uid-mismatch", "renamed/config.json")
	write(t, at("copy", "config.json"), `{"uid":"`+string(good)+`","name":"x"}`)
	bad("uid-mismatch", "copy/config.json")
	bad("duplicate-uid", "copy/config.json")
	write(t, at("twin-a", "config.json"), `{"uid":"twin","name":"x"}`)
	write(t, at("twin-b", "config.json"), `{"uid":"twin","name":"x"}`)
	bad("duplicate-uid", "twin-a/config.json")
	bad("duplicate-uid", "twin-b/config.json")
	must(os.MkdirAll(vespe(s, "tasks/Has Space"), 0o755))
	bad("bad-uid", "tasks/Has Space")
	must(os.MkdirAll(vespe(s, "tasks/JSON"), 0o755))
	bad("case-collision", "tasks/JSON")
	write(t, vespe(s, "tasks/notes.txt"), "hello")
	bad("stray-file", "tasks/notes.txt")
	write(t, vespe(s, "tasks/.gitkeep"), "")
	write(t, vespe(s, "hitl_queue/bad.json"), "[")
	bad("bad-json", "hitl_queue/bad.json")

	snap := load(t, open(t, s.Root(), testOptions()))
	for _, w := range wants {
		if w.code == "" { // the codec's own words
			found := false
			for _, p := range snap.Problems() {
				found = found || strings.HasSuffix(p.Path, w.suffix) && p.Reason != ""
			}
			if !found {
				t.Errorf("no problem for …%s", w.suffix)
			}
			continue
		}
		wantProblem(t, snap.Problems(), w.code, w.suffix)
	}
	for _, p := range snap.Problems() {
		if strings.HasPrefix(p.Path, ".vespe/tasks/"+string(good)+"/") || strings.HasSuffix(p.Path, ".gitkeep") {
			t.Errorf("a problem where there is none: %+v", p)
		}
		if !strings.HasPrefix(p.Path, ".vespe/") {
			t.Errorf("a path that is not relative to the root: %+v", p)
		}
	}
	if p, _ := findProblem(snap.Problems(), "bad-json", "json/status.json"); p.Line != 3 || p.UID != "json" {
		t.Errorf("bad JSON is reported as %+v", p)
	}
	if got := task(t, snap, good); len(got.Problems) > 0 || got.Status.PlanRevision != 1 {
		t.Errorf("the good task reads as %+v", got)
	}
	if strings.Contains(dump(snap), "stolen\"") {
		t.Error("something outside the store was read")
	}

	// Documents too, when they are asked for.
	var nr *NotRegularError
	if _, err := s.Content(context.Background(), "planlink", model.Plan); !errors.As(err, &nr) {
		t.Errorf("a plan that is a link: %v", err)
	}
	must(os.Link(filepath.Join(outside, "secret.json"), at("type", "plan.md")))
	if _, err := s.Content(context.Background(), "type", model.Plan); !errors.As(err, &nr) {
		t.Errorf("a plan with two names: %v", err)
	}
	ps, err := s.Doctor(context.Background())
	must(err)
	wantProblem(t, ps, "not-regular", "type/plan.md")

	// And what is broken does not keep the rest from being worked on.
	a := do(t, s, model.Op{Name: model.AcceptPlan, UID: good, Actor: ann})
	if task(t, a.Snapshot, good).Status.AcceptedPlan == nil {
		t.Error("the good task was not accepted")
	}
	_, err = s.Do(context.Background(), model.Op{Name: model.DefineObjective, UID: "fifo", Actor: ann, Text: "x"})
	wantCode(t, err, model.CodeRefused)
}

// TestHostileDirectories replaces the store's own directories.
func TestHostileDirectories(t *testing.T) {
	for _, name := range []string{"tasks", "hitl_queue", "log"} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			create(t, s, "one", "")
			elsewhere := filepath.Join(t.TempDir(), name)
			if err := os.Rename(vespe(s, name), elsewhere); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(elsewhere, vespe(s, name)); err != nil {
				t.Fatal(err)
			}
			s2 := open(t, s.Root(), testOptions())
			snap, err := s2.Load(context.Background(), nil)
			if name == "log" {
				var nr *NotRegularError
				if !errors.As(err, &nr) {
					t.Errorf("a log that is a link: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantProblem(t, snap.Problems(), "not-regular", name)
		})
	}
}

// TestBrokenLog: entries that cannot be believed are problems; the tasks still load.
func TestBrokenLog(t *testing.T) {
	for name, body := range map[string]string{
		"empty":           "",
		"not JSON":        "garbage",
		"another number":  `{"format":1,"seq":9,"prev":"","op_id":"x","actor":"","at":"2026-01-01T00:00:00Z","ops":[],"files":[]}`,
		"newer":           `{"format":2,"seq":2,"prev":"","op_id":"x","actor":"","at":"2026-01-01T00:00:00Z","ops":[],"files":[]}`,
		"outside":         hostileEntry("tasks/../../../outside", ""),
		"absolute":        hostileEntry("/etc/cron.d/x", ""),
		"the machinery":   hostileEntry("log/000000000003.json", ""),
		"the marker":      hostileEntry(".vespe_root", ""),
		"a wrong body":    hostileEntry("tasks/a/plan.md", `,"body":"other"`),
		"a missing body":  hostileEntry("tasks/a/plan.md", ""),
		"a control path":  hostileEntry("tasks/a/pl\\u001ban.md", `,"body":"x"`),
		"task file twice": strings.Replace(hostileEntry("tasks/a/plan.md", `,"body":"x"`), `]}`, `,{"path":"tasks/a/plan.md","was":"","sha256":"`+model.HashBytes([]byte("x"))+`","body":"x"}]}`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid := create(t, s, "one", "")
			write(t, vespe(s, entryFile(2)), body)
			before := tree(t, s.Root())
			s2 := open(t, s.Root(), testOptions())
			snap, err := s2.Load(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			task(t, snap, uid)
			wantProblem(t, snap.Problems(), "log-broken", "000000000002.json")
			if _, err := s2.Do(context.Background(), model.Op{Name: model.RenameTask, UID: uid, Actor: ann, NewName: "x"}); err == nil {
				t.Error("something was appended to a log that cannot be read")
			}
			if after := tree(t, s.Root()); after != before {
				same(t, "something was written", before, after)
			}
		})
	}
}

func hostileEntry(path, body string) string {
	return `{"format":1,"seq":2,"prev":"","op_id":"x","actor":"","at":"2026-01-01T00:00:00Z","ops":[],"files":[{"path":"` +
		path + `","was":"","sha256":"` + model.HashBytes([]byte("x")) + `"` + body + `}]}`
}
