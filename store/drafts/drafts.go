// Package drafts keeps what a person has typed and not sent: comments on plans, reasons, answers,
// in the person's own state directory, one file a task. They are nobody else's business, so they never lie in a
// store, which other people and agents read.
package drafts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
	"vespe/model/review"
	"vespe/store/statedir"
)

const (
	format  = 2        // 1: without what is typed for requests and comments
	maxFile = 16 << 20 // bytes
)

// Keeper is the directory of a person.
type Keeper struct{ dir string } // "" where there is none

type file struct {
	Format int            `json:"format"`
	Drafts []review.Draft `json:"drafts"`

	Unknown jsontext.Value `json:",embed"`
}

// Open is drafts/ in the person's state directory.
func Open(getenv func(string) string) *Keeper {
	if dir := statedir.Path(getenv); dir != "" {
		return &Keeper{filepath.Join(dir, "drafts")}
	}
	return &Keeper{}
}

// Path is the file of a task of a store; "" where there is no state directory.
func (k *Keeper) Path(store string, uid model.UID) string {
	if k.dir == "" {
		return ""
	}
	return filepath.Join(k.dir, plainName(store), plainName(string(uid))+".json")
}

// plainName is a name for the file system: what a store calls itself is what somebody wrote into
// a file, and must not lead anywhere else.
func plainName(s string) string {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	if s == "" || len(s) > 128 || strings.ContainsFunc(s, odd) {
		sum := sha256.Sum256([]byte(s))
		return "x-" + hex.EncodeToString(sum[:16])
	}
	return s
}

// Drafts are those of a task, in the order in which they were begun.
func (k *Keeper) Drafts(store string, uid model.UID) ([]review.Draft, error) {
	if k.dir == "" {
		return nil, nil
	}
	f, err := read(k.Path(store, uid))
	return f.Drafts, err
}

// Keep puts drafts into the file of a task, in place of those with their ids, and takes those
// with other ids out. It is on disk when it returns. What another vespe put there stays.
func (k *Keeper) Keep(store string, uid model.UID, put []review.Draft, drop []string) error {
	if k.dir == "" {
		return errors.New("there is nowhere to save it: HOME and XDG_STATE_HOME are not set")
	}
	name := k.Path(store, uid)
	unlock, err := statedir.Lock(k.dir)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := read(name)
	if err != nil {
		return err
	}
	f.Format = format
	f.Drafts = slices.DeleteFunc(f.Drafts, func(d review.Draft) bool { return slices.Contains(drop, d.ID) })
	for _, d := range put {
		if i := slices.IndexFunc(f.Drafts, func(o review.Draft) bool { return o.ID == d.ID }); i >= 0 {
			f.Drafts[i] = d
		} else {
			f.Drafts = append(f.Drafts, d)
		}
	}
	if len(f.Drafts) == 0 {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return at(name).Write(f)
}

func at(name string) statedir.File {
	return statedir.File{Name: name, MaxBytes: maxFile, Format: format, Options: []json.Options{jsontext.AllowInvalidUTF8(true)}}
}

// read is a file as it is; one that is not there has nothing in it.
func read(name string) (f file, err error) {
	if err := at(name).Read(&f); err != nil {
		return file{}, err
	}
	return f, nil
}
