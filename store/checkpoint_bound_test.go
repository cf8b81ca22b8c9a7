package store

import (
	"strings"
	"testing"

	"vespe/store/layout"
)

// A checkpoint is of one log: where another file has its entry's number, as from a backup, it is not used.
func TestCheckpointOfAnotherLogIsNotUsed(t *testing.T) {
	s := newStore(t)
	planned(t, s, "one")
	checkpointed(t, s)
	must(t, s.Close())
	if o, _ := open(t, s.Root(), testOptions()).checkpoints.Find(); o == nil {
		t.Fatal("there is no checkpoint to begin with")
	}
	path := vespe(s, layout.EntryFile(2))
	write(t, path, strings.Replace(read(t, path), "human", "agent", 1)+"\n")
	if o, _ := open(t, s.Root(), testOptions()).checkpoints.Find(); o != nil {
		t.Error("it is used beside another entry")
	}
}
