package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
)

// Past is the store as it was at a moment that is gone. It never changes.
//
// What the log still has entries of is exact. A task that was there before the log, or
// whose bytes gc took, is pieced together: its state from its events, its documents from
// its revisions, and what neither tells from its files as they are now.
type Past struct {
	Snapshot *model.Snapshot
	At       time.Time   // the moment; of the entry, where one was asked for
	Seq      uint64      // the last entry of the log until then; 0 where it has none
	Pieced   []model.UID // tasks that are pieced together, ascending

	store *Store
	files map[string]pastFile // documents, by path below .vespe
}

// pastFile is what a file held.
type pastFile struct {
	hash string // "" when it was not there
	seq  uint64 // the entry that wrote it
	body []byte // nil until it is needed: documents may be large
}

// At is the store as it was at a time: as of the last entry of the log that is not younger.
func (s *Store) At(ctx context.Context, when time.Time) (*Past, error) {
	seq, err := s.entryAt(ctx, when)
	if err != nil {
		return nil, err
	}
	return s.past(ctx, when, seq)
}

// AtSeq is the store as it was after an entry of the log.
func (s *Store) AtSeq(ctx context.Context, seq uint64) (*Past, error) {
	when, err := s.entryTime(seq)
	if missing(err) {
		floor, ferr := s.floor(true)
		head, herr := s.Head(ctx)
		if err := errors.Join(ferr, herr); err != nil {
			return nil, err
		}
		return nil, fail(model.CodeNotFound, guardStore, nil, nil, "`vespe history` shows the last ones",
			"the log has no entry %d: it holds those from %d to %d", seq, floor+1, head)
	}
	if err != nil {
		return nil, err
	}
	return s.past(ctx, when, seq)
}

// entryAt is the last entry that is not younger than a time; 0 when there is none. Clocks
// may go back, so entries are asked from the last one on.
func (s *Store) entryAt(ctx context.Context, when time.Time) (uint64, error) {
	head, err := s.Head(ctx)
	if err != nil {
		return 0, err
	}
	floor, err := s.floor(true)
	if err != nil {
		return 0, err
	}
	for seq := head; seq > floor; seq-- {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		at, err := s.entryTime(seq)
		if err != nil {
			return 0, err
		}
		if !at.After(when) {
			return seq, nil
		}
	}
	if floor > 0 {
		b, err := s.openBase()
		if err != nil {
			return 0, err
		}
		if !b.at.After(when) {
			return b.seq, nil
		}
	}
	return 0, nil
}

// entryTime is when an entry was made: it reads no further than to there.
func (s *Store) entryTime(seq uint64) (time.Time, error) {
	var at time.Time
	d, err := s.fs.OpenDir(logDir)
	if err != nil {
		return at, err
	}
	defer d.Close()
	r, _, err := d.Open(strings.TrimPrefix(entryFile(seq), logDir+"/"), maxEntry)
	if err != nil {
		return at, err
	}
	defer r.Close()
	dec := jsontext.NewDecoder(r)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return at, &entryError{seq, errors.Join(errors.New("no object"), err)}
	}
	for dec.PeekKind() == '"' {
		t, err := dec.ReadToken()
		if err != nil {
			return at, &entryError{seq, err}
		}
		if t.String() == "at" {
			if err := json.UnmarshalDecode(dec, &at); err != nil {
				return at, &entryError{seq, err}
			}
			return at, nil
		}
		if err := dec.SkipValue(); err != nil {
			return at, &entryError{seq, err}
		}
	}
	return at, &entryError{seq, errors.New("says no time")}
}

