package model

import (
	"cmp"
	"slices"
	"strings"
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
		"tasks and milestones made, changed, split and connected", "objectives and plans written", "verdicts and comments on plans and work",
		"work started, finished, failed and held", "questions and answers", "edits by hand, and what they changed",
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
func KindOf(n Name) EventKind {
	switch n {
	case DefineObjective, DefinePlan, AnswerComments:
		return KindPlan
	case AcceptPlan, RejectPlan, QuestionPlan, DeferPlan, ReviewAccepted, ReviewRejected, Revalidate, Replan, Reopen, Skip, UndoVerdict,
		AddComment, ResolveComment, ReopenComment, FetchVerdict:
		return KindVerdict
	case Start, WorkCompleted, RaiseError, Retry, StopRun, Pause, Resume, Abort, HandleSubtaskCompletion:
		return KindWork
	case Ask, AnswerRequest, FetchAnswer, Escalate, Settle:
		return KindRequest
	case ExternalEdit, Check:
		return KindEdit
	}
	return KindTask
}

// Sieve chooses events of a journal. Its zero value lets all through.
type Sieve struct {
	Actors []string           // each an actor, its name alone, or a kind of actor; any of them
	Kinds  []EventKind        // any of them
	Names  []Name             // any of them, besides Kinds
	Tasks  func(uid UID) bool // nil: of all tasks
}

// Empty reports that it lets all through.
func (s *Sieve) Empty() bool {
	return len(s.Actors) == 0 && len(s.Kinds) == 0 && len(s.Names) == 0 && s.Tasks == nil
}

// IsActor reports whether a word means an actor: "agent:claude", "claude", or "agent" for all of them.
func IsActor(a Actor, word string) bool {
	return strings.EqualFold(word, string(a)) || strings.EqualFold(word, a.Name()) || strings.EqualFold(word, a.Kind())
}

// Activity are the events of a journal that pass a sieve, the newest first, as indices for At.
func (j *Journal) Activity(s Sieve) []int32 {
	most := 1024
	if s.Empty() {
		most = len(j.order)
	}
	out := make([]int32, 0, min(len(j.order), most))
	actors := map[Actor]bool{}
	names := map[Name]bool{}
	tasks := map[*Chronicle]bool{}
	for i, e := range slices.Backward(j.order) {
		m := &e.of.Moments[e.k]
		if !passes(actors, m.Actor(), len(s.Actors) == 0, func(a Actor) bool {
			return slices.ContainsFunc(s.Actors, func(w string) bool { return IsActor(a, w) })
		}) || !passes(names, m.Name(), len(s.Kinds)+len(s.Names) == 0, func(n Name) bool {
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
	Actor Actor
	N     int
}

// Actors are those who did something, who did most first.
func (j *Journal) Actors() []Acted {
	n := map[Actor]int{}
	for _, c := range j.tasks {
		for k := range c.Moments {
			n[c.Moments[k].Actor()]++
		}
	}
	return sortActed(n)
}

func sortActed(n map[Actor]int) []Acted {
	out := make([]Acted, 0, len(n))
	for a, k := range n {
		out = append(out, Acted{a, k})
	}
	slices.SortFunc(out, func(a, b Acted) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Actor, b.Actor)) })
	return out
}

// KindCounts is how many events there are of each kind.
func (j *Journal) KindCounts() (out [NumEventKinds]int) {
	kinds := map[Name]EventKind{}
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
func IsEvent(n Name) bool {
	switch n {
	case CreateTask, ImportTask, RenameTask, AddDependency, RemoveDependency, SetFields, SplitTask, BreakDown, FetchAnswer, FetchVerdict:
		return true
	}
	_, ok := Lookup(n)
	return ok
}
