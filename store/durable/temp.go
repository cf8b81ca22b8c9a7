package durable

import (
	"encoding/hex"
	"io/fs"
	"strings"

	"vespe/store/fsys"
	"vespe/store/layout"
)

// tempRandom is how many random bytes are in a name in tmp/.
const tempRandom = 12

// TempName is a new name in tmp/. TempPrefix knows the prefixes.
func (f *Files) TempName(prefix string) string {
	return layout.TmpDir + "/" + prefix + "-" + f.Random(tempRandom)
}

// TempPrefix is the prefix of a name that TempName makes; "" for any other entry of tmp/.
func TempPrefix(e fsys.Entry) string {
	prefix, random, _ := strings.Cut(e.Name, "-")
	if raw, err := hex.DecodeString(random); err != nil || len(raw) != tempRandom || strings.ToLower(random) != random {
		return ""
	}
	want := fs.FileMode(0)
	switch prefix {
	case "task":
		want = fs.ModeDir
	case "f", "entry", "object", "hint", "merge":
	default:
		if !IsWrittenUnlocked(prefix) {
			return ""
		}
	}
	if e.Type != want {
		return ""
	}
	return prefix
}

// IsWrittenUnlocked says whether files with a prefix are also written by who does not hold the lock.
func IsWrittenUnlocked(prefix string) bool {
	switch prefix {
	case "checkpoint", "git", "journal", "new", "scores":
		return true
	}
	return false
}

// DropTempName removes the temporary name that a file keeps if the process that linked it to its
// own name was killed then.
func (f *Files) DropTempName(name string) error {
	in, err := f.FS.Stat(name)
	if err != nil || in.Links < 2 {
		return err
	}
	d, err := f.FS.OpenDir(layout.TmpDir)
	if err != nil {
		return err
	}
	defer d.Close()
	es, err := d.Entries()
	if err != nil {
		return err
	}
	for _, e := range es {
		if t, err := d.Stat(e.Name); err == nil && t.Ino == in.Ino && t.Dev == in.Dev {
			return IgnoreMissing(f.FS.Remove(layout.TmpDir + "/" + e.Name))
		}
	}
	return nil
}
