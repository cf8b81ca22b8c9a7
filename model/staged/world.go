// Package staged is a world with changes laid over it that nobody has written yet: what one operation has done so far,
// or the operations of a transaction before it. It is a model.World like the one below it. Start with World and Absorb.
package staged

import (
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/review"
)

// World is a World with changes on top of another: what Apply works on, and what a
// transaction of several operations sees between them. It writes nothing to its base,
// and costs what was changed, not what is there. It is not safe for concurrent use.
type World struct {
	base       model.World
	tasks      map[model.UID]*model.Task
	kids       map[model.UID][]model.UID        // children that the base does not have
	links      map[model.UID]map[model.UID]bool // dependents that the base has not (true), or has no longer (false)
	docs       map[docKey]model.Content
	results    map[model.UID]map[string][]byte // whole result directories
	files      map[string][]byte               // every other file, by its path below .vespe
	requests   []model.Request                 // newer than the base's, known by ID
	milestones *model.Milestones               // as the changes left them; nil: as the base has them
}

type docKey struct {
	uid model.UID
	doc model.Doc
}

// New is a view of w that changes can be laid over. w must not change while the
// overlay is in use.
func New(w model.World) *World { return &World{base: w, tasks: map[model.UID]*model.Task{}} }

// Absorb lays the outcome of an operation over the world: its tasks, the edges and
// children that they bring, its documents, results and requests. It keeps the pointers
// of c.Tasks; they must not be changed afterwards.
func (o *World) Absorb(c *model.Change) {
	if c == nil {
		return
	}
	for _, t := range c.Tasks {
		o.Put(t)
	}
	for i := range c.Files {
		o.PutFile(&c.Files[i])
	}
	for _, r := range c.Requests {
		o.PutRequest(r)
	}
	if c.Milestones != nil {
		o.milestones = c.Milestones
	}
}

// Put replaces or adds a task.
func (o *World) Put(t *model.Task) {
	old, known := o.Task(t.UID)
	var had []model.UID
	if known {
		had = old.DependsOn
	} else if p := t.Config.ParentUID; p != "" && !slices.Contains(o.base.ChildUIDs(p), t.UID) {
		// The children of a task that is itself missing may be known to the base.
		if o.kids == nil {
			o.kids = map[model.UID][]model.UID{}
		}
		o.kids[p] = append(o.kids[p], t.UID)
	}
	o.tasks[t.UID] = t
	o.Relink(t.UID, had, t.DependsOn)
}

// Relink keeps the reverse edges in step with a task's dependencies.
func (o *World) Relink(uid model.UID, had, has []model.UID) {
	if slices.Equal(had, has) {
		return
	}
	set := func(dep model.UID, on bool) {
		if o.links == nil {
			o.links = map[model.UID]map[model.UID]bool{}
		}
		if o.links[dep] == nil {
			o.links[dep] = map[model.UID]bool{}
		}
		o.links[dep][uid] = on
	}
	hasNow, hadBefore := asSet(has), asSet(had)
	for _, d := range had {
		if !hasNow[d] {
			set(d, false)
		}
	}
	for _, d := range has {
		if !hadBefore[d] {
			set(d, true)
		}
	}
}

// PutFile keeps what later operations may read: documents, results, approvals, reviews and runs.
func (o *World) PutFile(f *model.FileChange) {
	id, name, _ := strings.Cut(strings.TrimPrefix(f.Path, "tasks/"), "/")
	uid := model.UID(id)
	switch {
	case !strings.HasPrefix(f.Path, "tasks/"):
	case name == "objective.md", strings.HasPrefix(name, "persistent/revisions/objective-"):
		o.putDoc(uid, model.Objective, f.Body)
		return
	case name == "plan.md", strings.HasPrefix(name, "persistent/revisions/plan-"):
		o.putDoc(uid, model.Plan, f.Body)
		return
	case strings.HasPrefix(name, "result/"):
		o.putResult(uid, strings.TrimPrefix(name, "result/"), f.Body)
		return
	}
	if o.files == nil {
		o.files = map[string][]byte{}
	}
	o.files[f.Path] = f.Body
}

// putDoc sets today's bytes of a document. Every document that an operation writes is
// the task's newest revision.
func (o *World) putDoc(uid model.UID, d model.Doc, body []byte) {
	t, ok := o.Task(uid)
	if !ok {
		return
	}
	if o.docs == nil {
		o.docs = map[docKey]model.Content{}
	}
	o.docs[docKey{uid, d}] = model.Content{Doc: d, Body: body, Hash: model.HashBytes(body), Revision: t.Status.RevisionOf(d)}
}

