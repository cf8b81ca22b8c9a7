package store

import (
	"context"
	"errors"

	"vespe/model"
	"vespe/store/git"
	"vespe/store/layout"
)

// Trusted says whether git may be run for this store, and whether it may be written to when
// someone else owns it. It is asked each time, so that a workbench that is open sees
// `vespe store trust` and its revocation.
func (s *Store) Trusted() bool {
	return s.opt.Trusted || s.opt.Trust != nil && s.opt.Trust(s.root, s.storeID())
}

// gitBlobs is what HEAD has of files below .vespe: for each path that it has, the hash of
// its bytes, as model.HashBytes gives it. It is empty for a store that is not trusted, that
// is in no repository, or where nothing is committed. Large files are left out.
func (s *Store) gitBlobs(ctx context.Context, paths []string) (map[string]string, error) {
	if len(paths) == 0 || !s.Trusted() {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, git.Time)
	defer cancel()
	repo, err := git.Find(ctx, s.opt.Environ(), s.root)
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
