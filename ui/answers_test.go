package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"vespe/ui/taskdocs"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/ui/detail"
	"vespe/ui/drafts"
	"vespe/ui/view"
)

// evil conceals, sets the title of a window, turns text around and hides it.
const evil = "x\x1b[8m\x1b]0;t\a\u202e\u200by\xffz"

// raw reports what of lines would reach the terminal as more than text.
func raw(lines []string) string {
	for _, l := range lines {
		if visible.Has(ansi.Strip(l)) || strings.Contains(l, "\x1b[8m") || strings.Contains(l, "\x1b]0") {
			return l
		}
	}
	return ""
}

// Whatever is said of a task, a problem or a request may hold anything: each place that
// draws it makes it text, and shows it.
func TestEveryPlaceThatNamesSomethingShowsItAsText(t *testing.T) {
	a := loaded(20)
	parent := a.snap.At(0).Clone()
	child := a.snap.At(10).Clone()
	parent.Config.Name, child.Config.Name = evil, evil
	a.loader.adopt(a.snap.With(2, "", []*model.Task{parent, child}, nil))
	a.nav.goTo(child.UID)
	p := model.Problem{UID: child.UID, Path: evil, Reason: evil, Code: evil, Hint: evil}
	r := model.Request{ID: "r", Kind: evil, Title: evil, Detail: evil, CreatedBy: model.Actor(evil), TaskUID: child.UID}
	a.requests.Show(r, 0, false)
	for name, c := range map[string]struct {
		lines []string
		times int // that it is named
	}{
		"the path in the header": {[]string{a.frame.where(120)}, 2},
		"a problem":              {a.nav.problemLines(p, a.pageWidth()), 5},
		"a request":              {a.requests.Draw(100, 200), 6},
		"a cycle":                {a.tasks.cycleLines([]model.UID{child.UID, model.UID(evil)}), 3},
		"a failure":              {a.failureLines(view.Notice{Text: evil, Why: evil, Hint: evil}, 0, 120), 3},
	} {
		if bad := raw(c.lines); bad != "" {
			t.Errorf("%s draws %q", name, bad)
		}
		if got := strings.Count(ansi.Strip(strings.Join(c.lines, "\n")), "␛[8m"); got != c.times {
			t.Errorf("%s shows it %d times, want %d: %q", name, got, c.times, c.lines)
		}
	}
	for name, say := range map[string]func(string) tea.Cmd{"success": a.say, "remark": a.remark} {
		say(evil)
		lines := a.messageLines(120)
		if bad := raw(lines); bad != "" || !strings.Contains(strings.Join(lines, ""), "␛[8m") {
			t.Errorf("a %s is drawn as %q", name, lines)
		}
	}
}

// An answer to an older question changes nothing: what is on screen belongs to the last.
func TestAnswersToOlderQuestionsAreDropped(t *testing.T) {
	a := loaded(20)
	uid, other := a.nav.followed, a.snap.At(5).UID
	if uid == "" || uid == other {
		t.Fatal("the cursor is not where this test needs it")
	}
	old := &taskdocs.Docs{UID: uid, Plan: &model.Content{Doc: model.Plan, Body: []byte("old"), Hash: "sha256-old"}}

	a.nav.asked = 7
	a.nav.onDocs(docsMsg{6, old})
	if a.docs != nil {
		t.Error("a text that was asked for earlier is shown")
	}
	a.nav.onDocs(docsMsg{7, &taskdocs.Docs{UID: other}})
	if a.docs != nil {
		t.Error("the documents of another task is shown")
	}
	a.nav.onDocs(docsMsg{7, old})
	if a.docs != old {
		t.Error("the documents that were asked for are not shown")
	}

	marks, late := &detail.Changes{Hash: old.Plan.Hash, Since: 2}, &detail.Changes{Hash: "sha256-older", Since: 1}
	a.comments.onPlanChanges(planChangesMsg{old, marks})
	a.comments.onPlanChanges(planChangesMsg{&taskdocs.Docs{UID: old.UID}, late})
	if got := a.panes.Detail.Changes(); got != marks {
		t.Errorf("the plan has the marks of another reading: %+v", got)
	}

	opened := 0
	a.awaited = awaited{gen: 7, on: true}
	read := docsRead{docs: []*taskdocs.Docs{old}, then: func([]*taskdocs.Docs) tea.Cmd { opened++; return nil }}
	a.onAwaited(awaitedMsg{6, read})
	if opened != 0 {
		t.Error("a dialog opened with documents that were read for another")
	}
	a.onAwaited(awaitedMsg{7, read})
	a.onAwaited(awaitedMsg{7, read})
	if opened != 1 {
		t.Errorf("the dialog opened %d times", opened)
	}
	a.awaited = awaited{gen: 8, on: true, asks: true}
	if a.onKey(tea.KeyPressMsg{Code: 'y', Text: "y"}); !a.awaited.on {
		t.Error("the yes that came before its question has withdrawn it")
	}
	if a.onKey(tea.KeyPressMsg{Code: 'z', Text: "z"}); a.awaited.on {
		t.Error("a question opens although the person has gone on")
	}

	before := a.snap
	newer := before.With(9, "", nil, nil)
	a.loading = loading{gen: 7, active: true, gauge: &view.Gauge{}}
	a.loader.onLoaded(loadedMsg{gen: 6, snap: newer})
	if a.snap != before || !a.loading.active {
		t.Error("a load that was given up was taken")
	}
	a.loader.onLoaded(loadedMsg{gen: 6, err: errors.New("gone")})
	if len(a.Unread()) > 0 {
		t.Error("a load that was given up complains")
	}
	a.loader.onLoaded(loadedMsg{gen: 7, snap: newer})
	if a.snap != newer || a.loading.active {
		t.Error("the load was not taken")
	}

	gone := errors.New("gone")
	a.onResultFile(resultFileMsg{uid: other, path: "x", err: gone, edit: true})
	if len(a.Unread()) > 0 {
		t.Error("a file of another task complains")
	}
	a.onResultFile(resultFileMsg{uid: uid, path: "x", err: gone, edit: true})
	if len(a.Unread()) != 1 {
		t.Error("the file is not opened")
	}
}

