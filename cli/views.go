package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) viewVerbs() []*cobra.Command {
	return []*cobra.Command{
		a.lsVerb(), a.treeVerb(), a.showVerb(), a.nextVerb(), a.inboxVerb(), a.reviewVerb(), a.requestsVerb(), a.waitVerb(),
		a.diffVerb(), a.historyVerb(), a.atVerb(),
	}
}

func (a *app) lsVerb() *cobra.Command {
	var limit int
	var watch bool
	c := &cobra.Command{
		Use:   "ls [FILTER…]",
		Short: "List tasks, all or those that match a filter",
		Long: "List tasks in the order they were made.\n\n" +
			"A filter is words in the name, uid, labels or description, and terms such as is:blocked,\n" +
			"status:review-plan, under:UID, label:parser, priority:high, by:ann; -is:done leaves out.",
		Example: "  vespe ls is:blocked\n  vespe ls under:3f9a1c priority:high -is:done\n  vespe ls --json --limit 50",
		GroupID: "look", ValidArgsFunction: completeFilter,
	}
	c.Flags().IntVar(&limit, "limit", 0, "at most this many; 0 is all")
	c.Flags().BoolVar(&watch, "watch", false, "print it again whenever it changes, until ctrl+c")
	list := func(_ context.Context, _ *store.Store, snap *model.Snapshot, args []string) ([]model.UID, error) {
		return a.list(snap, args, limit)
	}
	a.view(c, list)
	once := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if watch {
			return a.watch(cmd.Context(), args, list)
		}
		return once(cmd, args)
	}
	return c
}

// list prints the tasks that match a filter.
func (a *app) list(snap *model.Snapshot, args []string, limit int) ([]model.UID, error) {
	if limit < 0 {
		return nil, usagef("--limit is %d; it must be 0 or more", limit)
	}
	filter, err := model.ParseFilter(filterText(args))
	if err != nil {
		return nil, err
	}
	if err := checkUnder(snap, args); err != nil {
		return nil, err
	}
	found := snap.Select(filter)
	total := len(found)
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	return uidsOf(snap, found), a.printList(snap, found, total)
}

func uidsOf(snap *model.Snapshot, rows []int32) []model.UID {
	uids := make([]model.UID, len(rows))
	for k, i := range rows {
		uids[k] = snap.UID(int(i))
	}
	return uids
}

// checkUnder refuses under:UID of a task that is not there: nothing would match, and that
// is not what was asked.
func checkUnder(snap *model.Snapshot, args []string) error {
	for _, arg := range args {
		refs, ok := strings.CutPrefix(strings.TrimLeft(arg, "!-"), "under:")
		if !ok || strings.ContainsAny(refs, `" `) {
			continue
		}
		for ref := range strings.SplitSeq(refs, ",") {
			if _, err := snap.Find(ref); err != nil {
				return err
			}
		}
	}
	return nil
}

// filterText is a filter from arguments, of which each that holds spaces stays one word.
func filterText(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if key, value, ok := strings.Cut(arg, ":"); ok && strings.ContainsAny(value, " \t") && !strings.ContainsAny(arg, `"`) && !strings.ContainsAny(key, " \t") {
			words[i] = key + `:"` + value + `"`
		}
	}
	return strings.Join(words, " ")
}

func (a *app) printList(snap *model.Snapshot, found []int32, total int) error {
	if a.json {
		tasks := make([]taskObject, 0, len(found))
		for _, i := range found {
			tasks = append(tasks, taskOf(snap, int(i)))
		}
		return writeJSON(a.Stdout, struct {
			Tasks []taskObject `json:"tasks"`
			Total int          `json:"total"`
		}{tasks, total})
	}
	for _, i := range found {
		t, status := snap.At(int(i)), snap.Status(int(i))
		priority := ""
		if t.Spec != nil {
			priority = visible.Line(string(t.Spec.Priority))
		}
		fmt.Fprintln(a.Stdout, t.UID.Short()+"  "+a.paint(status, pad(status.Glyph(false)+" "+status.String(), 13))+"  "+pad(priority, 8)+"  "+title(t))
	}
	switch {
	case snap.Len() == 0:
		fmt.Fprintln(a.Stdout, a.noTasks())
	case total == 0:
		fmt.Fprintln(a.Stdout, "No task matches.")
	case total > len(found):
		fmt.Fprintf(a.Stdout, "… %d more\n", total-len(found))
	}
	return nil
}

