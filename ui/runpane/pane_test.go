package runpane

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui/style"
)

func ago(d time.Duration) time.Time { return viewtest.Now().Add(-d) }

// story is what a worker did in twelve minutes.
func story() []runlog.Event {
	at := func(s int) time.Time { return ago(754*time.Second - time.Duration(s)*time.Second) }
	return []runlog.Event{
		{At: at(0), Kind: runlog.KindPhase, Phase: runlog.PhaseClaim},
		{At: at(1), Kind: runlog.KindPhase, Phase: runlog.PhaseSetup},
		{At: at(1), Kind: runlog.KindNote, Text: "worktree from 5f2d1aa; port 4107"},
		{At: at(3), Kind: runlog.KindPhase, Phase: runlog.PhaseWork},
		{At: at(5), Kind: runlog.KindMessage, Text: "I begin with the tokeniser, because the rest stands on it.\n\nTwo banks send XML behind an SGML header."},
		{At: at(7), Kind: runlog.KindTool, Tool: "Read", ID: "1", Text: "importer/ofx.go"},
		{At: at(8), Kind: runlog.KindTool, ID: "1", Done: true, Text: "package importer\n\nfunc Parse() {}"},
		{At: at(20), Kind: runlog.KindCost, Cost: 0.42, In: 18400, Out: 2210},
		{At: at(30), Kind: runlog.KindEdit, ID: "2", Path: "importer/ofx.go", Text: "-a\n+b"},
		{At: at(31), Kind: runlog.KindEdit, ID: "2", Path: "importer/ofx.go", Done: true},
		{At: at(40), Kind: runlog.KindCommand, ID: "3", Text: "go test ./importer"},
		{At: at(52), Kind: runlog.KindCommand, ID: "3", Done: true, Exit: 1, Failed: true, Text: "--- FAIL: TestOFX (0.01s)\n    ofx_test.go:88: \x1b[31mdate\u202e = 11\nFAIL"},
		{At: at(60), Kind: runlog.KindRaw, Text: "not JSON \x1b]0;title\a at all"},
		{At: at(70), Kind: runlog.KindProgress, Text: "3 of 4 fixtures"},
		{At: at(80), Kind: runlog.KindAsk, ID: "req-1", Text: "Which way do we round?"},
		{At: at(90), Kind: "later", Text: "of a later version"},
		{At: at(99), Kind: runlog.KindTool, Tool: "Grep", ID: "4", Text: "TODO"},
	}
}

func facts(live bool) Facts {
	f := Facts{
		Attempt: 2, Most: 3, Live: live, Criteria: []string{"Unclosed tags are read", "Dates keep their zone"},
		Run: model.Run{ID: "run-1", Task: viewtest.UID(5), Worker: "agent:claude", Started: ago(754 * time.Second)},
	}
	if !live {
		f.Run.Ended, f.Run.Outcome = ago(60*time.Second), model.RunCompleted
		f.Run.Report = &model.RunReport{Phase: "integrate", Cost: 0.61, Why: "no test was found", Verified: true}
	}
	return f
}

func report() runlog.Report {
	return runlog.Report{
		Commit: "90b1c2e4", OK: false, Tested: true, Why: "go test failed, exit 1", Missing: []string{"importer/ofx_test.go"},
		Checks: []runlog.Evidence{
			{Name: "files", Source: "files", Status: runlog.Pass, Millis: 3},
			{Name: "go test ./...", Argv: []string{"go", "test", "./..."}, Source: "detected: go test", Status: runlog.Fail, Exit: 1, Millis: 12400, Bytes: 90000, Output: "ok  ledger\n--- FAIL: TestOFX\n    ofx_test.go:88: \x1b[31mdate\nFAIL\nFAIL importer 0.4s\n"},
			{Name: "lint", Argv: []string{"golangci-lint", "run"}, Source: "verify", Status: runlog.NotRun, Why: "the program is not there"},
		},
		Criteria: []runlog.Criterion{
			{Text: "Unclosed tags are read", Status: runlog.Pass, By: "go test ./..."},
			{Text: "Dates keep their zone", Status: runlog.NotRun, Why: "nothing checks it"},
		},
	}
}

