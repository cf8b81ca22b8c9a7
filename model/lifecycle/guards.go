package lifecycle

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
)

// check is a guard with the function that runs it. The function returns nil when the
// guard is satisfied.
type check struct {
	GuardInfo
	run func(*step) *model.Refusal
}

// refuse makes the refusal of the step's operation.
func (s *step) refuse(code model.Code, g model.Guard, why, hint string) *model.Refusal {
	r := &model.Refusal{Code: code, Op: s.op.Name, UID: s.op.UID, Guard: g, Why: why, Hint: hint}
	if s.task != nil {
		r.Task = s.task.Config.Name
	}
	return r
}

// The guards that rows share.
var (
	needTask = check{GuardInfo{model.GuardExists, "a task in this store"}, func(s *step) *model.Refusal {
		if s.task != nil {
			return nil
		}
		return s.refuse(model.CodeNotFound, model.GuardExists, fmt.Sprintf("unknown task %q", s.op.UID),
			"`vespe ls` lists tasks")
	}}
	needReadable = check{GuardInfo{model.GuardReadable, "readable files"}, func(s *step) *model.Refusal {
		return refuseUnreadable(s, s.task)
	}}
	needActor    = check{GuardInfo{model.GuardActor, "an actor who may do this"}, checkActor}
	needRevision = check{GuardInfo{model.GuardRevision, "a status.json that hasn't changed since the caller read it"}, func(s *step) *model.Refusal {
		now, want := s.task.Status.Revision, s.op.ExpectRevision
		if want == 0 || now == want {
			return nil
		}
		return s.refuse(model.CodeConflict, model.GuardRevision,
			fmt.Sprintf("it has changed: expected revision %d, found %d", want, now),
			"look at it again, then retry")
	}}
	needNotFinal = check{GuardInfo{model.GuardNotFinal, "a task that is not final"}, func(s *step) *model.Refusal {
		if !s.task.IsFinal() {
			return nil
		}
		return s.refuse(model.CodeRefused, model.GuardNotFinal, "it "+endedHow(s.task)+", and that is final", finalHint(s.task))
	}}
	needNotOver = check{GuardInfo{model.GuardNotFinal, "a task that is not final; a person may end a failed one"}, func(s *step) *model.Refusal {
		if s.task.Status.CurrentState == model.Failed && s.op.Actor.Kind() == model.Human {
			return nil
		}
		return needNotFinal.run(s)
	}}
	needState = check{GuardInfo{model.GuardState, "a state that it can start from"}, func(s *step) *model.Refusal {
		if slices.Contains(s.row.From, stateOf(s.task)) {
			return nil
		}
		return refuseState(s)
	}}
	needReason = check{GuardInfo{model.GuardReason, "a reason"}, func(s *step) *model.Refusal {
		if s.trial || strings.TrimSpace(s.op.Reason) != "" {
			return nil
		}
		return s.refuse(model.CodeInvalid, model.GuardReason, "it needs a reason",
			"give a reason; the next person or agent on the task sees it")
	}}
	needReasonOrComment = check{GuardInfo{model.GuardReason, "a reason, or comments"}, func(s *step) *model.Refusal {
		if len(s.op.Comments()) > 0 {
			return nil
		}
		return needReason.run(s)
	}}
	needNotPaused = check{GuardInfo{model.GuardNotPaused, "a task that is not paused"}, func(s *step) *model.Refusal {
		if !s.task.Status.IsPaused || isOwnConsent(s) {
			return nil
		}
		return s.refuse(model.CodeRefused, model.GuardNotPaused, "it is "+pausedHow(s.task), unpauseHint(s.task))
	}}
)

