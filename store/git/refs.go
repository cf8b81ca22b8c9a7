package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"vespe/internal/lazyregexp"
)

// ErrMoved says that a reference is not what it was when it was read.
var ErrMoved = errors.New("the reference was moved by someone else")

// ErrRefLocked says that another git is moving the reference, or was killed at it.
var ErrRefLocked = errors.New("the reference is locked")

// UpdateRef moves a reference from one commit to another; from "" it must not exist. The
// person is who the log of the reference names. ErrMoved when it is elsewhere now,
// ErrRefLocked when its lock was not given back within refWait.
func (r *Repo) UpdateRef(ctx context.Context, ref string, to, from OID, who Commit, reason string) error {
	if from == "" {
		from = r.zero()
	}
	_, err := r.run.run(ctx, identity(who), nil, "update-ref", "-m", reason, ref, string(to), string(from))
	var e *Error
	if errors.As(err, &e) {
		if lock := lockIn(e.Stderr); lock != "" {
			return fmt.Errorf("%w: %s", ErrRefLocked, lock)
		}
		if strings.Contains(e.Stderr, "but expected") || strings.Contains(e.Stderr, "already exists") {
			return fmt.Errorf("%w: %w", ErrMoved, err)
		}
	}
	return err
}

// lockIn is the lock file that git complains of; "" when it does not.
func lockIn(said string) string {
	before, _, found := strings.Cut(said, "': File exists")
	at := strings.LastIndex(before, "'")
	if !found || at < 0 || !strings.HasSuffix(before, ".lock") {
		return ""
	}
	return before[at+1:]
}

func identity(who Commit) []string {
	return []string{
		"GIT_AUTHOR_NAME=" + who.Name, "GIT_AUTHOR_EMAIL=" + who.Email,
		"GIT_COMMITTER_NAME=" + who.Name, "GIT_COMMITTER_EMAIL=" + who.Email,
	}
}

// refText is a file of a reference that names a branch or a commit.
var refText = lazyregexp.New(`^(?:ref: (refs/heads/[^.\s]\S*)|([0-9a-f]{40,64}))\n$`)

// notAName is in no name that git takes for a branch.
var notAName = lazyregexp.New(`\.\.|@\{|/\.|//|/$|\.lock(?:/|$)`)

// Head reads what a worktree has checked out from the file HEAD of its git directory: a branch (refs/heads/…) or a
// commit. Both are "" when only git can tell: with reftables, and when the branch is a symbolic reference.
func Head(dir, common string) (branch, commit string) {
	branch, commit, _ = refFile(filepath.Join(dir, "HEAD"))
	if branch != "" {
		if _, at, err := refFile(filepath.Join(common, branch)); at == "" && !errors.Is(err, fs.ErrNotExist) {
			return "", ""
		}
	}
	return branch, commit
}

func refFile(at string) (branch, commit string, err error) {
	in, err := os.Lstat(at)
	if err != nil || !in.Mode().IsRegular() {
		return "", "", err
	}
	b, err := os.ReadFile(at)
	m := refText.Get().FindSubmatch(b)
	if m == nil || notAName.Get().Match(m[1]) {
		return "", "", err
	}
	return string(m[1]), string(m[2]), err
}

// Branch is the branch that is checked out, as refs/heads/…; "" when none is.
func (r *Repo) Branch(ctx context.Context) (string, error) {
	if branch, commit := Head(r.Dir, r.Common); branch != "" || commit != "" {
		return branch, nil
	}
	out, err := r.run.run(ctx, nil, nil, "symbolic-ref", "-q", "HEAD")
	var e *Error
	if errors.As(err, &e) && e.Stderr == "" && ctx.Err() == nil {
		return "", nil // it says so with its exit code alone
	}
	return strings.TrimSuffix(out, "\n"), err
}

// busy are the names in a git directory that stand there while something is unfinished.
var busy = []struct{ name, what string }{
	{"MERGE_HEAD", "a merge"},
	{"rebase-merge", "a rebase"},
	{"rebase-apply", "a rebase"},
	{"CHERRY_PICK_HEAD", "a cherry-pick"},
	{"REVERT_HEAD", "a revert"},
	{"sequencer", "a cherry-pick or a revert"},
	{"BISECT_LOG", "a bisection"},
}

// Busy names what the person has begun and not ended; "" when there is nothing.
func (r *Repo) Busy() string { return BusyIn(r.Dir) }

// BusyIn is Busy of a worktree with a git directory of its own.
func BusyIn(dir string) string {
	for _, b := range busy {
		if _, err := os.Lstat(filepath.Join(dir, b.name)); err == nil {
			return b.what
		}
	}
	return ""
}

// BusyAround is Busy of the worktree that a directory lies in, without asking git.
func BusyAround(root string) string {
	for dir := root; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, ".git")
		if info, err := os.Stat(name); err == nil {
			if info.IsDir() {
				return BusyIn(name)
			}
			if !info.Mode().IsRegular() || info.Size() > 64<<10 {
				return ""
			}
			b, _ := os.ReadFile(name) // a linked worktree: where its directory is
			at, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
			if !ok {
				return ""
			}
			if !filepath.IsAbs(at) {
				at = filepath.Join(dir, at)
			}
			return BusyIn(at)
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// Ignored is those of some paths, from the top of the worktree, that git is told to ignore
// and does not track.
func (r *Repo) Ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	in := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	out, err := r.run.run(ctx, nil, in, "check-ignore", "--stdin", "-z")
	var e *Error
	if errors.As(err, &e) && e.Stderr == "" && out == "" && ctx.Err() == nil {
		return nil, nil // exit code 1: none of them
	}
	if err != nil {
		return nil, err
	}
	ignored := map[string]bool{}
	for path := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		ignored[path] = true
	}
	return ignored, nil
}

// Messages are those of the newest commits that have all of some lines, newest first: of
// what can be reached from to and not from since, which may be "".
func (r *Repo) Messages(ctx context.Context, since, to OID, line string, most int) ([]Found, error) {
	args := []string{"log", "--no-show-signature", "--no-color", "--no-notes", "--encoding=UTF-8", "-n", strconv.Itoa(most), "-F", "--grep=" + line, "--format=%H%x00%B%x00", string(to)}
	if since != "" {
		args = append(args, "^"+string(since))
	}
	out, err := r.run.run(ctx, nil, nil, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	var found []Found
	parts := strings.Split(out, "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		found = append(found, Found{OID(strings.TrimSpace(parts[i])), parts[i+1]})
	}
	return found, nil
}

// Found is a commit and its message.
type Found struct {
	OID     OID
	Message string
}
