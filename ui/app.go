package ui

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/style"
)

// App is the workbench's root: it holds the state, and everything that happens goes
// through its Update.
type App struct {
	deps Deps
	fx   effects
	st   *style.Styles
	dark bool

	snap    *model.Snapshot // nil until the first load
	early   bool            // snap is only what a load has read so far
	loading loading
	minute  time.Time // that the ages on screen are counted to
	stale   bool      // the head could not be read: what is on screen may be old

	screen screen
	panes  panes
	sheet  *sheet // of the selected task; nil until read
	asked  int    // generation of the last question for a sheet
	// followed is the task that the detail shows: the one that the cursor was on last.
	followed model.UID
	chord    []string
	nav      trail
	find     find

	dialogs    []*dialog
	dialogKeys map[keymap.Action]tea.KeyPressMsg
	dimmed     []string // the frame behind the dialogs, faint; nil when it must be drawn again
	dimmedFrom string
	drawn      *tea.View // the last frame, while nothing has changed since
	drawings   atomic.Int64
	undrawn    atomic.Bool // some of the text on screen has not been drawn ahead yet
	ahead      int         // generation of the drawing ahead of the text on screen
	glancing   bool        // the documents on screen are being looked at
	looked     time.Time   // before which the files of a result are not looked at again
	editing    bool        // the editor is open, or about to be
	few        int         // how many selected tasks targets returns at most; 0 for all
	held       int         // generation of the last moment that a question waits for
	recent     []string

	// swapped is the plan that was on screen before another took its place under the
	// reader's eyes; nil when none did, or when the difference has been looked at.
	swapped  *model.Content
	talkThen *model.ReviewFile    // what had been said about it
	shown    map[model.UID]*sheet // whose bytes the last acceptance was made from
	verdicts []verdict            // of this session, oldest first
	awaited  awaited
	jobID    int
	jobs     map[int]*job
	mine     map[string]bool // hashes of the plans that were written from here
	drafts   map[draftKey]*draft
	typed    typed
	// lastTogether is the changeset that was open last: what was read of it stays read.
	lastTogether   *changeset
	milestoneForms map[string]milestoneForm // what was typed and not taken yet, by id; "" for a new one
	words          map[wordsKey]string      // texts for transitions, not sent or not taken yet
	// differing are requests as an answer was meant for, which ask something else by now.
	differing []model.Request
	arrived   time.Time // when another request came under the cursor by itself
	lastKey   string
	announcer announcer
	journal   journal
	notices   notices
	actions   map[keymap.Action]handler
}

// loading is how a load of the store stands.
type loading struct {
	gen    int
	active bool
	shown  bool  // long enough to be shown
	again  again // the head moved while loading
	back   bool  // the log was set back: an older snapshot is the newer one
	gauge  *gauge
	err    error
}

// screen is the size of the terminal and how it is divided.
type screen struct {
	w, h   int
	ratio  float64 // 0: the default
	stack  float64 // the same for a stacked layout
	zoom   zoom
	turn   bool // the layout that the width does not suggest
	drag   bool
	grab   tea.Mouse // where the divider was taken, while drag
	carry  model.UID // the card that the mouse holds; "" for none
	layout layout
}

// New makes a workbench; the program starts it.
func New(ctx context.Context, d Deps) *App {
	a := &App{
		deps: d, fx: effects{ctx: ctx, store: d.Store, editor: d.Editor, keys: d.Keys, drafts: d.Drafts, journal: d.Journal, actor: d.Actor, now: d.Now}, dark: true,
		jobs: map[int]*job{}, mine: map[string]bool{}, drafts: map[draftKey]*draft{}, words: map[wordsKey]string{}, milestoneForms: map[string]milestoneForm{},
	}
	if d.Dark != nil {
		a.dark = *d.Dark
	}
	a.actions, a.dialogKeys = handlers(), dialogKeys()
	a.st = a.newStyles(d.Theme)
	a.panes = newPanes(a.st)
	a.panes.detail.SetKeys(a.label)
	a.setEmpty()
	a.minute = d.Now().Truncate(time.Minute)
	a.panes.setNow(d.Now())
	a.panes.focus(false)
	for _, wrong := range d.Settings {
		n := notice{level: failure, at: d.Now(), text: "A setting was not understood, and its default counts", why: wrong}
		if a.unruled() != nil {
			n.text, n.hint = "A setting was not understood", "nothing can be accepted while it is one of approvals; of any other its default counts"
		}
		a.notices.add(n)
	}
	if d.ReadOnly != "" {
		a.notices.add(notice{level: failure, at: d.Now(), text: "This store is open for reading only", why: d.ReadOnly})
	}
	return a
}

