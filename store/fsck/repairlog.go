package fsck

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/checkpoint"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/marks"
	"vespe/store/pending"
	"vespe/store/sections"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// Nothing can follow an entry that cannot be read, so a damaged last one keeps everybody from
// writing. Repairing moves it aside, and what the files say beyond the log is taken over like what somebody
// wrote past vespe: nothing of it is lost, and no verdict in it counts.

// errTailUnread ends a dry run: what comes after it cannot be told before it.
var errTailUnread = errors.New("the end of the log can't be read")

// Strayed is a task whose files say more than the log does.
type Strayed struct{ Was, Now *model.Task }

// repairTail moves entries aside until the last one can be read. What fails for another reason than the bytes
// of the entry is for those who read it next to tell.
func (f *repairer) repairTail() error {
	if err := f.clearPending(); err != nil {
		return err
	}
	if f.dryRun && len(f.done) > 0 {
		return errTailUnread
	}
	last, err := f.s.Log.Tail(0)
	if err != nil || last == 0 {
		return err
	}
	var lost []uint64
	at := txlog.Tip{Seq: last}
	for ; at.Seq > 0; at.Seq-- {
		head, broken, err := f.s.headOf(at.Seq)
		if err == nil {
			at.Head = head
			break
		}
		if !broken {
			return nil //nolint:nilerr // who reads it next says so
		}
		lost = append(lost, at.Seq)
	}
	if len(lost) > 0 {
		if err := f.dropEntries(at, lost); err != nil {
			return err
		}
	}
	switch {
	case len(f.done) == 0:
		return nil
	case f.dryRun:
		return errTailUnread
	}
	return f.s.ForgetLog()
}

// clearPending moves what lies in the place of the directory of pending projections aside.
func (f *repairer) clearPending() error {
	if len(f.s.Pending.Problem()) == 0 {
		return nil
	}
	if err := f.moveAside("", pending.Dir, 0, "moved aside: one of vespe's directories belongs there"); err != nil || f.dryRun {
		return err
	}
	return f.s.Disk.SyncDir(layout.LogDir)
}

// moveAside moves a file to a name beside it.
func (f *repairer) moveAside(uid model.UID, name string, seq uint64, what string) error {
	r := Repair{UID: uid, Path: layout.Shown(name), What: what, Kept: layout.Shown(name) + layout.TheirsMark + "…"}
	if !f.dryRun {
		p := f.s.Projector.At(seq)
		if err := p.MoveAside(name, name); err != nil {
			return err
		}
		r.Kept = layout.Shown(p.Kept())
	}
	f.done = append(f.done, r)
	return nil
}

// headOf is the hash of an entry. broken: it will not be readable by itself.
func (s *Checker) headOf(seq uint64) (head string, broken bool, err error) {
	b, err := s.Disk.FS.ReadFile(layout.EntryFile(seq), layout.MaxEntry)
	if err != nil {
		var notPlain *fsys.NotRegularError
		var large *fsys.TooLargeError
		return "", errors.As(err, &notPlain) || errors.As(err, &large), err
	}
	_, err = txlog.DecodeEntry(b, seq)
	var newer *sections.NewerError
	return model.HashBytes(b), err != nil && !errors.As(err, &newer), err
}

// dropEntries moves the entries after one aside. First it is durable that this one is projected, as
// it was before others followed it: else anyone who comes next would take what these wrote back.
func (f *repairer) dropEntries(to txlog.Tip, lost []uint64) error {
	s := f.s
	f.lost = slices.Min(lost)
	if !f.dryRun && to.Seq > 0 {
		if err := s.writeHint(to); err != nil {
			return err
		}
	}
	for _, seq := range lost { // the last first: a number that is free has none after it
		if err := f.moveAside("", layout.EntryFile(seq), seq, "moved aside: it is unreadable, and its content isn't saved elsewhere"); err != nil {
			return err
		}
		if f.dryRun {
			continue
		}
		if err := s.forgetPending(seq); err != nil {
			return err
		}
		if err := durable.IgnoreMissing(s.Disk.FS.Remove(checkpoint.File(seq))); err != nil {
			return err
		}
	}
	if f.dryRun {
		return nil
	}
	return s.Disk.SyncDir(layout.LogDir)
}

