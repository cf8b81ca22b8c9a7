package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vespe/model"
	"vespe/model/priority"
	"vespe/model/snapshot"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// errnos are what calls fail with.
var errnos = []syscall.Errno{syscall.EIO, syscall.EMFILE, syscall.EACCES, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS}

// isReading says whether a call of a trace changes nothing.
func isReading(call string) bool {
	verb, _, _ := strings.Cut(call, " ")
	return slices.Contains([]string{"read", "map", "stat", "access", "open", "list"}, verb)
}

// TestEveryCallMayFail has each call of whole processes fail, those that read too, with each
// error: where the store is read from its files, where there is a checkpoint, and where another
// process was killed in the middle of the same transaction. Nothing has happened then, or all
// of it; once, however often it is repeated; and no fsync that failed is asked again. A call that changes something may
// also be done, and say that it failed, or be the last one before the process is killed.
//
// Here each call that changes something, and of one transaction half of those that read, fails with one of the errors, in
// turn; TestTortureEveryCallMayFail has them all.
func TestEveryCallMayFail(t *testing.T) {
	t.Parallel()
	testEveryCallMayFail(t, false)
}

func testEveryCallMayFail(t *testing.T, thorough bool) {
	for n, sc := range scenarios() {
		for m, from := range []string{"files", "checkpoint", "killed"} {
			rest := !thorough && n != 2 // of which only the calls that change something fail
			if rest && from != "files" {
				continue
			}
			t.Run(sc.name+"/"+from, func(t *testing.T) {
				t.Parallel()
				s := initIn(t, fastDir(t), testOptions())
				b := &breaker{t: t, from: from, ops: sc.setUp(t, s)}
				b.learn(inMemory(t, s))
				runs := 0
				for k, call := range b.trace {
					for i, errno := range errnos {
						changes, rules := !isReading(call), strings.HasSuffix(call, priority.Path)
						objective := sc.name == "priority by rules" && (strings.Contains(call, "/objective") || strings.Contains(call, "/"+layout.RevisionsDir))
						if errno == syscall.EACCES && (rules || objective) {
							continue // a problem that is shown, and meanwhile rules set nothing
						}
						inTurn := (changes || !rest && (k+m)%2 == 0) && i == k/2%len(errnos)
						if thorough || rules || inTurn {
							b.fail(k+1, fault{name: errno.Error(), err: errno, short: true})
							runs++
						}
					}
					for _, ft := range faults() {
						if from == "files" && !isReading(call) {
							b.fail(k+1, ft)
							runs++
						}
					}
				}
				t.Logf("%d calls, %d runs", len(b.trace), runs)
			})
		}
	}
}

// breaker is a transaction whose calls fail one at a time.
type breaker struct {
	t             *testing.T
	start         *disk // as a process finds it
	ops           []model.Op
	from          string
	seed          uint64
	trace         []string // the calls of a process to which nothing happens
	seq           uint64   // of the transaction
	before, after string   // what readers see
}

// learn makes the disk as a process is to find it, and looks at what one does to which nothing happens.
func (b *breaker) learn(template *disk) {
	b.t.Helper()
	for i := range b.ops {
		b.ops[i].At = newClock().now()
	}
	f := &faultFS{}
	if b.start = template; b.from != "files" {
		b.start = b.checkpointed(template)
	}
	d := b.start.copied()
	b.before = b.readers(d)
	a, err := b.process(d, f, 0, fault{})
	if err != nil || len(f.trace) < 30 {
		b.t.Fatalf("without a fault: %v, %d calls", err, len(f.trace))
	}
	b.seq, b.trace, b.after = a.Seq, f.trace, b.readers(d)
	if (b.before == b.after) != (b.from == "killed") {
		b.t.Fatal("nothing is to happen")
	}
}

func (b *breaker) options() Options {
	b.seed++
	return Options{Now: newClock().now, Rand: entropy(b.seed)}
}

// checkpointed is the disk with a checkpoint, where another process was killed in the middle of the transaction if from
// says so.
func (b *breaker) checkpointed(d *disk) *disk {
	b.t.Helper()
	f := &faultFS{err: errDead, dead: true}
	s, err := f.openOn(d, b.options())
	must(b.t, err)
	load(b.t, s)
	// A store that is a copy has no checkpoint before its first transaction.
	do(b.t, s, model.Op{ID: "first", Name: model.CreateTask, Actor: ann, At: b.ops[0].At, Args: model.NewTask{UID: "tsk-first", Name: "first"}})
	must(b.t, s.checkpoints.Write(b.t.Context()))
	if b.from == "killed" {
		f.calls, f.trace = 0, nil
		whole, err := f.openOn(d.copied(), b.options())
		must(b.t, err)
		do(b.t, whole, b.ops...)
		must(b.t, whole.Close())
		f.at = slices.IndexFunc(f.trace, func(c string) bool { return strings.HasPrefix(c, "link "+layout.LogDir+"/") }) + 4
		f.calls = 0
		if a, err := s.DoAll(b.t.Context(), b.ops); err != nil || len(a.Warnings) == 0 {
			b.t.Fatalf("killed in the middle: %v, %q", err, a.Warnings)
		}
		f.at = 0
	}
	d = d.copied() // before its process is closed
	must(b.t, s.Close())
	return d
}

