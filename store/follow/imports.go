package follow

import (
	"context"
	"slices"
	"time"

	"vespe/model"
	"vespe/store/git"
)

// imports is what the loop knows of edits that are to be taken over.
type imports struct {
	since map[model.UID]lastEdit
	held  error     // why edits cannot be taken over, though they can be seen
	tried time.Time // when that was last tried
	tries int       // how often, since it could not be done
}

// lastEdit is when a task was last seen to be written, and how its files looked then.
type lastEdit struct {
	at    time.Time
	looks uint64
}

// takeOver makes transactions of edits that nobody is writing anymore: half a text is no
// revision. It waits for a merge or rebase that git has not finished. While that fails, for a full disk say, one of them is tried every so often, which costs
// little, and all of them as soon as that works.
func (f *Follower) takeOver(ctx context.Context) error {
	if f.only || f.ReadOnly() != "" {
		return nil
	}
	edited := f.Edits.Edited()
	now := time.Now()
	for uid := range f.since {
		if !slices.Contains(edited, uid) {
			delete(f.since, uid)
		}
	}
	var quiet []model.UID
	for _, uid := range edited {
		last, known := f.since[uid]
		looks := f.looks(uid)
		switch {
		case !known || f.dirty[uid] || looks != last.looks:
			f.since[uid] = lastEdit{now, looks}
		case now.Sub(last.at) >= quietEdit:
			quiet = append(quiet, uid)
		}
	}
	switch {
	case len(edited) == 0 || git.BusyAround(f.Root) != "": // in a rebase, files are not what they will be
		return nil
	case len(quiet) == 0 || f.held != nil && now.Sub(f.tried) < convergence:
		return f.held
	case f.held != nil:
		i := f.tries % len(quiet)
		if err := f.takeThese(ctx, quiet[i:i+1]); err != nil {
			return err
		}
	}
	return f.takeThese(ctx, quiet)
}

func (f *Follower) takeThese(ctx context.Context, uids []model.UID) error {
	_, err := f.Import(ctx, uids)
	f.tried, f.tries = time.Now(), f.tries+1
	for _, uid := range uids { // what is left is tried again after as long
		f.since[uid] = lastEdit{f.tried, f.since[uid].looks}
	}
	return err
}
