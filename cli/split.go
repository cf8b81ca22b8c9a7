package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/model/visible"
	"vespe/store"
)

// splitObject is what a task could be split into in one way. `split --parts` reads the same.
type splitObject struct {
	By     string       `json:"by,omitempty"`
	WhyNot string       `json:"why_not,omitempty"`
	Parts  []partObject `json:"parts"`
}

// partObject is one part.
type partObject struct {
	Name          string       `json:"name"`
	Focus         string       `json:"focus,omitempty"`
	FilesToCreate []string     `json:"files_to_create"`
	FilesToModify []string     `json:"files_to_modify"`
	TestFiles     []string     `json:"test_files"`
	Criteria      []string     `json:"acceptance_criteria"`
	Score         *scoreObject `json:"score,omitempty"`
}

// splitsObject is `split --json`.
type splitsObject struct {
	UID        string        `json:"uid"`
	Name       string        `json:"name"`
	Score      scoreObject   `json:"score"`
	Suggested  string        `json:"suggested"`
	Splits     []splitObject `json:"splits"`
	Dependents []string      `json:"dependents"` // who waits for the task, and will wait for its last part
}

func (a *app) splitVerb() *cobra.Command {
	var by, from string
	var accept bool
	var f opFlags
	c := &cobra.Command{
		Use: "split UID", Short: "What a task could be split into; --accept splits it",
		Long: "What a task could be split into: by files with directories whole, by layers, by criteria, each part\n" +
			"with its score. Nothing is written until --accept. Then the parts become subtasks in one\n" +
			"transaction, each waiting for the one before it; who waited for the task waits for the last part.\n" +
			"`vespe undo UID` takes it back while work has begun on no part.\n\n" +
			"--parts reads parts as --json prints them, from a file or, with -, from standard input. Every\n" +
			"file and criterion of the task has to be in just one of them.",
		Example: "  vespe split 3f9a1c\n  vespe split 3f9a1c --by layers --accept\n  vespe split 3f9a1c --json --by files > parts.json\n" +
			"  vespe split 3f9a1c --parts parts.json --accept",
		GroupID: "edit", Args: between(1, 1), ValidArgsFunction: a.completeTask(1),
	}
	c.Flags().StringVar(&by, "by", "", "files, layers or criteria; what is suggested when left out")
	c.Flags().StringVar(&from, "parts", "", "read the parts from a file, or - for standard input")
	c.Flags().BoolVar(&accept, "accept", false, "make the parts")
	f.add(c)
	_ = c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(wayWords(), cobra.ShellCompDirectiveNoFileComp))
	c.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case by != "" && !slices.Contains(wayWords(), by):
			return usagef("--by %q: it may be %s", by, strings.Join(wayWords(), ", "))
		case by != "" && from != "":
			return usagef("--by and --parts both say how it is to be split; give one")
		case !accept && (f.dryRun || f.opID != "" || f.revision != 0):
			return usagef("without --accept nothing is done; see `vespe split --help`")
		}
		var given []partObject
		if from != "" {
			var err error
			if given, err = a.readParts(from); err != nil {
				return err
			}
		}
		if accept {
			return a.split(cmd.Context(), args[0], complexity.Way(by), given, f)
		}
		s, err := a.open()
		if err != nil {
			return err
		}
		return a.look(cmd.Context(), s, false, args, func(_ context.Context, _ *store.Store, snap *model.Snapshot, args []string) ([]model.UID, error) {
			uid, err := snap.Find(args[0])
			if err != nil {
				return nil, err
			}
			return []model.UID{uid}, a.printSplits(snap, uid, complexity.Way(by), given)
		})
	}
	return c
}

func wayWords() []string {
	var out []string
	for _, w := range complexity.Ways() {
		out = append(out, string(w))
	}
	return out
}

// readParts reads parts as `split --json` prints them: those of one way, or with the task around them.
func (a *app) readParts(from string) ([]partObject, error) {
	var text string
	var err error
	if from == "-" {
		text, err = a.readAll("parts")
	} else {
		text, err = a.readFile(from)
	}
	if err != nil {
		return nil, err
	}
	var in struct {
		Parts  []partObject  `json:"parts"`
		Splits []splitObject `json:"splits"`
	}
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, usagef("--parts: this is no JSON object with parts: %v", err)
	}
	if in.Parts == nil && len(in.Splits) == 1 {
		in.Parts = in.Splits[0].Parts
	}
	if len(in.Parts) == 0 {
		return nil, usagef("--parts: there are no \"parts\" in it, nor one of \"splits\"")
	}
	return in.Parts, nil
}

// partsOf are parts of t that were given.
func partsOf(t *model.Task, parts []partObject) *decompose.Proposal {
	works := make([]complexity.Work, len(parts))
	for i, p := range parts {
		works[i] = complexity.Work{Title: p.Focus, Create: p.FilesToCreate, Modify: p.FilesToModify, Tests: p.TestFiles, Criteria: p.Criteria}
	}
	out := decompose.Parts(t, works)
	for i, p := range parts {
		if p.Name != "" {
			out.Name(i, p.Name)
		}
	}
	return out
}

