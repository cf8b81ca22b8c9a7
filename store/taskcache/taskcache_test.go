package taskcache

import (
	"bytes"
	"path/filepath"
	"sync"
	"testing"

	"vespe/model"
)

// A load that starts again, because the log was compacted, takes new marks while the first load's tasks are still
// being written.
func TestColdReadsKeepTheirOwnLooks(t *testing.T) {
	task, marks := &model.Task{UID: "tsk-one"}, []uint64{7}
	var group sync.WaitGroup
	c := &Cache{name: filepath.Join(t.TempDir(), "x.tc"), now: marks}
	for range 20 {
		c.now = marks
		c.Keep(&group, []model.UID{task.UID}, []*model.Task{task})
		c.now = nil
		group.Wait()
		if _, kept := readFile(c.name); !bytes.Equal(kept, []byte{7, 0, 0, 0, 0, 0, 0, 0}) {
			t.Fatalf("the looks are %v", kept)
		}
	}
}
