package store

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/txlog"
)

func sampleEntry() *txlog.Entry {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	e := &txlog.Entry{
		Format: 1, Seq: 7, Prev: model.HashBytes([]byte("six")), OpID: "op", Actor: ann, At: at,
		Ops: []txlog.OpRecord{txlog.RecordOp(&model.Op{
			ID: "op", Name: model.SetFields, UID: "tsk-1", Actor: ann, At: at, Seen: &model.Seen{PlanHash: "x"},
			Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "a", Mode: '+'}, {Key: "risk", Value: "low"}}},
		}), {ID: "op2", Name: model.Start}},
		Expect:  []txlog.Expectation{{UID: "tsk-1", Revision: 3}},
		Tasks:   []model.UID{"tsk-1"},
		Summary: "set", Warnings: []string{"careful"},
		Files: []txlog.FileImage{
			{Path: "tasks/tsk-1/spec.json", Hash: model.HashBytes([]byte("{}\n")), Bytes: []byte("{}\n")},
			{Path: "tasks/tsk-1/plan.md", Was: model.HashBytes(nil), Hash: model.HashBytes([]byte("\xff\x00")), Bytes: []byte("\xff\x00")},
			{Path: "tasks/tsk-1/empty", Hash: model.HashBytes(nil), Bytes: []byte{}, Immutable: true},
		},
	}
	return e
}

func TestEntryRoundTrip(t *testing.T) {
	e := sampleEntry()
	if objects := e.Inline(); len(objects) != 1 || objects[0].Hash != e.Files[1].Hash {
		t.Fatalf("objects are %v", objects)
	}
	b := mustGet(encoded(e))(t)
	d := mustGet(txlog.DecodeEntry(b, 7))(t)
	again, err := encoded(d)
	if err != nil || !bytes.Equal(b, again) {
		t.Errorf("encoded again:\n%s\nwant\n%s", again, b)
	}
	if got := d.Ops[0].Set; len(got) != 2 || got[0] != "labels+=a" || got[1] != "risk=low" {
		t.Errorf("set is %q", got)
	}
	// The ids are read without the files.
	head, err := txlog.DecodeHead(io.MultiReader(bytes.NewReader(b[:bytes.Index(b, []byte(`"files"`))+len(`"files"`)]), strings.NewReader("broken")))
	ids := head.Ids
	if err != nil || fmt.Sprint(ids) != "[op op op2]" {
		t.Errorf("ids are %q, %v", ids, err)
	}
}

func TestTailOfAnyLength(t *testing.T) {
	s := newStore(t)
	for last := uint64(0); last < 40; last++ {
		if last > 0 {
			write(t, vespe(s, layout.EntryFile(last)), "x")
		}
		for from := uint64(0); from <= last+3; from++ {
			if got, err := s.log.Tail(from); err != nil || got != last {
				t.Fatalf("tail of %d entries from %d is %d, %v", last, from, got, err)
			}
		}
	}
	// A log whose beginning was compacted away.
	for n := uint64(1); n < 30; n++ {
		must(t, os.Remove(vespe(s, layout.EntryFile(n))))
	}
	for from := range uint64(40) {
		if got, err := s.log.Tail(from); err != nil || got != 39 {
			t.Fatalf("tail from %d is %d, %v", from, got, err)
		}
	}
	for _, name := range []string{"1.json", "000000000000.json", "0000000000xx.json", "000000000001.json.tmp", "0000000000001.json"} {
		if n, ok := layout.ParseEntryName(name); ok {
			t.Errorf("%s is entry %d", name, n)
		}
	}
	if n, ok := layout.ParseEntryName("1234567890123.json"); !ok || n != 1234567890123 {
		t.Errorf("a number of more than twelve digits reads as %d", n)
	}
}

