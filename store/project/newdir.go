package project

import (
	"errors"
	"io/fs"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/txlog"
)

// newTask is a task directory that is built aside and then moved into place whole.
type newTask struct {
	uid   model.UID
	tmp   string
	files []*txlog.FileImage
}

// split separates the files of tasks that have no directory yet from the others. Those of a
// task that had one are for nobody: somebody deleted it, and half of it must not lie where it
// is to come back to.
func (p *Projection) split() (fresh []*newTask, rest []*txlog.FileImage, err error) {
	tasks, deleted, makes := map[model.UID]*newTask{}, map[model.UID]bool{}, map[model.UID]bool{}
	for _, f := range p.files {
		if uid, rest, ok := layout.TaskOf(f.Path); ok && rest == layout.ConfigFile && f.Was == "" {
			makes[uid] = true
		}
	}
	for _, f := range p.files {
		uid, _, ok := layout.TaskOf(f.Path)
		if !ok {
			rest = append(rest, f)
			continue
		}
		n, seen := tasks[uid]
		if !seen {
			_, err := p.Disk.FS.Stat(layout.TaskDir(uid))
			switch {
			case fsys.Missing(err):
				n = &newTask{uid: uid}
				if deleted[uid] = !makes[uid]; !deleted[uid] {
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
		case !deleted[uid]:
			n.files = append(n.files, f)
		default:
			p.noteMissing(f.Path)
			if _, err := p.Log.BodyOf(f); err != nil {
				return nil, nil, err // what cannot be read is not known to be done
			}
		}
	}
	return fresh, rest, nil
}

// buildAll writes the new directories under tmp/, side by side when there are many.
func (p *Projection) buildAll(fresh []*newTask) error {
	return parallel.EachIf(p.whole, len(fresh), func(i int) error { return p.build(fresh[i]) })
}

func (p *Projection) build(n *newTask) error {
	for _, f := range n.files { // first: what is not there leaves no directory behind
		if _, err := p.Log.BodyOf(f); err != nil {
			return err
		}
	}
	tmp := p.Disk.TempName("task")
	if err := p.Disk.FS.Mkdir(tmp); err != nil {
		return err
	}
	n.tmp = tmp
	made := map[string]bool{tmp: true}
	for _, f := range n.files {
		_, rest, _ := layout.TaskOf(f.Path)
		name := tmp + "/" + rest
		if err := p.parents(name, made); err != nil {
			return err
		}
		body, err := p.Log.BodyOf(f)
		if err != nil {
			return err
		}
		if err := p.Disk.WriteFile(name, body, !p.whole); err != nil {
			return err
		}
	}
	if p.whole {
		return nil
	}
	for _, d := range durable.ChildrenFirst(made) {
		if err := p.Disk.SyncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// installAll moves new tasks into place. If until then every name in tasks/ was the log's,
// it is so afterwards too: then nobody needs to list them to know.
func (p *Projection) installAll(fresh []*newTask) error {
	if len(fresh) == 0 {
		return nil
	}
	before := NamesTime(p.Disk.FS)
	for _, n := range fresh {
		if err := p.install(n); err != nil {
			return err
		}
	}
	p.Installed(before, NamesTime(p.Disk.FS))
	return nil
}

// NamesTime is the mtime of tasks/; 0 when there is none.
func NamesTime(f fsys.FS) int64 {
	in, err := f.Stat(layout.TasksDir)
	if err != nil {
		return 0
	}
	return in.ModTime.UnixNano()
}

// install moves a new task's directory into place. If someone made one meanwhile, the
// files go into it one by one.
func (p *Projection) install(n *newTask) error {
	err := p.Disk.FS.Rename(n.tmp, layout.TaskDir(n.uid))
	if err == nil {
		return nil
	}
	in, serr := p.Disk.FS.Stat(layout.TaskDir(n.uid))
	if serr != nil {
		return err
	}
	if in.Type != fs.ModeDir { // nobody could continue until it is away
		return errors.Join(p.MoveAside(layout.TaskDir(n.uid), layout.TaskDir(n.uid)), p.Disk.FS.Rename(n.tmp, layout.TaskDir(n.uid)))
	}
	for _, f := range n.files {
		_, rest, _ := layout.TaskOf(f.Path)
		if err := p.place(n.tmp+"/"+rest, f); err != nil {
			return err
		}
	}
	return nil // the emptied directory under tmp/ is for Doctor to report
}
