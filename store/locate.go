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
	var broken error
	if !own {
		top, main, broken = linkedWorktree(abs)
	}
	below := func(d string) (rel string, ok bool) {
		rel, err := filepath.Rel(top, d)
		return rel, err == nil && filepath.IsLocal(rel)
	}
	for d := abs; ; d = filepath.Dir(d) {
		if main != "" {
			if rel, ok := below(d); ok {
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
			if _, ok := below(d); ok && broken != nil {
				return Location{}, failure.New(model.CodeInvalid, failure.GuardStore, nil, broken,
					"run `git worktree repair "+top+"` in the main checkout, or use the store here with --here", "can't tell whether the store in %s is a git worktree's copy", d)
			}
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
	top, main, _ := linkedWorktree(dir)
	if main == "" {
		return ""
	}
	return top
}

// hasStore looks for a store without following links. Whatever else is in the place of its marker, or cannot be looked at,
// counts as a store, which then does not open, and so does store.json without a marker: rules would be set aside otherwise
// by damage.
func hasStore(dir string) bool { return isMarked(dir) || isThere(dir, layout.StoreFile) }

// isMarked is hasStore where the marker is still to be written.
func isMarked(dir string) bool {
	d, err := os.Lstat(filepath.Join(dir, layout.Name))
	if err != nil || !d.IsDir() {
		return err == nil || errors.Is(err, fs.ErrPermission)
	}
	return isThere(dir, layout.RootMarker)
}

func isThere(dir, file string) bool {
	_, err := os.Lstat(filepath.Join(dir, layout.Name, file))
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// linkedWorktree is the top of the checkout around dir; with main, the directory of its main checkout, it is a linked git
// worktree. It reads what git writes for a worktree and runs nothing: every hook of an agent's client comes through here. A
// .git file is believed if it names a directory that lies in the worktrees of a repository and points back, or a repository
// of its own, as that of a submodule. So a directory that somebody made can't send its visitors to another person's store. An
// error says that a .git is neither.
func linkedWorktree(dir string) (top, main string, err error) {
	var git string
	for top = dir; ; top = filepath.Dir(top) {
		git = filepath.Join(top, ".git")
		if _, err := os.Lstat(git); err == nil {
			break
		}
		if top == filepath.Dir(top) {
			return "", "", nil
		}
	}
	if in, err := os.Stat(git); err == nil && in.IsDir() {
		return top, "", nil
	}
	broken := fmt.Errorf("%s doesn't lead to its repository", git)
	line, ok := gitPath(git)
	gitDir, named := strings.CutPrefix(line, "gitdir: ")
	if !ok || !named {
		return top, "", broken
	}
	gitDir = from(top, gitDir)
	if _, err := os.Lstat(filepath.Join(gitDir, "commondir")); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(filepath.Join(gitDir, "HEAD")); err != nil {
			return top, "", broken
		}
		return top, "", nil
	}
	common, ok := gitPath(filepath.Join(gitDir, "commondir"))
	if !ok {
		return top, "", broken
	}
	common = from(gitDir, common)
	trees := filepath.Join(common, "worktrees")
	back, ok := gitPath(filepath.Join(gitDir, "gitdir"))
	if filepath.Dir(gitDir) != trees || !isDir(common) || !isDir(trees) || !isDir(gitDir) || !ok || !sameFile(from(gitDir, back), git) {
		return top, "", broken
	}
	if filepath.Base(common) != ".git" { // no checkout is beside it
		return top, "", nil
	}
	return top, filepath.Dir(common), nil
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
