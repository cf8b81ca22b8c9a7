package anchor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const plan = `# Import invoices

Read the export of the bank.

1. Parse each line of the file.
2. Match it by invoice number in the text.
3. Report what was not matched.

---

## Tests

1. Parse a file with a broken line.
2. Match the same amount twice.
`

// at is the number of the line that begins so.
func at(t testing.TB, text, begin string) int {
	t.Helper()
	for i, l := range Lines(text) {
		if strings.HasPrefix(l, begin) {
			return i + 1
		}
	}
	t.Fatalf("no line begins %q", begin)
	return 0
}

func TestFind(t *testing.T) {
	match := "2. Match it by invoice number in the text."
	for _, tt := range []struct {
		name     string
		from, to string // first and last line of the anchor, by how they begin
		now      string
		fate     Fate
		want     string // first line of the place, or that stands there now
		lines    int
	}{
		{"nothing has changed", "2. Match it", "", plan, Kept, match, 1},
		{"text above", "2. Match it", "", "One more.\n\n" + plan, Kept, match, 1},
		{"lines above taken away", "2. Match it", "", strings.Replace(plan, "Read the export of the bank.\n", "", 1), Kept, match, 1},
		{"the line was edited", "2. Match it", "", strings.Replace(plan, "invoice number in the text", "invoice number, then by amount", 1), Edited, "2. Match it by invoice number, then", 1},
		{"edited, and text above", "2. Match it", "", "x\ny\nz\n" + strings.Replace(plan, "invoice number in the text", "number in the text", 1), Edited, "2. Match it by number", 1},
		{"the line is gone", "2. Match it", "", strings.Replace(plan, match+"\n", "", 1), Lost, "3. Report", 0},
		{"other text in its place", "2. Match it", "", strings.Replace(plan, match, "2. Send a letter to everybody.", 1), Lost, "2. Send", 0},
		{"much of it is other text, in its place", "2. Match it", "", strings.Replace(plan, match, "2. Match it to orders, and to what was sent back with them.", 1), Edited, "2. Match it to", 1},
		{"the same, with a line more", "2. Match it", "", strings.Replace(plan, match, "2. Match it to orders, and to what was sent back with them.\n   Then wait.", 1), Lost, "2. Match", 0},
		{
			"two lines edited side by side", "3. Report", "",
			strings.NewReplacer(match, "2. Match it to orders, and to what was sent back.", "3. Report what was not matched.", "3. Report nothing that somebody has seen before.").Replace(plan), Edited, "3. Report nothing", 1,
		},
		{"the line is elsewhere", "2. Match it", "", strings.Replace(plan, match+"\n", "", 1) + match + "\n", Moved, match, 1},
		{"a range shifted", "1. Parse each", "3. Report", "a\n" + plan, Kept, "1. Parse each", 3},
		{"a range, one line of it edited", "1. Parse each", "3. Report", strings.Replace(plan, "Match it by invoice", "Match it by order", 1), Edited, "1. Parse each", 3},
		{"a range, its last line edited", "1. Parse each", "3. Report", strings.Replace(plan, "3. Report what was not matched.", "3. Report it all.\n4. Stop.", 1), Edited, "1. Parse each", 4},
		{"a range, a line put into it", "1. Parse each", "3. Report", strings.Replace(plan, match, match+"\n   And by date.", 1), Edited, "1. Parse each", 4},
		{"a line after a range is not its own", "1. Parse each", "3. Report", strings.Replace(plan, "not matched.\n", "not matched.\n4. Stop.\n", 1), Kept, "1. Parse each", 3},
		{"a range, a line of it gone", "1. Parse each", "3. Report", strings.Replace(plan, match+"\n", "", 1), Edited, "1. Parse each", 2},
		{"a rule that is gone", "---", "", strings.Replace(plan, "---\n", "", 1), Lost, "", 0},
		{"all of it is gone", "2. Match it", "", "", Lost, "", 0},
		{"a whole new text", "2. Match it", "", "Do nothing.\n", Lost, "", 0},
		{"line ends of another system", "2. Match it", "", strings.ReplaceAll(plan, "\n", "\r\n"), Kept, match, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from := at(t, plan, tt.from)
			to := from
			if tt.to != "" {
				to = at(t, plan, tt.to)
			}
			p := NewFinder(plan, tt.now).Find(Make(plan, from, to))
			if p.Fate != tt.fate || p.To-p.From+1 != tt.lines {
				t.Fatalf("it is %s at %d to %d, want %s with %d lines", p.Fate, p.From, p.To, tt.fate, tt.lines)
			}
			now := Lines(tt.now)
			if p.From < 1 || p.From > len(now)+1 || p.To > len(now) {
				t.Fatalf("%d to %d is not in a text of %d lines", p.From, p.To, len(now))
			}
			if tt.want != "" && !strings.HasPrefix(now[p.From-1], tt.want) {
				t.Errorf("it stands at %q, want %q", now[p.From-1], tt.want)
			}
		})
	}
}

