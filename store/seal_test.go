package store

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// seal is a task whose directory refuses to be written, as if its permissions had been taken away, for all processes
// of a test.
type seal struct {
	uid     model.UID
	closed  atomic.Bool
	onEntry atomic.Bool // it closes once an entry of the log is committed
	hidden  bool        // its files cannot be read either
}

// open gives the permissions back.
func (q *seal) open() {
	q.onEntry.Store(false)
	q.closed.Store(false)
}

func (q *seal) options() Options {
	opt := testOptions()
	opt.Rand = nil
	opt.FS = func(root string) (fsys.FS, error) {
		disk, err := fsys.OpenFS(root)
		return q.on(disk), err
	}
	return opt
}

// on is a file system that refuses to change anything in the task's directory.
func (q *seal) on(disk fsys.FS) fsys.FS {
	return &hookFS{FS: disk, before: func(call, name string) error {
		refused := slices.Contains([]string{callAccess, callCreate, callLink, callRename, callExchange, callRemove, callMkdir}, call)
		if (refused || call == callRead && q.hidden) && q.closed.Load() && strings.HasPrefix(name+"/", layout.TaskDir(q.uid)+"/") {
			return &os.PathError{Op: "write", Path: name, Err: syscall.EACCES}
		}
		return nil
	}, after: func(call, name string) {
		if call == callLink && strings.HasPrefix(name, layout.LogDir+"/") && q.onEntry.Swap(false) {
			q.closed.Store(true)
		}
	}}
}
