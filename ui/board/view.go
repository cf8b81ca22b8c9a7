package board

import (
	"cmp"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/board"
	"vespe/model/snapshot"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Host is what the view gets of the workbench besides.
type Host interface {
	view.Host
	// Move begins the transition of a move as its own key does, with the same question.
	Move(m board.Move) tea.Cmd
}

// View is the view of the board.
type View struct {
	*view.Base
	host  Host
	list  *Board
	actor model.Actor
	carry model.UID // the card that the mouse holds; "" for none
}

// NewView makes one with these rows, on which an actor moves cards.
func NewView(h Host, list *Board, actor model.Actor) *View {
	return &View{Base: view.NewBase(h, list), host: h, list: list, actor: actor}
}

// Actions move the cursor and the card under it.
func (v *View) Actions() map[keymap.Action]view.Action {
	side := func(d int) view.Action {
		return view.Action{Off: v.NoTasks, Do: func() tea.Cmd {
			v.list.Side(d)
			return v.Moved()
		}}
	}
	card := func(step func(*snapshot.Snapshot, int, model.Actor) (board.Move, error)) view.Action {
		return view.Action{
			Do: func() tea.Cmd {
				i, ok := v.index()
				if !ok {
					return nil
				}
				m, err := step(v.Snapshot(), i, v.actor)
				if err != nil {
					return v.cannot(err, "")
				}
				return v.host.Move(m)
			},
			Off: func() string {
				if why := v.noCard(); why != "" {
					return why
				}
				i, _ := v.index()
				if _, err := step(v.Snapshot(), i, v.actor); err != nil {
					return v.Refused("", err).Why
				}
				return ""
			},
			Refuse: func() (tea.Cmd, bool) {
				i, ok := v.index()
				if !ok {
					return nil, false
				}
				_, err := step(v.Snapshot(), i, v.actor)
				if err == nil {
					return nil, false
				}
				return v.cannot(err, ""), true
			},
		}
	}
	return map[keymap.Action]view.Action{
		keymap.ColumnLeft:  side(-1),
		keymap.ColumnRight: side(1),
		keymap.CardOn:      card(board.StepOn),
		keymap.CardBack:    card(board.StepBack),
		keymap.CardTo:      {Do: v.pickColumn, Off: v.noCard},
	}
}

// noCard says why there is no card to move.
func (v *View) noCard() string {
	if _, ok := v.index(); !ok {
		return cmp.Or(v.NoTasks(), view.NoTask)
	}
	return ""
}

// index is the task under the cursor.
func (v *View) index() (int, bool) {
	uid, _ := v.list.Selected()
	return v.Snapshot().Index(uid)
}

// Mouse takes the card under it along, to another column.
func (v *View) Mouse(m view.Mouse) (row bool, cmd tea.Cmd) {
	switch m.Did {
	case view.Click:
		v.carry = ""
		if row = v.list.Click(m.X, m.Y); row {
			v.carry, _ = v.list.Selected()
		}
	case view.Wheel:
		v.list.WheelAt(m.X, m.By)
	case view.Drag:
		if v.carry != "" {
			v.list.Hover(m.X)
		}
	case view.Drop:
		return false, v.drop(m.X)
	}
	return row, nil
}

// drop moves the card that the mouse holds to the column that it is over.
func (v *View) drop(x int) tea.Cmd {
	uid := v.carry
	v.carry = ""
	v.list.Hover(-1)
	here, _ := v.list.Selected()
	to, ok := v.list.ColumnAt(x)
	if uid == "" || uid != here || !ok || to == v.list.Column() {
		return nil
	}
	return v.moveTo(to)
}

// Hear lets go of a card that was held when another view came.
func (v *View) Hear(msg any) (tea.Cmd, view.Heard) {
	if _, ok := msg.(view.Shown); ok {
		v.carry = ""
	}
	return nil, view.Ignored
}

// Says tells how many tasks somebody is at, and what the filter leaves out.
func (v *View) Says() (title, header string) {
	total := v.Snapshot().Total()
	if n := total.UnderWay(); n > 0 {
		title = text.Count(n) + " under way"
	}
	if shown, all := v.list.Counted(); shown < all {
		if title != "" {
			title += " " + v.list.Styles.Glyph.Dot + " "
		}
		title += fmt.Sprintf("%s of %s", text.Count(shown), text.Count(all))
	}
	return title, ""
}

// moveTo fires the transition that takes the card under the cursor to a column, or says why there is none.
func (v *View) moveTo(to board.Column) tea.Cmd {
	i, ok := v.index()
	if !ok {
		return nil
	}
	m, err := board.StepTo(v.Snapshot(), i, to, v.actor)
	if err != nil {
		return v.cannot(err, to.Label())
	}
	return v.host.Move(m)
}

// cannot tells why a card stays where it is.
func (v *View) cannot(err error, column string) tea.Cmd {
	title := "Move"
	if column != "" {
		title = fmt.Sprintf("Move to %q", column)
	}
	var r *model.Refusal
	if errors.As(err, &r) && r.Op != "" {
		title = r.Op.Title()
	}
	return v.Say(v.Refused(title, err))
}

// pickColumn lists the columns, each with the transition that takes the card there or the reason
// why none does.
func (v *View) pickColumn() tea.Cmd {
	i, _ := v.index()
	snap := v.Snapshot()
	on, _ := board.StepOn(snap, i, v.actor)
	var choices, closed []overlay.Choice
	current := ""
	for to := range board.NumColumns {
		if to == board.ColumnOf(snap.Status(i)) {
			continue
		}
		c := overlay.Choice{ID: fmt.Sprint(to), Title: text.Pad(to.Label(), model.LabelWidth), Ink: v.list.Styles.Text}
		m, err := board.StepTo(snap, i, to, v.actor)
		if err != nil {
			c.Ink = v.list.Styles.Faint
			c.Detail = "no: " + v.Refused("", err).Why
			closed = append(closed, c)
			continue
		}
		c.Detail = m.Name.Title()
		if current == "" && m.Name == on.Name {
			current = c.ID
		}
		choices = append(choices, c)
	}
	return v.Pick(overlay.PickerOptions{
		Title: "Move " + v.Name(snap.UID(i)) + " to", Placeholder: "type a column", Choices: append(choices, closed...),
		Current: current, Nothing: "No column has that name.",
	}, func(id string) tea.Cmd {
		for to := range board.NumColumns {
			if id == fmt.Sprint(to) {
				return v.moveTo(to)
			}
		}
		return nil
	})
}
