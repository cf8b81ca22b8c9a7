package store

import (
	"context"
	"errors"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/edits"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// powerCase is something that a process does, of which every step may be the last.
type powerCase struct {
	name   string
	setUp  func(t *testing.T, s *Store) []powerAct
	cloned bool // the log does not know how the files came
}

// powerAct is one thing that is done: a transaction, or something else that can be repeated.
type powerAct struct {
	ops []model.Op
	run func(s *Store) error
}

// opsOf makes acts of transactions that are the same whenever they are done.
func opsOf(transactions ...[]model.Op) (acts []powerAct) {
	at := newClock().now().AddDate(0, 0, 1)
	for _, ops := range transactions {
		for i := range ops {
			ops[i].At = at
		}
		acts = append(acts, powerAct{ops: ops})
	}
	return acts
}

// other is a task that only the next process changes.
const other = model.UID("tsk-other")

// afterwards is what the next process does.
func afterwards() powerAct {
	return opsOf([]model.Op{{ID: "after", Name: model.SetFields, UID: other, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "after", Mode: '+'}}}}})[0]
}

func edited(t *testing.T, s *Store, name, body string) {
	t.Helper()
	must(t, s.disk.FS.(*disk).edit(name, body))
}

func powerCases() []powerCase {
	var cases []powerCase
	for _, sc := range scenarios() {
		cases = append(cases, powerCase{name: sc.name, setUp: func(t *testing.T, s *Store) []powerAct { return opsOf(sc.setUp(t, s)) }})
	}
	return append(append(cases, powerVerdicts()...), append(powerEdits(), powerUpkeep()...)...)
}

// powerVerdicts are transactions of several tasks, and one after the other on one.
func powerVerdicts() []powerCase {
	return []powerCase{
		{name: "accept, take it back, reject", setUp: func(t *testing.T, s *Store) []powerAct {
			uid := planned(t, s, "one")
			return opsOf(
				[]model.Op{{ID: "op", Name: model.AcceptPlan, UID: uid, Actor: ann}},
				[]model.Op{{ID: "undo", Name: model.UndoVerdict, UID: uid, Actor: ann}},
				[]model.Op{{ID: "no", Name: model.RejectPlan, UID: uid, Actor: ann, Reason: "not so\n"}},
			)
		}},
		{name: "several tasks", setUp: func(t *testing.T, s *Store) []powerAct {
			a, b, c := planned(t, s, "a"), planned(t, s, "b"), create(t, s, "c", "x\n")
			return opsOf([]model.Op{
				{ID: "op1", Name: model.AcceptPlan, UID: a, Actor: ann},
				{ID: "op2", Name: model.RejectPlan, UID: b, Actor: ann, Reason: "not so\n"},
				{ID: "op3", Name: model.RenameTask, UID: c, Actor: ann, Args: model.NewName{Name: "renamed"}},
				{ID: "op4", Name: model.CreateTask, Actor: ann, Args: model.NewTask{UID: "tsk-new", Name: "new", Objective: "y\n", Parent: c}},
			})
		}},
		{name: "edges", setUp: func(t *testing.T, s *Store) []powerAct {
			a, b, c := create(t, s, "a", "x\n"), create(t, s, "b", "x\n"), create(t, s, "c", "x\n")
			do(t, s, model.Op{Name: model.AddDependency, UID: a, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{b}}})
			return opsOf([]model.Op{
				{ID: "op1", Name: model.RemoveDependency, UID: a, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{b}}},
				{ID: "op2", Name: model.AddDependency, UID: b, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{a, c}}},
				{ID: "op3", Name: model.SetFields, UID: c, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "a,b", Mode: '='}}}},
			})
		}},
		{name: "ask a person", setUp: func(t *testing.T, s *Store) []powerAct {
			vain, asker := create(t, s, "vain", "x\n"), create(t, s, "asker", "x\n")
			do(t, s, model.Op{Name: model.AddDependency, UID: asker, Actor: ann, Args: model.DependencyEdit{DependsOn: []model.UID{vain}}})
			return opsOf([]model.Op{{ID: "op", Name: model.Abort, UID: vain, Actor: ann, Reason: "in vain"}})
		}},
		{name: "fail and retry", setUp: func(t *testing.T, s *Store) []powerAct {
			uid := planned(t, s, "one")
			do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}, model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-1"}})
			return opsOf(
				[]model.Op{{ID: "op", Name: model.RaiseError, UID: uid, Actor: robot, Args: model.ErrorReport{Details: "given up\n"}}},
				[]model.Op{{ID: "again", Name: model.Retry, UID: uid, Actor: robot}},
			)
		}},
	}
}

