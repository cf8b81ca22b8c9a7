package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/history"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// journal is what is known of what happened in the whole store. Nothing is read before somebody
// looks at it.
type journal struct {
	a      *App
	wanted bool
	active bool // it is being read
	shown  bool // long enough to be shown
	gauge  *gauge
	j      *history.Journal
}

// want reads what happened when the view on screen is made of it.
func (j *journal) want() tea.Cmd {
	if j.a.panes.view != viewActivity {
		return nil
	}
	return j.read()
}

// read brings what happened up to date, and from here on it is kept so.
func (j *journal) read() tea.Cmd {
	j.wanted = true
	if j.a.deps.Journal == nil || j.active || j.a.snap == nil {
		return nil
	}
	j.active, j.shown, j.gauge = true, false, &gauge{}
	return tea.Batch(j.a.fx.readJournal(j.j, j.gauge), after(flickerFree, journalTickMsg{}))
}

// follow reads what happened since, once somebody has looked at it.
func (j *journal) follow() tea.Cmd {
	if !j.wanted || j.j != nil && j.a.snap != nil && j.j.Head() == j.a.snap.Seq() {
		return nil
	}
	return j.read()
}

// journalFailed is the text by which failures of reading it are known.
const journalFailed = "Can't read the history"

func (j *journal) onRead(m journalMsg) tea.Cmd {
	a := j.a
	j.active = false
	if m.err != nil {
		j.say()
		return a.fail(notice{lasts: true, text: journalFailed, why: m.err.Error(), hint: a.keyHint(keymap.Refresh, "tries again")})
	}
	a.notices.dismissLike(journalFailed)
	same := j.j == m.j
	j.j = m.j
	if same {
		return nil
	}
	a.panes.feed.SetJournal(m.j)
	return tea.Batch(a.onMoved(), j.follow(), a.hear(journalNews{}))
}

func (j *journal) onTick(journalTickMsg) tea.Cmd {
	if !j.active {
		return nil
	}
	j.shown = true
	j.say()
	j.a.hear(readingNews{})
	return after(loadTick, journalTickMsg{})
}

// say says in the activity how far the reading has come.
func (j *journal) say() { j.a.panes.feed.SetReading(j.words()) }

func (j *journal) words() string {
	switch g := j.gauge; {
	case j.a.deps.Journal == nil:
		return "There is no source for it."
	case !j.active:
		return journalFailed + "."
	case g.total.Load() > 0:
		return fmt.Sprintf("Reading the history: %s of %s tasks", text.Count(int(g.done.Load())), text.Count(int(g.total.Load())))
	}
	return "Reading the history" + j.a.st.Glyph.Ellipsis
}

// feedHandlers are the actions that only the activity has.
func feedHandlers() map[keymap.Action]handler {
	here := func(do func(*App) tea.Cmd) handler {
		return handler{do: do, off: func(a *App) string {
			switch {
			case a.panes.view != viewActivity:
				return "it works in the activity"
			case a.journal.j == nil || a.journal.j.Len() == 0:
				return "no activity yet"
			}
			return ""
		}}
	}
	return map[keymap.Action]handler{
		keymap.FeedActor: here((*App).pickActor),
		keymap.FeedKind:  here((*App).pickKind),
		keymap.DayNext:   here(func(a *App) tea.Cmd { a.panes.feed.Day(1); return a.onMoved() }),
		keymap.DayPrev:   here(func(a *App) tea.Cmd { a.panes.feed.Day(-1); return a.onMoved() }),
	}
}

// feedChip says to what the activity is narrowed; "" where it is not, or not on screen.
func (a *App) feedChip() string {
	actor, kind := a.panes.feed.Narrowed()
	if a.panes.view != viewActivity || actor == "" && kind == nil {
		return ""
	}
	chip := "only:"
	if kind != nil {
		chip += " " + kind.String()
	}
	if actor != "" {
		chip += " by " + text.Truncate(text.SafeLine(whose(actor)), 20)
	}
	return chip
}

