package fsck

import (
	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/gitfiles"
	"vespe/store/layout"
)

// attributes looks whether git has merge rules for the files of the store.
func (d *doctor) attributes() error {
	if !gitfiles.IsInGit(d.s.Root) {
		return nil
	}
	lacking, has, err := gitfiles.Lacking(d.s.Disk.FS)
	switch {
	case err != nil && fsys.IsTransient(err):
		return err
	case err != nil:
		d.problems = append(d.problems, failure.OfFile(layout.Shown(gitfiles.AttributesFile), err))
	case len(lacking) > 0:
		reason := "has no merge rules for some store files"
		if has == nil {
			reason = "is missing, so git has no merge rules for the store"
		}
		d.add(model.Warning, "", gitfiles.AttributesFile, "git-attributes", "`vespe store doctor --fix` writes it; commit it", "%s", reason)
	}
	return nil
}

// attributes adds the merge rules that git lacks.
func (f *repairer) attributes() error {
	if !gitfiles.IsInGit(f.s.Root) {
		return nil
	}
	lacking, has, err := gitfiles.Lacking(f.s.Disk.FS)
	if err != nil || len(lacking) == 0 {
		if err != nil && !fsys.IsTransient(err) {
			err = nil // Doctor says so
		}
		return err
	}
	if !f.dryRun {
		if err := gitfiles.Append(f.s.Disk.FS, gitfiles.AttributesFile, has, lacking); err != nil {
			return err
		}
		if err := f.s.Disk.SyncDir("."); err != nil {
			return err
		}
	}
	f.done = append(f.done, Repair{Path: layout.Shown(gitfiles.AttributesFile), What: "added merge rules; commit it"})
	return nil
}
