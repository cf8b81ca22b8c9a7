package store

import (
	"errors"
	"time"

	"vespe/store/fsys"
)

// isStoreMissing says whether no store has the name of this one: then what is known stays as it was. Of one that is
// back everything is looked at anew, and a store that took its place is followed.
func (f *follower) isStoreMissing() bool {
	s := f.s
	var moved *fsys.MovedError
	if !errors.As(s.fs.Named(), &moved) {
		if f.storeMissing {
			f.storeMissing = false
			f.anew()
		}
		return false
	}
	if s.writing.TryTake() { // else a transaction is under way, and the next look asks again
		another, err := s.reopen()
		s.writing.Give()
		if err == nil && another {
			f.storeMissing = false
			f.anew()
			return false
		}
	}
	if !f.storeMissing {
		f.storeMissing = true
		f.tell(false)
	}
	return true
}

// anew has everything watched and looked at again.
func (f *follower) anew() {
	f.blind, f.lost, f.namesTime, f.storeFiles, f.passFrom = true, true, time.Time{}, 0, time.Time{}
	f.roster.unwatchAll()
	f.tell(true)
}
