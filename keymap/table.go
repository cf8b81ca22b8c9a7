package keymap

import "strings"

// Spec is one row of the table: an action, what it is called and where its keys are.
type Spec struct {
	Action Action
	Title  string   // one to three words, for the footer and the palette
	Help   string   // one sentence
	On     []Key    // what its keys mean, and further keys of its own
	Keys   []string // the bindings in force; the first is the one that is shown
	Scopes []Scope  // where it can be done
	Keyed  []Scope  // where its keys work, if not in all of Scopes
	// Transition names the transitions that the action may fire, separated by
	// commas; which one depends on the task's state. "" when it fires none.
	Transition string
	Group      string // a heading of the help: see Groups
	Footer     int    // place in the footer, smaller first; 0: not shown there
	Hidden     bool   // not in the palette: it only makes sense as a key
}

// KeyScopes is where its keys work.
func (s Spec) KeyScopes() []Scope {
	if s.Keyed != nil {
		return s.Keyed
	}
	return s.Scopes
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
		moveActions(), jumpActions(), mapActions(), activityActions(), reviewActions(), commentActions(), requestActions(), lifecycleActions(), createActions(),
		decomposeActions(), runActions(),
		viewActions(), findActions(), selectActions(), appActions(), overlayActions(),
	} {
		out = append(out, part...)
	}
	return out
}

// listed makes rows of one group and one scope that the palette lists, and the footer does not.
func listed(group string, scope Scope) func(a Action, title, help string, on ...Key) Spec {
	return func(a Action, title, help string, on ...Key) Spec {
		return Spec{Action: a, Title: title, Help: help, On: on, Scopes: []Scope{scope}, Group: group}
	}
}

// firing makes rows that fire transitions, or have a place in the footer.
func firing(group string, scope Scope) func(a Action, title, help, transition string, footer int, on ...Key) Spec {
	row := listed(group, scope)
	return func(a Action, title, help, transition string, footer int, on ...Key) Spec {
		s := row(a, title, help, on...)
		s.Transition, s.Footer = transition, footer
		return s
	}
}

// hidden is a row that only makes sense as a key.
func hidden(s Spec) Spec {
	s.Hidden = true
	return s
}

// onMap is a row whose keys work in the map, too.
func onMap(s Spec) Spec {
	s.Scopes = append(s.Scopes, Map)
	return s
}

// onTask is a row that works in every view, on the selected task.
func onTask(s Spec) Spec {
	s.Scopes = []Scope{Task}
	return s
}

func moveActions() []Spec {
	row, d := listed("Move", Move), listed("Move", Detail)
	m := func(a Action, title, help string, on ...Key) Spec { return hidden(row(a, title, help, on...)) }
	sideways := func(a Action, title, help string, footer int, on Key) Spec {
		s := m(a, title, help, on)
		s.Scopes, s.Footer = []Scope{Tree, Graph, Map, Board, Milestones}, footer
		return s
	}
	next := d(PlaceNext, "next", "Go to the next change or comment, or else to the next heading.", KeyNext)
	next.Footer = 18
	return []Spec{
		m(MoveDown, "down", "Move down by one row.", KeyDown),
		m(MoveUp, "up", "Move up by one row.", KeyUp),
		m(MoveTop, "top", "Go to the first row.", KeyFirst),
		m(MoveBottom, "bottom", "Go to the last row.", KeyLast),
		m(MoveHalfDown, "half page down", "Move down by half a page.", KeyHalfDown),
		m(MoveHalfUp, "half page up", "Move up by half a page.", KeyHalfUp),
		m(MovePageDown, "page down", "Move down by a page.", KeyPageDown),
		m(MovePageUp, "page up", "Move up by a page.", KeyPageUp),
		sideways(Left, "left", "Fold, follow an edge to a dependency, or go one column left.", 16, KeyLeft),
		sideways(Right, "right", "Unfold, follow an edge to a dependent, or go one column right.", 17, KeyRight),
		next,
		d(PlacePrev, "previous", "Go to the previous change, comment or heading.", KeyPrev),
	}
}

