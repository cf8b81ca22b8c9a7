// Package review is what a person's verdict leaves behind: an Approval, which names every byte that was shown, who gave
// it and how sure that is; the comments that went along with it; and the Draft of one that nobody has sent yet.
//
// An approval binds by hashes (Bound). Its Statement is what a key signs, and an Attestor says what a signature is
// worth. Package lifecycle writes approvals, and package binding says what they bind to.
package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
)

const (
	// approvalType names the layout of a file under approvals/.
	approvalType = "vespe.approval/v1"
	// ApprovalNamespace is what an approval is signed for: no signature for anything else
	// counts as one.
	ApprovalNamespace = "vespe-approval@v1"
	// maxTerms bounds each of the terms that an approval repeats, and its list of the result's
	// files, in bytes. What is larger is known by its hash alone.
	maxTerms = 256 << 10
)

// Level says how far it is certain who gave an approval.
type Level int

// The levels of an approval.
const (
	LevelClaimed Level = iota // somebody who could write as that person said so
	LevelSigned               // with a key of theirs
	LevelTouched              // with a key that somebody touched for it
)

var levelNames = [...]string{"claimed", "signed", "touched"}

// String is the word that files have for the level.
func (l Level) String() string {
	if l < LevelClaimed || l > LevelTouched {
		return fmt.Sprintf("level %d", int(l))
	}
	return levelNames[l]
}

// ParseLevel reads the name of a level.
func ParseLevel(s string) (Level, bool) {
	i := slices.Index(levelNames[:], strings.ToLower(strings.TrimSpace(s)))
	return Level(max(0, i)), i >= 0
}

// Approval is the immutable record of a person's verdict: who gave it, and exactly
// what was shown to them.
type Approval struct {
	Type     string      `json:"type"`
	StoreID  string      `json:"store_id"`
	Task     model.UID   `json:"task"`
	Verdict  string      `json:"verdict"` // accept, revalidate, review-accepted
	Approver model.Actor `json:"approver"`
	ApprovalProof
	Objective ApprovedDoc `json:"objective"`
	Plan      ApprovedDoc `json:"plan"`

	Spec         string            `json:"spec"` // of all of spec.json in vespe's form; "" where there was none
	DependsOn    []model.UID       `json:"depends_on"`
	Dependencies map[string]string `json:"dependencies"` // as parent_content_hashes
	Policy       string            `json:"policy"`       // of all of the store's config.json in vespe's form
	Reason       string            `json:"reason"`
	// Bound are the hashes of what was bound besides the two texts, by file (Bound). Absent:
	// an older vespe wrote it.
	Bound    map[string]string `json:"bound"`
	Excluded []string          `json:"excluded,omitempty"` // of the plan, that was not accepted with it
	Comments ApprovedComments  `json:"comments,omitzero"`  // that were sent along
	// Terms are the bound files themselves, those that are not known by revision.
	Terms struct {
		Spec   jsontext.Value `json:"spec.json,omitzero"`
		Policy jsontext.Value `json:"config.json,omitzero"`
		// Protections are the parts of config.json that may only get stricter.
		Protections jsontext.Value `json:"protections,omitzero"`
	} `json:"terms"`
	// Result are the files of the result by path, where it was what was judged and they are not too
	// many (ResultFiles).
	Result    map[string]string `json:"result,omitempty"`
	SeenHead  string            `json:"seen_head,omitzero"` // hash of the entry of the log that was the last when it was shown
	Signature string            `json:"signature,omitzero"` // of Statement, armored as ssh-keygen writes it; "" for none
}

// ApprovalProof is how, when and after what an approval was given.
type ApprovalProof struct {
	Level     Level  `json:"level"` // as it was found when it was given
	LevelName string `json:"level_name"`
	Time      string `json:"time"`
	Nonce     string `json:"nonce"` // the operation's id
	Head      string `json:"head"`  // hash of the entry of the log that it was given after; "" for the first
}

