package index

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model/snapshot"
)

// expression is a query as the full-text index takes it. Whatever was typed is in it as quoted tokens.
type expression struct {
	all  string // tasks that have every word; "" where no word is wanted
	not  string // tasks to leave out; ""
	name string // those that have every word in their name; "" where that is not asked for
	// As all, but every word is there as it was typed and not as the beginning or a part of another; "" where
	// that is the same. BM25 alone would put these behind those with a longer word, which is rarer.
	exact string
	cut   bool     // more terms have a part of a word than were taken
	want  []wanted // to mark
}

// wanted is a word as texts are compared with it.
type wanted struct {
	terms  []string
	within bool // a single term: also inside of longer ones
	prefix bool // the last term may be longer
	fields []snapshot.SearchField
}

// mostTerms is how many terms with a part are asked for.
const mostTerms = 50

// typed is what is asked of names for words as they were typed, before it is known what longer words there are: enough
// tasks of that kind need no more. "" where names are not asked.
func typed(words []snapshot.SearchWord, in []snapshot.SearchField) (match string, want []wanted) {
	if len(in) > 0 && !slices.Contains(in, snapshot.SearchName) {
		return "", nil
	}
	var all []string
	for _, w := range words {
		ts := terms(w.Text)
		if w.Not || w.Field != "" && w.Field != snapshot.SearchName {
			return "", nil
		}
		if len(ts) > 0 {
			all, want = with(all, quoted(strings.Join(ts, " ")), w.Or), append(want, wantedOf(w, ts, in))
		}
	}
	return strings.Join(all, " AND "), want
}

// wantedOf is a word as it is marked; in are the fields of one that names none.
func wantedOf(w snapshot.SearchWord, ts []string, in []snapshot.SearchField) wanted {
	if w.Field != "" {
		in = []snapshot.SearchField{w.Field}
	}
	return wanted{terms: ts, fields: in, prefix: !w.Phrase, within: !w.Phrase && !w.Prefix && len(ts) == 1}
}

// express makes the expression of a query. in are the fields of words that name none.
func express(ctx context.Context, db *sql.DB, words []snapshot.SearchWord, in []snapshot.SearchField) (expression, error) {
	var x expression
	var all, not, name, exact []string
	longer := false
	named := len(in) == 0 || slices.Contains(in, snapshot.SearchName)
	for _, w := range words {
		where := in
		if w.Field != "" {
			where = []snapshot.SearchField{w.Field}
		}
		alternatives, cut, err := alternatives(ctx, db, w)
		if err != nil {
			return x, err
		}
		if len(alternatives) == 0 {
			continue
		}
		e, as := "("+strings.Join(alternatives, " OR ")+")", "("+alternatives[0]+")"
		if len(where) > 0 && len(where) < len(fields) {
			e, as = inColumns(where)+e, inColumns(where)+as
		}
		if w.Not {
			not = append(not, e)
			continue
		}
		all, name = with(all, e, w.Or), with(name, "("+strings.Join(alternatives, " OR ")+")", w.Or)
		exact = with(exact, as, w.Or)
		longer = longer || len(alternatives) > 1
		named = named && (w.Field == "" || w.Field == snapshot.SearchName)
		x.cut = x.cut || cut
		x.want = append(x.want, wantedOf(w, terms(w.Text), in))
	}
	x.all, x.not = strings.Join(all, " AND "), strings.Join(not, " OR ")
	if longer {
		x.exact = strings.Join(exact, " AND ")
	}
	if named && x.not == "" {
		x.name = strings.Join(name, " AND ")
	}
	return x, nil
}

// with adds a part to those that must all match; with or set it may match in place of the last one.
func with(parts []string, part string, or bool) []string {
	if n := len(parts); or && n > 0 {
		parts[n-1] = "(" + parts[n-1] + " OR " + part + ")"
		return parts
	}
	return append(parts, part)
}

func inColumns(in []snapshot.SearchField) string {
	names := make([]string, len(in))
	for i, f := range in {
		names[i] = column(f)
	}
	return "{" + strings.Join(names, " ") + "} : "
}

// terms are the terms of a word.
func terms(s string) []string {
	var out []string
	for _, t := range tokens(s) {
		out = append(out, t.term)
	}
	return out
}

// alternatives are what a word may be found as, the likeliest first.
func alternatives(ctx context.Context, db *sql.DB, w snapshot.SearchWord) (out []string, cut bool, err error) {
	ts := terms(w.Text)
	if len(ts) == 0 {
		return nil, false, nil
	}
	phrase := quoted(strings.Join(ts, " "))
	out = append(out, phrase)
	last := ts[len(ts)-1]
	r, _ := utf8.DecodeLastRuneInString(last)
	if w.Phrase || isAlone(r) && len(ts) > 1 {
		return out, false, nil
	}
	n := utf8.RuneCountInString(last)
	switch {
	case isAlone(r):
	case len(ts) > 1:
		if n >= leastPart {
			out = append(out, phrase+" *")
		}
	default:
		// For what begins so SQLite gathers all places of all its terms before it gives the first. Terms by
		// themselves it goes through as far as somebody looks.
		more, tooMany, err := beginning(ctx, db, last)
		switch {
		case err != nil || n < leastPart:
			return append(out, more...), tooMany, err
		case tooMany:
			out = append(out, phrase+" *")
		default:
			out = append(out, more...)
		}
	}
	if w.Prefix || len(ts) > 1 || n < leastPart {
		return out, false, nil
	}
	more, cut, err := within(ctx, db, last)
	return append(out, more...), cut, err
}

// leastPart is how many characters the index of parts needs.
const leastPart = 3

// quoted is a string of FTS5.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// beginning are the terms that begin with a few characters.
func beginning(ctx context.Context, db *sql.DB, s string) ([]string, bool, error) {
	return termsOf(ctx, db, func(string) bool { return true },
		"SELECT term FROM terms WHERE term > ? AND term < ? LIMIT ?", s, s+"\U0010FFFF", mostTerms+1)
}

// within are the terms that hold a word but do not begin with it.
func within(ctx context.Context, db *sql.DB, s string) ([]string, bool, error) {
	chars := []rune(s)
	var grams []string
	for i := 0; i+leastPart <= len(chars); i++ {
		grams = append(grams, quoted(string(chars[i:i+leastPart])))
	}
	slices.Sort(grams)
	return termsOf(ctx, db, func(term string) bool { return strings.Index(term, s) > 0 },
		"SELECT t.term FROM parts p JOIN terms t ON t.id = p.rowid WHERE parts MATCH ? LIMIT ?",
		strings.Join(slices.Compact(grams), " AND "), 20*mostTerms)
}

func termsOf(ctx context.Context, db *sql.DB, keep func(term string) bool, query string, args ...any) (out []string, cut bool, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	for rows.Next() {
		var term string
		if err := rows.Scan(&term); err != nil {
			return nil, false, err
		}
		if !keep(term) {
			continue
		}
		if len(out) == mostTerms {
			cut = true
			break
		}
		out = append(out, quoted(term))
	}
	return out, cut, rows.Err()
}
