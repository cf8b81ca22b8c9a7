package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vespe/engine/proc"
	"vespe/engine/prompt"
	"vespe/engine/worker"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
)

// lookEvery is how often what a worker prints is read.
const lookEvery = 50 * time.Millisecond

// turnDir is where engine/proc keeps its files of the worker's present turn.
func (l *Loop) turnDir(r *run) string {
	return filepath.Join(l.place.run(r.Run), fmt.Sprintf("work-%d", r.Turn))
}

// work lets the worker work. A worker that an earlier process started is never started again: if it
// ended by itself its work counts, else the attempt has failed.
func (l *Loop) work(ctx context.Context, r *run) (step, error) {
	r.phase(l.now(), runlog.PhaseWork, "")
	tpl, err := l.template(r.Worker)
	if err != nil {
		return "", failed("%v", err)
	}
	parser := worker.NewParser(tpl.Format)
	parser.Dir = r.Path
	parser.Carry(&worker.Outcome{Session: r.Session, Cost: r.Cost, In: r.In, Out: r.Out})
	var exit proc.Exit
	if r.fresh || r.Turn == 0 { // what is written down before a worker is started says so
		exit, err = l.workerRuns(ctx, r, tpl, parser)
	} else {
		exit, err = l.workerRan(ctx, r, parser)
	}
	cut := errors.Is(err, errInterrupted)
	if err != nil && !cut {
		return "", err
	}
	r.fresh = true // from here on this process knows
	got := parser.Outcome()
	r.took(got)
	if err := l.afford(r); err != nil {
		return "", err
	}
	if !cut && interrupted(ctx, exit) {
		err = errSignaled
	}
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if err != nil {
		return "", err
	}
	snap, err := l.refresh(ctx)
	if err != nil {
		return "", err
	}
	t, ok := snap.Task(r.Task)
	if !ok || t.Status.CurrentRun != r.Run {
		return "", errGone
	}
	r.told.look(r, snap, l.now())
	if d := got.Deferred; d != nil {
		if err := l.askFor(ctx, r, d); err != nil {
			return "", err
		}
		return "", &waiting{after: stepWork}
	}
	if t.Status.IsPaused {
		after := stepWorked // a person holds it: what was done stays done
		if len(l.askedBy(snap, r)) > 0 || t.Status.PauseKind() == "subtasks" {
			after = stepWork
		}
		return "", &waiting{after: after}
	}
	return stepWorked, l.judge(r, exit, got)
}

// afford fails a run that cost more than a run may.
func (l *Loop) afford(r *run) error {
	if l.set.MaxCost > 0 && r.Cost > l.set.MaxCost {
		return failed("it cost $%.2f; the limit is $%.2f", r.Cost, l.set.MaxCost)
	}
	return nil
}

// judge says whether a worker ended as one does that has done its work. What it says of its work is
// never evidence, and that it ended well is none either; that it ended badly is.
func (l *Loop) judge(r *run, x proc.Exit, got worker.Outcome) error {
	if x.Why != "" {
		return failed("the worker %s%s", exitWords(x), l.lastWords(r, got))
	}
	if why := got.Failed(x.Code, x.Signal); why != "" {
		return failed("the worker failed: %s%s", why, l.lastWords(r, got))
	}
	if x.Left > 0 {
		r.note(l.now(), fmt.Sprintf("stopped %d processes that it left running", x.Left))
	}
	return nil
}

// lastWords are what a worker last said, as an appendix to how it ended.
func (l *Loop) lastWords(r *run, got worker.Outcome) string {
	stderr := proc.Tail(filepath.Join(l.turnDir(r), "err"), 4<<10)
	var out strings.Builder
	for _, s := range []string{got.Said, strings.TrimSpace(stderr)} {
		if s != "" {
			out.WriteString("\n" + runlog.Tail(s, 4<<10))
		}
	}
	return out.String()
}

// workerRuns starts the worker and waits for its end.
func (l *Loop) workerRuns(ctx context.Context, r *run, tpl worker.Template, parser *worker.Parser) (proc.Exit, error) {
	r.Turn++
	job, err := l.job(ctx, r, &tpl)
	if err != nil {
		return proc.Exit{}, err
	}
	argv, env, stdin, err := tpl.Command(job)
	if err != nil {
		return proc.Exit{}, failed("can't start the worker %s: %v", tpl.Name, err)
	}
	if err := l.place.write(&r.record); err != nil {
		return proc.Exit{}, err
	}
	dir := l.turnDir(r)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return proc.Exit{}, err
	}
	r.log(runlog.Event{At: l.now(), Kind: runlog.KindNote, Text: "started: " + argv[0]})
	out := filepath.Join(dir, "out")
	p, err := proc.Start(ctx, proc.Spec{
		Run: r.Run, Argv: argv, Dir: r.Path, Env: append(l.env(r), env...), Stdin: stdin,
		Out: out, Err: filepath.Join(dir, "err"), State: dir, Limits: l.limits(), Guard: l.opt.Guard,
	})
	if err != nil {
		return proc.Exit{}, fmt.Errorf("can't start the worker %s: %w", tpl.Name, err)
	}
	l.follow(r, p, &lines{name: out}, parser)
	return p.Exit(), nil
}

