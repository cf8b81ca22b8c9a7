package detail

import (
	"time"

	"vespe/model"
	"vespe/model/schedule"
	"vespe/model/snapshot"
	"vespe/ui/markdown"
	"vespe/ui/style"
)

// Tab is one of the pages about a task.
type Tab int

// The tabs, from left to right.
const (
	Overview Tab = iota
	Objective
	Plan
	History
	Result
	Runs
)

// NumTabs is the number of tabs.
const NumTabs = 6

func tabNames() style.Tabs {
	return style.Tabs{"overview", "objective", "plan", "history", "result", "runs"}
}

func (t Tab) String() string { return tabNames()[max(0, min(t, NumTabs-1))] }

// NeedKind says what has to be read from disk for a tab.
type NeedKind int

// The kinds of Need.
const (
	NeedObjective NeedKind = iota
	NeedPlan
	NeedHistory
	NeedResults
	NeedFile   // one file under result/
	NeedChange // what one recorded revision of a document changed
)

// Need is something that the tab on screen shows and has not been given yet.
type Need struct {
	Kind NeedKind
	UID  model.UID
	Path string // NeedFile: relative to result/

	Revision model.DocRevision // NeedChange
}

// Detail is the right pane: everything about one task, in tabs. It reads nothing itself:
// Needs says what is missing, and the Set methods hand it over. What is handed over for
// another task than the one on screen is dropped.
type Detail struct {
	base
	// whereabouts is where the task lies in the schedule, once that was handed over.
	whereabouts *schedule.Whereabouts

	docs      [2]docPane
	event     func(*model.Event) bool  // to be shown once the history is read; nil for none
	drawn     map[string]markdown.Seen // what of a plan was on the screen, by its hash; nil: all of it
	talk      talk
	parsed    map[string]*markdown.Parsed // texts that were parsed beside the keys, by their hash
	over      page
	overLinks []model.UID    // of the overview's stops; "" for one that leads to a request
	overAsks  map[int]string // the requests that stops lead to
	history   historyPane
	results   resultPane
	runs      runsPane
	find      find
}

// base is what all tabs draw from: the task, the room, and how things look and are called.
type base struct {
	st      *style.Styles
	keys    func(action string) string
	now     time.Time
	focused bool
	slow    bool // what is needed has been under way long enough to say so
	raw     bool

	snap *snapshot.Snapshot
	uid  model.UID
	idx  int // in snap; -1 when the task is not there
	tab  Tab
	w, h int // of the last View
}

// New makes an empty pane.
func New(st *style.Styles) *Detail {
	d := &Detail{base: base{st: st, idx: -1, keys: func(string) string { return "" }, w: 80, h: 20}, over: page{cur: -1}, drawn: map[string]markdown.Seen{}}
	d.find = newFind(d)
	return d
}

// SetStyles changes theme or profile.
func (d *Detail) SetStyles(st *style.Styles) {
	d.st = st
	for i := range d.docs {
		if doc := d.docs[i].doc; doc != nil {
			doc.SetStyles(st)
		}
		d.docs[i].changed = false
	}
	d.renote()
	if f := d.results.open; f != nil && f.doc != nil {
		f.doc.SetStyles(st)
	}
	if doc := d.results.summary.doc; doc != nil {
		doc.SetStyles(st)
	}
	d.touch()
}

// SetFocused says whether the pane has the keys.
func (d *Detail) SetFocused(on bool) {
	if d.focused != on {
		d.focused = on
		for i := range d.docs {
			if doc := d.docs[i].doc; doc != nil {
				doc.SetFocused(on)
			}
		}
		d.touch()
	}
}

// SetKeys gives the labels of keys by action ("task.accept" → "a"); "" for none.
func (d *Detail) SetKeys(label func(action string) string) {
	d.keys = label
	d.touch()
}

// Relabel asks for the labels again: keys may do something else now.
func (d *Detail) Relabel() { d.touch() }

// SetNow is the time that ages are counted from. They change by the minute at most, so it
// may be set before every frame.
func (d *Detail) SetNow(now time.Time) {
	if now.Truncate(time.Minute).Equal(d.now.Truncate(time.Minute)) {
		return
	}
	d.now = now
	d.renote()
	d.touch()
}

// SetSlow says that what is needed has been under way for a moment: the pane then says that
// it is loading. Before, it shows nothing, so that nothing flickers.
func (d *Detail) SetSlow(on bool) {
	if d.slow != on {
		d.slow = on
		d.touch()
	}
}

