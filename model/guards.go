package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// check is a guard with the function that runs it. The function returns nil when the
// guard is satisfied.
type check struct {
	GuardInfo
	run func(*step) *Refusal
}

// refuse makes the refusal of the step's operation.
func (s *step) refuse(code Code, g Guard, why, hint string) *Refusal {
	r := &Refusal{Code: code, Op: s.op.Name, UID: s.op.UID, Guard: g, Why: why, Hint: hint}
	if s.task != nil {
		r.Task = s.task.Config.Name
	}
	return r
}

// The guards that rows share.
var (
	needTask = check{GuardInfo{GuardExists, "a task in this store"}, func(s *step) *Refusal {
		if s.task != nil {
			return nil
		}
		return s.refuse(CodeNotFound, GuardExists, fmt.Sprintf("unknown task %q", s.op.UID),
			"`vespe ls` lists tasks")
	}}
	needReadable = check{GuardInfo{GuardReadable, "readable files"}, func(s *step) *Refusal {
		return s.refuseUnreadable(s.task)
	}}
	needActor    = check{GuardInfo{GuardActor, "an actor who may do this"}, (*step).checkActor}
	needRevision = check{GuardInfo{GuardRevision, "a status.json that hasn't changed since the caller read it"}, func(s *step) *Refusal {
		now, want := s.task.Status.Revision, s.op.ExpectRevision
		if want == 0 || now == want {
			return nil
		}
		return s.refuse(CodeConflict, GuardRevision,
			fmt.Sprintf("it has changed: expected revision %d, found %d", want, now),
			"look at it again, then retry")
	}}
	needNotFinal = check{GuardInfo{GuardNotFinal, "a task that is not final"}, func(s *step) *Refusal {
		if !s.task.IsFinal() {
			return nil
		}
		return s.refuse(CodeRefused, GuardNotFinal, "it "+endedHow(s.task)+", and that is final", finalHint(s.task))
	}}
	needNotOver = check{GuardInfo{GuardNotFinal, "a task that is not final; a person may end a failed one"}, func(s *step) *Refusal {
		if s.task.Status.CurrentState == Failed && s.op.Actor.Kind() == Human {
			return nil
		}
		return needNotFinal.run(s)
	}}
	needState = check{GuardInfo{GuardState, "a state that it can start from"}, func(s *step) *Refusal {
		if slices.Contains(s.row.From, stateOf(s.task)) {
			return nil
		}
		return s.refuseState()
	}}
	needReason = check{GuardInfo{GuardReason, "a reason"}, func(s *step) *Refusal {
		if s.trial || strings.TrimSpace(s.op.Reason) != "" {
			return nil
		}
		return s.refuse(CodeInvalid, GuardReason, "it needs a reason",
			"give a reason; the next person or agent on the task sees it")
	}}
	needReasonOrComment = check{GuardInfo{GuardReason, "a reason, or comments"}, func(s *step) *Refusal {
		if len(s.op.Comments()) > 0 {
			return nil
		}
		return needReason.run(s)
	}}
	needNotPaused = check{GuardInfo{GuardNotPaused, "a task that is not paused"}, func(s *step) *Refusal {
		if !s.task.Status.IsPaused || s.isOwnConsent() {
			return nil
		}
		return s.refuse(CodeRefused, GuardNotPaused, "it is "+pausedHow(s.task), unpauseHint(s.task))
	}}
)

