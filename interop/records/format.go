package records

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/vocab"
)

// Format is one system's way to write tasks down.
type Format struct {
	Name   string      // as in --format
	Key    string      // the member of spec.external that keeps the record as it came
	IDKey  string      // the member of a record that names it
	System model.Actor // who made and decided what the records name nobody for
	Words  vocab.ID    // its words for statuses
	Reads  []string    // what an import takes, in lines of at most 60 characters
	Writes []string    // what an export makes, the same

	// UID is the task that a record becomes that the store has never seen.
	UID func(id string, fields model.Extra, now time.Time) model.UID
	// ID is what a task is called there that was made here.
	ID func(model.UID) string
	// Convert makes a task of a record. What is wrong with it goes into the problems of the
	// Converted, what a task has no place for into its notes.
	Convert func(*Converted, model.Extra)
	// Fields is a task as that system writes it, every member that it has a value for; nil: it is only imported.
	Fields func(View) model.Extra
	// Seal finishes a record that is not the one that was imported last, which is nil where the task was made here;
	// nil: nothing is to be done.
	Seal func(record, kept model.Extra) model.Extra
	// Lost is what of a task Fields has no place for.
	Lost func(View) []string

	// OnlyKept are members of a record that an update cannot follow, and what is said when they change.
	OnlyKept map[string]string
	// Outdated are members that earlier versions of vespe wrote into the records that they kept.
	Outdated []string

	Hooks
}

// Hooks are what a format has where it is more than a list of records.
type Hooks struct {
	// Read reads an input that holds more than a list of records; nil: ReadFile does.
	Read func(Input) ([]Record, []model.Problem)
	// Partial: what is wrong with a record leaves out that one alone.
	Partial bool
	// Missing is what is counted of ids that are nowhere; "": in the words of all formats.
	Missing string
	// NoTask says why a record is not imported: it is of no task. "" for one of a task; nil: each is.
	NoTask func(model.Extra) string
	// Before makes what has to be there before the tasks are; nil: nothing has.
	Before func(*Before)
	// Left counts what an export lacks that is of no task; nil: nothing.
	Left func(x Exported, count func(what, id string))
	// Whole makes one document of the records of an export; nil: they are a list.
	Whole func(Exported) model.Extra
	// Save writes an export that is a directory to a path; nil: it is a file of JSON.
	Save func(ctx context.Context, path string, x Exported) error
}

// Converted is a record on its way to a task.
type Converted struct {
	ID       string
	Imported *model.Imported
	Hold     string // why it is to be paused; "" not at all
	Word     string // its status there

	Now     time.Time                           // when a record was made that says nothing about it
	Target  func(id string) model.UID           // the task of another record
	Other   func(id string) (model.Extra, bool) // another record, of the file or kept in the store
	Bad     func(code, why, hint string)        // what makes the record unusable
	Results map[string]string                   // the files of its result, which the record does not hold
	Events  []model.Event                       // what happened to it, which the record does not hold

	Unchecked bool // see Options

	notes []string
}

// Note says of the record what has no place here but in spec.external.
func (c *Converted) Note(what string) { c.notes = append(c.notes, what) }

// View is a task as an export sees it.
type View struct {
	Task      *model.Task
	Status    model.Status
	Objective string
	Plan      string
	Result    string // result/summary.md
	Milestone string // the id of the one that it was put into
	ID        func(model.UID) string
}

// Word is the view's status in the words of a format.
func (v View) Word(f *Format) string { return vocab.Word(v.Status, f.Words) }

// view is what an export would see of a task that was just imported.
func (c *Converted) view(id func(model.UID) string) View {
	im := c.Imported
	v := View{Task: im.Task, Objective: im.Objective, Plan: im.Plan, Result: im.Result[summaryFile], ID: id}
	if v.Task.Spec == nil {
		v.Task.Spec = new(model.Spec)
	}
	v.Milestone = v.Task.Spec.MilestoneID
	switch st := im.Task.Status; {
	case st.CurrentState == model.Completed:
		v.Status = model.StatusDone
	case st.CurrentState == model.Aborted:
		v.Status = model.StatusAborted
	case st.CurrentState == model.Failed:
		v.Status = model.StatusFailed
	case c.Hold != "":
		v.Status = model.StatusPaused
		if c.waits() {
			v.Status = model.StatusWaiting
		}
	case st.CurrentState == model.PlanDefined:
		v.Status = model.StatusReviewPlan
	case st.CurrentState == model.ObjectiveDefined:
		v.Status = model.StatusPlanning
	default:
		v.Status = model.StatusCreated
	}
	return v
}

func (c *Converted) waits() bool {
	st := model.StatusFile{IsPaused: true, PauseReason: c.Hold}
	return st.PauseKind() == "hitl"
}

