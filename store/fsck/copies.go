package fsck

import (
	"strings"

	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// copies reports the copies of files that belong to no task: what somebody wrote just where a file was replaced is kept
// beside it, as *.theirs-N (project).
func (d *doctor) copies() error {
	for _, dir := range []string{".", layout.RequestsDir} {
		es, err := fsys.List(d.s.Disk.FS, dir)
		if err != nil {
			if fsys.IsAboutFile(err) {
				continue
			}
			return err
		}
		for _, e := range es {
			if e.Type == 0 && strings.Contains(e.Name, layout.TheirsMark) {
				name := strings.TrimPrefix(dir+"/"+e.Name, "./")
				d.problems = append(d.problems, failure.TheirsProblem(layout.Shown(name)))
			}
		}
	}
	return nil
}
