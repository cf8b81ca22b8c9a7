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
		together(d(HeadingPrev, "previous heading", "Go to the heading before.", "{")),
	}
}

func jumpActions() []Spec {
	tree, task := listed("Move", Tree), listed("Move", Task)
	graph := firing("Move", Graph)
	return []Spec{
		hidden(tree(FoldOrParent, "fold", "Fold the task, or go to its parent when it is folded.", "h", "left")),
		hidden(tree(UnfoldOrChild, "unfold", "Unfold the task, or go to its first subtask when it is unfolded.", "l", "right")),
		tree(FoldToggle, "toggle fold", "Fold or unfold the task.", "z a"),
		tree(FoldAll, "fold all", "Fold every task.", "z M"),
		tree(UnfoldAll, "unfold all", "Unfold every task.", "z R"),
		tree(FoldLevel1, "unfold 1 level", "Show the tasks at the top and their subtasks.", "z 1"),
		tree(FoldLevel2, "unfold 2 levels", "Show two levels of subtasks.", "z 2"),
		tree(FoldLevel3, "unfold 3 levels", "Show three levels of subtasks.", "z 3"),
		task(JumpParent, "go to parent", "Go to the parent task.", "g p"),
		task(JumpChild, "go to subtask", "Go to a subtask; with several, choose one.", "g c"),
		task(JumpDependency, "go to dependency", "Go to a task that this one depends on; with several, choose one.", "g d"),
		task(Why, "why", "Say why the task is blocked, or next, and when it could be done.", "g w"),
		task(Impact, "impact", "Say what would come of it: of a verdict on the task, of its end, of a failure, of a change.", "g i"),
		task(JumpDependent, "go to dependent", "Go to a task that depends on this one; with several, choose one.", "g D"),
		listed("Move", Global)(JumpBack, "jump back", "Go back to where the last jump came from.", "ctrl+o", "backspace"),
		onMap(hidden(graph(EdgeDependency, "follow up", "Move along an edge to a dependency: where it led last time, or to the nearest.", "", 16, "h", "left"))),
		onMap(hidden(graph(EdgeDependent, "follow down", "Move along an edge to a dependent: where it led last time, or to the nearest.", "", 17, "l", "right"))),
		graph(BranchNext, "next branch", "After a step along an edge, go to the next task that it could have led to.", "", 18, "J"),
		graph(BranchPrev, "previous branch", "After a step along an edge, go to the task before that it could have led to.", "", 0, "K"),
		graph(LightUp, "light up", "Light up what the task needs, then what needs it, both, the critical path, and everything again.", "", 27, "."),
		onMap(graph(HideDone, "hide done", "Hide the tasks that are done or aborted, or show them again.", "", 28, "H")),
		graph(ToggleLoose, "unconnected", "Fold the tasks without dependencies into their number, or list them.", "", 0, "z a"),
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
		over(m(MapEnter, "around it", "Make the map around the task under the cursor, or let out what is folded; on the task that the map is around, open it.", "", 18, "enter"), Open),
		over(m(MapBack, "map before", "Go back to the map before this one, with its cursor; from the first one, to where the map was opened.", "", 19, "backspace"), JumpBack),
		over(m(MapFarther, "farther", "Show one edge more around the task; beyond nine, all that it is linked with.", "", 22, "+", "="), Zoom),
		m(MapNearer, "nearer", "Show one edge less around the task.", "", 0, "-"),
		m(MapNext, "up/down only", "Show what the task needs and what needs it, only the first, only the second, and both again.", "", 27, "."),
		m(MapAround, "both ways", "Show what the task needs and what needs it.", "", 0, "O a"),
		m(MapUp, "upstream only", "Show what the task needs.", "", 0, "O u"),
		m(MapDown, "downstream only", "Show what needs the task.", "", 0, "O d"),
		m(MapBlocked, "what blocks it", "Show what holds the task back, down to the causes: dependencies that are not met, and subtasks that it waits for.", "", 0, "O b"),
		m(MapSubtree, "subtree", "Show the task with all below it; of a task without subtasks, its parent with all below that.", "", 0, "O s"),
		m(MapMilestone, "milestone", "Show the tasks of the task's milestone.", "", 0, "O m"),
		m(MapCritical, "critical path", "Show the chain of open tasks that decides when everything can be done.", "", 0, "O c"),
		m(MapFound, "what was found", "Show what the filter selects, or what the search finds in the whole store.", "", 0, "O f"),
		m(MapRedundant, "redundant edges", "Draw the edges that other ways say, too, or leave them out again.", "", 0, "X"),
		m(MapFold, "fold group", "Draw the group of the task as one node, or let it out; let more out of a +N.", "", 29, "z a"),
		m(MapFoldAll, "fold groups", "Draw every group as one node, but those around the task that the map is around.", "", 0, "z M"),
		m(MapUnfold, "unfold groups", "Let every group out.", "", 0, "z R"),
		m(MapGroups, "group by", "Group by parent, or by milestone.", "", 0, "z g"),
		m(MapLeft, "pan left", "Move the window over the map to the left.", "", 0, "z h"),
		m(MapRight, "pan right", "Move the window over the map to the right.", "", 0, "z l"),
		m(MapCentre, "centre", "Put the task under the cursor in the middle.", "", 0, "z ."),
		m(MapTidy, "lay out anew", "Lay the map out for the best look, wherever things stood before.", "", 0, "z t"),
		m(MapZoom, "whole screen", "Give the whole screen to the map, and back.", "", 23, "z z"),
	}
}