func (a *app) treeVerb() *cobra.Command {
	return a.view(&cobra.Command{
		Use: "tree [UID]", Short: "The task tree with statuses, whole or below one task",
		Example: "  vespe tree\n  vespe tree 3f9a1c --json",
		GroupID: "look", Args: between(0, 1), ValidArgsFunction: a.completeTask(1),
	}, func(_ context.Context, _ *store.Store, snap *model.Snapshot, args []string) ([]model.UID, error) {
		roots, err := rootsOf(snap, args)
		if err != nil {
			return nil, err
		}
		var printed []model.UID
		walkTree(snap, roots, func(i int32, _ int, _ bool) {
			printed = append(printed, snap.UID(int(i)))
		})
		return printed, a.printTree(snap, roots, false)
	})
}

// rootsOf is the task that an argument names, or without one every root.
func rootsOf(snap *model.Snapshot, args []string) ([]int32, error) {
	if len(args) == 0 {
		return snap.Roots(), nil
	}
	uid, err := snap.Find(args[0])
	if err != nil {
		return nil, err
	}
	i, _ := snap.Index(uid)
	return []int32{int32(i)}, nil
}

func (a *app) nextVerb() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use: "next", Short: "What is ready to be worked on, best first",
		Long:    "Tasks whose plan is accepted and whose dependencies are met: by priority, then by how\nmuch waits behind them, then by age. Nothing ready is no error.",
		Example: "  vespe next\n  vespe next --limit 5 --json",
		GroupID: "look", Args: between(0, 0),
	}
	c.Flags().IntVar(&limit, "limit", 1, "at most this many")
	return a.view(c, func(_ context.Context, _ *store.Store, snap *model.Snapshot, _ []string) ([]model.UID, error) {
		if limit < 1 {
			return nil, usagef("--limit is %d; it must be 1 or more", limit)
		}
		found := snap.Next(limit)
		if !a.json && len(found) == 0 {
			fmt.Fprintln(a.Stdout, "Nothing is ready.")
			if n := snap.InboxLen(); n > 0 {
				wait := "wait"
				if n == 1 {
					wait = "waits"
				}
				fmt.Fprintf(a.Stdout, "%d %s for a person: vespe inbox\n", n, wait)
			}
			return nil, nil
		}
		return uidsOf(snap, found), a.printList(snap, found, len(found))
	})
}

func (a *app) inboxVerb() *cobra.Command {
	return a.view(&cobra.Command{
		Use: "inbox", Short: "What waits for a person",
		Example: "  vespe inbox\n  vespe inbox --json",
		GroupID: "look", Args: between(0, 0),
	}, func(_ context.Context, _ *store.Store, snap *model.Snapshot, _ []string) ([]model.UID, error) {
		var printed []model.UID
		for _, item := range snap.Inbox() {
			if item.Task >= 0 {
				printed = append(printed, snap.At(int(item.Task)).UID)
			}
		}
		if a.json {
			items := a.inboxOf(snap)
			return printed, writeJSON(a.Stdout, struct {
				Items []inboxObject `json:"items"`
				Count int           `json:"count"`
			}{items, len(items)})
		}
		a.printInbox(snap)
		return printed, nil
	})
}

