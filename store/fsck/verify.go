package fsck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/pending"
	"vespe/store/txlog"
	"vespe/store/view"
)

// Verification is what Verify looked at, and what it found.
type Verification struct {
	First, Last uint64 // entries of the log; 0 when there are none
	Head        string // hash of the last one: who notes it can ask for it later
	Files       int    // that the log has written and that were compared
	Objects     int    // bodies beside the log
	Approvals   int
	Unlogged    int // approvals that the log knows nothing of: they came with the files
	// Levels are how many of the approvals are claimed, signed and touched, as far as their
	// signatures can be believed today.
	Levels   [3]int
	Problems []model.Problem
}

// Verify holds the store against its own record: the chain of the log, each body, each file
// against what the log last made it, each approval against what was approved, and the
// checkpoint against the files. It changes nothing, but for finishing what an interrupted
// transaction left to do. A file that was edited past vespe and is not taken over yet is an
// Error here: it is not what the log says.
//
// The chain alone cannot tell that its end is missing, or that all of it was made anew.
// Approvals name an entry before them; contains, when not empty, is the hash of an entry
// that must be there (Verification.Head of an earlier time).
func (s *Checker) Verify(ctx context.Context, contains string) (Verification, error) {
	a := auditor{s: s, ctx: ctx, contains: contains}
	snap, err := s.Load(ctx)
	if err != nil {
		err = a.logAlone(err)
		a.seen.Problems = a.problems
		return a.seen, err
	}
	for _, step := range []func() error{
		a.chain,
		func() error { return a.files(snap, model.Error) },
		a.identity,
		func() error { return a.checkpoint(snap) },
	} {
		if err := step(); err != nil {
			return a.seen, err
		}
	}
	if contains != "" && !a.contained {
		a.add(model.Error, "", layout.LogDir, "log-broken", "its end is missing, or it is a different log: restore it from a backup",
			"has no entry with the hash %s", contains)
	}
	a.seen.Problems = a.problems
	return a.seen, nil
}

// auditor holds files against the log. chain comes first: the others need what it learns.
type auditor struct {
	s        *Checker
	ctx      context.Context
	problems []model.Problem
	seen     Verification

	last      map[string]txlog.LastImage // what the log made each file last
	bodies    map[string]uint64          // hashes of bodies that lie in objects/, and the last entry that names each
	heads     map[string]bool            // hashes of entries
	made      map[model.UID]bool         // tasks that the log tells of from the beginning
	deleted   map[model.UID]bool         // tasks without a directory; whether the log knows
	broken    bool                       // entries are missing or unreadable: nobody knows what they wrote
	contains  string
	contained bool

	only    map[string]bool             // topics that are asked about; nil: all
	pending map[string]*txlog.FileImage // of the last entry, where it may not be projected
	foreign map[string]bool             // approvals that were not in the log when they were looked at
}

func (d *auditor) add(sev model.Severity, uid model.UID, name, code, hint, reason string, args ...any) {
	d.problems = append(d.problems, model.Problem{
		UID: uid, Path: layout.Shown(name), Severity: sev, Code: code, Reason: fmt.Sprintf(reason, args...), Hint: hint,
	})
}

// logAlone is what is left to check where a load failed because the log is withheld. It returns why the load failed
// if that was something else.
func (d *auditor) logAlone(why error) error {
	if !fsys.IsWithheld(why) {
		return why
	}
	if err := d.chain(); err != nil {
		return err
	}
	if !d.broken {
		return why
	}
	d.add(model.Error, "", layout.TasksDir, failure.Unreadable, "repair the log first, then check again", "isn't checked, because the log can't be read")
	return nil
}

