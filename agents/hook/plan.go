package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/agents/desk"
	"vespe/internal/lazyregexp"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
)

// The tools of Claude Code that ask a person by themselves.
const (
	exitPlanMode    = "ExitPlanMode"
	askUserQuestion = "AskUserQuestion"
)

const noPlanText = "NO PLAN TO REVIEW: the plan is empty. Write the whole plan (what to do, in which steps, how to check it) into the plan file, then call ExitPlanMode again."

// plan hands in the plan of ExitPlanMode and answers with what a person decided on it. wait says to wait for
// that; else the call is put off while nobody has decided.
func (h *session) plan(ctx context.Context, c *Call, wait bool) reply {
	text := parseObject(c.Input).text("plan")
	if strings.TrimSpace(text) == "" {
		return deny(noPlanText)
	}
	var r desk.Review
	var other string
	err := h.asking(ctx, func(n *notes, snap *snapshot.Snapshot) (err error) {
		if other = h.waiting(snap, h.deferredKey(c)); other != "" && !strings.HasPrefix(other, "plan-") && !wait {
			return nil
		}
		other = ""
		if h.run != "" {
			r, err = h.planOfRun(ctx, snap, c, text)
		} else {
			r, err = h.handIn(ctx, snap, text, n.Prompt)
		}
		h.show(n, &r)
		return err
	})
	if err == nil && wait && other == "" {
		one := []desk.Review{r}
		err = h.awaitAll(ctx, "", one)
		r = one[0]
	}
	switch {
	case err != nil:
		return h.planRefused(err)
	case other != "":
		return deny(onePendingText(other))
	case r.Waits():
		return undecided(&r, wait)
	case r.State == desk.StateAccepted && r.Kind == desk.KindPlan:
		return h.planStands(ctx, &r, c, text)
	case r.State == desk.StateAccepted:
		return h.allowedBy(&r, c, nil)
	}
	return h.planSentBack(&r).tells(r.ReviewID)
}

// planStands lets a session continue by an accepted plan, if that is the one that the session has.
func (h *session) planStands(ctx context.Context, r *desk.Review, c *Call, text string) reply {
	snap, err := h.snapshot(ctx)
	if err != nil {
		return h.planRefused(err)
	}
	plan, excluded, err := h.standing(ctx, snap, r)
	if err != nil {
		return h.planRefused(err)
	}
	said := saidWith(r)
	whole := asAccepted(said, plan, excluded)
	if text != plan && text != whole && h.event == PreToolUse {
		return deny(planChangedText + "Write exactly this text into the plan file, change nothing, and call ExitPlanMode again:\n" +
			fence("markdown", visible.String(plan)))
	}
	// The task is claimed for the session, so that nobody else starts it.
	if h.run == "" && h.event != PreToolUse {
		h.claim(ctx, model.UID(r.TaskID))
	}
	switch {
	case text == whole:
		return h.allowed(c, nil).tells(r.ReviewID)
	case h.event == PreToolUse:
		out := h.allowed(c, nil)
		out.with = said
		return out
	}
	return allow(withPlan(c.Input, whole))
}

// standing is the text of an accepted plan, and the headings of what was left out of it.
func (h *session) standing(ctx context.Context, snap *snapshot.Snapshot, r *desk.Review) (plan string, excluded []string, err error) {
	uid := model.UID(r.TaskID)
	stands, err := h.s.Content(ctx, uid, model.Plan)
	t, ok := snap.Task(uid)
	switch {
	case err != nil:
		return "", nil, err
	case !ok || stands.Revision != r.Version:
		return "", nil, fmt.Errorf("the plan of %s has changed", r.TaskID)
	case t.Status.AcceptedPlan != nil:
		excluded = t.Status.AcceptedPlan.Excluded
	}
	return string(stands.Body), excluded, nil
}

// planChangedText is for a session whose plan a person has changed themselves, and accepted theirs.
const planChangedText = "A PERSON CHANGED YOUR PLAN and accepted theirs. Do not follow yours. "

// ownPlan begins the title of a request about a plan that a worker makes of its own.
const ownPlan = "follow this plan: "

