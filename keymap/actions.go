package keymap

// Action names something a person can do. The names are stable: configuration files use
// them.
type Action string

// Moving.
const (
	MoveDown     Action = "move.down"
	MoveUp       Action = "move.up"
	MoveTop      Action = "move.top"
	MoveBottom   Action = "move.bottom"
	MoveHalfDown Action = "move.half-down"
	MoveHalfUp   Action = "move.half-up"
	MovePageDown Action = "move.page-down"
	MovePageUp   Action = "move.page-up"
	Left         Action = "move.left"
	Right        Action = "move.right"
	PlaceNext    Action = "move.place-next"
	PlacePrev    Action = "move.place-previous"
)

// Jumping from task to task.
const (
	JumpParent     Action = "jump.parent"
	JumpChild      Action = "jump.child"
	JumpDependency Action = "jump.dependency"
	JumpDependent  Action = "jump.dependent"
	JumpBack       Action = "jump.back"
	BranchNext     Action = "graph.branch-next"
	BranchPrev     Action = "graph.branch-previous"
	HideDone       Action = "graph.hide-done"
	ToggleLoose    Action = "graph.unconnected"
)

// The map.
const (
	MapEnter    Action = "map.enter"
	MapFarther  Action = "map.farther"
	MapNearer   Action = "map.nearer"
	MapAround   Action = "map.around"
	MapUp       Action = "map.upstream"
	MapDown     Action = "map.downstream"
	MapBlocked  Action = "map.blocked"
	MapCritical Action = "map.critical"
	MapZoom     Action = "map.zoom"
)

// Folding the tree.
const (
	FoldAll   Action = "fold.close-all"
	UnfoldAll Action = "fold.open-all"
)

// Milestones.
const (
	MilestoneAssign Action = "milestone.assign"
)

// What happened.
const (
	FeedActor  Action = "activity.actor"
	FeedKind   Action = "activity.kind"
	GroupNext  Action = "group.next"
	GroupPrev  Action = "group.previous"
	Statistics Action = "look.statistics"
	Timeline   Action = "look.timeline"
	PeriodLess Action = "look.shorter"
	PeriodMore Action = "look.longer"
	LookClose  Action = "look.close"
)

// Judging and working: these fire transitions.
const (
	Accept     Action = "task.accept"
	Reject     Action = "task.reject"
	Start      Action = "task.start"
	Done       Action = "task.done"
	RaiseError Action = "task.error"
	Retry      Action = "task.retry"
	StopRun    Action = "task.stop-run"
	Pause      Action = "task.pause"
	Abort      Action = "task.abort"
	Revalidate Action = "task.revalidate"
	Replan     Action = "task.replan"
	Check      Action = "task.check"
	Undo       Action = "task.undo"
	UndoOther  Action = "task.undo-verdict"
	AskPlan    Action = "task.ask"
)

// Saying something about lines of a text.
const (
	Comment       Action = "comment.write"
	CommentAnswer Action = "comment.answer"
	CommentSettle Action = "comment.settle"
	CommentsSend  Action = "comment.send"
	LineRange     Action = "comment.range"
	Contents      Action = "view.contents"
)

// Deciding on what was asked.
const (
	RequestOpen    Action = "request.open"
	RequestAccept  Action = "request.accept"
	RequestDeny    Action = "request.deny"
	RequestEdit    Action = "request.edit"
	RequestRespond Action = "request.respond"
	RequestChoose  Action = "request.choose"
	RequestOptions Action = "request.options"
	RequestDefer   Action = "request.defer"
	RequestDiff    Action = "request.diff"
	RequestTask    Action = "request.task"
	RequestClose   Action = "request.close"
)

// Making and changing tasks.
const (
	New              Action = "task.new"
	NewSubtask       Action = "task.new-subtask"
	EditShown        Action = "task.edit"
	EditObjective    Action = "task.edit-objective"
	EditPlan         Action = "task.edit-plan"
	Rename           Action = "task.rename"
	Steps            Action = "task.steps"
	AddDependency    Action = "task.add-dependency"
	RemoveDependency Action = "task.remove-dependency"
)

// Choosing several, and taking things elsewhere.
const (
	Select    Action = "select.toggle"
	SelectLow Action = "select.low-risk"
	CopyID    Action = "copy.id"
	CopyName  Action = "copy.name"
	CopyPath  Action = "copy.path"
	CopyText  Action = "copy.text"
)

