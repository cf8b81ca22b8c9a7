// Package modeltest is an in-memory store over lifecycle.Apply for tests: everything that the
// real store does to tasks, and nothing that it does to disks.
//
// A World holds tasks, documents, revisions, results, requests and events. It is a
// model.World with bytes. Do applies one operation as a transaction of its own; its clock
// and its ids are fixed, so that the same operations give the same world. Store wraps a
// World in the methods that the user interface asks of a store.
package modeltest

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/model/staged"
)

// Epoch is the time of the first operation; each later one is a second after the one
// before it.
var Epoch = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// World is an in-memory store. Its methods may be called by several goroutines.
type World struct {
	mu         sync.RWMutex
	tasks      map[model.UID]*model.Task
	kids       map[model.UID][]model.UID
	deps       map[model.UID][]model.UID // dependents
	docs       map[string]model.Content  // "<uid>/<doc>": today's bytes
	files      map[string][]byte         // every file written, by path below .vespe
	requests   []model.Request
	milestones model.Milestones
	events     []model.Event
	results    map[string]snapshot.Applied // by op id
	policy     model.Policy
	seq        uint64
	uids       int
	ops        int // operations tried, refused ones too
	snapshot   *snapshot.Snapshot
	attestor   review.Attestor
}

// New is an empty world with the default policy.
func New() *World {
	return &World{
		tasks:   map[model.UID]*model.Task{},
		kids:    map[model.UID][]model.UID{},
		deps:    map[model.UID][]model.UID{},
		docs:    map[string]model.Content{},
		files:   map[string][]byte{},
		results: map[string]snapshot.Applied{},
		policy:  model.DefaultPolicy(),
	}
}

// SetPolicy replaces the project's policy.
func (w *World) SetPolicy(p model.Policy) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.policy, w.snapshot = p, nil
}

// SetAttestor says who knows keys.
func (w *World) SetAttestor(a review.Attestor) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attestor = a
}

// NewUID is the next uid: tsk-00…01, tsk-00…02 and so on.
func (w *World) NewUID() model.UID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.newUID()
}

func (w *World) newUID() model.UID {
	w.uids++
	return model.UID(fmt.Sprintf("tsk-%032x", w.uids))
}

// Do applies one operation. An empty id, time or uid of a new task is filled in; a
// repeated id returns the first result.
func (w *World) Do(op model.Op) (*model.Change, error) {
	a, err := w.DoAll([]model.Op{op})
	return a.Change, err
}

// DoAll applies several operations as one transaction, each of which sees the ones before
// it. The first refusal undoes them all. The result has the change of the last operation,
// with the tasks and events of all.
func (w *World) DoAll(ops []model.Op) (snapshot.Applied, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	overlay := staged.New(unlocked{w})
	var changes []*model.Change
	for _, op := range ops {
		op = w.filled(op)
		if old, ok := w.results[op.ID]; ok {
			old.Replayed = true
			return old, nil
		}
		c, err := lifecycle.Apply(overlay, op)
		if err != nil {
			return snapshot.Applied{}, err
		}
		overlay.Absorb(c)
		changes = append(changes, c)
	}
	return w.commit(changes), nil
}

// filled completes an operation as the store does.
func (w *World) filled(op model.Op) model.Op {
	w.ops++
	if op.ID == "" {
		op.ID = fmt.Sprintf("op-%06d", w.ops)
	}
	if op.At.IsZero() {
		op.At = Epoch.Add(time.Duration(w.seq) * time.Second)
	}
	if op.Actor == "" {
		op.Actor = "human:ann"
	}
	op.FillUIDs(w.newUID)
	return op
}

