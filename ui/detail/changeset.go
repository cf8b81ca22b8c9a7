package detail

import (
	"bytes"
	"time"

	"vespe/model"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/ui/markdown"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Member is a task of a changeset.
type Member struct {
	UID   model.UID
	Depth int    // below the task that the changeset is of
	In    bool   // its plan waits for a verdict, which that on the changeset is
	Why   string // where it is not in: why
}

// Changeset is the texts of a task and of those below it on one page: under a head each, the
// objective and the plan of every task whose plan waits for a verdict, and a line of every other. It
// reads nothing itself: Update says whose texts it has, and SetTexts hands them over.
//
// Each task is a Detail of its own, of which the page shows the two documents; so comments, drafts,
// ranges and the source are what they are on its tabs.
type Changeset struct {
	st      *style.Styles
	now     time.Time
	snap    *snapshot.Snapshot
	members []*member
	byUID   map[model.UID]*member
	spots   []csPart
	stack   *markdown.Stack
	raw     bool
	focused bool
	w, h    int
	find    csFind
}

type member struct {
	Member
	d      *Detail
	first  int  // its first part
	whole  bool // its texts are on the page
	apart  bool // it is a line below texts
	loaded bool
	gone   error // why its texts could not be read
}

// csPart is what a part of the stack shows.
type csPart struct {
	m   *member
	tab Tab // Objective or Plan; Overview for a line of a task that is not in
}

// NewChangeset makes an empty page.
func NewChangeset(st *style.Styles) *Changeset {
	return &Changeset{find: csFind{at: -1}, st: st, stack: markdown.NewStack(nil), w: 80, h: 20}
}

// shown reports whether a member has its texts on the page: the first has, to say what it is about.
func (c *Changeset) shown(m *member) bool { return m.In || m == c.members[0] }

// Update takes a snapshot and the tasks that the changeset has in it, parents first. What has been
// read of a text stays read.
func (c *Changeset) Update(snap *snapshot.Snapshot, list []Member) {
	old, oldParts := c.byUID, c.stack
	at, _ := c.at()
	var from csPart // what the cursor is in
	if at >= 0 {
		from = c.spots[at]
	}
	c.snap, c.members, c.byUID = snap, nil, map[model.UID]*member{}
	for _, in := range list {
		m := &member{Member: in}
		if was := old[in.UID]; was != nil {
			m.d, m.loaded, m.gone = was.d, was.loaded, was.gone
		}
		if m.d == nil {
			m.d = New(c.st)
			m.d.now, m.d.raw = c.now, c.raw
		}
		m.d.SetTask(snap, in.UID)
		c.members, c.byUID[in.UID] = append(c.members, m), m
	}
	c.spots = nil
	var parts []markdown.StackPart
	for i, m := range c.members {
		m.first, m.whole = len(parts), c.shown(m)
		m.apart = !m.whole && c.members[max(0, i-1)].whole
		tabs := []Tab{Overview}
		if m.whole {
			tabs = []Tab{Objective, Plan}
		}
		for _, tab := range tabs {
			c.spots = append(c.spots, csPart{m, tab})
			parts = append(parts, c.stackPart(m, tab))
		}
	}
	c.stack = markdown.NewStack(parts)
	c.stack.SetFocused(c.focused)
	c.resize()
	to := -1
	for i, s := range c.spots {
		was := old[s.m.UID].part(s.tab)
		if was >= 0 {
			c.stack.Take(i, oldParts, was)
		}
		if was >= 0 && from.m != nil && from.m.UID == s.m.UID && from.tab == s.tab {
			to = i
		}
	}
	if to >= 0 {
		c.stack.Resume(to, oldParts)
	}
	c.renote(nil)
	c.searchAgain()
}

func (c *Changeset) stackPart(m *member, tab Tab) markdown.StackPart {
	p := markdown.StackPart{Head: func(w int, cursor bool) []string { return c.head(m, tab, w, cursor) }}
	if tab == Overview {
		return p
	}
	p.Doc = func() *markdown.Doc {
		m.d.w, m.d.h = c.w, c.h
		return m.doc(tab).ready(m.d)
	}
	return p
}

// doc is the pane of one of the documents of a member.
func (m *member) doc(tab Tab) *docPane {
	if tab == Plan {
		return &m.d.docs[1]
	}
	return &m.d.docs[0]
}

// SetParsed hands over texts of a task that were parsed where they were read, by their hash.
func (c *Changeset) SetParsed(uid model.UID, parsed map[string]*markdown.Parsed) {
	if m := c.member(uid); m != nil {
		m.d.SetParsed(parsed)
	}
}

// SetTexts hands over the texts of a task, and what is said about them. Of a text that is another
// than before nothing has been read.
func (c *Changeset) SetTexts(uid model.UID, objective, plan *model.Content, f *model.ReviewFile, drafts []review.Draft, err error) {
	m := c.member(uid)
	if m == nil {
		return
	}
	m.loaded, m.gone = true, err
	m.d.SetReview(uid, f, drafts, nil)
	for _, tab := range []Tab{Objective, Plan} {
		p, now, doc := m.doc(tab), objective, model.Objective
		if tab == Plan {
			now, doc = plan, model.Plan
		}
		same := p.content != nil && now != nil && p.content.Hash == now.Hash
		m.d.SetContent(uid, doc, now, err)
		if i := m.part(tab); i >= 0 && !same {
			c.stack.Drop(i)
		}
	}
	c.renote(m)
	c.searchAgain()
}

// SetReview hands over what is said about the texts of a task.
func (c *Changeset) SetReview(uid model.UID, f *model.ReviewFile, drafts []review.Draft) {
	if m := c.member(uid); m != nil {
		m.d.SetReview(uid, f, drafts, nil)
		c.renote(m)
	}
}

// renote sets the comments of a member between its lines; of all for nil.
func (c *Changeset) renote(only *member) {
	for i, s := range c.spots {
		if s.tab != Overview && (only == nil || s.m == only) {
			s.m.d.renote()
			if s.m.doc(s.tab).parsed {
				c.stack.Keep(i, func() { s.m.doc(s.tab).ready(s.m.d) })
			}
		}
	}
	c.stack.Redo()
}

func (c *Changeset) member(uid model.UID) *member { return c.byUID[uid] }

// part is the part of the stack that a document of a member is in, or its line; -1 for none.
func (m *member) part(tab Tab) int {
	switch {
	case m == nil, m.whole == (tab == Overview):
		return -1
	case tab == Plan:
		return m.first + 1
	}
	return m.first
}

// Root is the task that the changeset is of; "" for none.
func (c *Changeset) Root() model.UID {
	if len(c.members) == 0 {
		return ""
	}
	return c.members[0].UID
}

// Members are the tasks of the changeset, parents first.
func (c *Changeset) Members() []Member {
	out := make([]Member, len(c.members))
	for i, m := range c.members {
		out[i] = m.Member
	}
	return out
}

// Counts are how many plans wait for a verdict, and how many of them have been on the screen whole,
// with their objectives.
func (c *Changeset) Counts() (in, read int) {
	for _, m := range c.members {
		if m.In {
			in++
			if c.read(m) == 100 {
				read++
			}
		}
	}
	return in, read
}

// Read is how much of the objective and the plan of a task has been on the screen, in percent of their
// lines; 100 only for all of both.
func (c *Changeset) Read(uid model.UID) int {
	return c.read(c.member(uid))
}

func (c *Changeset) read(m *member) int {
	if m.part(Plan) < 0 || !m.loaded {
		return 0
	}
	all, read, whole := 0, 0, true
	for _, tab := range []Tab{Objective, Plan} {
		p := m.doc(tab)
		if p.content == nil {
			continue
		}
		n, lines := c.stack.Read(m.part(tab)), 1+bytes.Count(p.content.Body, []byte("\n"))
		all, read, whole = all+lines, read+n*lines, whole && n == 100
	}
	if whole {
		return 100
	}
	return min(99, read/max(1, all))
}

// SetStyles changes theme or profile.
func (c *Changeset) SetStyles(st *style.Styles) {
	c.st = st
	for _, m := range c.members {
		m.d.SetStyles(st)
	}
	c.stack.SetStyles()
	c.renote(nil)
}

// SetNow is the time that ages are counted from.
func (c *Changeset) SetNow(now time.Time) {
	if now.Truncate(time.Minute).Equal(c.now.Truncate(time.Minute)) {
		return
	}
	c.now = now
	for _, m := range c.members {
		m.d.SetNow(now)
	}
	c.renote(nil)
}

// SetFocused says whether the page has the keys.
func (c *Changeset) SetFocused(on bool) {
	c.focused = on
	c.stack.SetFocused(on)
}

// resize gives the stack its room: a margin at the right, a gutter at the left.
func (c *Changeset) resize() { c.stack.SetSize(max(1, c.w-1), max(1, c.h)) }

// View draws the page: exactly h lines of exactly w cells. read says that nothing lies over it.
func (c *Changeset) View(w, h int, read bool) []string {
	if w <= 0 || h <= 0 {
		return text.Fit(nil, w, h)
	}
	if w != c.w || h != c.h {
		c.w, c.h = w, h
		c.resize()
	}
	var out []string
	for _, l := range c.stack.View(max(1, w-1), h, read) {
		out = append(out, l+" ")
	}
	return text.Fit(out, w, h)
}

// Prerender draws parts of what is below, for idle moments. It reports whether any are left.
func (c *Changeset) Prerender(budget int) (more bool) { return c.stack.Prerender(budget) }
