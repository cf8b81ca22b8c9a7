package writing

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/history"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/requests"
	"vespe/store/storefiles"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// files is every file that the transaction writes as entry number seq, each with what it
// replaces. Files that already hold their new bytes are left out.
func (s *Writer) files(t *Transaction, seq uint64) ([]txlog.FileImage, error) {
	im := imager{s: s, snap: t.snapshot, dirs: map[model.UID]bool{}}
	c := t.change
	im.each(len(c.Tasks), func(im *imager, i int) { im.own(c.Tasks[i], c.Touched[i]) })
	for _, f := range c.Files {
		if f.Edited {
			im.edited(f, t.deletedTask(f.Path))
			continue
		}
		im.add(f.Path, f.Body, f.Immutable)
	}
	im.brought(t, seq)
	for _, r := range c.Requests {
		im.add(layout.RequestFile(r.ID), model.EncodeRequest(r), false)
	}
	if c.Milestones != nil {
		im.add(layout.MilestonesFile, model.EncodeMilestones(*c.Milestones), false)
	}
	im.events(c.Events, seq)
	im.keepUnknown()
	if im.err == nil {
		im.err = im.writable()
	}
	return im.files, im.err
}

// each does something for each of n tasks, side by side when they are many; what comes of them is in
// their order.
func (im *imager) each(n int, do func(im *imager, i int)) {
	if im.err != nil {
		return
	}
	subs := make([]imager, n)
	_ = parallel.EachIf(n > im.s.Pending.Projector.Many, n, func(i int) error {
		subs[i] = imager{s: im.s, snap: im.snap, dirs: map[model.UID]bool{}}
		do(&subs[i], i)
		return subs[i].err
	}) // it is in one of them
	for i := range subs {
		if im.err == nil {
			im.err = subs[i].err
		}
		im.files = append(im.files, subs[i].files...)
		maps.Copy(im.dirs, subs[i].dirs)
	}
}

// own adds the files of a task that a transaction touches.
func (im *imager) own(task *model.Task, touched model.Touched) {
	if touched.Config {
		im.add(layout.TaskFile(task.UID, layout.ConfigFile), model.EncodeConfig(task.Config), false)
	}
	if touched.Dependencies {
		im.add(layout.TaskFile(task.UID, layout.DependenciesFile), model.EncodeDependencies(task.DependsOn, task.DepsExtra), false)
	}
	if touched.Spec && task.Spec != nil {
		im.add(layout.TaskFile(task.UID, layout.SpecFile), model.EncodeSpec(task.Spec), false)
	}
	if touched.Status {
		im.add(layout.TaskFile(task.UID, layout.StatusFile), model.EncodeStatus(task.Status), false)
	}
}

// writable refuses what could be committed but not projected: the next transaction of any task
// would have to wait for it.
func (im *imager) writable() error {
	files := make([]*txlog.FileImage, 0, len(im.files))
	refused := func(uid model.UID, dir string, err error) error {
		f := failure.New(model.CodeRefused, failure.GuardWritable, nil, err, "make it writable; nothing was changed", "%s can't be written", layout.Shown(dir))
		f.Refusal.UID = uid
		return failure.About(uid, f)
	}
	for i := range im.files {
		f := &im.files[i]
		if f.Hash == "" {
			continue // it was deleted, and is not written
		}
		files = append(files, f)
		uid, _, _ := layout.TaskOf(f.Path)
		if im.s.Edits.Pending(uid) > 0 && !f.Edited {
			return refused(uid, layout.TaskDir(uid), nil) // nor may it be before it is projected
		}
	}
	if err := im.s.Pending.Unwritable(files); err != nil {
		uid, _, _ := layout.TaskOf(err.Dir + "/.")
		return refused(uid, err.Dir, err.Err)
	}
	return nil
}

type imager struct {
	s     *Writer
	snap  *snapshot.Snapshot // before the transaction
	dirs  map[model.UID]bool // whether a task has a directory
	files []txlog.FileImage
	kept  []string   // hashes of edits whose bytes an earlier transaction kept already
	began *time.Time // when the log did; nil: it was not asked for yet, zero: nobody knows
	err   error
}