// A process that knows nothing yet finds the last entry by what the last writer noted, and lists
// the log where that is not there or speaks of another log.
func TestTheLogIsNotListedToFindItsEnd(t *testing.T) {
	s, _ := longStore(t, 20)
	must(t, s.Close())
	for _, c := range []struct {
		what  string
		lists int64
		spoil func()
	}{
		{"as it is", 0, func() {}},
		{"with an entry more", 0, func() { write(t, vespe(s, layout.EntryFile(21)), "x") }},
		{"another file where the noted one was", 1, func() { write(t, vespe(s, layout.EntryFile(20)), "x") }},
		{"nothing noted", 1, func() {
			must(t, os.Remove(vespe(s, layout.ProjectedTip)))
		}},
	} {
		c.spoil()
		r := open(t, s.Root(), testOptions())
		var lists atomic.Int64
		r.setFS(&hookFS{FS: r.disk.FS, deep: true, before: only(callList, func(name string) {
			if name == layout.LogDir+"/" {
				lists.Add(1)
			}
		})})
		want := uint64(20)
		if c.what != "as it is" {
			want++
		}
		if last, err := r.log.Tail(0); err != nil || last != want || lists.Load() != c.lists {
			t.Errorf("%s: the last is %d, %v; listed %d times, want %d", c.what, last, err, lists.Load(), c.lists)
		}
	}
}

func TestTargets(t *testing.T) {
	for name, ok := range map[string]bool{
		"tasks/tsk-1/status.json": true, "tasks/tsk-1/persistent/runs/r/run.json": true, "hitl_queue/q-1.json": true, "config.json": true,
		"": false, ".": false, "tasks": false, "tasks/tsk-1": false, "tasks/TSK/x": false, "tasks/tsk-1/../x": false, "/x": false,
		"tasks/tsk-1/a\\b": false, "tasks/tsk-1/a\nb": false, "tasks/tsk-1/plan.md.theirs-3": false, "hitl_queue/.json": false,
		"hitl_queue/a/b.json": false, "hitl_queue/x": false, "lock": false, "log/000000000001.json": false, "store.json": false,
		"objects/aa/b": false, "cache/projected": false, ".vespe_root": false, "tasks/tsk-1/": false, "tasks/tsk-1/a\x00": false,
	} {
		if err := layout.CheckTarget(name); (err == nil) != ok {
			t.Errorf("checkTarget(%q) = %v", name, err)
		}
	}
}

func FuzzDecodeEntry(f *testing.F) {
	e := sampleEntry()
	e.Inline()
	good, err := encoded(e)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(hostileEntry("tasks/../x", `,"body":"x"`)))
	f.Add([]byte(`{"format":1,"seq":7,"files":[{"path":"a","path":"b"}]}`))
	f.Add([]byte(strings.Repeat("[", 20000)))
	f.Fuzz(func(t *testing.T, b []byte) {
		head, idErr := txlog.DecodeHead(bytes.NewReader(b))
		ids := head.Ids
		d, err := txlog.DecodeEntry(b, 7)
		if err != nil {
			return
		}
		// What was accepted can be projected safely, and reads back as itself.
		for i := range d.Files {
			file := &d.Files[i]
			if layout.CheckTarget(file.Path) != nil {
				t.Fatalf("path %q was accepted", file.Path)
			}
			if file.Body != nil && model.HashBytes(file.Bytes) != file.Hash {
				t.Fatalf("a wrong body of %q was accepted", file.Path)
			}
		}
		if idErr == nil && len(d.Ops) > 0 && len(ids) < len(d.Ops) {
			t.Fatalf("%d ids of %d operations", len(ids), len(d.Ops))
		}
		out := mustGet(encoded(d))(t)
		if _, err := txlog.DecodeEntry(out, 7); err != nil {
			t.Fatalf("what was written can't be read: %v", err)
		}
	})
}

func FuzzHint(f *testing.F) {
	f.Add(string(txlog.Hint{Tip: txlog.Tip{Seq: 3, Head: model.HashBytes(nil)}, Size: 1, Time: 2, Names: 0}.Encode()))
	f.Fuzz(func(t *testing.T, s string) {
		if h := txlog.ParseHint(s); h != (txlog.Hint{}) && txlog.ParseHint(string(h.Encode())) != h {
			t.Fatalf("%+v does not read back", h)
		}
	})
}

func encoded(e *txlog.Entry) ([]byte, error) {
	var b bytes.Buffer
	err := txlog.EncodeEntry(&b, e)
	return b.Bytes(), err
}