const patchText = "diff --git a/importer/ofx.go b/importer/ofx.go\n--- a/importer/ofx.go\n+++ b/importer/ofx.go\n@@ -1,3 +1,4 @@ package importer\n package importer\n-func Parse() {}\n+func Parse(r io.Reader) {}\n+\n // end\n"

func pane(o style.Options, live bool) *Pane {
	p := New(viewtest.Styles(o))
	p.SetNow(viewtest.Now())
	p.SetFocused(true)
	p.SetKeys(func(a string) string { return map[string]string{"view.open": "space"}[a] })
	f := facts(live)
	p.SetRun(f)
	p.Add("run-1", story(), 0)
	if !live {
		r := report()
		p.SetFile("run-1", NeedReport, File{Body: r.Encode()})
	}
	p.SetFile("run-1", NeedPatch, File{Body: []byte(patchText), Size: int64(len(patchText))})
	p.SetFile("run-1", NeedPrompt, File{Body: []byte("# Task\n\nParse OFX \x1b[31mred\n"), Size: 24})
	old := facts(false).Run
	old.ID, old.Outcome, old.Report = "run-0", model.RunErrored, &model.RunReport{Why: "go test failed, exit 1\nFAIL", Cost: 0.2, Result: "0123456789abcdef"}
	p.SetAttempts(f.Run.Task, []model.Run{old, f.Run})
	return p
}

func plain(p *Pane, w, h int) string { return viewtest.Text(p, w, h) }

func TestGolden(t *testing.T) {
	for _, look := range viewtest.Looks() {
		for _, size := range []struct {
			name string
			w, h int
		}{{"narrow", 38, 16}, {"pane", 72, 26}, {"wide", 124, 30}} {
			for tab := range NumTabs {
				p := pane(look.Opt, tab != Evidence)
				p.Show(tab)
				viewtest.Golden(t, tab.String()+"-"+size.name+"-"+look.Name, p.View(size.w, size.h), size.w, size.h)
			}
		}
	}
}

func see(t *testing.T, p *Pane, want ...string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(plain(p, 100, 40), s) {
			t.Errorf("%q is not there:\n%s", s, plain(p, 100, 40))
		}
	}
}

func hidden(t *testing.T, p *Pane, want ...string) {
	t.Helper()
	for _, s := range want {
		if strings.Contains(plain(p, 100, 40), s) {
			t.Errorf("%q is there:\n%s", s, plain(p, 100, 40))
		}
	}
}

// A call and its result are one row, which unfolds to both.
func TestACallAndItsResultAreOneRow(t *testing.T) {
	p := pane(style.Options{Dark: true, NoColor: true}, true)
	see(t, p, "go test ./importer", "exit 1", "3/4 fixtures"[:0]+"3 of 4 fixtures", "asked: Which way")
	hidden(t, p, "TestOFX", "package importer")
	if n := p.SearchType("go test"); n != 1 {
		t.Fatalf("%d matches", n)
	}
	p.SearchClear()
	if !p.Unfold() {
		t.Fatal("there is nothing to unfold")
	}
	see(t, p, "--- FAIL: TestOFX (0.01s)", "␛[31mdate⟨U+202E⟩ = 11")
	p.Unfold()
	hidden(t, p, "TestOFX")
	p.UnfoldAll(true)
	see(t, p, "TestOFX", "package importer", "no output")
	p.UnfoldAll(false)
	hidden(t, p, "TestOFX", "package importer")
	// What a search finds is shown, folded or not.
	if n := p.SearchType("ofx_test.go:88"); n != 1 {
		t.Fatalf("%d matches", n)
	}
	see(t, p, "ofx_test.go:88")
}

