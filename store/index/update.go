package index

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

// UpdateOptions say how an index is brought up to date. The zero value is right for who only wants to search.
type UpdateOptions struct {
	// Sweep compares how all files look, also where the log says what happened: what was written past
	// vespe and below result/ is seen, too.
	Sweep bool
	// Progress is told of tasks that were read, from one goroutine at a time; may be nil.
	Progress func(done, total int)
	// Readers is how many tasks are read at once; 0: as many as there are processors.
	Readers int
	// Try gives up with ErrUpdating at once where another process brings it up to date just now.
	Try bool
}

// ErrUpdating says that another process brings the index up to date.
var ErrUpdating = errors.New("another process is updating the index")

// Update brings the index to a snapshot of the store. What it has done when it ends early stays, and the
// next Update continues.
func (x *Index) Update(ctx context.Context, snap *snapshot.Snapshot, o UpdateOptions) error {
	select {
	case x.updating <- struct{}{}:
		defer func() { <-x.updating }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return x.again(ctx, func() error {
		most := 10 * time.Minute
		if o.Try {
			most = 0
		}
		if x.at.path != "" {
			h, err := await(ctx, x.at.path+busySuffix, syscall.LOCK_EX, most)
			if errors.Is(err, errBusy) {
				return ErrUpdating
			}
			if err != nil {
				return err
			}
			defer h.Close()
		}
		u := &update{x: x, snap: snap, o: o}
		return u.run(ctx)
	})
}

// update is one Update.
type update struct {
	x    *Index
	snap *snapshot.Snapshot
	o    UpdateOptions

	seq            uint64 // of what is there
	hash, all, der string
	whole          bool        // every task was read once
	edited         []model.UID // were read while somebody's edits were in them

	have map[model.UID]known // nil until it is needed
}

// known is what the index has of a task.
type known struct {
	id    int64
	looks uint64
	derived
}

// batch is how many tasks are committed at a time, while all are read; step how many are handed on at once.
const (
	batch = 4000
	step  = 250
)

func (u *update) run(ctx context.Context) error {
	if err := u.readMeta(ctx); err != nil {
		return err
	}
	all, der := u.digests()
	again, gone, err := u.stale(ctx, all)
	if err != nil {
		return err
	}
	seq := u.snap.Seq()
	if len(again)+len(gone) == 0 && u.whole && seq == u.seq && der == u.der && all == u.all {
		return nil
	}
	edited := u.x.s.Edited()
	if err := u.write(ctx, again, gone); err != nil {
		return err
	}
	if der != u.der {
		if err := u.writeDerived(ctx); err != nil {
			return err
		}
	}
	tx, err := u.x.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing, once it is committed
	list, err := json.Marshal(edited)
	if err != nil {
		return err
	}
	for key, value := range map[string]string{
		"seq": strconv.FormatUint(seq, 10), "hash": u.x.s.HashOf(seq), "all": all, "derived": der, "whole": "1",
		"tasks": strconv.Itoa(u.snap.Len()), "unsettled": string(list),
	} {
		if err := setMeta(ctx, tx, key, value); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (u *update) readMeta(ctx context.Context) error {
	rows, err := u.x.write.QueryContext(ctx, "SELECT key, value FROM meta")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return err
		}
		switch key {
		case "seq":
			u.seq, err = strconv.ParseUint(value, 10, 64)
		case "hash":
			u.hash = value
		case "all":
			u.all = value
		case "derived":
			u.der = value
		case "whole":
			u.whole = value == "1"
		case "unsettled":
			err = json.Unmarshal([]byte(value), &u.edited)
		}
		if err != nil {
			return fmt.Errorf("%w: %s: %w", errNotOurs, key, err)
		}
	}
	return rows.Err()
}

// digests are hashes over which tasks there are, and over what follows for each from others.
func (u *update) digests() (all, der string) {
	a, d := fnv.New128a(), fnv.New128a()
	var b []byte
	for i := range u.snap.Len() {
		b = append(b[:0], u.snap.UID(i)...)
		_, _ = a.Write(append(b, 0))
		b = append(b[:0], byte(u.snap.Status(i)))
		_, _ = d.Write(append(append(b, u.snap.MilestoneID(i)...), 0))
	}
	return fmt.Sprintf("%x", a.Sum(nil)), fmt.Sprintf("%x", d.Sum(nil))
}

// stale are the tasks to be read, and those that are no longer there.
func (u *update) stale(ctx context.Context, all string) (again, gone []model.UID, err error) {
	touched, err := u.x.s.TouchedSince(ctx, u.seq, u.hash, u.snap.Seq())
	if err != nil {
		return nil, nil, err
	}
	set := map[model.UID]bool{}
	for _, list := range [][]model.UID{touched.UIDs, u.edited, u.x.s.Edited()} {
		for _, uid := range list {
			set[uid] = true
		}
	}
	if !u.whole || !touched.Known || u.o.Sweep || all != u.all {
		if err := u.readKnown(ctx); err != nil {
			return nil, nil, err
		}
		var look []model.UID
		for i := range u.snap.Len() {
			uid := u.snap.UID(i)
			if _, ok := u.have[uid]; !ok {
				set[uid] = true
			} else if !set[uid] {
				look = append(look, uid)
			}
		}
		for uid := range u.have {
			if !u.has(uid) {
				set[uid] = true
			}
		}
		if !touched.Known || u.o.Sweep || !u.whole {
			looks, err := u.x.s.Looks(ctx, look, nil)
			if err != nil {
				return nil, nil, err
			}
			for i, uid := range look {
				if was := u.have[uid].looks; was == 0 || was != looks[i] {
					set[uid] = true
				}
			}
		}
	}
	for uid := range set {
		if u.has(uid) {
			again = append(again, uid)
		} else {
			gone = append(gone, uid)
		}
	}
	slices.Sort(again)
	slices.Sort(gone)
	return again, gone, nil
}

func (u *update) has(uid model.UID) bool {
	_, ok := u.snap.Index(uid)
	return ok
}

func (u *update) readKnown(ctx context.Context) error {
	u.have = make(map[model.UID]known, u.snap.Len())
	rows, err := u.x.write.QueryContext(ctx, "SELECT id, uid, looks, status, vespe_status, coalesce(milestone_id, '') FROM tasks")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var k known
		var uid string
		var looks int64
		if err := rows.Scan(&k.id, &uid, &looks, &k.status, &k.vespe, &k.milestone); err != nil {
			return err
		}
		k.looks = uint64(looks) //nolint:gosec // only compared
		u.have[model.UID(uid)] = k
	}
	return rows.Err()
}

