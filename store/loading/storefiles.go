package loading

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/layout"
	"vespe/store/pending"
	"vespe/store/rules"
	"vespe/store/storefiles"
	"vespe/store/txlog"
)

// storeFiles is a reading of what belongs to no task: policy, milestones and requests, and their problems.
// It is kept in step with the log while tasks are read at the same time.
type storeFiles struct {
	c  replayer
	at txlog.Tip
	in snapshot.Input
}

// readStoreFiles reads them.
func (s *Loader) readStoreFiles() (*storeFiles, error) {
	b := &storeFiles{c: replayer{s: s}}
	// Asked before the requests are read: one that is written meanwhile was read or not.
	_, at := s.Current.Get()
	last, err := s.Log.Tail(at.Seq)
	if err != nil {
		return nil, err
	}
	if b.at, err = b.c.takeFirst(last); err != nil {
		return nil, err
	}
	return b, s.readStoreInput(&b.in)
}

// into puts it into the current snapshot, with the problems of the store that others makes of
// that one.
func (b *storeFiles) into(ctx context.Context, others func(now *snapshot.Snapshot) []model.Problem) (*snapshot.Snapshot, error) {
	s := b.c.s
	for range maxReplays {
		var err error
		if b.at, err = b.c.catchUp(ctx, b.at, func(txlog.Tip) error { return b.c.requestsIn(&b.in) }); err != nil {
			return nil, err
		}
		if snap := s.amend(b.at, b.in, others); snap != nil {
			return snap, nil
		}
		if _, err := s.Refresh(ctx); err != nil {
			return nil, err
		}
	}
	return nil, failure.ErrRestless
}

// amend puts what belongs to no task into the current snapshot, and what is wrong with the
// store as a whole. It is nil where that is not of the same entry.
func (s *Loader) amend(at txlog.Tip, in snapshot.Input, others func(now *snapshot.Snapshot) []model.Problem) *snapshot.Snapshot {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	now, kept := s.Current.Get()
	if now == nil || kept.Seq != at.Seq {
		return nil
	}
	problems := append(in.Problems[:len(in.Problems):len(in.Problems)], others(now)...)
	a := snapshot.Amendment{Problems: &problems, Requests: &in.Requests}
	if !reflect.DeepEqual(now.Policy(), in.Policy) {
		a.Policy = &in.Policy
	}
	if !storefiles.SameMilestones(now.MilestoneFile(), in.Milestones) {
		a.Milestones = &in.Milestones
	}
	return s.Keep(now.Amend(a), kept)
}

// RefreshStoreFiles brings policy, milestones and requests up to date with their files.
func (s *Loader) RefreshStoreFiles(ctx context.Context) error {
	if _, err := s.Refresh(ctx); err != nil {
		return err
	}
	b, err := s.readStoreFiles()
	if err == nil {
		_, err = b.into(ctx, func(now *snapshot.Snapshot) []model.Problem {
			return without(now.StoreProblems(), func(p model.Problem) bool {
				return storefiles.IsPolicyProblem(p) || storefiles.IsMilestonesProblem(p) || rules.IsProblem(p) || p.Path == layout.Shown(layout.StoreFile) || strings.HasPrefix(p.Path, layout.Shown(layout.RequestsDir))
			})
		})
	}
	return err
}

// ruled is a snapshot with the policy, the milestones and the rules as their files say now: anyone who wrote
// them, a transaction goes by them.
func (s *Loader) ruled(snap *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	policy, found, err := storefiles.ReadPolicy(s.Disk)
	if err != nil {
		return nil, err
	}
	ms, more, err := storefiles.ReadMilestones(s.Disk)
	if err != nil {
		return nil, err
	}
	_, ofRules, _, err := s.Rules.Read()
	if err != nil {
		return nil, err
	}
	found = slices.Concat(found, more, ofRules, s.Pending.Problem())
	ours := func(p model.Problem) bool {
		return storefiles.IsPolicyProblem(p) || storefiles.IsMilestonesProblem(p) || rules.IsProblem(p) || pending.IsProblem(p)
	}
	had := snap.StoreProblems()
	rest := without(had, ours)
	var a snapshot.Amendment
	if !slices.Equal(without(had, func(p model.Problem) bool { return !ours(p) }), found) {
		found = append(rest, found...)
		a.Problems = &found
	}
	if !reflect.DeepEqual(policy, snap.Policy()) {
		a.Policy = &policy
	}
	if !storefiles.SameMilestones(ms, snap.MilestoneFile()) {
		a.Milestones = &ms
	}
	if a.Problems == nil && a.Policy == nil && a.Milestones == nil {
		return snap, nil
	}
	return snap.Amend(a), nil
}

func withMilestones(snap *snapshot.Snapshot, ms model.Milestones, ps []model.Problem) *snapshot.Snapshot {
	had := snap.StoreProblems()
	rest := without(had, storefiles.IsMilestonesProblem)
	if storefiles.SameMilestones(ms, snap.MilestoneFile()) && len(had) == len(rest)+len(ps) {
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
		return storefiles.ReadMilestones(c.s.Disk)
	}
	ms, ps := model.DecodeMilestones(layout.Shown(layout.MilestonesFile), b)
	return ms, ps, nil
}

// milestonesInto is milestones for the input of a snapshot.
func (c *replayer) milestonesInto(in *snapshot.Input) error {
	ms, ps, err := c.milestones(c.s.Pending.Hint().Seq)
	if err == nil {
		in.Milestones = ms
		in.Problems = append(without(in.Problems, storefiles.IsMilestonesProblem), ps...)
	}
	return err
}
