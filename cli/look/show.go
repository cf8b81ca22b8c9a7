package look

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/cli/core"
	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/progress"
	"vespe/model/snapshot"
	"vespe/model/specfields"
	"vespe/model/strictness"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) showVerb() *cobra.Command {
	return a.ViewTask(&cobra.Command{
		Use: "show UID", Short: "Show a task: status, reason, dependencies, texts, result",
		Example: "  vespe show 3f9a1c\n  vespe show \"Parse config\" --json",
		GroupID: "task",
	}, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, i int) ([]model.UID, error) {
		return core.Around(snap, i), a.show(ctx, s, snap, i)
	})
}

// documents is where `show` takes from what is in no snapshot.
type documents interface {
	Content(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error)
	Results(ctx context.Context, uid model.UID) ([]model.ResultFile, error)
	ReadResult(ctx context.Context, uid model.UID, path string, limit int64) ([]byte, error)
	WorkReport(ctx context.Context, t *model.Task) (*progress.WorkReport, error)
}

// approvals is where `show` takes approvals from; what was long ago has none.
type approvals interface {
	ApprovalFile(ctx context.Context, uid model.UID, name string) ([]byte, error)
}

// summaryName is the result file that says what was done. One of more than summaryMost bytes
// is in the list of files only: it is read there.
const (
	summaryName = "summary.md"
	summaryMost = 256 << 10
)

// shownObject is `show --json`.
type shownObject struct {
	Report     *desk.WorkReport     `json:"report,omitempty"` // what was said when the work was reported as done
	Task       core.TaskObject      `json:"task"`
	Spec       json.RawMessage      `json:"spec,omitempty"` // spec.json, with the keys that vespe does not know
	Complexity core.ScoreObject     `json:"complexity"`
	Why        []core.ReasonObject  `json:"why,omitempty"`
	Children   []string             `json:"children"`
	Dependents []string             `json:"dependents"`
	Objective  *core.DocumentObject `json:"objective,omitempty"`
	Plan       *core.DocumentObject `json:"plan,omitempty"`
	Phases     []binding.PhaseText  `json:"accepted_with,omitempty"` // phases that accepting the plan accepts, too
	Result     []resultObject       `json:"result,omitempty"`
	Approval   *core.ApprovalObject `json:"approval,omitempty"`
	Summary    string               `json:"summary,omitempty"` // the text of result/summary.md

	problems []model.Problem // of the task, and of what could not be read now
}

type resultObject struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Hash string `json:"hash"`
}

func (a *app) show(ctx context.Context, s documents, snap *snapshot.Snapshot, i int) error {
	t := snap.At(i)
	limits := snap.Policy().SizeLimits()
	score := t.Complexity(limits)
	obj := shownObject{Task: core.TaskOf(snap, i), Complexity: core.ScoreOf(&score, limits), Children: core.IndexUIDs(snap, snap.Children(i)), Dependents: core.IndexUIDs(snap, snap.Dependents(i))}
	obj.Why = reasonsOf(snap.Why(i))
	if t.Spec != nil {
		obj.Spec = model.EncodeSpec(t.Spec)
	}
	obj.problems = slices.Clone(snap.ProblemsOf(i))
	report, err := s.WorkReport(ctx, t)
	if err != nil {
		obj.unreadable(t.UID, "persistent", err)
	}
	obj.Report = desk.ReportOf(report)
	for _, d := range []struct {
		doc model.Doc
		to  **core.DocumentObject
	}{{model.Objective, &obj.Objective}, {model.Plan, &obj.Plan}} {
		var err error
		if *d.to, err = document(ctx, s, t.UID, d.doc); err != nil {
			obj.unreadable(t.UID, string(d.doc)+".md", err)
		}
	}
	if snap.Status(i) == model.StatusReviewPlan {
		obj.Phases = binding.AcceptedWith(snap, t.UID, nil)
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
	from, _ := s.(approvals)
	if p := t.Status.AcceptedPlan; p != nil && from != nil && p.Approval != "" {
		switch b, err := from.ApprovalFile(ctx, t.UID, p.Approval); {
		case err == nil:
			obj.Approval = a.ApprovalOf(p.Approval, b)
		default:
			obj.unreadable(t.UID, "approvals/"+p.Approval, err)
		}
	}
	obj.Task.Problems = core.ProblemObjects(obj.problems)
	if a.JSON {
		return core.WriteJSON(a.Stdout, obj)
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
		UID: uid, Path: path, Severity: model.Error, Code: "unreadable", Reason: core.Explain(err), Hint: "see `vespe store doctor`",
	})
}

func document(ctx context.Context, s documents, uid model.UID, doc model.Doc) (*core.DocumentObject, error) {
	c, err := s.Content(ctx, uid, doc)
	if errors.Is(err, model.ErrNoContent) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &core.DocumentObject{Revision: c.Revision, Hash: c.Hash, Text: string(c.Body)}, nil
}

