//go:build torture && linux

package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTortureForbidden takes the permissions of each file and directory of a store away in turn, for
// a user for whom they count. What is refused then has not happened; what the file says is not taken for
// an edit; and once the permissions are back the same call does it once.
func TestTortureForbidden(t *testing.T) {
	needRoot(t)
	tr := transition{name: "accept", args: []string{"accept-plan", "Planned"}}
	dir := prepared(t, tr, filepath.Join(memoryDir(t), "store"))
	names := everyName(t, dir)
	refused, unsure, done := 0, 0, 0
	for _, name := range names {
		dir := prepared(t, tr, filepath.Join(memoryDir(t), "store"))
		giveAway(t, dir)
		before, _ := mustHold(t, dir)
		path := moved(t, dir, name)
		in, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"ls"}, {"show", "Running"}, {"history"}, {"doctor"}, {"verify"}} {
			if o := nobody(t, dir, args...); o.code != 0 && o.code != 1 && o.code != 3 || strings.Contains(o.err, "goroutine ") {
				t.Errorf("%s: %q: %s", name, args, o)
			}
		}
		o := nobody(t, dir, tr.once()...)
		if err := os.Chmod(path, in.Mode().Perm()); err != nil && !os.IsNotExist(err) { // a checkpoint is replaced
			t.Fatal(err)
		}
		after, _ := mustHold(t, dir)
		switch {
		case o.code == 0:
			done++
		case o.code == 7:
			unsure++
		case refusal(o.code):
			if refused++; after != before {
				t.Errorf("%s: %s, and %s", name, o, firstDifference(before, after))
			}
		default:
			t.Errorf("%s: %s", name, o)
		}
		if o := nobody(t, dir, tr.once()...); o.code != 0 {
			t.Errorf("%s: repeated with the permissions: %s", name, o)
		}
		text, snap := mustHold(t, dir)
		if snap.Seq() != seqOf(before)+1 || strings.Contains(text, "external_edit") {
			t.Errorf("%s: repeated it is entry %d, after entry %d", name, snap.Seq(), seqOf(before))
		}
		if o := nobody(t, dir, "verify"); o.code != 0 {
			t.Errorf("%s: %s", name, o)
		}
	}
	if refused == 0 || done == 0 {
		t.Errorf("%d refused, %d done", refused, done)
	}
	t.Logf("%d files and directories: %d refused, %d in doubt, %d done", len(names), refused, unsure, done)
}

// nobody runs the program as a user who is not root, with a home of their own.
func nobody(t testing.TB, dir string, args ...string) outcome {
	t.Helper()
	cmd := asNobody(vespeCmd(t, dir, args...))
	home := filepath.Join(filepath.Dir(dir), "home")
	if err := letScriptsDecide(home); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(home, 0o777); err != nil { // it is the user's own
		t.Fatal(err)
	}
	cmd.Env = append(vespeEnv(home), "XDG_CONFIG_HOME="+home)
	cmd.Dir = "/"
	return ended(t, cmd)
}

// giveAway makes a store that of the user that is not root.
func giveAway(t testing.TB, dir string) {
	t.Helper()
	if err := filepath.WalkDir(filepath.Dir(dir), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, 65534, 65534)
	}); err != nil {
		t.Fatal(err)
	}
}

