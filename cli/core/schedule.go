package core

import (
	"fmt"

	"vespe/model"
	"vespe/model/schedule"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// DeadlockObject is a cause for which tasks can never be completed as things are.
type DeadlockObject struct {
	Kind  string   `json:"kind"`
	Tasks []string `json:"tasks"`        // the cause; a cycle in its order
	On    string   `json:"on,omitempty"` // a uid that names no task
	Held  []string `json:"held"`         // what waits for it directly
	All   int      `json:"all"`          // what waits for it by whatever way; 999 is that or more
	Text  string   `json:"text"`
	Hint  string   `json:"hint"`
}

func DeadlocksOf(snap *snapshot.Snapshot) []DeadlockObject {
	out := []DeadlockObject{}
	for _, d := range schedule.Of(snap).Deadlocks() {
		out = append(out, DeadlockObject{
			string(d.Kind), IndexUIDs(snap, d.Tasks), string(d.On), IndexUIDs(snap, d.Held), d.All, d.Text, d.Hint,
		})
	}
	return out
}

// How many deadlocks are told in words, where they are asked about and where they only explain that
// nothing is ready.
const (
	MostCauses = 20
)

// PrintDeadlocks says what is stuck and why, and returns whom that was about.
func (a *App) PrintDeadlocks(snap *snapshot.Snapshot, most int) []model.UID {
	list, stuck := schedule.Of(snap).Deadlocks(), schedule.Of(snap).Stuck
	if stuck == 0 {
		return nil
	}
	verb := "tasks can"
	if stuck == 1 {
		verb = "task can"
	}
	w := a.Prose(a.Stdout, 0)
	fmt.Fprintf(w, "%d open %s never be completed:\n", stuck, verb)
	var about []model.UID
	for k, d := range list {
		if k == most {
			fmt.Fprintf(w, "  … %d more, with --json\n", len(list)-k)
			break
		}
		more := ""
		if d.More {
			more = " or more"
		}
		fmt.Fprintf(w, "  %s\n"+
			"      blocks %d%s; %s\n", visible.Line(d.Text), d.All, more, visible.Line(d.Hint))
		about = append(about, UIDsOf(snap, d.Tasks)...)
		about = append(about, UIDsOf(snap, d.Held)...)
	}
	return about
}

// ChangesOf are the files for which a task is changed.
func ChangesOf(snap *snapshot.Snapshot, t *model.Task) []DiffObject {
	var out []DiffObject
	for _, c := range snap.Changes(t) {
		out = append(out, DiffObject{File: c.File, Was: c.Old, Now: c.New})
	}
	return out
}
