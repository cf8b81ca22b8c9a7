package runpane

import (
	"fmt"
	"slices"
	"time"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/ui/diff"
	"vespe/ui/rows"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Tab is one of the pages about a run.
type Tab int

// The tabs, from left to right.
const (
	Log Tab = iota
	Evidence
	Patch
	Prompt
	Attempts

	NumTabs // how many there are
)

func tabNames() style.Tabs { return style.Tabs{"log", "evidence", "patch", "prompt", "attempts"} }

func (t Tab) String() string { return tabNames()[max(0, min(t, NumTabs-1))] }

// Facts are what the store knows of the run on screen.
type Facts struct {
	Run           model.Run
	Attempt, Most int // which attempt at its task it is, of how many; 0 for what is not known
	Live, Waits   bool
	Asks          string   // what it waits for an answer to
	Criteria      []string // of the task, as it says now
}

// Need is a file of the run that the tab on screen shows, and that has not been given.
type Need int

// What may be needed.
const (
	NeedReport Need = iota
	NeedPatch
	NeedPrompt
)

// Pane is the right pane of a run. Build it with New; it is for one goroutine.
type Pane struct {
	rows.Search // in the tab on screen

	st      *style.Styles
	keys    func(action string) string
	now     time.Time
	focused bool

	facts    Facts
	tab      Tab
	log      runLog
	view     runlog.View
	begun    bool // something of the log was read, or there is none
	logErr   error
	opened   map[string]bool // checks that are unfolded, by name
	report   *runlog.Report
	verify   document
	proofs   []proof
	prompt   document
	patch    patchPage
	attempts []model.Run
	stacks   [NumTabs]*stack
	h        int // of the last View
}

// New makes an empty pane.
func New(st *style.Styles) *Pane {
	p := &Pane{st: st, keys: func(string) string { return "" }}
	p.clear()
	return p
}

// clear forgets everything about a run.
func (p *Pane) clear() {
	p.log, p.view, p.begun, p.logErr = runLog{}, runlog.View{}, false, nil
	p.opened, p.report, p.verify, p.proofs = map[string]bool{}, nil, document{}, nil
	p.prompt, p.patch, p.attempts = document{}, patchPage{}, nil
	p.stacks = [NumTabs]*stack{
		Log:      newStack(p.drawEntry, p.foldedEntry),
		Evidence: newStack(p.drawProof, p.foldedProof),
		Patch:    newStack(p.drawPatch, p.foldedPatch),
		Prompt:   newStack(p.drawLine, func(i int) string { return rows.Fold(p.prompt.lines[i]) }),
		Attempts: newStack(p.drawAttempt, p.foldedAttempt),
	}
	p.Search = rows.NewSearch(func() rows.Searched {
		s := p.stacks[p.tab]
		return rows.Searched{
			Len: s.n, Cursor: s.cur, Folded: s.folded, Place: s.place,
			Go: func(i int) { s.goFound(i, p.Query()) },
		}
	}, func() {})
	p.stacks[Log].follow = true
	p.stacks[Log].unfold = func(i int) {
		if i -= p.shift(); i >= 0 {
			p.log.list[i].open = true
		}
	}
	p.stacks[Evidence].unfold = func(i int) {
		if c := p.proofs[i].check; c != nil {
			p.opened[c.Name] = true
		}
	}
}

// SetStyles changes the theme.
func (p *Pane) SetStyles(st *style.Styles) {
	p.st = st
	p.patch.laid = diff.Layout{}
	p.redo()
}

// set says how many items a tab has, in which a search looks anew.
func (p *Pane) set(t Tab, n int) {
	p.Forget()
	p.stacks[t].set(n)
}

// redo draws everything anew.
func (p *Pane) redo() {
	for _, s := range p.stacks {
		s.redo()
	}
	p.prove()
}

// SetFocused says whether keys go here.
func (p *Pane) SetFocused(on bool) { p.focused = on }

// SetKeys gives the labels of keys by action; "" for none.
func (p *Pane) SetKeys(label func(action string) string) { p.keys = label }

// SetNow is the time that a run under way is counted to.
func (p *Pane) SetNow(t time.Time) { p.now = t }

// Run is the run on screen; "" for none.
func (p *Pane) Run() string { return p.facts.Run.ID }

// SetRun shows a run, or another state of the same one. What was read of another is forgotten; the tab
// stays.
func (p *Pane) SetRun(f Facts) {
	if f.Run.ID != p.facts.Run.ID || f.Run.Task != p.facts.Run.Task {
		p.clear()
	} else if p.facts.Live != f.Live || p.facts.Run.Outcome != f.Run.Outcome {
		p.verify.stale, p.patch.stale, p.prompt.stale = true, true, true
		p.redo()
	}
	if !slices.Equal(p.facts.Criteria, f.Criteria) {
		defer p.prove()
	}
	p.facts = f
}

// live reports whether the run is under way.
func (p *Pane) live() bool { return p.facts.Live }

// Tab is the tab on screen.
func (p *Pane) Tab() Tab { return p.tab }

// Show goes to a tab.
func (p *Pane) Show(t Tab) {
	if t = max(0, min(t, NumTabs-1)); t != p.tab {
		p.SearchClear()
		p.tab = t
	}
}

// Needs is what the tab on screen shows and has not been given. What was not there is asked for again
// when the run has gone on.
func (p *Pane) Needs() []Need {
	if p.facts.Run.ID == "" {
		return nil
	}
	var out []Need
	want := func(n Need, d *document) {
		if !d.loaded || d.stale {
			out = append(out, n)
		}
	}
	want(NeedReport, &p.verify) // the head tells of it
	switch p.tab {
	case Patch:
		want(NeedPatch, &p.patch.document)
	case Prompt:
		want(NeedPrompt, &p.prompt)
	}
	return out
}

// Add takes events of the log in, in their order. skipped is how many bytes at its beginning were not
// read.
func (p *Pane) Add(run string, events []runlog.Event, skipped int64) {
	if run != p.facts.Run.ID {
		return
	}
	s := p.stacks[Log]
	seen := s.sees(s.cur)
	p.begun, p.logErr, p.log.skipped = true, nil, skipped
	for _, e := range events {
		p.view.Add(e)
		if e.Kind == runlog.KindPhase {
			p.verify.stale, p.patch.stale, p.prompt.stale = true, true, true
		}
		if at, fresh := p.log.add(e); at >= 0 && !fresh {
			s.redraw(at + p.shift())
		}
	}
	p.set(Log, len(p.log.list)+p.shift())
	if seen { // what came of a call above it may be many rows
		s.ensure()
	}
	if len(events) > 0 {
		p.prove()
	}
}

// shift is how many entries stand before those of the log.
func (p *Pane) shift() int {
	if p.log.skipped > 0 {
		return 1
	}
	return 0
}

// SetNoLog says that there is no log, or why it cannot be read.
func (p *Pane) SetNoLog(run string, err error) {
	if run == p.facts.Run.ID {
		p.begun, p.logErr = true, err
	}
}

func (p *Pane) foldedEntry(i int) string {
	if i -= p.shift(); i < 0 {
		return ""
	}
	return p.log.folded(i)
}

// File is a file of a run, as it was read.
type File struct {
	Body []byte
	Size int64 // of all of it
	None bool  // it is not there
	Err  error
}

func (d *document) set(f File) {
	d.loaded, d.stale, d.none, d.err = true, false, f.None, f.Err
	d.size, d.read = f.Size, int64(len(f.Body))
}

// SetFile hands over what was needed.
func (p *Pane) SetFile(run string, n Need, f File) {
	if run != p.facts.Run.ID {
		return
	}
	switch n {
	case NeedReport:
		p.verify.set(f)
		if !f.None && f.Err == nil {
			r, err := runlog.DecodeReport(f.Body)
			if p.verify.err = err; err == nil {
				p.report = &r
			}
		}
		p.prove()
	case NeedPrompt:
		p.prompt.set(f)
		p.prompt.setText(f.Body)
		p.stacks[Prompt].redo()
		p.set(Prompt, len(p.prompt.lines))
	case NeedPatch:
		p.patch.set(f)
		p.patch.cmp, p.patch.laid = nil, diff.Layout{}
		p.set(Patch, 0)
		if len(f.Body) > 0 {
			p.patch.cmp = diff.Patch(string(f.Body))
		}
	}
}

// prove lists the evidence anew.
func (p *Pane) prove() {
	p.proofs = p.evidence()
	p.stacks[Evidence].redo()
	p.set(Evidence, len(p.proofs))
}

// Unfolds reports whether there is anything under the cursor to unfold.
func (p *Pane) Unfolds() bool {
	s := p.stacks[p.tab]
	switch at := s.cur - p.shift(); p.tab {
	case Log:
		return at >= 0 && at < len(p.log.list) && p.log.list[at].ev.Kind != runlog.KindPhase
	case Evidence:
		return s.cur < len(p.proofs) && p.proofs[s.cur].check != nil
	}
	return false
}

// NoPatch reports that the run is known to have left no patch.
func (p *Pane) NoPatch() bool { return p.patch.loaded && p.patch.none }

// Unfold unfolds what is under the cursor, or folds it. It reports whether there was anything to unfold.
func (p *Pane) Unfold() bool {
	s := p.stacks[p.tab]
	switch {
	case !p.Unfolds():
		return false
	case p.tab == Log:
		x := &p.log.list[s.cur-p.shift()]
		follow := s.follow
		x.open = !x.open
		s.redraw(s.cur)
		s.settle()
		s.ensure()
		if follow && x.open { // what was unfolded is to be read
			s.follow, s.seen = false, s.n
		} else {
			s.mind()
		}
		return true
	case p.tab == Evidence:
		name := p.proofs[s.cur].check.Name
		p.opened[name] = !p.opened[name]
		s.redraw(s.cur)
		s.settle()
		s.ensure()
		return true
	}
	return false
}

// UnfoldAll unfolds every entry and every check, or folds them.
func (p *Pane) UnfoldAll(on bool) {
	for i := range p.log.list {
		p.log.list[i].open = on
	}
	for i := range p.proofs {
		if c := p.proofs[i].check; c != nil {
			p.opened[c.Name] = on
		}
	}
	for _, t := range []Tab{Log, Evidence} {
		s := p.stacks[t]
		s.redo()
		s.settle()
		s.ensure()
	}
}

// nothing says what a tab without anything waits for; "" where there is something.
func (p *Pane) nothing() (say []string) {
	missing := func(d *document, waits, never string) []string {
		switch {
		case !d.loaded:
			return []string{"Reading" + p.st.Glyph.Ellipsis}
		case d.err != nil:
			return []string{"Can't read it.", d.err.Error()}
		case p.facts.Live:
			return []string{waits}
		}
		return []string{never}
	}
	switch {
	case p.facts.Run.ID == "":
		return []string{"No run is under the cursor."}
	case p.stacks[p.tab].n > 0:
		return nil
	}
	switch p.tab {
	case Log:
		switch {
		case p.logErr != nil:
			return []string{"Can't read its log.", p.logErr.Error()}
		case !p.begun:
			return []string{"Reading" + p.st.Glyph.Ellipsis}
		case p.facts.Live && p.facts.Waits:
			return []string{"It is waiting for an answer."}
		case p.facts.Live:
			return []string{"No output from its worker yet."}
		}
		return []string{"No log.", "The work was done by hand, or the log was removed."}
	case Evidence:
		return missing(&p.verify, "Not verified yet.", "Nothing was verified.")
	case Patch:
		return missing(&p.patch.document, "No patch until its work is committed.", "No patch.")
	case Prompt:
		return missing(&p.prompt, "Its prompt isn't written yet.", "No prompt.")
	}
	return []string{"No other attempt."}
}

// View draws the pane: exactly h lines of exactly w cells.
func (p *Pane) View(w, h int) []string {
	p.h = h
	if w <= 0 || h <= 0 {
		return text.Fit(nil, w, h)
	}
	var out []string
	if p.facts.Run.ID != "" {
		for _, l := range p.head(max(1, w-2), h) {
			out = append(out, text.Pad(" "+l, w))
		}
	}
	room := h - len(out)
	if p.tab == Patch {
		p.layPatch(max(1, w-1))
	}
	if say := p.nothing(); say != nil {
		body := make([]string, max(0, room))
		rows.Notice(body, w, p.st, say)
		return append(out, body...)
	}
	return append(out, p.stacks[p.tab].view(p.st, w, room, p.focused, p.Query())...)
}

// Foot says how much came in below what is in view; "" for nothing.
func (p *Pane) Foot() string {
	switch n := p.stacks[Log].fresh(); {
	case p.tab == Log && n > 0:
		return fmt.Sprintf("%s %s new below", p.st.Glyph.Down, text.Count(n))
	case p.tab == Log && p.facts.Live && p.stacks[Log].follow && p.stacks[Log].n > 0:
		return "following"
	case p.tab == Patch && p.patch.read < p.patch.size, p.tab == Prompt && p.prompt.read < p.prompt.size:
		return "only the beginning is shown"
	}
	return ""
}

// Scroll is where the window stands, for a scrollbar.
func (p *Pane) Scroll() style.Scroll { return p.stacks[p.tab].scrolled() }