// planOfRun asks about a plan that a worker makes of its own: that of its task is accepted, and what it adds to
// that is for the same person to decide.
func (h *session) planOfRun(ctx context.Context, snap *snapshot.Snapshot, c *Call, text string) (desk.Review, error) {
	no := false
	args, err := json.Marshal(map[string]string{"plan": text})
	if err != nil {
		return desk.Review{}, err
	}
	if q, ok := h.askedPlan(snap, args); ok {
		return h.desk.Look(ctx, q.ID)
	}
	return h.ask(ctx, snap, desk.Question{
		Kind: desk.KindAction, Title: title(ownPlan+planTitle(text), maxTitle),
		Detail: "The worker asks to follow its own plan, within the accepted one:\n\n" + clip(text, desk.MaxDetail/2) + "\n",
		Args:   args, AllowEdit: &no, Key: h.deferredKey(c),
	})
}

// planAllowed lets a plan through that planOfRun has asked about: the event does not tell the call's id.
func (h *session) planAllowed(ctx context.Context, c *Call) reply {
	snap, err := h.snapshot(ctx)
	if err != nil {
		return nothing() // the permission_prompt tool is asked, too
	}
	args, err := json.Marshal(map[string]string{"plan": parseObject(c.Input).text("plan")})
	if err != nil {
		return nothing()
	}
	if q, ok := h.askedPlan(snap, args); ok && q.State == model.RequestAccepted {
		r, err := h.desk.Look(ctx, q.ID)
		if err != nil {
			return nothing()
		}
		return h.allowedBy(&r, c, nil)
	}
	return nothing()
}

// askedPlan is the request about a plan of the run's worker: its text is what was asked.
func (h *session) askedPlan(snap *snapshot.Snapshot, args []byte) (model.Request, bool) {
	for _, q := range slices.Backward(snap.Requests()) {
		if q.State != model.RequestSuperseded && strings.HasPrefix(q.Key, model.DeferredPrefix(h.owner)) && strings.HasPrefix(q.Title, ownPlan) && sameJSON(q.Args, args) {
			return q, true
		}
	}
	return model.Request{}, false
}

// handIn makes a plan the next revision of the session's task, or makes a task of it.
func (h *session) handIn(ctx context.Context, snap *snapshot.Snapshot, text, prompt string) (desk.Review, error) {
	t := h.bound(snap)
	if t != nil {
		was, err := h.handedIn(ctx, t, text)
		switch {
		case err != nil:
			return desk.Review{}, err
		case was:
			return h.desk.Look(ctx, desk.PlanReviewID(t.UID, t.Status.PlanRevision))
		}
	}
	if t == nil || wentOn(t) {
		var err error
		if t, err = h.newTask(ctx, text, prompt, t); err != nil {
			return desk.Review{}, err
		}
	}
	return h.desk.SubmitPlan(ctx, desk.Plan{
		TaskID: string(t.UID), BaseVersion: t.Status.PlanRevision, PlanMD: text, Responses: h.responses(ctx, t, text),
	})
}

// mostRevisions is how far back a plan is looked for among those of its task.
const mostRevisions = 50

// handedIn reports that a plan is a revision of the task's plan already: the call comes again, also when a person has
// written another version since.
func (h *session) handedIn(ctx context.Context, t *model.Task, text string) (bool, error) {
	for n := t.Status.PlanRevision; n > max(0, t.Status.PlanRevision-mostRevisions); n-- {
		c, err := h.s.Revision(ctx, t.UID, model.Plan, n)
		if errors.Is(err, model.ErrNoContent) {
			continue
		}
		if err != nil {
			return false, err
		}
		if string(c.Body) == text {
			return true, nil
		}
	}
	if t.Status.AcceptedPlan == nil {
		return false, nil
	}
	// The client has written what it was given into its plan file.
	r, err := h.desk.Look(ctx, desk.PlanReviewID(t.UID, t.Status.PlanRevision))
	if err != nil || r.State != desk.StateAccepted {
		return false, err
	}
	c, err := h.s.Content(ctx, t.UID, model.Plan)
	return err == nil && asAccepted(saidWith(&r), string(c.Body), t.Status.AcceptedPlan.Excluded) == text, err
}

