package cli

import (
	"bufio"
	"context"
	"errors"
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

// breakdownObject is `breakdown --json`: what a plan proposes.
type breakdownObject struct {
	UID      string          `json:"uid"`
	Name     string          `json:"name"`
	Plan     string          `json:"plan"`     // hash of the bytes that were read
	Accepted bool            `json:"accepted"` // they are the accepted ones, so that the tasks can be made
	Form     string          `json:"form"`
	Tasks    []plannedObject `json:"tasks"`
	Cycles   [][]string      `json:"cycles"`
	Notes    []string        `json:"notes"`
	Make     int             `json:"make"`              // how many are to be made
	WhyNot   string          `json:"why_not,omitempty"` // why they cannot be made now
}

// plannedObject is one task that a plan proposes.
type plannedObject struct {
	ID            string        `json:"id"`
	Name          string        `json:"name"`
	Lines         [2]int        `json:"lines"` // of the plan, the first and the last
	Objective     string        `json:"objective"`
	Criteria      []string      `json:"acceptance_criteria"`
	FilesToCreate []string      `json:"files_to_create"`
	FilesToModify []string      `json:"files_to_modify"`
	TestFiles     []string      `json:"test_files"`
	DependsOn     []plannedNeed `json:"depends_on"`
	Milestone     string        `json:"milestone,omitempty"`
	Priority      string        `json:"priority,omitempty"`
	Risk          string        `json:"risk,omitempty"`
	Labels        []string      `json:"labels,omitempty"`
	Verify        [][]string    `json:"verify,omitempty"`
	Score         scoreObject   `json:"score"`
	Split         *splitObject  `json:"split,omitempty"` // what is suggested where it should be split
	Made          bool          `json:"made"`            // it is to be made
	There         string        `json:"there,omitempty"` // the subtask that was made of it already
	Why           string        `json:"why,omitempty"`   // why it is not to be made
	Notes         []string      `json:"notes"`
}

// plannedNeed is what a proposed task waits for. Line is 0 for what files say.
type plannedNeed struct {
	ID   string `json:"id"`
	Why  string `json:"why"`
	Line int    `json:"line"`
}

type breakdownFlags struct {
	opFlags
	from    string
	yes     bool
	only    []string
	without []string
	split   []string
}

func (a *app) breakdownVerb() *cobra.Command {
	var f breakdownFlags
	c := &cobra.Command{
		Use: "breakdown UID", Short: "The tasks that a plan lists; makes subtasks of them",
		Long: "The tasks that the plan of UID lists, each with its files, criteria, dependencies, milestone and score.\n" +
			"Of an accepted plan they become subtasks in one transaction, after a yes at the terminal or with\n" +
			"--yes. Each has its part of the plan as its own plan, which waits for its own verdict: review them\n" +
			"one by one, or all at once as a changeset in the workbench. What was made before is not made again.\n\n" +
			"A plan lists tasks as:\n  " + strings.Join(decompose.Forms(), "\n  "),
		Example: "  vespe breakdown 3f9a1c --dry-run\n  vespe breakdown 3f9a1c --without T4,T5 --yes\n" +
			"  vespe breakdown 3f9a1c --split T2=layers\n  vespe breakdown 3f9a1c --from plan.md --json --dry-run",
		GroupID: "edit", Args: between(1, 1), ValidArgsFunction: a.completeTask(1),
	}
	c.Flags().StringVar(&f.from, "from", "", "read the plan from a file, or - for standard input; its tasks are made only if it is the accepted plan")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "make them without asking")
	c.Flags().StringSliceVar(&f.only, "only", nil, "make only these, also where the plan says that they are done")
	c.Flags().StringSliceVar(&f.without, "without", nil, "leave these out; who waits for one waits for what it waits for")
	c.Flags().StringSliceVar(&f.split, "split", nil, "split one as suggested, or by files, layers or criteria: T2, T2=layers")
	f.add(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		asks := a.StdinTerminal && a.StderrTerminal && !a.json && f.from != "-"
		switch {
		case f.yes && f.dryRun:
			return usagef("--yes and --dry-run say opposite things; give one")
		case !f.yes && !f.dryRun && !asks:
			return usagef("say --yes to make the tasks, or --dry-run to look at them")
		case f.dryRun && (f.opID != "" || f.revision != 0):
			return usagef("with --dry-run nothing is done, so --op-id and --if-revision say nothing")
		}
		if f.dryRun {
			s, err := a.open()
			if err != nil {
				return err
			}
			return a.look(cmd.Context(), s, false, args, func(ctx context.Context, s *store.Store, snap *model.Snapshot, args []string) ([]model.UID, error) {
				p, err := a.proposed(ctx, s, snap, args[0], f)
				if err != nil {
					return nil, err
				}
				return []model.UID{p.Task.UID}, a.printBreakdown(snap, p)
			})
		}
		return a.breakDown(cmd.Context(), args[0], f)
	}
	return c
}

