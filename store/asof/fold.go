package asof

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/marks"
	"vespe/store/parallel"
	"vespe/store/storefiles"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// fold is the files of tasks, the requests, the policy and the milestones as the entries of the log left
// them, one after the other.
//
// The log need not have written all that a task was: a clone has the files and a log of its
// own. What no entry wrote until then is what the first later one replaced, and where there is
// none, as it is now. That is not so for a task that the log tells of as a whole: what it did
// not write was not there.
type fold struct {
	s     *Reader
	when  time.Time
	head  string
	files map[string]File // by path below .vespe; with those that were deleted

	whole  map[model.UID]bool             // that the log has from the beginning
	told   map[model.UID]bool             // that it mentions until then
	before map[string]replaced            // what the first later entry found
	tasks  map[model.UID]taskfiles.Images // those that were there; a document's bytes are not among them
	pieced map[model.UID]bool             // whose state is pieced together

	mu sync.Mutex // guards files, tasks and pieced while they are completed, many tasks at a time
}

// File is what a file held.
type File struct {
	Hash string // "" when it was not there
	Seq  uint64 // the entry that wrote it, as far as that is known
	Body []byte // nil until it is needed: documents may be large
}

// replaced is what an entry found in a file.
type replaced struct {
	hash string // "": nothing
	body []byte // nil when nobody kept it
	made bool   // by vespe itself, not by anyone who wrote it past vespe
}

// foldTo folds the entries until one, which is the last one until a time, and completes what
// they do not tell.
func (s *Reader) foldTo(ctx context.Context, when time.Time, seq uint64, now *snapshot.Snapshot) (*fold, error) {
	f := newFold(s)
	f.when = when
	if err := f.run(ctx, seq); err != nil {
		return nil, err
	}
	if err := f.ahead(ctx, seq, now); err != nil {
		return nil, err
	}
	return f, f.complete(ctx, now)
}

func newFold(s *Reader) *fold {
	return &fold{
		s: s, files: map[string]File{}, before: map[string]replaced{}, tasks: map[model.UID]taskfiles.Images{},
		whole: map[model.UID]bool{}, told: map[model.UID]bool{}, pieced: map[model.UID]bool{},
	}
}

// run folds the entries until seq.
func (f *fold) run(ctx context.Context, seq uint64) error {
	for n := uint64(1); n <= seq; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, head, err := f.s.keptEntry(n)
		if err != nil {
			return err
		}
		f.head = head
		if err := f.add(e); err != nil {
			return err
		}
	}
	return nil
}

// add lays an entry over what there is.
func (f *fold) add(e *txlog.Entry) error {
	for i := range e.Files {
		im := &e.Files[i]
		if !f.wants(im.Path) {
			continue
		}
		uid, rest, _ := layout.TaskOf(im.Path)
		if rest == layout.ConfigFile {
			f.whole[uid] = f.whole[uid] || im.Was == "" || im.Hash == ""
		}
		file := File{Hash: im.Hash, Seq: e.Seq}
		if path.Ext(im.Path) == ".json" && im.Hash != "" {
			var err error
			if file.Body, err = f.s.Log.BodyOf(im); err != nil {
				return err
			}
		}
		f.files[im.Path] = file
	}
	return nil
}

func (f *fold) wants(name string) bool {
	uid, rest, ok := layout.TaskOf(name)
	if ok {
		f.told[uid] = true
	}
	return ok && taskfiles.IsOwn(rest) || name == layout.PolicyFile || name == layout.MilestonesFile || strings.HasPrefix(name, layout.RequestsDir+"/")
}

// keptEntry reads an entry that has to be there.
func (s *Reader) keptEntry(seq uint64) (*txlog.Entry, string, error) {
	e, head, err := s.Log.ReadEntry(seq)
	if fsys.Missing(err) {
		return nil, "", entryMissing(seq)
	}
	return e, head, err
}