// An edit that a call of a tool made is told by that call; one of which nothing more is said waits for nothing.
func TestAnEditIsToldOnce(t *testing.T) {
	p := New(viewtest.Plain())
	p.SetNow(viewtest.Now())
	p.SetRun(facts(true))
	p.Add("run-1", []runlog.Event{
		{Kind: runlog.KindTool, Tool: "Write", ID: "1", Text: "lib/check.sh"},
		{Kind: runlog.KindEdit, ID: "1", Path: "lib/check.sh"},
		{Kind: runlog.KindTool, ID: "1", Done: true, Text: "ok"},
		{Kind: runlog.KindEdit, ID: "1", Path: "lib/check.sh"},
		{Kind: runlog.KindTool, Tool: "Format", ID: "2", Text: "all"},
		{Kind: runlog.KindTool, ID: "2", Done: true},
		{Kind: runlog.KindEdit, ID: "2", Path: "lib/other.sh"},
	}, 0)
	s := plain(p, 80, 20)
	if strings.Count(s, "lib/check.sh") != 1 || strings.Count(s, "edit lib/other.sh") != 1 || strings.Contains(s, "…") {
		t.Errorf("it is\n%s", s)
	}
}

// The end is followed until somebody goes up, and again when they are back.
func TestTheEndIsFollowed(t *testing.T) {
	p := pane(style.Options{Dark: true, NoColor: true}, true)
	say := func(n int) {
		p.Add("run-1", []runlog.Event{{At: viewtest.Now(), Kind: runlog.KindMessage, Text: fmt.Sprint("message ", n)}}, 0)
	}
	show := func() string { return plain(p, 70, 16) }
	show()
	say(1)
	if s := show(); !strings.Contains(s, "message 1") || p.Foot() != "following" {
		t.Fatalf("the end is not followed, %q:\n%s", p.Foot(), s)
	}
	p.Move(-3)
	was := show()
	for n := range 5 {
		say(10 + n)
	}
	if s := show(); s != was {
		t.Errorf("it moved:\n%s\nwas\n%s", s, was)
	}
	if got := p.Foot(); got != "↓ 5 new below" {
		t.Errorf("the foot says %q", got)
	}
	p.End()
	say(20)
	if s := show(); !strings.Contains(s, "message 20") || p.Foot() != "following" {
		t.Errorf("the end is not followed again, %q:\n%s", p.Foot(), s)
	}
}

func TestTheHeadSaysWhatMustNotBeOverlooked(t *testing.T) {
	p := pane(style.Options{Dark: true, NoColor: true}, false)
	see(t, p, "▲ Not tested: no test was found", "attempt 2 of 3", "11m34s", "$0.61", "✓ integrate")
	f := facts(false)
	f.Run.Outcome, f.Run.Report.Why, f.Run.Report.Phase = model.RunErrored, "go test failed \x1b[31mexit 1", "verify"
	p.SetRun(f)
	see(t, p, "▲ go test failed ␛[31mexit 1")
	p = pane(style.Options{Dark: true, NoColor: true}, true)
	see(t, p, "✓ setup", "▸ work", "12m34s", "$0.42", "18.4k in, 2.2k out", "criteria ○2")
	p.Add("run-1", []runlog.Event{
		{At: viewtest.Now(), Kind: runlog.KindPhase, Phase: runlog.PhaseVerify},
		{At: viewtest.Now(), Kind: runlog.KindCheck, Check: &runlog.Evidence{Name: "go vet"}},
		{At: viewtest.Now(), Kind: runlog.KindCheck, Done: true, Check: &runlog.Evidence{Name: "go vet", Status: runlog.Pass}},
		{At: viewtest.Now(), Kind: runlog.KindCheck, Check: &runlog.Evidence{Name: "go test"}},
	}, 0)
	see(t, p, "✓ work", "▸ verify", "checks ✓1", "✓ pass    go vet", "… runs    go test")
}

