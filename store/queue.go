package store

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/store/checkpoint"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/past"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// Agents write requests as plain files, too, and anyone who can write one can write an answer into
// it. So what the log knows of a request is what it is: its question as it was asked, and its
// answer as a person gave it to vespe. A file that the log knows nothing of asks, and answers
// nothing. In a store the log of which is empty there is nothing to compare with: files of a
// clone are believed, and the first entry takes them over.

// queue is the requests as the entries of the log left them.
type queue struct {
	mu    sync.Mutex
	at    uint64 // the last entry that was looked at
	begun bool   // from a checkpoint, or from the first entry that is kept
	known map[string]knownRequest
}

// knownRequest is a request as the log knows it.
type knownRequest struct {
	model.Request
	seq  uint64 // the entry that wrote it last; 0 where that is not known
	hash string // of the file's bytes, where these are nowhere: only they are the request
}

// start begins with what a checkpoint has.
func (q *queue) start(requests []model.Request, at uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.at, q.begun, q.known = at, true, make(map[string]knownRequest, len(requests))
	for _, r := range requests {
		q.known[r.ID] = knownRequest{Request: r}
	}
}

func (q *queue) forget() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.at, q.begun, q.known = 0, false, nil
}

// loggedRequests are the requests as the log knows them after its last entry, which it returns.
func (s *Store) loggedRequests(ctx context.Context) (map[string]knownRequest, uint64, error) {
	_, at := s.current.Get()
	last, err := s.log.Tail(at.Seq)
	if err != nil {
		return nil, 0, err
	}
	q := &s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.at > last { // the log is another one
		q.at, q.begun, q.known = 0, false, nil
	}
	for range maxTries {
		if !q.begun {
			if err := s.beginQueue(ctx, q); err != nil {
				return nil, 0, err
			}
		}
		compacted, err := s.advanceQueue(ctx, q, last)
		if err != nil {
			return nil, 0, err
		}
		if !compacted {
			return maps.Clone(q.known), last, nil
		}
		q.begun = false
	}
	return nil, 0, failure.ErrRestless
}

// beginQueue begins with what stands for the entries that are no longer kept.
func (s *Store) beginQueue(ctx context.Context, q *queue) error {
	q.known = map[string]knownRequest{}
	b, err := s.log.OpenBase()
	if err != nil {
		if fsys.IsTransient(err) {
			return err
		}
		b = txlog.OpenedBase{} // what it knew is not known; Verify says so
	}
	q.at, q.begun = b.Seq, true
	if b.Seq == 0 {
		return nil
	}
	images := map[string]txlog.LastImage{}
	if err := b.Paths.Into(images); err != nil {
		return nil //nolint:nilerr // the same
	}
	maps.DeleteFunc(images, func(name string, im txlog.LastImage) bool {
		return !strings.HasPrefix(name, layout.RequestsDir+"/") || im.Hash == ""
	})
	if len(images) == 0 {
		return nil
	}
	kept, _, err := past.Read(s.fs, b.Base)
	if err != nil {
		return err
	}
	for name, im := range images {
		id := requestID(name)
		body := kept[name].Body
		if body == nil || model.HashBytes(body) != im.Hash {
			if body, err = taskfiles.Bytes(&s.disk, name, im.Hash); err != nil {
				return err
			}
		}
		if body == nil {
			q.known[id] = knownRequest{hash: im.Hash}
			continue
		}
		if r, ok := decodedRequest(name, body); ok {
			q.known[id] = knownRequest{Request: r}
		}
	}
	return ctx.Err()
}

func requestID(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, layout.RequestsDir+"/"), ".json")
}

// decodedRequest reads a request's file, the name of which counts.
func decodedRequest(name string, body []byte) (model.Request, bool) {
	r, ps := model.DecodeRequest(layout.Shown(name), body)
	r.ID = requestID(name)
	return r, !failure.HasError(ps)
}

