package uitest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/ui"
)

var _ ui.Store = (*Store)(nil)

// Store is a store in memory: the same lifecycle as on disk, through lifecycle.Apply, with
// the files of a store in a map. Another process is played by Foreign and Edit.
type Store struct {
	// LoadTime and ReadTime are how long a load and each read take, in simulated time.
	LoadTime, ReadTime time.Duration
	// NoPoll keeps the head that the workbench asks for where it is, so that only its own
	// operations reach it.
	NoPoll bool
	// Known makes Warm give the store at once.
	Known bool

	mu       sync.Mutex
	snap     *snapshot.Snapshot
	files    map[string][]byte // slash paths relative to .vespe
	events   map[model.UID][]model.Event
	seen     map[string]snapshot.Applied
	last     uint64
	uids     int
	fail     func(method string) error
	count    struct{ loads, refreshes int }
	part     *snapshot.Snapshot
	stale    string
	edited   bool
	runBytes int
	watched  []model.UID

	live  bool      // the bubble's clock runs
	clock time.Time // before that
}

// NewStore is an empty store. What is put into it before the workbench starts happened in
// the hours before the bubble's clock begins, a minute apart, so that frames are the same
// in every run.
func NewStore() *Store { return StoreOf(snapshot.Input{}) }

// StoreOf is a store that holds what in says, and no text.
func StoreOf(in snapshot.Input) *Store {
	if in.StoreID == "" {
		in.StoreID = "store-of-the-test"
	}
	return &Store{
		snap: snapshot.New(in), last: in.Seq, clock: time.Date(1999, 12, 31, 20, 0, 0, 0, time.UTC),
		files: map[string][]byte{}, events: map[model.UID][]model.Event{}, seen: map[string]snapshot.Applied{},
	}
}

// Snapshot is the store as it is.
func (s *Store) Snapshot() *snapshot.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snap
}

// NewUID makes the next uid: small numbers, so that frames are the same in every run.
func (s *Store) NewUID() model.UID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newUID()
}

func (s *Store) newUID() model.UID {
	s.uids++
	return model.UID(fmt.Sprintf("tsk-%032x", s.uids))
}

// Must applies operations as another process would and panics when one is refused: it
// builds the world of a test.
func (s *Store) Must(ops ...model.Op) model.UID {
	var uid model.UID
	for _, op := range ops {
		a, err := s.apply([]model.Op{op})
		if err != nil {
			panic(fmt.Sprintf("%s %s: %v", op.Name, op.UID, err))
		}
		uid = op.UID
		if len(a.Change.Tasks) > 0 {
			uid = a.Change.Tasks[0].UID
		}
	}
	return uid
}

// Edit writes a document as a foreign editor would: the bytes change, nothing else does.
func (s *Store) Edit(uid model.UID, doc model.Doc, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[docPath(uid, doc)] = []byte(body)
}

// PutResult writes a file under a task's result/.
func (s *Store) PutResult(uid model.UID, path, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files["tasks/"+string(uid)+"/result/"+path] = []byte(body)
}

func docPath(uid model.UID, doc model.Doc) string {
	return fmt.Sprintf("tasks/%s/%s.md", uid, doc)
}

// FailWith makes every method fail for which f, which is given its name, returns an error;
// nil lets all of them work again.
func (s *Store) FailWith(f func(method string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = f
}

func (s *Store) failing(method string) error {
	s.mu.Lock()
	fail := s.fail
	s.mu.Unlock()
	if fail == nil {
		return nil
	}
	return fail(method)
}

// Load implements ui.Store.
func (s *Store) Load(ctx context.Context, progress func(done, total int)) (*snapshot.Snapshot, error) {
	const steps = 10
	total := s.Snapshot().Len()
	for i := range steps {
		if s.LoadTime == 0 {
			break
		}
		progress(total*i/steps, total)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(s.LoadTime / steps):
		}
	}
	if err := s.failing("Load"); err != nil {
		return nil, err
	}
	progress(total, total)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.loads++
	return s.snap, nil
}

// Warm implements ui.Store.
func (s *Store) Warm(context.Context) (*snapshot.Snapshot, bool, error) {
	if s.Known {
		return s.Snapshot(), true, nil
	}
	return nil, false, nil
}

