package keymap

import "strings"

// Spec is one row of the table: an action, what it is called and where its keys are.
type Spec struct {
	Action  Action
	Title   string   // one to three words, for the footer and the palette
	Help    string   // one sentence
	Keys    []string // the default bindings; the first is the one that is shown
	Scopes  []Scope  // where the keys work
	Shadows []Action // actions of outer scopes whose keys this one takes on purpose
	// Transition names the transitions that the action may fire, separated by
	// commas; which one depends on the task's state. "" when it fires none.
	Transition string
	Group      string // a heading of the help: see Groups
	Footer     int    // place in the footer, smaller first; 0: not shown there
	Hidden     bool   // not in the palette: it only makes sense as a key
}

// Transitions is the field Transition as a list.
func (s Spec) Transitions() []string {
	if s.Transition == "" {
		return nil
	}
	return strings.Split(s.Transition, ",")
}

// Groups lists the headings of the help in their order.
func Groups() []string {
	return []string{"Move", "Map", "Review", "Lifecycle", "Run", "Create", "View", "Find", "Select", "App", "Overlays"}
}

// Actions returns the table, as a fresh slice.
func Actions() []Spec {
	var out []Spec
	for _, part := range [][]Spec{
		moveActions(), jumpActions(), mapActions(), boardActions(), activityActions(), milestoneActions(), reviewActions(), commentActions(), changesetActions(), requestActions(), lifecycleActions(), createActions(),
		decomposeActions(), runActions(),
		viewActions(), findActions(), selectActions(), appActions(), overlayActions(),
	} {
		out = append(out, part...)
	}
	return out
}

// listed makes rows of one group and one scope that the palette lists, and the footer does not.
func listed(group string, scope Scope) func(a Action, title, help string, keys ...string) Spec {
	return func(a Action, title, help string, keys ...string) Spec {
		return Spec{Action: a, Title: title, Help: help, Keys: keys, Scopes: []Scope{scope}, Group: group}
	}
}

// firing makes rows that fire transitions, or have a place in the footer.
func firing(group string, scope Scope) func(a Action, title, help, transition string, footer int, keys ...string) Spec {
	row := listed(group, scope)
	return func(a Action, title, help, transition string, footer int, keys ...string) Spec {
		s := row(a, title, help, keys...)
		s.Transition, s.Footer = transition, footer
		return s
	}
}

// hidden is a row that only makes sense as a key.
func hidden(s Spec) Spec {
	s.Hidden = true
	return s
}

// together is a row whose keys work in a changeset, too.
func together(s Spec) Spec {
	s.Scopes = append(s.Scopes, Together)
	return s
}

// onMap is a row whose keys work in the map, too.
func onMap(s Spec) Spec {
	s.Scopes = append(s.Scopes, Map)
	return s
}

func moveActions() []Spec {
	row, d := listed("Move", Move), listed("Move", Detail)
	m := func(a Action, title, help string, keys ...string) Spec { return hidden(row(a, title, help, keys...)) }
	return []Spec{
		m(MoveDown, "down", "Move down by one row.", "j", "down"),
		m(MoveUp, "up", "Move up by one row.", "k", "up"),
		m(MoveTop, "top", "Go to the first row.", "g g", "home"),
		m(MoveBottom, "bottom", "Go to the last row.", "G", "end"),
		m(MoveHalfDown, "half page down", "Move down by half a page.", "ctrl+d"),
		m(MoveHalfUp, "half page up", "Move up by half a page.", "ctrl+u"),
		m(MovePageDown, "page down", "Move down by a page.", "pgdown", "ctrl+f"),
		m(MovePageUp, "page up", "Move up by a page.", "pgup", "ctrl+b"),
		together(d(HeadingNext, "next heading", "Go to the next heading of the text.", "}")),
		together(d(HeadingPrev, "previous heading", "Go to the previous heading.", "{")),
	}
}