// ApprovedDoc names the revision that was approved; its Revision is 0 where there was none.
type ApprovedDoc struct {
	Revision int    `json:"revision"`
	Hash     string `json:"sha256"`
}

// DecodeApproval reads a file under approvals/.
func DecodeApproval(b []byte) (Approval, error) {
	var a Approval
	if err := json.Unmarshal(b, &a); err != nil {
		return Approval{}, err
	}
	if a.Type != approvalType {
		return Approval{}, fmt.Errorf("its type is %q, not %q", a.Type, approvalType)
	}
	return a, nil
}

// Encode writes the file.
func (a *Approval) Encode() []byte {
	file := *a
	file.Type, file.LevelName = approvalType, a.Level.String()
	for _, b := range []*jsontext.Value{&file.Terms.Spec, &file.Terms.Policy, &file.Terms.Protections} {
		if len(*b) > maxTerms {
			*b = nil
		}
	}
	if len(model.ObjectField("result", sortedFields(a.Result)).Value) > maxTerms {
		file.Result = nil
	}
	return model.Indented(&file)
}

func sortedFields(m map[string]string) model.Extra {
	var out model.Extra
	for k, v := range m {
		out = append(out, model.TextField(k, v))
	}
	slices.SortFunc(out, func(a, b model.ExtraField) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Statement is what a person signs: one form of everything that the approval says, save what
// is only known when it is written (revisions, the last entry of the log, the ids of comments) and the
// level, which follows from the signature.
func (a *Approval) Statement() []byte {
	fields := model.Extra{
		model.TextField("type", ApprovalNamespace),
		model.TextField("store_id", a.StoreID),
		model.TextField("task", string(a.Task)),
		model.TextField("verdict", a.Verdict),
		model.TextField("approver", string(a.Approver)),
		model.TextField("time", a.Time),
		model.TextField("nonce", a.Nonce),
		model.TextField("seen_head", a.SeenHead),
		model.TextField("objective", a.Objective.Hash),
		model.TextField("plan", a.Plan.Hash),
		model.ObjectField("bound", sortedFields(a.Bound)),
		model.TextField("reason", a.Reason),
	}
	if len(a.Excluded) > 0 {
		fields = append(fields, model.ListField("excluded", a.Excluded))
	}
	if a.Comments.Hash != "" {
		fields = append(fields, model.TextField("comments", a.Comments.Hash))
	}
	return model.EncodeFields(fields)
}

// At is when the approval was given; zero where it does not say.
func (a *Approval) At() time.Time {
	t, _ := model.ParseTime(a.Time)
	return t
}

// Attested is how far an approval's signature is to be believed.
type Attested struct {
	Level  Level
	Signer string // the key that signed, for people; "" for none
	// Why says what keeps the level from being higher than claimed, where there is a signature.
	Why string
	// False: the signature is not one of these bytes.
	False bool
}

// Attestor knows keys, and what a person asks of an approval. It lies outside of the store:
// what a repository says lowers nothing.
type Attestor interface {
	// Attest looks at the signature of an approval. What nobody can check is a claim.
	Attest(a Approval) Attested
	// Required is the level that the approval of a task of that risk must have; "" is a risk
	// that nobody has named.
	Required(risk string) (Level, error)
}

// StandingApprovals are the files that the verdicts which stand on a task were written to, by their paths
// in its directory, with their hashes. The hash is "" where an older vespe did not note it.
func StandingApprovals(st *model.StatusFile) (files []model.ContentHash) {
	if a := st.AcceptedPlan; a != nil && a.Approval != "" {
		files = append(files, model.ContentHash{Key: model.ApprovalsDir + a.Approval, Hash: a.ApprovalHash})
	}
	if r := st.Review; r != nil && r.Approval != "" {
		files = append(files, model.ContentHash{Key: model.ApprovalsDir + r.Approval, Hash: r.ApprovalHash})
	}
	return files
}

// ApprovalName is the name of the approval that a path below .vespe is of.
func ApprovalName(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, "tasks/")
	if !ok {
		return "", false
	}
	_, file, _ := strings.Cut(rest, "/")
	return strings.CutPrefix(file, model.ApprovalsDir)
}

// BoundComments is the name under which the comments on the plan are bound.
const BoundComments = "reviews"

// BoundResult is the name under which the result is bound, where it is what is judged.
const BoundResult = "result"

// approvalVerdicts are the operations that write an approval, by what they call it.
var approvalVerdicts = map[model.Name]string{model.AcceptPlan: "accept", model.Revalidate: "revalidate", model.ReviewAccepted: "review-accepted"}

// ApprovalVerdict is what the approval of an operation calls its verdict; false where it writes none.
func ApprovalVerdict(op model.Name) (verdict string, writes bool) {
	verdict, writes = approvalVerdicts[op]
	return verdict, writes
}

// TermsBody is a bound file as the approval repeats it; nil where it does not, or it is not what
// was bound.
func (a *Approval) TermsBody(file string) []byte {
	var b []byte
	switch file {
	case model.SpecFile:
		b = a.Terms.Spec
	case model.BoundPolicy:
		b = a.Terms.Policy
	case model.BoundProtections:
		b = a.Terms.Protections
	case model.DependenciesFile:
		b = model.EncodeDependencies(a.DependsOn, nil)
	}
	if b == nil {
		return nil
	}
	if b = model.Canonical(b); model.HashBytes(b) != a.Bound[file] {
		return nil
	}
	return b
}

// Approvals is an optional part of a World: current approvals, and whose signatures count.
type Approvals interface {
	// ApprovalFile is a file under approvals/. model.ErrNoContent: there is none, or this world has
	// no bytes.
	ApprovalFile(uid model.UID, name string) ([]byte, error)
	// HasBytes is false in a preview.
	HasBytes() bool
	// Attestor is who knows keys; nil: nobody, and signatures are not looked at.
	Attestor() Attestor
}

// ResultFiles are the files of the result that an approval of finished work binds to; false where it
// does not list them, or they are not what is bound.
func (a *Approval) ResultFiles() ([]model.ResultFile, bool) {
	var list []model.ResultFile
	for path, hash := range a.Result {
		list = append(list, model.ResultFile{Path: path, Hash: hash})
	}
	bound, judged := a.Bound[BoundResult]
	return list, judged && model.HashResult(list) == bound
}

// Stands reports that an approval of finished work is the one that a task is reviewed by.
func (a *Approval) Stands(st *model.StatusFile) bool {
	r := st.Review
	return a.Verdict == approvalVerdicts[model.ReviewAccepted] && st.CurrentState == model.Completed && r != nil &&
		r.Of == "work" && r.Verdict == model.VerdictAccepted && r.By == a.Approver && r.At.Equal(a.At())
}

// ResultSince compares the result that an approval binds to with the files of today, one entry a file
// that differs. Where the approval lists none it is one, about the result as a whole.
func (a *Approval) ResultSince(now []model.ResultFile) []model.ChangeReason {
	if hash := model.HashResult(now); hash != a.Bound[BoundResult] {
		if was, known := a.ResultFiles(); known {
			return resultDiff(was, now)
		}
		return []model.ChangeReason{{Old: a.Bound[BoundResult], New: hash}}
	}
	return nil
}

func resultDiff(was, now []model.ResultFile) (out []model.ChangeReason) {
	at := map[string]int{}
	put := func(path string) *model.ChangeReason {
		i, ok := at[path]
		if !ok {
			i, at[path] = len(out), len(out)
			out = append(out, model.ChangeReason{File: path})
		}
		return &out[i]
	}
	for _, f := range was {
		put(f.Path).Old = f.Hash
	}
	for _, f := range now {
		put(f.Path).New = f.Hash
	}
	out = slices.DeleteFunc(out, func(c model.ChangeReason) bool { return c.Old == c.New })
	slices.SortFunc(out, func(a, b model.ChangeReason) int { return cmp.Compare(a.File, b.File) })
	return out
}
