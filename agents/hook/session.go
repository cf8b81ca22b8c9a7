package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
	"vespe/store/statedir"
)

// Deps is everything a hook takes from outside.
type Deps struct {
	Stdin  io.Reader
	Stdout io.Writer
	Getenv func(string) string
	Dir    string // where the hook was started
	// OwnStore takes a git worktree's own copy of the store and not its main checkout's.
	OwnStore bool
	Vespe    string // path of this program; "" where it is not known
	Now      func() time.Time
	Open     func(root string) (*store.Store, error)
	Rules    model.GateRules // the person's own
	Own      []string        // files of the person's by which it is known who approved
	// Person is whose account this is: who decides at the client's own dialog; "" where that is not known.
	Person model.Actor
	// Sender is the process that wrote the event, PID this one, and Proc where processes are read, as /proc has them: by
	// these an event is known to come from the client. Without them no decision at its dialog is recorded.
	Sender func() (pid int, err error)
	PID    int
	Proc   fs.FS
	// Prime is what an agent should know of a store when a session begins; nil for nothing.
	Prime func(ctx context.Context, d *desk.Desk) (string, error)
}

// session is one event of a session of a client, at a store.
type session struct {
	*Deps
	client string
	event  string
	p      Payload
	s      *store.Store
	desk   *desk.Desk
	policy Policy
	places Places
	owner  string                  // whose calls these are: the run, else the session
	run    string                  // VESPE_RUN_ID
	task   model.UID               // that the session belongs to; "" for none
	alone  bool                    // nobody sits at the session
	sentBy func() (process, error) // the client that wrote the event, as it was when that was asked first
	// progress is told how long the hook has waited; may be nil.
	progress func(time.Duration)
}

// sent reports an event that the client itself wrote.
func (h *session) sent() bool {
	_, err := h.sentBy()
	return err == nil
}

// unattended reports a session that nobody sits at: of a worker of the loop, or of `claude -p`. A worker whose
// client has a screen of its own is not one: it could not be resumed.
func unattended(client string, getenv func(string) string) bool {
	entry := getenv("CLAUDE_CODE_ENTRYPOINT")
	if client == ClaudeCode && entry != "" {
		return entry == "sdk-cli"
	}
	return getenv("VESPE_RUN_ID") != ""
}

// begin opens the store that an event belongs to. ok is false where there is none.
func (d *Deps) begin(client, event string, p Payload) (h *session, ok bool, err error) {
	root, err := d.find(&p)
	if err != nil || root == "" {
		return nil, false, err
	}
	h = &session{Deps: d, client: client, event: event, p: p, run: d.Getenv("VESPE_RUN_ID"), alone: unattended(client, d.Getenv)}
	h.sentBy = sync.OnceValues(d.sender)
	h.places = PlacesIn(d.cwd(&p), root, d.Getenv, d.Own...)
	h.places.Vespe = d.Vespe
	h.owner = h.run
	if h.owner == "" {
		h.owner = client + ":" + p.Session
	}
	if h.s, err = d.Open(root); err != nil {
		return h, true, err
	}
	actor, err := desk.ActorFor(d.Getenv, client)
	if err != nil {
		return h, true, err
	}
	policy, err := h.s.Policy()
	if err != nil {
		return h, true, err
	}
	h.policy = Policy{Own: d.Rules, Store: policy.Gate()}
	if err := h.keepRules(); err != nil {
		return h, true, err
	}
	full, err := desk.New(h.s, desk.Options{Actor: actor, Channel: "hook", Run: h.run, Task: d.Getenv("VESPE_TASK"), Now: d.Now})
	if err == nil {
		h.desk = full.Peeking()
	}
	return h, true, err
}

// find is the root of the store that an event belongs to, as every command of vespe finds it, but from where the
// session was begun, else from where it is: an agent that goes into another directory takes its rules along. "" where
// there is none.
func (d *Deps) find(p *Payload) (string, error) {
	if root := d.Getenv("VESPE_STORE"); root != "" {
		at, err := store.Locate(root, true)
		if err == nil && at.Root != filepath.Clean(root) {
			err = fmt.Errorf("VESPE_STORE is %s, which is not the directory of a store", root)
		}
		return at.Root, err
	}
	for _, dir := range []string{d.Getenv("CLAUDE_PROJECT_DIR"), d.cwd(p), d.Dir} {
		if !filepath.IsAbs(dir) {
			continue
		}
		at, err := store.Locate(dir, d.OwnStore)
		var no *model.Refusal
		switch {
		case err == nil:
			return at.Root, nil
		case errors.As(err, &no) && no.Code == model.CodeNotFound:
		case errors.Is(err, os.ErrNotExist):
		default:
			return "", err
		}
	}
	return "", nil
}

func (d *Deps) cwd(p *Payload) string {
	if filepath.IsAbs(p.CWD) {
		return filepath.Clean(p.CWD)
	}
	return d.Dir
}

