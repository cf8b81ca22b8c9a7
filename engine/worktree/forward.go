package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vespe/store/git"
)

// lockWait is how long FastForward waits for another git in the person's checkout, which may be
// vespe's own that records the store.
const lockWait = time.Second

// FastForward moves the target to a commit of the integration branch. Where the person has the
// target checked out, its files follow; what the person has changed or begun is not touched:
// *Refused when it is in the way, and when anything is staged. A target that has commits of its own since moves on to the
// merge of them that Integrate made, as long as that brings no other work; one that has gained nothing
// but files of stores gets a merge of the two.
func (r *Repo) FastForward(ctx context.Context, upTo string) error { return r.move(ctx, upTo, false) }

// move moves the target; dry only says whether it would.
func (r *Repo) move(ctx context.Context, upTo string, dry bool) error {
	ctx, unlock, err := r.lock(ctx, lockRefs)
	if err != nil {
		return err
	}
	defer unlock()
	to, err := r.mustCommit(ctx, upTo)
	if err != nil {
		return err
	}
	ref, err := r.targetRef(ctx)
	if err != nil {
		return err
	}
	for range tries {
		from, e := r.mustCommit(ctx, ref)
		if e != nil {
			return e
		}
		if err = r.forward(ctx, ref, from, to, dry); err == nil {
			return nil
		}
		if now, e := r.commit(ctx, ref); e != nil || now == from {
			return err
		}
	}
	return err
}

// Deliver is FastForward of a target that may have commits of its own since: those and the commit
// are merged and verified together, and the target is moved to the merge. Work that came after the
// commit on the integration branch stays there. Errors are FastForward's, *Conflict and *Unverified;
// nothing is changed then.
func (r *Repo) Deliver(ctx context.Context, upTo string, verify func(ctx context.Context, dir, commit string) error) error {
	ctx, unlock, err := r.lock(ctx, lockIntegrate)
	if err != nil {
		return err
	}
	defer unlock()
	for range tries {
		err = r.FastForward(ctx, upTo)
		if !isApart(err) {
			return err
		}
		both, err := r.joined(ctx, upTo)
		if err != nil {
			return err
		}
		if err := r.move(ctx, both, true); err != nil && !isApart(err) {
			return err // before anybody waits for tests
		}
		if err := r.verifiedOnce(ctx, both, verify); err != nil {
			return err
		}
		if err = r.FastForward(ctx, both); !isApart(err) {
			return err
		}
	}
	return err
}

// isApart reports whether the target has gone its own way.
func isApart(err error) bool {
	var no *Refused
	return errors.As(err, &no) && no.apart
}

// joined is the merge of the target and a commit.
func (r *Repo) joined(ctx context.Context, upTo string) (string, error) {
	ref, err := r.targetRef(ctx)
	if err != nil {
		return "", err
	}
	oids, err := r.objects(ctx, ref+asCommit, upTo+asCommit)
	if err != nil {
		return "", err
	}
	if oids[0] == "" || oids[1] == "" {
		return "", fmt.Errorf("unknown commit: %s or %s", ref, upTo)
	}
	name := strings.TrimPrefix(ref, heads)
	return r.mergeCommit(ctx, r.Branch, name, oids[0], oids[1])
}

// verifiedRef is a merge of the target that was verified, until it is delivered: what is in the way
// may stay there for long.
const verifiedRef = "refs/vespe/verified"

func (r *Repo) verifiedOnce(ctx context.Context, commit string, verify func(ctx context.Context, dir, commit string) error) error {
	was, err := r.commit(ctx, verifiedRef)
	if err != nil || was == commit || verify == nil {
		return err
	}
	if err := r.verified(ctx, "target", commit, verify); err != nil {
		return err
	}
	return r.setRef(ctx, verifiedRef, commit, "*", "vespe: verified")
}

