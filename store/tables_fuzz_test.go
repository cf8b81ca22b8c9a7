package store

import (
	"bytes"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/fsys"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// FuzzCheckpoint: whatever a checkpoint holds, it is used or refused; nothing is read beyond
// it and nothing panics.
func FuzzCheckpoint(f *testing.F) {
	snap := snapshot.New(snapshot.Input{Seq: 3, StoreID: "s", Tasks: []*model.Task{{UID: "tsk-a", Config: model.Config{UID: "tsk-a", Name: "A"}}}})
	ops := txlog.OpTable(nil).With(map[string][]uint64{"a": {1}, "b": {2, 3}})
	c := checkpoint.Head{Tip: txlog.Tip{Seq: 3, Head: model.HashBytes(nil)}, Ino: 7}
	body := func(bodies ...[]byte) []byte {
		var b bytes.Buffer
		file := sections.Content{Magic: checkpoint.Magic, Head: func(fsys.Info) []byte { return c.Encode() }, Sections: bodies}
		if err := file.WriteTo(&b, fsys.Info{}); err != nil {
			f.Fatal(err)
		}
		return b.Bytes()
	}
	f.Add(body(snap.Pack(), nil, ops))
	f.Add(body())
	f.Add(body(make([]byte, 100), []byte{1}, []byte{2}))
	f.Fuzz(func(t *testing.T, b []byte) {
		head, parts, err := sections.Parse(b, checkpoint.Magic)
		if err != nil {
			return
		}
		if c, err := checkpoint.ParseHead(head); err == nil {
			if again, err := checkpoint.ParseHead(c.Encode()); err != nil || again != c {
				t.Fatalf("%+v reads back as %+v, %v", c, again, err)
			}
		}
		for i, s := range parts {
			if body, err := s.Checked(); err == nil && i == checkpoint.Pack {
				if snap, err := snapshot.Unpack(body); err == nil {
					dump(snap)
				}
			}
		}
		if len(parts) > checkpoint.Ops {
			t := txlog.OpTable(parts[checkpoint.Ops].Body)
			t[:t.Len()*txlog.OpRecordSize].Find("a")
		}
	})
}
