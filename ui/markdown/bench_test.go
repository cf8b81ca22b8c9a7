package markdown

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

// plan is a document of about 5,000 lines that looks like a real plan. No two blocks of it
// are the same, so that none is found rendered.
func plan() []byte {
	const step = `@@ Step #: change how the **store** writes its log

The store writes one numbered entry # with ~link(tmp, log/n)~ and then projects it to the
task's files; see [the notes](https://example.com/notes/#) for *why* it does so. Nothing
else may write there.

- [ ] read the tail of the log # and finish what was left
- [x] check the expectations #, ~revision~ and hashes
  - a nested point #, in words that are long enough to need another line on most screens
- commit #

| file | change # | why |
|------|--------|-----|
| store/log.go | new | the **protocol** # |
| store/fs.go | interface | fault injection # |

~~~go
func (s *Store) Commit#(n uint64) error {
	if n == 0 {
		return errors.New("zero")
	}
	return os.Link(tmp, name(n)) // fails if it is taken
}
~~~

> A remark # of the reviewer, quoted.

`
	var b bytes.Buffer
	for i := 0; bytes.Count(b.Bytes(), []byte("\n")) < 5000; i++ {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(step, "~~~", "```"), "~", "`"), "#", strconv.Itoa(i)))
	}
	return bytes.ReplaceAll(b.Bytes(), []byte("@@ Step"), []byte("## Step"))
}

const benchW, benchH = 110, 50

// BenchmarkOpen: from bytes to the first screen of a plan of 5,000 lines.
func BenchmarkOpen(b *testing.B) {
	src, st := plan(), dark(b)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		New(src, st).View(benchW, benchH)
	}
}

// BenchmarkOpenSmall: the same for 50 lines, to compare.
func BenchmarkOpenSmall(b *testing.B) {
	src, st := plan(), dark(b)
	src = src[:bytes.Index(src[2000:], []byte("\n## "))+2000]
	for b.Loop() {
		New(src, st).View(benchW, benchH)
	}
}

// BenchmarkEverything: every unit of the plan rendered, what a viewer that renders whole
// documents would do before its first screen.
func BenchmarkEverything(b *testing.B) {
	src, st := plan(), dark(b)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		d := New(src, st)
		d.SetSize(benchW, benchH)
		for i := range d.doc.units {
			d.rows(i)
		}
	}
}

// BenchmarkScrollDown: one row further, through parts not seen before.
func BenchmarkScrollDown(b *testing.B) {
	src, st := plan(), dark(b)
	d := New(src, st)
	d.View(benchW, benchH)
	for b.Loop() {
		if d.AtBottom() {
			b.StopTimer()
			d = New(src, st)
			d.View(benchW, benchH)
			b.StartTimer()
		}
		d.ScrollBy(1)
		d.View(benchW, benchH)
	}
}

// BenchmarkJumpEnd: to the end of a plan just opened.
func BenchmarkJumpEnd(b *testing.B) {
	src, st := plan(), dark(b)
	for b.Loop() {
		b.StopTimer()
		d := New(src, st)
		d.View(benchW, benchH)
		b.StartTimer()
		d.Bottom()
		d.View(benchW, benchH)
	}
}

// BenchmarkResize: a new width in the middle of a plan.
func BenchmarkResize(b *testing.B) {
	d := New(plan(), dark(b))
	d.SetSize(benchW, benchH)
	d.ScrollTo(2500)
	w := 60
	for b.Loop() {
		b.StopTimer()
		d.near = nil
		w = 60 + (w+1)%60
		b.StartTimer()
		d.View(w, benchH)
	}
}

// BenchmarkSearch: all matches in a plan of 5,000 lines.
func BenchmarkSearch(b *testing.B) {
	d := New(plan(), dark(b))
	d.View(benchW, benchH)
	for b.Loop() {
		d.Search("expectations")
	}
}

// BenchmarkHidden: what rendering would hide in a plan of 5,000 lines.
func BenchmarkHidden(b *testing.B) {
	src, st := plan(), dark(b)
	for b.Loop() {
		b.StopTimer()
		d := New(src, st)
		b.StartTimer()
		d.Hidden()
	}
}

// BenchmarkFence: the first screen of a fence of 3,000 lines.
func BenchmarkFence(b *testing.B) {
	src := []byte("```go\n" + strings.Repeat("\tx := fmt.Sprintf(\"%d\", n) // a comment\n", 3000) + "```\n")
	st := dark(b)
	for b.Loop() {
		New(src, st).View(benchW, benchH)
	}
}
