// Package recordstest imports and exports records in stores that tests throw away.
package recordstest

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/store"
)

// TB is what of a test a Store needs; testing.TB and rapid's have it.
type TB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Store is a store and the format that it is filled by.
type Store struct {
	t   TB
	f   *records.Format
	s   *store.Store
	dir string

	last records.Exported

	Unchecked bool // see records.Options
}

// Files is the store itself.
func (s *Store) Files() *store.Store { return s.s }

const by model.Actor = "human:ann"

// New makes a store. It is gone at the end of a testing.TB, or with Close.
func New(t TB, f *records.Format) *Store {
	t.Helper()
	dir, err := os.MkdirTemp("", "records")
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Init(dir, store.Options{Scratch: true})
	if err != nil {
		t.Fatal(err)
	}
	out := &Store{t: t, f: f, s: s, dir: dir}
	if tb, ok := t.(testing.TB); ok {
		tb.Cleanup(out.Close)
	}
	return out
}

// Close removes the store.
func (s *Store) Close() {
	if err := s.s.Close(); err != nil {
		s.t.Errorf("%v", err)
	}
	if err := os.RemoveAll(s.dir); err != nil {
		s.t.Errorf("%v", err)
	}
}

func (s *Store) snapshot() *snapshot.Snapshot {
	s.t.Helper()
	snap, err := s.s.Load(context.Background(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return snap
}

// Import brings a file, which has nothing wrong, and fails when the store is not sound after it.
func (s *Store) Import(text string) records.Report {
	s.t.Helper()
	return s.ImportFrom(records.Input{Name: "f", File: strings.NewReader(text)})
}

// ImportFrom brings an input, which has nothing wrong, and fails when the store is not sound
// after it.
func (s *Store) ImportFrom(in records.Input) records.Report {
	s.t.Helper()
	ops, report, err := s.f.Import(in, records.Options{
		Source: s.s, Unchecked: s.Unchecked, Snapshot: s.snapshot(), Actor: by, Now: time.Now(),
		Text: func(uid model.UID) (string, error) {
			c, err := s.s.Content(context.Background(), uid, model.Objective)
			return string(c.Body), err
		},
	})
	if err != nil || len(report.Problems) > 0 {
		s.t.Fatalf("%v, %+v", err, report.Problems)
	}
	if len(ops) > 0 {
		if _, err := s.s.DoAll(context.Background(), ops); err != nil {
			s.t.Fatal(err)
		}
	}
	found, err := s.s.Fsck().Doctor(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, p := range found {
		if p.Severity == model.Error && p.Code != "cycle" {
			s.t.Fatalf("doctor: %+v", p)
		}
	}
	return report
}

// Do fires an operation on the task with this id.
func (s *Store) Do(op model.Op, id string) {
	s.t.Helper()
	op.UID, op.Actor = s.uid(id), by
	if _, err := s.s.DoAll(context.Background(), []model.Op{op}); err != nil {
		s.t.Fatal(err)
	}
}

// Create makes a task that no record is of.
func (s *Store) Create(n model.NewTask) model.UID {
	s.t.Helper()
	done, err := s.s.DoAll(context.Background(), []model.Op{{Name: model.CreateTask, Actor: by, Args: n}})
	if err != nil {
		s.t.Fatal(err)
	}
	return done.Change.Tasks[0].UID
}

func (s *Store) uid(id string) model.UID {
	s.t.Helper()
	snap := s.snapshot()
	for i := range snap.Len() {
		t := snap.At(i)
		if string(t.UID) == id {
			return t.UID
		}
		if t.Spec == nil {
			continue
		}
		raw, _ := model.Extra(t.Spec.External).Get(s.f.Key)
		fields, _ := model.DecodeFields("", raw)
		if got, ok := fields.Text(s.f.IDKey); ok && got == id {
			return t.UID
		}
	}
	s.t.Fatalf("there is no task of %s", id)
	return ""
}

// Task is the task with this id.
func (s *Store) Task(id string) *model.Task {
	s.t.Helper()
	t, _ := s.snapshot().Task(s.uid(id))
	return t
}

// Status is what people see of the task with this id.
func (s *Store) Status(id string) model.Status {
	s.t.Helper()
	snap := s.snapshot()
	i, _ := snap.Index(s.uid(id))
	return snap.Status(i)
}

// Objective is the objective of the task with this id.
func (s *Store) Objective(id string) string {
	s.t.Helper()
	c, err := s.s.Content(context.Background(), s.uid(id), model.Objective)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(c.Body)
}

// Milestones are those of the store.
func (s *Store) Milestones() model.Milestones {
	s.t.Helper()
	return s.snapshot().MilestoneFile()
}

// History is what happened to the task with this id.
func (s *Store) History(id string) []model.Event {
	s.t.Helper()
	events, problems, err := s.s.History(context.Background(), s.uid(id))
	if err != nil || len(problems) > 0 {
		s.t.Fatalf("%v, %+v", err, problems)
	}
	return events
}

// Export writes every task, or those with these ids.
func (s *Store) Export(ids ...string) ([]model.Extra, records.Report) {
	s.t.Helper()
	snap := s.snapshot()
	var tasks []int
	for i := range snap.Len() {
		tasks = append(tasks, i)
	}
	if len(ids) > 0 {
		tasks = nil
	}
	for _, id := range ids {
		i, _ := snap.Index(s.uid(id))
		tasks = append(tasks, i)
	}
	x, report, err := s.f.Export(context.Background(), s.s, snap, tasks)
	if err != nil {
		s.t.Fatal(err)
	}
	s.last = x
	return x.Records, report
}

// Whole is every task as one JSON value.
func (s *Store) Whole() []byte {
	s.t.Helper()
	s.Export()
	return s.f.Value(s.last)
}

// Save writes every task to a path.
func (s *Store) Save(path string) {
	s.t.Helper()
	s.Export()
	if err := s.f.Save(context.Background(), path, s.last); err != nil {
		s.t.Fatal(err)
	}
}

// Exports fails unless the tasks are exported as the records of a file, in any order.
func (s *Store) Exports(text string, ids ...string) {
	s.t.Helper()
	want, problems := records.Read("f", strings.NewReader(text))
	if len(problems) > 0 {
		s.t.Fatalf("%+v", problems)
	}
	list, _ := s.Export(ids...)
	got := map[string]model.Extra{}
	for _, r := range list {
		id, _ := r.Text(s.f.IDKey)
		got[id] = r
	}
	if len(got) != len(want) {
		s.t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for _, w := range want {
		id, _ := w.Fields.Text(s.f.IDKey)
		if out := model.EncodeFields(got[id]); !model.SameJSON(out, w.Raw) {
			s.t.Fatalf("%s comes out as\n%s\nand was\n%s", id, out, w.Raw)
		}
	}
}

// Fuzz imports any bytes: what has nothing wrong with it can be imported, or is refused as a
// whole with a reason.
func Fuzz(t *testing.T, f *records.Format, b []byte) {
	list, problems := f.Records(records.Input{Name: "f", File: bytes.NewReader(b)})
	ops, report, err := f.Ops(list, records.Options{Actor: by, Now: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if len(problems)+len(report.Problems) > 0 {
		if len(report.Problems) > 0 && len(ops) > 0 {
			t.Fatal("half of it would be imported")
		}
		return
	}
	empty := snapshot.New(snapshot.Input{})
	for _, op := range ops {
		if op.Name != model.ImportTask {
			continue
		}
		if _, err := lifecycle.Apply(empty, op); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
	}
}
