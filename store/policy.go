package store

import "vespe/model"

// Policy is what config.json says now, without a look at any task.
func (s *Store) Policy() (model.Policy, error) {
	p, _, err := s.readPolicy()
	return p, err
}