// Init asks for everything that the first screen needs. The first frame is drawn before
// any of it has been answered.
func (a *App) Init() tea.Cmd {
	cmds := []tea.Cmd{a.reload(), a.fx.poll(nil)}
	if a.deps.Dark == nil && !a.deps.NoColor {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// Update dispatches one message; every case is one call.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	drawn := a.drawn
	a.drawn = nil
	if m, ok := msg.(pollMsg); ok {
		cmd, changed := a.onPoll(m)
		if !changed {
			a.drawn = drawn
		}
		return a, cmd
	}
	if m, ok := msg.(glanceMsg); ok {
		a.glancing = false
		a.looked = a.deps.Now().Add(lookRest * m.results)
		if m.sheet == nil {
			a.drawn = drawn
			return a, nil
		}
		return a, a.onSheet(m.sheetMsg)
	}
	cmd := a.update(msg)
	if _, ok := msg.(idleMsg); ok {
		a.drawn = drawn
	}
	return a, cmd
}

func (a *App) update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		return a.onKey(m)
	case tea.PasteMsg:
		return a.onPaste(m)
	case tea.MouseMsg:
		return a.onMouse(m)
	case tea.WindowSizeMsg:
		return a.onResize(m)
	case tea.BackgroundColorMsg:
		return a.onBackground(m)
	case tea.ResumeMsg, tea.FocusMsg:
		return a.fx.head()
	case loadedMsg:
		return a.onLoaded(m)
	case earlyMsg:
		return a.onEarly(m)
	case loadTickMsg:
		return a.onLoadTick(m)
	case idleMsg:
		return a.onIdle(m)
	case headMsg:
		return a.onHead(m)
	case settleMsg:
		return a.onSettle(m)
	case slowMsg:
		return a.onSlow(m)
	case slowSheetMsg:
		return a.onSlowSheet(m)
	case sheetMsg:
		return a.onSheet(m)
	case journalMsg, journalTickMsg, statsMsg, timelineMsg:
		return a.onLook(m)
	case changesetMsg:
		return a.onChangeset(m)
	case explainedMsg:
		return a.onExplained(m)
	case sinceMsg:
		return a.onSince(m)
	case overlapsMsg:
		return a.onOverlaps(m)
	case sheetsMsg:
		return a.onSheets(m)
	case resultFileMsg:
		return a.onResultFile(m)
	case revisionsMsg:
		return a.onRevisions(m)
	case revisionPairMsg:
		return a.onRevisionPair(m)
	case changesMsg:
		return a.onChanges(m)
	case keepMsg:
		return a.onKeep()
	case keptMsg:
		return a.onKept(m)
	case planChangesMsg:
		return a.onPlanChanges(m)
	case draftsMsg:
		return a.onDrafts(m)
	case comparedMsg:
		return a.onCompared(m)
	case appliedMsg:
		return a.onApplied(m)
	case editReadyMsg:
		return a.onEditReady(m)
	case editedMsg:
		return a.onEdited(m)
	case askFactsMsg:
		return a.onAskFacts(m)
	case lookMsg:
		return nil // it is drawn anew: what was held back can be done now
	case expireMsg:
		a.notices.expire(m.id)
		a.relayout()
	case stillMsg:
		return a.onStill(m)
	case noticeMsg:
		return a.say(m.text)
	}
	return nil
}

// say shows a line of success for a while.
func (a *App) say(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	id := a.notices.add(notice{text: text, at: a.deps.Now()})
	a.relayout() // it may take several lines
	return a.fx.expire(id)
}

