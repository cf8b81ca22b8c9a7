package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

// rowsOf is what a query of the database gives.
func rowsOf(t interface{ Fatal(...any) }, x *Index, query string) (out [][]any) {
	rows, err := x.read.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	for err == nil && rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		err = rows.Scan(into...)
		out = append(out, row)
	}
	if err == nil {
		err = rows.Err()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// dump is everything that an index says, in an order that does not depend on how it came about.
func dump(t interface{ Fatal(...any) }, x *Index) string {
	var b strings.Builder
	for _, q := range []string{
		`SELECT task_id, created_at, source, objective, context, priority, status, subtasks, assigned_agent, last_updated, tool_output,
			result_summary, uid, name, vespe_status, state, parent_uid, depends_on, labels, goal_type, risk, milestone_id, created_by,
			description, plan_revision FROM tasks ORDER BY uid`,
		"SELECT t.uid, x.name, x.objective, x.plan, x.comments, x.results, x.history FROM texts x JOIN tasks t ON t.id = x.id ORDER BY t.uid",
		"SELECT count(*) FROM texts",
	} {
		for _, row := range rowsOf(t, x, q) {
			fmt.Fprintln(&b, row...)
		}
	}
	// What each word finds, in each field, by the full-text index itself.
	for _, f := range append([]string{""}, "name", "objective", "plan", "comments", "results", "history") {
		for _, w := range words {
			match := quoted(w)
			if f != "" {
				match = f + " : " + match
			}
			fmt.Fprintln(&b, f, w, rowsOf(t, x, "SELECT t.uid FROM words w LEFT JOIN tasks t ON t.id = w.rowid WHERE words MATCH '"+match+"' ORDER BY 1"))
		}
	}
	for _, w := range words {
		fmt.Fprintln(&b, "names", w, rowsOf(t, x, "SELECT t.uid FROM names w LEFT JOIN tasks t ON t.id = w.rowid WHERE names MATCH '"+quoted(w)+"' ORDER BY 1"))
	}
	return b.String()
}

var words = []string{"parser", "tokenizer", "watermark", "ledger", "cache", "thunder"}

// Whatever happens to the tasks, by vespe and past it: an index that was kept up to date says what one says that is
// made anew.
func TestKeptUpIsAsMadeAnew(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "index-")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		s, err := store.Init(filepath.Join(dir, "repo"), store.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		ctx := context.Background()
		state := filepath.Join(dir, "state")
		x, err := Open(ctx, s, Options{State: state})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = x.Close() }()
		word := rapid.SampledFrom(words)
		text := func(name string) string {
			return strings.Join(rapid.SliceOfN(word, 1, 4).Draw(rt, name), " ") + "\n"
		}
		var uids []model.UID
		n := 0
		do := func(op model.Op) bool {
			n++
			op.ID = fmt.Sprint("op-", n)
			if op.Actor == "" {
				op.Actor = "agent:claude"
			}
			_, err := s.Do(ctx, op)
			return err == nil // what the lifecycle refuses happens to nobody
		}
		one := func() model.UID { return rapid.SampledFrom(uids).Draw(rt, "task") }
		write := func(uid model.UID, name, body string) {
			path := filepath.Join(s.Root(), store.Name, "tasks", string(uid), filepath.FromSlash(name))
			if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
				_ = os.WriteFile(path, []byte(body), 0o644)
			}
		}
		sweep := false
		steps := rapid.IntRange(1, 25).Draw(rt, "steps")
		for range steps {
			what := rapid.IntRange(0, 13).Draw(rt, "what")
			if len(uids) == 0 {
				what = 0
			}
			switch what {
			case 0, 1:
				uid := s.NewUID()
				if do(model.Op{Name: model.CreateTask, Args: model.NewTask{UID: uid, Name: fmt.Sprint(word.Draw(rt, "name"), " ", n), Objective: text("objective")}}) {
					uids = append(uids, uid)
				}
			case 2:
				do(model.Op{Name: model.DefinePlan, UID: one(), Args: model.NewPlan{Text: text("plan")}})
			case 3:
				do(model.Op{Name: model.RejectPlan, UID: one(), Actor: "human:ann", Reason: text("reason")})
			case 4:
				do(model.Op{Name: model.RenameTask, UID: one(), Args: model.NewName{Name: fmt.Sprint(word.Draw(rt, "name"), " ", n)}})
			case 5:
				do(model.Op{Name: model.Abort, UID: one(), Actor: "human:ann", Reason: text("reason")})
			case 6:
				do(model.Op{Name: model.AddDependency, UID: one(), Args: model.DependencyEdit{DependsOn: []model.UID{one()}}})
			case 7:
				do(model.Op{Name: model.SetFields, UID: one(), Args: model.FieldEdit{Set: []model.Assignment{{Key: "priority", Value: "high"}, {Key: "description", Value: text("description")}}}})
			case 8: // past vespe, and seen by who looks at the files
				write(one(), "plan.md", text("edit"))
				sweep = true
			case 9:
				write(one(), "result/notes.txt", text("result"))
				sweep = true
			case 10:
				if k := rapid.IntRange(0, len(uids)-1).Draw(rt, "gone"); os.RemoveAll(filepath.Join(s.Root(), store.Name, "tasks", string(uids[k]))) == nil {
					uids = slices.Delete(uids, k, k+1)
					sweep = true
				}
			case 11:
				if _, err := s.Load(ctx, nil); err == nil {
					_, _ = s.ImportEdits(ctx, s.Edited())
				}
			case 12: // somebody else opens it
				if err := x.Close(); err != nil {
					rt.Fatal(err)
				}
				if x, err = Open(ctx, s, Options{State: state}); err != nil {
					rt.Fatal(err)
				}
			case 13:
				bringUp(ctx, rt, s, x, sweep)
			}
		}
		snap := bringUp(ctx, rt, s, x, sweep)
		fresh, err := Open(ctx, s, Options{Memory: true})
		if err != nil {
			rt.Fatal(err)
		}
		defer fresh.Close()
		if err := fresh.Update(ctx, snap, UpdateOptions{}); err != nil {
			rt.Fatal(err)
		}
		if kept, made := dump(rt, x), dump(rt, fresh); kept != made {
			rt.Fatalf("kept up to date:\n%s\nmade anew:\n%s", kept, made)
		}
	})
}

