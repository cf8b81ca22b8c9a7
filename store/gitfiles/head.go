// Package gitfiles is what git is told of the files of a store, and what it has of them.
package gitfiles

import (
	"context"
	"errors"

	"vespe/model"
	"vespe/store/git"
	"vespe/store/layout"
)

// Head is what git has committed of a store.
type Head struct {
	Root    string
	Environ func() []string
	Trusted func() bool // git may be run
}

// Hashes is what HEAD has of files below .vespe: for each path that it has, the hash of
// its bytes, as model.HashBytes gives it. It is empty for a store that is not trusted, that
// is in no repository, or where nothing is committed. Large files are left out.
func (h Head) Hashes(ctx context.Context, paths []string) (map[string]string, error) {
	if len(paths) == 0 || !h.Trusted() {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, git.Time)
	defer cancel()
	repo, err := git.Find(ctx, h.Environ(), h.Root)
	if errors.Is(err, git.ErrNoRepo) || errors.Is(err, git.ErrNoGit) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	cat, err := repo.Cat(ctx)
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	found := map[string]string{}
	var tasks map[string]git.OID // git reads the whole of tasks/ for each path through it
	base := "HEAD:" + repo.Prefix + layout.Name + "/"
	for _, path := range paths {
		if layout.CheckTarget(path) != nil {
			continue
		}
		name := base + path
		if uid, rest, ok := layout.TaskOf(path); ok {
			if tasks == nil {
				if tasks, err = treesIn(repo, cat, base+layout.TasksDir); err != nil {
					return nil, err
				}
			}
			if tasks[string(uid)] == "" {
				continue
			}
			name = string(tasks[string(uid)]) + ":" + rest
		}
		o, err := cat.Get(name, int64(layout.ReadLimit(path)))
		if err != nil {
			return nil, err
		}
		if o.Type == "blob" && o.Body != nil {
			found[path] = model.HashBytes(o.Body)
		}
	}
	return found, nil
}

// treesIn is the directories in a directory that git has; empty where it has none.
func treesIn(repo *git.Repo, cat *git.Cat, name string) (map[string]git.OID, error) {
	trees := map[string]git.OID{}
	o, err := cat.Get(name, layout.MaxObject)
	if err != nil || o.Type != "tree" {
		return trees, err
	}
	entries, err := repo.Entries(o)
	for _, e := range entries {
		if e.Dir {
			trees[e.Name] = e.OID
		}
	}
	return trees, err
}

// NoRepo says whether git can have brought nothing: the store is in no repository.
func (h Head) NoRepo(ctx context.Context) bool {
	if !h.Trusted() {
		return false // nobody may ask
	}
	ctx, cancel := context.WithTimeout(ctx, git.Time)
	defer cancel()
	_, err := git.Find(ctx, h.Environ(), h.Root)
	return errors.Is(err, git.ErrNoRepo)
}
