package gitinternal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/visible"
	"vespe/store/git"
)

const (
	maxBlob    = 1 << 20   // bytes of an object, as records.Read has it
	maxObjects = 200_000   // of a directory or a reference
	maxDeep    = 8         // directories in one another
	maxDirs    = 20_000    // of a reference
	maxAll     = 256 << 20 // bytes of all objects together
)

// entry is what is in a directory, or in a tree of git.
type entry struct {
	path      string
	dir, file bool // a directory, a regular file
	list      func() ([]entry, error)
	read      func(limit int64) ([]byte, error) // nil: it is larger
}

// read reads a file, or every object in a directory.
func read(in records.Input) ([]records.Record, []model.Problem) {
	if in.Dir == nil {
		return records.ReadFile(in)
	}
	w := walk{name: in.Name}
	if err := w.below(entriesOf(in.Dir, ".")); err != nil {
		w.bad("", "unreadable", err.Error(), "")
	}
	return w.objects()
}

func problem(file, code, why, hint string) model.Problem {
	return model.Problem{Path: file, Severity: model.Error, Code: code, Reason: why, Hint: hint}
}

func entriesOf(root fs.FS, dir string) (out []entry, err error) {
	list, err := fs.ReadDir(root, dir)
	for _, d := range list {
		p := path.Join(dir, d.Name())
		out = append(out, entry{
			p, d.IsDir(), d.Type().IsRegular(),
			func() ([]entry, error) { return entriesOf(root, p) },
			func(limit int64) ([]byte, error) { return readSome(root, p, limit) },
		})
	}
	return out, err
}

func readSome(dir fs.FS, name string, limit int64) ([]byte, error) {
	if info, err := fs.Stat(dir, name); err != nil || info.Size() > limit {
		return nil, err
	}
	return fs.ReadFile(dir, name)
}

// walk is what is found in a directory or a tree and below it, up to the first problem.
type walk struct {
	name     string // what problems call it
	files    []entry
	dirs     int // the same one may be below a tree in many places
	problems []model.Problem
}

func (w *walk) bad(at, code, why, hint string) {
	w.problems = append(w.problems, problem(path.Join(w.name, at), code, why, hint))
}

func (w *walk) below(list []entry, err error) error {
	for _, e := range list {
		switch {
		case err != nil || len(w.problems) > 0:
			return err
		case e.dir && strings.HasPrefix(path.Base(e.path), "."): // of git, or of somebody else
		case e.dir && strings.Count(e.path, "/") >= maxDeep:
			w.bad(e.path, "too-deep", fmt.Sprintf("directories are more than %d deep", maxDeep), "import the deeper ones separately")
		case e.dir && w.dirs >= maxDirs:
			w.bad(e.path, "too-many", fmt.Sprintf("there are more than %d directories", maxDirs), "import it in parts")
		case e.dir:
			w.dirs++
			err = w.below(e.list())
		case !e.file:
			if holdsObjects(e.path) {
				w.bad(e.path, "not-regular", "it is not a regular file", "replace or remove it")
			}
		case len(w.files) >= maxObjects:
			w.bad(e.path, "too-many", fmt.Sprintf("there are more than %d files", maxObjects), "import it in parts")
		default:
			w.files = append(w.files, e)
		}
	}
	return err
}

// holdsObjects says whether a file holds objects: by its name, or because it is called by a UUID.
func holdsObjects(p string) bool {
	if strings.HasPrefix(path.Base(p), ".") { // half written, or somebody else's
		return false
	}
	switch path.Ext(p) {
	case ".json", ".jsonl", ".ndjson":
		return true
	}
	_, ok := uuid(path.Base(p))
	return ok && path.Ext(p) == ""
}

