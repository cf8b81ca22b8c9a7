// Package trust remembers which stores a person trusts, in the person's own state
// directory: never in a store, which other people and agents write to.
//
// A store is its root directory, with symbolic links resolved, and its store_id: another
// clone of the same store is another store, and so is what is put in place of one.
package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"vespe/store/statedir"
)

const (
	fileName = "trusted.json"
	maxFile  = 4 << 20 // bytes
	format   = 1
)

// Store is one trusted store.
type Store struct {
	Root string    `json:"root"`
	ID   string    `json:"store_id"`
	At   time.Time `json:"trusted_at"`
	How  string    `json:"how"` // init, demo, import or trust
	// ScoreCommand is score_command of its rules as it was when it was trusted: another one, which came
	// into the store since, may not be run.
	ScoreCommand []string `json:"score_command,omitempty"`
	// Worker is likewise what its config.json asks of the loop.
	Worker Worker `json:"worker,omitzero"`
}

// Worker is what of worker in a store's config.json runs a command, or takes a decision away from a
// person: it counts only as it was when the store was trusted.
type Worker struct {
	Argv      []string   `json:"argv,omitempty"`
	Setup     [][]string `json:"setup,omitempty"`
	Integrate string     `json:"integrate,omitempty"` // "verified", or "" for nothing that would need it
	Untested  string     `json:"untested,omitempty"`  // "accept", or ""
	Branch    string     `json:"branch,omitempty"`    // another integration branch than vespe's own, or ""
	Target    string     `json:"target,omitempty"`    // another branch than the one that is checked out, or ""
}

// IsZero reports that nothing needs trust.
func (w Worker) IsZero() bool {
	return len(w.Argv) == 0 && len(w.Setup) == 0 && w.Integrate == "" && w.Untested == "" && w.Branch == "" && w.Target == ""
}

type file struct {
	Format int     `json:"format"`
	Stores []Store `json:"stores"`
}

// Registry is the list of a person.
type Registry struct {
	dir string // "" where there is none
	uid uint32
}

// Open is the registry in the person's state directory.
func Open(getenv func(string) string) *Registry {
	return &Registry{dir: statedir.Path(getenv), uid: uint32(os.Geteuid())} //nolint:gosec // an uid has 32 bits
}

// Path is the file; "" where there is no state directory.
func (r *Registry) Path() string {
	if r.dir == "" {
		return ""
	}
	return filepath.Join(r.dir, fileName)
}

// Trusted reports whether a store was added and not removed. Whatever cannot be read
// trusts nothing.
func (r *Registry) Trusted(root, id string) bool {
	_, ok := r.find(root, id)
	return ok
}

func (r *Registry) find(root, id string) (Store, bool) {
	if id == "" {
		return Store{}, false
	}
	root, err := resolve(root)
	if err != nil || r.usable(root) != nil {
		return Store{}, false
	}
	f, err := r.read()
	if err != nil {
		return Store{}, false
	}
	i := slices.IndexFunc(f.Stores, func(s Store) bool { return s.Root == root && s.ID == id })
	if i < 0 {
		return Store{}, false
	}
	return f.Stores[i], true
}

// MayRun reports whether a store was trusted with a command in its rules.
func (r *Registry) MayRun(root, id string, argv []string) bool {
	s, ok := r.find(root, id)
	return ok && len(argv) > 0 && slices.Equal(s.ScoreCommand, argv)
}

// Worker is what a store was trusted with of what its config.json asks of the loop; nothing for one that
// is not trusted.
func (r *Registry) Worker(root, id string) Worker {
	s, _ := r.find(root, id)
	return s.Worker
}

// List is every trusted store, by root.
func (r *Registry) List() ([]Store, error) {
	if r.dir == "" {
		return nil, nil
	}
	f, err := r.read()
	return f.Stores, err
}

// Add remembers a store. What else was trusted at its root no longer is.
func (r *Registry) Add(s Store) error {
	if s.ID == "" {
		return errors.New("the store has no store_id")
	}
	root, err := resolve(s.Root)
	if err != nil {
		return err
	}
	s.Root, s.At = root, s.At.UTC().Truncate(time.Second)
	return r.change(root, func(list []Store) []Store {
		return append(slices.DeleteFunc(list, func(o Store) bool { return o.Root == root }), s)
	})
}

// Remove forgets what is trusted at a root, and reports whether anything was.
func (r *Registry) Remove(root string) (was bool, err error) {
	root, err = resolveMissing(root)
	if err != nil {
		return false, err
	}
	if r.dir == "" {
		return false, nil
	}
	if _, err := os.Lstat(r.Path()); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	err = r.change("", func(list []Store) []Store {
		n := len(list)
		list = slices.DeleteFunc(list, func(o Store) bool { return o.Root == root })
		was = len(list) < n
		return list
	})
	return was, err
}

func resolve(root string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(root)
}

// resolveMissing is resolve for a directory that need not be there anymore.
func resolveMissing(root string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	for at := root; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, strings.TrimPrefix(root, at)), nil
		}
		if at == filepath.Dir(at) {
			return root, nil
		}
	}
}

// usable says why the registry cannot speak for a store. One that lies inside the store's
// own root could have come with it.
func (r *Registry) usable(root string) error {
	if r.dir == "" {
		return errors.New("there is nowhere to save it: HOME and XDG_STATE_HOME are not set")
	}
	dir, err := resolveMissing(r.dir) // the part that is there already may lead elsewhere
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, dir)
	if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return fmt.Errorf("%s is inside the store: set XDG_STATE_HOME to a directory outside", r.dir)
	}
	return nil
}

func (r *Registry) file() statedir.File {
	return statedir.File{Name: r.Path(), MaxBytes: maxFile, Format: format, Believe: r.believe}
}

// believe refuses a file that someone else could have written.
func (r *Registry) believe(in fs.FileInfo) error {
	st, _ := in.Sys().(*syscall.Stat_t)
	switch {
	case st != nil && st.Uid != r.uid:
		return fmt.Errorf("%s belongs to another user", r.Path())
	case in.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("other users can write to %s: check it, then set its mode to 600", r.Path())
	}
	return nil
}

// read is the list as it is.
func (r *Registry) read() (file, error) {
	f := file{Format: format}
	if err := r.file().Read(&f); err != nil {
		return file{}, err
	}
	return f, nil
}

// change rewrites the list under a lock, at once and for this person alone.
func (r *Registry) change(root string, edit func([]Store) []Store) error {
	if err := r.usable(root); root != "" && err != nil {
		return err
	}
	unlock, err := statedir.Lock(r.dir)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := r.read()
	if err != nil {
		return err
	}
	f.Format, f.Stores = format, edit(f.Stores)
	slices.SortFunc(f.Stores, func(a, b Store) int { return strings.Compare(a.Root, b.Root) })
	return r.file().Write(f)
}
