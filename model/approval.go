package model

import (
	"fmt"
	"path"
	"regexp"
	"time"

	"github.com/go-json-experiment/json"
)

// approvalType names the layout of a file under approvals/.
const approvalType = "vespe.approval/v1"

// runPattern is what may name a directory under persistent/runs/.
var runPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

var noTime time.Time

// taskFile is a path inside a task's directory, relative to .vespe.
func taskFile(uid UID, name string) string { return path.Join("tasks", string(uid), name) }

// lastRevision is the highest number that a revision of a document has.
func (x *tx) lastRevision(uid UID, d Doc) int {
	if n, ok := x.o.base.(Numbering); ok {
		return n.LastRevision(uid, d)
	}
	return 0
}

func boolField(key string, b bool) ExtraField {
	return ExtraField{Key: key, Value: fmt.Append(nil, b)}
}

// detail adds to the step's event.
func (s *step) detail(f ExtraField) { s.details = append(s.details, f) }

// writeApproval writes the immutable record of a person's verdict (DESIGN §7), bound to
// everything that the person was shown, and returns its name. The number in the name is
// that of status.json, which counts up, and from the last approval where it was set back, so that no name comes twice. The level
// is 0, `claimed`: somebody at a terminal said so.
func (s *step) writeApproval(t *Task, objective, plan Content, verdict string) string {
	doc := func(c Content, rev int) Extra {
		if c.Revision > 0 {
			rev = c.Revision
		}
		return Extra{IntField("revision", rev), TextField("sha256", c.Hash)}
	}
	var deps Extra
	for _, h := range t.Status.ParentContentHashes {
		deps = append(deps, TextField(h.Key, h.Hash))
	}
	spec := ""
	if t.Spec != nil {
		spec = HashBytes(EncodeSpec(t.Spec))
	}
	if n, ok := s.o.base.(Numbering); ok {
		t.Status.Revision = max(t.Status.Revision, n.LastApproval(t.UID)+1)
	}
	name := fmt.Sprintf("%04d-%s.json", t.Status.Revision, verdict)
	s.write(taskFile(t.UID, "approvals/"+name), EncodeFields(Extra{
		TextField("type", approvalType),
		TextField("store_id", s.w.StoreID()),
		TextField("task", string(t.UID)),
		TextField("verdict", verdict),
		TextField("approver", string(s.op.Actor)),
		IntField("level", 0),
		TextField("level_name", "claimed"),
		TextField("time", FormatTime(s.op.At)),
		TextField("nonce", s.op.ID),
		TextField("head", s.w.Head()),
		ObjectField("objective", doc(objective, t.Status.ObjectiveRevision)),
		ObjectField("plan", doc(plan, t.Status.PlanRevision)),
		TextField("spec", spec),
		ListField("depends_on", t.DependsOn),
		ObjectField("dependencies", deps),
		TextField("policy", HashBytes(EncodePolicy(s.policy))),
		TextField("reason", s.op.Reason),
	}), true)
	return name
}

// writeReview writes the verdict of t.Status.Review where comments will join it: one file
// a judged revision of the plan, and one for the work that was done by it.
func (s *step) writeReview(t *Task, of, planHash string) {
	r := t.Status.Review
	s.write(taskFile(t.UID, fmt.Sprintf("reviews/%s-%04d.json", of, r.Revision)), EncodeFields(Extra{
		IntField("revision", r.Revision),
		TextField("plan_hash", planHash),
		TextField("verdict", r.Verdict),
		TextField("by", string(r.By)),
		TextField("at", FormatTime(r.At)),
		TextField("reason", r.Reason),
		ListField("comments", []string(nil)),
	}), false)
	s.detail(IntField("revision", r.Revision))
}

// writeRun writes run.json of the live run; end are the keys that a run gets when it is
// over.
func (s *step) writeRun(t *Task, end Extra) {
	st := &t.Status
	if !runPattern.MatchString(st.CurrentRun) {
		return // an id of another system that cannot name a directory
	}
	fields := Extra{TextField("run", st.CurrentRun), TextField("worker", string(st.AssignedAgentUID))}
	if !st.RunStartedAt.IsZero() {
		fields = append(fields, TimeField("started_at", st.RunStartedAt))
	}
	s.write(taskFile(t.UID, "persistent/runs/"+st.CurrentRun+"/run.json"), EncodeFields(append(fields, end...)), false)
}

// Approval is the record of a person's verdict, as far as it can be checked again.
type Approval struct {
	StoreID   string      `json:"store_id"`
	Task      UID         `json:"task"`
	Verdict   string      `json:"verdict"`
	Head      string      `json:"head"` // hash of the entry of the log that it was given after; "" for the first
	Objective ApprovedDoc `json:"objective"`
	Plan      ApprovedDoc `json:"plan"`
}

// ApprovedDoc names the revision that was approved; its Revision is 0 where there was none.
type ApprovedDoc struct {
	Revision int    `json:"revision"`
	Hash     string `json:"sha256"`
}

// DecodeApproval reads a file under approvals/.
func DecodeApproval(b []byte) (Approval, error) {
	var a struct {
		Type string `json:"type"`
		Approval
	}
	if err := json.Unmarshal(b, &a); err != nil {
		return Approval{}, err
	}
	if a.Type != approvalType {
		return Approval{}, fmt.Errorf("its type is %q, not %q", a.Type, approvalType)
	}
	return a.Approval, nil
}
