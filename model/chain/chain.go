// Package chain says in the events of a change what the merge of two clones needs: what each task's history ended with
// before, and what has changed.
package chain

import (
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/jsontree"
)

// The parts of a patch (Event.Patch): changes of a task's own files, as jsontree.Diff has them, and of each text
// that got a revision the hash of that.
const (
	PatchStatus       = "status"
	PatchConfig       = "config"
	PatchDependencies = "dependencies"
	PatchSpec         = "spec"
	PatchDocs         = "docs"
)

// counters are the keys of status.json that count: of two clones that each counted one, both count.
var counters = []string{"retry_count", "runs", "run_seconds"}

// unpatched are the keys of status.json that say how the file came to be, follow from other files, or hold for one
// line of work alone.
var unpatched = []string{
	"last_updated_at", "progress", "plan_revision", "objective_revision", "comments", "undo",
	"last_ops", "unmerged_ops", "picked_ops", "revision",
}

// Link writes down in a change what the merge of two clones needs: in each task that has an event of the
// operation, that its history ends with it; in the event what it ended with before, and what has changed. before
// has the tasks as the operation found them.
func Link(c *model.Change, before func(model.UID) (*model.Task, bool)) {
	for i, t := range c.Tasks {
		of := -1
		for k := range c.Events {
			if e := &c.Events[k]; e.UID == t.UID && e.OpID == c.Op.ID && e.OpID != "" {
				of = k
			}
		}
		if of < 0 {
			continue
		}
		e := &c.Events[of]
		was, known := before(t.UID)
		if !known {
			continue // nobody else can have begun with it
		}
		e.After = was.Status.LastOps
		t.Status.UnmergedOps, t.Status.PickedOps = was.Status.UnmergedOps, was.Status.PickedOps
		if x := model.ArgsOf[model.External](&c.Op); t.UID == c.Op.UID && x.Was != nil { // the files may be of another line of work
			e.After = joined(e.After, x.Was.Status.LastOps)
			t.Status.PickedOps = joined(t.Status.PickedOps, x.Was.Status.PickedOps)
			was = x.Was
		}
		t.Status.LastOps = []string{c.Op.ID}
		e.Patch = patchOf(was, t, c.Touched[i], c.Files)
	}
}

// joined is the texts of two lists, in order.
func joined(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// patchOf is what became of a task.
func patchOf(was, now *model.Task, touched model.Touched, files []model.FileChange) []byte {
	patch := map[string]any{}
	add := func(part string, a, b []byte) {
		old, _ := jsontree.Parse(a)
		next, _ := jsontree.Parse(b)
		if c := jsontree.Without(jsontree.Diff(old, next, counters...), unpatched...); c != nil {
			patch[part] = c
		}
	}
	add(PatchStatus, model.EncodeStatus(was.Status), model.EncodeStatus(now.Status))
	if touched.Config {
		add(PatchConfig, model.EncodeConfig(was.Config), model.EncodeConfig(now.Config))
	}
	if touched.Dependencies {
		add(PatchDependencies, model.EncodeDependencies(was.DependsOn, was.DepsExtra), model.EncodeDependencies(now.DependsOn, now.DepsExtra))
	}
	if touched.Spec {
		add(PatchSpec, model.EncodeSpec(was.Spec), model.EncodeSpec(now.Spec))
	}
	docs := map[string]any{}
	for _, f := range files {
		name, ok := strings.CutPrefix(f.Path, model.TaskFile(now.UID, "persistent/revisions")+"/")
		doc, _, _ := strings.Cut(name, "-")
		if ok {
			docs[doc] = model.HashBytes(f.Body)
		}
	}
	if len(docs) > 0 {
		patch[PatchDocs] = docs
	}
	if len(patch) == 0 {
		return nil
	}
	return jsontree.Encode(patch)
}