// remark shows a line that is no success for a while.
func (a *App) remark(text string) tea.Cmd {
	id := a.notices.add(notice{level: remark, text: text, at: a.deps.Now()})
	if v := a.asking(); v != nil { // it hides the last rows
		v.box.Say(capital(text))
	}
	a.relayout()
	return a.fx.expire(id)
}

// fail shows an error until it is read. It returns no command, so that it can end a
// handler.
func (a *App) fail(n notice) tea.Cmd {
	n.level, n.at = failure, a.deps.Now()
	a.notices.add(n)
	if v := a.asking(); v != nil {
		v.box.Say(n.line())
	}
	a.relayout()
	return nil
}

// record puts a failure that an overlay tells of into the log, and returns it in a line.
func (a *App) record(n notice) string {
	n.level, n.at = failure, a.deps.Now()
	a.notices.record(n)
	return n.line()
}

// readFailures takes the failures up to an id off the screen: the person has gone on.
func (a *App) readFailures(upTo int) {
	if !a.notices.failedSince(upTo) && a.notices.read(upTo, a.deps.Now()) {
		a.relayout()
	}
}

// Unread are the failures that nobody has read yet.
func (a *App) Unread() []string {
	var out []string
	for _, n := range a.notices.live {
		if n.level == failure {
			out = append(out, n.line())
		}
	}
	return out
}

// Leftovers is what a person has to know after leaving: failures that were not read and
// texts that were not taken.
func (a *App) Leftovers() []string {
	out := a.Unread()
	for _, d := range a.drafts {
		if d.path != "" {
			out = append(out, fmt.Sprintf("your text for the %s of %s was not defined; it lies at %s", d.doc, d.uid, d.path))
		}
	}
	out = append(out, a.unkept()...)
	for key, words := range a.words {
		out = append(out, fmt.Sprintf("your text for %q of %s was not sent: %s", a.title(key.name), key.uid, words))
	}
	return out
}

// again is what is to be read when the reading that is under way has ended.
type again int

const (
	notAgain again = iota
	againNew       // what newer transactions name
	againAll
)

// reload reads the whole store, which also finds what was edited without a transaction.
// When a reading is under way it is done after it.
func (a *App) reload() tea.Cmd { return a.read(againAll) }

// refresh reads what newer transactions name; everything when nothing has been read yet.
func (a *App) refresh() tea.Cmd {
	if a.snap == nil {
		return a.reload()
	}
	return a.read(againNew)
}

func (a *App) read(what again) tea.Cmd {
	if a.loading.active {
		a.loading.again = max(a.loading.again, what)
		return nil
	}
	g := &gauge{}
	a.loading = loading{gen: a.loading.gen + 1, active: true, gauge: g}
	cmd := a.fx.refresh(a.loading.gen)
	if what == againAll {
		cmd = a.fx.load(a.loading.gen, g)
		if a.snap == nil {
			cmd = tea.Sequence(a.fx.warm(a.loading.gen), cmd)
		}
	}
	return tea.Batch(cmd, a.fx.loadTick(a.loading.gen, flickerFree))
}

func (a *App) onLoadTick(m loadTickMsg) tea.Cmd {
	if !a.loading.active || m.gen != a.loading.gen {
		return nil
	}
	a.loading.shown = true
	tick := a.fx.loadTick(m.gen, loadTick)
	if a.snap == nil || a.early {
		return tea.Batch(tick, a.fx.partial(m.gen))
	}
	return tick
}

// onEarly shows what there is to look at before the store has been read.
func (a *App) onEarly(m earlyMsg) tea.Cmd {
	if m.snap == nil || m.gen != a.loading.gen || !a.loading.active || a.snap != nil && !a.early || a.snap == m.snap {
		return nil
	}
	a.early = m.snap.Seq() == 0 // only a part of the store
	a.relayout()
	return a.adopt(m.snap)
}

// loadFailed is the text by which failures of loading are known.
const loadFailed = "The store could not be read"

