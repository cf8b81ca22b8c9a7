package write

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// decomposeObject is `decompose --json`: what a task could be decomposed into.
type decomposeObject struct {
	UID        string           `json:"uid"`
	Name       string           `json:"name"`
	Form       string           `json:"form"`           // how the plan lists them, or how the work is divided
	Plan       string           `json:"plan,omitempty"` // hash of the plan that lists them
	Accepted   bool             `json:"accepted"`       // that plan is accepted, so that its tasks can be made
	Score      core.ScoreObject `json:"score"`          // of the task
	Suggested  string           `json:"suggested"`      // how its work would be divided
	Tasks      []subtaskObject  `json:"tasks"`
	Dependents []string         `json:"dependents"`        // who waits for the task
	Cycles     [][]string       `json:"cycles"`            //
	Notes      []string         `json:"notes"`             //
	Make       int              `json:"make"`              // how many are to be made
	Would      string           `json:"would,omitempty"`   // what making them does
	WhyNot     string           `json:"why_not,omitempty"` // why they can't be made now
}

// subtaskObject is one subtask that is proposed.
type subtaskObject struct {
	ID            string           `json:"id"`
	Name          string           `json:"name"`
	Lines         []int            `json:"lines,omitempty"` // of the plan, the first and the last
	Objective     string           `json:"objective,omitempty"`
	Criteria      []string         `json:"acceptance_criteria"`
	FilesToCreate []string         `json:"files_to_create"`
	FilesToModify []string         `json:"files_to_modify"`
	TestFiles     []string         `json:"test_files"`
	DependsOn     []waitObject     `json:"depends_on"`
	Milestone     string           `json:"milestone,omitempty"`
	Priority      string           `json:"priority,omitempty"`
	Risk          string           `json:"risk,omitempty"`
	Labels        []string         `json:"labels,omitempty"`
	Verify        [][]string       `json:"verify,omitempty"`
	Score         core.ScoreObject `json:"score"`
	Made          bool             `json:"made"`            // it is to be made
	There         string           `json:"there,omitempty"` // the subtask that was made of it already
	Why           string           `json:"why,omitempty"`   // why it is not to be made
	Notes         []string         `json:"notes"`
}

// waitObject is what a proposed subtask waits for. Line is 0 for what the plan has no line for.
type waitObject struct {
	ID   string `json:"id"`
	Why  string `json:"why"`
	Line int    `json:"line"`
}

type decomposeFlags struct {
	core.OpFlags
	plan bool
	by   string
	yes  bool
}

