package keymap

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
	Detail     Scope = "detail"     // right: the task's tabs
	Matches    Scope = "matches"    // a search has matches: outermost of the inner scopes
	Pager      Scope = "pager"      // an overlay to read: diff, log
	Lookback   Scope = "lookback"   // an overlay: statistics, or the timeline of a task
	Request    Scope = "request"    // an overlay: what was asked, whole
	Together   Scope = "changeset"  // an overlay: the texts of a task and of those below it
	Search     Scope = "search"     // the search line
	Prompt     Scope = "prompt"     // a line of text: reason, name, filter
	Compose    Scope = "compose"    // a text of several lines: a reason, a summary
	Form       Scope = "form"       // several lines with a name each: arguments
	Picker     Scope = "picker"     // a list with a line of text: palette, help, themes, tasks
	Confirm    Scope = "confirm"    // a question with a yes and a no
	Parts      Scope = "parts"      // a list of parts, some of which may be left out
	Pieces     Scope = "split"      // an overlay: the parts that a task is split into
)

// Chains lists the combinations of scopes that are active together, inner first. In scopes
// with a line of text every key without a binding is text.
func Chains() [][]Scope {
	return [][]Scope{
		{Tree, Task, Move, Global},
		{Inbox, Task, Move, Global},
		{Graph, Task, Move, Global},
		{Board, Task, Move, Global},
		{Activity, Task, Move, Global},
		{Milestones, Task, Move, Global},
		{Map, Task, Move, Global},
		{Detail, Task, Move, Global},
		{Matches, Tree, Task, Move, Global},
		{Matches, Inbox, Task, Move, Global},
		{Matches, Graph, Task, Move, Global},
		{Matches, Board, Task, Move, Global},
		{Matches, Activity, Task, Move, Global},
		{Matches, Milestones, Task, Move, Global},
		{Matches, Map, Task, Move, Global},
		{Matches, Detail, Task, Move, Global},
		{Pager, Move},
		{Lookback, Move},
		{Request, Move},
		{Together, Move},
		{Matches, Together, Move},
		{Search},
		{Prompt},
		{Compose},
		{Form},
		{Picker},
		{Confirm, Move},
		{Parts, Move},
		{Pieces, Move},
	}
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

// scopes in the order of documentation.
func scopes() []Scope {
	return []Scope{Global, Move, Task, Tree, Inbox, Graph, Map, Board, Milestones, Activity, Detail, Matches, Pager, Lookback, Request, Together, Search, Prompt, Compose, Form, Picker, Confirm, Parts, Pieces}
}

// Title is the scope in words, for help.
func (s Scope) Title() string {
	switch s {
	case Global:
		return "everywhere"
	case Move:
		return "lists and texts"
	case Task:
		return "on a task"
	case Tree:
		return "in the tree"
	case Inbox:
		return "in the inbox"
	case Graph:
		return "in the graph"
	case Board:
		return "on the board"
	case Activity:
		return "in the activity"
	case Milestones:
		return "in the milestones"
	case Map:
		return "in the map"
	case Detail:
		return "in the detail pane"
	case Matches:
		return "while a search is on"
	case Pager:
		return "in a diff or the log"
	case Lookback:
		return "looking back"
	case Request:
		return "in a request"
	case Together:
		return "in a changeset"
	case Search:
		return "typing a search"
	case Prompt:
		return "typing a line"
	case Compose:
		return "typing a text"
	case Form:
		return "typing arguments"
	case Picker:
		return "in a list to choose from"
	case Confirm:
		return "answering a question"
	case Parts:
		return "choosing parts"
	case Pieces:
		return "splitting a task"
	}
	return string(s)
}
