package desk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
	"vespe/store"
)

// putResult leaves a file below result/, as a worker does.
func (f fixture) putResult(uid model.UID, name, text string) {
	f.Helper()
	dir := filepath.Join(f.s.Root(), store.Name, "tasks", string(uid), "result")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		f.Fatal(err)
	}
}

// The report on work is in every envelope in which the work is judged or used, also where the work left files.
func TestTheReportIsInEveryEnvelope(t *testing.T) {
	f := newFixture(t)
	uid := f.ready("a")
	dependent := f.create("b")
	f.as(ann, model.Op{Name: model.AddDependency, UID: dependent, Args: model.DependencyEdit{DependsOn: []model.UID{uid}}})
	f.next(Want{Claim: true, TaskID: string(uid)})
	f.putResult(uid, "out.txt", "a file\n")
	const said = "did a, but NOT b"
	r, err := f.d.Report(f.Context(), Report{TaskID: string(uid), Rev: f.task(uid).Status.Revision, Summary: said})
	if err != nil {
		t.Fatal(err)
	}
	check := func(where string, is *WorkReport) {
		t.Helper()
		if is == nil || is.Text != said || is.By != string(claude) || is.At == nil {
			t.Errorf("%s has the report %+v", where, is)
		}
	}
	check("the answer to the report", r.Report)
	check("review_wait", f.look(r.ReviewID).Report)
	v, err := f.d.Show(f.Context(), string(uid))
	if err != nil {
		t.Fatal(err)
	}
	check("task_get", v.Report)
	v, err = f.d.Show(f.Context(), string(dependent), IncludeDependencies)
	if err != nil || len(v.Dependencies) != 1 {
		t.Fatalf("%v; it depends on %+v", err, v.Dependencies)
	}
	check("a dependent", v.Dependencies[0].Report)
	snap, err := f.s.Refresh(f.Context())
	if err != nil {
		t.Fatal(err)
	}
	o, err := ReviewOf(f.Context(), f.s, snap, uid, 0)
	if err != nil {
		t.Fatal(err)
	}
	check("the review of the task", o.Report)
	if md := o.Markdown(); !strings.Contains(md, "> "+said) || strings.Index(md, said) > strings.Index(md, o.Heading()) {
		t.Errorf("as Markdown the report is not the first thing:\n%s", md)
	}
	// Work that was sent back has none anymore: what it said was of other work.
	f.as(ann, model.Op{Name: model.ReviewRejected, UID: uid, Reason: "do b"})
	if v, err := f.d.Show(f.Context(), string(uid)); err != nil || v.Report != nil {
		t.Errorf("%v; rejected work has the report %+v", err, v.Report)
	}
}
