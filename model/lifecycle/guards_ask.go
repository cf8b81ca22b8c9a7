package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/visible"
)

const (
	maxOptions = 50
	maxKey     = 256 // bytes
)

// ifTask runs a check where the operation names a task.
func ifTask(c machine.Guard) machine.Guard {
	return machine.Guard{GuardInfo: c.GuardInfo, Run: func(s *machine.Step) *model.Refusal {
		if s.Op.UID == "" {
			return nil
		}
		return c.Run(s)
	}}
}

// ifThere runs a check where the task of a request is there and can be read.
func ifThere(c machine.Guard) machine.Guard {
	return machine.Guard{GuardInfo: c.GuardInfo, Run: func(s *machine.Step) *model.Refusal {
		if s.Task == nil || s.Task.Unreadable() {
			return nil
		}
		return c.Run(s)
	}}
}

// The guards of what is about requests.
var (
	needAskable = machine.Need(model.GuardRequest, "a valid request with a title", checkAsk)
	needNewAsk  = machine.Need(model.GuardUnanswered, "no open request with the same key but another question", func(s *machine.Step) *model.Refusal {
		r, ok := asked(s)
		if !ok || !r.IsOpen() {
			return nil
		}
		n := model.ArgsOf[model.NewRequest](&s.Op)
		diffs := askedOtherwise(&r, &n)
		if len(diffs) == 0 {
			return nil
		}
		return s.Refuse(model.CodeConflict, model.GuardUnanswered,
			fmt.Sprintf("%s has the same key but asks something else: its %s %s", r.ID, strings.Join(diffs, ", "), model.VerbFor(len(diffs), "differs", "differ")),
			"use another key, or wait for its answer")
	})
	needRequest    = machine.Need(model.GuardRequest, "an existing request", checkTarget)
	needUnanswered = machine.Need(model.GuardUnanswered, "an unanswered request", func(s *machine.Step) *model.Refusal {
		q, _ := target(s)
		if q.IsOpen() {
			return nil
		}
		hint := "undo that first, if it is wrong"
		if q.State == model.RequestSuperseded {
			hint = "there is nothing to do: its cause is gone"
		}
		return s.Refuse(model.CodeConflict, model.GuardUnanswered, fmt.Sprintf("%s is decided: %s", model.Quote(q.Title), decidedBy(&q)), hint)
	})
	needSeenRequest = machine.Need(model.GuardSeen, "a request that hasn't changed since the caller read it", func(s *machine.Step) *model.Refusal {
		q, _ := target(s)
		if seen := model.ArgsOf[model.Answering](&s.Op).Seen; seen == "" || seen == q.ContentHash() {
			return nil
		}
		return s.Refuse(model.CodeConflict, model.GuardSeen, fmt.Sprintf("%s has changed since you looked", q.ID), "read it again, then decide")
	})
	needDecision = machine.Need(model.GuardDecision, "a decision that the request allows, with its text, option or arguments", checkDecision)
	needAnswer   = machine.Need(model.GuardRequest, "an existing request", func(s *machine.Step) *model.Refusal {
		if _, ok := s.RequestOf(s.Op.Request()); ok {
			return nil
		}
		return noRequest(s)
	})
)

func noRequest(s *machine.Step) *model.Refusal {
	return s.Refuse(model.CodeNotFound, model.GuardRequest, fmt.Sprintf("unknown request %q", s.Op.Request()), "`vespe request list` lists open requests")
}

// target is the request that an answer is for: the one it names, or the only one that its task
// waits for.
func target(s *machine.Step) (model.Request, *model.Refusal) {
	if s.Op.Request() != "" {
		q, ok := s.RequestOf(s.Op.Request())
		if !ok {
			return q, noRequest(s)
		}
		return q, nil
	}
	open := s.OpenOn(s.Op.UID)
	switch len(open) {
	case 0:
		return model.Request{}, s.Refuse(model.CodeRefused, model.GuardRequest, "it has no open request", "`vespe request list` lists open requests")
	case 1:
		return open[0], nil
	}
	named := make([]string, len(open))
	for i := range open {
		named[i] = open[i].ID + " " + model.Quote(machine.FirstLine(open[i].Title))
	}
	return model.Request{}, s.Refuse(model.CodeAmbiguous, model.GuardRequest, fmt.Sprintf("it has %d open requests", len(open)), "name one: "+strings.Join(named, ", "))
}

