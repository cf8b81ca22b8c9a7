package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/screen"
	"vespe/ui/tour"
	"vespe/ui/verdict"
	"vespe/ui/view"
)

// handler does an action, and says why it cannot be done here.
type handler struct {
	do  func(*App) tea.Cmd
	off func(*App) string // "" when it can be done
}

// handlers ties every action of the keymap that the root does itself to its handler. The
// actions of overlays belong to the dialogs.
func (a *App) handlers() map[keymap.Action]handler {
	out := map[keymap.Action]handler{}
	for _, part := range []map[keymap.Action]handler{
		moveHandlers(), jumpHandlers(), lookHandlers(), runHandlers(), taskHandlers(), viewHandlers(), findHandlers(), appHandlers(),
		decomposeHandlers(),
	} {
		for action, h := range part {
			out[action] = h
		}
	}
	for action, x := range a.requests.Actions() {
		out[action] = anywhere(x)
	}
	for _, l := range a.panes.lefts {
		for action, x := range l.actions {
			out[action] = ofView(action, x, out[action])
		}
	}
	return out
}

// anywhere is an action that does not depend on what is on screen.
func anywhere(x view.Action) handler {
	return handler{do: func(*App) tea.Cmd { return x.Do() }, off: func(*App) string { return x.Why() }}
}

// ofView is an action that the view on screen does, if it can; else root does it.
func ofView(action keymap.Action, x view.Action, root handler) handler {
	if x.Everywhere {
		return anywhere(x)
	}
	return handler{
		do: func(a *App) tea.Cmd {
			if x, here := a.panes.shown().actions[action]; here && (root.off == nil || a.snap != nil && x.Why() == "") {
				return x.Do()
			}
			return root.do(a)
		},
		off: func(a *App) string {
			x, here := a.panes.shown().actions[action]
			why := "the store is loading"
			switch {
			case !here && root.off == nil:
				spec, _ := a.deps.Keymap.Spec(action)
				why = "only " + spec.Scopes[0].Title()
			case !here:
				return root.off(a)
			case a.snap != nil:
				why = x.Why()
			}
			if why != "" && root.off != nil && root.off(a) == "" {
				return ""
			}
			return why
		},
	}
}

// always is a handler without conditions.
func always(do func(*App) tea.Cmd) handler {
	return handler{do: do, off: func(*App) string { return "" }}
}

// onTask is a handler that needs a task under the cursor.
func onTask(do func(*App) tea.Cmd) handler {
	return handler{do: do, off: func(a *App) string {
		if _, ok := a.current(); !ok {
			return "no task under the cursor"
		}
		return ""
	}}
}

func moveHandlers() map[keymap.Action]handler {
	moving := func(f func(view.Scroller)) handler {
		return always(func(a *App) tea.Cmd {
			f(a.panes.focused())
			return a.onMoved()
		})
	}
	return map[keymap.Action]handler{
		keymap.MoveDown:     moving(func(p view.Scroller) { p.Move(1) }),
		keymap.MoveUp:       moving(func(p view.Scroller) { p.Move(-1) }),
		keymap.MoveTop:      moving(func(p view.Scroller) { p.Home() }),
		keymap.MoveBottom:   moving(func(p view.Scroller) { p.End() }),
		keymap.MoveHalfDown: moving(func(p view.Scroller) { p.HalfPage(1) }),
		keymap.MoveHalfUp:   moving(func(p view.Scroller) { p.HalfPage(-1) }),
		keymap.MovePageDown: moving(func(p view.Scroller) { p.Page(1) }),
		keymap.MovePageUp:   moving(func(p view.Scroller) { p.Page(-1) }),
		keymap.PlaceNext:    always(func(a *App) tea.Cmd { return nextPlace(a, 1) }),
		keymap.PlacePrev:    always(func(a *App) tea.Cmd { return nextPlace(a, -1) }),
		keymap.HeadingNext:  always(func(a *App) tea.Cmd { return a.heading(1) }),
		keymap.HeadingPrev:  always(func(a *App) tea.Cmd { return a.heading(-1) }),
	}
}

