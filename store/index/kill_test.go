package index

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vespe/internal/storetest"
	"vespe/model/snapshot"
	"vespe/store"
)

func queryOf(text string) snapshot.SearchQuery { return snapshot.SearchQuery{Text: text} }

// The environment that makes this test a process that brings an index up to date.
const childStore, childState = "VESPE_INDEX_STORE", "VESPE_INDEX_STATE"

// TestChild is no test: the others start it as a process of its own.
func TestChild(t *testing.T) {
	dir := os.Getenv(childStore)
	if dir == "" {
		t.Skip("it is started by others")
	}
	ctx := context.Background()
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x, err := Open(ctx, s, Options{State: os.Getenv(childState)})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	snap, err := s.Load(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("begins")
	if err := x.Update(ctx, snap, UpdateOptions{Sweep: true}); err != nil {
		t.Fatal(err)
	}
}

func child(t *testing.T, d *desk) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run", "^TestChild$")
	c.Env = append(os.Environ(), childStore+"="+d.dir, childState+"="+d.state)
	return c
}

// generated is a store of n tasks, past vespe.
func generated(t *testing.T, n int) *desk {
	t.Helper()
	d := newDesk(t)
	if err := storetest.Write(filepath.Join(d.dir, store.Name), storetest.Project(n), 0); err != nil {
		t.Fatal(err)
	}
	d.snap()
	return d
}

// asMadeAnew compares what is there with what is made of the store from nothing.
func asMadeAnew(t *testing.T, d *desk) {
	t.Helper()
	snap := d.update(true)
	fresh, err := Open(context.Background(), d.s, Options{Memory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if err := fresh.Update(context.Background(), snap, UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if kept, made := dump(t, d.x), dump(t, fresh); kept != made {
		t.Errorf("what is there is not what is made anew:\n%.3000s\n%.3000s", kept, made)
	}
}

// A process that is killed while it makes the index leaves one that the next continues with.
func TestKilledInTheMiddle(t *testing.T) {
	tasks := 2500
	if testing.Short() {
		tasks = 1000
	}
	d := generated(t, tasks)
	killed := 0
	for i := range 4 {
		c := child(t, d)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = out.Read(make([]byte, 6)) // it begins; or it has ended, and is seen to
		time.AfterFunc(time.Duration(i)*150*time.Millisecond, func() { _ = c.Process.Kill() })
		if _ = c.Wait(); c.ProcessState.ExitCode() == -1 {
			killed++
		}
	}
	if killed == 0 {
		t.Error("nobody was killed")
	}
	d.open()
	if d.x.Path() != d.cache(fileName) {
		t.Errorf("it lies in %q", d.x.Path())
	}
	asMadeAnew(t, d)
}

// Several processes bring it up to date while others write and search.
func TestManyProcesses(t *testing.T) {
	d := generated(t, 700)
	d.open()
	var wg sync.WaitGroup
	for range 4 {
		c := child(t, d)
		wg.Go(func() {
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	for i := range 10 {
		d.create(fmt.Sprint("beside ", i), "a watermark", "")
		snap, err := d.s.Refresh(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.x.Search(context.Background(), snap, queryOf("watermark")); err != nil {
			t.Error(err)
		}
		if err := d.x.Update(context.Background(), snap, UpdateOptions{Try: true}); err != nil && err != ErrUpdating { //nolint:errorlint // it is that
			t.Error(err)
		}
	}
	wg.Wait()
	asMadeAnew(t, d)
	if a := d.search("name:beside"); len(a.Hits) != 10 {
		t.Errorf("%d of 10 are found", len(a.Hits))
	}
}
