// Package requests tells which requests there are, and what each of them asks and was answered.
//
// Agents write requests as plain files, and anyone who can write one can write an answer into it. So a
// request is what the log knows of it: its question as it was asked, and its answer as a person gave it to
// vespe. A file that the log knows nothing of asks, and answers nothing. In a store with an empty log there
// is nothing to compare with: files of a clone are believed, and the first entry takes them over.
package requests

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// Queue is the requests as the entries of the log left them. It is safe for concurrent use.
type Queue struct {
	Disk *durable.Files
	Log  *txlog.Log
	Seen func() uint64 // an entry that there is for sure

	mu    sync.Mutex
	at    uint64 // the last entry that was looked at
	known map[string]Known
}

// Known is a request as the log knows it.
type Known struct {
	model.Request
	seq  uint64 // the entry that wrote it last; 0 where that is not known
	hash string // of the file's bytes, where these are nowhere: only they are the request
}

// Whole says whether the log has what the request asks.
func (k *Known) Whole() bool { return k.hash == "" }

// Start begins with what a checkpoint has.
func (q *Queue) Start(requests []model.Request, at uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.at, q.known = at, make(map[string]Known, len(requests))
	for _, r := range requests {
		q.known[r.ID] = Known{Request: r}
	}
}

// Forget makes the next reading begin anew: the log is another one.
func (q *Queue) Forget() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.at, q.known = 0, nil
}

// Logged are the requests as the log knows them after its last entry, which it returns.
func (q *Queue) Logged(ctx context.Context) (map[string]Known, uint64, error) {
	last, err := q.Log.Tail(q.Seen())
	if err != nil {
		return nil, 0, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.at > last { // the log is another one
		q.at, q.known = 0, nil
	}
	if err := q.advance(ctx, last); err != nil {
		return nil, 0, err
	}
	return maps.Clone(q.known), last, nil
}

// ID is the id of the request of a file below .vespe: its name.
func ID(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, layout.RequestsDir+"/"), ".json")
}

// Decode reads a request's file, the name of which counts.
func Decode(name string, body []byte) (model.Request, bool) {
	r, ps := model.DecodeRequest(layout.Shown(name), body)
	r.ID = ID(name)
	return r, !model.HasError(ps)
}

// advance looks at the entries until one.
func (q *Queue) advance(ctx context.Context, last uint64) error {
	if q.known == nil {
		q.known = map[string]Known{}
	}
	if q.at >= last {
		return nil
	}
	log, err := q.Disk.FS.OpenDir(layout.LogDir)
	if err != nil {
		return err
	}
	defer log.Close()
	for n := q.at + 1; n <= last; n++ {
		about := false
		_, err := txlog.ScanEntry(ctx, log, n, func(f txlog.ScannedFile) {
			about = about || strings.HasPrefix(f.Path, layout.RequestsDir+"/")
		})
		if err == nil && about {
			err = q.take(n)
		}
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case fsys.IsTransient(err):
			return err
		case fsys.IsWithheld(err): // without it an answer would count that it took back
			return failure.New(model.CodeRefused, failure.GuardStore, nil, err, "check its permissions and the disk; `vespe store verify` names it",
				"the requests can't be compared with the log")
		}
		q.at = n // a damaged entry is a problem that others tell of
	}
	return nil
}

// take takes what an entry says of requests.
func (q *Queue) take(seq uint64) error {
	e, _, err := q.Log.ReadEntry(seq)
	if err != nil {
		return err
	}
	for i := range e.Files {
		f := &e.Files[i]
		if !strings.HasPrefix(f.Path, layout.RequestsDir+"/") {
			continue
		}
		id := ID(f.Path)
		if f.Hash == "" {
			delete(q.known, id)
			continue
		}
		b, err := q.Log.BodyOf(f)
		if err != nil {
			if fsys.IsTransient(err) {
				return err
			}
			q.known[id] = Known{seq: seq, hash: f.Hash}
			continue
		}
		if r, ok := Decode(f.Path, b); ok {
			q.known[id] = Known{Request: r, seq: seq}
		}
	}
	return nil
}

// File is a request's file as it is.
type File struct {
	Name    string // below .vespe
	Body    []byte
	Request model.Request
	Valid   bool // it can be read
}