// writeHint is the durable form of what markProjected leaves to chance.
func (s *Checker) writeHint(at txlog.Tip) error {
	in, err := s.Disk.FS.Stat(layout.EntryFile(at.Seq))
	if err != nil {
		return err
	}
	tmp := s.Disk.TempName("hint")
	if err := s.Disk.WriteFile(tmp, txlog.Hint{Tip: at, Size: in.Size, Time: in.ModTime.UnixNano(), Names: 0}.Encode(), true); err != nil {
		return err
	}
	if err := s.Disk.FS.Rename(tmp, layout.ProjectedTip); err != nil {
		return err
	}
	return s.Disk.SyncDir(layout.CacheDir)
}

// forgetPending drops what is pending of an entry that no longer is one.
func (s *Checker) forgetPending(seq uint64) error {
	list, err := s.Pending.All()
	if err != nil {
		return nil //nolint:nilerr // who reads it next says so
	}
	for _, p := range list {
		if p.Seq == seq {
			if err := durable.IgnoreMissing(s.Disk.FS.Remove(p.File())); err != nil {
				return err
			}
		}
	}
	return nil
}

// stray finds the tasks whose files say more than the log does, once entries of it are lost.
func (f *repairer) stray() error {
	if f.lost == 0 || f.broken {
		return nil
	}
	uids, err := f.s.Names()
	if err != nil || len(uids) == 0 {
		return err
	}
	dir, err := f.s.Disk.FS.OpenDir(layout.TasksDir)
	if err != nil {
		return err
	}
	defer dir.Close()
	for _, uid := range uids {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		touched, err := f.lostEvents(uid)
		if err != nil {
			return err
		}
		now, err := f.s.Pending.ReadTask(dir, uid, nil)
		if err != nil {
			return err
		}
		if now == nil {
			continue
		}
		was, err := f.beforeLost(now, touched)
		if err != nil {
			return err
		}
		if was == nil || taskfiles.Same(was, now) && !touched {
			continue
		}
		f.strayed = append(f.strayed, Strayed{was, now})
		f.done = append(f.done, Repair{UID: uid, Path: layout.Shown(layout.TaskDir(uid)), What: "recorded as its files are: the log no longer has what it last wrote there"})
	}
	return nil
}

// beforeLost is a task as the log still knows it; nil where it never wrote it, nor did what is lost.
func (f *repairer) beforeLost(now *model.Task, touched bool) (*model.Task, error) {
	over, known := taskfiles.Images{}, false
	for _, rest := range marks.Files {
		name := layout.TaskFile(now.UID, rest)
		image, logged := f.last[name]
		known = known || logged
		if !logged || image.Hash == "" {
			if logged || f.made[now.UID] {
				over[rest] = nil
			}
			continue
		}
		if path.Ext(rest) != ".json" {
			over[rest] = []byte{}
			continue
		}
		b, err := f.body(name, image)
		if err != nil {
			return nil, err
		}
		if b != nil {
			over[rest] = b
		}
	}
	if !known {
		if touched {
			return taskfiles.Blank(now.UID), nil
		}
		return nil, nil
	}
	was := taskfiles.LaidOver(now, over).Clone()
	if _, bytes := over[layout.StatusFile]; !bytes {
		was.Status.AcceptedPlan, was.Status.Review, was.Status.Undo = nil, nil, nil
	}
	return f.s.Comparer.CountingByLog(was)
}

// lostEvents moves the events aside that only entries tell of that are lost: another of their number
// will be there. any says that there were some, so that the task is one that they wrote.
func (f *repairer) lostEvents(uid model.UID) (touched bool, err error) {
	es, err := fsys.List(f.s.Disk.FS, layout.TaskFile(uid, layout.PersistentDir))
	if err != nil {
		if fsys.IsAboutFile(err) {
			err = nil
		}
		return false, err
	}
	for _, e := range es {
		name := layout.TaskFile(uid, layout.PersistentDir+"/"+e.Name)
		if _, logged := f.last[name]; logged || e.Type != 0 || !strings.HasSuffix(e.Name, ".json") {
			continue
		}
		b, err := f.s.Disk.FS.ReadFile(name, layout.MaxJSON)
		if err != nil {
			if fsys.IsAboutFile(err) {
				continue
			}
			return touched, err
		}
		ev, ps := model.DecodeEvent(layout.Shown(name), b)
		if model.HasError(ps) || ev.Seq < f.lost {
			continue
		}
		touched = true
		if err := f.moveAside(uid, name, f.lost, "moved aside: it mentions entries that the log has lost"); err != nil && !errors.Is(err, fs.ErrPermission) {
			return touched, err // else Doctor says what it is
		}
	}
	return touched, nil
}