// A run waits in the phase that it came to last: for what its worker asked, for what no test checks, for a conflict.
func TestTheHeadSaysInWhichPhaseARunWaits(t *testing.T) {
	p := pane(style.Options{Dark: true, NoColor: true}, true)
	f := facts(true)
	f.Waits = true
	p.SetRun(f)
	phase := func(at time.Duration, ph runlog.Phase) {
		p.Add("run-1", []runlog.Event{{At: viewtest.Now().Add(at), Kind: runlog.KindPhase, Phase: ph}}, 0)
	}
	phase(time.Second, runlog.PhaseWaiting)
	see(t, p, "✓ setup", "? work")
	phase(2*time.Second, runlog.PhaseWork)
	phase(3*time.Second, runlog.PhaseVerify)
	phase(4*time.Second, runlog.PhaseWaiting)
	see(t, p, "✓ work", "? verify")
	phase(5*time.Second, runlog.PhaseWork)
	phase(6*time.Second, runlog.PhaseWaiting)
	see(t, p, "✓ setup", "? work")
}

func TestEmptyTabsSayWhy(t *testing.T) {
	p := New(viewtest.Plain())
	p.SetNow(viewtest.Now())
	see(t, p, "No run is under the cursor.")
	p.SetRun(facts(true))
	see(t, p, "Reading…")
	p.SetNoLog("run-1", nil)
	see(t, p, "No output from its worker yet.")
	waits := facts(true)
	waits.Waits, waits.Asks = true, "which port?"
	p.SetRun(waits)
	see(t, p, "It is waiting for an answer.", "Asks: which port?")
	p.SetRun(facts(true))
	p.SetNoLog("run-1", errors.New("it is a symbolic link"))
	see(t, p, "it is a symbolic link")
	for tab, want := range map[Tab]string{Evidence: "", Patch: "No patch until", Prompt: "Its prompt isn't written yet"} {
		p.Show(tab)
		for _, n := range p.Needs() {
			p.SetFile("run-1", n, File{None: true})
		}
		if len(p.Needs()) > 0 {
			t.Errorf("%s needs %v again", tab, p.Needs())
		}
		see(t, p, want)
	}
	done := facts(false)
	p.SetRun(done)
	p.Show(Patch)
	if len(p.Needs()) == 0 {
		t.Error("the patch is not asked for again when the run has ended")
	}
	for _, n := range p.Needs() {
		p.SetFile("run-1", n, File{None: true})
	}
	see(t, p, "No patch.")
}

func TestALongLogSaysWhatIsNotShown(t *testing.T) {
	p := New(viewtest.Plain())
	p.SetNow(viewtest.Now())
	p.SetRun(facts(true))
	p.Add("run-1", story(), 12_000_000)
	p.Home()
	see(t, p, "Its first 12.0 MB are not shown", "worktree from")
}

func TestWhatComesOfACallPushesTheCursorNotOutOfView(t *testing.T) {
	p := pane(viewtest.Looks()[0].Opt, true)
	check := func(done bool) runlog.Event {
		e := runlog.Event{At: viewtest.Now(), Kind: runlog.KindCheck, ID: "c", Done: done, Check: &runlog.Evidence{Name: "go test", Status: runlog.NotRun}}
		if done {
			e.Check.Status, e.Check.Output = runlog.Fail, strings.Repeat("a line\n", 12)
		}
		return e
	}
	p.Add("run-1", []runlog.Event{check(false), {At: viewtest.Now(), Kind: runlog.KindMessage, Text: "one"}, {At: viewtest.Now(), Kind: runlog.KindMessage, Text: "two"}}, 0)
	p.View(60, 12)
	p.Move(-1)
	p.View(60, 12)
	p.Add("run-1", []runlog.Event{check(true)}, 0)
	p.View(60, 12)
	if s := p.stacks[Log]; !s.sees(s.cur) {
		t.Errorf("the cursor is on %d; in view from %d, row %d", s.cur, s.top, s.off)
	}
}

