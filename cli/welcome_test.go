package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/cli/core"
	"vespe/store"
)

// Without a store vespe offers what may be done first, and does what is chosen: with the verbs that do it.
func TestWelcome(t *testing.T) {
	c := at(t, t.TempDir())
	c.terminal = true
	opened := ""
	c.bench = func(_ context.Context, s *store.Store, _ core.WorkbenchOptions) error { opened = s.Root(); return nil }
	if err := os.Mkdir(filepath.Join(c.dir, ".beads"), 0o755); err != nil {
		t.Fatal(err)
	}
	issue := `{"id":"b-1","title":"Parse it","status":"open","priority":1,"issue_type":"task","created_at":"2026-01-02T03:04:05Z","updated_at":"2026-01-02T03:04:05Z"}` + "\n"
	if err := os.WriteFile(filepath.Join(c.dir, ".beads", "issues.jsonl"), []byte(issue), 0o644); err != nil {
		t.Fatal(err)
	}
	choose := func(out, title string) string {
		t.Helper()
		for line := range strings.Lines(out[strings.LastIndex(out, "\n\n  1")+2:]) {
			if n, rest, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && rest == title {
				return n
			}
		}
		t.Fatalf("%q is not offered:\n%s", title, out)
		return ""
	}
	enter := func(keys string) string {
		t.Helper()
		c.typed = strings.NewReader(keys)
		code, out, errs := c.run()
		if code != core.ExitOK {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		return out
	}
	out := enter("\nq\n")
	if !strings.Contains(out, "Type a number from 1 to ") {
		t.Errorf("an empty answer is not asked again:\n%s", out)
	}
	if !strings.Contains(out, "There is no store in "+c.dir+" or above it.") || strings.Contains(out, "open the workbench") {
		t.Errorf("it says\n%s", out)
	}
	choose(out, "look at a demo")
	// A wrong answer is asked again. What was done is not offered once more.
	out = enter("99\n" + choose(out, "import .beads/issues.jsonl") + "\nq\n")
	for _, want := range []string{"Type a number from 1 to ", "$ vespe init\n", "$ vespe store import beads ", "The store is " + c.dir + "/.vespe. What next?"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if after := out[strings.LastIndex(out, "What next?"):]; strings.Contains(after, "import") || !strings.Contains(after, "demo") || !strings.Contains(after, "1  open the workbench") {
		t.Errorf("then it offers\n%s", after)
	}
	if out := c.must("ls"); !strings.Contains(out, "Parse it") {
		t.Errorf("imported:\n%s", out)
	}
	if enter(""); opened != c.dir {
		t.Errorf("with a store it opens %q", opened)
	}

	// init ends with the same, where somebody is there to choose.
	d := at(t, t.TempDir())
	d.terminal, d.bench, d.typed = true, c.bench, strings.NewReader("1\n")
	if code, out, errs := d.run("init"); code != core.ExitOK || !strings.Contains(out, "What next?") || opened != d.dir || len(d.benchArgs) != 0 {
		t.Errorf("init ends with %d, %q opened:\n%s%s", code, opened, out, errs)
	}
	d = at(t, t.TempDir())
	d.terminal, d.bench, d.typed = true, c.bench, strings.NewReader("q\n")
	_, out, _ = d.run()
	d.typed = strings.NewReader(choose(out, "look at a demo") + "\n")
	if code, out, errs := d.run(); code != core.ExitOK || opened != filepath.Join(d.dir, "vespe-demo") || !slices.Equal(d.benchArgs, []string{"demo"}) {
		t.Errorf("the demo ends with %d, %q opened by %q:\n%s%s", code, opened, d.benchArgs, out, errs)
	}
	e := at(t, t.TempDir())
	if out := e.must("init"); strings.Contains(out, "What next?") {
		t.Errorf("without a terminal init says\n%s", out)
	}
	e = at(t, t.TempDir())
	if code, _, errs := e.run(); code != core.ExitNotFound || !strings.Contains(errs, "run `vespe init` to make a store here") {
		t.Errorf("without a terminal vespe says %d, %s", code, errs)
	}
}
