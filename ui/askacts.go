package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/staged"
	"vespe/ui/args"
	"vespe/ui/dialog"
	"vespe/ui/drafts"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

func requestHandlers() map[keymap.Action]handler {
	on := func(d model.Decision, do func(*asked) tea.Cmd) handler {
		return handler{
			do:  func(a *App) tea.Cmd { return do(a.askHere()) },
			off: func(a *App) string { return a.noAsk(d) },
		}
	}
	open := func(do func(*App) tea.Cmd, off func(*App, *asked) string) handler {
		return handler{do: do, off: func(a *App) string {
			if v := a.askHere(); v != nil {
				return off(a, v)
			}
			return noRequest
		}}
	}
	words := func(d model.Decision) handler {
		return on(d, func(v *asked) tea.Cmd { return v.words(d) })
	}
	return map[keymap.Action]handler{
		keymap.RequestOpen:    {do: (*App).openAskOf, off: (*App).noAskOf},
		keymap.RequestAccept:  {do: (*App).approve, off: (*App).noApprove},
		keymap.RequestDeny:    words(model.DecideDeny),
		keymap.RequestRespond: words(model.DecideRespond),
		keymap.RequestEdit:    on(model.DecideEdit, (*asked).editArgs),
		keymap.RequestChoose:  on(model.DecideChoose, (*asked).chooseByKey),
		keymap.RequestOptions: on(model.DecideChoose, (*asked).chooseOption),
		keymap.RequestDefer: on(model.DecideDefer, func(v *asked) tea.Cmd {
			return v.decide(model.Answering{Decision: model.DecideDefer})
		}),
		keymap.RequestDiff: open((*App).showAskDiff, func(_ *App, v *asked) string {
			if v.was == nil {
				return "the request is the same as before"
			}
			return ""
		}),
		keymap.RequestTask: open((*App).goToAsked, func(a *App, v *asked) string {
			if _, ok := a.snap.Index(v.q.TaskUID); !ok {
				return "its task is not in the store"
			}
			return ""
		}),
	}
}

const noRequest = "no request here"

// tooFresh is why a key that decides does nothing yet.
const tooFresh = "it has just appeared: read it first"

// noDecision says why a decision on a request cannot be taken; "" when it can be.
func (v *asked) noDecision(d model.Decision) string {
	a := v.a
	q := &v.q
	switch {
	case v.gone:
		return "the request is no longer in the store"
	case a.isAnswering(q.ID):
		return "your answer is being saved"
	case a.snap == nil:
		return noRequest
	case q.IsOpen() && !slices.Contains(q.Allowed(), d):
		return notTaken(q, d)
	}
	return a.whyNot(a.allowed(v.answerOp(model.Answering{Decision: d})))
}

// notTaken says why a request does not allow a decision.
func notTaken(q *model.Request, d model.Decision) string {
	allowed := q.Allowed()
	switch {
	case d == model.DecideAccept && slices.Contains(allowed, model.DecideChoose):
		return "one of the options has to be chosen"
	case d == model.DecideChoose && len(q.Options) == 0:
		return "nothing to choose from"
	case d == model.DecideEdit && q.Args == nil:
		return "it has no arguments"
	}
	var words []string
	for _, o := range allowed {
		words = append(words, string(o))
	}
	return "the request takes only " + strings.Join(words, ", ")
}

// noAsk is noDecision on the request that has the keys, for as long as that is too new, too.
func (a *App) noAsk(d model.Decision) string {
	v := a.askHere()
	if v == nil {
		return noRequest
	}
	if why := v.noDecision(d); why != "" {
		return why
	}
	if v.isFresh() {
		return tooFresh
	}
	return ""
}

// isAnswering reports whether an answer to a request is on its way to the store.
func (a *App) isAnswering(id string) bool {
	for _, j := range a.jobs {
		for _, op := range j.ops {
			if op.Name == model.AnswerRequest && op.Request() == id {
				return true
			}
		}
	}
	return false
}