// boardActions are those of the board. What moves a card fires the one transition that leads there.
func boardActions() []Spec {
	m, l := firing("Move", Board), firing("Lifecycle", Board)
	return []Spec{
		hidden(m(ColumnLeft, "column left", "Go to the column on the left.", "", 0, "h", "left")),
		hidden(m(ColumnRight, "column right", "Go to the column on the right.", "", 0, "l", "right")),
		m(ColumnFold, "fold column", "Fold the column to a strip with its count, or unfold it.", "", 28, "z a"),
		m(ColumnsFold, "fold other columns", "Fold every column but this one.", "", 0, "z M"),
		m(ColumnsUnfold, "unfold columns", "Unfold every column.", "", 0, "z R"),
		l(CardOn, "move on", "Take the card on: accept the plan, start it, finish it, accept the work, or whatever is next; or say why not.", "", 16, ".", "shift+right"),
		l(CardBack, "send back", "Send the card back: reject the plan or the work, plan anew, or take the verdict back; or say why not.", "", 17, ",", "shift+left"),
		l(CardTo, "move to", "Choose the column that the card goes to, with the transition that leads there, or the reason why none does.", "", 18, "M"),
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
		hidden(m(MilestoneFold, "fold", "Fold the milestone, or go to it from one of its tasks.", "", 0, "h", "left")),
		hidden(m(MilestoneUnfold, "unfold", "Unfold the milestone, or go to its first task.", "", 0, "l", "right")),
		m(MilestoneToggle, "toggle fold", "Show the tasks of the milestone, or fold them.", "", 0, "z a"),
		m(MilestonesFold, "fold milestones", "Fold every milestone.", "", 0, "z M"),
		m(MilestonesUnfold, "unfold milestones", "Show the tasks of every milestone.", "", 0, "z R"),
		shadowing(c(MilestoneNew, "new milestone", "Make a milestone: its name, what it is about, its days.", "", 30, "n"), New),
		shadowing(c(MilestoneEdit, "edit", "Change the name, the description or the days of the milestone; on a task, write its objective.", "", 24, "e"), EditObjective),
		c(MilestoneRemove, "remove milestone", "Remove the milestone; its tasks stay, in none.", "", 0, "X"),
		c(MilestoneDown, "milestone down", "Put the milestone behind the next one: the order is that in which they are to be reached.", "", 0, "J"),
		c(MilestoneUp, "milestone up", "Put the milestone before the one above.", "", 0, "K"),
		firing("Create", Task)(MilestoneAssign, "into milestone", "Put the task, or all that are selected, into a milestone, or take them out of theirs.", "", 0, "I"),
	}
}

// activityActions are those of the activity.
func activityActions() []Spec {
	v := firing("Find", Activity)
	return []Spec{
		v(FeedActor, "by actor", "Show only what one actor did, or everybody again.", "", 16, "@"),
		v(FeedKind, "by kind", "Show only one kind of event, such as verdicts, or all again.", "", 17, "#"),
		listed("Move", Activity)(DayNext, "day before", "Go to the newest event of the day before.", "}"),
		listed("Move", Activity)(DayPrev, "day after", "Go to the newest event of the day after.", "{"),
	}
}

