// Package worsttest feeds parsers and renderers the worst texts that a file of a store can hold, for tests.
//
// A large text must not cost much more than sixteen times what a small one of the same shape costs, in
// processor time and in memory. Time is measured against the smaller text and against a yardstick of the same run:
// a slow machine is slow with all three, and a busy one is no slower. Large is 64 KiB; with the tag torture, 1 MiB.
package worsttest

import (
	"fmt"
	"hash/fnv"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Small is the size of the text that a large one is measured against, in bytes.
const Small = Large / 16

const (
	tries     = 8   // after a bad one; the best counts
	ratio     = 96  // of times: 16 is linear, 256 is quadratic
	yardstick = 100 // up to so many of them no ratio is asked for
	memory    = 64  // of allocated bytes, beside what a small text may cost anyway
	free      = 16<<20 + 48*Large
)

// Shape is a kind of text, of any size.
type Shape struct {
	Name string
	Make func(size int) string
}

// Repeat is a shape of one piece many times.
func Repeat(name, piece string) Shape {
	return Shape{name, func(size int) string { return strings.Repeat(piece, max(1, size/len(piece))) }}
}

// Around is a shape of what opens many times, and of what closes as often.
func Around(name, opens, middle, closes string) Shape {
	return Shape{name, func(size int) string {
		n := max(1, size/(len(opens)+len(closes)))
		return strings.Repeat(opens, n) + middle + strings.Repeat(closes, n)
	}}
}

// Lines is a shape of numbered lines.
func Lines(name, format string) Shape {
	return Shape{name, func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}}
}

// Stairs is a shape of lines of which each is indented further than the one before.
func Stairs(name, step, item string) Shape {
	return Shape{name, func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(strings.Repeat(step, i) + item + "\n")
		}
		return b.String()
	}}
}

// Texts are shapes for everything that reads text, Markdown among it.
func Texts() []Shape {
	return []Shape{
		Repeat("one long word", "a"), Repeat("one long line", "word "), Repeat("blank lines", "\n"), Repeat("tabs", "\t"),
		Repeat("quotes", ">"), Repeat("spaced quotes", "> "), Repeat("bullets", "- "), Repeat("numbers", "1. "), Repeat("mixed containers", "> - "),
		Stairs("list levels", "  ", "- a"), Stairs("quote levels", "> ", "a"), Stairs("indents", " ", "a"),
		Repeat("emphasis", "*_"), Repeat("emphasis with words", "*a _b "), Repeat("stars", "*"), Repeat("bold", "**a"), Repeat("strikes", "~~a~"),
		Repeat("open brackets", "["), Repeat("open images", "!["), Around("brackets", "[", "a", "]"), Repeat("links", "[a](b) "), Repeat("half links", "[a]("),
		Repeat("angle links", "[a](<b"), Around("nested links", "[", "a", "](b)"), Repeat("closing brackets", "]"), Repeat("backticks", "`"),
		Lines("ever more backticks", "`%d``"), Stairs("stairs of backticks", "`", " a"), Repeat("backslashes", "\\"), Repeat("entities", "&amp"), Repeat("angles", "<"),
		Repeat("tags", "<a b=\"c\">"), Repeat("open tags", "<a "), Repeat("comments", "<!--"), Repeat("declarations", "<!A "), Repeat("instructions", "<?"),
		Repeat("addresses", "http://a."), Repeat("mails", "a@b."), Repeat("www", "www."), Repeat("underscores", "a_"),
		Lines("definitions", "[a%d]: /b\n\n"), Lines("references", "[a%d]: /b\n\n[a%[1]d]\n\n"), Repeat("one definition", "[a]: b\n"), Repeat("uses", "[a] "),
		{"a use of many definitions", func(size int) string {
			return Lines("", "[a%d]: /b \"c\"\n").Make(size/2) + "\n" + Lines("", "[a%d] ").Make(size/2)
		}},
		{"columns", func(size int) string {
			n := size / 10
			return strings.Repeat("|a", n) + "|\n" + strings.Repeat("|-", n) + "|\n" + strings.Repeat("|b", n) + "|\n"
		}},
		{"rows of few cells", func(size int) string {
			return strings.Repeat("|a", 2000) + "|\n" + strings.Repeat("|-", 2000) + "|\n" + strings.Repeat("|b\n", size/3)
		}},
		Repeat("pipes", "|"), Repeat("underlines", "a\n=\n"), Repeat("rules", "---\n"), Repeat("headings", "# a\n"), Repeat("open fences", "```\n"),
		Repeat("fences", "~~~ go\na\n~~~\n"), Repeat("tasks", "- [ ] a\n"), Repeat("loose items", "- a\n\n"), Repeat("front matter", "---\na: b\n"),
		Repeat("escapes", "\x1b[31m"), Repeat("titles", "\x1b]0;a"), Repeat("controls", "\x00\x01"), Repeat("no text", "\xff\xfe"), Repeat("marks", "e\u0301\u0301"),
		Repeat("joiners", "\U0001f468\u200d"), Repeat("right to left", "\u202ea"), Repeat("wide", "\u4e16"),
	}
}

