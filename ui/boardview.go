package ui

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/board"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// boardHandlers are the actions that only the board has.
func boardHandlers() map[keymap.Action]handler {
	here := func(do func(*App) tea.Cmd) handler {
		return handler{do: do, off: (*App).noBoard}
	}
	card := func(step func(*App, int) (board.Move, error)) handler {
		return handler{
			do: func(a *App) tea.Cmd { return a.moveCard(step) },
			off: func(a *App) string {
				if why := a.noCard(); why != "" {
					return why
				}
				i, _ := a.currentIndex()
				_, err := step(a, i)
				return a.whyNot(err)
			},
		}
	}
	side := func(d int) handler {
		return here(func(a *App) tea.Cmd {
			a.panes.board.Side(d)
			return a.onMoved()
		})
	}
	return map[keymap.Action]handler{
		keymap.ColumnLeft:  side(-1),
		keymap.ColumnRight: side(1),
		keymap.CardOn: card(func(a *App, i int) (board.Move, error) {
			return board.StepOn(a.snap, i, a.deps.Actor)
		}),
		keymap.CardBack: card(func(a *App, i int) (board.Move, error) {
			return board.StepBack(a.snap, i, a.deps.Actor)
		}),
		keymap.CardTo: {do: (*App).pickColumn, off: (*App).noCard},
	}
}

func (a *App) noBoard() string {
	switch {
	case a.panes.view != viewBoard:
		return "it works on the board"
	case a.snap == nil || a.snap.Len() == 0:
		return "there are no tasks"
	}
	return ""
}

// noCard says why there is no card to move.
func (a *App) noCard() string {
	if why := a.noBoard(); why != "" {
		return why
	}
	if _, ok := a.currentIndex(); !ok {
		return "no task under the cursor"
	}
	return ""
}

// clickBoard takes the card under the mouse, which may be dragged to another column.
func (a *App) clickBoard(x, y int) (row bool, cmd tea.Cmd) {
	if row = a.panes.board.Click(x, y); row {
		a.screen.carry = a.selected()
	}
	return row, nil
}

// boardExtra says how many tasks somebody is at, and what the filter leaves out.
func (a *App) boardExtra() string {
	total := a.snap.Total()
	say := ""
	if n := total.UnderWay(); n > 0 {
		say = text.Count(n) + " under way"
	}
	if shown, all := a.panes.board.Counted(); shown < all {
		if say != "" {
			say += " " + a.st.Glyph.Dot + " "
		}
		say += fmt.Sprintf("%s of %s", text.Count(shown), text.Count(all))
	}
	return say
}

// moveCard fires the transition that takes the card under the cursor to another column, or says
// why there is none.
func (a *App) moveCard(step func(*App, int) (board.Move, error)) tea.Cmd {
	i, ok := a.currentIndex()
	if !ok {
		return nil
	}
	m, err := step(a, i)
	if err != nil {
		return a.cannotMove(err, "")
	}
	return a.fireMove(m)
}

// stuckCard tells why a card cannot be taken on or sent back; false for other actions.
func (a *App) stuckCard(action keymap.Action) (tea.Cmd, bool) {
	i, ok := a.currentIndex()
	if !ok || a.noCard() != "" {
		return nil, false
	}
	var err error
	switch action {
	case keymap.CardOn:
		_, err = board.StepOn(a.snap, i, a.deps.Actor)
	case keymap.CardBack:
		_, err = board.StepBack(a.snap, i, a.deps.Actor)
	}
	if err == nil {
		return nil, false
	}
	return a.cannotMove(err, ""), true
}

// moveTo is moveCard to one column.
func (a *App) moveTo(to board.Column) tea.Cmd {
	i, ok := a.currentIndex()
	if !ok {
		return nil
	}
	m, err := board.StepTo(a.snap, i, to, a.deps.Actor)
	if err != nil {
		return a.cannotMove(err, to.Label())
	}
	return a.fireMove(m)
}

// cannotMove tells why a card stays where it is.
func (a *App) cannotMove(err error, column string) tea.Cmd {
	title := "Move"
	if column != "" {
		title = fmt.Sprintf("Move to %q", column)
	}
	var r *model.Refusal
	if errors.As(err, &r) && r.Op != "" {
		title = a.title(r.Op)
	}
	return a.fail(a.refused(title, err))
}

// fireMove begins the transition of a move as its own key does, with the same question.
func (a *App) fireMove(m board.Move) tea.Cmd {
	var fires keymap.Spec // the action with the fewest transitions besides this one
	for _, spec := range keymap.Actions() {
		if spec.Action != keymap.NewSubtask && slices.Contains(spec.Transitions(), string(m.Name)) && slices.Contains(spec.Scopes, keymap.Task) &&
			(fires.Action == "" || len(spec.Transitions()) < len(fires.Transitions())) {
			fires = spec
		}
	}
	switch m.Name {
	case model.DefineObjective, model.DefinePlan, model.UndoVerdict:
		return a.run(fires.Action)
	}
	if a.opens(fires.Action) {
		return a.openAskOf()
	}
	fires.Transition = string(m.Name)
	return a.begin(fires)
}

// pickColumn lists the columns, each with the transition that takes the card there or the reason
// why none does.
func (a *App) pickColumn() tea.Cmd {
	i, ok := a.currentIndex()
	if !ok {
		return nil
	}
	var choices, closed []overlay.Choice
	current := ""
	for to := range board.NumColumns {
		if to == board.ColumnOf(a.snap.Status(i)) {
			continue
		}
		c := overlay.Choice{ID: fmt.Sprint(to), Title: text.Pad(to.Label(), model.LabelWidth), Ink: a.st.Text}
		m, err := board.StepTo(a.snap, i, to, a.deps.Actor)
		if err != nil {
			c.Ink = a.st.Faint
			c.Detail = "no: " + a.refused("", err).why
			closed = append(closed, c)
			continue
		}
		c.Detail = a.title(m.Name)
		if current == "" && m.Name == a.nextName(i) {
			current = c.ID
		}
		choices = append(choices, c)
	}
	return a.pick(overlay.PickerOptions{
		Title: "Move " + a.name(a.selected()) + " to", Placeholder: "type a column", Choices: append(choices, closed...),
		Current: current, Nothing: "No column has that name.",
	}, func(id string) tea.Cmd {
		for to := range board.NumColumns {
			if id == fmt.Sprint(to) {
				return a.moveTo(to)
			}
		}
		return nil
	})
}

// nextName is the transition that takes task i on; "" for none.
func (a *App) nextName(i int) model.Name {
	m, err := board.StepOn(a.snap, i, a.deps.Actor)
	if err != nil {
		return ""
	}
	return m.Name
}

// dropCard moves the card that the mouse holds to the column that it is over.
func (a *App) dropCard(at tea.Mouse) tea.Cmd {
	uid := a.screen.carry
	a.screen.carry = ""
	a.panes.board.Hover(-1)
	l := a.screen.layout
	if uid == "" || a.noBoard() != "" || uid != a.selected() || !l.Left.contains(at.X, at.Y) {
		return nil
	}
	st, ok := a.panes.board.ColumnAt(at.X - l.Left.X - 1)
	if !ok || st == a.panes.board.Column() {
		return nil
	}
	return a.moveTo(st)
}