func reviewActions() []Spec {
	t := firing("Review", Task)
	comment := t(Comment, "comment", "Comment on the line or the range under the cursor of a text or a difference, or on the plan as a whole; on a comment that is not sent, write on.", "comment", 13, "c")
	send := t(CommentsSend, "send comments", "Send the comments that were not sent, without a verdict.", "", 18, "S")
	comment.Scopes, send.Scopes = []Scope{Task, Pager, Together}, []Scope{Task, Pager, Together}
	undo := t(Undo, "undo", "Undo the last verdict, answer or decomposition, as long as nothing has built on it.", "undo", 32, "u")
	undo.Scopes = []Scope{Task, Request}
	accept := together(t(Accept, "accept", "Accept the plan, or the finished work, as it is on the screen.", "accept_plan,review_accepted", 10, "a"))
	accept.Scopes = append(accept.Scopes, Pager)
	return []Spec{
		accept,
		together(t(Reject, "reject", "Send the plan, or the finished work, back with a reason.", "reject_plan,review_rejected", 11, "r")),
		together(t(AskPlan, "ask", "Ask before deciding on the plan; it is in the inbox again once that is answered.", "question_plan", 12, "Q")),
		together(t(Defer, "defer", "Put the plan off until a person decides on it.", "defer_plan", 19, "Z")),
		together(t(Diff, "diff", "Show what changed since the plan revision that you decided on last; in the history what that event changed.", "", 14, "d")),
		t(Revalidate, "revalidate", "Say that the task holds although what it was accepted with has changed.", "revalidate", 13, "V"),
		t(Replan, "replan", "Send the task back for a new plan; its acceptance is void.", "replan", 60, "P"),
		undo,
		comment,
		send,
	}
}

// commentActions work where a text has the cursor.
func commentActions() []Spec {
	d := firing("Review", Detail)
	lines := d(LineRange, "mark lines", "Mark lines from here to where the cursor goes, to comment on them.", "", 17, "v")
	lines.Shadows = []Action{SelectRange}
	answer := d(CommentAnswer, "answer", "Answer the comment under the cursor; one that has an answer is replied to, which opens it again.", "answer_comments,reopen_comment", 15, "M")
	settle := d(CommentSettle, "resolve/reopen", "Resolve the comment under the cursor, or open it again; throw away one that is not sent.", "resolve_comment,reopen_comment", 16, "X")
	for _, s := range []*Spec{&lines, &answer, &settle} {
		s.Scopes = []Scope{Detail, Pager, Together} // beside the lines of a difference, too
	}
	return []Spec{
		lines,
		answer,
		settle,
		together(d(CommentNext, "next comment", "Go to the next comment.", "", 29, ")")),
		together(d(CommentPrev, "previous comment", "Go to the comment before.", "", 0, "(")),
		d(ChangeNext, "next change", "Go to the next change of the plan since the revision that you decided on last.", "", 28, "J"),
		d(ChangePrev, "previous change", "Go to the change before.", "", 0, "K"),
		together(d(CommentFold, "fold comment", "Fold the comment under the cursor to one row, or unfold it.", "", 0, "z a")),
		together(d(CommentsFold, "fold comments", "Fold every comment to one row.", "", 0, "z M")),
		together(d(CommentsUnfold, "unfold comments", "Show every comment whole.", "", 0, "z R")),
		together(d(Contents, "contents", "List the headings of the text, with how much of each has been on screen, to go to one.", "", 0, "g h")),
		d(ContentsPane, "contents beside", "Set the headings beside the text, or take them away; where the pane is wide they are there.", "", 0, "g H"),
	}
}

// changesetActions are those of a task and of those below it, reviewed at once.
func changesetActions() []Spec {
	in := firing("Review", Together)
	t := func(a Action, title, help string, footer int, keys ...string) Spec {
		return hidden(in(a, title, help, "", footer, keys...))
	}
	return []Spec{
		firing("Review", Task)(Changeset, "changeset", "Review the plan of a task and those of its subtasks as one changeset: one page, one verdict.", "", 15, "g s"),
		t(ChangesetNext, "next task", "Go to the next task of the changeset whose plan is part of it.", 20, "J", "]"),
		t(ChangesetPrev, "previous task", "Go to the beginning of the task, and then to the one before.", 0, "K", "["),
		t(ChangesetOpen, "go to task", "Leave the changeset and go to the task under the cursor; on a comment, fold it; on a draft, write on.", 31, "enter"),
		t(ChangesetClose, "close", "Close the changeset; nothing happens, and what was read of it stays read.", 14, "q", "esc", "ctrl+c"),
	}
}