// add is a no-op after the first error.
func (im *imager) add(name string, body []byte, immutable bool) {
	if im.err != nil {
		return
	}
	if err := layout.CheckTarget(name); err != nil {
		im.err = failure.New(model.CodeInvalid, failure.GuardFiles, nil, err, "use another name; nothing was changed", "a file cannot be written")
		return
	}
	uid, rest, isTask := layout.TaskOf(name)
	if isTask {
		defer func() { im.err = failure.About(uid, im.err) }()
	}
	if limit := layout.ReadLimit(name); len(body) > limit {
		im.err = failure.New(model.CodeRefused, failure.GuardFiles, nil, nil, "shorten it; nothing was changed",
			"%s would have %d bytes; the limit is %d", layout.Shown(name), len(body), limit)
		return
	}
	f := txlog.FileImage{Path: name, Hash: model.HashBytes(body), Immutable: immutable, Bytes: body}
	if f.Bytes == nil {
		f.Bytes = []byte{}
	}
	if isTask && strings.HasPrefix(rest, layout.EditsDir+"/") {
		f.Path = im.unused(name, f.Hash)
	}
	if !isTask || im.has(uid) {
		im.replaces(&f)
	}
	switch {
	case im.err != nil:
		im.err = failure.New(model.CodeRefused, failure.GuardFiles, nil, im.err, "repair it first; nothing was changed", "%s can't be replaced", layout.Shown(name))
		return
	case f.Was == f.Hash:
		if isTask && strings.HasPrefix(rest, layout.EditsDir+"/") {
			im.kept = append(im.kept, f.Hash)
		}
		return
	case immutable && f.Was != "":
		im.err = failure.New(model.CodeConflict, failure.GuardFiles, nil, nil, "move that file, then try again",
			"%s already exists with different content and can't be rewritten", layout.Shown(name))
		return
	}
	im.files = append(im.files, f)
}

// unused is a name for bytes of an edit: one that nobody has given to others.
func (im *imager) unused(name, hash string) string {
	for i := 1; i < maxTries; i++ {
		numbered := layout.NumberedEdit(name, i)
		if there, err := im.s.Disk.Hash(numbered); err == nil && (there == "" || there == hash) {
			return numbered
		}
	}
	return name
}

// replaces fills in what a file holds now, and keeps the bytes where they may be nobody's
// but these.
func (im *imager) replaces(f *txlog.FileImage) {
	b, err := im.s.Disk.FS.ReadFile(f.Path, layout.MaxObject)
	if fsys.Missing(err) {
		return
	}
	if im.err = err; err != nil {
		return
	}
	f.Was = model.HashBytes(b)
	switch {
	case f.Was == f.Hash:
	case !im.isKnown(f.Path, f.Was):
		f.Replaced = b
		f.Theirs, im.err = im.isTheirs(f.Path, b)
	case im.isUnlogged(f.Path):
		f.Replaced = b
	}
}

// isTheirs says whether bytes that the log does not know, and nobody took over, say what nobody
// but their writer knows: they were written since the transaction was computed, or it is on too
// many tasks to look at the documents of each.
func (im *imager) isTheirs(name string, b []byte) (bool, error) {
	uid, rest, isTask := layout.TaskOf(name)
	t, known := im.s.Edits.Known(im.snap, uid)
	if shown, ok := im.snap.Task(uid); known && taskfiles.IsBlank(t) && ok {
		t = shown // it came as a whole
	}
	switch {
	case isTask && strings.HasPrefix(rest, layout.ReviewsDir+"/"):
		return known && t.Status.Comments != nil && name == layout.ReviewFile(uid, t.Status.Comments), nil
	case name == layout.MilestonesFile:
		ms, _ := model.DecodeMilestones(layout.Shown(name), b)
		return !storefiles.SameMilestones(ms, im.snap.MilestoneFile()), nil
	case isTask && !taskfiles.IsOwn(rest), !isTask && !strings.HasPrefix(name, layout.RequestsDir+"/"):
		return false, nil
	case !isTask:
		r, _ := model.DecodeRequest(layout.Shown(name), b)
		for _, q := range im.snap.Requests() {
			if layout.RequestFile(q.ID) == name {
				r.ID = q.ID
				return !bytes.Equal(model.EncodeRequest(r), model.EncodeRequest(q)), nil
			}
		}
		return true, nil
	case known && path.Ext(rest) == ".json" && taskfiles.Same(t, taskfiles.LaidOver(t, taskfiles.Images{rest: b})):
		return false, nil
	case path.Ext(rest) == ".md" && (len(bytes.TrimSpace(b)) == 0 || im.s.Loader.Projected().HasBytes(uid, model.Doc(strings.TrimSuffix(rest, ".md")), b)):
		return false, nil
	}
	in, err := im.s.Disk.FS.Stat(name)
	if err != nil {
		return true, nil //nolint:nilerr // its writer isn't done; the next try looks again
	}
	late, err := im.s.Comparer.IsLate(name, model.HashBytes(b), in.ModTime)
	return !late, err
}

