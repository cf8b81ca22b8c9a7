package store

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"vespe/model"
)

// linearRun is processes that work on one store, and the history of what they were told and
// what they answered.
type linearRun struct {
	t      *testing.T
	root   string
	mode   string
	kill   bool
	groups int
	start  time.Time

	mu      sync.Mutex
	history []porcupine.Operation
	seen    map[string]int // how often what happened

	acked atomic.Uint64 // the last entry that somebody was told of
}

// newLinearRun makes the groups.
func newLinearRun(t *testing.T, mode string, kill bool, groups int) (*linearRun, linGroup) {
	t.Helper()
	s := initIn(t, fastDir(t), testOptions())
	for g := range groups {
		for i := range groupSize {
			uid := linUID(g, i)
			do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{
				UID: uid, Name: string(uid), Objective: "x\n", Spec: &model.Spec{Labels: []string{"first"}, MaxAttempts: 1000},
			}})
			if i < groupC {
				do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "y\n"}}, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
			}
		}
	}
	first := mustGet(groupOf(load(t, s), 0))(t)
	must(t, s.Close())
	return &linearRun{t: t, root: s.Root(), mode: mode, kill: kill, groups: groups, start: time.Now(), seen: map[string]int{}}, first
}

// linWorker is one process.
type linWorker struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	errs   strings.Builder
	killed atomic.Bool
}