// answerOp is an answer to a request as it is on the screen.
func (v *asked) answerOp(by model.Answering) model.Op {
	by.Request, by.Seen = v.q.ID, v.q.ContentHash()
	op := model.Op{Name: model.AnswerRequest, Actor: v.a.deps.Actor, Args: by}
	if _, ok := v.a.snap.Task(v.q.TaskUID); ok {
		op.UID = v.q.TaskUID
	}
	return op
}

// preview is what operations would do, in a line each, and what a person should know.
func (a *App) preview(ops []model.Op) (summary []string, p proposal, err error) {
	world := staged.New(sight{a.snap, a.sheets()})
	for _, op := range ops {
		if err := a.writable(op); err != nil {
			return nil, p, err
		}
		ch, err := lifecycle.Apply(world, op)
		if err != nil {
			return nil, p, err
		}
		summary = append(summary, capital(ch.Summary))
		p.notes = append(p.notes, ch.Warnings...)
		p.affected = append(p.affected, a.affected(ch, []model.UID{op.UID})...)
		world.Absorb(ch)
	}
	return summary, p, nil
}

// approve lets it be done: the request that is open, those that are selected in the inbox, or the one beside it.
func (a *App) approve() tea.Cmd {
	switch v := a.askHere(); {
	case a.asking() == nil && len(a.panes.asks) > 0:
		return a.approveSeveral()
	case v.inWord():
		return v.tell(restFirst)
	default:
		return v.decide(model.Answering{Decision: model.DecideAccept})
	}
}

// restFirst is what is said to a key that may be a letter of a word.
const restFirst = "Another key came just before: press it again"

// inWord reports that the key for the request beside the inbox came right behind another, as those of a word do that was
// meant for another window.
func (v *asked) inWord() bool { return v.box == nil && !v.a.panes.rested }

func (a *App) noApprove() string {
	if a.asking() == nil && len(a.panes.asks) > 0 {
		return notTogether(a.selectedAsks())
	}
	return a.noAsk(model.DecideAccept)
}

// decide answers a request. What is of high risk, or has not been on the screen whole, is asked
// about once more.
func (v *asked) decide(by model.Answering) tea.Cmd {
	a := v.a
	op := v.answerOp(by)
	op.ID = a.deps.NewID()
	seen := []model.Request{v.q.Clone()}
	fire := func() tea.Cmd { return a.fire(job{ops: []model.Op{op}, asked: seen}) }
	var doubts []string
	sure := false
	switch v.q.Risk {
	case "", model.RiskLow, model.RiskMedium:
	default:
		sure = by.Decision == model.DecideAccept // a choice is asked for by another key than its yes
		doubts = append(doubts, capital(askRisk(&v.q)))
	}
	if n := v.percent(); n < 100 {
		doubts = append(doubts, onScreen(n, "the request"))
	}
	choice, does := lifecycle.ChoiceOf(&v.q, by.Choice)
	does = does && by.Decision == model.DecideChoose
	if does && choice.Words && by.Text == "" {
		return v.choiceWords(choice)
	}
	lets := by.Decision == model.DecideAccept || by.Decision == model.DecideChoose && !does
	if by.Decision != model.DecideEdit && !does && (!lets || len(doubts) == 0) {
		return fire()
	}
	summary, p, err := a.preview([]model.Op{op})
	if err != nil {
		return v.refusedAnswer(err)
	}
	in := dialog.Ask{
		Title: "Approve", Summary: strings.Join(summary, "\n"), Notes: append(doubts, p.notes...), Affected: p.affected,
		Yes: "Approve", Danger: len(doubts) > 0, Sure: sure, Bottom: true, Done: fire,
	}
	switch by.Decision {
	case model.DecideChoose:
		in.Title, in.Yes = "Choose", "Choose"
		if does {
			in.Title, in.Yes = capital(choice.Option), "Do that"
		}
	case model.DecideEdit:
		in.Title, in.Affected = "Approve with other arguments", append(a.argRows(v.q.Args, by.Args), p.affected...)
	}
	return a.openConfirm(in)
}

// refusedAnswer says in the request why an answer is refused.
func (v *asked) refusedAnswer(err error) tea.Cmd {
	n := v.a.refused(v.a.title(model.AnswerRequest), err)
	if v.box == nil {
		return v.a.fail(n)
	}
	return v.tell(capital(joinHints(n.why, n.hint)))
}

