package ui

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/themes"
	"vespe/ui/panes"
)

// loaded is a workbench of 160×48 that shows a store of n tasks.
func loaded(n int) *App { return loadedAs(n, model.Created) }

// loadedAs is loaded with every task in a state. One with its plan defined waits for the review of that.
func loadedAs(n int, state model.State) *App {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	in := snapshot.Input{Seq: 1, StoreID: "bench"}
	for i := range n {
		uid := model.UID(fmt.Sprintf("tsk-%032x", i+1))
		t := &model.Task{
			UID: uid, HasStatus: true, HasObjective: state != model.Created, HasPlan: state == model.PlanDefined,
			Config: model.Config{UID: uid, Name: fmt.Sprintf("task number %d of the benchmark", i+1), CreatedAt: at},
			Status: model.StatusFile{CurrentState: state, LastUpdatedAt: at.Add(time.Duration(i) * time.Second), Revision: 1},
		}
		if i >= 10 {
			t.Config.ParentUID = model.UID(fmt.Sprintf("tsk-%032x", i/10))
		}
		if i > 0 && i%3 == 0 {
			t.DependsOn = []model.UID{model.UID(fmt.Sprintf("tsk-%032x", i))}
		}
		in.Tasks = append(in.Tasks, t)
	}
	dark := true
	a := New(context.Background(), Deps{
		Now: func() time.Time { return at }, NewID: func() string { return "op" }, NewUID: func() model.UID { return "tsk-new" },
		Actor: "human:ann", Keymap: keymap.Default(), Theme: themes.Bundled()[0], Themes: themes.Bundled(), Dark: &dark, Terminal: Terminal{Mouse: true}, Name: "bench",
	})
	a.Update(tea.WindowSizeMsg{Width: 160, Height: 48})
	a.loader.adopt(snapshot.New(in))
	a.nav.show(panes.Tree)
	a.panes.Tree.UnfoldAll()
	a.View()
	return a
}

// Opening an inbox of 100,000 items puts them in order once and copies nothing else. The baseline is the count that the tab
// shows in any case.
func BenchmarkOpenInbox(b *testing.B) {
	a := loadedAs(100_000, model.PlanDefined)
	a.nav.show(panes.Inbox)
	var count, open time.Duration
	for b.Loop() {
		a.nav.show(panes.Tree)
		a.loader.adopt(a.snap.With(a.snap.Seq()+1, "", nil, nil))
		fresh := a.snap.With(a.snap.Seq()+1, "", nil, nil)
		start := time.Now()
		if fresh.InboxLen() != 100_000 {
			b.Fatal(fresh.InboxLen())
		}
		count += time.Since(start)
		start = time.Now()
		a.nav.show(panes.Inbox)
		a.View()
		open += time.Since(start)
	}
	b.ReportMetric(float64(open)/float64(count), "open/count≤10")
	b.ReportMetric(float64(open.Milliseconds())/float64(b.N), "ms/open@100k")
	b.ReportMetric(0, "ns/op")
}

// keypress is the time from a key to the frame that answers it.
func keypress(b *testing.B, a *App, keys ...tea.KeyPressMsg) time.Duration {
	b.Helper()
	const rounds = 100
	start := time.Now()
	for i := range rounds {
		a.Update(keys[i%len(keys)])
		if v := a.View(); v.Content == "" {
			b.Fatal("no frame")
		}
	}
	return time.Since(start) / rounds
}

