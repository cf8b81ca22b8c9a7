package model

import (
	"maps"
	"slices"
)

// shortfall says why an approval does not count for the person who reads the store.
type shortfall struct {
	code      Code
	why, hint string
}

// attestedShort asks how far to believe the approval of a task, with the keys and the wishes of today; nil where it
// is enough.
func attestedShort(t *Task, a Approval, by Attestor) *shortfall {
	is := by.Attest(a)
	if is.False {
		return &shortfall{CodeConflict, "the signature of its approval is invalid: " + is.Why, "ask a person to accept it again"}
	}
	return levelShort(t, by, is)
}

// levelShort is nil where a level is enough for the risk of a task.
func levelShort(t *Task, by Attestor, is Attested) *shortfall {
	risk := RiskSaid(t)
	need, err := by.Required(risk)
	switch {
	case err != nil:
		return &shortfall{CodeRefused, "can't tell which approvals count: " + err.Error(), "fix [approvals] in your config.toml"}
	case is.Level >= need:
		return nil
	}
	why := "its approval is only " + is.Level.String() + ", but " + riskyTask(risk) + " needs a " + need.String() + " one"
	if is.Why != "" {
		why += ": " + is.Why
	}
	return &shortfall{CodeDenied, why, "accept it with a key that is in your allowed signers ([approvals] in your config.toml)"}
}

// Asks reports that a person may ask more of the approval of some task than a claim. What cannot be known is asked.
func Asks(by Attestor) bool {
	return by != nil && slices.ContainsFunc([]string{"", RiskLow, RiskMedium, RiskHigh}, func(risk string) bool {
		need, err := by.Required(risk)
		return err != nil || need > LevelClaimed
	})
}

// Lacks says what the acceptance of a task lacks for the person, where the person asks more for it than a claim; ""
// for nothing. approval is the file that the acceptance names; nil where there is none, or it cannot be read. It is
// the rule by which a task starts.
func Lacks(storeID string, t *Task, approval []byte, by Attestor) string {
	p := t.Status.AcceptedPlan
	if p == nil || by == nil {
		return ""
	}
	need, err := by.Required(RiskSaid(t))
	if err == nil && need <= LevelClaimed {
		return ""
	}
	if approval == nil {
		return "its approval is missing or unreadable"
	}
	if p.ApprovalHash != "" && p.ApprovalHash != HashBytes(approval) {
		return "its approval is not the one that was given"
	}
	a, err := DecodeApproval(approval)
	if err != nil {
		return "its approval cannot be read: " + err.Error()
	}
	if why := a.differs(storeID, t); why != "" {
		return "its approval " + why
	}
	if short := attestedShort(t, a, by); short != nil {
		return short.why
	}
	return ""
}

// Lack is what an acceptance lacks for the person. It names the acceptance that it is about: another one of the same
// task lacks nothing by it.
type Lack struct {
	approval, hash string
	at             int64 // nanoseconds since 1970
	Why            string
}

// LackOf is a lack of the acceptance that t has.
func LackOf(t *Task, why string) Lack {
	p := t.Status.AcceptedPlan
	return Lack{p.Approval, p.ApprovalHash, p.At.UnixNano(), why}
}

// Lacks says what the acceptance of a task lacks (Lacking); "" for nothing.
func (s *Snapshot) Lacks(t *Task) string {
	l, found := s.lacks[t.UID]
	if !found || t.Status.AcceptedPlan == nil || l != LackOf(t, l.Why) {
		return ""
	}
	return l.Why
}

// Startable are the tasks that were accepted and that nobody is at work on, whether or not what they depend on is
// completed, and with those that lack something.
func (s *Snapshot) Startable() (tasks []int32) {
	for i, own := range s.own {
		if own == StatusReady || own == StatusReviewPlan && len(s.lacks) > 0 && s.lacksAt(int32(i)) {
			tasks = append(tasks, int32(i))
		}
	}
	return tasks
}

// What a status is called where an acceptance lacks something: in a sentence, as a label, and in a column of statuses.
const lackWord, lackLabel, lackShort = "needs a signature", "Needs a signature", "Unsigned"

// StatusShort is StatusWord for a column of a list, at most ColumnWidth wide.
func (s *Snapshot) StatusShort(i int) string {
	if s.isElsewhere(int32(i)) {
		return lackShort
	}
	switch st := s.Status(i); {
	case st == StatusWaiting:
		return "Waiting"
	case st == StatusReviewPlan && s.lacksAt(int32(i)):
		return lackShort
	}
	return s.StatusWord(i)
}

// StatusWidth is the length of the longest StatusWord that a task of the snapshot may have.
func (s *Snapshot) StatusWidth() int {
	if len(s.lacks) > 0 {
		return len(lackWord)
	}
	return LabelWidth
}

// StatusReason says why a task does not have the status that its files alone would give it; "" where it has.
func (s *Snapshot) StatusReason(i int) string {
	if len(s.lacks) == 0 || s.Status(i) != StatusReviewPlan {
		return ""
	}
	if why := s.Lacks(s.tasks.peek(int32(i))); why != "" {
		return lackWord + ": " + Plain(why)
	}
	return ""
}

func (s *Snapshot) lacksAt(i int32) bool {
	return len(s.lacks) > 0 && s.Lacks(s.tasks.peek(i)) != ""
}

// Lacking is the snapshot for a person for whom the acceptances of some tasks lack something: those tasks wait for
// the review of their plans. It is of this person and today, and goes into no pack.
func (s *Snapshot) Lacking(lacks map[UID]Lack) *Snapshot {
	if maps.Equal(lacks, s.lacks) {
		return s
	}
	copied := *s
	n := &copied
	n.lacks = lacks
	n.own = slices.Clone(s.own)
	for _, of := range []map[UID]Lack{s.lacks, lacks} {
		for uid := range of {
			if i, ok := n.lookup(uid); ok {
				n.own[i] = n.ownOf(n.tasks.peek(i))
			}
		}
	}
	n.derive()
	n.rollUp()
	n.lazyStatus()
	return n
}

// ownOf is ownStatus, for the person.
func (s *Snapshot) ownOf(t *Task) Status {
	own := ownStatus(t, s.rules)
	if own == StatusReady && len(s.lacks) > 0 && s.Lacks(t) != "" {
		return StatusReviewPlan
	}
	return own
}

// lacks says what the acceptance of the task lacks, where it is nobody's work yet: then it is accepted again.
func (s *step) lacks() string {
	t := s.task
	if t.Status.AcceptedPlan == nil || t.Status.CurrentState == Working && t.Status.CurrentRun != "" {
		return ""
	}
	if w, ok := s.w.(Approvals); ok && w.HasBytes() {
		by := w.Attestor()
		if by == nil {
			return ""
		}
		body, _, r := s.approval(t)
		if r != nil {
			return ""
		}
		return Lacks(s.w.StoreID(), t, body, by)
	}
	if w, ok := s.w.(interface{ Lacks(*Task) string }); ok {
		return w.Lacks(t)
	}
	return ""
}