// putResult adds a file under result/. Operations write results only where they know
// every file that is there, so that what is kept here is the whole directory.
func (o *World) putResult(uid model.UID, name string, body []byte) {
	if o.results == nil {
		o.results = map[model.UID]map[string][]byte{}
	}
	if o.results[uid] == nil {
		o.results[uid] = map[string][]byte{}
	}
	o.results[uid][name] = body
}

// PutRequest adds a request, or replaces the one with its id.
func (o *World) PutRequest(r model.Request) {
	for i := range o.requests {
		if o.requests[i].ID == r.ID {
			o.requests[i] = r
			return
		}
	}
	o.requests = append(o.requests, r)
}

// Base is the world below all changes that w lays over it; w itself where it is no World of this package.
func Base(w model.World) model.World {
	for {
		o, ok := w.(*World)
		if !ok {
			return w
		}
		w = o.base
	}
}

// Task finds a task by its uid.
func (o *World) Task(uid model.UID) (*model.Task, bool) {
	if t, ok := o.tasks[uid]; ok {
		return t, true
	}
	return o.base.Task(uid)
}

// ChildUIDs are the uids of a task's children, those of the base first.
func (o *World) ChildUIDs(uid model.UID) []model.UID {
	base, more := o.base.ChildUIDs(uid), o.kids[uid]
	if len(more) == 0 {
		return base
	}
	return append(slices.Clone(base), more...)
}

// DependentUIDs are the uids of the tasks that depend on uid, in uid order where
// anything changed.
func (o *World) DependentUIDs(uid model.UID) []model.UID {
	base, delta := o.base.DependentUIDs(uid), o.links[uid]
	if len(delta) == 0 {
		return base
	}
	var out []model.UID
	for _, d := range base {
		if on, ok := delta[d]; !ok || on {
			out = append(out, d)
		}
	}
	for d, on := range delta {
		if on && !slices.Contains(base, d) {
			out = append(out, d)
		}
	}
	slices.Sort(out)
	return out
}

// Policy is the base's.
func (o *World) Policy() model.Policy { return o.base.Policy() }

// Requests are the base's with the newer ones in their place or after them.
func (o *World) Requests() []model.Request {
	base := o.base.Requests()
	if len(o.requests) == 0 {
		return base
	}
	out := slices.Clone(base)
	for _, r := range o.requests {
		if i := slices.IndexFunc(out, func(b model.Request) bool { return b.ID == r.ID }); i >= 0 {
			out[i] = r
		} else {
			out = append(out, r)
		}
	}
	return out
}

// Content is today's bytes of a document, as the changes left them.
func (o *World) Content(uid model.UID, d model.Doc) (model.Content, error) {
	if c, ok := o.docs[docKey{uid, d}]; ok {
		return c, nil
	}
	return o.base.Content(uid, d)
}

// ResultHash is the hash of result/, as the changes left it.
func (o *World) ResultHash(uid model.UID) (string, error) {
	if _, ok := o.results[uid]; !ok {
		return o.base.ResultHash(uid)
	}
	list, err := o.ResultFiles(uid)
	return model.HashResult(list), err
}

// ResultFiles are the files of result/, as the changes left them.
func (o *World) ResultFiles(uid model.UID) ([]model.ResultFile, error) {
	files, ok := o.results[uid]
	if !ok {
		if w, ok := o.base.(model.Listing); ok {
			return w.ResultFiles(uid)
		}
		return nil, model.ErrNoContent
	}
	list := make([]model.ResultFile, 0, len(files))
	for name, body := range files {
		list = append(list, model.ResultFile{Path: name, Size: int64(len(body)), Hash: model.HashBytes(body)})
	}
	return list, nil
}

// ResultFile is one file under result/, as the changes left it.
func (o *World) ResultFile(uid model.UID, name string) ([]byte, error) {
	if files, ok := o.results[uid]; ok {
		if body, ok := files[name]; ok {
			return body, nil
		}
		return nil, model.ErrNoContent
	}
	return o.base.ResultFile(uid, name)
}

// ReviewFile is a review file as the changes left it.
func (o *World) ReviewFile(uid model.UID, known *model.CommentBook) ([]byte, error) {
	if body, ok := o.files[model.ReviewPath(uid, known.Name())]; ok && model.HashBytes(body) == known.Hash {
		return body, nil
	}
	if w, ok := o.base.(model.Reviewed); ok {
		return w.ReviewFile(uid, known)
	}
	return nil, model.ErrNoContent
}

