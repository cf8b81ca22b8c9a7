package taskspec

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"vespe/internal/recordstest"
	"vespe/interop/records"
	"vespe/model"
)

// database makes a file of statements.
func database(t recordstest.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range statements {
		if _, err := db.ExecContext(context.Background(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func input(t recordstest.TB, path string) records.Input {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return records.Input{Name: "tasks.db", Path: path, File: bytes.NewReader(b)}
}

func TestDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a%20b?c#.db")
	database(t, strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace("file:"+path), schema,
		"ALTER TABLE tasks ADD COLUMN rank INTEGER",
		`INSERT INTO tasks VALUES ('a', '2025-06-23T03:15:00Z', 'email:1', 'Do', '{"x": [1, "é"]}', 'med', 'WAITING_HITL', '[{"step":"s","done":true}]', 'Bot', NULL, 'said "no"', NULL, 7)`,
		`INSERT INTO tasks (task_id, objective, tool_output, status) VALUES ('b', 'B', '{"ok":true}', 'DONE')`)
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := recordstest.New(t, Format())
	if r := s.ImportFrom(input(t, path)); r.Created != 2 || !strings.Contains(strings.Join(r.NotCarried, "\n"), "rank, saved") {
		t.Fatalf("%+v", r)
	}
	if s.Status("a") != model.StatusWaiting || s.Status("b") != model.StatusDone || s.Task("a").Spec.Priority != model.Medium {
		t.Errorf("%v, %v, %+v", s.Status("a"), s.Status("b"), s.Task("a").Spec)
	}
	s.Exports(`[{"task_id":"a","created_at":"2025-06-23T03:15:00Z","source":"email:1","objective":"Do","context":{"x":[1,"é"]},"priority":"med","status":"WAITING_HITL",
		"subtasks":[{"step":"s","done":true}],"assigned_agent":"Bot","tool_output":"said \"no\"","rank":7},{"task_id":"b","objective":"B","tool_output":{"ok":true},"status":"DONE"}]`)
	if r := s.ImportFrom(input(t, path)); r.Unchanged != 2 {
		t.Errorf("again: %+v", r)
	}
	after, err := os.ReadFile(path)
	left, globErr := filepath.Glob(filepath.Dir(path) + "/*")
	if err != nil || globErr != nil || !bytes.Equal(before, after) || len(left) != 1 {
		t.Errorf("reading it left %q", left)
	}
}

// What else there is in a database, or in a queue, is said.
func TestWhatIsNotReadIsSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	database(t, path, "CREATE TABLE tasks (task_id TEXT PRIMARY KEY, data JSON, updated_at TEXT)", "CREATE TABLE reflections (x)", "CREATE VIEW v AS SELECT 1",
		`INSERT INTO tasks VALUES ('a', '{"task_id":"a","objective":"A"}', '2025-07-22T00:00:00Z'), ('b', '{"task_id":"b","objective":"B"}', NULL)`)
	s := recordstest.New(t, Format())
	said := strings.Join(s.ImportFrom(input(t, path)).NotCarried, "\n")
	for _, want := range []string{"an updated_at of the row, not imported (1: ", "the table reflections", "the table v"} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing is said of %s: %s", want, said)
		}
	}
	list, _ := ReadQueue("q", fstest.MapFS{"a.json": {Data: []byte(`{"tasks":[{"task_id":"a"}]}`)}, "readme.txt": {}})
	if len(list) != 1 || len(list[0].Beside) != 1 || list[0].Beside[0] != "readme.txt" {
		t.Errorf("%+v", list)
	}
}

// The system itself writes whole tasks into one column.
func TestDatabaseOfRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.db")
	database(t, path, "CREATE TABLE tasks (task_id TEXT PRIMARY KEY, data JSON, updated_at TEXT)",
		`INSERT INTO tasks VALUES ('a', '{"task_id":"a","objective":"Do","status":"READY"}', '2025'), ('b', CAST('{"objective":"B"}' AS BLOB), NULL)`)
	s := recordstest.New(t, Format())
	s.ImportFrom(input(t, path))
	s.Exports(`{"task_id":"a","objective":"Do","status":"READY"} {"task_id":"b","objective":"B"}`)
}

