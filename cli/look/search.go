package look

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/cli/core"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
	"vespe/store/index"
	"vespe/store/statedir"
)

// index opens the index of a store and brings it up to date with a snapshot. sound says that the snapshot was compared with
// every file: then the index is, too.
func (a *app) index(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, sound bool) (*index.Index, error) {
	x, err := index.Open(ctx, s, index.Options{State: statedir.Path(a.Getenv)})
	if err != nil {
		return nil, err
	}
	said := a.Working()
	said("indexing", 0, snap.Len())
	if err := x.Update(ctx, snap, index.UpdateOptions{
		Sweep: sound, Progress: func(done, total int) { said("indexing", done, total) },
	}); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

func (a *app) searchVerb() *cobra.Command {
	var limit int
	var fresh bool
	c := &cobra.Command{
		Use: "search QUERY…", Short: "Search the text of tasks",
		Long: "Search names, objectives (with spec.json), plans, comments, results and history.\n\n" +
			"A task must contain all words; a word also matches inside longer words. \"…\" is a phrase, word* a\n" +
			"prefix; -word excludes, a OR b matches either. plan:word searches one field: name objective plan\n" +
			"comment result history. The filters of `vespe ls` narrow it: status:ready under:UID.",
		Example: "  vespe search migration\n  vespe search comment:\"too large\" is:open\n  vespe search timeout -plan:retry --json",
		GroupID: "task", Args: core.Between(1, core.AnyNumber), ValidArgsFunction: completeSearch,
	}
	c.Flags().IntVar(&limit, "limit", snapshot.SearchLimit, "maximum number of tasks")
	c.Flags().BoolVar(&fresh, "fresh", false, "check every task's files first, even in a large store")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		q := snapshot.SearchQuery{Text: filterText(args), Limit: limit}
		if limit < 1 {
			return core.Usagef("--limit is %d; it must be 1 or more", limit)
		}
		parsed, err := snapshot.ParseSearch(q.Text)
		if err != nil {
			return err
		}
		if parsed.Empty() {
			return core.Usagef("%q has nothing to search for", q.Text)
		}
		return a.search(cmd.Context(), q, fresh)
	}
	return c
}

func FieldNames() (names []string) {
	for _, f := range snapshot.SearchFields() {
		names = append(names, string(f))
	}
	return names
}

// completeSearch offers the keys of filters and of fields.
func completeSearch(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	out, how := core.CompleteFilter(c, args, typed)
	if !strings.Contains(typed, ":") {
		for _, f := range FieldNames() {
			out = append(out, f+":")
		}
	}
	return out, how
}

// indexed is the store as it is, and its index as of that.
func (a *app) indexed(ctx context.Context, fresh bool) (*snapshot.Snapshot, *index.Index, error) {
	s, err := a.Open()
	if err != nil {
		return nil, nil, err
	}
	snap, sound, err := a.Snapshot(ctx, s, fresh)
	if err != nil {
		return nil, nil, err
	}
	x, err := a.index(ctx, s, snap, sound)
	return snap, x, err
}

func (a *app) search(ctx context.Context, q snapshot.SearchQuery, fresh bool) error {
	ctx, stop := core.Interruptible(ctx)
	defer stop()
	snap, x, err := a.indexed(ctx, fresh)
	if err != nil {
		return err
	}
	defer x.Close()
	found, err := x.Search(ctx, snap, q)
	if err != nil {
		return err
	}
	defer a.PrintWarnings(core.StoreTrouble(snap))
	if a.JSON {
		return core.WriteJSON(a.Stdout, searchObjectOf(snap, q, found))
	}
	for _, h := range found.Hits {
		i, _ := snap.Index(h.UID)
		a.printHit(h, a.StatusCell(snap, i))
	}
	switch {
	case snap.Len() == 0:
		fmt.Fprintln(a.Stdout, a.NoTasks())
	case len(found.Hits) == 0:
		fmt.Fprintln(a.Stdout, "No matches.")
	case found.More:
		fmt.Fprintf(a.Stdout, "… more matches; use --limit %d to see more\n", 2*q.Limit)
	}
	return nil
}

// matchesShown is how many places of one task are printed.
const matchesShown = 3

func (a *app) printHit(h snapshot.SearchHit, status string) {
	name := visible.Line(h.Name)
	if name == "" {
		name = string(h.UID)
	}
	places := h.Matches[:min(matchesShown, len(h.Matches))]
	if i := slices.IndexFunc(places, func(m snapshot.SearchMatch) bool { return m.Field == snapshot.SearchName }); i >= 0 {
		if m := places[i]; m.Snippet == h.Name {
			name = a.marked(m)
		}
		places = slices.Delete(slices.Clone(places), i, i+1)
	}
	fmt.Fprintln(a.Stdout, h.UID.Short()+"  "+status+"  "+name)
	for _, m := range places {
		fmt.Fprintf(a.Prose(a.Stdout, 0), "        %s: %s\n", visible.Line(m.Place()), a.marked(m))
	}
}

// marked is a snippet with what matches in bold, where that can be shown.
func (a *app) marked(m snapshot.SearchMatch) string {
	on, off := "\x1b[1;4m", "\x1b[0m"
	if !a.IsTerminal || a.Plain() {
		on, off = "", ""
	}
	var b strings.Builder
	at := 0
	for _, k := range m.Marks {
		b.WriteString(visible.Line(m.Snippet[at:k[0]]))
		b.WriteString(on + visible.Line(m.Snippet[k[0]:k[1]]) + off)
		at = k[1]
	}
	b.WriteString(visible.Line(m.Snippet[at:]))
	return b.String()
}

// searchObject is the answer of vespe search --json.
type searchObject struct {
	Query string      `json:"query"`
	Hits  []hitObject `json:"hits"`
	More  bool        `json:"more"`
}

type hitObject struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	desk.TaskStatus
	Matches []matchObject `json:"matches"`
}

type matchObject struct {
	Field   string   `json:"field"`
	Part    string   `json:"part,omitempty"`
	Line    int      `json:"line,omitempty"`
	Snippet string   `json:"snippet"`
	Marks   [][2]int `json:"marks"` // bytes of the snippet, from and to
}

func searchObjectOf(snap *snapshot.Snapshot, q snapshot.SearchQuery, found snapshot.SearchAnswer) searchObject {
	o := searchObject{Query: q.Text, Hits: []hitObject{}, More: found.More}
	for _, h := range found.Hits {
		i, _ := snap.Index(h.UID)
		hit := hitObject{UID: string(h.UID), Name: h.Name, TaskStatus: desk.StatusOf(snap, i)}
		for _, m := range h.Matches {
			marks := m.Marks
			if marks == nil {
				marks = [][2]int{}
			}
			hit.Matches = append(hit.Matches, matchObject{string(m.Field), m.Part, m.Line, m.Snippet, marks})
		}
		o.Hits = append(o.Hits, hit)
	}
	return o
}