// wentOn reports a task of which another plan is no longer wanted.
func wentOn(t *model.Task) bool {
	switch t.Status.CurrentState {
	case model.Created, model.ObjectiveDefined, model.Replanned:
		return false
	case model.PlanDefined:
		return t.Status.AcceptedPlan != nil
	}
	return true
}

// newTask makes a task of a plan: named by its title, for what the person asked for. Killed before the plan is handed
// in, it is found by the session that it says.
func (h *session) newTask(ctx context.Context, text, prompt string, before *model.Task) (*model.Task, error) {
	objective := strings.TrimSpace(visible.String(prompt))
	if objective == "" {
		objective = planTitle(text)
	}
	n := &model.NewTask{Name: planTitle(text), Objective: clip(objective, maxPrompt) + "\n", Spec: &model.Spec{
		Context: []model.ExtraField{model.TextField(sessionKey, h.owner)},
	}}
	after := ""
	if before != nil {
		after = string(before.UID)
	}
	applied, err := h.desk.Do(ctx, model.Op{ID: "hook-" + digest("task", h.owner, after), Name: model.CreateTask, Args: *n})
	if err != nil {
		return nil, err
	}
	snap, err := h.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	h.task = ""
	h.bind(snap)
	if t, ok := snap.Task(h.task); ok && (before == nil || t.UID != before.UID) {
		return t, nil
	}
	return nil, fmt.Errorf("the task created for the plan is missing (operation %s)", applied.Change.Op.ID)
}

// planTitle is what a plan is called: its first heading, else its first line.
func planTitle(text string) string {
	first := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		head := strings.TrimLeft(line, "#")
		name := title(strings.Trim(strings.TrimSpace(head), "*_ "), 80)
		name = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(name, "Plan:"), "Implementation plan:"))
		switch {
		case name == "" || name == "---":
		case head != line && !strings.EqualFold(name, "plan"):
			return name
		case first == "" && head == line:
			first = name
		}
	}
	if first == "" {
		return "A plan"
	}
	return first
}

// answerLine is a line of a plan that answers a comment on the one before: "- c1a2b3c: addressed, now step 2".
var answerLine = lazyregexp.New("^[-*+]?\\s*[\\[`*]*(c[0-9a-f]{4,64})[\\]`*]*\\s*[:–—-]\\s*[`*]*(addressed|declined|answered)\\b[`*]*[\\s:;,.–—-]*(.*)$")

// responses are the answers to open comments that a plan has in lines of their own.
func (h *session) responses(ctx context.Context, t *model.Task, text string) []desk.Response {
	if t.Status.Comments == nil || t.Status.Comments.Open == 0 {
		return nil
	}
	r, err := h.desk.Look(ctx, desk.PlanReviewID(t.UID, t.Status.PlanRevision))
	if err != nil {
		return nil // the desk says what is missing
	}
	var out []desk.Response
	for line := range strings.Lines(text) {
		m := answerLine.Get().FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || slices.ContainsFunc(out, func(o desk.Response) bool { return o.FeedbackID == m[1] }) {
			continue
		}
		for i := range r.Feedback {
			if f := &r.Feedback[i]; f.ID == m[1] && f.State == string(model.CommentOpen) {
				out = append(out, desk.Response{FeedbackID: f.ID, Resolution: m[2], Text: strings.TrimSpace(m[3])})
			}
		}
	}
	return out
}

// claim starts the task for the session. That it may not be started yet is no reason not to leave the plan mode:
// the desk says so when it is reported.
func (h *session) claim(ctx context.Context, uid model.UID) {
	_, _ = h.desk.Do(ctx, model.Op{ID: "hook-" + digest("start", h.owner, string(uid)), Name: model.Start, UID: uid})
}

