package board

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/board"
	"vespe/model/snapshot"
	"vespe/ui/style"
)

func shown(s *snapshot.Snapshot, w, h int) *Board {
	b := New(viewtest.Plain())
	b.SetNow(viewtest.Now())
	b.SetSnapshot(s)
	b.View(w, h)
	return b
}

func TestGolden(t *testing.T) {
	sizes := []viewtest.Size{{Name: "narrow", W: 34, H: 10}, {Name: "pane", W: 78, H: 12}, {Name: "wide", W: 160, H: 22}, {Name: "tall", W: 198, H: 34}}
	viewtest.Goldens(t, sizes, func(st *style.Styles, _ viewtest.Size) viewtest.Viewer {
		b := New(st)
		b.SetNow(viewtest.Now())
		b.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
		b.Move(1)
		return b
	})
}

// The cursor goes from column to column past those without a card, and back on the same way.
func TestSideGoesPastEmptyColumns(t *testing.T) {
	b := shown(viewtest.Snapshot(viewtest.Project()), 60, 20)
	for b.Side(-1) {
	}
	var way []board.Column
	for {
		if _, ok := b.Selected(); !ok {
			t.Fatalf("there is no card under the cursor in %v", b.col)
		}
		way = append(way, b.col)
		if !b.Side(1) {
			break
		}
	}
	var want []board.Column
	for c := range board.NumColumns {
		if len(b.lists[c]) > 0 {
			want = append(want, c)
		}
	}
	if !slices.Equal(way, want) || len(way) < 4 {
		t.Errorf("it went through %v, want %v", way, want)
	}
}

// Every task is on the board once, and all five columns are on the screen, however narrow it is.
func TestFiveColumns(t *testing.T) {
	s := viewtest.Snapshot(viewtest.Project())
	b := shown(s, 78, 20)
	if b.Len() != s.Len() {
		t.Errorf("%d cards for %d tasks", b.Len(), s.Len())
	}
	for c := range board.NumColumns {
		for _, i := range b.lists[c] {
			if got := board.ColumnOf(s.Status(int(i))); got != c {
				t.Errorf("a task of %v is in %v", got, c)
			}
		}
	}
	for _, w := range []int{58, 78, 118, 198} {
		head := strings.Split(viewtest.Text(b, w, 20), "\n")[0]
		at := 0
		for c := range board.NumColumns {
			label := c.Label()[:4]
			k := strings.Index(head[at:], label)
			if k < 0 {
				t.Fatalf("%d cells: %q is not in its place in %q", w, label, head)
			}
			at += k
		}
	}
	// At 80 columns the cursor's column is wide enough to read, and no head is cut.
	for c := range board.NumColumns {
		b.col = c
		b.settle()
		b.Dirty = true
		head := strings.Split(viewtest.Text(b, 78, 20), "\n")[0]
		if p := b.placed[b.col]; p.w < ownWidth {
			t.Errorf("the cursor's column has %d cells", p.w)
		}
		for c := range board.NumColumns {
			if !strings.Contains(head, c.Label()) {
				t.Errorf("%q is cut in %q", c.Label(), head)
			}
		}
	}
}

// A search looks through all columns.
func TestSearchGoesThroughTheColumns(t *testing.T) {
	b := shown(viewtest.Snapshot(viewtest.Project()), 80, 20)
	b.Jump(viewtest.UID(3))
	b.SearchStart()
	if n := b.SearchType("archive"); n != 1 {
		t.Errorf("%d matches", n)
	}
	if uid, ok := b.Selected(); !ok || uid != viewtest.UID(12) {
		t.Errorf("the cursor is on %q", uid)
	}
	b.SearchCancel()
	if uid, _ := b.Selected(); uid != viewtest.UID(3) {
		t.Errorf("given up, it is on %q", uid)
	}
	b.SearchType("e")
	b.SearchAccept()
	_, _, total := b.Searching()
	seen := map[model.UID]bool{}
	for range total {
		uid, _ := b.Selected()
		seen[uid] = true
		b.SearchNext(1)
	}
	if len(seen) != total || total < 5 {
		t.Errorf("%d of %d matches were gone to", len(seen), total)
	}
}

func TestAClickTakesWhatIsThere(t *testing.T) {
	b := shown(viewtest.Snapshot(viewtest.Project()), 260, 20)
	lines := strings.Split(viewtest.Text(b, 260, 20), "\n")
	for y, line := range lines {
		x := strings.Index(line, "Dunning")
		if x < 0 {
			continue
		}
		x = ansi.StringWidth(line[:x])
		if !b.Click(x, y) {
			t.Error("there is no card")
		}
		if uid, _ := b.Selected(); uid != viewtest.UID(5) {
			t.Errorf("the cursor is on %q", uid)
		}
		if b.Click(x, 0) {
			t.Error("there is a card on the head")
		}
		return
	}
	t.Fatalf("the card is not in view:\n%s", strings.Join(lines, "\n"))
}