// Where the log has fewer entries than the screen shows it was set back: what is read then counts.
func TestALogThatWasSetBack(t *testing.T) {
	a := loaded(20)
	first := a.snap
	a.loader.adopt(first.With(first.Seq()+5, "", nil, nil))
	if a.loader.catchUp(headMsg{seq: first.Seq() + 1}) == nil {
		t.Fatal("nothing is read")
	}
	back := first.With(first.Seq()+1, "", nil, nil)
	a.loader.onLoaded(loadedMsg{gen: a.loading.gen, snap: back})
	if a.snap != back {
		t.Errorf("entry %d is shown, not %d", a.snap.Seq(), back.Seq())
	}
	a.loader.adopt(first.With(first.Seq()+2, "", nil, nil))
	a.loader.adopt(back)
	if a.snap == back {
		t.Error("an older snapshot was taken after that")
	}
}

// Answers of the store overtake each other: what is older than the screen is dropped.
func TestAnOlderSnapshotIsNotTaken(t *testing.T) {
	a := loaded(20)
	first := a.snap
	third := first.With(first.Seq()+2, "", nil, nil)
	a.loader.adopt(third)
	a.loader.adopt(first.With(first.Seq()+1, "", nil, nil))
	if a.snap != third {
		t.Error("an older snapshot took the place of a newer one")
	}
	anew := snapshot.New(snapshot.Input{StoreID: "another", Seq: 1})
	a.loader.adopt(anew)
	if a.snap != anew {
		t.Error("a store that was made anew is not shown")
	}
	a.snap = third
	a.loader.adopt(nil)
	if a.snap != third {
		t.Error("no snapshot took the place of one")
	}
	same := first.With(third.Seq(), "", nil, nil) // read again: what was edited without a transaction
	a.loader.adopt(same)
	if a.snap != same {
		t.Error("a whole reading of the same transaction was not taken")
	}
}

// What the store warns of is a failure to be read, although the operation was done.
func TestWarningsOfTheStoreAreShown(t *testing.T) {
	a := loaded(20)
	a.jobs.open[1] = &job{ops: []model.Op{{Name: model.RenameTask, UID: a.snap.At(0).UID}}}
	a.decider.onApplied(appliedMsg{job: 1, applied: snapshot.Applied{
		Snapshot: a.snap, Change: &model.Change{Summary: "Renamed"}, Warnings: []string{"the index could not be written"},
	}})
	if got := strings.Join(a.Unread(), "\n"); !strings.Contains(got, "the index could not be written") {
		t.Errorf("the warning is not shown: %q", got)
	}
	a.decider.onApplied(appliedMsg{job: 1, applied: snapshot.Applied{Snapshot: a.snap, Warnings: []string{"again"}}})
	if len(a.Unread()) != 1 {
		t.Error("an answer that nobody waits for is taken")
	}
}

// Each target of an operation is previewed after those before it: what one of them already
// does to another is not asked of the store a second time.
func TestATargetSeesWhatTheOnesBeforeItDo(t *testing.T) {
	a := loaded(20)
	parent, child := a.snap.At(0).UID, a.snap.At(10).UID
	if p, _ := a.snap.Task(child); p.Config.ParentUID != parent {
		t.Fatalf("%s is not below %s", child, parent)
	}
	p, err := a.proposer().Propose(model.Op{Name: model.Abort}, []model.UID{parent, child}, nil)
	if err != nil || len(p.Ops) != 1 || p.Ops[0].UID != parent || len(p.Refused) != 1 {
		t.Errorf("%d operations, %d left out, %v: the child ends with its parent", len(p.Ops), len(p.Refused), err)
	}
}

