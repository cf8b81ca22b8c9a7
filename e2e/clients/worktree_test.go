//go:build clients

package clients

import (
	"path/filepath"
	"testing"
)

// Claude Code that works in a git worktree asks in the inbox of the main checkout, where it reads hooks: a person's own,
// or a project's that are committed. `vespe agent doctor` says where it reads none.
func TestClaudeInAWorktree(t *testing.T) {
	for _, c := range []struct {
		name, scope       string
		commits, byItsOwn bool
		asks              bool
	}{
		{name: "made by git, committed", scope: "project", commits: true, asks: true},
		{name: "made by git, not committed", scope: "project"},
		{name: "claude -w, committed", scope: "project", commits: true, byItsOwn: true, asks: true},
		{name: "claude -w, not committed", scope: "project", byItsOwn: true},
		{name: "made by git, a person's own", scope: "user", asks: true},
		{name: "claude -w, a person's own", scope: "user", byItsOwn: true, asks: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := gatedWorld(t)
			w.claudeModel(
				func(*Request) []Step { return bash(deploy) },
				func(*Request) []Step { return Say("Deployed.") },
			)
			w.person("install", "claude-code", "--scope", c.scope)
			w.run("git", "add", "Makefile")
			if c.commits {
				w.run("git", "add", "-A")
			}
			w.run("git", "commit", "-q", "-m", "set up")
			args, tree := []string{"-p", "--output-format", "json", "--allowedTools", "Bash"}, filepath.Join(w.home, "tree")
			if c.byItsOwn {
				args, tree = append(args, "-w", "tree"), filepath.Join(w.repo, ".claude", "worktrees", "tree")
			} else {
				w.run("git", "worktree", "add", "-q", tree)
			}
			run := w.cmd("claude", append(args, "--", "Deploy it.")...)
			if !c.byItsOwn {
				run.Dir = tree
			}
			e := w.end(run)
			at, err := filepath.Rel(w.repo, tree)
			if err != nil {
				t.Fatal(err)
			}
			if deployed := w.read(filepath.Join(at, "deployed.txt")) != ""; len(w.requests()) == 1 != c.asks || deployed == c.asks {
				t.Errorf("%d requests, and it is deployed: %v. %+v", len(w.requests()), deployed, e)
			}
			h, code := w.doctorIn(tree)
			if got := h.of("claude-code", "project"); (got.State == "bad") == c.asks || (code == 0) != c.asks {
				t.Errorf("the doctor says %+v, with exit code %d", got, code)
			}
		})
	}
}
