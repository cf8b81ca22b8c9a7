package lifecycle_test

import (
	"fmt"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/lifecycle"
)

func (k *walker) newRequest(uid model.UID) *model.NewRequest {
	n := &model.NewRequest{
		Title: fmt.Sprintf("what %d?", k.n), Kind: rapid.SampledFrom(model.Kinds()).Draw(k.T, "kind"),
		Options: rapid.SampledFrom([][]string{nil, {"because", "other"}}).Draw(k.T, "options"),
	}
	if rapid.Bool().Draw(k.T, "keyed") {
		n.Key, n.Title = string(uid), "the same"
	}
	if rapid.Bool().Draw(k.T, "args") {
		n.Args = []byte(`{"command": "make"}`)
	}
	return n
}

func (k *walker) answering(uid model.UID) (by model.Answering) {
	var ids []string
	for _, r := range k.w.Requests() {
		if r.TaskUID == uid {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) > 0 {
		by.Request = rapid.SampledFrom(ids).Draw(k.T, "request")
	}
	by.Decision, by.Text = rapid.SampledFrom(model.Decisions()).Draw(k.T, "decision"), "no"
	switch by.Decision {
	case model.DecideChoose:
		by.Choice = "other"
		for _, r := range k.w.Requests() {
			if c := lifecycle.Choices(&r); r.ID == by.Request && len(c) > 0 {
				by.Choice = rapid.SampledFrom(c).Draw(k.T, "choice").Option
			}
		}
	case model.DecideEdit:
		by.Args = []byte("{}")
	}
	return by
}

// leads says whether an operation may lead out of a state that is else for good.
func (k *walker) leads(op model.Op, from model.State) bool {
	switch op.Name {
	case model.UndoVerdict:
		return true // of what a person chose
	case model.Reopen, model.Skip, model.Abort:
		return from == model.Failed && op.Actor.Kind() == model.Human
	case model.AnswerRequest:
		return from == model.Failed && model.ArgsOf[model.Answering](&op).Decision == model.DecideChoose
	}
	return false
}

// comments draws what somebody has to say, mostly nothing.
func (k *walker) comments(by model.Actor) (list []model.NewComment) {
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(k.T, "comments") {
		list = append(list, model.NewComment{
			Kind:     rapid.SampledFrom(model.CommentKinds()).Draw(k.T, "kind"),
			Blocking: by.Kind() == model.Human && rapid.IntRange(0, 3).Draw(k.T, "blocking") == 0,
			Doc:      rapid.SampledFrom([]model.Doc{model.Plan, ""}).Draw(k.T, "of"),
			Place:    model.Place{From: rapid.IntRange(0, 1).Draw(k.T, "line")},
			Text:     "a comment",
		})
	}
	return list
}

// review is the review file that a task's status.json speaks of.
func (k *walker) review(uid model.UID) *model.ReviewFile {
	t, ok := k.w.Task(uid)
	if !ok || t.Status.Comments == nil {
		return &model.ReviewFile{}
	}
	body, err := k.w.ReviewFile(uid, t.Status.Comments)
	if err != nil {
		k.Fatal(err)
	}
	f, err := model.DecodeReviewFile(body)
	if err != nil {
		k.Fatal(err)
	}
	return f
}

func (k *walker) answers(uid model.UID) (list []model.CommentAnswer) {
	for _, c := range k.review(uid).Comments {
		if c.Settled() || rapid.IntRange(0, 7).Draw(k.T, "silent") == 0 {
			continue
		}
		list = append(list, model.CommentAnswer{
			Comment: c.ID, Resolution: rapid.SampledFrom(model.Resolutions()).Draw(k.T, "resolution"), Text: "so",
		})
	}
	return list
}

func (k *walker) anyComment(uid model.UID) string {
	ids := []string{"c000000"}
	for _, c := range k.review(uid).Comments {
		ids = append(ids, c.ID)
	}
	return rapid.SampledFrom(ids).Draw(k.T, "comment")
}

// holdRequest is what is true of each request: while one is open that a task waits for, the task
// is open, too, and paused; what is answered says by whom.
func (k *walker) holdRequest(r *model.Request) {
	t, ok := k.w.Task(r.TaskUID)
	if !ok {
		k.Fatalf("%s is about no task", r.ID)
	}
	system := !r.Holds()
	closed := !r.IsOpen() && r.State != model.RequestSuperseded
	switch st := &t.Status; {
	case closed != (r.Answer != nil && r.Answer.Decision != model.DecideDefer):
		k.Fatalf("%s is %s with the answer %+v", r.ID, r.State, r.Answer)
	case r.Answer != nil && r.Answer.By.Kind() != model.Human:
		k.Fatalf("%s was answered by %s", r.ID, r.Answer.By)
	case r.IsOpen() && !system && (st.CurrentState == model.Failed || st.CurrentState == model.Aborted):
		k.Fatalf("%s waits, but its task is %s", r.ID, st.CurrentState)
	case slices.Contains(st.Answered, r.ID) && (r.Answer == nil || r.Answer.ActedBy != ""):
		k.Fatalf("%s can be taken back: %+v", r.ID, r.Answer)
	case r.IsOpen() && !system && !st.IsPaused && st.CurrentState != model.Completed:
		k.Fatalf("%s waits, and its task is not paused", r.ID)
	}
}

// sameRequests: once a verdict was taken back, what waited for a person before it waits again, what did
// not does not, and the answers are what they were.
func (k *walker) sameRequests(verdict model.Op, before []model.Request) {
	for _, now := range k.w.Requests() {
		i := slices.IndexFunc(before, func(r model.Request) bool { return r.ID == now.ID })
		switch {
		case i < 0 && now.IsOpen():
			k.Fatalf("undo of %s: %q came with it, and still waits", verdict.Name, now.Title)
		case i < 0, now.ID == verdict.Request(): // an answer that is taken back was, before it, perhaps put off
		case !reflect.DeepEqual(model.EncodeRequest(before[i]), model.EncodeRequest(now)):
			k.Fatalf("undo of %s: what was\n%s\nis\n%s", verdict.Name, model.EncodeRequest(before[i]), model.EncodeRequest(now))
		}
	}
}
