package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/cli/core"
	"vespe/model/visible"
	"vespe/store"
)

// Without a verb the workbench opens, on a terminal that can show it; elsewhere the tree
// is printed.
func TestWorkbenchOrTree(t *testing.T) {
	for _, tt := range []struct {
		name     string
		terminal bool
		env      map[string]string
		args     []string
		opens    bool
		noColor  bool
	}{
		{name: "terminal", terminal: true, opens: true},
		{name: "NO_COLOR", terminal: true, env: map[string]string{"NO_COLOR": "yes"}, opens: true, noColor: true},
		{name: "--no-color", terminal: true, args: []string{"--no-color"}, opens: true, noColor: true},
		{name: "dumb terminal", terminal: true, env: map[string]string{"TERM": "dumb"}},
		{name: "--json", terminal: true, args: []string{"--json"}},
		{name: "pipe"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := fresh(t)
			c.must("new", "A")
			c.terminal = tt.terminal
			for k, v := range tt.env {
				c.env[k] = v
			}
			var opened []core.WorkbenchOptions
			c.bench = func(_ context.Context, s *store.Store, o core.WorkbenchOptions) error {
				if s.Root() != c.dir {
					t.Errorf("opened on %s", s.Root())
				}
				opened = append(opened, o)
				return nil
			}
			out := c.must(tt.args...)
			if (len(opened) == 1) != tt.opens {
				t.Fatalf("opened %d times", len(opened))
			}
			if tt.opens {
				if o := opened[0]; o.NoColor != tt.noColor || o.Actor != "human:ann" || out != "" {
					t.Errorf("%+v, printed %q", o, out)
				}
			} else if !strings.Contains(out, "◦ A  New") && !strings.Contains(out, `"status": "created"`) {
				t.Errorf("printed %q", out)
			}
		})
	}
}

// What is interrupted says so, and has changed nothing.
func TestInterrupted(t *testing.T) {
	c := fresh(t)
	var issues strings.Builder
	for i := range 300 {
		fmt.Fprintf(&issues, `{"id":"x-%d","title":"T%d","description":"Do."}`+"\n", i, i)
	}
	c.stdin = issues.String()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.ctx = ctx
	code, out, errs := c.run("import", "beads", "-")
	if code != core.ExitFailed || out != "" || errs != "vespe: interrupted; nothing was changed\n" {
		t.Errorf("import: exit code %d, %q, %q", code, out, errs)
	}
	c.ctx = t.Context()
	if out := c.must("ls"); out != "No tasks yet. `vespe new NAME` creates one.\n" {
		t.Errorf("after an interrupted import:\n%s", out)
	}
	if out := c.must("doctor"); out != "No problems.\n" {
		t.Errorf("after an interrupted import:\n%s", out)
	}
	c.must("import", "beads", "-")

	// A demo that was not finished is not taken for one the next time.
	d := at(t, t.TempDir())
	d.ctx = ctx
	for _, dir := range []string{"x", "y/z"} {
		if code, _, errs := d.run("demo", dir, "--no-open"); code != core.ExitFailed || errs != "vespe: interrupted; nothing was changed\n" {
			t.Errorf("demo: exit code %d, %q", code, errs)
		}
	}
	if left, err := os.ReadDir(d.dir); err != nil || len(left) > 0 {
		t.Errorf("an interrupted demo leaves %v, %v", left, err)
	}
	d.ctx = t.Context()
	d.must("demo", "x", "--no-open")
}

// No verb prints what a terminal would obey, whatever is in the files.
func TestHostileNames(t *testing.T) {
	c := fresh(t)
	const nasty = "\\u001b]0;owned\\u0007 \\u202egnp.exe\\u200b"
	write := func(name, body string) {
		t.Helper()
		path := filepath.Join(c.dir, store.Name, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, body := range map[string]string{
		"config.json":       `{"uid":"tsk-evil","name":"` + nasty + `","created_by":"human:` + nasty + `","created_at":"2024-01-01T00:00:00Z"}`,
		"status.json":       `{"current_state":"error","error_details":"` + nasty + `","is_paused":true,"pause_reason":"` + nasty + `","assigned_agent_uid":"agent:` + nasty + `","revision":1}`,
		"dependencies.json": `{"depends_on":["tsk-none"]}`,
		"spec.json":         `{"priority":"` + nasty + `","labels":["` + nasty + `"],"risk":"` + nasty + `","description":"` + nasty + `","acceptance_criteria":["` + nasty + `"]}`,
		"objective.md":      "\x1b[31mred\x1b]8;;http://evil\x07link\r\n\u202eabc \xff",
		"persistent/20240101000000_000_created.json": `{"event":"` + nasty + `","actor":"` + nasty + `","reason":"` + nasty + `"}`,
		"result/\x1b[2J.md":                          "x",
	} {
		write("tasks/tsk-evil/"+name, body)
	}
	// Nothing is wrong with this one but what its texts say.
	for name, body := range map[string]string{
		"config.json": `{"uid":"tsk-sly","name":"` + nasty + `2","created_by":"human:ann","created_at":"2024-01-01T00:00:00Z"}`,
		"status.json": `{"current_state":"working","is_paused":true,"pause_reason":"hitl: ` + nasty + `","revision":1,"last_updated_at":"2024-01-01T00:00:00Z"}`,
		"spec.json":   `{"priority":"` + nasty + `"}`,
		"persistent/20240101000000_000_created.json": `{"event":"created","at":"2024-01-01T00:00:00Z","actor":"human:ann","summary":"` + nasty + `"}`,
		"persistent/20240101000001_000_started.json": `{"event":"started","at":"2024-01-01T00:00:01Z","actor":"human:ann","from":"` + nasty + `","to":"` + nasty + `2"}`,
	} {
		write("tasks/tsk-sly/"+name, body)
	}
	write("hitl_queue/req-1.json", `{"id":"req-1","task_uid":"tsk-evil","kind":"question","title":"`+nasty+`","state":"pending","created_at":"2024-01-01T00:00:00Z","created_by":"agent:`+nasty+`"}`)
	c.must("new", "Good", "--depends", "tsk-evil")
	for _, args := range [][]string{{"inbox"}, {"history", "tsk-sly"}, {"ls"}} {
		if out := c.must(args...); !strings.Contains(out, "owned") {
			t.Errorf("%v does not show the texts that this test is about: %q", args, out)
		}
	}
	for _, args := range [][]string{
		{},
		{"ls"},
		{"tree"},
		{"show", "tsk-evil"},
		{"show", "Good"},
		{"history", "tsk-evil"},
		{"show", "tsk-sly"},
		{"history", "tsk-sly"},
		{"resume", "tsk-sly", "--dry-run"},
		{"inbox"},
		{"next"},
		{"doctor"},
		{"dep", "ls", "Good"},
		{"graph"},
		{"start", "tsk-evil"},
		{"retry", "tsk-evil"},
		{"set", "tsk-evil", "risk=low"},
		{"__complete", "show", ""},
		{"rename", "tsk-evil", "Tame", "--dry-run"},
	} {
		for _, json := range []bool{false, true} {
			if json {
				args = append([]string{"--json"}, args...)
			}
			_, out, errs := c.run(args...)
			if visible.Has(out + errs) {
				t.Errorf("%v: %q", args, out+errs)
			}
		}
	}
}