// refuseUnreadable refuses what touches a task that has an Error-severity problem.
func refuseUnreadable(s *step, t *model.Task) *model.Refusal {
	if !t.Unreadable() {
		return nil
	}
	for _, p := range t.Problems {
		if p.Severity != model.Error {
			continue
		}
		where := p.Path
		if p.Line > 0 {
			where = fmt.Sprintf("%s:%d", p.Path, p.Line)
		}
		hint := p.Hint
		if hint == "" {
			hint = "repair " + where
		}
		return s.refuse(model.CodeRefused, model.GuardReadable, fmt.Sprintf("%s cannot be read: %s", where, p.Reason), hint)
	}
	return nil
}

func checkActor(s *step) *model.Refusal {
	if _, err := model.ParseActor(string(s.op.Actor)); err != nil {
		return s.refuse(model.CodeInvalid, model.GuardActor, err.Error(), "name the actor, for example human:ann")
	}
	kind := s.op.Actor.Kind()
	who := s.row.Who
	if who == WhoHumanForHITL && s.task != nil && s.task.Status.WaitsForPerson() {
		who = WhoHuman
	}
	if model.ArgsOf[model.Decomposition](&s.op).Plan != "" {
		who = WhoHuman
	}
	switch {
	case who == WhoHuman && kind != model.Human:
		return s.refuse(model.CodeDenied, model.GuardActor,
			fmt.Sprintf("only a person can do this, and %s isn't one", s.op.Actor), "leave it to a person")
	case who == WhoHumanOrSystem && kind != model.Human && kind != model.System:
		return s.refuse(model.CodeDenied, model.GuardActor,
			fmt.Sprintf("only a person or vespe itself can do this, and %s is neither", s.op.Actor), "leave it to a person")
	case who == WhoSystem && kind != model.System:
		return s.refuse(model.CodeDenied, model.GuardActor, "vespe does this itself",
			"it happens when the subtask ends")
	}
	return nil
}

// refuseState says which state is needed and what leads there.
func refuseState(s *step) *model.Refusal {
	at := stateOf(s.task)
	hint := s.row.stateHints[at]
	if at == model.Working && s.task.Status.AcceptedPlan == nil && s.op.Name == model.RejectPlan {
		hint = unapprovedHint
	}
	if hint == "" {
		hint = stepForward[at]
		if at == model.PlanDefined && s.task.Status.AcceptedPlan != nil {
			hint = "start it first"
		}
	}
	if hint == "" {
		hint = "set current_state of status.json to one of the nine states"
	}
	why := fmt.Sprintf("its status is %s; this needs %s", goingWord(s.task), s.op.Name.Needs())
	if how := decidedHow(s.task); how != "" && s.row.Verdict && s.op.Name != model.Replan {
		why = how + ": " + why // of two who decide at once, the other did
	}
	return s.refuse(model.CodeRefused, model.GuardState, why, hint)
}

// goingWord is what the task's own files say of it, whether it is paused or changed or not.
func goingWord(t *model.Task) string {
	if at := stateOf(t); at != model.Failed && at != model.Aborted && !slices.Contains(anyOpen, at) {
		return string(at)
	}
	going := *t
	going.Status.IsPaused = false
	return model.StatusOf(&going, false).String()
}

// unapprovedHint leads out of a state that stands in status.json, from another clone or an
// editor, without a verdict that was given to this vespe.
const unapprovedHint = "replan it, or accept its plan: it is working, but its plan isn't accepted in this clone"

// finalHint is what to do about a task that has ended for good.
func finalHint(t *model.Task) string {
	if t.Status.CurrentState == model.Completed {
		return stepForward[model.Aborted]
	}
	return stepForward[t.Status.CurrentState]
}

// StepForward is what a person does next with a task in a state.
func StepForward(st model.State) string { return stepForward[st] }

// stepForward is the next step of the lifecycle from each state.
var stepForward = map[model.State]string{
	model.Created:          "define its objective first",
	model.ObjectiveDefined: "define its plan first",
	model.PlanDefined:      "ask a person to accept its plan first",
	model.Working:          "complete the work first",
	model.Errored:          "retry it, or replan it",
	model.Completed:        "accept or reject the work",
	model.Replanned:        "define a new plan first",
	model.Failed:           "a person can reopen or skip it; or create a new task for the remaining work",
	model.Aborted:          "create a new task for the rest of the work",
}

