package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"vespe/model"
)

// Format is the newest format of a store that this package writes.
const Format = 1

// Options inject what a store takes from outside. The zero value is right for a program.
type Options struct {
	Now         func() time.Time              // time.Now when nil
	Rand        io.Reader                     // crypto/rand when nil
	FS          func(root string) (FS, error) // OpenFS when nil
	Channel     string                        // of operations that name none: model.ChannelCLI and the like
	ReadOnly    bool                          // write nothing, not even a recovery
	AllowNested bool                          // Init below another store
	Name        string                        // of the store that Init makes; its directory's when ""

	// Trusted says that the person trusts the store: git may be run in its repository, and
	// what someone else owns may be written. Trust is asked, each time, where Trusted is
	// false; id is "" in a store that has none yet. nil: never.
	Trusted bool
	Trust   func(root, id string) bool
	// TrustCommand is asked whether score_command of the rules of a trusted store may be run, which may
	// have come into it since; Trusted answers that, too. nil: no.
	TrustCommand func(root, id string, argv []string) bool
	// Owners are the users whose stores may be written without trust; nil: the one that
	// this process runs as.
	Owners []uint32
	// Attestor knows keys, and what level of approval the person asks for; nil: signatures are
	// not looked at, and every approval is a claim.
	Attestor model.Attestor
	// StartConsent is the least risk of tasks that the person wants to be asked about before an
	// agent starts them, whatever the project says: low, medium, high, or "" for none.
	StartConsent string
	Environ      func() []string                        // of the person, for git; os.Environ when nil
	Scorer       func(own []string, root string) Scorer // see Scorer; nil: there are no scores
	// Working is told how far something has come that may take long in a large store. It is
	// called from one goroutine at a time. nil: nobody wants to know.
	Working func(what string, done, total int)
}

func (o Options) filled() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.FS == nil {
		o.FS = systemFS
	}
	if o.Environ == nil {
		o.Environ = os.Environ
	}
	if o.Owners == nil {
		o.Owners = []uint32{uint32(os.Geteuid())} //nolint:gosec // an uid has 32 bits
	}
	return o
}

// Store is one open store. Its methods may be called concurrently; transactions of one
// Store run one after the other, those of several processes are ordered by the log.
type Store struct {
	root  string
	fs    FS
	opt   Options
	owner atomic.Uint32 // the user that .vespe belongs to
	many  int           // a projection of more files is synced as a whole

	// writing serialises transactions and recoveries of this process.
	writing turn
	ops     opIndex
	reviews reviewIndex
	rules   rulesCache
	// ready says that the directories of the machinery were seen.
	ready   atomic.Bool
	ignored atomic.Bool // .gitignore has what it needs for runs
	syncs   syncs
	// passed is who stood still at the head of the queue for the lock. Guarded by writing.
	passed    string
	outOfTurn time.Duration

	// looking is held from taking the current snapshot to putting the next one in its place,
	// so that what is found on the way, in edits and conflicts, belongs to it.
	looking       sync.Mutex
	checkpointing turn
	background    sync.WaitGroup // what goes on beside; Close waits for it
	marks         marks
	hashes        resultHashes
	statuses      statuses
	queue         queue
	unsettled                 // guarded by mu
	follower      *follower   // guarded by mu; nil until Follow
	lockWorks     atomic.Bool // known to keep others out; not known to do so is false

	checkpointTasks int // a store of fewer tasks needs no checkpoint
	gcLeast         int // entries that GC always keeps

	mu             sync.Mutex
	format         int
	id             string // store_id; "" in a store that has no store.json yet
	snap           *model.Snapshot
	tip            tip // that snap stands for
	seen           seenEntry
	unswept        bool   // snap came from a checkpoint, and was not compared with every task's files
	checkpointed   uint64 // the entry of the newest usable checkpoint; 0: there is none
	compacted      uint64 // the last entry that is no longer kept
	compactedKnown bool
	ends           []context.CancelFunc // of what goes on until Close
	names          int64                // mtime of tasks/ when its names were those of the tasks in snap; 0: unknown
	partial        *partial             // what a load under way has read; nil when none is
	owed           atomic.Pointer[owed] // nil: nothing is, as far as is known
	projected      uint64               // every entry up to this one is known to be projected

	maps mappings
	uids uidSource
	git  gitState
	top  atomic.Uint64 // the last entry that was found, to search from
}

// storeJSON is store.json.
type storeJSON struct {
	Format    int       `json:"format"`
	StoreID   string    `json:"store_id"`
	CreatedAt time.Time `json:"created_at"`
}

// Find is the nearest directory at or above dir that holds a store. *model.Refusal with
// CodeNotFound when there is none.
func Find(dir string) (root string, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find a store above %s: %w", dir, err)
	}
	for d := abs; ; d = filepath.Dir(d) {
		if hasStore(d) {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", &model.Refusal{
				Code: model.CodeNotFound, Guard: guardStore,
				Why:  fmt.Sprintf("no %s was found in %s or above it", Name, abs),
				Hint: "run `vespe init` to make a store here",
			}
		}
	}
}