func jumpHandlers() map[keymap.Action]handler {
	jump := func(r relation) handler {
		return handler{
			do:  func(a *App) tea.Cmd { return a.jump(r) },
			off: func(a *App) string { return a.noJump(r) },
		}
	}
	return map[keymap.Action]handler{
		keymap.JumpParent:     jump(toParent),
		keymap.JumpChild:      jump(toChild),
		keymap.JumpDependency: jump(toDependency),
		keymap.JumpDependent:  jump(toDependent),
		keymap.JumpBack: {
			do: (*App).jumpBack,
			off: func(a *App) string {
				if len(a.nav.back) == 0 {
					return "no earlier place to return to"
				}
				return ""
			},
		},
	}
}

func taskHandlers() map[keymap.Action]handler {
	out := map[keymap.Action]handler{
		keymap.Diff: {do: (*App).showDiff, off: (*App).noDiff},
		keymap.New: {do: (*App).newTask, off: func(a *App) string {
			return a.proposer().WhyNot(a.proposer().Writable(model.Op{Name: model.CreateTask}))
		}},
		keymap.NewSubtask: {do: func(a *App) tea.Cmd { return a.askName("New subtask", a.selected()) }, off: (*App).noSubtask},
		keymap.EditShown: {
			do:  func(a *App) tea.Cmd { return a.run(editsShown(a)) },
			off: func(a *App) string { return a.actions[editsShown(a)].off(a) },
		},
		keymap.EditObjective:    editing(model.Objective, model.DefineObjective),
		keymap.EditPlan:         editing(model.Plan, model.DefinePlan),
		keymap.Suggest:          {do: (*App).openSuggested, off: (*App).noTasks},
		keymap.Steps:            {do: (*App).tickSteps, off: (*App).noSteps},
		keymap.Rename:           {do: (*App).rename, off: refusedFor(model.Op{Name: model.RenameTask, Args: model.NewName{Name: verdict.PreviewReason}})},
		keymap.AddDependency:    onTask((*App).addDependency),
		keymap.RemoveDependency: {do: (*App).removeDependency, off: (*App).noDependency},
		keymap.OpenFile:         onTask((*App).openFile),
		keymap.ConfirmAll:       {do: (*App).confirmElsewhere, off: (*App).noConfirm},
		keymap.Undo:             {do: (*App).undo, off: (*App).noUndo},
		keymap.Select:           {do: (*App).selectToggle, off: (*App).noSelect},
		keymap.SelectLow:        {do: (*App).selectLow, off: (*App).noSelect},
		keymap.CopyID:           onTask((*App).copyID),
		keymap.CopyName:         onTask((*App).copyName),
		keymap.CopyPath:         onTask((*App).copyPath),
		keymap.CopyText:         onTask((*App).copyShown),
	}
	for action, h := range commentHandlers() {
		out[action] = h
	}
	for _, spec := range keymap.Actions() {
		if _, ok := out[spec.Action]; ok || spec.Transition == "" {
			continue
		}
		out[spec.Action] = handler{
			do: func(a *App) tea.Cmd {
				if a.opens(spec.Action) {
					return a.requests.OpenOf()
				}
				return a.begin(spec)
			},
			off: func(a *App) string {
				if a.opens(spec.Action) {
					return ""
				}
				if _, on := a.requestLeft(); on && isVerdict(spec.Action) && len(a.panes.tree.Marked()) == 0 {
					return "this is a request" + a.orKey(keymap.RequestAccept, "approves it")
				}
				_, err := a.which(spec.Transitions(), a.targetsOf(spec))
				return a.proposer().WhyNot(err)
			},
		}
	}
	return out
}

