package install

import (
	"path/filepath"
	"slices"

	"vespe/agents/install/settings"
	"vespe/store/statedir"
)

const (
	recordsName   = "installed.json"
	recordsFormat = 1
	maxRecords    = 16 << 20 // bytes
)

// edit is one change of a text, by the kind of text.
type edit map[string]settings.Edit

// record is what vespe wrote into a file.
type record struct {
	Path    string   `json:"path"`
	Created bool     `json:"created,omitempty"` // there was none
	By      []string `json:"by,omitempty"`      // the clients that it was written for
	Edits   []edit   `json:"edits,omitempty"`
	Dirs    []string `json:"dirs,omitempty"` // that were made for it, the outermost first
}

// Records are what vespe wrote into a person's files, in their state directory.
type Records struct {
	dir   string // "" where there is none
	Files []record
}

type recordsFile struct {
	Format int      `json:"format"`
	Files  []record `json:"files"`
}

// OpenRecords reads them. That there are none is no error.
func OpenRecords(getenv func(string) string) (*Records, error) {
	r := &Records{dir: statedir.Path(getenv)}
	if r.dir == "" {
		return r, nil
	}
	var f recordsFile
	err := r.file().Read(&f)
	r.Files = f.Files
	return r, err
}

func (r *Records) file() statedir.File {
	return statedir.File{Name: filepath.Join(r.dir, recordsName), MaxBytes: maxRecords, Format: recordsFormat}
}

// of is the record of a file; an empty one where there is none.
func (r *Records) of(path string) record {
	if i := slices.IndexFunc(r.Files, func(f record) bool { return f.Path == path }); i >= 0 {
		return r.Files[i]
	}
	return record{Path: path}
}

// put remembers records in place of those of the same files; one without edits is forgotten.
func (r *Records) put(list []record) error {
	if r.dir == "" {
		return nil
	}
	unlock, err := statedir.Lock(r.dir)
	if err != nil {
		return err
	}
	defer unlock()
	var f recordsFile
	if err := r.file().Read(&f); err != nil {
		return err
	}
	f.Format = recordsFormat
	for _, n := range list {
		f.Files = slices.DeleteFunc(f.Files, func(o record) bool { return o.Path == n.Path })
		if len(n.Edits) > 0 {
			f.Files = append(f.Files, n)
		}
	}
	r.Files = f.Files
	return r.file().Write(f)
}
