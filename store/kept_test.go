package store

import (
	"fmt"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/project"
)

// holders are the files beside the log that hold a text.
func holders(t testing.TB, s *Store, text string) (names []string) {
	t.Helper()
	must(t, walkFiles(vespe(s, "tasks"), func(path string, body []byte) {
		if strings.Contains(string(body), text) {
			names = append(names, strings.TrimPrefix(path, vespe(s, "tasks")))
		}
	}))
	return names
}

// keptOpenly expects that what somebody wrote is in a file, and either an edit in the history
// or told in a warning.
func keptOpenly(t *testing.T, s *Store, uid model.UID, text string, warnings []string) {
	t.Helper()
	if names := holders(t, s, text); len(names) == 0 {
		t.Error("only the log holds what somebody wrote")
	}
	told := strings.Contains(strings.Join(warnings, "\n"), layout.TheirsMark)
	if !told && len(externalEvents(t, s, uid)) == 0 {
		t.Errorf("nobody is told of it: %q", warnings)
	}
}

// What somebody writes while a transaction that replaces the file is under way is kept where
// it is found, whenever it comes.
func TestWrittenWhileATransactionIsUnderWay(t *testing.T) {
	const mine = "what a person wrote"
	for name, c := range map[string]struct {
		body string
		op   func(uid model.UID) model.Op
	}{
		"plan.md": {mine + "\n", func(uid model.UID) model.Op {
			return model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "the robot's second plan\n"}}
		}},
		layout.SpecFile: {`{"description": "` + mine + `"}`, func(uid model.UID) model.Op {
			return model.Op{Name: model.SetFields, UID: uid, Actor: robot, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "the robot's"}}}}
		}},
	} {
		done := false
		for n := 1; !done; n++ {
			t.Run(fmt.Sprintf("%s at the reading %d", name, n), func(t *testing.T) {
				s := newStore(t)
				uid := planned(t, s, "one")
				do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "old"}}}})
				left := n
				s.setFS(&hookFS{FS: s.disk.FS, before: only(callRead, func(read string) {
					if read != layout.TaskFile(uid, name) {
						return
					}
					if left--; left == 0 {
						write(t, vespe(s, read), c.body)
					}
				})})
				a := mustGet(s.Do(t.Context(), c.op(uid)))(t)
				if done = left > 0; done {
					return // it is not read as often
				}
				load(t, s)
				takeOver(t, s)
				keptOpenly(t, s, uid, mine, a.Warnings)
			})
		}
	}
}

// In a transaction of many tasks not each document is looked at before: what it replaces is
// kept all the same.
func TestWrittenBeforeATransactionOfMany(t *testing.T) {
	const mine = "what a person wrote"
	s := newStore(t)
	var made, plans []model.Op
	for i := range project.Many + 2 {
		made = append(made, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: fmt.Sprint(i), Objective: "x\n"}})
	}
	var uids []model.UID
	for _, task := range do(t, s, made...).Change.Tasks {
		uids = append(uids, task.UID)
		plans = append(plans, model.Op{Name: model.DefinePlan, UID: task.UID, Actor: robot, Args: model.NewPlan{Text: "the robot's\n"}})
	}
	do(t, s, plans...)
	for i := range plans {
		plans[i].Args = model.NewPlan{Text: "the robot's second\n"}
	}
	load(t, s)
	for _, uid := range []model.UID{uids[0], uids[len(uids)-1]} {
		write(t, vespe(s, layout.TaskFile(uid, "plan.md")), mine+" in "+string(uid)+"\n")
	}
	a := mustGet(s.DoAll(t.Context(), plans))(t)
	for _, uid := range []model.UID{uids[0], uids[len(uids)-1]} {
		keptOpenly(t, s, uid, mine+" in "+string(uid), a.Warnings)
	}
}

// Another form of what is known is nobody's words: it is replaced without a word.
func TestAnotherFormIsNotKeptBeside(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	name := vespe(s, layout.TaskFile(uid, layout.StatusFile))
	write(t, name, strings.ReplaceAll(read(t, name), "  ", "\t"))
	do(t, s, model.Op{Name: model.Abort, UID: uid, Actor: ann, Reason: "no"}) // fails on a warning
}
