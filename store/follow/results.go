package follow

import (
	"context"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/edits"
	"vespe/store/layout"
)

// Who follows a store also compares the results that accepted tasks rely on with what is there:
// no transaction tells that somebody wrote into result/. Those of the tasks on the screen
// are looked at each time, all others piece by piece. A task whose dependency has another result is
// checked once that result has been the same for two looks, so that half a result marks nobody.
const (
	resultsTime  = time.Millisecond // of a look, for others than those on the screen: a thousandth of a core
	resultsEvery = 50               // a result is looked at again after so many times what that took
	resultsPiece = 8
)

// resultWatch is what a follower knows of results.
type resultWatch struct {
	at     int                    // the next task to go through
	known  map[model.UID]lookedAt // by the task that has the result
	differ map[model.UID]string   // by the task that relies on it: what it would be marked with
}

type lookedAt struct {
	hash  string
	until time.Time // it need not be looked at before
}

// checkResults marks tasks that rely on results which have changed, and unmarks those that rely on
// what is again as it was.
func (f *Follower) checkResults(ctx context.Context) {
	snap, _ := f.Current()
	if f.only || snap == nil || f.ReadOnly() != "" {
		return
	}
	r := &f.results
	if r.known == nil {
		r.known, r.differ = map[model.UID]lookedAt{}, map[model.UID]string{}
	}
	uids := f.onScreen()
	for uid := range r.differ { // anyone who was seen to differ is looked at until it is settled
		uids = append(uids, uid)
	}
	var ripe []model.UID
	looked := map[model.UID]bool{}
	look := func(uid model.UID) {
		if !looked[uid] && f.differs(snap, uid) {
			ripe = append(ripe, uid)
		}
		looked[uid] = true
	}
	for _, uid := range uids {
		look(uid)
	}
	for start := time.Now(); time.Since(start) < resultsTime; {
		list, next := snapshot.RelyOnResults(snap, r.at, resultsPiece)
		for _, i := range list {
			look(snap.UID(int(i)))
		}
		if r.at = next; next == 0 {
			for uid, k := range r.known {
				if time.Now().After(k.until) {
					delete(r.known, uid)
				}
			}
			break
		}
	}
	if len(ripe) == 0 || ctx.Err() != nil {
		return
	}
	ops := make([]model.Op, len(ripe))
	for i, uid := range ripe {
		ops[i] = model.Op{Name: model.Check, UID: uid, Actor: edits.ActorExternal}
		delete(r.differ, uid)
	}
	_, _ = f.Do(ctx, ops) // what could not be marked is seen again, and start compares anyway
}

// differs says whether check would say something else of the results that a task relies on, and would
// have said the same at the look before.
func (f *Follower) differs(snap *snapshot.Snapshot, uid model.UID) bool {
	i, ok := snap.Index(uid)
	if !ok || !snapshot.MayBeChanged(snap, i) {
		delete(f.results.differ, uid)
		return false
	}
	t := snap.Peek(i)
	would := ""
	for _, h := range t.Status.ParentContentHashes {
		id, ok := strings.CutSuffix(h.Key, "_"+layout.ResultDir)
		d, known := snap.Index(model.UID(id))
		if !ok || !known {
			continue
		}
		if dep := snap.Peek(d); dep.Status.CurrentState != model.Completed || !slices.Contains(t.DependsOn, dep.UID) {
			continue
		}
		now, err := f.resultOf(model.UID(id))
		if err != nil {
			continue // a problem that others tell of
		}
		at := slices.IndexFunc(t.Status.ChangedBecause, func(c model.ChangeReason) bool { return c.File == id+"/"+layout.ResultDir })
		switch {
		case now != h.Hash && (at < 0 || t.Status.ChangedBecause[at].New != now):
			would += id + "=" + now + " "
		case now == h.Hash && at >= 0:
			would += id + " "
		}
	}
	was, seen := f.results.differ[uid]
	if would == "" {
		delete(f.results.differ, uid)
		return false
	}
	f.results.differ[uid] = would
	return seen && was == would
}

// resultOf is the hash of a task's result, as it was a moment ago where looking takes long.
func (f *Follower) resultOf(uid model.UID) (string, error) {
	now := time.Now()
	if k, ok := f.results.known[uid]; ok && now.Before(k.until) {
		return k.hash, nil
	}
	files, err := f.View().Results(uid)
	if err != nil {
		return "", err
	}
	hash := model.HashResult(files)
	if took := time.Since(now); took > resultsTime { // most are looked at as fast as they are found again
		f.results.known[uid] = lookedAt{hash, time.Now().Add(resultsEvery * took)}
	}
	return hash, nil
}