func entryMissing(seq uint64) error {
	return failure.New(model.CodeInvalid, failure.GuardStore, nil, nil, "restore "+layout.Shown(layout.EntryFile(seq))+" from a backup; `vespe store verify` says what else is missing",
		"entry %d of the log is missing, so later ones can't be read", seq)
}

// ahead looks in the entries after seq at what they found in the files of tasks that are not
// told as a whole.
func (f *fold) ahead(ctx context.Context, seq uint64, now *snapshot.Snapshot) error {
	open := 0
	for i := range now.Len() {
		if !f.whole[now.UID(i)] {
			open++
		}
	}
	if open == 0 {
		return nil
	}
	head, err := f.s.Log.Tail(now.Seq())
	if err != nil {
		return err
	}
	for n := seq + 1; n <= head; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, _, err := f.s.Log.ReadEntry(n)
		if err != nil {
			if fsys.IsTransient(err) {
				return err
			}
			return nil // Verify says so; what it found is not known then
		}
		for i := range e.Files {
			im := &e.Files[i]
			uid, rest, ok := layout.TaskOf(im.Path)
			_, seen := f.before[im.Path]
			if seen || im.Path != layout.MilestonesFile && (!ok || f.whole[uid] || !taskfiles.IsOwn(rest)) {
				continue
			}
			r := replaced{hash: im.Was, made: !im.Edited}
			switch {
			case im.Kept != nil:
				r.body = []byte(*im.Kept)
			case im.Was != "" && path.Ext(im.Path) == ".json":
				if r.body, err = taskfiles.Bytes(f.s.Disk, im.Path, im.Was); err != nil {
					return err
				}
			}
			f.before[im.Path] = r
		}
	}
	return nil
}

// complete makes the tasks of what was folded, and adds what the log does not tell.
func (f *fold) complete(ctx context.Context, now *snapshot.Snapshot) error {
	for name, file := range f.files {
		if file.Hash == "" {
			continue
		}
		if uid, rest, ok := layout.TaskOf(name); ok {
			if f.tasks[uid] == nil {
				f.tasks[uid] = taskfiles.Images{}
			}
			f.tasks[uid][rest] = file.Body
		}
	}
	piece := piecer{s: f.s, ctx: ctx, when: f.when}
	told := slices.Collect(maps.Keys(f.told))
	if err := parallel.Each(ctx, len(told), func(i int) error { return f.completed(piece, now, told[i]) }); err != nil {
		return err
	}
	return parallel.Each(ctx, now.Len(), func(i int) error {
		if uid := now.UID(i); !f.told[uid] {
			return f.untold(piece, now, uid)
		}
		return nil
	})
}

// completed adds what the log does not tell of a task that it tells of.
func (f *fold) completed(piece piecer, now *snapshot.Snapshot, uid model.UID) error {
	files := f.of(uid)
	if _, there := files[layout.ConfigFile]; !there && f.whole[uid] { // it was deleted
		f.mu.Lock()
		delete(f.tasks, uid)
		f.mu.Unlock()
		return nil
	}
	if err := f.rest(uid, now); err != nil {
		return err
	}
	if files = f.of(uid); files.Lost() {
		t, err := piece.lost(uid, files, now)
		if err != nil {
			return err
		}
		f.put(t, true)
	}
	return nil
}

// of is the files of a task; nil where it has none.
func (f *fold) of(uid model.UID) taskfiles.Images {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tasks[uid]
}

