package uitest

import (
	"fmt"
	"strings"
	"time"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/themes"
	"vespe/ui"
)

// The actors of tests.
const (
	Ann   model.Actor = "human:ann"
	Robot model.Actor = "agent:robot"
)

// Deps are what a workbench over a store in memory is given: the default keymap and
// theme, dark, with the mouse, ids that are the same in every run, and the tasks as the first view.
func Deps(s *Store) ui.Deps {
	ids, dark := 0, true
	return ui.Deps{
		Store: s, Journal: s, Plans: s, Runs: s, Now: time.Now, NewUID: s.NewUID, Actor: Ann,
		NewID: func() string {
			ids++
			return fmt.Sprintf("op-%d", ids)
		},
		Keymap: keymap.Default(), Theme: themes.Bundled()[0], Themes: themes.Bundled(),
		Dark: &dark, Terminal: ui.Terminal{Mouse: true}, Start: keymap.ViewTasks, Name: "test-store", Version: "test",
	}
}

// Task makes a task with a name, below parent when it is not "".
func (s *Store) Task(name string, parent model.UID, deps ...model.UID) model.UID {
	return s.Must(model.Op{Name: model.CreateTask, Actor: Ann, Args: model.NewTask{
		UID: s.NewUID(), Name: name, Parent: parent, DependsOn: deps,
	}})
}

// Planned makes a task with an objective and a plan that waits for a verdict.
func (s *Store) Planned(name string, parent model.UID, deps ...model.UID) model.UID {
	uid := s.Task(name, parent, deps...)
	s.Must(
		model.Op{Name: model.DefineObjective, UID: uid, Actor: Robot, Args: model.NewObjective{Text: "# Objective\n\nMake " + name + " work.\n"}},
		model.Op{Name: model.DefinePlan, UID: uid, Actor: Robot, Args: model.NewPlan{Text: PlanText(name)}},
	)
	return uid
}

// PlanText is the plan that Planned writes.
func PlanText(name string) string {
	return "# Plan for " + name + "\n\n1. Read the code.\n2. Write the test.\n3. Make it pass.\n"
}

// Accept accepts a task's plan as it is.
func (s *Store) Accept(uid model.UID) { s.Must(model.Op{Name: model.AcceptPlan, UID: uid, Actor: Ann}) }

// Working makes a task that a robot is at work on.
func (s *Store) Working(name string, parent model.UID, deps ...model.UID) model.UID {
	uid := s.Planned(name, parent, deps...)
	s.Accept(uid)
	s.Must(model.Op{Name: model.Start, UID: uid, Actor: Robot, Args: model.NewRun{Worker: Robot}})
	return uid
}

// Finished makes a task whose work waits for a verdict.
func (s *Store) Finished(name string, parent model.UID) model.UID {
	uid := s.Working(name, parent)
	s.PutResult(uid, "summary.md", "It works.\n")
	s.Must(model.Op{Name: model.WorkCompleted, UID: uid, Actor: Robot, Args: model.Completion{Summary: "done: " + name}})
	return uid
}

// Ask asks about a task as the robot does, and returns the id of the request.
func (s *Store) Ask(uid model.UID, n model.NewRequest) string {
	before := len(s.Snapshot().Requests())
	s.Must(model.Op{Name: model.Ask, UID: uid, Actor: Robot, Args: n, ID: fmt.Sprintf("ask-%d", before)})
	for _, q := range s.Snapshot().Requests() {
		if q.TaskUID == uid && q.Title == n.Title {
			return q.ID
		}
	}
	panic("nothing was asked")
}

// EditRequest changes a request as an editor would that writes its file past vespe: no
// transaction tells of it, and the next Wait does.
func (s *Store) EditRequest(id string, change func(*model.Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.snap.Requests() {
		if q.ID == id {
			q = q.Clone()
			change(&q)
			s.snap, s.edited = s.snap.With(s.snap.Seq(), s.snap.Head(), nil, []model.Request{q}), true
			return
		}
	}
	panic("there is no request " + id)
}

// Small is a store with one task of most kinds. Its uids are named by what they are for.
type Small struct {
	*Store
	Root, Plan, Work, Run, Ready, Blocked, Empty model.UID
}

// NewSmall builds a small store.
func NewSmall() *Small {
	s := &Small{Store: NewStore()}
	s.Root = s.Task("Build the parser", "")
	s.Plan = s.Planned("lexer tokens", s.Root)
	s.Work = s.Finished("grammar notes", s.Root)
	s.Run = s.Working("error messages", s.Root)
	s.Ready = s.Planned("fuzz targets", s.Root)
	s.Accept(s.Ready)
	s.Blocked = s.Planned("release", "", s.Plan)
	s.Accept(s.Blocked)
	s.Empty = s.Task("idea for later", "")
	return s
}

// Large is a store of n tasks in a tree of ten a level, half of them planned.
func Large(n int) *Store {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	in := snapshot.Input{Seq: 1, StoreID: "large"}
	for i := range n {
		t := &model.Task{
			UID: model.UID(fmt.Sprintf("tsk-%032x", i+1)), HasStatus: true,
			Config: model.Config{Name: fmt.Sprintf("task number %d", i+1), CreatedBy: Robot, CreatedAt: at},
			Status: model.StatusFile{CurrentState: model.Created, LastUpdatedAt: at, Revision: 1},
		}
		t.Config.UID = t.UID
		if i >= 10 {
			t.Config.ParentUID = model.UID(fmt.Sprintf("tsk-%032x", i/10))
		}
		if i > 0 && i%3 == 0 {
			t.DependsOn = []model.UID{model.UID(fmt.Sprintf("tsk-%032x", i))}
		}
		if i%2 == 0 {
			t.Status.CurrentState = model.Completed
			t.Status.Review = &model.Review{Of: "work", Verdict: "accepted", By: Ann, At: at}
		}
		in.Tasks = append(in.Tasks, t)
	}
	s := StoreOf(in)
	s.uids = n
	return s
}

// Editor is an editor that a test writes with: Write gets the text and returns it changed.
type Editor struct {
	Write  func(body string) (string, error)
	Before func() // runs while the editor is open

	Kept      map[string]string // copies that were not discarded, by path
	sessions  int
	Discarded int
	ReadOnly  int // how often it was opened only to read
}

var _ ui.Editor = (*Editor)(nil)

// Edit implements ui.Editor.
func (e *Editor) Edit(name string, body []byte) (ui.EditSession, error) {
	e.sessions++
	if e.Kept == nil {
		e.Kept = map[string]string{}
	}
	path := fmt.Sprintf("/tmp/edit-%d/%s", e.sessions, strings.TrimSpace(name))
	e.Kept[path] = string(body)
	return &session{e: e, path: path}, nil
}

// Read implements ui.Editor.
func (e *Editor) Read(name string, body []byte) (ui.EditSession, error) {
	e.ReadOnly++
	return e.Edit(name, body)
}

// ApprovalBody is the file of an approval.
func (s *Store) ApprovalBody(uid model.UID, name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return world{s.snap, s.files}.ApprovalFile(uid, name)
}