// past is the store after an entry, which is the last one until a time.
func (s *Store) past(ctx context.Context, when time.Time, seq uint64) (*Past, error) {
	now, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	f := fold{s: s, files: map[string]pastFile{}}
	if err := f.run(ctx, seq); err != nil {
		return nil, err
	}
	p := &Past{At: when, Seq: seq, store: s, files: map[string]pastFile{}}
	in := model.Input{Seq: seq, Head: f.head, StoreID: s.storeID()}
	if in.Policy, in.Problems, err = s.pastPolicy(f.files); err != nil {
		return nil, err
	}
	tasks := map[model.UID]images{}
	for name, file := range f.files {
		if file.hash == "" {
			continue
		}
		if id, ok := strings.CutPrefix(name, requestsDir+"/"); ok {
			if r, ps := model.DecodeRequest(shown(name), file.body); file.body != nil && !hasError(ps) {
				r.ID = strings.TrimSuffix(id, ".json")
				in.Requests = append(in.Requests, r)
			}
			continue
		}
		if uid, rest, ok := taskOf(name); ok {
			if tasks[uid] == nil {
				tasks[uid] = images{}
			}
			tasks[uid][rest] = file.body
			if path.Ext(rest) == ".md" {
				p.files[name] = file
			}
		}
	}
	piece := piecer{s: s, ctx: ctx, when: when}
	for uid, files := range tasks {
		if files.lost() {
			t, err := piece.lost(uid, files, now)
			if err != nil {
				return nil, err
			}
			if t != nil {
				in.Tasks, p.Pieced = append(in.Tasks, t), append(p.Pieced, uid)
			}
			continue
		}
		r := taskReader{t: &model.Task{UID: uid}, over: files}
		if err := r.read(); err != nil {
			return nil, err
		}
		in.Tasks = append(in.Tasks, r.t)
	}
	for i := range now.Len() {
		uid := now.UID(i)
		if _, known := f.tasks[uid]; known {
			continue
		}
		t, err := piece.unlogged(now.At(i))
		if err != nil {
			return nil, err
		}
		if t != nil {
			in.Tasks, p.Pieced = append(in.Tasks, t), append(p.Pieced, uid)
		}
	}
	slices.Sort(p.Pieced)
	p.Snapshot = model.NewSnapshot(in)
	return p, nil
}

// lost: one of a task's JSON files is known to have been there, and its bytes are gone.
func (im images) lost() bool {
	for name, body := range im {
		if body == nil && path.Ext(name) == ".json" {
			return true
		}
	}
	return false
}

func (s *Store) pastPolicy(files map[string]pastFile) (model.Policy, []model.Problem, error) {
	if f, ok := files[policyFile]; ok && f.body != nil {
		p, ps := model.DecodePolicy(shown(policyFile), f.body)
		return p, ps, nil
	}
	return s.readPolicy() // nobody wrote down what it was
}

// fold is the files of tasks, the requests and the policy as the entries of the log left
// them, one after the other.
type fold struct {
	s     *Store
	head  string
	files map[string]pastFile
	tasks map[model.UID]struct{} // that the log knows of until then
}

// run folds the entries until seq, from the base on where there is one.
func (f *fold) run(ctx context.Context, seq uint64) error {
	f.tasks = map[model.UID]struct{}{}
	b, err := f.s.openBase()
	if err != nil || seq < b.seq || seq == 0 {
		return err // of what the base replaced nobody knows when it was
	}
	f.head = b.head
	known := map[string]lastImage{}
	if err := b.paths.into(known); err != nil {
		return err
	}
	for name, im := range known {
		if f.wants(name) {
			f.files[name] = pastFile{hash: im.hash, seq: b.seq}
		}
	}
	for n := b.seq + 1; n <= seq; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, head, err := f.s.readEntry(n)
		if err != nil {
			return err
		}
		f.head = head
		for i := range e.Files {
			im := &e.Files[i]
			if !f.wants(im.Path) {
				continue
			}
			file := pastFile{hash: im.Hash, seq: n}
			if path.Ext(im.Path) == ".json" && im.Hash != "" {
				if file.body, err = f.s.bodyOf(im); err != nil {
					return err
				}
			}
			f.files[im.Path] = file
		}
	}
	return f.find(known)
}

func (f *fold) wants(name string) bool {
	uid, rest, ok := taskOf(name)
	if ok {
		f.tasks[uid] = struct{}{}
	}
	return ok && readByLoad(rest) || name == policyFile || strings.HasPrefix(name, requestsDir+"/")
}

// find looks for the bytes of those JSON files that only the base knows: where a file has
// not changed since, they are in it.
func (f *fold) find(known map[string]lastImage) error {
	for name := range known {
		file, ok := f.files[name]
		if !ok || file.body != nil || file.hash == "" || path.Ext(name) != ".json" {
			continue
		}
		body, err := f.s.bytesOf(name, file.hash)
		if err != nil {
			return err
		}
		file.body = body
		f.files[name] = file
	}
	return nil
}