// untold adds a task that the log, until then, knows nothing of: it was made past vespe, or
// brought from elsewhere later on with its history.
func (f *fold) untold(piece piecer, now *snapshot.Snapshot, uid model.UID) error {
	if config, later := f.before[layout.TaskFile(uid, layout.ConfigFile)]; later && config.made && config.hash == "" {
		return nil
	}
	t, _ := now.Task(uid)
	h, err := piece.history(uid)
	if err != nil || !h.begun(t) {
		return err
	}
	if err := f.rest(uid, now); err != nil {
		return err
	}
	files := f.of(uid)
	was, later := f.before[layout.TaskFile(uid, layout.StatusFile)]
	st, _ := model.DecodeStatus("", files[layout.StatusFile])
	if !st.LastUpdatedAt.After(f.when) && (later && was.body != nil || !later && len(h.later) == 0) {
		if !files.Lost() {
			return nil // nothing had happened since, by then
		}
	} else {
		files[layout.StatusFile] = nil
		if f.before[layout.TaskFile(uid, layout.ConfigFile)].body == nil {
			files[layout.ConfigFile] = nil // it may have had another name
		}
	}
	if t, err = piece.lost(uid, files, now); err == nil {
		piece.documents(t)
		f.put(t, true)
	}
	return err
}

// put makes a task one of those that were there, with the files that say so.
func (f *fold) put(t *model.Task, pieced bool) {
	files := taskfiles.Images{}
	for _, own := range taskfiles.Own(t) {
		if own.Body != nil {
			files[own.Name] = own.Body
		}
	}
	if t.HasObjective {
		files[layout.DocFile(model.Objective)] = nil
	}
	if t.HasPlan {
		files[layout.DocFile(model.Plan)] = nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tasks[t.UID] = files
	f.pieced[t.UID] = pieced
}

// rest completes the files of a task that the log does not tell of as a whole.
func (f *fold) rest(uid model.UID, now *snapshot.Snapshot) error {
	if f.whole[uid] {
		return nil
	}
	f.mu.Lock()
	if f.tasks[uid] == nil {
		f.tasks[uid] = taskfiles.Images{}
	}
	files := f.tasks[uid] // nobody else has this task
	f.mu.Unlock()
	for _, rest := range marks.Files {
		name := layout.TaskFile(uid, rest)
		was, later := f.before[name]
		f.mu.Lock()
		_, told := f.files[name]
		if !told && later && was.hash != "" {
			f.files[name] = File{Hash: was.hash}
			files[rest] = was.body
		}
		f.mu.Unlock()
		if told || later {
			continue
		}
		body, there, err := f.asNow(now, uid, rest)
		if err != nil {
			return err
		}
		if there {
			files[rest] = body
		}
	}
	return nil
}

// asNow is a file of a task as it is, or was before somebody wrote it past vespe.
func (f *fold) asNow(now *snapshot.Snapshot, uid model.UID, rest string) (body []byte, there bool, err error) {
	t, known := f.s.Table.Known(now, uid)
	if !known || taskfiles.IsBlank(t) {
		return nil, false, nil
	}
	switch rest {
	case layout.DocFile(model.Objective):
		return nil, t.HasObjective, nil
	case layout.DocFile(model.Plan):
		return nil, t.HasPlan, nil
	}
	if !f.s.Table.IsEdited(uid) {
		b, err := f.s.Disk.FS.ReadFile(layout.TaskFile(uid, rest), layout.MaxJSON)
		switch {
		case err == nil:
			return b, true, nil
		case fsys.Missing(err):
			return nil, false, nil
		case fsys.IsTransient(err):
			return nil, false, err
		}
	}
	for _, own := range taskfiles.Own(t) {
		if own.Name == rest {
			return own.Body, own.Body != nil, nil
		}
	}
	return nil, false, nil
}

// pastMilestones is milestones.json as it was: as entries left it, else as the first later
// one found it, else as it is.
func (f *fold) pastMilestones() (model.Milestones, []model.Problem, error) {
	read := func(b []byte) (model.Milestones, []model.Problem, error) {
		if b == nil {
			return model.Milestones{}, nil, nil
		}
		ms, ps := model.DecodeMilestones(layout.Shown(layout.MilestonesFile), b)
		return ms, ps, nil
	}
	if file, ok := f.files[layout.MilestonesFile]; ok {
		return read(file.Body)
	}
	if was, later := f.before[layout.MilestonesFile]; later {
		return read(was.body)
	}
	return storefiles.ReadMilestones(f.s.Disk)
}
