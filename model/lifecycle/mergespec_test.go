package lifecycle_test

import (
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/specfields"
	"vespe/model/staged"
)

func decoded(t *testing.T, s string) *model.Spec {
	t.Helper()
	sp, problems := model.DecodeSpec("spec.json", []byte(s))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return sp
}

func TestMergeSpecs(t *testing.T) {
	for _, tt := range []struct{ name, mine, base, theirs, want string }{
		{"nothing", `{"risk":"low"}`, `{}`, `{}`, `{"risk":"low"}`},
		{"theirs changed", `{"risk":"low","labels":["a"]}`, `{"labels":["a"]}`, `{"labels":["b"]}`, `{"risk":"low","labels":["b"]}`},
		{"mine changed", `{"labels":["c"]}`, `{"labels":["a"]}`, `{"labels":["a"]}`, `{"labels":["c"]}`},
		{"both changed", `{"labels":["c"]}`, `{"labels":["a"]}`, `{"labels":["b"]}`, `{"labels":["b"]}`},
		{"taken away", `{"risk":"low","labels":["a"]}`, `{"labels":["a"]}`, `{}`, `{"risk":"low"}`},
		{"members of context", `{"context":{"a":1,"m":2}}`, `{"context":{"a":1,"b":1}}`, `{"context":{"a":1,"c":3}}`, `{"context":{"a":1,"m":2,"c":3}}`},
		{"the last member", `{"context":{"a":1}}`, `{"context":{"a":1}}`, `{}`, `{}`},
		{"large numbers", `{"context":{"a":9007199254740993}}`, `{"context":{"a":9007199254740993}}`, `{"context":{"a":9007199254740992}}`, `{"context":{"a":9007199254740992}}`},
		{"unknown keys", `{"x":{"y":1}}`, `{"x":{"y":1}}`, `{"x":{"y":2}}`, `{"x":{"y":2}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := model.EncodeSpec(specfields.Merge(decoded(t, tt.mine), decoded(t, tt.base), decoded(t, tt.theirs)))
			if want := model.EncodeSpec(decoded(t, tt.want)); !model.SameJSON(got, want) {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// A whole spec has to read back, as single keys do, and
// that of a task that is over stays.
func TestSetWholeSpec(t *testing.T) {
	w := staged.New(snapshot.New(snapshot.Input{}))
	fire := func(op model.Op) error {
		op.Actor, op.UID = "human:ann", "tsk-a"
		c, err := lifecycle.Apply(w, op)
		if err == nil {
			w.Absorb(c)
		}
		return err
	}
	set := func(s string) error {
		return fire(model.Op{Name: model.SetFields, Args: model.FieldEdit{Spec: decoded(t, s)}})
	}
	if err := fire(model.Op{Name: model.CreateTask, Args: model.NewTask{UID: "tsk-a", Name: "A", Spec: decoded(t, `{"risk":"low"}`)}}); err != nil {
		t.Fatal(err)
	}
	if err := set(`{"risk":"high","context":{"n":[1]}}`); err != nil {
		t.Fatal(err)
	}
	task, _ := w.Task("tsk-a")
	if task.Spec.Risk != "high" || len(task.Spec.Context) != 1 {
		t.Errorf("%+v", task.Spec)
	}
	if err := fire(model.Op{Name: model.SetFields, Args: model.FieldEdit{Spec: &model.Spec{Risk: "dreadful"}}}); err == nil {
		t.Error("a spec was set that cannot be read back")
	}
	if err := fire(model.Op{Name: model.Abort, Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	if err := set(`{"risk":"low"}`); err == nil {
		t.Error("the spec of an aborted task was set")
	}
}