// bytesOf finds bytes that a file once held: in the file, in an object, or where a hand's
// edit of it is kept. nil when nobody has them.
func (s *Store) bytesOf(name, hash string) ([]byte, error) {
	places := []string{name, objectFile(hash)}
	if uid, rest, ok := taskOf(name); ok && readByLoad(rest) {
		kept := editFile(uid, rest, hash)
		for i := 1; i < maxTries; i++ {
			if _, err := s.fs.Stat(numberedEdit(kept, i)); err != nil {
				break
			}
			places = append(places, numberedEdit(kept, i))
		}
	}
	for _, place := range places {
		b, err := s.fs.ReadFile(place, maxObject)
		if err != nil && isTransient(err) {
			return nil, err
		}
		if err == nil && model.HashBytes(b) == hash {
			return b, nil
		}
	}
	return nil, nil
}

// editFile is where the bytes of a task's file are kept that somebody else wrote.
func editFile(uid model.UID, rest, hash string) string {
	ext := path.Ext(rest)
	return taskFile(uid, fmt.Sprintf("%s/%s-%.16s%s", editsDir, strings.TrimSuffix(rest, ext), strings.TrimPrefix(hash, hashPrefix), ext))
}

// numberedEdit is the name of an edit's bytes where i-1 others have its name already.
func numberedEdit(name string, i int) string {
	if i == 1 {
		return name
	}
	ext := path.Ext(name)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), i, ext)
}

// Content is a document as it was then; errors.Is finds model.ErrNoContent when there was
// none, or nobody kept it.
func (p *Past) Content(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error) {
	if err := p.store.checkDoc(ctx, uid, doc); err != nil {
		return model.Content{}, err
	}
	t, ok := p.Snapshot.Task(uid)
	if !ok {
		return model.Content{}, model.ErrNoContent
	}
	n := t.Status.PlanRevision
	if doc == model.Objective {
		n = t.Status.ObjectiveRevision
	}
	file, known := p.files[taskFile(uid, docFile(doc))]
	if !known {
		if !slices.Contains(p.Pieced, uid) {
			return model.Content{}, model.ErrNoContent
		}
		return p.store.revision(uid, doc, n)
	}
	c := model.Content{Doc: doc, Hash: file.hash}
	for k := n; k > 0; k-- { // what a file held is a revision, nearly always the one that counts
		r, err := p.store.revision(uid, doc, k)
		if err != nil && !errors.Is(err, model.ErrNoContent) {
			return c, err
		}
		if err == nil && r.Hash == file.hash {
			if c.Body = r.Body; k == n {
				c.Revision = n
			}
			return c, nil
		}
	}
	if file.seq > 0 {
		e, _, err := p.store.readEntry(file.seq)
		if err != nil && !missing(err) {
			return c, err
		}
		if err == nil {
			for i := range e.Files {
				if im := &e.Files[i]; im.Path == taskFile(uid, docFile(doc)) && im.Hash == file.hash {
					c.Body, err = p.store.bodyOf(im)
					return c, err
				}
			}
		}
	}
	b, err := p.store.bytesOf(taskFile(uid, docFile(doc)), file.hash)
	if c.Body = b; err == nil && b == nil {
		err = fmt.Errorf("the %s of %s as it was then is not kept any more: %w", doc, uid, model.ErrNoContent)
	}
	return c, err
}

// History is what had happened to a task until then.
func (p *Past) History(ctx context.Context, uid model.UID) ([]model.Event, []model.Problem, error) {
	events, ps, err := p.store.History(ctx, uid)
	return slices.DeleteFunc(events, func(e model.Event) bool {
		if p.Seq > 0 && e.Seq > 0 {
			return e.Seq > p.Seq
		}
		return e.At.After(p.At)
	}), ps, err
}

// eventsUntil is the events of a history that are not younger than a time.
func eventsUntil(events []model.Event, when time.Time) []model.Event {
	n := slices.IndexFunc(events, func(e model.Event) bool { return e.At.After(when) })
	if n < 0 {
		n = len(events)
	}
	return events[:n:n]
}
