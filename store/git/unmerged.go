package git

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Unmerged is a path that git could not merge, or merged by its lines alone. A version that is not there is nil.
type Unmerged struct {
	Path             string // from the top of the worktree
	Base, Ours, Them []byte
	Merged           []byte // by lines, where git saw no conflict
}

// Unmerged are the paths below a directory that the index has in several versions, "" for all of them. Each version
// has at most limit bytes.
func (r *Repo) Unmerged(ctx context.Context, below string, limit int64) ([]Unmerged, error) {
	out, err := r.run.run(ctx, nil, nil, "ls-files", "--unmerged", "-z", "--", ":(top,literal)"+strings.TrimSuffix(below, "/"))
	if err != nil || out == "" {
		return nil, err
	}
	cat, err := r.Cat(ctx)
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	var all []Unmerged
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		head, path, _ := strings.Cut(line, "\t")
		var mode, oid, stage string
		if _, err := fmt.Sscan(head, &mode, &oid, &stage); err != nil {
			return nil, &Error{"ls-files", "", fmt.Errorf("an answer that can't be read: %q", line)}
		}
		o, err := cat.Get(oid, limit)
		if err == nil && o.Body == nil {
			err = fmt.Errorf("%s: one version is larger than %d bytes", path, limit)
		}
		if err != nil {
			return nil, err
		}
		if len(all) == 0 || all[len(all)-1].Path != path {
			all = append(all, Unmerged{Path: path})
		}
		u := &all[len(all)-1]
		switch stage {
		case "1":
			u.Base = o.Body
		case "2":
			u.Ours = o.Body
		case "3":
			u.Them = o.Body
		}
	}
	return all, nil
}

// MergeText merges files in the current directory by lines, in the way of `git merge-file`: with marks in the text
// where both sides changed it.
func MergeText(ctx context.Context, environ []string, ours, base, theirs string) ([]byte, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	r, err := newRunner(environ, dir)
	if err != nil {
		return nil, err
	}
	out, err := r.run(ctx, nil, nil, "merge-file", "-p", "--quiet", "-L", "ours", "-L", "base", "-L", "theirs", ours, base, theirs)
	if n := ExitCode(err); n > 0 && n < 128 { // so many conflicts
		err = nil
	}
	return []byte(out), err
}

// Stage puts files into the index, by their paths from the top of the worktree, which tells git that their conflicts
// are resolved. Git neither reads them from the worktree nor runs a filter on them.
func (r *Repo) Stage(ctx context.Context, files map[string][]byte) error {
	if len(files) == 0 {
		return nil
	}
	var entries strings.Builder
	p := r.newPack()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		oid, err := p.add(typeBlob, files[path])
		if err != nil {
			return err
		}
		fmt.Fprintf(&entries, "100644 %s\t%s\x00", oid, path)
	}
	if err := p.flush(ctx); err != nil {
		return err
	}
	const owner = "merge"
	if err := r.Sweep(owner); err != nil {
		return err
	}
	lock, err := r.NewIndexLock(owner)
	if err != nil {
		return err
	}
	defer lock.Release()
	if err := lock.Take(); err != nil {
		return err
	}
	aside, err := lock.copyIndex()
	if err == nil {
		err = aside.update(ctx, entries.String())
	}
	if err == nil {
		err = lock.Place()
	}
	if err == nil {
		err = lock.Commit()
	}
	return err
}

// Setting is the value of a setting of the person or the repository; "" where there is none.
func (r *Repo) Setting(ctx context.Context, name string) (string, error) {
	out, err := r.run.run(ctx, nil, nil, "config", "--get", name)
	if ExitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimSuffix(out, "\n"), err
}

// Set writes a setting of the repository.
func (r *Repo) Set(ctx context.Context, name, value string) error {
	_, err := r.run.run(ctx, nil, nil, "config", "--local", name, value)
	return err
}