// requestActions decide on what was asked.
func requestActions() []Spec {
	r := firing("Review", Request)
	open := r(RequestOpen, "what was asked", "Open what the task waits for an answer to; with several, choose one.", "", 14, "g r")
	open.Scopes = []Scope{Task}
	accept := r(RequestAccept, "approve", "Let it be done as it stands there. In the inbox: open the request, or approve all that are selected, where each is of low risk.", "answer", 10, "y")
	accept.Scopes = []Scope{Request, Inbox}
	deny := r(RequestDeny, "deny", "Say no, and why. In the inbox: of the request under the cursor, which is opened.", "answer", 11, "x")
	deny.Scopes = []Scope{Request, Inbox}
	return []Spec{
		open,
		accept,
		deny,
		r(RequestEdit, "edit", "Change the arguments and let it be done with those: in a form, or in your editor where they are nested.", "answer", 12, "e"),
		r(RequestRespond, "respond", "Answer in words.", "answer", 13, "r"),
		r(RequestChoose, "choose", "Choose the option with the number.", "answer", 14, "1", "2", "3", "4", "5", "6", "7", "8", "9"),
		r(RequestOptions, "options", "List the options, to choose one.", "answer", 15, "o"),
		r(RequestDefer, "defer", "Put it off; it waits on.", "answer", 16, "Z"),
		r(RequestDiff, "what changed", "Show how the request differs from what was on screen.", "", 9, "d"),
		r(RequestTask, "go to task", "Close the request and go to the task that it is about.", "", 30, "t"),
		hidden(r(RequestClose, "close", "Close the request; nothing happens.", "", 90, "q", "esc", "ctrl+c")),
	}
}

func lifecycleActions() []Spec {
	t := firing("Lifecycle", Task)
	return []Spec{
		t(Start, "start", "Start the work on an accepted plan.", "start", 20, "s"),
		t(Done, "done", "Record that the work is finished, with a summary; of a failed task, that it is done elsewhere.", "work_completed,skip", 21, "D"),
		t(Pause, "pause/resume", "Pause the task, or resume a paused one.", "pause,resume", 25, "p"),
		t(RaiseError, "error", "Record that the work ran into an error; it can be retried.", "error", 61, "!"),
		t(Retry, "retry", "Try again after an error, also after the last attempt.", "retry,reopen", 20, "R"),
		t(StopRun, "stop run", "End the run of the task; it counts as no attempt, and the task can be started again.", "stop", 0, "ctrl+k"),
		t(Abort, "abort", "End the task and its subtasks by decision; they are listed first.", "abort", 62, "A"),
		firing("Lifecycle", Global)(ConfirmAll, "confirm", "Confirm what was accepted in another clone and nobody signed: all of it at once, and a task with medium or high risk on its own.", "", 0, "&"),
		t(Check, "check", "Compare with what the task was accepted with; mark it when that changed.", "check", 0, "C"),
	}
}

func createActions() []Spec {
	t := firing("Create", Task)
	return []Spec{
		firing("Create", Global)(New, "new", "Make a new task beside this one.", "", 30, "n"),
		t(NewSubtask, "subtask", "Make a subtask; a working task then waits for it.", "spawn_subtask", 31, "N"),
		t(EditObjective, "edit objective", "Write the objective in your editor.", "define_objective", 24, "e"),
		t(EditPlan, "edit plan", "Write the plan in your editor; a new plan must be accepted again.", "define_plan", 23, "E"),
		t(Rename, "rename", "Change the task's name.", "", 0, "f2", "i"),
		t(Steps, "steps", "Tick the steps of the task that are done, or open them again.", "", 0, "g x"),
		t(AddDependency, "add dependency", "Make the task wait for another; a cycle is refused and shown.", "", 0, "b"),
		t(RemoveDependency, "remove dependency", "Choose a dependency to remove.", "", 0, "B"),
	}
}

