package machine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/review"
)

// Guard is a guard with the function that runs it. The function returns nil when the
// guard is satisfied.
type Guard struct {
	model.GuardInfo
	Run func(*Step) *model.Refusal
}

// Need is a guard; needs is what must be so, after "needs".
func Need(id model.Guard, needs string, run func(*Step) *model.Refusal) Guard {
	return Guard{model.GuardInfo{ID: id, Needs: needs}, run}
}

// Refuse makes the refusal of the step's operation.
func (s *Step) Refuse(code model.Code, g model.Guard, why, hint string) *model.Refusal {
	r := &model.Refusal{Code: code, Op: s.Op.Name, UID: s.Op.UID, Guard: g, Why: why, Hint: hint}
	if s.Task != nil {
		r.Task = s.Task.Config.Name
	}
	return r
}

// The guards that rows share.
var (
	NeedTask = Need(model.GuardExists, "a task in this store", func(s *Step) *model.Refusal {
		if s.Task != nil {
			return nil
		}
		return s.Refuse(model.CodeNotFound, model.GuardExists, fmt.Sprintf("unknown task %q", s.Op.UID),
			"`vespe ls` lists tasks")
	})
	NeedReadable = Need(model.GuardReadable, "readable files", func(s *Step) *model.Refusal {
		return RefuseUnreadable(s, s.Task)
	})
	NeedActor    = Need(model.GuardActor, "an actor who may do this", checkActor)
	NeedRevision = Need(model.GuardRevision, "a status.json that hasn't changed since the caller read it", func(s *Step) *model.Refusal {
		now, want := s.Task.Status.Revision, s.Op.ExpectRevision
		if want == 0 || now == want {
			return nil
		}
		return s.Refuse(model.CodeConflict, model.GuardRevision,
			fmt.Sprintf("it has changed: expected revision %d, found %d", want, now),
			"look at it again, then retry")
	})
	NeedNotFinal = Need(model.GuardNotFinal, "a task that is not final", func(s *Step) *model.Refusal {
		if !s.Task.IsFinal() {
			return nil
		}
		return s.Refuse(model.CodeRefused, model.GuardNotFinal, "it "+EndedHow(s.Task)+", and that is final", finalHint(s.Task))
	})
	NeedNotOver = Need(model.GuardNotFinal, "a task that is not final; a person may end a failed one", func(s *Step) *model.Refusal {
		if s.Task.Status.CurrentState == model.Failed && s.Op.Actor.Kind() == model.Human {
			return nil
		}
		return NeedNotFinal.Run(s)
	})
	NeedState = Need(model.GuardState, "a state that it can start from", func(s *Step) *model.Refusal {
		if slices.Contains(s.Row.From, StateOf(s.Task)) {
			return nil
		}
		return RefuseState(s)
	})
	NeedReason = Need(model.GuardReason, "a reason", func(s *Step) *model.Refusal {
		if s.Trial || strings.TrimSpace(s.Op.Reason) != "" {
			return nil
		}
		return s.Refuse(model.CodeInvalid, model.GuardReason, "it needs a reason",
			"give a reason; the next person or agent on the task sees it")
	})
	NeedReasonOrComment = Need(model.GuardReason, "a reason, or comments", func(s *Step) *model.Refusal {
		if len(s.Op.Comments()) > 0 {
			return nil
		}
		return NeedReason.Run(s)
	})
)

// RefuseUnreadable refuses what touches a task that has an Error-severity problem.
func RefuseUnreadable(s *Step, t *model.Task) *model.Refusal {
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
		return s.Refuse(model.CodeRefused, model.GuardReadable, fmt.Sprintf("%s cannot be read: %s", where, p.Reason), hint)
	}
	return nil
}

