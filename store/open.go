package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"vespe/model"
	"vespe/model/review"
	"vespe/store/checkpoint"
	"vespe/store/current"
	"vespe/store/documents"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/fsck"
	"vespe/store/fsys"
	"vespe/store/gitfiles"
	"vespe/store/gitlog"
	"vespe/store/history"
	"vespe/store/layout"
	"vespe/store/loading"
	"vespe/store/opindex"
	"vespe/store/parallel"
	"vespe/store/pending"
	"vespe/store/project"
	"vespe/store/requests"
	"vespe/store/results"
	"vespe/store/reviews"
	"vespe/store/rules"
	"vespe/store/runs"
	"vespe/store/storefiles"
	"vespe/store/taskcache"
	"vespe/store/texts"
	"vespe/store/txlog"
	"vespe/store/writing"
)

// Name is the directory that holds a store; RootMarker in it says so.
const (
	Name       = layout.Name
	RootMarker = layout.RootMarker
)

// Format is the newest format of a store that this package writes.
const Format = 1

// The parts that add their methods to those of Store.
type (
	runFiles     = runs.Files
	textSource   = texts.Source
	taskDocs     = documents.Reader
	projectFiles = storefiles.Files
	journals     = history.Journals
)

// Store is one open store. Its methods may be called concurrently; transactions of one
// Store run one after the other, those of several processes are ordered by the log.
type Store struct {
	*runFiles
	*textSource
	*taskDocs
	*projectFiles
	*journals
	identity

	disk durable.Files
	log  txlog.Log
	opt  Options
	uids uidSource

	edits       edits.Table
	comparer    edits.Comparer
	rules       rules.Reader
	checkpoints checkpoint.Keeper
	loader      *loading.Loader
	writer      *writing.Writer
	checker     fsck.Checker // but for what may change
	git         *gitlog.Recorder
	background  background
}