// hasStore looks for the marker without following links.
func hasStore(dir string) bool {
	d, err := os.Lstat(filepath.Join(dir, Name))
	if err != nil || !d.IsDir() {
		return false
	}
	m, err := os.Lstat(filepath.Join(dir, Name, RootMarker))
	return err == nil && m.Mode().IsRegular()
}

// Open opens the store in root. A store of a newer format opens for reading only.
func Open(root string, opt Options) (*Store, error) {
	opt = opt.filled()
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", root, err)
	}
	f, err := opt.FS(abs)
	if err != nil {
		if missing(err) {
			err = notThere(abs, err)
		}
		return nil, err
	}
	s := newStoreOn(abs, f, opt)
	in, err := f.Stat(".")
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s.owner.Store(in.UID)
	if err := s.identify(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

func newStoreOn(root string, f FS, opt Options) *Store {
	s := &Store{
		root: root, fs: f, opt: opt, many: manyFiles, checkpointTasks: checkpointTasks, gcLeast: gcLeast,
		outOfTurn: outOfTurn, writing: newTurn(), checkpointing: newTurn(), git: newGitState(),
	}
	s.uids.now, s.uids.rand = opt.Now, opt.Rand
	return s
}

func notThere(root string, err error) error {
	return fail(model.CodeNotFound, guardStore, nil, err, "run `vespe init` to make a store here", "there is no store in %s", root)
}

// identify reads the marker and store.json.
func (s *Store) identify() error {
	in, err := s.fs.Stat(RootMarker)
	if err != nil {
		if missing(err) {
			return notThere(s.root, err)
		}
		return err
	}
	if in.Type != 0 {
		return &NotRegularError{RootMarker, describe(in.Type)}
	}
	b, err := s.fs.ReadFile(storeFile, maxJSON)
	if missing(err) {
		// A store from before store.json, or a clone without it: the first transaction
		// writes one.
		s.mu.Lock()
		s.format = Format
		s.mu.Unlock()
		return nil
	}
	if err != nil {
		return fail(model.CodeInvalid, guardStore, nil, err, "restore it from a backup or from git", "%s cannot be read", shown(storeFile))
	}
	var j storeJSON
	if err := json.Unmarshal(b, &j); err != nil || j.Format < 1 {
		if p, found := model.ConflictProblem("", storeFile, b); found {
			return fail(model.CodeInvalid, guardStore, nil, nil, p.Hint, "line %d of %s: %s", p.Line, shown(storeFile), p.Reason)
		}
		return fail(model.CodeInvalid, guardStore, nil, err, "restore it from a backup or from git", "%s does not say what format the store has", shown(storeFile))
	}
	s.mu.Lock()
	s.format, s.id = j.Format, j.StoreID
	s.mu.Unlock()
	return nil
}

// Root is the directory that holds .vespe.
func (s *Store) Root() string { return s.root }

// Close gives the store's descriptors back. Nothing may be called after it. It may write a
// checkpoint first, which takes a moment in a large store: give your answer before.
func (s *Store) Close() error {
	s.mu.Lock()
	ends := s.ends
	s.mu.Unlock()
	for _, end := range ends {
		end()
	}
	s.background.Wait()
	snap, _ := s.kept()
	every := uint64(checkpointEvery)
	if snap != nil && snap.Len() < s.checkpointTasks {
		every = 1 // costs next to nothing, and edits past vespe are told from what it says
	}
	if s.overdue(every) {
		_ = s.writeCheckpoint(context.Background()) // derived: whoever comes next does it
	}
	return s.fs.Close()
}

// ReadOnly says why nothing can be written to this store; "" when it can be.
func (s *Store) ReadOnly() string {
	switch format := s.formatOf(); {
	case format > Format:
		return fmt.Sprintf("the store has format %d and this vespe writes format %d", format, Format)
	case s.opt.ReadOnly:
		return "the store was opened for reading only"
	}
	return s.Foreign()
}

// Foreign says whose store this is, when it may not be written for that; "" when it may:
// it is of one of Options.Owners, or trusted. What another user put there may be made to
// have its reader overwrite or run something.
func (s *Store) Foreign() string {
	if slices.Contains(s.opt.Owners, s.owner.Load()) || s.Trusted() {
		return ""
	}
	return fmt.Sprintf("%s belongs to the user %d, not to you (%d)", filepath.Join(s.root, Name), s.owner.Load(), s.opt.Owners[0])
}

func (s *Store) writable(op *model.Op) error {
	why := s.ReadOnly()
	if why == "" {
		return nil
	}
	hint := "open it for writing"
	switch {
	case s.formatOf() > Format:
		hint = "update vespe"
	case !s.opt.ReadOnly:
		hint = "run `vespe trust` if you trust that user, or make it yours: chown -R"
	}
	return fail(model.CodeRefused, guardWritable, op, nil, hint, "%s", why)
}

func (s *Store) formatOf() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.format
}

// ID is the store's identity, store_id; "" in a store that has none yet. See Identify.
func (s *Store) ID() string { return s.storeID() }