// advanceQueue looks at the entries until one. compacted says that some are no longer kept.
func (s *Store) advanceQueue(ctx context.Context, q *queue, last uint64) (compacted bool, err error) {
	if q.at >= last {
		return false, nil
	}
	log, err := s.fs.OpenDir(layout.LogDir)
	if err != nil {
		return false, err
	}
	defer log.Close()
	for n := q.at + 1; n <= last; n++ {
		about := false
		_, err := txlog.ScanEntry(ctx, log, n, func(f txlog.ScannedFile) {
			about = about || strings.HasPrefix(f.Path, layout.RequestsDir+"/")
		})
		if err == nil && about {
			err = s.takeRequests(q, n)
		}
		switch {
		case err == nil:
		case fsys.Missing(err) && s.log.WasCompacted(n):
			return true, nil
		case ctx.Err() != nil:
			return false, ctx.Err()
		case fsys.IsTransient(err):
			return false, err
		case fsys.IsWithheld(err): // without it an answer would count that it took back
			return false, failure.New(model.CodeRefused, failure.GuardStore, nil, err, "check its permissions and the disk; `vespe store verify` names it",
				"the requests can't be compared with the log")
		}
		q.at = n // a damaged entry is a problem that others tell of
	}
	return false, nil
}

// takeRequests takes what an entry says of requests.
func (s *Store) takeRequests(q *queue, seq uint64) error {
	e, _, err := s.log.ReadEntry(seq)
	if err != nil {
		return err
	}
	for i := range e.Files {
		f := &e.Files[i]
		if !strings.HasPrefix(f.Path, layout.RequestsDir+"/") {
			continue
		}
		id := requestID(f.Path)
		if f.Hash == "" {
			delete(q.known, id)
			continue
		}
		b, err := s.log.BodyOf(f)
		if err != nil {
			if fsys.IsTransient(err) {
				return err
			}
			q.known[id] = knownRequest{seq: seq, hash: f.Hash}
			continue
		}
		if r, ok := decodedRequest(f.Path, b); ok {
			q.known[id] = knownRequest{Request: r, seq: seq}
		}
	}
	return nil
}

// foundRequest is a request's file as it is.
type foundRequest struct {
	name string // below .vespe
	body []byte
	r    model.Request
	ok   bool // it can be read
}

