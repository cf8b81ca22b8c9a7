package model

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"vespe/model/visible"
)

// Request is something that waits for a person, and what the person decided: a file
// hitl_queue/<id>.json.
type Request struct {
	ID        string    `file:"id,always,vital,as=file-name"`
	TaskUID   UID       `file:"task_uid"`    // "" when it is about no task
	Kind      string    `file:"kind,always"` // one of the Kind constants, or any word
	Title     string    `file:"title,always"`
	Detail    string    `file:"detail"`       // Markdown, whole
	Options   []string  `file:"options"`      // to choose from
	Args      []byte    `file:"args"`         // a JSON object as it was written; nil when there is none
	Allow     []string  `file:"allow"`        // decisions that may be taken; empty: what Allowed says for the kind
	Risk      string    `file:"risk"`         // low, medium, high
	State     string    `file:"state,always"` // one of the Request constants
	CreatedAt time.Time `file:"created_at,always"`
	CreatedBy Actor     `file:"created_by,always"`
	ExpiresAt time.Time `file:"expires_at"`    // zero: never
	Key       string    `file:"key"`           // on one task, the same key is the same request
	Answer    *Answer   `file:"answer"`        // what was decided; nil when nothing was
	Others    []Answer  `file:"other_answers"` // given in other clones, and not counted after a merge; the first one of each kind, by time
	Extra     Extra
}

// Answer is a person's decision on a request, and who has made use of it since.
type Answer struct {
	Decision  Decision  `file:"decision,always"`
	By        Actor     `file:"by,always"`
	At        time.Time `file:"at,always"`
	Text      string    `file:"text,lone"`  // the person's words
	Choice    string    `file:"choice"`     // one of the request's options
	Args      []byte    `file:"args"`       // of an edit: what is to be done instead, a JSON object
	Late      bool      `file:"late"`       // the request had expired
	FetchedBy Actor     `file:"fetched_by"` // the agent that read it first
	FetchedAt time.Time `file:"fetched_at"`
	ActedBy   Actor     `file:"acted_by"` // who did something to the task first since then: from there on it cannot be taken back
	ActedAt   time.Time `file:"acted_at"`
	ActedWith Name      `file:"acted_with"`
	Extra     Extra
}

// The kinds of request.
const (
	KindAction     = "action"     // may the agent do this
	KindQuestion   = "question"   // words are wanted
	KindChoice     = "choice"     // one of several options is
	KindEscalation = "escalation" // something went wrong that nobody else can decide on
)

// Kinds are the kinds of request.
func Kinds() []string { return []string{KindAction, KindQuestion, KindChoice, KindEscalation} }

// The states of a request. Expired is one by the clock (StateAt): nobody stores it.
const (
	RequestPending    = "pending"
	RequestAccepted   = "accepted"   // as it is, or with one of its options
	RequestEdited     = "edited"     // accepted with other arguments
	RequestResponded  = "responded"  // answered in words
	RequestDenied     = "denied"     // with the reason
	RequestDeferred   = "deferred"   // a person has seen it and will decide later: it waits on
	RequestExpired    = "expired"    // its time is over and nobody answered: it waits on, and late answers count
	RequestSuperseded = "superseded" // its cause has gone
)

// Decision is what a person does with a request.
type Decision string

// The decisions. Allow names the first four; Choose is how a request with options is
// accepted, and Defer is always possible.
const (
	DecideAccept  Decision = "accept"
	DecideEdit    Decision = "edit"
	DecideRespond Decision = "respond"
	DecideDeny    Decision = "deny"
	DecideChoose  Decision = "choose"
	DecideDefer   Decision = "defer"
)

// Decisions are all of them.
func Decisions() []Decision {
	return []Decision{DecideAccept, DecideEdit, DecideRespond, DecideDeny, DecideChoose, DecideDefer}
}

// isOpenState says whether a request in a state still waits for a person. A word that is none
// of ours decides nothing.
func isOpenState(state string) bool {
	switch state {
	case RequestAccepted, RequestEdited, RequestResponded, RequestDenied, RequestSuperseded:
		return false
	}
	return true
}

