package fsck

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// codeForeign is the code of the problem that a file is not what the log last made it.
const codeForeign = "foreign-change"

// reportDeleted reports the tasks that went past the log: one problem a task, or one for all when
// tasks/ is not there.
func (d *auditor) reportDeleted(severity model.Severity) error {
	var uids []model.UID
	for _, uid := range slices.Sorted(maps.Keys(d.deleted)) {
		if !d.deleted[uid] {
			uids = append(uids, uid)
		}
	}
	all, err := d.missingDir(layout.TasksDir)
	if err != nil || len(uids) == 0 {
		return err
	}
	if all && d.only != nil {
		return nil // it is said
	}
	if all {
		p := failure.NoTasks(counted(len(uids), "task") + " that the log knows")
		d.problems = slices.DeleteFunc(d.problems, func(q model.Problem) bool { return q.Path == p.Path && q.Code == p.Code })
		d.problems = append(d.problems, p)
		return nil
	}
	for _, uid := range uids {
		d.add(severity, uid, layout.TaskDir(uid), codeForeign, failure.MissingTaskHint(layout.TaskDir(uid))+"; otherwise the next change to any task or `vespe store doctor --fix` records it",
			"was deleted, and the log doesn't record it")
	}
	return nil
}

func (d *auditor) missingDir(name string) (bool, error) {
	in, err := d.s.Disk.FS.Stat(name)
	if err != nil && fsys.IsTransient(err) {
		return false, err
	}
	return fsys.Missing(err) || err == nil && in.Type != fs.ModeDir, nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// missingFileHint is how to get a file back that the log knows.
func missingFileHint(name string, image txlog.LastImage) string {
	if isRestored(image, name) {
		return "`vespe store doctor --fix` restores it"
	}
	hint := "if that was a mistake, restore it: `git checkout -- " + layout.Shown(name) + "`, or from a backup"
	uid, rest, ok := layout.TaskOf(name)
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		if ok && rest == layout.DocFile(doc) {
			hint = fmt.Sprintf("if that was a mistake, restore it: the newest of %s is a copy", layout.Shown(layout.TaskFile(uid, layout.RevisionsDir+"/"+string(doc)+"-*.md")))
		}
	}
	return hint
}

// isRestored: Repair writes the file again when it is gone. A task can be without the others.
func isRestored(i txlog.LastImage, name string) bool {
	_, rest, _ := layout.TaskOf(name)
	return i.Immutable || rest == layout.ConfigFile || rest == layout.StatusFile || strings.HasPrefix(rest, layout.ReviewsDir+"/")
}