func (a *app) showVerb() *cobra.Command {
	return a.view(&cobra.Command{
		Use: "show UID", Short: "One task: status, why, dependencies, objective, plan, result",
		Example: "  vespe show 3f9a1c\n  vespe show \"Parse config\" --json",
		GroupID: "look", Args: between(1, 1), ValidArgsFunction: a.completeTask(1),
	}, func(ctx context.Context, s *store.Store, snap *model.Snapshot, args []string) ([]model.UID, error) {
		uid, err := snap.Find(args[0])
		if err != nil {
			return nil, err
		}
		i, _ := snap.Index(uid)
		return around(snap, i), a.show(ctx, s, snap, i)
	})
}

// around is a task and those that are named beside it.
func around(snap *model.Snapshot, i int) []model.UID {
	t := snap.At(i)
	uids := append([]model.UID{t.UID}, t.DependsOn...)
	if t.Config.ParentUID != "" {
		uids = append(uids, t.Config.ParentUID)
	}
	uids = append(uids, uidsOf(snap, snap.Dependants(i))...)
	for _, r := range snap.Why(i) {
		if r.UID != "" {
			uids = append(uids, r.UID)
		}
	}
	return uids
}

// documents is where `show` takes from what is in no snapshot.
type documents interface {
	Content(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error)
	Results(ctx context.Context, uid model.UID) ([]model.ResultFile, error)
	ReadResult(ctx context.Context, uid model.UID, path string, limit int64) ([]byte, error)
}

// approvals is where `show` takes approvals from; what was long ago has none.
type approvals interface {
	ApprovalFile(ctx context.Context, uid model.UID, name string) ([]byte, error)
}

func approvalsFrom(s documents) approvals {
	from, _ := s.(approvals)
	return from
}

// summaryName is the result file that says what was done. One of more than summaryMost bytes
// is in the list of files only: it is read there.
const (
	summaryName = "summary.md"
	summaryMost = 256 << 10
)

// shownObject is `show --json`.
type shownObject struct {
	Task       taskObject      `json:"task"`
	Why        []reasonObject  `json:"why,omitempty"`
	Children   []string        `json:"children"`
	Dependants []string        `json:"dependants"`
	Objective  *documentObject `json:"objective,omitempty"`
	Plan       *documentObject `json:"plan,omitempty"`
	Result     []resultObject  `json:"result,omitempty"`
	Approval   *approvalObject `json:"approval,omitempty"`
	Summary    string          `json:"summary,omitempty"` // the text of result/summary.md

	problems []model.Problem // of the task, and of what could not be read now
}

type resultObject struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Hash string `json:"hash"`
}

func (a *app) show(ctx context.Context, s documents, snap *model.Snapshot, i int) error {
	t := snap.At(i)
	obj := shownObject{Task: taskOf(snap, i), Children: indexUIDs(snap, snap.Children(i)), Dependants: indexUIDs(snap, snap.Dependants(i))}
	for _, r := range snap.Why(i) {
		obj.Why = append(obj.Why, reasonObject{string(r.UID), r.Name, r.Status.String(), r.Text, r.Depth})
	}
	obj.problems = slices.Clone(snap.ProblemsOf(i))
	for _, d := range []struct {
		doc model.Doc
		to  **documentObject
	}{{model.Objective, &obj.Objective}, {model.Plan, &obj.Plan}} {
		var err error
		if *d.to, err = document(ctx, s, t.UID, d.doc); err != nil {
			obj.unreadable(t.UID, string(d.doc)+".md", err)
		}
	}
	results, err := s.Results(ctx, t.UID)
	if err != nil {
		obj.unreadable(t.UID, "result", err)
	}
	for _, r := range results {
		obj.Result = append(obj.Result, resultObject{r.Path, r.Size, r.Hash})
		if r.Path != summaryName || r.Size > summaryMost {
			continue
		}
		summary, err := s.ReadResult(ctx, t.UID, r.Path, summaryMost)
		if err != nil {
			obj.unreadable(t.UID, "result/"+r.Path, err)
		}
		obj.Summary = string(summary)
	}
	if p, from := t.Status.AcceptedPlan, approvalsFrom(s); p != nil && from != nil && p.Approval != "" {
		switch b, err := from.ApprovalFile(ctx, t.UID, p.Approval); {
		case err == nil:
			obj.Approval = a.approvalOf(p.Approval, b)
		default:
			obj.unreadable(t.UID, "approvals/"+p.Approval, err)
		}
	}
	obj.Task.Problems = problemObjects(obj.problems)
	if a.json {
		return writeJSON(a.Stdout, obj)
	}
	a.printTask(snap, i, obj)
	return nil
}