// believed are the requests that files and the log make together. What a file says that
// counts for nothing is a problem.
//
// projected is the entry that was known to be projected before the files were read: what newer ones
// write may not have been in them yet.
func (q *Queue) believed(found []File, projected uint64) ([]model.Request, []model.Problem, error) {
	q.mu.Lock()
	idle := len(q.known) == 0
	q.mu.Unlock()
	if idle && len(found) == 0 {
		return nil, nil, nil
	}
	known, last, err := q.Logged(context.Background())
	if err != nil {
		return nil, nil, err
	}
	var rs []model.Request
	var ps []model.Problem
	for _, f := range found {
		k, logged := known[ID(f.Name)]
		delete(known, ID(f.Name))
		if logged && k.hash != "" && k.hash == model.HashBytes(f.Body) {
			k.Request = f.Request
		}
		switch {
		case logged && f.Valid && overruled(&k.Request, &f.Request):
			r := f.Request
			if r.IsDecided() && r.State != model.RequestDenied { // it was decided anew, in another clone
				r, _ = onlyAsking(r)
			}
			rs = append(rs, r)
		case logged && (k.hash == "" || k.ID != ""):
			r := k.Request
			if f.Valid { // what does not count may come by a merge
				r.Others = f.Request.Others
			}
			rs = append(rs, r)
			if f.Valid && k.seq <= projected && !Same(&f.Request, &r) {
				ps = append(ps, foreign(f.Name, &f.Request, &r))
			}
		case f.Valid && last > 0:
			r, claimed := onlyAsking(f.Request)
			rs = append(rs, r)
			if claimed {
				ps = append(ps, foreign(f.Name, &f.Request, &r))
			}
		case f.Valid:
			rs = append(rs, f.Request)
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

// Same says whether two requests make the same file.
func Same(a, b *model.Request) bool {
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

// foreign is what is wrong with a file that says other than what counts.
func foreign(name string, says, counts *model.Request) model.Problem {
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

// Files reads the files in hitl_queue/.
func (q *Queue) Files() (found []File, ps []model.Problem, err error) {
	d, err := q.Disk.FS.OpenDir(layout.RequestsDir)
	if fsys.Missing(err) {
		return nil, nil, nil
	}
	if err != nil {
		if p, ok := failure.NotTheStores(layout.RequestsDir, err); ok {
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
		f := File{Name: layout.RequestsDir + "/" + e.Name}
		path := layout.Shown(f.Name)
		if f.Body, err = d.ReadFile(e.Name, layout.MaxJSON); fsys.Missing(err) {
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
		r, more := model.DecodeRequest(path, f.Body)
		ps = append(ps, more...)
		f.Valid = !model.HasError(more)
		if id := ID(f.Name); r.ID != id {
			if f.Valid && r.ID != "" {
				ps = append(ps, model.Problem{
					Path: path, Severity: model.Warning, Code: "id-mismatch",
					Reason: fmt.Sprintf("says it is the request %q", r.ID), Hint: "vespe uses the name of the file",
				})
			}
			r.ID = id
		}
		f.Request = r
		found = append(found, f)
	}
	return found, ps, nil
}

// Read reads hitl_queue/, as far as it is to be believed. projected is an entry that was projected before.
func (q *Queue) Read(projected uint64) ([]model.Request, []model.Problem, error) {
	found, ps, err := q.Files()
	if err != nil {
		return nil, nil, err
	}
	rs, more, err := q.believed(found, projected) // after the files: the log is never behind them
	return rs, append(ps, more...), err
}

// Now is what a request asks now: a file that the log does not know may have been written anew since it was read. ok is
// false where there is none.
func (q *Queue) Now(id string) (r model.Request, ok bool, err error) {
	name := layout.RequestFile(id)
	if id == "" || layout.CheckTarget(name) != nil {
		return r, false, nil //nolint:nilerr // no file has such a name
	}
	var found []File
	switch body, err := q.Disk.FS.ReadFile(name, layout.MaxJSON); {
	case err == nil:
		f := File{Name: name, Body: body}
		f.Request, f.Valid = Decode(name, body)
		found = append(found, f)
	case fsys.IsTransient(err):
		return r, false, err
	}
	rs, _, err := q.believed(found, 0)
	if err != nil {
		return r, false, err
	}
	if k := slices.IndexFunc(rs, func(r model.Request) bool { return r.ID == id }); k >= 0 {
		return rs[k], true, nil
	}
	return r, false, nil
}
