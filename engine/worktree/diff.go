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
	Added, Deleted int // lines; 0 for what is not text
}

// Changed are the files that a commit has otherwise than another one.
func (r *Repo) Changed(ctx context.Context, from, to string) ([]Changed, error) {
	out, err := r.call(ctx, r.unattributed(git.Call{
		Args: []string{"diff-tree", "-r", "-M", "--numstat", "--no-ext-diff", "--no-textconv", "-z", from, to, "--"},
	}))
	if err != nil {
		return nil, err
	}
	var files []Changed
	for fields := split(out); len(fields) > 0; fields = fields[1:] {
		f := strings.SplitN(fields[0], "\t", 3) // "3\t1\tPATH"; of what was renamed "3\t1\t" and two paths
		if len(f) == 3 && f[2] == "" && len(fields) > 2 {
			fields = fields[2:]
			f[2] = fields[0]
		}
		if len(f) != 3 || f[2] == "" {
			return nil, errors.New("can't parse the output of git diff-tree")
		}
		c := Changed{Path: f[2]}
		c.Added, _ = strconv.Atoi(f[0]) // "-" is none
		c.Deleted, _ = strconv.Atoi(f[1])
		files = append(files, c)
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