func jumpActions() []Spec {
	tree, task := listed("Move", Tree), listed("Move", Task)
	graph := firing("Move", Graph)
	return []Spec{
		hidden(tree(FoldOrParent, "fold", "Fold the task. If it is folded, go to its parent.", "h", "left")),
		hidden(tree(UnfoldOrChild, "unfold", "Unfold the task. If it is unfolded, go to its first subtask.", "l", "right")),
		tree(FoldToggle, "toggle fold", "Fold or unfold the task.", "z a"),
		tree(FoldAll, "fold all", "Fold every task.", "z M"),
		tree(UnfoldAll, "unfold all", "Unfold every task.", "z R"),
		tree(FoldLevel1, "unfold 1 level", "Show one level of subtasks.", "z 1"),
		tree(FoldLevel2, "unfold 2 levels", "Show two levels of subtasks.", "z 2"),
		tree(FoldLevel3, "unfold 3 levels", "Show three levels of subtasks.", "z 3"),
		task(JumpParent, "go to parent", "Go to the parent task.", "g p"),
		task(JumpChild, "go to subtask", "Go to a subtask. If there are several, choose one.", "g c"),
		task(JumpDependency, "go to dependency", "Go to a task this one depends on. If there are several, choose one.", "g d"),
		task(Why, "why", "Show why the task is blocked or next, and when it could be done.", "g w"),
		task(Impact, "impact", "Show what a verdict on the task, its completion, failure or change would affect.", "g i"),
		task(JumpDependent, "go to dependent", "Go to a task that depends on this one. If there are several, choose one.", "g D"),
		listed("Move", Global)(JumpBack, "jump back", "Go back to where you jumped from.", "ctrl+o", "backspace"),
		onMap(hidden(graph(EdgeDependency, "follow up", "Follow an edge to a dependency: the one you followed last, or the nearest.", "", 16, "h", "left"))),
		onMap(hidden(graph(EdgeDependent, "follow down", "Follow an edge to a dependent: the one you followed last, or the nearest.", "", 17, "l", "right"))),
		graph(BranchNext, "next branch", "After following an edge, go to the next task it could lead to.", "", 18, "J"),
		graph(BranchPrev, "previous branch", "After following an edge, go to the previous task it could lead to.", "", 0, "K"),
		graph(LightUp, "light up", "Highlight dependencies, then dependents, both, the critical path, then nothing.", "", 27, "."),
		onMap(graph(HideDone, "hide done", "Hide done and aborted tasks, or show them.", "", 28, "H")),
		graph(ToggleLoose, "unconnected", "Fold tasks without dependencies into a count, or list them.", "", 0, "z a"),
	}
}

// mapActions are those of the map.
func mapActions() []Spec {
	m := firing("Map", Map)
	over := func(s Spec, outer ...Action) Spec {
		s.Shadows = outer
		return s
	}
	return []Spec{
		over(m(MapEnter, "center map", "Center the map on the task, or unfold a group. On the center task, open it.", "", 18, "enter"), Open),
		over(m(MapBack, "previous map", "Go back to the previous map. From the first one, leave the map.", "", 19, "backspace"), JumpBack),
		over(m(MapFarther, "farther", "Show tasks one edge farther away. After nine, show everything connected.", "", 22, "+", "="), Zoom),
		m(MapNearer, "nearer", "Show tasks one edge less far away.", "", 0, "-"),
		m(MapNext, "direction", "Show both dependencies and dependents, only dependencies, then only dependents.", "", 27, "."),
		m(MapAround, "both ways", "Show dependencies and dependents.", "", 0, "O a"),
		m(MapUp, "upstream only", "Show only dependencies.", "", 0, "O u"),
		m(MapDown, "downstream only", "Show only dependents.", "", 0, "O d"),
		m(MapBlocked, "blockers", "Show what blocks the task: unmet dependencies and open subtasks, down to the causes.", "", 0, "O b"),
		m(MapSubtree, "subtree", "Show the task and its subtasks. For a task without subtasks, show its parent's.", "", 0, "O s"),
		m(MapMilestone, "milestone", "Show all tasks in the task's milestone.", "", 0, "O m"),
		m(MapCritical, "critical path", "Show the critical path: the chain of open tasks that decides when everything is done.", "", 0, "O c"),
		m(MapFound, "matches", "Show the tasks that match the filter or the search.", "", 0, "O f"),
		m(MapRedundant, "redundant edges", "Show edges that other edges imply, or hide them.", "", 0, "X"),
		m(MapFold, "fold group", "Fold the task's group into one node, or unfold it. On +N, show more.", "", 29, "z a"),
		m(MapFoldAll, "fold groups", "Fold every group except the one of the center task.", "", 0, "z M"),
		m(MapUnfold, "unfold groups", "Unfold every group.", "", 0, "z R"),
		m(MapGroups, "group by", "Group by parent or by milestone.", "", 0, "z g"),
		m(MapLeft, "pan left", "Scroll the map left.", "", 0, "z h"),
		m(MapRight, "pan right", "Scroll the map right.", "", 0, "z l"),
		m(MapCenter, "center", "Scroll the selected task to the middle.", "", 0, "z ."),
		m(MapTidy, "lay out again", "Lay the map out again from scratch.", "", 0, "z t"),
		m(MapZoom, "whole screen", "Show the map on the whole screen, or restore the panes.", "", 23, "z z"),
	}
}

