package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// Options say who uses a desk, and how.
type Options struct {
	Actor   model.Actor // who acts: an agent or an MCP client; New refuses anybody else
	Channel string      // the way its operations come in: "mcp", "hook"
	Run     string      // the run that the actor is the worker of (VESPE_RUN_ID); "" for none
	Task    string      // the task of that run (VESPE_TASK), which calls that name no task are about; "" for none
	Now     func() time.Time
	Search  Searcher // nil: there is no index
}

// Searcher looks through the texts of the tasks of a snapshot; store/index is one.
type Searcher interface {
	Search(ctx context.Context, snap *snapshot.Snapshot, q snapshot.SearchQuery) (snapshot.SearchAnswer, error)
}

// Desk is one agent at one store. Its methods may be called concurrently.
type Desk struct {
	o     Options
	every time.Duration // ProgressEvery
	peeks bool          // looking at a decision does not count as reading it: Read says so

	mu     sync.Mutex
	s      *store.Store
	dir    os.FileInfo    // of .vespe, that s was opened on; nil where it could not be told
	opened []*store.Store // by the desk itself
	warmed bool           // the store was read once
	walked *standing      // of the last snapshot that was walked
	waited map[string]int // reviews that were waited for in vain, and how often
}

// New is a desk for an actor at a store, which stays the caller's to close. A person, and vespe itself, have
// none: what they may do, an agent may not.
func New(s *store.Store, o Options) (*Desk, error) {
	actor, err := model.ParseActor(string(o.Actor))
	if err != nil {
		return nil, &Error{Code: CodeInvalid, Message: err.Error(), Next: "Say who acts as agent:NAME or mcp_client:NAME.", err: err}
	}
	if !isAgents(actor) {
		return nil, problem(CodeDenied, "only agents can use this, and "+visible.Line(string(actor))+" isn't one", "Act as agent:NAME or mcp_client:NAME.")
	}
	o.Actor = actor
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Channel = cmp.Or(o.Channel, "agent")
	d := &Desk{o: o, s: s, every: ProgressEvery}
	d.dir, _ = os.Stat(place(s))
	return d, nil
}

// Peeking is the same agent at the same store, for what passes decisions on: that it looks at one does not count
// as the agent's reading it, which Read says once the agent has it. It is closed by itself.
func (d *Desk) Peeking() *Desk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &Desk{o: d.o, every: d.every, s: d.s, dir: d.dir, warmed: d.warmed, peeks: true}
}

// Actor is who acts.
func (d *Desk) Actor() model.Actor { return d.o.Actor }

// Store is the store as it was opened last.
func (d *Desk) Store() *store.Store {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.s
}

// Close closes what the desk itself opened, after a store was moved.
func (d *Desk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all error
	for _, s := range d.opened {
		all = errors.Join(all, s.Close())
	}
	d.opened = nil
	return all
}

func place(s *store.Store) string { return filepath.Join(s.Root(), store.Name) }

// View is the store and what is in it now. Where another store stands in the place of the one that was opened,
// that one. Every error is an *Error.
func (d *Desk) View(ctx context.Context) (*store.Store, *snapshot.Snapshot, error) {
	s, err := d.here(ctx)
	if err != nil {
		return nil, nil, told(err)
	}
	snap, err := s.Refresh(ctx)
	return s, snap, told(err)
}

// ViewTask is View where what is written in the files of one task now counts.
func (d *Desk) ViewTask(ctx context.Context, ref string) (*store.Store, *snapshot.Snapshot, *model.Task, error) {
	s, snap, err := d.View(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	uid, err := d.find(snap, ref)
	if err == nil {
		snap, err = s.Freshen(ctx, []model.UID{uid})
	}
	if err != nil {
		return nil, nil, nil, told(err)
	}
	t, ok := snap.Task(uid)
	if !ok {
		return nil, nil, nil, problem(CodeNotFound, fmt.Sprintf("task %q no longer exists", visible.Line(ref)), orders[CodeNotFound])
	}
	return s, snap, t, nil
}

// find is the task that a reference names; the run's own where it names none.
func (d *Desk) find(snap *snapshot.Snapshot, ref string) (model.UID, error) {
	if ref == "" {
		ref = d.o.Task
	}
	if ref == "" {
		return "", problem(CodeInvalid, "no task is named", "Give task_id: the uid of the task, from task_next or task_list.")
	}
	uid, err := snap.Find(ref)
	return uid, told(err)
}

// here is the store, opened again where it has changed.
func (d *Desk) here(ctx context.Context) (*store.Store, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, err := os.Stat(place(d.s))
	if err == nil && d.dir != nil && os.SameFile(d.dir, now) {
		if !d.warmed {
			err = d.warm(ctx)
		}
		return d.s, err
	}
	if err != nil {
		return nil, &Error{
			Code: CodeFailed, Message: "the store is missing: " + visible.String(err.Error()),
			Next: "Repeat the call in a few seconds. If the store stays unavailable, tell the person and stop.", err: err,
		}
	}
	s, err := d.s.Again()
	if err != nil {
		return nil, err
	}
	d.s, d.dir, d.opened, d.warmed = s, now, append(d.opened, s), false
	return s, d.warm(ctx)
}

// wide is how many tasks a store has at least that is read from its checkpoint first: looking at all of its files
// would take longer than an agent waits.
const wide = 500

// warm reads the store for the first time.
func (d *Desk) warm(ctx context.Context) error {
	snap, ok, err := d.s.Warm(ctx)
	if err == nil && (!ok || snap.Len() < wide) {
		_, err = d.s.Load(ctx, nil)
	}
	d.warmed = err == nil
	return err
}

// mayDo are the operations that a desk does. A person's decisions are none of them, nor what ends a task, takes
// something back or lets a task continue that waits for a person.
var mayDo = []model.Name{
	model.DefineObjective, model.DefinePlan, model.Replan, model.AnswerComments, model.Start, model.WorkCompleted, model.RaiseError,
	model.Ask, model.FetchAnswer, model.FetchVerdict, model.CreateTask, model.RenameTask, model.AddDependency, model.RemoveDependency, model.SetFields,
}

// Do does one of the operations that a desk does, for what has no method of its own.
func (d *Desk) Do(ctx context.Context, op model.Op) (snapshot.Applied, error) {
	s, err := d.here(ctx)
	if err != nil {
		return snapshot.Applied{}, told(err)
	}
	applied, err := d.do(ctx, s, op)
	return applied, told(err)
}

// do does operations of the actor as one transaction. It is the only way from a desk to the store's log.
func (d *Desk) do(ctx context.Context, s *store.Store, ops ...model.Op) (snapshot.Applied, error) {
	for i := range ops {
		if !slices.Contains(mayDo, ops[i].Name) {
			return snapshot.Applied{}, problem(CodeDenied, fmt.Sprintf("%s is not for agents", ops[i].Name), orders[CodeDenied])
		}
		ops[i].Actor, ops[i].Channel = d.o.Actor, d.o.Channel
	}
	return s.DoAll(ctx, ops)
}
