package storefiles

import (
	"context"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// GuidanceFile is a file by which people guide planners, workers and priorities; nil where it is not there.
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
