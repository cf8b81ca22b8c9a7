package records

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/progress"
	"vespe/model/snapshot"
)

// Source is the store that an export reads.
type Source interface {
	Content(context.Context, model.UID, model.Doc) (model.Content, error)
	Results(context.Context, model.UID) ([]model.ResultFile, error)
	ReadResult(ctx context.Context, uid model.UID, path string, limit int64) ([]byte, error)
	WorkReport(context.Context, *model.Task) (*progress.WorkReport, error)
	History(context.Context, model.UID) ([]model.Event, []model.Problem, error)
}

// Exported are the records of tasks, and where those came from.
type Exported struct {
	Records  []model.Extra
	Tasks    []int // of which each of the records is
	Whole    bool  // all tasks of the store were asked for
	Snapshot *snapshot.Snapshot
	Source   Source
	Lost     *Report // where Save counts what it has no place for
}

// Value is the export as JSON: one document, or the list of the records.
func (f *Format) Value(x Exported) []byte {
	if f.Whole != nil {
		return model.ObjectField("", f.Whole(x)).Value
	}
	return ListValue(x.Records)
}

// ListValue is a JSON list of records.
func ListValue(list []model.Extra) []byte {
	out := []byte{'['}
	for i, r := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, model.ObjectField("", r).Value...)
	}
	return append(out, ']')
}

// Export makes a record of each of the tasks. A task that came as a record becomes that record
// again, with what changed since. The report's NotCarried lists what the records lack.
func (f *Format) Export(ctx context.Context, s Source, snap *snapshot.Snapshot, tasks []int) (Exported, Report, error) {
	var report Report
	out := Exported{Snapshot: snap, Source: s, Whole: len(tasks) == snap.Len(), Lost: new(Report)}
	n := f.names(snap)
	for _, i := range tasks {
		t := snap.At(i)
		if snap.Status(i) == model.StatusProblem {
			report.Count("unreadable tasks are not exported", n.id(t.UID))
			continue
		}
		v := View{Task: withSpec(t), Status: snap.Status(i), Milestone: snap.OwnMilestone(i), ID: n.id}
		if err := v.read(ctx, s); err != nil {
			return out, report, err
		}
		for _, what := range f.Lost(v) {
			report.Count(what, n.id(t.UID))
		}
		kept := f.kept(t)
		var was model.Extra
		if kept != nil {
			target := func(id string) model.UID {
				if uid, ok := n.uids[id]; ok {
					return uid
				}
				return f.UID(id, nil, time.Time{})
			}
			base := f.again(kept, t, target, n)
			was = f.Fields(base.view(n.id))
		}
		record := overlay(kept, was, f.Fields(v))
		if f.Seal != nil && (kept == nil || !model.SameJSON(model.EncodeFields(record), model.EncodeFields(kept))) {
			record = f.Seal(record, kept)
		}
		out.Records, out.Tasks = append(out.Records, record), append(out.Tasks, i)
		report.Created++
	}
	if f.Left != nil {
		f.Left(out, report.Count)
	}
	return out, report.Finish(), nil
}

func (v *View) read(ctx context.Context, s Source) error {
	for _, d := range []struct {
		doc model.Doc
		has bool
		to  *string
	}{{model.Objective, v.Task.HasObjective, &v.Objective}, {model.Plan, v.Task.HasPlan, &v.Plan}} {
		if !d.has {
			continue
		}
		c, err := s.Content(ctx, v.Task.UID, d.doc)
		if err != nil && !errors.Is(err, model.ErrNoContent) {
			return fmt.Errorf("%s of %s: %w", d.doc, v.Task.UID, err)
		}
		*d.to = string(c.Body)
	}
	b, err := s.ReadResult(ctx, v.Task.UID, summaryFile, maxRecord)
	if err != nil && !errors.Is(err, model.ErrNoContent) {
		return fmt.Errorf("the result of %s: %w", v.Task.UID, err)
	}
	report, err := s.WorkReport(ctx, v.Task)
	if err != nil {
		return fmt.Errorf("the report of %s: %w", v.Task.UID, err)
	}
	v.Result = string(b)
	if report != nil && !strings.Contains(v.Result, strings.TrimSpace(report.Text)) { // a worker that left files has said it there only
		v.Result = strings.TrimLeft(strings.TrimRight(v.Result, "\n")+"\n\n"+strings.TrimSpace(report.Text)+"\n", "\n")
	}
	return nil
}

// Members lists, as something that is not carried, each of the spec's members that a format
// has no place for.
func (v View) Members(places ...string) []string {
	fields, _ := model.DecodeFields("spec.json", model.EncodeSpec(v.Task.Spec))
	var out []string
	for _, f := range fields {
		switch f.Key {
		case "external", "priority_by":
			continue
		}
		if !slices.Contains(places, f.Key) {
			out = append(out, f.Key+" is not exported")
		}
	}
	return out
}