func viewActions() []Spec {
	g := listed("View", Global)
	open := Spec{
		Action: Open, Title: "open", Help: "Open the task on the right and go there, from the inbox to what waits to be read; on an open text, zoom.",
		Keys: []string{"enter"}, Scopes: []Scope{Task}, Group: "View", Footer: 26,
	}
	raw := g(Raw, "raw text", "Show the text as it is in the file, or rendered.", "m")
	raw.Scopes = []Scope{Global, Request, Together}
	footer := func(s Spec, place int) Spec {
		s.Footer = place
		return s
	}
	return []Spec{
		open,
		g(FocusNext, "other pane", "Go to the other pane.", "tab", "shift+tab"),
		footer(g(ViewTree, "tree", "Show the tree of tasks on the left.", "1"), 42), // stands for the three
		g(ViewInbox, "inbox", "Show what waits for a person on the left.", "2"),
		g(ViewGraph, "graph", "Show the graph of dependencies on the left.", "3"),
		g(ViewBoard, "board", "Show the tasks as cards on the left, a column a status.", "4"),
		g(ViewMilestones, "milestones", "Show the milestones on the left, with their progress and their days.", "5"),
		g(ViewActivity, "activity", "Show what happened in the whole store on the left, the newest first.", "6"),
		g(ViewRuns, "runs", "Show what workers are at, and every attempt of theirs, on the left.", "7"),
		g(Statistics, "statistics", "Show throughput, the time in each status, who was waited for, reviews and retries.", "g S"),
		listed("View", Task)(Timeline, "timeline", "Show the life of the task: how long it had which status, and what ended that.", "g t"),
		{
			Action: ViewMap, Title: "map", Help: "Show the map of what the task needs and what needs it, and from the map what was there before.",
			Keys: []string{"g m"}, Scopes: []Scope{Task}, Group: "View", Footer: 29,
		},
		footer(g(TabNext, "next tab", "Show the next tab on the right.", "]", "ctrl+right"), 43), // and for the one before
		g(TabPrev, "previous tab", "Show the previous tab on the right.", "[", "ctrl+left"),
		g(TabOverview, "overview", "Show the task's overview.", "alt+1"),
		g(TabObjective, "objective", "Show the task's objective.", "alt+2"),
		g(TabPlan, "plan", "Show the task's plan.", "alt+3"),
		g(TabHistory, "history", "Show everything that happened to the task.", "alt+4"),
		g(TabResult, "result", "Show what the task left for others.", "alt+5"),
		g(TabRuns, "task's runs", "Show the attempts at the task.", "alt+6"),
		raw,
		{
			Action: OpenFile, Title: "open file", Help: "Open the file under the cursor, or the task's text, outside the workbench.",
			Keys: []string{"o"}, Scopes: []Scope{Task}, Group: "View",
		},
		together(g(Zoom, "zoom", "Give the whole screen to one pane, and back.", "+")),
		g(Layout, "layout", "Set the panes side by side or one above the other.", "w"),
		g(Narrower, "left narrower", "Make the left pane narrower.", "<"),
		g(Wider, "left wider", "Make the left pane wider.", ">"),
		g(ThemePicker, "theme", "Choose a theme; each is shown as you go.", "t"),
	}
}

func findActions() []Spec {
	return []Spec{
		{Action: SearchStart, Title: "search", Help: "Search as you type, in the pane with the cursor.", Keys: []string{"/"}, Scopes: []Scope{Global, Together}, Group: "Find", Footer: 40},
		{Action: SearchNext, Title: "next match", Help: "Go to the next match of the search.", Keys: []string{"n"}, Scopes: []Scope{Matches}, Shadows: []Action{New, MilestoneNew}, Group: "Find", Footer: 14, Hidden: true},
		{Action: SearchPrev, Title: "previous match", Help: "Go to the previous match of the search.", Keys: []string{"N"}, Scopes: []Scope{Matches}, Shadows: []Action{NewSubtask}, Group: "Find", Footer: 15, Hidden: true},
		{Action: FilterStart, Title: "filter", Help: "Show only tasks that match: is:blocked, status:ready, under:NAME, label:x, by:ann, or text.", Keys: []string{"f"}, Scopes: []Scope{Global}, Group: "Find", Footer: 41},
		{Action: FindTexts, Title: "find in texts", Help: "Find tasks by what their plans, objectives, comments, results and histories say.", Keys: []string{"*"}, Scopes: []Scope{Global}, Group: "Find", Footer: 42, Hidden: true},
		{Action: Palette, Title: "palette", Help: "List every action; a disabled one says why.", Keys: []string{":", "ctrl+p"}, Scopes: []Scope{Global}, Group: "Find", Footer: 80, Hidden: true},
	}
}

