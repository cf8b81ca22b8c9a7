package uitest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"vespe/model/visible"
)

// CheckFrame reports what is wrong with a frame: every frame has exactly h lines of
// exactly w cells, shows every character that it holds, and has no control sequence
// besides the styles of ours (SGR) and links to the web (OSC 8).
func CheckFrame(content string, w, h int) error { return new(checker).frame(content, w, h) }

// checker checks one frame after another. Most lines of a frame are those of the one before, and are checked once.
type checker struct {
	w    int
	good []string // the lines of the last frame, which are w cells wide
}

func (c *checker) frame(content string, w, h int) error {
	if w <= 0 || h <= 0 {
		return nil // no size yet
	}
	lines := strings.Split(content, "\n")
	if len(lines) != h {
		return fmt.Errorf("%d lines on a screen of %d", len(lines), h)
	}
	for i, l := range lines {
		if w == c.w && i < len(c.good) && l == c.good[i] {
			continue
		}
		if err := checkLine(l, w); err != nil {
			return fmt.Errorf("line %d %w", i+1, err)
		}
	}
	c.w, c.good = w, lines
	return nil
}

func checkLine(l string, w int) error {
	if got := ansi.StringWidth(l); got != w {
		return fmt.Errorf("is %d cells wide on a screen of %d: %q", got, w, ansi.Strip(l))
	}
	if wc := ansi.StringWidthWc(l); wc != w {
		return fmt.Errorf("is %d cells wide by wcwidth on a screen of %d: %q", wc, w, ansi.Strip(l))
	}
	if err := checkBytes(l); err != nil {
		return fmt.Errorf("holds %w", err)
	}
	if plain := ansi.Strip(l); visible.Has(plain) {
		return fmt.Errorf("holds what cannot be seen: %q", plain)
	}
	return nil
}

// checkBytes refuses control bytes that are no part of a sequence that is allowed.
func checkBytes(s string) error {
	for rest := s; rest != ""; {
		i := strings.IndexFunc(rest, unicode.IsControl)
		if i < 0 {
			return nil
		}
		rest = rest[i:]
		n := allowedSequence(rest)
		if n == 0 {
			return fmt.Errorf("control bytes %q", rest[:min(len(rest), 16)])
		}
		rest = rest[n:]
	}
	return nil
}

// allowedSequence is the length of the style or link that s begins with; 0 when it begins
// with anything else.
func allowedSequence(s string) int {
	if rest, ok := strings.CutPrefix(s, "\x1b["); ok {
		if params, _, ok := strings.Cut(rest, "m"); ok && ourStyle(params) {
			return len("\x1b[") + len(params) + len("m")
		}
		return 0
	}
	if rest, ok := strings.CutPrefix(s, "\x1b]8;"); ok {
		link, after, ok := strings.Cut(rest, "\x1b\\")
		if bell := strings.IndexByte(rest, '\a'); bell >= 0 && (!ok || bell < len(link)) {
			link, after, ok = rest[:bell], rest[bell+1:], true
		}
		if ok && ourLink(link) {
			return len(s) - len(after)
		}
	}
	return 0
}

// ourStyle reports whether the parameters of an SGR sequence are such as our styles make:
// resets, bold, faint, italic, underlined, reversed and struck out, and colors by their
// parts. Concealed or blinking text is nobody's style.
func ourStyle(params string) bool {
	list := strings.Split(params, ";")
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case "", "0", "1", "2", "3", "4", "7", "9":
		case "38", "48", "58":
			if i+4 >= len(list) || list[i+1] != "2" || !byteValues(list[i+2:i+5]) {
				return false
			}
			i += 4
		default:
			return false
		}
	}
	return true
}

func byteValues(list []string) bool {
	for _, s := range list {
		if _, err := strconv.ParseUint(s, 10, 8); err != nil {
			return false
		}
	}
	return true
}

// ourLink reports whether what follows "8;" of a hyperlink is its end, or leads to the web.
func ourLink(link string) bool {
	_, to, ok := strings.Cut(link, ";")
	if !ok || visible.Has(to) {
		return false
	}
	return to == "" || strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "mailto:")
}
