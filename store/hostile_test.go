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
	"vespe/store/fsys"
	"vespe/store/layout"
)

// TestHostileTree puts everything that does not belong there into a store: each thing is
// a problem with its path, nothing outside is read, and everything else loads.
func TestHostileTree(t *testing.T) {
	s := newStore(t)
	h := &hostiles{t: t, s: s, good: planned(t, s, "good"), outside: filepath.Join(t.TempDir(), "outside")}
	write(t, filepath.Join(h.outside, "config.json"), `{"uid":"stolen","name":"stolen"}`)
	write(t, filepath.Join(h.outside, "secret.json"), `{"id":"secret"}`)
	h.texts()
	h.links()
	h.odd()
	h.names()
	h.loads()
	h.goesOn()
}

// hostiles makes a store hostile, and remembers what has to be said of it.
type hostiles struct {
	t       *testing.T
	s       *Store
	good    model.UID // a task that nothing is wrong with
	outside string    // a directory beside the store
	wants   []struct{ code, suffix string }
}

func (h *hostiles) at(uid, name string) string { return vespe(h.s, "tasks/"+uid+"/"+name) }

func (h *hostiles) minimal(uid string) {
	write(h.t, h.at(uid, "config.json"), `{"uid":"`+uid+`","name":"`+uid+`"}`)
}

// bad: a problem with this code has to be there, with any where it is "".
func (h *hostiles) bad(code, suffix string) {
	h.wants = append(h.wants, struct{ code, suffix string }{code, suffix})
}

// texts are files that cannot be decoded, and some that are missing.
func (h *hostiles) texts() {
	h.minimal("json")
	write(h.t, h.at("json", "status.json"), "{\n\"current_state\": \"working\",\n,}")
	h.bad("bad-json", "json/status.json")
	h.minimal("conflict")
	write(h.t, h.at("conflict", "status.json"), "{\n<<<<<<< HEAD\n\"current_state\":\"working\"\n=======\n")
	h.bad("", "conflict/status.json")
	h.minimal("type")
	write(h.t, h.at("type", "status.json"), `{"current_state":7}`)
	h.bad("wrong-type", "type/status.json")
	h.minimal("utf8")
	write(h.t, h.at("utf8", "spec.json"), "{\"description\":\"\xff\"}")
	h.bad("", "utf8/spec.json")
	h.minimal("deep")
	write(h.t, h.at("deep", "spec.json"), `{"x":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}`)
	h.bad("", "deep/spec.json")
	write(h.t, h.at("noconfig", "status.json"), `{"current_state":"created"}`)
	h.bad("missing-file", "noconfig/config.json")
	must(h.t, os.MkdirAll(h.at("empty", ""), 0o755))
	h.bad("missing-file", "empty/config.json")
}

func (h *hostiles) links() {
	must(h.t, os.MkdirAll(h.at("link", ""), 0o755))
	must(h.t, os.Symlink(filepath.Join(h.outside, "config.json"), h.at("link", "config.json")))
	h.bad("not-regular", "link/config.json")
	h.minimal("inlink") // a link that stays inside the tree
	must(h.t, os.Symlink("../"+string(h.good)+"/status.json", h.at("inlink", "status.json")))
	h.bad("not-regular", "inlink/status.json")
	h.minimal("planlink")
	must(h.t, os.Symlink(h.outside+"/secret.json", h.at("planlink", "plan.md")))
	h.bad("not-regular", "planlink/plan.md")
	h.minimal("dirlink")
	must(h.t, os.Symlink(h.outside, h.at("dirlink", "persistent")))
	h.bad("not-regular", "dirlink/persistent")
	must(h.t, os.Symlink(h.outside, vespe(h.s, "tasks/stolen")))
	h.bad("not-regular", "tasks/stolen")
	must(h.t, os.Symlink(string(h.good), vespe(h.s, "tasks/alias")))
	h.bad("not-regular", "tasks/alias")
}

// odd are files that are none, or too large, or forbidden.
func (h *hostiles) odd() {
	h.minimal("fifo")
	must(h.t, unix.Mkfifo(h.at("fifo", "status.json"), 0o644))
	h.bad("not-regular", "fifo/status.json")
	must(h.t, unix.Mkfifo(vespe(h.s, "hitl_queue/fifo.json"), 0o644))
	h.bad("not-regular", "hitl_queue/fifo.json")
	must(h.t, os.Symlink(filepath.Join(h.outside, "secret.json"), vespe(h.s, "hitl_queue/link.json")))
	h.bad("not-regular", "hitl_queue/link.json")
	h.minimal("dir")
	must(h.t, os.MkdirAll(h.at("dir", "status.json"), 0o755))
	h.bad("not-regular", "dir/status.json")
	must(h.t, os.MkdirAll(h.at("hard", ""), 0o755))
	must(h.t, os.Link(filepath.Join(h.outside, "config.json"), h.at("hard", "config.json")))
	h.bad("not-regular", "hard/config.json")
	h.minimal("huge")
	must(h.t, os.WriteFile(h.at("huge", "spec.json"), nil, 0o644))
	must(h.t, os.Truncate(h.at("huge", "spec.json"), layout.MaxJSON+1))
	h.bad("too-large", "huge/spec.json")
	if os.Getuid() == 0 && runtime.GOOS == "linux" {
		h.minimal("device")
		must(h.t, unix.Mknod(h.at("device", "status.json"), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 5)))) // zero
		h.bad("not-regular", "device/status.json")
	} else {
		h.minimal("forbidden")
		write(h.t, h.at("forbidden", "status.json"), "{}")
		must(h.t, os.Chmod(h.at("forbidden", "status.json"), 0))
		h.bad("unreadable", "forbidden/status.json")
	}
}

