package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/request"
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
	a.loader.adopt(snapshot.New(snapshot.Input{Seq: 2, StoreID: "bench", Requests: []model.Request{q}}))
	screen := func() string { return text.Strip(a.View().Content) }
	key := func(k tea.KeyPressMsg) { a.Update(k) }
	a.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	opened := func() (lay tea.Cmd) {
		a.requests.Open("req-1")
		return a.requests.Lay()
	}
	isFresh := func() bool { return a.requests.Actions()[keymap.RequestAccept].Off() == request.TooFresh }

	lay := opened()
	if lay == nil || !strings.Contains(screen(), "computing the layout") || !isFresh() {
		t.Fatalf("it is drawn at once:\n%s", screen())
	}
	key(tea.KeyPressMsg{Code: tea.KeyEscape})
	if _, open := a.requests.Shown(); open {
		t.Fatal("a key waits for the layout")
	}

	lay = opened()
	a.Update(lay())
	if s := screen(); strings.Contains(s, "computing the layout") || !isFresh() {
		t.Errorf("the layout is not shown:\n%s", s)
	}
	if s := screen(); !strings.Contains(s, "│ make") {
		t.Errorf("the command is not there:\n%s", s)
	}
	for _, w := range []int{80, 120} { // the layout for another width is forgotten
		a.Update(tea.WindowSizeMsg{Width: w, Height: 24})
		if !strings.Contains(screen(), "computing the layout") {
			t.Errorf("%d columns take the old layout:\n%s", w, screen())
		}
	}
}
