package desk

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

const (
	// UsualList and MostList are how many tasks a page has.
	UsualList = 50
	MostList  = 200
)

// ListQuery says which tasks are to be listed.
type ListQuery struct {
	Filter string `json:"filter,omitempty" jsonschema:"words, and terms such as is:open, status:ready, under:UID, milestone:m1, label:parser, priority:high, by:claude; -is:done excludes"`
	Limit  int    `json:"limit,omitempty" jsonschema:"default 50, at most 200"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous page"`
}

// Listing is a page of tasks, in the order in which they were made.
type Listing struct {
	Tasks      []Row  `json:"tasks"`
	Total      int    `json:"total" jsonschema:"tasks that match, on all pages"`
	NextCursor string `json:"next_cursor,omitempty" jsonschema:"cursor of the next page; absent on the last"`
	NextAction string `json:"next_action" jsonschema:"what to do now; follow it"`
}

// List lists tasks. A page begins after the last task of the page before it, even if tasks were added since.
func (d *Desk) List(ctx context.Context, q ListQuery) (Listing, error) {
	if q.Limit < 0 || q.Limit > MostList {
		return Listing{}, problem(CodeInvalid, fmt.Sprintf("limit is %d", q.Limit), fmt.Sprintf("Use 1 to %d, and cursor for more.", MostList))
	}
	if q.Limit == 0 {
		q.Limit = UsualList
	}
	f, err := snapshot.ParseFilter(q.Filter)
	if err != nil {
		return Listing{}, told(err)
	}
	_, snap, err := d.View(ctx)
	if err != nil {
		return Listing{}, err
	}
	if _, known := snap.Index(model.UID(q.Cursor)); q.Cursor != "" && !known {
		return Listing{}, problem(CodeInvalid, fmt.Sprintf("%q is not a valid cursor: no task has this id", visible.Line(q.Cursor)),
			"Use next_cursor of the previous page, unchanged. If its task is gone, list again without a cursor.")
	}
	if f, err = snap.Bind(f); err != nil {
		return Listing{}, told(err)
	}
	out := Listing{Tasks: []Row{}, Total: snap.Len()}
	uidOf := func(k int) string { return string(snap.UID(k)) }
	if !f.Empty() {
		found := snap.Select(f)
		out.Total = len(found)
		uidOf = func(k int) string { return string(snap.UID(int(found[k]))) }
	}
	from := 0
	if q.Cursor != "" {
		from = sort.Search(out.Total, func(k int) bool { return uidOf(k) > q.Cursor })
	}
	for k := from; k < out.Total; k++ {
		if len(out.Tasks) == q.Limit {
			out.NextCursor = out.Tasks[q.Limit-1].ID
			break
		}
		i, _ := snap.Index(model.UID(uidOf(k)))
		out.Tasks = append(out.Tasks, rowOf(snap, i))
	}
	switch {
	case snap.Len() == 0:
		out.NextAction = "There are no tasks yet. Create them with task_create, if you were asked to."
	case out.Total == 0:
		out.NextAction = "No task matches. Use another filter, or search."
	case out.NextCursor != "":
		out.NextAction = fmt.Sprintf("There is more: call task_list again with the same filter and cursor %q, if you need it. Read a full task with task_get.", out.NextCursor)
	default:
		out.NextAction = "Read a full task with task_get. task_next says what to work on."
	}
	return out, nil
}

// SearchQuery says what is looked for.
type SearchQuery struct {
	Text   string   `json:"query" jsonschema:"words; plan:word (also result, objective, comment, name, history) looks in one place, status:ready and the like select tasks, \"two words\" is a phrase, word* a prefix"`
	Fields []string `json:"fields,omitempty" jsonschema:"only these: name, objective, plan, comment, result, history"`
	Limit  int      `json:"limit,omitempty" jsonschema:"default 20, at most 100"`
}

// Found is what a search found.
type Found struct {
	Hits       []Hit  `json:"hits" jsonschema:"the best first"`
	More       bool   `json:"more,omitempty" jsonschema:"there are more"`
	Note       string `json:"note,omitempty" jsonschema:"what the index does not have yet"`
	NextAction string `json:"next_action" jsonschema:"what to do now; follow it"`
}

// Hit is a task that a search found.
type Hit struct {
	ID   string `json:"id" jsonschema:"uid"`
	Name string `json:"name"`
	TaskStatus
	Matches []Match `json:"matches"`
}

// Match is where in a task something was found.
type Match struct {
	Field   string `json:"field" jsonschema:"name, objective, plan, comment, result or history"`
	Part    string `json:"part,omitempty" jsonschema:"file, comment or event"`
	Snippet string `json:"snippet"`
	Line    int    `json:"line,omitempty"`
}

const (
	usualHits = 20
	mostHits  = 100
)

// Search looks through the texts of all tasks, by the index that the desk was given.
func (d *Desk) Search(ctx context.Context, q SearchQuery) (Found, error) {
	if d.o.Search == nil {
		return Found{}, problem(CodeRefused, "there is no search index here", "Use task_list with a filter.")
	}
	if strings.TrimSpace(q.Text) == "" || q.Limit < 0 || q.Limit > mostHits {
		return Found{}, problem(CodeInvalid, "the query is empty, or limit is not 1 to 100", "Give words in query.")
	}
	if err := tooLarge("the query", len(q.Text), 4<<10, "Use fewer words."); err != nil {
		return Found{}, err
	}
	ask := snapshot.SearchQuery{Text: q.Text, Limit: q.Limit}
	if ask.Limit == 0 {
		ask.Limit = usualHits
	}
	for _, name := range q.Fields {
		f, ok := snapshot.ParseSearchField(name)
		if !ok {
			return Found{}, problem(CodeInvalid, fmt.Sprintf("unknown field %q", visible.Line(name)), "Use name, objective, plan, comment, result or history.")
		}
		ask.Fields = append(ask.Fields, f)
	}
	_, snap, err := d.View(ctx)
	if err != nil {
		return Found{}, err
	}
	answer, err := d.o.Search.Search(ctx, snap, ask)
	if err != nil {
		return Found{}, told(err)
	}
	out := Found{Hits: []Hit{}, More: answer.More, Note: visible.String(answer.Ahead)}
	for _, h := range answer.Hits {
		hit := Hit{ID: string(h.UID), Name: h.Name, TaskStatus: TaskStatus{Status: h.Status.String()}, Matches: []Match{}}
		if i, ok := snap.Index(h.UID); ok {
			hit.TaskStatus = StatusOf(snap, i)
		}
		for _, m := range h.Matches {
			hit.Matches = append(hit.Matches, Match{Field: string(m.Field), Part: m.Part, Snippet: m.Snippet, Line: m.Line})
		}
		out.Hits = append(out.Hits, hit)
	}
	switch {
	case len(out.Hits) > 0:
		out.NextAction = "Read the full text with task_get."
	case answer.Indexed < answer.Tasks:
		out.NextAction = fmt.Sprintf("No match yet: %d of %d tasks are indexed so far. Search again in a few seconds.", answer.Indexed, answer.Tasks)
	default:
		out.NextAction = "No match. Use other words, or task_list with a filter."
	}
	return out, nil
}
