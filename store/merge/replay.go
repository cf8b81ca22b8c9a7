package merge

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/chain"
	"vespe/model/jsontree"
	"vespe/model/lifecycle"
	"vespe/model/visible"
)

// System is who a merge is by.
const System = model.Actor("system:merge")

// Input is what Replay has to know of a task.
type Input struct {
	Task   *model.Task          // as its files say
	Events []model.Event        // of both clones
	Hash   map[model.Doc]string // of objective.md and plan.md as they are; "" for none
	// Text is a recorded revision of a document that hashes so, and the last number that it has; 0 where there is none.
	Text func(doc model.Doc, hash string) (body []byte, n int)
	// Refused says whether there is a request with that id, which Replay filed before.
	Refused func(request string) bool
	// Allowed says whether the lifecycle lets an operation happen to the task as it is by then.
	Allowed func(now *model.Task, op model.Op) error
	// Caused says whether another task's history has an operation, so that this task's part of it is vespe's own doing.
	Caused   func(by model.UID, op string) bool
	Below    []*model.Task          // its subtasks as they are
	Requests func() []model.Request // about the task
}

// Output is what Replay makes of it.
type Output struct {
	Task     *model.Task
	Docs     map[model.Doc][]byte // documents that are to hold another text
	Recorded []Revision           // revisions that get another number
	Requests []model.Request      // what the lifecycle refused
	Applied  []string             // operations that were repeated
	Plan     string               // the hash of the plan that stands
}

// Revision is a text under the number that it has after a merge.
type Revision struct {
	Doc  model.Doc
	N    int
	Body []byte
}

// replaying is one task on its way.
type replaying struct {
	Input
	h       history
	now     *model.Task
	counted map[string]bool // operations whose effects now has
	out     Output
}

// Replay repeats the unmerged operations of a task on what stands. done is false where there is nothing to do: none are
// unmerged, or their events have not come yet.
func Replay(in Input) (out Output, done bool) {
	st := &in.Task.Status
	if len(st.UnmergedOps) == 0 {
		return out, false
	}
	s := &replaying{Input: in, h: historyOf(in.Events), now: in.Task.Clone()}
	s.counted, _ = s.h.behind(st.LastOps, nil)
	for _, id := range st.PickedOps {
		s.counted[id] = true
	}
	var waiting, heads, picked []string
	todo := map[string]bool{}
	for _, head := range st.UnmergedOps {
		if s.h[head] == nil && !s.counted[head] {
			waiting = append(waiting, head)
			continue
		}
		all, whole := s.h.behind([]string{head}, s.counted)
		for id := range all {
			if s.h[id] == nil || s.counted[id] {
				continue
			}
			if todo[id] = true; !whole {
				picked = append(picked, id)
			}
		}
		if whole {
			heads = append(heads, head)
		}
	}
	if len(waiting) == len(st.UnmergedOps) {
		return out, false
	}
	s.replay(s.h.ordered(todo))
	s.rewriteParts(todo)
	s.rewriteDocs()
	next := &s.now.Status
	next.UnmergedOps = waiting
	next.LastOps = s.h.heads(append(slices.Clone(st.LastOps), heads...))
	behind, _ := s.h.behind(next.LastOps, nil)
	next.PickedOps = slices.DeleteFunc(union(st.PickedOps, picked), func(id string) bool { return behind[id] && !slices.Contains(picked, id) })
	if len(todo) > 0 {
		lifecycle.Rejoin(s.now, s.Below, s.Requests)
		next.Revision++
		next.Undo, next.Answered = nil, nil
	}
	s.out.Task, s.out.Plan = s.now, s.standing(model.Plan)
	return s.out, true
}

// replay does the operations one after the other.
func (s *replaying) replay(todo []*op) {
	for _, o := range todo {
		if err := s.one(o); err == nil {
			s.out.Applied = append(s.out.Applied, o.id)
		} else if !errors.Is(err, errMoot) {
			s.out.Requests = append(s.out.Requests, s.refused(o, err))
		}
		s.counted[o.id] = true
		if st := &s.now.Status; o.at.After(st.LastUpdatedAt) {
			st.LastUpdatedAt = o.at
		}
	}
}

// errMoot: what an operation on another task set off here no longer comes about. Nobody asked for it.
var errMoot = errors.New("moot")