func (a *App) onLoaded(m loadedMsg) tea.Cmd {
	if m.gen != a.loading.gen {
		return nil
	}
	again, back := a.loading.again, a.loading.back
	a.loading = loading{gen: m.gen, err: m.err}
	if m.err != nil {
		return a.fail(notice{lasts: true, text: loadFailed, why: m.err.Error(), hint: a.keyHint(keymap.Refresh, "tries again")})
	}
	a.notices.dismissLike(loadFailed)
	a.early = false
	a.relayout()
	if back && a.snap != nil && m.snap != nil && m.snap.Seq() < a.snap.Seq() {
		a.snap = nil
	}
	cmd := tea.Batch(a.adopt(m.snap), a.announce(false))
	if again != notAgain {
		return tea.Batch(cmd, a.read(again))
	}
	return cmd
}

// onPoll follows the store and lets the ages on screen grow. It reports whether the screen
// is another now: an answer that changes nothing must cost next to nothing.
func (a *App) onPoll(m pollMsg) (cmd tea.Cmd, changed bool) {
	now := a.deps.Now().Truncate(time.Minute)
	changed = !now.Equal(a.minute) || a.stale || m.err != nil || m.stale != ""
	if changed {
		a.redoAsked()
	}
	a.minute = now
	if a.watchCursor(func() bool { return a.panes.setNow(a.deps.Now()) }) {
		a.redoAsked()
		changed = true
	}
	announced := a.announce(false)
	cmds := []tea.Cmd{announced, a.onHead(m.headMsg), a.lookTogether(), a.fx.poll(a.inView())}
	if a.sheet != nil && a.snap != nil && a.sheet.err == nil && !a.glancing {
		a.glancing = true // one look at a time: a slow store must not pile them up
		w := a.wanted(a.sheet.uid)
		w.result = a.panes.detail.Tab() == detail.Result && !a.deps.Now().Before(a.looked)
		cmds = append(cmds, a.fx.glance(a.asked, w, a.sheet))
	}
	return tea.Batch(cmds...), changed
}

// lookRest is how many times as long as a look at the files of a result took nobody looks
// again: large files are read whole for it.
const lookRest = 20

// headFailed is the text by which failures of polling are known.
const headFailed = "Changes cannot be followed"

// onHead reads what is new when the store's head has moved.
func (a *App) onHead(m headMsg) tea.Cmd {
	was := a.stale
	why := m.stale
	if m.err != nil {
		why = m.err.Error()
	}
	if a.stale = why != ""; a.stale {
		failed := a.fail(notice{lasts: true, text: headFailed, why: why, hint: "what is on screen may be old"})
		if m.err != nil {
			return failed
		}
		return tea.Batch(failed, a.catchUp(m))
	}
	if was {
		a.notices.dismissLike(headFailed)
		a.relayout()
	}
	return a.catchUp(m)
}

// catchUp reads what is new.
func (a *App) catchUp(m headMsg) tea.Cmd {
	if a.snap == nil || m.seq == a.snap.Seq() && !m.edited {
		return nil
	}
	back := m.seq < a.snap.Seq()
	cmd := a.refresh()
	a.loading.back = a.loading.back || back
	return cmd
}

// adopt takes a snapshot. Nothing jumps: cursor, folds and selection are found again by
// uid. An older snapshot of the same store than the one on screen is dropped.
func (a *App) adopt(s *model.Snapshot) tea.Cmd {
	if s == nil || a.snap != nil && s.StoreID() == a.snap.StoreID() && s.Seq() < a.snap.Seq() {
		return nil
	}
	a.snap = s
	a.watchCursor(func() bool { a.panes.setSnapshot(s); return true })
	asked := tea.Batch(a.refreshAsked(), a.followTogether(), a.followJournal())
	if cmd := a.onMoved(); cmd != nil {
		return tea.Batch(asked, cmd)
	}
	return tea.Batch(asked, a.readSheet())
}

func (a *App) onResize(m tea.WindowSizeMsg) tea.Cmd {
	a.screen.w, a.screen.h = m.Width, m.Height
	a.screen.drag = false
	a.relayout()
	return a.drawAhead()
}

func (a *App) onBackground(m tea.BackgroundColorMsg) tea.Cmd {
	if a.deps.Dark == nil && m.IsDark() != a.dark {
		a.dark = m.IsDark()
		a.restyle(a.st.Theme)
	}
	return nil
}
