package core

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"vespe/engine/worker"
	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
	"vespe/store/trust"
)

func (a *App) Registry() *trust.Registry { return trust.Open(a.Getenv) }

// owners are the users whose stores may be written without a word of trust: the one that
// this process runs as, and under sudo the one who called it.
func (a *App) owners() []uint32 {
	me := uint32(os.Geteuid()) //nolint:gosec // an uid has 32 bits
	owners := []uint32{me}
	if me == 0 {
		if n, err := strconv.ParseUint(a.Getenv("SUDO_UID"), 10, 32); err == nil {
			owners = append(owners, uint32(n))
		}
	}
	return owners
}

// Remember trusts a store that was made here just now. Where there is no place to remember
// it the store is as good as any other, only that git is off.
func (a *App) Remember(s *store.Store, how string) {
	r := a.Registry()
	if r.Path() == "" {
		return
	}
	if err := r.Add(trust.Store{Root: s.Root(), ID: s.ID(), At: a.Now(), How: how}); err != nil {
		a.PrintWarnings([]string{fmt.Sprintf("can't save that the store is trusted: %v; run `vespe store trust` to retry", err)})
	}
}

// notice tells people why a store that they can read cannot be written.
func (a *App) notice(s *store.Store) {
	if why := s.ReadOnly(); why != "" {
		a.PrintWarnings([]string{why + "; the store is read-only"})
	}
}

// NeedsTrust is what of a store's worker counts only once a person trusts the store with it.
func NeedsTrust(p model.WorkerPolicy) trust.Worker {
	w := trust.Worker{Argv: p.Argv, Setup: p.Setup, Target: p.Target}
	if p.Branch != worker.DefaultBranch {
		w.Branch = p.Branch
	}
	if p.Integrate == model.IntegrateVerified {
		w.Integrate = p.Integrate
	}
	if p.Untested == model.UntestedAccept {
		w.Untested = p.Untested
	}
	return w
}

// PrintWorktree says which store is used in a git worktree, and why.
func (a *App) PrintWorktree(at store.Location) {
	if at.Worktree == "" {
		return
	}
	fmt.Fprintf(a.Stdout, "\nThis is a git worktree. vespe uses the store of its main checkout, %s.\n", visible.Line(at.Root))
	switch {
	case at.Written:
		fmt.Fprintf(a.Stdout, "%s has its own store, which is not used here. `vespe --here inbox` lists what is waiting there.\n", visible.Line(at.Copy))
	case at.Copy != "":
		fmt.Fprintf(a.Stdout, "The copy in %s is ignored. To use it instead, pass --here.\n", visible.Line(at.Copy))
	}
}

// StrictRules is what holds because the person's rules or the store's cannot be read.
func (a *App) StrictRules(s *store.Store) ([]string, error) {
	p, err := s.Policy()
	return slices.Concat(a.Strict, p.Strict()), err
}

// StrictAt is strict of the store in a directory, "" for none. A store that cannot be opened lets nothing through either.
func (a *App) StrictAt(root string) []string {
	if root == "" {
		return a.Strict
	}
	s, err := store.Open(root, a.Options())
	if err != nil {
		return append(slices.Clone(a.Strict), "can't open the store, so every agent call is denied: "+err.Error())
	}
	defer s.Close()
	strict, err := a.StrictRules(s)
	if err != nil {
		strict = append(strict, "can't read the store's rules, so every agent call is denied: "+err.Error())
	}
	return strict
}