// split makes the parts that were given, or those of a way.
func (a *app) split(ctx context.Context, ref string, by complexity.Way, given []partObject, f opFlags) error {
	actor, s, snap, err := a.begin(ctx)
	if err != nil {
		return err
	}
	uid, err := snap.Find(ref)
	if err != nil {
		return err
	}
	t, _ := snap.Task(uid)
	op := f.op(model.Op{Name: model.Decompose, UID: uid, Actor: actor, Decompose: partsOf(t, given).Decomposition()})
	if len(given) == 0 {
		score := t.Complexity(snap.Policy().SizeLimits())
		p := decompose.Divide(t, wayOr(by, &score))
		if p.Why != "" {
			if allowed := model.Allowed(snap, model.Op{Name: op.Name, UID: uid, Actor: actor, Decompose: &model.Decomposition{}}); allowed != nil {
				return a.repeated(ctx, s, op, allowed)
			}
			return a.repeated(ctx, s, op, &model.Refusal{
				Code: model.CodeRefused, Op: op.Name, UID: uid, Task: t.Config.Name, Guard: model.GuardDecompose, Why: p.Why,
				Hint: "choose another way with --by, or give the parts with --parts",
			})
		}
		op.Decompose = p.Decomposition()
	}
	if f.dryRun {
		op.Decompose = op.Decompose.WithUIDs(s.NewUID)
	}
	return a.doAnd(ctx, s, snap, op, f.dryRun, func(applied model.Applied) error {
		if err := a.report(applied, uid); err != nil || a.json {
			return err
		}
		if i, ok := applied.Snapshot.Index(uid); ok {
			for _, c := range applied.Snapshot.Children(i) {
				if t := applied.Snapshot.At(int(c)); t.SplitFrom() == uid && t.Status.CurrentState != model.Aborted {
					fmt.Fprintln(a.Stdout, "  "+visible.Line(a.reference(applied.Snapshot, t.UID)))
				}
			}
		}
		return nil
	})
}

func wayOr(by complexity.Way, s *complexity.Score) complexity.Way {
	if by == "" {
		return complexity.Suggest(*s)
	}
	return by
}

func (a *app) printSplits(snap *model.Snapshot, uid model.UID, by complexity.Way, given []partObject) error {
	i, _ := snap.Index(uid)
	t := snap.At(i)
	limits := snap.Policy().SizeLimits()
	score := t.Complexity(limits)
	obj := splitsObject{
		UID: string(uid), Name: t.Config.Name, Score: scoreOf(&score, limits), Suggested: string(complexity.Suggest(score)),
		Splits: []splitObject{}, Dependents: indexUIDs(snap, snap.Dependents(i)),
	}
	if err := model.Allowed(snap, model.Op{Name: model.Decompose, UID: uid, Actor: model.System + ":vespe", Decompose: &model.Decomposition{}}); err != nil {
		return err
	}
	if given != nil {
		p := partsOf(t, given)
		op := model.Op{Name: model.Decompose, UID: uid, Actor: model.System + ":vespe", Decompose: p.Decomposition()}
		if err := model.Allowed(snap, op); err != nil {
			return err
		}
		obj.Splits = append(obj.Splits, splitOf(p, limits))
	}
	for _, way := range complexity.Ways() {
		if given != nil || by != "" && by != way {
			continue
		}
		p := decompose.Divide(t, way)
		if p.Why != "" {
			obj.Splits = append(obj.Splits, splitObject{By: string(way), WhyNot: p.Why, Parts: []partObject{}})
			continue
		}
		obj.Splits = append(obj.Splits, splitOf(p, limits))
	}
	if a.json {
		return writeJSON(a.Stdout, obj)
	}
	fmt.Fprintln(a.Stdout, title(t)+"  "+scoreLine(&score))
	for _, s := range obj.Splits {
		a.printSplit(&s, obj.Suggested)
	}
	if n := len(obj.Dependents); n > 0 {
		fmt.Fprintf(a.Stdout, "\nWho waits for it will wait for the last part: %d.\n", n)
	}
	return nil
}

func splitOf(p *decompose.Proposal, limits complexity.Limits) splitObject {
	out := splitObject{By: string(p.Form), Parts: []partObject{}}
	list := func(items []string) []string { return append([]string{}, items...) }
	for i := range p.Items {
		it := &p.Items[i]
		o := partObject{
			Name: it.Title, Focus: it.Focus, Criteria: list(it.Criteria),
			FilesToCreate: list(it.Create), FilesToModify: list(it.Modify), TestFiles: list(it.Tests),
		}
		score := complexity.Of(it.Work, limits)
		s := scoreOf(&score, limits)
		o.Score = &s
		out.Parts = append(out.Parts, o)
	}
	return out
}

func (a *app) printSplit(s *splitObject, suggested string) {
	head := "By " + s.By
	switch {
	case s.By == string(decompose.FormParts):
		head = "As given"
	case s.By == suggested:
		head += " (suggested)"
	}
	if s.WhyNot != "" {
		fmt.Fprintln(a.Stdout, "\n"+head+": "+visible.Line(s.WhyNot))
		return
	}
	fmt.Fprintln(a.Stdout, "\n"+head+":")
	for _, p := range s.Parts {
		fmt.Fprintln(a.Stdout, "  "+visible.Line(p.Name)+"  "+points(p.Score.Total)+", "+p.Score.Level)
		for _, l := range []struct {
			what  string
			files []string
		}{{"create", p.FilesToCreate}, {"modify", p.FilesToModify}, {"test", p.TestFiles}} {
			for _, file := range l.files {
				fmt.Fprintln(a.Stdout, "    "+pad(l.what, 9)+"  "+visible.Line(file))
			}
		}
		for _, c := range p.Criteria {
			fmt.Fprintln(a.Stdout, "    criterion  "+visible.Line(c))
		}
	}
}