// boardActions are those of the board. What moves a card fires the one transition that leads there.
func boardActions() []Spec {
	m, l := firing("Move", Board), firing("Lifecycle", Board)
	return []Spec{
		hidden(m(ColumnLeft, "column left", "Go to the column on the left.", "", 0, "h", "left")),
		hidden(m(ColumnRight, "column right", "Go to the column on the right.", "", 0, "l", "right")),
		m(ColumnFold, "fold column", "Fold the column to its count, or unfold it.", "", 28, "z a"),
		m(ColumnsFold, "fold other columns", "Fold every other column.", "", 0, "z M"),
		m(ColumnsUnfold, "unfold columns", "Unfold every column.", "", 0, "z R"),
		l(CardOn, "move on", "Move the card to the next column: accept the plan, start, finish or accept the work.", "", 16, ".", "shift+right"),
		l(CardBack, "send back", "Move the card back: reject the plan or work, replan, or undo the verdict.", "", 17, ",", "shift+left"),
		l(CardTo, "move to", "Choose a column for the card. Each shows its transition, or why it isn't possible.", "", 18, "M"),
	}
}

// milestoneActions are those of the milestones; a task is put into one from anywhere.
func milestoneActions() []Spec {
	m, c := firing("Move", Milestones), firing("Create", Milestones)
	shadowing := func(s Spec, of ...Action) Spec {
		s.Shadows = of
		return s
	}
	return []Spec{
		hidden(m(MilestoneFold, "fold", "Fold the milestone. On a task, go to its milestone.", "", 0, "h", "left")),
		hidden(m(MilestoneUnfold, "unfold", "Unfold the milestone. If it is unfolded, go to its first task.", "", 0, "l", "right")),
		m(MilestoneToggle, "toggle fold", "Fold or unfold the milestone.", "", 0, "z a"),
		m(MilestonesFold, "fold milestones", "Fold every milestone.", "", 0, "z M"),
		m(MilestonesUnfold, "unfold milestones", "Unfold every milestone.", "", 0, "z R"),
		shadowing(c(MilestoneNew, "new milestone", "Create a milestone with a name, description and dates.", "", 30, "n"), New),
		shadowing(c(MilestoneEdit, "edit", "Edit the milestone's name, description or dates. On a task, edit its objective.", "", 24, "e"), EditObjective),
		c(MilestoneRemove, "remove milestone", "Remove the milestone. Its tasks stay.", "", 0, "X"),
		c(MilestoneDown, "milestone down", "Move the milestone down in the order.", "", 0, "J"),
		c(MilestoneUp, "milestone up", "Move the milestone up in the order.", "", 0, "K"),
		firing("Create", Task)(MilestoneAssign, "set milestone", "Set or clear the milestone of the task, or of all selected tasks.", "", 0, "I"),
	}
}

// activityActions are those of the activity.
func activityActions() []Spec {
	v := firing("Find", Activity)
	return []Spec{
		v(FeedActor, "by actor", "Show only what one actor did, or everyone.", "", 16, "@"),
		v(FeedKind, "by kind", "Show only one kind of event, such as verdicts, or all.", "", 17, "#"),
		listed("Move", Activity)(DayNext, "day before", "Go to the previous day.", "}"),
		listed("Move", Activity)(DayPrev, "day after", "Go to the next day.", "{"),
	}
}

