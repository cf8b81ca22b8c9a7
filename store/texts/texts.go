// Package texts reads what was written about tasks, for an index of them.
package texts

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/marks"
	"vespe/store/parallel"
	"vespe/store/results"
	"vespe/store/txlog"
	"vespe/store/view"
)

// Bounds of what a Reader reads of one task. What is beyond them is left out: these texts are
// for finding a task again, not for deciding about it.
const (
	mostDocument   = 1 << 20   // bytes of the objective, and of the plan
	mostResultFile = 64 << 10  // bytes of one file below result/
	mostResults    = 256 << 10 // bytes of all of them
	mostFiles      = 200       // files below result/
	mostEvents     = 500       // events, the latest
	mostReviews    = 100       // reviews of plans, the latest
)

// Task is what was written about a task.
type Task struct {
	// Looks is how the task's files looked to the file system before they were read: another number
	// where they were written since. 0 says nothing.
	Looks     uint64
	Objective string
	Plan      string
	Comments  []Text // by the comment's id
	Results   []Text // by the path below result/; only text
	History   []Text // by the name of the event, the latest first
}

// Text is one of several of a kind.
type Text struct{ Name, Body string }

// Source is where the texts of a store come from.
type Source struct {
	disk    *durable.Files
	log     *txlog.Log
	view    func() (view.View, error)
	lookers func() int
}

// New is the texts on a disk. view is what is there now; lookers is how many tasks are looked at at once.
func New(disk *durable.Files, log *txlog.Log, view func() (view.View, error), lookers func() int) *Source {
	return &Source{disk, log, view, lookers}
}

// Reader reads the texts of tasks as they are once everything that was committed is projected.
// It may be used from several goroutines, and not for long: what is committed later it does not know.
type Reader struct {
	v     view.View
	tasks fsys.Dir
}

// TextReader is a reader of tasks' texts. Close it.
func (s *Source) TextReader() (*Reader, error) {
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	d, err := s.disk.FS.OpenDir(layout.TasksDir)
	if err != nil && !fsys.Missing(err) {
		return nil, err
	}
	return &Reader{v, d}, nil
}

// Close gives the descriptor back.
func (r *Reader) Close() error {
	if r.tasks == nil {
		return nil
	}
	return r.tasks.Close()
}

// Read reads the texts of a task. What is not there, or cannot be read for what it is, is left out;
// an error says that nothing is known of the task just now.
func (r *Reader) Read(ctx context.Context, uid model.UID) (t Task, err error) {
	if err := ctx.Err(); err != nil || !uid.Valid() || r.tasks == nil {
		return t, err
	}
	d, err := r.tasks.OpenDir(string(uid))
	if err != nil && !fsys.IsAboutFile(err) && !fsys.Missing(err) {
		return t, err
	}
	x := taskTexts{r: r, uid: uid}
	if err == nil {
		defer d.Close()
		x.dir = d
		t.Looks = textLooks(d, time.Now())
	}
	for file := range r.v.Images {
		x.pending = x.pending || strings.HasPrefix(file, layout.TaskDir(uid)+"/")
	}
	t.Objective = x.document(model.Objective)
	t.Plan = x.document(model.Plan)
	t.Comments = x.comments()
	t.History = x.history()
	t.Results = x.results()
	return t, x.err
}

// taskTexts is one task being read.
type taskTexts struct {
	r       *Reader
	uid     model.UID
	dir     fsys.Dir // nil where the task has no directory yet
	pending bool     // some of its files are not projected
	err     error
}

// file reads a file of the task; nil where that cannot be done.
func (x *taskTexts) file(in fsys.Dir, dir, name string, limit int64) []byte {
	var b []byte
	var err error
	if x.pending {
		b, err = x.r.v.ReadFile(layout.TaskFile(x.uid, path.Join(dir, name)), limit)
	} else if in != nil {
		b, err = in.ReadFile(name, limit)
	}
	if err != nil && fsys.IsTransient(err) {
		x.err = errors.Join(x.err, err)
	}
	return b
}

func (x *taskTexts) document(doc model.Doc) string {
	return clipped(x.file(x.dir, "", layout.DocFile(doc), layout.MaxDocument), mostDocument)
}

// clipped are the first bytes of a text, whole characters of them.
func clipped(b []byte, most int) string {
	if len(b) > most {
		b = b[:most]
		for len(b) > 0 && !utf8.RuneStart(b[len(b)-1]) {
			b = b[:len(b)-1]
		}
	}
	return string(bytes.ToValidUTF8(b, []byte("�")))
}