const (
	maxOpID = 256 // bytes
)

// checkTexts refuses what could be written and never be read again. It comes before the
// row's own guards, because it is the same for every row.
func checkTexts(s *step) *model.Refusal {
	op := &s.op
	limit := maxNote
	if op.Name == model.DefineObjective || op.Name == model.DefinePlan {
		limit = maxDocument
	}
	large := func(g model.Guard, what string, n, limit int) *model.Refusal {
		return s.refuse(model.CodeInvalid, g, fmt.Sprintf("%s has %d bytes, the limit is %d", what, n, limit),
			"shorten it; put long output into a file below result/")
	}
	switch {
	case !utf8.ValidString(op.ID) || len(op.ID) > maxOpID:
		return s.refuse(model.CodeInvalid, model.GuardOperation, "the operation's id is too long or not valid UTF-8",
			fmt.Sprintf("use at most %d bytes of plain text", maxOpID))
	case !utf8.ValidString(op.Reason):
		return s.refuse(model.CodeInvalid, model.GuardReason, "the reason is not valid UTF-8", "save it as UTF-8")
	case len(op.Reason) > maxNote:
		return large(model.GuardReason, "the reason", len(op.Reason), maxNote)
	case !utf8.ValidString(op.Signature) || len(op.Signature) > maxNote:
		return s.refuse(model.CodeInvalid, model.GuardLevel, "the signature is too long or not text", "sign it with `ssh-keygen -Y sign`")
	case !utf8.ValidString(op.Text()):
		return s.refuse(model.CodeInvalid, model.GuardText, "the text is not valid UTF-8", "save it as UTF-8")
	case len(op.Text()) > limit:
		return large(model.GuardText, "the text", len(op.Text()), limit)
	}
	return nil
}

// needText is the guard of an argument of many lines. what is what it holds: "a plan".
func needText(what string) check {
	return check{GuardInfo{model.GuardText, what}, func(s *step) *model.Refusal {
		switch {
		case !utf8.ValidString(s.op.Text()): // what a phase left, for one
			return s.refuse(model.CodeInvalid, model.GuardText, "the text is not valid UTF-8", "save it as UTF-8")
		case len(s.op.Text()) > maxDocument:
			return s.refuse(model.CodeInvalid, model.GuardText,
				fmt.Sprintf("the text has %d bytes, the limit is %d", len(s.op.Text()), maxDocument), "shorten it")
		case s.trial, s.phasePreview, strings.TrimSpace(s.op.Text()) != "":
			return nil
		}
		return s.refuse(model.CodeInvalid, model.GuardText, what+" can't be blank", "write something")
	}}
}

// needNewText refuses to make a revision that would say what the last one says.
func needNewText(d model.Doc) check {
	return check{GuardInfo{model.GuardTextNew, "a text that differs from the current one"}, func(s *step) *model.Refusal {
		st := s.task.Status.CurrentState
		standing := d == model.Objective && st == model.ObjectiveDefined || d == model.Plan && st == model.PlanDefined
		if s.trial || s.phasePreview || !standing {
			return nil
		}
		c, known, r := s.doc(s.task, d)
		if r != nil || !known || c.Revision == 0 || string(c.Body) != s.op.Text() {
			return r
		}
		return s.refuse(model.CodeRefused, model.GuardTextNew, fmt.Sprintf("the %s already says exactly this", d), "change the text")
	}}
}

