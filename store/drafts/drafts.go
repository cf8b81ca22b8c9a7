// Package drafts keeps what a person has typed and not sent: comments on plans, in the person's
// own state directory, one file a task. They are nobody else's business, so they never lie in a
// store, which other people and agents read.
package drafts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
)

const (
	format  = 1
	maxFile = 16 << 20 // bytes
)

// Keeper is the directory of a person.
type Keeper struct{ dir string } // "" where there is none

type file struct {
	Format int           `json:"format"`
	Drafts []model.Draft `json:"drafts"`

	Unknown jsontext.Value `json:",unknown"`
}

// Open is $XDG_STATE_HOME/vespe/drafts (~/.local/state/vespe/drafts). A path that is not absolute
// is none: it would lead into the repository that vespe is started in.
func Open(getenv func(string) string) *Keeper {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return &Keeper{filepath.Join(dir, "vespe", "drafts")}
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return &Keeper{filepath.Join(home, ".local", "state", "vespe", "drafts")}
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
func (k *Keeper) Drafts(store string, uid model.UID) ([]model.Draft, error) {
	if k.dir == "" {
		return nil, nil
	}
	f, err := read(k.Path(store, uid))
	return f.Drafts, err
}

// Keep puts drafts into the file of a task, in place of those with their ids, and takes those
// with other ids out. It is on disk when it returns. What another vespe put there stays.
func (k *Keeper) Keep(store string, uid model.UID, put []model.Draft, drop []string) error {
	if k.dir == "" {
		return errors.New("there is no place to keep it: HOME and XDG_STATE_HOME are not set")
	}
	name := k.Path(store, uid)
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(k.dir, "lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	f, err := read(name)
	if err != nil {
		return err
	}
	f.Format = format
	f.Drafts = slices.DeleteFunc(f.Drafts, func(d model.Draft) bool { return slices.Contains(drop, d.ID) })
	for _, d := range put {
		if i := slices.IndexFunc(f.Drafts, func(o model.Draft) bool { return o.ID == d.ID }); i >= 0 {
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
	var buf bytes.Buffer
	if err := json.MarshalWrite(&buf, f, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	buf.WriteByte('\n')
	return replace(dir, name, buf.Bytes())
}

// read is a file as it is; one that is not there has nothing in it. One that cannot be read is
// left where it is.
func read(name string) (file, error) {
	var f file
	in, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, err
	case !in.Mode().IsRegular():
		return f, fmt.Errorf("%s is no plain file", name)
	case in.Size() > maxFile:
		return f, fmt.Errorf("%s has %d bytes", name, in.Size())
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(b, &f, jsontext.AllowInvalidUTF8(true)); err != nil {
		return file{}, fmt.Errorf("%s: %w", name, err)
	}
	if f.Format > format {
		return file{}, fmt.Errorf("%s has format %d and this vespe reads format %d: update vespe", name, f.Format, format)
	}
	return f, nil
}

// replace writes a file aside, durably, and moves it into place.
func replace(dir, name string, body []byte) error {
	tmp, err := os.CreateTemp(dir, ".draft-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(body)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
