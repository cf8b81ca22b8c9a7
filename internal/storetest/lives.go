package storetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"vespe/model"
)

// WriteLives writes events below dir, which is a store's own directory with the first n tasks of a
// Project in it, as if each had been planned, accepted, worked on and judged: about nine a task, and
// unsynced.
func WriteLives(dir string, n int) error {
	born := time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
	return SideBySide(n, func(i int) error {
		rng := rand.New(rand.NewPCG(11, uint64(i)))
		at := born.Add(time.Duration(i) * 6 * time.Minute)
		for k, e := range life(rng) {
			at = at.Add(time.Duration(1+rng.IntN(600)) * time.Minute)
			e.UID, e.At, e.OpID = UID(i), at, fmt.Sprintf("life.%d.%d", i, k)
			e.Summary = fmt.Sprintf("%s of \"Make the parser of the index %d work\"", e.Name, i)
			name := filepath.Join(dir, "tasks", string(e.UID), "persistent", model.EventFile(e))
			if err := os.WriteFile(name, model.EncodeEvent(e), 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// life is what happens to a task that goes its way, now and then with a detour.
func life(rng *rand.Rand) []model.Event {
	agents := []model.Actor{"agent:claude", "agent:codex", "agent:opencode"}
	agent, person := agents[rng.IntN(len(agents))], model.Actor("human:ann")
	out := []model.Event{
		{Name: model.CreateTask, Actor: agent, To: model.Created},
		{Name: model.DefineObjective, Actor: agent, From: model.Created, To: model.ObjectiveDefined},
		{Name: model.DefinePlan, Actor: agent, From: model.ObjectiveDefined, To: model.PlanDefined},
	}
	if rng.IntN(4) == 0 {
		out = append(out,
			model.Event{Name: model.RejectPlan, Actor: person, From: model.PlanDefined, To: model.ObjectiveDefined, Reason: "too large"},
			model.Event{Name: model.DefinePlan, Actor: agent, From: model.ObjectiveDefined, To: model.PlanDefined})
	}
	out = append(out,
		model.Event{Name: model.AcceptPlan, Actor: person, From: model.PlanDefined, To: model.Working},
		model.Event{Name: model.Start, Actor: agent, From: model.Working, To: model.Working, Details: []model.ExtraField{model.TextField("run", "run-1")}})
	if rng.IntN(5) == 0 {
		out = append(out,
			model.Event{Name: model.RaiseError, Actor: agent, From: model.Working, To: model.Errored, Reason: "the tests fail"},
			model.Event{Name: model.Retry, Actor: agent, From: model.Errored, To: model.Working},
			model.Event{Name: model.Start, Actor: agent, From: model.Working, To: model.Working, Details: []model.ExtraField{model.TextField("run", "run-2")}})
	}
	return append(out,
		model.Event{Name: model.WorkCompleted, Actor: agent, From: model.Working, To: model.Completed},
		model.Event{Name: model.ReviewAccepted, Actor: person, From: model.Completed, To: model.Completed})
}
