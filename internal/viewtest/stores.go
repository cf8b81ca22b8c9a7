package viewtest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

// Now is the time at which the stores here are looked at.
func Now() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// UID is the uid of the k-th task of a store made here.
func UID(k int) model.UID { return model.UID(fmt.Sprintf("tsk-%032x", k)) }

// Seed is a task in short.
type Seed struct {
	Name     string
	Parent   int // index of a task before this one; -1 for a root
	Status   model.Status
	Deps     []int
	Priority model.Priority
	Problems []model.Problem
}

// Task is the task of a seed, in a state that has its status when no dependency holds it.
func (s Seed) Task(k int) *model.Task {
	now := Now()
	t := &model.Task{UID: UID(k), HasStatus: true, HasObjective: true}
	t.Config = model.Config{UID: t.UID, Name: s.Name, CreatedAt: now.Add(-72 * time.Hour)}
	if s.Parent >= 0 {
		t.Config.ParentUID = UID(s.Parent)
	}
	for _, d := range s.Deps {
		t.DependsOn = append(t.DependsOn, UID(d))
	}
	if s.Priority != "" {
		t.Spec = &model.Spec{Priority: s.Priority}
	}
	for _, p := range s.Problems {
		p.UID = t.UID
		t.Problems = append(t.Problems, p)
	}
	st := &t.Status
	st.LastUpdatedAt = now.Add(-time.Duration(1+k%50) * 37 * time.Minute)
	accepted := &model.AcceptedPlan{PlanRevision: 1, By: "human:ann", At: now.Add(-48 * time.Hour)}
	switch s.Status {
	case model.StatusAborted:
		st.CurrentState = model.Aborted
	case model.StatusFailed:
		st.CurrentState = model.Failed
	case model.StatusError:
		st.CurrentState = model.Errored
	case model.StatusDone, model.StatusReviewWork:
		st.CurrentState, st.AcceptedPlan = model.Completed, accepted
		if s.Status == model.StatusDone {
			st.Review = &model.Review{Of: "work", Verdict: "accepted", By: "human:ann"}
		}
	case model.StatusReviewPlan:
		st.CurrentState, st.PlanRevision, t.HasPlan = model.PlanDefined, 1, true
	case model.StatusChanged, model.StatusReady, model.StatusBlocked:
		st.CurrentState, st.PlanRevision, t.HasPlan, st.AcceptedPlan = model.PlanDefined, 1, true, accepted
		if s.Status == model.StatusChanged {
			st.ChangedBecause = []model.ChangeReason{{File: "x/plan.md", Old: "sha256-a", New: "sha256-b"}}
		}
	case model.StatusRunning, model.StatusPaused, model.StatusWaiting, model.StatusSubtasks:
		st.CurrentState, st.PlanRevision, t.HasPlan, st.AcceptedPlan = model.Working, 1, true, accepted
		st.CurrentRun = "run-1"
		if s.Status != model.StatusRunning {
			st.IsPaused, st.CurrentRun = true, ""
			st.PauseReason = map[model.Status]string{
				model.StatusPaused: "lunch", model.StatusWaiting: "hitl: which port?", model.StatusSubtasks: "subtasks",
			}[s.Status]
		}
	case model.StatusReplan:
		st.CurrentState = model.Replanned
	case model.StatusPlanning:
		st.CurrentState = model.ObjectiveDefined
	default:
		st.CurrentState = model.Created
	}
	return t
}

// Snapshot is a store of these tasks.
func Snapshot(seeds []Seed) *snapshot.Snapshot {
	in := snapshot.Input{StoreID: "test"}
	for k, s := range seeds {
		in.Tasks = append(in.Tasks, s.Task(k))
	}
	return snapshot.New(in)
}

// Project is a believable small store: nested tasks in most statuses, dependencies across
// branches, a cycle, a problem, names in other scripts.
func Project() []Seed {
	return []Seed{
		0:  {"Billing service", -1, model.StatusSubtasks, nil, model.High, nil},
		1:  {"Import bank statements", 0, model.StatusSubtasks, nil, model.High, nil},
		2:  {"Parse CAMT.053 files", 1, model.StatusDone, nil, "", nil},
		3:  {"Match payments to invoices", 1, model.StatusReviewPlan, []int{2}, model.Critical, nil},
		4:  {"Show unmatched payments to a person", 1, model.StatusBlocked, []int{3}, "", nil},
		5:  {"Dunning letters", 0, model.StatusRunning, []int{2}, "", nil},
		6:  {"Templates in German and 日本語", 5, model.StatusReviewWork, nil, "", nil},
		7:  {"Send by e-mail", 5, model.StatusError, []int{6}, "", nil},
		8:  {"Opt-out per customer", 5, model.StatusChanged, []int{6}, model.Low, nil},
		9:  {"Invoices as PDF", 0, model.StatusWaiting, nil, "", nil},
		10: {"Choose a PDF library", 9, model.StatusDone, nil, "", nil},
		11: {"Embed fonts", 9, model.StatusReady, []int{10}, "", nil},
		12: {"Archive for ten years", 9, model.StatusFailed, []int{10}, "", nil},
		13: {"Continuous integration", -1, model.StatusDone, nil, "", nil},
		14: {"Cache modules", 13, model.StatusDone, nil, "", nil},
		15: {"Race detector nightly", 13, model.StatusAborted, nil, "", nil},
		16: {"Release 1.0", -1, model.StatusBlocked, []int{3, 7, 11, 13}, model.Critical, nil},
		17: {"Write the changelog", 16, model.StatusPlanning, nil, "", nil},
		18: {"Announce", 16, model.StatusCreated, []int{17}, "", nil},
		19: {"Rate limits", -1, model.StatusBlocked, []int{20}, "", nil},
		20: {"Quotas per customer", -1, model.StatusBlocked, []int{21}, "", nil},
		21: {"Usage metering", -1, model.StatusBlocked, []int{19}, "", nil},
		22: {"Status page", -1, model.StatusPaused, nil, "", nil},
		23: {"Import of old customers", -1, model.StatusReplan, nil, "", nil},
		24: {"Broken task", -1, model.StatusCreated, nil, "", []model.Problem{
			{Path: ".vespe/tasks/x/status.json", Line: 3, Severity: model.Error, Code: "bad-json", Reason: "invalid character '}' after a comma"},
		}},
		25: {"Spike: metering in Rust \x1b[31mred\u202e", 21, model.StatusReady, nil, model.Low, nil},
	}
}

// Large is a store of n tasks, about a tenth of them with children, two thirds with
// dependencies, mostly near ones; the same n and seed give the same store.
func Large(n int, seed uint64) []Seed {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	words := []string{"parse", "render", "cache", "index", "release", "invoice", "retry", "schema", "token", "queue"}
	out := make([]Seed, n)
	for k := range out {
		s := Seed{
			Name:   fmt.Sprintf("%s the %s of part %d", words[rng.IntN(len(words))], words[rng.IntN(len(words))], k),
			Parent: -1, Status: model.Status(1 + rng.IntN(model.NumStatuses-1)),
		}
		if k > 0 && rng.IntN(20) > 0 {
			s.Parent = max(0, (k-1)/8-rng.IntN(3))
		}
		for range rng.IntN(3) {
			if k == 0 {
				break
			}
			back := 1 + rng.IntN(min(k, 12))
			if rng.IntN(100) < 8 {
				back = 1 + rng.IntN(k)
			}
			s.Deps = append(s.Deps, k-back)
		}
		out[k] = s
	}
	return out
}
