package storefiles

import (
	"bytes"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// milestones.json is believed as it is, no matter who wrote it: there is no verdict in it. A
// transaction writes it by what it says just then, and not at all where part of it cannot be
// read.

// ReadMilestones reads milestones.json.
func (s *Files) ReadMilestones() (model.Milestones, []model.Problem, error) {
	b, err := s.disk.FS.ReadFile(layout.MilestonesFile, layout.MaxJSON)
	switch {
	case fsys.Missing(err):
		return model.Milestones{}, nil, nil
	case err != nil && !fsys.IsAboutFile(err):
		return model.Milestones{}, nil, err
	case err != nil:
		return model.Milestones{Broken: true}, []model.Problem{failure.OfFile(layout.Shown(layout.MilestonesFile), err)}, nil
	}
	ms, ps := model.DecodeMilestones(layout.Shown(layout.MilestonesFile), b)
	return ms, ps, nil
}

// IsMilestonesProblem says whether a problem is of milestones.json.
func IsMilestonesProblem(p model.Problem) bool { return p.Path == layout.Shown(layout.MilestonesFile) }

// SameMilestones compares what two readings mean.
func SameMilestones(a, b model.Milestones) bool {
	return a.Broken == b.Broken && bytes.Equal(model.EncodeMilestones(a), model.EncodeMilestones(b))
}