// isVerdict reports that an action judges a plan or finished work, which has to be on the screen for it.
func isVerdict(a keymap.Action) bool {
	return a == keymap.Accept || a == keymap.Reject || a == keymap.AskPlan
}

// opens reports whether an action opens what the task waits for: it is what continues when that is
// answered, and words are not all that is asked for.
func (a *App) opens(action keymap.Action) bool {
	if action != keymap.Pause || len(a.panes.tree.Marked()) > 0 {
		return false
	}
	_, waits := a.proposer().Asked(a.selected())
	return waits && a.requests.MustOpen(a.selected())
}

// editing is the handler that opens a document in the person's editor.
func editing(doc model.Doc, name model.Name) handler {
	return handler{
		do:  func(a *App) tea.Cmd { return a.editor.edit(doc) },
		off: refusedFor(model.Op{Name: name}),
	}
}

// editsShown edits the document that is shown on the right, or else the objective; the other where that cannot be edited.
func editsShown(a *App) keymap.Action {
	shown, other := keymap.EditObjective, keymap.EditPlan
	if a.panes.detail.Tab() == detail.Plan && a.panes.pane() == nil {
		shown, other = other, shown
	}
	if a.actions[shown].off(a) != "" && a.actions[other].off(a) == "" {
		return other
	}
	return shown
}

// refusedFor says why an operation on the task under the cursor would be refused.
func refusedFor(op model.Op) func(*App) string {
	return func(a *App) string {
		t, ok := a.current()
		if !ok {
			return "no task under the cursor"
		}
		op := op
		op.UID, op.Actor = t.UID, a.deps.Actor
		return a.proposer().WhyNot(a.allowed(op))
	}
}

func viewHandlers() map[keymap.Action]handler {
	tab := func(t detail.Tab) handler {
		return always(func(a *App) tea.Cmd { return a.showTab(t) })
	}
	divider := func(do func(*screen.Screen)) handler {
		return always(func(a *App) tea.Cmd {
			do(&a.screen)
			a.relayout()
			return nil
		})
	}
	out := map[keymap.Action]handler{
		keymap.Open:         {do: (*App).open, off: (*App).noOpen},
		keymap.FocusNext:    always(func(a *App) tea.Cmd { a.focus(!a.panes.right); return nil }),
		keymap.TabNext:      always(func(a *App) tea.Cmd { return a.nextTab(1) }),
		keymap.TabPrev:      always(func(a *App) tea.Cmd { return a.nextTab(-1) }),
		keymap.TabOverview:  tab(detail.Overview),
		keymap.TabObjective: tab(detail.Objective),
		keymap.TabPlan:      tab(detail.Plan),
		keymap.TabHistory:   tab(detail.History),
		keymap.TabResult:    tab(detail.Result),
		keymap.TabRuns:      tab(detail.Runs),
		keymap.Raw:          always(toggleRaw),
		keymap.Zoom:         always((*App).toggleZoom),
		keymap.MapZoom:      always((*App).toggleZoom),
		keymap.Layout:       divider(func(s *screen.Screen) { s.Turn() }),
		keymap.Narrower:     divider(func(s *screen.Screen) { s.Nudge(-0.03) }),
		keymap.Wider:        divider(func(s *screen.Screen) { s.Nudge(0.03) }),
		keymap.ThemePicker:  always((*App).pickTheme),
	}
	for v, l := range leftViews() {
		out[l.action] = always(func(a *App) tea.Cmd {
			if a.panes.view != leftView(v) {
				a.panes.lefts[v].Hear(view.Opened{From: a.panes.shown().action, Task: a.selected()})
			}
			return a.show(leftView(v))
		})
		if l.tab != "" && l.tab != l.action {
			out[l.tab] = always(func(a *App) tea.Cmd { return showTabOf(a, leftView(v)) })
		}
	}
	out[keymap.ViewNumber] = always(viewByNumber)
	out[keymap.ViewLayout] = handler{do: nextLayout, off: noLayout}
	return out
}

