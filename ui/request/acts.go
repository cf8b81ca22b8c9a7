package request

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/args"
	"vespe/ui/dialog"
	"vespe/ui/drafts"
	"vespe/ui/overlay"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Actions are what is done with requests: with the one that has the keys, or those that are selected.
func (k *Requests) Actions() map[keymap.Action]view.Action {
	on := func(d model.Decision, do func(*Asked) tea.Cmd) view.Action {
		return view.Action{Do: func() tea.Cmd { return do(k.here()) }, Off: func() string { return k.noAsk(d) }}
	}
	open := func(do func() tea.Cmd, off func(*Asked) string) view.Action {
		return view.Action{Do: do, Off: func() string {
			if v := k.here(); v != nil {
				return off(v)
			}
			return NoRequest
		}}
	}
	words := func(d model.Decision) view.Action {
		return on(d, func(v *Asked) tea.Cmd { return v.words(d) })
	}
	return map[keymap.Action]view.Action{
		keymap.RequestOpen:    {Do: k.OpenOf, Off: k.noAskOf},
		keymap.RequestAccept:  {Do: k.approve, Off: k.noApprove},
		keymap.RequestDeny:    words(model.DecideDeny),
		keymap.RequestRespond: words(model.DecideRespond),
		keymap.RequestEdit:    on(model.DecideEdit, (*Asked).editArgs),
		keymap.RequestChoose: {Do: func() tea.Cmd { return k.here().chooseByKey() }, Off: func() string {
			if v := k.here(); v != nil && v.box == nil && !v.fits {
				return cmp.Or(k.noAsk(model.DecideChoose), strings.TrimSpace("not all options are on screen: "+k.host.Hint(keymap.Open, "opens it")))
			}
			return k.noAsk(model.DecideChoose)
		}},
		keymap.RequestOptions: on(model.DecideChoose, (*Asked).chooseOption),
		keymap.RequestDefer: on(model.DecideDefer, func(v *Asked) tea.Cmd {
			return v.decide(model.Answering{Decision: model.DecideDefer})
		}),
		keymap.RequestDiff: open(k.showAskDiff, func(v *Asked) string {
			if v.was == nil {
				return "the request is the same as before"
			}
			return ""
		}),
		keymap.RequestTask: open(k.goToAsked, func(v *Asked) string {
			if _, ok := k.host.Snapshot().Index(v.q.TaskUID); !ok {
				return "its task is not in the store"
			}
			return ""
		}),
	}
}

// NoRequest is said where there is no request to act on.
const NoRequest = "no request here"

// TooFresh is why a key that decides does nothing yet.
const TooFresh = "it has just appeared: read it first"

// NoDecision says why a decision on a request cannot be taken; "" when it can be.
func (v *Asked) NoDecision(d model.Decision) string {
	k := v.k
	q := &v.q
	switch {
	case v.gone:
		return "the request is no longer in the store"
	case k.host.Answering(q.ID):
		return "your answer is being saved"
	case k.host.Snapshot() == nil:
		return NoRequest
	case q.IsOpen() && !slices.Contains(q.Allowed(), d):
		return notTaken(q, d)
	}
	return k.host.WhyNot(v.answerOp(model.Answering{Decision: d}))
}

// notTaken says why a request does not allow a decision.
func notTaken(q *model.Request, d model.Decision) string {
	allowed := q.Allowed()
	switch {
	case d == model.DecideAccept && slices.Contains(allowed, model.DecideChoose):
		return "choose one of its options"
	case d == model.DecideChoose && len(q.Options) == 0:
		return "it has no options"
	case d == model.DecideEdit && q.Args == nil:
		return "it has no arguments"
	}
	var words []string
	for _, o := range allowed {
		words = append(words, string(o))
	}
	return "the request takes only " + strings.Join(words, ", ")
}

// noAsk is NoDecision on the request that has the keys, for as long as that is too new, too.
func (k *Requests) noAsk(d model.Decision) string {
	v := k.here()
	if v == nil {
		return NoRequest
	}
	if why := v.NoDecision(d); why != "" {
		return why
	}
	if v.isFresh() {
		return TooFresh
	}
	return ""
}