func checkTarget(s *machine.Step) *model.Refusal {
	q, r := target(s)
	if r != nil {
		return r
	}
	if s.Op.UID != "" && q.TaskUID != s.Op.UID {
		return s.Refuse(model.CodeUsage, model.GuardRequest, fmt.Sprintf("%s is not about it", q.ID), "leave the task out")
	}
	return nil
}

func checkAsk(s *machine.Step) *model.Refusal {
	n := model.ArgsOf[model.NewRequest](&s.Op)
	if s.Op.Args == nil {
		if s.Trial {
			return nil
		}
		return s.Refuse(model.CodeInvalid, model.GuardRequest, "the request is missing", "give it a title")
	}
	bad := func(why, hint string) *model.Refusal {
		return s.Refuse(model.CodeInvalid, model.GuardRequest, why, hint)
	}
	switch title := strings.TrimSpace(n.Title); {
	case title == "":
		return bad("it has no title", "ask in one line")
	case visible.Line(title) != title:
		return bad("the title has invisible characters: "+model.Quote(visible.Line(title)), "write it in one line, without them")
	case utf8.RuneCountInString(title) > model.MaxName:
		return bad(fmt.Sprintf("the title is longer than %d characters", model.MaxName), "put the rest into the detail")
	case !slices.Contains(model.Kinds(), requestKind(&n)):
		return bad(fmt.Sprintf("unknown kind of request: %s", model.Quote(n.Kind)), "use "+strings.Join(model.Kinds(), ", "))
	case !utf8.ValidString(n.Detail) || len(n.Detail) > machine.MaxNote:
		return bad(fmt.Sprintf("the detail is not valid UTF-8 or longer than %d bytes", machine.MaxNote), "put long text into a file below result/")
	case !utf8.ValidString(n.Key) || len(n.Key) > maxKey || visible.Line(n.Key) != n.Key:
		return bad(fmt.Sprintf("the key is longer than %d bytes or has invisible characters", maxKey), "use a short word")
	case strings.HasPrefix(n.Key, startConsent) && s.Tx.Op.Name != model.Start:
		return bad("keys that begin with "+startConsent+" are reserved: start the task to ask for a person's consent", "use another key")
	case n.Risk != "" && model.RiskRank(n.Risk) < 0:
		return bad(model.Quote(n.Risk)+" is not a risk", "use low, medium or high")
	}
	return checkAskWays(s, &n)
}

// checkAskWays refuses a request that nobody could answer.
func checkAskWays(s *machine.Step, n *model.NewRequest) *model.Refusal {
	bad := func(why, hint string) *model.Refusal {
		return s.Refuse(model.CodeInvalid, model.GuardRequest, why, hint)
	}
	allowed := []string{string(model.DecideAccept), string(model.DecideEdit), string(model.DecideRespond), string(model.DecideDeny)}
	for _, w := range n.Allow {
		if !slices.Contains(allowed, w) {
			return bad(model.Quote(w)+" cannot be allowed", "use "+strings.Join(allowed, ", "))
		}
	}
	if len(n.Options) > maxOptions {
		return bad(fmt.Sprintf("%d options are too many", len(n.Options)), fmt.Sprintf("give at most %d", maxOptions))
	}
	for i, o := range n.Options {
		switch {
		case strings.TrimSpace(o) == "" || visible.Line(o) != o || utf8.RuneCountInString(o) > model.MaxName:
			return bad("the option "+model.Quote(visible.Line(o))+" is blank, too long, or has invisible characters", "write each in one line")
		case slices.Contains(n.Options[:i], o):
			return bad("the option "+model.Quote(o)+" is listed twice", "list each once")
		}
	}
	if r := checkArgs(s, n.Args); r != nil {
		return r
	}
	if requestKind(n) == model.KindChoice && len(n.Options) == 0 {
		return bad("a choice needs options", "give options")
	}
	if !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(s.Op.At) && !s.Op.At.IsZero() {
		return bad("its expiry is in the past", "give a time in the future")
	}
	return nil
}

