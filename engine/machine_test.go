package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
)

// badGit has gits killed whose arguments match a pattern of the shell, until mended is called.
func (d *desk) badGit(pattern string) (mended func()) {
	d.t.Helper()
	bin, bad := d.t.TempDir(), filepath.Join(d.getenv("TEST_STATE"), "bad-git")
	var real string
	for _, dir := range filepath.SplitList(d.getenv("PATH")) {
		if name := filepath.Join(dir, "git"); real == "" {
			if _, err := os.Stat(name); err == nil {
				real = name
			}
		}
	}
	script := "#!/bin/sh\nif [ -e '" + bad + "' ]; then case \"$*\" in " + pattern + ") kill -9 $$;; esac; fi\nexec " + real + " \"$@\"\n"
	for name, text := range map[string]string{filepath.Join(bin, "git"): script, bad: ""} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			d.t.Fatal(err)
		}
	}
	d.env = append(d.env, "PATH="+bin+string(filepath.ListSeparator)+d.getenv("PATH"))
	d.opt.Environ = d.env
	return func() { _ = os.Remove(bad) }
}

// A worktree that could not be removed is removed by the next loop, and nobody takes its run for one that continues.
func TestAWorktreeThatCannotBeRemoved(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	mended := d.badGit(`*"worktree remove"*`)
	uid := d.task("one", "do write a.txt good", nil)
	if sum := d.run(); sum.Completed != 1 || d.status(uid) != model.StatusReviewWork {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if ids, err := d.loop().place.records(); err != nil || len(ids) != 1 {
		t.Errorf("it is not written down that a worktree is left: %v %v", ids, err)
	}
	desk, err := NewDesk(d.getenv, d.s.StoreID())
	if err != nil {
		t.Fatal(err)
	}
	if live, err := desk.Live(); err != nil || len(live) != 0 {
		t.Errorf("a run that is over lives: %+v %v", live, err)
	}
	mended()
	d.task("two", "do write b.txt good", nil)
	if sum := d.run(); sum.Completed != 1 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	d.clean()
}

// That a check could not be carried out is nobody's failure: it is carried out again.
func TestACheckTogetherThatIsInterrupted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.file("check.sh", `if [ -e a.txt ] && [ -e b.txt ] && mkdir "$TEST_STATE/killed" 2>/dev/null; then
  kill -9 $(ps -o ppid= -p $PPID) # the guard of the check
fi
`)
	d.git("commit", "-qam", "a check that is killed once")
	a := d.task("a", "do meet 2\ndo write a.txt good", nil)
	b := d.task("b", "do meet 2\ndo write b.txt good", nil)
	if sum := d.run(); sum.Completed != 2 || sum.Failed != 0 {
		t.Fatalf("%+v%s", sum, d.lines())
	}
	if !strings.Contains(d.lines(), "failed: ") {
		t.Errorf("no check was interrupted%s", d.lines())
	}
	if n := len(d.runs(a)) + len(d.runs(b)); n != 2 {
		t.Errorf("it took %d runs", n)
	}
	d.nothingRuns()
	d.clean()
}