// call is the call of the event. Codex tells PermissionRequest besides why it asks, which is no part of the call.
func (h *session) call() *Call {
	c := &Call{Tool: h.p.Tool, Input: h.p.Input, Places: h.places}
	if h.client == Codex && h.event == PermissionRequest {
		in := parseObject(c.Input)
		if _, ok := in["description"]; ok {
			delete(in, "description")
			if b, err := json.Marshal(in, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)); err == nil {
				c.Input = b
			}
		}
	}
	return c
}

func digest(parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(sum, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// ownKeys begin the keys of all that was asked for the owner.
func (h *session) ownKeys() []string {
	return []string{h.callKeys(), model.DeferredPrefix(h.owner)}
}

func (h *session) callKeys() string { return model.CallPrefix + digest(h.owner)[:8] + ":" }

// callKey is the key of a call by what it is, for events that do not tell its id.
func (h *session) callKey(c *Call) string {
	return h.callKeys() + digest(c.Tool, string(canonical(c.Input)))
}

// deferredKey is the key of a call by its id.
func (h *session) deferredKey(c *Call) string {
	id := h.p.ToolUse
	if id == "" {
		id = digest(c.Tool, string(canonical(c.Input)))
	}
	return model.DeferredKey(h.owner, id)
}

// snapshot is what is in the store now.
func (h *session) snapshot(ctx context.Context) (*snapshot.Snapshot, error) {
	_, snap, err := h.desk.View(ctx)
	return snap, err
}

// sessionKey is the key of spec.json's context that says which session a task was made in.
const sessionKey = "session"

// bind finds the task that the session belongs to: its run's, else the newest one that it made.
func (h *session) bind(snap *snapshot.Snapshot) {
	if uid := h.Getenv("VESPE_TASK"); uid != "" {
		h.task = model.UID(uid)
		return
	}
	if h.p.Session == "" {
		return
	}
	var newest time.Time
	for i := range snap.Len() {
		t := snap.At(i)
		if t.Spec == nil || !h.made(t.Spec) || t.Config.CreatedAt.Before(newest) {
			continue
		}
		h.task, newest = t.UID, t.Config.CreatedAt
	}
}

func (h *session) made(s *model.Spec) bool {
	for _, f := range s.Context {
		if f.Key == sessionKey {
			return sameJSON(jsontext.Value(f.Value), jsontext.Value(model.TextField("", h.owner).Value))
		}
	}
	return false
}

// bound is the task that the session belongs to; nil for none.
func (h *session) bound(snap *snapshot.Snapshot) *model.Task {
	if h.task == "" {
		h.bind(snap)
	}
	if h.task == "" {
		return nil
	}
	t, _ := snap.Task(h.task)
	return t
}

// about is the task that a question of the session is about; "" where that has ended.
func (h *session) about(snap *snapshot.Snapshot) string {
	t := h.bound(snap)
	if t == nil || t.Status.CurrentState == model.Failed || t.Status.CurrentState == model.Aborted {
		return ""
	}
	return string(t.UID)
}

// notes are what is remembered of a session outside of the store. When they are lost or damaged, more is asked again: what
// was decided before they were begun counts no longer.
type notes struct {
	Format int       `json:"format"`
	Begun  time.Time `json:"begun,omitzero"`  // zero in notes of an older vespe
	Prompt string    `json:"prompt,omitzero"` // what the person typed last
	// Used counts, by the key of a call, how often a person has allowed it and it was made.
	Used map[string]used `json:"used,omitzero"`
	// Rules are all that the store's config.json has said in this session.
	Rules rules `json:"rules,omitzero"`
	// Asked says that a person was asked something: only then is there anything to be said after a call.
	Asked bool `json:"asked,omitzero"`
	// Dialogs are the reviews that the client shows a dialog of its own about, while a hook waits for them.
	Dialogs map[string]dialog `json:"dialogs,omitzero"`
	// Stops counts, by what was owed, how often the end of a turn was held up for it.
	Stops map[string]int `json:"stops,omitzero"`
}

type used struct {
	Times int    `json:"times"`
	Last  string `json:"last,omitzero"` // id of the call that it was made by last
	// Dialog says that the last one was decided at the client's own dialog.
	Dialog bool `json:"dialog,omitzero"`
}

const (
	notesFormat = 1
	maxNotes    = 1 << 20
	maxPrompt   = 32 << 10 // bytes of a prompt that are kept
	mostNotes   = 500      // calls that are remembered
	notesAge    = 30 * 24 * time.Hour
)

func (h *session) notesDir() string { return filepath.Join(statedir.Path(h.Getenv), "hooks") }

func (h *session) notesFile() statedir.File {
	return statedir.File{Name: filepath.Join(h.notesDir(), digest(h.s.StoreID(), h.owner)+".json"), MaxBytes: maxNotes, Format: notesFormat}
}

// locked does something while no other hook of this person does, with what is remembered of the session; what it
// leaves is kept.
func (h *session) locked(do func(*notes) error) error {
	if statedir.Path(h.Getenv) == "" {
		return errors.New("can't store calls: HOME and XDG_STATE_HOME are not set")
	}
	unlock, err := statedir.Lock(h.notesDir())
	if err != nil {
		return err
	}
	defer unlock()
	f := h.notesFile()
	n := h.remembered()
	if n.Used == nil {
		n.Used = map[string]used{}
	}
	if len(n.Used) > mostNotes {
		n.Used, n.Begun = map[string]used{}, h.now()
	}
	if n.Stops == nil || len(n.Stops) > mostNotes {
		n.Stops = map[string]int{}
	}
	if n.Dialogs == nil || len(n.Dialogs) > mostNotes {
		n.Dialogs = map[string]dialog{}
	}
	if err := do(&n); err != nil {
		return err
	}
	return f.Write(n)
}

// asking does something with what is remembered and what is in the store, while no other hook of this person does: a
// person is asked something.
func (h *session) asking(ctx context.Context, do func(n *notes, snap *snapshot.Snapshot) error) error {
	return h.locked(func(n *notes) error {
		n.Asked = true
		snap, err := h.snapshot(ctx)
		if err != nil {
			return err
		}
		return do(n, snap)
	})
}

// settledNotes is what is remembered of the session once no other hook of this person is about to change it.
func (h *session) settledNotes() (notes, error) {
	if statedir.Path(h.Getenv) == "" {
		return notes{}, nil
	}
	unlock, err := statedir.Lock(h.notesDir())
	if err != nil {
		return notes{}, err
	}
	defer unlock()
	return h.remembered(), nil
}

// remembered is what is remembered of the session, as it is now.
func (h *session) remembered() notes {
	n := notes{}
	if err := h.notesFile().Read(&n); err != nil || n.Format == 0 {
		n = notes{Begun: h.now()}
	}
	n.Format = notesFormat
	return n
}

// now is as precise as the time of an answer is.
func (h *session) now() time.Time { return h.Now().Truncate(time.Millisecond) }

// rules are rules of a store as they are remembered.
type rules struct {
	Tools    []string `json:"tools,omitzero"`
	Commands []string `json:"commands,omitzero"`
	Paths    []string `json:"paths,omitzero"`
	Reads    []string `json:"reads,omitzero"`
	Risk     string   `json:"risk,omitzero"`
}

// with are rules with those of a store as they are now. gone are those that these have no more, and grew says that some are
// new.
func (r rules) with(g *model.GateRules) (all rules, gone model.GateRules, grew bool) {
	all = r
	for _, list := range []struct {
		all, gone *[]string
		now       []string
	}{{&all.Tools, &gone.Tools, g.Tools}, {&all.Commands, &gone.Commands, g.Commands}, {&all.Paths, &gone.Paths, g.Paths}, {&all.Reads, &gone.Reads, g.Reads}} {
		was := *list.all
		*list.gone = slices.DeleteFunc(slices.Clone(was), func(rule string) bool { return slices.Contains(list.now, rule) })
		for _, rule := range list.now {
			if !slices.Contains(*list.all, rule) {
				*list.all, grew = append(slices.Clip(*list.all), rule), true
			}
		}
	}
	rank := func(risk string) int { // the lower, the more waits
		if n := riskRank(risk); n >= 0 {
			return n
		}
		return riskRank(model.RiskHigh) + 1
	}
	switch now, was := rank(g.Risk), rank(r.Risk); {
	case now < was:
		all.Risk, grew = g.Risk, true
	case was < now:
		gone.Risk = r.Risk
	}
	return all, gone, grew
}

// keepRules lets the rules that the store's config.json had in this session count to its end: the agent's git may bring an
// older file.
func (h *session) keepRules() error {
	if statedir.Path(h.Getenv) == "" {
		return nil // nothing can be remembered
	}
	n := h.remembered()
	_, gone, grew := n.Rules.with(&h.policy.Store)
	h.policy.Before = gone
	if !grew {
		return nil
	}
	return h.locked(func(n *notes) error {
		n.Rules, _, _ = n.Rules.with(&h.policy.Store)
		return nil
	})
}

// forget removes what is remembered of sessions that are long over.
func (h *session) forget() {
	entries, err := os.ReadDir(h.notesDir())
	if err != nil {
		return
	}
	for _, e := range entries {
		if in, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".json") && h.Now().Sub(in.ModTime()) > notesAge {
			_ = os.Remove(filepath.Join(h.notesDir(), e.Name())) // the next one tries again
		}
	}
}

// open are the requests that wait for the owner's calls, but for those of the call with a key.
func (h *session) open(snap *snapshot.Snapshot, but string) []model.Request {
	return slices.DeleteFunc(slices.Clone(snap.Requests()), func(q model.Request) bool {
		return !q.IsOpen() || !strings.HasPrefix(q.Key, model.DeferredPrefix(h.owner)) || q.Key == but || strings.HasPrefix(q.Key, but+".")
	})
}
