package ui

import (
	"errors"
	"maps"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/panes"
	"vespe/ui/screen"
	"vespe/ui/text"
	"vespe/ui/tour"
	"vespe/ui/verdict"
	"vespe/ui/view"
)

// ownActions ties every action of the keymap that the workbench does itself to what does it. The actions of overlays
// belong to the dialogs.
func (a *App) ownActions() map[keymap.Action]view.Action {
	out := map[keymap.Action]view.Action{}
	for _, part := range []map[keymap.Action]view.Action{
		a.nav.moveActions(), a.nav.jumpActions(), a.lookActions(), a.decider.runActions(), a.taskActions(), a.viewActions(), a.nav.findActions(),
		a.appActions(), a.tasks.decomposeActions(), a.requests.Actions(),
	} {
		maps.Copy(out, part)
	}
	for _, l := range a.panes.Lefts {
		for action, x := range l.ByAction {
			if !x.Everywhere {
				root, ok := out[action]
				if x = a.ofView(action, nil); ok {
					x = a.ofView(action, &root)
				}
			}
			out[action] = x
		}
	}
	return out
}

// ofView is an action that the view on screen does, if it can; else root does it, which may be nil.
func (a *App) ofView(action keymap.Action, root *view.Action) view.Action {
	return view.Action{
		Do: func() tea.Cmd {
			if x, here := a.panes.Shown().ByAction[action]; here && (root == nil || a.snap != nil && x.Why() == "") {
				return x.Do()
			}
			return root.Do()
		},
		Off: func() string {
			x, here := a.panes.Shown().ByAction[action]
			why := "the store is loading"
			switch {
			case !here && root == nil:
				spec, _ := a.deps.Keymap.Spec(action)
				why = "only " + spec.Scopes[0].Title()
			case !here:
				return root.Why()
			case a.snap != nil:
				why = x.Why()
			}
			if why != "" && root != nil && root.Why() == "" {
				return ""
			}
			return why
		},
	}
}

// onTask is an action that needs a task under the cursor.
func (c *core) onTask(do func() tea.Cmd) view.Action {
	return view.Action{Do: do, Off: func() string {
		if _, ok := c.current(); !ok {
			return "no task under the cursor"
		}
		return ""
	}}
}

func (n *navigator) moveActions() map[keymap.Action]view.Action {
	moving := func(f func(view.Scroller)) view.Action {
		return view.Action{Do: func() tea.Cmd {
			f(n.panes.Focused())
			return n.onMoved()
		}}
	}
	return map[keymap.Action]view.Action{
		keymap.MoveDown:     moving(func(p view.Scroller) { p.Move(1) }),
		keymap.MoveUp:       moving(func(p view.Scroller) { p.Move(-1) }),
		keymap.MoveTop:      moving(func(p view.Scroller) { p.Home() }),
		keymap.MoveBottom:   moving(func(p view.Scroller) { p.End() }),
		keymap.MoveHalfDown: moving(func(p view.Scroller) { p.HalfPage(1) }),
		keymap.MoveHalfUp:   moving(func(p view.Scroller) { p.HalfPage(-1) }),
		keymap.MovePageDown: moving(func(p view.Scroller) { p.Page(1) }),
		keymap.MovePageUp:   moving(func(p view.Scroller) { p.Page(-1) }),
		keymap.GroupNext:    {Do: func() tea.Cmd { return n.nextGroup(1) }, Off: n.noGroup},
		keymap.GroupPrev:    {Do: func() tea.Cmd { return n.nextGroup(-1) }, Off: n.noGroup},
		keymap.PlaceNext:    {Do: func() tea.Cmd { return n.nextPlace(1) }},
		keymap.PlacePrev:    {Do: func() tea.Cmd { return n.nextPlace(-1) }},
	}
}

