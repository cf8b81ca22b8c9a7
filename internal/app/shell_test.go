package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A shell begins in the worktree that is taken over, and is the person's own.
func TestAShellInAWorktree(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sh, err := NewShell(func(name string) string { return map[string]string{"SHELL": "sh -c 'pwd; echo $VESPE_WORKTREE'"}[name] })
	if err != nil {
		t.Fatal(err)
	}
	run, err := sh.In(dir, "run-1")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	run.SetStdout(&out)
	if err := run.Run(); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "worktree of run-1. Leave this shell with exit or ctrl+d.") || strings.Count(got, dir) != 2 {
		t.Errorf("the shell says %q", got)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{file, filepath.Join(dir, "gone")} {
		if _, err := sh.In(bad, "run-1"); err == nil {
			t.Errorf("a shell was opened in %s", bad)
		}
	}
	if _, err := NewShell(func(string) string { return "'open" }); err == nil || !strings.Contains(err.Error(), "$SHELL") {
		t.Errorf("a shell that is no command gives %v", err)
	}
}
