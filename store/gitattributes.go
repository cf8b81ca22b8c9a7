package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

const attributesFile = ".gitattributes"

// gitAttributes is how git is to treat the files of a store. Files that never change need nothing: no two clones
// give one name to different bytes. Bytes are hashed, so that git must not change the ends of lines. Where a clone
// does not know the merge driver `vespe`, git merges these files as text.
const gitAttributes = `* -text
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

// missingLinesOf are those lines of a text that a file of lines does not have.
func missingLinesOf(want string, b []byte) (more []byte) {
	there := bytes.Split(b, []byte("\n"))
	for line := range strings.Lines(want) {
		if !slices.ContainsFunc(there, func(l []byte) bool { return string(bytes.TrimSpace(l)) == strings.TrimSpace(line) }) {
			more = append(more, line...)
		}
	}
	return more
}

// appendLines appends to a file of lines, or makes it.
func (s *Store) appendLines(name string, b, more []byte) error {
	if len(b) > 0 && b[len(b)-1] != '\n' {
		more = append([]byte{'\n'}, more...)
	}
	f, _, err := s.fs.Append(name)
	if err != nil {
		return err
	}
	if _, err = f.Write(more); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// lackingAttributes is what .gitattributes does not have, and what it has.
func (s *Store) lackingAttributes() (lacking, has []byte, err error) {
	has, err = s.fs.ReadFile(attributesFile, layout.MaxJSON)
	if err != nil && !fsys.Missing(err) {
		return nil, nil, err
	}
	return missingLinesOf(gitAttributes, has), has, nil
}

// isInGit says whether a directory or one above it is the top of a git work tree.
func isInGit(dir string) bool {
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

// attributes looks whether git has merge rules for the files of the store.
func (d *doctor) attributes() error {
	if !isInGit(d.s.root) {
		return nil
	}
	lacking, has, err := d.s.lackingAttributes()
	switch {
	case err != nil && fsys.IsTransient(err):
		return err
	case err != nil:
		d.problems = append(d.problems, failure.OfFile(layout.Shown(attributesFile), err))
	case len(lacking) > 0:
		reason := "has no merge rules for some store files"
		if has == nil {
			reason = "is missing, so git has no merge rules for the store"
		}
		d.add(model.Warning, "", attributesFile, "git-attributes", "`vespe store doctor --fix` writes it; commit it", "%s", reason)
	}
	return nil
}

// attributes adds the merge rules that git lacks.
func (f *repairer) attributes() error {
	if !isInGit(f.s.root) {
		return nil
	}
	lacking, has, err := f.s.lackingAttributes()
	if err != nil || len(lacking) == 0 {
		if err != nil && !fsys.IsTransient(err) {
			err = nil // Doctor says so
		}
		return err
	}
	if !f.dryRun {
		if err := f.s.appendLines(attributesFile, has, lacking); err != nil {
			return err
		}
		if err := f.s.disk.SyncDir("."); err != nil {
			return err
		}
	}
	f.done = append(f.done, Repair{Path: layout.Shown(attributesFile), What: "added merge rules; commit it"})
	return nil
}