// follow reads what a worker prints until it has ended.
func (l *Loop) follow(r *run, p *proc.Process, out *lines, parser *worker.Parser) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	each := func(line []byte) {
		for _, e := range parser.Line(line, l.now()) {
			r.log(e)
		}
	}
	hard := l.hard.Done()
	for live := true; live; {
		select {
		case <-p.Done():
			live = false
		case <-hard:
			hard = nil
			p.Kill()
		case <-tick.C:
		}
		out.next(!live, each)
		r.told.look(r, l.snap(), l.now())
		if live && l.set.MaxCost > 0 && parser.Outcome().Cost > l.set.MaxCost {
			p.Stop()
		}
	}
}

// workerRan is what became of a worker that an earlier process started: whatever of it still lives is
// ended, and what it printed is read. Unless it ended by itself, it ended with that process: errInterrupted.
func (l *Loop) workerRan(ctx context.Context, r *run, parser *worker.Parser) (proc.Exit, error) {
	dir := l.turnDir(r)
	exit, found, err := proc.Reap(ctx, dir, r.Run)
	if err != nil {
		return exit, err
	}
	out := &lines{name: filepath.Join(dir, "out")}
	out.next(true, func(line []byte) { parser.Line(line, l.now()) })
	switch exit.Why {
	case proc.Orphaned, proc.Lost, proc.Stopped:
		return exit, errInterrupted
	}
	if !found || signaled(exit) {
		return exit, errInterrupted
	}
	return exit, nil
}

// took keeps what the worker has said and cost in all of its turns so far.
func (r *run) took(got worker.Outcome) {
	if got.Session != "" {
		r.Session = got.Session
	}
	r.Said = strings.TrimSpace(got.Said)
	if len(r.Said) > maxSaid {
		r.Said = strings.ToValidUTF8(r.Said[:maxSaid], "") + " …"
	}
	r.Cost, r.In, r.Out = got.Cost, got.In, got.Out
}

// maxSaid is how much of a worker's last words is kept, in bytes.
const maxSaid = 8 << 10

// env is the environment of whatever runs for a run.
func (l *Loop) env(r *run) []string {
	var out []string
	for _, kv := range l.opt.Environ {
		key, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(key, "GIT_") || strings.HasPrefix(key, "VESPE_") || key == "PWD" || key == "OLDPWD" {
			continue
		}
		out = append(out, kv)
	}
	return append(out,
		"VESPE_RUN_ID="+r.Run, "VESPE_TASK="+string(r.Task), "VESPE_ACTOR="+string(l.workerActor(r)), "VESPE_AGENT=1",
		"VESPE_STORE="+l.s.Root(), "VESPE_WORKTREE="+r.Path, "VESPE_PROMPT_FILE="+l.promptFile(r),
		"PWD="+r.Path, "GIT_TERMINAL_PROMPT=0",
	)
}

func (l *Loop) promptFile(r *run) string { return filepath.Join(l.place.run(r.Run), "prompt.md") }

// job is what the worker is to do: at first the prompt, later what a person has answered. A worker that
// cannot continue with its session begins anew in its worktree, with the answer in its prompt.
func (l *Loop) job(ctx context.Context, r *run, tpl *worker.Template) (worker.Job, error) {
	snap, err := l.refresh(ctx)
	if err != nil {
		return worker.Job{}, err
	}
	in, err := prompt.Gather(ctx, l.s, snap, r.Task, r.Run)
	if err != nil {
		return worker.Job{}, failed("can't build the prompt: %v", err)
	}
	in.Attempt, in.Vespe, in.CanResume = r.Attempt, l.opt.Vespe, tpl.CanResume()
	reply, deferred := "", false
	if r.Turn > 1 {
		reply, deferred = l.reply(snap, r)
	}
	text := prompt.Build(in)
	if err := l.s.WriteRunFile(ctx, r.Task, r.Run, "prompt.md", text); err != nil {
		return worker.Job{}, err
	}
	if err := os.WriteFile(l.promptFile(r), text, 0o600); err != nil {
		return worker.Job{}, err
	}
	if !tpl.CanResume() || r.Session == "" {
		reply, deferred = "", false
	}
	client, err := l.client(r, tpl)
	if err != nil {
		return worker.Job{}, err
	}
	return worker.Job{
		Prompt: string(text), PromptFile: l.promptFile(r), Worktree: r.Path, Session: r.Session, Run: r.Run, Task: string(r.Task),
		Store: l.s.Root(), Vespe: l.opt.Vespe, MaxCost: l.set.MaxCost, MaxTurns: l.set.MaxTurns, Reply: reply, Verify: in.Verify,
		Deferred: deferred, Client: client,
	}, nil
}