// A rename belongs to the name that was shown.
func TestARenameIsBoundToWhatWasShown(t *testing.T) {
	a := loaded(20)
	a.act(keymap.Rename)
	if a.dialogs.Top() == nil {
		t.Fatal("no prompt")
	}
	shown, _ := a.current()
	theirs := shown.Clone()
	theirs.Config.Name, theirs.Status.Revision = "theirs", shown.Status.Revision+1
	a.loader.adopt(a.snap.With(a.snap.Seq()+1, "", []*model.Task{theirs}, nil))
	a.Update(tea.PasteMsg{Content: " mine"})
	a.act(keymap.PromptSubmit)
	if len(a.jobs.open) != 1 {
		t.Fatalf("%d operations were fired", len(a.jobs.open))
	}
	for _, j := range a.jobs.open {
		if _, err := lifecycle.Apply(a.snap, j.ops[0]); err == nil {
			t.Errorf("the rename replaces a name that was not seen: %+v", j.ops[0])
		}
	}
}

// noDrafts keeps nothing.
type noDrafts struct{}

func (noDrafts) Drafts(string, model.UID) ([]review.Draft, error)       { return nil, nil }
func (noDrafts) Keep(string, model.UID, []review.Draft, []string) error { return nil }

// aStore is a store of which only the id is asked.
type aStore struct{ Store }

func (aStore) StoreID() string { return "store" }

// A comment that was sent does not come back with files that were read before it was forgotten on
// disk: it would be sent twice.
func TestASentDraftStaysAway(t *testing.T) {
	a := loaded(20)
	a.deps.Drafts, a.deps.Store = noDrafts{}, aStore{}
	uid := a.nav.followed
	d := review.Draft{ID: "d-1", Doc: model.Plan, Text: "once"}
	docsOf := func(list ...review.Draft) *taskdocs.Docs {
		return &taskdocs.Docs{UID: uid, Drafts: list, Writes: a.wanted(uid).Writes}
	}
	a.nav.setDocs(docsOf(d))
	if len(a.typed.Of(uid)) != 1 {
		t.Fatal("the draft on disk is not there")
	}
	early := docsOf(d)
	later := a.typed.Drop(drafts.ID{UID: uid, ID: d.ID})
	a.nav.setDocs(docsOf(d)) // not forgotten on disk yet
	if len(a.typed.Of(uid)) != 0 {
		t.Error("it is back before it was forgotten")
	}
	written, _ := a.typed.Update(later())
	a.typed.Update(written())
	a.nav.setDocs(early)
	if len(a.typed.Of(uid)) != 0 {
		t.Error("it is back with what was read earlier")
	}
	other := review.Draft{ID: "d-2", Doc: model.Plan, Text: "of another terminal"}
	a.nav.setDocs(docsOf(other))
	if len(a.typed.Of(uid)) != 1 {
		t.Error("what another terminal wrote is not shown")
	}
}

// Texts are compared by a command: what handles the keys has no part in it. Until it answers the
// screen says so, and no key that is pressed meanwhile is lost.
func TestTextsAreComparedBesideTheKeys(t *testing.T) {
	var old, now []string
	for i := range 400 {
		old = append(old, fmt.Sprint("line ", i))
		now = append(now, old[i])
	}
	now[100], now[300] = "the first change", "the second change"
	a := loaded(20)
	cmd := a.comments.openDiff(diffInput{title: "Plan", oldName: "one", nowName: "two", old: []byte(strings.Join(old, "\n")), now: []byte(strings.Join(now, "\n"))})
	a.Update(nil) // what was done here is drawn
	shows := func(what string) bool { return strings.Contains(ansi.Strip(a.View().Content), what) }
	if !shows("Comparing") || shows("line 99") {
		t.Fatalf("before the answer it shows\n%s", ansi.Strip(a.View().Content))
	}
	for _, key := range []rune{'z', 'n', 'n'} {
		a.Update(tea.KeyPressMsg{Code: key, Text: string(key)})
	}
	if shows("the second change") {
		t.Fatal("the keys compared the texts")
	}
	a.Update(cmd())
	if !shows("the second change") || !shows("line 302") || shows("the first change") || shows("being compared") {
		t.Fatalf("after the keys for all lines and for the second change it shows\n%s", ansi.Strip(a.View().Content))
	}

	cmd = a.comments.openDiff(diffInput{title: "Plan", old: []byte("a"), now: []byte("b")})
	a.Update(nil)
	a.Update(tea.KeyPressMsg{Code: 'q', Text: "q"})
	if a.dialogs.Top() == nil || len(a.dialogs.All()) != 1 {
		t.Fatal("a difference cannot be closed while its texts are compared")
	}
	before := a.View().Content
	a.Update(cmd())
	if a.View().Content != before {
		t.Error("the answer for a difference that was closed is shown")
	}
}