func TestBadDatabases(t *testing.T) {
	insert := `INSERT INTO tasks (task_id, objective, context) VALUES ('a', 'A', NULL)`
	for _, tt := range []struct {
		name, want string
		with       []string
		change     func(t *testing.T, path string)
	}{
		{"no table", "it has no table tasks", []string{"CREATE TABLE other (a)"}, nil},
		{"a view", "it has no table tasks", []string{"CREATE VIEW tasks AS SELECT load_extension('x') AS task_id"}, nil},
		{"a virtual table", "it has no table tasks", []string{"CREATE VIRTUAL TABLE tasks USING fts5(task_id)"}, nil},
		{"no id", "no such column: task_id", []string{"CREATE TABLE tasks (a)"}, nil},
		{"empty", "is empty", []string{schema}, nil},
		{"context", "tasks.db:0: record 1: its context is not JSON", []string{schema, `INSERT INTO tasks (task_id, context) VALUES ('a', '{')`}, nil},
		{"bytes", "record 1: its objective is neither a string", []string{schema, `INSERT INTO tasks (task_id, objective) VALUES ('a', x'ff')`}, nil},
		{"a number as id", "record 1: it has no task_id", []string{"CREATE TABLE tasks (task_id)", "INSERT INTO tasks VALUES (3)"}, nil},
		{"two with one id", "record 2: a is already record 1", []string{"CREATE TABLE tasks (task_id)", "INSERT INTO tasks VALUES ('a'), ('a')"}, nil},
		{"large", "can't read the database", []string{schema, `INSERT INTO tasks (task_id, objective) VALUES ('a', CAST(randomblob(3000000) AS TEXT))`}, nil},
		{"a growing column", "can't read the database", []string{"CREATE TABLE tasks (task_id, big AS (zeroblob(900000000)))", "INSERT INTO tasks VALUES ('a')"}, nil},
		{"data", "its data is not one JSON object", []string{"CREATE TABLE tasks (task_id, data)", "INSERT INTO tasks VALUES ('a', '[')"}, nil},
		{"data of another", "its data names the task b", []string{"CREATE TABLE tasks (task_id, data)", `INSERT INTO tasks VALUES ('a', '{"task_id":"b"}')`}, nil},
		{"a log beside it", "tasks.db-wal with changes", []string{schema, insert}, func(t *testing.T, path string) { write(t, path+"-wal", []byte("x")) }},
		{"cut off", "can't read the database", []string{schema, insert}, func(t *testing.T, path string) {
			b, _ := os.ReadFile(path)
			write(t, path, b[:len(b)-4096])
		}},
		{"noise", "can't read the database", nil, func(t *testing.T, path string) { write(t, path, []byte(magic+strings.Repeat("x", 5000))) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tasks.db")
			database(t, path, tt.with...)
			if tt.change != nil {
				tt.change(t, path)
			}
			list, problems := Format().Records(input(t, path))
			if len(problems) == 0 {
				ops, report, err := Format().Ops(list, records.Options{Actor: "human:ann"})
				if err != nil || len(ops) > 0 {
					t.Fatalf("%v, %d operations", err, len(ops))
				}
				problems = report.Problems
			}
			var all []string
			for _, p := range problems {
				all = append(all, fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Reason))
			}
			if got := strings.Join(all, "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	if _, problems := Format().Records(records.Input{Name: "-", File: strings.NewReader(magic + "x")}); len(problems) != 1 || !strings.Contains(problems[0].Reason, "standard input") {
		t.Errorf("%+v", problems)
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// What a table has columns for comes back out of it; what it has none for is said.
func TestDatabaseRoundTrip(t *testing.T) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "Two\nlines\n", "\x1b[31mred", "日本", "a\x00b"}), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		var in bytes.Buffer
		enc := json.NewEncoder(&in)
		for _, id := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,8}`), 1, 4, rapid.ID).Draw(rt, "ids") {
			all := map[string]any{
				"created_at": "2025-06-23T03:15:00Z", "last_updated": "2025-06-23T03:16:10Z", "source": text.Draw(rt, "source"), "objective": text.Draw(rt, "objective"),
				"context": rapid.MapOfN(text, rapid.Int(), 0, 3).Draw(rt, "context"), "priority": rapid.SampledFrom([]any{"low", "med", nil}).Draw(rt, "priority"),
				"status":   rapid.SampledFrom([]any{"NEW", "WAITING_HITL", "DONE", nil}).Draw(rt, "status"),
				"subtasks": []any{map[string]any{"step": text.Draw(rt, "step"), "done": true}}, "assigned_agent": nil,
				"tool_output":    rapid.SampledFrom([]any{nil, "x", "3", "{}", 3, map[string]any{"a": []int{1}}}).Draw(rt, "output"),
				"result_summary": text.Draw(rt, "result"), "task_id": id,
			}
			if err := enc.Encode(all); err != nil {
				rt.Fatal(err)
			}
		}
		s := recordstest.New(rt, Format())
		defer s.Close()
		s.Import(in.String())
		dir, err := os.MkdirTemp("", "database")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "tasks.db")
		s.Save(path)
		if r := s.ImportFrom(input(rt, path)); r.Created+r.Updated != 0 {
			rt.Fatalf("back into the same store: %+v", r)
		}
		other := recordstest.New(rt, Format())
		defer other.Close()
		other.ImportFrom(input(rt, path))
		second := filepath.Join(dir, "again.db")
		other.Save(second)
		a, err := os.ReadFile(path)
		b, err2 := os.ReadFile(second)
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			rt.Fatalf("another database comes of it: %v, %v", err, err2)
		}
	})
}

// A queue comes out with its task where it was.
func TestQueueOut(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"a": `{"messages":[{"role":"user"}],"tasks":[{"task_id":"x"},{"task_id":"a","objective":"A","status":"WAITING_HITL"},{"task_id":"z"}],"current_task":"a","tool_output":null}`,
		"b": `{"current_task":{"task_id":"b","objective":"B","status":"WAITING_HITL"},"tasks":[]}`,
		"c": `{"current_task":{"task_id":"c","objective":"C","status":"WAITING_HITL"},"tasks":[{"task_id":"c","objective":"C","status":"WAITING_HITL"}]}`,
	}
	in := filepath.Join(dir, "in")
	if err := os.Mkdir(in, 0o755); err != nil {
		t.Fatal(err)
	}
	for id, body := range files {
		write(t, filepath.Join(in, id+".json"), []byte(body))
	}
	queue := func(dir string) records.Input { return records.Input{Name: "q", Path: dir, Dir: os.DirFS(dir)} }
	s := recordstest.New(t, Format())
	s.ImportFrom(queue(in))
	s.Create(model.NewTask{Name: "Mine"})
	out := filepath.Join(dir, "hitl_queue")
	s.Save(out)
	made, err := os.ReadDir(out)
	if err != nil || len(made) != len(files) {
		t.Errorf("%v, %v", made, err)
	}
	for id, body := range files {
		if b, err := os.ReadFile(filepath.Join(out, id+".json")); err != nil || !model.SameJSON(b, []byte(body)) {
			t.Errorf("%v: %s comes out as\n%s\nand was\n%s", err, id, b, body)
		}
	}
	if r := s.ImportFrom(queue(out)); r.Unchanged != len(files) {
		t.Errorf("%+v", r)
	}
	// One that waits and came alone.
	other := recordstest.New(t, Format())
	other.Import(`{"task_id":"w","objective":"W","status":"WAITING_HITL"}`)
	other.Save(filepath.Join(dir, "new") + "/")
	b, err := os.ReadFile(filepath.Join(dir, "new", "w.json"))
	if want := `{"messages":[],"tasks":[{"task_id":"w","objective":"W","status":"WAITING_HITL"}],"current_task":"w","tool_output":null,"context_docs":[]}`; err != nil || !model.SameJSON(b, []byte(want)) {
		t.Errorf("%v: %s", err, b)
	}
}

// A database with any bytes changed is read or refused, and never half. (Go's own fuzzing takes
// seconds for each input here: the driver is SQLite as Go, and every line of it would be watched.)
func TestDamagedDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasks.db")
	database(t, path, "PRAGMA page_size=512", schema, `INSERT INTO tasks (task_id, objective, context) VALUES ('a', 'A', '{"x":1}'), ('b', 'B', NULL)`)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		b := bytes.Clone(whole)
		for range rapid.IntRange(1, 8).Draw(rt, "changes") {
			b[rapid.IntRange(len(magic), len(b)-1).Draw(rt, "at")] = rapid.Byte().Draw(rt, "to")
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			rt.Fatal(err)
		}
		list, problems := Format().Records(input(rt, path))
		if len(problems) > 0 {
			if problems[0].Reason == "" || problems[0].Path != "tasks.db" {
				rt.Fatalf("%+v", problems)
			}
			return
		}
		ops, report, err := Format().Ops(list, records.Options{Actor: "human:ann"})
		if err != nil || len(report.Problems) > 0 && len(ops) > 0 {
			rt.Fatalf("%v, %+v", err, report)
		}
	})
}
