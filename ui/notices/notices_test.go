package notices

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/themes"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

func TestFailuresStayUntilRead(t *testing.T) {
	var ns Notices
	first := ns.Add(view.Notice{Level: view.Failure, Text: "one"}, time.Time{})
	ns.Add(view.Notice{Level: view.Failure, Text: "two"}, time.Time{})
	ok := ns.Add(view.Notice{Text: "saved"}, time.Time{})
	ns.Expire(first) // a failure does not expire
	if n, more, found := ns.Failure(); !found || n.Text != "one" || more != 1 {
		t.Fatalf("failure %+v, %d more, %v", n, more, found)
	}
	if n, found := ns.Fading(); !found || n.Text != "saved" {
		t.Fatalf("success %+v %v", n, found)
	}
	ns.Expire(ok)
	if _, found := ns.Fading(); found {
		t.Fatal("the success stayed")
	}
	for i, want := range []bool{true, true, false} {
		if ns.Dismiss(time.Time{}) != want {
			t.Fatalf("dismissal %d: %v; there were two failures", i+1, !want)
		}
	}
	if len(ns.log) != 3 {
		t.Fatalf("log has %d", len(ns.log))
	}
}

// What the person just did failed: that is read before a failure that continues, which may have come first.
func TestWhatLastsWaitsBehindTheRest(t *testing.T) {
	var ns Notices
	ns.Add(view.Notice{Level: view.Failure, Text: "store is away", Lasts: true}, time.Time{})
	ns.Add(view.Notice{Level: view.Failure, Text: "can't accept"}, time.Time{})
	ns.Add(view.Notice{Level: view.Failure, Text: "can't start"}, time.Time{})
	for _, want := range []string{"can't accept", "can't start", "store is away"} {
		if n, _, found := ns.Failure(); !found || n.Text != want {
			t.Fatalf("%q is to be read, want %q", n.Text, want)
		}
		ns.Dismiss(time.Time{})
	}
	if n, _, found := ns.Failure(); found {
		t.Fatalf("%q stayed", n.Text)
	}
}

func TestARepeatedFailureIsOne(t *testing.T) {
	var ns Notices
	for range 5 {
		ns.Add(view.Notice{Level: view.Failure, Text: "cannot read", Why: "disk"}, time.Time{})
	}
	if _, more, _ := ns.Failure(); more != 0 || len(ns.log) != 1 {
		t.Fatalf("%d more, log %d", more, len(ns.log))
	}
	for i := range keptNotices + 50 {
		ns.Add(view.Notice{Text: fmt.Sprint(i)}, time.Time{})
	}
	if len(ns.log) != keptNotices {
		t.Fatalf("log has %d", len(ns.log))
	}
}

func TestRefusalNoticeSaysGuardWhyAndHint(t *testing.T) {
	n := view.Refusal("Start", fmt.Errorf("store: %w", &model.Refusal{
		Op: model.Start, Task: "parser", Guard: "dependencies_met", Why: "lexer is not done", Hint: "finish lexer first",
	}))
	if n.Level != view.Failure || n.Text != `Can't start "parser"` || n.Why != "lexer is not done" ||
		n.Hint != "finish lexer first" || n.Guard != "dependencies_met" {
		t.Fatalf("%+v", n)
	}
	n = view.Refusal("Start", errors.New("disk full"))
	if n.Text != "Start failed" || n.Why != "disk full" {
		t.Fatalf("%+v", n)
	}
}

func TestGoingOnReadsWhatHasBeenThereForAMoment(t *testing.T) {
	var ns Notices
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ns.Add(view.Notice{Level: view.Failure, Text: "old"}, at)
	ns.Add(view.Notice{Level: view.Failure, Text: "lasting", Lasts: true}, at)
	upTo := ns.Add(view.Notice{Level: view.Failure, Text: "just now"}, at.Add(ReadAfter))
	if ns.Read(upTo, at.Add(ReadAfter/2)) {
		t.Fatal("a failure was read before anybody could")
	}
	if !ns.Read(upTo, at.Add(ReadAfter)) {
		t.Fatal("nothing was read")
	}
	if left := ns.Unread(); len(left) != 2 || left[0] != "lasting" || left[1] != "just now" {
		t.Fatalf("%q are left", left)
	}
	if len(ns.log) != 3 {
		t.Fatalf("the log has %d", len(ns.log))
	}
}

func TestTheLogBeginsWithTheNewest(t *testing.T) {
	var ns Notices
	st := style.New(themes.Bundled()[0], style.Options{NoColor: true})
	at := time.Date(2026, 1, 2, 23, 59, 0, 0, time.UTC)
	ns.Add(view.Notice{Text: "saved\x1b[8m"}, at)
	ns.Add(view.Notice{Level: view.Failure, Text: "Can't start", Why: "lexer is not done", Hint: "finish it", Guard: "dependencies_met"}, at.Add(2*time.Minute))
	var got []string
	for _, l := range ns.Log(st, 60) {
		got = append(got, strings.TrimRight(text.Strip(l), " "))
	}
	want := []string{
		"Saturday, 3 January 2026", "00:01:00 " + st.Glyph.Warning + " Can't start", "           lexer is not done", "           finish it; guard dependencies_met",
		"Friday, 2 January 2026", "23:59:00 " + st.Glyph.Bullet + " saved\u241b[8m",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAKeyOnItsWayDismissesWhatWasThere(t *testing.T) {
	var ns Notices
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ns.Add(view.Notice{Level: view.Failure, Text: "store is away", Lasts: true}, at)
	ns.Add(view.Notice{Level: view.Failure, Text: "can't accept"}, at.Add(time.Minute))
	ns.Dismiss(at.Add(time.Minute + ReadAfter/2))
	if left := ns.Unread(); !slices.Equal(left, []string{"can't accept"}) {
		t.Errorf("%q are left", left)
	}
}
