package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vespe/internal/lazyregexp"
	"vespe/store/git"
)

var wholeOID = lazyregexp.New(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// head is what the worker did with the git of a worktree, besides its files.
type head struct {
	conflicts []string // files of a merge that are not resolved
	notes     []string // for people
	merged    []string // commits of the integration branch or the target that it merged since the base
}

// keepHead keeps the commits that the worker made itself, and says what it left.
func (r *Repo) keepHead(ctx context.Context, t *Tree) (h head, err error) {
	branch, at := git.Head(t.dir, r.common)
	if branch != "" {
		h.notes = append(h.notes, "the worker switched to another branch: "+strings.TrimPrefix(branch, heads))
	}
	if at != t.Base {
		at, err = r.inTree(ctx, t, "rev-parse", "-q", "--verify", "HEAD^{commit}")
		at = strings.TrimSpace(at)
	}
	switch {
	case ctx.Err() != nil:
		return h, ctx.Err()
	case err != nil || at == "":
		h.notes = append(h.notes, "the worker removed HEAD")
	case at != t.Base:
		if err := r.setRef(ctx, runRef(t.Run, "head"), at, "*", "vespe: commits of "+t.Run); err != nil {
			return h, err
		}
		if _, err := r.run(ctx, "merge-base", "--is-ancestor", t.Base, at); git.ExitCode(err) == 1 {
			h.notes = append(h.notes, "the worker moved HEAD to "+at+", which is not based on the start commit")
		} else if err != nil {
			return h, err
		} else if err := r.merges(ctx, t, at, &h); err != nil {
			return h, err
		}
	}
	if what := git.BusyIn(t.dir); what != "" {
		h.notes = append(h.notes, "the worker left "+what+" unfinished")
	}
	if b, err := os.ReadFile(filepath.Join(t.dir, "MERGE_HEAD")); err == nil {
		for _, name := range strings.Fields(string(b)) {
			if !wholeOID.Get().MatchString(name) {
				continue // git writes nothing else; another name may have it walk through all commits
			}
			if merging, err := r.commit(ctx, name); err == nil && merging != "" {
				if err := r.merges(ctx, t, merging, &h); err != nil {
					return h, err
				}
			}
		}
	}
	return h, r.unmerged(ctx, t, &h)
}

// merges adds what a commit has of the integration branch and the target that the base has not.
func (r *Repo) merges(ctx context.Context, t *Tree, commit string, h *head) error {
	names := []string{r.branchRef() + asCommit}
	if ref, err := r.targetRef(ctx); err == nil {
		names = append(names, ref+asCommit)
	}
	oids, err := r.objects(ctx, names...)
	if err != nil {
		return err
	}
	tips := slices.DeleteFunc(oids, func(oid string) bool { return oid == "" })
	if len(tips) == 0 {
		return nil
	}
	out, err := r.run(ctx, append([]string{"merge-base", "--all", commit}, tips...)...)
	if err != nil && git.ExitCode(err) != 1 { // 1: they have nothing in common
		return err
	}
	for _, oid := range strings.Fields(out) {
		_, more, err := r.apart(ctx, t.Base, oid)
		if err != nil {
			return err
		}
		if more > 0 && !slices.Contains(h.merged, oid) {
			h.merged = append(h.merged, oid)
		}
	}
	return nil
}

// adopt gives an index of ours the files of stores that a commit has which the worker merged.
func (r *Repo) adopt(ctx context.Context, t *Tree, index, commit string, res *Result) error {
	out, err := r.run(ctx, "diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev", "-z", t.Base, commit, "--")
	if err != nil {
		return err
	}
	var in strings.Builder
	fields := split(out)
	for i := 0; i+1 < len(fields); i += 2 {
		f, name := strings.Fields(fields[i]), fields[i+1] // ":100644 100644 <old> <new> M"
		if len(f) != 5 || !stores(name) {
			continue
		}
		fmt.Fprintf(&in, "%s %s\t%s\x00", f[1], f[3], name)
		res.Refused = slices.DeleteFunc(res.Refused, func(said string) bool { return strings.HasPrefix(said, name+": ") })
	}
	if in.Len() == 0 {
		return nil
	}
	_, err = r.aside(ctx, t, index, git.Call{Args: []string{"update-index", "-z", "--index-info"}, In: strings.NewReader(in.String())})
	return err
}

// unmerged adds the files that the worker left with conflicts: not those that are resolved though
// git was not told. An index that cannot be read is noted.
func (r *Repo) unmerged(ctx context.Context, t *Tree, h *head) error {
	out, err := r.inTree(ctx, t, "ls-files", "-z", "--unmerged")
	if err != nil {
		h.notes = append(h.notes, "the worker left an unreadable index")
		return ctx.Err()
	}
	sides := map[string]int{}
	for _, line := range split(out) { // "100644 <oid> 2\tPATH"
		about, name, _ := strings.Cut(line, "\t")
		if !strings.HasSuffix(about, " 1") {
			sides[name]++
		}
	}
	for name, n := range sides {
		resolved := false
		if n == 2 {
			if resolved, err = noMarkers(filepath.Join(t.Path, filepath.FromSlash(name))); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		if !resolved {
			h.conflicts = append(h.conflicts, name)
		}
	}
	slices.Sort(h.conflicts)
	return nil
}

// maxMarked is how large a file may be that is searched for what git leaves in a conflict.
const maxMarked = 16 << 20

// noMarkers reports whether a file is text in which a conflict was resolved.
func noMarkers(path string) (bool, error) {
	in, err := os.Lstat(path)
	if err != nil || !in.Mode().IsRegular() || in.Size() > maxMarked {
		return false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxMarked))
	if err != nil || bytes.IndexByte(b, 0) >= 0 {
		return false, err
	}
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) {
			return false, nil
		}
	}
	return true, nil
}