// feedExtra says how much of the activity is listed, and what came in above it.
func (a *App) feedExtra() string {
	var say []string
	shown, total, fresh := a.panes.feed.Counted()
	if fresh > 0 {
		say = append(say, fmt.Sprintf("%s %s new", a.st.Glyph.Up, text.Count(fresh)))
	}
	switch {
	case shown < total:
		say = append(say, fmt.Sprintf("%s of %s", text.Count(shown), text.Count(total)))
	case total > 0:
		say = append(say, text.Count(total))
	}
	return strings.Join(say, " "+a.st.Glyph.Dot+" ")
}

// whose is an actor, or a kind of actors, as the title has it.
func whose(actor string) string {
	switch actor {
	case model.Human:
		return "people"
	case model.Agent:
		return "agents"
	}
	return model.Actor(actor).Name()
}

// widenFeed shows everybody's events of all kinds again; false when it did already.
func (a *App) widenFeed() bool {
	actor, kind := a.panes.feed.Narrowed()
	if actor == "" && kind == nil {
		return false
	}
	a.panes.feed.Narrow("", nil)
	return true
}

// pickActor narrows the activity to what one actor did.
func (a *App) pickActor() tea.Cmd {
	current, kind := a.panes.feed.Narrowed()
	choices := []overlay.Choice{{ID: "", Title: "everybody", Detail: text.Count(a.journal.j.Len()), Glyph: " "}}
	kinds := map[string]int{}
	for _, x := range a.journal.j.Actors() {
		kinds[x.Actor.Kind()] += x.N
	}
	for _, k := range []struct{ kind, title string }{{model.Human, "people"}, {model.Agent, "agents"}} {
		if kinds[k.kind] > 0 {
			c := overlay.Choice{ID: k.kind, Title: k.title, Detail: text.Count(kinds[k.kind])}
			c.Glyph, c.Ink = a.st.Actor(model.Actor(k.kind + ":"))
			choices = append(choices, c)
		}
	}
	for _, x := range a.journal.j.Actors() {
		c := overlay.Choice{ID: string(x.Actor), Title: x.Actor.Name(), Detail: strings.TrimSpace(x.Actor.Kind() + "  " + text.Count(x.N))}
		c.Glyph, c.Ink = a.st.Actor(x.Actor)
		choices = append(choices, c)
	}
	return a.pickNarrow("Show what was done by", "type a name", current, choices, func(id string) {
		a.panes.feed.Narrow(id, kind)
	})
}

// pickKind narrows the activity to one kind of event.
func (a *App) pickKind() tea.Cmd {
	actor, kind := a.panes.feed.Narrowed()
	current := ""
	if kind != nil {
		current = kind.String()
	}
	choices := []overlay.Choice{{ID: "", Title: "everything", Detail: text.Count(a.journal.j.Len()), Glyph: " "}}
	for k, n := range a.journal.j.KindCounts() {
		k := history.EventKind(k)
		choices = append(choices, overlay.Choice{ID: k.String(), Title: k.String(), Detail: text.Count(n) + "  " + k.Means(), Glyph: " "})
	}
	return a.pickNarrow("Show events of the kind", "type a kind", current, choices, func(id string) {
		if k, ok := history.ParseEventKind(id); ok {
			a.panes.feed.Narrow(actor, &k)
			return
		}
		a.panes.feed.Narrow(actor, nil)
	})
}

func (a *App) pickNarrow(title, placeholder, current string, choices []overlay.Choice, then func(id string)) tea.Cmd {
	box := overlay.NewPicker(a.st, overlay.PickerOptions{Title: title, Placeholder: placeholder, Choices: choices, Current: current})
	return a.push(&picker{window{a: a, box: box, scope: keymap.Picker}, func(out overlay.Outcome) tea.Cmd {
		if p, ok := out.(overlay.Picked); ok {
			then(p.ID)
		}
		return a.onMoved()
	}})
}
