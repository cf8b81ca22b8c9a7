package runpane

import (
	"strings"

	"vespe/model/runlog"
	"vespe/ui/rows"
)

// entry is a row of the log: an event, or a call with its result.
type entry struct {
	ev   runlog.Event
	res  runlog.Event // what came of a call
	has  bool
	open bool
}

// runLog are the events of a run, as they are read.
type runLog struct {
	list    []entry
	calls   map[string]int // open calls, by kind and id: indices in list
	tools   map[string]int // calls of tools by id, closed or not
	skipped int64          // bytes at the beginning that were not read
}

// callKey tells the calls of a run apart.
func callKey(e *runlog.Event) string {
	if e.Kind == runlog.KindCheck && e.ID == "" && e.Check != nil {
		return string(e.Kind) + "\x00" + e.Check.Name
	}
	return string(e.Kind) + "\x00" + e.ID
}

// paired reports whether an event may be a call, or its result.
func paired(e *runlog.Event) bool {
	switch e.Kind {
	case runlog.KindTool, runlog.KindCommand, runlog.KindEdit, runlog.KindCheck:
		return e.ID != "" || e.Kind == runlog.KindCheck
	}
	return false
}

// add takes an event in. It returns the entry that it is part of, -1 for none; fresh says that this
// is a new one.
func (l *runLog) add(e runlog.Event) (at int, fresh bool) {
	switch e.Kind {
	case runlog.KindCost: // the head says it
		return -1, false
	case "":
		return -1, false
	}
	if i, ok := l.tools[e.ID]; ok && e.Kind == runlog.KindEdit && strings.Contains(l.list[i].ev.Text, e.Path) {
		return i, false // the call that wrote the file says so
	}
	if paired(&e) {
		key := callKey(&e)
		if i, ok := l.calls[key]; ok && e.Done {
			l.list[i].res, l.list[i].has = e, true
			delete(l.calls, key)
			return i, false
		}
		if !e.Done {
			if l.calls == nil {
				l.calls = map[string]int{}
			}
			l.calls[key] = len(l.list)
			if e.Kind == runlog.KindTool {
				if l.tools == nil {
					l.tools = map[string]int{}
				}
				l.tools[e.ID] = len(l.list)
			}
		}
	}
	l.list = append(l.list, entry{ev: e})
	return len(l.list) - 1, true
}

// folded is what is searched of an entry.
func (l *runLog) folded(i int) string {
	x := &l.list[i]
	s := string(x.ev.Kind) + " " + x.ev.Tool + " " + x.ev.Path + " " + x.ev.Text + " " + x.res.Text
	for _, c := range []*runlog.Evidence{x.ev.Check, x.res.Check} {
		if c != nil {
			s += " " + c.Name + " " + c.Output
		}
	}
	return rows.Fold(s)
}