func jumpActions() []Spec {
	task := listed("Move", Task)
	folds := func(a Action, title, help string) Spec {
		s := listed("Move", Tree)(a, title, help)
		s.Scopes = append(s.Scopes, Milestones)
		return s
	}
	graph := firing("Move", Graph)
	return []Spec{
		folds(FoldAll, "fold all", "Fold every task, or every milestone."),
		folds(UnfoldAll, "unfold all", "Unfold every task, or every milestone."),
		task(JumpParent, "go to parent", "Go to the parent task."),
		task(JumpChild, "go to subtask", "Go to a subtask. If there are several, choose one."),
		task(JumpDependency, "go to dependency", "Go to a task this one depends on. If there are several, choose one."),
		task(JumpDependent, "go to dependent", "Go to a task that depends on this one. If there are several, choose one."),
		listed("Move", Global)(JumpBack, "jump back", "Go back to where you jumped from."),
		graph(BranchNext, "next branch", "After following an edge, go to the next task it could lead to.", "", 18, KeyNext),
		graph(BranchPrev, "previous branch", "After following an edge, go to the previous task it could lead to.", "", 0, KeyPrev),
		onMap(graph(HideDone, "hide done", "Hide done and aborted tasks, or show them.", "", 28)),
		graph(ToggleLoose, "unconnected", "Fold tasks without dependencies into a count, or list them.", "", 0),
	}
}

// mapActions are those of the map.
func mapActions() []Spec {
	m := firing("Map", Map)
	return []Spec{
		m(MapEnter, "center map", "Center the map on the task, or on +N show more. On the center task, open it.", "", 18, KeyOpen),
		m(MapFarther, "farther", "Show tasks one edge farther away. After nine, show everything connected, then start again at one.", "", 22, KeyZoom),
		m(MapNearer, "nearer", "Show tasks one edge less far away.", "", 0),
		m(MapAround, "both ways", "Show dependencies and dependents.", "", 0),
		m(MapUp, "upstream only", "Show only dependencies.", "", 0),
		m(MapDown, "downstream only", "Show only dependents.", "", 0),
		onTask(m(MapBlocked, "blockers", "Show what blocks the task: unmet dependencies and open subtasks, down to the causes.", "", 0)),
		onTask(m(MapCritical, "critical path", "Show the critical path: the chain of open tasks that decides when everything is done.", "", 0)),
		m(MapZoom, "whole screen", "Show the map on the whole screen, or restore the panes.", "", 23),
	}
}

// activityActions are those of the activity.
func activityActions() []Spec {
	v := firing("Find", Activity)
	grouped := func(a Action, title, help string, footer int, on Key) Spec {
		s := firing("Move", Activity)(a, title, help, "", footer, on)
		s.Scopes = append(s.Scopes, Inbox)
		return s
	}
	return []Spec{
		v(FeedActor, "by actor", "Show only what one actor did, or everyone.", "", 16),
		v(FeedKind, "by kind", "Show only one kind of event, such as verdicts, or all.", "", 17),
		grouped(GroupNext, "next group", "Go to the next group of the inbox, or to the day before in the history.", 27, KeyNext),
		grouped(GroupPrev, "previous group", "Go to the previous group, or to the day after.", 0, KeyPrev),
	}
}

func reviewActions() []Spec {
	t := firing("Review", Task)
	comment := t(Comment, "comment", "Comment on the selected lines, or on the whole plan. On a comment, answer it; on an unsent one, continue writing.", "comment", 13, KeyComment)
	send := t(CommentsSend, "send comments", "Send unsent comments without a verdict.", "", 18, KeySend)
	comment.Scopes, send.Scopes = []Scope{Task, Pager}, []Scope{Task, Pager}
	undo := t(Undo, "undo", "Undo your last verdict, answer or decomposition, until something builds on it.", "undo", 32, KeyUndo)
	undo.Scopes = []Scope{Task, Request}
	accept := t(Accept, "accept", "Accept the plan or the finished work as shown. If something changed since, confirm that it still holds.", "accept_plan,review_accepted,revalidate", 10, KeyAccept)
	reject := t(Reject, "reject", "Send the plan or the finished work back, with a reason. tab then offers to ask, to try again or to give up.", "reject_plan,review_rejected", 11, KeyReject)
	accept.Scopes, reject.Scopes = []Scope{Task, Pager}, []Scope{Task, Pager} // a difference is decided on where it is read
	return []Spec{
		accept,
		reject,
		t(AskPlan, "ask", "Ask a question about the plan. It returns to the inbox when it is answered.", "question_plan", 12),
		t(Diff, "diff", "Show what changed since the plan you last decided on. On an event of the history, show what it changed.", "", 14, KeyDiff),
		undo,
		t(UndoOther, "undo verdict", "Undo the last verdict on the task, also another person's, after a question that names them.", "undo", 0),
		comment,
		send,
		t(Revalidate, "revalidate", "Confirm that the accepted plan is still valid after a change.", "revalidate", 13),
		t(Replan, "replan", "Ask for a new plan. This cancels the acceptance.", "replan", 60),
	}
}