// refuseUnreadable refuses what touches a task that has an Error-severity problem.
func (s *step) refuseUnreadable(t *Task) *Refusal {
	if !t.Unreadable() {
		return nil
	}
	for _, p := range t.Problems {
		if p.Severity != Error {
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
		return s.refuse(CodeRefused, GuardReadable, fmt.Sprintf("%s cannot be read: %s", where, p.Reason), hint)
	}
	return nil
}

func (s *step) checkActor() *Refusal {
	if _, err := ParseActor(string(s.op.Actor)); err != nil {
		return s.refuse(CodeInvalid, GuardActor, err.Error(), "name the actor, for example human:ann")
	}
	kind := s.op.Actor.Kind()
	who := s.row.Who
	if who == WhoHumanForHITL && s.task != nil && s.task.Status.WaitsForPerson() {
		who = WhoHuman
	}
	if ArgsOf[Decomposition](&s.op).Plan != "" {
		who = WhoHuman
	}
	switch {
	case who == WhoHuman && kind != Human:
		return s.refuse(CodeDenied, GuardActor,
			fmt.Sprintf("only a person can do this, and %s isn't one", s.op.Actor), "leave it to a person")
	case who == WhoHumanOrSystem && kind != Human && kind != System:
		return s.refuse(CodeDenied, GuardActor,
			fmt.Sprintf("only a person or vespe itself can do this, and %s is neither", s.op.Actor), "leave it to a person")
	case who == WhoSystem && kind != System:
		return s.refuse(CodeDenied, GuardActor, "vespe does this itself",
			"it happens when the subtask ends")
	}
	return nil
}

// refuseState says which state is needed and what leads there.
func (s *step) refuseState() *Refusal {
	at := stateOf(s.task)
	hint := s.row.stateHints[at]
	if at == Working && s.task.Status.AcceptedPlan == nil && s.op.Name == RejectPlan {
		hint = unapprovedHint
	}
	if hint == "" {
		hint = stepForward[at]
		if at == PlanDefined && s.task.Status.AcceptedPlan != nil {
			hint = "start it first"
		}
	}
	if hint == "" {
		hint = "set current_state of status.json to one of the nine states"
	}
	why := fmt.Sprintf("its status is %s; this needs %s", goingWord(s.task), s.op.Name.Needs())
	if how := decidedHow(s.task); how != "" && s.row.Verdict && s.op.Name != Replan {
		why = how + ": " + why // of two who decide at once, the other did
	}
	return s.refuse(CodeRefused, GuardState, why, hint)
}

// goingWord is what the task's own files say of it, whether it is paused or changed or not.
func goingWord(t *Task) string {
	if at := stateOf(t); at != Failed && at != Aborted && !slices.Contains(anyOpen, at) {
		return string(at)
	}
	going := *t
	going.Status.IsPaused = false
	return StatusOf(&going, false).String()
}

// unapprovedHint leads out of a state that stands in status.json, from another clone or an
// editor, without a verdict that was given to this vespe.
const unapprovedHint = "replan it, or accept its plan: it is working, but its plan isn't accepted in this clone"

// finalHint is what to do about a task that has ended for good.
func finalHint(t *Task) string {
	if t.Status.CurrentState == Completed {
		return stepForward[Aborted]
	}
	return stepForward[t.Status.CurrentState]
}

// StepForward is what a person does next with a task in a state.
func StepForward(st State) string { return stepForward[st] }

// stepForward is the next step of the lifecycle from each state.
var stepForward = map[State]string{
	Created:          "define its objective first",
	ObjectiveDefined: "define its plan first",
	PlanDefined:      "ask a person to accept its plan first",
	Working:          "complete the work first",
	Errored:          "retry it, or replan it",
	Completed:        "accept or reject the work",
	Replanned:        "define a new plan first",
	Failed:           "a person can reopen or skip it; or create a new task for the remaining work",
	Aborted:          "create a new task for the rest of the work",
}

const (
	maxOpID = 256 // bytes
)

// checkTexts refuses what could be written and never be read again. It comes before the
// row's own guards, because it is the same for every row.
func (s *step) checkTexts() *Refusal {
	op := &s.op
	limit := maxNote
	if op.Name == DefineObjective || op.Name == DefinePlan {
		limit = maxDocument
	}
	large := func(g Guard, what string, n, limit int) *Refusal {
		return s.refuse(CodeInvalid, g, fmt.Sprintf("%s has %d bytes, the limit is %d", what, n, limit),
			"shorten it; put long output into a file below result/")
	}
	switch {
	case !utf8.ValidString(op.ID) || len(op.ID) > maxOpID:
		return s.refuse(CodeInvalid, GuardOperation, "the operation's id is too long or not valid UTF-8",
			fmt.Sprintf("use at most %d bytes of plain text", maxOpID))
	case !utf8.ValidString(op.Reason):
		return s.refuse(CodeInvalid, GuardReason, "the reason is not valid UTF-8", "save it as UTF-8")
	case len(op.Reason) > maxNote:
		return large(GuardReason, "the reason", len(op.Reason), maxNote)
	case !utf8.ValidString(op.Signature) || len(op.Signature) > maxNote:
		return s.refuse(CodeInvalid, GuardLevel, "the signature is too long or not text", "sign it with `ssh-keygen -Y sign`")
	case !utf8.ValidString(op.Text()):
		return s.refuse(CodeInvalid, GuardText, "the text is not valid UTF-8", "save it as UTF-8")
	case len(op.Text()) > limit:
		return large(GuardText, "the text", len(op.Text()), limit)
	}
	return nil
}

// needText is the guard of an argument of many lines. what is what it holds: "a plan".
func needText(what string) check {
	return check{GuardInfo{GuardText, what}, func(s *step) *Refusal {
		switch {
		case !utf8.ValidString(s.op.Text()): // what a phase left, for one
			return s.refuse(CodeInvalid, GuardText, "the text is not valid UTF-8", "save it as UTF-8")
		case len(s.op.Text()) > maxDocument:
			return s.refuse(CodeInvalid, GuardText,
				fmt.Sprintf("the text has %d bytes, the limit is %d", len(s.op.Text()), maxDocument), "shorten it")
		case s.trial, s.phasePreview, strings.TrimSpace(s.op.Text()) != "":
			return nil
		}
		return s.refuse(CodeInvalid, GuardText, what+" can't be blank", "write something")
	}}
}

// needNewText refuses to make a revision that would say what the last one says.
func needNewText(d Doc) check {
	return check{GuardInfo{GuardTextNew, "a text that differs from the current one"}, func(s *step) *Refusal {
		st := s.task.Status.CurrentState
		standing := d == Objective && st == ObjectiveDefined || d == Plan && st == PlanDefined
		if s.trial || s.phasePreview || !standing {
			return nil
		}
		c, known, r := s.doc(s.task, d)
		if r != nil || !known || c.Revision == 0 || string(c.Body) != s.op.Text() {
			return r
		}
		return s.refuse(CodeRefused, GuardTextNew, fmt.Sprintf("the %s already says exactly this", d), "change the text")
	}}
}

// needSeen refuses when what the caller looked at is not what is there. docs are the ones
// that matter to the row.
func needSeen(docs ...Doc) check {
	return check{GuardInfo{GuardSeen, "documents that haven't changed since the caller read them"}, func(s *step) *Refusal {
		if s.op.Seen == nil {
			return nil
		}
		var diffs []ContentDiff
		for _, d := range docs {
			want := s.op.Seen.PlanHash
			if d == Objective {
				want = s.op.Seen.ObjectiveHash
			}
			c, known, r := s.doc(s.task, d)
			if r != nil {
				return r
			}
			if known && c.Hash != want {
				c.Doc = d
				diffs = append(diffs, ContentDiff{Doc: d, File: string(d) + ".md", Seen: want, Now: c})
			}
		}
		if seen := s.op.Seen; seen.Bound != nil && seen.Verdict != VerdictOn(s.task) {
			return s.refuse(CodeConflict, GuardSeen, "it was decided since you looked: "+cmp.Or(decidedHow(s.task), "the verdict on it was undone"),
				"look at it again, then decide")
		}
		more, r := s.unseen()
		if r != nil {
			return r
		}
		diffs = append(diffs, more...)
		if len(diffs) == 0 {
			return nil
		}
		r = s.refuse(CodeConflict, GuardSeen, s.diffNames(diffs)+" changed since you looked",
			"read the difference, then decide again")
		r.Changed = diffs
		return r
	}}
}

// diffNames are the files of diffs as the subject of a sentence: `the plan and spec.json`.
func (x *tx) diffNames(diffs []ContentDiff) string {
	var words []string
	for _, d := range diffs {
		switch {
		case d.Doc != "":
			words = append(words, "the "+string(d.Doc))
		case d.File == BoundPolicy:
			words = append(words, "the project's config.json")
		case d.File == BoundComments:
			words = append(words, "the comments")
		case d.File == BoundResult:
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
func (x *tx) doc(t *Task, d Doc) (c Content, known bool, r *Refusal) {
	has := t.HasPlan
	if d == Objective {
		has = t.HasObjective
	}
	c, err := x.w.Content(t.UID, d)
	switch {
	case err == nil:
		if c.Hash == "" {
			c.Hash = HashBytes(c.Body)
		}
		return c, true, nil
	case errors.Is(err, ErrNoContent):
		return Content{Doc: d}, !has, nil
	case errors.Is(err, ErrUnread) && x.op.Name == ExternalEdit:
		return Content{Doc: d}, false, nil // what else was edited is taken over; it decides nothing
	}
	return Content{}, false, &Refusal{
		Code: CodeRefused, Op: x.op.Name, UID: t.UID, Task: t.Config.Name, Guard: GuardReadable,
		Why: fmt.Sprintf("can't read %s.md: %v", d, err), Hint: "repair the file, then retry",
	}
}

// resultHash is the hash of result/; known is false in a world without bytes.
func (x *tx) resultHash(t *Task) (hash string, known bool, r *Refusal) {
	hash, err := x.w.ResultHash(t.UID)
	switch {
	case err == nil:
		return hash, true, nil
	case errors.Is(err, ErrNoContent):
		return "", false, nil
	}
	return "", false, &Refusal{
		Code: CodeRefused, Op: x.op.Name, UID: t.UID, Task: t.Config.Name, Guard: GuardReadable,
		Why: fmt.Sprintf("can't read result/: %v", err), Hint: "repair the files, then retry",
	}
}

// maxDocument bounds an objective or a plan, in bytes: half of what the store reads.
const maxDocument = 16 << 20

// maxNote bounds what is typed beside the documents: a reason, a summary, the details of
// an error, in bytes. status.json keeps several of them, each of which JSON may make six
// times as long, and one that grew beyond MaxJSON could never be read again.
const maxNote = 64 << 10
