package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/visible"
	"vespe/store"
)

// scoreObject is a score with what is behind it.
type scoreObject struct {
	Total     float64         `json:"total"`
	Level     string          `json:"level"`
	Threshold float64         `json:"threshold"`
	Split     bool            `json:"split"` // above the threshold
	Parts     []factorObject  `json:"parts"`
	Tokens    int             `json:"tokens"`        // to read
	Output    int             `json:"output_tokens"` // to write
	Minutes   float64         `json:"minutes"`
	Warnings  []warningObject `json:"warnings"`
}

type factorObject struct {
	Factor string       `json:"factor"`
	Points float64      `json:"points"`
	Most   float64      `json:"most"`
	Why    string       `json:"why"`
	Words  []wordObject `json:"words,omitempty"`
	Paths  []string     `json:"paths,omitempty"`
}

type wordObject struct {
	Word  string   `json:"word"`
	Where []string `json:"where"`
}

type warningObject struct {
	Limit string  `json:"limit"`
	Is    float64 `json:"is"`
	Most  float64 `json:"most"`
	Text  string  `json:"text"`
}

func scoreOf(s *complexity.Score, l complexity.Limits) scoreObject {
	o := scoreObject{
		Total: s.Total, Level: string(s.Level), Threshold: l.Threshold, Split: s.Split, Tokens: s.Tokens, Output: s.Output, Minutes: s.Minutes,
		Parts: []factorObject{}, Warnings: []warningObject{},
	}
	for _, p := range s.Parts {
		f := factorObject{Factor: p.Factor.String(), Points: p.Points, Most: p.Factor.Most(), Why: p.Why, Paths: p.Paths}
		for _, w := range p.Found {
			f.Words = append(f.Words, wordObject(w))
		}
		o.Parts = append(o.Parts, f)
	}
	for _, w := range s.Warnings {
		o.Warnings = append(o.Warnings, warningObject(w))
	}
	return o
}

func (a *app) complexityVerb() *cobra.Command {
	return a.view(&cobra.Command{
		Use: "complexity [UID]", Short: "How much work a task is, from 0 to 13, and why",
		Long: "How much work a task is: its score from 0 to 13 in five parts, with the words and files behind\n" +
			"each, and the limits that it is beyond. Without UID, the open tasks that should be split, the\n" +
			"greatest first. The limits are task_size_limits in .vespe/config.json.",
		Example: "  vespe complexity 3f9a1c\n  vespe complexity --json",
		GroupID: "look", Args: between(0, 1), ValidArgsFunction: a.completeTask(1),
	}, func(_ context.Context, _ *store.Store, snap *model.Snapshot, args []string) ([]model.UID, error) {
		if len(args) == 0 {
			found := snap.ToSplit()
			return uidsOf(snap, found), a.printToSplit(snap, found)
		}
		uid, err := snap.Find(args[0])
		if err != nil {
			return nil, err
		}
		t, _ := snap.Task(uid)
		return []model.UID{uid}, a.printComplexity(snap, t)
	})
}

func (a *app) printToSplit(snap *model.Snapshot, found []int32) error {
	limits := snap.Policy().SizeLimits()
	type row struct {
		UID   string      `json:"uid"`
		Name  string      `json:"name"`
		Score scoreObject `json:"score"`
	}
	rows := make([]row, 0, len(found))
	for _, i := range found {
		t := snap.At(int(i))
		s := t.Complexity(limits)
		rows = append(rows, row{string(t.UID), t.Config.Name, scoreOf(&s, limits)})
		if !a.json {
			fmt.Fprintln(a.Stdout, t.UID.Short()+"  "+pad(points(s.Total), 4)+"  "+pad(string(s.Level), 8)+"  "+title(t))
		}
	}
	if a.json {
		return writeJSON(a.Stdout, struct {
			Tasks []row `json:"tasks"`
		}{rows})
	}
	if len(found) == 0 {
		fmt.Fprintln(a.Stdout, "No open task is above the threshold of "+points(limits.Threshold)+".")
	}
	return nil
}

func (a *app) printComplexity(snap *model.Snapshot, t *model.Task) error {
	limits := snap.Policy().SizeLimits()
	s := t.Complexity(limits)
	if a.json {
		return writeJSON(a.Stdout, struct {
			UID   string      `json:"uid"`
			Name  string      `json:"name"`
			Score scoreObject `json:"score"`
		}{string(t.UID), t.Config.Name, scoreOf(&s, limits)})
	}
	fmt.Fprintln(a.Stdout, title(t)+"  "+scoreLine(&s)+": "+s.Level.Advice())
	for _, p := range s.Parts {
		fmt.Fprintf(a.Stdout, "  %s  %s of %s  %s\n", pad(p.Factor.String(), 15), pad(points(p.Points), 3), points(p.Factor.Most()), visible.Line(p.Why))
		for _, w := range p.Found {
			fmt.Fprintf(a.Stdout, "  %s  %s: %s\n", pad("", 27), w.Word, strings.Join(w.Where, ", "))
		}
		for _, path := range p.Paths {
			fmt.Fprintf(a.Stdout, "  %s  %s\n", pad("", 27), visible.Line(path))
		}
	}
	fmt.Fprintf(a.Stdout, "About %s per attempt: %d tokens in, %d out.\n", complexity.MinuteWords(s.Minutes), s.Tokens, s.Output)
	for _, w := range s.Warnings {
		fmt.Fprintln(a.Stdout, "Beyond "+w.Limit+": "+w.Text)
	}
	if s.Split && limits.AutoSplit {
		fmt.Fprintf(a.Stdout, "Above the threshold of %s: vespe decompose %s\n", points(limits.Threshold), t.UID.Short())
	}
	return nil
}

// scoreLine is a score in a few words.
func scoreLine(s *complexity.Score) string {
	return points(s.Total) + " of " + strconv.Itoa(complexity.Most) + ", " + string(s.Level)
}

// points is a number of points or minutes without needless digits.
func points(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
