package history

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"vespe/model"
	"vespe/model/history"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/sections"
	"vespe/store/txlog"
)

// Journals reads what happened to all tasks.
type Journals struct{ of Source }

// Source is where journals are read from.
type Source struct {
	Disk     *durable.Files
	Log      *txlog.Log
	ReadOnly func() string // why nothing is written down; "" where it is
	Head     func(ctx context.Context) (uint64, error)
	Tasks    func() ([]model.UID, error)
	History  func(ctx context.Context, uid model.UID) ([]model.Event, []model.Problem, error)
}

// New is the journals of a store.
func New(of Source) *Journals { return &Journals{of} }

// Journal is what happened to all tasks up to now, from the event files of each: of what came with the files of a clone
// only these tell. Of milestones and of requests without a task only the log tells. With a
// journal that is known already only the tasks are read again that later entries of the log name, or that came or
// went, so it costs what happened since. progress, in tasks, may be nil; it is called from one goroutine at a time.
//
// What was read of a store that is not small is written down (cache/journal.ck), so that the next
// process only brings it up to date. It is no section of the checkpoint, because readers write it without the lock, and
// anyone who never looks at a history doesn't have to map it.
//
// An event file that cannot be read is left out, and counted in the task's chronicle; History says
// what is wrong with it.
func (r *Journals) Journal(ctx context.Context, was *history.Journal, progress func(done, total int)) (*history.Journal, error) {
	kept := was
	if was == nil {
		kept = Kept(r)
	}
	j, err := r.read(ctx, kept, progress)
	if err == nil && was == nil && (kept == nil || j.Head() > kept.Head()+old) {
		r.keep(j)
	}
	return j, err
}

// JournalFresh is Journal from every task's files, whatever was written down.
func (r *Journals) JournalFresh(ctx context.Context, progress func(done, total int)) (*history.Journal, error) {
	j, err := r.read(ctx, nil, progress)
	if err == nil {
		r.keep(j)
	}
	return j, err
}

func (r *Journals) read(ctx context.Context, was *history.Journal, progress func(done, total int)) (*history.Journal, error) {
	head, err := r.of.Head(ctx) // before reading: what comes meanwhile is read again next time
	if err != nil {
		return nil, err
	}
	uids, err := r.of.Tasks()
	if err != nil {
		return nil, err
	}
	slices.Sort(uids)
	touched, stones, ok, err := r.touchedSince(ctx, was, head)
	if err != nil {
		return nil, err
	}
	if !ok {
		all, err := r.chronicles(ctx, uids, progress)
		if err == nil {
			stones, err = r.eventsOfNoTask(ctx, head)
		}
		if len(stones) > 0 {
			all = append(all, history.NewChronicle("", stones))
		}
		return history.New(head, all), err
	}
	var deleted []model.UID
	known := make(map[model.UID]bool, len(uids))
	for _, c := range was.Tasks() {
		known[c.UID] = true
		if _, there := slices.BinarySearch(uids, c.UID); !there && c.UID != "" {
			deleted = append(deleted, c.UID)
		}
	}
	var again []model.UID
	for _, uid := range uids {
		if touched[uid] || !known[uid] {
			again = append(again, uid)
		}
	}
	if len(again)+len(deleted) == 0 && head == was.Head() {
		return was, nil
	}
	changed, err := r.chronicles(ctx, again, progress)
	if err != nil {
		return nil, err
	}
	if len(stones) > 0 {
		changed = append(changed, was.Of("").Then(history.NewChronicle("", stones)))
	}
	return was.With(head, changed, deleted), nil
}

// touchedSince are the tasks that something happened to after a journal was made, and what happened to
// milestones; false if the log was replaced.
func (r *Journals) touchedSince(ctx context.Context, was *history.Journal, head uint64) (touched map[model.UID]bool, stones []model.Event, ok bool, err error) {
	if was == nil || head < was.Head() {
		return nil, nil, false, nil
	}
	f, err := events(ctx, r.of.Log, head, was.Head(), 0)
	if err != nil || len(f.Problems) > 0 {
		return nil, nil, false, err
	}
	touched = map[model.UID]bool{}
	for i := range f.Events {
		if f.Events[i].UID == "" && f.Events[i].Seq <= head {
			stones = append(stones, f.Events[i])
		}
		touched[f.Events[i].UID] = true
	}
	return touched, stones, true, nil
}

// eventsOfNoTask are the events of milestones, and of requests without a task, up to an entry. Only the log has
// them. One that cannot be read is told by Events.
func (r *Journals) eventsOfNoTask(ctx context.Context, head uint64) ([]model.Event, error) {
	found := make([][]model.Event, head)
	err := parallel.Loop(ctx, parallel.Readers, len(found), func(i int) {
		seq := uint64(i) + 1 //nolint:gosec // it counts up from 0
		b, err := r.of.Disk.FS.ReadFile(layout.EntryFile(seq), layout.MaxEntry)
		if err != nil || !bytes.Contains(b, []byte(`_milestone"`)) && !bytes.Contains(b, []byte(`"`+layout.RequestsDir+`/`)) { // most are about tasks, and not decoded
			return
		}
		if e, err := txlog.DecodeEntry(b, seq); err == nil {
			found[i] = ofNoTask(e)
		}
	})
	return slices.Concat(found...), err
}

// chronicles reads the events of tasks, several at once. One whose directory is missing is left out.
func (r *Journals) chronicles(ctx context.Context, uids []model.UID, progress func(done, total int)) ([]*history.Chronicle, error) {
	out := make([]*history.Chronicle, len(uids))
	meter := parallel.NewMeter(progress, len(uids))
	if err := parallel.Each(ctx, len(uids), func(i int) (err error) {
		out[i], err = r.chronicle(ctx, uids[i])
		meter.Add(1)
		return err
	}); err != nil {
		return nil, err
	}
	meter.Finish()
	return slices.DeleteFunc(out, func(c *history.Chronicle) bool { return c == nil }), nil
}

func (r *Journals) chronicle(ctx context.Context, uid model.UID) (*history.Chronicle, error) {
	events, problems, err := r.of.History(ctx, uid)
	if f := (*failure.Error)(nil); errors.As(err, &f) && f.Refusal.Code == model.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := history.NewChronicle(uid, events)
	for _, p := range problems {
		if p.Severity == model.Error {
			c.Unread++
		}
	}
	return c, nil
}

const (
	File    = layout.CacheDir + "/journal.ck"
	magic   = "VESPEJR5"
	Least   = 500 // tasks: fewer are read as quickly
	old     = 64  // entries: one that is older is written again
	maxSize = 1 << 30
)

// keep writes a journal down, as of an entry of the log that it names by its hash. Who cannot
// write it reads everything again.
func (r *Journals) keep(j *history.Journal) {
	if len(j.Tasks()) < Least || r.of.ReadOnly() != "" {
		return
	}
	hash := r.of.Log.HashOfEntry(j.Head())
	if hash == "" && j.Head() > 0 {
		return
	}
	_ = sections.WriteCache(r.of.Disk.FS, r.of.Disk.TempName("journal"), File, magic, []byte(hash), j.Pack())
}

// Kept is the journal that was written down; nil when there is none of this log.
func Kept(r *Journals) *history.Journal {
	head, bodies, ok := sections.ReadCache(r.of.Disk.FS, File, magic, maxSize, 1)
	if !ok {
		return nil
	}
	j, err := history.Unpack(bodies[0])
	if err != nil || r.of.Log.HashOfEntry(j.Head()) != string(head) {
		return nil
	}
	return j
}