// answerOp is an answer to a request as it is on the screen.
func (v *Asked) answerOp(by model.Answering) model.Op {
	by.Request, by.Seen = v.q.ID, v.q.ContentHash()
	op := model.Op{Name: model.AnswerRequest, Actor: v.k.Actor, Args: by}
	if _, ok := v.k.host.Snapshot().Task(v.q.TaskUID); ok {
		op.UID = v.q.TaskUID
	}
	return op
}

// approve lets it be done: the request that is open, those that are selected in the inbox, or the one beside it.
func (k *Requests) approve() tea.Cmd {
	switch v := k.here(); {
	case k.asking() == nil && len(k.selected) > 0:
		return k.approveSeveral()
	case v.inWord():
		return v.tell(restFirst)
	default:
		return v.decide(model.Answering{Decision: model.DecideAccept})
	}
}

// restFirst is what is said to a key that may be a letter of a word.
const restFirst = "Too soon after another key: press it again"

// inWord reports that the key for the request beside the inbox came right behind another, as those of a word do that was
// meant for another window.
func (v *Asked) inWord() bool { return v.box == nil && !v.k.host.Rested() }

func (k *Requests) noApprove() string {
	if k.asking() == nil && len(k.selected) > 0 {
		return notTogether(k.selectedAsks())
	}
	return k.noAsk(model.DecideAccept)
}

// decide answers a request. What is of high risk, or has not been on the screen whole, is asked
// about once more.
func (v *Asked) decide(by model.Answering) tea.Cmd {
	k := v.k
	op := v.answerOp(by)
	op.ID = k.NewID()
	seen := []model.Request{v.q.Clone()}
	fire := func() tea.Cmd { return k.host.Answer([]model.Op{op}, seen) }
	doubts := dangerNotes(v.q.Args)
	if v.q.Risk != model.RiskLow {
		doubts = append(doubts, text.Capital(askRisk(&v.q)))
	}
	sure := !slices.Contains([]string{"", model.RiskLow, model.RiskMedium}, v.q.Risk)
	n := v.percent()
	if n < 100 {
		doubts = append(doubts, text.Capital(dialog.Unseen(n, "the request")))
	}
	choice, does := lifecycle.ChoiceOf(&v.q, by.Choice)
	does = does && by.Decision == model.DecideChoose
	if does && choice.Words && by.Text == "" {
		return v.choiceWords(choice)
	}
	lets := by.Decision == model.DecideAccept || by.Decision == model.DecideChoose && !does
	if by.Decision != model.DecideEdit && !does && (!lets || !sure && n == 100 && !(v.asks && by.Decision == model.DecideChoose)) {
		return fire()
	}
	effects, notes, affected, err := k.host.Foresee([]model.Op{op})
	if err != nil {
		return v.refusedAnswer(err)
	}
	in := dialog.Ask{
		Title: "Approve", Summary: asks("Approve "+model.Quote(v.q.Title), effects), Notes: append(doubts, notes...), Affected: append(commandRows(v.q.Args), affected...),
		Yes: "Approve", Danger: sure || n < 100 || len(dangerNotes(v.q.Args)) > 0, Sure: sure, Bottom: true, Done: fire,
	}
	switch by.Decision {
	case model.DecideChoose:
		in.Title, in.Yes, in.Summary = "Choose", "Choose", asks("Answer "+model.Quote(by.Choice), effects)
		if does {
			in.Title, in.Yes, in.Summary = text.Capital(choice.Option), "Do that", strings.Join(effects, " ")
		}
	case model.DecideEdit:
		in.Title, in.Affected = "Approve with other arguments", append(k.argRows(v.q.Args, by.Args), affected...)
	}
	return k.host.Ask(in)
}

// asks is a question, and what comes of a yes.
func asks(question string, effects []string) string {
	return strings.Join(append([]string{question + "?"}, effects...), " ")
}