// Partial implements ui.Store.
func (s *Store) Partial() *snapshot.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.part
}

// PutPart is what a load under way has read so far: n tasks.
func (s *Store) PutPart(n int) {
	snap := s.Snapshot()
	var tasks []*model.Task
	for i := range n {
		tasks = append(tasks, snap.At(i))
	}
	part := snapshot.New(snapshot.Input{Tasks: tasks, StoreID: snap.StoreID()})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.part = part
}

// Refresh implements ui.Store.
func (s *Store) Refresh(ctx context.Context) (*snapshot.Snapshot, error) {
	if err := cmp.Or(s.wait(ctx), s.failing("Refresh")); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.refreshes++
	return s.snap, nil
}

// Read is how often the whole store was loaded and how often only what is new was read.
func (s *Store) Read() (loads, refreshes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count.loads, s.count.refreshes
}

// Wait implements ui.Store: it tells of a change only when the time is over.
func (s *Store) Wait(ctx context.Context, d time.Duration) (model.Update, error) {
	select {
	case <-ctx.Done():
		return model.Update{}, ctx.Err()
	case <-time.After(d):
	}
	seq, err := s.Head(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	u := model.Update{Seq: seq, Edited: s.edited, Stale: s.stale}
	s.edited = false
	return u, err
}

// EditTask changes a task as an editor would that writes its files past vespe: no transaction
// tells of it, and the next Wait does.
func (s *Store) EditTask(uid model.UID, change func(*model.Task)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, ok := s.snap.Task(uid)
	if !ok {
		panic("unknown task " + string(uid))
	}
	t := *was
	change(&t)
	s.snap, s.edited = s.snap.With(s.snap.Seq(), s.snap.Head(), []*model.Task{&t}, nil), true
}

// Lack makes the acceptances of tasks such as do not count for the person who reads the store.
func (s *Store) Lack(why string, uids ...model.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lacks := map[model.UID]model.Lack{}
	for _, uid := range uids {
		t, _ := s.snap.Task(uid)
		lacks[uid] = model.LackOf(t, why)
	}
	s.snap = s.snap.Lacking(lacks)
}

// SetPolicy makes p what the store's config.json says.
func (s *Store) SetPolicy(p model.Policy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snap = s.snap.Amend(snapshot.Amendment{Policy: &p})
}

// Watch remembers which tasks are on the screen.
func (s *Store) Watch(uids []model.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched = uids
}

// Watched are the tasks that the workbench last said to be on the screen.
func (s *Store) Watched() []model.UID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watched
}

// GoStale makes the store say that what it knows may be old, and why; "" ends that.
func (s *Store) GoStale(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = why
}

// Head implements ui.Store.
func (s *Store) Head(context.Context) (uint64, error) {
	if err := s.failing("Head"); err != nil {
		return 0, err
	}
	if s.NoPoll {
		return 0, nil
	}
	return s.Snapshot().Seq(), nil
}

// Do implements ui.Store.
func (s *Store) Do(ctx context.Context, op model.Op) (snapshot.Applied, error) {
	return s.DoAll(ctx, []model.Op{op})
}

// DoAll implements ui.Store.
func (s *Store) DoAll(_ context.Context, ops []model.Op) (snapshot.Applied, error) {
	if err := s.failing("Do"); err != nil {
		return snapshot.Applied{}, err
	}
	return s.apply(ops)
}

