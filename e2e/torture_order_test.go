//go:build torture && linux && amd64

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
)

// order follows the calls of one run and finds names that are given to what was not synced:
// after a power cut such a name may stand for nothing.
type order struct {
	dir      string
	unsynced map[string]bool // files that were written to since their last sync, by path
	pending  map[string]bool // directories with new names since their last sync
	placed   int
	bad      []string
}

func newOrder(dir string) *order {
	return &order{dir: filepath.Join(dir, ".vespe"), unsynced: map[string]bool{}, pending: map[string]bool{}}
}

// durable says whether a place is promised to survive a power cut: hints and temporary files
// are not.
func (o *order) durable(path string) bool {
	rel, ok := strings.CutPrefix(path, o.dir+"/")
	return ok && !strings.HasPrefix(rel, "tmp/") && !strings.HasPrefix(rel, "cache/") && !strings.HasSuffix(rel, ".ck") && rel != "lock"
}

func (o *order) look(c *fileCall) {
	switch c.name {
	case "write", "pwrite64", "ftruncate":
		if c.path == standardOutput {
			o.acknowledged()
			return
		}
		o.unsynced[c.path] = true
	case "fsync", "fdatasync":
		delete(o.unsynced, c.path)
		delete(o.pending, c.path)
	case "syncfs":
		clear(o.unsynced)
		clear(o.pending)
	case "linkat", "renameat", "renameat2":
		if !o.durable(c.other) {
			return
		}
		o.placed++
		if log := filepath.Join(o.dir, "log"); o.pending[log] && filepath.Dir(c.other) != log {
			o.bad = append(o.bad, fmt.Sprintf("%s, and its entry is not synced", c))
		}
		for path := range o.unsynced {
			if path == c.path || strings.HasPrefix(path, c.path+"/") {
				o.bad = append(o.bad, fmt.Sprintf("%s, and %s is not synced", c, path))
			}
		}
		o.pending[filepath.Dir(c.other)] = true
	}
}

// acknowledged: the answer is written, so the names that were given are durable.
func (o *order) acknowledged() {
	for dir := range o.pending {
		o.bad = append(o.bad, fmt.Sprintf("the answer is given, and the names in %s are not synced", dir))
	}
}
