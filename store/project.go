package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"vespe/model"
)

// manyFiles is how many files a projection may have before it is synced as a whole
// instead of file by file.
const manyFiles = 64

// projection writes the after-images of one entry to the files they are of. Doing it
// again, whole or from any point, gives the same files.
type projection struct {
	s        *Store
	seq      uint64
	files    []*fileImage    // in their order
	whole    bool            // sync once for all instead of once a file, and write them side by side
	mu       sync.Mutex      // guards what follows
	made     map[string]bool // directories that are known to be there
	dirs     map[string]bool // directories with new names in them
	old      []string        // temporary names of what was replaced as expected, to be removed
	warnings []string
	kept     []string           // where foreign bytes were put
	refused  map[model.UID]bool // tasks whose directories cannot be written
}

// project writes files of an entry. Without an error everything is durable then, the names
// too, except in the tasks whose directories refused to be written.
func (s *Store) project(seq uint64, files []*fileImage) (warnings []string, refused []model.UID, err error) {
	p := &projection{s: s, seq: seq, made: map[string]bool{}, dirs: map[string]bool{}}
	p.files = slices.Clone(files)
	slices.SortStableFunc(p.files, func(a, b *fileImage) int { return rank(a.Path) - rank(b.Path) })
	if len(p.files) > s.many {
		// Asked first: where there is no such call, or it fails, which is about what others wrote
		// before, each file is synced as it is written.
		p.whole = s.syncAll() == nil
	}
	if err = p.run(); errors.Is(err, errOvertaken) {
		err = nil
	}
	slices.Sort(p.warnings) // whichever file was first
	return p.warnings, slices.Sorted(maps.Keys(p.refused)), err
}

func (p *projection) run() error {
	fresh, rest, err := p.split()
	if err != nil {
		return err
	}
	if err := p.buildAll(fresh); err != nil {
		return err
	}
	tmps := make([]string, len(rest))
	if p.whole {
		if err := someAtOnce(true, len(rest), func(i int) (err error) {
			tmps[i], err = p.temp(rest[i])
			return err
		}); err != nil {
			return err
		}
		if err := p.s.syncAll(); err != nil {
			return err
		}
	}
	if err := p.settleAll(fresh); err != nil {
		return err
	}
	if err := p.placeAll(tmps, rest); err != nil {
		return err
	}
	if p.whole {
		if err := someAtOnce(true, len(p.old), func(i int) error { return removed(p.s.fs.Remove(p.old[i])) }); err != nil {
			return err
		}
		return p.s.syncAll()
	}
	if len(fresh) > 0 {
		p.dirs[tasksDir] = true
	}
	for _, f := range rest {
		p.dirs[path.Dir(f.Path)] = true
	}
	for _, d := range sortedKeys(p.dirs) {
		uid, _, _ := taskOf(d + "/.")
		if p.refused[uid] {
			continue // once it is written
		}
		if err := p.s.syncDir(d); err != nil && !missing(err) && !p.refuses(d+"/.", err) {
			return err
		}
	}
	return nil
}

