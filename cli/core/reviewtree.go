package core

import (
	"context"
	"fmt"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// treeReviewObject is what was said about the plans of a task and of those below it.
type treeReviewObject struct {
	UID   string             `json:"uid"`
	Name  string             `json:"name"`
	Tasks []memberReviewJSON `json:"tasks"` // parents first
}

type memberReviewJSON struct {
	*desk.PlanReview
	ParentUID string `json:"parent_uid,omitempty"`
	Depth     int    `json:"depth"` // below the task that was named
}

// ReviewTree prints what was said about the plans of a task and of those below it.
func (a *App) ReviewTree(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID, md bool) error {
	i, _ := snap.Index(uid)
	out := treeReviewObject{UID: string(uid), Name: snap.At(i).Config.Name}
	var add func(i, depth int) error
	add = func(i, depth int) error {
		t, now := snap.At(i), snap
		if s.ReadOnly() == "" {
			now = a.FetchedVerdict(ctx, s, snap, t.UID)
		}
		o, err := desk.ReviewOf(ctx, s, now, t.UID, 0)
		if err != nil {
			return err
		}
		out.Tasks = append(out.Tasks, memberReviewJSON{o, string(t.Config.ParentUID), depth})
		for _, k := range snap.Children(i) {
			if err := add(int(k), depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := add(i, 0); err != nil {
		return err
	}
	if a.JSON {
		return WriteJSON(a.Stdout, out)
	}
	for n, m := range out.Tasks {
		if n > 0 {
			fmt.Fprintln(a.Stdout)
		}
		switch {
		case m.Revision == 0:
			lead := ""
			if md {
				lead = "# "
			}
			fmt.Fprintf(a.Stdout, "%s%s: %s, no plan yet\n", lead, visible.Line(m.Name), m.Status)
		case md:
			fmt.Fprint(a.Stdout, m.Markdown())
		default:
			PrintReview(a.Stdout, m.PlanReview)
		}
	}
	return nil
}