// SetTask shows a task, or another state of the same one; "" shows none. The tab stays, and
// for the same task so does everything else; its documents are wanted again by Needs only
// when their revision or the task's own revision has changed.
func (d *Detail) SetTask(s *snapshot.Snapshot, uid model.UID) {
	if uid != d.uid {
		d.uid = uid
		d.docs, d.talk = [2]docPane{}, talk{}
		d.over = page{cur: -1}
		d.history = historyPane{}
		d.results = resultPane{}
		d.runs = runsPane{}
		d.find = newFind(d)
		d.slow = false
		d.whereabouts = nil
	} else if d.moved(s) {
		d.docs[0].stale, d.docs[1].stale = true, true
		d.history.stale, d.results.stale = true, true
		d.renote() // what was left out of a plan is marked in it
	}
	d.snap, d.idx = s, -1
	if s != nil {
		if i, ok := s.Index(uid); ok {
			d.idx = i
		}
	}
	d.touch()
}

// moved reports whether a snapshot has another state of the task than the one on screen.
func (b *base) moved(s *snapshot.Snapshot) bool {
	if s == b.snap {
		return false
	}
	if s == nil || b.snap == nil {
		return true
	}
	was, ok1 := b.snap.Task(b.uid)
	now, ok2 := s.Task(b.uid)
	return ok1 != ok2 || s.Seq() != b.snap.Seq() || ok1 && was.Status.Revision != now.Status.Revision
}

// Task is the task on screen.
func (b *base) Task() model.UID { return b.uid }

// task is the task's own record; nil when it is not in the snapshot.
func (b *base) task() *model.Task {
	if b.idx < 0 {
		return nil
	}
	return b.snap.At(b.idx)
}

// Tab is the tab on screen.
func (b *base) Tab() Tab { return b.tab }

// Show goes to a tab.
func (d *Detail) Show(t Tab) {
	t = max(0, min(t, NumTabs-1))
	if t != d.tab {
		d.SearchClear()
		d.unmark()
		d.tab, d.slow = t, false
	}
}

// Next goes to the next tab (1) or the one before (-1), around the ends.
func (d *Detail) Next(n int) { d.Show(Tab(((int(d.tab)+n)%NumTabs + NumTabs) % NumTabs)) }

// Needs is what the tab on screen shows and has not been given, or has been given for an
// earlier state of the task.
func (d *Detail) Needs() []Need {
	t := d.task()
	if t == nil {
		return nil
	}
	need := func(k NeedKind) []Need { return []Need{{Kind: k, UID: d.uid}} }
	switch d.tab {
	case Overview:
		return d.neededChanges()
	case Objective:
		if !d.docs[0].loaded || d.docs[0].stale {
			return need(NeedObjective)
		}
	case Plan:
		if !d.docs[1].loaded || d.docs[1].stale {
			return need(NeedPlan)
		}
	case History:
		if !d.history.loaded || d.history.stale {
			return need(NeedHistory)
		}
		return d.neededChanges()
	case Result:
		var out []Need
		if !d.results.loaded || d.results.stale {
			out = need(NeedResults)
		}
		if f := d.results.open; f != nil && !f.loaded {
			out = append(out, Need{Kind: NeedFile, UID: d.uid, Path: f.path})
		}
		return out
	}
	return nil
}

// SetContent hands over a document. c is nil when there is none (model.ErrNoContent).
func (d *Detail) SetContent(uid model.UID, doc model.Doc, c *model.Content, err error) {
	if uid != d.uid {
		return
	}
	p := &d.docs[0]
	if doc == model.Plan {
		p = &d.docs[1]
	}
	p.set(c, err)
}

// SetParsed hands over texts that were parsed where they were read, by their hash; those of before go.
func (d *Detail) SetParsed(parsed map[string]*markdown.Parsed) { d.parsed = parsed }

// SetHistory hands over the events of the task, in any order, and what of them could not be
// read.
func (d *Detail) SetHistory(uid model.UID, events []model.Event, problems []model.Problem, err error) {
	if uid != d.uid {
		return
	}
	d.history.page.keep(!d.focused && len(d.history.open) == 0)
	d.history.set(events, problems, err)
	d.history.forgetFailed(nil)
	d.results.page.keep(true)
	d.touch()
	d.toEvent()
}

// SetResults hands over the list of result files.
func (d *Detail) SetResults(uid model.UID, files []model.ResultFile, err error) {
	if uid != d.uid {
		return
	}
	d.results.page.keep(true)
	d.results.set(files, err)
	d.touch()
}

// SetFile hands over the beginning of the result file that is open; parsed is that, or nil; size says how long
// the whole file is.
func (d *Detail) SetFile(uid model.UID, path string, body []byte, parsed *markdown.Parsed, size int64, err error) {
	f := d.results.open
	if uid != d.uid || f == nil || f.path != path {
		return
	}
	f.set(d, body, parsed, size, err)
	d.touch()
}

// touch makes the pages be laid out anew.
func (d *Detail) touch() {
	d.over.valid, d.history.page.valid, d.results.page.valid, d.runs.page.valid = false, false, false, false
}