func (r *linearRun) startWorker() *linWorker {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	w := &linWorker{cmd: exec.Command(exe)}
	w.cmd.Env = append(os.Environ(), linearEnv+"="+r.mode+"|"+r.root)
	w.cmd.Stderr = &w.errs
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		panic(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	w.out = bufio.NewScanner(out)
	w.out.Buffer(nil, 1<<24) // what is wrong with a broken store may be long
	if err := w.cmd.Start(); err != nil {
		panic(err)
	}
	return w
}

// ask is one operation; false when the process ended before it answered.
func (w *linWorker) ask(op linOp) (a linAnswer, answered bool) {
	if err := json.NewEncoder(w.in).Encode(op); err != nil || !w.out.Scan() {
		return a, false
	}
	return a, json.Unmarshal(w.out.Bytes(), &a) == nil
}

func (w *linWorker) kill() {
	w.killed.Store(true)
	_ = w.cmd.Process.Kill()
}

// end waits until a process is gone; whatever it was doing is done or never will be.
func (w *linWorker) end() error {
	_ = w.in.Close()
	err := w.cmd.Wait()
	if err != nil && (!w.killed.Load() || w.errs.Len() > 0) {
		return fmt.Errorf("%w\n%s", err, &w.errs)
	}
	return nil
}

func (r *linearRun) now() int64 { return time.Since(r.start).Nanoseconds() }

func (r *linearRun) record(op linOp, called int64, a linAnswer, client int) {
	returned := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.history = append(r.history, porcupine.Operation{ClientId: client, Input: op, Call: called, Output: a, Return: returned})
	what := op.Kind
	switch {
	case a.Unknown:
		what = "unknown"
	case a.Busy:
		what = "busy"
	case a.Guard != "":
		what = string(a.Guard)
	case a.Replayed:
		what = "replayed"
	}
	r.seen[what]++
}

// work is what one client does: it chooses operations, and sees to the process that carries
// them out.
func (r *linearRun) work(client, n int) {
	rng := rand.New(rand.NewPCG(uint64(client), 1))
	known := make([]linGroup, r.groups)
	w := r.startWorker()
	usual := 5 * time.Millisecond // that an operation takes
	for i := range n {
		op := r.choose(rng, known, fmt.Sprintf("c%d-%d", client, i))
		called := r.now()
		var timer *time.Timer
		if r.kill && op.Kind != linRead && rng.IntN(3) == 0 {
			// At any moment, most of which are spent waiting for others; or between two calls.
			if victim := w; rng.IntN(3) == 0 {
				timer = time.AfterFunc(time.Duration(rng.Int64N(int64(usual))), victim.kill)
			} else {
				w.killed.Store(true)
				op.Die = 1 + rng.IntN(24)
			}
		}
		a, answered := w.ask(op)
		if timer != nil && !timer.Stop() || !answered {
			if err := w.end(); err != nil {
				r.t.Errorf("client %d: %v", client, err)
				return
			}
			w = r.startWorker()
		}
		op.Die = 0
		switch {
		case answered:
			usual = (7*usual + time.Duration(r.now()-called)) / 8
		case rng.IntN(2) == 0: // the same once more, with the same ids: applied once
			if a, answered = w.ask(op); !answered {
				r.t.Errorf("client %d: %v", client, w.end())
				return
			}
		default:
			a.Unknown = true
		}
		r.judge(op, &a)
		if op.Kind == linRead && a.Unknown {
			continue // nothing can be said about it
		}
		r.record(op, called, a, client)
		known[op.Group].learn(op, a)
	}
	if err := w.end(); err != nil {
		r.t.Errorf("client %d: %v", client, err)
	}
}

// judge looks at what no model has to be asked about. In a store that is broken on purpose
// anything may go wrong, and whatever did may have happened all the same.
func (r *linearRun) judge(op linOp, a *linAnswer) {
	if r.mode == linBroken {
		a.Unknown = a.Unknown || a.Error != ""
		return
	}
	if a.Error != "" {
		r.t.Errorf("%+v: %s", op, a.Error)
	}
	if len(a.Warnings) > 0 && r.mode == linLocked {
		r.t.Errorf("%+v: %q", op, a.Warnings)
	}
	for was := r.acked.Load(); was < a.Seq && !r.acked.CompareAndSwap(was, a.Seq); was = r.acked.Load() {
	}
}

func (r *linearRun) choose(rng *rand.Rand, known []linGroup, id string) linOp {
	op := linOp{ID: id, Value: id, Group: rng.IntN(r.groups), Which: rng.IntN(2), How: rng.IntN(4)}
	op.Expect = known[op.Group].Revision[op.Which]
	kinds := []string{linRead, linRead, linRead, linSet, linSet, linAdd, linBoth, linClaim, linClaim, linRelease}
	op.Kind = kinds[rng.IntN(len(kinds))]
	if rng.IntN(30) == 0 {
		op.Kind = linAsk
	}
	if op.Expect == 0 && (op.Kind == linSet || op.Kind == linRelease) {
		op.Kind = linRead // nothing is known yet
	}
	return op
}

// learn keeps what a client knows of revisions.
func (g *linGroup) learn(op linOp, a linAnswer) {
	if op.Kind == linRead {
		*g = a.Group
	}
	for i, n := range a.Revision {
		g.Revision[i] = max(g.Revision[i], n)
	}
}

// run lets clients work while pollers read, and gives what porcupine says to it.
func (r *linearRun) run(first linGroup, clients, each int) porcupine.CheckResult {
	r.t.Helper()
	var working, reading sync.WaitGroup
	done := make(chan struct{})
	p := newPollers(r, done)
	if r.mode != linBroken {
		p.start(&reading)
	}
	for c := range clients {
		working.Go(func() { r.work(c, each) })
	}
	if r.mode == linLocked {
		p.readUnderLock()
	}
	working.Wait()
	close(done)
	reading.Wait()
	if r.mode != linBroken {
		r.converged()
	}
	began := time.Now()
	result, info := porcupine.CheckOperationsVerbose(linModel(first, r.groups), r.history, 2*time.Minute)
	r.t.Logf("%d operations, %v, %d polls; checked in %v: %s", len(r.history), r.seen, p.total(), time.Since(began).Round(time.Millisecond), result)
	if result == porcupine.Illegal && r.mode != linBroken {
		r.t.Log(whereItBreaks(r.history, info))
	}
	return result
}

// whereItBreaks tells, for each group that cannot be explained, the end of the longest order that
// can be, and what was next to be called.
func whereItBreaks(history []porcupine.Operation, info porcupine.LinearizationInfo) string {
	var b strings.Builder
	for _, part := range info.PartialLinearizationsOperations() {
		var longest []porcupine.Operation
		for _, p := range part {
			if len(p) > len(longest) {
				longest = p
			}
		}
		if len(longest) == 0 {
			continue
		}
		group, in := longest[0].Input.(linOp).Group, map[string]bool{}
		for _, o := range longest {
			in[o.Input.(linOp).ID] = true
		}
		var rest []porcupine.Operation
		for _, o := range history {
			if op := o.Input.(linOp); op.Group == group && !in[op.ID] {
				rest = append(rest, o)
			}
		}
		if len(rest) == 0 {
			continue
		}
		slices.SortFunc(rest, func(x, y porcupine.Operation) int { return cmp.Compare(x.Call, y.Call) })
		fmt.Fprintf(&b, "group %d: an order of %d operations, which ends with\n", group, len(longest))
		for _, o := range longest[max(len(longest)-6, 0):] {
			fmt.Fprintf(&b, "  [%d, %d] %+v\n    %+v\n", o.Call, o.Return, o.Input, o.Output)
		}
		fmt.Fprintf(&b, "has no place for %d others, of which the first are\n", len(rest))
		for _, o := range rest[:min(len(rest), 6)] {
			fmt.Fprintf(&b, "  [%d, %d] %+v\n    %+v\n", o.Call, o.Return, o.Input, o.Output)
		}
	}
	return b.String()
}

// converged looks at the store when all is over. The next transaction on a task puts right what
// a writer without a lock left of it; then the files are what the log says.
func (r *linearRun) converged() {
	r.t.Helper()
	s := open(r.t, r.root, Options{})
	for g := range r.groups {
		for _, kind := range []string{linBoth, linAsk, linRead} {
			op := linOp{ID: fmt.Sprintf("last-%d-%s", g, kind), Kind: kind, Group: g, How: 1}
			op.Value = op.ID
			called := r.now()
			a := linDo(s, r.root, Options{}, op)
			if a.Error != "" {
				r.t.Errorf("%+v: %s", op, a.Error)
			}
			r.record(op, called, a, -1)
		}
	}
	projectionHolds(r.t, s)
	ps := mustGet(s.Fsck().Doctor(context.Background()))(r.t)
	for _, p := range ps {
		if p.Code != "leftover" { // of those who were killed, or came too late
			r.t.Errorf("doctor: %+v", p)
		}
	}
}

// linearModes are the conditions under which a history has to be linearizable.
var linearModes = []struct {
	name, mode string
	kill       bool
}{
	{"with the lock", linLocked, false},
	{"without the lock", linFree, false},
	{"killed", linLocked, true},
	{"killed, without the lock", linFree, true},
}

func testLinearizable(t *testing.T, clients, each, groups int) {
	for _, m := range linearModes {
		t.Run(m.name, func(t *testing.T) {
			// A history in which nobody was in another's way says nothing. One may leave something out by chance.
			want := []string{linRead, linSet, linAdd, linBoth, linClaim, linRelease, string(model.GuardRevision), string(model.GuardNoRun)}
			if m.kill {
				want = append(want, "unknown", "replayed")
			}
			for range 20 {
				r, first := newLinearRun(t, m.mode, m.kill, groups)
				if got := r.run(first, clients, each); got != porcupine.Ok {
					t.Fatalf("the history is %s", got)
				}
				want = slices.DeleteFunc(want, func(what string) bool { return r.seen[what] > 0 })
				if len(want) == 0 {
					return
				}
			}
			t.Errorf("never happened: %q", want)
		})
	}
}

// testLinearizableIsNoticed gives numbers of the log twice: a check that finds nothing then
// would find nothing ever.
func testLinearizableIsNoticed(t *testing.T, clients, each, groups int) {
	r, first := newLinearRun(t, linBroken, false, groups)
	wantEqual(t, "the history of a store that loses updates", r.run(first, clients, each), porcupine.Illegal)
}

// TestLinearizable: whatever processes do at once to tasks, alone and several together, looks
// as if it had been done one by one, each between its call and its answer. That holds with the
// lock, without it, and when processes are killed at random: what they were about has happened
// as a whole before they were gone, or never does, and repeating it does it once.
func TestLinearizable(t *testing.T) {
	testLinearizable(t, 3, 20, 2)
}

func TestLinearizableIsNoticed(t *testing.T) {
	testLinearizableIsNoticed(t, 4, 30, 2)
}
