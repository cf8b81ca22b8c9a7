package uitest

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// CheckFrame reports what is wrong with a frame: every frame has exactly h lines of
// exactly w cells and holds no control byte besides colours (SGR) and links (OSC 8).
func CheckFrame(content string, w, h int) error {
	if w <= 0 || h <= 0 {
		return nil // no size yet
	}
	lines := strings.Split(content, "\n")
	if len(lines) != h {
		return fmt.Errorf("%d lines on a screen of %d", len(lines), h)
	}
	for i, l := range lines {
		if got := ansi.StringWidth(l); got != w {
			return fmt.Errorf("line %d is %d cells wide on a screen of %d: %q", i+1, got, w, ansi.Strip(l))
		}
		if wc := ansi.StringWidthWc(l); wc != w {
			return fmt.Errorf("line %d is %d cells wide by wcwidth on a screen of %d: %q", i+1, wc, w, ansi.Strip(l))
		}
		if err := checkBytes(l); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

// checkBytes refuses control bytes that are no part of an SGR or OSC 8 sequence.
func checkBytes(s string) error {
	rest := s
	for rest != "" {
		i := strings.IndexFunc(rest, isControl)
		if i < 0 {
			return nil
		}
		rest = rest[i:]
		n := allowedSequence(rest)
		if n == 0 {
			return fmt.Errorf("control bytes %q", rest[:min(len(rest), 12)])
		}
		rest = rest[n:]
	}
	return nil
}

func isControl(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f: // C0, DEL, C1
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // bidi
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags
		return true
	}
	return r == 0x200b || r == 0x200e || r == 0x200f || r == 0x2060 || r == 0xfeff
}

// allowedSequence is the length of the SGR or OSC 8 sequence that s begins with; 0 when
// it begins with anything else.
func allowedSequence(s string) int {
	if rest, ok := strings.CutPrefix(s, "\x1b["); ok {
		for i := 0; i < len(rest); i++ {
			c := rest[i]
			if c == 'm' {
				return 2 + i + 1
			}
			if (c < '0' || c > '9') && c != ';' && c != ':' {
				return 0
			}
		}
		return 0
	}
	if rest, ok := strings.CutPrefix(s, "\x1b]8;"); ok {
		for i := 0; i < len(rest); i++ {
			switch {
			case rest[i] == '\a':
				return 4 + i + 1
			case rest[i] == 0x1b && i+1 < len(rest) && rest[i+1] == '\\':
				return 4 + i + 2
			case rest[i] < 0x20:
				return 0
			}
		}
	}
	return 0
}
