package model

import (
	"slices"
	"strings"
)

var statusKeys = []string{
	"current_state", "last_updated_at", "progress", "parent_content_hashes", "is_paused", "pause_reason", "paused_by",
	"previous_state", "subtask_uids", "error_details", "retry_count", "by_hand", "failed_by", "assigned_agent_uid", "current_run",
	"run_started_at", "runs", "run_seconds", "changed_because", "plan_revision", "objective_revision", "accepted_plan", "review", "answered",
	"comments", "lowered", "undo", "last_ops", "unmerged_ops", "picked_ops", "revision",
}

// ChangedUnrecorded is the File of a ChangeReason when a task is known to be changed but
// not by what: the older vocabulary has a state `changed` and no reasons.
const ChangedUnrecorded = "not recorded"

// PauseKind says what a pause is for: "" when s is not paused, "subtasks" while it waits
// for its children, "hitl" while a person must answer, "other" for any other reason.
func (s StatusFile) PauseKind() string {
	if !s.IsPaused {
		return ""
	}
	kind, _, _ := strings.Cut(s.PauseReason, ":")
	switch strings.TrimSpace(kind) {
	case "subtasks":
		return "subtasks"
	case "hitl":
		return "hitl"
	}
	return "other"
}

// excludedReason begins the pause of a task that a person left out of its parent's plan, or that is
// below one.
const excludedReason = "excluded: "

// WaitsForPerson reports that only a person resumes the task: it asks one, or one has left it out
// of its parent's plan.
func (s StatusFile) WaitsForPerson() bool {
	return s.PauseKind() == "hitl" || s.IsPaused && strings.HasPrefix(s.PauseReason, excludedReason)
}

// DecodeStatus reads status.json. A current_state that is absent or no known word is a
// problem of Error severity; null reads as created, with a warning. The words of the
// older vocabulary set the flags that they imply (see ParseState).
func DecodeStatus(path string, b []byte) (StatusFile, []Problem) {
	r := reader{path: path, src: b}
	var s StatusFile
	m, ok := r.document()
	if !ok {
		return s, r.problems
	}
	var word stateWord
	for m.next() {
		r.statusMember(&m, &s, &word)
	}
	if !word.seen {
		r.missing("current_state", `write a state, for example "created"`)
	}
	r.imply(&s, word)
	s.Extra = r.kept(statusKeys)
	return s, r.problems
}

// stateWord is what the word in current_state says; ours: the file has a revision, as vespe alone writes it.
type stateWord struct{ seen, paused, changed, accepted, ours bool }

func (r *reader) statusMember(m *members, s *StatusFile, word *stateWord) {
	switch string(m.bare()) {
	case "current_state":
		r.currentState(m, s, word)
	case "last_updated_at":
		r.time(m, &s.LastUpdatedAt)
	case "progress":
		r.progress(m, &s.Progress)
	case "parent_content_hashes":
		r.hashes(m, &s.ParentContentHashes)
	case "is_paused":
		r.bool(m, &s.IsPaused)
	case "pause_reason":
		readText(r, m, &s.PauseReason)
	case "paused_by":
		readText(r, m, &s.PausedBy)
	case "previous_state":
		r.state(m, &s.PreviousState)
	case "subtask_uids":
		r.uids(m, &s.SubtaskUIDs)
	case "error_details":
		readText(r, m, &s.ErrorDetails)
	case "retry_count":
		r.int(m, &s.RetryCount)
	case "by_hand":
		readText(r, m, &s.ByHand)
	case "failed_by":
		r.uid(m, &s.FailedBy)
	case "assigned_agent_uid":
		readText(r, m, &s.AssignedAgentUID)
	case "current_run":
		readText(r, m, &s.CurrentRun)
	case "run_started_at":
		r.time(m, &s.RunStartedAt)
	case "runs":
		r.int(m, &s.Runs)
	case "run_seconds":
		r.int(m, &s.RunSeconds)
	case "changed_because":
		r.changes(m, &s.ChangedBecause)
	case "plan_revision":
		r.int(m, &s.PlanRevision)
	case "objective_revision":
		r.int(m, &s.ObjectiveRevision)
	case "accepted_plan":
		r.acceptedPlan(m, &s.AcceptedPlan)
	case "review":
		r.review(m, &s.Review)
	case "answered":
		readTexts(r, m, &s.Answered)
	case "comments":
		r.comments(m, &s.Comments)
	case "lowered":
		readTexts(r, m, &s.Lowered)
	case "undo":
		r.undo(m, &s.Undo)
	case "last_ops":
		readTexts(r, m, &s.LastOps)
	case "unmerged_ops":
		readTexts(r, m, &s.UnmergedOps)
	case "picked_ops":
		readTexts(r, m, &s.PickedOps)
	case "revision":
		word.ours = true
		r.int(m, &s.Revision)
	default:
		r.unknown(m, statusKeys, "current_state")
	}
}

