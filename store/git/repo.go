package git

import (
	"context"
	"crypto/sha1" //nolint:gosec // the names of objects in most repositories
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"path/filepath"
	"strings"
)

// ErrNoRepo says that a directory is in no repository with a worktree.
var ErrNoRepo = errors.New("it isn't in a git repository")

// Repo is the repository that a directory lies in.
type Repo struct {
	run    *runner
	Top    string // the worktree's directory
	Dir    string // its git directory; a linked worktree has its own
	Common string // the git directory that all its worktrees share
	Prefix string // the directory's path in the worktree, "" or ending with a slash
	Format string // "sha1" or "sha256": how objects are named
}

// Find is the repository that root lies in. The environment is that of the person. Errors
// are ErrNoGit, ErrNoRepo and *Error.
func Find(ctx context.Context, environ []string, root string) (*Repo, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	r, err := newRunner(environ, root)
	if err != nil {
		return nil, err
	}
	out, err := r.run(ctx, nil, nil, "rev-parse", "--is-bare-repository", "--is-inside-work-tree",
		"--absolute-git-dir", "--show-object-format", "--git-common-dir", "--show-toplevel")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) > 1 && (lines[0] == "true" || lines[1] != "true") {
		return nil, fmt.Errorf("%w: the outer repository has no worktree", ErrNoRepo)
	}
	if err != nil {
		var e *Error
		if errors.As(err, &e) && (strings.Contains(e.Stderr, "not a git repository") || strings.Contains(e.Stderr, "safe.bareRepository")) {
			return nil, ErrNoRepo
		}
		return nil, err
	}
	if strings.Contains(root, "\n") {
		return nil, fmt.Errorf("%w that vespe can use: there is a line break in %q", ErrNoRepo, root)
	}
	if len(lines) != 6 || !filepath.IsAbs(lines[2]) || !filepath.IsAbs(lines[5]) {
		return nil, &Error{"rev-parse", "", fmt.Errorf("an answer that can't be read: %q", out)}
	}
	repo := &Repo{run: r, Dir: lines[2], Format: lines[3], Common: lines[4], Top: lines[5]}
	if !filepath.IsAbs(repo.Common) {
		repo.Common = filepath.Join(root, repo.Common)
	}
	if repo.Format != "sha1" && repo.Format != "sha256" {
		return nil, &Error{"rev-parse", "", fmt.Errorf("the repository uses %s, which vespe doesn't support", repo.Format)}
	}
	if !below(root, repo.Top) {
		// core.worktree may point anywhere.
		return nil, fmt.Errorf("%w: the worktree of the outer repository is %s", ErrNoRepo, repo.Top)
	}
	r.dir = repo.Top // paths are given from here
	rel, err := filepath.Rel(repo.Top, root)
	if err != nil {
		return nil, err
	}
	if rel != "." {
		repo.Prefix = filepath.ToSlash(rel) + "/"
	}
	return repo, nil
}

// FileMode reports whether the worktree tells which files can be executed (core.fileMode).
func (r *Repo) FileMode(ctx context.Context) bool {
	out, err := r.run.run(ctx, nil, nil, "config", "--type=bool", "--get", "core.fileMode")
	return err != nil || strings.TrimSpace(out) != "false" // git's own default
}

func (r *Repo) newHash() hash.Hash {
	if r.Format == "sha256" {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // as git does
}

// OID names an object: lower-case hex, "" for none.
type OID string

// zero is how git writes "no object".
func (r *Repo) zero() OID { return OID(strings.Repeat("0", 2*r.newHash().Size())) }

// valid reports whether o can name an object of this repository.
func (r *Repo) valid(o OID) bool {
	b, err := hex.DecodeString(string(o))
	return err == nil && len(b) == r.newHash().Size() && strings.ToLower(string(o)) == string(o)
}