// refusedAnswer says in the request why an answer is refused.
func (v *Asked) refusedAnswer(err error) tea.Cmd {
	n := v.k.host.Refused(model.AnswerRequest.Title(), err)
	if v.box == nil {
		return v.k.host.Say(n)
	}
	return v.tell(text.Capital(n.Reason()))
}

// words asks for the words of a denial or an answer. What is not sent, or not taken, is kept.
func (v *Asked) words(d model.Decision) tea.Cmd {
	key := drafts.Key{Name: model.AnswerRequest, UID: v.q.TaskUID, Request: v.q.ID, Decision: d}
	seen := v.q.Clone()
	title, help := "Deny", "reason; the agent reads this"
	if d == model.DecideRespond {
		title, help = "Answer", "your answer"
	}
	return v.k.host.Words(key, overlay.ComposeOptions{
		Title: title, Note: "Asked: " + seen.Title, Placeholder: help, Required: true,
	}, func(text string) (model.Op, model.Request) {
		op := v.k.Of(seen).answerOp(model.Answering{Decision: d, Text: text})
		op.ID = v.k.NewID()
		return op, seen
	})
}

// choiceWords asks for the words of a choice that does something with them, and says what.
func (v *Asked) choiceWords(c lifecycle.Choice) tea.Cmd {
	k := v.k
	ch, err := c.Preview(k.host.Sight(), &v.q, k.Actor)
	if err != nil {
		return v.refusedAnswer(err)
	}
	key := drafts.Key{Name: model.AnswerRequest, UID: v.q.TaskUID, Request: v.q.ID, Decision: model.DecideChoose}
	seen := v.q.Clone()
	return k.host.Words(key, overlay.ComposeOptions{
		Title: text.Capital(c.Option), Note: c.Does + "\n" + text.Capital(ch.Would()), Placeholder: "why; the next worker reads it", Required: true,
	}, func(text string) (model.Op, model.Request) {
		op := k.Of(seen).answerOp(model.Answering{Decision: model.DecideChoose, Choice: c.Option, Text: text})
		op.ID = k.NewID()
		return op, seen
	})
}

// chooseKeys are the keys that choose an option by its number.
func (k *Requests) chooseKeys() []string {
	spec, _ := k.Keymap.Spec(keymap.RequestChoose)
	return spec.Keys
}

// Offers reports whether the request beside the inbox has options to choose from: there a number is never a view.
func (k *Requests) Offers() bool {
	v := k.here()
	return v != nil && !v.gone && v.q.IsOpen() && len(v.q.Options) > 0 && slices.Contains(v.q.Allowed(), model.DecideChoose)
}

// chooseByKey chooses the option whose key was pressed.
func (v *Asked) chooseByKey() tea.Cmd {
	if v.inWord() {
		return v.tell(restFirst)
	}
	n := slices.Index(v.k.chooseKeys(), v.k.host.LastKey())
	if n < 0 || n >= len(v.q.Options) {
		return v.tell(fmt.Sprintf("There is no option %d", n+1))
	}
	return v.decide(model.Answering{Decision: model.DecideChoose, Choice: v.q.Options[n]})
}

// chooseOption lists the options. The one that is taken is asked about: enter alone decides
// nothing.
func (v *Asked) chooseOption() tea.Cmd {
	k := v.k
	var choices []overlay.Choice
	for _, o := range v.q.Options {
		c, _ := lifecycle.ChoiceOf(&v.q, o)
		choices = append(choices, overlay.Choice{ID: o, Title: o, Detail: c.Does})
	}
	seen := *v
	seen.q, seen.asks = v.q.Clone(), true
	return k.choose(v.q.Title, choices, func(o string) tea.Cmd {
		return seen.decide(model.Answering{Decision: model.DecideChoose, Choice: o})
	})
}

// goToAsked leaves the request for the task that it is about.
func (k *Requests) goToAsked() tea.Cmd {
	d, v := k.Dialogs.Top(), k.asking()
	k.Dialogs.Drop(d)
	return k.host.GoTo(v.q.TaskUID)
}

func (k *Requests) noAskOf() string {
	if k.host.Selected() == "" {
		return view.NoTask
	}
	if len(k.about(k.host.Selected())) == 0 {
		return "no request is about this task"
	}
	return ""
}