func (r *Repo) forward(ctx context.Context, ref, from, to string, dry bool) error {
	name := strings.TrimPrefix(ref, heads)
	gained, lacks, err := r.apart(ctx, from, to)
	if err != nil || lacks == 0 {
		return err
	}
	trees, err := r.worktrees(ctx)
	if err != nil {
		return err
	}
	var here *entry
	for i, w := range trees {
		switch {
		case w.rewrites(ref):
			return &Refused{Why: name + " is being rebased or bisected in " + w.path + ".", Hint: "Finish that first. Until then the work stays on " + r.Branch + "."}
		case w.branch != ref:
		case !same(w.path, r.top):
			return &Refused{Why: name + " is checked out in " + w.path + ", which is not the checkout of the store.", Hint: "Merge it there: git merge --ff-only " + to}
		default:
			here = &trees[i]
		}
	}
	if gained > 0 {
		if to, err = r.past(ctx, name, from, to); err != nil {
			return err
		}
	}
	if here != nil {
		if err := r.clear(ctx, here, from, to); err != nil {
			return err
		}
	}
	switch {
	case dry:
		return nil
	case here != nil:
		return r.pull(ctx, here, name, to)
	}
	return r.setRef(ctx, ref, to, from, "vespe: fast-forward")
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	y, e := os.Stat(b)
	return err == nil && e == nil && os.SameFile(x, y)
}

// past is what a target that has gone its own way can move to: the merge of it on the integration
// branch, when there is no work before that but what is to come, or besideStores.
func (r *Repo) past(ctx context.Context, name, target, to string) (string, error) {
	branch, err := r.commit(ctx, r.branchRef())
	if err != nil {
		return "", err
	}
	if branch != "" {
		out, err := r.run(ctx, "rev-list", "--reverse", "--topo-order", "--merges", "--ancestry-path", branch, "^"+to, "--")
		if err != nil {
			return "", err
		}
		for _, merge := range strings.Fields(out) {
			more, err := r.line(ctx, "rev-list", "--count", "--no-merges", merge, "^"+to, "^"+target, "--")
			if err != nil {
				return "", err
			}
			if more != "0" {
				break
			}
			missing, _, err := r.apart(ctx, target, merge)
			if err != nil || missing == 0 {
				return merge, err
			}
		}
	}
	return r.besideStores(ctx, name, target, to)
}

// besideStores is a merge of the target with a commit, when the target has gained only files of
// stores: vespe may record those there itself, after each step.
func (r *Repo) besideStores(ctx context.Context, name, target, to string) (string, error) {
	only, err := r.onlyStores(ctx, target, to)
	if err != nil {
		return "", err
	}
	if !only {
		return "", &Refused{
			Why:   name + " has commits that " + to[:12] + " does not have.",
			Hint:  "Merge " + r.Branch + " yourself, or let vespe verify the two together.",
			apart: true,
		}
	}
	return r.mergeCommit(ctx, r.Branch, name, target, to)
}

// onlyStores reports whether all that a commit has gained since it and another parted are files
// of stores.
func (r *Repo) onlyStores(ctx context.Context, commit, other string) (bool, error) {
	since, err := r.line(ctx, "merge-base", commit, other)
	if git.ExitCode(err) == 1 {
		return false, nil // they have nothing in common
	}
	if err != nil {
		return false, err
	}
	all, err := r.differ(ctx, since, commit)
	return !slices.ContainsFunc(all, func(d difference) bool { return !stores(d.name) }), err
}

// differ are the files that two commits or trees have otherwise.
func (r *Repo) differ(ctx context.Context, a, b string) (all []difference, err error) {
	if a == b {
		return nil, nil
	}
	out, err := r.run(ctx, "diff-tree", "-r", "--name-status", "--no-renames", "-z", a, b, "--")
	fields := split(out)
	for i := 0; i+1 < len(fields); i += 2 {
		all = append(all, difference{name: fields[i+1], how: fields[i][0]})
	}
	return all, err
}

