package index

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vespe/model/snapshot"
)

// live is an index that lives on, whose answers wait for what is to be done.
func (d *desk) live(o LiveOptions) *Live {
	o.State = d.state
	l := NewLive(d.s, o)
	d.t.Cleanup(func() { _ = l.Close() })
	return l
}

func names(t *testing.T, l *Live, snap *snapshot.Snapshot, text string) (string, snapshot.SearchAnswer) {
	t.Helper()
	a, err := l.Search(context.Background(), snap, snapshot.SearchQuery{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range a.Hits {
		out = append(out, h.Name)
	}
	return strings.Join(out, " "), a
}

// What comes to the store is found by the next search, also what was written past vespe.
func TestALiveIndexKeepsUp(t *testing.T) {
	d := newDesk(t)
	for _, o := range []LiveOptions{{Wait: time.Minute}, {Wait: time.Minute, Again: time.Nanosecond, Narrow: 100}} {
		l := d.live(o)
		uid := d.create("first", "about whales", "")
		if got, a := names(t, l, d.snap(), "whales"); !strings.Contains(got, "first") || a.Ahead != "" {
			t.Errorf("%+v: found %q, ahead %q", o, got, a.Ahead)
		}
		d.create("second", "about herons", "")
		if got, _ := names(t, l, d.snap(), "herons"); !strings.Contains(got, "second") {
			t.Errorf("%+v: found %q", o, got)
		}
		if o.Narrow > 0 {
			d.file(uid, "result/notes.md", "a result about ospreys\n")
			if got, _ := names(t, l, d.snap(), "ospreys"); got != "first" {
				t.Errorf("what was written past vespe: found %q", got)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Search(context.Background(), d.snap(), snapshot.SearchQuery{Text: "whales"}); !errors.Is(err, context.Canceled) {
			t.Errorf("closed, it says %v", err)
		}
	}
}

// Who still looks with an older snapshot does not take the index back to it.
func TestALiveIndexNeverGoesBack(t *testing.T) {
	d := newDesk(t)
	l := d.live(LiveOptions{Wait: time.Minute})
	d.create("first", "about whales", "")
	old := d.snap()
	d.create("second", "about whales", "")
	now := d.snap()
	var wg sync.WaitGroup
	for k := range 40 {
		wg.Go(func() {
			snap := now
			if k%2 == 0 {
				snap = old
			}
			names(t, l, snap, "whales")
		})
	}
	wg.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asOf != now {
		t.Errorf("the index is as of entry %d, the newest is %d", l.asOf.Seq(), now.Seq())
	}
}

// While another process has it, or it takes longer than a person waits, the answer says what is missing.
func TestALiveIndexThatIsBehindSaysSo(t *testing.T) {
	d := newDesk(t)
	d.create("first", "about whales", "")
	l := d.live(LiveOptions{Wait: time.Minute})
	names(t, l, d.snap(), "whales")
	busy, err := await(context.Background(), l.x.at.path+busySuffix, syscall.LOCK_EX, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	d.create("second", "about whales", "")
	if got, a := names(t, l, d.snap(), "whales"); got != "first" || !strings.Contains(a.Ahead, "Another vespe") {
		t.Errorf("found %q, ahead %q", got, a.Ahead)
	}
	if err := busy.Close(); err != nil {
		t.Fatal(err)
	}
	if got, a := names(t, l, d.snap(), "whales"); !strings.Contains(got, "second") || a.Ahead != "" {
		t.Errorf("found %q, ahead %q", got, a.Ahead)
	}
	// One that is being brought up to date is not waited for longer than Wait.
	slow := d.live(LiveOptions{})
	if _, err := slow.Search(context.Background(), d.snap(), snapshot.SearchQuery{Text: "whales"}); err != nil {
		t.Fatal(err)
	}
	slow.x.updating <- struct{}{} // somebody updates it for ever
	d.create("third", "about whales", "")
	if _, a := names(t, slow, d.snap(), "whales"); !strings.Contains(a.Ahead, "is being updated") {
		t.Errorf("ahead is %q", a.Ahead)
	}
	<-slow.x.updating
}
