package git

import (
	"context"
	"errors"
	"fmt"
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
			return nil, &Error{"ls-files", "", fmt.Errorf("an answer that cannot be read: %q", line)}
		}
		o, err := cat.Get(oid, limit)
		if err == nil && o.Body == nil {
			err = fmt.Errorf("%s: a version of it is larger than %d bytes", path, limit)
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

// Add puts paths, from the top of the worktree, into the index as they lie there, which tells git that their
// conflicts are resolved.
func (r *Repo) Add(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	in := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	_, err := r.run.run(ctx, nil, in, "--literal-pathspecs", "add", "--pathspec-from-file=-", "--pathspec-file-nul")
	var e *Error
	if errors.As(err, &e) && lockIn(e.Stderr) != "" {
		return fmt.Errorf("%w: %w", ErrIndexLocked, err)
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
