package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// unmet are the dependencies of t that hold it back, in the order of its file. One that
// is not in the store does, too.
func (x *tx) unmet(t *model.Task) []model.UID {
	var out []model.UID
	seen := make(map[model.UID]bool, len(t.DependsOn))
	for _, d := range t.DependsOn {
		if dep, ok := x.w.Task(d); (!ok || !x.policy.Met(dep)) && !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	return out
}

// openDependents counts the tasks that depend on uid and have not ended.
func (x *tx) openDependents(uid model.UID) int {
	n := 0
	for _, d := range x.w.DependentUIDs(uid) {
		if x.isOpen(d) {
			n++
		}
	}
	return n
}

// part is the hash that one part of a dependency has today. "" is nothing there. known
// is false where this world has no bytes, and for the result of a dependency that is not
// over: until then it grows, and nobody may rely on it.
func (x *tx) part(dep *model.Task, key string) (hash string, known bool, r *model.Refusal) {
	if key == "_result" {
		if dep.Status.CurrentState != model.Completed {
			return "", false, nil
		}
		return x.resultHash(dep)
	}
	d := model.Objective
	if key == "_plan" {
		d = model.Plan
	}
	c, known, r := x.doc(dep, d)
	if len(c.Body) == 0 {
		c.Hash = ""
	}
	return c.Hash, known, r
}

// depHashes are the hashes to record when t is accepted with what is there today.
func (x *tx) depHashes(t *model.Task) ([]model.ContentHash, *model.Refusal) {
	var out []model.ContentHash
	for _, d := range t.DependsOn {
		dep, ok := x.w.Task(d)
		if !ok {
			continue
		}
		for _, p := range depParts {
			hash, _, r := x.part(dep, p.key)
			if r != nil {
				return nil, r
			}
			if hash != "" {
				out = putHash(out, string(d)+p.key, hash)
			}
		}
	}
	return out, nil
}

// spread marks the accepted dependents whose recorded hash of a document of t is now
// another. They are told once; what depends on them in turn is not concerned until they
// are redone themselves.
func (x *tx) spread(t *model.Task, d model.Doc, hash string) *model.Refusal {
	key := "_" + string(d)
	n := 0
	for _, uid := range x.w.DependentUIDs(t.UID) {
		dep, ok := x.w.Task(uid)
		if !ok || !dep.HasStandingAcceptance() {
			continue
		}
		i, found := hashAt(dep.Status.ParentContentHashes, string(t.UID)+key)
		if found && x.mark(dep, t, model.ChangeReason{
			File: string(t.UID) + "/" + string(d) + ".md", Old: dep.Status.ParentContentHashes[i].Hash, New: hash,
		}) {
			n++
		}
	}
	x.saySpread(n)
	return nil
}

func (x *tx) saySpread(n int) {
	if n > 0 {
		x.also(fmt.Sprintf("%s %s changed because of it", model.Plural(n, "dependent", "dependents"), model.VerbFor(n, "is", "are")))
	}
}

// mark makes dep changed by what happened to t, or takes the mark back where the bytes
// are again what they were. It reports a new mark.
func (x *tx) mark(dep, t *model.Task, why model.ChangeReason) bool {
	reasons, changed := model.PutReason(dep.Status.ChangedBecause, why)
	if !changed {
		return false
	}
	marked := len(reasons) > 0 && why.Old != why.New
	now := x.edit(dep.UID)
	now.Status.ChangedBecause = reasons
	what := fmt.Sprintf("%s is changed: %s differs", model.Quoted(now), why.File)
	if !marked {
		what = fmt.Sprintf("%s: %s matches its acceptance again", model.Quoted(now), why.File)
	}
	x.emit(model.Event{
		Name: model.Check, UID: dep.UID, Actor: SystemActor, Cause: t.UID,
		From: now.Status.CurrentState, To: now.Status.CurrentState, Summary: what,
		Details: model.Extra{model.TextField("file", why.File), model.TextField("old", why.Old), model.TextField("new", why.New)},
	})
	return marked
}

// resultSpread tells the dependents of a task that has just completed. One that has
// recorded no result of it records today's; with mark, one that was accepted with another
// is changed.
func (s *step) resultSpread(t *model.Task, mark bool) *model.Refusal {
	hash, known, r := s.part(t, "_result")
	if r != nil {
		return r
	}
	key, ready, changed := string(t.UID)+"_result", 0, 0
	for _, uid := range s.w.DependentUIDs(t.UID) {
		dep, ok := s.w.Task(uid)
		if !ok || !dep.HasStandingAcceptance() {
			continue
		}
		if known {
			i, found := hashAt(dep.Status.ParentContentHashes, key)
			switch {
			case found && mark && s.mark(dep, t, model.ChangeReason{File: string(t.UID) + "/result", Old: dep.Status.ParentContentHashes[i].Hash, New: hash}):
				changed++
			case !found && hash != "":
				now := s.note(uid)
				now.Status.ParentContentHashes = putHash(now.Status.ParentContentHashes, key, hash)
			}
		}
		dep, _ = s.w.Task(uid)
		if s.startable(dep) {
			ready++
		}
	}
	s.saySpread(changed)
	if ready > 0 {
		s.also(fmt.Sprintf("%s %s ready", model.Plural(ready, "task", "tasks"), model.VerbFor(ready, "becomes", "become")))
	}
	return nil
}

// startable is the status `ready`.
func (x *tx) startable(t *model.Task) bool {
	st := &t.Status
	return st.AcceptedPlan != nil && (st.CurrentState == model.PlanDefined || st.CurrentState == model.Working) &&
		st.CurrentRun == "" && !st.IsPaused && len(x.changes(t)) == 0 && x.mayBegin(t)
}

// mayBegin reports that no dependency holds t back.
func (x *tx) mayBegin(t *model.Task) bool { return len(x.unmet(t)) == 0 && x.cycleOf(t) == nil }

// approvalDiffs are the documents of t that are not the bytes a person accepted.
func (x *tx) approvalDiffs(t *model.Task) ([]model.ContentDiff, *model.Refusal) {
	a := t.Status.AcceptedPlan
	if a == nil {
		return nil, nil
	}
	var out []model.ContentDiff
	for _, d := range []model.Doc{model.Objective, model.Plan} {
		want := a.PlanHash
		if d == model.Objective {
			want = a.ObjectiveHash
		}
		c, known, r := x.doc(t, d)
		if r != nil {
			return nil, r
		}
		if known && c.Hash != want {
			c.Doc = d
			out = append(out, model.ContentDiff{Doc: d, File: string(d) + ".md", Seen: want, Now: c})
		}
	}
	return out, nil
}

// depDiffs compares what t was accepted with to what its dependencies have today: one
// entry a recorded hash that can be looked at, Old equal to New where nothing changed.
func (x *tx) depDiffs(t *model.Task) ([]model.ChangeReason, *model.Refusal) {
	var out []model.ChangeReason
	for _, d := range t.DependsOn {
		dep, ok := x.w.Task(d)
		if !ok {
			continue
		}
		for _, p := range depParts {
			i, found := hashAt(t.Status.ParentContentHashes, string(d)+p.key)
			if !found {
				continue
			}
			hash, known, r := x.part(dep, p.key)
			if r != nil {
				return nil, r
			}
			if known {
				out = append(out, model.ChangeReason{
					File: string(d) + p.file, Old: t.Status.ParentContentHashes[i].Hash, New: hash,
				})
			}
		}
	}
	return out, nil
}

// doCheck compares everything that a task was accepted with to what is there. It
// leaves reasons alone that it cannot look at.
func doCheck(s *step) *model.Refusal {
	reasons := s.task.Status.ChangedBecause
	if s.task.HasStandingAcceptance() {
		var r *model.Refusal
		if reasons, r = s.stalenessOf(s.task); r != nil {
			return r
		}
	}
	files := make([]string, len(reasons))
	for i, c := range reasons {
		files[i] = c.File
	}
	differ := strings.Join(files, ", ") + " " + model.VerbFor(len(files), "differs", "differ") + " from what was accepted"
	if slices.Equal(reasons, s.task.Status.ChangedBecause) {
		s.quiet = true
		if len(reasons) > 0 {
			s.say(differ + ", as already recorded")
			return nil
		}
		s.say("nothing has changed")
		return nil
	}
	t := s.edit(s.op.UID)
	t.Status.ChangedBecause = reasons
	if len(reasons) == 0 {
		s.say("everything matches its acceptance again")
		return nil
	}
	s.say(differ)
	s.detail(model.ListField("files", files))
	return nil
}

// Marked is a task with the marks that check would give it for its own texts and its approval, of
// which hash says what the file in the task's directory holds; "" stands for one that is not there.
// It is t itself where they are as they were accepted, or the marks are there already.
func Marked(t *model.Task, hash func(file string) (string, error)) (*model.Task, error) {
	if !t.HasStandingAcceptance() {
		return t, nil
	}
	reasons, changed := t.Status.ChangedBecause, false
	a := t.Status.AcceptedPlan
	files := []model.ContentHash{{Key: "objective.md", Hash: a.ObjectiveHash}, {Key: "plan.md", Hash: a.PlanHash}}
	if a.ApprovalHash != "" {
		files = append(files, model.ContentHash{Key: model.ApprovalsDir + a.Approval, Hash: a.ApprovalHash})
	}
	for _, f := range files {
		now, err := hash(f.Key)
		if err != nil {
			return t, err
		}
		if now != f.Hash {
			var added bool
			reasons, added = model.PutReason(reasons, model.ChangeReason{File: f.Key, Old: f.Hash, New: now})
			changed = changed || added
		}
	}
	if !changed {
		return t, nil
	}
	n := t.Clone()
	n.Status.ChangedBecause = reasons
	return n, nil
}

// stalenessOf is changed_because of t as it should read today.
func (s *step) stalenessOf(t *model.Task) ([]model.ChangeReason, *model.Refusal) {
	reasons := t.Status.ChangedBecause
	a := t.Status.AcceptedPlan
	for _, own := range []struct {
		doc model.Doc
		old string
	}{{model.Objective, a.ObjectiveHash}, {model.Plan, a.PlanHash}} {
		c, known, r := s.doc(t, own.doc)
		if r != nil {
			return nil, r
		}
		if known {
			reasons, _ = model.PutReason(reasons, model.ChangeReason{File: string(own.doc) + ".md", Old: own.old, New: c.Hash})
		}
	}
	for _, d := range model.TermReasons(t, model.RulesOf(s.policy)) {
		reasons, _ = model.PutReason(reasons, d)
	}
	diffs, r := s.depDiffs(t)
	if r != nil {
		return nil, r
	}
	for _, d := range diffs {
		reasons, _ = model.PutReason(reasons, d)
	}
	why, known, r := s.approvalReason(t)
	if r != nil || !known {
		return reasons, r
	}
	reasons, _ = model.PutReason(reasons, why)
	if body, _, r := s.approval(t); r == nil && body != nil {
		if a, err := model.DecodeApproval(body); err == nil {
			reasons, _ = model.PutReason(reasons, s.loosened(t, &a))
		}
	}
	return reasons, nil
}

func (x *tx) changes(t *model.Task) []model.ChangeReason {
	return model.ChangesOf(t, model.RulesOf(x.policy))
}

// markTerms writes down that the terms of an accepted task are others than the accepted ones,
// or again the same. was are those before this operation, for an acceptance that recorded none.
func (s *step) markTerms(t *model.Task, was termsHashes) {
	if !t.HasStandingAcceptance() {
		return
	}
	rules := model.RulesOf(s.policy)
	reasons, before := t.Status.ChangedBecause, len(t.Status.ChangedBecause)
	if a := t.Status.AcceptedPlan; a.SpecHash == "" {
		now := termsOf(t, rules.Terms)
		for _, d := range []model.ChangeReason{
			{File: model.DependenciesFile, Old: was.dependencies, New: now.dependencies}, {File: model.SpecFile, Old: was.spec, New: now.spec},
		} {
			if d.Old == d.New {
				continue
			}
			if i := slices.IndexFunc(reasons, func(c model.ChangeReason) bool { return c.File == d.File }); i >= 0 {
				d.Old = reasons[i].Old // what was accepted, not what it was a moment ago
			}
			reasons, _ = model.PutReason(reasons, d)
		}
	}
	for _, why := range model.TermReasons(t, rules) {
		reasons, _ = model.PutReason(reasons, why)
	}
	if slices.Equal(reasons, t.Status.ChangedBecause) {
		return
	}
	t = s.edit(t.UID)
	t.Status.ChangedBecause = reasons
	switch {
	case len(reasons) > before:
		s.say("that differs from what was accepted; it is changed")
	case len(reasons) == 0:
		s.say("everything matches its acceptance again")
	}
}

// The three things of a dependency that a task was accepted with: the end of the key in
// parent_content_hashes, and the file that a ChangeReason names.
var depParts = [3]struct{ key, file string }{
	{"_objective", "/objective.md"},
	{"_plan", "/plan.md"},
	{"_result", "/result"},
}

func putHash(list []model.ContentHash, key, hash string) []model.ContentHash {
	i, found := hashAt(list, key)
	if found {
		list[i].Hash = hash
		return list
	}
	return slices.Insert(list, i, model.ContentHash{Key: key, Hash: hash})
}

// termsHashes are the hashes of the terms of a task, in the order of their files.
type termsHashes struct{ policy, dependencies, spec string }

func termsOf(t *model.Task, rules string) termsHashes {
	return termsHashes{rules, model.DependenciesHash(t), model.SpecHash(t.Spec)}
}

func hashAt(list []model.ContentHash, key string) (int, bool) {
	return slices.BinarySearchFunc(list, key, func(h model.ContentHash, k string) int { return cmp.Compare(h.Key, k) })
}
