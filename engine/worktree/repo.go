package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"vespe/internal/lazyregexp"
	"vespe/model"
	"vespe/store/git"
)

const (
	// DefaultBranch is where results are integrated.
	DefaultBranch = "vespe/integration"
	// DefaultMaxFile is the size in bytes above which a file is no part of a result.
	DefaultMaxFile = 16 << 20

	heads = "refs/heads/"
	runs  = "refs/vespe/" // + run + "/base", "/result" or "/head"
)

// DefaultSecrets are patterns of new files that are no part of a result. A pattern without a
// slash is of the last element of a path; one that begins with "!" takes back; the last that
// matches counts.
var DefaultSecrets = []string{
	".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", "!.env.dist",
	"*.pem", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", "_netrc", ".pgpass", ".pypirc", ".git-credentials",
}

// Repo is the repository around a store. Its settings may be changed before the first use; after
// that it is safe for use by several goroutines, and other processes may work beside it.
type Repo struct {
	Branch  string   // the integration branch, without refs/heads/
	Target  string   // the branch that gets what is integrated; "" is the one that is checked out
	MaxFile int64    // bytes
	Secrets []string // see DefaultSecrets

	git     *git.Repo
	top     string // the person's checkout around the store
	common  string // the git directory that all worktrees share
	home    string // where the worktrees of the store lie, with what is known of them
	environ []string
	now     func() time.Time
	step    func(what string) error // tests: called before and after all that changes something
	spent   busy

	mu  sync.Mutex // guards who
	who person
}

// busy is how long at least one of several things that overlap continued.
type busy struct {
	mu    sync.Mutex
	n     int // that continue
	since time.Time
	total time.Duration
}

func (b *busy) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n++; b.n == 1 {
		b.since = time.Now()
	}
}

func (b *busy) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n--; b.n == 0 {
		b.total += time.Since(b.since)
	}
}

// InGit is how long git has run for this Repo, where several at once count once.
func (r *Repo) InGit() time.Duration {
	r.spent.mu.Lock()
	defer r.spent.mu.Unlock()
	return r.spent.total
}

var plainName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// validRun refuses what cannot name a directory and a reference, and what could be taken for a tree
// to verify in.
func validRun(run string) error {
	if !model.ValidRun(run) || strings.Contains(run, "..") || strings.HasSuffix(run, ".") || strings.HasSuffix(run, ".lock") {
		return fmt.Errorf("%q is not a valid run id", run)
	}
	return nil
}

// Open finds the repository that root, the directory of a store, lies in. state is the person's
// directory for what is only of this machine (store/statedir), storeID the store's. Errors are
// ErrNoRepo, git.ErrNoGit and what the system says.
func Open(ctx context.Context, root, state, storeID string, environ []string) (*Repo, error) {
	if !plainName.Get().MatchString(storeID) {
		return nil, fmt.Errorf("%q is not a valid store id", storeID)
	}
	if !filepath.IsAbs(state) {
		return nil, errors.New("no directory for worktrees: neither $XDG_STATE_HOME nor $HOME is set")
	}
	g, err := git.Find(ctx, environ, root)
	if err != nil {
		return nil, err
	}
	r := &Repo{
		Branch: DefaultBranch, MaxFile: DefaultMaxFile, Secrets: DefaultSecrets,
		git: g, top: g.Top, environ: environ, now: time.Now,
	}
	if r.common, err = filepath.EvalSymlinks(g.Common); err != nil {
		return nil, err
	}
	home := filepath.Join(state, "worktrees", storeID)
	if err := os.MkdirAll(filepath.Join(home, known), 0o700); err != nil {
		return nil, err
	}
	if r.home, err = filepath.EvalSymlinks(home); err != nil { // git names worktrees by their real paths
		return nil, err
	}
	if inside(r.home, r.top) || inside(r.home, r.common) {
		return nil, fmt.Errorf("worktrees can't be inside the repository: %s is in %s", r.home, r.top)
	}
	return r, nil
}

// inside reports whether a path is dir or lies below it.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Top is the person's checkout that the store lies in.
func (r *Repo) Top() string { return r.top }

func (r *Repo) branchRef() string { return heads + r.Branch }

func runRef(run, name string) string { return runs + run + "/" + name }

