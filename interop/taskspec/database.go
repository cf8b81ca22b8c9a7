package taskspec

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"vespe/interop/records"
	"vespe/model"
	"vespe/model/visible"
)

// schema is the specification's table: a column for each member, in its order. Members that are
// objects or lists are JSON.
const schema = `CREATE TABLE tasks (
  task_id        TEXT PRIMARY KEY,
  created_at     TEXT,
  source         TEXT,
  objective      TEXT,
  context        TEXT,
  priority       TEXT,
  status         TEXT,
  subtasks       TEXT,
  assigned_agent TEXT,
  last_updated   TEXT,
  tool_output    TEXT,
  result_summary TEXT
)`

// columns are those of schema.
func columns() []string {
	return []string{
		"task_id", "created_at", "source", "objective", "context", "priority", "status", "subtasks", "assigned_agent", "last_updated",
		"tool_output", "result_summary",
	}
}

// structured says that a column holds JSON.
func structured(column string) bool {
	return column == "context" || column == "subtasks" || column == "tool_output"
}

const (
	magic       = "SQLite format 3\x00"
	maxDatabase = 256 << 20 // bytes
	maxColumns  = 64
	maxRow      = 1 << 20 // bytes: a record has to fit into a spec.json
	readTime    = 5 * time.Minute
)

// readDatabase reads the table tasks of a database: of the specification's columns and others,
// or of whole records in a column data, as the system itself writes it.
func readDatabase(in records.Input) ([]records.Record, []model.Problem) {
	bad := func(code, why, hint string) ([]records.Record, []model.Problem) {
		return nil, []model.Problem{{Path: in.Name, Severity: model.Error, Code: code, Reason: why, Hint: hint}}
	}
	if in.Path == "" {
		return bad("not-regular", "can't read a database from standard input", "give the name of its file")
	}
	info, err := os.Stat(in.Path)
	switch {
	case err != nil:
		return bad("unreadable", err.Error(), "")
	case !info.Mode().IsRegular():
		return bad("not-regular", "it is not a regular file", "")
	case info.Size() > maxDatabase:
		return bad("too-large", fmt.Sprintf("the database is larger than %d MiB", maxDatabase>>20), "export a part of it as JSON")
	}
	// What is not in the file yet would be missing without a word.
	for _, beside := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(in.Path + beside); err == nil && info.Size() > 0 {
			return bad("unreadable", "there is a "+filepath.Base(in.Path)+beside+" with changes that are not yet in the database",
				"close the programs that use the database, or run: sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'")
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), readTime)
	defer stop()
	list, problems, err := readTable(ctx, in)
	if err != nil {
		return bad("bad-database", "can't read the database: "+visible.Line(err.Error()), "")
	}
	return list, problems
}

// open opens a database that nobody trusts: nothing is written, nothing beside it is read, and
// nothing in its schema is run.
func open(ctx context.Context, path string) (*sql.DB, *sql.Conn, error) {
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(path), OmitHost: true, RawQuery: "mode=ro&immutable=1&" + url.Values{
		"_pragma": {"trusted_schema(0)", "query_only(1)", "cell_size_check(1)", "mmap_size(0)", "temp_store(2)"},
	}.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	for id, most := range map[int]int{
		lib.SQLITE_LIMIT_LENGTH: maxRow, lib.SQLITE_LIMIT_COLUMN: maxColumns, lib.SQLITE_LIMIT_ATTACHED: 0, lib.SQLITE_LIMIT_SQL_LENGTH: 64 << 10,
		lib.SQLITE_LIMIT_EXPR_DEPTH: 20, lib.SQLITE_LIMIT_VDBE_OP: 100_000, lib.SQLITE_LIMIT_TRIGGER_DEPTH: 1, lib.SQLITE_LIMIT_WORKER_THREADS: 0,
	} {
		if _, err := sqlite.Limit(conn, id, most); err != nil {
			return nil, nil, errors.Join(err, conn.Close(), db.Close())
		}
	}
	return db, conn, nil
}

func readTable(ctx context.Context, in records.Input) (list []records.Record, problems []model.Problem, err error) {
	db, conn, err := open(ctx, in.Path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(), db.Close()) }()
	// A page that is in two places would be read for each of them, and again below it.
	var sound string
	if err := conn.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&sound); err != nil {
		return nil, nil, err
	}
	if sound != "ok" {
		return nil, nil, errors.New(sound)
	}
	var made string
	err = conn.QueryRowContext(ctx, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'tasks' COLLATE NOCASE").Scan(&made)
	if errors.Is(err, sql.ErrNoRows) || err == nil && strings.Contains(strings.ToUpper(made), "VIRTUAL TABLE") {
		return nil, nil, errors.New("it has no table tasks")
	}
	if err != nil {
		return nil, nil, err
	}
	rows, err := conn.QueryContext(ctx, "SELECT * FROM tasks ORDER BY task_id")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	t := table{name: in.Name}
	if t.columns, err = rows.Columns(); err != nil {
		return nil, nil, err
	}
	for rows.Next() {
		values := make([]any, len(t.columns))
		into := make([]any, len(values))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, nil, err
		}
		t.row(values)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil { // the connection is needed
		return nil, nil, err
	}
	others, err := otherTables(ctx, conn)
	if err != nil {
		return nil, nil, err
	}
	if len(t.list) > 0 {
		t.list[0].Beside = append(t.list[0].Beside, others...)
	}
	if len(t.list)+len(t.problems) == 0 {
		t.problems = []model.Problem{{Path: in.Name, Severity: model.Error, Code: "empty-file", Reason: "its table tasks is empty"}}
	}
	return t.list, t.problems, nil
}

