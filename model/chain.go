package model

import (
	"slices"
	"strings"

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

// Chain writes down in a change what the merge of two clones needs: in each task that has an event of the
// operation, that its history ends with it; in the event what it ended with before, and what has changed. before
// has the tasks as the operation found them.
func (c *Change) Chain(before func(UID) (*Task, bool)) {
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
		if x := ArgsOf[External](&c.Op); t.UID == c.Op.UID && x.Was != nil { // the files may be of another line of work
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
func patchOf(was, now *Task, touched Touched, files []FileChange) []byte {
	patch := map[string]any{}
	add := func(part string, a, b []byte) {
		old, _ := jsontree.Parse(a)
		next, _ := jsontree.Parse(b)
		if c := jsontree.Without(jsontree.Diff(old, next, counters...), unpatched...); c != nil {
			patch[part] = c
		}
	}
	add(PatchStatus, EncodeStatus(was.Status), EncodeStatus(now.Status))
	if touched.Config {
		add(PatchConfig, EncodeConfig(was.Config), EncodeConfig(now.Config))
	}
	if touched.Dependencies {
		add(PatchDependencies, EncodeDependencies(was.DependsOn, was.DepsExtra), EncodeDependencies(now.DependsOn, now.DepsExtra))
	}
	if touched.Spec {
		add(PatchSpec, EncodeSpec(was.Spec), EncodeSpec(now.Spec))
	}
	docs := map[string]any{}
	for _, f := range files {
		name, ok := strings.CutPrefix(f.Path, TaskFile(now.UID, "persistent/revisions")+"/")
		doc, _, _ := strings.Cut(name, "-")
		if ok {
			docs[doc] = HashBytes(f.Body)
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