// commentActions work where a text has the cursor.
func commentActions() []Spec {
	d := firing("Review", Detail)
	lines := d(LineRange, "select lines", "Select lines to comment on.", "", 17, KeySelect)
	answer := d(CommentAnswer, "answer", "Answer the comment. Replying to an answered comment reopens it.", "answer_comments,reopen_comment", 15)
	settle := d(CommentSettle, "resolve/reopen", "Resolve or reopen the comment. Discard it if it isn't sent.", "resolve_comment,reopen_comment", 16, KeyDeny)
	for _, s := range []*Spec{&lines, &answer, &settle} {
		s.Scopes = []Scope{Detail, Pager} // beside the lines of a difference, too
	}
	return []Spec{
		lines,
		answer,
		settle,
		d(Contents, "contents", "List the headings and go to one.", "", 0),
	}
}

// requestActions decide on what was asked.
func requestActions() []Spec {
	r := firing("Review", Request)
	open := r(RequestOpen, "open request", "Open the request the task waits for. If there are several, choose one.", "", 9, KeyApprove)
	open.Scopes = []Scope{Task}
	accept := r(RequestAccept, "approve", "Approve the request as shown. In the inbox, approve all selected requests if each is low-risk.", "answer", 10, KeyApprove)
	deny := r(RequestDeny, "deny", "Deny the request, with a reason.", "answer", 11, KeyDeny)
	choose := r(RequestChoose, "choose", "Choose an option by its number.", "answer", 10, KeyNumber)
	for _, s := range []*Spec{&accept, &deny, &choose} {
		s.Scopes = []Scope{Request, Inbox}
	}
	return []Spec{
		open,
		accept,
		deny,
		choose,
		r(RequestEdit, "edit", "Edit the arguments and approve the edited call.", "answer", 13, KeyEdit),
		r(RequestRespond, "respond", "Answer in your own words.", "answer", 14, KeyComment),
		r(RequestOptions, "options", "List the options and choose one.", "answer", 15, KeyOpen),
		r(RequestDefer, "defer", "Decide later. The request keeps waiting.", "answer", 16, KeyPause),
		r(RequestDiff, "what changed", "Show how the request changed since you opened it.", "", 9, KeyDiff),
		r(RequestTask, "go to task", "Close the request and go to its task.", "", 30, KeyTab),
		hidden(r(RequestClose, "close", "Close the request without answering.", "", 90, KeyBack, KeyQuit)),
	}
}

func lifecycleActions() []Spec {
	t := firing("Lifecycle", Task)
	return []Spec{
		t(Start, "start", "Start work on an accepted plan. After an error or a failure, try again.", "start,retry,reopen", 20, KeyStart),
		t(Done, "done", "Record that the work is finished, with a summary. For a failed task, record that it was done elsewhere.", "work_completed,skip", 21),
		t(Pause, "pause or defer", "Decide later on a plan under review; it moves to the end of the inbox. Otherwise pause or resume the task.", "resume,defer_plan,pause", 25, KeyPause),
		t(RaiseError, "error", "Record an error in the work. It can be retried.", "error", 61),
		t(Retry, "retry", "Try again after an error, even after the last attempt.", "retry,reopen", 20),
		t(StopRun, "stop run", "Stop the task's run. It doesn't count as an attempt, and the task can start again.", "stop", 0),
		t(Abort, "abort", "Abort the task and its subtasks, after listing them.", "abort", 62),
		firing("Lifecycle", Global)(ConfirmAll, "confirm", "Confirm unsigned acceptances from other clones: low-risk tasks at once, others one at a time.", "", 0),
		t(Check, "check", "Compare the task with what was accepted, and mark it if something changed.", "check", 0),
	}
}

