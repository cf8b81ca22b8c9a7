package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"vespe/store/git"
)

// Result is what a worker did.
type Result struct {
	Commit  string // on the base; refs/vespe/RUN/result
	Tree    string
	Base    string    // what Files are compared with: the tree's base, or what the worker has merged since
	Empty   bool      // nothing was changed that may be
	Files   []Changed // untrusted
	Refused []string  // "PATH: why" of changes that are no part of the result; untrusted
	Notes   []string  // what else the worker did, for people; untrusted
}

const (
	modeLink = "160000"
)

// Snapshot commits what lies in a worktree, on the base: the changes in its files and in what the
// worker committed, as one commit, with hooks and signing off. What git ignores is left out unless
// the worker added it. What is refused stays as in the base, and the worktree keeps it. It may be
// called again when the worker has gone on.
//
// Anyone who works in the worktree may merge the integration branch or the target there, or rebase on
// them, to resolve a conflict: the result then comes after what was merged, and is compared with
// that. A merge that takes back what others did shows so.
//
// Errors are *Tampered, and *Unfinished with a result that is kept but must not be integrated.
func (r *Repo) Snapshot(ctx context.Context, t *Tree, m Message) (Result, error) {
	rec, err := r.read(t.name)
	if err != nil {
		return Result{}, err
	}
	if rec == nil || rec.State != stateReady {
		return Result{}, fmt.Errorf("%w: %s", ErrNoTree, t.Run)
	}
	ctx = holding(ctx, t.owner)
	note, err := r.intact(ctx, t, rec)
	if err != nil {
		return Result{}, err
	}
	var res Result
	if note != "" {
		res.Notes = append(res.Notes, note)
	}
	index, drop, err := r.ourIndex(t.name)
	defer drop()
	if err != nil {
		return Result{}, err
	}
	f, err := r.changes(ctx, t, index)
	if err != nil {
		return Result{}, err
	}
	res.Refused = f.refused
	if err := r.take(ctx, t, index, f); err != nil {
		return Result{}, err
	}
	h, err := r.keepHead(ctx, t)
	if err != nil {
		return Result{}, err
	}
	res.Notes = append(res.Notes, h.notes...)
	for _, commit := range h.merged {
		if err := r.adopt(ctx, t, index, commit, &res); err != nil {
			return Result{}, err
		}
	}
	out, err := r.aside(ctx, t, index, git.Call{Args: []string{"write-tree"}})
	if err != nil {
		return Result{}, err
	}
	res.Tree = strings.TrimSpace(out)
	if err := r.keepResult(ctx, t, rec, m, h.merged, &res); err != nil {
		return Result{}, err
	}
	if err := r.did("index"); err != nil {
		return Result{}, err
	}
	if err := os.Rename(index, r.side(t.name, ".index")); err != nil {
		return Result{}, err
	}
	if len(h.conflicts) > 0 {
		return res, &Unfinished{h.conflicts}
	}
	return res, nil
}

// take brings what may be taken into an index of ours.
func (r *Repo) take(ctx context.Context, t *Tree, index string, f *sieve) error {
	for _, step := range []struct {
		paths []string
		args  []string
	}{
		// First, so that a link or a file may be where a directory was.
		{f.gone, []string{"update-index", "-z", "--force-remove", "--stdin"}},
		{f.take, []string{"update-index", "-z", "--add", "--remove", "--replace", "--stdin"}},
	} {
		if len(step.paths) == 0 {
			continue
		}
		in := strings.NewReader(strings.Join(step.paths, "\x00") + "\x00")
		if _, err := r.aside(ctx, t, index, git.Call{Args: step.args, In: in}); err != nil {
			return err
		}
	}
	return nil
}

