package index

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/store"
)

func (d *desk) cache(name string) string { return filepath.Join(d.dir, store.Name, "cache", name) }

func TestWhereItLies(t *testing.T) {
	d := library(t)
	if d.x.Path() != d.cache(fileName) {
		t.Errorf("it lies in %q", d.x.Path())
	}
	d.close()

	// Of a store that may not be written it lies in the state directory, and is found again there.
	s, err := store.Open(d.dir, store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := listing(t, d.dir)
	for range 2 {
		x, err := Open(context.Background(), s, Options{State: d.state})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(x.Path(), d.state) {
			t.Errorf("it lies in %q", x.Path())
		}
		if err := x.Update(context.Background(), d.snap(), UpdateOptions{}); err != nil {
			t.Error(err)
		}
		_ = x.Close()
	}
	if after := listing(t, d.dir); after != before {
		t.Errorf("the store was\n%sand is\n%s", before, after)
	}

	// Without a state directory nothing lasts, and what lies in the store is not opened.
	x, err := Open(context.Background(), d.s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if x.Path() != "" {
		t.Errorf("it lies in %q", x.Path())
	}
	if err := x.Update(context.Background(), d.snap(), UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if a, err := x.Search(context.Background(), d.snap(), queryOf("watermark")); err != nil || len(a.Hits) != 1 {
		t.Errorf("%+v (%v)", a, err)
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.Walk(dir, func(path string, in os.FileInfo, err error) error {
		if err == nil && !in.IsDir() {
			body, err := os.ReadFile(path)
			b.WriteString(path + " " + string(body) + "\n")
			return err
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What lies in the place of the index and is not the one that was made here is never opened by SQLite; it is
// replaced, and what it leads to is left alone.
func TestWhatWasNotMadeHereIsNotBelieved(t *testing.T) {
	other := newDesk(t).open() // an index of the same form, made by somebody else, with lies in it
	uid := other.create("liar", "watermark watermark", "")
	other.update(true)
	other.close()
	forged, err := os.ReadFile(other.cache(fileName))
	if err != nil {
		t.Fatal(err)
	}
	_ = uid
	outside := filepath.Join(t.TempDir(), "outside.db")
	if err := os.WriteFile(outside, forged, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func(path string) error{
		"another index":      func(path string) error { return os.WriteFile(path, forged, 0o600) },
		"a link":             func(path string) error { return os.Symlink(outside, path) },
		"a hard link":        func(path string) error { return os.Link(outside, path) },
		"no database":        func(path string) error { return os.WriteFile(path, []byte("hello"), 0o600) },
		"nothing":            func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a directory":        func(path string) error { return os.Mkdir(path, 0o700) },
		"a log beside it":    func(path string) error { return os.WriteFile(path+"-wal", forged, 0o600) },
		"a link beside it":   func(path string) error { return os.Symlink(outside, path+"-shm") },
		"gone":               func(string) error { return nil },
		"a link as its lock": func(path string) error { return os.Symlink(outside, path+lockSuffix) },
	} {
		t.Run(name, func(t *testing.T) {
			d := library(t)
			d.close()
			for _, s := range append([]string{"", lockSuffix, busySuffix}, besides...) {
				if err := os.Remove(d.cache(fileName) + s); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
			if err := put(d.cache(fileName)); err != nil {
				t.Fatal(err)
			}
			d.open()
			d.update(false)
			if got := d.found("watermark"); got != "cache" {
				t.Errorf("it finds %q", got)
			}
			if body, err := os.ReadFile(outside); err != nil || string(body) != string(forged) {
				t.Errorf("the file elsewhere was written (%v)", err)
			}
		})
	}
	t.Run("the cache is a link", func(t *testing.T) {
		d := library(t)
		d.close()
		away := t.TempDir()
		if err := os.RemoveAll(d.cache("")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(away, filepath.Join(d.dir, store.Name, "cache")); err != nil {
			t.Fatal(err)
		}
		d.open()
		if !strings.HasPrefix(d.x.Path(), d.state) {
			t.Errorf("it lies in %q", d.x.Path())
		}
		if es, err := os.ReadDir(away); err != nil || len(es) > 0 {
			t.Errorf("there is %v (%v)", es, err)
		}
	})
}

// An index that is ours and was damaged, is of another schema, or of another store, is made anew.
func TestWhatCannotBeUsedIsMadeAnew(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, d *desk, path string){
		"cut off": func(t *testing.T, _ *desk, path string) {
			if err := os.Truncate(path, 8192); err != nil {
				t.Fatal(err)
			}
		},
		"overwritten": func(t *testing.T, _ *desk, path string) { scribble(t, path, 4096, 1<<20) },
		"its schema":  func(t *testing.T, _ *desk, path string) { scribble(t, path, headerSize, 600) },
		"from the future": func(t *testing.T, _ *desk, path string) {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt(binary.BigEndian.AppendUint32(nil, version+1), headerVersion); err != nil {
				t.Fatal(err)
			}
		},
		"another store": func(t *testing.T, d *desk, _ string) {
			path := filepath.Join(d.dir, store.Name, "store.json")
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b = []byte(strings.Replace(string(b), d.s.ID(), strings.Repeat("ab", 16), 1))
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := d.s.Close(); err != nil {
				t.Fatal(err)
			}
			if d.s, err = store.Open(d.dir, store.Options{}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := library(t)
			d.close()
			harm(t, d, d.cache(fileName))
			d.open()
			d.update(false)
			if got := d.found("watermark"); got != "cache" {
				t.Errorf("it finds %q", got)
			}
			if got := d.found("plan:parser"); got != "cache" {
				t.Errorf("it finds %q", got)
			}
		})
	}
}

func scribble(t *testing.T, path string, from int64, most int) {
	t.Helper()
	in, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	junk := []byte(strings.Repeat("\xa5junk", 1+min(most, int(in.Size()-from))/5))
	if _, err := f.WriteAt(junk, from); err != nil {
		t.Fatal(err)
	}
}

// Two of the same person have it open at once; one with another state directory keeps off it.
func TestTwoAtOnce(t *testing.T) {
	d := library(t)
	second, err := Open(context.Background(), d.s, Options{State: d.state})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if second.Path() != d.x.Path() {
		t.Errorf("%q and %q", d.x.Path(), second.Path())
	}
	d.create("later", "thunderbird", "")
	d.update(false)
	if a, err := second.Search(context.Background(), d.snap(), queryOf("thunderbird")); err != nil || len(a.Hits) != 1 {
		t.Errorf("%+v (%v)", a, err)
	}
	stranger := &desk{t: t, dir: d.dir, state: t.TempDir(), s: d.s}
	stranger.open()
	defer stranger.x.Close()
	if stranger.x.Path() == d.x.Path() {
		t.Error("it took the index that somebody else has open")
	}
	stranger.update(false)
	if got := stranger.found("thunderbird"); got != "later" {
		t.Errorf("it finds %q", got)
	}
	if got := d.found("watermark"); got != "cache" {
		t.Errorf("the first finds %q", got)
	}
}

// Somebody removes the cache while it is open.
func TestTheCacheIsRemoved(t *testing.T) {
	d := library(t)
	if err := os.RemoveAll(d.cache("")); err != nil {
		t.Fatal(err)
	}
	d.create("later", "thunderbird", "")
	d.update(true)
	if got := d.found("thunderbird"); got != "later" {
		t.Errorf("it finds %q", got)
	}
}
