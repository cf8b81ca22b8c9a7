package store

import (
	"context"

	"vespe/model"
	"vespe/model/guidelines"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// guidelinesFile is what every planning and working prompt begins with.
const guidelinesFile = "guidelines.txt"

// Policy is what config.json says now, without a look at any task.
func (s *Store) Policy() (model.Policy, error) {
	p, _, err := s.readPolicy()
	return p, err
}

// Guidelines are those of the project, guidelines.txt; nil where there is no such file.
func (s *Store) Guidelines(context.Context) ([]byte, error) {
	b, err := s.fs.ReadFile(guidelinesFile, layout.MaxDocument)
	if fsys.Missing(err) {
		return nil, nil
	}
	return b, err
}

// QuotedGuidelines are the guidelines of the project as agents are told them, at most most bytes of them (guidelines.Quote).
func (s *Store) QuotedGuidelines(ctx context.Context, most int) string {
	b, err := s.Guidelines(ctx)
	return guidelines.Quote(b, err, most)
}
