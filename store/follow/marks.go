package follow

import (
	"hash/fnv"
	"strconv"

	"vespe/model"
	"vespe/model/priority"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/marks"
	"vespe/store/view"
)

// filesMark is a number that changes when the files of policy, milestones or requests do.
func (f *Follower) filesMark() uint64 {
	h := fnv.New64a()
	add := func(name string, in fsys.Info, err error) {
		_, _ = h.Write([]byte(name)) // a hash takes everything
		if err != nil {
			_, _ = h.Write([]byte("\x00none"))
			return
		}
		for _, v := range []int64{int64(in.Type), in.Size, int64(in.Ino), in.ModTime.UnixNano()} {
			_, _ = h.Write(strconv.AppendInt([]byte{0}, v, 36))
		}
	}
	for _, name := range []string{layout.PolicyFile, layout.MilestonesFile, priority.Path, layout.StoreFile, layout.RequestsDir} {
		in, err := f.Disk.FS.Stat(name)
		add(name, in, err)
	}
	project, _ := f.Disk.FS.ReadBeside(layout.ProjectConfig, layout.MaxJSON) // that it cannot be read is no other look
	_, _ = h.Write(project)
	d, err := f.Disk.FS.OpenDir(layout.RequestsDir)
	if err != nil {
		return h.Sum64()
	}
	defer d.Close()
	es, _ := d.Entries()
	for _, e := range es {
		in, err := d.Stat(e.Name)
		add(e.Name, in, err)
	}
	return h.Sum64()
}

// looks is a number that changes when a task's own files do.
func (f *Follower) looks(uid model.UID) uint64 {
	d, err := f.Disk.FS.OpenDir(layout.TaskDir(uid))
	if err != nil {
		return 0
	}
	defer d.Close()
	h := fnv.New64a()
	for _, name := range marks.Files {
		in, err := d.Stat(name)
		if err != nil {
			continue
		}
		for _, v := range []int64{in.Size, int64(in.Ino), in.ModTime.UnixNano()} {
			_, _ = h.Write(strconv.AppendInt([]byte(name), v, 36))
		}
	}
	return h.Sum64()
}

// mostTampered is how many tasks with such a problem are looked at again each time.
const mostTampered = 64

// tampered are tasks whose approvals were found not to be what was given: that they are put right
// again, nobody tells.
func (f *Follower) tampered() []model.UID {
	uids := f.Edits.InConflict(view.IsAboutApproval)
	return uids[:min(len(uids), mostTampered)]
}
