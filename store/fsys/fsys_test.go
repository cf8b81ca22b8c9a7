package fsys

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vespe/store/layout"
)

// eachFS runs a test with the one-call way of opening and with the element-by-element way
// that other systems need.
func eachFS(t *testing.T, run func(t *testing.T, f FS, dir string)) {
	for _, walk := range []bool{false, true} {
		name := "openat2"
		if walk {
			name = "walk"
		}
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.Mkdir(filepath.Join(root, layout.Name), 0o755); err != nil {
				t.Fatal(err)
			}
			f, err := OpenFS(root)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			f.(*osFS).walk.Store(walk)
			run(t, f, filepath.Join(root, layout.Name))
		})
	}
}

func put(t *testing.T, f FS, name, body string) {
	t.Helper()
	w, err := f.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, body); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestFSDoesWhatItSays(t *testing.T) {
	eachFS(t, func(t *testing.T, f FS, _ string) {
		for _, d := range []string{"tasks", "tasks/a", "tmp"} {
			if err := f.Mkdir(d); err != nil {
				t.Fatal(err)
			}
		}
		put(t, f, "tmp/x", "hello")
		if _, err := f.Create("tmp/x"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("created twice: %v", err)
		}
		if err := f.Link("tmp/x", "tasks/a/one"); err != nil {
			t.Fatal(err)
		}
		if err := f.Link("tmp/x", "tasks/a/one"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("linked over a file: %v", err)
		}
		var nr *NotRegularError
		if _, err := f.ReadFile("tasks/a/one", 10); !errors.As(err, &nr) {
			t.Errorf("two names: %v", err)
		}
		if err := f.Remove("tmp/x"); err != nil {
			t.Fatal(err)
		}
		b, err := f.ReadFile("tasks/a/one", 5)
		if err != nil || string(b) != "hello" {
			t.Errorf("%q, %v", b, err)
		}
		var tl *TooLargeError
		if _, err := f.ReadFile("tasks/a/one", 4); !errors.As(err, &tl) || tl.Size != 5 {
			t.Errorf("a cap of 4 bytes: %v", err)
		}
		put(t, f, "tmp/y", "other")
		if err := f.Exchange("tmp/y", "tasks/a/one"); err == nil {
			b, _ := f.ReadFile("tmp/y", 10)
			if string(b) != "hello" {
				t.Errorf("exchanged for %q", b)
			}
		} else if !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
		if err := f.Rename("tasks/a", "tasks/b"); err != nil {
			t.Fatal(err)
		}
		in, err := f.Stat("tasks/b")
		if err != nil || in.Type != fs.ModeDir {
			t.Errorf("%+v, %v", in, err)
		}
		for _, name := range []string{"tasks", ".", "tasks/b"} {
			if err := f.SyncDir(name); err != nil {
				t.Error(err)
			}
		}
		if err := f.SyncAll(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
		if err := f.Remove("tasks/b"); err == nil {
			t.Error("removed a directory that is not empty")
		}
		if err := errors.Join(f.Remove("tasks/b/one"), f.Remove("tasks/b")); err != nil {
			t.Error(err)
		}
		for _, absent := range []string{"tasks/b", "tasks/b/one", "none"} {
			if _, err := f.Stat(absent); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", absent, err)
			}
			if _, err := f.ReadFile(absent, 10); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", absent, err)
			}
		}
	})
}

func TestFSWritesHintsAndReadsBeside(t *testing.T) {
	eachFS(t, func(t *testing.T, f FS, dir string) {
		for range 2 {
			if err := f.Overwrite("hint", []byte("12345")); err != nil {
				t.Fatal(err)
			}
		}
		if b, err := f.ReadFile("hint", 10); err != nil || string(b) != "12345" {
			t.Errorf("%q, %v", b, err)
		}
		write(t, filepath.Join(filepath.Dir(dir), "beside"), "here")
		if b, err := f.ReadBeside("beside", 10); err != nil || string(b) != "here" {
			t.Errorf("%q, %v", b, err)
		}
	})
}

