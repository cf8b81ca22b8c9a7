package runlog

import (
	"bytes"
	"cmp"
	"time"
)

// View is what the events of a run come to. The zero View has seen none.
type View struct {
	Phase  Phase
	Since  time.Time // when the phase began
	First  time.Time // of the first event
	Last   time.Time // of the last one
	Cost   float64   // US dollars, 0 where nothing is known
	In     int64     // tokens
	Out    int64
	Action string // the last thing that the worker did, or what its run waits for, in one line; untrusted
	Edits  int    // files written, each time counted
	Tools  int    // calls of tools and commands
	Open   int    // of them, that have no result yet
	Errors int
	Asked  string // the request that the worker waits for
	Ended  string // the outcome, once the phase is ended
	Checks []Evidence
	// Begun is when each of Phases began; zero for one that has not.
	Begun map[Phase]time.Time

	open map[string]bool
	rest []byte
}

// Write adds the events of some more bytes of output.jsonl. A line that is not whole yet is kept for the
// next call. It never fails.
func (v *View) Write(p []byte) (int, error) {
	n := len(p)
	if len(v.rest) > 0 {
		p = append(v.rest, p...)
		v.rest = nil
	}
	for {
		line, after, ok := bytes.Cut(p, []byte("\n"))
		if !ok {
			break
		}
		if e, err := Parse(line); err == nil {
			v.Add(e)
		}
		p = after
	}
	if len(p) > 0 && len(p) <= 4*MaxLine { // longer than any line that vespe writes
		v.rest = bytes.Clone(p)
	}
	return n, nil
}

// Add takes one event in.
func (v *View) Add(e Event) {
	if v.First.IsZero() {
		v.First = e.At
	}
	v.Last = e.At
	switch e.Kind {
	case KindPhase:
		v.Phase, v.Since = e.Phase, e.At
		if v.Begun == nil {
			v.Begun = map[Phase]time.Time{}
		}
		v.Begun[e.Phase] = e.At
		switch e.Phase {
		case PhaseEnded:
			v.Ended = e.Text
		case PhaseWork:
			v.Asked = ""
		case PhaseWaiting:
			v.Action = cmp.Or(FirstLine(e.Text), v.Action)
		}
	case KindMessage:
		v.Action = FirstLine(e.Text)
	case KindTool, KindCommand:
		v.call(e)
	case KindEdit:
		v.Edits++
		v.Action = "edit " + e.Path
	case KindCost:
		v.Cost, v.In, v.Out = max(v.Cost, e.Cost), max(v.In, e.In), max(v.Out, e.Out)
	case KindAsk:
		v.Asked = e.ID
		v.Action = "asked: " + FirstLine(e.Text)
	case KindSpawn:
		v.Action = "created a subtask: " + FirstLine(e.Text)
	case KindProgress:
		v.Action = FirstLine(e.Text)
	case KindCheck:
		v.check(e)
	case KindError:
		v.Errors++
		v.Action = FirstLine(e.Text)
	}
}

// call counts a call of a tool once, and knows which have no result yet.
func (v *View) call(e Event) {
	if v.open == nil {
		v.open = map[string]bool{}
	}
	if e.Done && v.open[e.ID] {
		delete(v.open, e.ID)
	} else {
		v.Tools++
		if !e.Done && e.ID != "" {
			v.open[e.ID] = true
		}
	}
	v.Open = len(v.open)
	if !e.Done {
		v.Action = FirstLine(e.Text)
		if e.Tool != "" {
			v.Action = e.Tool + " " + v.Action
		}
	}
}

// check puts what is known of a check in the place of what was known of it.
func (v *View) check(e Event) {
	if e.Check == nil {
		return
	}
	if !e.Done {
		v.Action = "check: " + e.Check.Name
		return
	}
	for i := range v.Checks {
		if v.Checks[i].Name == e.Check.Name {
			v.Checks[i] = *e.Check
			return
		}
	}
	v.Checks = append(v.Checks, *e.Check)
}

// FirstLine is the first line of a text that says anything.
func FirstLine(s string) string {
	for line := range bytes.Lines([]byte(s)) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return string(line)
		}
	}
	return ""
}
