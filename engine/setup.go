package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"vespe/engine/worker"
	"vespe/engine/worktree"
	"vespe/model"
	"vespe/store"
	"vespe/store/git"
	"vespe/store/statedir"
	"vespe/store/trust"
)

// Setup makes loops as a person and a store have set them.
type Setup struct {
	User    worker.User
	Environ func() []string
	Getenv  func(string) string
	Now     func() time.Time
	Vespe   string   // this program
	Guard   []string // argv prefix by which it is a guard
	// Client is Options.Client.
	Client func(format, dir string, env []string) ([]string, error)
}

// Desk is where a loop of the store can be seen and asked.
func (u *Setup) Desk(storeID string) (*Desk, error) { return NewDesk(u.Getenv, storeID) }

// Settings are what holds for a store. name is the worker that a caller asks for, or "".
func (u *Setup) Settings(s *store.Store, name string) (worker.Settings, error) {
	p, err := s.Policy()
	if err != nil {
		return worker.Settings{}, err
	}
	return worker.Effective(&u.User, p.Worker(), trust.Open(u.Getenv).Worker(s.Root(), s.StoreID()), name)
}

// Repo is the repository of a store, as its loop uses it.
func (u *Setup) Repo(ctx context.Context, s *store.Store) (*worktree.Repo, error) {
	set, err := u.Settings(s, "")
	if set.Branch == "" {
		return nil, err // nothing is known of it; that no worker is chosen does not matter here
	}
	return u.repo(ctx, s, set)
}

func (u *Setup) repo(ctx context.Context, s *store.Store, set worker.Settings) (*worktree.Repo, error) {
	if !s.Trusted() {
		return nil, &model.Refusal{
			Code: model.CodeDenied, Op: "run", Guard: "trust", Why: "the store is not trusted, and a run executes commands from it",
			Hint: "review it, then run `vespe store trust`",
		}
	}
	repo, err := worktree.Open(ctx, s.Root(), statedir.Path(u.Getenv), s.StoreID(), u.Environ())
	switch {
	case errors.Is(err, worktree.ErrNoRepo):
		return nil, &model.Refusal{
			Code: model.CodeRefused, Op: "run", Guard: "git", Why: "the store is not in a git repository, which workers need",
			Hint: "run `git init` here and commit your files",
		}
	case errors.Is(err, git.ErrNoGit):
		return nil, &model.Refusal{Code: model.CodeRefused, Op: "run", Guard: "git", Why: err.Error(), Hint: "install git"}
	case err != nil:
		return nil, err
	}
	repo.Branch, repo.Target = set.Branch, set.Target
	return repo, nil
}

// Check says what holds for a loop of the store; its error is a *model.Refusal where a person has to set something
// up before one can run. It asks git only where the repository is. name is the worker that a caller asks for, or "".
func (u *Setup) Check(ctx context.Context, s *store.Store, name string) (worker.Settings, error) {
	set, _, err := u.ready(ctx, s, name)
	return set, err
}

func (u *Setup) ready(ctx context.Context, s *store.Store, name string) (worker.Settings, *worktree.Repo, error) {
	if why := s.ReadOnly(); why != "" {
		return worker.Settings{}, nil, &model.Refusal{Code: model.CodeRefused, Op: "run", Guard: "writable", Why: why, Hint: "see `vespe store doctor`"}
	}
	set, err := u.Settings(s, name)
	if err != nil {
		return set, nil, &model.Refusal{Code: model.CodeRefused, Op: "run", Guard: "worker", Why: err.Error(), Hint: "see Workers in docs/config.md"}
	}
	repo, err := u.repo(ctx, s, set)
	return set, repo, err
}

// Loop is a loop for a store that does not run yet. Its error is a *model.Refusal where a person has to set
// something up first. What the store asks for and does not get is said.
func (u *Setup) Loop(ctx context.Context, s *store.Store, o Options) (*Loop, error) {
	set, repo, err := u.ready(ctx, s, o.Worker)
	if err != nil {
		return nil, err
	}
	warnings, err := repo.Preflight(ctx)
	var no *worktree.Refused
	if errors.As(err, &no) {
		return nil, &model.Refusal{Code: model.CodeRefused, Op: "run", Guard: "git", Why: no.Why, Hint: no.Hint}
	}
	if err != nil {
		return nil, err
	}
	o.Client = u.Client
	o.Settings, o.Guard, o.Vespe, o.Environ, o.Getenv, o.Now = set, u.Guard, u.Vespe, u.Environ(), u.Getenv, u.Now
	o.NewID = newID
	o.Template = func(name string) (worker.Template, error) {
		other, err := u.Settings(s, name)
		return other.Worker, err
	}
	for _, w := range append(warnings, set.Withheld...) {
		o.tell(Said{At: u.Now(), Text: w})
	}
	return New(s, repo, o)
}

// newID is the random part of a run's id: by time, so that the ids of later runs sort after those of earlier ones.
func newID() string {
	var b [10]byte
	ms := time.Now().UnixMilli()
	for i := range 6 {
		b[5-i] = byte(ms >> (8 * i))
	}
	_, _ = rand.Read(b[6:]) // never fails
	return hex.EncodeToString(b[:])
}