// IsOpen says whether the request still waits for a person, expired or not.
func (q *Request) IsOpen() bool { return isOpenState(q.State) }

// StateAt is the state as of a time: a request that waits beyond its ExpiresAt is expired.
// That is no answer.
func (q *Request) StateAt(now time.Time) string {
	switch {
	case !q.IsOpen():
		return q.State
	case q.HasExpired(now):
		return RequestExpired
	case q.State == RequestDeferred:
		return RequestDeferred
	}
	return RequestPending
}

// HasExpired reports that nobody can answer any more.
func (q *Request) HasExpired(now time.Time) bool {
	return q.State == RequestExpired || !q.ExpiresAt.IsZero() && !now.Before(q.ExpiresAt)
}

// Allowed are the decisions that a person may take on the request, in the order of
// Decisions. Where the request does not say, its kind does.
func (q *Request) Allowed() []Decision {
	allow := q.Allow
	if len(allow) == 0 {
		switch q.Kind {
		case KindAction:
			allow = []string{"accept", "respond", "deny"}
			if q.Args != nil {
				allow = append(allow, "edit")
			}
		case KindChoice, KindEscalation:
			allow = []string{"accept", "respond", "deny"}
		default:
			allow = []string{"respond", "deny"}
			if len(q.Options) > 0 {
				allow = append(allow, "accept")
			}
		}
	}
	var out []Decision
	for _, d := range Decisions() {
		has := slices.Contains(allow, string(d))
		switch d {
		case DecideAccept:
			has = has && len(q.Options) == 0
		case DecideChoose:
			has = slices.Contains(allow, string(DecideAccept)) && len(q.Options) > 0
		case DecideDefer:
			has = true
		}
		if has {
			out = append(out, d)
		}
	}
	return out
}

// TakesWords reports that all that is wanted is an answer in words: nothing is to be allowed, and
// nothing chosen.
func (q *Request) TakesWords() bool {
	allowed := q.Allowed()
	return len(q.Options) == 0 && slices.Contains(allowed, DecideRespond) && !slices.Contains(allowed, DecideAccept)
}

// ContentHash is the hash of what a request asks, whatever its state: what a person has to
// have seen.
func (q *Request) ContentHash() string {
	c := *q
	c.State, c.Answer, c.Others = RequestPending, nil, nil
	return HashBytes(EncodeRequest(c))
}

// Same says whether two answers say the same, whoever gave them and when.
func (a *Answer) Same(b *Answer) bool {
	return a.Decision == b.Decision && a.Choice == b.Choice && strings.TrimSpace(a.Text) == strings.TrimSpace(b.Text) && SameJSON(a.Args, b.Args)
}

// IsDecided says whether an answer stands that closes the request.
func (q *Request) IsDecided() bool {
	return q.Answer != nil && !q.IsOpen() && q.State != RequestSuperseded
}

// GaveOther says whether an answer is among those that do not count.
func (q *Request) GaveOther(a *Answer) bool {
	return slices.ContainsFunc(q.Others, func(o Answer) bool { return o.Same(a) })
}

// OtherWords say what other clones answered, a line each, and whether an agent has read it.
func (q *Request) OtherWords() (lines []string) {
	if q.IsOpen() && len(q.Others) > 1 {
		lines = append(lines, "it was answered differently in two clones: decide again")
	}
	for _, a := range q.Others {
		line := cmp.Or(answerWords[a.Decision].done, "answered") + " by " + string(OrSomebody(a.By))
		if !a.At.IsZero() {
			line += ", " + a.At.UTC().Format("2006-01-02 15:04")
		}
		for _, text := range []string{a.Choice, strings.TrimSpace(a.Text), string(a.Args)} {
			if text != "" {
				line += ": " + Quote(text)
			}
		}
		line += "; it doesn't count"
		if by := cmp.Or(a.ActedBy, a.FetchedBy); by != "" {
			line += ", but " + string(by) + " has read it"
		}
		lines = append(lines, line)
	}
	return lines
}

// OpenAmong are the open requests of a task that hold it; none for no uid.
func OpenAmong(all []Request, uid UID) []Request {
	var out []Request
	for _, r := range all {
		if uid != "" && r.TaskUID == uid && r.IsOpen() && r.Holds() {
			out = append(out, r)
		}
	}
	return out
}

