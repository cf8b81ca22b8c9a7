package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/layout"
)

// Location is where the store of a directory lies.
type Location struct {
	Root string // the directory that holds .vespe
	// Worktree is the top of the linked git worktree that the directory lies in, where Root lies in that
	// worktree's main checkout instead; "" elsewhere.
	Worktree string
	// Twin is the directory in Worktree that has the place of Root, whose other files are used there; "" elsewhere.
	Twin string
	// Copy is Twin where it has a .vespe, which Root's takes the place of; "" where there is none.
	Copy string
	// Written says that vespe has written to the copy, before it knew about worktrees or because it was told to.
	Written bool
}

// Find is the root of the store that Locate finds for dir, git worktrees included.
func Find(dir string) (root string, err error) {
	at, err := Locate(dir, false)
	return at.Root, err
}

// Locate finds the nearest store at or above dir. In a linked git worktree, the main checkout's store takes the
// place of the worktree's copy, so that everyone who works on a repository shares one inbox; with own set, the
// copy is a store like any other. *model.Refusal with CodeNotFound when there is no store.
func Locate(dir string, own bool) (Location, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Location{}, fmt.Errorf("find a store above %s: %w", dir, err)
	}
	top, main := "", ""
	if !own {
		top, main = linkedWorktree(abs)
	}
	for d := abs; ; d = filepath.Dir(d) {
		if main != "" {
			if rel, err := filepath.Rel(top, d); err == nil && filepath.IsLocal(rel) {
				if twin := filepath.Join(main, rel); hasStore(twin) {
					at := Location{Root: twin, Worktree: top, Twin: d}
					if hasStore(d) {
						at.Copy = d
						_, err := os.Lstat(filepath.Join(d, layout.Name, layout.LogDir))
						at.Written = err == nil // git leaves the log out
					}
					return at, nil
				}
			}
		}
		if hasStore(d) {
			return Location{Root: d}, nil
		}
		if d == filepath.Dir(d) {
			return Location{}, &model.Refusal{
				Code: model.CodeNotFound, Guard: failure.GuardStore,
				Why:  fmt.Sprintf("found no %s in %s or above it", layout.Name, abs),
				Hint: "run `vespe init` to make a store here",
			}
		}
	}
}

// Worktree is the top of the linked git worktree that dir lies in; "" where it lies in none.
func Worktree(dir string) string {
	top, _ := linkedWorktree(dir)
	return top
}

// hasStore looks for the marker without following links. Whatever else is in its place, or cannot be looked at, counts
// as a store, which then does not open: rules would be set aside otherwise by damage to the marker.
func hasStore(dir string) bool {
	d, err := os.Lstat(filepath.Join(dir, layout.Name))
	if err != nil || !d.IsDir() {
		return err == nil || errors.Is(err, fs.ErrPermission)
	}
	_, err = os.Lstat(filepath.Join(dir, layout.Name, layout.RootMarker))
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// linkedWorktree is the top of the linked git worktree around dir, and the directory of its main checkout. It reads
// what git writes for a worktree and runs nothing: every hook of an agent's client comes through here. A .git file is
// believed if it names a directory that lies in the worktrees of a repository and points back. So a directory that
// somebody made can't send its visitors to another person's store, nor to rules of its own.
func linkedWorktree(dir string) (top, main string) {
	for top = dir; ; top = filepath.Dir(top) {
		if in, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			if !in.Mode().IsRegular() {
				return "", ""
			}
			break
		}
		if top == filepath.Dir(top) {
			return "", ""
		}
	}
	line, ok := gitPath(filepath.Join(top, ".git"))
	gitDir, named := strings.CutPrefix(line, "gitdir: ")
	if !ok || !named {
		return "", ""
	}
	gitDir = from(top, gitDir)
	common, ok := gitPath(filepath.Join(gitDir, "commondir")) // a submodule has none
	if !ok {
		return "", ""
	}
	common = from(gitDir, common)
	trees := filepath.Join(common, "worktrees")
	if filepath.Base(common) != ".git" || filepath.Dir(gitDir) != trees || !isDir(common) || !isDir(trees) || !isDir(gitDir) {
		return "", ""
	}
	back, ok := gitPath(filepath.Join(gitDir, "gitdir"))
	if !ok || !sameFile(from(gitDir, back), filepath.Join(top, ".git")) {
		return "", ""
	}
	return top, filepath.Dir(common)
}

// gitPath is the one line of a small file of git.
func gitPath(file string) (string, bool) {
	const most = 8 << 10 // twice the longest path
	if in, err := os.Lstat(file); err != nil || !in.Mode().IsRegular() || in.Size() > most {
		return "", false
	}
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	line := strings.TrimRight(string(b), "\r\n")
	return line, err == nil && line != "" && !strings.ContainsAny(line, "\n\x00")
}

// from is a path of git as seen from a directory.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// isDir reports a directory that is not a link to one.
func isDir(path string) bool {
	in, err := os.Lstat(path)
	return err == nil && in.IsDir()
}

func sameFile(a, b string) bool {
	x, err := os.Lstat(a)
	if err != nil {
		return false
	}
	y, err := os.Lstat(b)
	return err == nil && os.SameFile(x, y)
}
