package project

import (
	"errors"
	"fmt"
	"io/fs"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// errOvertaken: a newer entry was committed, so anyone who did that has projected this one
// before. Nothing of it may be written anymore.
var errOvertaken = errors.New("a newer transaction has been written")

// overtaken says whether there is a newer entry. Under a lock that works there never is.
func (p *Projection) overtaken() error {
	_, err := p.Disk.FS.Stat(layout.EntryFile(p.seq + 1))
	switch {
	case err == nil:
		return errOvertaken
	case fsys.Missing(err):
		return nil
	}
	return err
}

// place moves a temporary file over its target, which is looked at once more just before:
// bytes that this entry did not expect are kept beside it. Someone may write it in the very
// moment between looking and moving; it is exchanged, so that what was really replaced can
// be looked at too.
func (p *Projection) place(tmp string, f *txlog.FileImage) error {
	now, err := p.Disk.Hash(f.Path)
	var notPlain *fsys.NotRegularError
	var tooLarge *fsys.TooLargeError
	switch {
	case errors.As(err, &notPlain), errors.As(err, &tooLarge):
		if err := p.MoveAside(f.Path, f.Path); err != nil {
			return err
		}
		now = ""
	case err != nil:
		return err
	case now == f.Hash:
		return durable.IgnoreMissing(p.Disk.FS.Remove(tmp))
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
			if err := p.KeepAside(f.Path, now); err != nil {
				return err
			}
		}
	}
	if now != "" {
		err := p.Disk.FS.Exchange(tmp, f.Path)
		if err == nil {
			return p.afterExchange(tmp, f, now)
		}
		if !errors.Is(err, errors.ErrUnsupported) && !fsys.Missing(err) {
			return err
		}
	}
	err = p.Disk.FS.Rename(tmp, f.Path)
	if !fsys.Missing(err) {
		return err
	}
	// Nearly always the directories are there, so they are made when they are missed: but for that of
	// a task, which somebody has deleted just now, and may bring back.
	if uid, _, ok := layout.TaskOf(f.Path); ok {
		if _, err := p.Disk.FS.Stat(layout.TaskDir(uid)); fsys.Missing(err) {
			p.noteMissing(f.Path)
			return durable.IgnoreMissing(p.Disk.FS.Remove(tmp))
		}
		p.mu.Lock()
		p.made[layout.TaskDir(uid)] = true
		p.mu.Unlock()
	}
	p.mu.Lock()
	err = p.parents(f.Path, p.made)
	p.mu.Unlock()
	if fsys.Missing(err) {
		p.noteMissing(f.Path)
		return durable.IgnoreMissing(p.Disk.FS.Remove(tmp))
	} else if err != nil {
		return err
	}
	if err = p.Disk.FS.Rename(tmp, f.Path); fsys.Missing(err) {
		p.noteMissing(f.Path)
	}
	return err
}

// noteMissing remembers that the directory of the task that a file is of is not there.
func (p *Projection) noteMissing(name string) {
	uid, _, ok := layout.TaskOf(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.missing == nil {
		p.missing = map[model.UID]bool{}
	}
	if ok {
		p.missing[uid] = true
	}
}

// isOwn: one of a task's own files, which others may be writing right now.
func isOwn(name string) bool {
	_, rest, ok := layout.TaskOf(name)
	return ok && taskfiles.IsOwn(rest)
}

// afterExchange looks at what was replaced. What nobody expected is kept, unless this entry
// was projected by somebody else meanwhile, or a newer one wrote it: that is put back.
func (p *Projection) afterExchange(tmp string, f *txlog.FileImage, expected string) error {
	got, err := p.Disk.Hash(tmp)
	if err != nil { // asked once more: what cannot be told from somebody's bytes has to be kept
		got, err = p.Disk.Hash(tmp)
	}
	if err == nil && (got == expected || got == f.Hash) {
		if p.whole {
			p.mu.Lock()
			p.old = append(p.old, tmp)
			p.mu.Unlock()
			return nil
		}
		return durable.IgnoreMissing(p.Disk.FS.Remove(tmp))
	}
	if !errors.Is(p.overtaken(), errOvertaken) {
		if late, lerr := p.isLate(tmp, f.Path, got); err == nil && lerr == nil && late {
			return durable.IgnoreMissing(p.Disk.FS.Remove(tmp))
		}
		return p.MoveAside(tmp, f.Path)
	}
	// Others may replace what is put back, too: then that is put back, until what comes out is
	// what was put in before.
	placed := f.Hash
	for i := 0; i < maxPutBacks && placed != ""; i++ {
		if err := p.Disk.FS.Exchange(tmp, f.Path); err != nil {
			return errors.Join(err, p.MoveAside(tmp, f.Path))
		}
		out, err := p.Disk.Hash(tmp)
		if err == nil && out == placed {
			return errors.Join(durable.IgnoreMissing(p.Disk.FS.Remove(tmp)), errOvertaken)
		}
		placed, got = got, out // "" where it cannot be read: that is not exchanged again
	}
	return errors.Join(p.MoveAside(tmp, f.Path), errOvertaken)
}

const maxPutBacks = 100

// isLate says whether bytes of a file, which are called at now, are those of a late writer.
func (p *Projection) isLate(at, name, hash string) (bool, error) {
	in, err := p.Disk.FS.Stat(at)
	if fsys.Missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return p.IsLate(name, hash, in.ModTime)
}

// KeepAside copies foreign bytes, so that they survive being replaced. A second name for
// the same file would do as well, until one looks at it: a file with two names is not read.
func (p *Projection) KeepAside(name, hash string) error {
	if there := keptAs(p.Disk, name, func() (string, error) { return hash, nil }); there != "" {
		p.warnAside(name, there)
		return nil
	}
	body, err := p.Disk.FS.ReadFile(name, layout.MaxObject)
	if fsys.Missing(err) {
		return nil // deleted since it was looked at
	}
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		aside := p.asideName(name, i)
		err := p.Disk.WriteNew(aside, body)
		switch {
		case err == nil:
			p.warnAside(name, aside)
			return nil
		case !errors.Is(err, fs.ErrExist):
			return err
		}
		// Kept already, by a projection that did not come to its end.
		if there, err := p.Disk.Hash(aside); err == nil && there == hash {
			p.warnAside(name, aside)
			return nil
		}
	}
}

// MoveAside moves what is called from to the name that bytes of name are kept under, or removes it
// where a file has them already.
func (p *Projection) MoveAside(from, name string) error {
	if there := keptAs(p.Disk, name, func() (string, error) { return p.Disk.Hash(from) }); there != "" {
		p.warnAside(name, there)
		return durable.IgnoreMissing(p.Disk.FS.Remove(from))
	}
	for i := 1; ; i++ {
		aside := p.asideName(name, i)
		if _, err := p.Disk.FS.Stat(aside); err == nil {
			continue
		} else if !fsys.Missing(err) {
			return err
		}
		if err := p.Disk.FS.Rename(from, aside); err != nil {
			return err
		}
		p.warnAside(name, aside)
		return nil
	}
}

func (p *Projection) asideName(name string, i int) string {
	aside := fmt.Sprintf("%s%s%d", name, layout.TheirsMark, p.seq)
	if i > 1 {
		aside += fmt.Sprintf("-%d", i)
	}
	return aside
}

func (p *Projection) warnAside(name, aside string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aside = append(p.aside, aside)
	p.warnings = append(p.warnings, fmt.Sprintf("%s was changed by someone else; their version is saved in %s", layout.Shown(name), layout.Shown(aside)))
}