// client are the arguments by which a worker's client asks people here.
func (l *Loop) client(r *run, tpl *worker.Template) ([]string, error) {
	if l.opt.Client == nil {
		return nil, nil
	}
	args, err := l.opt.Client(tpl.Format, l.place.run(r.Run), l.env(r))
	if err != nil {
		return nil, failed("can't set up its client: %v", err)
	}
	return args, nil
}

// askedBy are the requests that a run's worker filed and was not told the answers to.
func (l *Loop) askedBy(snap *snapshot.Snapshot, r *run) (out []model.Request) {
	known := map[string]bool{}
	for _, id := range r.Asked {
		known[id] = true
	}
	for _, q := range snap.Requests() {
		if q.TaskUID == r.Task && !known[q.ID] && q.CreatedBy.Kind() != model.System && !q.CreatedAt.Before(r.Started.Truncate(time.Second)) {
			out = append(out, q)
		}
	}
	return out
}

// reply says what became of what the worker waited for, and takes it as said. What became of a call that a hook put
// off is not said: deferred says that there is one, which the client makes again by itself, and the hook answers then.
func (l *Loop) reply(snap *snapshot.Snapshot, r *run) (text string, deferred bool) {
	var b strings.Builder
	for _, q := range l.askedBy(snap, r) {
		if q.IsOpen() {
			continue
		}
		r.Asked = append(r.Asked, q.ID)
		if r.Deferred != "" && (q.Key == r.Deferred || strings.HasPrefix(q.Key, r.Deferred+".")) {
			deferred = true
			continue
		}
		fmt.Fprintf(&b, "Your question %q (%s): %s\n", q.Title, q.ID, decided(&q))
	}
	for _, uid := range snap.ChildUIDs(r.Task) {
		if t, ok := snap.Task(uid); ok {
			fmt.Fprintf(&b, "Subtask %q (%s) is %s.\n", t.Config.Name, uid, strings.ReplaceAll(string(t.Status.CurrentState), "_", " "))
		}
	}
	if b.Len() == 0 && !deferred {
		b.WriteString("The task was resumed. Continue.\n")
	}
	r.Deferred = ""
	return b.String(), deferred
}

// askFor files a request for a call that the worker's client put off until a person has decided. Where a hook of vespe
// put it off, that has filed one.
func (l *Loop) askFor(ctx context.Context, r *run, d *worker.Deferred) error {
	key := model.DeferredKey(r.Run, d.ID)
	if q, ok := l.snap().Keyed(r.Task, key); ok && q.State != model.RequestSuperseded {
		r.Deferred = key
		return nil
	}
	id := model.HashBytes([]byte(d.ID))[len("sha256-"):][:16] // the worker's client made it, who knows of what
	ask := model.NewRequest{
		Kind: model.KindAction, Title: "allow " + d.Tool, Detail: "The worker wants to use " + d.Tool + ".", Args: []byte(d.Input),
		Key: key,
	}
	op := model.Op{ID: r.Run + ".deferred." + id, Name: model.Ask, UID: r.Task, Actor: l.workerActor(r), Args: ask}
	_, err := l.do(ctx, op)
	var no *model.Refusal
	if errors.As(err, &no) && no.Code == model.CodeInvalid { // a whole file that is to be written, for one
		ask.Args = nil
		ask.Detail += "The input of the call is left out: it can't be stored here (" + no.Why + "). It begins:\n\n" + valid(d.Input, maxDetails)
		op.Args = ask
		_, err = l.do(ctx, op)
	}
	return err
}

// decided says what a person decided on a request.
func decided(q *model.Request) string {
	if q.Answer == nil {
		return q.State
	}
	out := q.State
	if q.Answer.Choice != "" {
		out += ", " + q.Answer.Choice
	}
	if len(q.Answer.Args) > 0 {
		out += ", with " + string(q.Answer.Args)
	}
	if text := strings.TrimSpace(q.Answer.Text); text != "" {
		out += ": " + text
	}
	return out
}

// template is a worker by its name: a run that an earlier loop began keeps its worker.
func (l *Loop) template(name string) (worker.Template, error) {
	if name == l.set.Worker.Name {
		return l.set.Worker, nil
	}
	if l.opt.Template == nil {
		return worker.Template{}, fmt.Errorf("worker %q no longer exists", name)
	}
	return l.opt.Template(name)
}

// grace is the time between asking a program to end and ending it.
const grace = 10 * time.Second

// limits are those of a worker.
func (l *Loop) limits() proc.Limits {
	return proc.Limits{Wall: l.set.Wall, Silence: l.set.Silence, Output: l.set.Output, Grace: l.grace()}
}

// commandLimits are those of what a project runs for itself: set-up and checks.
func (l *Loop) commandLimits() proc.Limits {
	return proc.Limits{Wall: l.set.Wall, Output: l.set.Output, Grace: l.grace()}
}

func (l *Loop) grace() time.Duration {
	if l.opt.Grace > 0 {
		return l.opt.Grace
	}
	return grace
}
