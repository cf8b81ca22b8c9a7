package ui

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/ui/taskdocs"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// longPlan is a plan of about n lines in which no two paragraphs are the same.
func longPlan(n int, word string) []byte {
	var b bytes.Buffer
	for i := 0; bytes.Count(b.Bytes(), []byte("\n")) < n; i++ {
		fmt.Fprintf(&b, "## Step %d: change how the **store** writes %s\n\nThe store writes one entry %d with `link(tmp, log/n)` and then projects it to the files\nof the task, see [the notes](https://example.com/%d).\n\n- [ ] read the tail %d\n- commit %d, in words that are long enough to need another line on most screens that there are\n\n```go\nfunc Commit%d() error { return nil }\n```\n\n", i, word, i, i, i, i, i)
	}
	return b.Bytes()
}

// reviewed is a plan of some lines with comments all over it, and of what it was before.
func reviewed(uid model.UID, lines, comments int) *taskdocs.Docs {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	old, now := longPlan(lines, "its log"), longPlan(lines, "its log")
	for i := range 50 { // every hundredth line is another
		now = bytes.Replace(now, fmt.Appendf(nil, "tail %d\n", 7*i), fmt.Appendf(nil, "tail %d and its end\n", 7*i), 1)
	}
	content := func(n int, body []byte) *model.Content {
		return &model.Content{Doc: model.Plan, Body: body, Hash: model.HashBytes(body), Revision: n}
	}
	file := func(n int, body []byte) *model.ReviewFile {
		f := &model.ReviewFile{Revision: n}
		for i := range comments {
			line := 1 + i*(lines-1)/max(1, comments)
			f.Comments = append(f.Comments, model.Comment{
				ID: fmt.Sprintf("c%06x", i), Kind: model.CommentKinds()[i%3], Blocking: i%5 == 0, Doc: model.Plan, Place: model.PlaceAt(body, line, line),
				Text: strings.Repeat(fmt.Sprintf("Remark %d says what is missing here. ", i), 4), By: "human:ann", At: at, Since: 1, State: model.CommentAddressed,
				Replies: []model.Reply{{State: model.CommentAddressed, Text: "It has been done as you say.", By: "agent:robot", At: at, Revision: 2}},
			})
		}
		return f
	}
	return &taskdocs.Docs{UID: uid, Plan: content(2, now), Earlier: taskdocs.Earlier{Base: content(1, old), Decided: 1, BaseReview: file(1, old)}, Review: file(2, now)}
}

// onPlan is a workbench with the plan tab of a task in the right pane.
func onPlan(tb testing.TB) (*App, model.UID) {
	tb.Helper()
	a := loaded(100)
	a.panes.Detail.Show(detail.Plan)
	a.nav.focus(true)
	a.View()
	return a, a.nav.followed
}

// First frames and keys on a plan of 5,000 lines with 1,000 comments, beside one of 50 lines with
// ten.
func BenchmarkReview(b *testing.B) {
	open := func(s *taskdocs.Docs) time.Duration {
		a, uid := onPlan(b)
		s.UID = uid
		start := time.Now()
		a.Update(docsMsg{a.nav.asked, s})
		if v := a.View(); !strings.Contains(text.Strip(v.Content), "Step 0") {
			b.Fatal("no plan")
		}
		return time.Since(start)
	}
	b.Run("open", func(b *testing.B) {
		var s, l time.Duration
		for b.Loop() {
			s += open(reviewed("", 50, 10))
			l += open(reviewed("", 5000, 1000))
		}
		b.ReportMetric(float64(l.Microseconds())/1000/float64(b.N), "ms/frame≤50")
		b.ReportMetric(float64(l)/float64(s), "5000/50")
		b.ReportMetric(0, "ns/op")
	})
	b.Run("difference", func(b *testing.B) {
		diff := func(lines, comments int) time.Duration {
			a, uid := onPlan(b)
			a.Update(docsMsg{a.nav.asked, reviewed(uid, lines, comments)})
			a.View()
			start := time.Now()
			a.decider.showDiff()
			if d := a.dialogs.Top(); d != nil {
				box := d.Window().Box.(*overlay.Diff)
				a.Update(comparedMsg{box, box.Compare()})
			}
			if v := a.View(); a.dialogs.Top() == nil || !strings.Contains(text.Strip(v.Content), "and its end") {
				b.Fatal("no difference")
			}
			return time.Since(start)
		}
		var s, l time.Duration
		for b.Loop() {
			s += diff(50, 10)
			l += diff(5000, 1000)
		}
		b.ReportMetric(float64(l.Microseconds())/1000/float64(b.N), "ms/frame≤50")
		b.ReportMetric(float64(l)/float64(s), "5000/50")
		b.ReportMetric(0, "ns/op")
	})
	onDocs := func(b *testing.B) *App {
		a, uid := onPlan(b)
		a.Update(docsMsg{a.nav.asked, reviewed(uid, 5000, 1000)})
		a.Update(a.comments.markChanges(a.docs)())
		if a.panes.Detail.Changes() == nil {
			b.Fatal("no marks")
		}
		a.View()
		return a
	}
	onDiff := func(b *testing.B) *App {
		a := onDocs(b)
		a.decider.showDiff()
		box := a.dialogs.Top().Window().Box.(*overlay.Diff)
		a.Update(comparedMsg{box, box.Compare()})
		box.ToggleFull()
		a.View()
		return a
	}
	char := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }
	for _, c := range []struct {
		name string
		open func(*testing.B) *App
		key  tea.KeyPressMsg
	}{
		{"scroll", onDocs, char('j')},
		{"page", onDocs, tea.KeyPressMsg{Code: tea.KeyPgDown}},
		{"comment", onDocs, char(')')},
		{"change", onDocs, char('J')},
		{"type", func(b *testing.B) *App {
			a := onDocs(b)
			d := review.Draft{ID: "d", Kind: model.Remark, Doc: model.Plan, Place: model.PlaceAt(a.docs.Plan.Body, 3, 3), Text: "y"}
			a.comments.composeComment(a.docs.UID, d, "")
			return a
		}, char('x')},
		{"difference-scroll", onDiff, char('j')},
		{"difference-comment", onDiff, char(')')},
	} {
		b.Run(c.name, func(b *testing.B) {
			a := c.open(b)
			var all []time.Duration
			for b.Loop() {
				if c.name != "type" {
					a.act(keymap.MoveTop)
				}
				for range 300 {
					start := time.Now()
					a.Update(c.key)
					a.View()
					all = append(all, time.Since(start))
				}
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms≤16")
			b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
