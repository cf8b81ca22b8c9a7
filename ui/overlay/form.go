package overlay

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// FormField is one line of a Form.
type FormField struct {
	Label string
	Value string
	Note  string // what it may hold: "number"
	// Check returns what is wrong with a text; nil takes everything.
	Check func(string) error
}

// FormOptions say what a Form asks.
type FormOptions struct {
	Title  string
	Note   string // wrapped above the fields
	Fields []FormField
}

// Form asks for several lines, each with a name. Enter goes on to the next and sends nothing.
type Form struct {
	themed
	o      FormOptions
	fields []field
	errs   []string
	cur    int
	win    rows.Window
	at     []int // rows of the fields in the last View, counted from the top of the body
}

// NewForm makes a form.
func NewForm(st *style.Styles, o FormOptions) *Form {
	f := &Form{themed: themed{st}, o: o, errs: make([]string, len(o.Fields))}
	for _, d := range o.Fields {
		f.fields = append(f.fields, newField(d.Value, ""))
	}
	return f
}

// Values are what the fields hold, in their order.
func (f *Form) Values() []string {
	out := make([]string, len(f.fields))
	for i := range f.fields {
		out[i] = f.fields[i].value()
	}
	return out
}

// Next goes d fields on.
func (f *Form) Next(d int) Outcome {
	if n := len(f.fields); n > 0 {
		f.cur = (f.cur + d + n) % n
	}
	return Stayed{}
}

// Submit checks the fields and sends them; Values has what they hold.
func (f *Form) Submit() Outcome {
	bad := -1
	for i := range f.fields {
		if f.check(i); f.errs[i] != "" && bad < 0 {
			bad = i
		}
	}
	if bad >= 0 {
		f.cur = bad
		return Stayed{}
	}
	return Sent{}
}

func (f *Form) check(i int) {
	f.errs[i] = ""
	if c := f.o.Fields[i].Check; c != nil {
		if err := c(f.fields[i].value()); err != nil {
			f.errs[i] = err.Error()
		}
	}
}

// HandleKey implements Overlay.
func (f *Form) HandleKey(k tea.KeyPressMsg) Outcome {
	switch k.String() {
	case "esc":
		return Cancelled{}
	case "ctrl+s":
		return f.Submit()
	case "tab", "down", "enter":
		return f.Next(1)
	case "shift+tab", "up":
		return f.Next(-1)
	}
	if len(f.fields) == 0 {
		return Ignored{}
	}
	changed, used := f.fields[f.cur].key(k)
	if changed {
		f.errs[f.cur] = ""
	}
	if used {
		return Stayed{}
	}
	return Ignored{}
}

// HandlePaste implements Overlay.
func (f *Form) HandlePaste(s string) Outcome {
	if len(f.fields) > 0 && f.fields[f.cur].paste(s) {
		f.errs[f.cur] = ""
	}
	return Stayed{}
}

// Click goes to the field that it hits.
func (f *Form) Click(_, y int) Outcome {
	for i, row := range f.at {
		if y-1 == row {
			f.cur = i
		}
	}
	return Stayed{}
}

// Wheel implements Overlay.
func (f *Form) Wheel(int) Outcome { return Stayed{} }

// Size implements Overlay.
func (f *Form) Size(w, h int) (int, int) {
	bw := min(w, 92)
	iw, _ := inner(bw, h)
	rows, _, _ := f.rows(iw)
	return bw, min(h, len(f.note(iw))+len(rows)+marginH)
}

func (f *Form) note(w int) []string {
	if lines := wrapped(f.st.Muted, f.o.Note, w); len(lines) > 0 {
		return append(lines, "")
	}
	return nil
}

// rows draws the fields, and says which row each begins on and which the cursor is on.
func (f *Form) rows(w int) (out []string, at []int, cursor int) {
	label := 0
	for _, d := range f.o.Fields {
		label = max(label, text.Width(text.SafeLine(d.Label)))
	}
	label = min(label, max(4, w/3))
	for i := range f.fields {
		d := &f.o.Fields[i]
		l := oneLine(w)
		ink, sign := f.st.Muted, " "
		if i == f.cur {
			ink, sign, cursor = f.st.Key, f.st.Glyph.Arrow, len(out)
		}
		at = append(at, len(out))
		name := text.Truncate(text.SafeLine(d.Label), label)
		l.Add(f.st.Key, text.Truncate(sign, 1)).Space(1).Add(ink, text.Pad(name, label)).Space(2)
		note := text.SafeLine(d.Note)
		room := l.Left()
		if note != "" && room > text.Width(note)+12 {
			room -= text.Width(note) + 2
		} else {
			note = ""
		}
		if i == f.cur {
			f.fields[i].draw(l, f.st, room)
		} else {
			l.AddMax(f.st.Text, text.SafeLine(f.fields[i].value()), room)
		}
		if note != "" {
			l.To(w-text.Width(note)).Add(f.st.Faint, note)
		}
		out = append(out, l.String())
		for _, e := range wrapped(f.st.Bad, f.errs[i], max(1, w-4)) {
			out = append(out, "    "+e)
		}
	}
	return out, at, cursor
}

// View implements Overlay.
func (f *Form) View(w, h int) []string {
	iw, ih := inner(w, h)
	head := f.note(iw)
	all, at, cursor := f.rows(iw)
	if len(head)+min(len(all), 3) > ih {
		head = nil
	}
	room := max(0, ih-len(head))
	f.win.Height = room
	f.win.Follow(cursor, len(all))
	body, top := window(all, f.win.Top, room)
	f.at = f.at[:0]
	for _, row := range at {
		f.at = append(f.at, len(head)+row-top)
	}
	return box{
		title: f.o.Title, extra: strconv.Itoa(f.cur+1) + " of " + strconv.Itoa(len(f.fields)),
		scroll: style.Scroll{Top: top, Visible: room, Total: len(all)},
	}.draw(f.st, append(head, body...), w, h)
}
