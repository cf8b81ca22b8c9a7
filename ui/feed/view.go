package feed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/ui/milestones"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Journal tells what happened in the whole store. Its method is called from commands, and must be
// safe for concurrent use.
type Journal interface {
	// Journal is what happened up to now. With one that is known already it costs what happened since;
	// else everything is read, and progress, in tasks, is called from any goroutine.
	Journal(ctx context.Context, was *history.Journal, progress func(done, total int)) (*history.Journal, error)
}

// View is the history: the feed, and what it is made of. Nothing is read before somebody looks at it.
type View struct {
	*view.Base
	list   *Feed
	ctx    context.Context
	source Journal // nil: there is none
	wanted bool
	active bool // it is being read
	gauge  *view.Gauge
	j      *history.Journal
}

// NewView makes one that reads from a source.
func NewView(ctx context.Context, h view.Host, list *Feed, source Journal) *View {
	list.clears = func() string { return h.Hint(keymap.Back, "shows all "+text.Plural(list.j.Len(), "event")) }
	return &View{Base: view.NewBase(h, list), list: list, ctx: ctx, source: source}
}

// The news that dialogs may follow.
type (
	Read    struct{} // what happened was read
	Reading struct{} // it is being read
)

// readMsg is what happened in the whole store.
type readMsg struct {
	j   *history.Journal
	err error
}

// tickMsg asks for a look at how far the reading of it has come.
type tickMsg struct{}

// Hear reads what happened when it is shown, and keeps it up to date from then on.
func (v *View) Hear(msg any) (tea.Cmd, view.Heard) {
	switch m := msg.(type) {
	case view.Shown:
		return v.Read(), view.Changed
	case view.Adopted:
		return v.follow(), view.Changed
	case view.Back:
		if actor, kind := v.list.Narrowed(); !m.Right && !m.Filtered && (actor != "" || kind != nil) {
			v.list.Narrow("", nil)
			return v.Moved(), view.Changed
		}
	case readMsg:
		return v.onRead(m), view.Changed
	case tickMsg:
		return v.onTick(), view.Changed
	}
	return nil, view.Ignored
}

// Read brings what happened up to date, and from here on it is kept so.
func (v *View) Read() tea.Cmd {
	v.wanted = true
	if v.source == nil || v.active || v.Snapshot() == nil {
		return nil
	}
	v.active, v.gauge = true, &view.Gauge{}
	was, g := v.j, v.gauge
	read := func() tea.Msg {
		j, err := v.source.Journal(v.ctx, was, g.Set)
		return readMsg{j, err}
	}
	return tea.Batch(read, view.After(view.FlickerFree, tickMsg{}))
}

// follow reads what happened since, once somebody has looked at it.
func (v *View) follow() tea.Cmd {
	if !v.wanted || v.j != nil && v.Snapshot() != nil && v.j.Head() == v.Snapshot().Seq() {
		return nil
	}
	return v.Read()
}

// Journal is what is known of what happened, and whether that is all; nil for nothing yet.
func (v *View) Journal() (j *history.Journal, all bool) {
	return v.j, v.j != nil && (v.source == nil || v.j.Head() == v.Snapshot().Seq())
}

// failed is the text by which failures of reading it are known.
const failed = "Can't read the history"

func (v *View) onRead(m readMsg) tea.Cmd {
	v.active = false
	if m.err != nil {
		v.list.SetReading(v.Progress())
		return v.Say(view.Notice{Level: view.Failure, Lasts: true, Text: failed, Why: m.err.Error(), Hint: v.Hint(keymap.Refresh, "tries again")})
	}
	v.Over(failed)
	same := v.j == m.j
	v.j = m.j
	if same {
		return nil
	}
	v.list.SetJournal(m.j)
	return tea.Batch(v.Moved(), v.follow(), v.Tell(Read{}))
}

func (v *View) onTick() tea.Cmd {
	if !v.active {
		return nil
	}
	v.list.SetReading(v.Progress())
	return tea.Batch(v.Tell(Reading{}), view.After(view.LoadTick, tickMsg{}))
}

// Progress is how far the reading has come.
func (v *View) Progress() string {
	switch g := v.gauge; {
	case v.source == nil:
		return "There is no source for it."
	case !v.active:
		return failed + "."
	case g.Total.Load() > 0:
		return fmt.Sprintf("Reading the history: %s of %s tasks", text.Count(int(g.Done.Load())), text.Count(int(g.Total.Load())))
	}
	return "Reading the history" + v.list.Styles.Glyph.Ellipsis
}

