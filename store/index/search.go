package index

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
)

const (
	manyMatches = 2000   // more tasks than these are not ranked by BM25, which has to look at all of them
	mostScanned = 50_000 // matches that a filter is held against
	mostHits    = 1000   // tasks that one search gives
)

// ranking is BM25 with what a match in each column counts.
const ranking = "bm25(4.0, 2.0, 1.5, 1.0, 1.0, 0.25)"

// Search finds tasks of a snapshot. It looks through what the index has: Update first. The error is a *model.Refusal
// for a query that cannot be meant.
func (x *Index) Search(ctx context.Context, snap *snapshot.Snapshot, q snapshot.SearchQuery) (snapshot.SearchAnswer, error) {
	parsed, err := snapshot.ParseSearch(q.Text)
	if err != nil {
		return snapshot.SearchAnswer{}, err
	}
	f, err := snap.Bind(parsed.Filter)
	if err != nil {
		return snapshot.SearchAnswer{}, err
	}
	if q.Limit <= 0 {
		q.Limit = snapshot.SearchLimit
	}
	q.Limit = min(q.Limit, mostHits)
	var a snapshot.SearchAnswer
	err = x.again(ctx, func() error {
		a = snapshot.SearchAnswer{Tasks: snap.Len()}
		s := &search{x: x, snap: snap, q: q, filter: f, answer: &a}
		return s.run(ctx, parsed)
	})
	return a, err
}

// search is one Search.
type search struct {
	x      *Index
	snap   *snapshot.Snapshot
	q      snapshot.SearchQuery
	filter snapshot.Filter
	e      expression
	answer *snapshot.SearchAnswer
	taken  map[int64]bool
	only   map[int64]bool // the tasks that the filter selects, if they are few; nil: not looked up
}

func (s *search) run(ctx context.Context, parsed snapshot.Search) error {
	whole, err := meta(ctx, s.x.read, "whole")
	if err != nil {
		return err
	}
	s.answer.Indexed = s.snap.Len()
	if whole != "1" {
		if err := s.x.read.QueryRowContext(ctx, "SELECT count(*) FROM tasks").Scan(&s.answer.Indexed); err != nil {
			return err
		}
		s.answer.Indexed = min(s.answer.Indexed, s.snap.Len())
	}
	if parsed.Empty() {
		return nil
	}
	// Those with all words in the name first, and of each those that have the words as they were typed: where there are
	// enough of the first, what longer words there are is not looked up.
	s.taken = map[int64]bool{}
	if name, want := typed(parsed.Words, s.q.Fields); name != "" {
		s.e.want = want
		if err := s.selected(ctx); err != nil {
			return err
		}
		if full, err := s.stage(ctx, "names", name); full || err != nil {
			return err
		}
	}
	if s.e, err = express(ctx, s.x.read, parsed.Words, s.q.Fields); err != nil {
		return err
	}
	s.answer.More = s.e.cut
	if s.e.all == "" {
		return s.filtered(ctx)
	}
	if s.only == nil {
		if err := s.selected(ctx); err != nil {
			return err
		}
	}
	for _, at := range []struct{ in, match string }{{"names", s.e.name}, {"words", s.e.exact}, {"words", s.e.all}} {
		if full, err := s.stage(ctx, at.in, at.match); full || err != nil {
			return err
		}
	}
	return nil
}

// stage takes the tasks that match in an index, but for those that are left out, and says whether there are enough.
func (s *search) stage(ctx context.Context, in, match string) (full bool, err error) {
	if match == "" {
		return false, nil
	}
	match = "(" + match + ")"
	if s.e.not != "" {
		match += " NOT (" + s.e.not + ")"
	}
	var n int
	count := "SELECT count(*) FROM (SELECT 1 FROM " + in + " WHERE " + in + " MATCH ? LIMIT ?)"
	if err := s.x.read.QueryRowContext(ctx, count, match, manyMatches+1).Scan(&n); err != nil {
		return false, err
	}
	return s.take(ctx, in, match, n)
}

// take adds the tasks that match in an index, as far as they are wanted, and says whether there are enough.
// n is how many match, if that is not more than manyMatches.
func (s *search) take(ctx context.Context, in, match string, n int) (full bool, err error) {
	if n == 0 {
		return false, nil
	}
	query := "SELECT rowid FROM " + in + " WHERE " + in + " MATCH ? ORDER BY rowid DESC LIMIT ?"
	if n <= manyMatches {
		query = "SELECT rowid FROM " + in + " WHERE " + in + " MATCH ? ORDER BY rank LIMIT ?"
	}
	most := mostScanned
	if s.filter.Empty() {
		most = s.q.Limit + len(s.taken) + 1
	}
	// As one value: a call for each row would be most of what the query costs.
	var listed sql.NullString
	if err := s.x.read.QueryRowContext(ctx, "SELECT group_concat(rowid, ' ') FROM ("+query+")", match, most).Scan(&listed); err != nil {
		return false, err
	}
	var ids []int64
	for word := range strings.FieldsSeq(listed.String) {
		id, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return false, err
		}
		if s.only == nil || s.only[id] {
			ids = append(ids, id)
		}
	}
	for part := range slices.Chunk(ids, 4*snapshot.SearchLimit) {
		if full, err = s.takeIDs(ctx, part); full || err != nil {
			return full, err
		}
	}
	return false, nil
}