func bringUp(ctx context.Context, t *rapid.T, s *store.Store, x *Index, sweep bool) *snapshot.Snapshot {
	snap, err := s.Load(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Update(ctx, snap, UpdateOptions{Sweep: sweep}); err != nil {
		t.Fatal(err)
	}
	return snap
}

// An index that nothing happened to since is left as it is.
func TestNothingIsWrittenForNothing(t *testing.T) {
	d := library(t)
	d.update(false)
	before, err := os.ReadFile(d.x.Path() + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	d.update(false)
	after, err := os.ReadFile(d.x.Path() + "-wal")
	if err != nil || string(before) != string(after) {
		t.Errorf("it was written to (%v)", err)
	}
}

// A status that follows from another task changes with it, though nothing happened to the task itself.
func TestDerivedColumns(t *testing.T) {
	d := newDesk(t).open()
	first := d.create("first", "one", "a plan")
	second := d.create("second", "two", "a plan")
	d.do(model.Op{Name: model.AddDependency, UID: second, Args: model.DependencyEdit{DependsOn: []model.UID{first}}})
	for _, uid := range []model.UID{first, second} {
		d.do(model.Op{Name: model.AcceptPlan, UID: uid})
	}
	ask := func() string {
		d.update(false)
		return fmt.Sprint(rowsOf(t, d.x, "SELECT vespe_status, status FROM tasks WHERE name = 'second'"))
	}
	if got := ask(); got != "[[blocked NEW]]" {
		t.Fatal(got)
	}
	d.do(model.Op{Name: model.Start, UID: first, Args: model.NewRun{Worker: "agent:claude"}})
	d.do(model.Op{Name: model.WorkCompleted, UID: first, Args: model.Completion{Summary: "done"}})
	if got := ask(); got != "[[ready READY]]" {
		t.Error(got)
	}
}

// A result that is written in place is seen, though neither the log nor its directory tells of it.
func TestAResultWrittenInPlace(t *testing.T) {
	d := library(t)
	uid := d.search("watermark").Hits[0].UID
	d.file(uid, "result/deep/notes.txt", "the thunderbird\n")
	d.update(true)
	if got := d.found("result:thunderbird"); got != "cache" {
		t.Errorf("it finds %q", got)
	}
	if got := d.found("watermark"); got != "" {
		t.Errorf("what is gone finds %q", got)
	}
}
