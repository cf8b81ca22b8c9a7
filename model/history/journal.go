package history

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unique"

	"vespe/model"
	"vespe/model/snapshot"
)

// Journal is what happened in a whole store: the events of all its tasks, without their details. It
// never changes; With makes the next one. Sizes are of memory: about a hundred bytes an event, and its
// words.
type Journal struct {
	head  uint64
	tasks []*Chronicle // by uid
	order []entry      // of all, by time
}

// Chronicle is what happened to one task, or with "" as its uid to the milestones of the store: these events
// are of no task, and have no stages.
type Chronicle struct {
	UID     model.UID
	Moments []Moment // in the order in which they happened
	Stages  []Stage  // the same as statuses
	Unread  int      // event files that could not be read
}

// Moment is one event in short.
type Moment struct {
	at, seq                        int64
	actor, name, channel, from, to unique.Handle[string]
	Summary                        string // one line
	Reason                         string // the reason, or what was asked or answered; at most maxWords bytes
	Undone                         bool   // it is a verdict or an answer that was taken back later
}

// Stage is a time that a task had one status by itself, from a moment to the next stage. Blocked is
// no such status: see Chronicle.Spans.
type Stage struct {
	At     time.Time
	Status model.Status
	Moment int // index of the moment that began it
}

// entry is a place in a Journal.
type entry struct {
	of *Chronicle
	k  int32
}

const maxWords = 1000 // bytes of a reason that are kept

// When is the time of the event.
func (m *Moment) When() time.Time { return time.UnixMilli(m.at).UTC() }

// Seq is the log's entry; 0 where none wrote it.
func (m *Moment) Seq() uint64 { return uint64(m.seq) }

// Actor is who did it.
func (m *Moment) Actor() model.Actor { return model.Actor(m.actor.Value()) }

// Name is what happened.
func (m *Moment) Name() model.Name { return model.Name(m.name.Value()) }

// Channel is the way it came in.
func (m *Moment) Channel() string { return m.channel.Value() }

// From is the state before, "" where it is not told.
func (m *Moment) From() model.State { return model.State(m.from.Value()) }

// To is the state afterwards.
func (m *Moment) To() model.State { return model.State(m.to.Value()) }

// NewChronicle makes what is kept of a task's events, which are in the order in which they happened.
func NewChronicle(uid model.UID, events []model.Event) *Chronicle {
	c := &Chronicle{UID: uid, Moments: make([]Moment, len(events))}
	var life Life
	var words strings.Builder        // one piece of memory for all words of a task
	kept := make([]int, len(events)) // lengths
	for i := range events {
		words.WriteString(events[i].Summary)
		reason := keptWords(&events[i])
		words.WriteString(reason)
		kept[i] = len(reason)
	}
	rest := words.String()
	take := func(n int) string {
		s := rest[:n]
		rest = rest[n:]
		return s
	}
	for i := range events {
		e := &events[i]
		c.Moments[i] = Moment{
			at: e.At.UnixMilli(), seq: int64(e.Seq),
			actor: unique.Make(string(e.Actor)), name: unique.Make(string(e.Name)), channel: unique.Make(e.Channel),
			from: unique.Make(string(e.From)), to: unique.Make(string(e.To)),
			Summary: take(len(e.Summary)), Reason: take(kept[i]),
		}
		if uid == "" {
			continue
		}
		if e.Name == model.UndoVerdict {
			c.takeBack(events, i)
		}
		life.Add(e)
		if w := life.Word(); len(c.Stages) == 0 || c.Stages[len(c.Stages)-1].Status != w {
			c.Stages = append(c.Stages, Stage{At: c.Moments[i].When(), Status: w, Moment: i})
		}
	}
	return c
}

// Then is the chronicle with later moments after its own; c may be nil.
func (c *Chronicle) Then(later *Chronicle) *Chronicle {
	if c == nil {
		return later
	}
	return &Chronicle{UID: c.UID, Moments: append(slices.Clip(c.Moments), later.Moments...), Stages: c.Stages, Unread: c.Unread + later.Unread}
}

// takeBack marks what the event of an undo has taken back: the last answer to a request, or the last
// verdict of its kind, that stood until then.
func (c *Chronicle) takeBack(events []model.Event, undo int) {
	request, of := events[undo].Text("request"), model.Name(events[undo].Text("transition"))
	for i, e := range slices.Backward(events[:undo]) {
		switch {
		case c.Moments[i].Undone:
			continue
		case request == "" && e.Name == of && !model.IsDecompose(of):
		case request != "" && e.Name == model.AnswerRequest && e.Text("request") == request:
		default:
			continue
		}
		c.Moments[i].Undone = true
		return
	}
}

