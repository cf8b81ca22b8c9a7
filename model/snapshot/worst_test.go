package snapshot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vespe/internal/worsttest"
	"vespe/model"
	"vespe/model/plantext"
	"vespe/model/review"
	"vespe/model/specfields"
)

// decoders are all that read a JSON file of a store.
var decoders = map[string]func(b []byte){
	"config":       func(b []byte) { c, _ := model.DecodeConfig("f", b); _ = model.EncodeConfig(c) },
	"status":       func(b []byte) { st, _ := model.DecodeStatus("f", b); _ = model.EncodeStatus(st) },
	"dependencies": func(b []byte) { d, x, _ := model.DecodeDependencies("f", b); _ = model.EncodeDependencies(d, x) },
	"spec": func(b []byte) {
		if sp, _ := model.DecodeSpec("f", b); sp != nil {
			_ = model.EncodeSpec(sp)
		}
	},
	"merged spec": func(b []byte) {
		if sp, _ := model.DecodeSpec("f", append(append([]byte(`{"x":`), b...), '}')); sp != nil {
			specfields.Merge(&model.Spec{}, &model.Spec{}, sp)
		}
		if sp, _ := model.DecodeSpec("f", b); sp != nil {
			specfields.Merge(&model.Spec{}, &model.Spec{}, sp)
			specfields.Merge(sp, sp, &model.Spec{})
			specfields.DifferentKeys(sp, &model.Spec{})
		}
	},
	"policy":     func(b []byte) { model.DecodePolicy("f", b) },
	"milestones": func(b []byte) { model.DecodeMilestones("f", b) },
	"request":    func(b []byte) { model.DecodeRequest("f", b) },
	"event":      func(b []byte) { model.DecodeEvent("f", b) },
	"run":        func(b []byte) { model.DecodeRun("f", b) },
	"fields":     func(b []byte) { x, _ := model.DecodeFields("f", b); _ = model.EncodeFields(x) },
	"approval":   func(b []byte) { _, _ = review.DecodeApproval(b) },
	"comments":   func(b []byte) { _, _ = model.DecodeReviewFile(b) },
}

// Every decoder of JSON takes what is nested, long, repeated or unknown, as a whole and as a member, in time
// that grows with its size.
func TestWorstJSON(t *testing.T) {
	for name, decode := range decoders {
		t.Run(name, func(t *testing.T) {
			worsttest.Check(t, worsttest.Values(), func(body string) {
				decode([]byte(body))
				decode([]byte(`{"uid":"a","name":"a","x":` + body + `,"depends_on":` + body + `,"subtask_uids":` + body + `,"labels":` + body + `}`))
			})
		})
	}
}

// What is typed by people and written by agents as text is read in time that grows with its size.
func TestWorstWords(t *testing.T) {
	for name, read := range map[string]func(string){
		"search":   func(s string) { _, _ = ParseSearch(s) },
		"filter":   func(s string) { _, _ = ParseFilter(s) },
		"sections": func(s string) { plantext.Sections(s) },
		"actor":    func(s string) { _, _ = model.ParseActor(s) },
		"time":     func(s string) { _, _ = model.ParseTime(s) },
	} {
		t.Run(name, func(t *testing.T) { worsttest.Check(t, worsttest.Texts(), read) })
	}
}

// hub is one task that depends on n others that are not there, among ten that are.
func hubOfUnknown(n int) Input {
	var in Input
	for i := range 10 {
		uid := model.UID(fmt.Sprintf("tsk-%d", i))
		in.Tasks = append(in.Tasks, &model.Task{UID: uid, Config: model.Config{UID: uid, Name: string(uid)}})
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"gone-%08d"`, i)
	}
	t := in.Tasks[0]
	t.DependsOn, t.DepsExtra, t.Problems = model.DecodeDependencies("f", []byte(`{"depends_on":["gone"`+b.String()+`]}`))
	return in
}

// One task with a dependencies.json that nobody would read is a problem of its own; it blocks nothing else,
// and costs the others nothing.
func TestAHubIsBounded(t *testing.T) {
	s := New(hubOfUnknown(100_000))
	if s.Status(0) != model.StatusProblem || s.Status(1) == model.StatusProblem {
		t.Errorf("the hub is %s, another task %s", s.Status(0), s.Status(1))
	}
	if ps := s.ProblemsOf(0); len(ps) != 1 || ps[0].Code != "too-many" {
		t.Errorf("problems: %+v", ps)
	}
	var best time.Duration
	costs := func(n int) time.Duration {
		in := hubOfUnknown(n)
		for try := range 5 {
			took := worsttest.CPU(func() {
				s := New(in)
				s.Problems()
				picturedAbove(s)
			})
			if try == 0 || took < best {
				best = took
			}
		}
		return best
	}
	if few, many := costs(model.MaxDependencies/10), costs(model.MaxDependencies-1); many > 60*few {
		t.Errorf("%d dependencies take %v, a tenth of them %v", model.MaxDependencies-1, many, few)
	}
}

// What is asked of every task of a deep tree is found in one walk: milestones came up from each.
func TestMilestonesOfADeepTree(t *testing.T) {
	const n = 20_000
	ask := func(wide bool) time.Duration {
		tasks := deepTasks(n, wide)
		tasks[0].Spec = &model.Spec{MilestoneID: "M1"}
		s := New(Input{Tasks: tasks})
		return worsttest.CPU(func() {
			for i := range n {
				if got := s.MilestoneID(i); got != "M1" {
					t.Fatalf("task %d is in %q", i, got)
				}
			}
		})
	}
	if deep, wide := ask(false), ask(true); deep > 200*wide {
		t.Errorf("deep it takes %v, wide %v", deep, wide)
	}
}
