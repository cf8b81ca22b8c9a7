package request

import (
	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/style"
)

// toldAtOnce is how many bytes of what others wrote in a request are laid out where they are drawn. More is laid out by a
// command, so that no key waits for it: 64 KiB of the worst take half a second.
const toldAtOnce = 2 << 10

// toldKey is all that the layout of a request's detail and arguments depends on.
type toldKey struct {
	detail, args string
	by           model.Actor
	w            int
	raw          bool
	st           *style.Styles
}

// toldMsg is a layout, done.
type toldMsg struct {
	key   toldKey
	lines []string
}

func isLongTold(q *model.Request) bool { return len(q.Detail)+len(q.Args) > toldAtOnce }

func (s *writer) toldKey() toldKey {
	return toldKey{s.q.Detail, string(s.q.Args), s.q.CreatedBy, s.w, s.v.raw, s.st}
}

// told is the detail and the arguments.
func (s *writer) told() {
	if !isLongTold(s.q) {
		s.args()
		s.detail()
		return
	}
	lines, ok := s.k.told[s.toldKey()]
	if ok && lines != nil {
		s.add(lines...)
		return
	}
	s.head("Request", "computing the layout"+s.st.Glyph.Ellipsis)
}

// width is how many cells a request on the screen has for a line.
func (v *Asked) width() int {
	if v.box == nil {
		return max(1, v.k.host.Screen().Layout.Right.W-4)
	}
	return v.box.Inner(v.k.host.Screen().W)
}

// askedHere are the requests on the screen, as they are drawn.
func (k *Requests) askedHere() (list []*writer) {
	for _, v := range k.onScreen() {
		if v.box != nil || k.host.Screen().Layout.Right.W > 0 {
			list = append(list, v.writer(v.width()))
		}
	}
	return list
}

// Lay asks for the layouts that the screen needs, and forgets those that it does not.
func (k *Requests) Lay() tea.Cmd {
	var cmds []tea.Cmd
	var want map[toldKey][]string
	for _, s := range k.askedHere() {
		if !isLongTold(s.q) {
			continue
		}
		if want == nil {
			want = map[toldKey][]string{}
		}
		key := s.toldKey()
		lines, asked := k.told[key]
		if _, twice := want[key]; !asked && !twice {
			cmds = append(cmds, layTold(key))
		}
		want[key] = lines
	}
	k.told = want
	return tea.Batch(cmds...)
}

// layTold draws them beside the keys: it uses nothing of the workbench.
func layTold(key toldKey) tea.Cmd {
	return func() tea.Msg {
		q := model.Request{Detail: key.detail, CreatedBy: key.by}
		if key.args != "" {
			q.Args = []byte(key.args)
		}
		s := &writer{st: key.st, v: &Asked{raw: key.raw}, q: &q, w: key.w}
		s.args()
		s.detail()
		return toldMsg{key, s.out}
	}
}
