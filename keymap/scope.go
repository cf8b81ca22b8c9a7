package keymap

import "slices"

// Scope is a place in the workbench where keys have a meaning.
type Scope string

// The scopes. A chain of them is active at a time: see Chains.
const (
	Global     Scope = "global"     // everywhere but in overlays that take text
	Move       Scope = "move"       // everything that has a cursor or scrolls
	Task       Scope = "task"       // a task is under the cursor or on the right
	Tree       Scope = "tree"       // left: the tree
	Inbox      Scope = "inbox"      // left: what waits for a person
	Graph      Scope = "graph"      // left: the graph
	Board      Scope = "board"      // left: the board
	Activity   Scope = "activity"   // left: what happened
	Milestones Scope = "milestones" // left: the milestones
	Map        Scope = "map"        // left: the map
	Runs       Scope = "runs"       // left: the attempts of workers
	Detail     Scope = "detail"     // right: the task's tabs
	Run        Scope = "run"        // right: one attempt
	Matches    Scope = "matches"    // a search has matches: outermost of the inner scopes
	Pager      Scope = "pager"      // an overlay to read: diff, log
	Stats      Scope = "stats"      // an overlay: statistics, or the timeline of a task
	Request    Scope = "request"    // an overlay: what was asked, whole
	Search     Scope = "search"     // the search line
	Prompt     Scope = "prompt"     // a line of text: reason, name, filter
	Compose    Scope = "compose"    // a text of several lines: a reason, a summary
	Picker     Scope = "picker"     // a list with a line of text: palette, help, themes, tasks
	Confirm    Scope = "confirm"    // a question with a yes and a no
	Parts      Scope = "parts"      // a list of parts, some of which may be left out
	Subtasks   Scope = "decompose"  // an overlay: the subtasks that a task could be decomposed into
)

// places are the scopes in the order of documentation, with their titles.
var places = []struct {
	scope Scope
	title string
}{
	{Global, "everywhere"},
	{Move, "in lists and texts"},
	{Task, "on a task"},
	{Tree, "in the tree"},
	{Inbox, "in the inbox"},
	{Graph, "in the lanes"},
	{Map, "in the map"},
	{Board, "on the board"},
	{Milestones, "in the milestones"},
	{Activity, "in the history"},
	{Runs, "in the runs"},
	{Run, "in a run"},
	{Detail, "in the detail pane"},
	{Matches, "while a search is on"},
	{Pager, "in a diff or the log"},
	{Stats, "in the statistics"},
	{Request, "in a request"},
	{Search, "typing a search"},
	{Prompt, "typing a line"},
	{Compose, "typing a text"},
	{Picker, "in a list to choose from"},
	{Confirm, "answering a question"},
	{Parts, "choosing parts"},
	{Subtasks, "decomposing a task"},
}

// views are the scopes of what the left pane shows.
var views = []Scope{Inbox, Tree, Board, Milestones, Map, Graph, Runs, Activity}

// Chains lists the combinations of scopes that are active together, inner first. In scopes
// with a line of text every key without a binding is text.
func Chains() [][]Scope {
	var out [][]Scope
	for _, s := range append(slices.Clone(views), Detail, Run) {
		out = append(out, []Scope{s, Task, Move, Global})
	}
	for _, c := range slices.Clone(out) {
		out = append(out, append([]Scope{Matches}, c...))
	}
	for _, s := range []Scope{Pager, Stats, Request, Confirm, Parts, Subtasks} {
		out = append(out, []Scope{s, Move})
	}
	for _, s := range []Scope{Search, Prompt, Compose, Picker} {
		out = append(out, []Scope{s})
	}
	return out
}

// ChainFor is the chain of a scope: itself and what is active around it.
func ChainFor(s Scope) []Scope {
	for _, c := range Chains() {
		if c[0] == s && s != Matches {
			return c
		}
	}
	return []Scope{s}
}

// Scopes are all of them, in the order of documentation.
func Scopes() []Scope {
	var out []Scope
	for _, p := range places {
		out = append(out, p.scope)
	}
	return out
}

// Title is the scope in words, for help.
func (s Scope) Title() string {
	for _, p := range places {
		if p.scope == s {
			return p.title
		}
	}
	return string(s)
}
