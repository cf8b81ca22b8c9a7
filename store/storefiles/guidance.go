package storefiles

import (
	"context"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// GuidanceFile is one of the files that edit_guidance writes; nil where it is not there.
func (s *Files) GuidanceFile(_ context.Context, name string) ([]byte, error) {
	if !layout.IsGuidance(name) {
		return nil, model.ErrNoContent
	}
	b, err := s.disk.FS.ReadFile(name, layout.MaxJSON)
	if fsys.Missing(err) {
		return nil, nil
	}
	if err == nil && b == nil {
		b = []byte{} // it is there, and empty
	}
	return b, err
}

// Decided are the proposals that somebody has decided on.
func (s *Files) Decided(ctx context.Context) ([]model.Proposed, error) {
	b, err := s.GuidanceFile(ctx, model.ProposalsFile)
	if err != nil {
		return nil, err
	}
	return model.DecodeProposals(b)
}
