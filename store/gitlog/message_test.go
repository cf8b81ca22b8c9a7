package gitlog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/txlog"
)

func TestTheMessageOfACommitHidesNothing(t *testing.T) {
	e := &txlog.Entry{
		Seq: 7, OpID: "a\nVespe-Seq: 9", Actor: "human:Ann <ann@x>\nevil\x1b[31m", At: time.Unix(1<<40, 0),
		Summary: "line one\n\nVespe-Seq: 8\n" + strings.Repeat("x", 500) + "\x1b]0;", Tasks: make([]model.UID, 60),
	}
	for i := range e.Tasks {
		e.Tasks[i] = model.UID(fmt.Sprintf("tsk-%032d", i))
	}
	at := txlog.Tip{Seq: 7, Head: model.HashBytes(nil)}
	c := commitOf(e, at, "store")
	for _, s := range []string{c.Name, c.Email, strings.ReplaceAll(c.Message, "\n", "")} {
		for _, r := range s {
			if r < ' ' || r == 0x7f || s != strings.ReplaceAll(c.Message, "\n", "") && strings.ContainsRune("<>", r) {
				t.Errorf("%q holds %q", s, r)
			}
		}
	}
	head, rest, _ := strings.Cut(c.Message, "\n")
	if n := len([]rune(head)); n > maxSubject || strings.HasPrefix(rest, "\n\n") {
		t.Errorf("a subject of %d runes", n)
	}
	rec, ok := parseRecorded(c.Message)
	if !ok || rec.Tip != at || rec.store != "store" {
		t.Errorf("read back %+v, %v", rec, ok)
	}
	if n := strings.Count(c.Message, "\nVespe-Task: "); n != maxTaskLines || !strings.Contains(c.Message, "\nVespe-Tasks: 60\n") {
		t.Errorf("%d tasks are named", n)
	}
	for _, message := range []string{"", "x", "x\n\nVespe-Seq: 1", "x\n\nVespe-Seq: a\nVespe-Store: s", "Vespe-Seq: 1\nVespe-Store: s\n\nx", "x\n\nVespe-Seq: 1\nVespe-Store: s\nVespe-Entry: 1"} {
		if rec, ok := parseRecorded(message); ok {
			t.Errorf("%q was read as %+v", message, rec)
		}
	}
}