// targetRef is the branch that gets what is integrated.
func (r *Repo) targetRef(ctx context.Context) (string, error) {
	if r.Target != "" {
		return heads + r.Target, nil
	}
	ref, err := r.git.Branch(ctx)
	if err != nil {
		return "", err
	}
	switch ref {
	case "":
		return "", &Refused{Why: "No branch is checked out in " + r.top + ".", Hint: "Check out the branch that should receive the work, or set worker.target to it."}
	case r.branchRef():
		return "", &Refused{Why: "The integration branch " + r.Branch + " is checked out in " + r.top + ".", Hint: "Check out the branch that should receive the work."}
	}
	return ref, nil
}

// did is called before and after each thing that changes the disk.
func (r *Repo) did(what string) error {
	if r.step != nil {
		return r.step(what)
	}
	return nil
}

// call runs git.
func (r *Repo) call(ctx context.Context, c git.Call) (string, error) {
	if err := r.did(c.Args[0]); err != nil {
		return "", err
	}
	c.Hold = heldBy(ctx)
	r.spent.begin()
	out, err := r.git.Run(ctx, c)
	r.spent.end()
	return out, errors.Join(err, r.did(c.Args[0]+" done"))
}

// run runs git in the person's checkout.
func (r *Repo) run(ctx context.Context, args ...string) (string, error) {
	return r.call(ctx, git.Call{Args: args})
}

// line runs git and returns the one line that it prints.
func (r *Repo) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.run(ctx, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// objects are what names stand for; "" where there is no such object.
func (r *Repo) objects(ctx context.Context, names ...string) ([]string, error) {
	for _, name := range names {
		if name == "" || strings.ContainsAny(name, "\n\x00") {
			return nil, fmt.Errorf("unknown object %q", name)
		}
	}
	r.spent.begin()
	found, err := r.git.Look(ctx, names...)
	r.spent.end()
	oids := make([]string, len(found))
	for i, o := range found {
		if o.Type == "commit" || o.Type == "tree" || o.Type == "blob" {
			oids[i] = string(o.OID)
		}
	}
	return oids, err
}

const (
	asCommit = "^{commit}"
	asTree   = "^{tree}"
)

// commit is what a name stands for; "" when there is no such commit.
func (r *Repo) commit(ctx context.Context, name string) (string, error) {
	oids, err := r.objects(ctx, name+asCommit)
	if err != nil {
		return "", err
	}
	return oids[0], nil
}

// mustCommit is commit, and an error where there is none.
func (r *Repo) mustCommit(ctx context.Context, name string) (string, error) {
	oid, err := r.commit(ctx, name)
	if err == nil && oid == "" {
		err = fmt.Errorf("unknown commit %s", name)
	}
	return oid, err
}

// setRef moves a reference from one commit to another; from "" it must not exist, from "*" it may
// be anywhere.
func (r *Repo) setRef(ctx context.Context, ref, to, from, reason string) error {
	args := []string{"update-ref", "-m", reason, ref, to}
	switch from {
	case "*":
	case "":
		args = append(args, strings.Repeat("0", len(to)))
	default:
		args = append(args, from)
	}
	move := func() error {
		_, err := r.call(ctx, git.Call{Args: args, Env: r.identity(ctx).env(r.now())})
		return err
	}
	err := move()
	if git.Locked(err) != "" && strings.HasPrefix(ref, runs) {
		// Only vespe's gits move these, one at a time: we hold our lock, so the one that left this was killed.
		if os.Remove(filepath.Join(r.common, filepath.FromSlash(ref)+".lock")) == nil {
			err = move()
		}
	}
	var e *git.Error
	if errors.As(err, &e) && (strings.Contains(e.Stderr, "but expected") || strings.Contains(e.Stderr, "already exists")) {
		return fmt.Errorf("%w: %w", ErrMoved, err)
	}
	if lock := git.Locked(err); lock != "" {
		return &Refused{Why: "Another git process is moving " + ref + ".", Hint: "If no git is running, remove the leftover " + lock + "."}
	}
	return err
}

// split are the elements of a list that ends each with a NUL.
func split(out string) []string {
	out = strings.TrimSuffix(out, "\x00")
	if out == "" {
		return nil
	}
	return strings.Split(out, "\x00")
}