// open opens a directory of the task and lists the JSON files in it, the latest first and only so many.
func (x *taskTexts) open(dir string, most int) (fsys.Dir, []string) {
	var names []string
	var d fsys.Dir
	if x.dir != nil {
		var err error
		if d, err = x.dir.OpenDir(dir); err == nil {
			es, err := d.Entries()
			if err != nil && fsys.IsTransient(err) {
				x.err = errors.Join(x.err, err)
			}
			for _, e := range es {
				if e.Type == 0 {
					names = append(names, e.Name)
				}
			}
		}
	}
	if x.pending {
		names = append(names, x.r.v.Below(layout.TaskFile(x.uid, dir))...)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") || strings.Contains(name, "/")
	})
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(b, a) })
	names = slices.Compact(names)
	return d, names[:min(len(names), most)]
}

// comments are those of all reviews; one that was carried over is there once, as it is now.
func (x *taskTexts) comments() (out []Text) {
	d, names := x.open(layout.ReviewsDir, mostReviews)
	if d != nil {
		defer d.Close()
	}
	seen := map[string]bool{}
	for _, name := range names {
		b := x.file(d, layout.ReviewsDir, name, layout.MaxJSON)
		if b == nil {
			continue
		}
		f, err := model.DecodeReviewFile(b)
		if err != nil {
			continue // Doctor says so
		}
		if f.Reason != "" {
			out = append(out, Text{f.Verdict, f.Reason})
		}
		for _, c := range f.Comments {
			if seen[c.ID] {
				continue
			}
			seen[c.ID] = true
			text := c.Text
			for _, r := range c.Replies {
				text += "\n" + r.Text
			}
			out = append(out, Text{c.ID, text})
		}
	}
	return out
}

func (x *taskTexts) history() (out []Text) {
	d, names := x.open(layout.PersistentDir, mostEvents)
	if d != nil {
		defer d.Close()
	}
	for _, name := range names {
		b := x.file(d, layout.PersistentDir, name, layout.MaxJSON)
		if b == nil {
			continue
		}
		e, problems := model.DecodeEvent(layout.Shown(layout.TaskFile(x.uid, layout.PersistentDir+"/"+name)), b)
		if model.HasError(problems) {
			continue // Doctor says so
		}
		if e.Name == model.ImportTask {
			continue // its text is vespe's own: it would be found for every imported task
		}
		text := e.Summary
		if e.Reason != "" && !strings.Contains(text, e.Reason) {
			text += "\n" + e.Reason
		}
		out = append(out, Text{string(e.Name), text})
	}
	return out
}

// results are the files below result/ that are text, or the beginning of it.
func (x *taskTexts) results() []Text {
	w := &resultTexts{left: mostResults}
	if x.dir != nil {
		if d, err := x.dir.OpenDir(layout.ResultDir); err == nil {
			w.walk(d, "", 0)
		}
	}
	if x.pending {
		for _, name := range x.r.v.Below(layout.TaskFile(x.uid, layout.ResultDir)) {
			b := x.file(nil, layout.ResultDir, name, layout.MaxResult)
			w.out = slices.DeleteFunc(w.out, func(t Text) bool { return t.Name == name })
			w.add(name, b)
		}
	}
	return w.out
}

type resultTexts struct {
	out         []Text
	left, files int
}

// walk reads an open directory, which it closes.
func (w *resultTexts) walk(d fsys.Dir, prefix string, depth int) {
	defer d.Close()
	es, err := d.Entries()
	if err != nil {
		return
	}
	for _, e := range es {
		switch {
		case w.files >= mostFiles || w.left <= 0:
			return
		case fsys.IsEditors(e):
		case e.Type == fs.ModeDir && depth < results.MaxDepth:
			if sub, err := d.OpenDir(e.Name); err == nil {
				w.walk(sub, prefix+e.Name+"/", depth+1)
			}
		case e.Type == 0:
			w.files++
			in, _, err := d.Open(e.Name, layout.MaxResult)
			if err != nil {
				continue
			}
			b := make([]byte, mostResultFile)
			n := 0
			for n < len(b) {
				k, err := in.Read(b[n:])
				if n += k; err != nil {
					break
				}
			}
			_ = in.Close() // only read from
			w.add(prefix+e.Name, b[:n])
		}
	}
}

