package write

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/distill"
	"vespe/model/reflection"
	"vespe/model/visible"
)

// reflectObject is `reflect --json`.
type reflectObject struct {
	Days        int                `json:"days"`
	Runs        int                `json:"runs"`     // that ended in these days
	Verdicts    int                `json:"verdicts"` // that were given
	Suggestions []suggestionObject `json:"suggestions"`
	Warnings    []string           `json:"warnings,omitempty"`
}

// suggestionObject is one addition that is proposed.
type suggestionObject struct {
	N     int    `json:"n"`
	Title string `json:"title"`
	Why   string `json:"why"`
	File  string `json:"file"` // below .vespe
	Text  string `json:"text"` // what to add there
}

// maxDays is how far back --days reaches.
const maxDays = 3650

func (a *app) reflectVerb() *cobra.Command {
	var days int
	c := &cobra.Command{
		Use: "reflect", Short: "Suggest guidelines and rules from rejections and failures",
		Long: "Suggest additions from rejected reviews and failed runs: lines for .vespe/guidelines.txt, which\n" +
			"workers and planners read, and rules for .vespe/rules/priority.yml. Reasons with the same words,\n" +
			"commands that failed, and labels whose tasks were escalated count from the third time on.\n\n" +
			"Nothing is changed: add to the files what you agree with. What stands there is not suggested again.",
		Example: "  vespe store reflect\n  vespe store reflect --days 7 --json",
		GroupID: "store", Args: core.Between(0, 0),
	}
	c.Flags().IntVar(&days, "days", 30, "how many days to look back")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if days < 1 || days > maxDays {
			return core.Usagef("--days must be a number from 1 to %d", maxDays)
		}
		return a.reflect(cmd.Context(), days)
	}
	return c
}

func (a *app) reflect(ctx context.Context, days int) error {
	s, snap, err := a.Load(ctx)
	if err != nil {
		return err
	}
	all, problems, err := s.Reflections(ctx, a.Now().Add(-time.Duration(days)*24*time.Hour))
	if err != nil {
		return err
	}
	in := distill.Input{Reflections: all, Task: func(uid model.UID) *model.Task {
		t, _ := snap.Task(uid)
		return t
	}}
	if in.Guidelines, err = s.GuidanceFile(ctx, model.GuidelinesFile); err != nil {
		return err
	}
	if in.Rules, err = s.GuidanceFile(ctx, model.PriorityFile); err != nil {
		return err
	}
	if in.Failed, err = s.FailedChecks(ctx, all); err != nil {
		return err
	}
	obj := reflectObject{Days: days, Suggestions: []suggestionObject{}}
	for _, p := range problems {
		obj.Warnings = append(obj.Warnings, fmt.Sprintf("%s: line %d: %s", p.Path, p.Line, p.Reason))
	}
	for i := range all {
		if all[i].Kind == reflection.OfRun {
			obj.Runs++
		} else {
			obj.Verdicts++
		}
	}
	for i, one := range distill.Suggest(in) {
		file, text := one.Text()
		obj.Suggestions = append(obj.Suggestions, suggestionObject{N: i + 1, Title: model.Capital(one.Title), Why: model.Capital(one.Why), File: file, Text: text})
	}
	return a.printReflect(&obj)
}

func (a *app) printReflect(obj *reflectObject) error {
	if a.JSON {
		return core.WriteJSON(a.Stdout, obj)
	}
	what := model.Plural(len(obj.Suggestions), "proposal", "proposals")
	if len(obj.Suggestions) == 0 {
		what = "no proposals"
	}
	fmt.Fprintf(a.Stdout, "%s and %s in %s: %s\n", model.Plural(obj.Verdicts, "verdict", "verdicts"), model.Plural(obj.Runs, "run", "runs"),
		model.Plural(obj.Days, "day", "days"), what)
	for _, s := range obj.Suggestions {
		fmt.Fprintf(a.Stdout, "\n%d. %s\n   %s\n   Add to .vespe/%s:\n\n", s.N, visible.Line(s.Title), visible.Line(s.Why), s.File)
		for line := range strings.Lines(s.Text) {
			fmt.Fprintln(a.Stdout, visible.Line(strings.TrimRight(line, "\r\n")))
		}
	}
	a.PrintWarnings(obj.Warnings)
	return nil
}
