package loading

import (
	"maps"

	"vespe/store/fsys"
	"vespe/store/txlog"
	"vespe/store/view"
)

// Projected is a view where every entry is projected, as far as it could be.
func (s *Loader) Projected() view.View {
	return view.View{FS: s.Disk.FS, Log: s.Log, Reader: s.Results, Images: s.Edits.Images()}
}

// View is for readers. Under the lock a projectedView says the same.
func (s *Loader) View() (view.View, error) {
	v := s.Projected()
	at, done := s.Current.Known()
	last, err := s.Log.Tail(at.Seq)
	if err != nil || last == 0 || last <= done {
		return v, err
	}
	hinted := s.Pending.Hint().Seq
	if v = s.Projected(); hinted == last {
		return v, nil
	}
	e, _, err := s.Log.ReadEntry(last)
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