// storeJSON is store.json.
type storeJSON struct {
	Format    int       `json:"format"`
	StoreID   string    `json:"store_id"`
	CreatedAt time.Time `json:"created_at"`
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
		if fsys.Missing(err) {
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

// newStoreOn connects the parts of a store. None of them reaches a file yet.
func newStoreOn(root string, f fsys.FS, opt Options) *Store {
	s := &Store{opt: opt}
	s.root = root
	s.setFS(f)
	s.uids.now, s.uids.rand = opt.Now, opt.Rand
	s.disk.Random = s.uids.hex
	latest := &current.Snapshot{}
	ops := &opindex.Index{Log: &s.log}
	s.comparer.Writes.Log, s.comparer.Writes.Ops = &s.log, ops
	s.comparer.Table, s.comparer.Disk, s.comparer.Log, s.comparer.Ops = &s.edits, &s.disk, &s.log, ops
	s.comparer.StoreID, s.comparer.Now = s.ID, s.now
	s.comparer.Attestor = func() review.Attestor { return s.opt.Attestor }
	projector := &project.Projector{Disk: &s.disk, Log: &s.log, IsLate: s.comparer.IsLate, Installed: latest.Installed, Many: project.Many}
	unprojected := &pending.List{Disk: &s.disk, Log: &s.log, Edits: &s.edits, Projector: projector}
	comments := &reviews.Reader{Disk: &s.disk, Log: &s.log, Edits: &s.edits, Ops: ops}
	asked := &requests.Queue{Disk: &s.disk, Log: &s.log, Seen: func() uint64 {
		_, at := latest.Get()
		return at.Seq
	}}
	s.rules.Disk, s.rules.Root, s.rules.ReadOnly, s.rules.Scorer, s.rules.MayRun = &s.disk, root, s.ReadOnly, opt.Scorer, s.mayRun
	hashes := &results.Reader{Disk: &s.disk}
	s.projectFiles = storefiles.New(&s.disk)
	s.loader = loading.New(loading.Source{
		Disk: &s.disk, Log: &s.log, Pending: unprojected, Edits: &s.edits, Comparer: &s.comparer, Current: latest, Ops: ops,
		Rules: &s.rules, Requests: asked, Results: hashes,
		Checkpoints: &s.checkpoints, Cache: s.taskCache, Follower: s.background.follower.Load, Background: &s.background.WaitGroup,
		Recover: func(ctx context.Context) { s.writer.TryRecover(ctx) },
		StoreID: s.ID, ReadOnly: s.ReadOnly, Attestor: s.comparer.Attestor,
	})
	s.comparer.View = s.loader.Projected
	s.textSource = texts.New(&s.disk, &s.log, s.loader.View, s.loader.Lookers)
	s.runFiles = runs.New(&s.disk, s.loader.View, s.Writable)
	s.taskDocs = documents.New(documents.Source{
		Root: root, Disk: &s.disk, Log: &s.log, Reviews: comments, Comparer: &s.comparer, View: s.loader.View, Projected: s.loader.Projected,
		Refresh: s.Refresh,
	})
	s.journals = history.New(history.Source{
		Disk: &s.disk, Log: &s.log, ReadOnly: s.ReadOnly, Head: s.Head, Tasks: s.loader.TaskNames, History: s.History,
	})
	s.writer = writing.New(writing.Source{
		Disk: &s.disk, Log: &s.log, Pending: unprojected, Edits: &s.edits, Comparer: &s.comparer, Current: latest, Ops: ops,
		Reviews: comments, Rules: &s.rules, Requests: asked, Loader: s.loader, Checkpoints: &s.checkpoints,
		Writable: s.writable, Prepare: s.prepare, Identify: s.reidentify, Fill: s.fill, History: s.History,
		Committed: func(ctx context.Context, paths []string) (map[string]string, error) {
			return s.head().Hashes(ctx, paths)
		},
		StartConsent: func() string { return s.opt.StartConsent }, Attestor: s.comparer.Attestor,
	})
	s.checkpoints = checkpoint.Keeper{
		Files: checkpoint.Files{Disk: &s.disk, Log: &s.log, StoreID: s.ID},
		Marks: &s.edits.Marks, Ops: ops, Background: &s.background.WaitGroup, Least: checkpoint.Least,
		Snapshot: latest, ReadOnly: s.ReadOnly, Take: s.loader.ToCheckpoint, Turn: parallel.NewTurn(),
	}
	s.checker = s.newChecker(projector, unprojected)
	s.git = s.newRecorder()
	return s
}

// setFS makes the store and its parts use f.
func (s *Store) setFS(f fsys.FS) { s.disk.FS, s.log.FS = f, f }

func notThere(root string, err error) error {
	return failure.New(model.CodeNotFound, failure.GuardStore, nil, err, "run `vespe init` to make a store here", "there is no store in %s", root)
}

// identify reads the marker and store.json.
func (s *Store) identify() error {
	in, err := s.disk.FS.Stat(layout.RootMarker)
	if err != nil {
		if !fsys.Missing(err) {
			return err
		}
		if _, no := s.disk.FS.Stat(layout.StoreFile); no == nil {
			return failure.New(model.CodeInvalid, failure.GuardStore, nil, err, "run `vespe init` there to write it again", "%s is missing in %s", layout.Shown(layout.RootMarker), s.root)
		}
		return notThere(s.root, err)
	}
	if in.Type != 0 {
		return &fsys.NotRegularError{Path: layout.RootMarker, What: fsys.Describe(in.Type)}
	}
	b, err := s.disk.FS.ReadFile(layout.StoreFile, layout.MaxJSON)
	if fsys.Missing(err) {
		// A store from before store.json, or a clone without it: the first transaction
		// writes one.
		s.setFormat(Format)
		return nil
	}
	if err != nil {
		return failure.New(model.CodeInvalid, failure.GuardStore, nil, err, "restore it from a backup or from git", "%s can't be read", layout.Shown(layout.StoreFile))
	}
	var j storeJSON
	if err := json.Unmarshal(b, &j); err != nil || j.Format < 1 {
		if p, found := model.ConflictProblem("", layout.StoreFile, b); found {
			return failure.New(model.CodeInvalid, failure.GuardStore, nil, nil, p.Hint, "line %d of %s: %s", p.Line, layout.Shown(layout.StoreFile), p.Reason)
		}
		return failure.New(model.CodeInvalid, failure.GuardStore, nil, err, "restore it from a backup or from git", "%s doesn't name the format of the store", layout.Shown(layout.StoreFile))
	}
	s.setFormat(j.Format)
	s.setID(j.StoreID)
	return nil
}

// Root is the directory that holds .vespe.
func (s *Store) Root() string { return s.root }

// Close gives the store's descriptors back. Nothing may be called after it. It may write a
// checkpoint first, which takes a moment in a large store: give your answer before.
func (s *Store) Close() error {
	s.background.end()
	s.checkpoints.AtEnd()
	return s.disk.FS.Close()
}

// ReadOnly says why nothing can be written to this store; "" when it can be.
func (s *Store) ReadOnly() string {
	switch format := s.formatOf(); {
	case format > Format:
		return fmt.Sprintf("the store has format %d and this vespe writes format %d", format, Format)
	case s.opt.ReadOnly:
		return "the store is open read-only"
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
	return fmt.Sprintf("%s belongs to the user %d, not to you (%d)", filepath.Join(s.root, layout.Name), s.owner.Load(), s.opt.Owners[0])
}

// Trusted says whether git may be run for this store, and whether it may be written to when
// someone else owns it. It is asked each time, so that a workbench that is open sees
// `vespe store trust` and its revocation.
func (s *Store) Trusted() bool {
	return s.opt.Trusted || s.opt.Trust != nil && s.opt.Trust(s.root, s.ID())
}

// head is what git has committed of the store.
func (s *Store) head() gitfiles.Head {
	return gitfiles.Head{Root: s.root, Environ: s.opt.Environ, Trusted: s.Trusted}
}

// Writable refuses where nothing can be written to this store: for who writes no transaction.
func (s *Store) Writable() error { return s.writable(nil) }

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
		hint = "run `vespe store trust` if you trust that user, or make it yours: chown -R"
	}
	return failure.New(model.CodeRefused, failure.GuardWritable, op, nil, hint, "%s", why)
}

// Identify gives a store its identity when it has none: one from before store.json. A
// store that someone else owns gets it only from its owner.
func (s *Store) Identify(ctx context.Context) error {
	if s.ID() != "" {
		return nil
	}
	if err := s.writable(nil); err != nil {
		return err
	}
	return s.writer.PrepareAlone(ctx)
}

// reidentify reads whose store it is, where another was brought.
func (s *Store) reidentify() error {
	s.setID("")
	in, err := s.disk.FS.Stat(".")
	if err != nil {
		return err
	}
	s.owner.Store(in.UID)
	return s.identify()
}

// prepare makes what git does not carry and what an older store lacks: the machinery's
// directories, and store.json. The caller holds the lock, so the lock file is there.
func (s *Store) prepare() error {
	if _, err := s.loader.AgreeAlone(); err != nil {
		return err
	}
	if s.log.Ready.Load() {
		return nil
	}
	for _, d := range []string{layout.LogDir, layout.ObjectsDir, layout.TmpDir, layout.CacheDir, layout.TasksDir, layout.RequestsDir} {
		if err := s.disk.FS.Mkdir(d); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if s.ID() == "" {
		id, err := s.writeIdentity()
		if err != nil {
			return err
		}
		s.setID(id)
		s.loader.Drop() // a snapshot knows whose it is
	}
	// Also where all of it was there: anyone who made it may have been killed before it was durable.
	if err := s.disk.SyncDir("."); err != nil {
		return err
	}
	s.log.Ready.Store(true)
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
	err = s.disk.WriteNew(layout.StoreFile, append(b, '\n'))
	if errors.Is(err, fs.ErrExist) {
		if err := s.identify(); err != nil {
			return "", err
		}
		return s.ID(), nil
	}
	return j.StoreID, err
}

// now is the time of what is written: UTC in milliseconds, as files keep it.
func (s *Store) now() time.Time { return s.opt.Now().UTC().Truncate(time.Millisecond) }

// Again opens the store that stands where s was opened, with the same options: s may have been moved away, and
// another brought.
func (s *Store) Again() (*Store, error) { return Open(s.root, s.opt) }

// taskCache is nil if the store has no cache of tasks.
func (s *Store) taskCache() *taskcache.Cache {
	in, err := s.disk.FS.Stat(".")
	if s.opt.CacheDir == "" || err != nil {
		return nil
	}
	return taskcache.Open(taskcache.File(s.opt.CacheDir, s.root, s.ID(), in))
}
