package taskfiles

import (
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/durable"
	"vespe/store/layout"
)

// mostEdits is how many edits of a file with the same start of their hashes are looked at.
const mostEdits = 1000

// Bytes finds bytes that a file once held: in the file, in an object, or where a hand's
// edit of it is kept. nil when nobody has them.
func Bytes(disk *durable.Files, name, hash string) ([]byte, error) {
	places := []string{name, layout.ObjectFile(hash)}
	if uid, rest, ok := layout.TaskOf(name); ok && IsOwn(rest) {
		kept := layout.EditFile(uid, rest, hash)
		for i := 1; i < mostEdits; i++ {
			if _, err := disk.FS.Stat(layout.NumberedEdit(kept, i)); err != nil {
				break
			}
			places = append(places, layout.NumberedEdit(kept, i))
		}
	}
	for _, place := range places {
		if b, err := disk.ReadHashed(place, hash); b != nil || err != nil {
			return b, err
		}
	}
	return nil, nil
}

// UIDsIn are the tasks of a snapshot, unless some are given.
func UIDsIn(snap *snapshot.Snapshot, given []model.UID) []model.UID {
	if given != nil {
		return given
	}
	uids := make([]model.UID, snap.Len())
	for i := range uids {
		uids[i] = snap.UID(i)
	}
	return uids
}