func selectActions() []Spec {
	t := listed("Select", Task)
	return []Spec{
		t(Select, "select", "Select the task, or leave it out; verdicts then apply to all that are selected.", "space"),
		t(SelectRange, "select range", "Select from here to where the cursor goes.", "v"),
		t(CopyID, "copy id", "Copy the task's uid to the clipboard.", "Y i"),
		t(CopyName, "copy name", "Copy the task's name to the clipboard.", "Y n"),
		t(CopyPath, "copy path", "Copy the path of the task's directory to the clipboard.", "Y p"),
		t(CopyText, "copy text", "Copy the text on the right to the clipboard.", "Y t"),
	}
}

func appActions() []Spec {
	g := listed("App", Global)
	back := hidden(g(Back, "back", "Go back: dismiss the message, end the search, the selection, the zoom, leave the right pane, end the filter. It never quits.", "esc"))
	help := g(Help, "help", "List the keys that work here; type to search.", "?", "f1")
	help.Footer = 81
	help.Scopes = []Scope{Global, Pager, Lookback, Request, Together, Confirm, Parts, Subtasks}
	suspend := g(Suspend, "suspend", "Go back to the shell; fg returns.", "ctrl+z")
	suspend.Scopes = []Scope{Global, Pager, Lookback, Request, Together, Search, Prompt, Compose, Form, Picker, Confirm, Parts, Subtasks}
	return []Spec{
		help,
		g(Log, "log", "Show the messages and errors of this session.", "L"),
		g(Refresh, "refresh", "Read the store again.", "ctrl+r"),
		back,
		firing("App", Global)(Quit, "quit", "Go back; at the top, quit. If it asks whether to quit, press it again to quit.", "", 90, "q"),
		g(Exit, "quit now", "Quit from anywhere; asked about only where a text was not sent.", "ctrl+c"),
		suspend,
	}
}