// believedRequests are the requests that files and the log make together. What a file says that
// counts for nothing is a problem.
//
// projected is the entry that was known to be projected before the files were read: what newer ones
// write may not have been in them yet.
func (s *Store) believedRequests(found []foundRequest, projected uint64) ([]model.Request, []model.Problem, error) {
	s.queue.mu.Lock()
	idle := !s.queue.begun || len(s.queue.known) == 0
	s.queue.mu.Unlock()
	if idle && len(found) == 0 {
		return nil, nil, nil
	}
	known, last, err := s.loggedRequests(context.Background())
	if err != nil {
		return nil, nil, err
	}
	var rs []model.Request
	var ps []model.Problem
	for _, f := range found {
		k, logged := known[requestID(f.name)]
		delete(known, requestID(f.name))
		if logged && k.hash != "" && k.hash == model.HashBytes(f.body) {
			k.Request = f.r
		}
		switch {
		case logged && f.ok && overruled(&k.Request, &f.r):
			r := f.r
			if r.IsDecided() && r.State != model.RequestDenied { // it was decided anew, in another clone
				r, _ = onlyAsking(r)
			}
			rs = append(rs, r)
		case logged && (k.hash == "" || k.ID != ""):
			r := k.Request
			if f.ok { // what does not count may come by a merge
				r.Others = f.r.Others
			}
			rs = append(rs, r)
			if f.ok && k.seq <= projected && !sameRequest(&f.r, &r) {
				ps = append(ps, foreignRequest(f.name, &f.r, &r))
			}
		case f.ok && last > 0:
			r, claimed := onlyAsking(f.r)
			rs = append(rs, r)
			if claimed {
				ps = append(ps, foreignRequest(f.name, &f.r, &r))
			}
		case f.ok:
			rs = append(rs, f.r)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		k := known[id]
		if k.hash != "" || !k.IsOpen() {
			continue
		}
		rs = append(rs, k.Request)
		if k.seq <= projected {
			ps = append(ps, model.Problem{
				Path: layout.Shown(layout.RequestFile(id)), Severity: model.Warning, Code: "missing-file",
				Reason: "is missing, but nobody has answered it, so it is still open", Hint: "answer it; that restores the file",
			})
		}
	}
	return rs, ps, nil
}

// overruled says whether a merge has found another answer beside the one that was given here, so that it doesn't stand: the
// request is denied, or waits again. A file that permits more than what was given here counts for nothing.
func overruled(here, file *model.Request) bool {
	return here.IsDecided() && here.State != model.RequestDenied && file.GaveOther(here.Answer) &&
		(!file.IsDecided() || !file.Answer.Same(here.Answer))
}

func sameRequest(a, b *model.Request) bool {
	return bytes.Equal(model.EncodeRequest(*a), model.EncodeRequest(*b))
}

// onlyAsking is a request that nobody gave to vespe: whatever it says of an answer, it waits.
func onlyAsking(r model.Request) (asking model.Request, claimed bool) {
	claimed = r.Answer != nil || !r.IsOpen()
	r.Answer = nil
	if r.State != model.RequestPending {
		r.State = model.RequestPending
	}
	return r, claimed
}

// foreignRequest is what is wrong with a file that says other than what counts.
func foreignRequest(name string, says, counts *model.Request) model.Problem {
	p := model.Problem{Path: layout.Shown(name), Severity: model.Warning, Code: "not-believed"}
	switch {
	case says.State != counts.State && !says.IsOpen() || says.Answer != nil && counts.Answer == nil:
		by := ""
		if says.Answer != nil {
			by = fmt.Sprintf(" by %s", says.Answer.By)
		}
		p.Reason = fmt.Sprintf("says that it was %s%s, which vespe didn't record, so it doesn't count", says.State, by)
		p.Hint = "decide in vespe; that corrects the file"
	default:
		p.Reason = "was edited outside vespe; vespe uses the version in the log"
		p.Hint = "ask again with a new id"
	}
	return p
}

// readQueue reads the files in hitl_queue/.
func (s *Store) readQueue() (found []foundRequest, ps []model.Problem, err error) {
	d, err := s.fs.OpenDir(layout.RequestsDir)
	if fsys.Missing(err) {
		return nil, nil, nil
	}
	if err != nil {
		if p, ok := s.notTheStores(layout.RequestsDir, err); ok {
			return nil, p, nil
		}
		return nil, nil, err
	}
	defer d.Close()
	es, err := d.Entries()
	if err != nil {
		return nil, nil, err
	}
	for _, e := range es {
		if strings.HasPrefix(e.Name, ".") || !strings.HasSuffix(e.Name, ".json") {
			continue
		}
		f := foundRequest{name: layout.RequestsDir + "/" + e.Name}
		path := layout.Shown(f.name)
		if f.body, err = d.ReadFile(e.Name, layout.MaxJSON); fsys.Missing(err) {
			continue
		}
		if err != nil {
			if fsys.IsTransient(err) {
				return nil, nil, err
			}
			ps = append(ps, failure.OfFile(path, err))
			found = append(found, f)
			continue
		}
		r, more := model.DecodeRequest(path, f.body)
		ps = append(ps, more...)
		f.ok = !failure.HasError(more)
		if id := requestID(f.name); r.ID != id {
			if f.ok && r.ID != "" {
				ps = append(ps, model.Problem{
					Path: path, Severity: model.Warning, Code: "id-mismatch",
					Reason: fmt.Sprintf("says it is the request %q", r.ID), Hint: "vespe uses the name of the file",
				})
			}
			r.ID = id
		}
		f.r = r
		found = append(found, f)
	}
	return found, ps, nil
}

// readRequests reads hitl_queue/, as far as it is to be believed.
func (s *Store) readRequests() ([]model.Request, []model.Problem, error) {
	projected := s.readHint().Seq
	found, ps, err := s.readQueue()
	if err != nil {
		return nil, nil, err
	}
	rs, more, err := s.believedRequests(found, projected) // after the files: the log is never behind them
	return rs, append(ps, more...), err
}

// asAsked is a snapshot in which the requests that operations are about are what they ask now: a
// file that the log does not know may have been written anew since it was read.
func (s *Store) asAsked(snap *model.Snapshot, at txlog.Tip, ops []model.Op) (*model.Snapshot, error) {
	var now []model.Request
	for i := range ops {
		id := ops[i].Request()
		if id == "" || layout.CheckTarget(layout.RequestFile(id)) != nil {
			continue
		}
		found := []foundRequest{}
		body, err := s.fs.ReadFile(layout.RequestFile(id), layout.MaxJSON)
		if err == nil {
			f := foundRequest{name: layout.RequestFile(id), body: body}
			f.r, f.ok = decodedRequest(f.name, body)
			found = append(found, f)
		} else if fsys.IsTransient(err) {
			return nil, err
		}
		rs, _, err := s.believedRequests(found, 0)
		if err != nil {
			return nil, err
		}
		k := slices.IndexFunc(rs, func(r model.Request) bool { return r.ID == id })
		was := slices.IndexFunc(snap.Requests(), func(r model.Request) bool { return r.ID == id })
		if k >= 0 && (was < 0 || !sameRequest(&snap.Requests()[was], &rs[k])) {
			now = append(now, rs[k])
		}
	}
	if len(now) == 0 {
		return snap, nil
	}
	s.looking.Lock()
	defer s.looking.Unlock()
	if kept, there := s.current.Get(); kept != nil && there == at { // others of this process may have looked meanwhile
		s.keep(kept.With(at.Seq, at.Head, nil, now), at)
	}
	return snap.With(at.Seq, at.Head, nil, now), nil
}

// brought takes over the files of requests that were there before the log was, as a clone brings
// them, in the first entry. Those that the transaction writes are left out.
func (im *imager) brought(t *transaction, seq uint64) {
	if seq != 1 || im.err != nil {
		return
	}
	found, _, err := im.s.readQueue()
	if err != nil {
		im.err = err
		return
	}
	for _, f := range found {
		if _, written := t.request[requestID(f.name)]; f.ok && !written && layout.CheckTarget(f.name) == nil {
			im.edited(model.FileChange{Path: f.name, Body: f.body, Edited: true}, nil)
		}
	}
}

// withLogged is a snapshot with the requests as the log knows them, for a checkpoint; where files
// say anything else, anyone who begins with it has to read them.
func (s *Store) withLogged(ctx context.Context, snap *model.Snapshot, c *checkpoint.Head) (*model.Snapshot, error) {
	in, err := s.fs.Stat(layout.RequestsDir)
	if err != nil {
		return snap, durable.IgnoreMissing(err)
	}
	shown, ps, err := s.readRequests()
	if err != nil {
		return nil, err
	}
	var logged []model.Request
	known, _, err := s.loggedRequests(ctx)
	if err != nil {
		return nil, err
	}
	same := len(ps) == 0
	for _, r := range shown {
		if k, ok := known[r.ID]; ok && k.hash == "" {
			logged = append(logged, k.Request)
			continue
		}
		same = false
	}
	if same {
		c.RequestsTime = in.ModTime.UnixNano()
	}
	return snap.Amend(model.Amendment{Requests: &logged}), nil
}

// replayedRequest says again which request an operation was about.
func replayedRequest(c *model.Change, op *model.Op, r *model.Request) {
	ask, asked := op.Args.(model.NewRequest)
	asked = asked && r.ID == lifecycle.NewRequestID(op.UID, ask.Key, op.ID)
	started := op.Name == model.Start && r.IsOpen() && r.TaskUID == op.UID
	if asked || started || r.ID == op.Request() {
		c.Request, c.Waits = r.ID, started
	}
}