func (s *Store) apply(ops []model.Op) (snapshot.Applied, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, ok := s.seen[ops[0].ID]; ok && ops[0].ID != "" {
		a.Replayed = true
		return a, nil
	}
	snap, files := s.snap, maps.Clone(s.files)
	var all model.Change
	for i, op := range ops {
		if op.At.IsZero() {
			op.At = s.now()
		}
		if run := model.ArgsOf[model.NewRun](&op); op.Name == model.Start && run.ID == "" && op.ID == "" { // runs have ids of their own
			run.ID = fmt.Sprintf("run-%d", s.last+1)
			op.Args = run
		}
		op.FillUIDs(s.newUID)
		ch, err := lifecycle.Apply(world{snap, files}, op)
		if err != nil {
			return snapshot.Applied{}, err
		}
		for _, f := range ch.Files {
			files[f.Path] = f.Body
		}
		snap = snap.With(s.last+1, fmt.Sprintf("sha256-%064x", s.last+1), ch.Tasks, ch.Requests)
		if op.Name == model.CreateMilestone || op.Name == model.EditMilestone || op.Name == model.RemoveMilestone {
			ch.Events = append(ch.Events, model.Event{Name: op.Name, At: op.At, Actor: op.Actor, Channel: op.Channel, Summary: ch.Summary})
		}
		if ch.Milestones != nil {
			snap = snap.Amend(snapshot.Amendment{Milestones: ch.Milestones})
		}
		if i == 0 {
			all = *ch
			continue
		}
		all.Tasks = append(all.Tasks, ch.Tasks...)
		all.Events = append(all.Events, ch.Events...)
		all.Warnings = append(all.Warnings, ch.Warnings...)
		all.Summary += "; " + ch.Summary
	}
	s.last++
	s.snap, s.files = snap, files
	for _, e := range all.Events {
		e.Seq = s.last
		s.events[e.UID] = append(s.events[e.UID], e)
	}
	a := snapshot.Applied{Seq: s.last, Change: &all, Snapshot: snap}
	if ops[0].ID != "" {
		s.seen[ops[0].ID] = a
	}
	return a, nil
}

func (s *Store) now() time.Time {
	if s.live {
		return time.Now().UTC()
	}
	s.clock = s.clock.Add(time.Minute)
	return s.clock
}

// start lets the bubble's clock run.
func (s *Store) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = true
}

func (s *Store) wait(ctx context.Context) error {
	if s.ReadTime == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.ReadTime):
		return nil
	}
}

// Content implements ui.Store.
func (s *Store) Content(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error) {
	if err := cmp.Or(s.wait(ctx), s.failing("Content")); err != nil {
		return model.Content{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return world{s.snap, s.files}.Content(uid, doc)
}

// Revision implements ui.Store.
func (s *Store) Revision(_ context.Context, uid model.UID, doc model.Doc, n int) (model.Content, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := modeltest.RevisionIn(s.files, uid, doc, n)
	if !ok {
		return model.Content{}, fmt.Errorf("%s: revision %d of %s: %w", uid, n, doc, model.ErrNoContent)
	}
	return model.Content{Doc: doc, Body: b, Hash: model.HashBytes(b), Revision: n}, nil
}

// History implements ui.Store.
func (s *Store) History(_ context.Context, uid model.UID) ([]model.Event, []model.Problem, error) {
	if err := s.failing("History"); err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events[uid]), nil, nil
}

// Results implements ui.Store.
func (s *Store) Results(_ context.Context, uid model.UID) ([]model.ResultFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return world{s.snap, s.files}.results(uid), nil
}

// ReadResult implements ui.Store.
func (s *Store) ReadResult(_ context.Context, uid model.UID, path string, maxBytes int64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := world{s.snap, s.files}.ResultFile(uid, path)
	if err == nil && int64(len(b)) > maxBytes {
		return nil, fmt.Errorf("result/%s has %d bytes; the limit is %d", path, len(b), maxBytes)
	}
	return b, err
}

// Bound implements ui.Store.
func (s *Store) Bound(_ context.Context, op model.Name, uid model.UID) (map[string]string, error) {
	if err := s.failing("Bound"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return binding.Bound(world{s.snap, s.files}, op, uid)
}

// StoreID implements ui.Store.
func (s *Store) StoreID() string { return s.Snapshot().StoreID() }

// SinceApproval implements ui.Store.
func (s *Store) SinceApproval(ctx context.Context, uid model.UID) (review.Approval, []binding.Compared, error) {
	if err := s.failing("SinceApproval"); err != nil {
		return review.Approval{}, nil, err
	}
	s.mu.Lock()
	w := world{s.snap, s.files}
	s.mu.Unlock()
	return binding.SinceApproval(w, func(uid model.UID, doc model.Doc, n int) (model.Content, error) {
		return s.Revision(ctx, uid, doc, n)
	}, uid)
}
