package mcpserver

import (
	"time"

	"vespe/store"
	"vespe/store/index"
)

const (
	// searchWait is how long a search waits for the index.
	searchWait = 5 * time.Second
	// lookAgain is for how long the index is taken to be up to date where the log has nothing new.
	lookAgain = 2 * time.Second
	// narrow is how many tasks a store has at most of which all files are looked at then.
	narrow = 500
)

// liveIndex is the index of a store, opened when somebody searches for the first time; state is the person's state
// directory, "" for none.
func liveIndex(s *store.Store, state string) *index.Live {
	return index.NewLive(s, index.LiveOptions{
		Options: index.Options{State: state}, Wait: searchWait, Again: lookAgain, Narrow: narrow,
	})
}
