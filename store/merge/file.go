package merge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/chain"
	"vespe/model/jsontree"
)

// File merges a file of a store, by its path below .vespe; nil stands for a version that is not there. ok is false
// where it is none of the files that are merged, or one of the versions cannot be read: then nothing is decided here.
func File(name string, base, a, b []byte) (merged []byte, ok bool) {
	switch {
	case bytes.Equal(a, b), b == nil:
		return a, a != nil
	case a == nil:
		return b, true
	}
	switch kindOf(name) {
	case "status":
		return statuses(a, b)
	case "document":
		return changed(base, a, b)
	case "request":
		return requests(a, b)
	case "review":
		return reviews(a, b)
	case "milestones":
		return trees(base, a, b, func(v []byte) ([]byte, bool) {
			ms, ps := model.DecodeMilestones(name, v)
			listed := map[model.UID]bool{} // both moved a task: it is in one milestone
			for i := range ms.List {
				ms.List[i].TaskIDs = slices.DeleteFunc(ms.List[i].TaskIDs, func(uid model.UID) bool {
					twice := listed[uid]
					listed[uid] = true
					return twice
				})
			}
			return model.EncodeMilestones(ms), len(ps) == 0
		})
	case "config", "dependencies", "spec":
		part := strings.TrimSuffix(path.Base(name), ".json")
		return trees(base, a, b, func(v []byte) ([]byte, bool) { return canonical(part, v) })
	case "tree":
		return trees(base, a, b, indented)
	case "run":
		return runs(a, b)
	}
	return nil, false
}

// kindOf says how a file is merged; "" where it is not.
func kindOf(name string) string {
	parts := strings.Split(name, "/")
	file := path.Base(name)
	isJSON := path.Ext(file) == ".json"
	switch {
	case name == "milestones.json":
		return "milestones"
	case name == "reflections/proposals.json":
		return "tree"
	case len(parts) == 2 && parts[0] == "hitl_queue" && isJSON:
		return "request"
	case len(parts) < 3 || parts[0] != "tasks":
		return ""
	case len(parts) == 3 && (file == "objective.md" || file == "plan.md"):
		return "document"
	case len(parts) == 3 && slices.Contains([]string{"status.json", "config.json", "dependencies.json", "spec.json"}, file):
		return strings.TrimSuffix(file, ".json")
	case len(parts) == 4 && parts[2] == "reviews" && strings.HasPrefix(file, "plan-") && isJSON:
		return "review"
	case file == "run.json" && strings.HasPrefix(name, "tasks/"+parts[1]+"/persistent/runs/"):
		return "run"
	}
	return ""
}

// changed is the text of the side that changed it. Where both did, dropping one may lose what somebody wrote.
func changed(base, a, b []byte) ([]byte, bool) {
	switch {
	case bytes.Equal(base, a):
		return b, true
	case bytes.Equal(base, b):
		return a, true
	}
	return nil, false
}

// Either is one of two texts, whichever side is ours: for texts that are both kept elsewhere.
func Either(a, b []byte) []byte {
	if bytes.Compare(a, b) > 0 {
		return a
	}
	return b
}

// trees merges JSON key by key; form gives it the form in which vespe writes the file, false where that cannot be.
func trees(base, a, b []byte, form func([]byte) ([]byte, bool)) ([]byte, bool) {
	var vs [3]jsontree.Value
	for i, raw := range [][]byte{base, a, b} {
		if i == 0 && raw == nil {
			continue
		}
		v, err := jsontree.Parse(raw)
		if err != nil && i > 0 {
			return nil, false
		}
		vs[i] = v
	}
	return form(jsontree.Encode(jsontree.Merge(vs[0], vs[1], vs[2])))
}

func indented(b []byte) ([]byte, bool) {
	var out bytes.Buffer
	err := json.Indent(&out, b, "", "  ")
	out.WriteByte('\n')
	return out.Bytes(), err == nil
}

// canonical is one of a task's own files as vespe writes it.
func canonical(part string, b []byte) ([]byte, bool) {
	var ps []model.Problem
	var out []byte
	switch part {
	case chain.PatchConfig:
		var c model.Config
		c, ps = model.DecodeConfig("", b)
		out = model.EncodeConfig(c)
	case chain.PatchDependencies:
		var deps []model.UID
		var extra model.Extra
		deps, extra, ps = model.DecodeDependencies("", b)
		out = model.EncodeDependencies(deps, extra)
	case chain.PatchSpec:
		var s *model.Spec
		s, ps = model.DecodeSpec("", b)
		out = model.EncodeSpec(s)
	default:
		var s model.StatusFile
		s, ps = model.DecodeStatus("", b)
		out = model.EncodeStatus(s)
	}
	return out, !broken(ps)
}

func broken(ps []model.Problem) bool {
	return slices.ContainsFunc(ps, func(p model.Problem) bool { return p.Severity == model.Error })
}