// objects reads the objects of the files.
func (w *walk) objects() (out []records.Record, problems []model.Problem) {
	if len(w.problems) > 0 {
		return nil, w.problems
	}
	var beside []string
	total := 0
	for _, f := range w.files {
		if !holdsObjects(f.path) {
			beside = append(beside, visible.Line(f.path))
			continue
		}
		at := path.Join(w.name, f.path)
		b, err := f.read(maxAll)
		if err != nil {
			problems = append(problems, problem(at, "unreadable", err.Error(), ""))
			continue
		}
		if total += len(b); b == nil || total > maxAll {
			problems = append(problems, problem(at, "too-large", fmt.Sprintf("it, or all of the files together, are larger than %d MiB", maxAll>>20), "import it in parts"))
			break
		}
		list, found := records.Read(at, bytes.NewReader(b))
		for i := range list {
			list[i].Index = len(out) + i + 1
			if p := misplaced(list[i], f.path); p != "" {
				found = append(found, list[i].Problem("wrong-place", p, "rename the file to its object_id"))
			}
		}
		out, problems = append(out, list...), append(problems, found...)
	}
	if len(out)+len(problems) == 0 {
		problems = append(problems, problem(w.name, "missing-file", "it contains no git-internal objects", "name a directory with TYPE/UUID.json, or TYPE/UUID"))
	}
	if len(out) > 0 {
		out[0].Beside = beside
	}
	return out, problems
}

// misplaced says why an object is not where its name leads.
func misplaced(r records.Record, file string) string {
	named, ok := uuid(strings.TrimSuffix(path.Base(file), ".json"))
	if id, isID := uuid(text(r.Fields, "object_id")); ok && isID && id != named {
		return "its object_id is not the name of its file"
	}
	return ""
}

// layout is an export as files: one an object.
func layout(x records.Exported, ext string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, r := range x.Records {
		id, ok := uuid(text(r, "object_id"))
		if !ok {
			return nil, fmt.Errorf("%q is not a UUID", text(r, "object_id"))
		}
		dir := text(r, "object_type")
		if strings.ContainsAny(dir, "/\\") || strings.HasPrefix(dir, ".") || git.CheckPath(dir) != nil || len(dir) > 64 {
			return nil, fmt.Errorf("the type %q is not a valid directory name", visible.Line(dir))
		}
		files[dir+"/"+dashed(id)+ext] = model.ObjectField("", r).Value
	}
	return files, nil
}

// save writes an export into a directory, TYPE/UUID.json. Only what is new or another is written, and
// nothing is taken away.
func save(ctx context.Context, dir string, x records.Exported) (bool, error) {
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() || err != nil && path.Ext(dir) == ".json" {
		return false, nil // one file is wanted
	}
	files, err := layout(x, ".json")
	if err != nil {
		return false, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false, err
	}
	defer root.Close()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := put(root, name, append(files[name], '\n')); err != nil {
			return false, err
		}
	}
	return true, nil
}

// put writes a file below a directory, in place of another one and whole, and follows no link out of it.
func put(root *os.Root, name string, body []byte) error {
	file := filepath.FromSlash(name)
	if was, err := root.ReadFile(file); err == nil && bytes.Equal(was, body) {
		return nil
	}
	if err := root.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(file), ".vespe-"+path.Base(name))
	if err := root.WriteFile(temp, body, 0o644); err != nil {
		return err
	}
	return root.Rename(temp, file)
}

// gitTime bounds what is asked of git for one reference.
const gitTime = 10 * time.Minute

// readRef reads the objects of the tree of a reference: TYPE/UUID.
func readRef(ctx context.Context, environ []string, dir, ref string) ([]records.Record, []model.Problem, error) {
	ctx, stop := context.WithTimeout(ctx, gitTime)
	defer stop()
	repo, cat, err := open(ctx, environ, dir)
	if err != nil {
		return nil, nil, err
	}
	defer cat.Close()
	top, err := cat.Get(ref+"^{tree}", maxTreeBytes)
	if err != nil {
		return nil, nil, err
	}
	if top.Type != "tree" {
		return nil, []model.Problem{problem(ref, "missing-ref", "unknown reference, or it has no tree", "`git for-each-ref` lists them")}, nil
	}
	w := walk{name: ref}
	if err := w.below(treeEntries(repo, cat, top, "")); err != nil {
		return nil, nil, err
	}
	list, problems := w.objects()
	return list, problems, nil
}