// isKnown says whether bytes are what the log wrote into a file, as far as the snapshot
// tells.
func (im *imager) isKnown(name, hash string) bool {
	uid, rest, ok := layout.TaskOf(name)
	t, known := im.s.Edits.Known(im.snap, uid)
	if !ok || !known {
		return false
	}
	if rest == layout.DocFile(model.Objective) || rest == layout.DocFile(model.Plan) {
		doc := model.Doc(strings.TrimSuffix(rest, ".md"))
		n := t.Status.PlanRevision
		if doc == model.Objective {
			n = t.Status.ObjectiveRevision
		}
		file, _, err := im.s.Loader.Projected().Recorded(uid, doc, n, hash)
		return err == nil && file != ""
	}
	if c := t.Status.Comments; c != nil && name == layout.ReviewFile(uid, c) {
		return hash == c.Hash
	}
	for _, f := range taskfiles.Own(t) {
		if f.Name == rest && f.Body != nil {
			return model.HashBytes(f.Body) == hash
		}
	}
	return false
}

// keepUnknown sees to it that replaced bytes that nothing else holds are in the log.
func (im *imager) keepUnknown() {
	written := map[string]bool{}
	for _, hash := range im.kept {
		written[hash] = true
	}
	for i := range im.files {
		written[im.files[i].Hash] = true
	}
	for i := range im.files {
		if f := &im.files[i]; f.Hash != "" && written[f.Was] {
			f.Replaced, f.Theirs = nil, false
		}
	}
}

// edited adds a file that somebody else wrote or deleted: it is not written, the log
// only learns of its bytes. deleted is the task when it went as a whole: what is known of it has to
// be kept, for when it comes back.
func (im *imager) edited(f model.FileChange, deleted *model.Task) {
	if im.err != nil {
		return
	}
	if err := layout.CheckTarget(f.Path); err != nil {
		im.err = failure.New(model.CodeInvalid, failure.GuardFiles, nil, err, "nothing was changed", "an edit can't be recorded")
		return
	}
	rewritten := slices.ContainsFunc(im.files, func(g txlog.FileImage) bool { return g.Path == f.Path })
	switch {
	case f.Body == nil && rewritten:
		return
	case f.Body == nil:
		file := txlog.FileImage{Path: f.Path, Was: f.Was, Edited: true}
		if deleted != nil && f.Was != "" {
			_, rest, _ := layout.TaskOf(f.Path)
			file.Replaced = taskfiles.Body(deleted, rest)
		}
		im.files = append(im.files, file)
		return
	case rewritten:
		// It is written anew by the same transaction: the bytes are kept beside it.
		uid, rest, _ := layout.TaskOf(f.Path)
		if path.Ext(rest) == ".json" {
			im.add(layout.EditFile(uid, rest, model.HashBytes(f.Body)), f.Body, true)
		}
		return // a document is a revision already
	}
	im.files = append(im.files, txlog.FileImage{Path: f.Path, Was: f.Was, Hash: model.HashBytes(f.Body), Edited: true, Bytes: f.Body})
}