// Values are shapes for what reads JSON.
func Values() []Shape {
	return []Shape{
		Around("lists", "[", "", "]"), Around("objects", `{"a":`, "1", "}"), Repeat("open lists", "["), Repeat("open objects", `{"a":`),
		{"a list of numbers", func(size int) string { return "[" + strings.Repeat("1,", size/2) + "1]" }},
		{"a list of texts", func(size int) string { return `["` + strings.Repeat(`a","`, size/4) + `"]` }},
		{"many keys", func(size int) string { return "{" + strings.TrimSuffix(Lines("", `"k%d":1,`).Make(size), ",") + "}" }},
		{"one key", func(size int) string { return "{" + strings.Repeat(`"a":1,`, size/6) + `"a":1}` }},
		{"keys that differ in case", func(size int) string {
			return "{" + strings.TrimSuffix(Lines("", `"K%d":1,"k%[1]d":1,`).Make(size), ",") + "}"
		}},
		{"escapes", func(size int) string { return `"` + strings.Repeat(`\u0041`, size/6) + `"` }},
		{"a long number", func(size int) string { return strings.Repeat("1", size) }},
	}
}

// Anchors are shapes for what reads YAML: values that are named, and stand for each other.
func Anchors() []Shape {
	return []Shape{
		Lines("anchors", "- &a%d x\n"), Repeat("aliases of one", "- *a\n"), Lines("aliases in turn", "- &b%d [*b%[1]d]\n"),
		{"aliases of aliases", func(size int) string {
			return "- &c0 [x, x]\n" + Lines("", "- &d%d [*c0, *c0, *c0, *c0]\n").Make(size)
		}},
		{"doubled each time", func(size int) string {
			var b strings.Builder
			b.WriteString("k0: &k0 [x, x]\n")
			for i := 1; b.Len() < size; i++ {
				fmt.Fprintf(&b, "k%d: &k%[1]d [*k%d, *k%[2]d]\n", i, i-1)
			}
			return b.String()
		}},
		{"merged each time", func(size int) string {
			var b strings.Builder
			b.WriteString("k0: &k0 {a: x}\n")
			for i := 1; b.Len() < size; i++ {
				fmt.Fprintf(&b, "k%d: &k%[1]d {<<: *k%d, b%[1]d: *k%[2]d}\n", i, i-1)
			}
			return b.String()
		}},
	}
}

// Check runs a reader over every shape.
func Check(t *testing.T, shapes []Shape, read func(body string)) {
	t.Helper()
	unit := measure(stick)
	for _, s := range shapes {
		large := s.Make(Large)
		b := measure(func() { read(large) })
		if b.took <= yardstick*unit.took && b.bytes <= free {
			continue
		}
		small := s.Make(Small)
		a := measure(func() { read(small) })
		for range tries {
			if b.took <= ratio*a.took {
				break
			}
			a.took = max(a.took, measure(func() { read(small) }).took)
			b.took = min(b.took, measure(func() { read(large) }).took)
		}
		if b.took > yardstick*unit.took && b.took > ratio*a.took {
			t.Errorf("%s: %d KiB take %v, %.0f times what %d KiB take (%v) and %.0f yardsticks", s.Name, Large>>10, b.took,
				float64(b.took)/float64(a.took), Small>>10, a.took, float64(b.took)/float64(unit.took))
		}
		if b.bytes > memory*a.bytes+free {
			t.Errorf("%s: %d KiB allocate %d MiB, %d KiB %d KiB", s.Name, Large>>10, b.bytes>>20, Small>>10, a.bytes>>10)
		}
	}
}

type cost struct {
	took  time.Duration
	bytes uint64
}

func measure(do func()) cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took := CPU(do)
	runtime.ReadMemStats(&after)
	return cost{max(took, time.Microsecond), after.TotalAlloc - before.TotalAlloc}
}

// stick is the yardstick: work of the kind that parsers do, on a text of the larger size.
func stick() {
	h := fnv.New64a()
	seen := map[string]int{}
	body := strings.Repeat("0123456789abcdef", Large/16)
	for i := range Large {
		_, _ = h.Write([]byte{body[i]})
		if i%128 == 0 {
			seen[fmt.Sprint(i)]++
		}
	}
}