// process is one from opening a store to closing it: load, transaction, checkpoint.
func (b *breaker) process(d *disk, f *faultFS, at int, ft fault) (snapshot.Applied, error) {
	*f = faultFS{at: at, err: ft.err, short: ft.short, late: ft.late, dead: ft.dead, reads: true}
	s, err := f.openOn(d, b.options())
	if err != nil {
		return snapshot.Applied{}, err
	}
	defer s.Close()
	_, warm, err := s.Warm(context.Background())
	if err == nil && !warm {
		_, err = s.Load(context.Background(), nil)
	}
	if err != nil {
		return snapshot.Applied{}, err
	}
	return s.DoAll(context.Background(), b.ops)
}

// readers is what readers see, and nothing is written for them.
func (b *breaker) readers(d *disk) string {
	b.t.Helper()
	r, err := (&faultFS{}).openOn(d, Options{ReadOnly: true})
	must(b.t, err)
	defer r.Close()
	return passing.ReplaceAllString(everything(b.t, r, load(b.t, r)), "")
}

// passing is what differs with random names in an entry, and a pending projection that the next process makes.
var passing = regexp.MustCompile(`head sha256-[0-9a-f]*|"approval_hash": "sha256-[0-9a-f]*"|"approval": "[a-z-]*-[0-9a-f]{16}.json"|-[0-9a-f]{8}[.]json|problem .*Code:not-written .*\n`)

// fail has one call fail and looks at what is left.
func (b *breaker) fail(k int, ft fault) {
	t := b.t
	t.Helper()
	d := b.start.copied()
	var f faultFS
	_, err := b.process(d, &f, k, ft)
	where := fmt.Sprintf("%s at call %d (%s): %v", ft.name, k, b.trace[k-1], err)
	if f.calls < k {
		t.Fatalf("%s: it never came so far", where)
	}
	if call := f.trace[k-1]; !ft.dead && strings.HasPrefix(call, "sync ") && slices.Contains(f.trace[k:], call) {
		t.Errorf("%s: an fsync that failed is asked again", where)
	}
	var r *model.Refusal
	committed := err == nil || errors.As(err, &r) && r.Code == model.CodeNotDurable
	now := b.readers(d)
	if committed = committed || ft.dead && now == b.after; committed {
		same(t, where+": it is committed, and not there", b.after, now)
	} else {
		same(t, where+": it says that nothing happened", b.before, now)
	}
	// The same ids once more: applied, and once.
	if a, err := b.process(d, &f, 0, fault{}); err != nil || a.Seq != b.seq || a.Replayed != (b.before == b.after || committed) {
		t.Fatalf("%s: repeated: %+v, %v", where, a, err)
	}
	same(t, where+": repeated", b.after, b.readers(d))
	must(t, logHolds(onFS(d)))
}

// TestNoSyncIsAskedTwice has each fsync of a directory fail, and continues in the same process.
func TestNoSyncIsAskedTwice(t *testing.T) {
	t.Parallel()
	for k := 1; ; k++ {
		f := &faultFS{}
		opt := testOptions()
		opt.FS = f.system
		s := initIn(t, fastDir(t), opt)
		uid := create(t, s, "one", "objective\n")
		f.calls, f.at, f.err, f.trace = 0, k, syscall.EIO, nil
		_, first := s.Do(t.Context(), model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: strings.Repeat("large\n", txlog.MaxInline/6+1)}})
		if f.calls < k {
			if k < 10 || first != nil {
				t.Fatalf("%d calls, %v", f.calls, first)
			}
			return
		}
		call := f.trace[k-1]
		for i := range 3 { // what is refused, and what is not, is told by other tests
			_, _ = s.Do(t.Context(), model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: strings.Repeat("large\n", txlog.MaxInline/6+1+i)}})
		}
		if strings.HasPrefix(call, "sync ") && slices.Contains(f.trace[k:], call) {
			t.Errorf("%s failed, and is asked again", call)
		}
		must(t, s.Close())
		other := open(t, s.Root(), testOptions())
		do(t, other, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "another\n"}})
		projectionHolds(t, other)
	}
}