// A keypress on 100,000 tasks must cost what it costs on 100: only what is visible is
// built. Each key is measured at both sizes in one run; the ratio is what counts.
func BenchmarkKeypress(b *testing.B) {
	down, up := tea.KeyPressMsg{Code: 'j', Text: "j"}, tea.KeyPressMsg{Code: 'k', Text: "k"}
	page, back := tea.KeyPressMsg{Code: tea.KeyPgDown}, tea.KeyPressMsg{Code: tea.KeyPgUp}
	right, left := tea.KeyPressMsg{Code: 'l', Text: "l"}, tea.KeyPressMsg{Code: 'h', Text: "h"}
	for _, c := range []struct {
		name string
		view panes.View
		keys []tea.KeyPressMsg
	}{
		{"tree/move", panes.Tree, []tea.KeyPressMsg{down, down, up}},
		{"tree/page", panes.Tree, []tea.KeyPressMsg{page, page, back}},
		{"tree/ends", panes.Tree, []tea.KeyPressMsg{{Code: tea.KeyEnd}, {Code: tea.KeyHome}}},
		{"graph/move", panes.Lanes, []tea.KeyPressMsg{down, down, up}},
		{"board/move", panes.Board, []tea.KeyPressMsg{down, {Code: 'l', Text: "l"}, up, {Code: 'h', Text: "h"}}},
		{"graph/page", panes.Lanes, []tea.KeyPressMsg{page, page, back}},
		{"map/move", panes.Map, []tea.KeyPressMsg{right, left, down, up}},
		{"map/enter", panes.Map, []tea.KeyPressMsg{right, {Code: tea.KeyEnter}, {Code: tea.KeyBackspace}, left}},
		{"map/radius", panes.Map, []tea.KeyPressMsg{{Code: '+', Text: "+"}, {Code: '-', Text: "-"}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			small, large := loaded(100), loaded(100_000)
			for _, a := range []*App{small, large} {
				a.nav.show(c.view)
				if c.view == panes.Map { // around a task that needs another
					a.nav.reveal("tsk-00000000000000000000000000000004")
				}
				a.View()
				keypress(b, a, c.keys...)
			}
			var s, l time.Duration
			for b.Loop() {
				s += keypress(b, small, c.keys...)
				l += keypress(b, large, c.keys...)
			}
			b.ReportMetric(float64(l)/float64(s), "100k/100≤1.5")
			b.ReportMetric(float64(l.Microseconds())/float64(b.N), "µs/key@100k")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// The same with everything selected, and for a letter in the list that a dependency is chosen from.
func BenchmarkKeypressOnASelection(b *testing.B) {
	down, up := tea.KeyPressMsg{Code: 'j', Text: "j"}, tea.KeyPressMsg{Code: 'k', Text: "k"}
	press := func(a *App, keys ...tea.KeyPressMsg) {
		for _, k := range keys {
			a.Update(k)
		}
		a.View()
	}
	all := func(a *App) {
		for i := range a.snap.Len() {
			a.panes.Tree.ToggleMarkOf(a.snap.UID(i))
		}
		a.panes.ShowMarks(a.requests.IsSelected)
		a.act(keymap.MoveBottom)
	}
	for _, c := range []struct {
		name  string
		setup func(*App)
		keys  []tea.KeyPressMsg
	}{
		{"all", all, []tea.KeyPressMsg{up, down}},
		{"dependency", func(a *App) { a.act(keymap.AddDependency) }, []tea.KeyPressMsg{
			{Code: 't', Text: "t"}, {Code: '9', Text: "9"}, {Code: tea.KeyBackspace}, {Code: tea.KeyBackspace},
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			small, large := loaded(100), loaded(100_000)
			for _, a := range []*App{small, large} {
				c.setup(a)
				press(a, c.keys...)
			}
			var s, l time.Duration
			for b.Loop() {
				s += keypress(b, small, c.keys...)
				l += keypress(b, large, c.keys...)
			}
			b.ReportMetric(float64(l)/float64(s), "100k/100")
			b.ReportMetric(float64(l.Microseconds())/float64(b.N), "µs/key@100k")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// Every key of a filter as it is typed on 100,000 tasks, a packed store as a workbench has
// it: the slowest of a hundred is what counts.
func BenchmarkFilterTyped(b *testing.B) {
	a := loaded(100_000)
	a.loader.adopt(a.snap.Compact())
	for _, typed := range []string{
		"number", "by:ann", "has:plan", "is:orphan", "has:deps", "type:docs", "priority:none", "label:x", "under:number", `under:"task number 2 of the benchmark"`,
	} {
		b.Run(typed, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				a.act(keymap.FilterStart)
				for _, r := range typed {
					start := time.Now()
					a.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
					a.View()
					times = append(times, time.Since(start))
				}
				a.act(keymap.PromptCancel)
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/key")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "ms-p99≤16")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// The time from a new snapshot, in which one task of 100,000 changed, to the frame: how
// long the keyboard waits when an agent writes.
func BenchmarkForeignChange(b *testing.B) {
	a := loaded(100_000)
	t := a.snap.At(500).Clone()
	seq := a.snap.Seq()
	for b.Loop() {
		b.StopTimer()
		seq++
		next := t.Clone()
		next.Status.Revision = int(seq)
		next.Status.IsPaused = seq%2 == 0
		s := a.snap.With(seq, "", []*model.Task{next}, nil)
		b.StartTimer()
		a.loader.adopt(s)
		a.View()
	}
}
