// Package project brings entries of the log to their files: it writes their after-images so that a crash at
// any point leaves something that can be finished, and keeps what others wrote meanwhile beside. Start with Projector.At.
package project

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/txlog"
)

// Many is how many files a projection may have before it is synced as a whole
// instead of file by file.
const Many = 64

// Projector brings entries to the files that they are of.
type Projector struct {
	Disk      *durable.Files
	Log       *txlog.Log
	IsLate    func(name, hash string, at time.Time) (bool, error) // whether bytes are those of a writer that came late
	Installed func(before, after int64)                           // is told the mtimes of tasks/ when names are added to it
	Many      int                                                 // more files are synced as a whole
}

// At is a projection of an entry.
func (w *Projector) At(seq uint64) *Projection {
	return &Projection{Projector: w, seq: seq, made: map[string]bool{}, dirs: map[string]bool{}}
}

// Projection writes the after-images of one entry to the files they are of. Doing it
// again, whole or from any point, gives the same files.
type Projection struct {
	*Projector
	seq uint64

	files    []*txlog.FileImage // in their order
	whole    bool               // sync once for all instead of once a file, and write them side by side
	mu       sync.Mutex         // guards what follows
	made     map[string]bool    // directories that are known to be there
	dirs     map[string]bool    // directories with new names in them
	old      []string           // temporary names of what was replaced as expected, to be removed
	warnings []string
	aside    []string           // where foreign bytes were put
	refused  map[model.UID]bool // tasks whose directories cannot be written
	missing  map[model.UID]bool // tasks whose directories are not there
}

// Result is what came of a projection.
type Result struct {
	Warnings []string
	Refused  []model.UID // tasks whose directories refused to be written
	Missing  []model.UID // tasks whose directories are not there
}

// Write writes files of an entry. Without an error everything is durable then, the names
// too, except in the tasks whose directories refused to be written.
func (p *Projection) Write(files []*txlog.FileImage) (Result, error) {
	p.files = slices.Clone(files)
	slices.SortStableFunc(p.files, func(a, b *txlog.FileImage) int { return layout.Rank(a.Path) - layout.Rank(b.Path) })
	if len(p.files) > p.Many {
		// Asked first: where there is no such call, or it fails, which is about what others wrote
		// before, each file is synced as it is written.
		p.whole = p.Disk.SyncAll() == nil
	}
	err := p.run()
	if errors.Is(err, errOvertaken) {
		err = nil
	}
	slices.Sort(p.warnings) // whichever file was first
	return Result{p.warnings, slices.Sorted(maps.Keys(p.refused)), slices.Sorted(maps.Keys(p.missing))}, err
}

// Restore puts bytes where they belong, and keeps what was there. refused: the directory of the task refuses to be written.
func (p *Projection) Restore(f *txlog.FileImage) (refused bool, err error) {
	tmp, err := p.temp(f)
	if err != nil {
		return false, err
	}
	if err := p.place(tmp, f); p.refuses(f.Path, err) {
		p.drop(tmp)
		return true, nil
	} else if err != nil {
		return false, err
	}
	p.dirs[path.Dir(f.Path)] = true
	return false, p.Disk.SyncDirs(p.dirs)
}

// Kept is the first file that foreign bytes were put into; "" for none.
func (p *Projection) Kept() string {
	if len(p.aside) == 0 {
		return ""
	}
	return p.aside[0]
}

