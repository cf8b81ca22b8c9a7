package store

import (
	"bytes"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// milestones.json is believed as it is, no matter who wrote it: there is no verdict in it. A
// transaction writes it by what it says just then, and not at all where part of it cannot be
// read.

// readMilestones reads milestones.json.
func (s *Store) readMilestones() (model.Milestones, []model.Problem, error) {
	b, err := s.fs.ReadFile(layout.MilestonesFile, layout.MaxJSON)
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

func isMilestonesProblem(p model.Problem) bool { return p.Path == layout.Shown(layout.MilestonesFile) }

// sameMilestones compares what two readings mean.
func sameMilestones(a, b model.Milestones) bool {
	return a.Broken == b.Broken && bytes.Equal(model.EncodeMilestones(a), model.EncodeMilestones(b))
}

func withMilestones(snap *snapshot.Snapshot, ms model.Milestones, ps []model.Problem) *snapshot.Snapshot {
	had := snap.StoreProblems()
	rest := without(had, isMilestonesProblem)
	if sameMilestones(ms, snap.MilestoneFile()) && len(had) == len(rest)+len(ps) {
		return snap
	}
	rest = append(rest, ps...)
	return snap.Amend(snapshot.Amendment{Milestones: &ms, Problems: &rest})
}

// milestones is milestones.json once every entry that is pending is projected.
func (c *replayer) milestones(projected uint64) (model.Milestones, []model.Problem, error) {
	b, use, err := c.after(layout.MilestonesFile, projected)
	switch {
	case err != nil:
		return model.Milestones{}, nil, err
	case !use || b == nil:
		return c.s.readMilestones()
	}
	ms, ps := model.DecodeMilestones(layout.Shown(layout.MilestonesFile), b)
	return ms, ps, nil
}

// milestonesInto is milestones for the input of a snapshot.
func (c *replayer) milestonesInto(in *snapshot.Input) error {
	ms, ps, err := c.milestones(c.s.readHint().Seq)
	if err == nil {
		in.Milestones = ms
		in.Problems = append(without(in.Problems, isMilestonesProblem), ps...)
	}
	return err
}
