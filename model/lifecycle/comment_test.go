package lifecycle_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/review"
)

const threeSteps = "# Plan\n\n1. read the file\n2. write the file\n3. test\n"

// commented is a task whose plan a person has commented on.
func (d *desk) commented(list ...model.NewComment) (model.UID, []model.Comment) {
	d.Helper()
	uid := d.create("subject", "")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Actor: agent, Args: model.NewPlan{Text: threeSteps}})
	d.do(model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Comments: list}})
	return uid, d.review(uid).Comments
}

// review is what was said about a task's plan.
func (d *desk) review(uid model.UID) *model.ReviewFile {
	d.Helper()
	b := d.task(uid).Status.Comments
	if b == nil {
		d.Fatal("status.json says nothing about comments")
	}
	body, err := d.w.ReviewFile(uid, b)
	if err != nil {
		d.Fatal(err)
	}
	f, err := model.DecodeReviewFile(body)
	if err != nil {
		d.Fatal(err)
	}
	if again := model.EncodeReviewFile(f); string(again) != string(body) {
		d.Errorf("a review file reads and writes as another:\n%s\n%s", body, again)
	}
	return f
}

func lines(from, to int) model.Place { return model.Place{From: from, To: to} }

func TestCommentIsAnchored(t *testing.T) {
	d := newDesk(t)
	_, got := d.commented(model.NewComment{Kind: model.Demand, Blocking: true, Place: lines(4, 4), Text: "keep the old one\n"})
	want := model.Comment{
		ID: got[0].ID, Kind: model.Demand, Blocking: true, Doc: model.Plan, Text: "keep the old one", By: ann, At: got[0].At, Since: 1, State: model.CommentOpen,
		Place: model.Place{From: 4, To: 4, Quote: []string{"2. write the file"}, Before: []string{"# Plan", "", "1. read the file"}, After: []string{"3. test"}},
	}
	if !reflect.DeepEqual(got[0], want) || got[0].At.IsZero() || len(got[0].ID) != 7 {
		t.Errorf("got %+v", got[0])
	}
}

// Keys of a later version survive.
func TestReviewFileKeepsUnknownKeys(t *testing.T) {
	text := "{\n  \"revision\": 1,\n  \"plan_hash\": \"sha256-x\",\n  \"verdict\": \"\",\n  \"comments\": [],\n  \"mood\": {\n    \"a\": 1\n  },\n  \"zeal\": 2\n}\n"
	f, err := model.DecodeReviewFile([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(model.EncodeReviewFile(f)); got != text {
		t.Errorf("%s became %s", text, got)
	}
	if _, err := model.DecodeReviewFile([]byte("{")); err == nil {
		t.Error("half a file was read")
	}
}

// What a comment must have, and who may make which.
func TestCommentRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		actor model.Actor
		n     model.NewComment
		guard model.Guard
		code  model.Code
	}{
		{"blank", ann, model.NewComment{Text: " \n"}, model.GuardComment, model.CodeInvalid},
		{"of another kind", ann, model.NewComment{Kind: "rant", Text: "x"}, model.GuardComment, model.CodeInvalid},
		{"on another document", ann, model.NewComment{Doc: "result", Text: "x"}, model.GuardComment, model.CodeInvalid},
		{"past the end", ann, model.NewComment{Place: lines(5, 6), Text: "x"}, model.GuardPlace, model.CodeInvalid},
		{"before the beginning", ann, model.NewComment{Place: lines(-1, 2), Text: "x"}, model.GuardPlace, model.CodeInvalid},
		{"not text", ann, model.NewComment{Text: "\xff"}, model.GuardComment, model.CodeInvalid},
		{"too long", ann, model.NewComment{Text: strings.Repeat("x", 70_000)}, model.GuardComment, model.CodeInvalid},
		{"blocking, by an agent", agent, model.NewComment{Blocking: true, Text: "x"}, model.GuardComment, model.CodeDenied},
	} {
		d := newDesk(t)
		uid := d.create("subject", "")
		d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: threeSteps}})
		t.Run(c.name, func(*testing.T) {
			d.refused(model.Op{Name: model.AddComment, UID: uid, Actor: c.actor, Args: model.Remarks{Comments: []model.NewComment{c.n}}}, c.guard, c.code)
		})
	}
}

