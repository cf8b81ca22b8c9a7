package writing

import (
	"errors"
	"os"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// TestWhatCannotBeReadBackIsNotCommitted: a status.json with very many subtasks, for one,
// would make its task unreadable for good.
func TestWhatCannotBeReadBackIsNotCommitted(t *testing.T) {
	root := t.TempDir()
	const uid = model.UID("tsk-one")
	dir := root + "/" + layout.Name + "/" + layout.TaskDir(uid)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := fsys.Default(root)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &Writer{Source: Source{Disk: &durable.Files{FS: f}, Edits: &edits.Table{}}}
	im := imager{s: s, snap: snapshot.New(snapshot.Input{}), dirs: map[model.UID]bool{}}
	im.add(layout.TaskFile(uid, layout.StatusFile), make([]byte, model.MaxJSON+1), false)
	if im.err == nil {
		t.Fatal("a status.json that is too large to be read would be written")
	}
	var refused *model.Refusal
	if !errors.As(im.err, &refused) || refused.Code != model.CodeRefused {
		t.Fatalf("%v", im.err)
	}
	im.err = nil
	im.add(layout.TaskFile(uid, "result/big"), make([]byte, model.MaxJSON+1), false)
	if im.err != nil {
		t.Error(im.err)
	}
	if es, err := os.ReadDir(dir); err != nil || len(es) > 0 {
		t.Errorf("the task's directory has %v, %v", es, err)
	}
}
