package git

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Writer makes commits, each the tree of the one before with some files replaced.
type Writer struct {
	repo *Repo
	ctx  context.Context //nolint:containedctx // as long as the Writer
	cat  *Cat
	pack *pack
	root *tree
	tip  OID // the last commit; "" before the first
	tree OID // of tip
	// Executable says whether a file of the worktree is one, and whether it is there; nil: none is. Where the worktree
	// can't tell (core.fileMode), a file keeps the mode that it has.
	Executable func(path string) (is, there bool)
	fileMode   *bool // core.fileMode, once it was asked for
	// Largest is the size of the largest tree that was written, in bytes.
	Largest int
}

// NewWriter begins at a commit; "" is an empty tree without history. The Cat is used until
// Store, and stays the caller's.
func (r *Repo) NewWriter(ctx context.Context, cat *Cat, base OID) (*Writer, error) {
	w := &Writer{repo: r, ctx: ctx, cat: cat, pack: r.newPack(), tip: base, root: &tree{}}
	if base == "" {
		return w, nil
	}
	o, err := cat.Get(string(base)+"^{tree}", maxTree)
	if err != nil {
		return nil, err
	}
	if o.Type != "tree" || o.Body == nil {
		return nil, fmt.Errorf("%s isn't a commit with a tree", base)
	}
	w.tree = o.OID
	w.root, err = r.parseTree(o.OID, o.Body)
	return w, err
}

// ErrPath says that git would not take a path.
var ErrPath = errors.New("isn't a path that git accepts")

// CheckPath refuses what git refuses, on whatever system it is checked out.
func CheckPath(path string) error {
	if path == "" || len(path) > 4096 || strings.ContainsRune(path, 0) {
		return fmt.Errorf("%q %w", path, ErrPath)
	}
	for el := range strings.SplitSeq(path, "/") {
		plain := strings.ToLower(strings.TrimRight(strings.Map(seen, el), ". "))
		if el == "" || el == "." || el == ".." || plain == ".git" || plain == "git~1" || strings.HasPrefix(plain, ".git:") {
			return fmt.Errorf("%q %w", path, ErrPath)
		}
	}
	return nil
}

