package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/ui/style"
)

func lines(n int, word string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n\n", word, i)
	}
	return b.String()
}

func stackView(s *Stack, h int) []string {
	out := s.View(60, h, true)
	for i := range out {
		out[i] = strings.TrimRight(ansi.Strip(out[i]), " ")
	}
	return out
}

// Every line of every document is reached going down, and going up it is the same way.
func TestStackReachesEveryLine(t *testing.T) {
	s := walkStack([]string{lines(9, "first"), "", lines(30, "third"), "only\n"}, dark(t))
	stackView(s, 7)
	type stop struct {
		part, line int
		head       bool
	}
	here := func() stop {
		part, head := s.Cursor()
		o := stop{part: part, head: head}
		if !head {
			o.line, _ = s.doc(part).Cursor()
		}
		return o
	}
	var down []stop
	for {
		down = append(down, here())
		s.Move(1)
		stackView(s, 7)
		if here() == down[len(down)-1] {
			break
		}
	}
	// 9 paragraphs, 30, a line, and four heads
	if want := 9 + 30 + 1 + 4; len(down) != want {
		t.Errorf("%d stops, want %d: %v", len(down), want, down)
	}
	for i := len(down) - 1; i >= 0; i-- {
		if got := here(); got != down[i] {
			t.Fatalf("going up: at %+v, want %+v", got, down[i])
		}
		s.Move(-1)
	}
}

// What has been in the window counts as read, and only that.
func TestStackKnowsWhatWasRead(t *testing.T) {
	s := walkStack([]string{lines(20, "first"), lines(20, "second"), ""}, dark(t))
	read := func() string { return fmt.Sprint(s.Read(0), " ", s.Read(1), " ", s.Read(2)) }
	stackView(s, 10)
	if got := read(); got != "19 0 100" { // two rows of a head, four paragraphs with a blank row before each
		t.Errorf("at the top: %s", got)
	}
	s.To(1) // past what lies between
	stackView(s, 10)
	if got := read(); got != "19 19 100" {
		t.Errorf("at the second: %s", got)
	}
	s.View(60, 10, false)
	s.Bottom()
	s.View(60, 10, false) // under something else
	if got := read(); got != "19 19 100" {
		t.Errorf("unread at the end: %s", got)
	}
	stackView(s, 10)
	s.Top()
	for range 70 {
		stackView(s, 10)
		s.Move(1)
	}
	stackView(s, 10)
	if got := read(); got != "100 100 100" {
		t.Errorf("read: %s", got)
	}
	s.Drop(1)
	if got := read(); got != "100 0 100" {
		t.Errorf("with another text: %s", got)
	}
}

func TestStackRandomWalk(t *testing.T) {
	st := dark(t)
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		for range rapid.IntRange(1, 5).Draw(t, "parts") {
			texts = append(texts, rapid.SampledFrom([]string{"", "one\n", lines(3, "few"), lines(40, "many"), "# H\n\n```\na\nb\n```\n\n| a | b |\n|---|---|\n| c | d |\n"}).Draw(t, "text"))
		}
		s := walkStack(texts, st)
		h := 9
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			n := rapid.IntRange(-30, 30).Draw(t, "n")
			switch rapid.IntRange(0, 8).Draw(t, "what") {
			case 0, 1:
				s.Move(n)
			case 2:
				s.ScrollBy(n)
			case 3:
				s.Leap(n)
			case 4:
				s.Bottom()
			case 5:
				s.To(rapid.IntRange(0, len(texts)-1).Draw(t, "part"))
			case 6:
				h = rapid.IntRange(1, 30).Draw(t, "h")
			case 7:
				s.SetRaw(n > 0)
			case 8:
				s.CursorRow(max(0, n))
			}
			out := s.View(50, h, true)
			if len(out) != h {
				t.Fatalf("%d lines of %d", len(out), h)
			}
			c := s.spot()
			if c.before(s.at) || s.below(s.at, c, h) >= h {
				t.Fatalf("the cursor %+v is not in the window from %+v of %d", c, s.at, h)
			}
			if !s.atEnd() {
				continue
			}
			if s.at != (spot{unit: -1}) && s.below(s.at, s.last(), h) != h-1 {
				t.Fatalf("the window from %+v reaches beyond the end", s.at)
			}
		}
	})
}

func walkStack(texts []string, st *style.Styles) *Stack {
	var parts []StackPart
	for _, body := range texts {
		p := StackPart{Head: func(int, bool) []string { return []string{"head", ""} }}
		if body != "" {
			p.Doc = func() *Doc { return NewWith([]byte(body), st) }
		}
		parts = append(parts, p)
	}
	s := NewStack(parts)
	s.SetFocused(true)
	return s
}