func TestFSStaysInside(t *testing.T) {
	eachFS(t, func(t *testing.T, f FS, dir string) {
		outside := t.TempDir()
		write(t, filepath.Join(outside, "secret"), "secret")
		write(t, filepath.Join(dir, "in", "file"), "inside")
		for link, to := range map[string]string{"out": outside, "in/out": outside, "loop": ".", "alias": "in", "in/leaf": "file"} {
			if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
		if err := unix.Mkfifo(filepath.Join(dir, "in", "fifo"), 0o644); err != nil {
			t.Fatal(err)
		}
		d, err := f.OpenDir("in")
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for _, name := range []string{
			"out/secret", "in/out/secret", "loop/in/file", "alias/file", "in/leaf", "in/fifo", "in", "../x", "/etc/passwd",
			"in/../in/file", "./in/file", "in//file", "in/file/", "", "in/file\x00",
		} {
			if b, err := f.ReadFile(name, 100); err == nil {
				t.Errorf("read %q through %q", b, name)
			}
			if rest, ok := strings.CutPrefix(name, "in/"); ok {
				if b, err := d.ReadFile(rest, 100); err == nil {
					t.Errorf("read %q from the directory as %q", b, name)
				}
			}
		}
		for _, name := range []string{"out", "in/out", "loop", "alias", "in/file", "in/fifo", "..", "/"} {
			if _, err := f.OpenDir(name); err == nil {
				t.Errorf("opened %q as a directory", name)
			}
		}
		for _, name := range []string{"out", "leaf", "fifo", "file", "../in", ".", ".."} {
			if _, err := d.OpenDir(name); err == nil {
				t.Errorf("opened %q as a directory", name)
			}
		}
		put(t, f, "x", "x")
		for what, err := range map[string]error{
			"create":    errorOf(f.Create("out/new")),
			"link":      f.Link("x", "out/new"),
			"rename":    f.Rename("x", "alias/new"),
			"mkdir":     f.Mkdir("out/new"),
			"overwrite": f.Overwrite("in/leaf", []byte("x")),
			"remove":    f.Remove("out/secret"),
			"lock":      errorOf(f.TryLock("in/leaf")),
			"lock fifo": errorOf(f.TryLock("in/fifo")),
			"beside":    errorOf(f.ReadBeside(".vespe/x", 10)),
		} {
			if err == nil {
				t.Errorf("%s went through", what)
			}
		}
		if es, _ := os.ReadDir(outside); len(es) != 1 {
			t.Errorf("outside there is now %v", es)
		}
	})
}

func errorOf[T any](_ T, err error) error { return err }

func TestDirectoriesOfAnySize(t *testing.T) {
	t.Parallel()
	eachFS(t, func(t *testing.T, f FS, dir string) {
		if err := f.Mkdir("d"); err != nil {
			t.Fatal(err)
		}
		for n := range 300 {
			d, err := f.OpenDir("d")
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // listing again starts from the beginning
				es, err := d.Entries()
				if err != nil || len(es) != n {
					t.Fatalf("%d entries of %d: %v", len(es), n, err)
				}
				for i := 1; i < n; i++ {
					if es[i-1].Name >= es[i].Name || es[i].Type != 0 {
						t.Fatalf("%v", es)
					}
				}
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			put(t, f, "d/"+strings.Repeat("n", n%200)+string(rune('a'+n/26%26))+string(rune('a'+n%26)), "")
		}
	})
}

func TestTheLockIsExclusive(t *testing.T) {
	eachFS(t, func(t *testing.T, f FS, dir string) {
		l, err := f.TryLock("lock")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.TryLock("lock"); !errors.Is(err, ErrLocked) {
			t.Errorf("locked twice: %v", err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if l, err = f.TryLock("lock"); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWholeFilesAreRead(t *testing.T) {
	eachFS(t, func(t *testing.T, f FS, dir string) {
		body := bytes.Repeat([]byte("x"), 100_000)
		write(t, filepath.Join(dir, "f"), string(body))
		if b, err := f.ReadFile("f", 1<<20); err != nil || !bytes.Equal(b, body) {
			t.Errorf("%d bytes, %v", len(b), err)
		}
		write(t, filepath.Join(dir, "empty"), "")
		if b, err := f.ReadFile("empty", 0); err != nil || len(b) != 0 || b == nil {
			t.Errorf("%v, %v", b, err)
		}
	})
}