// takeIDs adds those tasks that are wanted, in their order.
func (s *search) takeIDs(ctx context.Context, ids []int64) (full bool, err error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return false, err
	}
	rows, err := s.x.read.QueryContext(ctx, "SELECT t.id, t.uid FROM json_each(?) j CROSS JOIN tasks t ON t.id = j.value", string(list))
	if err != nil {
		return false, err
	}
	defer rows.Close()
	room := s.q.Limit - len(s.answer.Hits)
	var good []int64
	var at []int
	for rows.Next() {
		var id int64
		var uid string
		if err := rows.Scan(&id, &uid); err != nil {
			return false, err
		}
		i, ok := s.snap.Index(model.UID(uid))
		if !ok || s.taken[id] || s.only == nil && !s.snap.Match(s.filter, i) {
			continue
		}
		if len(good) == room {
			s.answer.More, full = true, true
			break
		}
		s.taken[id] = true
		good, at = append(good, id), append(at, i)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil { // the connection is needed
		return false, err
	}
	return full, s.show(ctx, good, at)
}

// fewSelected: so many tasks or fewer that a filter selects are looked up, and not each match held
// against the filter.
const fewSelected = 2000

// selected looks up the tasks that the filter selects, where these are few.
func (s *search) selected(ctx context.Context) error {
	if s.filter.Empty() {
		return nil
	}
	found := s.snap.Select(s.filter)
	if len(found) > fewSelected {
		return nil
	}
	uids := make([]model.UID, len(found))
	for k, i := range found {
		uids[k] = s.snap.UID(int(i))
	}
	list, err := json.Marshal(uids)
	if err != nil {
		return err
	}
	rows, err := s.x.read.QueryContext(ctx, "SELECT t.id FROM json_each(?) j CROSS JOIN tasks t ON t.uid = j.value", string(list))
	if err != nil {
		return err
	}
	defer rows.Close()
	s.only = map[int64]bool{}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		s.only[id] = true
	}
	return rows.Err()
}

// show makes hits of tasks.
func (s *search) show(ctx context.Context, ids []int64, at []int) error {
	if len(ids) == 0 {
		return nil
	}
	text, err := s.x.read.PrepareContext(ctx, "SELECT name, objective, plan, comments, results, history FROM texts WHERE id = ?")
	if err != nil {
		return err
	}
	defer text.Close()
	for k, id := range ids {
		var texts [6]string
		err := text.QueryRowContext(ctx, id).Scan(&texts[0], &texts[1], &texts[2], &texts[3], &texts[4], &texts[5])
		if err != nil && err != sql.ErrNoRows { //nolint:errorlint // as Scan documents it
			return err
		}
		s.answer.Hits = append(s.answer.Hits, s.hit(at[k], &texts))
	}
	return nil
}

func (s *search) hit(i int, texts *[6]string) snapshot.SearchHit {
	h := snapshot.SearchHit{UID: s.snap.UID(i), Name: s.snap.Name(i), Status: s.snap.Status(i)}
	var has []int
	for k, f := range fields {
		if m, n, ok := matchIn(texts[k], f, s.e.want); ok {
			h.Matches, has = append(h.Matches, m), append(has, n)
		}
	}
	if len(h.Matches) == 0 { // it matches in a way that only the index knows
		h.Matches = []snapshot.SearchMatch{{Field: snapshot.SearchName, Snippet: h.Name}}
		return h
	}
	order := make([]int, len(has))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return has[b] - has[a] })
	sorted := make([]snapshot.SearchMatch, len(order))
	for k, from := range order {
		sorted[k] = h.Matches[from]
	}
	h.Matches = sorted
	return h
}

// filtered are the tasks that a filter alone selects, the newest first, without those that have a word.
func (s *search) filtered(ctx context.Context) error {
	without := map[model.UID]bool{}
	if s.e.not != "" {
		rows, err := s.x.read.QueryContext(ctx, "SELECT t.uid FROM (SELECT rowid FROM words WHERE words MATCH ?) m JOIN tasks t ON t.id = m.rowid", s.e.not)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var uid string
			if err := rows.Scan(&uid); err != nil {
				return err
			}
			without[model.UID(uid)] = true
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	found := s.snap.Select(s.filter)
	for k := len(found) - 1; k >= 0; k-- {
		i := int(found[k])
		if without[s.snap.UID(i)] {
			continue
		}
		if len(s.answer.Hits) == s.q.Limit {
			s.answer.More = true
			return nil
		}
		name := s.snap.Name(i)
		s.answer.Hits = append(s.answer.Hits, snapshot.SearchHit{
			UID: s.snap.UID(i), Name: name, Status: s.snap.Status(i),
			Matches: []snapshot.SearchMatch{{Field: snapshot.SearchName, Snippet: strings.Join(strings.Fields(name), " ")}},
		})
	}
	return nil
}
