package write

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/cli/core"
	"vespe/engine/prompt"
	"vespe/engine/worker"
	"vespe/model"
	"vespe/model/progress"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// promptObject is what a worker is told.
type promptObject struct {
	UID      string `json:"uid"`
	PlanHash string `json:"plan_hash,omitempty"` // of the accepted plan in it
	Bytes    int    `json:"bytes"`
	Prompt   string `json:"prompt"`
}

func (a *app) promptVerb() *cobra.Command {
	return a.ViewTask(&cobra.Command{
		Use: "prompt UID", Short: "Show the prompt of a worker",
		Long: "Show the prompt that a worker would get now: objective, criteria, the accepted plan, files,\n" +
			"results of dependencies, guidelines, checks, answers, earlier attempts and rejections, and the rules.\n" +
			"The prompt of a run is in its directory (prompt.md).",
		Example: "  vespe run prompt 3f9a1c\n  vespe run prompt 3f9a1c --json",
		GroupID: "run",
	}, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, i int) ([]model.UID, error) {
		uid := snap.UID(i)
		o := promptObject{UID: string(uid)}
		text, hash, err := a.promptNow(ctx, s, snap, uid)
		if err != nil {
			return nil, err
		}
		o.PlanHash = hash
		o.Bytes, o.Prompt = len(text), string(text)
		if a.JSON {
			return []model.UID{uid}, core.WriteJSON(a.Stdout, o)
		}
		// The words of others are visible here; the worker gets them as they are.
		_, err = fmt.Fprint(a.Stdout, visible.String(o.Prompt))
		return []model.UID{uid}, err
	})
}

// promptNow is the prompt of a task as the next worker would get it.
func (a *app) promptNow(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID) (text []byte, hash string, err error) {
	in, err := prompt.Gather(ctx, s, snap, uid, "")
	if err != nil {
		return nil, "", err
	}
	if set, err := worker.Effective(&a.Workers, snap.Policy().Worker(), a.Registry().Worker(s.Root(), s.ID()), ""); err == nil {
		in.CanResume = set.Worker.CanResume()
	}
	return prompt.Build(in), in.PlanHash, nil
}

func (a *app) progressVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "progress UID TEXT", Short: "Report the progress of a run in one line",
		Long: "Report the progress of a task's live run in one line. It is shown with the run and saved\n" +
			"in its log. It doesn't change the state of the task.",
		Example: "  vespe run progress 3f9a1c \"the parser is done, its tests are next\"",
		GroupID: "run", Args: core.Between(2, 2), ValidArgsFunction: a.CompleteTask(1),
	}
	c.RunE = func(cmd *cobra.Command, args []string) error { return a.progress(cmd.Context(), args[0], args[1]) }
	return c
}

// maxProgress is how long a word of progress may be, in bytes.
const maxProgress = 1000

func (a *app) progress(ctx context.Context, ref, text string) error {
	actor, s, snap, err := a.Begin(ctx)
	if err != nil {
		return err
	}
	uid, err := snap.Find(ref)
	if err != nil {
		return err
	}
	if err := s.Writable(); err != nil {
		return err
	}
	text = strings.Join(strings.Fields(text), " ")
	if text == "" || len(text) > maxProgress {
		return core.Usagef("the text must be one line of 1 to %d bytes", maxProgress)
	}
	t, _ := snap.Task(uid)
	st := &t.Status
	no := &model.Refusal{Code: model.CodeRefused, Op: "report_progress_of", UID: uid, Task: t.Config.Name, Guard: model.GuardOwnRun}
	switch {
	case st.CurrentRun == "":
		no.Why, no.Hint = "it has no live run", "`vespe run start` starts one"
		return no
	case actor.Kind() != model.Human && actor != st.AssignedAgentUID:
		no.Why, no.Hint = fmt.Sprintf("%s works on it (%s), not %s", st.AssignedAgentUID, st.CurrentRun, actor), "report progress only for your own run"
		return no
	}
	if err := a.tell(ctx, s, uid, st.CurrentRun, runlog.Event{Kind: runlog.KindProgress, Text: text}); err != nil {
		return err
	}
	if i, ok := snap.Index(uid); ok && len(snap.Children(i)) == 0 { // of a task with subtasks vespe counts them
		if _, err := s.Do(ctx, model.Op{Name: model.SetFields, UID: uid, Actor: actor, Args: model.FieldEdit{Set: []model.Assignment{progress.SayProgress(text)}}}); err != nil {
			return err
		}
	}
	if a.JSON {
		return core.WriteJSON(a.Stdout, struct {
			UID  string `json:"uid"`
			Run  string `json:"run"`
			Text string `json:"text"`
		}{string(uid), st.CurrentRun, text})
	}
	fmt.Fprintln(a.Stdout, st.CurrentRun+"  "+visible.Line(text))
	return nil
}

// tell adds an event to the log of a run.
func (a *app) tell(ctx context.Context, s *store.Store, uid model.UID, run string, e runlog.Event) error {
	e.At = a.Now()
	return desk.Tell(ctx, s, uid, run, e)
}