// A comment that was typed while the plan was rewritten lands on the lines that it quotes.
func TestCommentOnWhatWasSeen(t *testing.T) {
	d := newDesk(t)
	uid := d.create("subject", "")
	seen := model.PlaceAt([]byte(threeSteps), 4, 4)
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "# Plan\n\n0. think\n" + threeSteps}})
	d.do(model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Comments: []model.NewComment{{Place: seen, Text: "x"}}}})
	if p := d.review(uid).Comments[0].Place; p.From != 7 || p.Quote[0] != "2. write the file" {
		t.Errorf("it is at %+v", p)
	}
}

// A new plan by an agent answers each open comment, and comments go along to the lines that
// they are about.
func TestNextPlanAnswers(t *testing.T) {
	d := newDesk(t)
	uid, said := d.commented(
		model.NewComment{Kind: model.Question, Place: lines(3, 3), Text: "which?"},
		model.NewComment{Kind: model.Demand, Blocking: true, Place: lines(4, 4), Text: "keep the old one"},
		model.NewComment{Text: "in general"},
		model.NewComment{Doc: model.Objective, Place: lines(1, 1), Text: "is that all?"},
	)
	next := model.Op{Name: model.DefinePlan, UID: uid, Actor: agent, Args: model.NewPlan{Text: "# Plan\n\n0. think\n1. read the file\n2. test\n"}}
	r := d.refused(next, model.GuardAnswers, model.CodeRefused)
	for _, c := range said[:3] {
		if !strings.Contains(r.Why, c.ID) {
			t.Errorf("it does not name %s: %s", c.ID, r.Why)
		}
	}
	answers := []model.CommentAnswer{
		{Comment: said[0].ID, Resolution: model.CommentAnswered, Text: "a.txt"},
		{Comment: said[1].ID, Resolution: model.CommentDeclined, Text: "no room"},
		{Comment: said[2].ID, Resolution: model.CommentAddressed},
		{Comment: said[3].ID, Resolution: model.CommentAnswered, Text: "yes"},
	}
	lifecycle.SetArg(&next, "answers", answers)
	for name, bad := range map[string]model.CommentAnswer{
		"declined without a reason": {Comment: said[1].ID, Resolution: model.CommentDeclined},
		"no resolution":             {Comment: said[1].ID, Resolution: "done", Text: "x"},
		"resolved, as a person may": {Comment: said[1].ID, Resolution: model.CommentResolved, Text: "x"},
		"twice":                     {Comment: said[0].ID, Resolution: model.CommentAddressed},
	} {
		op := next
		lifecycle.SetArg(&op, "answers", append([]model.CommentAnswer{answers[0], bad}, answers[2:]...))
		t.Run(name, func(*testing.T) { d.refused(op, model.GuardComment, model.CodeInvalid) })
	}
	d.do(next)
	f := d.review(uid)
	if f.Revision != 2 || f.Verdict != "" || len(f.Comments) != 4 {
		t.Fatalf("the review of revision 2 is %+v", f)
	}
	for i, want := range []struct {
		from  int
		fate  string
		state model.CommentState
	}{{4, "kept", model.CommentAnswered}, {4, "lost", model.CommentDeclined}, {0, "", model.CommentAddressed}, {1, "", model.CommentAnswered}} {
		c := f.Comments[i]
		if want.fate == "lost" {
			want.from = c.Place.From // somewhere there
		}
		if c.Place.From != want.from || c.Place.Fate != want.fate || c.State != want.state || len(c.Replies) != 1 || c.Replies[0].By != agent || c.Since != 1 {
			t.Errorf("%q: %+v", c.Text, c)
		}
	}
	d.refused(model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}, model.GuardUnblocked, model.CodeRefused) // it was declined
	d.do(model.Op{Name: model.ResolveComment, UID: uid, Actor: ann, Args: model.CommentRef{Comment: said[1].ID}, Reason: "so be it"})
	d.do(model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	if f := d.review(uid); f.Verdict != model.VerdictAccepted || f.By != ann {
		t.Errorf("the verdict is %q by %s", f.Verdict, f.By)
	}
}

