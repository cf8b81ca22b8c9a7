package git

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	modeTree = 0o040000
	modeFile = 0o100644
	modeExec = 0o100755
	maxTree  = 512 << 20 // bytes
)

// tree is a directory that is being changed.
type tree struct {
	oid     OID // of entries as they were last written; "" when they were changed since
	entries []treeEntry
	kids    map[string]*tree // subdirectories that were opened
}

type treeEntry struct {
	mode uint32
	name string
	raw  string // the object's name as bytes
}

// order compares entries as git sorts them: a directory as if its name ended in a slash.
func order(a, b *treeEntry) int {
	n := min(len(a.name), len(b.name))
	if c := strings.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c
	}
	return int(a.after(n)) - int(b.after(n))
}

func (e *treeEntry) after(n int) byte {
	switch {
	case n < len(e.name):
		return e.name[n]
	case e.mode == modeTree:
		return '/'
	}
	return 0
}

// parseTree reads a tree object.
func (r *Repo) parseTree(oid OID, body []byte) (*tree, error) {
	size := r.newHash().Size()
	t := &tree{oid: oid, entries: make([]treeEntry, 0, len(body)/(size+20)+1)}
	for text := string(body); text != ""; {
		mode, rest, ok := strings.Cut(text, " ")
		name, raw, ok2 := strings.Cut(rest, "\x00")
		n, err := strconv.ParseUint(mode, 8, 32)
		if !ok || !ok2 || err != nil || len(raw) < size {
			return nil, fmt.Errorf("the tree %s can't be read", oid)
		}
		t.entries = append(t.entries, treeEntry{uint32(n), name, raw[:size]})
		text = raw[size:]
	}
	return t, nil
}

// encodeTree is the bytes of a tree object.
func encodeTree(entries []treeEntry) []byte {
	n := 0
	for i := range entries {
		n += entries[i].size()
	}
	b := make([]byte, 0, n)
	for i := range entries {
		b = entries[i].append(b)
	}
	return b
}

func (e *treeEntry) append(b []byte) []byte {
	b = strconv.AppendUint(b, uint64(e.mode), 8)
	b = append(b, ' ')
	b = append(b, e.name...)
	b = append(b, 0)
	return append(b, e.raw...)
}

func (e *treeEntry) size() int {
	mode := 6
	if e.mode == modeTree {
		mode = 5
	}
	return mode + 2 + len(e.name) + len(e.raw)
}

// find is where an entry of a name and kind is, or belongs.
func (t *tree) find(name string, mode uint32) (int, bool) {
	want := treeEntry{mode: mode, name: name}
	return slices.BinarySearchFunc(t.entries, &want, func(e treeEntry, want *treeEntry) int { return order(&e, want) })
}

// at is the entry of a name, of whatever kind.
func (t *tree) at(name string) (int, bool) {
	if i, ok := t.find(name, modeFile); ok {
		return i, true
	}
	return t.find(name, modeTree)
}

// set puts an entry in place of any other of that name, and reports whether that changed
// anything.
func (t *tree) set(e treeEntry) bool {
	if i, ok := t.at(e.name); ok {
		if t.entries[i].mode == e.mode {
			if t.entries[i].raw == e.raw {
				return false
			}
			t.entries[i] = e
			t.oid = ""
			return true
		}
		t.entries = slices.Delete(t.entries, i, i+1)
	}
	i, _ := t.find(e.name, e.mode)
	t.entries = slices.Insert(t.entries, i, e)
	t.oid = ""
	return true
}

// drop takes an entry away.
func (t *tree) drop(name string) bool {
	i, ok := t.at(name)
	if !ok {
		return false
	}
	t.entries = slices.Delete(t.entries, i, i+1)
	delete(t.kids, name)
	t.oid = ""
	return true
}

// write puts a tree and what was changed below it into the pack.
func (t *tree) write(p *pack) (OID, error) {
	for name, kid := range t.kids {
		if kid.oid != "" {
			continue
		}
		oid, err := kid.write(p)
		if err != nil {
			return "", err
		}
		if len(kid.entries) == 0 {
			t.drop(name) // git keeps no empty directories
			continue
		}
		raw, err := hex.DecodeString(string(oid))
		if err != nil {
			return "", err
		}
		t.set(treeEntry{modeTree, name, string(raw)})
	}
	if t.oid != "" {
		return t.oid, nil
	}
	oid, err := p.add(typeTree, encodeTree(t.entries))
	t.oid = oid
	return oid, err
}

// Entry is a name in a directory that git holds.
type Entry struct {
	Name      string // untrusted; of a damaged tree it may even hold a slash
	OID       OID
	Dir, File bool // neither: a link, or another repository
}

// Entries are what a tree object holds.
func (r *Repo) Entries(o Object) ([]Entry, error) {
	if o.Type != "tree" || o.Body == nil {
		return nil, fmt.Errorf("%s isn't a readable tree", o.OID)
	}
	t, err := r.parseTree(o.OID, o.Body)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, len(t.entries))
	for i, e := range t.entries {
		out[i] = Entry{e.name, OID(hex.EncodeToString([]byte(e.raw))), e.mode == modeTree, e.mode&^0o777 == 0o100000}
	}
	return out, nil
}
