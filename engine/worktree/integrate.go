package worktree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vespe/store/git"
)

// Integration is a result that is to be part of the integration branch.
type Integration struct {
	Run          string
	Base, Result string // commits, the one before the other; "" are the run's references
	Message      Message
}

// Integrated is a commit of the integration branch.
type Integrated struct {
	Commit   string
	Run      string
	Task     string // uid; untrusted
	Subject  string // untrusted
	Already  bool   // it was there before
	SameTree bool   // its files are those of the result: what was verified is what is integrated
	Empty    bool   // it changes nothing: the branch had it all
}

// Integrate puts the result of a run on the integration branch as one commit. It is verified
// first, in a worktree of its own, unless its tree is the result's. One is integrated at a time,
// in all processes. It may be called again whenever it did not return: a run is integrated once.
//
// Errors are *Conflict, *Unverified, *Refused, ErrNoResult and ErrMoved; nothing is changed then.
func (r *Repo) Integrate(ctx context.Context, in Integration, verify func(ctx context.Context, dir, commit string) error) (Integrated, error) {
	if err := validRun(in.Run); err != nil {
		return Integrated{}, err
	}
	ctx, unlock, err := r.lock(ctx, lockIntegrate)
	if err != nil {
		return Integrated{}, err
	}
	defer unlock()
	if in.Base == "" {
		in.Base = runRef(in.Run, "base")
	}
	if in.Result == "" {
		in.Result = runRef(in.Run, "result")
	}
	for range tries {
		// Each time: the branch may have been moved by this run.
		if found, ok, err := r.find(ctx, in.Run); err != nil || ok {
			found.Already = ok
			return found, err
		}
		done, e := r.integrate(ctx, in, verify)
		if err = e; !errors.Is(err, ErrMoved) {
			return done, err
		}
	}
	return Integrated{}, err
}

func (r *Repo) integrate(ctx context.Context, in Integration, verify func(ctx context.Context, dir, commit string) error) (Integrated, error) {
	done := Integrated{Run: in.Run, Task: in.Message.Task}
	t, err := r.tip(ctx)
	if err != nil {
		return Integrated{}, err
	}
	branch, tip := t.branch, t.at
	oids, err := r.objects(ctx, in.Base+asCommit, in.Result+asCommit, in.Result+asTree, tip+asTree)
	if err != nil {
		return Integrated{}, err
	}
	base, want, have := oids[0], oids[2], oids[3]
	if base == "" || oids[1] == "" {
		return Integrated{}, fmt.Errorf("%w: unknown commit: %s or %s", ErrNoResult, in.Result, in.Base)
	}
	tree := want
	if tip != base {
		if tree, err = r.merge(ctx, tip, oids[1], "integrating "+in.Run+" into "+r.Branch); err != nil {
			return Integrated{}, err
		}
	}
	// Whatever made the result: nothing brings a decision into a store in this way.
	changed, err := r.differ(ctx, have, tree)
	if err != nil {
		return Integrated{}, err
	}
	var ofStores []string
	for _, d := range changed {
		if stores(d.name) {
			ofStores = append(ofStores, d.name)
		}
	}
	if len(ofStores) > 0 {
		return Integrated{}, &Tampered{"the result changes files of a store: " + some(ofStores)}
	}
	done.SameTree, done.Empty = tree == want, tree == have
	text := in.Message.text(trailerTask, in.Message.Task, trailerRun, in.Run)
	done.Subject, _, _ = strings.Cut(text, "\n")
	if done.Commit, err = r.commitTree(ctx, tree, text, tip); err != nil {
		return Integrated{}, err
	}
	if !done.SameTree && verify != nil {
		if err := r.verified(ctx, in.Run, done.Commit, verify); err != nil {
			return Integrated{}, err
		}
	}
	return done, r.advanceLocked(ctx, branch, done.Commit, "vespe: "+in.Run)
}

// verified verifies a commit in a worktree of its own.
func (r *Repo) verified(ctx context.Context, run, commit string, verify func(ctx context.Context, dir, commit string) error) error {
	t, err := r.checkout(ctx, run, run+integrateSuffix, commit)
	if err != nil {
		return err
	}
	failed := verify(ctx, t.Path, commit)
	if _, err := r.Remove(context.WithoutCancel(ctx), t); err != nil && failed == nil {
		return err
	}
	if failed != nil {
		return &Unverified{failed}
	}
	return nil
}

// find finds the commit of a run on the integration branch, or on the target: somebody may have
// removed the one when the other had it all. Nothing else says whether a run is integrated.
func (r *Repo) find(ctx context.Context, run string) (Integrated, bool, error) {
	names := []string{runRef(run, "base") + asCommit, r.branchRef() + asCommit}
	if ref, err := r.targetRef(ctx); err == nil {
		names = append(names, ref+asCommit)
	}
	oids, err := r.objects(ctx, names...)
	if err != nil {
		return Integrated{}, false, err
	}
	// Nothing before its base is of the run.
	in := slices.DeleteFunc(slices.Clone(oids[1:]), func(oid string) bool { return oid == "" || oid == oids[0] })
	if len(in) == 0 {
		return Integrated{}, false, nil
	}
	args := append([]string{"-F", "--grep=" + trailerRun + ": " + run}, in...)
	if oids[0] != "" {
		args = append(args, "^"+oids[0])
	}
	all, err := r.log(ctx, args...)
	for _, c := range all {
		if c.Run == run {
			return c, true, err
		}
	}
	return Integrated{}, false, err
}

// log reads commits, newest first.
func (r *Repo) log(ctx context.Context, args ...string) ([]Integrated, error) {
	out, err := r.call(ctx, git.Call{Args: slices.Concat([]string{
		"log", "--no-show-signature", "--no-color", "--no-notes", "--no-decorate", "--no-mailmap", "--encoding=UTF-8", "--topo-order", "--no-patch", "--format=%H%x00%B%x00",
	}, args, []string{"--"})})
	if err != nil {
		return nil, err
	}
	var all []Integrated
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		message := fields[i+1]
		subject, _, _ := strings.Cut(message, "\n")
		all = append(all, Integrated{Commit: strings.TrimSpace(fields[i]), Subject: subject, Run: trailer(message, trailerRun), Task: trailer(message, trailerTask)})
	}
	return all, nil
}

// Pending are the commits of the integration branch that the target does not have, oldest first:
// integrated work, and what somebody committed there. Merges of the target are not among them.
func (r *Repo) Pending(ctx context.Context) ([]Integrated, error) {
	ref, err := r.targetRef(ctx)
	if err != nil {
		return nil, err
	}
	oids, err := r.objects(ctx, r.branchRef()+asCommit, ref+asCommit)
	if err != nil || oids[0] == "" || oids[0] == oids[1] {
		return nil, err
	}
	all, err := r.log(ctx, "--no-merges", oids[0], "^"+ref)
	slices.Reverse(all)
	return all, err
}