// proposed reads the tasks of a plan, with what the flags make of them.
func (a *app) proposed(ctx context.Context, s *store.Store, snap *model.Snapshot, ref string, f breakdownFlags) (*decompose.Proposal, error) {
	uid, err := snap.Find(ref)
	if err != nil {
		return nil, err
	}
	t, _ := snap.Task(uid)
	text, err := a.planOf(ctx, s, t, f.from)
	if err != nil {
		return nil, err
	}
	refuse := func(why, hint string) error {
		return &model.Refusal{Code: model.CodeRefused, Op: model.Decompose, UID: uid, Task: t.Config.Name, Guard: model.GuardDecompose, Why: why, Hint: hint}
	}
	if strings.TrimSpace(text) == "" {
		return nil, refuse("it has no plan", "write one, with a list of tasks")
	}
	p, err := s.Propose(snap, t, text)
	var bad *decompose.Unreadable
	switch {
	case errors.As(err, &bad):
		r := &model.Refusal{Code: model.CodeInvalid, Op: model.Decompose, UID: uid, Task: t.Config.Name, Guard: model.GuardDecompose, Why: "its list of tasks cannot be read: " + err.Error()}
		return nil, r
	case err != nil:
		return nil, refuse(err.Error(), "it may have: "+strings.Join(decompose.Forms(), "; "))
	}
	return p, choose(p, f)
}

// planOf is the text that is broken down: that of a file, the accepted plan, or else today's.
func (a *app) planOf(ctx context.Context, s *store.Store, t *model.Task, from string) (string, error) {
	switch from {
	case "":
	case "-":
		return a.readAll("plan")
	default:
		return a.readFile(from)
	}
	return s.PlanToDecompose(ctx, t)
}

// choose does what --only, --without and --split say.
func choose(p *decompose.Proposal, f breakdownFlags) error {
	index := func(flag, key string) (int, error) {
		i := p.Index(key)
		if i < 0 {
			var keys []string
			for k := range p.Items {
				keys = append(keys, p.Items[k].Key)
			}
			return 0, usagef("--%s %s: the plan has no such task; it has %s", flag, key, strings.Join(keys, ", "))
		}
		return i, nil
	}
	if len(f.only) > 0 {
		in := map[int]bool{}
		for _, key := range f.only {
			i, err := index("only", key)
			if err != nil {
				return err
			}
			if p.Fates[i].Fixed {
				return usagef("--only %s: %s", key, p.Fates[i].Why)
			}
			in[i] = true
		}
		for i := range p.Fates {
			if p.Fates[i].Out == in[i] {
				p.Toggle(i)
			}
		}
	}
	for _, key := range f.without {
		i, err := index("without", key)
		if err != nil {
			return err
		}
		if !p.Fates[i].Out {
			p.Toggle(i)
		}
	}
	for _, arg := range f.split {
		key, way, _ := strings.Cut(arg, "=")
		i, err := index("split", key)
		if err != nil {
			return err
		}
		if way != "" && !slices.Contains(wayWords(), way) {
			return usagef("--split %s: it may be %s", arg, strings.Join(wayWords(), ", "))
		}
		if way == "" {
			s := complexity.Of(p.Items[i].Work, complexity.DefaultLimits())
			way = string(complexity.Suggest(s))
		}
		if err := p.Split(i, complexity.Way(way)); err != nil {
			return usagef("--split %s: %s", arg, err)
		}
	}
	return nil
}

// breakDown makes the tasks, after a yes.
func (a *app) breakDown(ctx context.Context, ref string, f breakdownFlags) error {
	actor, s, snap, err := a.begin(ctx)
	if err != nil {
		return err
	}
	p, err := a.proposed(ctx, s, snap, ref, f)
	if err != nil {
		return err
	}
	uid := p.Task.UID
	op := f.op(model.Op{Name: model.Decompose, UID: uid, Actor: actor, Decompose: p.Decomposition()})
	if !f.yes {
		out := a.Stdout
		a.Stdout = a.Stderr // it belongs to the question
		err := a.printBreakdown(snap, p)
		a.Stdout = out
		if err != nil {
			return err
		}
	}
	trial := op
	trial.ID, trial.At, trial.Decompose = "", a.Now(), op.Decompose.WithUIDs(s.NewUID)
	change, err := model.Apply(a.world(ctx, snap, s), trial)
	if err != nil {
		return a.repeated(ctx, s, op, err)
	}
	if !f.yes {
		fmt.Fprintf(a.Stderr, "\nThis would %s.\n", visible.Line(change.Summary))
		a.printWarnings(change.Warnings)
		fmt.Fprint(a.Stderr, "Make them? y/N ")
		answer, err := bufio.NewReader(a.Stdin).ReadString('\n')
		if err != nil {
			fmt.Fprintln(a.Stderr)
		}
		if yes := strings.ToLower(strings.TrimSpace(answer)); yes != "y" && yes != "yes" {
			return &model.Refusal{
				Code: model.CodeRefused, Op: op.Name, UID: uid, Task: p.Task.Config.Name, Guard: "confirmed",
				Why: "it was not confirmed", Hint: "nothing was changed",
			}
		}
	}
	return a.doAnd(ctx, s, snap, op, false, func(applied model.Applied) error {
		if err := a.report(applied, uid); err != nil || a.json {
			return err
		}
		for _, t := range applied.Change.Tasks {
			if t.Config.ParentUID == uid && !applied.Replayed {
				fmt.Fprintln(a.Stdout, "  "+visible.Line(a.reference(applied.Snapshot, t.UID)))
			}
		}
		return nil
	})
}

