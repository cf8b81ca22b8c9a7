package snapshot

import (
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"vespe/model"
)

// worldSize is how many uids the generators below draw from: few, so that tasks meet.
const worldSize = 12

func genUID(i int) model.UID { return model.UID(fmt.Sprintf("tsk-%04x%028x", 0x0100+i, 7*i+1)) }

// genStates has the states that dependencies turn on more than once.
var genStates = []model.State{
	model.PlanDefined, model.PlanDefined, model.PlanDefined, model.Working, model.Working, model.Completed, model.Completed, model.Completed,
	model.Created, model.ObjectiveDefined, model.Errored, model.Failed, model.Replanned, model.Aborted, "",
}

// genTask draws a task with this uid in any state, legal or not, with edges to tasks
// that may be missing or itself.
func genTask(rt *rapid.T, uid model.UID) *model.Task {
	at := func(what string) model.UID {
		return genUID(rapid.IntRange(0, worldSize).Draw(rt, what)) // the last is never there
	}
	rarely := func(what string) bool { return rapid.IntRange(0, 7).Draw(rt, what) == 7 }
	flag := func(what string) bool { return rapid.Bool().Draw(rt, what) }
	t := &model.Task{UID: uid, HasStatus: true, HasPlan: flag("plan"), HasObjective: flag("objective")}
	t.Config = model.Config{UID: uid, Name: rapid.SampledFrom([]string{"", "api", "ui", "API docs", "tsk-0103"}).Draw(rt, "name")}
	t.Config.CreatedAt = genTime(rt, "created")
	if flag("child") {
		t.Config.ParentUID = at("parent")
	}
	for range rapid.IntRange(0, 3).Draw(rt, "deps") {
		t.DependsOn = append(t.DependsOn, at("dep"))
	}
	st := &t.Status
	st.CurrentState = rapid.SampledFrom(genStates).Draw(rt, "state")
	st.LastUpdatedAt = genTime(rt, "updated")
	if !rarely("unaccepted") {
		st.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1}
	}
	if flag("running") {
		st.CurrentRun = "run-1"
	}
	if rarely("paused") {
		st.IsPaused = true
		st.PauseReason = rapid.SampledFrom([]string{"", "subtasks", "hitl", "hitl: which?", "lunch"}).Draw(rt, "why")
		st.SubtaskUIDs = []model.UID{at("subtask")}
	}
	if rarely("changed") {
		st.ChangedBecause = []model.ChangeReason{{File: "plan.md"}}
	}
	if flag("reviewed") {
		st.Review = &model.Review{Of: "work", Verdict: "accepted"}
	}
	if rarely("problem") {
		t.Problems = []model.Problem{{
			UID: uid, Path: taskPath(uid, "status.json"), Code: "bad-json", Reason: "it is broken",
			Severity: rapid.SampledFrom([]model.Severity{model.Warning, model.Error}).Draw(rt, "severity"),
		}}
	}
	if flag("spec") {
		t.Spec = &model.Spec{Priority: rapid.SampledFrom([]model.Priority{"", model.Critical, model.High, model.Low}).Draw(rt, "priority")}
		for k := range rapid.IntRange(0, 5).Draw(rt, "files") {
			t.Spec.FilesToModify = append(t.Spec.FilesToModify, fmt.Sprintf("f%d.go", k))
		}
	}
	if flag("was run") {
		st.Runs, st.RunSeconds = rapid.IntRange(1, 3).Draw(rt, "runs"), rapid.IntRange(0, 500).Draw(rt, "seconds")
	}
	return t
}

func genTime(rt *rapid.T, what string) time.Time {
	h := rapid.IntRange(0, 4).Draw(rt, what)
	if h == 0 {
		return time.Time{}
	}
	return time.Date(2025, 1, 1, h, 0, 0, 0, time.UTC)
}

func genRequest(rt *rapid.T) model.Request {
	return model.Request{
		ID:        fmt.Sprintf("req-%d", rapid.IntRange(0, 4).Draw(rt, "request")),
		TaskUID:   genUID(rapid.IntRange(0, worldSize).Draw(rt, "about")),
		Kind:      rapid.SampledFrom([]string{"question", "escalation"}).Draw(rt, "kind"),
		State:     rapid.SampledFrom([]string{"pending", "accepted", ""}).Draw(rt, "asked"),
		Title:     "what now?",
		CreatedAt: genTime(rt, "asked at"),
	}
}

// genInput draws a store: any subset of the uids, in any order.
func genInput(rt *rapid.T) Input {
	in := Input{Seq: 1, StoreID: "store", Policy: model.Policy{
		DependencyPolicy: rapid.SampledFrom([]string{"completed", "completed_or_aborted", ""}).Draw(rt, "policy"),
	}}
	order := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
		for i := range worldSize {
			if !yield(i) {
				return
			}
		}
	})).Draw(rt, "order")
	for _, i := range order[:worldSize-rapid.IntRange(0, worldSize).Draw(rt, "absent")] {
		in.Tasks = append(in.Tasks, genTask(rt, genUID(i)))
	}
	for range rapid.IntRange(0, 3).Draw(rt, "requests") {
		in.Requests = append(in.Requests, genRequest(rt))
	}
	if rapid.Bool().Draw(rt, "flawed store") {
		in.Problems = []model.Problem{{Path: ".vespe/config.json", Severity: model.Error, Code: "bad-json", Reason: "no"}}
	}
	return in
}

// picture is all that a snapshot says, for comparing two of them.
type picture struct {
	Seq        uint64
	Head       string
	Tasks      []*model.Task
	Statuses   []model.Status
	Unmet      []int32
	Flawed     []int32
	Rolled     []rollup
	Total      Counts
	Parents    []int32
	Roots      []int32
	Children   [][]int32
	DependsOn  [][]int32
	Dependents [][]int32
	Cycles     [][]int32
	Order      []int32
	Components []int32
	Why        [][]Reason
	Problems   []model.Problem
	ProblemsOf [][]model.Problem
	Inbox      []InboxItem
	Requests   []model.Request
	Found      []string
	Above      any // what packages above this one say of it
}

// tasksOf is every task of a snapshot.
func tasksOf(s *Snapshot) []*model.Task {
	out := make([]*model.Task, s.Len())
	for i := range out {
		out[i] = s.At(i)
	}
	return out
}

// picturedAbove is what packages above this one say of a snapshot: their tests set it.
var picturedAbove = func(*Snapshot) any { return nil }

func pictureOf(s *Snapshot) picture {
	p := picture{
		Seq: s.Seq(), Head: s.Head(), Tasks: tasksOf(s), Statuses: s.status, Total: s.Total(),
		Parents: s.tree.parent, Roots: s.Roots(), Cycles: s.Cycles(), Order: s.graph.Order(),
		Unmet: slices.Clone(s.unmet), Flawed: append([]int32(nil), s.flawed...),
		Components: s.components(), Above: picturedAbove(s),
		Problems: s.Problems(), Inbox: s.Inbox(), Requests: s.Requests(),
	}
	for i := range s.Len() {
		p.Rolled = append(p.Rolled, s.rollupAt(int32(i)))
		p.Children = append(p.Children, slices.Clone(s.Children(i)))
		p.DependsOn = append(p.DependsOn, slices.Clone(s.DependsOn(i)))
		p.Dependents = append(p.Dependents, slices.Clone(s.Dependents(i)))
		p.Why = append(p.Why, s.Why(i))
		p.ProblemsOf = append(p.ProblemsOf, s.ProblemsOf(i))
		uid, err := s.Find(s.Title(i))
		p.Found = append(p.Found, fmt.Sprint(uid, err))
	}
	return p
}