func (r *reader) currentState(m *members, s *StatusFile, word *stateWord) {
	word.seen = true
	if m.val[0] == 'n' {
		s.CurrentState = Created
		r.problem(m.at, Warning, "null-state", `"current_state" is null; it reads as created`, "write the state that the task is in")
		return
	}
	if isString(m.val) {
		var ok bool
		s.CurrentState, word.paused, word.changed, word.accepted, ok = ParseState(unquote(m.val))
		if ok {
			return
		}
	}
	r.fatal(m, "a state: created, objective_defined, plan_defined, working, error, failed, completed, replanned or aborted")
}

// imply sets what a word of the older vocabulary says beyond the state, and what a pause says
// that has no reason. An accepted_plan
// that is there but cannot be read stays unread: then nothing is accepted.
func (r *reader) imply(s *StatusFile, word stateWord) {
	if word.paused && !s.IsPaused {
		s.IsPaused = true
		r.extra = r.extra.Without("is_paused")
	}
	// The original knows no reasons: it pauses what waits for its subtasks, and nothing else.
	if !word.ours && s.IsPaused && s.PauseReason == "" && len(s.SubtaskUIDs) > 0 && !hasKey(r.extra, "pause_reason") {
		s.PauseReason = "subtasks"
	}
	if word.changed && len(s.ChangedBecause) == 0 {
		s.ChangedBecause = []ChangeReason{{File: ChangedUnrecorded}}
	}
	if word.accepted && s.AcceptedPlan == nil && !hasKey(r.extra, "accepted_plan") {
		s.AcceptedPlan = &AcceptedPlan{}
	}
}

// state reads a state that may be absent.
func (r *reader) state(m *members, dst *State) {
	switch {
	case m.val[0] == 'n' || string(m.val) == `""`:
		return
	case isString(m.val):
		if st, _, _, _, ok := ParseState(unquote(m.val)); ok {
			*dst = st
			return
		}
	}
	r.wrong(m, "a state")
}

// progress is a string; a number is taken over as it is written.
func (r *reader) progress(m *members, dst *string) {
	if c := m.val[0]; c == '-' || '0' <= c && c <= '9' {
		*dst = string(m.val)
		return
	}
	readText(r, m, dst)
}

func (r *reader) hashes(m *members, dst *[]ContentHash) {
	_, in, ok := r.object(m, "an object of hashes")
	if !ok {
		return
	}
	var out []ContentHash
	for in.next() {
		if !isString(in.val) {
			r.wrong(m, "an object of strings only")
			return
		}
		out = append(out, ContentHash{Key: in.name(), Hash: canonicalHash(unquote(in.val))})
	}
	slices.SortFunc(out, func(a, b ContentHash) int { return strings.Compare(a.Key, b.Key) })
	*dst = out
}

// uids reads a list of references. One that cannot name a task stays in the list, where
// it is as unknown as a task that is gone, and is a warning.
func (r *reader) uids(m *members, dst *[]UID) bool {
	if !readTexts(r, m, dst) {
		return false
	}
	for _, u := range *dst {
		if !u.Valid() {
			r.problem(m.at, Warning, "bad-uid", quoteKey(m.name())+" names "+quoteKey(string(u))+", which cannot be a task",
				"a uid has small letters, digits and dashes; correct it or remove it")
		}
	}
	return true
}

// changes reads changed_because. It is never unreadable: whatever stands there says that
// the task is changed, so anything but an object of file, old and new becomes text.
func (r *reader) changes(m *members, dst *[]ChangeReason) {
	switch m.val[0] {
	case 'n', 'f':
		return
	case '[':
		var out []ChangeReason
		for e := m.inside(); e.element(); {
			out = append(out, r.change(&e))
		}
		*dst = out
		return
	}
	if string(m.val) != `""` {
		*dst = []ChangeReason{r.change(m)}
	}
}

