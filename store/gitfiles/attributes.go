package gitfiles

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vespe/store/fsys"
	"vespe/store/layout"
)

// AttributesFile is where git reads how to treat the files of a store.
const AttributesFile = ".gitattributes"

// Attributes is how git is to treat the files of a store. Files that never change need nothing: no two clones
// give one name to different bytes. Bytes are hashed, so that git must not change the ends of lines. Where a clone
// does not know the merge driver `vespe`, git merges these files as text.
const Attributes = `* -text
reflections/*.jsonl merge=union
.gitignore merge=union
reflections/proposals.json merge=vespe
hitl_queue/*.json merge=vespe
milestones.json merge=vespe
tasks/*/*.json merge=vespe
tasks/*/*.md merge=vespe
tasks/*/reviews/plan-*.json merge=vespe
tasks/*/persistent/runs/*/run.json merge=vespe
`

// Missing are those lines of a text that a file of lines does not have.
func Missing(want string, b []byte) (more []byte) {
	there := bytes.Split(b, []byte("\n"))
	for line := range strings.Lines(want) {
		if !slices.ContainsFunc(there, func(l []byte) bool { return string(bytes.TrimSpace(l)) == strings.TrimSpace(line) }) {
			more = append(more, line...)
		}
	}
	return more
}

// Append appends to a file of lines, or makes it.
func Append(files fsys.FS, name string, b, more []byte) error {
	if len(b) > 0 && b[len(b)-1] != '\n' {
		more = append([]byte{'\n'}, more...)
	}
	f, _, err := files.Append(name)
	if err != nil {
		return err
	}
	if _, err = f.Write(more); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Lacking is what .gitattributes does not have, and what it has.
func Lacking(files fsys.FS) (lacking, has []byte, err error) {
	has, err = files.ReadFile(AttributesFile, layout.MaxJSON)
	if err != nil && !fsys.Missing(err) {
		return nil, nil, err
	}
	return Missing(Attributes, has), has, nil
}

// IsInGit says whether a directory or one above it is the top of a git work tree.
func IsInGit(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); !errors.Is(err, fs.ErrNotExist) {
			return err == nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
