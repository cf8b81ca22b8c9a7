package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// MergedByLines are the paths below a directory that both sides changed in what git has begun and not ended, and that
// git merged without a conflict: a version of each side, of their base and, as Merged, what git made of them. conflicts
// are those that git could not merge in it. A path whose conflict somebody has resolved is left out. Nothing is
// returned where it is not known what git merges, as in `git stash pop` or an octopus.
func (r *Repo) MergedByLines(ctx context.Context, below string, conflicts []Unmerged, limit int64) ([]Unmerged, error) {
	cat, err := r.Cat(ctx)
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	base, theirs, err := r.sides(ctx, cat, conflicts)
	if err != nil || base == "" {
		return nil, err
	}
	pathspec := ":(top,literal)" + strings.TrimSuffix(below, "/")
	var changed [2]map[string]rawEntry
	for i, side := range []string{"HEAD", theirs} {
		out, err := r.run.run(ctx, nil, nil, "diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev", "-z", "--diff-filter=M", base, side, "--", pathspec)
		if err != nil {
			return nil, err
		}
		changed[i] = rawDiff(out)
	}
	out, err := r.run.run(ctx, nil, nil, "ls-files", "--resolve-undo", "-z", "--", pathspec)
	if err != nil {
		return nil, err
	}
	skip := map[string]bool{}
	for _, c := range conflicts {
		skip[c.Path] = true
	}
	for line := range strings.SplitSeq(out, "\x00") {
		_, path, _ := strings.Cut(line, "\t")
		skip[path] = true
	}
	var all []Unmerged
	for path, ours := range changed[0] {
		them, both := changed[1][path]
		if !both || ours == them || skip[path] {
			continue
		}
		u := Unmerged{Path: path}
		for _, v := range []struct {
			name string
			body *[]byte
		}{{base + ":" + path, &u.Base}, {ours.oid, &u.Ours}, {them.oid, &u.Them}, {":" + path, &u.Merged}} {
			o, err := cat.Get(v.name, limit)
			if err != nil {
				return nil, err
			}
			*v.body = o.Body
		}
		if u.Base != nil && u.Ours != nil && u.Them != nil && u.Merged != nil {
			all = append(all, u)
		}
	}
	return all, nil
}

// sides are the commits that git brings into HEAD: theirs, and what it compares both with. Both are "" where that is
// not known.
func (r *Repo) sides(ctx context.Context, cat *Cat, conflicts []Unmerged) (base, theirs string, err error) {
	if heads, err := os.ReadFile(filepath.Join(r.Dir, "MERGE_HEAD")); err == nil {
		if theirs = strings.TrimSpace(string(heads)); !r.valid(OID(theirs)) {
			return "", "", nil
		}
		out, err := r.run.run(ctx, nil, nil, "merge-base", "HEAD", theirs)
		if ExitCode(err) == 1 {
			return "", "", nil // they have nothing in common
		}
		return strings.TrimSpace(out), theirs, err
	}
	for _, name := range []string{"CHERRY_PICK_HEAD", "REBASE_HEAD"} {
		if _, err := os.Lstat(filepath.Join(r.Dir, name)); errors.Is(err, os.ErrNotExist) || name == "REBASE_HEAD" && !strings.Contains(r.Busy(), "rebase") {
			continue
		}
		picked, err := cat.Get(name+"^{commit}", 1<<20)
		if err != nil {
			return "", "", err
		}
		for line := range strings.Lines(string(picked.Body)) {
			parent, ok := strings.CutPrefix(strings.TrimSpace(line), "parent ")
			if !ok {
				if strings.TrimSpace(line) == "" {
					break
				}
				continue
			}
			if fits, err := isBase(cat, parent, conflicts); err != nil || fits {
				return parent, string(picked.OID), err
			}
		}
	}
	return "", "", nil
}

// isBase says whether a commit has what git compared the sides of conflicts with: of a merge that is picked, one
// parent is it.
func isBase(cat *Cat, commit string, conflicts []Unmerged) (bool, error) {
	for _, c := range conflicts {
		o, err := cat.Get(commit+":"+c.Path, int64(len(c.Base)))
		if err != nil || (o.Type != "") != (c.Base != nil) || string(o.Body) != string(c.Base) {
			return false, err
		}
	}
	return true, nil
}
