package hook

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// after is the answer to PostToolUse: the call was made. What a person said with their yes reaches the agent here where
// no event before could say it, and a yes at the client's own dialog is written down.
func (h *session) after(ctx context.Context) reply {
	c := h.asked()
	n, err := h.settledNotes()
	if err != nil || !n.Asked || c.Tool == "" || isOwnTool(c.Tool) {
		return nothing()
	}
	snap, err := h.snapshot(ctx)
	if err != nil {
		return nothing() // the next prompt tells it
	}
	var words, read []string
	var over []desk.Review
	for _, id := range h.unread(snap, c) {
		r, err := h.desk.Look(ctx, id)
		if err != nil {
			continue
		}
		d, shown := n.Dialogs[id]
		if shown = shown && !h.over(d); shown && h.sent() || !r.Waits() {
			over = append(over, r)
		}
		switch {
		case r.Waits() && shown && h.Person != "":
			if id, err = h.saidYes(ctx, &r, c); err != nil {
				words = append(words, notTaken(&r, err))
				continue
			}
		case !r.Decided():
			continue
		default:
			words = append(words, h.told(ctx, &r, snap))
		}
		read = append(read, id)
		if r.Kind == desk.KindPlan && h.run == "" {
			h.claim(ctx, model.UID(r.TaskID))
		}
	}
	if len(over) > 0 {
		_ = h.forgetDialogs(over) // the hook that waits ends later
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
	if len(words) == 0 {
		return nothing().tells(read...)
	}
	return tell(strings.Join(words, "\n")).tells(read...)
}

// asked is the call of the event as a person was asked about it: the client adds their answers to its questions.
func (h *session) asked() *Call {
	c := h.call()
	if c.Tool != askUserQuestion {
		return c
	}
	in := parseObject(c.Input)
	delete(in, "answers")
	delete(in, "annotations")
	if b, err := json.Marshal(in, json.Deterministic(true)); err == nil {
		c.Input = b
	}
	return c
}

// unread are the reviews of a call that no agent has read a decision on: those that are decided, and those that wait.
func (h *session) unread(snap *snapshot.Snapshot, c *Call) []string {
	if h.client == ClaudeCode && c.Tool == exitPlanMode && h.run == "" {
		t := h.bound(snap)
		if t == nil || t.Status.PlanRevision == 0 {
			return nil
		}
		if v := t.Status.Review; v != nil && v.Revision == t.Status.PlanRevision && (v.FetchedBy != "" || v.Of != desk.KindPlan) {
			return nil
		}
		return []string{desk.PlanReviewID(t.UID, t.Status.PlanRevision)}
	}
	keys := []string{h.callKey(c), h.deferredKey(c)}
	var out []string
	for _, q := range snap.Requests() {
		own := slices.ContainsFunc(keys, func(k string) bool { return q.Key == k || strings.HasPrefix(q.Key, k+".") })
		edited := q.State == model.RequestEdited && strings.HasPrefix(q.Key, h.callKeys()) && q.Answer != nil && sameJSON(q.Answer.Args, c.Input)
		if (own || edited) && (q.IsOpen() || q.Answer != nil && q.Answer.FetchedBy == "") {
			out = append(out, q.ID)
		}
	}
	return out
}

// told is what an agent whose call was made has still to be told of the decision on it; "" for nothing.
func (h *session) told(ctx context.Context, r *desk.Review, snap *snapshot.Snapshot) string {
	switch {
	case r.Kind != desk.KindPlan && (r.State == desk.StateAccepted || r.State == desk.StateEdited):
		return saidWith(r)
	case r.Kind == desk.KindQuestion || r.Kind == desk.KindChoice:
		return "" // the client has told the answers
	case r.Kind != desk.KindPlan:
		return decidedText(r, "this call")
	case r.State != desk.StateAccepted:
		return h.planSentBack(r).text
	}
	has := parseObject(h.p.Result).text("plan")
	plan, excluded, err := h.standing(ctx, snap, r)
	switch {
	case err != nil:
		return brokenText(err)
	case has == asAccepted(saidWith(r), plan, excluded):
		return ""
	case has != plan:
		return planChangedText + fence("markdown", visible.String(asAccepted(saidWith(r), plan, excluded)))
	}
	return saidWith(r)
}

// notTaken is said of a yes at the client's dialog that vespe refuses.
func notTaken(r *desk.Review, err error) string {
	what := "THIS CALL"
	if r.Kind == desk.KindPlan {
		what = "YOUR PLAN"
	}
	return what + " WAS ALLOWED AT THE CLIENT'S DIALOG, BUT NOT IN VESPE (" + r.ReviewID + "): " + visible.String(clip(err.Error(), 2<<10)) +
		". Do not start what it is about. It still waits for a person in vespe: tell them so, and end your turn."
}
