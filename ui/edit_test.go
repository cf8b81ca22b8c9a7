package ui_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
)

func withEditor(s *uitest.Small, ed *uitest.Editor) uitest.Options {
	return uitest.Options{Store: s.Store, KeepUnread: true, Change: func(d *ui.Deps) { d.Editor = ed }}
}

func TestOneEditorAtATime(t *testing.T) {
	s := uitest.NewSmall()
	n := 0
	ed := &uitest.Editor{Write: func(body string) (string, error) {
		n++
		return fmt.Sprintf("%s\nmine %d\n", body, n), nil
	}}
	uitest.Run(t, withEditor(s, ed), func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.TabPlan).Type("ee").Sleep(3 * time.Second)
		if got := task(t, s.Store, s.Plan).Status.PlanRevision; n != 1 || got != 2 {
			t.Errorf("the editor ran %d times, plan revision %d", n, got)
		}
		d.Press(keymap.EditPlan).Sleep(3 * time.Second)
		if n != 2 {
			t.Errorf("after one editor has ended, another does not open")
		}
	})
}

// An editor that writes and then fails has written all the same.
func TestWhatAFailedEditorWroteIsKept(t *testing.T) {
	s := uitest.NewSmall()
	ed := &uitest.Editor{Write: func(body string) (string, error) { return body + "\n4. Mine.\n", errors.New("exit status 1") }}
	uitest.Run(t, withEditor(s, ed), func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.EditPlan).Sleep(time.Second).See("The editor failed", "exit status 1", "your text is saved", "/tmp/edit-1/")
		if got := task(t, s.Store, s.Plan).Status.PlanRevision; got != 1 {
			t.Fatalf("plan revision %d: what a failed editor left was defined", got)
		}
		if left := strings.Join(d.App.Leftovers(), "\n"); !strings.Contains(left, "/tmp/edit-1/") {
			t.Errorf("who leaves is not told of the text: %q", left)
		}
		d.Press(keymap.Back, keymap.Quit).See("A text is not saved", "plan of", "lexer tokens", "/tmp/edit-1/").Press(keymap.ConfirmNo)
		var opened string
		ed.Write = func(body string) (string, error) { opened = body; return body, nil }
		d.Press(keymap.EditPlan).Sleep(time.Second)
		if !strings.Contains(opened, "Mine") {
			t.Errorf("the draft was not reopened: %q", opened)
		}
	})
}

func TestALetterOnATooSmallScreenDoesNotQuit(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Reject).Type("a long and careful re").Resize(10, 3).Type("q")
		if d.Ended() {
			t.Fatal("a q while something is being typed ended the program")
		}
		d.Resize(120, 40).See("a long and careful re").Press(keymap.ComposeLeave)
		// The text is kept, so that leaving is a question, on a small screen too.
		d.Resize(10, 3).Type("q").Sleep(time.Second)
		if d.Ended() {
			t.Fatal("the program left without asking about the text")
		}
		d.Resize(120, 40).See("A text is not saved").Press(keymap.ConfirmYes).Quits()
	})
}

// countingStore counts how many readings of documents are under way at once.
type countingStore struct {
	*uitest.Store
	now, most atomic.Int32
}

func (c *countingStore) Content(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error) {
	c.most.Store(max(c.most.Load(), c.now.Add(1)))
	defer c.now.Add(-1)
	return c.Store.Content(ctx, uid, doc)
}

// A store that is slower than the polling is asked once at a time.
func TestLooksAtASlowStoreDoNotPileUp(t *testing.T) {
	s := uitest.NewSmall()
	c := &countingStore{Store: s.Store}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) { d.Store = c }}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Sleep(time.Second)
		s.ReadTime = 20 * time.Second
		c.most.Store(0)
		d.Sleep(2 * time.Minute)
		if most := c.most.Load(); most != 1 {
			t.Errorf("%d readings at once", most)
		}
		s.ReadTime = 0
		s.Edit(s.Plan, model.Plan, "# Another\n")
		d.Sleep(time.Minute).Press(keymap.TabPlan).See("Another")
	})
}
