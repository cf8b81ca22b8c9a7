package hook

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// start is the answer to SessionStart: what an agent should know, and what was decided since it was last here.
func (h *session) start(ctx context.Context) reply {
	h.forget()
	var parts []string
	if h.Prime != nil {
		text, err := h.Prime(ctx, h.desk)
		if err != nil {
			return nothing().noted("vespe: " + visible.Line(err.Error()))
		}
		parts = append(parts, text)
	}
	news, read := h.news(ctx)
	if news != "" {
		parts = append(parts, news)
	}
	if len(parts) == 0 {
		return nothing()
	}
	return tell(strings.Join(parts, "\n")).tells(read...)
}

// goOn is what a client prompts itself with, when a session continues with a call that was put off.
const goOn = "Continue from where you left off."

// prompted is the answer to UserPromptSubmit: what was decided meanwhile. What the person typed is kept: a plan
// that comes of it is for that.
func (h *session) prompted(ctx context.Context) reply {
	if text := strings.TrimSpace(h.p.Prompt); text != "" && text != goOn {
		err := h.locked(func(n *notes) error {
			n.Prompt = clip(text, maxPrompt)
			return nil
		})
		if err != nil {
			return nothing() // the plan is named by its title then
		}
		h.dialogsClosed(ctx, clip(text, maxPrompt))
	}
	if news, read := h.news(ctx); news != "" {
		return tell(news).tells(read...)
	}
	return nothing()
}

// mostNews is how many decisions are told at once.
const mostNews = 10

// news is what was decided on what the session asked, and was not read yet, with the reviews that it tells of.
func (h *session) news(ctx context.Context) (news string, read []string) {
	snap, err := h.snapshot(ctx)
	if err != nil {
		return "", nil
	}
	t := h.bound(snap)
	var ids []string
	for _, q := range snap.Requests() {
		own := slices.ContainsFunc(h.ownKeys(), func(k string) bool { return strings.HasPrefix(q.Key, k) })
		mine := t != nil && q.TaskUID == t.UID && q.CreatedBy == h.desk.Actor()
		if (own || mine) && !q.IsOpen() && q.Answer != nil && q.Answer.FetchedBy == "" && q.State != model.RequestSuperseded {
			ids = append(ids, q.ID)
		}
	}
	if t != nil && h.run == "" {
		if v := t.Status.Review; v != nil && v.FetchedBy == "" && v.Of == "plan" && v.Revision == t.Status.PlanRevision {
			ids = append(ids, desk.PlanReviewID(t.UID, v.Revision))
		}
	}
	var b strings.Builder
	for _, id := range ids[:min(len(ids), mostNews)] {
		r, err := h.desk.Look(ctx, id)
		if err != nil || !r.Decided() {
			continue
		}
		fmt.Fprintf(&b, "- %s, %q: %s by %s. %s\n", r.ReviewID, title(r.Title, 120), r.State, visible.Line(r.By), newsOf(&r))
		read = append(read, id)
	}
	if b.Len() == 0 {
		return "", nil
	}
	return "vespe: a person decided on what you asked. Follow this:\n" + b.String(), read
}

// newsOf is what a decision means for who continues.
func newsOf(r *desk.Review) string {
	said := strings.TrimSpace(visible.String(r.Text))
	if said != "" {
		said = " They say: " + said
	}
	switch {
	case r.Kind == desk.KindPlan && r.State == desk.StateAccepted:
		return strings.TrimSuffix("The plan is accepted: do what it says.\n"+saidWith(r), "\n")
	case r.Kind == desk.KindPlan:
		return "Do not start the work; write another plan." + said + "\n" + feedback(r)
	case r.Kind == desk.KindAction && r.State == desk.StateAccepted:
		return "If you still need it, make exactly that call again." + said
	case r.Kind == desk.KindAction && r.State == desk.StateEdited:
		return "If you still need it, make the call with exactly this input instead: " + visible.String(string(r.Args)) + said
	case r.Choice != "":
		return "They chose: " + visible.Line(r.Choice) + said
	}
	return r.NextAction + said
}

// mostStops is how often the end of a turn is held up for the same thing. Codex has no bound of its own.
const mostStops = 2

// stop is the answer to Stop: one or two reminders of what is owed to the session's task.
func (h *session) stop(ctx context.Context) reply {
	snap, err := h.snapshot(ctx)
	if err != nil {
		return nothing()
	}
	t := h.bound(snap)
	if t == nil {
		return nothing()
	}
	what, order := h.owed(snap, t)
	if what == "" {
		return nothing()
	}
	again := false
	err = h.locked(func(n *notes) error {
		n.Stops[what]++
		again = n.Stops[what] <= mostStops && !h.p.StopActive // once in a turn
		return nil
	})
	if err != nil || !again {
		return nothing() // without a count it would never end
	}
	return block(order)
}

// owed is what the session still owes to its task: a word for it, and the order; "" for nothing.
func (h *session) owed(snap *snapshot.Snapshot, t *model.Task) (what, order string) {
	for _, q := range snap.Requests() {
		if q.IsOpen() && (q.TaskUID == t.UID || strings.HasPrefix(q.Key, h.callKeys())) {
			return "", "" // it waits for a person, as it should
		}
	}
	st := &t.Status
	name := title(t.Config.Name, 100)
	sentBack := st.Review != nil && st.Review.Of == "plan" && st.Review.Revision == st.PlanRevision &&
		(st.Review.Verdict == model.VerdictRejected || st.Review.Verdict == model.VerdictAsked)
	switch {
	case sentBack && st.Comments != nil && st.Comments.Blocking > 0 && st.Comments.Revision == st.PlanRevision:
		return fmt.Sprintf("answers:%s:%d", t.UID, st.PlanRevision), fmt.Sprintf(
			"The plan of %q (%s) was sent back, and %d blocking comments wait for an answer. Read them (task_get with include feedback, or `vespe plan comments %s`), then submit a new plan that answers each. "+
				"If you cannot, ask with ask_human or `vespe request ask`, or say why, and stop.", name, t.UID, st.Comments.Blocking, t.UID)
	case h.run == "" && st.CurrentState == model.Working && !st.IsPaused && st.CurrentRun != "" && st.AssignedAgentUID == h.desk.Actor():
		return fmt.Sprintf("report:%s:%d", t.UID, st.PlanRevision), fmt.Sprintf(
			"You work on %q (%s), and have not reported. If the work is done, call task_report (or `vespe work done %s`) with what you did and how it can be checked. "+
				"If something blocks you, ask with ask_human or `vespe request ask %s`. If you aren't done and are talking with a person, just stop again.", name, t.UID, t.UID, t.UID)
	}
	return "", ""
}