// chain walks the log and remembers what each file was last made.
func (d *auditor) chain() error {
	d.last, d.bodies, d.heads = map[string]txlog.LastImage{}, map[string]uint64{}, map[string]bool{}
	d.made = map[model.UID]bool{}
	seqs, err := d.s.Log.ListLog()
	if err != nil {
		return err
	}
	prev, expected := "", uint64(1)
	for i, seq := range seqs {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		e, head, err := d.link(i == 0, seq, prev, expected)
		if err != nil {
			return err
		}
		prev, expected = head, seq+1
		if e != nil {
			d.sawEntry(head)
			d.images(e)
		} else if k := len(d.problems) - 1; i == len(seqs)-1 && d.problems[k].Hint == hintBackup {
			d.problems[k].Hint = txlog.HintTail
		}
	}
	if n := len(seqs); n > 0 {
		d.seen.First, d.seen.Last, d.seen.Head = seqs[0], seqs[n-1], prev
	}
	return nil
}

func (d *auditor) sawEntry(head string) {
	d.heads[head] = true
	d.contained = d.contained || head == d.contains
}

const hintBackup = "restore the file from a backup"

// link reads an entry and looks whether it follows from the one before; nil when it cannot
// be read, which is a problem then.
func (d *auditor) link(first bool, seq uint64, prev string, expected uint64) (*txlog.Entry, string, error) {
	name := layout.EntryFile(seq)
	if seq != expected {
		d.broken = true
		d.add(model.Error, "", name, "log-broken", "restore the missing entries from a backup", "follows entry %d; missing entries: %d", expected-1, seq-expected)
	}
	e, head, err := d.s.Log.ReadEntry(seq)
	if err != nil {
		if fsys.IsTransient(err) {
			return nil, "", err
		}
		d.broken = true
		p := failure.OfFile(layout.Shown(name), err)
		p.Code, p.Hint = "log-broken", failure.HintFor(err, hintBackup)
		if errors.Is(err, fs.ErrPermission) {
			p.Hint = "check its permissions"
		}
		d.problems = append(d.problems, p)
		return nil, "", nil
	}
	if seq == expected && prev != "" && e.Prev != prev {
		d.add(model.Error, "", name, "log-broken", "one of the two was changed: compare them with a backup", "doesn't follow the entry before it: it names %.16s…, but that is %.16s…", e.Prev, prev)
	}
	if first && seq == 1 && e.Prev != "" {
		d.add(model.Error, "", name, "log-broken", "compare it with a backup", "is the first entry, but names an earlier one")
	}
	return e, head, nil
}

// images remembers what an entry made of files, and which bodies it left to objects/.
func (d *auditor) images(e *txlog.Entry) {
	for k := range e.Files {
		f := &e.Files[k]
		d.last[f.Path] = txlog.LastImage{Hash: f.Hash, Immutable: f.Immutable, Edited: f.Edited, Seq: e.Seq}
		if uid, rest, _ := layout.TaskOf(f.Path); rest == layout.ConfigFile && (f.Was == "" || f.Hash == "") {
			d.made[uid] = !f.Edited // what came as a whole brought its history
		}
		if f.Body == nil && f.Hash != "" {
			d.bodies[f.Hash] = e.Seq
		}
		if f.KeptApart {
			d.bodies[f.Was] = e.Seq
		}
	}
}