// keepResult commits a tree on the base, and on what the worker merged.
func (r *Repo) keepResult(ctx context.Context, t *Tree, rec *record, m Message, merged []string, res *Result) error {
	res.Base = t.Base
	if len(merged) > 0 {
		res.Base = merged[0]
	}
	base, err := r.objects(ctx, res.Base+asTree)
	if err != nil {
		return err
	}
	res.Empty = res.Tree == base[0]
	if m.Task == "" {
		m.Task = rec.Task
	}
	text := m.text(trailerTask, m.Task, trailerRun, t.Run)
	if res.Commit, err = r.commitTree(ctx, res.Tree, text, append([]string{t.Base}, merged...)...); err != nil {
		return err
	}
	if res.Files, err = r.Changed(ctx, res.Base, res.Commit); err != nil {
		return err
	}
	ctx, unlock, err := r.lock(ctx, lockRefs)
	if err != nil {
		return err
	}
	defer unlock()
	return r.setRef(ctx, runRef(t.Run, "result"), res.Commit, "*", "vespe: result of "+t.Run)
}

// changes are the paths of a worktree that differ from an index of ours.
func (r *Repo) changes(ctx context.Context, t *Tree, index string) (*sieve, error) {
	// Git's HEAD is not the worktree's here: what the index did since does not count.
	all, err := r.status(ctx, r.withIndex(t, index, git.Call{}), "all", "dirty")
	if err != nil {
		return nil, err
	}
	f := &sieve{repo: r, tree: t, seen: map[string]bool{}}
	for _, d := range all {
		switch d.how {
		case '.':
		case '?':
			f.untracked(d.name)
		default:
			f.tracked(ctx, d.name, d.mode == modeLink, d.how == 'D')
		}
	}
	if err := r.force(ctx, t, index, f); err != nil {
		return nil, err
	}
	slices.Sort(f.refused)
	return f, nil
}

// difference is a file that git status tells of.
type difference struct {
	name   string
	staged byte   // what the index did to it since HEAD: '.' is nothing, 'U' a conflict
	how    byte   // what the worktree did to it since the index; '?' is a file that git does not know
	mode   string // in the index
}

// status compares HEAD, an index and the files of a worktree. untracked and ignore are git's --untracked-files and
// --ignore-submodules.
func (r *Repo) status(ctx context.Context, c git.Call, untracked, ignore string) ([]difference, error) {
	c.Args = []string{"status", "--porcelain=v2", "-z", "--no-renames", "--untracked-files=" + untracked, "--ignore-submodules=" + ignore}
	out, err := r.call(ctx, c)
	if err != nil {
		return nil, err
	}
	var all []difference
	for _, line := range split(out) {
		kind, rest, _ := strings.Cut(line, " ")
		f := strings.SplitN(rest, " ", map[string]int{"1": 8, "u": 10, "?": 1}[kind])
		switch {
		case kind == "#": // of the branch
		case kind == "?" && rest != "":
			all = append(all, difference{name: rest, staged: '.', how: '?'})
		case kind == "1" && len(f) == 8 && len(f[0]) == 2: // "1 .M N... <mode of HEAD> <of the index> <of the file> <oid> <oid> PATH"
			all = append(all, difference{f[7], f[0][0], f[0][1], f[3]})
		case kind == "u" && len(f) == 10: // "u UU N... <mode> <mode> <mode> <mode> <oid> <oid> <oid> PATH"
			all = append(all, difference{name: f[9], staged: 'U', how: 'U'})
		default:
			return nil, fmt.Errorf("can't parse the output of git status: %q", line)
		}
	}
	return all, nil
}

