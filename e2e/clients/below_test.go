//go:build clients

package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Claude Code that is started below a project takes none of its hooks, so that nothing is gated there. A person's own
// settings hold everywhere, and `vespe agent doctor` says which it is.
func TestClaudeBelowTheProject(t *testing.T) {
	for _, scope := range []string{"project", "user"} {
		t.Run(scope, func(t *testing.T) {
			w := gatedWorld(t)
			below := filepath.Join(w.repo, "cmd")
			if err := os.MkdirAll(below, 0o755); err != nil {
				t.Fatal(err)
			}
			w.attended()
			w.claudeModel(
				func(*Request) []Step { return bash("make -C .. deploy || make deploy") },
				func(*Request) []Step { return Say("Deployed.") },
			)
			out := w.person("install", "claude-code", "--scope", scope)
			h, _ := w.doctor()
			c := w.cmd("claude", "-p", "--output-format", "json", "--allowedTools", "Bash", "--", "Deploy it.")
			c.Dir = below
			e := w.end(c)
			switch said, warned := strings.Contains(out, "only where you start it"), h.of("claude-code", "below"); scope {
			case "project":
				if !said || warned.State != "warn" || !strings.Contains(warned.Do, "--scope user") {
					t.Errorf("it is said: %v; the doctor says %+v", said, warned)
				}
				if len(w.requests()) != 0 || w.read("deployed.txt") == "" {
					t.Errorf("a client that reads the hooks of a project above: say so in the documents. %+v", e)
				}
			case "user":
				if said || warned.Name != "" {
					t.Errorf("it is said: %v; the doctor says %+v", said, warned)
				}
				if len(w.requests()) != 1 || w.read("deployed.txt") != "" {
					t.Errorf("the gate is off below the project: %+v, %+v", w.requests(), e)
				}
			}
		})
	}
}
