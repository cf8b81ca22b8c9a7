package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"vespe/store"
)

// Options say where an index may lie.
type Options struct {
	State string // the person's state directory (statedir.Path); "": nothing of it lasts
	// Memory keeps it in memory in any case.
	Memory bool
}

// Index is the index of one store. Its methods may be called concurrently.
type Index struct {
	s *store.Store
	o Options

	updating chan struct{} // held by who brings it up to date in this process

	mu     sync.RWMutex // guards what follows; held for reading while the database is in use
	at     place
	lock   *held
	write  *sql.DB
	read   *sql.DB // the same as write in memory
	closed bool
}

// Open opens the index of a store, and makes an empty one where there is none that can be used. It reads
// nothing of the store yet: Update does.
func Open(ctx context.Context, s *store.Store, o Options) (*Index, error) {
	x := &Index{s: s, o: o, updating: make(chan struct{}, 1)}
	if err := x.open(ctx); err != nil {
		return nil, err
	}
	return x, nil
}

// Path is the database's file; "" for one in memory.
func (x *Index) Path() string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.at.path
}

// Close gives the database back.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	return x.shut()
}

// shut closes what is open. The caller holds mu.
func (x *Index) shut() error {
	var errs []error
	if x.read != nil && x.read != x.write {
		errs = append(errs, x.read.Close())
	}
	if x.write != nil {
		errs = append(errs, x.write.Close())
	}
	errs = append(errs, x.lock.Close())
	x.read, x.write, x.lock = nil, nil, nil
	return errors.Join(errs...)
}

// open opens the first place that can be had. The caller holds mu, or nobody else knows x.
func (x *Index) open(ctx context.Context) error {
	if !x.o.Memory {
		for _, p := range places(x.s, x.o.State) {
			if err := x.openAt(ctx, p); err == nil {
				return nil
			} else if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	p := place{root: x.s.Root(), store: x.s.ID()}
	db := open(p.dsn(""))
	db.SetMaxOpenConns(1)
	db.SetConnMaxIdleTime(0)
	if err := create(ctx, db, bond{}); err != nil {
		return errors.Join(err, db.Close())
	}
	x.at, x.write, x.read = p, db, db
	return nil
}

func (x *Index) openAt(ctx context.Context, p place) error {
	if err := os.MkdirAll(filepath.Dir(p.state), 0o700); err != nil {
		return err
	}
	b, lock, err := p.take(ctx)
	if err != nil {
		return err
	}
	write := open(p.dsn("&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=cache_size(-16000)&_txlock=immediate"))
	write.SetMaxOpenConns(1)
	read := open(p.dsn("&_pragma=busy_timeout(10000)&_pragma=query_only(1)&_pragma=cache_size(-8000)"))
	read.SetMaxOpenConns(2)
	// Nothing is kept of a workbench that nobody searches in.
	write.SetConnMaxIdleTime(idle)
	read.SetConnMaxIdleTime(idle)
	err = check(ctx, write, b)
	if err != nil {
		// A header that is ours over a body that is not: it is damaged. The next to come makes another.
		if spoiled(err) {
			_ = os.Remove(p.state)
		}
		return errors.Join(err, read.Close(), write.Close(), lock.Close())
	}
	x.at, x.lock, x.write, x.read = p, lock, write, read
	return nil
}

// idle is how long a connection is kept that nobody uses.
const idle = 30 * time.Second

// open makes a pool. Nothing is opened before it is used.
func open(dsn string) *sql.DB {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		panic(err) // the query of every dsn is ours
	}
	return sql.OpenDB(c)
}

// create makes the tables.
func create(ctx context.Context, db *sql.DB, b bond) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing, once it is committed
	for _, q := range []string{schema, tuning, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", version, b.App)} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	if err := setMeta(ctx, tx, "secret", b.Secret); err != nil {
		return err
	}
	return tx.Commit()
}

// errNotOurs: what the database says of itself is not what was written into it.
var errNotOurs = errors.New("this isn't the index that was made here")

// check compares what the database says of itself with what was noted when it was made.
func check(ctx context.Context, db *sql.DB, b bond) error {
	secret, err := meta(ctx, db, "secret")
	if err != nil {
		return err
	}
	if secret != b.Secret {
		return errNotOurs
	}
	var names string
	if err := db.QueryRowContext(ctx, `SELECT group_concat(sql, char(10)) FROM (SELECT sql FROM sqlite_schema WHERE name IN
		('tasks','texts','words','names','terms','parts','meta') OR type IN ('view','trigger') ORDER BY rowid)`).Scan(&names); err != nil {
		return err
	}
	want := strings.Split(strings.TrimSuffix(strings.TrimSpace(schema), ";"), ";\n")
	if names != strings.Join(want, "\n") {
		return errNotOurs
	}
	return nil
}

// spoiled says that an error is about the database and not about the moment: it has to be made anew.
func spoiled(err error) bool {
	if errors.Is(err, errNotOurs) || errors.Is(err, sql.ErrNoRows) || errors.Is(err, fs.ErrNotExist) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_FORMAT, lib.SQLITE_CONSTRAINT, lib.SQLITE_MISMATCH:
		return true
	case lib.SQLITE_CANTOPEN: // somebody deleted it
		return true
	case lib.SQLITE_ERROR:
		return strings.Contains(e.Error(), "no such table")
	case lib.SQLITE_IOERR: // a file that was cut off
		return e.Code() == lib.SQLITE_IOERR_SHORT_READ
	}
	return false
}

// again runs do, and once more on a new database if that one turns out to be damaged.
func (x *Index) again(ctx context.Context, do func() error) error {
	x.mu.RLock()
	if x.closed {
		x.mu.RUnlock()
		return errors.New("the index is closed")
	}
	was := x.write
	err := do()
	x.mu.RUnlock()
	if err == nil || !spoiled(err) || ctx.Err() != nil {
		return err
	}
	x.mu.Lock()
	if x.write == was && !x.closed { // nobody else has
		if x.at.state != "" {
			_ = os.Remove(x.at.state) // known no more, so it is replaced
		}
		why := err
		if err := errors.Join(x.shut(), x.open(ctx)); err != nil {
			x.closed = true
			x.mu.Unlock()
			return fmt.Errorf("the index was damaged (%w) and can't be rebuilt: %w", why, err)
		}
	}
	x.mu.Unlock()
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return errors.New("the index is closed")
	}
	return do()
}

type asker interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

type executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// meta is a value of meta; "" where it is not there.
func meta(ctx context.Context, db asker, key string) (value string, err error) {
	err = db.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = ?", key).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, err
}

func setMeta(ctx context.Context, db executor, key, value string) error {
	_, err := db.ExecContext(ctx, "INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)
	return err
}