func checkActor(s *Step) *model.Refusal {
	if _, err := model.ParseActor(string(s.Op.Actor)); err != nil {
		return s.Refuse(model.CodeInvalid, model.GuardActor, err.Error(), "name the actor, for example human:ann")
	}
	kind := s.Op.Actor.Kind()
	who := s.Row.Who
	if who == model.WhoHumanForHITL && s.Task != nil && s.Task.Status.WaitsForPerson() {
		who = model.WhoHuman
	}
	if model.ArgsOf[model.Decomposition](&s.Op).Plan != "" {
		who = model.WhoHuman
	}
	switch {
	case who == model.WhoHuman && kind != model.Human:
		return s.Refuse(model.CodeDenied, model.GuardActor,
			fmt.Sprintf("only a person can do this, and %s isn't one", s.Op.Actor), "leave it to a person")
	case who == model.WhoHumanOrSystem && kind != model.Human && kind != model.System:
		return s.Refuse(model.CodeDenied, model.GuardActor,
			fmt.Sprintf("only a person or vespe itself can do this, and %s is neither", s.Op.Actor), "leave it to a person")
	case who == model.WhoSystem && kind != model.System:
		return s.Refuse(model.CodeDenied, model.GuardActor, "vespe does this itself",
			"it happens when the subtask ends")
	}
	return nil
}

// RefuseState says which state is needed and what leads there.
func RefuseState(s *Step) *model.Refusal {
	at := StateOf(s.Task)
	hint := s.Row.StateHints[at]
	if at == model.Working && s.Task.Status.AcceptedPlan == nil && s.Op.Name == model.RejectPlan {
		hint = unapprovedHint
	}
	if hint == "" {
		hint = model.StepForward(at)
		if at == model.PlanDefined && s.Task.Status.AcceptedPlan != nil {
			hint = "start it first"
		}
	}
	if hint == "" {
		hint = "set current_state of status.json to one of the nine states"
	}
	why := s.Op.Name.WrongStatus(goingWord(s.Task))
	if how := review.DecidedHow(s.Task); how != "" && s.Row.Verdict && s.Op.Name != model.Replan {
		why = how + ": " + why // of two who decide at once, the other did
	}
	return s.Refuse(model.CodeRefused, model.GuardState, why, hint)
}

// goingWord is what the task's own files say of it, whether it is paused or changed or not.
func goingWord(t *model.Task) string {
	if at := StateOf(t); !at.Known() {
		return string(at)
	}
	going := *t
	going.Status.IsPaused = false
	return model.StatusOf(&going, false).Label()
}

// unapprovedHint leads out of a state that stands in status.json, from another clone or an
// editor, without a verdict that was given to this vespe.
const unapprovedHint = "replan it, or accept its plan: it is working, but its plan isn't accepted in this clone"

// finalHint is what to do about a task that has ended for good.
func finalHint(t *model.Task) string {
	if t.Status.CurrentState == model.Completed {
		return model.StepForward(model.Aborted)
	}
	return model.StepForward(t.Status.CurrentState)
}

const (
	maxOpID = 256 // bytes
)

// CheckTexts refuses what could be written and never be read again. It comes before the
// row's own guards, because it is the same for every row.
func CheckTexts(s *Step) *model.Refusal {
	op := &s.Op
	limit := MaxNote
	if op.Name == model.DefineObjective || op.Name == model.DefinePlan {
		limit = MaxDocument
	}
	large := func(g model.Guard, what string, n, limit int) *model.Refusal {
		return s.Refuse(model.CodeInvalid, g, fmt.Sprintf("%s has %d bytes, the limit is %d", what, n, limit),
			"shorten it; put long output into a file below result/")
	}
	switch {
	case !utf8.ValidString(op.ID) || len(op.ID) > maxOpID:
		return s.Refuse(model.CodeInvalid, model.GuardOperation, "the operation's id is too long or not valid UTF-8",
			fmt.Sprintf("use at most %d bytes of plain text", maxOpID))
	case !utf8.ValidString(op.Reason):
		return s.Refuse(model.CodeInvalid, model.GuardReason, "the reason is not valid UTF-8", "save it as UTF-8")
	case len(op.Reason) > MaxNote:
		return large(model.GuardReason, "the reason", len(op.Reason), MaxNote)
	case !utf8.ValidString(op.Signature) || len(op.Signature) > MaxNote:
		return s.Refuse(model.CodeInvalid, model.GuardLevel, "the signature is too long or not text", "sign it with `ssh-keygen -Y sign`")
	case !utf8.ValidString(op.Text()):
		return s.Refuse(model.CodeInvalid, model.GuardText, "the text is not valid UTF-8", "save it as UTF-8")
	case len(op.Text()) > limit:
		return large(model.GuardText, "the text", len(op.Text()), limit)
	}
	return nil
}

