package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"vespe/model"
)

// Bounds of a query of the person's own.
const (
	mostValue  = 16 << 20  // bytes of one value, and of the query
	mostMemory = 512 << 20 // bytes that SQLite takes in this process
	mostAnswer = 128 << 20 // bytes of all values
)

// grace is how long a query has to end that was interrupted. SQLite looks for that between the steps of a
// query, and one call of its functions may take hours.
const grace = time.Second

// Table is what a query gave.
type Table struct {
	Columns []string
	Rows    [][]any // nil, int64, float64, string or []byte
	More    bool    // there are more rows
}

// Query runs one SELECT of the person's own. Nothing else is compiled: no write, no ATTACH, no extension, and of pragmas
// only those that describe tables. It gives at most so many rows, and ends when ctx does. The error is
// a *model.Refusal for a query that is none, or may not be run.
func (x *Index) Query(ctx context.Context, query string, most int) (Table, error) {
	if err := single(query); err != nil {
		return Table{}, err
	}
	var t Table
	err := x.again(ctx, func() (err error) {
		t, err = x.query(ctx, query, most)
		return err
	})
	return t, err
}

// query waits for queryOn, but not for one that does not end when it has to: that one is left to itself.
func (x *Index) query(ctx context.Context, query string, most int) (Table, error) {
	db, done := x.read, func() {}
	if x.at.path != "" { // a connection of its own, that cannot write whatever it is told
		db = open(x.at.readOnly(fmt.Sprintf("&_pragma=busy_timeout(10000)&_pragma=query_only(1)&_pragma=hard_heap_limit(%d)", mostMemory)))
		done = func() { _ = db.Close() }
	}
	var t Table
	answered := make(chan error, 1)
	go func() {
		defer done()
		got, err := queryOn(ctx, db, query, most)
		t = got
		answered <- err
	}()
	select {
	case err := <-answered:
		return t, err
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case err := <-answered:
		return t, err
	case <-late.C:
		return Table{}, refused(ctx, ctx.Err(), "")
	}
}

// queryOn runs one query on a connection that can do nothing else.
func queryOn(ctx context.Context, db *sql.DB, query string, most int) (t Table, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return t, err
	}
	defer conn.Close()
	for id, value := range map[int]int{lib.SQLITE_LIMIT_LENGTH: mostValue, lib.SQLITE_LIMIT_ATTACHED: 0} {
		if _, err := sqlite.Limit(conn, id, value); err != nil {
			return t, err
		}
	}
	denied := ""
	if err := authorize(conn, func(a sqlite.AuthorizerActionCode, arg1, arg2, _, _ string) sqlite.AuthorizerReturnCode {
		if allowed(a, arg1, arg2) {
			return sqlite.AuthorizerOK
		}
		denied = arg1
		return sqlite.AuthorizerDeny
	}); err != nil {
		return t, err
	}
	defer func() { _ = authorize(conn, nil) }() // of a connection that others use, in memory
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return t, refused(ctx, err, denied)
	}
	defer rows.Close()
	if err := t.read(rows, most); err != nil || t.More {
		return t, err
	}
	return t, refused(ctx, rows.Err(), denied)
}

// read takes at most so many rows.
func (t *Table) read(rows *sql.Rows, most int) (err error) {
	if t.Columns, err = rows.Columns(); err != nil {
		return err
	}
	size := 0
	for rows.Next() {
		if len(t.Rows) == most {
			t.More = true
			return nil
		}
		values, at := make([]any, len(t.Columns)), make([]any, len(t.Columns))
		for i := range values {
			at[i] = &values[i]
		}
		if err := rows.Scan(at...); err != nil {
			return err
		}
		for i, v := range values {
			size += 16
			switch v := v.(type) {
			case time.Time: // a column with such a type, as the driver sees it
				values[i] = v.UTC().Format(time.RFC3339Nano)
			case string:
				size += len(v)
			case []byte:
				size += len(v)
			}
		}
		if size > mostAnswer {
			return &model.Refusal{
				Code: model.CodeRefused, Op: "sql", Why: fmt.Sprintf("the answer is larger than %d MiB", mostAnswer>>20),
				Hint: "ask for fewer columns or rows, or for a part of them with substr",
			}
		}
		t.Rows = append(t.Rows, values)
	}
	return nil
}

func authorize(conn *sql.Conn, fn sqlite.AuthorizerFn) error {
	return conn.Raw(func(c any) error {
		r, ok := c.(sqlite.AuthorizerRegisterer)
		if !ok {
			return errors.New("this SQLite has no authorizer")
		}
		return r.RegisterAuthorizer(fn)
	})
}

