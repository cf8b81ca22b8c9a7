package overlay

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/ui/style"
	"vespe/ui/text"
)

func TestPlace(t *testing.T) {
	base := []string{"abcdef", "\x1b[31mabcdef\x1b[m", "世界世", "abcdef"}
	got := Place(base, []string{"XY", "XY", "XY"}, 1, 1)
	plain := ansi.Strip(strings.Join(got, "|"))
	if want := "abcdef|aXYdef| XY 世|aXYdef"; plain != want {
		t.Errorf("got %q, want %q", plain, want)
	}
	if !strings.HasPrefix(got[1], "\x1b[31ma") || !strings.Contains(got[1], "XY\x1b[31mdef") {
		t.Errorf("the style of the line under it is lost: %q", got[1])
	}
	if got := ansi.Strip(strings.Join(Place(base, []string{"12345"}, -2, 0), "|")); !strings.HasPrefix(got, "345def|") {
		t.Errorf("beyond the left edge: %q", got)
	}
	if got := ansi.Strip(strings.Join(Place(base, []string{"12345", "", "1", "2", "3"}, 4, -1), "|")); got != "abcdef|abcd1f|世界2 |abcd3f" {
		// 世界世 is six cells; column 4 is the third character.
		t.Errorf("beyond the other edges: %q", got)
	}
}

// Whatever is laid over a frame, the frame keeps its size, and outside the overlay every
// character.
func TestPlaceKeepsTheFrame(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	word := rapid.SampledFrom([]string{"a", "bc", "世", "界 ", "é", st.Accent.Render("x世"), st.Bad.Render("y")})
	line := func(t *rapid.T, w int, name string) string {
		return text.Pad(strings.Join(rapid.SliceOfN(word, 0, 30).Draw(t, name), ""), w)
	}
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 6).Draw(t, "h")
		ow, oh := rapid.IntRange(0, 50).Draw(t, "ow"), rapid.IntRange(0, 8).Draw(t, "oh")
		x, y := rapid.IntRange(-10, 45).Draw(t, "x"), rapid.IntRange(-4, 8).Draw(t, "y")
		var base, top []string
		for range h {
			base = append(base, line(t, w, "base"))
		}
		for range oh {
			top = append(top, line(t, ow, "top"))
		}
		got := Place(base, top, x, y)
		if err := viewtest.Check(got, w, h); err != nil {
			t.Fatal(err)
		}
		for k := range got {
			if k < y || k >= y+oh || x >= w || x+ow <= 0 {
				if got[k] != base[k] {
					t.Fatalf("line %d is beside the overlay and changed from %q to %q", k, base[k], got[k])
				}
			}
		}
		if err := viewtest.Check(Dim(base, st), w, h); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkPlace(b *testing.B) {
	st := viewtest.Styles(style.Options{Dark: true})
	var base, top []string
	for range 60 {
		base = append(base, text.Pad(strings.Repeat(st.Accent.Render("word")+" plain ", 18), 200))
	}
	for range 40 {
		top = append(top, text.Pad(strings.Repeat(st.Good.Render("over")+" it ", 10), 80))
	}
	for b.Loop() {
		Place(base, top, 60, 10)
	}
}