func findHandlers() map[keymap.Action]handler {
	return map[keymap.Action]handler{
		keymap.FindTexts:   {do: (*App).findTexts, off: (*App).noTexts},
		keymap.SearchStart: {do: (*App).searchStart, off: (*App).noTasks},
		keymap.SearchNext:  always(func(a *App) tea.Cmd { return a.find.step(1) }),
		keymap.SearchPrev:  always(func(a *App) tea.Cmd { return a.find.step(-1) }),
		keymap.FilterStart: {do: (*App).filterStart, off: (*App).noTasks},
		keymap.Palette:     always((*App).openPalette),
	}
}

// noTasks says that there is nothing to look through.
func (a *App) noTasks() string {
	if a.snap != nil && a.snap.Len() == 0 && len(a.snap.Problems()) == 0 {
		return "no task yet"
	}
	return ""
}

func appHandlers() map[keymap.Action]handler {
	return map[keymap.Action]handler{
		keymap.Help: always((*App).openHelp),
		keymap.Tour: always(func(a *App) tea.Cmd { a.tour.Toggle(here(a)); a.relayout(); return nil }),
		keymap.Log: always(func(a *App) tea.Cmd {
			return a.dialogs.Push(dialog.NewReader(overlay.NewLog(a.st, a.notices.Entries())))
		}),
		keymap.Refresh: always((*App).reload),
		keymap.Back:    always((*App).goBack),
		keymap.Quit:    always((*App).quit),
		keymap.Suspend: {
			do: func(*App) tea.Cmd { return tea.Suspend },
			off: func(a *App) string {
				if a.deps.NoSuspend {
					return "no shell to return to"
				}
				return ""
			},
		},
	}
}

// toggleRaw shows texts as they were written, or rendered: of the request that is open, or of the task on the right.
func toggleRaw(a *App) tea.Cmd {
	if !a.requests.ToggleRaw() {
		a.panes.detail.ToggleRaw()
	}
	return nil
}

// run does an action, or says why it cannot be done.
func (a *App) run(action keymap.Action) tea.Cmd {
	h, ok := a.actions[action]
	if !ok {
		return nil
	}
	if why := h.off(a); why != "" {
		return a.disabled(action, why)
	}
	before := a.notices.Last
	cmd := h.do(a)
	switch action {
	case keymap.Palette:
		a.tour.Did(tour.Find, here(a))
	case keymap.Help:
		a.tour.Did(tour.Help, here(a))
	}
	switch action {
	case keymap.Back, keymap.Quit, keymap.Suspend: // esc reads one at a time; who leaves is told after
	default:
		a.readFailures(before)
	}
	return cmd
}

// disabled tells why an action does nothing. A transition that is refused is an error to
// be read; anything else is a remark.
func (a *App) disabled(action keymap.Action, why string) tea.Cmd {
	spec, _ := a.deps.Keymap.Spec(action)
	if a.requests.Note(capital(spec.Title) + ": " + why) {
		return nil
	}
	if uid := a.selected(); action == keymap.NewSubtask && uid != "" {
		err := a.allowed(a.createOp("…", uid))
		return a.fail(a.proposer().Refused(model.CreateTask.Title(), err))
	}
	if _, on := a.requestLeft(); on && isVerdict(action) || action == keymap.Undo && (strings.HasPrefix(why, nothingLeft) || strings.Contains(why, verdict.NoDecision) || a.panes.other != "") {
		return a.remark(capital(spec.Title) + ": " + why)
	}
	if names := spec.Transitions(); len(names) > 0 && names[0] != string(model.AnswerRequest) {
		name, err := a.which(names, a.targetsOf(spec))
		if err != nil && !errors.Is(err, verdict.ErrNoTask) {
			return a.fail(a.proposer().Refused(name.Title(), err))
		}
	}
	return a.remark(capital(spec.Title) + ": " + why)
}
