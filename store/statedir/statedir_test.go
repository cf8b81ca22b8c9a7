package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

type note struct {
	Format int      `json:"format"`
	Says   []string `json:"says"`
}

func noteAt(name string) File { return File{Name: name, MaxBytes: 1000, Format: 1} }

func TestPath(t *testing.T) {
	for _, c := range []struct{ state, home, want string }{
		{"/s", "/h", "/s/vespe"},
		{"", "/h", "/h/.local/state/vespe"},
		{"s", "/h", "/h/.local/state/vespe"},
		{"s", "h", ""},
		{"", "", ""},
	} {
		if got := Path(func(key string) string { return map[string]string{"XDG_STATE_HOME": c.state, "HOME": c.home}[key] }); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// A link in the place of the lock leads nobody to make, or to hold, a file elsewhere.
func TestTheLockFollowsNoLink(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "theirs")
	if err := os.Symlink(other, filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	unlock, err := Lock(dir)
	if err == nil {
		unlock()
		t.Error("it is taken")
	}
	if _, err := os.Lstat(other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file elsewhere is made: %v", err)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	f := noteAt(filepath.Join(t.TempDir(), "a", "b", "note.json"))
	got := note{Says: []string{"nothing"}}
	if err := f.Read(&got); err != nil || got.Says[0] != "nothing" {
		t.Fatalf("without a file it is %v (%v)", got, err)
	}
	if err := f.Write(note{1, []string{"one"}}); err != nil {
		t.Fatal(err)
	}
	if err := f.Read(&got); err != nil || !slices.Equal(got.Says, []string{"one"}) {
		t.Fatalf("read as %v (%v)", got, err)
	}
	for name, want := range map[string]fs.FileMode{f.Name: 0o600, filepath.Dir(f.Name): 0o700, filepath.Dir(filepath.Dir(f.Name)): 0o700} {
		if in, err := os.Stat(name); err != nil || in.Mode().Perm() != want {
			t.Errorf("%s: %v (%v)", name, in.Mode(), err)
		}
	}
}

// Before a name leads to a file its bytes are on disk, and then the name is, and that of each directory
// that was made for it.
func TestWhatIsWrittenIsOnDisk(t *testing.T) {
	dir := t.TempDir()
	f := noteAt(filepath.Join(dir, "a", "b", "note.json"))
	var synced []string
	record := func(file *os.File) error {
		name, _ := filepath.Rel(dir, file.Name())
		if strings.HasPrefix(filepath.Base(name), ".note.json-") {
			name = "the file"
		}
		b, err := os.ReadFile(f.Name)
		if err != nil {
			b = []byte("none")
		}
		synced = append(synced, fmt.Sprintf("%s while there is %t", name, strings.Contains(string(b), "new")))
		return nil
	}
	if err := f.write(note{1, []string{"new"}}, record); err != nil {
		t.Fatal(err)
	}
	want := []string{". while there is false", "a while there is false", "the file while there is false", "a/b while there is true"}
	if !slices.Equal(synced, want) {
		t.Errorf("made: synced\n%q, want\n%q", synced, want)
	}
	if err := f.Write(note{1, []string{"old"}}); err != nil {
		t.Fatal(err)
	}
	synced = nil
	if err := f.write(note{1, []string{"new"}}, record); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(synced, want[2:]) {
		t.Errorf("replaced: synced\n%q, want\n%q", synced, want[2:])
	}
}

func TestWhatTheDiskDoesNotTakeIsAnError(t *testing.T) {
	f := noteAt(filepath.Join(t.TempDir(), "note.json"))
	if err := f.Write(note{1, []string{"old"}}); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("no space left")
	if err := f.write(note{1, []string{"new"}}, func(*os.File) error { return broken }); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	var got note
	if err := f.Read(&got); err != nil || got.Says[0] != "old" {
		t.Errorf("it became %v (%v)", got, err)
	}
	if es, err := os.ReadDir(filepath.Dir(f.Name)); err != nil || len(es) != 1 {
		t.Errorf("left are %v (%v)", es, err)
	}
	if err := f.write(note{1, []string{"new"}}, func(file *os.File) error {
		if in, err := file.Stat(); err != nil || in.IsDir() {
			return broken
		}
		return nil
	}); !errors.Is(err, broken) {
		t.Error("the directory:", err)
	}
}

// What is not a plain file of a bounded size, in a format that is known, is not read and stays.
func TestWhatIsNotRead(t *testing.T) {
	for _, c := range []struct {
		want string
		put  func(name string) error
	}{
		{"is not a regular file", func(name string) error { return os.Symlink("/dev/zero", name) }},
		{"is not a regular file", func(name string) error { return os.Mkdir(name, 0o700) }},
		{"is not a regular file", func(name string) error { return syscall.Mkfifo(name, 0o600) }},
		{"has 1001 bytes", func(name string) error { return os.WriteFile(name, make([]byte, 1001), 0o600) }},
		{"note.json: jsontext", func(name string) error { return os.WriteFile(name, []byte(`{"format":1`), 0o600) }},
		{"note.json: json", func(name string) error { return os.WriteFile(name, []byte(`{"format":1,"says":5}`), 0o600) }},
		{"has format 2 and this vespe reads format 1: update vespe", func(name string) error {
			return os.WriteFile(name, []byte(`{"format":2,"says":{"other":"shape"}}`), 0o600)
		}},
		{"not mine", func(name string) error {
			return errors.Join(os.WriteFile(name, []byte("{}"), 0o600), os.Chmod(name, 0o644))
		}},
	} {
		f := noteAt(filepath.Join(t.TempDir(), "note.json"))
		f.Believe = func(in fs.FileInfo) error {
			if in.Mode().Perm()&0o044 != 0 {
				return errors.New("not mine")
			}
			return nil
		}
		if err := c.put(f.Name); err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Read(&note{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.want, err)
		}
		if now, err := os.Lstat(f.Name); err != nil || !os.SameFile(before, now) || now.Size() != before.Size() {
			t.Errorf("%s: it is another file", c.want)
		}
	}
}

func TestOneChangesItAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vespe")
	f := noteAt(filepath.Join(dir, "note.json"))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			unlock, err := Lock(dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			var n note
			if err := f.Read(&n); err != nil {
				t.Error(err)
			}
			if err := f.Write(note{1, append(n.Says, fmt.Sprint(i))}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var n note
	if err := f.Read(&n); err != nil || len(n.Says) != 8 {
		t.Errorf("it says %v (%v)", n.Says, err)
	}
}