// write brings tasks up to date: read by several, written by one, a batch at a time.
func (u *update) write(ctx context.Context, again, gone []model.UID) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel(nil)
	w := &writer{u: u, vocabulary: vocabulary{}}
	if len(again) > batch { // otherwise asking is less than reading them all
		if err := w.readTerms(ctx); err != nil {
			return err
		}
	}
	if len(gone) > 0 {
		rows := make([]row, len(gone))
		for i, uid := range gone {
			rows[i] = row{uid: uid, gone: true}
		}
		if err := w.commit(ctx, rows); err != nil {
			return err
		}
	}
	ready := u.reading(ctx, cancel, &reading, again)
	var rows []row
	for i := 0; i < len(again); i += step {
		select {
		case p := <-ready[i/step]:
			rows = append(rows, p.rows...)
			w.meet(p.terms)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if len(rows) >= batch || i+step >= len(again) {
			if err := w.commit(ctx, rows); err != nil {
				return err
			}
			rows = rows[:0]
			if u.o.Progress != nil {
				u.o.Progress(min(i+step, len(again)), len(again))
			}
		}
	}
	return nil
}

// reading reads tasks, step by step and several steps at once, no more ahead of the writer than it takes
// to keep it busy.
func (u *update) reading(ctx context.Context, fail context.CancelCauseFunc, wg *sync.WaitGroup, again []model.UID) []chan part {
	ready := make([]chan part, (len(again)+step-1)/step)
	for i := range ready {
		ready[i] = make(chan part) // handed over, so that no reader is more than a step ahead
	}
	n := u.o.Readers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	var mu sync.Mutex
	next := 0
	for range min(n, len(ready)) {
		wg.Go(func() {
			for {
				mu.Lock()
				at := next
				next++
				mu.Unlock()
				if at >= len(ready) || ctx.Err() != nil {
					return
				}
				rows, err := u.readStep(ctx, again[at*step:min(len(again), (at+1)*step)])
				if err != nil {
					fail(err)
					return
				}
				select {
				case ready[at] <- rows:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	return ready
}

// part is what a reader hands to the writer.
type part struct {
	rows  []row
	terms vocabulary
}

func (u *update) readStep(ctx context.Context, uids []model.UID) (p part, err error) {
	r, err := u.x.s.TextReader()
	if err != nil {
		return p, err
	}
	defer r.Close()
	p.terms = vocabulary{}
	for _, uid := range uids {
		texts, err := r.Read(ctx, uid)
		if err != nil {
			return p, err
		}
		if i, ok := u.snap.Index(uid); ok {
			p.rows = append(p.rows, rowOf(u.snap, i, texts))
			for _, text := range p.rows[len(p.rows)-1].texts {
				p.terms.add(text)
			}
		}
	}
	return p, nil
}

// writeDerived corrects the columns that follow from other tasks.
func (u *update) writeDerived(ctx context.Context) error {
	if err := u.readKnown(ctx); err != nil {
		return err
	}
	type change struct {
		id int64
		derived
	}
	var changes []change
	for i := range u.snap.Len() {
		k, ok := u.have[u.snap.UID(i)]
		if d := derive(u.snap, i); ok && d != k.derived {
			changes = append(changes, change{k.id, d})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.id, b.id) })
	for part := range slices.Chunk(changes, batch) {
		tx, err := u.x.write.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		for _, c := range part {
			if _, err = tx.ExecContext(ctx, "UPDATE tasks SET status = ?, vespe_status = ?, milestone_id = ? WHERE id = ?",
				c.status, c.vespe, orNull(c.milestone), c.id); err != nil {
				break
			}
		}
		if err == nil {
			err = tx.Commit()
		}
		if err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return nil
}