// What is on the screen.
const (
	ViewNumber     Action = "view.number"
	ViewInbox      Action = "view.inbox"
	ViewTasks      Action = "view.tasks"
	ViewGraph      Action = "view.graph"
	ViewRuns       Action = "view.runs"
	ViewHistory    Action = "view.history"
	ViewLayout     Action = "view.layout"
	ViewTree       Action = "view.tree"
	ViewBoard      Action = "view.board"
	ViewMilestones Action = "view.milestones"
	ViewMap        Action = "view.map"
	ViewLanes      Action = "view.lanes"
	FocusNext      Action = "view.focus-next"
	Open           Action = "view.open"
	Zoom           Action = "view.zoom"
	TabNext        Action = "tab.next"
	TabPrev        Action = "tab.previous"
	TabOverview    Action = "tab.overview"
	Why            Action = "view.why"
	TabObjective   Action = "tab.objective"
	TabPlan        Action = "tab.plan"
	TabHistory     Action = "tab.history"
	TabResult      Action = "tab.result"
	TabRuns        Action = "tab.runs"
	Raw            Action = "view.raw"
	Diff           Action = "view.diff"
	OpenFile       Action = "view.open-file"
	Layout         Action = "view.turn-panes"
	Narrower       Action = "view.narrower"
	Wider          Action = "view.wider"
	ThemePicker    Action = "view.theme"
)

// Finding.
const (
	SearchStart Action = "find.search"
	SearchNext  Action = "find.next"
	SearchPrev  Action = "find.previous"
	FilterStart Action = "find.filter"
	Palette     Action = "find.palette"
	// FindTexts looks through the texts of all tasks.
	FindTexts Action = "find.texts"
)

// The program.
const (
	Help    Action = "app.help"
	Tour    Action = "app.tour"
	Log     Action = "app.log"
	Refresh Action = "app.refresh"
	Back    Action = "app.back"
	Quit    Action = "app.quit"
	Suspend Action = "app.suspend"
)

// Overlays.
const (
	PagerClose     Action = "pager.close"
	HunkNext       Action = "pager.next"
	HunkPrev       Action = "pager.previous"
	DiffAll        Action = "pager.all-lines"
	DiffSplit      Action = "pager.split"
	NoteNext       Action = "pager.comment-next"
	NotePrev       Action = "pager.comment-previous"
	SearchKeep     Action = "search.keep"
	SearchCancel   Action = "search.cancel"
	SearchDown     Action = "search.down"
	SearchUp       Action = "search.up"
	SearchTexts    Action = "search.texts"
	PromptSubmit   Action = "prompt.submit"
	PromptCancel   Action = "prompt.cancel"
	PromptComplete Action = "prompt.complete"
	PromptNext     Action = "prompt.next"
	PromptPrev     Action = "prompt.previous"
	ComposeSend    Action = "compose.send"
	ComposeLeave   Action = "compose.leave"
	ComposePhrase  Action = "compose.phrase"
	ComposeKind    Action = "compose.kind"
	ComposeBlock   Action = "compose.blocking"
	PickerChoose   Action = "picker.choose"
	PickerCancel   Action = "picker.cancel"
	PickerDown     Action = "picker.down"
	PickerUp       Action = "picker.up"
	PickerPgDown   Action = "picker.page-down"
	PickerPgUp     Action = "picker.page-up"
	PickerPlace    Action = "picker.place"
	ConfirmYes     Action = "confirm.yes"
	ConfirmSure    Action = "confirm.sure"
	ConfirmNo      Action = "confirm.no"
	ConfirmDiff    Action = "confirm.diff"
	ConfirmRead    Action = "confirm.read"
	ConfirmNotes   Action = "confirm.notes"
	ConfirmDetails Action = "confirm.details"
	ConfirmReject  Action = "confirm.reject"
	ConfirmParts   Action = "confirm.parts"
	ConfirmOther   Action = "confirm.other"
	ConfirmPress   Action = "confirm.press"
	PartsToggle    Action = "parts.toggle"
	PartsDone      Action = "parts.done"
	PartsCancel    Action = "parts.cancel"
)

// Subtasks of a task, and the dependencies that files suggest.
const (
	Decompose       Action = "task.decompose"
	Suggest         Action = "task.suggest-dependencies"
	DecomposeNext   Action = "decompose.next-source"
	DecomposePrev   Action = "decompose.previous-source"
	DecomposeToggle Action = "decompose.leave-out"
	DecomposeDown   Action = "decompose.text-down"
	DecomposeUp     Action = "decompose.text-up"
	DecomposeAccept Action = "decompose.accept"
	DecomposeClose  Action = "decompose.close"
	ConfirmAll      Action = "task.confirm"
)

// The loop, and the runs of workers.
const (
	LoopToggle  Action = "loop.toggle"
	LoopPause   Action = "loop.pause"
	LoopRun     Action = "loop.run-task"
	RunCancel   Action = "run.cancel"
	RunTakeOver Action = "run.take-over"
	RunUnfold   Action = "run.unfold"
	RunFold     Action = "run.fold-all"
	RunUnfolds  Action = "run.unfold-all"
	RunPatch    Action = "run.patch"
)