// one repeats an operation, or says why not.
func (s *replaying) one(o *op) error {
	for doc, hash := range o.docs {
		if later := s.laterText(doc, o); later != nil {
			return fmt.Errorf("%s wrote another %s, which stands", later.first.Actor, doc)
		}
		if _, n := s.Text(doc, hash); n == 0 {
			return fmt.Errorf("its text of the %s is not there", doc)
		}
	}
	if a, ok := accepted(o); ok {
		for _, d := range []struct {
			doc  model.Doc
			hash string
		}{{model.Plan, a.PlanHash}, {model.Objective, a.ObjectiveHash}} {
			if now := s.standing(d.doc); d.hash != "" && now != d.hash {
				return fmt.Errorf("the %s has changed since it was accepted", d.doc)
			}
		}
	}
	switch name, now := o.first.Name, s.now.Status.CurrentState; {
	case name == model.ExternalEdit:
	case !s.isCaused(o):
		if err := s.Allowed(s.now, opOf(o)); err != nil {
			return err
		}
	case name == model.Abort && (now == model.Completed || now == model.Failed),
		name == model.HandleSubtaskCompletion && s.Allowed(s.now, opOf(o)) != nil:
		return errMoot
	}
	s.change(chain.PatchStatus, o.part(chain.PatchStatus), nil)
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		if hash, ok := o.docs[doc]; ok {
			s.record(doc, hash)
		}
	}
	return nil
}

// isCaused says whether an operation on another task, which no merge left out, set this one off. An event can claim it.
func (s *replaying) isCaused(o *op) bool {
	by := o.first.Cause
	return by != "" && by != s.now.UID && !s.Refused(requestID(by, o.id)) && s.Caused(by, o.id)
}

// rewriteDocs gives documents the texts that stand: the merge of the files alone knows nothing of revisions. A text
// that is none was written by hand, and stays.
func (s *replaying) rewriteDocs() {
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		hash := s.standing(doc)
		if _, n := s.Text(doc, s.Hash[doc]); n == 0 || hash == s.Hash[doc] {
			continue
		}
		if body, n := s.Text(doc, hash); n > 0 {
			s.setDoc(doc, body)
		}
	}
}

func (s *replaying) setDoc(doc model.Doc, body []byte) {
	if s.out.Docs == nil {
		s.out.Docs = map[model.Doc][]byte{}
	}
	s.out.Docs[doc] = body
}

// opOf is an operation as far as guards ask for it.
func opOf(o *op) model.Op {
	e := &o.first
	op := model.Op{
		ID: o.id, Name: e.Name, UID: e.UID, Actor: e.Actor, At: e.At, Channel: e.Channel, Reason: e.Reason,
	}
	for _, arg := range []string{"request", "comment", "subtask"} {
		lifecycle.SetArg(&op, arg, e.Text(arg))
	}
	lifecycle.SetArg(&op, "success", slices.ContainsFunc(e.Details, func(f model.ExtraField) bool { return f.Key == "success" && string(f.Value) == "true" }))
	return op
}

// accepted is the acceptance of a plan that an operation wrote.
func accepted(o *op) (*model.AcceptedPlan, bool) {
	v := jsontree.Apply(map[string]any{"current_state": "working"}, o.part(chain.PatchStatus), func(path string) bool {
		return path != "/accepted_plan" && !strings.HasPrefix(path, "/accepted_plan/")
	})
	st, _ := model.DecodeStatus("", jsontree.Encode(v))
	return st.AcceptedPlan, st.AcceptedPlan != nil
}

// laterText is the operation that recorded a text of the document beside o and stands before it.
func (s *replaying) laterText(doc model.Doc, o *op) *op {
	mine, _ := s.h.behind([]string{o.id}, nil)
	for _, other := range slices.Backward(s.h.ordered(s.counted)) {
		if _, ok := other.docs[doc]; ok && !mine[other.id] && other.place > o.place {
			return other
		}
	}
	return nil
}

// standing is the hash of the text that a document has now.
func (s *replaying) standing(doc model.Doc) string {
	for _, o := range slices.Backward(s.h.ordered(s.counted)) {
		if hash, ok := o.docs[doc]; ok && !s.isRefused(o) {
			return hash
		}
	}
	return s.Hash[doc]
}

