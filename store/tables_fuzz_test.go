package store

import (
	"bytes"
	"maps"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// FuzzCheckpoint: whatever a checkpoint holds, it is used or refused; nothing is read beyond
// it and nothing panics.
func FuzzCheckpoint(f *testing.F) {
	snap := snapshot.New(snapshot.Input{Seq: 3, StoreID: "s", Tasks: []*model.Task{{UID: "tsk-a", Config: model.Config{UID: "tsk-a", Name: "A"}}}})
	ops := txlog.OpTable(nil).With(map[string]uint64{"a": 1, "b": 2})
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

// FuzzBase: a table of paths is read whole or refused, and gives none that a transaction
// could not write.
func FuzzBase(f *testing.F) {
	good, err := txlog.EncodeImages(map[string]txlog.LastImage{
		layout.TaskFile("tsk-a", layout.StatusFile):       {Hash: model.HashBytes([]byte("1")), Immutable: false},
		layout.TaskFile("tsk-a", "persistent/x"):          {Hash: model.HashBytes([]byte("2")), Immutable: true},
		layout.TaskFile("tsk-b", layout.DependenciesFile): {Hash: model.HashBytes(nil), Immutable: false},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(good))
	f.Add([]byte{0, 200, 1})
	f.Add([]byte{5, 1, 'a'})
	f.Fuzz(func(t *testing.T, b []byte) {
		images := map[string]txlog.LastImage{}
		if txlog.ImageTable(b).Into(images) != nil {
			return
		}
		table := mustGet(txlog.EncodeImages(images))(t)
		again := map[string]txlog.LastImage{}
		if err := table.Into(again); err != nil || !maps.Equal(images, again) {
			t.Fatalf("%d paths read back as %d, %v", len(images), len(again), err)
		}
		for path := range images {
			must(t, layout.CheckTarget(path))
		}
	})
}
