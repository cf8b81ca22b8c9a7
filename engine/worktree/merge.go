package worktree

import (
	"context"
	"fmt"
	"strings"

	"vespe/store/git"
)

// merge is the tree of two commits merged, made without a checkout. *Conflict when there are any.
func (r *Repo) merge(ctx context.Context, ours, theirs, what string) (tree string, err error) {
	out, err := r.run(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs)
	fields := split(out)
	switch code := git.ExitCode(err); {
	case err == nil && len(fields) > 0:
		return fields[0], nil
	case code == 1 && len(fields) > 0:
		return "", &Conflict{Files: fields[1:], Ours: ours, Theirs: theirs, What: what}
	case code == 129: // it does not know what is asked
		return "", &Refused{"This git cannot merge without a checkout.", "Install git 2.38 or newer."}
	case err == nil:
		err = fmt.Errorf("git merge-tree: an answer that cannot be read: %q", out)
	}
	return "", err
}

// treeOf is the tree of a commit.
func (r *Repo) treeOf(ctx context.Context, commit string) (string, error) {
	return r.line(ctx, "rev-parse", "--verify", commit+"^{tree}")
}

// apart is how many commits each of two has that the other lacks.
func (r *Repo) apart(ctx context.Context, a, b string) (left, right int, err error) {
	out, err := r.line(ctx, "rev-list", "--count", "--left-right", a+"..."+b, "--")
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscan(strings.ReplaceAll(out, "\t", " "), &left, &right)
	return left, right, err
}

// tip is where the integration branch is (branch; "" when there is none) and where it is to be
// so that nothing of the target is missing (at). The two differ when the target has moved on.
func (r *Repo) tip(ctx context.Context) (branch, at string, err error) {
	ref, err := r.targetRef(ctx)
	if err != nil {
		return "", "", err
	}
	target, err := r.mustCommit(ctx, ref)
	if err != nil {
		return "", "", err
	}
	if branch, err = r.commit(ctx, r.branchRef()); err != nil || branch == "" {
		return "", target, err
	}
	ahead, behind, err := r.apart(ctx, branch, target)
	switch {
	case err != nil:
		return "", "", err
	case behind == 0:
		return branch, branch, nil
	case ahead == 0:
		return branch, target, nil
	}
	// What vespe records of the store in the target is no reason to verify anything again.
	if only, err := r.onlyStores(ctx, target, branch); err != nil || only {
		return branch, branch, err
	}
	name := strings.TrimPrefix(ref, heads)
	tree, err := r.merge(ctx, branch, target, "bringing "+name+" into "+r.Branch)
	if err != nil {
		return "", "", err
	}
	at, err = r.commitTree(ctx, tree, fmt.Sprintf("Merge %s into %s\n", name, r.Branch), branch, target)
	return branch, at, err
}

// tries is how often something is done again that somebody else moved a branch under.
const tries = 5

// Tip is the tip of the integration branch. The branch is made from the target where there is
// none; what the target has gained is brought in, by a merge commit where the branch is ahead
// of it. *Conflict when that is not possible, *Refused.
func (r *Repo) Tip(ctx context.Context) (string, error) {
	unlock, err := r.lock(ctx, lockRefs)
	if err != nil {
		return "", err
	}
	defer unlock()
	for range tries {
		branch, at, e := r.tip(ctx)
		if err = e; err != nil || branch == at {
			return at, err
		}
		if err = r.advance(ctx, branch, at, "vespe: the target brought in"); err == nil {
			return at, nil
		}
	}
	return "", err
}

// advance moves the integration branch, unless somebody has it checked out. The caller holds
// lockRefs.
func (r *Repo) advance(ctx context.Context, from, to, reason string) error {
	trees, err := r.worktrees(ctx)
	if err != nil {
		return err
	}
	for _, w := range trees {
		if w.branch == r.branchRef() || w.rewrites(r.branchRef()) {
			return &Refused{
				"The integration branch " + r.Branch + " is checked out in " + w.path + ".",
				"Check out another branch there: vespe moves this one by itself.",
			}
		}
	}
	return r.setRef(ctx, r.branchRef(), to, from, reason)
}