func breakdownOf(snap *model.Snapshot, p *decompose.Proposal) breakdownObject {
	limits := snap.Policy().SizeLimits()
	list := func(items []string) []string { return append([]string{}, items...) }
	t := p.Task
	obj := breakdownObject{
		UID: string(t.UID), Name: t.Config.Name, Plan: p.Hash, Form: string(p.Form), Tasks: []plannedObject{}, Cycles: [][]string{},
		Accepted: t.Status.AcceptedPlan != nil && t.Status.AcceptedPlan.PlanHash == p.Hash, Notes: list(p.Notes), Make: len(p.In()),
	}
	obj.Cycles = append(obj.Cycles, p.Cycles()...)
	trial := model.Op{Name: model.Decompose, UID: t.UID, Actor: model.Human + ":somebody", Decompose: p.Decomposition()}
	if err := model.Allowed(snap, trial); err != nil {
		obj.WhyNot = err.Error()
		if r := (*model.Refusal)(nil); errors.As(err, &r) {
			obj.WhyNot = r.Why
		}
	}
	for i := range p.Items {
		it := &p.Items[i]
		score := complexity.Of(it.Work, limits)
		o := plannedObject{
			ID: it.Key, Name: it.Title, Lines: [2]int{it.From, it.To}, Objective: it.Objective(t.Config.Name), Criteria: list(it.Criteria),
			FilesToCreate: list(it.Create), FilesToModify: list(it.Modify), TestFiles: list(it.Tests), DependsOn: []plannedNeed{},
			Milestone: it.Milestone, Priority: string(it.Priority), Risk: it.Risk, Labels: it.Labels, Verify: it.Verify,
			Score: scoreOf(&score, limits), Made: !p.Fates[i].Out, There: string(p.Fates[i].There), Why: p.Fates[i].Why, Notes: list(it.Notes),
		}
		for _, n := range it.Needs {
			o.DependsOn = append(o.DependsOn, plannedNeed{n.Key, n.Why, n.At})
		}
		if score.Split && o.Made {
			o.Split = suggestedSplit(it, &score, limits)
		}
		obj.Tasks = append(obj.Tasks, o)
	}
	return obj
}

// suggestedSplit is what a proposed task could be split into; nil where that gives no two parts.
func suggestedSplit(it *decompose.Item, score *complexity.Score, limits complexity.Limits) *splitObject {
	way := complexity.Suggest(*score)
	p := decompose.Divide(&model.Task{Config: model.Config{Name: it.Title}, Spec: it.Spec()}, way)
	if p.Why != "" {
		return nil
	}
	o := splitOf(p, limits)
	return &o
}

func (a *app) printBreakdown(snap *model.Snapshot, p *decompose.Proposal) error {
	obj := breakdownOf(snap, p)
	if a.json {
		return writeJSON(a.Stdout, obj)
	}
	w := a.Stdout
	how := "not the accepted plan"
	if obj.Accepted {
		how = "accepted"
	}
	fmt.Fprintf(w, "%s  the plan (%s) lists %s by %s, of which %d would be made\n", visible.Line(obj.Name), how, counted(len(obj.Tasks), "task", "tasks"), obj.Form, obj.Make)
	stone := ""
	for i := range obj.Tasks {
		o := &obj.Tasks[i]
		if o.Milestone != stone {
			if stone = o.Milestone; stone != "" {
				fmt.Fprintln(w, "\nMilestone "+visible.Line(stone))
			}
		}
		a.printPlanned(o)
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
		fmt.Fprintln(w, "\nThey cannot be made now: "+visible.Line(obj.WhyNot))
	}
	return nil
}

func (a *app) printPlanned(o *plannedObject) {
	w := a.Stdout
	fmt.Fprintf(w, "\n%s  %s  %s, %s  line %d\n", visible.Line(o.ID), visible.Line(o.Name), points(o.Score.Total), o.Score.Level, o.Lines[0])
	row := func(what string, items ...string) {
		if len(items) > 0 && items[0] != "" {
			fmt.Fprintln(w, "    "+pad(what, 10)+"  "+visible.Line(strings.Join(items, ", ")))
		}
	}
	row("not made", o.Why)
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
	if n := len(o.Criteria); n > 0 {
		row("criteria", fmt.Sprint(n))
	}
	row("priority", o.Priority)
	row("risk", o.Risk)
	if o.Split != nil {
		var names []string
		for _, part := range o.Split.Parts {
			names = append(names, part.Focus)
		}
		row("split it", fmt.Sprintf("--split %s=%s: %s", o.ID, o.Split.By, strings.Join(names, " | ")))
	}
	for _, n := range o.Notes {
		row("note", n)
	}
}