// summaryFile is the file under result/ that says in words what came of the work.
const summaryFile = "summary.md"

// SetResult gives the task its result in words.
func (c *Converted) SetResult(text string) {
	if text != "" {
		c.Imported.Result = map[string]string{summaryFile: text}
	}
}

// HashUID is a UUIDv7 of a time whose other bits are a hash of the words: the same for the
// same time and words.
func HashUID(at time.Time, words ...string) model.UID {
	h := sha256.New()
	for _, w := range words {
		h.Write(append([]byte(w), 0))
	}
	return SumUID(at, [sha256.Size]byte(h.Sum(nil)))
}

// SumUID is a UUIDv7 of a time whose other bits are of a hash.
func SumUID(at time.Time, b [sha256.Size]byte) model.UID {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(0, at.UnixMilli())))
	copy(b[:6], ms[2:])
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	return model.UID("tsk-" + hex.EncodeToString(b[:16]))
}

// kept is the record that a task was imported from last; nil when it was made here.
func (f *Format) kept(t *model.Task) model.Extra {
	if t.Spec == nil {
		return nil
	}
	raw, ok := model.Extra(t.Spec.External).Get(f.Key)
	if !ok {
		return nil
	}
	fields, problems := model.DecodeFields(f.Key, raw)
	if len(problems) > 0 {
		return nil
	}
	for _, key := range f.Outdated {
		fields = fields.Without(key)
	}
	return fields
}

// names are the ids of a store's tasks in a format, and back.
type names struct {
	f    *Format
	snap *snapshot.Snapshot
	uids map[string]model.UID
	ids  map[model.UID]string
}

func (f *Format) names(snap *snapshot.Snapshot) names {
	n := names{f: f, snap: snap, uids: map[string]model.UID{}, ids: map[model.UID]string{}}
	if snap == nil {
		return n
	}
	for i := range snap.Len() {
		t := snap.At(i)
		id, ok := f.kept(t).Text(f.IDKey)
		if !ok || id == "" {
			id = f.ID(t.UID)
		}
		n.ids[t.UID] = id
		if _, taken := n.uids[id]; !taken {
			n.uids[id] = t.UID
		}
	}
	return n
}

func (n names) id(uid model.UID) string {
	if id, ok := n.ids[uid]; ok {
		return id
	}
	return n.f.ID(uid)
}

// record is what a task was imported from last.
func (n names) record(id string) (model.Extra, bool) {
	uid, ok := n.uids[id]
	if !ok {
		return nil, false
	}
	t, _ := n.snap.Task(uid)
	kept := n.f.kept(t)
	return kept, kept != nil
}

// surroundings are what a record is converted in.
type surroundings struct {
	now    time.Time
	target func(id string) model.UID
	other  func(id string) (model.Extra, bool)
	bad    func(code, why, hint string)

	unchecked bool
}

// again converts what was converted before, when all that can be said about it was.
func (f *Format) again(kept model.Extra, t *model.Task, target func(string) model.UID, n names) *Converted {
	return f.convert(Record{Fields: kept}, t.UID, surroundings{
		now: t.Config.CreatedAt, target: target, other: n.record, bad: func(string, string, string) {},
	})
}

// convert makes a task of a record, or problems.
func (f *Format) convert(r Record, uid model.UID, in surroundings) *Converted {
	fields := r.Fields
	id, _ := fields.Text(f.IDKey)
	c := &Converted{ID: id, Now: in.now.UTC(), Target: in.target, Other: in.other, Bad: in.bad, Results: r.Results, Events: r.Events, Unchecked: in.unchecked}
	c.Imported = &model.Imported{Task: &model.Task{UID: uid, Spec: new(model.Spec)}}
	f.Convert(c, fields)
	c.Imported.Task.Config.UID = uid
	sp := c.Imported.Task.Spec
	// The record itself stands beside what was made of it: nothing of it is lost, an export
	// writes what did not change as it was, and the next import sees what did.
	sp.External = model.Extra(sp.External).With(model.ObjectField(f.Key, fields))
	if _, problems := model.DecodeSpec("", model.EncodeSpec(sp)); len(problems) > 0 {
		c.Bad(problems[0].Code, problems[0].Reason, problems[0].Hint)
	}
	return c
}

// overlay is a record with what differs between was and now: members that say the same stay
// as they were written.
func overlay(record, was, now model.Extra) model.Extra {
	out := slices.Clone(record)
	for _, f := range now {
		old, _ := was.Get(f.Key)
		if record != nil && model.SameJSON(old, f.Value) {
			continue
		}
		out = out.With(f)
	}
	for _, f := range was {
		if _, ok := now.Get(f.Key); !ok {
			out = out.Without(f.Key)
		}
	}
	return out
}
