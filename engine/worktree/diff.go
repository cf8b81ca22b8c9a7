package worktree

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"vespe/store/git"
)

// Changed is a file that two commits differ in. Paths are untrusted.
type Changed struct {
	Path           string
	From           string // where it was, when it was renamed
	Status         byte   // A added, M modified, D deleted, R renamed, T another type
	Mode           string // what it is now, as git writes it: 100644, 100755, 120000, 160000; 000000 when deleted
	Added, Deleted int    // lines; 0 for what is not text
	Binary         bool
}

// Changed are the files that a commit has otherwise than another one.
func (r *Repo) Changed(ctx context.Context, from, to string) ([]Changed, error) {
	out, err := r.call(ctx, r.unattributed(git.Call{
		Args: []string{"diff-tree", "-r", "-M", "--raw", "--numstat", "--no-abbrev", "--no-ext-diff", "--no-textconv", "-z", from, to, "--"},
	}))
	if err != nil {
		return nil, err
	}
	var files []Changed
	at := map[string]int{}
	fields := split(out)
	next := func() string {
		if len(fields) == 0 {
			return ""
		}
		f := fields[0]
		fields = fields[1:]
		return f
	}
	for len(fields) > 0 {
		field := next()
		if about, ok := strings.CutPrefix(field, ":"); ok { // "100644 100755 OID OID R090"
			f := strings.Fields(about)
			if len(f) != 5 {
				return nil, errors.New("can't parse the output of git diff-tree")
			}
			c := Changed{Mode: f[1], Status: f[4][0], Path: next()}
			if c.Status == 'R' || c.Status == 'C' {
				c.From, c.Path = c.Path, next()
			}
			at[c.Path] = len(files)
			files = append(files, c)
			continue
		}
		added, rest, _ := strings.Cut(field, "\t") // "3\t1\tPATH", or "3\t1\t" and two paths
		deleted, path, _ := strings.Cut(rest, "\t")
		if path == "" {
			_, path = next(), next()
		}
		if i, ok := at[path]; ok {
			files[i].Binary = added == "-"
			files[i].Added, _ = strconv.Atoi(added) // "-" is none
			files[i].Deleted, _ = strconv.Atoi(deleted)
		}
	}
	return files, nil
}

// unattributed has git compare two commits whatever .gitattributes says, which the work itself may change: by
// "-diff" any text could be passed over in what a person judges it by.
func (r *Repo) unattributed(c git.Call) git.Call {
	c.Dir = r.home // where no such file is; nor is there an index, in which git would look next
	c.Env = append(c.Env, "GIT_DIR="+r.common, "GIT_WORK_TREE="+r.home, "GIT_INDEX_FILE="+filepath.Join(r.home, known, "no.index"))
	return c
}

// Patch is what a commit changes of base, as git diff writes it. At most limit bytes of it, whole
// lines, are returned, then with ErrTruncated.
func (r *Repo) Patch(ctx context.Context, base, commit string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &bounded{limit: limit, full: cancel}
	_, err := r.call(ctx, r.unattributed(git.Call{
		Out:    w,
		Config: []string{"core.quotePath=false"},
		Args: []string{
			"diff-tree", "-r", "-p", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/",
			"--submodule=short", "--end-of-options", base, commit, "--",
		},
	}))
	b := w.b.Bytes()
	if w.over {
		return b[:bytes.LastIndexByte(b, '\n')+1], ErrTruncated
	}
	return b, err
}

// bounded keeps the beginning, and has the writer stopped when there is more.
type bounded struct {
	b     bytes.Buffer
	limit int64
	over  bool
	full  func()
}

func (w *bounded) Write(p []byte) (int, error) {
	if room := w.limit - int64(w.b.Len()); int64(len(p)) > room {
		w.b.Write(p[:max(room, 0)])
		w.over = true
		w.full()
		return len(p), nil
	}
	return w.b.Write(p)
}