// unreadable makes what cannot be read a problem: the rest is shown all the same.
func (o *shownObject) unreadable(uid model.UID, file string, err error) {
	path := ".vespe/tasks/" + string(uid) + "/" + file
	if slices.ContainsFunc(o.problems, func(p model.Problem) bool { return p.Path == path }) {
		return
	}
	o.problems = append(o.problems, model.Problem{
		UID: uid, Path: path, Severity: model.Error, Code: "unreadable", Reason: explain(err), Hint: "see `vespe doctor`",
	})
}

func document(ctx context.Context, s documents, uid model.UID, doc model.Doc) (*documentObject, error) {
	c, err := s.Content(ctx, uid, doc)
	if errors.Is(err, model.ErrNoContent) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &documentObject{c.Revision, c.Hash, string(c.Body)}, nil
}

func indexUIDs(snap *model.Snapshot, rows []int32) []string {
	out := make([]string, 0, len(rows))
	for _, r := range rows {
		out = append(out, string(snap.At(int(r)).UID))
	}
	return out
}

// printTask prints one task for people. Documents are printed as they are written, with
// what a terminal would obey or hide made visible: no rendering leaves anything out.
func (a *app) printTask(snap *model.Snapshot, i int, obj shownObject) {
	t := snap.At(i)
	w := a.Stdout
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "  %s %s\n", pad(name, 12), visible.Line(value))
		}
	}
	fmt.Fprintf(w, "%s  %s\n", title(t), a.statusText(snap.Status(i)))
	row("uid", string(t.UID))
	row("state", string(t.Status.CurrentState))
	if p, ok := snap.Task(t.Config.ParentUID); ok {
		row("parent", p.Config.Name+"  "+p.UID.Short())
	} else if t.Config.ParentUID != "" {
		row("parent", string(t.Config.ParentUID)+"  (there is no such task)")
	}
	if t.Spec != nil {
		row("priority", string(t.Spec.Priority))
		row("labels", strings.Join(t.Spec.Labels, ", "))
		row("risk", t.Spec.Risk)
		row("description", t.Spec.Description)
	}
	if !t.Config.CreatedAt.IsZero() {
		row("created", t.Config.CreatedAt.UTC().Format("2006-01-02 15:04")+" by "+string(t.Config.CreatedBy))
	}
	if n := obj.Task.Leaves; len(obj.Children) > 0 {
		row("progress", fmt.Sprintf("%d of %d", n.Done, n.Total))
	}
	row("paused", t.Status.PauseReason)
	row("error", t.Status.ErrorDetails)
	if p := t.Status.AcceptedPlan; p != nil {
		row("accepted", fmt.Sprintf("plan %d by %s, %s", p.PlanRevision, p.By, p.At.UTC().Format("2006-01-02 15:04")))
		for _, what := range p.Excluded {
			if child, ok := snap.Task(model.UID(what)); ok {
				what = child.Config.Name
			}
			row("without", what)
		}
	}
	if obj.Approval != nil {
		row("approval", obj.Approval.line())
	}
	if r := t.Status.Review; r != nil {
		row("review", strings.TrimSpace(r.Of+" "+r.Verdict+" by "+string(r.By)+"  "+r.Reason))
	}
	for _, c := range snap.Changes(t) {
		row("changed", fmt.Sprintf("%s: %s → %s", model.FileOf(snap, c.File), shortHash(c.Old), shortHash(c.New)))
	}
	for _, d := range t.DependsOn {
		row("depends on", a.reference(snap, d))
	}
	for _, d := range obj.Dependants {
		row("needed by", a.reference(snap, model.UID(d)))
	}
	for _, r := range obj.Why {
		fmt.Fprintf(w, "  %s %s%s\n", pad("why", 12), strings.Repeat("  ", r.Depth), visible.Line(r.Text))
	}
	if t.Spec != nil {
		for _, c := range t.Spec.AcceptanceCriteria {
			row("criterion", strings.TrimSpace(c.Text+"  "+c.State))
		}
	}
	for _, r := range obj.Result {
		row("result", fmt.Sprintf("%s  %d bytes", r.Path, r.Size))
	}
	a.printProblems(obj.problems)
	for _, d := range []struct {
		title string
		doc   *documentObject
	}{{"Objective", obj.Objective}, {"Plan", obj.Plan}} {
		if d.doc != nil {
			revision := fmt.Sprintf("revision %d", d.doc.Revision)
			if d.doc.Revision == 0 {
				revision = "edited by hand, no revision yet"
			}
			fmt.Fprintf(w, "\n── %s, %s ──\n%s\n", d.title, revision, strings.TrimRight(visible.String(d.doc.Text), "\n"))
		}
	}
	if obj.Summary != "" {
		fmt.Fprintf(w, "\n── Result, %s ──\n%s\n", summaryName, strings.TrimRight(visible.String(obj.Summary), "\n"))
	}
}