// needSeen refuses when what the caller looked at is not what is there. docs are the ones
// that matter to the row.
func needSeen(docs ...model.Doc) check {
	return check{GuardInfo{model.GuardSeen, "documents that haven't changed since the caller read them"}, func(s *step) *model.Refusal {
		if s.op.Seen == nil {
			return nil
		}
		var diffs []model.ContentDiff
		for _, d := range docs {
			want := s.op.Seen.PlanHash
			if d == model.Objective {
				want = s.op.Seen.ObjectiveHash
			}
			c, known, r := s.doc(s.task, d)
			if r != nil {
				return r
			}
			if known && c.Hash != want {
				c.Doc = d
				diffs = append(diffs, model.ContentDiff{Doc: d, File: string(d) + ".md", Seen: want, Now: c})
			}
		}
		if seen := s.op.Seen; seen.Bound != nil && seen.Verdict != VerdictOn(s.task) {
			return s.refuse(model.CodeConflict, model.GuardSeen, "it was decided since you looked: "+cmp.Or(decidedHow(s.task), "the verdict on it was undone"),
				"look at it again, then decide")
		}
		more, r := unseen(s)
		if r != nil {
			return r
		}
		diffs = append(diffs, more...)
		if len(diffs) == 0 {
			return nil
		}
		r = s.refuse(model.CodeConflict, model.GuardSeen, s.diffNames(diffs)+" changed since you looked",
			"read the difference, then decide again")
		r.Changed = diffs
		return r
	}}
}

// diffNames are the files of diffs as the subject of a sentence: `the plan and spec.json`.
func (x *tx) diffNames(diffs []model.ContentDiff) string {
	var words []string
	for _, d := range diffs {
		switch {
		case d.Doc != "":
			words = append(words, "the "+string(d.Doc))
		case d.File == model.BoundPolicy:
			words = append(words, "the project's config.json")
		case d.File == model.BoundComments:
			words = append(words, "the comments")
		case d.File == model.BoundResult:
			words = append(words, "the result")
		default:
			words = append(words, x.fileOf(d.File))
		}
	}
	return listing(words)
}

// listing joins words as a sentence does.
func listing(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// doc is today's version of a document of t. known is false in a world without bytes.
// Content is zero when the document is not there.
func (x *tx) doc(t *model.Task, d model.Doc) (c model.Content, known bool, r *model.Refusal) {
	has := t.HasPlan
	if d == model.Objective {
		has = t.HasObjective
	}
	c, err := x.w.Content(t.UID, d)
	switch {
	case err == nil:
		if c.Hash == "" {
			c.Hash = model.HashBytes(c.Body)
		}
		return c, true, nil
	case errors.Is(err, model.ErrNoContent):
		return model.Content{Doc: d}, !has, nil
	case errors.Is(err, model.ErrUnread) && x.op.Name == model.ExternalEdit:
		return model.Content{Doc: d}, false, nil // what else was edited is taken over; it decides nothing
	}
	return model.Content{}, false, &model.Refusal{
		Code: model.CodeRefused, Op: x.op.Name, UID: t.UID, Task: t.Config.Name, Guard: model.GuardReadable,
		Why: fmt.Sprintf("can't read %s.md: %v", d, err), Hint: "repair the file, then retry",
	}
}

// resultHash is the hash of result/; known is false in a world without bytes.
func (x *tx) resultHash(t *model.Task) (hash string, known bool, r *model.Refusal) {
	hash, err := x.w.ResultHash(t.UID)
	switch {
	case err == nil:
		return hash, true, nil
	case errors.Is(err, model.ErrNoContent):
		return "", false, nil
	}
	return "", false, &model.Refusal{
		Code: model.CodeRefused, Op: x.op.Name, UID: t.UID, Task: t.Config.Name, Guard: model.GuardReadable,
		Why: fmt.Sprintf("can't read result/: %v", err), Hint: "repair the files, then retry",
	}
}

// maxDocument bounds an objective or a plan, in bytes: half of what the store reads.
const maxDocument = 16 << 20

// maxNote bounds what is typed beside the documents: a reason, a summary, the details of
// an error, in bytes. status.json keeps several of them, each of which JSON may make six
// times as long, and one that grew beyond MaxJSON could never be read again.
const maxNote = 64 << 10
