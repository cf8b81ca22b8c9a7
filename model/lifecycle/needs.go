package lifecycle

import (
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/staged"
)

// NeedOps are the operations that accept needs, one a task, and those needs that cannot be accepted:
// alone they would close a cycle, or after the ones before them.
func NeedOps(s *snapshot.Snapshot, needs []snapshot.FileNeed, actor model.Actor) (ops []model.Op, left []snapshot.FileNeed) {
	w := staged.New(s)
	at := map[model.UID]int{}
	for _, n := range needs {
		uid, on := s.UID(int(n.Task)), s.UID(int(n.On))
		c, err := Apply(w, model.Op{Name: model.AddDependency, UID: uid, Actor: actor, Args: model.DependencyEdit{DependsOn: []model.UID{on}}})
		if err != nil {
			left = append(left, n)
			continue
		}
		w.Absorb(c)
		k, ok := at[uid]
		if !ok {
			k, at[uid] = len(ops), len(ops)
			ops = append(ops, model.Op{Name: model.AddDependency, UID: uid, Actor: actor})
		}
		ops[k].Args = model.DependencyEdit{DependsOn: append(model.ArgsOf[model.DependencyEdit](&ops[k]).DependsOn, on)}
	}
	return ops, left
}