// clear looks whether anything in the person's checkout is in the way.
func (r *Repo) clear(ctx context.Context, w *entry, from, to string) error {
	if what := w.busy(); what != "" {
		return &Refused{Why: "There is " + what + " in progress in " + w.path + ".", Hint: "Finish or abort it. Until then the work stays on " + r.Branch + "."}
	}
	if err := r.waitIndex(ctx, w); err != nil {
		return err
	}
	changed, err := r.differ(ctx, from, to)
	if err != nil {
		return err
	}
	all, err := r.status(ctx, git.Call{}, "no", "dirty")
	if err != nil {
		return err
	}
	var staged, dirty []string
	for _, d := range all {
		if (d.staged != '.' || d.how == 'A') && !stores(d.name) { // 'A': it is to be added
			staged = append(staged, d.name)
		}
		if d.how != '.' {
			dirty = append(dirty, d.name)
		}
	}
	// A commit that somebody is putting together is not to get another parent under their hands.
	if len(staged) > 0 {
		return &Refused{Why: w.path + " has staged changes: " + some(staged) + ".", Hint: "Commit or unstage them. Until then the work stays on " + r.Branch + "."}
	}
	if files := both(changed, dirty); len(files) > 0 {
		return &Refused{Why: "The work changes files with uncommitted changes in " + w.path + ": " + some(files) + ".", Hint: "Commit or stash them. Until then the work stays on " + r.Branch + "."}
	}
	if files := w.untracked(changed); len(files) > 0 {
		return &Refused{Why: "The work adds files that are untracked in " + w.path + ": " + some(files) + ".", Hint: "Move or remove them. Until then the work stays on " + r.Branch + "."}
	}
	return nil
}

// untracked are the files of a checkout that changes would write over, though git is told to ignore them.
func (w *entry) untracked(changed []difference) (files []string) {
	gone := map[string]bool{} // where a file system does not tell upper case from lower, one may be the other
	for _, d := range changed {
		if d.how == 'D' {
			gone[strings.ToLower(d.name)] = true
		}
	}
	for _, d := range changed {
		in, err := os.Lstat(filepath.Join(w.path, filepath.FromSlash(d.name)))
		if d.how == 'A' && err == nil && !in.IsDir() && !gone[strings.ToLower(d.name)] {
			files = append(files, d.name)
		}
	}
	return files
}

// pull fast-forwards what is checked out in the person's worktree. It is not cut off half way when
// we are told to stop. The settings of the repository may add options: all that would do more than
// a fast-forward is taken back.
func (r *Repo) pull(ctx context.Context, w *entry, name, to string) error {
	_, err := r.call(context.WithoutCancel(ctx), git.Call{
		Env: r.identity(ctx).env(r.now()),
		Args: []string{
			"merge", "-q", "--ff-only", "--no-squash", "--no-autostash", "--no-overwrite-ignore", "--no-verify-signatures", "--no-stat", to,
		},
	})
	var e *git.Error
	if errors.As(err, &e) && git.ExitCode(err) > 0 {
		if _, errs := os.Lstat(filepath.Join(w.path, gitFile)); errs == nil {
			return &Refused{Why: "git can't move " + name + " in " + w.path + ": " + firstLines(e.Stderr), Hint: "Move what is in the way. Until then the work stays on " + r.Branch + "."}
		}
	}
	return err
}

// waitIndex waits until no other git is at work in the person's checkout.
func (r *Repo) waitIndex(ctx context.Context, w *entry) error {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	lock := filepath.Join(w.dir, "index.lock")
	for {
		if _, err := os.Lstat(lock); err != nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return &Refused{Why: "Another git process is running in " + w.path + ".", Hint: "If no git is running, remove the leftover " + lock + "."}
		}
	}
}

// both are the paths that two lists have, or that lie in each other's.
func both(changed []difference, theirs []string) []string {
	if len(theirs) == 0 {
		return nil
	}
	all := map[string]bool{}
	mine := map[string]bool{}
	for _, d := range changed {
		mine[d.name] = true
		for name := d.name; name != "."; name = filepath.Dir(name) {
			all[name] = true
		}
	}
	var found []string
	for _, name := range theirs {
		if all[name] || slices.ContainsFunc(above(name), func(dir string) bool { return mine[dir] }) {
			found = append(found, name)
		}
	}
	return found
}

func above(name string) []string {
	var dirs []string
	for dir := filepath.Dir(name); dir != "." && dir != "/"; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	return dirs
}

// firstLines is what git said, on one line.
func firstLines(said string) string {
	said = strings.TrimPrefix(strings.Join(strings.Fields(said), " "), "error: ")
	if r := []rune(said); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return said
}
