package viewtest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vespe/themes"
	"vespe/ui/style"
)

// Look is one way to draw: a profile of a terminal.
type Look struct {
	Name string
	Opt  style.Options
}

// Looks are the profiles that every golden is drawn in.
func Looks() []Look {
	return []Look{
		{"dark", style.Options{Dark: true}},
		{"light", style.Options{}},
		{"nocolor", style.Options{Dark: true, NoColor: true}},
		{"ascii", style.Options{Dark: true, NoColor: true, ASCII: true}},
	}
}

// Styles are those of the default theme.
func Styles(o style.Options) *style.Styles {
	t := themes.Bundled()[0] // the default
	return style.New(t, o)
}

// Plain are those without any color.
func Plain() *style.Styles { return Styles(style.Options{Dark: true, NoColor: true}) }

// Viewer is what draws itself.
type Viewer interface {
	View(w, h int) []string
}

// Text is what a view draws, without styles.
func Text(v Viewer, w, h int) string { return ansi.Strip(strings.Join(v.View(w, h), "\n")) }

// Check says what is wrong with a frame: it must be h lines of exactly w cells by both
// rules of width, without control characters, and with every style switched off at the end
// of each line.
func Check(lines []string, w, h int) error {
	if len(lines) != h {
		return fmt.Errorf("%d lines, want %d", len(lines), h)
	}
	for y, line := range lines {
		plain := ansi.Strip(line)
		if got := ansi.StringWidth(plain); got != w {
			return fmt.Errorf("line %d is %d cells wide, want %d: %q", y, got, w, line)
		}
		if got := ansi.StringWidthWc(plain); got != w {
			return fmt.Errorf("line %d is %d columns wide by wcwidth, want %d: %q", y, got, w, line)
		}
		if err := checkBytes(line); err != nil {
			return fmt.Errorf("line %d: %w: %q", y, err, line)
		}
	}
	return nil
}

// checkBytes allows only SGR sequences and what is printable.
func checkBytes(s string) error {
	open := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == 0x1b:
			end := strings.IndexFunc(s[i:], func(r rune) bool { return r >= 'A' && r <= 'z' && r != '[' })
			if !strings.HasPrefix(s[i:], "\x1b[") || end < 0 || s[i+end] != 'm' {
				return fmt.Errorf("an escape sequence that is not SGR at byte %d", i)
			}
			params := s[i+2 : i+end]
			open = params != "" && params != "0"
			i += end
		case c < 0x20 || c == 0x7f:
			return fmt.Errorf("control character %#x at byte %d", c, i)
		case c == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0:
			return fmt.Errorf("C1 control character at byte %d", i)
		}
	}
	if open {
		return fmt.Errorf("a style is left on")
	}
	return nil
}

// Golden compares a frame with testdata/name.golden, after checking it. Escape characters
// are written as ␛ there. $UPDATE_GOLDEN writes it instead, and the folder $VESPE_DUMP gets every frame as
// it is, to be looked at.
func Golden(t *testing.T, name string, lines []string, w, h int) {
	t.Helper()
	if err := Check(lines, w, h); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if dump := os.Getenv("VESPE_DUMP"); dump != "" {
		if err := os.WriteFile(dump+"/"+name+".ansi", []byte(strings.Join(lines, "\r\n")), 0o644); err != nil {
			t.Error(err)
		}
	}
	got := strings.ReplaceAll(strings.Join(lines, "\n")+"\n", "\x1b", "␛")
	file := "testdata/" + name + ".golden"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (make golden writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs from %s (make golden rewrites it)\ngot:\n%s\nwant:\n%s", name, file,
			ansi.Strip(strings.Join(lines, "\n")), ansi.Strip(strings.ReplaceAll(string(want), "␛", "\x1b")))
	}
}

// Size is a size of a pane that a view is drawn in.
type Size struct {
	Name string
	W, H int
}

// Goldens compares a view in every look and size with its golden files.
func Goldens(t *testing.T, sizes []Size, view func(st *style.Styles, s Size) Viewer) {
	t.Helper()
	for _, look := range Looks() {
		for _, size := range sizes {
			Golden(t, size.Name+"-"+look.Name, view(Styles(look.Opt), size).View(size.W, size.H), size.W, size.H)
		}
	}
}