// printTask prints one task for people. Documents are printed as they are written, with
// what a terminal would obey or hide made visible: no rendering leaves anything out.
func (a *app) printTask(snap *snapshot.Snapshot, i int, obj shownObject) {
	w := a.Prose(a.Stdout, 4)
	fmt.Fprintf(w, "%s  %s\n", core.Title(snap.At(i)), a.StatusText(snap, i))
	if obj.Report != nil {
		fmt.Fprintf(a.Prose(a.Stdout, 6), "\n%s", core.ReportText(obj.Report))
	}
	a.printFields(snap, i, obj)
	a.PrintProblems(obj.problems)
	for _, d := range []struct {
		title string
		doc   *core.DocumentObject
	}{{"Objective", obj.Objective}, {"Plan", obj.Plan}} {
		if d.doc != nil {
			fmt.Fprintf(w, "\n── %s, %s ──\n%s\n", d.title, core.RevisionWords(d.doc.Revision), strings.TrimRight(visible.String(d.doc.Text), "\n"))
		}
	}
	for _, phase := range obj.Phases {
		fmt.Fprintf(w, "\n── Accepted with it: %s ──\n%s\n", visible.Line(phase.Name), strings.TrimRight(phase.Plan, "\n"))
	}
	if obj.Summary != "" && (obj.Report == nil || strings.TrimSpace(obj.Summary) != obj.Report.Text) {
		fmt.Fprintf(w, "\n── Result, %s ──\n%s\n", summaryName, strings.TrimRight(visible.String(obj.Summary), "\n"))
	}
}

// printFields prints what one line each says of a task.
func (a *app) printFields(snap *snapshot.Snapshot, i int, obj shownObject) {
	t, w := snap.At(i), a.Prose(a.Stdout, 0)
	row := core.FieldsTo(w)
	row("uid", string(t.UID))
	if p, ok := snap.Task(t.Config.ParentUID); ok {
		row("parent", p.Config.Name+"  "+p.UID.Short())
	} else if t.Config.ParentUID != "" {
		row("parent", string(t.Config.ParentUID)+"  (unknown task)")
	}
	row("milestone", core.MilestoneLine(snap, i))
	if !t.Config.CreatedAt.IsZero() {
		row("created", t.Config.CreatedAt.UTC().Format("2006-01-02 15:04")+" by "+string(t.Config.CreatedBy))
	}
	if n := obj.Task.Leaves; len(obj.Children) > 0 {
		row("progress", fmt.Sprintf("%d of %d", n.Done, n.Total))
	} else {
		row("progress", t.Status.Progress)
	}
	for _, words := range strictness.LoweredWords(t) {
		row("lowered", words)
	}
	if t.Status.PauseKind() != "hitl" { // why says what it waits for
		row("paused", t.Status.PauseReason)
	}
	row("error", t.Status.ErrorDetails)
	if p := t.Status.AcceptedPlan; p != nil {
		if p.IsElsewhere() {
			row("accepted", "elsewhere; a person must confirm it with `vespe plan accept` before it starts")
		} else {
			row("accepted", fmt.Sprintf("plan %d by %s, %s", p.PlanRevision, p.By, p.At.UTC().Format("2006-01-02 15:04")))
		}
		for _, what := range p.Excluded {
			row("without", what)
		}
	}
	row("accepted", strings.TrimPrefix(t.ElsewhereWords(), "accepted "))
	if obj.Approval != nil {
		row("approval", obj.Approval.Line())
	}
	if r := t.Status.Review; r != nil {
		row("review", strings.TrimSpace(r.Of+" "+r.Verdict+" by "+string(r.By)+"  "+r.Reason))
	}
	for _, c := range snap.Changes(t) {
		row("changed", fmt.Sprintf("%s: %s → %s", model.FileOf(snap, c.File), core.ShortHash(c.Old), core.ShortHash(c.New)))
	}
	for _, d := range t.DependsOn {
		row("depends on", a.Reference(snap, d))
	}
	for _, d := range obj.Dependents {
		row("needed by", a.Reference(snap, model.UID(d)))
	}
	for _, r := range obj.Why {
		fmt.Fprintf(w, "  %s %s%s\n", core.Pad("why", 12), strings.Repeat("  ", r.Depth), visible.Line(r.Text))
	}
	printSpec(w, t.Spec)
	if score := t.Complexity(snap.Policy().SizeLimits()); score.Total > 0 {
		row("complexity", core.ScoreLine(&score))
		for _, p := range score.Parts {
			if p.Points > 0 {
				row("", fmt.Sprintf("%s: %s of %s, %s", p.Factor.Words(), core.Points(p.Points), core.Points(p.Factor.Most()), p.Why))
			}
		}
	}
	for _, r := range obj.Result {
		row("result", core.ResultLine(r.Path, r.Size))
	}
}

// specColumn is how wide the names of the fields of a spec are.
const specColumn = 20

// printSpec prints everything that a task's spec says, a field after the other; of one of several lines each begins
// below the one before.
func printSpec(w io.Writer, sp *model.Spec) {
	if sp == nil {
		return
	}
	for _, f := range specfields.All() {
		name := strings.ToLower(f.Title)
		for _, text := range f.Lines(sp) {
			for line := range strings.SplitSeq(strings.TrimRight(visible.String(text), "\n"), "\n") {
				fmt.Fprintf(w, "  %s %s\n", core.Pad(name, specColumn), line)
				name = ""
			}
		}
	}
}