func (r *reader) change(m *members) ChangeReason {
	var c ChangeReason
	switch {
	case isString(m.val):
		c.File = unquote(m.val)
	case m.val[0] == '{':
		var known, strange int
		for in := m.inside(); in.next(); known++ {
			switch string(in.bare()) {
			case "file":
				strange += asText(in.val, &c.File)
			case "old":
				strange += asText(in.val, &c.Old)
			case "new":
				strange += asText(in.val, &c.New)
			default:
				strange++
			}
		}
		if strange > 0 {
			return ChangeReason{File: string(compact(m.val))}
		}
		c.Old, c.New = canonicalHash(c.Old), canonicalHash(c.New)
	case m.val[0] != 't' && m.val[0] != 'n':
		c.File = string(compact(m.val))
	}
	if c == (ChangeReason{}) {
		c.File = ChangedUnrecorded
	}
	return c
}

// asText reads a string or null, and returns 1 for anything else.
func asText(raw []byte, dst *string) int {
	switch raw[0] {
	case '"':
		*dst = unquote(raw)
	case 'n':
	default:
		return 1
	}
	return 0
}

// acceptedPlan reads the object, or the hash of the plan alone.
func (r *reader) acceptedPlan(m *members, dst **AcceptedPlan) {
	switch {
	case isString(m.val):
		if hash := unquote(m.val); hash != "" {
			*dst = &AcceptedPlan{PlanHash: canonicalHash(hash)}
		}
		return
	case m.val[0] == 'f':
		return
	}
	sub, in, ok := r.object(m, "an object or the hash of the plan")
	if !ok {
		return
	}
	var a AcceptedPlan
	for in.next() {
		switch string(in.bare()) {
		case "plan_revision":
			sub.int(&in, &a.PlanRevision)
		case "plan_hash":
			sub.hash(&in, &a.PlanHash)
		case "objective_revision":
			sub.int(&in, &a.ObjectiveRevision)
		case "objective_hash":
			sub.hash(&in, &a.ObjectiveHash)
		case "by":
			readText(&sub, &in, &a.By)
		case "at":
			sub.time(&in, &a.At)
		case "excluded":
			readTexts(&sub, &in, &a.Excluded)
		case "approval":
			readText(&sub, &in, &a.Approval)
		case "approval_hash":
			sub.hash(&in, &a.ApprovalHash)
		case "spec_hash":
			sub.hash(&in, &a.SpecHash)
		case "dependencies_hash":
			sub.hash(&in, &a.DependenciesHash)
		case "policy_hash":
			sub.hash(&in, &a.PolicyHash)
		default:
			sub.unknown(&in, acceptedKeys)
		}
	}
	if r.join(m, &sub) {
		a.Extra = sub.extra
		*dst = &a
	}
}

func (r *reader) hash(m *members, dst *string) {
	readText(r, m, dst)
	*dst = canonicalHash(*dst)
}

func (r *reader) review(m *members, dst **Review) {
	sub, in, ok := r.object(m, "an object")
	if !ok {
		return
	}
	var v Review
	for in.next() {
		switch string(in.bare()) {
		case "of":
			readText(&sub, &in, &v.Of)
		case "verdict":
			readText(&sub, &in, &v.Verdict)
		case "by":
			readText(&sub, &in, &v.By)
		case "at":
			sub.time(&in, &v.At)
		case "reason":
			readText(&sub, &in, &v.Reason)
		case "revision":
			sub.int(&in, &v.Revision)
		case "approval":
			readText(&sub, &in, &v.Approval)
		case "approval_hash":
			readText(&sub, &in, &v.ApprovalHash)
		case "fetched_by":
			readText(&sub, &in, &v.FetchedBy)
		case "fetched_at":
			sub.time(&in, &v.FetchedAt)
		default:
			sub.unknown(&in, reviewKeys)
		}
	}
	if r.join(m, &sub) {
		v.Extra = sub.extra
		*dst = &v
	}
}

func (r *reader) comments(m *members, dst **CommentBook) {
	sub, in, ok := r.object(m, "an object")
	if !ok {
		return
	}
	var b CommentBook
	for in.next() {
		switch string(in.bare()) {
		case "revision":
			sub.int(&in, &b.Revision)
		case "open":
			sub.int(&in, &b.Open)
		case "blocking":
			sub.int(&in, &b.Blocking)
		case "questions":
			sub.int(&in, &b.Questions)
		case "hash":
			sub.hash(&in, &b.Hash)
		case "file":
			readText(&sub, &in, &b.File)
		default:
			sub.unknown(&in, commentKeys)
		}
	}
	if r.join(m, &sub) {
		b.Extra = sub.extra
		*dst = &b
	}
}
