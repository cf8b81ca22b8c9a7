package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/dialog"
	"vespe/ui/drafts"
	"vespe/ui/notices"
	"vespe/ui/overlay"
	"vespe/ui/panes"
	"vespe/ui/request"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/taskdocs"
	"vespe/ui/text"
	"vespe/ui/tour"
	"vespe/ui/view"
)

// core is what all parts of the workbench share: what is on the screen, and how things are said, asked and named there.
// Each part embeds it and has its own state beside. A part knows those before it in the list of doc.go, and none after.
type core struct {
	deps Deps
	fx   effects
	root root
	st   *style.Styles

	snap    *snapshot.Snapshot // nil until the first load
	loading loading
	screen  screen.Screen
	panes   panes.Panes
	docs    *taskdocs.Docs // of the selected task; nil until read

	dialogs  *dialog.Stack
	notices  notices.Notices
	requests *request.Requests
	typed    *drafts.Book
	awaited  awaited
	jobs     jobs
	tour     tour.Tour

	actions map[keymap.Action]view.Action
	chord   []string // the keys of a chord that continues
	lastKey string
	few     int // how many selected tasks targets returns at most; 0 for all
}

// root is what the parts ask of the whole workbench.
type root interface {
	// run does an action, or says why it cannot be done.
	run(action keymap.Action) tea.Cmd
	// footerRows is how many rows the footer wants.
	footerRows() int
}

// awaited is an answer that a person waits for, one at a time.
type awaited struct {
	gen  int
	on   bool
	asks bool        // it is a question about a verdict
	lost view.Notice // the notice if a key comes before the answer
}

// opening is such an answer: it opens a dialog.
type opening interface{ open(a *App) tea.Cmd }

// awaitedMsg is the answer that is awaited, or was before a key.
type awaitedMsg struct {
	gen int
	opening
}

// await reads something to be shown as what. A key that comes before it withdraws it.
func (c *core) await(what string, read func() opening) tea.Cmd {
	return c.awaitOr(view.Notice{Level: view.Remark, Text: what + ": canceled by another key"}, read)
}

func (c *core) awaitOr(lost view.Notice, read func() opening) tea.Cmd {
	gen := c.awaited.gen + 1
	c.awaited = awaited{gen: gen, on: true, lost: lost}
	return func() tea.Msg { return awaitedMsg{gen, read()} }
}

// withdraw gives up what is awaited: the person has gone on, and a dialog that came now
// would take the keys that were meant for something else.
func (c *core) withdraw() tea.Cmd {
	if !c.awaited.on {
		return nil
	}
	c.awaited.on = false
	if lost := c.awaited.lost; lost.Level == view.Failure {
		return c.fail(lost)
	}
	return c.remark(c.awaited.lost.Text)
}

func (a *App) onAwaited(m awaitedMsg) tea.Cmd {
	if m.gen != a.awaited.gen || !a.awaited.on {
		return nil
	}
	a.awaited.on = false
	return m.open(a)
}

// docsRead are the documents of several tasks, for a verdict on a selection.
type docsRead struct {
	docs []*taskdocs.Docs
	err  error
	then func([]*taskdocs.Docs) tea.Cmd
}

// withDocs reads the documents of tasks and continues with them. Those on screen are
// taken as they are: what was seen is what counts. what names it for the person.
func (c *core) withDocs(what string, uids []model.UID, then func([]*taskdocs.Docs) tea.Cmd) tea.Cmd {
	if len(uids) == 1 && c.docs != nil && c.docs.UID == uids[0] && c.docs.Err == nil {
		return then([]*taskdocs.Docs{c.docs})
	}
	var list []taskdocs.Wanted
	for _, uid := range uids {
		list = append(list, c.wanted(uid))
	}
	read := c.await(what, func() opening { return c.fx.docsOfAll(list, then) })
	c.awaited.asks = true
	return read
}

func (m docsRead) open(a *App) tea.Cmd {
	if m.err != nil {
		return a.fail(view.Notice{Text: readFailed, Why: m.err.Error()})
	}
	var cmd tea.Cmd
	for _, s := range m.docs { // what is decided on is what is on screen
		if s.UID == a.nav.followed {
			cmd = tea.Batch(cmd, a.nav.setDocs(s))
			continue
		}
		cmd = tea.Batch(cmd, a.comments.takeDrafts(s))
	}
	return tea.Batch(cmd, m.then(m.docs))
}