// Actions narrow it.
func (v *View) Actions() map[keymap.Action]view.Action {
	some := func() string {
		if v.j == nil || v.j.Len() == 0 {
			return "no activity yet"
		}
		return ""
	}
	return map[keymap.Action]view.Action{
		keymap.FeedActor: {Off: some, Do: v.pickActor},
		keymap.FeedKind:  {Off: some, Do: v.pickKind},
	}
}

// Says tells how much is listed and what came in above it, and to what it is narrowed.
func (v *View) Says() (title, header string) {
	var say []string
	shown, total, fresh := v.list.Counted()
	if fresh > 0 {
		say = append(say, fmt.Sprintf("%s %s new", v.list.Styles.Glyph.Up, text.Count(fresh)))
	}
	switch {
	case shown < total:
		say = append(say, fmt.Sprintf("%s of %s", text.Count(shown), text.Count(total)))
	case total > 0:
		say = append(say, text.Count(total))
	}
	actor, kind := v.list.Narrowed()
	if actor != "" || kind != nil {
		header = "only:"
	}
	if kind != nil {
		header += " " + kind.String()
	}
	if actor != "" {
		header += " by " + text.Truncate(text.SafeLine(whose(actor)), 20)
	}
	return strings.Join(say, " "+v.list.Styles.Glyph.Dot+" "), header
}

// Beside is the milestone that the event under the cursor is about, when it is still there.
func (v *View) Beside() view.Beside {
	id, ok := v.list.Milestone()
	if !ok {
		return nil
	}
	all := v.Snapshot().Milestones()
	k := slices.IndexFunc(all, func(m snapshot.Milestoning) bool { return m.ID == id })
	if k < 0 {
		return nil
	}
	return milestones.Page{Styles: v.list.Styles, Of: v.Snapshot(), Milestone: &all[k]}
}

// Moment is the event under the cursor; false for none.
func (v *View) Moment() (*history.Moment, bool) {
	_, m, ok := v.list.Moment()
	return m, ok
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

// pickActor narrows it to what one actor did.
func (v *View) pickActor() tea.Cmd {
	current, kind := v.list.Narrowed()
	choices := []overlay.Choice{{ID: "", Title: "everybody", Detail: text.Count(v.j.Len()), Glyph: " "}}
	kinds := map[string]int{}
	for _, x := range v.j.Actors() {
		kinds[x.Actor.Kind()] += x.N
	}
	add := func(c overlay.Choice, a model.Actor) {
		c.Glyph, c.Ink = v.list.Styles.Actor(a)
		choices = append(choices, c)
	}
	for _, k := range []string{model.Human, model.Agent} {
		if kinds[k] > 0 {
			add(overlay.Choice{ID: k, Title: whose(k), Detail: text.Count(kinds[k])}, model.Actor(k+":"))
		}
	}
	for _, x := range v.j.Actors() {
		add(overlay.Choice{ID: string(x.Actor), Title: x.Actor.Name(), Detail: strings.TrimSpace(x.Actor.Kind() + "  " + text.Count(x.N))}, x.Actor)
	}
	return v.pick("Show what was done by", "type a name", current, choices, func(id string) { v.list.Narrow(id, kind) })
}

// pickKind narrows it to one kind of event.
func (v *View) pickKind() tea.Cmd {
	actor, kind := v.list.Narrowed()
	current := ""
	if kind != nil {
		current = kind.String()
	}
	choices := []overlay.Choice{{ID: "", Title: "everything", Detail: text.Count(v.j.Len()), Glyph: " "}}
	for k, n := range v.j.KindCounts() {
		k := history.EventKind(k)
		choices = append(choices, overlay.Choice{ID: k.String(), Title: k.String(), Detail: text.Count(n) + "  " + k.Means(), Glyph: " "})
	}
	return v.pick("Show events of the kind", "type a kind", current, choices, func(id string) {
		if k, ok := history.ParseEventKind(id); ok {
			v.list.Narrow(actor, &k)
			return
		}
		v.list.Narrow(actor, nil)
	})
}

func (v *View) pick(title, placeholder, current string, choices []overlay.Choice, then func(id string)) tea.Cmd {
	o := overlay.PickerOptions{Title: title, Placeholder: placeholder, Choices: choices, Current: current}
	return v.Pick(o, func(id string) tea.Cmd {
		then(id)
		return v.Moved()
	})
}