// projections compares files with what the log last made them. mutable is how bad it is
// when one that may change was changed past vespe.
func (d *auditor) projections(mutable model.Severity) error {
	if err := d.findDeleted(); err != nil {
		return err
	}
	if err := d.reportDeleted(mutable); err != nil {
		return err
	}
	changed := map[string]string{} // files that git may have brought, by their names, with their hashes
	for _, name := range slices.Sorted(maps.Keys(d.last)) {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if d.passesOver(name) {
			continue
		}
		if uid, _, ok := layout.TaskOf(name); ok {
			if _, deleted := d.deleted[uid]; deleted {
				d.seen.Files++
				continue
			}
		}
		image := d.last[name]
		now, err := d.s.Disk.Hash(name)
		d.seen.Files++
		if err != nil && fsys.IsTransient(err) {
			return err
		}
		uid, _, _ := layout.TaskOf(name)
		if err == nil && now != "" && now != image.Hash && d.conflictIn(uid, name) && !image.Immutable {
			continue // that is what was changed, and nothing of it is taken over
		}
		switch {
		case err != nil:
			if mutable == model.Error {
				p := failure.OfFile(layout.Shown(name), err)
				p.UID = uid
				d.problems = append(d.problems, p)
			} // the doctor has said so already
		case d.s.Edits.IsUnwritten(name, now):
			if mutable == model.Error {
				d.add(mutable, uid, name, pending.Code, "make it writable", "isn't written yet: its directory isn't writable")
			}
		case now == image.Hash, d.isPending(name, now), d.broken && !image.Immutable: // an entry that is missing may have written it
		case layout.IsGuidance(name): // it is everybody's to edit, and is believed as it is
		case now == "":
			d.add(mutable, uid, name, codeForeign, missingFileHint(name, image), "is missing; the log wrote it")
		case !image.Immutable && d.isUnrecorded(uid, name), name == layout.MilestonesFile: // it is believed as it is
		case image.Immutable:
			d.add(model.Error, uid, name, codeForeign, "it must not change: `vespe store doctor --fix` restores it", "was changed by someone else after the log last wrote it")
		case d.isTakenOver(uid, name, now):
		default:
			changed[name] = now
		}
	}
	return d.brought(changed, mutable)
}

// changed reports a file that may change, and that was changed past vespe. unasked is why git wasn't asked.
func (d *auditor) changed(severity model.Severity, uid model.UID, name string, unasked error) {
	if isReview(name) {
		d.add(severity, uid, name, codeForeign, withGit("`vespe store doctor --fix` restores it", unasked), "was changed by someone else; vespe uses what the log last wrote")
		return
	}
	hint := "if that was a mistake, restore it from git; otherwise the next change to the task records it"
	if !d.s.Git.Trusted() {
		hint += ". `vespe store trust` lets vespe ask git whether a pull brought it"
	}
	d.add(severity, uid, name, codeForeign, withGit(hint, unasked), "was changed by someone else after the log last wrote it")
}

// brought reports files that are not as the log last wrote them. Those that HEAD has as they are came with a pull or a
// merge, and are only named.
func (d *auditor) brought(changed map[string]string, severity model.Severity) error {
	names := slices.Sorted(maps.Keys(changed))
	head, unasked, err := d.inHead(names)
	if err != nil {
		return err
	}
	for _, name := range names {
		uid, _, _ := layout.TaskOf(name)
		if head[name] != changed[name] {
			d.changed(severity, uid, name, unasked)
			continue
		}
		hint := "if a pull or a merge brought it, `vespe store merge --continue` or the next change to its task records it"
		if d.isMergedByGit(uid, name, changed[name]) {
			hint = "if a pull or a merge brought it, do nothing"
		}
		d.add(model.Warning, uid, name, codeForeign, hint, "isn't what the log last wrote, and git has committed it")
	}
	return nil
}

// inHead is what HEAD has of files. Git may refuse to say; unasked is why, and an audit continues without.
func (d *auditor) inHead(names []string) (head map[string]string, unasked, err error) {
	head, err = d.s.Git.Hashes(d.ctx, names)
	if err != nil && d.ctx.Err() == nil {
		return nil, err, nil
	}
	return head, nil, err
}

// withGit is a hint with why git wasn't asked, which may be nil.
func withGit(hint string, unasked error) string {
	if unasked != nil {
		hint += ". vespe couldn't ask git whether a pull brought it: " + unasked.Error()
	}
	return hint
}

// isMergedByGit says whether a file is one that git merges and that vespe doesn't take over afterwards: a review, a run, a
// request, or a document that is the current revision.
func (d *auditor) isMergedByGit(uid model.UID, name, hash string) bool {
	if isReview(name) || isRun(name) || strings.HasPrefix(name, layout.RequestsDir+"/") {
		return true
	}
	_, rest, _ := layout.TaskOf(name)
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		if rest != layout.DocFile(doc) {
			continue
		}
		st, ok, _ := d.status(uid) // a load says what is wrong with it
		of := view.CurrentOf(&st, doc)
		file, _, err := d.s.Comparer.View().Recorded(uid, doc, of.N, hash)
		return ok && err == nil && file != "" && (of.Hash == "" || of.Hash == hash)
	}
	return false
}

