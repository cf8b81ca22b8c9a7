package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var errKilled = errors.New("killed")

// harmless are the commands of git that change nothing: it is the same to be killed before and
// after them.
var harmless = []string{
	"rev-parse", "rev-list", "merge-base", "config", "log", "diff-tree", "diff-files", "diff-index", "diff", "ls-files", "ls-tree", "check-ignore",
	"symbolic-ref", "status", "version", "cat-file",
}

// killAt has the n-th step that changes something not happen, and none after it.
func (f *fix) killAt(n int) (steps *int) {
	at := 0
	f.step = func(what string) error {
		if at >= n && n > 0 {
			return errKilled
		}
		if !strings.HasSuffix(what, " done") && !slices.Contains(harmless, what) {
			if at++; at == n {
				return errKilled
			}
		}
		return nil
	}
	return &at
}

// drive does what a loop does for a run, whatever was done of it before. person does something
// before it is integrated.
func (f *fix) drive(ctx context.Context, run string, person func()) error {
	result, err := f.commit(ctx, runRef(run, "result"))
	if err != nil {
		return err
	}
	tree, err := f.Reopen(ctx, run)
	if errors.Is(err, ErrNoTree) && result == "" {
		tree, err = f.Add(ctx, run, "task-"+run, "")
	}
	switch {
	case err == nil:
		defer tree.Close()
		if err := os.WriteFile(filepath.Join(tree.Path, run+".txt"), []byte(run+"\n"), 0o644); err != nil {
			return err
		}
		if _, err := f.Snapshot(ctx, tree, Message{Subject: "Work of " + run}); err != nil {
			return err
		}
		if kept, err := f.Remove(ctx, tree); err != nil || kept != "" {
			return errors.Join(err, errors.New("kept: "+kept))
		}
	case !errors.Is(err, ErrNoTree):
		return err
	}
	person()
	done, err := f.Integrate(ctx, f.integration(run), func(_ context.Context, dir, _ string) error {
		_, err := os.Stat(filepath.Join(dir, run+".txt"))
		return err
	})
	if err != nil {
		return err
	}
	return f.Deliver(ctx, done.Commit, nil)
}

// goesOn has the target continue once, so that there is something to merge.
func (f *fix) goesOn() {
	if !exists(filepath.Join(f.top, "person.txt")) {
		f.commitFile("person.txt", "person\n")
	}
}

// Killed before any step that changes something, and called again, a run is integrated once, and
// nothing is left of it but its references.
func TestKilledAtAnyStep(t *testing.T) { killedAtSteps(t, 9) }

// killedAtSteps is killed at one step in as many as each says.
func killedAtSteps(t *testing.T, each int) {
	t.Parallel()
	whole := newFix(t)
	n := whole.killAt(0)
	const run = "run-1"
	if err := whole.drive(t.Context(), run, whole.goesOn); err != nil {
		t.Fatal(err)
	}
	if *n < 30 {
		t.Fatalf("%d steps: are they counted?", *n)
	}
	for at := 1; at <= *n; at += each {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			f := newFix(t)
			f.killAt(at)
			if err := f.drive(t.Context(), run, f.goesOn); !errors.Is(err, errKilled) {
				t.Fatal("it was not killed", err)
			}
			f.reopen()
			if err := f.drive(t.Context(), run, f.goesOn); err != nil {
				t.Fatal(err)
			}
			f.integratedOnce(run)
		})
	}
}

// integratedOnce expects runs on the person's branch, each once, and nothing left lying about.
func (f *fix) integratedOnce(runs ...string) {
	t := f.t
	t.Helper()
	log := f.git("log", "--format=%B", "main")
	for _, run := range runs {
		if n := strings.Count(log, "Vespe-Run: "+run+"\n"); n != 1 {
			t.Errorf("%s is integrated %d times:\n%s", run, n, log)
		}
		if f.show("main", run+".txt") != run {
			t.Errorf("the work of %s is lost", run)
		}
	}
	if s := f.status(); s != "" {
		t.Errorf("the person's checkout has\n%s", s)
	}
	// What a killed one left of a tree to verify in goes with the next that is made.
	if err := f.sweep(context.Background(), ""); err != nil {
		t.Error(err)
	}
	f.nothingLeft()
	if list := f.git("worktree", "list"); strings.Contains(list, "\n") {
		t.Errorf("git lists\n%s", list)
	}
}

// nothingLeft expects no worktree, and nothing known of one.
func (f *fix) nothingLeft() {
	f.t.Helper()
	trees, err := os.ReadDir(f.home)
	about, e := os.ReadDir(filepath.Join(f.home, known))
	if err != nil || e != nil || len(trees) != 1 || len(about) > 0 {
		f.t.Errorf("left: %v %v %v %v", trees, about, err, e)
	}
}
