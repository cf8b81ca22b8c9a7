package look

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) diffVerb() *cobra.Command {
	var approved bool
	c := &cobra.Command{
		Use: "diff UID", Short: "Show what changed in a plan, or since it was accepted",
		Long: "Compare the current plan with the previous revision, as a unified diff. --approved compares\n" +
			"everything that an acceptance covers with what was accepted: objective, plan, spec.json,\n" +
			"dependencies.json, the project's config.json, and the texts and results of dependencies. If the\n" +
			"accepted bytes of a file are not stored, the output says so.",
		Example: "  vespe plan diff 3f9a1c\n  vespe plan diff 3f9a1c --approved",
		GroupID: "plan",
	}
	c.Flags().BoolVar(&approved, "approved", false, "compare everything the acceptance covers with what was accepted")
	return a.ViewTask(c, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, i int) ([]model.UID, error) {
		uid := snap.UID(i)
		if approved {
			return []model.UID{uid}, a.sinceApproval(ctx, s, snap, uid)
		}
		return []model.UID{uid}, a.sinceRevision(ctx, s, snap, uid)
	})
}

func (a *app) sinceApproval(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID) error {
	is, list, err := s.SinceApproval(ctx, uid)
	if err != nil {
		return err
	}
	out := []core.DiffObject{}
	for i := range list {
		c := &list[i]
		if !c.Differs() {
			continue
		}
		o := core.DiffObject{File: c.File, Was: c.WasHash, Now: c.NowHash}
		switch {
		case c.Was == nil && c.WasHash != "", c.Now == nil && c.NowHash != "":
			o.Note = "changed; the accepted bytes are not stored"
		default:
			name := model.FileOf(snap, c.File)
			if strings.HasSuffix(c.File, "/result") {
				o.Note = "changed; its files with their hashes (the bytes of results are not stored):"
			}
			o.Diff = core.Unified(name+" as accepted", name+" now", string(c.Was), string(c.Now))
		}
		out = append(out, o)
	}
	return a.printDiffs(out, fmt.Sprintf("accepted by %s at %s", is.Approver, is.Time), "Nothing has changed since it was accepted.", snap)
}

func (a *app) sinceRevision(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID) error {
	t, _ := snap.Task(uid)
	now, err := s.Content(ctx, uid, model.Plan)
	if err != nil && !errors.Is(err, model.ErrNoContent) {
		return err
	}
	before := t.Status.PlanRevision - 1
	if now.Revision == 0 { // edited past vespe
		before++
	}
	if before < 1 {
		return a.printDiffs([]core.DiffObject{}, "", "The plan has no earlier revision.", snap)
	}
	was, err := s.Revision(ctx, uid, model.Plan, before)
	if err != nil {
		return err
	}
	d := core.Unified(fmt.Sprintf("plan revision %d", before), "plan now", string(was.Body), string(now.Body))
	return a.printDiffs([]core.DiffObject{{File: "plan.md", Was: was.Hash, Now: now.Hash, Diff: d}}, "", "No differences.", snap)
}

func (a *app) printDiffs(list []core.DiffObject, head, none string, tasks *snapshot.Snapshot) error {
	if a.JSON {
		return a.PrintMember("files", list)
	}
	w := a.Prose(a.Stdout, core.Diff)
	if head != "" {
		fmt.Fprintln(w, visible.Line(head))
	}
	if len(list) == 0 {
		fmt.Fprintln(w, none)
	}
	for _, o := range list {
		if o.Note != "" {
			fmt.Fprintf(w, "%s: %s → %s %s\n", visible.Line(model.FileOf(tasks, o.File)), core.ShortHash(o.Was), core.ShortHash(o.Now), o.Note)
		}
		fmt.Fprint(w, visible.String(o.Diff))
	}
	return nil
}