func createActions() []Spec {
	t := firing("Create", Task)
	return []Spec{
		firing("Create", Global)(New, "new", "Create a task next to this one.", "", 30, KeyAdd),
		t(NewSubtask, "subtask", "Create a subtask. A running task waits for it.", "spawn_subtask", 31),
		t(EditShown, "edit", "Edit what is shown on the right: a request's arguments, or the plan or objective in your editor.", "", 24, KeyEdit),
		t(EditObjective, "edit objective", "Edit the objective in your editor.", "define_objective", 0),
		t(EditPlan, "edit plan", "Edit the plan in your editor. A changed plan must be accepted again.", "define_plan", 0),
		t(Rename, "rename", "Rename the task.", "", 0),
		t(Steps, "steps", "Check off finished steps, or reopen them.", "", 0),
		t(AddDependency, "add dependency", "Make the task depend on another one. A cycle is refused and shown.", "", 0),
		t(MilestoneAssign, "set milestone", "Set or clear the milestone of the task, or of all selected tasks.", "", 0),
		t(RemoveDependency, "remove dependency", "Choose a dependency to remove.", "", 0),
	}
}

func viewActions() []Spec {
	g := listed("View", Global)
	open := Spec{
		Action: Open, Title: "open", Help: "Open the task on the right. From the inbox, open what needs review. On an open text, zoom.",
		On: []Key{KeyOpen}, Scopes: []Scope{Task}, Group: "View", Footer: 26,
	}
	layout := g(ViewLayout, "layout", "Show the view in its next layout: tree, board or milestones; map or lanes.", KeyLayout)
	layout.Scopes, layout.Footer = []Scope{Tree, Board, Milestones, Map, Graph}, 44
	raw := g(Raw, "raw text", "Show the text rendered or as it is in the file.", KeyLayout)
	raw.Scopes, raw.Keyed = []Scope{Global, Request}, []Scope{Detail, Request}
	stats := g(Statistics, "statistics", "Show throughput, time in each status, waiting, reviews and retries.", KeyLayout)
	stats.Keyed, stats.Footer = []Scope{Activity}, 44
	footer := func(s Spec, place int) Spec {
		s.Footer = place
		return s
	}
	return []Spec{
		open,
		g(FocusNext, "other pane", "Switch to the other pane.", KeyTab, "shift+tab"),
		g(ViewInbox, "inbox", "Show what needs a person."),
		g(ViewTasks, "tasks", "Show the tasks, in the layout you used last."),
		g(ViewGraph, "graph", "Show the dependency graph, in the layout you used last."),
		g(ViewRuns, "runs", "Show all runs of workers."),
		g(ViewHistory, "history", "Show everything that happened, newest first."),
		hidden(footer(g(ViewNumber, "view by number", "Show the view with this number.", KeyNumber), 42)),
		layout,
		g(ViewTree, "tree", "Show the tasks as a tree."),
		g(ViewBoard, "board", "Show the tasks as cards in five columns, by what they wait for."),
		g(ViewMilestones, "milestones", "Show the tasks by milestone, with progress."),
		g(ViewMap, "map", "Show the map of dependencies around the task."),
		g(ViewLanes, "lanes", "Show all dependencies as lanes beside a list of tasks."),
		stats,
		listed("View", Task)(Timeline, "timeline", "Show how long the task had each status, and what ended it."),
		footer(g(TabNext, "next tab", "Show the next tab.", KeyTabNext), 43), // and for the one before
		g(TabPrev, "previous tab", "Show the previous tab.", KeyTabPrev),
		g(TabOverview, "overview", "Show the task's overview."),
		listed("View", Task)(Why, "why", "Show why the task has its status: what it waits for, and what would change that."),
		g(TabObjective, "objective", "Show the task's objective."),
		g(TabPlan, "plan", "Show the task's plan."),
		g(TabHistory, "task history", "Show the task's history."),
		g(TabResult, "result", "Show the task's result."),
		g(TabRuns, "task runs", "Show the task's runs."),
		raw,
		{
			Action: OpenFile, Title: "open file", Help: "Open the file under the cursor, or the task's text, in another program.",
			On: []Key{KeyOutside}, Scopes: []Scope{Task}, Group: "View",
		},
		g(Zoom, "zoom", "Show one pane on the whole screen, or restore both.", KeyZoom),
		g(Layout, "turn panes", "Switch between panes side by side and stacked."),
		g(Narrower, "narrower left", "Make the left pane narrower."),
		g(Wider, "wider left", "Make the left pane wider."),
		g(ThemePicker, "theme", "Choose a theme, with a live preview."),
	}
}