func (w *World) commit(changes []*model.Change) snapshot.Applied {
	var tasks []*model.Task
	var requests []model.Request
	if slices.ContainsFunc(changes, func(c *model.Change) bool { return len(c.Tasks)+len(c.Requests) > 0 || c.Milestones != nil }) {
		w.seq++
	}
	for _, c := range changes {
		for _, t := range c.Tasks {
			w.put(t)
		}
		for _, f := range c.Files {
			w.write(f)
		}
		for _, e := range c.Events {
			e.Seq = w.seq
			w.events = append(w.events, e)
		}
		for _, r := range c.Requests {
			w.putRequest(r)
		}
		if c.Milestones != nil {
			w.milestones, w.snapshot = *c.Milestones, nil
		}
		tasks = append(tasks, c.Tasks...)
		requests = append(requests, c.Requests...)
	}
	if w.snapshot != nil {
		w.snapshot = w.snapshot.With(w.seq, w.head(), lastOfEach(tasks), requests)
	}
	a := snapshot.Applied{Seq: w.seq, Snapshot: w.snap()}
	if len(changes) > 0 {
		a.Change = changes[len(changes)-1]
		w.results[a.Change.Op.ID] = a
	}
	return a
}

// lastOfEach keeps the newest after-image of each task.
func lastOfEach(tasks []*model.Task) []*model.Task {
	var out []*model.Task
	at := map[model.UID]int{}
	for _, t := range tasks {
		if i, ok := at[t.UID]; ok {
			out[i] = t
			continue
		}
		at[t.UID] = len(out)
		out = append(out, t)
	}
	return out
}

// Put adds or replaces a task as it is, past the lifecycle: the state that a test starts
// from.
func (w *World) Put(t *model.Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(t.Clone())
	w.snapshot = nil
}

// PutRequest adds or replaces a request as it is, past the lifecycle, as a file written by hand
// does.
func (w *World) PutRequest(r model.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.putRequest(r.Clone())
	w.snapshot = nil
}

func (w *World) put(t *model.Task) {
	old := w.tasks[t.UID]
	if old != nil {
		w.kids[old.Config.ParentUID] = without(w.kids[old.Config.ParentUID], t.UID)
		for _, d := range old.DependsOn {
			w.deps[d] = without(w.deps[d], t.UID)
		}
	}
	w.tasks[t.UID] = t
	if p := t.Config.ParentUID; p != "" {
		w.kids[p] = with(w.kids[p], t.UID)
	}
	for _, d := range t.DependsOn {
		w.deps[d] = with(w.deps[d], t.UID)
	}
}

func with(list []model.UID, uid model.UID) []model.UID {
	i, found := slices.BinarySearch(list, uid)
	if found {
		return list
	}
	return slices.Insert(slices.Clone(list), i, uid)
}

func without(list []model.UID, uid model.UID) []model.UID {
	return slices.DeleteFunc(slices.Clone(list), func(u model.UID) bool { return u == uid })
}

// write keeps a file, and today's bytes when it is a document.
func (w *World) write(f model.FileChange) {
	if was, taken := w.files[f.Path]; taken && f.Immutable && !bytes.Equal(was, f.Body) {
		panic("modeltest: " + f.Path + " is immutable and written twice")
	}
	w.files[f.Path] = slices.Clone(f.Body)
	parts := strings.Split(f.Path, "/")
	if len(parts) < 3 || parts[0] != "tasks" {
		return
	}
	uid := model.UID(parts[1])
	name := strings.Join(parts[2:], "/")
	for _, d := range []model.Doc{model.Objective, model.Plan} {
		if name == string(d)+".md" {
			w.setDoc(uid, d, f.Body, -1)
		}
		if of, n, _, ok := model.ParseRevisionName(path.Base(name)); ok && of == d && name == "persistent/revisions/"+path.Base(name) {
			w.setDoc(uid, d, f.Body, n)
		}
	}
}

