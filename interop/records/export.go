package records

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"vespe/model"
)

// Source is the store that an export reads.
type Source interface {
	Content(context.Context, model.UID, model.Doc) (model.Content, error)
	ReadResult(ctx context.Context, uid model.UID, path string, limit int64) ([]byte, error)
}

// Export makes a record of each of the tasks. A task that came as a record becomes that record
// again, with what changed since. The report's NotCarried lists what the records lack.
func (f *Format) Export(ctx context.Context, s Source, snap *model.Snapshot, tasks []int) ([]model.Extra, Report, error) {
	var report Report
	var out []model.Extra
	n := f.names(snap)
	for _, i := range tasks {
		t := snap.At(i)
		if snap.Status(i) == model.StatusProblem {
			report.Count("cannot be read, and are left out", n.id(t.UID))
			continue
		}
		v := View{Task: withSpec(t), Status: snap.Status(i), ID: n.id}
		if err := v.read(ctx, s); err != nil {
			return nil, report, err
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
				return f.UID(id, nil, t.Config.CreatedAt)
			}
			base := f.convert(kept, t.UID, t.Config.CreatedAt, target, func(string, string, string) {})
			was = f.Fields(base.view(n.id))
		}
		record := overlay(kept, was, f.Fields(v))
		if f.Seal != nil && (kept == nil || !model.SameJSON(model.EncodeFields(record), model.EncodeFields(kept))) {
			record = f.Seal(record)
		}
		out = append(out, record)
		report.Created++
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
	v.Result = string(b)
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
			out = append(out, "have "+f.Key)
		}
	}
	return out
}
