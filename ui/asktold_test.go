package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/text"
)

// A key is answered while the long text of a request is laid out, which no key waits for; nothing is decided before it is
// on the screen.
func TestKeysAreAnsweredWhileARequestIsLaidOut(t *testing.T) {
	a := loaded(10)
	q := model.Request{
		ID: "req-1", Kind: model.KindAction, Title: "Long", State: model.RequestPending, CreatedBy: "agent:robot",
		Detail: strings.Repeat("# a\n", 16<<10) + "\nlast words\n", Args: []byte(`{"command":"make"}`),
	}
	a.adopt(model.NewSnapshot(model.Input{Seq: 2, StoreID: "bench", Requests: []model.Request{q}}))
	screen := func() string { return text.Strip(a.View().Content) }
	key := func(k tea.KeyPressMsg) { a.Update(k) }
	opened := func() *asked {
		a.openRequest("req-1")
		a.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		return a.asking()
	}

	v := opened()
	if v == nil || !strings.Contains(screen(), "computing the layout") || !v.isFresh() {
		t.Fatalf("it is drawn at once:\n%s", screen())
	}
	key(tea.KeyPressMsg{Code: tea.KeyEscape})
	if a.asking() != nil {
		t.Fatal("a key waits for the layout")
	}

	v = opened()
	before := v.since
	for k := range a.requests.told {
		a.Update(layTold(k)())
	}
	if s := screen(); strings.Contains(s, "computing the layout") || v.isLaying() || v.since.Before(before) {
		t.Errorf("the layout is not shown:\n%s", s)
	}
	if s := screen(); !strings.Contains(s, "│ make") {
		t.Errorf("the command is not there:\n%s", s)
	}
	a.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if !strings.Contains(screen(), "computing the layout") || len(a.requests.told) != 1 {
		t.Errorf("another width takes the old layout: %d\n%s", len(a.requests.told), screen())
	}
}