func (n *navigator) jumpActions() map[keymap.Action]view.Action {
	jump := func(r relation) view.Action {
		return view.Action{
			Do:  func() tea.Cmd { return n.jump(r) },
			Off: func() string { return n.noJump(r) },
		}
	}
	return map[keymap.Action]view.Action{
		keymap.JumpParent:     jump(toParent),
		keymap.JumpChild:      jump(toChild),
		keymap.JumpDependency: jump(toDependency),
		keymap.JumpDependent:  jump(toDependent),
		keymap.JumpBack: {
			Do: n.jumpBack,
			Off: func() string {
				if len(n.trail.back) == 0 {
					return "no earlier place to return to"
				}
				return ""
			},
		},
	}
}

func (a *App) taskActions() map[keymap.Action]view.Action {
	out := map[keymap.Action]view.Action{
		keymap.Diff: {Do: a.decider.showDiff, Off: a.decider.noDiff},
		keymap.New: {Do: a.tasks.newTask, Off: func() string {
			return a.proposer().WhyNot(a.proposer().Writable(model.Op{Name: model.CreateTask}))
		}},
		keymap.NewSubtask: {Do: func() tea.Cmd { return a.tasks.askName("New subtask", a.selected()) }, Off: a.tasks.noSubtask},
		keymap.EditShown: {
			Do:  func() tea.Cmd { return a.run(a.editsShown()) },
			Off: func() string { return a.actions[a.editsShown()].Why() },
		},
		keymap.EditObjective:    a.editing(model.Objective, model.DefineObjective),
		keymap.EditPlan:         a.editing(model.Plan, model.DefinePlan),
		keymap.Suggest:          {Do: a.tasks.openSuggested, Off: a.noTasks},
		keymap.Steps:            {Do: a.tasks.tickSteps, Off: a.tasks.noSteps},
		keymap.Rename:           {Do: a.tasks.rename, Off: a.refusedFor(model.Op{Name: model.RenameTask, Args: model.NewName{Name: verdict.PreviewReason}})},
		keymap.AddDependency:    a.onTask(a.tasks.addDependency),
		keymap.RemoveDependency: {Do: a.tasks.removeDependency, Off: a.tasks.noDependency},
		keymap.OpenFile:         a.onTask(a.tasks.openFile),
		keymap.ConfirmAll:       {Do: a.decider.confirmElsewhere, Off: a.decider.noConfirm},
		keymap.Undo:             {Do: a.decider.undo, Off: a.decider.noUndo},
		keymap.Select:           {Do: a.nav.selectToggle, Off: a.nav.noSelect},
		keymap.LineRange:        {Do: a.nav.markLines, Off: a.comments.noLines},
		keymap.SelectLow:        {Do: a.nav.selectLow, Off: a.nav.noSelect},
		keymap.CopyID:           a.onTask(a.nav.copyID),
		keymap.CopyName:         a.onTask(a.nav.copyName),
		keymap.CopyPath:         a.onTask(func() tea.Cmd { return a.nav.copiedLine("path", ".vespe/tasks/"+string(a.selected())) }),
		keymap.CopyText:         a.onTask(a.nav.copyShown),
	}
	maps.Copy(out, a.comments.commentActions())
	for _, spec := range keymap.Actions() {
		if _, ok := out[spec.Action]; ok || spec.Transition == "" {
			continue
		}
		out[spec.Action] = view.Action{
			Do: func() tea.Cmd {
				if a.opens(spec.Action) {
					return a.requests.OpenOf()
				}
				return a.decider.begin(spec)
			},
			Off: func() string {
				if a.opens(spec.Action) {
					return ""
				}
				if q, on := a.requestLeft(); on && isVerdict(spec.Action) && len(a.panes.Tree.Marked()) == 0 {
					if q.Kind != model.KindAction {
						return "this is a question" + a.orKey(keymap.Open, "opens it")
					}
					return "this is a request" + a.orKey(keymap.RequestAccept, "approves it")
				}
				_, err := a.which(spec.Transitions(), a.decider.targetsOf(spec))
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
func (c *core) opens(action keymap.Action) bool {
	if action != keymap.Pause || len(c.panes.Tree.Marked()) > 0 {
		return false
	}
	_, waits := c.proposer().Asked(c.selected())
	return waits && c.requests.MustOpen(c.selected())
}

// editing is the action that opens a document in the person's editor.
func (a *App) editing(doc model.Doc, name model.Name) view.Action {
	return view.Action{
		Do:  func() tea.Cmd { return a.tasks.editor.edit(doc) },
		Off: a.refusedFor(model.Op{Name: name}),
	}
}

// editsShown edits the document that is shown on the right, or else the objective; the other where that cannot be edited.
func (a *App) editsShown() keymap.Action {
	if _, on := a.requestLeft(); on {
		return keymap.RequestEdit
	}
	shown, other := keymap.EditObjective, keymap.EditPlan
	if a.panes.Detail.Tab() == detail.Plan && a.panes.Pane() == nil {
		shown, other = other, shown
	}
	if a.actions[shown].Why() != "" && a.actions[other].Why() == "" {
		return other
	}
	return shown
}

// refusedFor says why an operation on the task under the cursor would be refused.
func (c *core) refusedFor(op model.Op) func() string {
	return func() string {
		t, ok := c.current()
		if !ok {
			return "no task under the cursor"
		}
		op := op
		op.UID, op.Actor = t.UID, c.deps.Actor
		return c.proposer().WhyNot(c.allowed(op))
	}
}

func (a *App) viewActions() map[keymap.Action]view.Action {
	tab := func(t detail.Tab) view.Action {
		return view.Action{Do: func() tea.Cmd { return a.nav.showTab(t) }}
	}
	divider := func(do func(*screen.Screen)) view.Action {
		return view.Action{Do: func() tea.Cmd {
			do(&a.screen)
			a.relayout()
			return nil
		}}
	}
	out := map[keymap.Action]view.Action{
		keymap.Open:         {Do: a.nav.open, Off: a.nav.noOpen},
		keymap.FocusNext:    {Do: a.nav.otherPane},
		keymap.TabNext:      {Do: func() tea.Cmd { return a.nav.nextTab(1) }},
		keymap.TabPrev:      {Do: func() tea.Cmd { return a.nav.nextTab(-1) }},
		keymap.TabOverview:  tab(detail.Overview),
		keymap.TabObjective: tab(detail.Objective),
		keymap.TabPlan:      tab(detail.Plan),
		keymap.TabHistory:   tab(detail.History),
		keymap.TabResult:    tab(detail.Result),
		keymap.TabRuns:      tab(detail.Runs),
		keymap.Raw:          {Do: a.toggleRaw},
		keymap.Zoom:         {Do: a.nav.toggleZoom},
		keymap.MapZoom:      {Do: a.nav.toggleZoom},
		keymap.Layout:       divider(func(s *screen.Screen) { s.TurnPanes() }),
		keymap.Narrower:     divider(func(s *screen.Screen) { s.Nudge(-0.03) }),
		keymap.Wider:        divider(func(s *screen.Screen) { s.Nudge(0.03) }),
		keymap.ThemePicker:  {Do: a.pickTheme},
	}
	for v, l := range leftViews() {
		out[l.Action] = view.Action{Do: func() tea.Cmd {
			return a.showView(panes.View(v), l.Tab != l.Action && a.panes.TabOf(panes.View(v)) != a.panes.TabOf(a.panes.View))
		}}
		if l.Tab != "" && l.Tab != l.Action {
			out[l.Tab] = view.Action{Do: func() tea.Cmd { return a.showTabOf(panes.View(v)) }}
		}
	}
	for _, m := range []keymap.Action{keymap.MapBlocked, keymap.MapCritical} {
		out[m] = a.onTask(func() tea.Cmd { return tea.Batch(a.run(keymap.ViewMap), a.panes.Lefts[panes.Map].ByAction[m].Do()) })
	}
	out[keymap.Why] = a.onTask(func() tea.Cmd { return tea.Batch(a.run(keymap.TabOverview), a.remark(a.proposer().Why(a.selected()))) })
	out[keymap.ViewNumber] = view.Action{Do: a.viewByNumber}
	out[keymap.ViewLayout] = view.Action{Do: a.nextLayout, Off: a.noLayout}
	return out
}

func (n *navigator) findActions() map[keymap.Action]view.Action {
	return map[keymap.Action]view.Action{
		keymap.FindTexts:   {Do: func() tea.Cmd { return n.find.OpenTexts("") }, Off: n.noTexts},
		keymap.SearchStart: {Do: n.find.SearchStart, Off: n.noTasks},
		keymap.SearchNext:  {Do: func() tea.Cmd { return n.find.Step(1) }},
		keymap.SearchPrev:  {Do: func() tea.Cmd { return n.find.Step(-1) }},
		keymap.FilterStart: {Do: n.find.FilterStart, Off: n.noTasks},
	}
}

func (n *navigator) noTexts() string {
	if n.deps.Search == nil {
		return "the texts have no index"
	}
	return n.noTasks()
}

// noTasks says that there is nothing to look through.
func (c *core) noTasks() string {
	if c.snap != nil && c.snap.Len() == 0 && len(c.snap.Problems()) == 0 {
		return "no task yet"
	}
	return ""
}

func (a *App) appActions() map[keymap.Action]view.Action {
	return map[keymap.Action]view.Action{
		keymap.Help:    {Do: a.openHelp},
		keymap.Palette: {Do: a.openPalette},
		keymap.Tour:    {Do: a.toggleTour},
		keymap.Log: {Do: func() tea.Cmd {
			return a.dialogs.Push(dialog.NewReader(&dialog.Page{Styles: a.st, Title: "Log", Draw: a.notices.Log}))
		}},
		keymap.Refresh: {Do: a.loader.reload},
		keymap.Back:    {Do: a.goBack},
		keymap.Quit:    {Do: a.quit},
		keymap.Suspend: {
			Do: func() tea.Cmd { return tea.Suspend },
			Off: func() string {
				if a.deps.NoSuspend {
					return "no shell to return to"
				}
				return ""
			},
		},
	}
}

// toggleRaw shows texts as they were written, or rendered: of the request that is open, or of the task on the right.
func (a *App) toggleRaw() tea.Cmd {
	if !a.requests.ToggleRaw() {
		a.panes.Detail.ToggleRaw()
	}
	return nil
}

// run does an action, or says why it cannot be done.
func (a *App) run(action keymap.Action) tea.Cmd {
	h, ok := a.actions[action]
	if !ok {
		return nil
	}
	if why := h.Why(); why != "" {
		return a.disabled(action, why)
	}
	if action != keymap.Back && a.notices.DropOld(a.deps.Now()) { // it was about the key before
		a.relayout()
	}
	before := a.notices.Last
	cmd := h.Do()
	switch action {
	case keymap.Palette:
		a.tour.Did(tour.Find, here(a.core))
	case keymap.Help:
		a.tour.Did(tour.Help, here(a.core))
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
	if a.requests.Note(text.Capital(spec.Title) + ": " + why) {
		return nil
	}
	if uid := a.selected(); action == keymap.NewSubtask && uid != "" {
		err := a.allowed(a.createOp("…", uid))
		return a.fail(a.proposer().Refused(model.CreateTask.Title(), err))
	}
	if _, on := a.requestLeft(); on && isVerdict(action) || action == keymap.Undo {
		return a.remark(text.Capital(spec.Title) + ": " + why)
	}
	if names := spec.Transitions(); len(names) > 0 && names[0] != string(model.AnswerRequest) {
		name, err := a.which(names, a.decider.targetsOf(spec))
		if err != nil && !errors.Is(err, verdict.ErrNoTask) {
			return a.fail(a.proposer().Refused(name.Title(), err))
		}
	}
	return a.remark(text.Capital(spec.Title) + ": " + why)
}
