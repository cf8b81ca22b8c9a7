package store

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
)

// workerEnv makes the test binary a writer: "<root> <name> <operations> <shared uid>".
const workerEnv = "VESPE_STORE_TEST_WORKER"

// A test that starts processes, of git or its own, is not run beside others: from fork to exec a child
// holds the locks of every store that is open in this process, and who only tries a lock finds it taken.
func TestMain(m *testing.M) {
	if job := os.Getenv(workerEnv); job != "" {
		if err := work(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv(mergeEnv) != "" {
		os.Exit(mergeAsGitAsks(os.Args[1:]))
	}
	if job := os.Getenv(linearEnv); job != "" {
		if err := workLinear(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	modeltest.Checks("40") // TestTortureProperties has ten times as many
	code := m.Run()
	removeTemplates()
	os.Exit(code)
}

// work adds labels to a shared task, one transaction each, and makes tasks of its own. It
// prints each label once it is acknowledged.
func work(job string) error {
	var root, name string
	var n int
	var shared model.UID
	if _, err := fmt.Sscan(job, &root, &name, &n, &shared); err != nil {
		return err
	}
	s, err := Open(root, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	ctx := context.Background()
	for i := range n {
		label := fmt.Sprintf("%s-%d", name, i)
		ops := []model.Op{{
			ID: label, Name: model.SetFields, UID: shared, Actor: model.Actor("agent:" + name),
			Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: label, Mode: '+'}}},
		}}
		if i%3 == 0 { // several tasks in one transaction
			ops = append(ops, model.Op{ID: label + "-task", Name: model.CreateTask, Actor: "agent:" + model.Actor(name), Args: model.NewTask{
				Name: "by " + label, Objective: "objective of " + label + "\n", DependsOn: []model.UID{shared},
			}})
		}
		a, err := s.DoAll(ctx, ops)
		if err != nil {
			return fmt.Errorf("%s: %w", label, err)
		}
		if len(a.Warnings) > 0 {
			return fmt.Errorf("%s: warnings %q", label, a.Warnings)
		}
		fmt.Println(label)
	}
	return nil
}

func startWorker(t *testing.T, s *Store, name string, n int, shared model.UID) (*exec.Cmd, *bufio.Scanner, *strings.Builder) {
	t.Helper()
	exe := mustGet(os.Executable())(t)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d %s", workerEnv, s.Root(), name, n, shared))
	var errs strings.Builder
	cmd.Stderr = &errs
	out := mustGet(cmd.StdoutPipe())(t)
	must(t, cmd.Start())
	return cmd, bufio.NewScanner(out), &errs
}

// TestProcessesLoseNothing lets processes write at once, kills some in the middle, and
// reads all the while.
func TestProcessesLoseNothing(t *testing.T) {
	const workers, each = 4, 30
	s := newStore(t)
	shared := create(t, s, "shared", "x\n")

	var mu sync.Mutex
	acked := map[string]bool{}
	var wg sync.WaitGroup
	for w := range workers {
		kill := w%2 == 1
		cmd, out, errs := startWorker(t, s, fmt.Sprintf("w%d", w), each, shared)
		wg.Go(func() {
			seen := 0
			for out.Scan() {
				mu.Lock()
				acked[out.Text()] = true
				mu.Unlock()
				if seen++; kill && seen == each/2 {
					_ = cmd.Process.Kill()
				}
			}
			if err := cmd.Wait(); err != nil && !kill {
				t.Errorf("worker: %v\n%s", err, errs)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()

	readUntil(t, s, shared, done)

	final := open(t, s.Root(), Options{})
	snap := load(t, final)
	labels := map[string]bool{}
	for _, l := range task(t, snap, shared).Spec.Labels {
		labels[l] = true
	}
	for l := range acked {
		if !labels[l] {
			t.Errorf("%s was acknowledged and is lost", l)
		}
	}
	if len(acked) < workers/2*each+workers/2*each/2 {
		t.Errorf("only %d operations were acknowledged", len(acked))
	}
	if got, want := int(snap.Seq()), len(labels)+1; got != want {
		t.Errorf("%d entries for %d labels", got, len(labels))
	}
	if got := task(t, snap, shared).Status.Revision; got != len(labels)+1 {
		t.Errorf("revision %d after %d labels", got, len(labels))
	}
	projectionHolds(t, final)
	for _, p := range doctor(t, final) {
		if p.Code != "leftover" { // of the killed ones
			t.Errorf("doctor: %+v", p)
		}
	}
}

// readUntil reads a store in several ways until done, and expects that what is seen of a task never
// goes back.
func readUntil(t *testing.T, s *Store, shared model.UID, done <-chan struct{}) {
	t.Helper()
	loads := map[string]*Store{"load": open(t, s.Root(), Options{}), "refresh": open(t, s.Root(), Options{}), "read-only": open(t, s.Root(), Options{ReadOnly: true})}
	last := map[string]*snapshot.Snapshot{}
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		for how, r := range loads {
			snap, err := r.Load(t.Context(), nil)
			if how == "refresh" && err == nil {
				snap, err = r.Refresh(t.Context())
			}
			if err != nil {
				t.Fatalf("%s: %v", how, err)
			}
			if len(snap.Problems()) > 0 {
				t.Fatalf("%s: problems %+v", how, snap.Problems())
			}
			if before := last[how]; before != nil {
				a, b := task(t, before, shared).Status.Revision, task(t, snap, shared).Status.Revision
				if b < a || snap.Seq() < before.Seq() || snap.Seq() > before.Seq() == (b == a) {
					t.Fatalf("%s: from revision %d at %d to revision %d at %d", how, a, before.Seq(), b, snap.Seq())
				}
			}
			last[how] = snap
		}
	}
}

// noLockFS is a file system without locks: only the link orders writers.
type noLockFS struct{ fsys.FS }

type nopCloser struct{}

func (nopCloser) Close() error { return nil }

func (noLockFS) TryLock(string) (io.Closer, error) { return nopCloser{}, nil }

// unlocked is the system's file system without locks, for Options.FS.
func unlocked(root string) (fsys.FS, error) {
	f, err := fsys.OpenFS(root)
	return noLockFS{f}, err
}

// TestTheLogNeverForks: also without a working lock, numbers are given once, each entry
// follows from the one before, and whatever was acknowledged is among them.
func TestTheLogNeverForks(t *testing.T) {
	opt := Options{FS: unlocked}
	s := newStore(t)
	shared := create(t, s, "shared", "x\n")
	var wg sync.WaitGroup
	var mu sync.Mutex
	acked := 0
	for w := range 4 {
		r := open(t, s.Root(), opt)
		wg.Go(func() {
			for i := range 10 {
				a, err := r.Do(t.Context(), model.Op{
					Name: model.SetFields, UID: shared, Actor: robot,
					Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: fmt.Sprintf("w%d-%d", w, i), Mode: '+'}}},
				})
				if err == nil && a.Seq > 0 {
					mu.Lock()
					acked++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	seqs, err := s.log.ListLog()
	if err != nil {
		t.Fatal(err)
	}
	if len(seqs) != acked+1 {
		t.Errorf("%d operations were acknowledged, the log holds %d", acked, len(seqs)-1)
	}
	prev := ""
	for _, n := range seqs {
		e, head, err := s.log.ReadEntry(n)
		if err != nil || e.Prev != prev {
			t.Fatalf("entry %d does not follow: %v", n, err)
		}
		prev = head
	}
}