func (s *replaying) isRefused(o *op) bool {
	return s.Refused(requestID(o.first.UID, o.id)) || slices.ContainsFunc(s.out.Requests, func(r model.Request) bool { return r.ID == requestID(o.first.UID, o.id) })
}

// record makes a text the newest revision of a document.
func (s *replaying) record(doc model.Doc, hash string) {
	n := &s.now.Status.PlanRevision
	if doc == model.Objective {
		n = &s.now.Status.ObjectiveRevision
	}
	body, recorded := s.Text(doc, hash)
	if *n = max(*n, recorded); *n != recorded {
		s.out.Recorded = append(s.out.Recorded, Revision{Doc: doc, N: *n, Body: body})
	}
	s.setDoc(doc, body)
}

// rewriteParts repeats on the task's other files what the operations of both clones did to them, in one order: the merge
// of the files alone does not know which of two values is the later one.
func (s *replaying) rewriteParts(todo map[string]bool) {
	known := map[string]int{} // by how many of those that are repeated an operation was known
	for id := range todo {
		behind, _ := s.h.behind([]string{id}, nil)
		for other := range behind {
			known[other]++
		}
	}
	for _, o := range s.h.ordered(s.counted) {
		if known[o.id] == len(todo) && !todo[o.id] || s.isRefused(o) {
			continue
		}
		for _, part := range []string{chain.PatchConfig, chain.PatchDependencies, chain.PatchSpec} {
			s.change(part, o.part(part), nil)
		}
	}
}

// change repeats what became of one of the task's files. One that could not be read afterwards stays as it is.
func (s *replaying) change(part string, c jsontree.Value, skip func(string) bool) {
	if c == nil {
		return
	}
	t := s.now
	var was []byte
	switch part {
	case chain.PatchStatus:
		was = model.EncodeStatus(t.Status)
	case chain.PatchConfig:
		was = model.EncodeConfig(t.Config)
	case chain.PatchDependencies:
		was = model.EncodeDependencies(t.DependsOn, t.DepsExtra)
	case chain.PatchSpec:
		was = model.EncodeSpec(t.Spec)
	}
	v, err := jsontree.Parse(was)
	if err != nil {
		return
	}
	now, ok := canonical(part, jsontree.Encode(jsontree.Apply(v, c, skip)))
	if !ok {
		return
	}
	switch part {
	case chain.PatchStatus:
		t.Status, _ = model.DecodeStatus("", now)
	case chain.PatchConfig:
		t.Config, _ = model.DecodeConfig("", now)
	case chain.PatchDependencies:
		t.DependsOn, t.DepsExtra, _ = model.DecodeDependencies("", now)
	case chain.PatchSpec:
		t.Spec, _ = model.DecodeSpec("", now)
	}
}

func requestID(uid model.UID, op string) string {
	sum := sha256.Sum256([]byte(string(uid) + "\x00" + op))
	return model.MergePrefix + hex.EncodeToString(sum[:8])
}

// refused asks a person about an operation that a merge left out. Whichever clone asks, it is the same request.
func (s *replaying) refused(o *op, why error) model.Request {
	e := &o.first
	verb := strings.ReplaceAll(string(e.Name), "_", " ")
	detail := fmt.Sprintf("%s did this in another clone on %s:\n\n> %s\n\nIt doesn't fit what happened here at the same time: %s.\n",
		e.Actor, model.FormatTime(e.At), visible.Line(e.Summary), visible.Line(why.Error()))
	if e.Reason != "" {
		detail += "\nTheir reason: " + visible.Line(e.Reason) + "\n"
	}
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		if hash, ok := o.docs[doc]; ok {
			detail += fmt.Sprintf("\nTheir text of the %s is saved as a revision (%s).\n", doc, hash)
		}
	}
	return model.Request{
		ID: requestID(e.UID, o.id), TaskUID: e.UID, Kind: model.KindEscalation, State: model.RequestPending,
		Title:  fmt.Sprintf("A merge left out \"%s\" by %s", verb, e.Actor),
		Detail: detail + "\nRepeat it if it still applies.\n", CreatedAt: e.At, CreatedBy: System, Key: "merge-" + o.id,
		Allow: []string{"accept", "respond"},
	}
}
