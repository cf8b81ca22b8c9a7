package follow

import (
	"errors"
	"time"

	"vespe/store/fsys"
)

// isStoreMissing says whether no store has the name of this one: then what is known stays as it was. Of one that is
// back everything is looked at anew, and a store that took its place is followed.
func (f *Follower) isStoreMissing() bool {
	var moved *fsys.MovedError
	if !errors.As(f.Disk.FS.Named(), &moved) {
		if f.storeMissing {
			f.storeMissing = false
			f.anew()
		}
		return false
	}
	if f.Reopen() {
		f.storeMissing = false
		f.anew()
		return false
	}
	if !f.storeMissing {
		f.storeMissing = true
		f.tell(false)
	}
	return true
}

// anew has everything watched and looked at again.
func (f *Follower) anew() {
	f.blind, f.lost, f.namesTime, f.files, f.from = true, true, time.Time{}, 0, time.Time{}
	f.roster.unwatchAll()
	f.tell(true)
}