func reviewActions() []Spec {
	t := firing("Review", Task)
	comment := t(Comment, "comment", "Comment on the selected lines, or on the whole plan. On an unsent comment, continue writing.", "comment", 13, "c")
	send := t(CommentsSend, "send comments", "Send unsent comments without a verdict.", "", 18, "S")
	comment.Scopes, send.Scopes = []Scope{Task, Pager, Together}, []Scope{Task, Pager, Together}
	undo := t(Undo, "undo", "Undo the last verdict, answer or decomposition, until something builds on it.", "undo", 32, "u")
	undo.Scopes = []Scope{Task, Request}
	accept := together(t(Accept, "accept", "Accept the plan or the finished work as shown.", "accept_plan,review_accepted", 10, "a"))
	accept.Scopes = append(accept.Scopes, Pager)
	return []Spec{
		accept,
		together(t(Reject, "reject", "Reject the plan or the finished work, with a reason.", "reject_plan,review_rejected", 11, "r")),
		together(t(AskPlan, "ask", "Ask a question about the plan. It returns to the inbox when it is answered.", "question_plan", 12, "Q")),
		together(t(Defer, "defer", "Decide later. The plan moves to the end of the inbox.", "defer_plan", 19, "Z")),
		together(t(Diff, "diff", "Show what changed since the plan you last decided on. In the history, show what the event changed.", "", 14, "d")),
		t(Revalidate, "revalidate", "Confirm that the task is still right although what it was accepted with has changed.", "revalidate", 13, "V"),
		t(Replan, "replan", "Ask for a new plan. This cancels the acceptance.", "replan", 60, "P"),
		undo,
		comment,
		send,
	}
}

// commentActions work where a text has the cursor.
func commentActions() []Spec {
	d := firing("Review", Detail)
	lines := d(LineRange, "select lines", "Select lines to comment on.", "", 17, "space")
	lines.Shadows = []Action{Select}
	answer := d(CommentAnswer, "answer", "Answer the comment. Replying to an answered comment reopens it.", "answer_comments,reopen_comment", 15, "M")
	settle := d(CommentSettle, "resolve/reopen", "Resolve or reopen the comment. Discard it if it isn't sent.", "resolve_comment,reopen_comment", 16, "X")
	for _, s := range []*Spec{&lines, &answer, &settle} {
		s.Scopes = []Scope{Detail, Pager, Together} // beside the lines of a difference, too
	}
	return []Spec{
		lines,
		answer,
		settle,
		together(d(CommentNext, "next comment", "Go to the next comment.", "", 29, ")")),
		together(d(CommentPrev, "previous comment", "Go to the previous comment.", "", 0, "(")),
		d(ChangeNext, "next change", "Go to the next change since the plan you last decided on.", "", 28, "J"),
		d(ChangePrev, "previous change", "Go to the previous change.", "", 0, "K"),
		together(d(CommentFold, "fold comment", "Fold the comment to one row, or unfold it.", "", 0, "z a")),
		together(d(CommentsFold, "fold comments", "Fold every comment to one row.", "", 0, "z M")),
		together(d(CommentsUnfold, "unfold comments", "Unfold every comment.", "", 0, "z R")),
		together(d(Contents, "contents", "List the headings, with how much of each you have seen, and go to one.", "", 0, "g h")),
		d(ContentsPane, "contents beside", "Show or hide the headings beside the text. A wide pane shows them.", "", 0, "g H"),
	}
}

// changesetActions are those of a task and of those below it, reviewed at once.
func changesetActions() []Spec {
	in := firing("Review", Together)
	t := func(a Action, title, help string, footer int, keys ...string) Spec {
		return hidden(in(a, title, help, "", footer, keys...))
	}
	return []Spec{
		firing("Review", Task)(Changeset, "changeset", "Review the plans of the task and its subtasks as one changeset, with one verdict.", "", 15, "g s"),
		t(ChangesetNext, "next task", "Go to the next plan in the changeset.", 20, "J", "]"),
		t(ChangesetPrev, "previous task", "Go to the top of this plan, then to the previous one.", 0, "K", "["),
		t(ChangesetOpen, "go to task", "Close the changeset and go to the task. On a comment, fold it. On a draft, continue writing.", 31, "enter"),
		t(ChangesetClose, "close", "Close the changeset without a verdict. It remembers what you have read.", 14, "q", "esc", "ctrl+c"),
	}
}

