package look

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model/visible"
	"vespe/store/index"
)

func (a *app) sqlVerb() *cobra.Command {
	var limit int
	var timeout time.Duration
	var fresh bool
	c := &cobra.Command{
		Use: "sql [SELECT…]", Short: "Query the task index with SQL",
		Long: "Run one SELECT on the index that `vespe search` uses: SQLite, built from the store.\n" +
			"It is read-only. Without a query it prints the tables, with examples.",
		Example: "  vespe sql\n  vespe sql \"SELECT status, count(*) FROM tasks GROUP BY status\"\n  vespe sql --json \"SELECT * FROM tasks LIMIT 3\"",
		GroupID: "look", Args: core.Between(0, core.AnyNumber),
	}
	c.Flags().IntVar(&limit, "limit", 1000, "maximum number of rows")
	c.Flags().DurationVar(&timeout, "timeout", 10*time.Second, "give up after this duration")
	c.Flags().BoolVar(&fresh, "fresh", false, "check every task's files first, even in a large store")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case limit < 1:
			return core.Usagef("--limit is %d; it must be 1 or more", limit)
		case timeout <= 0:
			return core.Usagef("--timeout is %s; it must be more than 0", timeout)
		case len(args) == 0:
			return a.printSchema()
		}
		return a.sql(cmd.Context(), strings.Join(args, " "), limit, timeout, fresh)
	}
	return c
}

func (a *app) printSchema() error {
	if a.JSON {
		return core.WriteJSON(a.Stdout, struct {
			Schema   string   `json:"schema"`
			Examples []string `json:"examples"`
		}{index.Schema, index.Examples})
	}
	fmt.Fprintln(a.Stdout, "For example:")
	for _, q := range index.Examples {
		fmt.Fprintf(a.Stdout, "  vespe sql \"%s\"\n", q)
	}
	fmt.Fprint(a.Stdout, "\nThe tables:\n", index.Schema)
	return nil
}

func (a *app) sql(ctx context.Context, query string, limit int, timeout time.Duration, fresh bool) error {
	ctx, stop := core.Interruptible(ctx)
	defer stop()
	_, x, err := a.indexed(ctx, fresh)
	if err != nil {
		return err
	}
	defer x.Close()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	t, err := x.Query(ctx, query, limit)
	if err != nil {
		return err
	}
	if a.JSON {
		if t.Rows == nil {
			t.Rows = [][]any{}
		}
		for _, row := range t.Rows {
			for i, v := range row {
				switch v := v.(type) {
				case []byte:
					row[i] = hex.EncodeToString(v)
				case float64:
					if math.IsInf(v, 0) { // JSON has no number for it
						row[i] = cellText(v)
					}
				}
			}
		}
		return core.WriteJSON(a.Stdout, struct {
			Columns []string `json:"columns"`
			Rows    [][]any  `json:"rows"`
			More    bool     `json:"more"`
		}{t.Columns, t.Rows, t.More})
	}
	a.printRows(t)
	return nil
}

// widest is how wide a column is made for the values in it; longer ones stick out.
const widest = 60

func (a *app) printRows(t index.Table) {
	lines := [][]string{make([]string, len(t.Columns))}
	for i, name := range t.Columns {
		lines[0][i] = visible.Line(name)
	}
	for _, row := range t.Rows {
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = cellText(v)
		}
		lines = append(lines, line)
	}
	wide := make([]int, len(t.Columns))
	for _, line := range lines {
		for i, cell := range line {
			wide[i] = min(widest, max(wide[i], len([]rune(cell))))
		}
	}
	for _, line := range lines {
		for i := range line {
			line[i] = core.Pad(line[i], wide[i])
		}
		fmt.Fprintln(a.Stdout, strings.TrimRight(strings.Join(line, "  "), " "))
	}
	if t.More {
		fmt.Fprintf(a.Stdout, "… more rows; --limit is %d\n", len(t.Rows))
	}
}

// cellText is a value on one line.
func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return visible.Line(v)
	case []byte:
		return "x'" + hex.EncodeToString(v) + "'"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return visible.Line(fmt.Sprint(v))
}