// force judges the files that the worker added though git is told to ignore them.
func (r *Repo) force(ctx context.Context, t *Tree, index string, f *sieve) error {
	var names []string
	for _, name := range r.added(ctx, t) {
		if in, err := os.Lstat(filepath.Join(t.Path, filepath.FromSlash(name))); err == nil && !in.IsDir() && !f.seen[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	out, err := r.aside(ctx, t, index, git.Call{Args: []string{"ls-files", "-z"}})
	if err != nil {
		return err
	}
	for _, name := range split(out) { // they are in an earlier result
		f.seen[name] = true
	}
	for _, name := range names {
		f.untracked(name)
	}
	return nil
}

// added are the files that the worker added or committed itself, though git may be told to ignore
// them. An index of the worker's that git cannot read names none.
func (r *Repo) added(ctx context.Context, t *Tree) []string {
	out, err := r.call(ctx, git.Call{
		Env:  []string{"GIT_DIR=" + r.common, "GIT_WORK_TREE=" + t.Path, "GIT_INDEX_FILE=" + filepath.Join(t.dir, "index")},
		Args: []string{"diff-index", "--cached", "--name-only", "--diff-filter=A", "--no-renames", "--ignore-submodules=all", "-z", t.Base},
	})
	if err != nil {
		return nil
	}
	return split(out)
}

// sieve tells the changes that may be part of a result from those that may not.
type sieve struct {
	repo       *Repo
	tree       *Tree
	seen       map[string]bool
	take, gone []string
	refused    []string
}

func (f *sieve) refuse(name, why string) { f.refused = append(f.refused, name+": "+why) }

// tracked judges a file or a submodule (link) of the base that is not as it was, or not there.
func (f *sieve) tracked(ctx context.Context, name string, link, gone bool) {
	if f.seen[name] {
		return
	}
	f.seen[name] = true
	at := filepath.Join(f.tree.Path, filepath.FromSlash(name))
	in, err := os.Lstat(at)
	dir := err == nil && in.IsDir()
	switch {
	case stores(name):
		f.refuse(name, "only vespe may change files of a store; restored")
	case link && dir:
		if !f.repo.hasLink(ctx, f.tree, name) {
			f.refuse(name, "a submodule commit that exists only in this worktree")
			return
		}
		f.take = append(f.take, name)
	case dir && exists(filepath.Join(at, gitFile)):
		f.refuse(name, "a repository of its own")
	case gone || dir: // what lies in a directory is judged by itself
		f.gone = append(f.gone, name)
	default:
		f.file(name, at, in)
	}
}

// file judges a file by what it is.
func (f *sieve) file(name, at string, in os.FileInfo) {
	switch regular := in != nil && in.Mode().IsRegular(); {
	case regular && f.repo.MaxFile > 0 && in.Size() > f.repo.MaxFile:
		f.refuse(name, fmt.Sprintf("%d bytes: more than %d", in.Size(), f.repo.MaxFile))
	case regular && unix.Access(at, unix.R_OK) != nil: // git would take nothing at all then
		f.refuse(name, "it is unreadable")
	default:
		f.take = append(f.take, name)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// untracked judges a file that the base does not have.
func (f *sieve) untracked(name string) {
	if f.seen[name] {
		return
	}
	f.seen[name] = true
	at := filepath.Join(f.tree.Path, filepath.FromSlash(name))
	in, err := os.Lstat(at)
	switch {
	case err != nil: // gone meanwhile
	case stores(name):
		f.refuse(name, "only vespe may change files of a store")
	case strings.HasSuffix(name, "/"):
		f.refuse(name, "a repository of its own")
	case matches(f.repo.Secrets, name):
		f.refuse(name, "looks like a secret")
	case git.CheckPath(name) != nil:
		f.refuse(name, "not a valid path for git")
	default:
		f.file(name, at, in)
	}
}

// hasLink reports whether the commit that a submodule of a worktree is at is one that the person's
// checkout has, too.
func (r *Repo) hasLink(ctx context.Context, t *Tree, name string) bool {
	at := filepath.Join(t.Path, filepath.FromSlash(name))
	out, err := r.call(ctx, git.Call{Dir: at, Env: []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(at)}, Args: []string{"rev-parse", "-q", "--verify", "HEAD^{commit}"}})
	if err != nil {
		return false
	}
	theirs := filepath.Join(r.top, filepath.FromSlash(name))
	_, err = r.call(ctx, git.Call{Dir: theirs, Env: []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(theirs)}, Args: []string{"cat-file", "-e", strings.TrimSpace(out) + "^{commit}"}})
	return err == nil
}

// stores reports whether a path lies in a store, of this root or another.
func stores(name string) bool {
	for el := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(el, ".vespe") {
			return true
		}
	}
	return false
}

// matches reports whether the last of the patterns that match a path is none that takes back.
func matches(patterns []string, name string) bool {
	found := false
	for _, p := range patterns {
		p, back := strings.CutPrefix(p, "!")
		what := name
		if !strings.Contains(p, "/") {
			what = name[strings.LastIndex(name, "/")+1:]
		}
		if ok, err := filepath.Match(strings.ToLower(p), strings.ToLower(what)); err == nil && ok {
			found = !back
		}
	}
	return found
}