func (a *app) decomposeVerb() *cobra.Command {
	var f decomposeFlags
	c := &cobra.Command{
		Use: "decompose UID", Short: "Split a task into subtasks, from its plan or its files",
		Long: "Show the subtasks that a task could be split into, each with its files, criteria, dependencies and\n" +
			"score. vespe creates them in one transaction, after a yes at the terminal or with --yes.\n" +
			"`vespe undo UID` undoes it until work on a subtask has begun. There are two sources:\n\n" +
			"The tasks that its accepted plan lists. Each gets its part of the plan as its own plan, which needs\n" +
			"a review. Existing subtasks are not created again. A plan lists tasks as:\n" +
			"  " + strings.Join(decompose.Forms(), "\n  ") + "\n\n" +
			"Its own files and criteria, if the plan lists no tasks or with --by: by files (directories stay\n" +
			"whole), by layers or by criteria. Each part waits for the one before it; tasks that wait for the\n" +
			"task then wait for the last part.",
		Example: "  vespe task decompose 3f9a1c\n  vespe task decompose 3f9a1c --by layers --yes",
		GroupID: "task", Args: core.Between(1, 1), ValidArgsFunction: a.CompleteTask(1), SuggestFor: []string{"breakdown", "split"},
	}
	c.Flags().BoolVar(&f.plan, "plan", false, "use the tasks of the plan, or say why there are none")
	c.Flags().StringVar(&f.by, "by", "", "split the task's own work by files, layers or criteria")
	c.MarkFlagsMutuallyExclusive("plan", "by")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "create them without asking")
	f.Add(c)
	_ = c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(wayWords(), cobra.ShellCompDirectiveNoFileComp))
	c.RunE = func(cmd *cobra.Command, args []string) error {
		asks := a.Asks() && !a.JSON && !f.DryRun
		switch {
		case f.by != "" && !slices.Contains(wayWords(), f.by):
			return core.Usagef("--by is %q; it must be one of %s", f.by, strings.Join(wayWords(), ", "))
		case f.yes && f.DryRun:
			return core.Usagef("--yes and --dry-run can't be combined")
		case !f.yes && !asks && (f.OpID != "" || f.Revision != 0):
			return core.Usagef("--op-id and --if-revision need --yes")
		case f.yes || asks:
			return a.decompose(cmd.Context(), args[0], f)
		}
		s, err := a.Open()
		if err != nil {
			return err
		}
		return a.Look(cmd.Context(), s, false, args, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
			p, err := a.proposed(ctx, s, snap, args[0], f)
			if err != nil {
				return nil, err
			}
			return []model.UID{p.Task.UID}, a.printProposal(s, snap, p)
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

// proposed reads what a task could be decomposed into.
func (a *app) proposed(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, ref string, f decomposeFlags) (*decompose.Proposal, error) {
	uid, err := snap.Find(ref)
	if err != nil {
		return nil, err
	}
	t, _ := snap.Task(uid)
	refuse := func(code model.Code, why, hint string) error {
		return &model.Refusal{Code: code, Op: model.Decompose, UID: uid, Task: t.Config.Name, Guard: model.GuardDecompose, Why: why, Hint: hint}
	}
	var p *decompose.Proposal
	if f.by == "" {
		text, err := s.PlanToDecompose(ctx, t)
		if err != nil {
			return nil, err
		}
		var bad *decompose.Unreadable
		p, err = s.Propose(snap, t, text)
		switch none := errors.As(err, &decompose.None{}); {
		case errors.As(err, &bad):
			return nil, refuse(model.CodeInvalid, "can't read its list of tasks: "+err.Error(), "fix it, or choose another source with --by")
		case none && !f.plan:
			p = nil
		case err != nil && strings.TrimSpace(text) == "":
			return nil, refuse(model.CodeRefused, "it has no plan", "write one, with a list of tasks")
		case err != nil:
			return nil, refuse(model.CodeRefused, err.Error(), "a plan may list tasks as: "+strings.Join(decompose.Forms(), "; "))
		}
	}
	if p == nil {
		if f.by != "" {
			p = decompose.Divide(t, complexity.Way(f.by))
		} else {
			ways, k := decompose.Ways(t, snap.Policy().SizeLimits())
			p = ways[k]
		}
		if p.Why != "" {
			if err := lifecycle.Allowed(snap, model.Op{Name: model.Decompose, UID: uid, Actor: model.System + ":vespe", Args: model.Decomposition{}}); err != nil {
				return nil, err
			}
			return nil, refuse(model.CodeRefused, p.Why, "split it another way with --by")
		}
	}
	return p, nil
}

// decompose makes the subtasks, after a yes.
func (a *app) decompose(ctx context.Context, ref string, f decomposeFlags) error {
	actor, s, snap, err := a.Begin(ctx)
	if err != nil {
		return err
	}
	p, err := a.proposed(ctx, s, snap, ref, f)
	if err != nil {
		return a.Repeated(ctx, s, f.Op(model.Op{Name: model.Decompose, Actor: actor}), err)
	}
	uid := p.Task.UID
	op := f.Op(model.Op{Name: model.Decompose, UID: uid, Actor: actor, Args: p.Decomposition()})
	if !f.yes {
		out := a.Stdout
		a.Stdout = a.Stderr // it belongs to the question
		err := a.printProposal(s, snap, p)
		a.Stdout = out
		if err != nil {
			return err
		}
	}
	trial := op
	trial.ID, trial.At = "", a.Now()
	trial.FillUIDs(s.NewUID)
	change, err := lifecycle.Apply(a.World(ctx, snap, s), trial)
	if err != nil {
		return a.Repeated(ctx, s, op, err)
	}
	if !f.yes {
		a.PrintWarnings(change.Warnings)
		if err := a.Confirm(op.Name, "Create them?"); err != nil {
			return err
		}
	}
	return a.DoAnd(ctx, s, snap, op, false, func(applied snapshot.Applied) error {
		if err := a.Report(applied, uid); err != nil || a.JSON {
			return err
		}
		for _, t := range applied.Change.Tasks {
			if t.Config.ParentUID == uid && !applied.Replayed {
				fmt.Fprintln(a.Stdout, "  "+visible.Line(a.Reference(applied.Snapshot, t.UID)))
			}
		}
		return nil
	})
}

// proposalOf is a proposal as --json prints it.
func (a *app) proposalOf(s *store.Store, snap *snapshot.Snapshot, p *decompose.Proposal) decomposeObject {
	limits := snap.Policy().SizeLimits()
	list := func(items []string) []string { return append([]string{}, items...) }
	t := p.Task
	whole := t.Complexity(limits)
	i, _ := snap.Index(t.UID)
	obj := decomposeObject{
		UID: string(t.UID), Name: t.Config.Name, Plan: p.Hash, Form: string(p.Form), Tasks: []subtaskObject{}, Cycles: [][]string{},
		Accepted: t.Status.AcceptedPlan != nil && t.Status.AcceptedPlan.PlanHash == p.Hash, Notes: list(p.Notes), Make: len(p.In()),
		Score: core.ScoreOf(&whole, limits), Suggested: string(complexity.Suggest(whole)), Dependents: core.IndexUIDs(snap, snap.Dependents(i)),
	}
	obj.Cycles = append(obj.Cycles, p.Cycles()...)
	trial := model.Op{Name: model.Decompose, UID: t.UID, At: a.Now(), Actor: model.Human + ":somebody", Args: p.Decomposition()}
	trial.FillUIDs(s.NewUID)
	if change, err := lifecycle.Apply(snap, trial); err == nil {
		obj.Would = change.Would()
	} else if r := (*model.Refusal)(nil); errors.As(err, &r) {
		obj.WhyNot = r.Why
	} else {
		obj.WhyNot = err.Error()
	}
	for i := range p.Items {
		it := &p.Items[i]
		score := complexity.Of(it.Work, limits)
		o := subtaskObject{
			ID: it.Key, Name: it.Title, Criteria: list(it.Criteria),
			FilesToCreate: list(it.Create), FilesToModify: list(it.Modify), TestFiles: list(it.Tests), DependsOn: []waitObject{},
			Milestone: it.Milestone, Priority: string(it.Priority), Risk: it.Risk, Labels: it.Labels, Verify: it.Verify,
			Score: core.ScoreOf(&score, limits), Made: !p.Fates[i].Out, There: string(p.Fates[i].There), Notes: list(it.Notes),
		}
		if p.Fates[i].Out {
			o.Why = p.Fates[i].Why
		}
		if p.Hash != "" {
			o.Lines, o.Objective = []int{it.From, it.To}, it.Objective(t.Config.Name)
		}
		for _, n := range it.Needs {
			o.DependsOn = append(o.DependsOn, waitObject{n.Key, n.Why, n.At})
		}
		obj.Tasks = append(obj.Tasks, o)
	}
	return obj
}

func (a *app) printProposal(s *store.Store, snap *snapshot.Snapshot, p *decompose.Proposal) error {
	obj := a.proposalOf(s, snap, p)
	if a.JSON {
		return core.WriteJSON(a.Stdout, obj)
	}
	w := a.Prose(a.Stdout, 0)
	whole := p.Task.Complexity(snap.Policy().SizeLimits())
	switch {
	case p.Hash == "":
		fmt.Fprintf(w, "%s  %s; %s by %s\n", core.Title(p.Task), core.ScoreLine(&whole), model.Plural(len(obj.Tasks), "part", "parts"), obj.Form)
	default:
		how := map[bool]string{true: "the accepted plan", false: "the plan, which is not accepted,"}[obj.Accepted]
		fmt.Fprintf(w, "%s: %s lists %s by %s; %d would be created\n", visible.Line(obj.Name), how, model.Plural(len(obj.Tasks), "task", "tasks"), obj.Form, obj.Make)
	}
	stone := ""
	for i := range obj.Tasks {
		o := &obj.Tasks[i]
		if o.Milestone != stone {
			if stone = o.Milestone; stone != "" {
				fmt.Fprintln(w, "\nMilestone "+visible.Line(stone))
			}
		}
		printSubtask(w, o)
	}
	for _, c := range obj.Cycles {
		fmt.Fprintln(w, "\ncycle: "+visible.Line(strings.Join(c, " → ")))
	}
	for i, n := range obj.Notes {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, "note: "+visible.Line(n))
	}
	if obj.WhyNot != "" {
		fmt.Fprintln(w, "\nThey can't be created now: "+visible.Line(obj.WhyNot))
	} else {
		fmt.Fprintf(w, "\nThis would %s.\n", visible.Line(obj.Would))
	}
	return nil
}

func printSubtask(w io.Writer, o *subtaskObject) {
	fmt.Fprintf(w, "\n%s  %s  %s, %s", visible.Line(o.ID), visible.Line(o.Name), core.Points(o.Score.Total), o.Score.Level)
	if len(o.Lines) > 0 {
		fmt.Fprintf(w, "  line %d", o.Lines[0])
	}
	fmt.Fprintln(w)
	row := func(what string, items ...string) {
		if len(items) > 0 && items[0] != "" {
			fmt.Fprintln(w, "    "+core.Pad(what, 10)+"  "+visible.Line(strings.Join(items, ", ")))
		}
	}
	row("not created", o.Why)
	row("create", o.FilesToCreate...)
	row("modify", o.FilesToModify...)
	row("test", o.TestFiles...)
	for _, n := range o.DependsOn {
		why := n.Why
		if n.Line > 0 {
			why = fmt.Sprintf("%s (line %d)", why, n.Line)
		}
		row("waits for", n.ID+": "+why)
	}
	for _, c := range o.Criteria {
		row("criterion", c)
	}
	row("priority", o.Priority)
	row("risk", o.Risk)
	for _, n := range o.Notes {
		row("note", n)
	}
}