// NeedText is the guard of an argument of many lines. what is what it holds: "a plan".
func NeedText(what string) Guard {
	return Need(model.GuardText, what, func(s *Step) *model.Refusal {
		switch {
		case !utf8.ValidString(s.Op.Text()): // what a phase left, for one
			return s.Refuse(model.CodeInvalid, model.GuardText, "the text is not valid UTF-8", "save it as UTF-8")
		case len(s.Op.Text()) > MaxDocument:
			return s.Refuse(model.CodeInvalid, model.GuardText,
				fmt.Sprintf("the text has %d bytes, the limit is %d", len(s.Op.Text()), MaxDocument), "shorten it")
		case s.Trial, s.PhasePreview, strings.TrimSpace(s.Op.Text()) != "":
			return nil
		}
		return s.Refuse(model.CodeInvalid, model.GuardText, what+" can't be blank", "write something")
	})
}

// NeedNewText refuses to make a revision that would say what the last one says.
func NeedNewText(d model.Doc) Guard {
	return Need(model.GuardTextNew, "a text that differs from the current one", func(s *Step) *model.Refusal {
		st := s.Task.Status.CurrentState
		standing := d == model.Objective && st == model.ObjectiveDefined || d == model.Plan && st == model.PlanDefined
		if s.Trial || s.PhasePreview || !standing {
			return nil
		}
		c, known, r := s.Doc(s.Task, d)
		if r != nil || !known || c.Revision == 0 || string(c.Body) != s.Op.Text() {
			return r
		}
		return s.Refuse(model.CodeRefused, model.GuardTextNew, fmt.Sprintf("the %s already says exactly this", d), "change the text")
	})
}

// DiffNames are the files of diffs as the subject of a sentence: `the plan and spec.json`.
func (x *Tx) DiffNames(diffs []model.ContentDiff) string {
	var words []string
	for _, d := range diffs {
		switch {
		case d.Doc != "":
			words = append(words, "the "+string(d.Doc))
		case d.File == model.BoundPolicy:
			words = append(words, "the project's config.json")
		case d.File == review.BoundComments:
			words = append(words, "the comments")
		case d.File == review.BoundResult:
			words = append(words, "the result")
		default:
			words = append(words, x.FileOf(d.File))
		}
	}
	return Listing(words)
}

// Listing joins words as a sentence does.
func Listing(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// Doc is today's version of a document of t. known is false in a world without bytes.
// Content is zero when the document is not there.
func (x *Tx) Doc(t *model.Task, d model.Doc) (c model.Content, known bool, r *model.Refusal) {
	has := t.HasPlan
	if d == model.Objective {
		has = t.HasObjective
	}
	c, err := x.World.Content(t.UID, d)
	switch {
	case err == nil:
		if c.Hash == "" {
			c.Hash = model.HashBytes(c.Body)
		}
		return c, true, nil
	case errors.Is(err, model.ErrNoContent):
		return model.Content{Doc: d}, !has, nil
	case errors.Is(err, model.ErrUnread) && x.Op.Name == model.ExternalEdit:
		return model.Content{Doc: d}, false, nil // what else was edited is taken over; it decides nothing
	}
	return model.Content{}, false, &model.Refusal{
		Code: model.CodeRefused, Op: x.Op.Name, UID: t.UID, Task: t.Config.Name, Guard: model.GuardReadable,
		Why: fmt.Sprintf("can't read %s.md: %v", d, err), Hint: "repair the file, then retry",
	}
}

// ResultHash is the hash of result/; known is false in a world without bytes.
func (x *Tx) ResultHash(t *model.Task) (hash string, known bool, r *model.Refusal) {
	hash, err := x.World.ResultHash(t.UID)
	switch {
	case err == nil:
		return hash, true, nil
	case errors.Is(err, model.ErrNoContent):
		return "", false, nil
	}
	return "", false, &model.Refusal{
		Code: model.CodeRefused, Op: x.Op.Name, UID: t.UID, Task: t.Config.Name, Guard: model.GuardReadable,
		Why: fmt.Sprintf("can't read result/: %v", err), Hint: "repair the files, then retry",
	}
}

// MaxDocument bounds an objective or a plan, in bytes: half of what the store reads.
const MaxDocument = 16 << 20

// MaxNote bounds what is typed beside the documents: a reason, a summary, the details of
// an error, in bytes. status.json keeps several of them, each of which JSON may make six
// times as long, and one that grew beyond MaxJSON could never be read again.
const MaxNote = 64 << 10
