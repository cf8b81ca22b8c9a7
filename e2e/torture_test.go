//go:build torture

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

// needRoot fails a test that cannot show anything without being root.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this needs root: it mounts, changes owners or limits the whole system")
	}
}

// outcome is how one run of the built program ended.
type outcome struct {
	code     int // -1: by a signal
	out, err string
}

func (o outcome) String() string { return fmt.Sprintf("exit code %d: %s%s", o.code, o.out, o.err) }

// vespeEnv is a small environment, the same on every machine.
func vespeEnv(state string) []string {
	return []string{"PATH=/usr/bin:/bin", "USER=ann", "TERM=dumb", "HOME=" + state, "XDG_STATE_HOME=" + state, "XDG_CONFIG_HOME=" + os.Getenv("XDG_CONFIG_HOME"), "TMPDIR=" + os.TempDir()}
}

// vespeCmd is the built program on the store in dir.
func vespeCmd(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary(t), append([]string{"-C", dir}, args...)...)
	cmd.Env = vespeEnv(os.Getenv("XDG_STATE_HOME"))
	return cmd
}

func ended(t testing.TB, cmd *exec.Cmd) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

func vespe(t testing.TB, dir string, args ...string) outcome {
	t.Helper()
	return ended(t, vespeCmd(t, dir, args...))
}

// must runs the program and fails unless it does what it was told.
func must(t testing.TB, dir string, args ...string) string {
	t.Helper()
	o := vespe(t, dir, args...)
	if o.code != 0 {
		t.Fatalf("vespe %q: %s", args, o)
	}
	return o.out
}

// memoryDir is a directory in memory that other users may enter.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "vespe-torture-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// mountTmpfs mounts a file system of its own in memory.
func mountTmpfs(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("vespe-torture", dir, "tmpfs", 0, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

var (
	// An approval is named by what it holds, and so by its time.
	anyApproval = regexp.MustCompile(`(accept|accepted|revalidate)-[0-9a-f]{16}\.json`)
	anyTime     = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	anySeconds  = regexp.MustCompile(`"run_seconds": \d+`) // how long a run took until it was tried again
	anyHex      = regexp.MustCompile(`[0-9a-f]{32}`)
)

// holding is what a reader sees of a store, without what differs from run to run: times and
// random names. Nothing is written for it.
func holding(root string) (text string, snap *snapshot.Snapshot, err error) {
	s, err := store.Open(root, store.Options{ReadOnly: true})
	if err != nil {
		return "", nil, err
	}
	defer s.Close()
	ctx := context.Background()
	if snap, err = s.Load(ctx, nil); err != nil {
		return "", nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "entry %d\n%s", snap.Seq(), model.EncodePolicy(snap.Policy()))
	for i := range snap.Len() {
		task := snap.At(i)
		fmt.Fprintf(&b, "task %s status=%v objective=%v plan=%v is %s\n%s%s%s", task.Config.Name, task.HasStatus, task.HasObjective, task.HasPlan, snap.Status(i),
			model.EncodeConfig(task.Config), model.EncodeStatus(task.Status), model.EncodeDependencies(task.DependsOn, task.DepsExtra))
		if task.Spec != nil {
			b.Write(model.EncodeSpec(task.Spec))
		}
		for _, doc := range []model.Doc{model.Objective, model.Plan} {
			c, err := s.Content(ctx, task.UID, doc)
			if err != nil && !errors.Is(err, model.ErrNoContent) {
				return "", nil, err
			}
			fmt.Fprintf(&b, "%s %d %q\n", doc, c.Revision, c.Body)
		}
		results, err := s.Results(ctx, task.UID)
		if err != nil {
			return "", nil, err
		}
		for _, r := range results {
			fmt.Fprintf(&b, "result %s %s\n", r.Path, r.Hash)
		}
	}
	for _, r := range snap.Requests() {
		b.Write(model.EncodeRequest(r))
	}
	for _, p := range snap.Problems() {
		if p.Code == "not-written" {
			continue // what it shows is from the log, and the next transaction writes the files
		}
		fmt.Fprintf(&b, "problem %+v\n", p)
	}
	uids := map[string]string{}
	for i := range snap.Len() {
		uids[strings.TrimPrefix(string(snap.At(i).UID), "tsk-")] = snap.At(i).Config.Name
	}
	text = anyTime.ReplaceAllString(b.String(), "TIME")
	text = anySeconds.ReplaceAllString(text, `"run_seconds": #`)
	text = anyApproval.ReplaceAllString(text, "accept-#.json")
	// A text that was written while a task's name could not be read calls it by its id.
	text = strings.ReplaceAll(text, `\"tsk-`, `\"`)
	return anyHex.ReplaceAllStringFunc(text, func(h string) string {
		if name, ok := uids[h]; ok {
			return name
		}
		return "#"
	}), snap, nil
}

func mustHold(t testing.TB, root string) (string, *snapshot.Snapshot) {
	t.Helper()
	text, snap, err := holding(root)
	if err != nil {
		t.Fatal(err)
	}
	return text, snap
}

// firstDifference is the first line in which two texts differ.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d\n want %s\n  got %s", i+1, w[i], g[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// asNobody makes a command run as a user for whom permissions count.
func asNobody(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return cmd
}

func writeFile(t testing.TB, name, body string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// seqOf is the entry that a text of holding is of.
func seqOf(text string) (seq uint64) {
	// A text that says no entry is of none.
	_, _ = fmt.Sscanf(text, "entry %d", &seq)
	return seq
}

// sized is how much of something a torture test does: all of it with TORTURE=full, else a part that takes minutes.
func sized[N int | time.Duration](part, full N) N {
	if os.Getenv("TORTURE") == "full" {
		return full
	}
	return part
}
