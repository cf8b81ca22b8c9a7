package model_test

import (
	"testing"

	"vespe/model"
)

// What an agent imports is no less strict than what it creates.
func TestAnAgentsImportLowersNothing(t *testing.T) {
	for actor, want := range map[model.Actor]string{agent: "medium", ann: "low"} {
		d := newDesk(t)
		uid := d.w.NewUID()
		d.do(model.Op{Name: model.ImportTask, Actor: actor, Import: &model.Imported{
			Task: &model.Task{UID: uid, Config: model.Config{Name: "x"}, Status: model.StatusFile{CurrentState: model.Created}, Spec: &model.Spec{Risk: "low"}},
		}})
		if got := model.RiskOf(d.task(uid)); got != want {
			t.Errorf("imported by %s it has the risk %s, want %s", actor, got, want)
		}
		d.do(model.Op{Name: model.SetFields, UID: uid, Set: []model.Assignment{{Key: "risk", Value: "high", Mode: '='}}})
		d.refused(model.Op{Name: model.SetFields, UID: uid, Actor: agent, Set: []model.Assignment{{Key: "risk", Value: "low", Mode: '='}}}, model.GuardSafer, model.CodeDenied)
	}
}