// seen drops what some file systems do not tell apart.
func seen(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

// Put replaces a file, and makes the directories above it.
func (w *Writer) Put(path string, body []byte) error {
	if err := CheckPath(path); err != nil {
		return err
	}
	dirs, name := split(path)
	at, err := w.walk(dirs, true)
	if err != nil {
		return err
	}
	oid, err := w.pack.add(typeBlob, body)
	if err != nil {
		return err
	}
	raw, err := hex.DecodeString(string(oid))
	if err != nil {
		return err
	}
	delete(at[len(at)-1].kids, name)
	if at[len(at)-1].set(treeEntry{w.mode(path, at[len(at)-1], name), name, string(raw)}) {
		spoil(at)
	}
	return nil
}

// mode is what a file has in the tree: whether it can be executed, as git knows no more. Git is asked only where the
// answer makes a difference: that takes another process.
func (w *Writer) mode(path string, in *tree, name string) uint32 {
	i, ok := in.at(name)
	is := ok && in.entries[i].mode == modeExec
	if w.Executable != nil {
		if now, there := w.Executable(path); there && now != is && w.tellsMode() {
			is = now
		}
	}
	if is {
		return modeExec
	}
	return modeFile
}

func (w *Writer) tellsMode() bool {
	if w.fileMode == nil {
		tells := w.repo.FileMode(w.ctx)
		w.fileMode = &tells
	}
	return *w.fileMode
}

// Clear takes everything away.
func (w *Writer) Clear() { w.root = &tree{} }

// Remove takes a file away; one that is not there is none.
func (w *Writer) Remove(path string) error {
	dirs, name := split(path)
	at, err := w.walk(dirs, false)
	if err != nil || at == nil {
		return err
	}
	if at[len(at)-1].drop(name) {
		spoil(at)
	}
	return nil
}

func split(path string) (dirs []string, name string) {
	els := strings.Split(path, "/")
	return els[:len(els)-1], els[len(els)-1]
}

func spoil(at []*tree) {
	for _, t := range at {
		t.oid = ""
	}
}

// walk opens the directories of a path, from the root down.
func (w *Writer) walk(dirs []string, create bool) ([]*tree, error) {
	at := []*tree{w.root}
	t := w.root
	for _, name := range dirs {
		kid := t.kids[name]
		if kid == nil {
			i, ok := t.find(name, modeTree)
			switch {
			case ok:
				var err error
				if kid, err = w.open(OID(hex.EncodeToString([]byte(t.entries[i].raw)))); err != nil {
					return nil, err
				}
			case !create:
				return nil, nil
			default:
				kid = &tree{}
			}
			if t.kids == nil {
				t.kids = map[string]*tree{}
			}
			t.kids[name] = kid
		}
		at = append(at, kid)
		t = kid
	}
	return at, nil
}

// open reads a tree.
func (w *Writer) open(oid OID) (*tree, error) {
	if w.pack.written[oid] { // it was flushed: git does not have it yet
		if err := w.pack.flush(w.ctx); err != nil {
			return nil, err
		}
	}
	o, err := w.cat.Get(string(oid), maxTree)
	if err != nil {
		return nil, err
	}
	if o.Type != "tree" || o.Body == nil {
		return nil, fmt.Errorf("the tree %s can't be read", oid)
	}
	return w.repo.parseTree(o.OID, o.Body)
}

// Flush writes a directory and forgets what is in it, for a Writer that is given very
// many files: directory by directory, sorted.
func (w *Writer) Flush(path string) error {
	dirs, name := split(path)
	at, err := w.walk(dirs, false)
	if err != nil || at == nil {
		return err
	}
	parent := at[len(at)-1]
	kid := parent.kids[name]
	if kid == nil {
		return nil
	}
	if kid.oid == "" {
		oid, err := kid.write(w.pack)
		if err != nil {
			return err
		}
		raw, err := hex.DecodeString(string(oid))
		if err != nil {
			return err
		}
		if len(kid.entries) > 0 && parent.set(treeEntry{modeTree, name, string(raw)}) {
			spoil(at)
		}
	}
	delete(parent.kids, name)
	if w.pack.full() {
		return w.pack.flush(w.ctx)
	}
	return nil
}

// Commit says who, when and why.
type Commit struct {
	Name, Email string // of the author, who is the committer too
	At          time.Time
	Message     string
}

// Commit makes a commit of the tree as it is now. skip leaves out one that would change
// nothing, and returns the one before.
func (w *Writer) Commit(c Commit, skip bool) (OID, error) {
	oid, err := w.root.write(w.pack)
	if err != nil {
		return "", err
	}
	if skip && w.tip != "" && oid == w.tree {
		return w.tip, nil
	}
	w.tree = oid
	w.measure(w.root)
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", oid)
	if w.tip != "" {
		fmt.Fprintf(&b, "parent %s\n", w.tip)
	}
	who := fmt.Sprintf("%s <%s> %d +0000", c.Name, c.Email, min(max(c.At.Unix(), 0), maxTime))
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", who, who, c.Message)
	if w.tip, err = w.pack.add(typeCommit, []byte(b.String())); err != nil {
		return "", err
	}
	if w.pack.full() {
		return w.tip, w.pack.flush(w.ctx)
	}
	return w.tip, nil
}

// maxTime is the last second of the year 9999.
const maxTime = 253402300799

func (w *Writer) measure(t *tree) {
	n := 0
	for i := range t.entries {
		n += t.entries[i].size()
	}
	w.Largest = max(w.Largest, n)
	for _, kid := range t.kids {
		w.measure(kid)
	}
}

// Store hands everything over to git. No reference names it yet.
func (w *Writer) Store() error { return w.pack.flush(w.ctx) }