func (a *app) reference(snap *model.Snapshot, uid model.UID) string {
	i, ok := snap.Index(uid)
	if !ok {
		return string(uid) + "  (there is no such task)"
	}
	return title(snap.At(i)) + "  " + snap.Status(i).String() + "  " + uid.Short()
}

func (a *app) printProblems(ps []model.Problem) { writeProblems(a.Stdout, ps) }

func writeProblems(w io.Writer, ps []model.Problem) {
	for _, p := range ps {
		place := p.Path
		if place == "" {
			place = "store"
		}
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, p.Line)
		}
		severity := "warning"
		if p.Severity == model.Error {
			severity = "problem"
		}
		fmt.Fprintf(w, "%s: %s: %s [%s]\n", visible.Line(place), severity, visible.Line(p.Reason), visible.Line(p.Code))
		if p.Hint != "" {
			fmt.Fprintf(w, "  %s\n", visible.Line(p.Hint))
		}
	}
}

func (a *app) listDependencies(ctx context.Context, ref string) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	return a.look(ctx, s, false, []string{ref}, func(_ context.Context, _ *store.Store, snap *model.Snapshot, args []string) ([]model.UID, error) {
		uid, err := snap.Find(args[0])
		if err != nil {
			return nil, err
		}
		i, _ := snap.Index(uid)
		return around(snap, i), a.printDependencies(snap, i)
	})
}

func (a *app) printDependencies(snap *model.Snapshot, i int) error {
	t := snap.At(i)
	if a.json {
		return writeJSON(a.Stdout, struct {
			DependsOn  []string `json:"depends_on"`
			Dependants []string `json:"dependants"`
		}{uidStrings(t.DependsOn), indexUIDs(snap, snap.Dependants(i))})
	}
	for _, d := range t.DependsOn {
		fmt.Fprintln(a.Stdout, "waits for  "+visible.Line(a.reference(snap, d)))
	}
	for _, d := range snap.Dependants(i) {
		fmt.Fprintln(a.Stdout, "needed by  "+visible.Line(a.reference(snap, snap.At(int(d)).UID)))
	}
	if len(t.DependsOn) == 0 && len(snap.Dependants(i)) == 0 {
		fmt.Fprintln(a.Stdout, "No dependencies either way.")
	}
	return nil
}