func TestEmptyPlacesSaySo(t *testing.T) {
	b := New(viewtest.Plain())
	b.Move(1)
	b.Side(1)
	b.SearchType("x")
	b.SearchNext(1)
	b.Click(1, 1)
	if got := strings.TrimSpace(viewtest.Text(b, 60, 4)); got != "" {
		t.Errorf("before the first snapshot it says %q", got)
	}
	b.SetSnapshot(viewtest.Snapshot(nil))
	if got := viewtest.Text(b, 60, 9); !strings.Contains(got, "No tasks yet.") {
		t.Errorf("empty it shows\n%s", got)
	}
	b.SetSnapshot(viewtest.Snapshot(viewtest.Project()))
	b.SetFilter(func(*snapshot.Snapshot, int) bool { return false })
	if got := viewtest.Text(b, 60, 9); !strings.Contains(got, "matches the filter") {
		t.Errorf("filtered away it shows\n%s", got)
	}
}

// Whatever others do to the store the cursor stays on its task while that is there, in whatever
// column, and on its line where the column is the same; the other columns stay where they were
// scrolled to.
func TestNothingJumps(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := viewtest.NewWorld(rt)
		b := New(viewtest.Plain())
		b.SetSnapshot(w.Snapshot())
		h := rapid.IntRange(4, 14).Draw(rt, "height")
		for range rapid.IntRange(1, 8).Draw(rt, "rounds") {
			b.View(70, h)
			for range rapid.IntRange(0, 4).Draw(rt, "keys") {
				d := rapid.IntRange(-9, 9).Draw(rt, "d")
				switch rapid.IntRange(0, 3).Draw(rt, "key") {
				case 0:
					b.WheelAt(rapid.IntRange(0, 69).Draw(rt, "x"), d)
				case 1:
					b.Side(d)
				default:
					b.Move(d)
				}
			}
			b.View(70, h)
			uid, had := b.Selected()
			was, line, seen := b.col, b.row-b.win[b.col].Top, b.win[b.col].Sees(b.row)
			w.Change(rt)
			s := w.Snapshot()
			b.SetSnapshot(s)
			if err := viewtest.Check(b.View(70, h), 70, h); err != nil {
				rt.Fatal(err)
			}
			if _, there := s.Index(uid); !had || !there {
				if _, ok := b.Selected(); !ok && b.Len() > 0 {
					rt.Fatal("the cursor is on no card")
				}
				continue
			}
			if now, _ := b.Selected(); now != uid {
				rt.Fatalf("the cursor went from %s to %s\n%s", uid, now, viewtest.Text(b, 70, h))
			}
			n, v := len(b.lists[b.col]), b.win[b.col]
			off := min(2, (v.Height-1)/2)
			if b.col == was && seen && line >= off && line < v.Height-off && b.row >= line && b.row-line <= n-v.Height && b.row-v.Top != line {
				rt.Fatalf("the card was on line %d of its column, and is on %d\n%s", line, b.row-v.Top, viewtest.Text(b, 70, h))
			}
		}
	})
}

func TestFramesAreExact(t *testing.T) {
	viewtest.Frames(t, viewtest.Stores(), func(st *style.Styles) viewtest.Subject {
		b := New(st)
		b.SetNow(viewtest.Now())
		more := func(_ *rapid.T, d int) []func() {
			return []func(){func() { b.Side(d) }}
		}
		wrong := func() string {
			if _, ok := b.Selected(); !ok && b.Len() > 0 {
				return "the cursor is on no card"
			}
			return ""
		}
		return viewtest.Subject{List: b, More: more, Wrong: wrong}
	})
}

// A key that moves the cursor, with the frame after it, on a board of thousands; and what another
// snapshot costs.
func BenchmarkKeypress(b *testing.B) {
	press := func(n int) func(int) {
		v := New(viewtest.Styles(style.Options{Dark: true}))
		v.SetNow(viewtest.Now())
		v.SetSnapshot(viewtest.Snapshot(viewtest.Large(n, 1)))
		v.View(160, 50)
		return func(n int) {
			if n%3 == 0 {
				v.Side(1 - n%2*2)
			}
			v.Move(1 - n%2*2)
			v.View(160, 50)
		}
	}
	viewtest.Ratio(b, press(400), press(10_000))
}