// What a person says to an answer opens the comment again: the agent has to answer it once more. So does what a person
// says to a comment of an agent: it is a person's from then on who waits for the answer.
func TestReplyOpensAgain(t *testing.T) {
	for _, by := range []model.Actor{ann, agent} {
		d := newDesk(t)
		uid := d.planned("subject", "")
		d.do(model.Op{Name: model.AddComment, UID: uid, Actor: by, Args: model.Remarks{Comments: []model.NewComment{{Kind: model.Question, Text: "which file?"}}}})
		asked := d.review(uid).Comments[0].ID
		want := func(open, questions int) {
			t.Helper()
			if b := d.task(uid).Status.Comments; b.Open != open || b.Questions != questions || b.Blocking != 0 {
				t.Errorf("asked by %s: %+v, want %d open", by, b, open)
			}
		}
		if by == agent {
			want(0, 1)
		}
		answer := func(by model.Actor, text string) model.Op {
			return model.Op{Name: model.AnswerComments, UID: uid, Actor: by, Args: model.CommentAnswers{Answers: []model.CommentAnswer{
				{Comment: asked, Resolution: model.CommentAnswered, Text: text},
			}}}
		}
		d.do(answer(agent, "a.txt"))
		r := d.refused(answer(ann, "why that?"), model.GuardComment, model.CodeInvalid)
		if !strings.Contains(r.Hint, "vespe comment reopen ") || !strings.Contains(r.Hint, asked) {
			t.Errorf("the hint is %q", r.Hint)
		}
		d.do(model.Op{Name: model.ReopenComment, UID: uid, Actor: ann, Args: model.CommentRef{Comment: asked}, Reason: "why that?"})
		want(1, 0)
		next := model.Op{Name: model.DefinePlan, UID: uid, Actor: agent, Args: model.NewPlan{Text: "# Another\n"}}
		if r = d.refused(next, model.GuardAnswers, model.CodeRefused); !strings.Contains(r.Why, asked) {
			t.Errorf("it does not name it: %s", r.Why)
		}
		d.do(answer(agent, "it is the first"))
		want(0, 0)
		d.do(next)
	}
}

// A person who rewrites the plan leaves the comments open.
func TestPersonCarriesCommentsOver(t *testing.T) {
	d := newDesk(t)
	uid, _ := d.commented(model.NewComment{Blocking: true, Place: lines(5, 5), Text: "x"})
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Actor: ann, Args: model.NewPlan{Text: "# New\n\n" + threeSteps}})
	if c := d.review(uid).Comments[0]; c.State != model.CommentOpen || c.Place.From != 7 {
		t.Errorf("got %+v", c)
	}
	d.w.Edit(uid, model.Plan, "3. test\n")
	d.refused(model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}, model.GuardUnblocked, model.CodeRefused)
	d.do(model.Op{Name: model.RejectPlan, UID: uid, Actor: ann, Reason: "no"})
	if f := d.review(uid); f.Revision != 3 || f.Comments[0].Place.From != 1 || f.Verdict != model.VerdictRejected {
		t.Errorf("after an edit by hand: %+v", f)
	}
}

