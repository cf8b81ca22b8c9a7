package worktree

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vespe/store/git"
)

// Preflight says what keeps work from beginning (*Refused), and what a person should know before
// it does: warnings are sentences, with untrusted paths in them.
func (r *Repo) Preflight(ctx context.Context) (warnings []string, err error) {
	head, err := r.commit(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	if head == "" {
		return nil, &Refused{Why: "The repository has no commit yet.", Hint: "Commit the files that workers start from."}
	}
	if what := r.git.Busy(); what != "" {
		return nil, &Refused{Why: "There is " + what + " in progress in " + r.top + ".", Hint: "Finish or abort it."}
	}
	ref, err := r.targetRef(ctx)
	if err != nil {
		return nil, err
	}
	if target, err := r.commit(ctx, ref); err != nil {
		return nil, err
	} else if target == "" {
		return nil, &Refused{Why: "There is no branch " + strings.TrimPrefix(ref, heads) + ".", Hint: "Set worker.target to an existing branch."}
	}
	if err := r.named(ctx); err != nil {
		return nil, err
	}
	trees, err := r.worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range trees {
		if w.branch == r.branchRef() {
			return nil, &Refused{Why: "The integration branch " + r.Branch + " is checked out in " + w.path + ".", Hint: "Check out another branch there. vespe moves this one itself."}
		}
	}
	for _, look := range []func(context.Context) (string, error){r.uncommitted, r.shallow, r.partial, r.nested, r.old} {
		warning, err := look(ctx)
		if err != nil {
			return nil, err
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
	}
	return warnings, nil
}

// named refuses a name of the integration branch that git cannot have.
func (r *Repo) named(ctx context.Context) error {
	if _, err := r.run(ctx, "check-ref-format", r.branchRef()); git.ExitCode(err) == 1 {
		return &Refused{Why: fmt.Sprintf("%q is not a branch name.", r.Branch), Hint: "Set worker.branch to another name."}
	} else if err != nil {
		return err
	}
	if there, err := r.commit(ctx, r.branchRef()); err != nil || there != "" {
		return err
	}
	for name := path.Dir(r.Branch); name != "."; name = path.Dir(name) {
		there, err := r.commit(ctx, heads+name)
		if err != nil {
			return err
		}
		if there != "" {
			return &Refused{Why: "The branch " + name + " exists, so git can't create " + r.Branch + ".", Hint: "Rename it, or set worker.branch to another name."}
		}
	}
	return nil
}

func (r *Repo) uncommitted(ctx context.Context) (string, error) {
	out, err := r.run(ctx, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=dirty")
	if err != nil {
		return "", err
	}
	var files []string
	for _, line := range split(out) {
		if len(line) > 3 && !stores(strings.TrimSuffix(line[3:], "/")) {
			files = append(files, line[3:])
		}
	}
	if len(files) == 0 {
		return "", nil
	}
	return "Workers start from the last commit. They don't see the uncommitted changes in " + some(files) + ".", nil
}

func (r *Repo) shallow(context.Context) (string, error) {
	if !exists(filepath.Join(r.common, "shallow")) {
		return "", nil
	}
	return "The clone is shallow, so a merge may find no common history. Run git fetch --unshallow.", nil
}

func (r *Repo) partial(ctx context.Context) (string, error) {
	out, err := r.run(ctx, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`)
	switch {
	case err != nil && git.ExitCode(err) != 1: // 1: there is no such setting
		return "", err
	case out == "":
		return "", nil
	}
	return "The clone is partial. Workers fetch nothing, so they can't check out files that are missing here.", nil
}

func (r *Repo) nested(ctx context.Context) (string, error) {
	links, err := r.gitlinks(ctx, "HEAD")
	if err != nil || len(links) == 0 {
		return "", err
	}
	return fmt.Sprintf("The repository has submodules (%d). They are empty for workers until a setup command fills them, and commits in submodules can't be integrated.", len(links)), nil
}

// gitlinks are the paths of a commit's submodules.
func (r *Repo) gitlinks(ctx context.Context, commit string) (paths []string, err error) {
	// A tree without this file has none that could be filled.
	if named, err := r.objects(ctx, commit+":.gitmodules"); err != nil || named[0] == "" {
		return nil, err
	}
	out, err := r.run(ctx, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return nil, err
	}
	for _, line := range split(out) {
		about, name, _ := strings.Cut(line, "\t")
		if f := strings.Fields(about); len(f) == 3 && f[0] == modeLink {
			paths = append(paths, name)
		}
	}
	return paths, nil
}

// mergeTree is the version of git from which it merges without a checkout.
var mergeTree = [2]int{2, 38}

func (r *Repo) old(ctx context.Context) (string, error) {
	out, err := r.line(ctx, "version")
	if err != nil {
		return "", err
	}
	v := mergeTree
	if _, err := fmt.Sscanf(out, "git version %d.%d", &v[0], &v[1]); err != nil || slices.Compare(v[:], mergeTree[:]) >= 0 {
		return "", nil //nolint:nilerr // a version that cannot be read is no old one
	}
	return "This git (" + out + ") is older than 2.38: it can integrate work only if nothing else was integrated in the meantime.", nil
}