// allowed says what a query may be compiled to.
func allowed(a sqlite.AuthorizerActionCode, arg1, arg2 string) bool {
	switch a {
	case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthRecursive:
		return true
	case sqlite.AuthFunction:
		return !strings.EqualFold(arg2, "load_extension")
	case sqlite.AuthPragma:
		switch strings.ToLower(arg1) {
		case "table_info", "table_xinfo", "table_list", "index_list", "index_info", "function_list", "compile_options", "data_version":
			return true
		}
	}
	return false
}

// refused is an error as the person is told it.
func refused(ctx context.Context, err error, denied string) error {
	if err == nil || spoiled(err) && !strings.Contains(err.Error(), "no such table") {
		return err
	}
	hint := "`vespe sql` shows the tables, with examples"
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &model.Refusal{Code: model.CodeRefused, Op: "sql", Why: "the query took too long", Hint: "narrow it, or give it longer with --timeout"}
	case ctx.Err() != nil:
		return ctx.Err()
	case denied != "" || strings.Contains(err.Error(), "not authorized") || strings.Contains(err.Error(), "readonly"):
		return &model.Refusal{Code: model.CodeRefused, Op: "sql", Why: "only reading is possible: the index is made of the store, and is made anew from it", Hint: hint}
	}
	var e *sqlite.Error
	if errors.As(err, &e) {
		why := e.Error()
		why = strings.TrimPrefix(why, "SQL logic error: ")
		if i := strings.LastIndex(why, " ("); i > 0 {
			why = why[:i]
		}
		return &model.Refusal{Code: model.CodeUsage, Op: "sql", Why: why, Hint: hint}
	}
	return err
}

// single refuses what is not one statement that reads.
func single(query string) error {
	hint := "`vespe sql` shows the tables, with examples"
	rest := strings.TrimSpace(afterStatement(query))
	if rest != "" && strings.Trim(rest, "; \t\r\n") != "" {
		return &model.Refusal{Code: model.CodeUsage, Op: "sql", Why: "there is more than one statement", Hint: "ask one question at a time"}
	}
	word := strings.ToUpper(firstWord(query))
	switch word {
	case "SELECT", "WITH", "VALUES", "EXPLAIN", "PRAGMA":
		return nil
	case "":
		return &model.Refusal{Code: model.CodeUsage, Op: "sql", Why: "there is no query", Hint: hint}
	case "INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER", "ATTACH", "DETACH", "VACUUM", "REINDEX", "ANALYZE",
		"BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE":
	default:
		return &model.Refusal{Code: model.CodeUsage, Op: "sql", Why: word + " is no SELECT", Hint: hint}
	}
	return &model.Refusal{Code: model.CodeRefused, Op: "sql", Why: "only reading is possible: the index is made of the store, and is made anew from it", Hint: hint}
}

// firstWord is the first word of a statement, past comments.
func firstWord(q string) string {
	for {
		q = strings.TrimLeft(q, " \t\r\n;(")
		switch {
		case strings.HasPrefix(q, "--"):
			_, q, _ = strings.Cut(q, "\n")
		case strings.HasPrefix(q, "/*"):
			_, q, _ = strings.Cut(q[2:], "*/")
		default:
			i := strings.IndexFunc(q, func(r rune) bool { return (r|0x20) < 'a' || (r|0x20) > 'z' })
			if i < 0 {
				i = len(q)
			}
			return q[:i]
		}
	}
}

// afterStatement is what follows the first semicolon that is in no text, name or comment; comments are left out.
func afterStatement(q string) string {
	ended := false
	var rest strings.Builder
	for i := 0; i < len(q); {
		switch c := q[i]; {
		case c == '\'' || c == '"' || c == '`' || c == '[':
			end := c
			if c == '[' {
				end = ']'
			}
			n := strings.IndexByte(q[i+1:], end)
			if n < 0 {
				n = len(q) - i - 2
			}
			if ended {
				rest.WriteByte(c)
			}
			i += n + 2
		case strings.HasPrefix(q[i:], "--"):
			n := strings.IndexByte(q[i:], '\n')
			if n < 0 {
				n = len(q) - i
			}
			i += n
		case strings.HasPrefix(q[i:], "/*"):
			n := strings.Index(q[i+2:], "*/")
			if n < 0 {
				n = len(q) - i - 4
			}
			i += n + 4
		default:
			if c == ';' {
				ended = true
			} else if ended {
				rest.WriteByte(c)
			}
			i++
		}
	}
	return rest.String()
}
