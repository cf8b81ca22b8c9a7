package write

import (
	"fmt"

	"vespe/cli/core"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

func (a *app) printDependencies(snap *snapshot.Snapshot, i int) error {
	t := snap.At(i)
	if a.JSON {
		return core.WriteJSON(a.Stdout, struct {
			DependsOn  []string `json:"depends_on"`
			Dependents []string `json:"dependents"`
		}{core.UIDStrings(t.DependsOn), core.IndexUIDs(snap, snap.Dependents(i))})
	}
	for _, d := range t.DependsOn {
		fmt.Fprintln(a.Stdout, "waits for  "+visible.Line(a.Reference(snap, d)))
	}
	for _, d := range snap.Dependents(i) {
		fmt.Fprintln(a.Stdout, "needed by  "+visible.Line(a.Reference(snap, snap.At(int(d)).UID)))
	}
	if len(t.DependsOn) == 0 && len(snap.Dependents(i)) == 0 {
		fmt.Fprintln(a.Stdout, "No dependencies, and no task depends on it.")
	}
	return nil
}