// words asks for the words of a denial or an answer. What is not sent, or not taken, is kept.
func (v *asked) words(d model.Decision) tea.Cmd {
	key := drafts.Key{Name: model.AnswerRequest, UID: v.q.TaskUID, Request: v.q.ID, Decision: d}
	seen := v.q.Clone()
	title, help := "Deny", "why not; the asker reads it"
	if d == model.DecideRespond {
		title, help = "Answer", "what you say"
	}
	return v.a.openWords(key, overlay.ComposeOptions{
		Title: title, Note: "Asked: " + seen.Title, Placeholder: help, Required: true,
	}, func(_ *overlay.Compose, text string) job {
		op := v.a.askedOf(seen).answerOp(model.Answering{Decision: d, Text: text})
		op.ID = v.a.deps.NewID()
		return job{ops: []model.Op{op}, asked: []model.Request{seen}}
	})
}

// choiceWords asks for the words of a choice that does something with them, and says what.
func (v *asked) choiceWords(c lifecycle.Choice) tea.Cmd {
	a := v.a
	ch, err := c.Preview(sight{a.snap, a.sheets()}, &v.q, a.deps.Actor)
	if err != nil {
		return v.refusedAnswer(err)
	}
	key := drafts.Key{Name: model.AnswerRequest, UID: v.q.TaskUID, Request: v.q.ID, Decision: model.DecideChoose}
	seen := v.q.Clone()
	return a.openWords(key, overlay.ComposeOptions{
		Title: capital(c.Option), Note: c.Does + "\n" + capital(ch.Summary), Placeholder: "why; the next worker reads it", Required: true,
	}, func(_ *overlay.Compose, text string) job {
		op := a.askedOf(seen).answerOp(model.Answering{Decision: model.DecideChoose, Choice: c.Option, Text: text})
		op.ID = a.deps.NewID()
		return job{ops: []model.Op{op}, asked: []model.Request{seen}}
	})
}

// chooseKeys are the keys that choose an option by its number.
func (a *App) chooseKeys() []string {
	spec, _ := a.deps.Keymap.Spec(keymap.RequestChoose)
	return spec.Keys
}

// offers reports whether the request beside the inbox has options that a number chooses: all of them are drawn.
func (a *App) offers() bool {
	v := a.askHere()
	return v != nil && v.picked && len(v.q.Options) > 0 && v.fits && v.noDecision(model.DecideChoose) == ""
}

// chooseByKey chooses the option whose key was pressed.
func (v *asked) chooseByKey() tea.Cmd {
	if v.inWord() {
		return v.tell(restFirst)
	}
	n := slices.Index(v.a.chooseKeys(), v.a.lastKey)
	if n < 0 || n >= len(v.q.Options) {
		return v.tell(fmt.Sprintf("There is no option %d", n+1))
	}
	return v.decide(model.Answering{Decision: model.DecideChoose, Choice: v.q.Options[n]})
}

// chooseOption lists the options. The one that is taken is asked about: enter alone decides
// nothing.
func (v *asked) chooseOption() tea.Cmd {
	a := v.a
	var choices []overlay.Choice
	for _, o := range v.q.Options {
		c, _ := lifecycle.ChoiceOf(&v.q, o)
		choices = append(choices, overlay.Choice{ID: o, Title: o, Detail: c.Does})
	}
	seen := *v
	seen.q = v.q.Clone()
	return a.choose(v.q.Title, choices, func(o string) tea.Cmd {
		if c, ok := lifecycle.ChoiceOf(&seen.q, o); ok && c.Words {
			return seen.choiceWords(c)
		}
		op := seen.answerOp(model.Answering{Decision: model.DecideChoose, Choice: o})
		op.ID = a.deps.NewID()
		summary, p, err := a.preview([]model.Op{op})
		if err != nil {
			return a.fail(a.refused(a.title(model.AnswerRequest), err))
		}
		return a.openConfirm(dialog.Ask{
			Title: "Choose", Summary: strings.Join(summary, "\n"), Notes: p.notes, Affected: p.affected, Yes: "Choose", Bottom: true,
			Done: func() tea.Cmd {
				return a.fire(job{ops: []model.Op{op}, asked: []model.Request{seen.q}})
			},
		})
	})
}