// Verdicts send comments along in one transaction.
func TestVerdictWithComments(t *testing.T) {
	notes := []model.NewComment{{Place: lines(3, 3), Text: "mind the encoding"}}
	for _, c := range []struct {
		op   model.Op
		want string
	}{
		{model.Op{Name: model.AcceptPlan}, model.VerdictAccepted},
		{model.Op{Name: model.RejectPlan}, model.VerdictRejected},
		{model.Op{Name: model.QuestionPlan, Reason: "which file?"}, model.VerdictAsked},
		{model.Op{Name: model.DeferPlan}, model.VerdictDeferred},
	} {
		t.Run(string(c.op.Name), func(t *testing.T) {
			d := newDesk(t)
			uid := d.create("subject", "")
			d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: threeSteps}})
			c.op.UID, c.op.Actor = uid, ann
			lifecycle.SetArg(&c.op, "comments", notes)
			d.do(c.op)
			f := d.review(uid)
			if f.Verdict != c.want || f.Comments[0].Text != "mind the encoding" || d.task(uid).Status.Review.Verdict != c.want {
				t.Errorf("got %+v", f)
			}
			if asked := c.want == model.VerdictAsked; asked != (len(f.Comments) == 2 && f.Comments[1].Kind == model.Question) {
				t.Errorf("the reason of a question is a question itself: %+v", f.Comments)
			}
			d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
			if f := d.review(uid); f.Verdict != "" || len(f.Comments) == 0 || d.task(uid).Status.Review != nil {
				t.Errorf("taken back, what was said stays: %+v", f)
			}
		})
	}
	d := newDesk(t)
	uid := d.create("subject", "")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: threeSteps}})
	d.refused(model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Args: model.Acceptance{Comments: []model.NewComment{{Blocking: true, Text: "no"}}}}, model.GuardUnblocked, model.CodeRefused)
}

// What somebody else wrote into status.json about comments is joined with what vespe knows:
// nobody settles a comment that blocks but by vespe, and none is lost.
func TestForeignComments(t *testing.T) {
	d := newDesk(t)
	uid, said := d.commented(
		model.NewComment{Kind: model.Demand, Blocking: true, Place: lines(4, 4), Text: "keep the old one"},
		model.NewComment{Kind: model.Question, Text: "which?"},
	)
	was := d.task(uid).Clone()
	theirs := d.review(uid)
	theirs.Comments[0].State = model.CommentResolved
	theirs.Comments[0].Replies = []model.Reply{{State: model.CommentResolved, By: ann, At: said[0].At, Revision: 1}}
	theirs.Comments[1].State = model.CommentAnswered
	theirs.Comments[1].Replies = []model.Reply{{State: model.CommentAnswered, Text: "a.txt", By: agent, At: said[0].At, Revision: 1}}
	theirs.Comments = append(theirs.Comments, model.Comment{ID: "cffffff", Kind: model.Remark, Doc: model.Plan, Text: "from elsewhere", By: bob, At: said[0].At, Since: 1, State: model.CommentOpen})
	body := model.EncodeReviewFile(theirs)
	ours, err := d.w.ReviewFile(uid, was.Status.Comments)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{was.Status.Comments.Hash: ours, model.HashBytes(body): body}
	for name, book := range map[string]*model.CommentBook{
		"of another clone": {Revision: 1, Hash: model.HashBytes(body)},
		"of nobody":        nil,
		"of no file":       {Revision: 1, Hash: "sha256-" + strings.Repeat("0", 64)},
	} {
		t.Run(name, func(t *testing.T) {
			now := was.Clone()
			now.Status.Comments = book
			c, err := lifecycle.Apply(foreign{d.w, uid, now, files}, model.Op{
				Name: model.ExternalEdit, UID: uid, Actor: "system:external",
				Args: model.External{Was: was, Now: now, Files: []model.FileEdit{{Name: "status.json", Old: "sha256-a", New: "sha256-b", Body: []byte("{}")}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			got := c.Tasks[0].Status.Comments
			if got == nil || got.Blocking != 1 {
				t.Fatalf("the comment that blocks is gone: %+v", got)
			}
			if book != nil && book.Hash == model.HashBytes(body) && (got.Open != 2 || len(c.Warnings) == 0) {
				t.Errorf("answers and new comments are taken over, and what is not believed is said: %+v %v", got, c.Warnings)
			}
		})
	}
}

// foreign is a world in which a task's status.json says otherwise, and the log still has the
// review file that vespe wrote.
type foreign struct {
	model.World
	uid   model.UID
	now   *model.Task
	files map[string][]byte // review files by their hashes
}

func (w foreign) Task(uid model.UID) (*model.Task, bool) {
	if uid == w.uid {
		return w.now, true
	}
	return w.World.Task(uid)
}

func (w foreign) ReviewFile(_ model.UID, known *model.CommentBook) ([]byte, error) {
	if body, ok := w.files[known.Hash]; ok {
		return body, nil
	}
	return nil, errors.New("nobody wrote that")
}

func (w foreign) Revision(uid model.UID, d model.Doc, n int) ([]byte, error) {
	return w.World.(model.Reviewed).Revision(uid, d, n)
}

// A verdict that was read can still be taken back, and whoever does is told; one that was acted
// on cannot.
func TestFetchedVerdict(t *testing.T) {
	d := newDesk(t)
	uid, _ := d.commented(model.NewComment{Text: "x"})
	fetch := model.Op{Name: model.FetchVerdict, UID: uid, Actor: agent}
	d.refused(fetch, model.GuardVerdict, model.CodeRefused)
	d.do(model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	d.do(fetch)
	v := d.task(uid).Status.Review
	if v.FetchedBy != agent || v.FetchedAt.IsZero() {
		t.Fatalf("got %+v", v)
	}
	fetch.Actor = "agent:other"
	if c := d.do(fetch); len(c.Tasks) > 0 || d.task(uid).Status.Review.FetchedBy != agent {
		t.Errorf("the first who read it is %s", d.task(uid).Status.Review.FetchedBy)
	}
	d.wantSummary(d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann}), string(agent)+" has already read it")
	d.do(model.Op{Name: model.RejectPlan, UID: uid, Actor: ann, Reason: "no"})
	d.wantSummary(d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann}), "1 open comment stays")
	d.do(model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Args: model.Acceptance{Comments: []model.NewComment{{Text: "y"}}}})
	d.wantSummary(d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann}), "2 open comments stay")
	d.do(model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	d.do(model.Op{Name: model.Start, UID: uid, Actor: agent})
	d.refused(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann}, model.GuardUndo, model.CodeRefused)
}

