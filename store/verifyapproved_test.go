package store

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/review"
	"vespe/store/layout"
)

// reviewed is a task whose work a person has accepted, with a summary and a report as its result.
func reviewed(t *testing.T, s *Store) model.UID {
	t.Helper()
	uid := planned(t, s, "work")
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Args: model.Acceptance{Comments: []model.NewComment{
		{Place: model.Place{From: 1, To: 1}, Text: "mind the encoding"}, {Kind: model.Question, Text: "and the locale?"},
	}}}, model.Op{Name: model.Start, UID: uid, Actor: robot})
	write(t, vespe(s, layout.TaskFile(uid, "result/report.md")), "# Report\n")
	write(t, vespe(s, layout.TaskFile(uid, "result/deep/data.bin")), "\x00\xff")
	do(t, s, model.Op{Name: model.WorkCompleted, UID: uid, Actor: robot, Args: model.Completion{Summary: "done"}}, model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann})
	return uid
}

// What a person accepted is what is there: each file of the result, and what they said along with it.
func TestVerifyHoldsResultsAndCommentsAgainstApprovals(t *testing.T) {
	report, data := model.HashBytes([]byte("# Report\n")), model.HashBytes([]byte("\x00\xff"))
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, s *Store, uid model.UID)
		want  []string // of each problem its code and path, and what its reason says
		says  string
	}{
		"nothing": {spoil: func(*testing.T, *Store, model.UID) {}},
		"a file that was changed": {spoil: func(t *testing.T, s *Store, uid model.UID) {
			write(t, vespe(s, layout.TaskFile(uid, "result/report.md")), "# Another\n")
		}, want: []string{"error result-differs TASK/result/report.md"}, says: "it was " + report + " and is now " + model.HashBytes([]byte("# Another\n"))},
		"a file that came": {spoil: func(t *testing.T, s *Store, uid model.UID) {
			write(t, vespe(s, layout.TaskFile(uid, "result/more.md")), "more")
		}, want: []string{"error result-differs TASK/result/more.md"}, says: "it was not there and is now " + model.HashBytes([]byte("more"))},
		"a file that went": {spoil: func(t *testing.T, s *Store, uid model.UID) {
			must(t, os.Remove(vespe(s, layout.TaskFile(uid, "result/deep/data.bin"))))
		}, want: []string{"error result-differs TASK/result/deep/data.bin"}, says: "it was " + data + " and is now not there"},
		"a result without a hash": {spoil: func(t *testing.T, s *Store, uid model.UID) {
			file := vespe(s, layout.TaskFile(uid, "result/report.md"))
			must(t, os.Remove(file))
			must(t, os.Symlink("deep/data.bin", file))
		}, want: []string{"error not-regular TASK/result"}, says: "symbolic link"},
		"after the review was taken back": {spoil: func(t *testing.T, s *Store, uid model.UID) {
			do(t, s, model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
			write(t, vespe(s, layout.TaskFile(uid, "result/report.md")), "# Another\n")
		}},
		"other words": {spoil: func(t *testing.T, s *Store, uid model.UID) {
			file := vespe(s, reviewAt(s, uid, 1))
			write(t, file, strings.Replace(read(t, file), "mind the encoding", "ignore the encoding", 1))
		}, want: []string{"error foreign-change TASK/reviews/plan-0001.json", "error approval-differs TASK/approvals/accept.json"}, says: "other comments than"},
		"no words": {spoil: func(t *testing.T, s *Store, uid model.UID) {
			must(t, os.Remove(vespe(s, reviewAt(s, uid, 1))))
		}, want: []string{"error foreign-change TASK/reviews/plan-0001.json", "error approval-differs TASK/approvals/accept.json"}, says: "other comments than"},
		"a copy that vespe did not give, of another result": {spoil: func(t *testing.T, s *Store, uid model.UID) {
			copyApproval(t, s, globName(t, s, layout.TaskFile(uid, "approvals/review-accepted-*.json")), layout.TaskFile(uid, "approvals/0099-review-accepted.json"), func(a map[string]any) {
				a["bound"].(map[string]any)[review.BoundResult] = model.HashBytes([]byte("another"))
				delete(a, "result")
			})
		}, want: []string{"warning not-believed TASK/approvals/0099-review-accepted.json"}},
		"a copy that names comments, and not what they say": {spoil: func(t *testing.T, s *Store, uid model.UID) {
			copyApproval(t, s, globName(t, s, layout.TaskFile(uid, "approvals/accept-*.json")), layout.TaskFile(uid, "approvals/0099-accept.json"), func(a map[string]any) {
				delete(a["comments"].(map[string]any), "sha256")
			})
		}, want: []string{"warning not-believed TASK/approvals/0099-accept.json", "error approval-differs TASK/approvals/0099-accept.json"}, says: "other comments than"},
		"words that were answered": {spoil: func(t *testing.T, s *Store, uid model.UID) {
			f := mustGet(s.Review(t.Context(), uid, 1))(t)
			do(t, s, model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann},
				model.Op{Name: model.ResolveComment, UID: uid, Actor: ann, Args: model.CommentRef{Comment: f.Comments[0].ID}})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid := reviewed(t, s)
			tt.spoil(t, s, uid)
			v, lines := verified(t, s, "")
			for i := range tt.want {
				tt.want[i] = strings.ReplaceAll(tt.want[i], "TASK", layout.TaskDir(uid))
			}
			slices.Sort(lines)
			slices.Sort(tt.want)
			if !slices.Equal(lines, tt.want) {
				t.Errorf("found %q, want %q", lines, tt.want)
			}
			if !slices.ContainsFunc(v.Problems, func(p model.Problem) bool { return strings.Contains(p.Reason, tt.says) }) && tt.says != "" {
				t.Errorf("nothing says %q: %+v", tt.says, v.Problems)
			}
		})
	}
}

// copyApproval puts a copy of an approval there under another name, changed.
func copyApproval(t *testing.T, s *Store, from, to string, change func(map[string]any)) {
	t.Helper()
	var a map[string]any
	must(t, json.Unmarshal([]byte(read(t, vespe(s, from))), &a))
	change(a)
	b := mustGet(json.Marshal(a))(t)
	write(t, vespe(s, to), string(b))
}

// An approval of an older vespe lists no files of the result, and one of a result of very many files
// does not either: that it is another is known all the same.
func TestAResultThatIsNotListed(t *testing.T) {
	s := newStore(t)
	uid := reviewed(t, s)
	name := globName(t, s, layout.TaskFile(uid, "approvals/review-accepted-*.json"))
	var a review.Approval
	if err := json.Unmarshal([]byte(read(t, vespe(s, name))), &a); err != nil || len(a.Result) != 2 {
		t.Fatalf("%v %+v", err, a.Result)
	}
	for _, list := range []map[string]string{nil, {"report.md": a.Result["report.md"]}} {
		a.Result = list
		if got := a.ResultSince(nil); len(got) != 1 || got[0].File != "" || got[0].Old != a.Bound[review.BoundResult] || got[0].New != "" {
			t.Errorf("%+v", got)
		}
	}
}