// has says whether a task has a directory; a stray error is met again when it is written.
func (im *imager) has(uid model.UID) bool {
	has, seen := im.dirs[uid]
	if !seen && im.err == nil {
		_, err := im.s.Disk.FS.Stat(layout.TaskDir(uid))
		has = !errors.Is(err, fs.ErrNotExist)
		im.dirs[uid] = has
	}
	return has
}

// events names and adds the events, task by task.
func (im *imager) events(events []model.Event, seq uint64) {
	byTask := map[model.UID][]*model.Event{}
	var order []model.UID
	for i := range events {
		e := &events[i]
		e.Seq = seq
		if byTask[e.UID] == nil {
			order = append(order, e.UID)
		}
		byTask[e.UID] = append(byTask[e.UID], e)
	}
	im.each(len(order), func(im *imager, i int) {
		uid := order[i]
		history.NameFiles(byTask[uid], nil)
		if !im.later(uid, byTask[uid]) {
			taken, err := im.taken(uid)
			if err != nil {
				im.err = err
				return
			}
			history.NameFiles(byTask[uid], taken)
		}
		for _, e := range byTask[uid] {
			im.add(layout.TaskFile(uid, layout.PersistentDir+"/"+e.File), model.EncodeEvent(*e), true)
		}
	})
}

// later reports whether events are certain to come after those that a task has, so that
// its persistent/, which only ever grows, need not be listed: they are newer than its last
// change, and nobody else made files of their names.
func (im *imager) later(uid model.UID, events []*model.Event) bool {
	was, known := im.snap.Task(uid)
	if !known || !im.has(uid) {
		return false
	}
	last := was.Status.LastUpdatedAt.Truncate(time.Millisecond)
	for _, e := range events {
		if !e.At.Truncate(time.Millisecond).After(last) {
			return false
		}
		if _, err := im.s.Disk.FS.Stat(layout.TaskFile(uid, layout.PersistentDir+"/"+e.File)); !fsys.Missing(err) {
			return false
		}
	}
	return true
}

// taken is the names in a task's persistent/.
func (im *imager) taken(uid model.UID) ([]string, error) {
	if !im.has(uid) {
		return nil, nil
	}
	es, err := fsys.List(im.s.Disk.FS, layout.TaskFile(uid, layout.PersistentDir))
	if err != nil && !fsys.Missing(err) {
		return nil, err
	}
	names := make([]string, len(es))
	for i, e := range es {
		names[i] = e.Name
	}
	return names, nil
}

// isUnlogged says whether what one of a task's JSON files holds may be what no entry wrote: the
// task is older than the log, as all are that came with a clone. Then it is kept when it is
// replaced, or nobody could look back beyond that. A base is no beginning: what was there then is
// kept apart.
func (im *imager) isUnlogged(name string) bool {
	uid, rest, _ := layout.TaskOf(name)
	t, known := im.s.Edits.Known(im.snap, uid)
	if !known || !taskfiles.IsOwn(rest) || path.Ext(rest) != ".json" {
		return false
	}
	if im.snap.Seq() == 0 {
		return true
	}
	if im.began == nil {
		at, _ := im.s.Log.EntryTime(1) // where it cannot be read nothing is lost but how it was
		im.began = &at
	}
	since := t.Config.CreatedAt
	if rest == layout.StatusFile { // which changes with each entry
		since = t.Status.LastUpdatedAt
	}
	return since.Before(*im.began)
}

// brought takes over the files of requests that were there before the log was, as a clone brings
// them, in the first entry. Those that the transaction writes are left out.
func (im *imager) brought(t *Transaction, seq uint64) {
	if seq != 1 || im.err != nil {
		return
	}
	found, _, err := im.s.Requests.Files()
	if err != nil {
		im.err = err
		return
	}
	for _, f := range found {
		if _, written := t.request[requests.ID(f.Name)]; f.Valid && !written && layout.CheckTarget(f.Name) == nil {
			im.edited(model.FileChange{Path: f.Name, Body: f.Body, Edited: true}, nil)
		}
	}
}