// requestActions decide on what was asked.
func requestActions() []Spec {
	r := firing("Review", Request)
	open := r(RequestOpen, "open request", "Open the request the task waits for. If there are several, choose one.", "", 14, "g r")
	open.Scopes = []Scope{Task}
	accept := r(RequestAccept, "approve", "Approve the request as shown. In the inbox, approve all selected requests if each is low-risk.", "answer", 10, "y")
	deny := r(RequestDeny, "deny", "Deny the request, with a reason.", "answer", 11, "x")
	choose := r(RequestChoose, "choose", "Choose an option by its number.", "answer", 12, "1", "2", "3", "4", "5", "6", "7", "8", "9")
	choose.Shadows = []Action{ViewInbox, ViewTasks, ViewGraph, ViewRuns, ViewHistory} // only on a request with options
	for _, s := range []*Spec{&accept, &deny, &choose} {
		s.Scopes = []Scope{Request, Inbox}
	}
	return []Spec{
		open,
		accept,
		deny,
		choose,
		r(RequestEdit, "edit", "Edit the arguments and approve the edited call. Nested arguments open in your editor.", "answer", 13, "e"),
		r(RequestRespond, "respond", "Answer in your own words.", "answer", 14, "r"),
		r(RequestOptions, "options", "List the options and choose one.", "answer", 15, "o"),
		r(RequestDefer, "defer", "Decide later. The request keeps waiting.", "answer", 16, "Z"),
		r(RequestDiff, "what changed", "Show how the request changed since you opened it.", "", 9, "d"),
		r(RequestTask, "go to task", "Close the request and go to its task.", "", 30, "t"),
		hidden(r(RequestClose, "close", "Close the request without answering.", "", 90, "q", "esc", "ctrl+c")),
	}
}

func lifecycleActions() []Spec {
	t := firing("Lifecycle", Task)
	return []Spec{
		t(Start, "start", "Start work on an accepted plan.", "start", 20, "s"),
		t(Done, "done", "Record that the work is finished, with a summary. For a failed task, record that it was done elsewhere.", "work_completed,skip", 21, "D"),
		t(Pause, "pause/resume", "Pause or resume the task.", "pause,resume", 25, "p"),
		t(RaiseError, "error", "Record an error in the work. It can be retried.", "error", 61, "!"),
		t(Retry, "retry", "Try again after an error, even after the last attempt.", "retry,reopen", 20, "R"),
		t(StopRun, "stop run", "Stop the task's run. It doesn't count as an attempt, and the task can start again.", "stop", 0, "ctrl+k"),
		t(Abort, "abort", "Abort the task and its subtasks, after listing them.", "abort", 62, "A"),
		firing("Lifecycle", Global)(ConfirmAll, "confirm", "Confirm unsigned acceptances from other clones: low-risk tasks at once, others one at a time.", "", 0, "&"),
		t(Check, "check", "Compare the task with what was accepted, and mark it if something changed.", "check", 0, "C"),
	}
}

func createActions() []Spec {
	t := firing("Create", Task)
	return []Spec{
		firing("Create", Global)(New, "new", "Create a task next to this one.", "", 30, "n"),
		t(NewSubtask, "subtask", "Create a subtask. A running task waits for it.", "spawn_subtask", 31, "N"),
		t(EditObjective, "edit objective", "Edit the objective in your editor.", "define_objective", 24, "e"),
		t(EditPlan, "edit plan", "Edit the plan in your editor. A changed plan must be accepted again.", "define_plan", 23, "E"),
		t(Rename, "rename", "Rename the task.", "", 0, "f2", "i"),
		t(Steps, "steps", "Check off finished steps, or reopen them.", "", 0, "g x"),
		t(AddDependency, "add dependency", "Make the task depend on another one. A cycle is refused and shown.", "", 0, "b"),
		t(RemoveDependency, "remove dependency", "Choose a dependency to remove.", "", 0, "B"),
	}
}

