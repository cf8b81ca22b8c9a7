package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"vespe/internal/lazyregexp"
	"vespe/store/git"
)

// runnable are the settings by which git would run a program in one of our calls. Hooks and the
// like are off; these cannot be, as the files of the person may need them (git lfs).
var runnable = lazyregexp.New(`^(filter\..*\.(clean|smudge|process)|merge\..*\.driver)\n`)

// maySet is in the settings of a repository that have any of them, or that are in other files, too.
var maySet = lazyregexp.New(`(?i)filter|driver|include|worktreeconfig`)

// programs is a hash of such settings that the repository has, which every worktree shares: what
// a worker adds there is not run by us. The person's own, outside it, are theirs to change.
func (r *Repo) programs(ctx context.Context) (string, error) {
	var all []string
	b, err := os.ReadFile(filepath.Join(r.common, "config"))
	if err != nil || maySet.Get().Match(b) { // else git would name none
		all, err = r.set(ctx, git.Call{Env: []string{"GIT_DIR=" + r.common}})
	}
	sum := sha256.Sum256([]byte(strings.Join(all, "\x00")))
	return hex.EncodeToString(sum[:]), err
}

// set are the settings that name programs, of the repository that a call is about.
func (r *Repo) set(ctx context.Context, c git.Call) ([]string, error) {
	c.Args = []string{"config", "--list", "--show-scope", "-z"}
	out, err := r.call(ctx, c)
	if err != nil {
		return nil, err
	}
	var all []string
	fields := split(out)
	for i := 0; i+1 < len(fields); i += 2 {
		if (fields[i] == "local" || fields[i] == "worktree") && runnable.Get().MatchString(fields[i+1]) {
			all = append(all, fields[i+1])
		}
	}
	return all, nil
}

// programmed is a submodule of a worktree whose own settings name programs, or cannot be read; ""
// when there is none. git looks into submodules with a git of its own, by the settings there.
func (r *Repo) programmed(ctx context.Context, t *Tree) (string, error) {
	links, err := r.gitlinks(ctx, t.Base)
	if err != nil {
		return "", err
	}
	for _, at := range links {
		dir := filepath.Join(t.Path, filepath.FromSlash(at))
		if !exists(filepath.Join(dir, gitFile)) {
			continue
		}
		all, err := r.set(ctx, git.Call{Dir: dir})
		if err != nil || len(all) > 0 {
			return at, ctx.Err()
		}
	}
	return "", nil
}

// intact looks whether a worktree is still the one that was made, and gives it back its .git file
// when that is gone. *Tampered when it is something else.
func (r *Repo) intact(ctx context.Context, t *Tree, rec *record) (note string, err error) {
	in, err := os.Lstat(t.Path)
	if err != nil {
		return "", err
	}
	if !in.IsDir() {
		return "", &Tampered{t.Path + " is not a directory"}
	}
	file, want := filepath.Join(t.Path, gitFile), "gitdir: "+t.dir
	switch in, err := os.Lstat(file); {
	case os.IsNotExist(err):
		if err := os.WriteFile(file, []byte(want+"\n"), 0o644); err != nil {
			return "", err
		}
		note = "the worker removed .git; it was restored"
	case err != nil:
		return "", err
	case !in.Mode().IsRegular():
		return "", &Tampered{"the worker replaced .git with another repository"}
	default:
		b, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(string(b)) != want {
			return "", &Tampered{"the worker pointed .git to another repository"}
		}
	}
	now, err := r.programs(ctx)
	if err != nil {
		return "", err
	}
	if rec.Programs != now {
		return "", &Tampered{"during the run, the repository's settings changed the programs that git runs (filter.* or merge.*). Review them with git config --local --list"}
	}
	return note, nil
}