// approveSeveral approves the requests that are selected, after a list of all of them. Only what
// is said to be of low risk goes so: of anything else somebody has to have read the whole.
func (k *Requests) approveSeveral() tea.Cmd {
	var ops []model.Op
	var seen []model.Request
	var rows []overlay.Affected
	var args [][]byte
	for _, q := range k.selectedAsks() {
		v := k.Of(q)
		why := v.NoDecision(model.DecideAccept)
		if why != "" {
			return k.remark(fmt.Sprintf("approve: %q, %s", q.Title, why))
		}
		op := v.answerOp(model.Answering{Decision: model.DecideAccept})
		op.ID = k.NewID()
		ops, seen = append(ops, op), append(seen, q)
		where := q.Kind
		if q.TaskUID != "" {
			where += ", " + k.host.Name(q.TaskUID)
		}
		rows = append(rows, overlay.Affected{Glyph: "?", Ink: k.host.Styles().Accent, Title: q.Title, Detail: where})
		rows, args = append(rows, commandRows(q.Args)...), append(args, q.Args)
	}
	if len(seen) == 1 {
		return k.Open(seen[0].ID)
	}
	_, notes, affected, err := k.host.Foresee(ops)
	if err != nil {
		return k.host.Say(k.host.Refused(model.AnswerRequest.Title(), err))
	}
	return k.host.Ask(dialog.Ask{
		Title: "Approve", Summary: fmt.Sprintf("Approve %d low-risk requests?", len(ops)), Notes: append(dangerNotes(args...), notes...),
		Affected: append(rows, affected...), Yes: "Approve all", Bottom: true,
		Done: func() tea.Cmd { return k.host.Answer(ops, seen) },
	})
}

// commandRows show the arguments of a request in a question.
func commandRows(raw []byte) (rows []overlay.Affected) {
	for _, says := range argRows(raw) {
		for _, l := range text.Chop(text.SafeLine(says), argRowWidth) {
			rows = append(rows, overlay.Affected{Glyph: " ", Title: "  " + l})
		}
	}
	return rows
}

// argRows are all arguments of a request by their names, or as they are where one is nested.
func argRows(raw []byte) (out []string) {
	fields, flat := args.Flat(raw)
	switch {
	case raw == nil:
		return nil
	case !flat:
		return []string{args.Compact(raw)}
	}
	for _, f := range fields {
		out = append(out, f.Name+": "+f.Text)
	}
	return out
}

// notTogether says why requests cannot be approved at once; "" when they can be.
func notTogether(list []model.Request) string {
	for i := range list {
		if q := &list[i]; len(list) > 1 && q.Risk != model.RiskLow {
			return fmt.Sprintf("%q, %s: only low-risk requests can be approved together", text.SafeLine(q.Title), askRisk(q))
		}
	}
	return ""
}

// selectedAsks are the requests that are selected and still wait, in the order of the inbox.
func (k *Requests) selectedAsks() []model.Request {
	var out []model.Request
	for _, q := range k.host.Snapshot().Requests() {
		if q.IsOpen() && k.selected[q.ID] {
			out = append(out, q.Clone())
		}
	}
	return out
}

// OptionKeys are the keys of the options of the request that has the keys, for a hint: "1-3"; false without one.
func (k *Requests) OptionKeys() (string, bool) {
	v := k.here()
	if v == nil {
		return "", false
	}
	keys := k.chooseKeys()
	keys = keys[:min(len(keys), len(v.q.Options))]
	switch len(keys) {
	case 0:
		return "", true
	case 1:
		return keymap.KeyLabel(keys[0]), true
	}
	return keymap.KeyLabel(keys[0]) + "-" + keymap.KeyLabel(keys[len(keys)-1]), true
}

// choose lets the person take one of a few.
func (k *Requests) choose(title string, choices []overlay.Choice, then func(string) tea.Cmd) tea.Cmd {
	return k.host.Pick(overlay.PickerOptions{Title: title, Placeholder: "type to search", Choices: choices}, then)
}