// Whatever is pressed and comes in, each frame is whole, the cursor is in view, and nothing that is in
// view moves when something comes in below.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := New(viewtest.Styles(style.Options{Dark: true, ASCII: rapid.Bool().Draw(t, "ascii")}))
		p.SetNow(viewtest.Now())
		p.SetFocused(true)
		p.SetRun(facts(true))
		kinds := []runlog.Kind{runlog.KindMessage, runlog.KindTool, runlog.KindCommand, runlog.KindRaw, runlog.KindPhase, runlog.KindCheck, runlog.KindEdit, "x"}
		w, h := rapid.IntRange(1, 140).Draw(t, "w"), rapid.IntRange(1, 30).Draw(t, "h")
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0, 1, 2:
				var list []runlog.Event
				for range rapid.IntRange(1, 6).Draw(t, "events") {
					e := runlog.Event{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Text: rapid.StringN(0, 300, -1).Draw(t, "text"), ID: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "id"), Done: rapid.Bool().Draw(t, "done"), Path: "p", Phase: "work"}
					if e.Kind == runlog.KindCheck && rapid.Bool().Draw(t, "check") {
						e.Check = &runlog.Evidence{Name: rapid.String().Draw(t, "name"), Status: runlog.Fail, Output: e.Text}
					}
					list = append(list, e)
				}
				p.Add("run-1", list, 0)
			case 3:
				p.Move(rapid.IntRange(-5, 5).Draw(t, "by"))
			case 4:
				p.Page(rapid.SampledFrom([]int{-1, 1}).Draw(t, "page"))
			case 5:
				p.Wheel(rapid.IntRange(-9, 9).Draw(t, "wheel"))
			case 6:
				p.Unfold()
			case 7:
				w, h = rapid.IntRange(1, 140).Draw(t, "w"), rapid.IntRange(1, 30).Draw(t, "h")
			case 8:
				p.Click(1, rapid.IntRange(0, 40).Draw(t, "y"))
			case 9:
				if rapid.Bool().Draw(t, "home") {
					p.Home()
				} else {
					p.End()
				}
			}
			if err := viewtest.Check(p.View(w, h), w, h); err != nil {
				t.Fatal(err)
			}
			s := p.stacks[Log]
			if s.n > 0 && s.h > 0 && !s.sees(s.cur) {
				t.Fatalf("the cursor is on %d; in view from %d, row %d", s.cur, s.top, s.off)
			}
			if s.follow && s.n > 0 && s.h > 0 && !s.atEnd() {
				t.Fatal("the end is followed and is not in view")
			}
		}
	})
}

func big(n int) *Pane {
	p := New(viewtest.Styles(style.Options{Dark: true}))
	p.SetNow(viewtest.Now())
	p.SetRun(facts(true))
	var list []runlog.Event
	for k := range n {
		id := fmt.Sprint(k)
		list = append(list,
			runlog.Event{At: viewtest.Now(), Kind: runlog.KindMessage, Text: strings.Repeat("words that wrap at the edge ", 9)},
			runlog.Event{At: viewtest.Now(), Kind: runlog.KindTool, Tool: "Read", ID: id, Text: "a.go"},
			runlog.Event{At: viewtest.Now(), Kind: runlog.KindTool, ID: id, Done: true, Text: strings.Repeat("line\n", 50)})
	}
	p.Add("run-1", list, 0)
	p.View(72, 36)
	return p
}

// A key, and an event that comes in, cost what is in view, however long the log is.
func BenchmarkLog(b *testing.B) {
	small, large := big(50), big(20_000)
	step := func(p *Pane) func(n int) {
		return func(n int) {
			if n&1 == 0 {
				p.Move(-1)
			} else {
				p.Add("run-1", []runlog.Event{{At: viewtest.Now(), Kind: runlog.KindCost, Cost: float64(n)}}, 0)
				p.End()
			}
			p.View(72, 36)
		}
	}
	viewtest.Ratio(b, step(small), step(large))
}