// isTakenOver says whether a review is the one that status.json speaks of, as the log has that.
func (d *auditor) isTakenOver(uid model.UID, name, hash string) bool {
	if !isReview(name) {
		return false
	}
	status := layout.TaskFile(uid, layout.StatusFile)
	b, err := d.s.Disk.FS.ReadFile(status, layout.MaxJSON)
	if err != nil || model.HashBytes(b) != d.last[status].Hash {
		return false
	}
	st, ps := model.DecodeStatus(layout.Shown(status), b)
	return !model.HasError(ps) && st.Comments != nil && st.Comments.Hash == hash && layout.ReviewFile(uid, st.Comments) == name
}

func isReview(name string) bool {
	_, rest, ok := layout.TaskOf(name)
	return ok && strings.HasPrefix(rest, layout.ReviewsDir+"/")
}

func isRun(name string) bool {
	_, rest, ok := layout.TaskOf(name)
	return ok && strings.HasPrefix(rest, layout.RunsDir+"/") && path.Base(rest) == layout.RunFile
}

// findDeleted finds the tasks that the log has written to and that have no directory anymore.
func (d *auditor) findDeleted() error {
	d.deleted = map[model.UID]bool{}
	seen := map[model.UID]bool{}
	for name, image := range d.last {
		uid, rest, ok := layout.TaskOf(name)
		if !ok || d.passesOver(name) {
			continue
		}
		if rest == layout.ConfigFile && image.Hash == "" {
			d.deleted[uid] = true
		}
		seen[uid] = true
	}
	for uid := range seen {
		_, err := d.s.Disk.FS.Stat(layout.TaskDir(uid))
		if err != nil && fsys.IsTransient(err) {
			return err
		}
		made := d.pending[layout.TaskFile(uid, layout.ConfigFile)]
		if !fsys.Missing(err) || d.s.Edits.Pending(uid) > 0 || made != nil && made.Was == "" {
			delete(d.deleted, uid)
			continue
		}
		if !d.deleted[uid] {
			d.deleted[uid] = false // the log does not know
		}
	}
	return nil
}

// conflictIn looks for both sides of a merge in a file that is not what the log made it.
func (d *auditor) conflictIn(uid model.UID, name string) bool {
	b, err := d.s.Disk.FS.ReadFile(name, layout.MaxDocument)
	if err != nil {
		return false // it is gone again, too large for a document, or cannot be read: that is said elsewhere
	}
	p, found := model.ConflictProblem(uid, layout.Shown(name), b)
	if found {
		d.conflicts([]model.Problem{p})
	}
	return found
}

// conflicts adds those that nobody has named yet.
func (d *auditor) conflicts(ps []model.Problem) {
	for _, p := range ps {
		if !slices.ContainsFunc(d.problems, func(q model.Problem) bool { return q.Path == p.Path && q.Code == p.Code }) {
			d.problems = append(d.problems, p)
		}
	}
}

// objects looks at the bodies that lie beside the log.
func (d *auditor) objects() error {
	for _, hash := range slices.Sorted(maps.Keys(d.bodies)) {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if d.passesOver(layout.ObjectFile(hash)) {
			continue
		}
		d.seen.Objects++
		now, err := d.s.Disk.Hash(layout.ObjectFile(hash))
		switch {
		case err != nil && fsys.IsTransient(err):
			return err
		case err != nil:
			d.problems = append(d.problems, failure.OfFile(layout.Shown(layout.ObjectFile(hash)), err))
		case now == "":
			d.add(model.Error, "", layout.ObjectFile(hash), "object-broken", "restore it from a backup, or with `vespe store doctor --fix` if a file still has it", "is missing: entry %d of the log needs it", d.bodies[hash])
		case now != hash:
			d.add(model.Error, "", layout.ObjectFile(hash), "object-broken", "restore it from a backup, or with `vespe store doctor --fix` if a file still has it", "doesn't have the content that its name promises")
		}
	}
	return nil
}
