package asof

import (
	"context"
	"maps"
	"path"
	"slices"

	"vespe/model/snapshot"
	"vespe/store/layout"
	"vespe/store/past"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// encode is every file of the tasks, the requests and the policy.
func (f *fold) encode() ([]byte, error) {
	w := past.NewWriter()
	for name, file := range f.files {
		if uid, rest, ok := layout.TaskOf(name); ok && (path.Ext(rest) != ".md" || f.tasks[uid] == nil) || file.Hash == "" {
			delete(f.files, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.files)) { // the policy and requests
		if _, _, ok := layout.TaskOf(name); !ok {
			if err := w.Put(name, false, f.files[name].Body, f.files[name].Hash); err != nil {
				return nil, err
			}
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(f.tasks)) {
		for _, rest := range slices.Sorted(maps.Keys(f.tasks[uid])) {
			name := layout.TaskFile(uid, rest)
			if err := w.Put(name, f.pieced[uid], f.tasks[uid][rest], f.files[name].Hash); err != nil {
				return nil, err
			}
		}
	}
	return w.Bytes()
}

// begin takes what is kept of the base's entry. Where nothing is, the base's hashes are all
// that is known.
func (f *fold) begin(b txlog.Base) error {
	kept, pieced, err := past.Read(f.s.Disk.FS, b)
	if err != nil || kept == nil {
		return err
	}
	for name := range kept {
		if uid, _, ok := layout.TaskOf(name); ok {
			f.whole[uid], f.told[uid] = true, true
		}
	}
	for uid := range f.told {
		f.whole[uid] = true // also of those that were deleted
	}
	f.files = kept
	maps.Copy(f.pieced, pieced)
	return nil
}

// Keep writes down how the store was after the last entry of a base, durably.
func (s *Reader) Keep(ctx context.Context, b txlog.Base, now *snapshot.Snapshot) error {
	f, err := s.foldTo(ctx, b.At, b.Seq, now)
	if err != nil {
		return err
	}
	packed, err := f.encode()
	if err != nil {
		return err
	}
	c := sections.Content{Magic: past.Magic, Head: b.HeadOf, Sections: [][]byte{packed}, Sync: true}
	if err := c.Replace(s.Disk.FS, s.Disk.TempName("past"), past.Name(b.Seq)); err != nil {
		return err
	}
	return s.Disk.SyncDir(layout.LogDir) // before the base has its name: no base is without it
}
