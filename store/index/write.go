package index

import (
	"context"
	"database/sql"
	"errors"
)

// writer writes rows. It belongs to one goroutine.
type writer struct {
	u          *update
	vocabulary vocabulary
	allTerms   bool     // vocabulary has all that are there
	fresh      []string // terms that were met and are not written yet
}

// meet takes terms of texts that are about to be written.
func (w *writer) meet(terms vocabulary) {
	for term := range terms {
		if _, ok := w.vocabulary[term]; !ok {
			w.vocabulary[term] = struct{}{}
			w.fresh = append(w.fresh, term)
		}
	}
}

func (w *writer) readTerms(ctx context.Context) error {
	rows, err := w.u.x.write.QueryContext(ctx, "SELECT term FROM terms")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var term string
		if err := rows.Scan(&term); err != nil {
			return err
		}
		w.vocabulary[term] = struct{}{}
	}
	w.allTerms = true
	return rows.Err()
}

// commit writes rows, at once.
func (w *writer) commit(ctx context.Context, rows []row) error {
	tx, err := w.u.x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing, once it is committed
	s, err := prepare(ctx, tx)
	if err != nil {
		return err
	}
	// A statement on a table has the full-text indexes write down what they hold back: these come last,
	// one after the other.
	ids := make([]int64, len(rows))
	for i := range rows {
		if ids[i], err = w.put(ctx, s, &rows[i]); err != nil {
			return err
		}
	}
	terms, err := w.putTerms(ctx, s)
	if err != nil {
		return err
	}
	for i := range rows {
		if err := putWords(ctx, s, ids[i], &rows[i]); err != nil {
			return err
		}
	}
	for i, term := range w.fresh {
		if terms[i] == 0 {
			continue
		}
		if _, err := s.part.ExecContext(ctx, terms[i], term); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	w.fresh = w.fresh[:0]
	return nil
}

// statements are those of one transaction.
type statements struct {
	find, task, text, words, name, noTask, noText, noWords, noName, term, part, hasTerm *sql.Stmt
}

func prepare(ctx context.Context, tx *sql.Tx) (*statements, error) {
	s := &statements{}
	var marks []byte
	for range 27 {
		marks = append(marks, ",?"...)
	}
	for _, p := range []struct {
		at    **sql.Stmt
		query string
	}{
		{&s.find, "SELECT id FROM tasks WHERE uid = ?"},
		{&s.task, "INSERT OR REPLACE INTO tasks (id, " + taskColumns + ") VALUES (" + string(marks[1:]) + ")"},
		{&s.text, "INSERT OR REPLACE INTO texts VALUES (?,?,?,?,?,?,?)"},
		{&s.words, "INSERT INTO words (rowid, name, objective, plan, comments, results, history) VALUES (?,?,?,?,?,?,?)"},
		{&s.name, "INSERT INTO names (rowid, name) VALUES (?,?)"},
		{&s.noName, "DELETE FROM names WHERE rowid = ?"},
		{&s.noTask, "DELETE FROM tasks WHERE id = ?"},
		{&s.noText, "DELETE FROM texts WHERE id = ?"},
		{&s.noWords, "DELETE FROM words WHERE rowid = ?"},
		{&s.hasTerm, "SELECT 1 FROM terms WHERE term = ?"},
		{&s.term, "INSERT INTO terms (term) VALUES (?)"},
		{&s.part, "INSERT INTO parts (rowid, term) VALUES (?,?)"},
	} {
		var err error
		if *p.at, err = tx.PrepareContext(ctx, p.query); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// put writes a task's own rows, and is their number; 0 where nothing of it is there anymore.
func (w *writer) put(ctx context.Context, s *statements, r *row) (id int64, err error) {
	err = sql.ErrNoRows
	if w.u.have == nil || w.u.have[r.uid].id != 0 || r.gone {
		err = s.find.QueryRowContext(ctx, string(r.uid)).Scan(&id)
	}
	r.known = err == nil
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	if r.gone {
		for _, stmt := range []*sql.Stmt{s.noTask, s.noText} {
			if _, err := stmt.ExecContext(ctx, id); err != nil {
				return 0, err
			}
		}
		return id, nil
	}
	arg := any(nil)
	if r.known {
		arg = id
	}
	res, err := s.task.ExecContext(ctx, append([]any{arg}, r.columns...)...)
	if err != nil {
		return 0, err
	}
	if !r.known {
		if id, err = res.LastInsertId(); err != nil {
			return 0, err
		}
	}
	_, err = s.text.ExecContext(ctx, id, r.texts[0], r.texts[1], r.texts[2], r.texts[3], r.texts[4], r.texts[5])
	return id, err
}

// putWords writes a task's rows of the full-text indexes.
func putWords(ctx context.Context, s *statements, id int64, r *row) error {
	if r.known {
		for _, stmt := range []*sql.Stmt{s.noWords, s.noName} {
			if _, err := stmt.ExecContext(ctx, id); err != nil {
				return err
			}
		}
	}
	if r.gone {
		return nil
	}
	words := []any{id}
	for _, t := range r.texts {
		words = append(words, spaced(t))
	}
	if _, err := s.words.ExecContext(ctx, words...); err != nil {
		return err
	}
	_, err := s.name.ExecContext(ctx, words[:2]...)
	return err
}

// putTerms writes down the terms that are fresh, and is the number of each; 0 of one that was there.
func (w *writer) putTerms(ctx context.Context, s *statements) ([]int64, error) {
	ids := make([]int64, len(w.fresh))
	for i, term := range w.fresh {
		if !w.allTerms {
			var one int
			if err := s.hasTerm.QueryRowContext(ctx, term).Scan(&one); err == nil {
				continue
			} else if !errors.Is(err, sql.ErrNoRows) {
				return nil, err
			}
		}
		res, err := s.term.ExecContext(ctx, term)
		if err != nil {
			return nil, err
		}
		if ids[i], err = res.LastInsertId(); err != nil {
			return nil, err
		}
	}
	return ids, nil
}