// Identify gives a store its identity when it has none: one from before store.json. A
// store that someone else owns gets it only from its owner.
func (s *Store) Identify(ctx context.Context) error {
	if s.ID() != "" {
		return nil
	}
	if err := s.writable(nil); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if err := s.writing.take(ctx); err != nil {
		return err
	}
	defer s.writing.give()
	release, err := s.lock(ctx, nil)
	if err != nil {
		return err
	}
	defer release()
	if err := s.prepare(); err != nil {
		return fail(model.CodeRefused, guardWritable, nil, err, "check space and permissions; nothing was changed", "the store cannot be written")
	}
	return nil
}

// storeID is the store's identity.
func (s *Store) storeID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// prepare makes what git does not carry and what an older store lacks: the machinery's
// directories, and store.json. The caller holds the lock, so the lock file is there.
func (s *Store) prepare() error {
	if _, err := s.agreeAlone(); err != nil {
		return err
	}
	if s.ready.Load() {
		return nil
	}
	for _, d := range []string{logDir, objectsDir, tmpDir, cacheDir, tasksDir, requestsDir} {
		if err := s.fs.Mkdir(d); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if s.storeID() == "" {
		id, err := s.writeIdentity()
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.id, s.snap = id, nil // a snapshot knows whose it is
		s.mu.Unlock()
	}
	// Also where all of it was there: whoever made it may have been killed before it was durable.
	if err := s.syncDir("."); err != nil {
		return err
	}
	s.ready.Store(true)
	return nil
}

// writeIdentity makes store.json, or reads the one that someone else just made.
func (s *Store) writeIdentity() (string, error) {
	id, err := s.formerID()
	if err != nil {
		return "", err
	}
	if id == "" {
		id = s.randomHex(16)
	}
	j := storeJSON{Format: Format, StoreID: id, CreatedAt: s.now()}
	b, err := json.Marshal(j)
	if err != nil {
		return "", err
	}
	err = s.writeNew(storeFile, append(b, '\n'))
	if errors.Is(err, fs.ErrExist) {
		if err := s.identify(); err != nil {
			return "", err
		}
		return s.storeID(), nil
	}
	return j.StoreID, err
}

// writeNew makes a durable file that must not exist. One that exists is relieved of the second
// name that it has when whoever made it was killed: it would not be read.
func (s *Store) writeNew(name string, body []byte) error {
	tmp := s.tmpName("f")
	if err := s.writeFile(tmp, body, true); err != nil {
		return err
	}
	err := errors.Join(s.fs.Link(tmp, name), removed(s.fs.Remove(tmp)))
	switch {
	case err == nil:
		return s.syncDir(tmpDir) // or it has two names after a power cut
	case errors.Is(err, fs.ErrExist):
		return errors.Join(err, s.dropTmpName(name))
	}
	return err
}

// removed takes the sting out of removing what is already gone.
func removed(err error) error {
	if missing(err) {
		return nil
	}
	return err
}

// writeFile creates a file with a body; a file that could not be written whole is taken
// away again.
func (s *Store) writeFile(name string, body []byte, sync bool) error {
	f, err := s.fs.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err == nil && sync {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = s.fs.Remove(name) // best effort; what is left in tmp/ is reported by Doctor
		return fmt.Errorf("write %s: %w", shown(name), err)
	}
	return nil
}

// now is the time of what is written: UTC in milliseconds, as files keep it.
func (s *Store) now() time.Time { return s.opt.Now().UTC().Truncate(time.Millisecond) }

func (s *Store) randomHex(n int) string { return s.uids.hex(n) }

// NewUID makes a uid: "tsk-" and a UUIDv7 in lower-case hex, from the store's clock and
// random source. Those of one Store ascend.
func (s *Store) NewUID() model.UID { return model.UID("tsk-" + s.uids.v7()) }

// uidSource makes ids.
type uidSource struct {
	mu   sync.Mutex
	now  func() time.Time
	rand io.Reader
	ms   int64
	seq  uint16 // 12 bits, counts within a millisecond
}

func (u *uidSource) read(b []byte) {
	if _, err := io.ReadFull(u.rand, b); err != nil {
		// crypto/rand never fails; a test's source that runs dry must not repeat ids.
		panic(fmt.Sprintf("store: random source: %v", err))
	}
}

func (u *uidSource) hex(n int) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	b := make([]byte, n)
	u.read(b)
	return hex.EncodeToString(b)
}

func (u *uidSource) v7() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var b [16]byte
	u.read(b[6:])
	ms := max(u.now().UnixMilli(), 0)
	if ms > u.ms {
		u.ms, u.seq = ms, binary.BigEndian.Uint16(b[6:])&0x07ff
	} else if u.seq++; u.seq > 0x0fff {
		u.ms, u.seq = u.ms+1, 0
	}
	binary.BigEndian.PutUint64(b[:8], uint64(u.ms)<<16|0x7000|uint64(u.seq))
	b[8] = b[8]&0x3f | 0x80
	return strings.ToLower(hex.EncodeToString(b[:]))
}