// RunFile is the run.json of a run, as the changes left it.
func (o *World) RunFile(uid model.UID, run string) ([]byte, error) {
	if body, ok := o.files[model.RunPath(uid, run, "run.json")]; ok {
		return body, nil
	}
	if w, ok := o.base.(model.RunFiles); ok {
		return w.RunFile(uid, run)
	}
	return nil, model.ErrNoContent
}

// Revision is a recorded revision of a document: the base's, or the one that the changes made.
func (o *World) Revision(uid model.UID, d model.Doc, n int) ([]byte, error) {
	if c, ok := o.docs[docKey{uid, d}]; ok && c.Revision == n {
		return c.Body, nil
	}
	if w, ok := o.base.(model.Reviewed); ok {
		return w.Revision(uid, d, n)
	}
	return nil, model.ErrNoContent
}

// MilestoneFile is milestones.json as the changes left it.
func (o *World) MilestoneFile() model.Milestones {
	if o.milestones != nil {
		return *o.milestones
	}
	if w, ok := o.base.(model.Milestoned); ok {
		return w.MilestoneFile()
	}
	return model.Milestones{}
}

// NamedIn are the tasks whose spec.json names a milestone, as the changes left them.
func (o *World) NamedIn(milestone string) []model.UID {
	names := func(t *model.Task) bool { return t.Spec != nil && t.Spec.MilestoneID == milestone }
	var out []model.UID
	if w, ok := o.base.(model.Milestoned); ok {
		for _, uid := range w.NamedIn(milestone) {
			if t, ok := o.tasks[uid]; !ok || names(t) {
				out = append(out, uid)
			}
		}
	}
	for uid, t := range o.tasks {
		if names(t) && !slices.Contains(out, uid) {
			out = append(out, uid)
		}
	}
	slices.Sort(out)
	return out
}

// StoreID is the base's.
func (o *World) StoreID() string { return o.base.StoreID() }

// Head is the base's: the entry that these changes will follow.
func (o *World) Head() string { return o.base.Head() }

// LastRevision is the base's; 0 if it does not know.
func (o *World) LastRevision(uid model.UID, d model.Doc) int {
	if n, ok := o.base.(model.Numbering); ok {
		return n.LastRevision(uid, d)
	}
	return 0
}

// ApprovalFile is a file under approvals/, as the changes left it.
func (o *World) ApprovalFile(uid model.UID, name string) ([]byte, error) {
	if b, ok := o.files[model.TaskFile(uid, model.ApprovalsDir+name)]; ok {
		return b, nil
	}
	if w, ok := o.base.(review.Approvals); ok {
		return w.ApprovalFile(uid, name)
	}
	return nil, model.ErrNoContent
}

// HasBytes is the base's; false if it does not know approvals.
func (o *World) HasBytes() bool {
	w, ok := o.base.(review.Approvals)
	return ok && w.HasBytes()
}

// Attestor is the base's.
func (o *World) Attestor() review.Attestor {
	if w, ok := o.base.(review.Approvals); ok {
		return w.Attestor()
	}
	return nil
}

// Lacks is the base's.
func (o *World) Lacks(t *model.Task) string {
	if w, ok := o.base.(interface{ Lacks(*model.Task) string }); ok {
		return w.Lacks(t)
	}
	return ""
}

// asSet is a list as a set, for where one list is held against another.
func asSet(list []model.UID) map[model.UID]bool {
	set := make(map[model.UID]bool, len(list))
	for _, uid := range list {
		set[uid] = true
	}
	return set
}

// cycler is a World that knows its dependency cycles without a search.
type cycler interface {
	// DependencyCycle spells out a cycle through uid, first = last; nil when there is none.
	DependencyCycle(uid model.UID) []model.UID
}

// searchCycle costs a walk over everything that uid depends on.
func searchCycle(w model.World, uid model.UID) []model.UID {
	t, ok := w.Task(uid)
	if !ok || len(w.DependentUIDs(uid)) == 0 && !slices.Contains(t.DependsOn, uid) {
		return nil
	}
	path := model.DependencyPath(w, t.DependsOn, uid)
	if path == nil {
		return nil
	}
	return append([]model.UID{uid}, path...)
}

// Cycle is the dependency cycle that t is in, first = last; nil when it is in none.
func Cycle(w model.World, t *model.Task) []model.UID {
	if len(t.DependsOn) == 0 {
		return nil
	}
	if w, ok := w.(cycler); ok {
		return w.DependencyCycle(t.UID)
	}
	return searchCycle(w, t.UID)
}

// DependencyCycle asks the base as long as no edge was changed.
func (o *World) DependencyCycle(uid model.UID) []model.UID {
	if w, ok := o.base.(cycler); ok && len(o.links) == 0 {
		return w.DependencyCycle(uid)
	}
	return searchCycle(o, uid)
}