// checkArgs refuses arguments that could not be written, or not be read again.
func checkArgs(s *machine.Step, args []byte) *model.Refusal {
	if args == nil {
		return nil
	}
	bad := func(why, hint string) *model.Refusal {
		return s.Refuse(model.CodeInvalid, model.GuardDecision, why, hint)
	}
	trimmed := strings.TrimSpace(string(args))
	switch {
	case len(args) > machine.MaxNote:
		return bad(fmt.Sprintf("the arguments have %d bytes, the limit is %d", len(args), machine.MaxNote), "put long values into a file, and name the file")
	case !jsontext.Value(args).IsValid() || !strings.HasPrefix(trimmed, "{"):
		return bad("the arguments are not a JSON object", `write one, such as {"command": "make"}`)
	case model.JSONDepth([]byte(trimmed)) >= model.MaxDepth-2:
		return bad(fmt.Sprintf("the arguments have more than %d levels", model.MaxDepth-3), "flatten them")
	}
	return nil
}

func checkDecision(s *machine.Step) *model.Refusal {
	if model.ArgsOf[model.Answering](&s.Op).Decision == "" {
		if s.Trial {
			return nil
		}
		return s.Refuse(model.CodeInvalid, model.GuardDecision, "the decision is missing", "give a decision")
	}
	by := answering(s)
	q, _ := target(s)
	allowed := q.Allowed()
	bad := func(why, hint string) *model.Refusal {
		return s.Refuse(model.CodeInvalid, model.GuardDecision, why, hint)
	}
	switch {
	case !slices.Contains(model.Decisions(), by.Decision):
		return bad(fmt.Sprintf("unknown decision %s", model.Quote(string(by.Decision))), answerHint(&q))
	case !slices.Contains(allowed, by.Decision):
		why := fmt.Sprintf("the answer to %s can't be %s", model.Quote(q.Title), by.Decision)
		if by.Decision == model.DecideAccept && slices.Contains(allowed, model.DecideChoose) {
			why = "choose one of its options: " + strings.Join(q.Options, ", ")
		}
		return s.Refuse(model.CodeRefused, model.GuardDecision, why, answerHint(&q))
	case !utf8.ValidString(by.Text) || len(by.Text) > machine.MaxNote:
		return bad(fmt.Sprintf("the text is not valid UTF-8 or longer than %d bytes", machine.MaxNote), "shorten it")
	}
	blank := strings.TrimSpace(by.Text) == "" && !s.Trial
	switch {
	case by.Decision == model.DecideDeny && blank:
		return bad("a denial needs a reason", "say why; the asker sees it")
	case by.Decision == model.DecideRespond && blank:
		return bad("the answer is blank", "write an answer")
	case by.Decision == model.DecideChoose && !slices.Contains(q.Options, by.Choice) && !s.Trial:
		return bad(fmt.Sprintf("%s is not one of its options", model.Quote(by.Choice)), "choose one of "+strings.Join(q.Options, ", "))
	case by.Decision != model.DecideChoose && by.Choice != "":
		return bad("only a choice takes an option", "leave it out, or choose")
	case by.Decision == model.DecideEdit && by.Args == nil && !s.Trial:
		return bad("the new arguments are missing", "give the arguments as a JSON object")
	case by.Decision != model.DecideEdit && by.Args != nil:
		return bad("only an edit takes arguments", "leave them out, or edit")
	}
	return checkArgs(s, by.Args)
}
