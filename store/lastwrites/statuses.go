package lastwrites

import (
	"bytes"
	"context"
	"maps"
	"strings"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/txlog"
)

// Status is what the log last made the status.json of a task.
type Status struct {
	Seq   uint64 // the entry
	Hash  string // "": it was deleted
	Given string // what vespe itself last wrote there; "" for nothing
}

// Statuses goes back through the log from an entry, as far as it takes to find the
// tasks, and, where that is asked, what vespe itself gave them. Those that a broken entry may have written
// are left out, like those that none wrote. Of want the approvals go that an entry wrote.
func (x *Index) Statuses(
	ctx context.Context, uids map[model.UID]bool, last uint64, given bool, want Approvals,
) (map[model.UID]Status, error) {
	found := map[model.UID]Status{}
	left := maps.Clone(uids)
	step := uint64(1) // who knows where to begin is mostly right
	for hi := last; hi > 0 && len(left)+len(want) > 0; {
		n := min(hi, step)
		step = min(4*step, scanAtOnce)
		parts, errs := x.scanStatuses(ctx, left, want, hi, n)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range n {
			seq := hi - i
			switch err := errs[i]; {
			case err != nil && fsys.IsTransient(err):
				return nil, err
			case err != nil && fsys.IsWithheld(err): // without it files would be believed that it knows otherwise
				return nil, failure.New(model.CodeRefused, failure.GuardStore, nil, err, "check its permissions and the disk; `vespe store verify` names it",
					"the tasks can't be compared with the log")
			case err != nil:
				return found, nil //nolint:nilerr // Doctor says so
			}
			for _, name := range parts[i].approvals {
				delete(want, name)
			}
			for uid, f := range parts[i].statuses {
				l, seen := found[uid]
				if !seen {
					l = Status{Seq: seq, Hash: f.Hash}
				}
				if l.Given == "" && !f.Edited {
					l.Given = f.Hash
				}
				if l.Given != "" || !given {
					delete(left, uid)
				}
				found[uid] = l
			}
		}
		hi -= n
	}
	return found, nil
}

// scanStatuses is that of n entries down from one.
func (x *Index) scanStatuses(ctx context.Context, uids map[model.UID]bool, want Approvals, from, n uint64) (parts []scannedPart, errs []error) {
	parts, errs = make([]scannedPart, n), make([]error, n)
	_ = parallel.Each(ctx, int(n), func(i int) error { //nolint:gosec // at most scanAtOnce
		log, err := x.Log.FS.OpenDir(layout.LogDir)
		if err != nil {
			errs[i] = err
			return nil
		}
		defer log.Close()
		parts[i].statuses = map[model.UID]txlog.ScannedFile{}
		if !mayWrite(log, from-uint64(i), uids, want) { //nolint:gosec // it counts up from 0
			return nil
		}
		_, errs[i] = txlog.ScanEntry(ctx, log, from-uint64(i), func(f txlog.ScannedFile) { //nolint:gosec // it counts up from 0
			if uid, rest, ok := layout.TaskOf(f.Path); ok && rest == layout.StatusFile && uids[uid] {
				parts[i].statuses[uid] = f
			} else if ok && want.holds(f.Path, f.Hash) {
				parts[i].approvals = append(parts[i].approvals, f.Path)
			}
		})
		return nil
	})
	return parts, errs
}

// scannedPart is what an entry wrote to the status.json of tasks, and which approvals.
type scannedPart struct {
	statuses  map[model.UID]txlog.ScannedFile
	approvals []string
}

// mayWrite says whether an entry may write the status.json of one of the tasks, or one of the approvals. Looking for the name
// takes a fraction of what decoding the entry does, and most entries are of other tasks, or older
// than what was found.
func mayWrite(log fsys.Dir, seq uint64, uids map[model.UID]bool, want Approvals) bool {
	b, err := log.ReadFile(strings.TrimPrefix(layout.EntryFile(seq), layout.LogDir+"/"), layout.SmallFile)
	if err != nil || !bytes.HasPrefix(b, []byte("{")) || !bytes.HasSuffix(b, []byte("}\n")) {
		return true // too large to be looked through like this, or torn: anyone who decodes it says so
	}
	for rest := b; len(want) > 0; {
		at := bytes.Index(rest, []byte(`"`+layout.TasksDir+"/"))
		if at < 0 {
			break
		}
		rest = rest[at+1:]
		if end := bytes.IndexByte(rest, '"'); end > 0 {
			if _, is := want[string(rest[:end])]; is {
				return true
			}
		}
	}
	for {
		at := bytes.Index(b, []byte("/"+layout.StatusFile+`"`))
		if at < 0 {
			return false
		}
		uid := b[bytes.LastIndexByte(b[:at], '/')+1 : at]
		if uids[model.UID(uid)] {
			return true
		}
		b = b[at+1:]
	}
}

// scanAtOnce is how many entries are read, at most, before it is asked whether more are needed.
const scanAtOnce = 256
