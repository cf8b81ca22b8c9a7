package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// What a call is called in a request: a title has at most 200 characters, and its kind goes before it.
const maxTitle = 150

// question is what a person is asked about a call.
func (h *session) question(c *Call, v *Verdict, key string) desk.Question {
	in := parseObject(c.Input)
	what := v.Command
	for _, k := range []string{"file_path", "notebook_path", "path", "url", "query", "description", "prompt"} {
		if what == "" {
			what = in.text(k)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s wants to use %s", visible.Line(string(h.desk.Actor())), visible.Line(c.Tool))
	if c.Places.CWD != "" {
		fmt.Fprintf(&b, " in %s", visible.Line(c.Places.CWD))
	}
	b.WriteString(".\n")
	if v.Command != "" {
		b.WriteString("\n" + fence("sh", v.Command))
	}
	if why := in.text("description"); why != "" && v.Command != "" {
		fmt.Fprintf(&b, "\nIt says: %s\n", title(why, 500))
	}
	if len(v.Why) > 0 {
		fmt.Fprintf(&b, "\nIt waits because of: %s.\n", strings.Join(v.Why, "; "))
	}
	if len(v.Risks) > 0 {
		fmt.Fprintf(&b, "\nRisk %s: %s.\n", v.Risk, visible.String(strings.Join(v.Risks, "; ")))
	}
	args := c.Input
	if args == nil {
		args = jsontext.Value("{}")
	}
	return desk.Question{
		Kind: desk.KindAction, Title: title(strings.TrimSuffix(cmp.Or(c.Tool, "a tool")+": "+what, ": "), maxTitle),
		Detail: b.String(), Args: []byte(args), Risk: v.Risk, Key: key,
	}
}

// errChanged: what was asked under a key was something else.
var errChanged = errors.New(changedText) //nolint:staticcheck // it is said to an agent, in sentences

// ask files the question about a call, or finds it.
func (h *session) ask(ctx context.Context, snap *snapshot.Snapshot, q desk.Question) (desk.Review, error) {
	q.TaskID, q.Key = h.about(snap), current(snap, q.Key)
	if was, ok := h.keyed(snap, q.Key); ok {
		if !sameJSON(was.Args, jsontext.Value(q.Args)) || !h.sameCall(&was, &q) || q.Args == nil && was.Detail != q.Detail {
			return desk.Review{}, errChanged
		}
		return h.desk.Look(ctx, was.ID)
	}
	q.Detail += h.earlier(snap, q.Args)
	if len(q.Args) > desk.MaxDetail {
		return desk.Review{}, fmt.Errorf("THIS CALL WAS NOT MADE: a person has to see all of it, but its input has %d bytes and at most %d can be shown. Split it into smaller calls", len(q.Args), desk.MaxDetail)
	}
	if len(q.Detail) > desk.MaxDetail { // the command stands in the arguments, too
		q.Detail = clip(q.Detail, desk.MaxDetail/2) + "\n\nAll of it is in the arguments.\n"
	}
	return h.desk.Ask(ctx, q)
}

// sameCall reports a request that is about the tool that is asked about. The loop asks for a call that no hook has put
// off, in words of its own; any other title tells the tool.
func (h *session) sameCall(was *model.Request, q *desk.Question) bool {
	return was.Title == q.Title || h.run != "" && was.Title == "allow "+h.p.Tool
}

// current is a key under which nothing was asked that was taken back: what is asked again then is asked anew.
func current(snap *snapshot.Snapshot, key string) string {
	gone := func(key string) bool {
		return slices.ContainsFunc(snap.Requests(), func(q model.Request) bool { return q.Key == key && q.State == model.RequestSuperseded }) &&
			!slices.ContainsFunc(snap.Requests(), func(q model.Request) bool { return q.Key == key && q.State != model.RequestSuperseded })
	}
	out := key
	for n := 1; gone(out); n++ {
		out = fmt.Sprintf("%s.r%d", key, n)
	}
	return out
}

// earlier says what a person said when they denied the same call of this session before; "" where nobody did.
func (h *session) earlier(snap *snapshot.Snapshot, args []byte) string {
	times, last := 0, model.Request{}
	for _, r := range snap.Requests() {
		own := slices.ContainsFunc(h.ownKeys(), func(k string) bool { return strings.HasPrefix(r.Key, k) })
		if own && args != nil && r.State == model.RequestDenied && r.Answer != nil && sameJSON(r.Args, args) {
			times, last = times+1, r
		}
	}
	if times == 0 {
		return ""
	}
	how := "once"
	if times > 1 {
		how = fmt.Sprintf("%d times", times)
	}
	out := fmt.Sprintf("\nThe same call was denied %s before, last by %s", how, visible.Line(string(last.Answer.By)))
	if said := strings.TrimSpace(last.Answer.Text); said != "" {
		out += ": " + title(said, 500)
	}
	return out + ".\n"
}

// keyed is the newest request under a key that was not superseded, whatever task it is about.
func (h *session) keyed(snap *snapshot.Snapshot, key string) (model.Request, bool) {
	var found model.Request
	ok := false
	for _, r := range snap.Requests() {
		if r.Key == key && r.State != model.RequestSuperseded && r.CreatedBy.Kind() != model.Human {
			found, ok = r, true
		}
	}
	return found, ok
}

// gated is the answer to PreToolUse of a call that waits for a person.
func (h *session) gated(ctx context.Context, c *Call, v *Verdict) reply {
	switch {
	case h.client == ClaudeCode && h.alone:
		return h.putOff(ctx, c, v)
	case h.client == ClaudeCode && prompts(h.p.Mode):
		return reply{kind: replyAsk, text: "It waits for a person (" + strings.Join(v.Why, "; ") + "). Answer here, or in vespe."}
	}
	return h.waitFor(ctx, c, v)
}

// prompts reports a mode in which the client asks its person when a hook says so, and tells PermissionRequest.
func prompts(mode string) bool {
	switch mode {
	case "", "default", "acceptEdits", "plan", "auto":
		return true
	}
	return false
}

// putOff files the question about a call and puts the call off; the same call finds it again, with the decision.
// A client keeps one call that was put off, and loses any other.
func (h *session) putOff(ctx context.Context, c *Call, v *Verdict) reply {
	if h.p.ToolUse == "" { // without an id nobody knows whether it comes again, or is made a second time
		return h.waitFor(ctx, c, v)
	}
	key := h.deferredKey(c)
	var r desk.Review
	var other string
	err := h.asking(ctx, func(_ *notes, snap *snapshot.Snapshot) (err error) {
		if other = h.waiting(snap, key); other == "" {
			r, err = h.ask(ctx, snap, h.question(c, v, key))
		}
		return err
	})
	switch {
	case err != nil:
		return h.refused(err)
	case other != "":
		return deny(onePendingText(other))
	case r.Waits():
		return undecided(&r, false)
	}
	return h.outcome(&r, c)
}

// undecided is the answer to a call about which nobody has decided: after waiting a denial, else the call is put off.
func undecided(r *desk.Review, waited bool) reply {
	if waited {
		return deny(pendingText(r))
	}
	return reply{kind: replyDefer, text: pendingText(r)}
}

// waiting is what else of the session waits already; "" for nothing.
func (h *session) waiting(snap *snapshot.Snapshot, but string) string {
	if open := h.open(snap, but); len(open) > 0 {
		return open[0].ID
	}
	if t := h.bound(snap); t != nil && h.run == "" && t.Status.CurrentState == model.PlanDefined && t.Status.AcceptedPlan == nil && but != "" {
		if v := t.Status.Review; v == nil || v.Revision != t.Status.PlanRevision {
			return desk.PlanReviewID(t.UID, t.Status.PlanRevision)
		}
	}
	return ""
}

// waitFor files the question about a call and waits for the answer.
func (h *session) waitFor(ctx context.Context, c *Call, v *Verdict) reply {
	if r, ok := h.allowedInstead(ctx, c); ok {
		return r
	}
	for {
		r, mine, err := h.askAndWait(ctx, c, v)
		switch {
		case err != nil:
			return h.refused(err)
		case r.Waits():
			return undecided(&r, true)
		case mine || r.State != desk.StateAccepted && r.State != desk.StateEdited:
			return h.outcome(&r, c)
		}
		// Another call that is the same was made by this decision, which is for one.
	}
}

// askAndWait files the question about a call and waits for the answer. mine says that the decision is for this call.
func (h *session) askAndWait(ctx context.Context, c *Call, v *Verdict) (r desk.Review, mine bool, err error) {
	base, key := h.callKey(c), ""
	err = h.asking(ctx, func(n *notes, snap *snapshot.Snapshot) (err error) {
		h.passOver(n, snap, base)
		key = h.nextKey(n, base)
		r, err = h.ask(ctx, snap, h.question(c, v, key))
		h.show(n, &r)
		return err
	})
	if err != nil {
		return r, false, err
	}
	one := []desk.Review{r}
	if err := h.awaitAll(ctx, base, one); err != nil || one[0].Waits() {
		return one[0], false, err
	}
	mine, err = h.claimed(base, key, false)
	return one[0], mine, err
}

// nextKey is the key of a call that may have been decided on before: each time it is asked anew, but for the same
// call that comes again. What was denied is asked anew, too: there may be a reason that has gone since, and the
// person reads what they said.
func (h *session) nextKey(n *notes, base string) string {
	u := n.Used[base]
	times := u.Times
	if times > 0 && u.Last != "" && (u.Last == h.p.ToolUse || h.client == Codex && h.event == PermissionRequest) {
		times-- // Codex asks for a permission after the call was decided on before it was made
	}
	return keyAt(base, times)
}

// passOver counts as used what was decided under a key before the notes were begun: whether a call was made by it nobody
// knows anymore.
func (h *session) passOver(n *notes, snap *snapshot.Snapshot, base string) {
	for {
		u := n.Used[base]
		q, ok := h.keyed(snap, keyAt(base, u.Times))
		if !ok || q.Answer == nil || !q.Answer.At.Before(n.Begun) {
			return
		}
		n.Used[base] = used{Times: u.Times + 1}
	}
}

// claimed writes down that the decision which was asked for under a key is used for this call, and reports whether it
// was there to be used. "" is the key that is next. atDialog says that the person decided at the client's own dialog: the
// hook that waits beside that is over then.
func (h *session) claimed(base, key string, atDialog bool) (mine bool, err error) {
	err = h.locked(func(n *notes) error {
		u, next := n.Used[base], h.nextKey(n, base)
		switch {
		case key != "" && key != next && u.Dialog && h.shows():
			return errOver
		case key != "" && key != next:
			return nil
		case next == keyAt(base, u.Times):
			n.Used[base] = used{Times: u.Times + 1, Last: h.p.ToolUse, Dialog: atDialog}
		case h.event == PermissionRequest: // what was decided before the call counts for it once
			n.Used[base] = used{Times: u.Times}
		}
		mine = true
		return nil
	})
	return mine, err
}

func keyAt(base string, times int) string {
	if times == 0 {
		return base
	}
	return fmt.Sprintf("%s.%d", base, times)
}

// allowedInstead is the answer to a call with the input that a person put in place of another one of the same tool,
// once. Claude Code takes that input with the answer; Codex is told to make the call.
func (h *session) allowedInstead(ctx context.Context, c *Call) (reply, bool) {
	if h.client != Codex {
		return reply{}, false
	}
	snap, err := h.snapshot(ctx)
	if err != nil {
		return h.refused(err), true
	}
	for _, q := range snap.Requests() {
		asked := h.callKey(&Call{Tool: c.Tool, Input: q.Args})
		if q.State != model.RequestEdited || q.Answer == nil || q.Key != asked && !strings.HasPrefix(q.Key, asked+".") || !sameJSON(q.Answer.Args, c.Input) {
			continue
		}
		fresh := false
		err := h.locked(func(n *notes) error {
			u := n.Used[q.ID]
			switch {
			case q.Answer.At.Before(n.Begun):
			case u.Times == 0, u.Last != "" && u.Last == h.p.ToolUse:
				fresh, n.Used[q.ID] = true, used{Times: 1, Last: h.p.ToolUse}
			case u.Last != "" && h.event == PermissionRequest: // of the call that was let through before
				fresh, n.Used[q.ID] = true, used{Times: 1}
			}
			return nil
		})
		if err != nil {
			return h.refused(err), true
		}
		if fresh {
			return h.allowed(c, nil), true
		}
	}
	return reply{}, false
}

// await waits for the decision on a review, as long as the event may take.
func (h *session) await(ctx context.Context, r desk.Review) (desk.Review, error) {
	until := h.Now().Add(h.patience())
	for r.Waits() {
		left := until.Sub(h.Now())
		if left <= 0 {
			return r, nil
		}
		waited, step := h.patience()-left, desk.MostWait
		if h.shows() {
			step = dialogStep
		}
		now, err := h.desk.Wait(ctx, r.ReviewID, min(left, step), func(elapsed time.Duration) {
			if h.progress != nil {
				h.progress(waited + elapsed)
			}
		})
		if err != nil {
			return r, err
		}
		if r = now; r.Waits() && h.dialogOver(r.ReviewID) {
			return r, errOver
		}
	}
	return r, nil
}

// patience is how long the hook waits: where nobody sits at the session its slot is worth more than the waiting.
func (h *session) patience() time.Duration {
	switch {
	case h.run != "", h.alone && h.event != promptEvent:
		return desk.MostWait
	}
	return LongWait - 10*time.Minute
}

// outcome is the answer to a call that was decided on.
func (h *session) outcome(r *desk.Review, c *Call) reply {
	switch r.State {
	case desk.StateAccepted:
		return h.allowedBy(r, c, nil)
	case desk.StateEdited:
		if h.client != Codex {
			return h.allowedBy(r, c, jsontext.Value(r.Args))
		}
	}
	return deny(decidedText(r, "this call")).tells(r.ReviewID)
}

// allowedBy lets a call be made by a person's decision. The agent has it with that, but for what they said with it: that
// it has once the call was made (after).
func (h *session) allowedBy(r *desk.Review, c *Call, instead jsontext.Value) reply {
	out := h.allowed(c, instead)
	if out.with = saidWith(r); out.with == "" {
		return out.tells(r.ReviewID)
	}
	return out
}

// allowed lets a call be made: where the event wants it, with its input.
func (h *session) allowed(c *Call, instead jsontext.Value) reply {
	if instead == nil && h.event != PreToolUse {
		instead = c.Input
		if instead == nil {
			instead = jsontext.Value("{}")
		}
	}
	return allow(instead)
}

// refused is the answer where the desk does not take what is asked.
func (h *session) refused(err error) reply {
	var e *desk.Error
	switch {
	case errors.Is(err, errOver):
		return nothing()
	case errors.Is(err, errChanged), strings.HasPrefix(err.Error(), "THIS CALL"):
		return deny(err.Error())
	case errors.As(err, &e) && e.Code == desk.CodeKey:
		return deny(changedText)
	}
	return deny(brokenText(err))
}