// A plan may be accepted in part: what is left out is a section of it, and named in the approval.
func TestAcceptedInPart(t *testing.T) {
	d := newDesk(t)
	uid := d.create("parent", "")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "# Plan\n\n## One\n\n```\n# no heading\n```\n\n## Two ##\n"}})
	child := d.accepted("child", uid)
	accept := func(what ...string) model.Op {
		return model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Args: model.Acceptance{Excluded: what}}
	}
	for _, what := range [][]string{{"no heading"}, {"## Two"}, {string(child)}, {"Two", "Two"}} {
		d.refused(accept(what...), model.GuardExcluded, model.CodeInvalid)
	}
	d.do(accept("Two"))
	a := d.task(uid).Status.AcceptedPlan
	if !reflect.DeepEqual(a.Excluded, []string{"Two"}) {
		t.Errorf("left out: %q", a.Excluded)
	}
	body, _ := d.w.File("tasks/" + string(uid) + "/approvals/" + a.Approval)
	if got, err := review.DecodeApproval(body); err != nil || !reflect.DeepEqual(got.Excluded, a.Excluded) || !strings.Contains(string(got.Statement()), "Two") {
		t.Errorf("the approval has %q, %v", got.Excluded, err)
	}
}

// A verdict that comes back with an undone replan stands in the review file again.
func TestVerdictComesBackWithReplan(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("subject", "")
	d.do(model.Op{Name: model.Replan, UID: uid, Actor: ann, Reason: "another way"})
	d.do(model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Text: "x"}})
	d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	if f := d.review(uid); f.Verdict != model.VerdictAccepted {
		t.Errorf("the review file says %q", f.Verdict)
	}
}
