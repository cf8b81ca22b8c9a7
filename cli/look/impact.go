package look

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/foresee"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) impactVerb() *cobra.Command {
	var events []string
	c := &cobra.Command{
		Use: "impact UID [--if EVENT]", Short: "Preview the effects of a change, a verdict or a failure",
		Long: "Preview an event of a task: which tasks change status, which acceptances end, who is\n" +
			"asked, what follows from that, and how long all work then takes. Nothing is changed.\n" +
			"Without --if it previews the likely events.\n\n" +
			"Events: " + core.Wrapped(foresee.AllEvents(), 80, 8) + ".",
		Example: "  vespe task impact 3f9a1c\n  vespe task impact 3f9a1c --if failed\n  vespe task impact 3f9a1c --if review-rejected --json",
		GroupID: "task",
	}
	c.Flags().StringSliceVar(&events, "if", nil, "the event to preview, or several separated by commas")
	_ = c.RegisterFlagCompletionFunc("if", cobra.FixedCompletions(foresee.AllEvents(), cobra.ShellCompDirectiveNoFileComp))
	return a.ViewTask(c, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, i int) ([]model.UID, error) {
		uid := snap.UID(i)
		asked := events
		if len(asked) == 0 {
			asked = foresee.Events(snap, i)
		}
		var list []*foresee.Impact
		for _, text := range asked {
			event, err := foresee.ParseEvent(text)
			if err != nil {
				return nil, core.Usagef("--if: %s", err)
			}
			actor, _ := a.Actor()
			im, err := foresee.Ask(snap, foresee.Question{
				UID: uid, Event: event, Actor: actor, World: func(n *snapshot.Snapshot) model.World { return a.World(ctx, n, s) },
			})
			if err != nil {
				return nil, err
			}
			list = append(list, im)
		}
		printed := []model.UID{uid}
		for _, im := range list {
			for _, x := range append(im.Tasks, im.Later...) {
				printed = append(printed, x.UID)
			}
		}
		return printed, a.printImpacts(snap, i, list)
	})
}

// impactObject is what one event would do.
type impactObject struct {
	Event     string            `json:"event"`
	Refused   *core.ErrorObject `json:"refused,omitempty"` // it cannot happen as things are
	Assumed   bool              `json:"assumed,omitempty"` // it cannot happen yet: this is once the task is worked on
	Summary   string            `json:"summary,omitempty"`
	Notes     []string          `json:"notes,omitempty"`
	Tasks     []affectedObject  `json:"tasks"`
	Later     []affectedObject  `json:"later"`
	LaterMore int               `json:"later_more,omitempty"`
	Requests  []string          `json:"requests,omitempty"` // that would be filed
	Answered  int               `json:"answered,omitempty"` // pending ones that nobody would have to answer anymore
	Behind    int               `json:"behind"`
	Agents    []string          `json:"agents,omitempty"`
	Before    outlookObject     `json:"before"`
	After     outlookObject     `json:"after"`
}

type affectedObject struct {
	UID    string `json:"uid"`
	Name   string `json:"name"`
	From   string `json:"from"`
	To     string `json:"to"`
	Voided bool   `json:"voided,omitempty"`
	Stops  bool   `json:"stops,omitempty"`
	Steps  int    `json:"steps"`
	Why    string `json:"why,omitempty"`
}

type outlookObject struct {
	Seconds  int      `json:"seconds"`
	Open     int      `json:"open"`
	Stuck    int      `json:"stuck"`
	Critical []string `json:"critical_path"`
}

func outlookOf(o foresee.Outlook) outlookObject {
	return outlookObject{int(o.Total.Seconds()), o.Open, o.Stuck, core.UIDStrings(o.Path)}
}

func affectedOf(list []foresee.Affected) []affectedObject {
	out := []affectedObject{}
	for _, x := range list {
		out = append(out, affectedObject{string(x.UID), x.Name, x.From.String(), x.To.String(), x.Voided, x.Stops, x.Steps, x.Why})
	}
	return out
}

func (a *app) impactOf(im *foresee.Impact) impactObject {
	o := impactObject{
		Event: im.Event, Assumed: im.Assumed, Summary: im.Summary, Notes: im.Notes, Tasks: affectedOf(im.Tasks), Later: affectedOf(im.Later),
		LaterMore: im.LaterMore, Requests: im.Requests, Answered: im.Answered, Behind: im.Behind, Before: outlookOf(im.Before), After: outlookOf(im.After),
	}
	for _, actor := range im.Agents {
		o.Agents = append(o.Agents, string(actor))
	}
	if im.Refused != nil {
		e := core.ErrorOf(im.Refused)
		o.Refused = &e
	}
	return o
}

func (a *app) printImpacts(snap *snapshot.Snapshot, i int, list []*foresee.Impact) error {
	if a.JSON {
		obj := struct {
			Task    core.TaskObject `json:"task"`
			Impacts []impactObject  `json:"impacts"`
		}{core.TaskOf(snap, i), []impactObject{}}
		for _, im := range list {
			obj.Impacts = append(obj.Impacts, a.impactOf(im))
		}
		return core.WriteJSON(a.Stdout, obj)
	}
	fmt.Fprintf(a.Stdout, "%s  %s  %s\n", core.Title(snap.At(i)), a.StatusText(snap, i), snap.UID(i).Short())
	for _, im := range list {
		if im.Refused == nil {
			for _, line := range im.Around() {
				fmt.Fprintln(a.Stdout, "  "+visible.Line(line))
			}
			break
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(a.Stdout, "  no preview: its files can't be read")
	}
	for _, im := range list {
		a.printImpact(snap.UID(i), im)
	}
	return nil
}

// mostAffected is how many tasks are listed of each kind.
const mostAffected = 20

func (a *app) printImpact(subject model.UID, im *foresee.Impact) {
	w := a.Stdout
	head := im.Title
	if im.Assumed {
		head += ", once it is worked on"
	}
	fmt.Fprintf(w, "\n%s:\n", strings.ToUpper(head[:1])+head[1:])
	if im.Refused != nil {
		why := im.Refused.Error()
		if r := (*model.Refusal)(nil); errors.As(im.Refused, &r) {
			why = r.Why // the title says what is refused
		}
		fmt.Fprintln(w, "  not possible now: "+visible.Line(why))
		return
	}
	lines := im.Lines(subject, mostAffected)
	if len(lines) == 0 {
		lines = []string{foresee.Nothing}
	}
	for _, line := range lines {
		fmt.Fprintln(w, "  "+visible.Line(line))
	}
}