// statuses lets the version stand that has the longer history, and notes what the other one ends with.
func statuses(a, b []byte) ([]byte, bool) {
	w, more := model.DecodeStatus("", a)
	l, ps := model.DecodeStatus("", b)
	if broken(more) || broken(ps) {
		return nil, false
	}
	if cmp.Or(cmp.Compare(w.Revision, l.Revision), w.LastUpdatedAt.Compare(l.LastUpdatedAt), bytes.Compare(a, b)) < 0 {
		w, l = l, w
	}
	counted := union(w.LastOps, w.PickedOps)
	w.UnmergedOps = slices.DeleteFunc(union(w.UnmergedOps, l.LastOps, l.UnmergedOps, l.PickedOps), func(op string) bool { return isIn(counted, op) })
	return model.EncodeStatus(w), true
}

func union(lists ...[]string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(lists...))))
}

// requests brings two versions of a request together. Of two answers that say the same the earlier one stands, a denial
// stands before any other answer, and of two others none does: the request waits again. An answer that was given with the
// other one known is the newer one. Those that don't stand are kept.
func requests(a, b []byte) ([]byte, bool) {
	x, ps := model.DecodeRequest("", a)
	y, more := model.DecodeRequest("", b)
	if broken(ps) || broken(more) {
		return nil, false
	}
	if !laterRequest(&x, &y, a, b) {
		x, y = y, x
	}
	// From here on x is what stands where no answers are against each other.
	counts := func(q, other *model.Request) bool {
		return q.IsDecided() && (!other.GaveOther(q.Answer) || q.GaveOther(q.Answer))
	}
	out := x.Clone()
	others := slices.Concat(x.Others, y.Others)
	switch one, two := counts(&x, &y), counts(&y, &x); {
	case one && two && x.Answer.Same(y.Answer):
	case one && two && x.State != model.RequestDenied && y.State != model.RequestDenied:
		out.State, out.Answer = model.RequestPending, nil
		others = append(others, *x.Answer, *y.Answer)
	case two && (!one || x.State != model.RequestDenied):
		out = y.Clone()
		others = given(others, &x)
	case one:
		others = given(others, &y)
	case x.IsDecided(): // the other one knows it, and waits
		out = y.Clone()
		others = given(others, &x)
	default:
		others = given(others, &y)
	}
	out.Others = nil
	slices.SortStableFunc(others, func(a, b model.Answer) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(string(a.By), string(b.By)))
	})
	for i := range others {
		if !out.GaveOther(&others[i]) {
			out.Others = append(out.Others, others[i])
		}
	}
	return model.EncodeRequest(out), true
}

// given adds the answer that a request has, where it has one.
func given(others []model.Answer, q *model.Request) []model.Answer {
	if q.IsDecided() {
		others = append(others, *q.Answer)
	}
	return others
}

// laterRequest says whether x stands before y where their answers are not against each other: one that is closed, the
// earlier answer, and of one answer the version that knows what was done with it.
func laterRequest(x, y *model.Request, a, b []byte) bool {
	rank := func(q *model.Request) int {
		switch {
		case q.IsDecided():
			return 2
		case !q.IsOpen():
			return 1
		}
		return 0
	}
	at := func(q *model.Request) int64 {
		if q.Answer == nil {
			return 0
		}
		return -q.Answer.At.UnixNano()
	}
	return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(at(x), at(y)), cmp.Compare(len(a), len(b)), bytes.Compare(a, b)) > 0
}

// runs lets the run stand that has ended, and of two ends of it the first one, whole.
func runs(a, b []byte) ([]byte, bool) {
	var x, y struct {
		EndedAt time.Time `json:"ended_at"`
	}
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return nil, false
	}
	first := x.EndedAt.Compare(y.EndedAt)
	switch {
	case x.EndedAt.IsZero() != y.EndedAt.IsZero():
		first = -first
	case first == 0:
		first = bytes.Compare(b, a)
	}
	if first > 0 {
		return b, true
	}
	return a, true
}

// reviews has the comments and answers of both.
func reviews(a, b []byte) ([]byte, bool) {
	x, err := model.DecodeReviewFile(a)
	y, more := model.DecodeReviewFile(b)
	if err != nil || more != nil {
		return nil, false
	}
	if bytes.Compare(a, b) < 0 {
		x, y = y, x // of the verdict, which status.json repeats, one stands
	}
	if x.Verdict == "" {
		x.Verdict, x.By, x.At, x.Reason = y.Verdict, y.By, y.At, y.Reason
	}
	for i := range y.Comments {
		c := y.Comments[i]
		if known := x.Find(c.ID); known != nil {
			known.Replies = replies(known.Replies, c.Replies)
			if n := len(known.Replies); n > 0 {
				known.State = known.Replies[n-1].State
			}
			continue
		}
		x.Comments = append(x.Comments, c)
	}
	slices.SortStableFunc(x.Comments, func(a, b model.Comment) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID))
	})
	return model.EncodeReviewFile(x), true
}

func replies(a, b []model.Reply) []model.Reply {
	out := slices.Clone(a)
	for _, r := range b {
		i := slices.IndexFunc(out, func(o model.Reply) bool {
			return o.State == r.State && o.Text == r.Text && o.By == r.By && o.At.Equal(r.At) && o.Revision == r.Revision
		})
		switch {
		case i < 0:
			out = append(out, r)
		case r.Via == "":
			out[i].Via = ""
		}
	}
	slices.SortFunc(out, func(a, b model.Reply) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(string(a.By), string(b.By)), strings.Compare(string(a.State), string(b.State)), strings.Compare(a.Text, b.Text))
	})
	return out
}
