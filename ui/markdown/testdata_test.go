package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/themes"
	"vespe/ui/style"
)

// update says that the golden files are to be written anew, as make golden does.
func update() bool { return os.Getenv("UPDATE_GOLDEN") != "" }

// profiles are the ways to draw that goldens are kept for.
func profiles(t testing.TB) map[string]*style.Styles {
	t.Helper()
	th := themes.Bundled()[0] // the default
	return map[string]*style.Styles{
		"dark":  style.New(th, style.Options{Dark: true}),
		"light": style.New(th, style.Options{}),
		"mono":  style.New(th, style.Options{Dark: true, NoColor: true}),
		"ascii": style.New(th, style.Options{Dark: true, NoColor: true, ASCII: true}),
	}
}

func dark(t testing.TB) *style.Styles { return profiles(t)["dark"] }

// golden compares frames with a file, in which ESC is written so that it can be read.
func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	got := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", "\x1b", "^[")
	got = strings.ReplaceAll(got, "\a", "^G")
	path := filepath.Join("testdata", "golden", name+".txt")
	if update() {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with make golden", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it and write it with make golden\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// plans are documents as projects have them: those of this one, which are there wherever it
// is built, and those under VESPE_DATA where that is set.
func plans(t testing.TB) map[string][]byte {
	t.Helper()
	patterns := []string{"../../README.md", "../../CONTRIBUTING.md", "../../CHANGELOG.md", "../../docs/architecture.md"}
	if dir := os.Getenv("VESPE_DATA"); dir != "" {
		patterns = append(patterns, filepath.Join(dir, "plans", "*.md"))
	}
	out := map[string][]byte{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no documents (%v)", pattern, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(f)] = b
		}
	}
	return out
}

// all returns every row of a document at a width.
func all(d *Doc, w int) []string {
	d.SetSize(w, 20)
	var out []string
	for i := range d.flow().n {
		out = append(out, d.composed(i)...)
	}
	return out
}

// New is a document in a window.
func New(src []byte, st *style.Styles) *Doc { return NewWith(src, st) }