func viewActions() []Spec {
	g := listed("View", Global)
	open := Spec{
		Action: Open, Title: "open", Help: "Open the task on the right. From the inbox, open what needs review. On an open text, zoom.",
		Keys: []string{"enter"}, Scopes: []Scope{Task}, Group: "View", Footer: 26,
	}
	layout := g(ViewLayout, "layout", "Show the view in its next layout: tree, board or milestones; map or lanes.", "v")
	layout.Scopes, layout.Footer = []Scope{Tree, Board, Milestones, Map, Graph}, 44
	raw := g(Raw, "raw text", "Show the text rendered or as it is in the file.", "m")
	raw.Scopes = []Scope{Global, Request, Together}
	footer := func(s Spec, place int) Spec {
		s.Footer = place
		return s
	}
	return []Spec{
		open,
		g(FocusNext, "other pane", "Switch to the other pane.", "tab", "shift+tab"),
		footer(g(ViewInbox, "inbox", "Show what needs a person.", "1"), 42), // stands for all of them
		g(ViewTasks, "tasks", "Show the tasks, in the layout you used last.", "2"),
		g(ViewGraph, "graph", "Show the dependency graph, in the layout you used last.", "3"),
		g(ViewRuns, "runs", "Show all runs of workers.", "4"),
		g(ViewHistory, "history", "Show everything that happened, newest first.", "5"),
		layout,
		g(ViewTree, "tree", "Show the tasks as a tree."),
		g(ViewBoard, "board", "Show the tasks as cards in columns by status."),
		g(ViewMilestones, "milestones", "Show the tasks by milestone, with progress and dates."),
		g(ViewMap, "map", "Show the map of dependencies around the task."),
		g(ViewLanes, "lanes", "Show all dependencies as lanes beside a list of tasks."),
		g(Statistics, "statistics", "Show throughput, time in each status, waiting, reviews and retries.", "g S"),
		listed("View", Task)(Timeline, "timeline", "Show how long the task had each status, and what ended it.", "g t"),
		footer(g(TabNext, "next tab", "Show the next tab.", "]", "ctrl+right"), 43), // and for the one before
		g(TabPrev, "previous tab", "Show the previous tab.", "[", "ctrl+left"),
		g(TabOverview, "overview", "Show the task's overview.", "alt+1"),
		g(TabObjective, "objective", "Show the task's objective.", "alt+2"),
		g(TabPlan, "plan", "Show the task's plan.", "alt+3"),
		g(TabHistory, "history", "Show the task's history.", "alt+4"),
		g(TabResult, "result", "Show the task's result.", "alt+5"),
		g(TabRuns, "task's runs", "Show the task's runs.", "alt+6"),
		raw,
		{
			Action: OpenFile, Title: "open file", Help: "Open the file under the cursor, or the task's text, in another program.",
			Keys: []string{"o"}, Scopes: []Scope{Task}, Group: "View",
		},
		together(g(Zoom, "zoom", "Show one pane on the whole screen, or restore both.", "+")),
		g(Layout, "turn panes", "Switch between panes side by side and stacked.", "w"),
		g(Narrower, "narrower left", "Make the left pane narrower.", "<"),
		g(Wider, "wider left", "Make the left pane wider.", ">"),
		g(ThemePicker, "theme", "Choose a theme, with a live preview.", "t"),
	}
}

func findActions() []Spec {
	return []Spec{
		{Action: SearchStart, Title: "search", Help: "Search as you type in the focused pane.", Keys: []string{"/"}, Scopes: []Scope{Global, Together}, Group: "Find", Footer: 40},
		{Action: SearchNext, Title: "next match", Help: "Go to the next match.", Keys: []string{"n"}, Scopes: []Scope{Matches}, Shadows: []Action{New, MilestoneNew}, Group: "Find", Footer: 14, Hidden: true},
		{Action: SearchPrev, Title: "previous match", Help: "Go to the previous match.", Keys: []string{"N"}, Scopes: []Scope{Matches}, Shadows: []Action{NewSubtask}, Group: "Find", Footer: 15, Hidden: true},
		{Action: FilterStart, Title: "filter", Help: "Show only tasks that match: is:blocked, status:ready, under:NAME, label:x, by:ann, or text.", Keys: []string{"f"}, Scopes: []Scope{Global}, Group: "Find", Footer: 41},
		{Action: FindTexts, Title: "find in texts", Help: "Search the text of plans, objectives, comments, results and histories.", Keys: []string{"*"}, Scopes: []Scope{Global}, Group: "Find", Footer: 42, Hidden: true},
		{Action: Palette, Title: "palette", Help: "List every action. A disabled one shows why.", Keys: []string{":", "ctrl+p"}, Scopes: []Scope{Global}, Group: "Find", Footer: 80, Hidden: true},
	}
}

