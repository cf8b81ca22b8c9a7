package worktree

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

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
		return "", &Conflict{Files: fields[1:], What: what}
	case code == 129: // it does not know what is asked
		return "", &Refused{Why: "This git can't merge without a checkout.", Hint: "Install git 2.38 or newer."}
	case err == nil:
		err = fmt.Errorf("can't parse the output of git merge-tree: %q", out)
	}
	return "", err
}

// apart is how many commits each of two has that the other lacks.
func (r *Repo) apart(ctx context.Context, a, b string) (left, right int, err error) {
	if a == b {
		return 0, 0, nil
	}
	out, err := r.line(ctx, "rev-list", "--count", "--left-right", a+"..."+b, "--")
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscan(strings.ReplaceAll(out, "\t", " "), &left, &right)
	return left, right, err
}

// tips is where the integration branch is, and where it is to be so that nothing of the target is
// missing.
type tips struct {
	branch string // "" when there is none
	at     string
	merged bool // at is a merge that nobody has verified
}

func (r *Repo) tip(ctx context.Context) (tips, error) {
	ref, err := r.targetRef(ctx)
	if err != nil {
		return tips{}, err
	}
	oids, err := r.objects(ctx, ref+asCommit, r.branchRef()+asCommit)
	if err != nil {
		return tips{}, err
	}
	target, branch := oids[0], oids[1]
	switch {
	case target == "":
		return tips{}, fmt.Errorf("unknown commit %s", ref)
	case branch == "":
		return tips{at: target}, nil
	}
	ahead, behind, err := r.apart(ctx, branch, target)
	switch {
	case err != nil:
		return tips{}, err
	case behind == 0:
		return tips{branch: branch, at: branch}, nil
	case ahead == 0:
		return tips{branch: branch, at: target}, nil
	}
	// What vespe records of the store in the target is no reason to verify anything again.
	if only, err := r.onlyStores(ctx, target, branch); err != nil || only {
		return tips{branch: branch, at: branch}, err
	}
	at, err := r.mergeCommit(ctx, strings.TrimPrefix(ref, heads), r.Branch, branch, target)
	return tips{branch, at, true}, err
}

// mergeCommit merges a commit of one branch (theirs) into another. It has the time of the younger of
// the two, so that it is the same commit whenever it is made: what began on it, or was verified,
// finds it again.
func (r *Repo) mergeCommit(ctx context.Context, from, into, ours, theirs string) (string, error) {
	tree, err := r.merge(ctx, ours, theirs, "merging "+from+" into "+into)
	if err != nil {
		return "", err
	}
	out, err := r.run(ctx, "log", "--no-walk", "--no-show-signature", "--format=%ct", ours, theirs, "--")
	if err != nil {
		return "", err
	}
	var when int64
	for _, line := range strings.Fields(out) {
		sec, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			return "", fmt.Errorf("git log: %w", err)
		}
		when = max(when, sec)
	}
	return r.commitAt(ctx, time.Unix(when, 0).UTC(), tree, fmt.Sprintf("Merge %s into %s\n", from, into), ours, theirs)
}

// tries is how often something is done again that somebody else moved a branch under.
const tries = 5

// Tip is where the next run begins: the tip of the integration branch, with what the target has
// gained brought in. The branch is made from the target where there is none, and follows it as
// long as it has nothing of its own; a merge of the two is only made, for Integrate to put there
// when it is verified. *Conflict when that is not possible, *Refused.
func (r *Repo) Tip(ctx context.Context) (string, error) {
	ctx, unlock, err := r.lock(ctx, lockRefs)
	if err != nil {
		return "", err
	}
	defer unlock()
	for range tries {
		tip, e := r.tip(ctx)
		if e != nil || tip.at == tip.branch || tip.merged {
			return tip.at, e
		}
		if err = r.advance(ctx, tip.branch, tip.at, "vespe: follows the target"); !errors.Is(err, ErrMoved) {
			return tip.at, err
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
				Why:  "The integration branch " + r.Branch + " is checked out in " + w.path + ".",
				Hint: "Check out another branch there. vespe moves this one itself.",
			}
		}
	}
	return r.setRef(ctx, r.branchRef(), to, from, reason)
}

func (r *Repo) advanceLocked(ctx context.Context, from, to, reason string) error {
	ctx, unlock, err := r.lock(ctx, lockRefs)
	if err != nil {
		return err
	}
	defer unlock()
	return r.advance(ctx, from, to, reason)
}