func overlayActions() []Spec {
	o := func(scope Scope, a Action, title, help string, footer int, keys ...string) Spec {
		return hidden(firing("Overlays", scope)(a, title, help, "", footer, keys...))
	}
	discard := o(Compose, ComposeDiscard, "throw away", "Throw away what was typed, after a question; nobody else has it.", 21, "ctrl+g")
	discard.Scopes = []Scope{Compose, Form}
	return []Spec{
		o(Lookback, PeriodLess, "shorter time", "Count only what happened in a shorter time.", 10, "]"),
		o(Lookback, PeriodMore, "longer time", "Count what happened in a longer time, at last in all.", 11, "["),
		o(Lookback, LookClose, "close", "Close what is open.", 14, "q", "esc", "ctrl+c"),
		o(Pager, PagerClose, "close", "Close what is open.", 14, "q", "esc", "ctrl+c"),
		o(Pager, PageOpen, "go to the task", "Go to the task of the row, where a page names tasks.", 0, "enter"),
		o(Pager, HunkNext, "next change", "Go to the next change or entry.", 10, "n", "]", "J"),
		o(Pager, HunkPrev, "previous change", "Go to the change or entry before.", 11, "N", "[", "K"),
		o(Pager, DiffAll, "all lines", "Show the lines of a diff that are equal, too.", 12, "x"),
		o(Pager, DiffSplit, "split", "Set the two texts of a diff beside each other, or into one column.", 13, "s"),
		o(Pager, DiffChoose, "revisions", "Choose the two revisions that a diff compares.", 14, "r"),
		o(Pager, NoteNext, "next comment", "Go to the next comment beside a diff.", 15, ")"),
		o(Pager, NotePrev, "previous comment", "Go to the comment before beside a diff.", 0, "("),
		o(Search, SearchKeep, "keep", "Keep the matches and go back to the keys.", 10, "enter"),
		o(Search, SearchCancel, "cancel", "Give up the search and go back to where it began.", 20, "esc", "ctrl+c"),
		o(Search, SearchDown, "next match", "Go to the next match while typing.", 30, "down", "ctrl+n"),
		o(Search, SearchUp, "previous match", "Go to the previous match while typing.", 31, "up", "ctrl+p"),
		o(Search, SearchTexts, "in texts", "Look for it in the texts of all tasks.", 15, "tab"),
		o(Prompt, PromptSubmit, "done", "Take what was typed.", 10, "enter"),
		o(Prompt, PromptCancel, "cancel", "Give up; nothing happens.", 20, "esc", "ctrl+c"),
		o(Prompt, PromptComplete, "complete", "Complete the word of a filter; again, take the next that fits.", 15, "tab"),
		o(Prompt, PromptNext, "later text", "Go to the text that was typed after this one.", 31, "down"),
		o(Prompt, PromptPrev, "earlier text", "Go to the text that was typed before this one.", 30, "up"),
		o(Compose, ComposeSend, "send", "Take the text.", 10, "ctrl+s", "alt+enter", "ctrl+enter"),
		o(Compose, ComposeLeave, "leave, keep text", "Close it; nothing happens, and the text is there when it is opened again.", 20, "esc", "ctrl+c"),
		o(Compose, ComposeKind, "kind", "Make it a comment, a question, or a demand for a change.", 11, "tab"),
		o(Compose, ComposeBlock, "blocking", "Let the comment keep the plan from being accepted, or not.", 12, "ctrl+x"),
		discard,
		o(Form, FormSend, "done", "Take what the fields say.", 10, "ctrl+s", "alt+enter", "ctrl+enter"),
		o(Form, FormLeave, "leave, keep text", "Close it; nothing happens, and the text is there when it is opened again.", 20, "esc", "ctrl+c"),
		o(Form, FormNext, "next field", "Go to the next field.", 11, "tab", "down", "enter"),
		o(Form, FormPrev, "previous field", "Go to the field before.", 12, "shift+tab", "up"),
		o(Picker, PickerChoose, "choose", "Take the row under the cursor.", 10, "enter"),
		o(Picker, PickerCancel, "cancel", "Close the list; nothing happens.", 20, "esc", "ctrl+c"),
		o(Picker, PickerDown, "down", "Move down by one row.", 30, "down", "ctrl+n"),
		o(Picker, PickerUp, "up", "Move up by one row.", 31, "up", "ctrl+p"),
		o(Picker, PickerPgDown, "page down", "Move down by a page.", 0, "pgdown", "ctrl+d"),
		o(Picker, PickerPgUp, "page up", "Move up by a page.", 0, "pgup", "ctrl+u"),
		o(Picker, PickerPlace, "place", "Go to the next place in the same task.", 15, "tab"),
		o(Confirm, ConfirmYes, "yes", "Do it.", 10, "y"),
		o(Confirm, ConfirmDiff, "what changed", "Show how the plan differs from the one before, or from the one that was on screen.", 15, "d"),
		o(Confirm, ConfirmRead, "read one", "Read before accepting: the objective, or one of several plans.", 14, "o"),
		o(Confirm, ConfirmNotes, "with notes", "Accept, and say something along with it.", 11, "w"),
		o(Confirm, ConfirmReject, "reject", "Send the plan back instead, with a reason.", 12, "r"),
		o(Confirm, ConfirmAsk, "ask", "Ask instead of deciding.", 13, "Q"),
		o(Confirm, ConfirmDefer, "defer", "Put the plan off instead.", 16, "Z"),
		o(Confirm, ConfirmParts, "parts", "Choose what of a plan is accepted: list its sections and subtasks, to leave some out.", 17, "p"),
		o(Confirm, ConfirmNo, "no", "Leave it; nothing happens.", 20, "n", "esc", "q", "ctrl+c"),
		o(Confirm, ConfirmOther, "other button", "Move to the other button; the safe one has the focus first.", 0, "tab", "shift+tab", "left", "right", "h", "l"),
		o(Confirm, ConfirmPress, "press", "Press the button with the focus.", 30, "enter"),
		o(Parts, PartsToggle, "leave out", "Leave the part out, with all that belongs to it, or take it back in.", 10, "space", "x"),
		o(Parts, PartsDone, "done", "Go back to the sheet with the parts that are marked.", 11, "enter"),
		o(Parts, PartsCancel, "cancel", "Go back to the sheet; nothing is left out that was not.", 20, "esc", "q", "ctrl+c"),
	}
}