// Of an anchor that was made on a text that nobody has any more the quotation is enough.
func TestFindByTheQuotationAlone(t *testing.T) {
	a := Make(plan, at(t, plan, "2. Match it"), at(t, plan, "2. Match it"))
	now := "Quite another beginning.\n\n" + plan
	p := NewFinder("something else\n", now).Find(a)
	if p.Fate != Moved || !strings.HasPrefix(Lines(now)[p.From-1], "2. Match it") {
		t.Errorf("it is %s at %d", p.Fate, p.From)
	}
	if p := NewFinder("", "").Find(a); p.Fate != Lost || p.From != 1 {
		t.Errorf("in no text it is %+v", p)
	}
	if p := NewFinder(plan, plan).Find(Anchor{}); p.Fate != Lost {
		t.Errorf("no anchor is %+v", p)
	}
	for _, bad := range []Anchor{{From: -3, To: 99, Quote: []string{"x"}}, {From: 9, To: 2, Quote: []string{"x"}}} {
		if p := NewFinder(plan, plan).Find(bad); p.Fate != Lost {
			t.Errorf("%+v is %+v", bad, p)
		}
	}
}

// Two places that are equally good are none.
func TestAGuessIsNotMade(t *testing.T) {
	old := "alpha\nbeta gamma delta\nomega\n"
	a := Make(old, 2, 2)
	now := "one\nbeta gamma delta\ntwo\nthree\nbeta gamma delta\nfour\n"
	if p := NewFinder("", now).Find(a); p.Fate != Lost {
		t.Errorf("of two places %+v is chosen", p)
	}
	now = "one\nbeta gamma delta\ntwo\nalpha\nbeta gamma delta\nfour\n"
	if p := NewFinder("", now).Find(a); p.Fate != Moved || p.From != 5 {
		t.Errorf("the lines around it decide for %+v", p)
	}
}

func TestMakeStaysInTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b c"}), 0, 6).Draw(t, "lines"), "\n")
		a := Make(text, rapid.IntRange(-3, 12).Draw(t, "from"), rapid.IntRange(-3, 12).Draw(t, "to"))
		n := len(Lines(text))
		if a.From < 1 || a.To < a.From || n > 0 && (a.To > n || !slices.Equal(a.Quote, Lines(text)[a.From-1:a.To])) {
			t.Fatalf("of %d lines %+v", n, a)
		}
	})
}

// Whatever happens around lines that nobody touches, they are found where they are, and what
// is found is in the text. A line of its own is kept; one that is taken away is never said to
// be kept.
func TestLinesThatStayAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := make([]string, rapid.IntRange(1, 30).Draw(t, "n"))
		for i := range old {
			old[i] = rapid.SampledFrom([]string{"", "---", "a common line", fmt.Sprintf("the line number %d of it all", i)}).Draw(t, "line")
		}
		from := rapid.IntRange(1, len(old)).Draw(t, "from")
		to := rapid.IntRange(from, min(len(old), from+4)).Draw(t, "to")
		for i := from - 1; i < to; i++ {
			old[i] = fmt.Sprintf("anchored %d and nothing else", i)
		}
		edit := func(lines []string) []string {
			var out []string
			for _, l := range lines {
				switch rapid.IntRange(0, 5).Draw(t, "edit") {
				case 0:
				case 1:
					out = append(out, l, "put in here")
				case 2:
					out = append(out, l+" changed")
				default:
					out = append(out, l)
				}
			}
			return out
		}
		above, below := edit(old[:from-1]), edit(old[to:])
		now := slices.Concat(above, old[from-1:to], below)
		text := strings.Join(old, "\n") + "\n"
		f := NewFinder(text, strings.Join(now, "\n")+"\n")
		a := Make(text, from, to)
		if p := f.Find(a); p.Fate != Kept || p.From != len(above)+1 || p.To != len(above)+to-from+1 {
			t.Fatalf("%v\n→ %v\n%d to %d is %+v", old, now, from, to, p)
		}
		gone := strings.Join(slices.Concat(above, below), "\n") + "\n"
		if p := NewFinder(text, gone).Find(a); p.Fate != Lost || p.From < 1 || p.From > len(Lines(gone))+1 {
			t.Fatalf("of what is gone from %v, %q: %+v", old, gone, p)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	var old, now []string
	for i := range 5000 {
		l := fmt.Sprintf("Step %d of the plan does something %d.", i, i*7919%1000)
		old = append(old, l)
		if i%7 == 0 {
			now = append(now, "and more")
		}
		if i%11 == 3 {
			l += " It was changed."
		}
		now = append(now, l)
	}
	text := strings.Join(old, "\n")
	var as []Anchor
	for i := range 1000 {
		as = append(as, Make(text, i*5+1, i*5+2))
	}
	for b.Loop() {
		f := NewFinder(text, strings.Join(now, "\n"))
		for _, a := range as {
			f.Find(a)
		}
	}
}