// goToAsked leaves the request for the task that it is about.
func (a *App) goToAsked() tea.Cmd {
	d, v := a.dialogs.Top(), a.asking()
	a.dialogs.Drop(d)
	return a.goTo(v.q.TaskUID)
}

func (a *App) noAskOf() string {
	if a.selected() == "" {
		return errNoTask.Error()
	}
	if len(a.asksOf(a.selected())) == 0 {
		return "nothing was asked about the task that waits"
	}
	return ""
}

// approveSeveral approves the requests that are selected, after a list of all of them. Only what
// is said to be of low risk goes so: of anything else somebody has to have read the whole.
func (a *App) approveSeveral() tea.Cmd {
	var ops []model.Op
	var seen []model.Request
	var rows []overlay.Affected
	for _, q := range a.selectedAsks() {
		v := a.askedOf(q)
		why := v.noDecision(model.DecideAccept)
		if why != "" {
			return a.remark(fmt.Sprintf("approve: %q, %s", q.Title, why))
		}
		op := v.answerOp(model.Answering{Decision: model.DecideAccept})
		op.ID = a.deps.NewID()
		ops, seen = append(ops, op), append(seen, q)
		where := q.Kind
		if q.TaskUID != "" {
			where += ", " + a.name(q.TaskUID)
		}
		rows = append(rows, overlay.Affected{Glyph: "?", Ink: a.st.Accent, Title: q.Title, Detail: where})
		if q.Args != nil {
			for _, l := range text.Chop(text.SafeLine(args.Compact(q.Args)), argRowWidth) {
				rows = append(rows, overlay.Affected{Glyph: " ", Title: "  " + l})
			}
		}
	}
	if len(seen) == 1 {
		return a.openRequest(seen[0].ID)
	}
	_, p, err := a.preview(ops)
	if err != nil {
		return a.fail(a.refused(a.title(model.AnswerRequest), err))
	}
	return a.openConfirm(dialog.Ask{
		Title: "Approve", Summary: fmt.Sprintf("Approve %d low-risk requests", len(ops)), Notes: p.notes,
		Affected: append(rows, p.affected...), Yes: "Approve all", Bottom: true,
		Done: func() tea.Cmd { return a.fire(job{ops: ops, asked: seen}) },
	})
}

// notTogether says why requests cannot be approved at once; "" when they can be.
func notTogether(list []model.Request) string {
	for i := range list {
		if q := &list[i]; len(list) > 1 && q.Risk != model.RiskLow {
			return fmt.Sprintf("%q, %s: only low-risk requests can be approved together", safeLine(q.Title), askRisk(q))
		}
	}
	return ""
}

// selectedAsks are the requests that are selected and still wait, in the order of the inbox.
func (a *App) selectedAsks() []model.Request {
	var out []model.Request
	for _, q := range a.snap.Requests() {
		if q.IsOpen() && a.panes.asks[q.ID] {
			out = append(out, q.Clone())
		}
	}
	return out
}

// optionKeys are the keys of the options of a request, for a hint: "1-3".
func (v *asked) optionKeys() string {
	keys := v.a.chooseKeys()
	keys = keys[:min(len(keys), len(v.q.Options))]
	switch len(keys) {
	case 0:
		return ""
	case 1:
		return keymap.KeyLabel(keys[0])
	}
	return keymap.KeyLabel(keys[0]) + "-" + keymap.KeyLabel(keys[len(keys)-1])
}

// toggleRaw shows texts as they were written, or rendered: of the request or the changeset that is
// open, or of the task on the right.
func (a *App) toggleRaw() tea.Cmd {
	if v := a.asking(); v != nil {
		v.raw = !v.raw
		v.redo()
		return nil
	}
	if c := a.reviewing(); c != nil {
		c.page.ToggleRaw()
		return nil
	}
	a.panes.detail.ToggleRaw()
	return nil
}
