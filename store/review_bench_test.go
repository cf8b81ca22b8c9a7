package store

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"vespe/internal/storetest"
	"vespe/model"
)

// BenchmarkOldReview is the review of a plan's first revision, and of all twenty that a difference looks at,
// in a log in which twenty thousand entries about other tasks came since: by a process that begins with a
// checkpoint, against a bare parallel read of the entries.
func BenchmarkOldReview(b *testing.B) {
	const entries, revisions = 20_000, 20
	dir := fastDir(b)
	s := generated(b, dir, 1000)
	b.Cleanup(func() { _ = storetest.Remove(dir) })
	uid := planned(b, s, "one")
	for i := range revisions {
		do(b, s, model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Comments: []model.NewComment{{Text: fmt.Sprint("comment ", i)}}}})
		do(b, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: ann, Args: model.NewPlan{Text: fmt.Sprintf("# Plan %d\n\n1. do it\n", i)}})
	}
	for i := range entries {
		do(b, s, model.Op{Name: model.RenameTask, UID: storetest.UID(i % 1000), Actor: ann, Args: model.NewName{Name: fmt.Sprint("name ", i)}})
	}
	must(b, s.Close())
	log, err := filepath.Glob(vespe(s, "log/0*"))
	if err != nil || len(log) < entries {
		b.Fatal(len(log), err)
	}
	var bare, one, all []time.Duration
	for b.Loop() {
		t0 := time.Now()
		bareRead(b, log)
		t1 := time.Now()
		r := open(b, s.Root(), Options{ReadOnly: true})
		mustGet(r.Load(b.Context(), nil))(b)
		t2 := time.Now()
		if f, err := r.Review(b.Context(), uid, 1); err != nil || len(f.Comments) != 1 {
			b.Fatal(f, err)
		}
		t3 := time.Now()
		for n := range revisions {
			if f, err := r.Review(b.Context(), uid, n+1); err != nil || len(f.Comments) != n+1 {
				b.Fatal(f, err)
			}
		}
		t4 := time.Now()
		_ = r.Close()
		bare, one, all = append(bare, t1.Sub(t0)), append(one, t3.Sub(t2)), append(all, t4.Sub(t3))
	}
	b.ReportMetric(ms(quarter(bare)), "bare-ms")
	b.ReportMetric(ms(quarter(one)), "one-ms≤50")
	b.ReportMetric(ms(quarter(all)), "twenty-ms≤50")
	b.ReportMetric(0, "ns/op")
}