func selectActions() []Spec {
	t := listed("Select", Task)
	return []Spec{
		t(Select, "select", "Select or deselect the task. Verdicts apply to all selected tasks.", "space"),
		listed("Select", Inbox)(SelectLow, "select low risk", "Select all requests with low risk. On a plan, all plans with low risk.", "ctrl+a"),
		t(SelectRange, "select range", "Select a range of tasks."),
		t(CopyID, "copy id", "Copy the task's uid to the clipboard.", "Y i"),
		t(CopyName, "copy name", "Copy the task's name to the clipboard.", "Y n"),
		t(CopyPath, "copy path", "Copy the path of the task's directory to the clipboard.", "Y p"),
		t(CopyText, "copy text", "Copy the text on the right to the clipboard.", "Y t"),
	}
}

func appActions() []Spec {
	g := listed("App", Global)
	back := hidden(g(Back, "back", "Go back one step: dismiss the message, then end search, selection, zoom, pane focus and filter. It never quits.", "esc"))
	help := g(Help, "help", "List the keys that work here. Type to search.", "?", "f1")
	help.Footer = 81
	help.Scopes = []Scope{Global, Pager, Lookback, Request, Together, Confirm, Parts, Subtasks}
	suspend := g(Suspend, "suspend", "Suspend to the shell. fg returns.", "ctrl+z")
	suspend.Scopes = []Scope{Global, Pager, Lookback, Request, Together, Search, Prompt, Compose, Form, Picker, Confirm, Parts, Subtasks}
	return []Spec{
		help,
		g(Log, "log", "Show this session's messages and errors.", "L"),
		g(Refresh, "refresh", "Reload the store.", "ctrl+r"),
		back,
		firing("App", Global)(Quit, "quit", "Go back. At the top level, quit. When asked to confirm, press it again to quit.", "", 90, "q"),
		g(Exit, "quit now", "Quit from anywhere. Asks only if there is unsent text.", "ctrl+c"),
		suspend,
	}
}

