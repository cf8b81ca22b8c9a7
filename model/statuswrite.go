package model

var (
	acceptedKeys = []string{
		"plan_revision", "plan_hash", "objective_revision", "objective_hash", "by", "at", "approval",
		"approval_hash", "excluded", "spec_hash", "dependencies_hash", "policy_hash",
	}
	commentKeys = []string{"revision", "open", "blocking", "questions", "hash", "file"}
	reviewKeys  = []string{"of", "verdict", "by", "at", "reason", "revision", "approval", "approval_hash", "fetched_by", "fetched_at"}
)

// EncodeStatus writes status.json. These keys are always there, because every system that
// reads the file expects them: current_state, last_updated_at (null when there is none),
// parent_content_hashes, is_paused, subtask_uids, retry_count and revision. All others
// are left out while they say nothing.
func EncodeStatus(s StatusFile) []byte {
	s = s.Elsewhere.over(s)
	w := writer{buf: make([]byte, 0, 512), extra: s.Extra}
	w.open('{')
	w.text("current_state", string(s.CurrentState), true)
	w.time("last_updated_at", s.LastUpdatedAt, true)
	w.text("progress", s.Progress, false)
	w.hashes("parent_content_hashes", s.ParentContentHashes)
	w.bool("is_paused", s.IsPaused, true)
	w.text("pause_reason", s.PauseReason, false)
	w.text("paused_by", string(s.PausedBy), false)
	w.text("previous_state", string(s.PreviousState), false)
	textList(&w, "subtask_uids", s.SubtaskUIDs, true)
	w.text("error_details", s.ErrorDetails, false)
	w.int("retry_count", s.RetryCount, true)
	w.text("by_hand", string(s.ByHand), false)
	w.text("failed_by", string(s.FailedBy), false)
	w.text("assigned_agent_uid", string(s.AssignedAgentUID), false)
	w.text("current_run", s.CurrentRun, false)
	w.time("run_started_at", s.RunStartedAt, false)
	w.int("runs", s.Runs, false)
	w.int("run_seconds", s.RunSeconds, false)
	w.changes(s.ChangedBecause)
	w.int("plan_revision", s.PlanRevision, false)
	w.int("objective_revision", s.ObjectiveRevision, false)
	w.acceptedPlan(s.AcceptedPlan)
	w.review(s.Review)
	textList(&w, "answered", s.Answered, false)
	w.comments(s.Comments)
	textList(&w, "lowered", s.Lowered, false)
	w.undo(s.Undo)
	w.oneLine("last_ops", s.LastOps)
	w.oneLine("unmerged_ops", s.UnmergedOps)
	w.oneLine("picked_ops", s.PickedOps)
	w.int("revision", s.Revision, true)
	w.rest(statusKeys)
	return w.file()
}

// oneLine writes a list of operations without line breaks. Two clones that changed it conflict then in git, which merges
// by lines: lists that share their last lines it may merge into a file with a key written twice.
func (w *writer) oneLine(key string, ops []string) {
	if !w.member(key, len(ops) == 0, false) {
		return
	}
	w.buf = append(w.buf, '[')
	for i, op := range ops {
		if i > 0 {
			w.buf = append(w.buf, ", "...)
		}
		w.buf = appendQuoted(w.buf, op)
	}
	w.buf = append(w.buf, ']')
}

func (w *writer) hashes(key string, hashes []ContentHash) {
	if !w.member(key, len(hashes) == 0, true) {
		return
	}
	outer := w.nested('{', nil)
	for i, h := range hashes {
		if i == 0 || hashes[i-1].Key != h.Key {
			w.text(h.Key, h.Hash, true)
		}
	}
	w.endNested('}', outer)
}

// changes writes a reason that is only text as a string, and any other as an object.
func (w *writer) changes(reasons []ChangeReason) {
	if !w.member("changed_because", len(reasons) == 0, false) {
		return
	}
	outer := w.nested('[', nil)
	for _, c := range reasons {
		w.item()
		if c.Old == "" && c.New == "" {
			w.buf = appendQuoted(w.buf, c.File)
			continue
		}
		w.open('{')
		w.text("file", c.File, true)
		w.text("old", c.Old, true)
		w.text("new", c.New, true)
		w.close('}')
	}
	w.endNested(']', outer)
}

func (w *writer) acceptedPlan(a *AcceptedPlan) {
	if !w.member("accepted_plan", a == nil, false) {
		return
	}
	outer := w.nested('{', a.Extra)
	w.int("plan_revision", a.PlanRevision, false)
	w.text("plan_hash", a.PlanHash, false)
	w.int("objective_revision", a.ObjectiveRevision, false)
	w.text("objective_hash", a.ObjectiveHash, false)
	w.text("by", string(a.By), false)
	w.time("at", a.At, false)
	w.text("approval", a.Approval, false)
	w.text("approval_hash", a.ApprovalHash, false)
	textList(w, "excluded", a.Excluded, false)
	w.text("spec_hash", a.SpecHash, false)
	w.text("dependencies_hash", a.DependenciesHash, false)
	w.text("policy_hash", a.PolicyHash, false)
	w.rest(acceptedKeys)
	w.endNested('}', outer)
}

func (w *writer) review(v *Review) {
	if !w.member("review", v == nil, false) {
		return
	}
	outer := w.nested('{', v.Extra)
	w.text("of", v.Of, false)
	w.text("verdict", v.Verdict, false)
	w.text("by", string(v.By), false)
	w.time("at", v.At, false)
	w.text("reason", v.Reason, false)
	w.int("revision", v.Revision, false)
	w.text("approval", v.Approval, false)
	w.text("approval_hash", v.ApprovalHash, false)
	w.text("fetched_by", string(v.FetchedBy), false)
	w.time("fetched_at", v.FetchedAt, false)
	w.rest(reviewKeys)
	w.endNested('}', outer)
}

func (w *writer) comments(b *CommentBook) {
	if !w.member("comments", b == nil, false) {
		return
	}
	outer := w.nested('{', b.Extra)
	w.int("revision", b.Revision, false)
	w.int("open", b.Open, true)
	w.int("blocking", b.Blocking, true)
	w.int("questions", b.Questions, false)
	w.text("hash", b.Hash, false)
	w.text("file", b.File, false)
	w.rest(commentKeys)
	w.endNested('}', outer)
}

func (w *writer) undo(u *Undo) {
	if !w.member("undo", u == nil, false) {
		return
	}
	outer := w.nested('{', nil)
	w.text("transition", string(u.Transition), false)
	w.text("by", string(u.By), false)
	w.time("at", u.At, false)
	w.name("tasks")
	w.open('[')
	for _, t := range u.Tasks {
		w.item()
		w.open('{')
		w.text("uid", string(t.UID), false)
		w.int("revision", t.Revision, true)
		if len(t.Before) > 0 {
			w.name("before")
			w.reindented(t.Before)
		}
		w.close('}')
	}
	w.close(']')
	if len(u.Requests) > 0 {
		w.name("requests")
		w.open('[')
		for _, r := range u.Requests {
			w.item()
			w.open('{')
			w.text("id", r.ID, true)
			w.text("state", r.State, true)
			w.close('}')
		}
		w.close(']')
	}
	w.endNested('}', outer)
}
