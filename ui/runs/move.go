package runs

import (
	"vespe/model"
	"vespe/ui/rows"
)

// Jump puts the cursor on the run of a task that is under way, or on its newest; it reports false when
// none is listed.
func (l *List) Jump(uid model.UID) bool {
	if r, ok := l.Run(); ok && r.Task == uid {
		return true
	}
	return l.jump(func(r *Run) bool { return r.Task == uid })
}

// JumpRun puts the cursor on a run; it reports false when it is not listed.
func (l *List) JumpRun(id string) bool { return l.jump(func(r *Run) bool { return r.ID == id }) }

func (l *List) jump(is func(*Run) bool) bool {
	for i := range l.rows {
		if r := l.rows[i].run; r != nil && is(r) {
			l.MoveTo(i, 1)
			return true
		}
	}
	return false
}

// Click puts the cursor on the run at a cell of the view, from its top left corner; it reports false
// when there is none.
func (l *List) Click(x, y int) bool {
	r, ok := l.RowAt(x, y-l.top)
	if ok {
		l.MoveTo(r, 1)
	}
	return ok
}

// folded is what is searched of a row: whose attempt it is, by whom, and what came of it.
func (l *List) folded(i int) string {
	e := &l.rows[i]
	if e.run == nil {
		return ""
	}
	return rows.Fold(l.name(e) + " " + string(e.run.Worker) + " " + e.run.ID + " " + outcome(e) + " " + l.why(e))
}
