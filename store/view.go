package store

import (
	"maps"

	"vespe/store/fsys"
	"vespe/store/txlog"
	"vespe/store/view"
)

// projectedView is a view where every entry is projected, as far as it could be.
func (s *Store) projectedView() view.View {
	return view.View{FS: s.fs, Log: &s.log, Reader: s.results, Images: s.edits.Images()}
}

// view is for readers. Under the lock a projectedView says the same.
func (s *Store) view() (view.View, error) {
	v := s.projectedView()
	at, done := s.current.Known()
	last, err := s.log.Tail(at.Seq)
	if err != nil || last == 0 || last <= done {
		return v, err
	}
	hinted := s.readHint().Seq
	if v = s.projectedView(); hinted == last {
		return v, nil
	}
	e, _, err := s.log.ReadEntry(last)
	if err != nil {
		if fsys.IsTransient(err) {
			return v, err
		}
		return v, nil // a load says what is wrong with it
	}
	if v.Images = maps.Clone(v.Images); v.Images == nil {
		v.Images = map[string]*txlog.FileImage{}
	}
	for i := range e.Files {
		if f := &e.Files[i]; f.Hash != "" && !f.Edited {
			v.Images[f.Path] = f
		}
	}
	return v, nil
}
