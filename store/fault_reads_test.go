package store

import (
	"context"
	"errors"
	"fmt"
	"os"
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
// of it; once, however often it is repeated; and no fsync that failed is asked again.
//
// Here each call of one transaction, and each that changes something of the others, fails with one of the errors, in turn;
// TestTortureEveryCallMayFail has them all.
func TestEveryCallMayFail(t *testing.T) {
	t.Parallel()
	testEveryCallMayFail(t, false)
}

func testEveryCallMayFail(t *testing.T, thorough bool) {
	for n, sc := range scenarios() {
		for _, from := range []string{"files", "checkpoint", "killed"} {
			rest := !thorough && n != 2 // of which only the calls that change something fail
			if rest && from != "files" {
				continue
			}
			t.Run(sc.name+"/"+from, func(t *testing.T) {
				t.Parallel()
				template := initIn(t, fastDir(t), testOptions())
				defer template.Close()
				b := &breaker{t: t, template: template, ops: sc.setUp(t, template), from: from}
				for i := range b.ops {
					b.ops[i].At = newClock().now()
				}
				b.learn()
				runs := 0
				for k, call := range b.trace {
					for i, errno := range errnos {
						changes, rules := !isReading(call), strings.HasSuffix(call, priority.Path)
						objective := sc.name == "priority by rules" && (strings.Contains(call, "/objective") || strings.Contains(call, "/"+layout.RevisionsDir))
						if errno == syscall.EACCES && (rules || objective) {
							continue // a problem that is shown, and meanwhile rules set nothing
						}
						inTurn := (changes || !rest) && i == k%len(errnos)
						if thorough || rules || inTurn {
							b.fail(k+1, errno)
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
	template      *Store
	ops           []model.Op
	from          string
	seed          uint64
	killAt        int      // the first call that a process that was killed did not make
	trace         []string // the calls of a process to which nothing happens
	seq           uint64   // of the transaction
	before, after string   // what readers see
}

func (b *breaker) learn() {
	b.t.Helper()
	root := cloneStore(b.t, b.template)
	f := &faultFS{}
	s := open(b.t, root, b.options(f))
	b.seq = load(b.t, s).Seq() + 1
	if b.from != "files" {
		b.seq++
	}
	f.calls, f.trace = 0, nil
	do(b.t, s, b.ops...)
	b.killAt = slices.IndexFunc(f.trace, func(c string) bool { return strings.HasPrefix(c, "link "+layout.LogDir+"/") }) + 4
	root = b.start()
	b.before = b.readers(root)
	if _, err := b.process(root, f, 0, 0); err != nil || len(f.trace) < 30 {
		b.t.Fatalf("without a fault: %v, %d calls", err, len(f.trace))
	}
	b.trace, b.after = f.trace, b.readers(root)
	if (b.before == b.after) != (b.from == "killed") {
		b.t.Fatal("nothing is to happen")
	}
}

func (b *breaker) options(f *faultFS) Options {
	b.seed++
	return Options{Now: newClock().now, Rand: entropy(b.seed), FS: f.system}
}

// start makes a copy of the store, as a process is to find it.
func (b *breaker) start() (root string) {
	b.t.Helper()
	root = cloneStore(b.t, b.template)
	if b.from == "files" {
		return root
	}
	f := &faultFS{err: errDead, dead: true}
	s := open(b.t, root, b.options(f))
	load(b.t, s)
	// A store that is a copy has no checkpoint before its first transaction.
	do(b.t, s, model.Op{ID: "first", Name: model.CreateTask, Actor: ann, At: b.ops[0].At, Args: model.NewTask{UID: "tsk-first", Name: "first"}})
	if err := s.checkpoints.Write(context.Background()); err != nil {
		b.t.Fatal(err)
	}
	if b.from == "killed" {
		f.calls, f.at = 0, b.killAt
		if a, err := s.DoAll(context.Background(), b.ops); err != nil || len(a.Warnings) == 0 {
			b.t.Fatalf("killed in the middle: %v, %q", err, a.Warnings)
		}
		f.at = 0 // the end of the test closes it
	}
	return root
}

// process is one from opening a store to closing it: load, transaction, checkpoint.
func (b *breaker) process(root string, f *faultFS, at int, errno syscall.Errno) (snapshot.Applied, error) {
	*f = faultFS{at: at, err: errno, short: true, reads: true}
	s, err := Open(root, b.options(f))
	if err != nil {
		return snapshot.Applied{}, err
	}
	defer s.Close()
	s.loader.Pending.Projector.Many = 12 // so that a small import is synced as a whole
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
func (b *breaker) readers(root string) string {
	b.t.Helper()
	r, err := Open(root, Options{ReadOnly: true})
	if err != nil {
		b.t.Fatal(err)
	}
	defer r.Close()
	return passing.ReplaceAllString(everything(b.t, r, load(b.t, r)), "")
}

// passing is what differs with random names in an entry, and a pending projection that the next process makes.
var passing = regexp.MustCompile(`head sha256-[0-9a-f]*|"approval_hash": "sha256-[0-9a-f]*"|"approval": "[a-z-]*-[0-9a-f]{16}.json"|-[0-9a-f]{8}[.]json|problem .*Code:not-written .*\n`)

// fail has one call fail and looks at what is left.
func (b *breaker) fail(k int, errno syscall.Errno) {
	t := b.t
	t.Helper()
	root := b.start()
	defer os.RemoveAll(root)
	var f faultFS
	_, err := b.process(root, &f, k, errno)
	where := fmt.Sprintf("%s at call %d (%s): %v", errno, k, b.trace[k-1], err)
	if f.calls < k {
		t.Fatalf("%s: it never came so far", where)
	}
	if call := f.trace[k-1]; strings.HasPrefix(call, "sync ") && slices.Contains(f.trace[k:], call) {
		t.Errorf("%s: an fsync that failed is asked again", where)
	}
	var r *model.Refusal
	committed := err == nil || errors.As(err, &r) && r.Code == model.CodeNotDurable
	now := b.readers(root)
	if want := b.before; committed {
		same(t, where+": it is committed, and not there", b.after, now)
	} else {
		same(t, where+": it says that nothing happened", want, now)
	}
	// The same ids once more: applied, and once.
	if a, err := b.process(root, &f, 0, 0); err != nil || a.Seq != b.seq || a.Replayed != (b.before == b.after || committed) {
		t.Fatalf("%s: repeated: %+v, %v", where, a, err)
	}
	same(t, where+": repeated", b.after, b.readers(root))
	s := open(t, root, Options{})
	projectionHolds(t, s)
	must(t, s.Close())
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
