package store

import (
	"context"

	"vespe/model"
	"vespe/model/reflection"
	"vespe/model/runlog"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// GuidanceFile is one of the files that edit_guidance writes; nil where it is not there.
func (s *Store) GuidanceFile(_ context.Context, name string) ([]byte, error) {
	if !layout.IsGuidance(name) {
		return nil, model.ErrNoContent
	}
	b, err := s.fs.ReadFile(name, layout.MaxJSON)
	if fsys.Missing(err) {
		return nil, nil
	}
	if err == nil && b == nil {
		b = []byte{} // it is there, and empty
	}
	return b, err
}

// GuidanceFile implements model.Guided.
func (w readView) GuidanceFile(name string) ([]byte, error) {
	return w.s.GuidanceFile(context.Background(), name)
}

// FailedChecks are the commands that failed in the verification of runs, by the run's id: of the runs of some
// reflections that did not come to an end as they should. What cannot be read is left out.
func (s *Store) FailedChecks(ctx context.Context, all []reflection.Line) (map[string][][]string, error) {
	out := map[string][][]string{}
	for i := range all {
		r := &all[i]
		if r.Kind != reflection.OfRun || r.Run == "" || r.Outcome == model.RunCompleted {
			continue
		}
		argvs, err := s.failedChecks(ctx, r.Task, r.Run)
		if err != nil && (ctx.Err() != nil || fsys.IsTransient(err)) {
			return nil, err
		}
		if len(argvs) > 0 {
			out[r.Run] = argvs
		}
	}
	return out, nil
}

// Decided are the proposals that somebody has decided on.
func (s *Store) Decided(ctx context.Context) ([]model.Proposed, error) {
	b, err := s.GuidanceFile(ctx, model.ProposalsFile)
	if err != nil {
		return nil, err
	}
	return model.DecodeProposals(b)
}

// mostReport bounds a report that is read, in bytes.
const mostReport = 1 << 20

// failedChecks are the commands that failed in the verification of one run.
func (s *Store) failedChecks(ctx context.Context, uid model.UID, run string) ([][]string, error) {
	b, size, err := s.ReadRunFile(ctx, uid, run, "verify.json", 0, mostReport)
	if err != nil || size > int64(len(b)) {
		return nil, err
	}
	report, err := runlog.DecodeReport(b)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for _, c := range report.Checks {
		if c.Status == runlog.Fail && len(c.Argv) > 0 {
			out = append(out, c.Argv)
		}
	}
	return out, nil
}
