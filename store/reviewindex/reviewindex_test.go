package reviewindex

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// What is kept of what entries wrote says the same as going through them.
func TestReviewIndexAgreesWithASearch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	uid, hash := "tsk-"+model.UID(strings.Repeat("0", 32)), model.HashBytes(nil)
	name, begins := layout.TaskFile(uid, layout.ReviewsDir+"/"+model.ReviewName(7, hash)), layout.TaskFile(uid, layout.RevisionsDir+"/"+model.RevisionName(model.Plan, 7, hash))
	if review, is := ofPath(begins); review != name || !is {
		t.Fatalf("%s is of %s", begins, review)
	}
	for range 2000 {
		var entries [][]txlog.ScannedFile
		for range 1 + random.IntN(6) {
			var files []txlog.ScannedFile
			for range random.IntN(3) {
				f := txlog.ScannedFile{Path: name, Hash: model.HashBytes(binary.AppendUvarint(nil, random.Uint64())), Edited: random.IntN(3) == 0}
				switch random.IntN(5) {
				case 0:
					f.Path = begins
				case 1:
					f.Hash = ""
				}
				if !slices.ContainsFunc(files, func(o txlog.ScannedFile) bool { return o.Path == f.Path && o.Edited == f.Edited }) {
					files = append(files, f)
				}
			}
			entries = append(entries, files)
		}
		var x Index
		x.reset(0)
		for i, files := range entries {
			x.take(uint64(i+1), files)
		}
		im, _ := x.of(keyOf(name))
		want, edited := backwards(entries, name, begins)
		if im.Hash() != want || im.Edited != (edited && want != "") {
			t.Fatalf("of %+v it knows %+v, want %.15s, %v", entries, im, want, edited)
		}
	}
}

// backwards is the newest hash of a file that entries since its beginning have, if need be of an edit.
func backwards(entries [][]txlog.ScannedFile, name, begins string) (hash string, edited bool) {
	var last string
	for _, files := range slices.Backward(entries) {
		began := false
		for _, f := range files {
			switch {
			case f.Path == name && !f.Edited && f.Hash != "":
				hash = f.Hash
			case f.Path == name && f.Edited && f.Hash != "" && last == "":
				last = f.Hash
			case f.Path == begins && !f.Edited:
				began = true
			}
		}
		if hash != "" {
			return hash, false
		}
		if began {
			break
		}
	}
	return last, true
}
