// Package lookpath finds programs by PATH, but none that a repository brings: a store that isn't trusted must not be able to
// have its own git or ssh-keygen run.
package lookpath

import (
	"os"
	"path/filepath"
)

// storeDir is the directory of a store, store.Name: the store's own git is found here too, so nothing of ours is imported.
const storeDir = ".vespe"

// Find finds a program in the directories of PATH, but not in those of a project: what lies in a store's
// repository, or in the repository that dir is in, may be anybody's. "" where there is none.
func Find(name, path, dir string) string {
	for _, p := range filepath.SplitList(path) {
		if !filepath.IsAbs(p) || inProject(p, dir) {
			continue
		}
		at := filepath.Join(p, name)
		if in, err := os.Stat(at); err == nil && in.Mode().IsRegular() && in.Mode()&0o111 != 0 {
			if real, err := filepath.EvalSymlinks(at); err == nil && !inProject(filepath.Dir(real), dir) {
				return at
			}
		}
	}
	return ""
}

// inProject says whether a directory lies in one that has a store, or in a repository that dir lies in, too.
func inProject(path, dir string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	has := func(at, name string) bool {
		_, err := os.Lstat(filepath.Join(at, name))
		return err == nil
	}
	for at := path; ; at = filepath.Dir(at) {
		rel, err := filepath.Rel(at, dir)
		if has(at, storeDir) || err == nil && filepath.IsLocal(rel) && has(at, ".git") {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}