// openConfirm asks a question. While nobody knows which approvals are valid, none can be given.
func (c *core) openConfirm(in dialog.Ask) tea.Cmd {
	q := c.proposer().Question(in)
	return c.dialogs.Push(&q)
}

// openPrompt asks for a line.
func (c *core) openPrompt(in dialog.Line) tea.Cmd {
	if check := in.Check; check != nil {
		in.Check = func(typed string) error {
			if err := check(typed); err != nil {
				return view.Refusal("", err).Sentence()
			}
			return nil
		}
	}
	return c.dialogs.Push(dialog.NewPrompt(c.st, in))
}

// pick lets the person take a row; then continues with its id.
func (c *core) pick(o overlay.PickerOptions, then func(id string) tea.Cmd) tea.Cmd {
	return c.dialogs.Push(dialog.NewPicker(c.st, o, then))
}

// pickTask lets the person choose a task.
func (c *core) pickTask(title string, uids []model.UID, then func(model.UID) tea.Cmd) tea.Cmd {
	choices := make([]overlay.Choice, 0, len(uids))
	for _, uid := range uids {
		row := overlay.Choice{ID: string(uid), Title: c.name(uid), Detail: uid.Short()}
		if i, ok := c.snap.Index(uid); ok {
			row.Glyph, row.Ink = c.st.Status(c.snap.Status(i))
			row.Detail = c.snap.StatusWord(i) + "  " + row.Detail
		}
		choices = append(choices, row)
	}
	return c.pick(overlay.PickerOptions{
		Title: title, Placeholder: "type a name", Choices: choices, Nothing: "No task has that name.",
	}, func(id string) tea.Cmd { return then(model.UID(id)) })
}

// chooseFrom lists parts of what a dialog accepts, to leave some out. then opens the dialog for what was
// chosen in the place of the one that was there; it accepts the bytes of that one.
func (c *core) chooseFrom(title string, of *dialog.Question, parts []overlay.Check, left []string, then func(out []string) tea.Cmd) tea.Cmd {
	list := dialog.NewChecklist(c.st, of, overlay.ChecklistOptions{Title: title, Rows: parts, Out: left}, func(out []string) tea.Cmd {
		if slices.Equal(out, left) {
			return nil
		}
		return then(out)
	})
	return c.dialogs.Push(&list)
}

// say shows a line of success for a while.
func (c *core) say(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	id := c.notices.Add(view.Notice{Text: text}, c.deps.Now())
	c.relayout() // it may take several lines
	return view.After(fadeAfter, expireMsg{id})
}

// remark shows a line that is no success for a while.
func (c *core) remark(text string) tea.Cmd { return c.note(view.Notice{Text: text}) }

func (c *core) note(n view.Notice) tea.Cmd {
	n.Level, n.Text = view.Remark, text.Capital(n.Text)
	id := c.notices.Add(n, c.deps.Now())
	c.requests.Note(n.Text)
	c.relayout()
	return view.After(fadeAfter, expireMsg{id})
}

// fail shows an error until it is read. It returns no command, so that it can end an action.
func (c *core) fail(n view.Notice) tea.Cmd {
	n.Level = view.Failure
	c.notices.Add(n, c.deps.Now())
	c.requests.Note(n.Line())
	c.relayout()
	return nil
}

// record puts a failure that an overlay tells of into the log, and returns it in a line.
func (c *core) record(n view.Notice) string {
	n.Level = view.Failure
	c.notices.Record(n, c.deps.Now())
	return n.Line()
}

// readFailures takes the failures up to an id off the screen: the person has gone on.
func (c *core) readFailures(upTo int) {
	if c.notices.Read(upTo, c.deps.Now()) {
		c.relayout()
	}
}

// Unread are the failures that nobody has read yet.
func (a *App) Unread() []string { return a.notices.Unread() }

// Leftovers is what a person has to know after leaving: failures that were not read and
// texts that were not taken.
func (a *App) Leftovers() []string {
	out := a.Unread()
	for _, d := range a.tasks.editor.texts {
		if d.path != "" {
			out = append(out, fmt.Sprintf("your text for the %s of %s was not saved; it is at %s", d.doc, d.uid, d.path))
		}
	}
	return append(out, a.typed.Unkept()...)
}