// add takes what is text.
func (w *resultTexts) add(name string, b []byte) {
	text := clipped(b, min(mostResultFile, max(0, w.left)))
	if bytes.IndexByte(b, 0) >= 0 || strings.Count(text, "�") > len(text)/50 || strings.TrimSpace(text) == "" {
		return
	}
	w.left -= len(text)
	w.out = append(w.out, Text{name, text})
}

// Looks is how the files of tasks look now, as Task.Looks. It costs a few questions to the file
// system a task. progress may be nil.
func (s *Source) Looks(ctx context.Context, uids []model.UID, progress func(done, total int)) ([]uint64, error) {
	d, err := s.disk.FS.OpenDir(layout.TasksDir)
	if fsys.Missing(err) {
		return make([]uint64, len(uids)), nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	meter := parallel.NewMeter(progress, len(uids))
	out := make([]uint64, len(uids))
	err = parallel.Loop(ctx, s.lookers(), len(uids), func(i int) {
		if task, err := d.OpenDir(string(uids[i])); err == nil {
			out[i] = textLooks(task, time.Now())
			_ = task.Close() // only asked
		}
		meter.Add(1)
	})
	meter.Finish()
	return out, err
}

// textLooks is markIn with the directories that texts lie in.
func textLooks(task fsys.Dir, now time.Time) uint64 {
	sum := marks.ReadIn(task, now)
	if sum == 0 {
		return 0
	}
	const prime = 1099511628211
	for i, name := range [...]string{layout.PersistentDir, layout.ReviewsDir, layout.ResultDir} {
		in, err := task.Stat(name)
		if err != nil {
			continue
		}
		if marks.IsYoung(in, now) {
			return 0
		}
		marks.AddInfo(in, func(v uint64) { sum = (sum ^ v ^ uint64(i)) * prime })
	}
	d, err := task.OpenDir(layout.ResultDir)
	if err != nil {
		return max(sum, 1)
	}
	left := mostFiles
	if !resultLooks(d, now, 0, &left, func(v uint64) { sum = (sum ^ v) * prime }) {
		return 0
	}
	return max(sum, 1)
}

// resultLooks adds the looks of what lies below an open directory, which it closes: the files of results are
// written in place, which their directory does not show. It is false where they are too young to say anything.
func resultLooks(d fsys.Dir, now time.Time, depth int, left *int, add func(uint64)) bool {
	defer d.Close()
	es, err := d.Entries()
	if err != nil {
		return false
	}
	for _, e := range es {
		if *left--; *left < 0 {
			return true // no more than these are read
		}
		in, err := d.Stat(e.Name)
		if err != nil || marks.IsYoung(in, now) {
			return false
		}
		marks.AddInfo(in, add)
		if e.Type != fs.ModeDir || depth >= results.MaxDepth {
			continue
		}
		if sub, err := d.OpenDir(e.Name); err == nil && !resultLooks(sub, now, depth+1, left, add) {
			return false
		}
	}
	return true
}

// Touched says which tasks entries of the log are about.
type Touched struct {
	UIDs []model.UID // in order, each once
	// Known is false where that cannot be told: the log is another one, or says so much that looking at all
	// tasks is less work.
	Known bool
}

// manyEntries: more of them are not read for what they touched.
const manyEntries = 5000

// TouchedSince are the tasks that the entries after one say anything about, up to another. hash is
// what the first had (HashOf): a log that has another there is another log.
func (s *Source) TouchedSince(ctx context.Context, after uint64, hash string, upTo uint64) (Touched, error) {
	if after > upTo || after > 0 && hash == "" || upTo-after > manyEntries || s.log.HashOfEntry(after) != hash {
		return Touched{}, nil
	}
	seen := map[model.UID]bool{}
	for seq := after + 1; seq <= upTo; seq++ {
		if err := ctx.Err(); err != nil {
			return Touched{}, err
		}
		e, _, err := s.log.ReadEntry(seq)
		if err != nil {
			if fsys.IsTransient(err) {
				return Touched{}, err
			}
			return Touched{}, nil
		}
		for i := range e.Files {
			if rest, ok := strings.CutPrefix(e.Files[i].Path, layout.TasksDir+"/"); ok {
				uid, _, _ := strings.Cut(rest, "/")
				seen[model.UID(uid)] = true
			}
		}
	}
	t := Touched{Known: true}
	for uid := range seen {
		t.UIDs = append(t.UIDs, uid)
	}
	slices.Sort(t.UIDs)
	return t, nil
}

// HashOf is the hash of an entry of the log; "" of none, and where it cannot be read.
func (s *Source) HashOf(seq uint64) string { return s.log.HashOfEntry(seq) }
