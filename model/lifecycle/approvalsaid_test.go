package lifecycle_test

import (
	"slices"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle/binding"
)

// What a person says along with an approval is in what they sign: the words, what they are about,
// and that nothing else was said.
func TestAnApprovalBindsTheCommentsSentAlong(t *testing.T) {
	notes := []model.NewComment{{Kind: model.Demand, Place: lines(3, 4), Text: " mind the encoding\n"}, {Doc: model.Objective, Text: "and the locale"}}
	d := newDesk(t)
	uid := d.create("subject", "")
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: threeSteps}})
	seen := &model.Seen{ObjectiveHash: model.HashBytes([]byte("do subject\n")), PlanHash: model.HashBytes([]byte(threeSteps))}
	op := model.Op{ID: "said", Name: model.AcceptPlan, UID: uid, Actor: ann, Seen: seen, Args: model.Acceptance{Comments: notes}}
	var all []string
	for _, change := range []func(op *model.Op, n *model.NewComment){
		func(*model.Op, *model.NewComment) {},
		func(_ *model.Op, n *model.NewComment) { n.Text = "mind the spaces" },
		func(_ *model.Op, n *model.NewComment) { n.Kind = model.Question },
		func(_ *model.Op, n *model.NewComment) { n.Place.From = 4 },
		func(_ *model.Op, n *model.NewComment) { n.Place.To = 5 },
		func(_ *model.Op, n *model.NewComment) { n.Place = model.Place{} },
		func(_ *model.Op, n *model.NewComment) { n.Place.Fate = "moved" },
		func(_ *model.Op, n *model.NewComment) { n.Place.Fate = "lost" },
		func(_ *model.Op, n *model.NewComment) {
			n.Place.Fate, n.Place.Quote = "lost", []string{"1. read the file"}
		},
		func(_ *model.Op, n *model.NewComment) {
			n.Place.Fate, n.Place.Quote = "lost", []string{"2. write the file"}
		},
		func(_ *model.Op, n *model.NewComment) { n.Blocking = true },
		func(_ *model.Op, n *model.NewComment) { n.Doc = model.Objective },
		func(op *model.Op, _ *model.NewComment) { op.Args = model.Acceptance{Comments: op.Comments()[:1]} },
		func(op *model.Op, _ *model.NewComment) { slices.Reverse(op.Comments()) },
		func(op *model.Op, _ *model.NewComment) { op.Args = nil },
	} {
		other := op
		other.Args = model.Acceptance{Comments: slices.Clone(notes)}
		change(&other, &other.Comments()[0])
		statement, _ := binding.SignedOp("store", &other)
		all = append(all, string(statement))
	}
	for i := range all {
		if slices.Contains(all[:i], all[i]) {
			t.Errorf("the statement of the change %d is another's:\n%s", i, all[i])
		}
	}

	d.do(op)
	a := d.approvalOf(uid)
	a.StoreID, a.Time, a.Bound = "store", model.FormatTime(op.At), nil // what a test's world has of its own
	if string(a.Statement()) != all[0] {
		t.Errorf("signed\n%s\nand written\n%s", all[0], a.Statement())
	}
	f := d.review(uid)
	if got, ok := a.Comments.In(f); !ok || len(got) != 2 || got[0].Text != "mind the encoding" {
		t.Errorf("%+v", got)
	}
	d.do(model.Op{Name: model.ResolveComment, UID: uid, Actor: ann, Args: model.CommentRef{Comment: f.Comments[0].ID}})
	if _, ok := a.Comments.In(d.review(uid)); !ok {
		t.Error("a comment that was resolved is not what was said any more")
	}
	f.Comments[1].Text += "."
	if _, ok := a.Comments.In(f); ok {
		t.Error("other words are taken for what was said")
	}
	f.Comments = f.Comments[:1]
	if _, ok := a.Comments.In(f); ok {
		t.Error("one that is gone is not missed")
	}
}

// A comment that was typed on an earlier revision is signed for where it will stand.
func TestSignedCommentsStandWhereTheyWillStand(t *testing.T) {
	now := "# Plan\n\n0. think\n1. read the file\n2. write the files\n"
	for name, place := range map[string]model.Place{
		"kept":   model.PlaceAt([]byte(threeSteps), 3, 3),
		"edited": model.PlaceAt([]byte(threeSteps), 4, 4),
		"lost":   model.PlaceAt([]byte(threeSteps), 5, 5),
		"bare":   lines(2, 0),
		"whole":  {},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			uid := d.create("subject", "")
			d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: now}})
			op := model.Op{ID: "said", Name: model.AcceptPlan, UID: uid, Actor: ann, Args: model.Acceptance{Comments: []model.NewComment{{Text: "mind this", Place: place}}}}
			op.Args = model.Acceptance{Comments: binding.Placed(d.w, &op)}
			op.Seen = &model.Seen{ObjectiveHash: model.HashBytes([]byte("do subject\n")), PlanHash: model.HashBytes([]byte(now))}
			statement, _ := binding.SignedOp("", &op)
			d.do(op)
			a := d.approvalOf(uid)
			a.StoreID, a.Time, a.Bound = "", model.FormatTime(op.At), nil
			if string(a.Statement()) != string(statement) {
				t.Errorf("signed\n%s\nand written\n%s", statement, a.Statement())
			}
		})
	}
}
