package ui

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"vespe/model"
)

func TestFailuresStayUntilRead(t *testing.T) {
	var ns notices
	first := ns.add(notice{level: failure, text: "one"})
	ns.add(notice{level: failure, text: "two"})
	ok := ns.add(notice{text: "saved"})
	ns.expire(first) // a failure does not expire
	if n, more, found := ns.failure(); !found || n.text != "one" || more != 1 {
		t.Fatalf("failure %+v, %d more, %v", n, more, found)
	}
	if n, found := ns.fading(); !found || n.text != "saved" {
		t.Fatalf("success %+v %v", n, found)
	}
	ns.expire(ok)
	if _, found := ns.fading(); found {
		t.Fatal("the success stayed")
	}
	for i, want := range []bool{true, true, false} {
		if ns.dismiss() != want {
			t.Fatalf("dismissal %d: %v; there were two failures", i+1, !want)
		}
	}
	if len(ns.log) != 3 {
		t.Fatalf("log has %d", len(ns.log))
	}
}

func TestARepeatedFailureIsOne(t *testing.T) {
	var ns notices
	for range 5 {
		ns.add(notice{level: failure, text: "cannot read", why: "disk"})
	}
	if _, more, _ := ns.failure(); more != 0 || len(ns.log) != 1 {
		t.Fatalf("%d more, log %d", more, len(ns.log))
	}
	for i := range keptNotices + 50 {
		ns.add(notice{text: fmt.Sprint(i)})
	}
	if len(ns.log) != keptNotices {
		t.Fatalf("log has %d", len(ns.log))
	}
}

func TestRefusalNoticeSaysGuardWhyAndHint(t *testing.T) {
	n := refusalNotice("Start", fmt.Errorf("store: %w", &model.Refusal{
		Op: model.Start, Task: "parser", Guard: "dependencies_met", Why: "lexer is not done", Hint: "finish lexer first",
	}))
	if n.level != failure || n.text != `Can't start "parser"` || n.why != "lexer is not done" ||
		n.hint != "finish lexer first" || n.guard != "dependencies_met" {
		t.Fatalf("%+v", n)
	}
	n = refusalNotice("Start", errors.New("disk full"))
	if n.text != "Start failed" || n.why != "disk full" {
		t.Fatalf("%+v", n)
	}
}

func TestGoingOnReadsWhatHasBeenThereForAMoment(t *testing.T) {
	var ns notices
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ns.add(notice{level: failure, text: "old", at: at})
	ns.add(notice{level: failure, text: "lasting", at: at, lasts: true})
	upTo := ns.add(notice{level: failure, text: "just now", at: at.Add(readAfter)})
	if ns.read(upTo, at.Add(readAfter/2)) {
		t.Fatal("a failure was read before anybody could")
	}
	if !ns.read(upTo, at.Add(readAfter)) {
		t.Fatal("nothing was read")
	}
	if n, more, _ := ns.failure(); n.text != "lasting" || more != 1 {
		t.Fatalf("%q is on screen, %d more", n.text, more)
	}
	if len(ns.log) != 3 {
		t.Fatalf("the log has %d", len(ns.log))
	}
}