// keptWords is what a journal keeps of an event's words: its reason, or what a row says where that is more.
func keptWords(e *model.Event) string {
	row := e.RowWords()
	if row == model.RowText("", e.Reason) {
		return strings.ToValidUTF8(e.Reason[:min(len(e.Reason), maxWords)], "") // not kept whole
	}
	return strings.TrimPrefix(strings.TrimPrefix(row, e.Summary), ": ") // a rename's summary says it
}

// Around is what happened to task i and to those that it depends on, which say until when it was
// blocked. read answers with the events of one.
func Around(s *snapshot.Snapshot, i int, read func(model.UID) ([]model.Event, error)) (*Journal, error) {
	var all []*Chronicle
	for _, v := range append([]int32{int32(i)}, s.DependsOn(i)...) {
		events, err := read(s.UID(int(v)))
		if err != nil {
			return nil, err
		}
		all = append(all, NewChronicle(s.UID(int(v)), events))
	}
	return New(s.Seq(), all), nil
}

// New makes a journal of what happened up to an entry of the log.
func New(head uint64, tasks []*Chronicle) *Journal {
	j := &Journal{head: head, tasks: slices.Clone(tasks)}
	slices.SortFunc(j.tasks, func(a, b *Chronicle) int { return cmp.Compare(a.UID, b.UID) })
	j.order = orderOf(j.tasks)
	return j
}

func orderOf(tasks []*Chronicle) []entry {
	n := 0
	for _, c := range tasks {
		n += len(c.Moments)
	}
	out := make([]entry, 0, n)
	for _, c := range tasks {
		for k := range c.Moments {
			out = append(out, entry{c, int32(k)})
		}
	}
	slices.SortFunc(out, byMoment)
	return out
}

// byMoment orders events by time, then as the log has them, then by task; those of a task that have
// the same time stay in its order.
func byMoment(a, b entry) int {
	x, y := &a.of.Moments[a.k], &b.of.Moments[b.k]
	return cmp.Or(
		cmp.Compare(x.at, y.at), cmp.Compare(x.seq, y.seq),
		cmp.Compare(a.of.UID, b.of.UID), cmp.Compare(a.k, b.k),
	)
}

// With is the journal with other chronicles of some tasks, new ones among them, and without those of
// tasks that have gone.
func (j *Journal) With(head uint64, changed []*Chronicle, gone []model.UID) *Journal {
	out := make(map[model.UID]bool, len(changed)+len(gone))
	for _, uid := range gone {
		out[uid] = true
	}
	for _, c := range changed {
		out[c.UID] = true
	}
	next := &Journal{head: head, tasks: make([]*Chronicle, 0, len(j.tasks)+len(changed))}
	for _, c := range j.tasks {
		if !out[c.UID] {
			next.tasks = append(next.tasks, c)
		}
	}
	next.tasks = append(next.tasks, changed...)
	slices.SortFunc(next.tasks, func(a, b *Chronicle) int { return cmp.Compare(a.UID, b.UID) })
	fresh := orderOf(changed)
	next.order = make([]entry, 0, len(j.order)+len(fresh))
	for _, e := range j.order {
		if out[e.of.UID] {
			continue
		}
		for len(fresh) > 0 && byMoment(fresh[0], e) < 0 {
			next.order, fresh = append(next.order, fresh[0]), fresh[1:]
		}
		next.order = append(next.order, e)
	}
	next.order = append(next.order, fresh...)
	return next
}

// Head is the entry of the log up to which it is.
func (j *Journal) Head() uint64 { return j.head }

// Len is the number of events.
func (j *Journal) Len() int { return len(j.order) }

// At is event i, 0 ≤ i < Len, the oldest first, and whose it is. Do not modify them.
func (j *Journal) At(i int) (*Chronicle, *Moment) {
	e := j.order[i]
	return e.of, &e.of.Moments[e.k]
}

// Index is which of the task's moments event i is.
func (j *Journal) Index(i int) int { return int(j.order[i].k) }

// Tasks are the tasks that anything happened to, by uid, and before them, with no uid, the milestones. Do not modify them.
func (j *Journal) Tasks() []*Chronicle { return j.tasks }

// Of is what happened to one task; nil for nothing. Do not modify it.
func (j *Journal) Of(uid model.UID) *Chronicle {
	i, ok := slices.BinarySearchFunc(j.tasks, uid, func(c *Chronicle, uid model.UID) int { return cmp.Compare(c.UID, uid) })
	if !ok {
		return nil
	}
	return j.tasks[i]
}

// Led is the status that a task's moment k led to; false where it was the same before.
func (c *Chronicle) Led(k int) (model.Status, bool) {
	i, ok := slices.BinarySearchFunc(c.Stages, k, func(s Stage, k int) int { return cmp.Compare(s.Moment, k) })
	if !ok {
		return 0, false
	}
	return c.Stages[i].Status, true
}
