package snapshot

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/complexity"
)

// FileNeed is a dependency that files suggest: Task modifies what On creates, and does not
// wait for it. Nothing writes it but a person or an agent that accepts it.
type FileNeed struct {
	Task, On int32       // indexes in the snapshot
	Files    []string    // that On creates and Task modifies
	Cycle    []model.UID // where it would close a cycle: the cycle, first = last; it cannot be accepted then
}

// ClashKind says what several tasks do to one file.
type ClashKind string

// The kinds of a clash.
const (
	Creators ClashKind = "creators" // each of them creates it
	Writers  ClashKind = "writers"  // each of them modifies it, and not one after the other
)

// FileClash is a file that two open tasks or more are about, which a review warns of.
type FileClash struct {
	Kind  ClashKind
	File  string
	Tasks []int32 // ascending
}

// fileUse is what open tasks do to one file.
type fileUse struct{ create, modify []int32 }

// FileOverlaps is what the files of all open tasks say about each other: the dependencies that are
// missing, by task and then by what it waits for, the first maxNeeds of them, and the clashes, by file. A task of which one below it
// names the same file is passed over: that one does the work. It costs a look at every task; nothing of
// it is kept.
func (s *Snapshot) FileOverlaps() ([]FileNeed, []FileClash) {
	return overlaps(s, fileUses(s, nil), -1)
}

// FileOverlapsOf are those of FileOverlaps that are about task i.
func (s *Snapshot) FileOverlapsOf(i int) ([]FileNeed, []FileClash) {
	t := s.At(i)
	if t.Spec == nil || t.Ended() {
		return nil, nil
	}
	files := map[string]bool{}
	for _, f := range slices.Concat(t.Spec.FilesToCreate, t.Spec.FilesToModify) {
		files[complexity.CleanPath(f)] = true
	}
	if len(files) == 0 {
		return nil, nil
	}
	at := int32(i)
	needs, clashes := overlaps(s, fileUses(s, files), at)
	clashes = slices.DeleteFunc(clashes, func(c FileClash) bool { return !slices.Contains(c.Tasks, at) })
	return needs, clashes
}

// fileUses gathers what open tasks do to files; only to those of the set where there is one.
func fileUses(s *Snapshot, only map[string]bool) map[string]*fileUse {
	uses := map[string]*fileUse{}
	names := make([][]byte, 0, len(only))
	for f := range only {
		names = append(names, []byte(path.Base(f)))
	}
	add := func(i int32, files []string, list func(*fileUse) *[]int32) {
		for _, f := range files {
			f = complexity.CleanPath(f)
			if f == "." || only != nil && !only[f] {
				continue
			}
			u := uses[f]
			if u == nil {
				u = &fileUse{}
				uses[f] = u
			}
			if l := list(u); len(*l) == 0 || (*l)[len(*l)-1] != i {
				*l = append(*l, i)
			}
		}
	}
	for i := range int32(s.tasks.n) {
		if only != nil && !s.tasks.mentions(i, names) {
			continue
		}
		t := s.tasks.peek(i)
		if t.Spec == nil || t.Ended() || t.Unreadable() {
			continue
		}
		add(i, t.Spec.FilesToCreate, func(u *fileUse) *[]int32 { return &u.create })
		add(i, t.Spec.FilesToModify, func(u *fileUse) *[]int32 { return &u.modify })
	}
	for _, u := range uses {
		u.passOver(s.tree)
	}
	return uses
}

// mentions says whether a record may have one of some texts in it. Of a value that costs more to tell
// than to look at it.
func (b *book) mentions(i int32, texts [][]byte) bool {
	if b.value(i) != nil {
		return true
	}
	record := b.recs.record(b.record(i))
	return slices.ContainsFunc(texts, func(text []byte) bool { return bytes.Contains(record, text) })
}

// passOver takes away tasks above others of the same file.
func (u *fileUse) passOver(t *tree) {
	if len(u.create)+len(u.modify) < 2 {
		return
	}
	above := map[int32]bool{}
	for _, i := range slices.Concat(u.create, u.modify) {
		for p := t.parent[i]; p != noParent && !above[p]; p = t.parent[p] {
			above[p] = true
		}
	}
	isAbove := func(i int32) bool { return above[i] }
	u.create, u.modify = slices.DeleteFunc(u.create, isAbove), slices.DeleteFunc(u.modify, isAbove)
}

// maxNeeds is how many dependencies are suggested at most, those of the first files.
const maxNeeds = 10_000

// overlaps says what files say about each other's tasks; of the dependencies only those that task at is part
// of, where it is one.
func overlaps(s *Snapshot, uses map[string]*fileUse, at int32) (needs []FileNeed, clashes []FileClash) {
	files := slices.Sorted(maps.Keys(uses))
	reach := &reacher{s: s}
	wanted := map[[2]int32][]string{}
	for _, f := range files {
		u := uses[f]
		for _, m := range u.modify {
			for _, c := range u.create {
				edge := [2]int32{m, c}
				about := m != c && (at < 0 || m == at || c == at)
				if about && (len(wanted) < maxNeeds || wanted[edge] != nil) && !reach.behind(m, c) {
					wanted[edge] = append(wanted[edge], f)
				}
			}
		}
		if len(u.create) > 1 {
			clashes = append(clashes, FileClash{Creators, f, u.create})
		}
		if len(u.modify) > 1 && !reach.inTurn(u.modify) {
			clashes = append(clashes, FileClash{Writers, f, u.modify})
		}
	}
	for edge, files := range wanted {
		needs = append(needs, FileNeed{Task: edge[0], On: edge[1], Files: files, Cycle: reach.cycleWith(edge[0], edge[1])})
	}
	slices.SortFunc(needs, func(a, b FileNeed) int {
		if a.Task != b.Task {
			return int(a.Task - b.Task)
		}
		return int(a.On - b.On)
	})
	return needs, clashes
}

// cycleWith is the cycle that an edge would close; nil where it closes none.
func (r *reacher) cycleWith(task, on int32) []model.UID {
	if !r.behind(on, task) {
		return nil
	}
	return append([]model.UID{r.s.UID(int(task))}, model.DependencyPath(r.s, []model.UID{r.s.UID(int(on))}, r.s.UID(int(task)))...)
}

// Said is the clash in a sentence about task i, with the names of at most three others.
func (c *FileClash) Said(s *Snapshot, i int) string {
	var names []string
	for _, t := range c.Tasks {
		if int(t) != i {
			names = append(names, model.Quote(s.Name(int(t))))
		}
	}
	if more := len(names) - 3; more > 0 {
		names = append(names[:3], model.Plural(more, "other task", "other tasks"))
	}
	list := strings.Join(names, ", ")
	if k := len(names) - 1; k > 0 {
		list = strings.Join(names[:k], ", ") + " and " + names[k]
	}
	if c.Kind == Creators {
		return c.File + ": " + list + " also " + model.VerbFor(len(names), "creates", "create") + " it"
	}
	return c.File + ": " + list + " also " + model.VerbFor(len(names), "edits", "edit") + " it, and neither waits for the other"
}
