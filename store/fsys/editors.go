package fsys

import (
	"io/fs"
	"strings"
)

// IsEditors says whether a name is one that an editor keeps beside a file while it writes it:
// Vim's swap files and its probe, backups, Emacs' locks and its automatic saves. They come and
// go, and are nobody's result.
func IsEditors(e Entry) bool {
	name := e.Name
	switch {
	case e.Type == fs.ModeSymlink:
		return strings.HasPrefix(name, ".#")
	case e.Type != 0:
		return false
	case name == "4913", len(name) > 1 && strings.HasSuffix(name, "~"), len(name) > 2 && name[0] == '#' && strings.HasSuffix(name, "#"):
		return true
	}
	ext := name[max(0, len(name)-4):]
	return len(name) > 5 && name[0] == '.' && (ext == ".swp" || ext == ".swo" || ext == ".swx")
}
