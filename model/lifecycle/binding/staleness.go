package binding

import (
	"cmp"
	"fmt"
	"slices"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/review"
	"vespe/model/staged"
)

// Unmet are the dependencies of t that hold it back, in the order of its file. One that
// is not in the store does, too.
func Unmet(x *machine.Tx, t *model.Task) []model.UID {
	var out []model.UID
	seen := make(map[model.UID]bool, len(t.DependsOn))
	for _, d := range t.DependsOn {
		if dep, ok := x.World.Task(d); (!ok || !x.Policy.Met(dep)) && !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	return out
}

// OpenDependents counts the tasks that depend on uid and have not ended.
func OpenDependents(x *machine.Tx, uid model.UID) int {
	n := 0
	for _, d := range x.World.DependentUIDs(uid) {
		if x.IsOpen(d) {
			n++
		}
	}
	return n
}

// part is the hash that one part of a dependency has today. "" is nothing there. known
// is false where this world has no bytes, and for the result of a dependency that is not
// over: until then it grows, and nobody may rely on it.
func part(x *machine.Tx, dep *model.Task, key string) (hash string, known bool, r *model.Refusal) {
	if key == "_result" {
		if dep.Status.CurrentState != model.Completed {
			return "", false, nil
		}
		return x.ResultHash(dep)
	}
	d := model.Objective
	if key == "_plan" {
		d = model.Plan
	}
	c, known, r := x.Doc(dep, d)
	if len(c.Body) == 0 {
		c.Hash = ""
	}
	return c.Hash, known, r
}

// DepHashes are the hashes to record when t is accepted with what is there today.
func DepHashes(x *machine.Tx, t *model.Task) ([]model.ContentHash, *model.Refusal) {
	var out []model.ContentHash
	for _, d := range t.DependsOn {
		dep, ok := x.World.Task(d)
		if !ok {
			continue
		}
		for _, p := range DepParts {
			hash, _, r := part(x, dep, p.Key)
			if r != nil {
				return nil, r
			}
			if hash != "" {
				out = PutHash(out, string(d)+p.Key, hash)
			}
		}
	}
	return out, nil
}

// Spread marks the accepted dependents whose recorded hash of a document of t is now
// another. They are told once; what depends on them in turn is not concerned until they
// are redone themselves.
func Spread(x *machine.Tx, t *model.Task, d model.Doc, hash string) *model.Refusal {
	key := "_" + string(d)
	n := 0
	for _, uid := range x.World.DependentUIDs(t.UID) {
		dep, ok := x.World.Task(uid)
		if !ok || !dep.HasStandingAcceptance() {
			continue
		}
		i, found := HashAt(dep.Status.ParentContentHashes, string(t.UID)+key)
		if found && markChanged(x, dep, t, model.ChangeReason{
			File: string(t.UID) + "/" + string(d) + ".md", Old: dep.Status.ParentContentHashes[i].Hash, New: hash,
		}) {
			n++
		}
	}
	saySpread(x, n)
	return nil
}

func saySpread(x *machine.Tx, n int) {
	if n > 0 {
		x.Also(machine.ChangesDependents, model.Plural(n, "dependent is", "dependents are"))
	}
}

// markChanged makes dep changed by what happened to t, or takes the mark back where the bytes
// are again what they were. It reports a new mark.
func markChanged(x *machine.Tx, dep, t *model.Task, why model.ChangeReason) bool {
	reasons, changed := model.PutReason(dep.Status.ChangedBecause, why)
	if !changed {
		return false
	}
	marked := len(reasons) > 0 && why.Old != why.New
	now := x.Edit(dep.UID)
	now.Status.ChangedBecause = reasons
	what := fmt.Sprintf("%s is changed: %s differs", model.Quoted(now), why.File)
	if !marked {
		what = fmt.Sprintf("%s: %s matches its acceptance again", model.Quoted(now), why.File)
	}
	x.Emit(model.Event{
		Name: model.Check, UID: dep.UID, Actor: model.SystemActor, Cause: t.UID,
		From: now.Status.CurrentState, To: now.Status.CurrentState, Summary: what,
		Details: model.Extra{model.TextField("file", why.File), model.TextField("old", why.Old), model.TextField("new", why.New)},
	})
	return marked
}

// ResultSpread tells the dependents of a task that has just completed. One that has
// recorded no result of it records today's; with mark, one that was accepted with another
// is changed.
func ResultSpread(s *machine.Step, t *model.Task, mark bool) *model.Refusal {
	hash, known, r := part(s.Tx, t, "_result")
	if r != nil {
		return r
	}
	key, ready, changed := string(t.UID)+"_result", 0, 0
	for _, uid := range s.World.DependentUIDs(t.UID) {
		dep, ok := s.World.Task(uid)
		if !ok || !dep.HasStandingAcceptance() {
			continue
		}
		if known {
			i, found := HashAt(dep.Status.ParentContentHashes, key)
			switch {
			case found && mark && markChanged(s.Tx, dep, t, model.ChangeReason{File: string(t.UID) + "/result", Old: dep.Status.ParentContentHashes[i].Hash, New: hash}):
				changed++
			case !found && hash != "":
				now := s.Note(uid)
				now.Status.ParentContentHashes = PutHash(now.Status.ParentContentHashes, key, hash)
			}
		}
		dep, _ = s.World.Task(uid)
		if Startable(s.Tx, dep) {
			ready++
		}
	}
	saySpread(s.Tx, changed)
	if ready > 0 {
		s.Also(machine.MakesReady, model.Plural(ready, "task becomes", "tasks become"))
	}
	return nil
}

// Startable is the status `ready`.
func Startable(x *machine.Tx, t *model.Task) bool {
	st := &t.Status
	return st.AcceptedPlan != nil && (st.CurrentState == model.PlanDefined || st.CurrentState == model.Working) &&
		st.CurrentRun == "" && !st.IsPaused && len(Changes(x, t)) == 0 && MayBegin(x, t)
}

// MayBegin reports that no dependency holds t back.
func MayBegin(x *machine.Tx, t *model.Task) bool {
	return len(Unmet(x, t)) == 0 && staged.Cycle(x.World, t) == nil
}

// ApprovalDiffs are the documents of t that are not the bytes a person accepted.
func ApprovalDiffs(x *machine.Tx, t *model.Task) ([]model.ContentDiff, *model.Refusal) {
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
		c, known, r := x.Doc(t, d)
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

// DepDiffs compares what t was accepted with to what its dependencies have today: one
// entry a recorded hash that can be looked at, Old equal to New where nothing changed.
func DepDiffs(x *machine.Tx, t *model.Task) ([]model.ChangeReason, *model.Refusal) {
	var out []model.ChangeReason
	for _, d := range t.DependsOn {
		dep, ok := x.World.Task(d)
		if !ok {
			continue
		}
		for _, p := range DepParts {
			i, found := HashAt(t.Status.ParentContentHashes, string(d)+p.Key)
			if !found {
				continue
			}
			hash, known, r := part(x, dep, p.Key)
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

// Staleness is changed_because of t as it should read today.
func Staleness(s *machine.Step, t *model.Task) ([]model.ChangeReason, *model.Refusal) {
	reasons := t.Status.ChangedBecause
	a := t.Status.AcceptedPlan
	for _, own := range []struct {
		doc model.Doc
		old string
	}{{model.Objective, a.ObjectiveHash}, {model.Plan, a.PlanHash}} {
		c, known, r := s.Doc(t, own.doc)
		if r != nil {
			return nil, r
		}
		if known {
			reasons, _ = model.PutReason(reasons, model.ChangeReason{File: string(own.doc) + ".md", Old: own.old, New: c.Hash})
		}
	}
	for _, d := range model.TermReasons(t, model.RulesOf(s.Policy)) {
		reasons, _ = model.PutReason(reasons, d)
	}
	diffs, r := DepDiffs(s.Tx, t)
	if r != nil {
		return nil, r
	}
	for _, d := range diffs {
		reasons, _ = model.PutReason(reasons, d)
	}
	why, known, r := ApprovalReason(s.Tx, t)
	if r != nil || !known {
		return reasons, r
	}
	reasons, _ = model.PutReason(reasons, why)
	if body, _, r := ApprovalOf(s.Tx, t); r == nil && body != nil {
		if a, err := review.DecodeApproval(body); err == nil {
			reasons, _ = model.PutReason(reasons, loosened(s.Tx, t, &a))
		}
	}
	return reasons, nil
}

// Changes says in what an accepted task differs from its acceptance, as far as it shows without bytes.
func Changes(x *machine.Tx, t *model.Task) []model.ChangeReason {
	return model.ChangesOf(t, model.RulesOf(x.Policy))
}

// MarkTerms records whether the terms of an accepted task still match the accepted ones. was has the terms before this
// operation, for an acceptance that recorded none.
func MarkTerms(s *machine.Step, t *model.Task, was termsHashes) {
	if !t.HasStandingAcceptance() {
		return
	}
	rules := model.RulesOf(s.Policy)
	reasons, before := t.Status.ChangedBecause, len(t.Status.ChangedBecause)
	if a := t.Status.AcceptedPlan; a.SpecHash == "" {
		now := TermsOf(t, rules.Terms)
		for _, d := range []model.ChangeReason{
			{File: model.DependenciesFile, Old: was.Dependencies, New: now.Dependencies}, {File: model.SpecFile, Old: was.Spec, New: now.Spec},
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
	t = s.Edit(t.UID)
	t.Status.ChangedBecause = reasons
	switch {
	case len(reasons) > before:
		s.Say(machine.Changes)
	case len(reasons) == 0:
		s.Say(machine.MatchesAgain)
	}
}

// depPart is a thing of a dependency that a task was accepted with: the end of the key in
// parent_content_hashes, and the file that a ChangeReason names.
type depPart struct{ Key, file string }

// DepParts are the three of a dependency.
var DepParts = [3]depPart{
	{"_objective", "/objective.md"},
	{"_plan", "/plan.md"},
	{"_result", "/result"},
}

// PutHash is a list sorted by key with the hash of a key in it. It may write to the list.
func PutHash(list []model.ContentHash, key, hash string) []model.ContentHash {
	i, found := HashAt(list, key)
	if found {
		list[i].Hash = hash
		return list
	}
	return slices.Insert(list, i, model.ContentHash{Key: key, Hash: hash})
}

// termsHashes are the hashes of the terms of a task, in the order of their files.
type termsHashes struct{ Policy, Dependencies, Spec string }

// TermsOf are the hashes of a task's terms as they are now; rules is the hash of the policy's.
func TermsOf(t *model.Task, rules string) termsHashes {
	return termsHashes{rules, model.DependenciesHash(t), model.SpecHash(t.Spec)}
}

// HashAt is where a list sorted by key has a key, or would have it.
func HashAt(list []model.ContentHash, key string) (int, bool) {
	return slices.BinarySearchFunc(list, key, func(h model.ContentHash, k string) int { return cmp.Compare(h.Key, k) })
}