// placeAll moves files into place: those of a rank side by side when they are many, and none of
// the next before. tmps are their temporary names, "" where there is none yet.
func (p *projection) placeAll(tmps []string, files []*fileImage) error {
	for at := 0; at < len(files); {
		end := at + 1
		for end < len(files) && rank(files[end].Path) == rank(files[at].Path) {
			end++
		}
		err := someAtOnce(p.whole, end-at, func(i int) error { return p.placeOne(&tmps[at+i], files[at+i]) })
		if errors.Is(err, errOvertaken) { // whoever came after wrote these
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
func (p *projection) placeOne(tmp *string, f *fileImage) (err error) {
	uid, _, _ := taskOf(f.Path)
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

// syncDirs makes the names in directories durable. Recovery looks at the last entry only:
// without this a power cut could take back renames of the entry before, on file systems
// whose fsync of log/ says nothing about other directories.
func (s *Store) syncDirs(dirs map[string]bool) error {
	for _, d := range sortedKeys(dirs) {
		if err := s.syncDir(d); err != nil && !missing(err) {
			return err
		}
	}
	return nil
}

// newTask is a task directory that is built aside and then moved into place whole.
type newTask struct {
	uid   model.UID
	tmp   string
	files []*fileImage
}

// split separates the files of tasks that have no directory yet from the others. Those of a
// task that had one are for nobody: somebody took it away, and half of it must not lie where it
// is to come back to.
func (p *projection) split() (fresh []*newTask, rest []*fileImage, err error) {
	tasks, gone, makes := map[model.UID]*newTask{}, map[model.UID]bool{}, map[model.UID]bool{}
	for _, f := range p.files {
		if uid, rest, ok := taskOf(f.Path); ok && rest == configFile && f.Was == "" {
			makes[uid] = true
		}
	}
	for _, f := range p.files {
		uid, _, ok := taskOf(f.Path)
		if !ok {
			rest = append(rest, f)
			continue
		}
		n, seen := tasks[uid]
		if !seen {
			_, err := p.s.fs.Stat(taskDir(uid))
			switch {
			case missing(err):
				n = &newTask{uid: uid}
				if gone[uid] = !makes[uid]; !gone[uid] {
					fresh = append(fresh, n)
				}
			case err != nil:
				return nil, nil, err
			}
			tasks[uid] = n
		}
		switch {
		case n == nil:
			rest = append(rest, f)
		case !gone[uid]:
			n.files = append(n.files, f)
		default:
			if _, err := p.s.bodyOf(f); err != nil {
				return nil, nil, err // what cannot be read is not known to be done
			}
		}
	}
	return fresh, rest, nil
}

// buildAll writes the new directories under tmp/, side by side when there are many.
func (p *projection) buildAll(fresh []*newTask) error {
	return someAtOnce(p.whole, len(fresh), func(i int) error { return p.build(fresh[i]) })
}

func (p *projection) build(n *newTask) error {
	for _, f := range n.files { // first: what is not there leaves no directory behind
		if _, err := p.s.bodyOf(f); err != nil {
			return err
		}
	}
	tmp := p.s.tmpName("task")
	if err := p.s.fs.Mkdir(tmp); err != nil {
		return err
	}
	n.tmp = tmp
	made := map[string]bool{tmp: true}
	for _, f := range n.files {
		_, rest, _ := taskOf(f.Path)
		name := tmp + "/" + rest
		if err := p.parents(name, made); err != nil {
			return err
		}
		body, err := p.s.bodyOf(f)
		if err != nil {
			return err
		}
		if err := p.s.writeFile(name, body, !p.whole); err != nil {
			return err
		}
	}
	if p.whole {
		return nil
	}
	for _, d := range sortedKeys(made) {
		if err := p.s.syncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// settleAll moves new tasks into place. If until then every name in tasks/ was the log's,
// it is so afterwards too: then nobody needs to list them to know.
func (p *projection) settleAll(fresh []*newTask) error {
	if len(fresh) == 0 {
		return nil
	}
	before := p.s.namesTime()
	for _, n := range fresh {
		if err := p.settle(n); err != nil {
			return err
		}
	}
	after := p.s.namesTime()
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.s.names != before {
		after = 0
	}
	p.s.names = after
	return nil
}

// namesTime is the mtime of tasks/; 0 when there is none.
func (s *Store) namesTime() int64 {
	in, err := s.fs.Stat(tasksDir)
	if err != nil {
		return 0
	}
	return in.ModTime.UnixNano()
}

// settle moves a new task's directory into place. If someone made one meanwhile, the
// files go into it one by one.
func (p *projection) settle(n *newTask) error {
	err := p.s.fs.Rename(n.tmp, taskDir(n.uid))
	if err == nil {
		return nil
	}
	in, serr := p.s.fs.Stat(taskDir(n.uid))
	if serr != nil {
		return err
	}
	if in.Type != fs.ModeDir { // nobody could go on until it is away
		return errors.Join(p.moveAside(taskDir(n.uid), taskDir(n.uid)), p.s.fs.Rename(n.tmp, taskDir(n.uid)))
	}
	for _, f := range n.files {
		_, rest, _ := taskOf(f.Path)
		if err := p.place(n.tmp+"/"+rest, f); err != nil {
			return err
		}
	}
	return nil // the emptied directory under tmp/ is for Doctor to report
}

// temp writes a file's new body under tmp/.
func (p *projection) temp(f *fileImage) (string, error) {
	body, err := p.s.bodyOf(f)
	if err != nil {
		return "", err
	}
	tmp := p.s.tmpName("f")
	return tmp, p.s.writeFile(tmp, body, !p.whole)
}

// parents makes the directories above a name.
func (p *projection) parents(name string, made map[string]bool) error {
	dir := path.Dir(name)
	if made[dir] || dir == "." {
		return nil
	}
	if err := p.parents(dir, made); err != nil {
		return err
	}
	switch err := p.s.fs.Mkdir(dir); {
	case err == nil && !strings.HasPrefix(dir, tmpDir+"/"):
		p.dirs[path.Dir(dir)] = true
	case err != nil && !errors.Is(err, fs.ErrExist):
		return err
	}
	made[dir] = true
	return nil
}

// errOvertaken: a newer entry was committed, so whoever did that has projected this one
// before. Nothing of it may be written any more.
var errOvertaken = errors.New("a newer transaction is written already")

// overtaken says whether there is a newer entry. Under a lock that works there never is.
func (p *projection) overtaken() error {
	_, err := p.s.fs.Stat(entryFile(p.seq + 1))
	switch {
	case err == nil:
		return errOvertaken
	case missing(err):
		return nil
	}
	return err
}

// place moves a temporary file over its target, which is looked at once more just before:
// bytes that this entry did not expect are kept beside it. Someone may write it in the very
// moment between looking and moving; it is exchanged, so that what was really replaced can
// be looked at too.
func (p *projection) place(tmp string, f *fileImage) error {
	now, err := p.s.hashOf(f.Path)
	var notPlain *NotRegularError
	var tooLarge *TooLargeError
	switch {
	case errors.As(err, &notPlain), errors.As(err, &tooLarge):
		if err := p.moveAside(f.Path, f.Path); err != nil {
			return err
		}
		now = ""
	case err != nil:
		return err
	case now == f.Hash:
		return removed(p.s.fs.Remove(tmp))
	}
	if now != "" || isOwn(f.Path) {
		if err := p.overtaken(); err != nil {
			return err
		}
	}
	if now != "" && (now != f.Was || f.Theirs) {
		late := false
		if now != f.Was {
			if late, err = p.isLate(f.Path, f.Path, now); err != nil {
				return err
			}
		}
		if !late {
			if err := p.keepAside(f.Path, now); err != nil {
				return err
			}
		}
	}
	if now != "" {
		err := p.s.fs.Exchange(tmp, f.Path)
		if err == nil {
			return p.afterExchange(tmp, f, now)
		}
		if !errors.Is(err, errors.ErrUnsupported) && !missing(err) {
			return err
		}
	}
	err = p.s.fs.Rename(tmp, f.Path)
	if !missing(err) {
		return err
	}
	// Nearly always the directories are there, so they are made when they are missed: but for that of
	// a task, which somebody has taken away just now, and may bring back.
	if uid, _, ok := taskOf(f.Path); ok {
		if _, err := p.s.fs.Stat(taskDir(uid)); missing(err) {
			return removed(p.s.fs.Remove(tmp))
		}
		p.mu.Lock()
		p.made[taskDir(uid)] = true
		p.mu.Unlock()
	}
	p.mu.Lock()
	err = p.parents(f.Path, p.made)
	p.mu.Unlock()
	if missing(err) {
		return removed(p.s.fs.Remove(tmp))
	} else if err != nil {
		return err
	}
	return p.s.fs.Rename(tmp, f.Path)
}

// isOwn: one of a task's own files, which others may be writing right now.
func isOwn(name string) bool {
	_, rest, ok := taskOf(name)
	return ok && readByLoad(rest)
}

// afterExchange looks at what was replaced. What nobody expected is kept, unless this entry
// was projected by somebody else meanwhile, or a newer one wrote it: that is put back.
func (p *projection) afterExchange(tmp string, f *fileImage, expected string) error {
	got, err := p.s.hashOf(tmp)
	if err != nil { // asked once more: what cannot be told from somebody's bytes has to be kept
		got, err = p.s.hashOf(tmp)
	}
	if err == nil && (got == expected || got == f.Hash) {
		if p.whole {
			p.mu.Lock()
			p.old = append(p.old, tmp)
			p.mu.Unlock()
			return nil
		}
		return removed(p.s.fs.Remove(tmp))
	}
	if !errors.Is(p.overtaken(), errOvertaken) {
		if late, lerr := p.isLate(tmp, f.Path, got); err == nil && lerr == nil && late {
			return removed(p.s.fs.Remove(tmp))
		}
		return p.moveAside(tmp, f.Path)
	}
	// Others may replace what is put back, too: then that is put back, until what comes out is
	// what was put in before.
	placed := f.Hash
	for i := 0; i < maxPutBacks && placed != ""; i++ {
		if err := p.s.fs.Exchange(tmp, f.Path); err != nil {
			return errors.Join(err, p.moveAside(tmp, f.Path))
		}
		out, err := p.s.hashOf(tmp)
		if err == nil && out == placed {
			return errors.Join(removed(p.s.fs.Remove(tmp)), errOvertaken)
		}
		placed, got = got, out // "" where it cannot be read: that is not exchanged again
	}
	return errors.Join(p.moveAside(tmp, f.Path), errOvertaken)
}

const maxPutBacks = 100

// isLate says whether bytes of a file, which are called at now, are those of a late writer.
func (p *projection) isLate(at, name, hash string) (bool, error) {
	in, err := p.s.fs.Stat(at)
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return p.s.isLate(name, hash, in.ModTime)
}

// keepAside copies foreign bytes, so that they survive being replaced. A second name for
// the same file would do as well, until one looks at it: a file with two names is not read.
func (p *projection) keepAside(name, hash string) error {
	body, err := p.s.fs.ReadFile(name, maxObject)
	if missing(err) {
		return nil // taken away since it was looked at
	}
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		aside := p.asideName(name, i)
		err := p.s.writeNew(aside, body)
		switch {
		case err == nil:
			p.warnAside(name, aside)
			return nil
		case !errors.Is(err, fs.ErrExist):
			return err
		}
		// Kept already, by a projection that did not come to its end.
		if there, err := p.s.hashOf(aside); err == nil && there == hash {
			p.warnAside(name, aside)
			return nil
		}
	}
}

// moveAside moves what is called from to the name that bytes of name are kept under.
func (p *projection) moveAside(from, name string) error {
	for i := 1; ; i++ {
		aside := p.asideName(name, i)
		if _, err := p.s.fs.Stat(aside); err == nil {
			continue
		} else if !missing(err) {
			return err
		}
		if err := p.s.fs.Rename(from, aside); err != nil {
			return err
		}
		p.warnAside(name, aside)
		return nil
	}
}

func (p *projection) asideName(name string, i int) string {
	aside := fmt.Sprintf("%s%s%d", name, theirsMark, p.seq)
	if i > 1 {
		aside += fmt.Sprintf("-%d", i)
	}
	return aside
}

func (p *projection) warnAside(name, aside string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = append(p.kept, aside)
	p.warnings = append(p.warnings, fmt.Sprintf("%s had been changed by someone else; what they wrote is kept in %s", shown(name), shown(aside)))
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return strings.Compare(b, a) }) // children first
	return keys
}