// otherTables are those that are not read.
func otherTables(ctx context.Context, conn *sql.Conn) ([]string, error) {
	rows, err := conn.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name <> 'tasks' COLLATE NOCASE
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name LIMIT 100`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		out = append(out, "the table "+visible.Line(name))
	}
	return out, rows.Err()
}

// table is what is read of one.
type table struct {
	name     string
	columns  []string
	list     []records.Record
	problems []model.Problem
	rows     int
}

func (t *table) row(values []any) {
	t.rows++
	r := records.Record{Path: t.name, Index: t.rows}
	fields, id := model.Extra(nil), ""
	for i, column := range t.columns {
		if column == "data" && !slices.Contains(t.columns, "objective") {
			t.data(&r, values[i])
			for _, f := range fields { // the row's id stands before its data, and is the same
				if _, has := r.Fields.Get(f.Key); !has {
					r.Fields = append(r.Fields, f)
				}
			}
			fields = r.Fields
			continue
		}
		if column == "updated_at" && slices.Contains(t.columns, "data") {
			if values[i] != nil {
				r.Beside = append(r.Beside, "an updated_at of the row") // and not of the task
			}
			continue
		}
		raw, ok := value(column, values[i])
		switch {
		case !ok:
			t.problems = append(t.problems, r.Problem("wrong-type", "its "+visible.Line(column)+" is "+what(column), "correct or remove the row"))
		case raw == nil:
		case column == "task_id":
			id = model.ExtraField{Value: raw}.Text()
			if _, has := fields.Get(column); !has {
				fields = slices.Insert(fields, 0, model.ExtraField{Key: column, Value: raw})
			}
		default:
			fields = append(fields, model.ExtraField{Key: column, Value: raw})
		}
	}
	if own, ok := fields.Text("task_id"); ok && id != "" && own != id {
		t.problems = append(t.problems, r.Problem("duplicate-id", "its data names the task "+visible.Line(own)+", but its task_id is "+visible.Line(id), "correct or remove the row"))
	}
	r.Fields, r.Raw = fields, model.EncodeFields(fields)
	if len(r.Raw) > maxRow {
		t.problems = append(t.problems, r.Problem("too-large", fmt.Sprintf("it is larger than %d KiB", maxRow>>10), "shorten it"))
	}
	t.list = append(t.list, r)
}

// data reads a whole record out of one column.
func (t *table) data(r *records.Record, v any) {
	var b []byte
	switch v := v.(type) {
	case string:
		b = []byte(v)
	case []byte:
		b = v
	}
	found, problems := records.Read(t.name, bytes.NewReader(b))
	if len(found) != 1 || len(problems) > 0 {
		t.problems = append(t.problems, r.Problem("bad-json", "its data is not one JSON object", "correct or remove the row"))
		return
	}
	r.Fields = found[0].Fields
}

func what(column string) string {
	if structured(column) && column != "tool_output" {
		return "not JSON"
	}
	return "neither a string nor a number"
}

// value is what a cell holds, as JSON; nil for NULL.
func value(column string, v any) (raw []byte, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case int64:
		return strconv.AppendInt(nil, v, 10), true
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, false
		}
		raw, err := json.Marshal(v)
		return raw, err == nil
	case bool:
		return strconv.AppendBool(nil, v), true
	case time.Time: // the driver reads columns that were declared as times
		return model.TimeField("", v).Value, true
	case []byte:
		return value(column, string(v))
	case string:
		if !utf8.ValidString(v) {
			return nil, false
		}
		if structured(column) {
			if json.Valid([]byte(v)) {
				return model.ExtraField{Value: []byte(v)}.Value, true
			}
			if column != "tool_output" {
				return nil, false
			}
		}
		return model.TextField("", v).Value, true
	}
	return nil, false
}

// isDatabase looks at how a file begins.
func isDatabase(in *records.Input) bool {
	b := bufio.NewReader(in.File)
	head, err := b.Peek(len(magic))
	in.File = b
	return (err == nil || errors.Is(err, io.EOF)) && string(head) == magic
}

// isDatabaseName says that a file of this name is to be a database.
func isDatabaseName(path string) bool {
	return slices.Contains([]string{".db", ".sqlite", ".sqlite3"}, strings.ToLower(filepath.Ext(path)))
}

// saveDatabase writes the specification's table.
func saveDatabase(ctx context.Context, path string, x records.Exported) error {
	return records.Make(path, func(temp string) (err error) {
		dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(temp), OmitHost: true, RawQuery: url.Values{"_pragma": {"journal_mode(OFF)", "synchronous(OFF)"}}.Encode()}
		db, err := sql.Open("sqlite", dsn.String())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close(), sync(temp)) }()
		db.SetMaxOpenConns(1)
		if _, err := db.ExecContext(ctx, schema); err != nil {
			return err
		}
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := fill(ctx, tx, x); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return tx.Commit()
	})
}

// sync brings to the disk what was written without waiting for it.
func sync(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func fill(ctx context.Context, tx *sql.Tx, x records.Exported) error {
	names := columns()
	insert, err := tx.PrepareContext(ctx, "INSERT INTO tasks VALUES (?"+strings.Repeat(", ?", len(names)-1)+")")
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, r := range x.Records {
		id, _ := r.Text("task_id")
		row := make([]any, len(names))
		for i, name := range names {
			raw, ok := r.Get(name)
			switch {
			case !ok || string(raw) == "null":
			case structured(name):
				row[i] = string(raw)
			default:
				text, ok := r.Text(name)
				if !ok {
					text = string(raw)
				}
				row[i] = text
			}
		}
		for _, f := range r {
			if !slices.Contains(names, f.Key) && string(f.Value) != "null" {
				x.Lost.Count(visible.Line(f.Key)+" is not exported: the table has no such column", id)
			}
		}
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return fmt.Errorf("%s: %w", visible.Line(id), err)
		}
	}
	return nil
}