// planSentBack is the order that a plan that was not accepted comes with.
func (h *session) planSentBack(r *desk.Review) reply {
	if r.Kind != desk.KindPlan {
		return deny(decidedText(r, "this plan"))
	}
	var b strings.Builder
	switch r.State {
	case desk.StateChanges, desk.StateRejected:
		fmt.Fprintf(&b, "YOUR PLAN WAS NOT ACCEPTED by %s (%s, version %d). Do not start the work, and do not submit the same plan again.\n", visible.Line(r.By), visible.Line(r.Task), r.Version)
	default:
		fmt.Fprintf(&b, "THIS PLAN IS NO LONGER VALID (it is %s). Do not follow it.\n", r.State)
	}
	if text := strings.TrimSpace(r.Text); text != "" {
		fmt.Fprintf(&b, "They say:\n%s\n", fence("", visible.String(text)))
	}
	b.WriteString(feedback(r))
	b.WriteString("Now write a complete new plan that does what they ask, and call ExitPlanMode with it.\n")
	return deny(b.String())
}

// feedback lists the comments that the next plan has to answer, and says how.
func feedback(r *desk.Review) string {
	list, first := openComments(r)
	if list == "" {
		return ""
	}
	return "Their comments:\n" + list +
		"Answer each of them: end the new plan with a section \"Answers\" that has one line for each, such as\n" +
		"- " + first + ": addressed: what was changed\n" +
		"with addressed (the plan is changed as it asks), declined (it is not, and why) or answered (what the answer is).\n"
}

// openComments lists the comments that wait for an answer, with the id of the first.
func openComments(r *desk.Review) (list, first string) {
	var b strings.Builder
	for i := range r.Feedback {
		f := &r.Feedback[i]
		if f.State != string(model.CommentOpen) {
			continue
		}
		if first == "" {
			first = f.ID
		}
		fmt.Fprintf(&b, "- %s (%s%s", f.ID, f.Kind, map[bool]string{true: ", blocking"}[f.Blocking])
		switch {
		case f.From > 0 && f.To > f.From:
			fmt.Fprintf(&b, ", %s lines %d to %d", f.Doc, f.From, f.To)
		case f.From > 0:
			fmt.Fprintf(&b, ", %s line %d", f.Doc, f.From)
		}
		b.WriteString("): " + strings.ReplaceAll(visible.String(strings.TrimSpace(f.Text)), "\n", "\n  ") + "\n")
		if len(f.Quote) > 0 {
			b.WriteString("  on: " + title(strings.Join(f.Quote, " "), 300) + "\n")
		}
	}
	return b.String(), first
}

// planRefused is the answer where a plan is not taken.
func (h *session) planRefused(err error) reply {
	var e *desk.Error
	var no *model.Refusal
	switch {
	case errors.As(err, &no) && no.Guard == model.GuardAnswers:
		return deny("YOUR PLAN WAS NOT TAKEN: " + visible.String(no.Why) + ". End the plan with a section \"Answers\" that has one line for each of them, such as \"- c1a2b3c: addressed: what was changed\" " +
			"(or declined: why not, or answered: the answer), then call ExitPlanMode again.")
	case errors.As(err, &e) && e.Code != desk.CodeFailed && e.Code != desk.CodeCanceled && e.Code != desk.CodeKey:
		return deny("YOUR PLAN WAS NOT TAKEN: " + e.Message + "\n" + e.Next)
	}
	return h.refused(err)
}

// withPlan is the input of ExitPlanMode with another plan.
func withPlan(input jsontext.Value, plan string) jsontext.Value {
	text, err := json.Marshal(plan)
	if err != nil {
		return input
	}
	return withMember(input, "plan", text)
}

// withMember is an object with one member in place of what it had under that key; everything else stays as it was
// written.
func withMember(o jsontext.Value, key string, value jsontext.Value) jsontext.Value {
	in := parseObject(o)
	trimmed := strings.TrimSpace(string(o))
	name, err := json.Marshal(key)
	if err != nil || in == nil || !strings.HasSuffix(trimmed, "}") {
		return o
	}
	if _, there := in[key]; there {
		in[key] = value
		out, err := json.Marshal(in, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return o
		}
		return out
	}
	body := strings.TrimSpace(strings.TrimSuffix(trimmed, "}"))
	if body != "{" {
		body += ","
	}
	return jsontext.Value(body + string(name) + ":" + string(value) + "}")
}