func treeEntries(repo *git.Repo, cat *git.Cat, tree git.Object, dir string) (out []entry, err error) {
	list, err := repo.Entries(tree)
	for _, e := range list {
		p := path.Join(dir, e.Name)
		get := func(limit int64) (git.Object, error) { return cat.Get(string(e.OID), limit) }
		out = append(out, entry{
			p, e.Dir, e.File,
			func() ([]entry, error) {
				o, err := get(maxTreeBytes)
				if err != nil {
					return nil, err
				}
				return treeEntries(repo, cat, o, p)
			},
			func(limit int64) ([]byte, error) {
				o, err := get(limit)
				return o.Body, err
			},
		})
	}
	return out, err
}

const maxTreeBytes = 64 << 20

func open(ctx context.Context, environ []string, dir string) (*git.Repo, *git.Cat, error) {
	repo, err := git.Find(ctx, environ, dir)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	cat, err := repo.Cat(ctx)
	return repo, cat, err
}

// saveRef writes an export as one commit, the tree of the one before with what is new or another. Nothing is
// taken away, and without a change there is no commit.
func saveRef(ctx context.Context, environ []string, dir, ref string, x records.Exported) (bool, error) {
	if err := checkRef(ref); err != nil {
		return false, err
	}
	ctx, stop := context.WithTimeout(ctx, gitTime)
	defer stop()
	files, err := layout(x, "")
	if err != nil {
		return false, err
	}
	repo, cat, err := open(ctx, environ, dir)
	if err != nil {
		return false, err
	}
	defer cat.Close()
	was, err := cat.Get(ref+"^{commit}", maxBlob)
	if err != nil {
		return false, err
	}
	w, err := repo.NewWriter(ctx, cat, was.OID)
	if err != nil {
		return false, err
	}
	w.Whole = len(files) > 1000
	last := time.Unix(0, 0)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.Put(name, files[name]); err != nil {
			return false, err
		}
		last = records.Later(last, updatedOf(files[name]))
	}
	by := git.Commit{Name: "vespe", Email: "vespe@vespe.invalid", At: last, Message: fmt.Sprintf("%d objects of vespe\n", len(x.Records))}
	to, err := w.Commit(by, true)
	if err != nil || to == was.OID {
		return false, err
	}
	if err := w.Store(); err != nil {
		return false, err
	}
	return true, repo.UpdateRef(ctx, ref, to, was.OID, by, "vespe export")
}

// checkRef refuses references that are somebody's work, or none.
func checkRef(ref string) error {
	for _, p := range []string{"refs/heads/", "refs/tags/", "refs/remotes/", "refs/notes/", "refs/stash", "refs/vespe/history", "refs/vespe/run-"} {
		if strings.HasPrefix(ref, p) {
			return fmt.Errorf("%s: %w", ref, records.ErrRef)
		}
	}
	if rest, ok := strings.CutPrefix(ref, "refs/"); !ok || git.CheckPath(rest) != nil || strings.ContainsAny(rest, " ~^:?*[\\\x7f") || visible.Line(rest) != rest ||
		strings.Contains(rest, "..") || strings.Contains(rest, "@{") || strings.HasSuffix(rest, ".lock") || strings.Contains(rest, ".lock/") || strings.Contains(rest, "/.") {
		return fmt.Errorf("%s: %w", ref, records.ErrRef)
	}
	return nil
}

func updatedOf(body []byte) time.Time {
	var o struct {
		At string `json:"updated_at"`
	}
	_ = json.Unmarshal(body, &o) // a patch has none
	at, _ := model.ParseTime(o.At)
	return at
}