func findActions() []Spec {
	return []Spec{
		{Action: SearchStart, Title: "search", Help: "Search as you type in the focused pane.", On: []Key{KeyFind}, Scopes: []Scope{Global}, Group: "Find", Footer: 40},
		{Action: SearchNext, Title: "next match", Help: "Go to the next match.", On: []Key{KeyNext}, Scopes: []Scope{Matches}, Group: "Find", Footer: 14, Hidden: true},
		{Action: SearchPrev, Title: "previous match", Help: "Go to the previous match.", On: []Key{KeyPrev}, Scopes: []Scope{Matches}, Group: "Find", Footer: 15, Hidden: true},
		{Action: FilterStart, Title: "filter", Help: "Show only tasks that match: is:blocked, status:ready, under:NAME, label:x, by:ann, or text.", On: []Key{KeyFilter}, Scopes: []Scope{Global}, Group: "Find", Footer: 41},
		{Action: FindTexts, Title: "find in texts", Help: "Search the text of plans, objectives, comments, results and histories.", Scopes: []Scope{Global}, Group: "Find", Footer: 42},
		{Action: Palette, Title: "palette", Help: "List every action. A disabled one shows why.", On: []Key{KeyPalette}, Scopes: []Scope{Global}, Group: "Find", Footer: 80, Hidden: true},
	}
}

func selectActions() []Spec {
	t := listed("Select", Task)
	return []Spec{
		t(Select, "select", "Select or deselect the task. Verdicts apply to all selected tasks.", KeySelect),
		listed("Select", Inbox)(SelectLow, "select low risk", "Select all low-risk requests. On a plan, all low-risk plans.", KeySelectLow),
		t(CopyID, "copy id", "Copy the task's uid to the clipboard."),
		t(CopyName, "copy name", "Copy the task's name to the clipboard."),
		t(CopyPath, "copy path", "Copy the path of the task's directory to the clipboard."),
		t(CopyText, "copy text", "Copy the text on the right to the clipboard."),
	}
}

func appActions() []Spec {
	g := listed("App", Global)
	back := hidden(g(Back, "back", "Go back one step: dismiss the message, then end search, selection, zoom, pane focus and filter, go to the previous map, and to where you jumped from. It never quits.", KeyBack))
	help := g(Help, "help", "List the keys that work here. Type to search.", KeyHelp)
	help.Footer = 81
	help.Scopes = []Scope{Global, Pager, Stats, Request, Confirm, Parts, Subtasks}
	suspend := g(Suspend, "suspend", "Suspend to the shell. fg returns.", KeySuspend)
	suspend.Scopes = []Scope{Global, Pager, Stats, Request, Search, Prompt, Compose, Picker, Confirm, Parts, Subtasks}
	return []Spec{
		help,
		g(Tour, "tour", "Take a two-minute tour of vespe, one step at a time, or leave it."),
		g(Log, "log", "Show this session's messages and errors."),
		g(Refresh, "refresh", "Reload the store."),
		back,
		firing("App", Global)(Quit, "quit", "Go back from a pane, a map or a page that you opened from elsewhere. From one of the five views, quit. When asked to confirm, press it again to quit. ^c quits from anywhere.", "", 90, KeyQuit),
		suspend,
	}
}

