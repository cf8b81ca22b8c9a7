package ui_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// meddle is what another process or an editor does to some task; what is refused is not done.
func meddle(t *testing.T, s *uitest.Store, r *rand.Rand, keep model.UID) {
	t.Helper()
	snap := s.Snapshot()
	uid := snap.UID(r.IntN(snap.Len()))
	op := model.Op{UID: uid, Actor: uitest.Robot}
	switch r.IntN(8) {
	case 0, 1:
		n := model.NewTask{UID: s.NewUID(), Name: fmt.Sprint("made elsewhere ", r.IntN(1000))}
		if r.IntN(2) == 0 {
			n.Parent = uid
		}
		op.Name, op.UID, op.Args = model.CreateTask, n.UID, n
	case 2:
		op.Name, op.Args = model.DefineObjective, model.NewObjective{Text: fmt.Sprint("objective ", r.Int())}
	case 3:
		op.Name, op.Args = model.DefinePlan, model.NewPlan{Text: fmt.Sprint("plan ", r.Int())}
	case 4:
		op.Name, op.Actor = model.AcceptPlan, uitest.Ann
	case 5:
		op.Name, op.Args = model.RaiseError, model.ErrorReport{Details: "it broke", Failure: r.IntN(2) == 0}
	case 6:
		s.Edit(uid, model.Plan, fmt.Sprint("edited ", r.Int()))
		return
	default:
		if uid == keep {
			return
		}
		op.Name, op.Args = model.RenameTask, model.NewName{Name: fmt.Sprint("renamed ", r.IntN(1000))}
	}
	_, _ = s.Do(t.Context(), op) // a refusal changes nothing
}

// cursorLine is the line of the screen that the cursor's bar is on.
func cursorLine(d *uitest.Driver) (y int, line string) {
	for y, l := range strings.Split(d.Screen(), "\n") {
		if strings.Contains(l, "▌") {
			return y, l
		}
	}
	return -1, ""
}

// Whatever others do while a person looks: the cursor stays on its task and on its line, and
// what is selected stays selected.
func TestOthersMoveNothing(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			s := uitest.NewSmall()
			var on model.UID
			for i := range 60 {
				uid := s.Task(fmt.Sprint("filler ", i), "")
				if i == 30 {
					on = uid
				}
			}
			uitest.Run(t, uitest.Options{Store: s.Store, W: 100, H: 24, Bare: true, KeepUnread: true}, func(d *uitest.Driver) {
				goTo(d, "filler 31")
				d.Press(keymap.Select, keymap.Select, keymap.MoveUp, keymap.MoveUp, keymap.MoveUp)
				y, line := cursorLine(d)
				if !strings.Contains(line, "filler 30 ") {
					d.T.Fatalf("the cursor is not there:\n%s", d.Screen())
				}
				d.See("2 selected")
				for round := range 25 {
					for range 1 + r.IntN(3) {
						meddle(t, s.Store, r, on)
					}
					d.Sleep(1100 * time.Millisecond)
					if at, line := cursorLine(d); at != y || !strings.Contains(line, "filler 30 ") {
						d.T.Fatalf("round %d: the cursor went from line %d to %d:\n%s", round, y, at, d.Screen())
					}
					d.See("2 selected")
				}
			})
		})
	}
}