// everyName are the files and directories of a store.
func everyName(t testing.TB, dir string) (names []string) {
	t.Helper()
	if err := filepath.WalkDir(filepath.Join(dir, ".vespe"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		names = append(names, rel)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// moved is a name of another copy in this one: what is random in it differs.
func moved(t testing.TB, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	for _, other := range everyName(t, dir) {
		if randomPart.ReplaceAllString(other, "#") == randomPart.ReplaceAllString(name, "#") {
			return filepath.Join(dir, other)
		}
	}
	t.Fatalf("%s is not there", name)
	return ""
}

// limited is the program with a limit of the shell's: "ulimit -n 9".
func limited(t testing.TB, limit, dir string, args ...string) outcome {
	t.Helper()
	cmd := exec.Command("/bin/sh", append([]string{"-c", limit + ` && exec "$@"`, "sh", binary(t), "-C", dir}, args...)...)
	cmd.Env = vespeEnv(os.Getenv("XDG_STATE_HOME"))
	return ended(t, cmd)
}

// wrapped is a program that ends in a call of vespe: its arguments follow.
func wrapped(t testing.TB, script string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "wrapper")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestTortureNoWatches: where the system has no inotify to give, or too few watches, another
// process's transition and an edit by hand show within two seconds, or the header says STALE until
// they do.
func TestTortureNoWatches(t *testing.T) {
	needRoot(t) // for a namespace with limits of its own
	for _, tt := range []struct{ name, limit string }{
		{"no instances", "echo 0 > /proc/sys/user/max_inotify_instances"},
		{"no watches", "echo 0 > /proc/sys/user/max_inotify_watches"},
		{"few watches", "echo 3 > /proc/sys/user/max_inotify_watches"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := prepared(t, transition{}, filepath.Join(memoryDir(t), "store"))
			inside := wrapped(t, tt.limit+" || exit 99\nexec "+binary(t))
			x := openStore(t, wrapped(t, "exec unshare --user --map-root-user "+inside), dir, 120, 30)
			x.see("Plans to review")
			x.press("2")
			x.see("Running")
			x.settles("")
			began := time.Now()
			must(t, dir, "rename", "Running", "Renamed-elsewhere")
			x.see("Renamed-elsewhere")
			transition := time.Since(began)
			began = time.Now()
			byHand("Planned", "config.json", strings.Replace(configOf(t, dir, "Planned"), `"Planned"`, `"Named-by-hand"`, 1))(t, dir)
			screen := x.see("Named-by-hand")
			edit := time.Since(began)
			const limit = 2*time.Second + 500*time.Millisecond // for drawing, on a busy machine
			if (transition > limit || edit > limit) && !strings.Contains(screen, "STALE") {
				t.Errorf("a transition was seen after %v, an edit after %v", transition, edit)
			}
			t.Logf("a transition was seen after %v, an edit after %v", transition.Round(time.Millisecond), edit.Round(time.Millisecond))
			x.leave()
		})
	}
}

func configOf(t testing.TB, dir, task string) string {
	t.Helper()
	configs, err := filepath.Glob(filepath.Join(dir, ".vespe", "tasks", "*", "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range configs {
		if b, err := os.ReadFile(config); err == nil && strings.Contains(string(b), `"name": "`+task+`"`) {
			return string(b)
		}
	}
	t.Fatalf("there is no task %s", task)
	return ""
}

// TestTortureLargePlan: a plan of 100 MB, made by hand or given on the command line, is refused in
// words, hides nothing else, and is never held in memory.
func TestTortureLargePlan(t *testing.T) {
	const size, most = 100 << 20, 256 << 20
	limit := fmt.Sprint("ulimit -d ", most>>10)
	dir := prepared(t, transition{}, filepath.Join(memoryDir(t), "store"))
	large := filepath.Join(memoryDir(t), "large.md")
	line := strings.Repeat("A line of a plan that is much too long. ", 25) + "\n"
	writeFile(t, large, strings.Repeat(line, size/len(line)+1))
	before, _ := mustHold(t, dir)
	run := func(code int, says string, args ...string) {
		t.Helper()
		if o := limited(t, limit, dir, args...); o.code != code || !strings.Contains(o.out+o.err, says) {
			t.Errorf("%q: %s", args, o)
		}
	}
	run(64, "larger than", "define-plan", "Bare", "--file", large)
	run(64, "larger than", "new", "Other", "--objective", large)
	if after, _ := mustHold(t, dir); after != before {
		t.Errorf("it changed: %s", firstDifference(before, after))
	}
	byHand("Planned", "plan.md", strings.Repeat(line, size/len(line)+1))(t, dir)
	run(0, "Planned", "ls")
	run(0, "Planned", "show", "Planned")
	run(1, "too-large", "doctor")
	run(1, "plan.md", "verify")
	run(1, "the limit is", "accept-plan", "Planned")
	run(0, "", "set", "Running", "priority=high")
	x := openStore(t, wrapped(t, limit+"\nexec "+binary(t)), dir, 120, 30)
	x.see("Planned")
	for _, keys := range []string{"j", "j", "\t", "]", "]", "\x1b"} {
		x.settles(keys)
	}
	if code, raw := x.leave(); code != 0 || strings.Contains(raw, "goroutine ") {
		t.Errorf("the workbench: exit code %d: %s", code, raw)
	}
	// The limit is one: who needs more does not get it.
	if o := limited(t, "ulimit -d 20000", dir, "ls"); o.code == 0 {
		t.Errorf("with 20 MB: %s", o)
	}
}