func overlayActions() []Spec {
	o := func(scope Scope, a Action, title, help string, footer int, keys ...string) Spec {
		return hidden(firing("Overlays", scope)(a, title, help, "", footer, keys...))
	}
	discard := o(Compose, ComposeDiscard, "discard", "Discard what you typed, after confirming.", 21, "ctrl+g")
	discard.Scopes = []Scope{Compose, Form}
	return []Spec{
		o(Lookback, PeriodLess, "shorter time", "Show a shorter period.", 10, "]"),
		o(Lookback, PeriodMore, "longer time", "Show a longer period, up to everything.", 11, "["),
		o(Lookback, LookClose, "close", "Close this page.", 14, "q", "esc", "ctrl+c"),
		o(Pager, PagerClose, "close", "Close this page.", 14, "q", "esc", "ctrl+c"),
		o(Pager, PageOpen, "go to the task", "Go to the task in this row.", 9, "enter"),
		o(Pager, HunkNext, "next change", "Go to the next change or entry.", 10, "n", "]", "J"),
		o(Pager, HunkPrev, "previous change", "Go to the previous change or entry.", 11, "N", "[", "K"),
		o(Pager, DiffAll, "all lines", "Show or hide unchanged lines.", 12, "x"),
		o(Pager, DiffSplit, "split", "Switch between side-by-side and unified.", 13, "s"),
		o(Pager, DiffChoose, "revisions", "Choose which two revisions to compare.", 14, "r"),
		o(Pager, NoteNext, "next comment", "Go to the next comment.", 15, ")"),
		o(Pager, NotePrev, "previous comment", "Go to the previous comment.", 0, "("),
		o(Search, SearchKeep, "keep", "Keep the matches and stop typing.", 10, "enter"),
		o(Search, SearchCancel, "cancel", "Cancel the search and go back to where it began.", 20, "esc", "ctrl+c"),
		o(Search, SearchDown, "next match", "Go to the next match while typing.", 30, "down", "ctrl+n"),
		o(Search, SearchUp, "previous match", "Go to the previous match while typing.", 31, "up", "ctrl+p"),
		o(Search, SearchTexts, "search texts", "Search the texts of all tasks.", 15, "tab"),
		o(Prompt, PromptSubmit, "done", "Submit what you typed.", 10, "enter"),
		o(Prompt, PromptCancel, "cancel", "Cancel.", 20, "esc", "ctrl+c"),
		o(Prompt, PromptComplete, "complete", "Complete the word. Press again for the next match.", 15, "tab"),
		o(Prompt, PromptNext, "next entry", "Go to the next entry in the history.", 31, "down"),
		o(Prompt, PromptPrev, "previous entry", "Go to the previous entry in the history.", 30, "up"),
		o(Compose, ComposeSend, "send", "Send the text.", 10, "ctrl+s", "alt+enter", "ctrl+enter"),
		o(Compose, ComposeLeave, "close, keep draft", "Close without sending. The text is kept as a draft.", 20, "esc", "ctrl+c"),
		o(Compose, ComposeKind, "kind", "Switch between comment, question and change request.", 11, "tab"),
		o(Compose, ComposeBlock, "blocking", "Make the comment block acceptance, or not.", 12, "ctrl+x"),
		discard,
		o(Form, FormSend, "done", "Submit the form.", 10, "ctrl+s", "alt+enter", "ctrl+enter"),
		o(Form, FormLeave, "close, keep draft", "Close without sending. The text is kept as a draft.", 20, "esc", "ctrl+c"),
		o(Form, FormNext, "next field", "Go to the next field.", 11, "tab", "down", "enter"),
		o(Form, FormPrev, "previous field", "Go to the previous field.", 12, "shift+tab", "up"),
		o(Picker, PickerChoose, "choose", "Choose the selected row.", 10, "enter"),
		o(Picker, PickerCancel, "cancel", "Close the list without choosing.", 20, "esc", "ctrl+c"),
		o(Picker, PickerDown, "down", "Move down by one row.", 30, "down", "ctrl+n"),
		o(Picker, PickerUp, "up", "Move up by one row.", 31, "up", "ctrl+p"),
		o(Picker, PickerPgDown, "page down", "Move down by a page.", 0, "pgdown", "ctrl+d"),
		o(Picker, PickerPgUp, "page up", "Move up by a page.", 0, "pgup", "ctrl+u"),
		o(Picker, PickerPlace, "place", "Go to the next match in the same task.", 15, "tab"),
		o(Confirm, ConfirmYes, "yes", "Confirm.", 10, "y"),
		o(Confirm, ConfirmSure, "yes, despite risk", "Confirm what has high risk. It is another key than the one that asked.", 10, "Y"),
		o(Confirm, ConfirmDetails, "details", "Show all that the approval is bound to, with hashes, or hide it.", 18, "i"),
		o(Confirm, ConfirmDiff, "what changed", "Show what changed in the plan.", 15, "d"),
		o(Confirm, ConfirmRead, "read first", "Read the objective or one of the plans first.", 14, "o"),
		o(Confirm, ConfirmNotes, "with notes", "Accept with a note.", 11, "w"),
		o(Confirm, ConfirmReject, "reject", "Reject instead, with a reason.", 12, "r"),
		o(Confirm, ConfirmAsk, "ask", "Ask a question instead.", 13, "Q"),
		o(Confirm, ConfirmDefer, "defer", "Decide later instead.", 16, "Z"),
		o(Confirm, ConfirmParts, "parts", "Choose which sections and subtasks of the plan to accept.", 17, "p"),
		o(Confirm, ConfirmNo, "no", "Cancel.", 20, "n", "esc", "q", "ctrl+c"),
		o(Confirm, ConfirmOther, "other button", "Switch to the other button. The safe one starts focused.", 0, "tab", "shift+tab", "left", "right", "h", "l"),
		o(Confirm, ConfirmPress, "press", "Press the focused button.", 30, "enter"),
		o(Parts, PartsToggle, "leave out", "Exclude the part and everything in it, or include it again.", 10, "space", "x"),
		o(Parts, PartsDone, "done", "Go back with these parts.", 11, "enter"),
		o(Parts, PartsCancel, "cancel", "Go back without changing the parts.", 20, "esc", "q", "ctrl+c"),
	}
}