func overlayActions() []Spec {
	o := func(scope Scope, a Action, title, help string, footer int, on ...Key) Spec {
		return hidden(firing("Overlays", scope)(a, title, help, "", footer, on...))
	}
	return []Spec{
		o(Stats, PeriodLess, "shorter time", "Show a shorter period.", 10, KeyTabNext),
		o(Stats, PeriodMore, "longer time", "Show a longer period, up to everything.", 11, KeyTabPrev),
		o(Stats, LookClose, "close", "Close this page.", 14, KeyBack, KeyQuit),
		o(Pager, PagerClose, "close", "Close this page.", 14, KeyBack, KeyQuit),
		o(Pager, HunkNext, "next change", "Go to the next change or entry.", 10, KeyNext),
		o(Pager, HunkPrev, "previous change", "Go to the previous change or entry.", 11, KeyPrev),
		o(Pager, DiffAll, "all lines", "Show or hide unchanged lines.", 12, KeyZoom),
		o(Pager, DiffSplit, "split", "Switch between side-by-side and unified.", 13, KeyLayout),
		o(Pager, NoteNext, "next comment", "Go to the next comment.", 15, KeyTabNext),
		o(Pager, NotePrev, "previous comment", "Go to the previous comment.", 0, KeyTabPrev),
		o(Search, SearchKeep, "keep", "Keep the matches and stop typing.", 10, KeyOpen),
		o(Search, SearchCancel, "cancel", "Cancel the search and go back to where it began.", 20, KeyBack, KeyQuit),
		o(Search, SearchDown, "next match", "Go to the next match while typing.", 30, KeyDown, "ctrl+n"),
		o(Search, SearchUp, "previous match", "Go to the previous match while typing.", 31, KeyUp, "ctrl+p"),
		o(Search, SearchTexts, "search texts", "Search the texts of all tasks.", 15, KeyTab),
		o(Prompt, PromptSubmit, "done", "Submit what you typed.", 10, KeyOpen, KeySend),
		o(Prompt, PromptCancel, "cancel", "Cancel.", 20, KeyBack, KeyQuit),
		o(Prompt, PromptComplete, "complete", "Complete the word. Press again for the next match.", 15, KeyTab),
		o(Prompt, PromptNext, "next entry", "Go to the next entry in the history.", 31, KeyDown),
		o(Prompt, PromptPrev, "previous entry", "Go to the previous entry in the history.", 30, KeyUp),
		o(Compose, ComposeSend, "send", "Send the text.", 10, KeySend),
		o(Compose, ComposeLeave, "leave", "Close without sending. The text is kept as a draft.", 20, KeyBack, KeyQuit),
		o(Compose, ComposePhrase, "phrase", "Insert a saved phrase. Yours are phrases in config.toml.", 13, KeyPhrase),
		o(Compose, ComposeKind, "kind", "Switch between kinds, such as comment and question, or reject and ask.", 11, KeyTab),
		o(Compose, ComposeBlock, "blocking", "Make the comment block acceptance, or not.", 12, "shift+tab"),
		o(Picker, PickerChoose, "choose", "Choose the selected row.", 10, KeyOpen, KeySend),
		o(Picker, PickerCancel, "cancel", "Close the list without choosing.", 20, KeyBack, KeyQuit),
		o(Picker, PickerDown, "down", "Move down by one row.", 30, KeyDown, "ctrl+n"),
		o(Picker, PickerUp, "up", "Move up by one row.", 31, KeyUp, "ctrl+p"),
		o(Picker, PickerPgDown, "page down", "Move down by a page.", 0, KeyPageDown, KeyHalfDown),
		o(Picker, PickerPgUp, "page up", "Move up by a page.", 0, KeyPageUp, KeyHalfUp),
		o(Picker, PickerPlace, "place", "Go to the next match in the same task.", 15, KeyTab),
		o(Confirm, ConfirmYes, "yes", "Confirm.", 10, KeyApprove),
		o(Confirm, ConfirmSure, "yes, despite risk", "Confirm a high-risk action. The key differs from the one that asked.", 10, KeyAccept),
		o(Confirm, ConfirmDetails, "details", "Show or hide everything the approval covers, with hashes.", 18, KeyLayout),
		o(Confirm, ConfirmDiff, "what changed", "Show what changed in the plan.", 15, KeyDiff),
		o(Confirm, ConfirmRead, "read first", "Read the objective or one of the plans first.", 14, KeyOutside),
		o(Confirm, ConfirmNotes, "with notes", "Accept with a note.", 11, KeyComment),
		o(Confirm, ConfirmReject, "reject", "Reject instead, with a reason.", 12, KeyReject),
		o(Confirm, ConfirmParts, "parts", "Choose which sections and subtasks of the plan to accept.", 17, KeySelect),
		o(Confirm, ConfirmNo, "no", "Cancel.", 20, KeyBack, KeyQuit, "n"),
		o(Confirm, ConfirmOther, "other button", "Switch to the other button. The safe one starts focused.", 0, KeyTab, KeyLeft, KeyRight, "shift+tab"),
		o(Confirm, ConfirmPress, "press", "Press the focused button.", 0, KeyOpen),
		o(Parts, PartsToggle, "leave out", "Exclude the part and everything in it, or include it again.", 10, KeySelect),
		o(Parts, PartsDone, "done", "Go back with these parts.", 11, KeyOpen, KeySend),
		o(Parts, PartsCancel, "cancel", "Go back without changing the parts.", 20, KeyBack, KeyQuit),
	}
}
