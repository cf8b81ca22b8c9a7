package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"vespe/store/statedir"
)

// record is what is known of a worktree, beside it. Only what is recorded is ever removed.
type record struct {
	Format   int    `json:"format"`
	Name     string `json:"name"` // of its directory
	Run      string `json:"run"`
	Task     string `json:"task,omitzero"`
	Dir      string `json:"dir,omitzero"` // its git directory
	Base     string `json:"base"`
	State    string `json:"state"`
	Programs string `json:"programs,omitzero"` // what the repository's settings had git run: see programs
}

const (
	recordFormat = 1
	maxRecord    = 64 << 10

	stateAdding   = "adding"   // nobody has worked in it
	stateReady    = "ready"    // it may hold what is nowhere else
	stateRemoving = "removing" // it holds nothing, and may be gone in part

	known           = ".known"     // the directory of what is known of worktrees; no run has that name
	checkSuffix     = "+check"     // a clean tree of a run, to verify in
	integrateSuffix = "+integrate" // the same, of what is integrated
)

// check reports whether the worktree is one to verify in, which never holds anything of value.
func (rec *record) check() bool { return rec.Name != rec.Run }

func (r *Repo) path(name string) string { return filepath.Join(r.home, name) }

// side is a file about a worktree: ".json", ".index" and, in the making, ".next", ".owner".
func (r *Repo) side(name, suffix string) string { return filepath.Join(r.home, known, name+suffix) }

func (r *Repo) recordFile(name string) statedir.File {
	return statedir.File{Name: r.side(name, ".json"), MaxBytes: maxRecord, Format: recordFormat}
}

// read is the record of a worktree; nil when there is none.
func (r *Repo) read(name string) (*record, error) {
	var rec record
	if err := r.recordFile(name).Read(&rec); err != nil {
		return nil, err
	}
	if rec.Name != name {
		return nil, nil
	}
	return &rec, nil
}

func (r *Repo) write(rec *record) error {
	if err := r.did("record"); err != nil {
		return err
	}
	rec.Format = recordFormat
	return errors.Join(r.recordFile(rec.Name).Write(rec), r.did("record done"))
}

// forget removes what lies beside a worktree, the record last. A write of the record that was killed leaves a file whose
// name goes on behind it.
func (r *Repo) forget(name string) error {
	if err := r.did("forget"); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(r.home, known))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+name+".json-") {
			if err := os.Remove(filepath.Join(r.home, known, e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	for _, suffix := range []string{".index", ".next", ".next.lock", ".owner", ".json"} {
		if err := os.Remove(r.side(name, suffix)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return r.did("forget done")
}

// records are the names of all worktrees that are recorded.
func (r *Repo) records() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(r.home, known))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	return names, nil
}