// setDoc sets today's bytes; a negative revision keeps the one that has the same bytes.
func (w *World) setDoc(uid model.UID, d model.Doc, body []byte, rev int) {
	key := string(uid) + "/" + string(d)
	c := model.Content{Doc: d, Body: slices.Clone(body), Hash: model.HashBytes(body), Revision: rev}
	if rev < 0 {
		c.Revision = 0
		if old := w.docs[key]; old.Hash == c.Hash {
			c.Revision = old.Revision
		}
		t := w.tasks[uid]
		last := t.Status.PlanRevision
		if d == model.Objective {
			last = t.Status.ObjectiveRevision
		}
		if _, is := w.files[revisionsOf(uid)+model.RevisionName(d, last, c.Hash)]; is {
			c.Revision = last
		}
	}
	w.docs[key] = c
}

func revisionsOf(uid model.UID) string { return "tasks/" + string(uid) + "/persistent/revisions/" }

// RevisionIn is a recorded revision of a document among files by their paths below .vespe.
func RevisionIn(files map[string][]byte, uid model.UID, d model.Doc, n int) (body []byte, ok bool) {
	for name, body := range files {
		if file, in := strings.CutPrefix(name, revisionsOf(uid)); in {
			if of, m, _, is := model.ParseRevisionName(file); is && of == d && m == n {
				return body, true
			}
		}
	}
	return nil, false
}

func (w *World) putRequest(r model.Request) {
	if i := slices.IndexFunc(w.requests, func(o model.Request) bool { return o.ID == r.ID }); i >= 0 {
		w.requests = slices.Clone(w.requests)
		w.requests[i] = r
		return
	}
	w.requests = append(w.requests, r)
}

// Edit writes a document as an editor would, past the lifecycle: its bytes are no
// recorded revision.
func (w *World) Edit(uid model.UID, d model.Doc, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.tasks[uid].Clone()
	if d == model.Plan {
		t.HasPlan = true
	} else {
		t.HasObjective = true
	}
	w.put(t)
	w.setDoc(uid, d, []byte(text), 0)
	w.files[path.Join("tasks", string(uid), string(d)+".md")] = []byte(text)
	w.snapshot = nil
}

// PutResult writes a file under result/, as a worker would.
func (w *World) PutResult(uid model.UID, name, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[resultDir(uid)+name] = []byte(text)
}

func resultDir(uid model.UID) string { return "tasks/" + string(uid) + "/result/" }

// Snapshot is the world as it is now.
func (w *World) Snapshot() *snapshot.Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.snap()
}

func (w *World) snap() *snapshot.Snapshot {
	if w.snapshot == nil {
		in := snapshot.Input{
			Seq: w.seq, StoreID: unlocked{w}.StoreID(), Head: w.head(),
			Requests: slices.Clone(w.requests), Policy: w.policy, Milestones: w.milestones,
		}
		for _, t := range w.tasks {
			in.Tasks = append(in.Tasks, t)
		}
		w.snapshot = snapshot.New(in)
	}
	return w.snapshot
}

func (w *World) head() string { return model.HashBytes(fmt.Append(nil, w.seq)) }

// Events are the events of one task, or of all with "", oldest first.
func (w *World) Events(uid model.UID) []model.Event {
	w.mu.RLock()
	defer w.mu.RUnlock()
	var out []model.Event
	for _, e := range w.events {
		if uid == "" || e.UID == uid {
			out = append(out, e)
		}
	}
	return out
}

// File is a file below .vespe that an operation or PutResult wrote.
func (w *World) File(name string) (body []byte, ok bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	body, ok = w.files[name]
	return body, ok
}

// Files are the paths of all of them, sorted.
func (w *World) Files() []string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	out := make([]string, 0, len(w.files))
	for name := range w.files {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// Tasks are all tasks in uid order. Do not modify them.
func (w *World) Tasks() []*model.Task {
	w.mu.RLock()
	defer w.mu.RUnlock()
	var out []*model.Task
	for _, t := range w.tasks {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *model.Task) int { return strings.Compare(string(a.UID), string(b.UID)) })
	return out
}
