// Package tour explains the workbench to somebody who uses it for the first time: a line above the keys asks for one
// thing after another, and goes on once it has been done.
package tour

import (
	"fmt"
	"slices"
	"strings"

	"vespe/keymap"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Deed is what a step asks for.
type Deed int

// The deeds, in the order of the steps. The zero Deed is none.
const (
	Move     Deed = iota + 1 // to another item of the inbox
	Read                     // a plan or finished work
	Return                   // to the list
	Comment                  // on a plan or on finished work
	Decide                   // by a verdict or an answer
	TakeBack                 // such a decision
	Tasks                    // are on the screen
	Layout                   // of the tasks is another
	Find                     // by the palette
	Help                     // is on the screen
)

// Here is where the person is.
type Here struct {
	Waits   bool          // something is in the inbox
	Texts   bool          // a plan or finished work is
	Inbox   bool          // the inbox is on the screen
	Plan    bool          // its cursor is on a plan or on finished work
	Approve bool          // its cursor is on a request that can be approved
	Aside   bool          // the other pane has the keys
	Dialog  bool          // something lies over the panes
	Tasks   keymap.Action // shows the layout of the tasks that is on the screen; "" for none
}

func (h Here) reading() bool { return h.Inbox && h.Plan && h.Aside }

type keys = []keymap.Action

// says is what a step asks for. %s stands for the key of each of keys.
type says struct {
	words string
	keys  keys
}

// step asks for a deed. One that does not apply is left out.
type step struct {
	deed    Deed
	applies func(Here) bool
	says    func(Here) says
}

func waits(h Here) bool { return h.Waits }
func texts(h Here) bool { return h.Texts }
func ever(Here) bool    { return true }

// always asks for the same wherever the person is.
func always(words string, of ...keymap.Action) func(Here) says {
	return func(Here) says { return says{words, of} }
}

// inbox asks for something in the inbox.
func inbox(there func(Here) says) func(Here) says {
	return func(h Here) says {
		if h.Inbox {
			return there(h)
		}
		return says{"%s leads back to the inbox, where the tour continues.", keys{keymap.ViewInbox}}
	}
}

// all are the first two minutes with vespe.
func all() []step {
	read := inbox(func(h Here) says {
		if h.Plan {
			return says{"%s goes to the text, where you read and scroll.", keys{keymap.Open}}
		}
		return says{"%s and %s go to a plan, further down. Plans are read in the other pane.", keys{keymap.MoveDown, keymap.MoveUp}}
	})
	return []step{
		{Move, waits, inbox(always("This is the inbox. Requests come first, because agents stand still until you answer. Then come plans and finished work. In each group, what most tasks wait for (→) is on top. %s goes to the next item. %s leaves the tour.", keymap.MoveDown, keymap.Back))},
		{Read, texts, read},
		{Return, texts, func(h Here) says {
			if !h.reading() {
				return read(h)
			}
			return says{"%s comments on the lines under the cursor. %s goes back to the list.", keys{keymap.Comment, keymap.Back}}
		}},
		{Decide, waits, inbox(func(h Here) says {
			switch {
			case h.Plan:
				return says{"Now decide: %s accepts this and %s rejects it. The next item follows.", keys{keymap.Accept, keymap.Reject}}
			case h.Approve:
				return says{"Now decide: %s approves this request and %s denies it. The next item follows.", keys{keymap.RequestAccept, keymap.RequestDeny}}
			}
			return says{"Now decide: %s opens what is asked here. On a plan, %s accepts and %s rejects. The next item follows.", keys{keymap.Open, keymap.Accept, keymap.Reject}}
		})},
		{TakeBack, waits, always("%s undoes the last decision.", keymap.Undo)},
		{Tasks, ever, always("The numbers show the views: inbox, tasks, graph, runs and history. %s shows the tasks.", keymap.ViewTasks)},
		{Layout, ever, func(h Here) says {
			if h.Tasks == "" {
				return says{"%s leads back to the tasks, where the tour continues.", keys{keymap.ViewTasks}}
			}
			return says{"%s shows the tasks in another layout: as a tree, on a board, or by milestone.", keys{keymap.ViewLayout}}
		}},
		{Find, ever, always("%s finds everything else: type what you mean, or the name of a task.", keymap.Palette)},
		{Help, ever, always("%s lists what you can do here. In a demo nothing is real, so try anything.", keymap.Help)},
	}
}

// Tour is where somebody is in it. The zero value is no tour.
type Tour struct {
	steps []step // those that are left
	of    int
	done  []Deed
	was   Here
}

// On reports whether there is a tour.
func (t *Tour) On() bool { return len(t.steps) > 0 }

// Ended reports whether all of its steps were done.
func (t *Tour) Ended() bool { return t.of > 0 && !t.On() }

// Toggle begins the tour, or ends it.
func (t *Tour) Toggle(h Here) {
	if t.On() {
		*t = Tour{}
		return
	}
	*t = Tour{steps: all(), was: h}
	t.of = len(t.steps)
}

// At goes on if what is asked for is done by being here.
func (t *Tour) At(h Here) {
	switch was := t.was; {
	case h.reading() && !was.reading():
		t.Did(Read, h)
	case was.reading() && h.Inbox && !h.Aside:
		t.Did(Return, h)
	case h.Tasks != was.Tasks && h.Tasks != "" && was.Tasks != "":
		t.Did(Layout, h)
	default:
		t.Did(0, h)
	}
	t.was = h
}

// Did goes on if the deed is the one that is asked for. A decision, and taking one back, also count before they are; all
// else has to be read about first.
func (t *Tour) Did(d Deed, h Here) {
	if !t.On() {
		return
	}
	if t.steps[0].deed == d || d == Decide || d == TakeBack {
		t.done = append(t.done, d)
	}
	if t.steps[0].deed == Return && d == Comment { // who has commented can decide where they are
		t.done = append(t.done, Return)
	}
	for t.On() {
		s := t.steps[0]
		if s.applies(h) && !slices.Contains(t.done, s.deed) && (s.deed != Tasks || h.Tasks == "") {
			return
		}
		t.steps = t.steps[1:]
	}
}

// Lines are the step that is to be done now, w cells wide; none without a tour.
func (t *Tour) Lines(st *style.Styles, h Here, label func(keymap.Action) string, w int) []string {
	if !t.On() {
		return nil
	}
	lead := fmt.Sprintf(" Tour %d of %d ", 1+t.of-len(t.steps), t.of)
	indent := text.Width(lead) + 2
	says := t.steps[0].says(h)
	if h.Dialog {
		says.words, says.keys = "%s closes this, and the tour continues.", keys{keymap.Back}
	}
	lines, line, width := []string(nil), " "+st.Chip.Render(lead), indent-1
	for word := range strings.FieldsSeq(says.words) {
		drawn := st.Text.Render(word)
		if word == "%s" {
			word, says.keys = label(says.keys[0]), says.keys[1:]
			drawn = st.Key.Render(word)
		}
		if width+1+text.Width(word) > w-1 && width > indent {
			lines = append(lines, text.Pad(line, w))
			line, width = text.Spaces(indent-1), indent-1
		}
		line, width = line+" "+drawn, width+1+text.Width(word)
	}
	return append(lines, text.Pad(line, w))
}