// powerEdits are transactions that take over what was written past vespe.
func powerEdits() []powerCase {
	importEdits := func(uid model.UID) powerAct {
		return opsOf([]model.Op{{ID: "op", Name: model.ExternalEdit, UID: uid, Actor: edits.ActorExternal, Channel: model.ChannelFiles}})[0]
	}
	return []powerCase{
		{name: "take over a plan and a forged state", setUp: func(t *testing.T, s *Store) []powerAct {
			uid := planned(t, s, "one")
			checkpointed(t, s)
			status := mustGet(s.disk.FS.ReadFile(layout.TaskFile(uid, layout.StatusFile), layout.MaxJSON))(t)
			edited(t, s, layout.TaskFile(uid, "plan.md"), strings.Repeat("by hand\n", txlog.MaxInline/8+1))
			edited(t, s, layout.TaskFile(uid, layout.StatusFile), strings.Replace(string(status), `"plan_defined"`, `"working"`, 1))
			return []powerAct{importEdits(uid)}
		}},
		{name: "take over before a transition", setUp: func(t *testing.T, s *Store) []powerAct {
			uid := planned(t, s, "one")
			checkpointed(t, s)
			edited(t, s, layout.TaskFile(uid, "plan.md"), "by hand\n")
			edited(t, s, layout.TaskFile(uid, layout.ConfigFile), `{"uid": "`+string(uid)+`", "name": "by hand", "created_by": "human:ann", "created_at": "2026-03-01T09:00:00Z"}`)
			return opsOf([]model.Op{{ID: "op", Name: model.RejectPlan, UID: uid, Actor: ann, Reason: "not so\n"}})
		}},
		{name: "take over a task that came", setUp: func(t *testing.T, s *Store) []powerAct {
			planned(t, s, "one")
			checkpointed(t, s)
			must(t, s.disk.FS.Mkdir(layout.TaskDir("tsk-came")))
			edited(t, s, layout.TaskFile("tsk-came", layout.ConfigFile), `{"uid": "tsk-came", "name": "came", "created_by": "human:ann", "created_at": "2026-03-01T09:00:00Z"}`)
			edited(t, s, layout.TaskFile("tsk-came", layout.StatusFile), `{"current_state": "plan_defined"}`)
			edited(t, s, layout.TaskFile("tsk-came", "plan.md"), "a plan\n")
			return []powerAct{importEdits("tsk-came")}
		}},
		{name: "take over that a task went", setUp: func(t *testing.T, s *Store) []powerAct {
			planned(t, s, "one")
			uid := planned(t, s, "two")
			checkpointed(t, s)
			must(t, s.disk.FS.Rename(layout.TaskDir(uid), layout.TmpDir+"/gone"))
			return []powerAct{importEdits(uid)}
		}},
	}
}

// powerUpkeep is what is done beside transactions.
func powerUpkeep() []powerCase {
	return []powerCase{
		{name: "checkpoints", setUp: func(t *testing.T, s *Store) []powerAct {
			uid := create(t, s, "one", "x\n")
			checkpointed(t, s)
			write := powerAct{run: func(s *Store) error { return s.checkpoints.Write(context.Background()) }}
			acts := opsOf(
				[]model.Op{{ID: "op", Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "plan\n"}}},
				[]model.Op{{ID: "yes", Name: model.AcceptPlan, UID: uid, Actor: ann}},
			)
			return []powerAct{acts[0], write, acts[1], write}
		}},
		{name: "first after a clone", cloned: true, setUp: func(t *testing.T, s *Store) []powerAct {
			uid := planned(t, s, "one")
			d := s.disk.FS.(*disk)
			d.put(nameEffect{d.root, nil, layout.LogDir}, nameEffect{d.root, nil, layout.ObjectsDir}, nameEffect{d.root, nil, layout.TmpDir},
				nameEffect{d.root, nil, layout.CacheDir}, nameEffect{d.root, nil, layout.RequestsDir}, nameEffect{d.root, nil, layout.LockFile})
			return opsOf([]model.Op{{ID: "op", Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: strings.Repeat("large\n", txlog.MaxInline/6+1)}}})
		}},
		{name: "a directory that refuses", setUp: func(t *testing.T, s *Store) []powerAct {
			uid := planned(t, s, "one")
			acts := opsOf([]model.Op{
				{ID: "op", Name: model.AcceptPlan, UID: uid, Actor: ann},
				{ID: "op2", Name: model.CreateTask, Actor: ann, Args: model.NewTask{UID: "tsk-new", Name: "new", Objective: "x\n"}},
			})
			sealed := powerAct{run: func(s *Store) error {
				d := s.disk.FS.(*disk)
				d.seal = layout.TaskDir(uid)
				_, err := s.DoAll(context.Background(), acts[0].ops)
				d.seal, d.shut = "", false
				if r := (*model.Refusal)(nil); errors.As(err, &r) && r.Code == model.CodeNotDurable {
					return nil
				}
				return err
			}}
			return []powerAct{sealed, acts[0]}
		}},
	}
}