func (p *Projection) run() error {
	fresh, rest, err := p.split()
	if err != nil {
		return err
	}
	if err := p.buildAll(fresh); err != nil {
		return err
	}
	tmps := make([]string, len(rest))
	if p.whole {
		if err := parallel.EachIf(true, len(rest), func(i int) (err error) {
			tmps[i], err = p.temp(rest[i])
			return err
		}); err != nil {
			return err
		}
		if err := p.Disk.SyncAll(); err != nil {
			return err
		}
	}
	if err := p.installAll(fresh); err != nil {
		return err
	}
	if err := p.placeAll(tmps, rest); err != nil {
		return err
	}
	if p.whole {
		if err := parallel.EachIf(true, len(p.old), func(i int) error { return durable.IgnoreMissing(p.Disk.FS.Remove(p.old[i])) }); err != nil {
			return err
		}
		return p.Disk.SyncAll()
	}
	if len(fresh) > 0 {
		p.dirs[layout.TasksDir] = true
	}
	for _, f := range rest {
		p.dirs[path.Dir(f.Path)] = true
	}
	for _, d := range durable.ChildrenFirst(p.dirs) {
		uid, _, _ := layout.TaskOf(d + "/.")
		if p.refused[uid] {
			continue // once it is written
		}
		if err := p.Disk.SyncDir(d); err != nil && !fsys.Missing(err) && !p.refuses(d+"/.", err) {
			return err
		}
	}
	return nil
}

// placeAll moves files into place: those of a rank side by side when they are many, and none of
// the next before. tmps are their temporary names, "" where there is none yet.
func (p *Projection) placeAll(tmps []string, files []*txlog.FileImage) error {
	for at := 0; at < len(files); {
		end := at + 1
		for end < len(files) && layout.Rank(files[end].Path) == layout.Rank(files[at].Path) {
			end++
		}
		err := parallel.EachIf(p.whole, end-at, func(i int) error { return p.placeOne(&tmps[at+i], files[at+i]) })
		if errors.Is(err, errOvertaken) { // anyone who came after wrote these
			for _, tmp := range tmps[at:] {
				p.drop(tmp)
			}
		}
		if err != nil {
			return err
		}
		at = end
	}
	return nil
}

// placeOne writes one file, unless its task refuses to be written.
func (p *Projection) placeOne(tmp *string, f *txlog.FileImage) (err error) {
	uid, _, _ := layout.TaskOf(f.Path)
	p.mu.Lock()
	refused := p.refused[uid]
	p.mu.Unlock()
	if refused {
		p.drop(*tmp)
		return nil
	}
	if *tmp == "" {
		if *tmp, err = p.temp(f); err != nil {
			return err
		}
	}
	if err := p.place(*tmp, f); p.refuses(f.Path, err) {
		p.drop(*tmp)
	} else if err != nil {
		return err
	}
	return nil
}

// temp writes a file's new body under tmp/.
func (p *Projection) temp(f *txlog.FileImage) (string, error) {
	body, err := p.Log.BodyOf(f)
	if err != nil {
		return "", err
	}
	tmp := p.Disk.TempName("f")
	return tmp, p.Disk.WriteFile(tmp, body, !p.whole)
}

// parents makes the directories above a name.
func (p *Projection) parents(name string, made map[string]bool) error {
	dir := path.Dir(name)
	if made[dir] || dir == "." {
		return nil
	}
	if err := p.parents(dir, made); err != nil {
		return err
	}
	switch err := p.Disk.FS.Mkdir(dir); {
	case err == nil && !strings.HasPrefix(dir, layout.TmpDir+"/"):
		p.dirs[path.Dir(dir)] = true
	case err != nil && !errors.Is(err, fs.ErrExist):
		return err
	}
	made[dir] = true
	return nil
}

// refuses says whether an error is that the directory of the task that a file is of cannot be
// written: then nothing more of that task is.
func (p *Projection) refuses(name string, err error) bool {
	uid, _, ok := layout.TaskOf(name)
	if err == nil || !ok || fsys.Missing(err) || !fsys.IsAboutFile(err) || errors.Is(err, errOvertaken) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused == nil {
		p.refused = map[model.UID]bool{}
	}
	p.refused[uid] = true
	return true
}

// drop removes a temporary file that is not needed.
func (p *Projection) drop(tmp string) {
	if tmp != "" {
		_ = p.Disk.FS.Remove(tmp) // best effort; Doctor reports what is left
	}
}
