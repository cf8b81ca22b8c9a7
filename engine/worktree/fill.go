package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"vespe/store/git"
)

const (
	includeFile     = ".worktreeinclude"
	maxInclude      = 64 << 10 // bytes of patterns
	maxCopiedFiles  = 10_000
	firstPort, span = 20_000, 10_000 // below those that systems give away by themselves
)

// fill brings into a new worktree what git does not check out: submodules that are here, and what
// .worktreeinclude names.
func (r *Repo) fill(ctx context.Context, t *Tree) (notes []string, err error) {
	subs, err := r.submodules(ctx, t)
	if err != nil {
		return nil, err
	}
	copied, err := r.include(ctx, t)
	return append(subs, copied...), err
}

// include copies the ignored files of the person's checkout that the patterns of .worktreeinclude
// name (gitignore's syntax). Links are not followed and not copied, and no file is replaced.
func (r *Repo) include(ctx context.Context, t *Tree) (notes []string, err error) {
	from, err := os.OpenRoot(r.top)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	in, err := from.Lstat(includeFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !in.Mode().IsRegular() || in.Size() > maxInclude:
		return []string{includeFile + " was skipped: it is not a regular file of at most 64 KiB"}, nil
	}
	out, err := r.run(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-from="+includeFile)
	if err != nil {
		return nil, err
	}
	named := split(out)
	if len(named) == 0 {
		return nil, nil
	}
	ignored, err := r.ignored(ctx, named)
	if err != nil {
		return nil, err
	}
	to, err := os.OpenRoot(t.Path)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	var copied []string
	var left []string
	room := r.MaxCopied
	for _, name := range named {
		if !ignored[name] || strings.HasSuffix(name, "/") || stores(name) {
			continue
		}
		if len(copied) == maxCopiedFiles {
			notes = append(notes, fmt.Sprintf("%s: more than %d files; the rest were not copied", includeFile, maxCopiedFiles))
			break
		}
		n, err := copyFile(from, to, name, room)
		if err != nil {
			left = append(left, name)
			continue
		}
		room -= n
		copied = append(copied, name)
	}
	if len(left) > 0 {
		notes = append(notes, fmt.Sprintf("%s: not copied (too large in total, a link, or it already exists): %s", includeFile, some(left)))
	}
	return notes, os.WriteFile(r.side(t.name, ".copied"), []byte(strings.Join(copied, "\x00")), 0o600)
}

// ignored are those of some paths of the person's checkout that git is told to ignore.
func (r *Repo) ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	out, err := r.call(ctx, git.Call{Args: []string{"check-ignore", "--stdin", "-z"}, In: strings.NewReader(strings.Join(paths, "\x00") + "\x00")})
	if err != nil && git.ExitCode(err) != 1 { // 1: none of them
		return nil, err
	}
	found := map[string]bool{}
	for _, p := range split(out) {
		found[p] = true
	}
	return found, nil
}

var errNotCopied = errors.New("it is not copied")

func copyFile(from, to *os.Root, name string, room int64) (int64, error) {
	in, err := from.Lstat(name)
	if err != nil || !in.Mode().IsRegular() || in.Size() > room {
		return 0, errNotCopied
	}
	src, err := from.Open(name)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	if now, err := src.Stat(); err != nil || !os.SameFile(in, now) {
		return 0, errNotCopied
	}
	if dir := path.Dir(name); dir != "." {
		if err := to.MkdirAll(dir, 0o777); err != nil {
			return 0, err
		}
	}
	dst, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, in.Mode().Perm())
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(dst, io.LimitReader(src, room))
	return n, errors.Join(err, dst.Close())
}

// copied are the files that were copied into a worktree.
func (r *Repo) copied(name string) (map[string]bool, error) {
	b, err := os.ReadFile(r.side(name, ".copied"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	found := map[string]bool{}
	for _, p := range split(string(b)) {
		found[p] = true
	}
	return found, nil
}

// freePort is a port of this machine that nobody listens on and no other worktree was given.
func (r *Repo) freePort() (int, error) {
	names, err := r.records()
	if err != nil {
		return 0, err
	}
	taken := map[int]bool{}
	for _, name := range names {
		if rec, err := r.read(name); err == nil && rec != nil {
			taken[rec.Port] = true
		}
	}
	at := rand.IntN(span)
	for i := range span {
		port := firstPort + (at+i)%span
		if taken[port] {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort("", strconv.Itoa(port)))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no free port")
}

// gitlinks are the submodules of a commit, by path.
func (r *Repo) gitlinks(ctx context.Context, commit string) (map[string]string, error) {
	// A tree without this file has none that could be filled.
	if named, err := r.objects(ctx, commit+":.gitmodules"); err != nil || named[0] == "" {
		return nil, err
	}
	out, err := r.run(ctx, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return nil, err
	}
	links := map[string]string{}
	for _, line := range split(out) {
		about, name, _ := strings.Cut(line, "\t")
		if f := strings.Fields(about); len(f) == 3 && f[0] == modeLink {
			links[name] = f[2]
		}
	}
	return links, nil
}

// submodules checks out those submodules whose repository is here already. None is fetched.
func (r *Repo) submodules(ctx context.Context, t *Tree) (notes []string, err error) {
	links, err := r.gitlinks(ctx, t.Base)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	out, err := r.run(ctx, "config", "-z", "--blob", t.Base+":.gitmodules", "--get-regexp", `^submodule\..*\.path$`)
	if err != nil && git.ExitCode(err) != 1 {
		return nil, err
	}
	var absent []string
	for _, entry := range split(out) {
		key, at, _ := strings.Cut(entry, "\n")
		name := strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		if links[at] == "" {
			continue
		}
		if err := r.submodule(ctx, t, name, at, links[at]); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			absent = append(absent, at)
		}
	}
	if len(absent) > 0 {
		return []string{"submodules that are not checked out here and stay empty: " + some(absent)}, nil
	}
	return nil, nil
}

// submodule checks one out from the repository that the person's checkout has of it.
func (r *Repo) submodule(ctx context.Context, t *Tree, name, at, commit string) error {
	if !filepath.IsLocal(name) || !filepath.IsLocal(at) {
		return fmt.Errorf("submodule %q is outside of the worktree", name)
	}
	from := filepath.Join(r.common, "modules", filepath.FromSlash(name))
	if _, err := r.call(ctx, git.Call{Env: []string{"GIT_DIR=" + from}, Args: []string{"rev-parse", "-q", "--verify", commit + "^{commit}"}}); err != nil {
		return err
	}
	set := "submodule." + name + "."
	// All that git would write into the settings of the repository is said here.
	_, err := r.call(ctx, git.Call{
		Dir: t.Path, Env: append(r.env(t), "GIT_ALLOW_PROTOCOL=file"),
		Config: []string{"protocol.file.allow=always", set + "url=" + from, set + "active=true", set + "update=checkout"},
		Args:   []string{"submodule", "--quiet", "update", "--init", "--no-recommend-shallow", "--", at},
	})
	return err
}