// Holds says whether the task waits for the request. For what vespe itself escalates it does
// so, if at all, by a pause of its own.
func (q *Request) Holds() bool {
	return q.Kind != KindEscalation || q.CreatedBy.Kind() != System ||
		!strings.HasPrefix(q.ID, EscalationPrefix) && !strings.HasPrefix(q.ID, MergePrefix)
}

const maxHeldTitles = 5

// HeldTitles is what open requests put into a pause.
func HeldTitles(open []Request) string {
	var titles []string
	for i := range open {
		if i == maxHeldTitles {
			titles = append(titles, fmt.Sprintf("and %d more", len(open)-i))
			break
		}
		title := strings.TrimSpace(open[i].Title)
		if r := []rune(title); len(r) > MaxName {
			title = string(r[:MaxName]) + "…"
		}
		titles = append(titles, cmp.Or(title, "a question"))
	}
	return strings.Join(titles, "; ")
}

// The keys of escalations: the same key is the same question, so that it is asked once.
func DepFailedKey(uid UID) string { return "dep-failed:" + string(uid) }

// AttemptsKey is for a task whose attempts are used up.
func AttemptsKey(uid UID) string { return "attempts:" + string(uid) }

// SubtaskFailedKey is for a task one of whose subtasks failed.
func SubtaskFailedKey(uid UID) string { return SubtaskFailed + string(uid) }

// SubtaskFailed begins the key of SubtaskFailedKey.
const SubtaskFailed = "subtask-failed:"

// EscalationPrefix begins the ids of what vespe itself escalates.
const EscalationPrefix = "esc-"

// IsEscalation reports that a request is one that vespe itself escalated, by its id.
func IsEscalation(request string) bool { return strings.HasPrefix(request, EscalationPrefix) }

// MergePrefix begins the ids of requests about what a merge of two clones left out.
const MergePrefix = "req-merge-"

var requestFormat = formatOf[Request]()

// DecodeRequest reads hitl_queue/<id>.json. An id that is absent is the file's name; a
// kind that is absent is a question and an absent state pending. An id that cannot be a
// file's name is a problem of Error severity.
func DecodeRequest(file string, b []byte) (Request, []Problem) {
	r := reader{path: file, src: b}
	q := new(Request)
	m, ok := r.document()
	if !ok {
		return *q, r.problems
	}
	f := requestFormat()
	if seen := f.read(&r, m, reflect.ValueOf(q).Elem()); !f.has(seen, "id") {
		q.ID = strings.TrimSuffix(path.Base(file), ".json")
		if !fileName(q.ID) {
			r.missing("id", "write the name of the file without .json")
		}
	}
	if q.Kind == "" && !hasKey(r.extra, "kind") {
		q.Kind = KindQuestion
	}
	if q.State == "" && !hasKey(r.extra, "state") {
		q.State = RequestPending
	}
	q.Extra = r.kept(f.keys)
	return *q, r.problems
}

func (r *reader) fileName(m *members, dst *string) {
	if !isString(m.val) || !fileName(unquote(m.val)) {
		r.fatal(m, "the name of a file")
		return
	}
	*dst = unquote(m.val)
}

// rawObject keeps an object byte for byte.
func (r *reader) rawObject(m *members, dst *[]byte) {
	switch {
	case m.val[0] == 'n':
	case m.val[0] != '{':
		r.wrong(m, "an object")
	case JSONDepth(m.val) >= MaxDepth:
		r.spoiled = true
		r.tooDeep(m.at)
	default:
		*dst = bytes.Clone(m.val)
	}
}

// fileName reports whether s can name one file, everywhere and visibly.
func fileName(s string) bool {
	return s != "" && len(s) <= 128 && s[0] != '.' && s[0] != '-' && !strings.ContainsAny(s, `/\:*?"<>|`) && visible.Line(s) == s
}

// EncodeRequest writes hitl_queue/<id>.json.
func EncodeRequest(q Request) []byte { return encoded(requestFormat(), &q) }

// Clone is a deep copy.
func (q Request) Clone() Request { return *cloned(requestFormat(), &q) }
