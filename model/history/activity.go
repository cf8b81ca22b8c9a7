package history

import (
	"cmp"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle"
)

// EventKind is what an event is about, for looking through many.
type EventKind uint8

// The kinds of events.
const (
	KindTask    EventKind = iota // a task came to be, got another name, other fields or dependencies; milestones
	KindPlan                     // objectives and plans that were written, and answers to comments
	KindVerdict                  // what people decided and said about plans and work
	KindWork                     // work that began, ended, failed or was held
	KindRequest                  // what was asked, and the answers
	KindEdit                     // what was written past vespe, and what it changed for others
	NumEventKinds
)

// String is the word for k.
func (k EventKind) String() string {
	return [NumEventKinds]string{"task", "plan", "verdict", "work", "request", "edit"}[k]
}

// Means says what k is, in a few words.
func (k EventKind) Means() string {
	return [NumEventKinds]string{
		"tasks and milestones created, changed, decomposed and connected", "objectives and plans written", "verdicts and comments on plans and work",
		"work started, finished, failed and paused", "questions and answers", "manual edits and their effects",
	}[k]
}

// ParseEventKind finds the kind of a word.
func ParseEventKind(word string) (EventKind, bool) {
	for k := range NumEventKinds {
		if strings.EqualFold(word, k.String()) || strings.EqualFold(word, k.String()+"s") {
			return k, true
		}
	}
	return 0, false
}

// KindOf is the kind of an event with a name. One that is none of ours is about the task.
func KindOf(n model.Name) EventKind {
	switch n {
	case model.DefineObjective, model.DefinePlan, model.AnswerComments:
		return KindPlan
	case model.AcceptPlan, model.RejectPlan, model.QuestionPlan, model.DeferPlan, model.ReviewAccepted, model.ReviewRejected,
		model.Revalidate, model.Replan, model.Reopen, model.Skip, model.UndoVerdict,
		model.AddComment, model.ResolveComment, model.ReopenComment, model.FetchVerdict:
		return KindVerdict
	case model.Start, model.WorkCompleted, model.RaiseError, model.Retry, model.StopRun, model.Pause, model.Resume, model.Abort,
		model.HandleSubtaskCompletion:
		return KindWork
	case model.Ask, model.AnswerRequest, model.FetchAnswer, model.Escalate, model.Settle:
		return KindRequest
	case model.ExternalEdit, model.Check:
		return KindEdit
	}
	return KindTask
}

// Sieve chooses events of a journal. Its zero value lets all through.
type Sieve struct {
	Actors []string                 // each an actor, its name alone, or a kind of actor; any of them
	Kinds  []EventKind              // any of them
	Names  []model.Name             // any of them, in addition to Kinds
	Tasks  func(uid model.UID) bool // nil: of all tasks
}

// IsActor reports whether a word means an actor: "agent:claude", "claude", or "agent" for all of them.
func IsActor(a model.Actor, word string) bool {
	return strings.EqualFold(word, string(a)) || strings.EqualFold(word, a.Name()) || strings.EqualFold(word, a.Kind())
}

// Activity are the events of a journal that pass a sieve, the newest first, as indices for At.
func (j *Journal) Activity(s Sieve) []int32 {
	most := 1024
	if len(s.Actors) == 0 && len(s.Kinds) == 0 && len(s.Names) == 0 && s.Tasks == nil {
		most = len(j.order)
	}
	out := make([]int32, 0, min(len(j.order), most))
	actors := map[model.Actor]bool{}
	names := map[model.Name]bool{}
	tasks := map[*Chronicle]bool{}
	for i, e := range slices.Backward(j.order) {
		m := &e.of.Moments[e.k]
		if !passes(actors, m.Actor(), len(s.Actors) == 0, func(a model.Actor) bool {
			return slices.ContainsFunc(s.Actors, func(w string) bool { return IsActor(a, w) })
		}) || !passes(names, m.Name(), len(s.Kinds)+len(s.Names) == 0, func(n model.Name) bool {
			return slices.Contains(s.Kinds, KindOf(n)) || slices.Contains(s.Names, n)
		}) || !passes(tasks, e.of, s.Tasks == nil, func(c *Chronicle) bool { return s.Tasks(c.UID) }) {
			continue
		}
		out = append(out, int32(i))
	}
	return out
}

// passes asks a question once for each thing.
func passes[T comparable](known map[T]bool, x T, all bool, ask func(T) bool) bool {
	if all {
		return true
	}
	yes, ok := known[x]
	if !ok {
		yes = ask(x)
		known[x] = yes
	}
	return yes
}

// Acted is how much an actor did.
type Acted struct {
	Actor model.Actor
	N     int
}

// Actors are those who did something, who did most first.
func (j *Journal) Actors() []Acted {
	n := map[model.Actor]int{}
	for _, c := range j.tasks {
		for k := range c.Moments {
			n[c.Moments[k].Actor()]++
		}
	}
	return sortActed(n)
}

func sortActed(n map[model.Actor]int) []Acted {
	out := make([]Acted, 0, len(n))
	for a, k := range n {
		out = append(out, Acted{a, k})
	}
	slices.SortFunc(out, func(a, b Acted) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Actor, b.Actor)) })
	return out
}

// KindCounts is how many events there are of each kind.
func (j *Journal) KindCounts() (out [NumEventKinds]int) {
	kinds := map[model.Name]EventKind{}
	for _, c := range j.tasks {
		for k := range c.Moments {
			n := c.Moments[k].Name()
			kind, ok := kinds[n]
			if !ok {
				kind = KindOf(n)
				kinds[n] = kind
			}
			out[kind]++
		}
	}
	return out
}

// IsEvent reports whether events of ours have a name.
func IsEvent(n model.Name) bool {
	switch n {
	case model.CreateTask, model.ImportTask, model.RenameTask, model.AddDependency, model.RemoveDependency, model.SetFields,
		model.FetchAnswer, model.FetchVerdict:
		return true
	}
	_, ok := lifecycle.Lookup(n)
	return ok || model.IsDecompose(n)
}
