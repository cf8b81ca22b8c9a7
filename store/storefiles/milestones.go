package storefiles

import (
	"bytes"

	"vespe/model"
	"vespe/store/durable"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// ReadMilestones reads milestones.json. The file holds no verdict, so vespe believes it as it is. A transaction starts from
// what it says then, and doesn't write it if part of it is unreadable.
func ReadMilestones(disk *durable.Files) (model.Milestones, []model.Problem, error) {
	b, err := disk.FS.ReadFile(layout.MilestonesFile, layout.MaxJSON)
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