// names are files and directories that are not called what they should be.
func (h *hostiles) names() {
	write(h.t, h.at("renamed", "config.json"), `{"uid":"other","name":"x"}`)
	h.bad("uid-mismatch", "renamed/config.json")
	write(h.t, h.at("copy", "config.json"), `{"uid":"`+string(h.good)+`","name":"x"}`)
	h.bad("uid-mismatch", "copy/config.json")
	h.bad("duplicate-uid", "copy/config.json")
	write(h.t, h.at("twin-a", "config.json"), `{"uid":"twin","name":"x"}`)
	write(h.t, h.at("twin-b", "config.json"), `{"uid":"twin","name":"x"}`)
	h.bad("duplicate-uid", "twin-a/config.json")
	h.bad("duplicate-uid", "twin-b/config.json")
	must(h.t, os.MkdirAll(vespe(h.s, "tasks/Has Space"), 0o755))
	h.bad("bad-uid", "tasks/Has Space")
	must(h.t, os.MkdirAll(vespe(h.s, "tasks/JSON"), 0o755))
	h.bad("case-collision", "tasks/JSON")
	write(h.t, vespe(h.s, "tasks/notes.txt"), "hello")
	h.bad("stray-file", "tasks/notes.txt")
	write(h.t, vespe(h.s, "tasks/.gitkeep"), "")
	write(h.t, vespe(h.s, "hitl_queue/bad.json"), "[")
	h.bad("bad-json", "hitl_queue/bad.json")
}

// loads holds what a load says against what was made.
func (h *hostiles) loads() {
	t := h.t
	snap := load(t, open(t, h.s.Root(), testOptions()))
	for _, w := range h.wants {
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
		if strings.HasPrefix(p.Path, ".vespe/tasks/"+string(h.good)+"/") || strings.HasSuffix(p.Path, ".gitkeep") {
			t.Errorf("a problem where there is none: %+v", p)
		}
		if !strings.HasPrefix(p.Path, ".vespe/") {
			t.Errorf("a path that is not relative to the root: %+v", p)
		}
	}
	if p, _ := findProblem(snap.Problems(), "bad-json", "json/status.json"); p.Line != 3 || p.UID != "json" {
		t.Errorf("bad JSON is reported as %+v", p)
	}
	if got := task(t, snap, h.good); len(got.Problems) > 0 || got.Status.PlanRevision != 1 {
		t.Errorf("the good task reads as %+v", got)
	}
	if strings.Contains(dump(snap), "stolen\"") {
		t.Error("something outside the store was read")
	}
}

// goesOn asks for documents, and works on what is whole.
func (h *hostiles) goesOn() {
	t := h.t
	// Documents too, when they are asked for.
	var nr *fsys.NotRegularError
	if _, err := h.s.Content(context.Background(), "planlink", model.Plan); !errors.As(err, &nr) {
		t.Errorf("a plan that is a link: %v", err)
	}
	must(h.t, os.Link(filepath.Join(h.outside, "secret.json"), h.at("type", "plan.md")))
	if _, err := h.s.Content(context.Background(), "type", model.Plan); !errors.As(err, &nr) {
		t.Errorf("a plan with two names: %v", err)
	}
	ps, err := h.s.Fsck().Doctor(context.Background())
	must(h.t, err)
	wantProblem(t, ps, "not-regular", "type/plan.md")

	// And what is broken does not keep the rest from being worked on.
	a := do(t, h.s, model.Op{Name: model.AcceptPlan, UID: h.good, Actor: ann})
	if task(t, a.Snapshot, h.good).Status.AcceptedPlan == nil {
		t.Error("the good task was not accepted")
	}
	_, err = h.s.Do(context.Background(), model.Op{Name: model.DefineObjective, UID: "fifo", Actor: ann, Args: model.NewObjective{Text: "x"}})
	wantCode(t, err, model.CodeRefused)
}

// TestHostileDirectories replaces the store's own directories.
func TestHostileDirectories(t *testing.T) {
	for _, name := range []string{"tasks", "hitl_queue", "log"} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			create(t, s, "one", "")
			elsewhere := filepath.Join(t.TempDir(), name)
			must(t, os.Rename(vespe(s, name), elsewhere))
			must(t, os.Symlink(elsewhere, vespe(s, name)))
			s2 := open(t, s.Root(), testOptions())
			snap, err := s2.Load(context.Background(), nil)
			if name == "log" {
				var nr *fsys.NotRegularError
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
			write(t, vespe(s, layout.EntryFile(2)), body)
			before := tree(t, s.Root())
			s2 := open(t, s.Root(), testOptions())
			snap := mustGet(s2.Load(context.Background(), nil))(t)
			task(t, snap, uid)
			wantProblem(t, snap.Problems(), "log-broken", "000000000002.json")
			if _, err := s2.Do(context.Background(), model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "x"}}); err == nil {
				t.Error("something was appended to a log that can't be read")
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
