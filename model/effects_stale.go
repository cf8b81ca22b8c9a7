package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// unmet are the dependencies of t that hold it back, in the order of its file. One that
// is not in the store does, too.
func (x *tx) unmet(t *Task) []UID {
	var out []UID
	seen := make(map[UID]bool, len(t.DependsOn))
	for _, d := range t.DependsOn {
		if dep, ok := x.w.Task(d); (!ok || !x.policy.Met(dep)) && !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	return out
}

// openDependents counts the tasks that depend on uid and have not ended.
func (x *tx) openDependents(uid UID) int {
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
func (x *tx) part(dep *Task, key string) (hash string, known bool, r *Refusal) {
	if key == "_result" {
		if dep.Status.CurrentState != Completed {
			return "", false, nil
		}
		return x.resultHash(dep)
	}
	d := Objective
	if key == "_plan" {
		d = Plan
	}
	c, known, r := x.doc(dep, d)
	if len(c.Body) == 0 {
		c.Hash = ""
	}
	return c.Hash, known, r
}

// depHashes are the hashes to record when t is accepted with what is there today.
func (x *tx) depHashes(t *Task) ([]ContentHash, *Refusal) {
	var out []ContentHash
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
func (x *tx) spread(t *Task, d Doc, hash string) *Refusal {
	key := "_" + string(d)
	n := 0
	for _, uid := range x.w.DependentUIDs(t.UID) {
		dep, ok := x.w.Task(uid)
		if !ok || !dep.HasStandingAcceptance() {
			continue
		}
		i, found := hashAt(dep.Status.ParentContentHashes, string(t.UID)+key)
		if found && x.mark(dep, t, ChangeReason{
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
		x.also(fmt.Sprintf("%s %s changed because of it", Plural(n, "dependent", "dependents"), VerbFor(n, "is", "are")))
	}
}

// mark makes dep changed by what happened to t, or takes the mark back where the bytes
// are again what they were. It reports a new mark.
func (x *tx) mark(dep, t *Task, why ChangeReason) bool {
	reasons, changed := PutReason(dep.Status.ChangedBecause, why)
	if !changed {
		return false
	}
	marked := len(reasons) > 0 && why.Old != why.New
	now := x.edit(dep.UID)
	now.Status.ChangedBecause = reasons
	what := fmt.Sprintf("%s is changed: %s differs", Quoted(now), why.File)
	if !marked {
		what = fmt.Sprintf("%s: %s matches its acceptance again", Quoted(now), why.File)
	}
	x.emit(Event{
		Name: Check, UID: dep.UID, Actor: SystemActor, Cause: t.UID,
		From: now.Status.CurrentState, To: now.Status.CurrentState, Summary: what,
		Details: Extra{TextField("file", why.File), TextField("old", why.Old), TextField("new", why.New)},
	})
	return marked
}

// resultSpread tells the dependents of a task that has just completed. One that has
// recorded no result of it records today's; with mark, one that was accepted with another
// is changed.
func (s *step) resultSpread(t *Task, mark bool) *Refusal {
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
			case found && mark && s.mark(dep, t, ChangeReason{File: string(t.UID) + "/result", Old: dep.Status.ParentContentHashes[i].Hash, New: hash}):
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
		s.also(fmt.Sprintf("%s %s ready", Plural(ready, "task", "tasks"), VerbFor(ready, "becomes", "become")))
	}
	return nil
}

// startable is the status `ready`.
func (x *tx) startable(t *Task) bool {
	st := &t.Status
	return st.AcceptedPlan != nil && (st.CurrentState == PlanDefined || st.CurrentState == Working) &&
		st.CurrentRun == "" && !st.IsPaused && len(x.changes(t)) == 0 && x.mayBegin(t)
}

// mayBegin reports that no dependency holds t back.
func (x *tx) mayBegin(t *Task) bool { return len(x.unmet(t)) == 0 && x.cycleOf(t) == nil }

// approvalDiffs are the documents of t that are not the bytes a person accepted.
func (x *tx) approvalDiffs(t *Task) ([]ContentDiff, *Refusal) {
	a := t.Status.AcceptedPlan
	if a == nil {
		return nil, nil
	}
	var out []ContentDiff
	for _, d := range []Doc{Objective, Plan} {
		want := a.PlanHash
		if d == Objective {
			want = a.ObjectiveHash
		}
		c, known, r := x.doc(t, d)
		if r != nil {
			return nil, r
		}
		if known && c.Hash != want {
			c.Doc = d
			out = append(out, ContentDiff{Doc: d, File: string(d) + ".md", Seen: want, Now: c})
		}
	}
	return out, nil
}

// depDiffs compares what t was accepted with to what its dependencies have today: one
// entry a recorded hash that can be looked at, Old equal to New where nothing changed.
func (x *tx) depDiffs(t *Task) ([]ChangeReason, *Refusal) {
	var out []ChangeReason
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
				out = append(out, ChangeReason{
					File: string(d) + p.file, Old: t.Status.ParentContentHashes[i].Hash, New: hash,
				})
			}
		}
	}
	return out, nil
}

// doCheck compares everything that a task was accepted with to what is there. It
// leaves reasons alone that it cannot look at.
func doCheck(s *step) *Refusal {
	reasons := s.task.Status.ChangedBecause
	if s.task.HasStandingAcceptance() {
		var r *Refusal
		if reasons, r = s.stalenessOf(s.task); r != nil {
			return r
		}
	}
	files := make([]string, len(reasons))
	for i, c := range reasons {
		files[i] = c.File
	}
	differ := strings.Join(files, ", ") + " " + VerbFor(len(files), "differs", "differ") + " from what was accepted"
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
	s.detail(ListField("files", files))
	return nil
}

// Marked is a task with the marks that check would give it for its own texts and its approval, of
// which hash says what the file in the task's directory holds; "" stands for one that is not there.
// It is t itself where they are as they were accepted, or the marks are there already.
func Marked(t *Task, hash func(file string) (string, error)) (*Task, error) {
	if !t.HasStandingAcceptance() {
		return t, nil
	}
	reasons, changed := t.Status.ChangedBecause, false
	a := t.Status.AcceptedPlan
	files := []ContentHash{{"objective.md", a.ObjectiveHash}, {"plan.md", a.PlanHash}}
	if a.ApprovalHash != "" {
		files = append(files, ContentHash{ApprovalsDir + a.Approval, a.ApprovalHash})
	}
	for _, f := range files {
		now, err := hash(f.Key)
		if err != nil {
			return t, err
		}
		if now != f.Hash {
			var added bool
			reasons, added = PutReason(reasons, ChangeReason{File: f.Key, Old: f.Hash, New: now})
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
func (s *step) stalenessOf(t *Task) ([]ChangeReason, *Refusal) {
	reasons := t.Status.ChangedBecause
	a := t.Status.AcceptedPlan
	for _, own := range []struct {
		doc Doc
		old string
	}{{Objective, a.ObjectiveHash}, {Plan, a.PlanHash}} {
		c, known, r := s.doc(t, own.doc)
		if r != nil {
			return nil, r
		}
		if known {
			reasons, _ = PutReason(reasons, ChangeReason{File: string(own.doc) + ".md", Old: own.old, New: c.Hash})
		}
	}
	for _, d := range TermReasons(t, RulesOf(s.policy)) {
		reasons, _ = PutReason(reasons, d)
	}
	diffs, r := s.depDiffs(t)
	if r != nil {
		return nil, r
	}
	for _, d := range diffs {
		reasons, _ = PutReason(reasons, d)
	}
	why, known, r := s.approvalReason(t)
	if r != nil || !known {
		return reasons, r
	}
	reasons, _ = PutReason(reasons, why)
	if body, _, r := s.approval(t); r == nil && body != nil {
		if a, err := DecodeApproval(body); err == nil {
			reasons, _ = PutReason(reasons, s.loosened(t, &a))
		}
	}
	return reasons, nil
}

func (x *tx) changes(t *Task) []ChangeReason { return ChangesOf(t, RulesOf(x.policy)) }

// markTerms writes down that the terms of an accepted task are others than the accepted ones,
// or again the same. was are those before this operation, for an acceptance that recorded none.
func (s *step) markTerms(t *Task, was termsHashes) {
	if !t.HasStandingAcceptance() {
		return
	}
	rules := RulesOf(s.policy)
	reasons, before := t.Status.ChangedBecause, len(t.Status.ChangedBecause)
	if a := t.Status.AcceptedPlan; a.SpecHash == "" {
		now := termsOf(t, rules.Terms)
		for _, d := range []ChangeReason{{DependenciesFile, was.dependencies, now.dependencies}, {SpecFile, was.spec, now.spec}} {
			if d.Old == d.New {
				continue
			}
			if i := slices.IndexFunc(reasons, func(c ChangeReason) bool { return c.File == d.File }); i >= 0 {
				d.Old = reasons[i].Old // what was accepted, not what it was a moment ago
			}
			reasons, _ = PutReason(reasons, d)
		}
	}
	for _, why := range TermReasons(t, rules) {
		reasons, _ = PutReason(reasons, why)
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

func putHash(list []ContentHash, key, hash string) []ContentHash {
	i, found := hashAt(list, key)
	if found {
		list[i].Hash = hash
		return list
	}
	return slices.Insert(list, i, ContentHash{Key: key, Hash: hash})
}

// termsHashes are the hashes of the terms of a task, in the order of their files.
type termsHashes struct{ policy, dependencies, spec string }

func termsOf(t *Task, rules string) termsHashes {
	return termsHashes{rules, DependenciesHash(t), SpecHash(t.Spec)}
}

func hashAt(list []ContentHash, key string) (int, bool) {
	return slices.BinarySearchFunc(list, key, func(h ContentHash, k string) int { return cmp.Compare(h.Key, k) })
}
