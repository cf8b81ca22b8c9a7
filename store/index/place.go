package index

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"vespe/store"
	"vespe/store/statedir"
)

// The files of an index.
const (
	fileName   = "tasks.db"
	lockSuffix = ".lock"
	busySuffix = ".writer"
)

// besides are the files that SQLite keeps beside a database.
var besides = []string{"-wal", "-shm", "-journal"}

// place is where a database lies, and how its file is known.
type place struct {
	path  string // "": in memory
	state string // the file that says which one was made here
	root  string
	store string // store_id
}

// bond is what the state directory says of a database that was made here.
type bond struct {
	Format int    `json:"format"`
	Root   string `json:"root"` // for people
	Store  string `json:"store"`
	Path   string `json:"path"`
	Dev    uint64 `json:"dev"`
	Ino    uint64 `json:"ino"`
	App    uint32 `json:"app"` // application_id
	Secret string `json:"secret"`
}

const maxBond = 16 << 10

func (p place) bondFile() statedir.File {
	return statedir.File{Name: p.state, MaxBytes: maxBond, Format: 1, Believe: func(in fs.FileInfo) error {
		if st, ok := in.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
			return errors.New("belongs to someone else")
		}
		return nil
	}}
}

// places are where the index of a store may lie, the best first. state is the person's state
// directory, "" where there is none.
func places(s *store.Store, state string) []place {
	if state == "" {
		return nil
	}
	abs := s.Root()
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	sum := sha256.Sum256([]byte(abs))
	own := filepath.Join(state, "index", hex.EncodeToString(sum[:12]))
	at := place{root: abs, store: s.ID()}
	var out []place
	cache := filepath.Join(abs, store.Name, "cache")
	if s.ReadOnly() == "" && ours(filepath.Join(abs, store.Name)) && (ours(cache) || os.Mkdir(cache, 0o755) == nil) { //nolint:gosec // as the store makes it
		p := at
		p.path, p.state = filepath.Join(cache, fileName), own+".json"
		out = append(out, p)
	}
	at.path, at.state = own+".db", own+".db.json"
	return append(out, at)
}

// ours says that a directory is one, of this user, and no link to one.
func ours(dir string) bool {
	in, err := os.Lstat(dir)
	if err != nil || !in.IsDir() {
		return false
	}
	st, ok := in.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// inodeOf is a plain file of this user that has one name; ok is false for anything else.
func inodeOf(path string) (dev, ino uint64, ok bool) {
	in, err := os.Lstat(path)
	if err != nil || !in.Mode().IsRegular() {
		return 0, 0, false
	}
	st, is := in.Sys().(*syscall.Stat_t)
	if !is || st.Nlink != 1 || int(st.Uid) != os.Geteuid() {
		return 0, 0, false
	}
	return uint64(st.Dev), st.Ino, true //nolint:gosec,unconvert // of another width elsewhere
}

// known is the bond of the database in p, if that is the one that was made here, of this schema and
// for this store. Nothing but its header was read, and not by SQLite.
func (p place) known() (bond, bool) {
	var b bond
	if err := p.bondFile().Read(&b); err != nil || b.Path != p.path || b.Store != p.store || b.Secret == "" {
		return b, false
	}
	dev, ino, ok := inodeOf(p.path)
	if !ok || dev != b.Dev || ino != b.Ino {
		return b, false
	}
	for _, s := range besides {
		if _, err := os.Lstat(p.path + s); err == nil {
			if _, _, ok := inodeOf(p.path + s); !ok {
				return b, false
			}
		}
	}
	f, err := os.OpenFile(p.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return b, false
	}
	defer f.Close()
	head := make([]byte, headerSize)
	if _, err := io.ReadFull(f, head); err != nil {
		return b, false
	}
	return b, string(head[:len(headerMagic)]) == headerMagic &&
		binary.BigEndian.Uint32(head[headerVersion:]) == version && binary.BigEndian.Uint32(head[headerApp:]) == b.App
}

// dsn names the database for SQLite. It trusts no function or table that its schema may name.
func (p place) dsn(more string) string {
	u := "file::memory:"
	if p.path != "" {
		u = (&url.URL{Scheme: "file", Path: p.path}).String() + "?mode=rw&"
	} else {
		u += "?"
	}
	return u + "_defensive=1&_dqs=0&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=temp_store(2)" + more
}

// held is a lock that is held until it is closed.
type held struct{ f *os.File }

func (h *held) Close() error {
	if h == nil || h.f == nil {
		return nil
	}
	return h.f.Close()
}

var errBusy = errors.New("another process has it")

// lockFile takes a lock of a file beside the database, which it makes when it is absent.
func lockFile(name string, how int) (*held, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if in, err := f.Stat(); err != nil || !in.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is not a regular file", name), err, f.Close())
	}
	err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(errBusy, f.Close())
	case err != nil && !errors.Is(err, syscall.ENOTSUP):
		return nil, errors.Join(err, f.Close())
	}
	return &held{f}, nil
}

// patience is how long the lock on the file is waited for: who replaces it is done in a moment.
const patience = 2 * time.Second

// await is lockFile that waits for a while.
func await(ctx context.Context, name string, how int, most time.Duration) (*held, error) {
	end := time.Now().Add(most)
	for {
		h, err := lockFile(name, how)
		if err == nil || !errors.Is(err, errBusy) || time.Now().After(end) {
			return h, err
		}
		t := time.NewTimer(5 * time.Millisecond)
		select {
		case <-ctx.Done():
			t.Stop()
			return nil, ctx.Err()
		case <-t.C:
		}
	}
}

// take gives the database of p, made anew unless it is known to be ours. The lock keeps others from
// replacing it while it is open.
func (p place) take(ctx context.Context) (bond, *held, error) {
	lock := p.path + lockSuffix
	for range 3 {
		h, err := await(ctx, lock, syscall.LOCK_SH, patience)
		if err != nil {
			return bond{}, nil, err
		}
		if b, ok := p.known(); ok {
			return b, h, nil
		}
		if err := h.Close(); err != nil {
			return bond{}, nil, err
		}
		if h, err = await(ctx, lock, syscall.LOCK_EX, patience); err != nil {
			return bond{}, nil, err
		}
		if _, ok := p.known(); !ok {
			err = p.make(ctx)
		}
		if err = errors.Join(err, h.Close()); err != nil {
			return bond{}, nil, err
		}
	}
	return bond{}, nil, errBusy
}

// make puts an empty database in the place of whatever is there. The caller holds the lock alone.
func (p place) make(ctx context.Context) error {
	for _, s := range append([]string{""}, besides...) {
		if err := os.Remove(p.path + s); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(p.path, os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	var random [20]byte
	_, _ = rand.Read(random[:]) // crypto/rand does not fail
	b := bond{
		Format: 1, Root: p.root, Store: p.store, Path: p.path,
		App: binary.BigEndian.Uint32(random[:]) >> 1, Secret: hex.EncodeToString(random[4:]), // SQLite takes it for a signed number
	}
	db := open(p.dsn("&_pragma=journal_mode(DELETE)&_pragma=page_size(4096)"))
	err = create(ctx, db, b)
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	var ok bool
	if b.Dev, b.Ino, ok = inodeOf(p.path); !ok {
		return errors.New("the index is not a regular file")
	}
	return p.bondFile().Write(b)
}
