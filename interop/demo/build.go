package demo

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

//go:embed texts
var texts embed.FS

// The people and agents of the story.
const (
	ann    model.Actor = "human:ann"
	raj    model.Actor = "human:raj"
	claude model.Actor = "agent:claude"
	codex  model.Actor = "agent:codex"
	legacy model.Actor = "system:import"
)

// Name is what the story's project calls itself.
const Name = "ledgerline"

// story collects the operations of the demo in the order in which they happened.
type story struct {
	first time.Time // midnight of the first day
	now   time.Time // the moment of the story
	ops   []model.Op
	ends  []int // in ops, where each sitting ends but the last
	uids  map[string]model.UID
	// trials are the attempts, in the order in which they began.
	trials []*trial
	err    error
}

// Store is what a story is written into: a store that was never written to.
type Store interface {
	Load(ctx context.Context, progress func(done, total int)) (*snapshot.Snapshot, error)
	Refresh(ctx context.Context) (*snapshot.Snapshot, error)
	DoAll(ctx context.Context, ops []model.Op) (snapshot.Applied, error)
	WriteRunFile(ctx context.Context, uid model.UID, run, name string, body []byte) error
}

// Build writes the demo into an empty store; the story ends shortly before now. progress is told how many of its
// operations are written.
func Build(ctx context.Context, s Store, now time.Time, progress func(done, total int)) error {
	return tell(now).write(ctx, s, progress)
}

// write fires what happened in a story.
func (st *story) write(ctx context.Context, s Store, progress func(done, total int)) error {
	if st.err != nil {
		return st.err
	}
	if _, err := s.Load(ctx, nil); err != nil {
		return err
	}
	from := 0
	for _, to := range append(st.ends, len(st.ops)) {
		if from == to {
			continue
		}
		if _, err := s.DoAll(ctx, st.ops[from:to]); err != nil {
			return fmt.Errorf("what happened from %s on: %w", st.ops[from].At.Format(time.DateTime), err)
		}
		from = to
		progress(to, len(st.ops))
	}
	return st.keepRuns(ctx, s)
}

// at moves the story to a day (0 is the first) and a clock time. The story never goes
// back.
func (s *story) at(day int, clock string) {
	t, err := time.Parse("15:04", clock)
	if err != nil {
		s.fail("clock %q: %v", clock, err)
		return
	}
	next := s.first.AddDate(0, 0, day).Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
	if next.Before(s.now) {
		s.fail("day %d %s lies before %s", day, clock, s.now)
	}
	s.now = next
	s.ends = append(s.ends, len(s.ops))
}

// tick is the few minutes between one thing and the next.
func (s *story) tick() { s.now = s.now.Add(3*time.Minute + 17*time.Second) }

func (s *story) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("demo: "+format, args...)
	}
}

// uid makes a task's uid from its time and its key, so that a story is told the same way
// each time.
func (s *story) uid(key string) model.UID {
	if uid, ok := s.uids[key]; ok {
		return uid
	}
	s.fail("no task %q", key)
	return ""
}

func (s *story) name(key string) model.UID {
	if _, ok := s.uids[key]; ok {
		s.fail("two tasks %q", key)
	}
	sum := sha256.Sum256([]byte("vespe demo\x00" + key))
	b := sum[:16]
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(s.now.UnixMilli()))
	copy(b[:6], ms[2:])
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	uid := model.UID("tsk-" + hex.EncodeToString(b))
	s.uids[key] = uid
	return uid
}

// task is what a new task of the story may have.
type task struct {
	parent    string
	after     []string // dependencies
	priority  model.Priority
	goal      string
	labels    []string
	criteria  []string
	creates   []string
	modifies  []string
	risk      string
	milestone string
	verify    [][]string // argv lists
}

// create makes a task. The objective is the text itself, or the file texts/KEY.objective.md.
func (s *story) create(by model.Actor, key, name, objective string, t task) {
	s.tick()
	n := &model.NewTask{Name: name, Objective: s.text(key, "objective", objective), Spec: &model.Spec{
		GoalType: t.goal, Priority: t.priority, Labels: t.labels, Risk: t.risk,
		FilesToCreate: t.creates, FilesToModify: t.modifies, MilestoneID: t.milestone, Verify: t.verify,
	}}
	for _, c := range t.criteria {
		n.Spec.AcceptanceCriteria = append(n.Spec.AcceptanceCriteria, model.Criterion{Text: c, State: "open"})
	}
	if t.parent != "" {
		n.Parent = s.uid(t.parent)
	}
	for _, d := range t.after {
		n.DependsOn = append(n.DependsOn, s.uid(d))
	}
	n.UID = s.name(key)
	s.ops = append(s.ops, model.Op{Name: model.CreateTask, UID: n.UID, Actor: by, At: s.now, Args: *n})
}

// none is the objective of a task that has none yet.
const none = "-"

// text is a body as given, or the file texts/KEY.KIND.md when it is empty.
func (s *story) text(key, kind, body string) string {
	if body == none {
		return ""
	}
	if body != "" {
		return strings.TrimSpace(body) + "\n"
	}
	b, err := texts.ReadFile("texts/" + key + "." + kind + ".md")
	if err != nil {
		s.fail("%v", err)
	}
	return string(b)
}

// do fires one transition.
func (s *story) do(by model.Actor, name model.Name, key string, change func(*model.Op)) {
	s.tick()
	op := model.Op{Name: name, UID: s.uid(key), Actor: by, At: s.now}
	if change != nil {
		change(&op)
	}
	s.ops = append(s.ops, op)
}

func (s *story) plan(by model.Actor, key, body string) {
	s.do(by, model.DefinePlan, key, func(op *model.Op) { op.Args = model.NewPlan{Text: s.text(key, "plan", body)} })
}

func (s *story) accept(by model.Actor, keys ...string) {
	for _, key := range keys {
		s.do(by, model.AcceptPlan, key, nil)
	}
}

func (s *story) reject(by model.Actor, key, reason string) {
	s.do(by, model.RejectPlan, key, func(op *model.Op) { op.Reason = reason })
}

// remark is a comment of the story: on the line of the plan that has some words.
type remark struct {
	kind     model.CommentKind
	blocking bool
	line     string
	says     string
}

// comment rejects the plan that was written last for a task, with comments on its lines. What
// comes of them is told by revise.
func (s *story) comment(by model.Actor, key, reason string, remarks ...remark) {
	s.do(by, model.RejectPlan, key, func(op *model.Op) {
		var comments []model.NewComment
		op.ID, op.Reason = "demo-comments-"+key, reason
		lines := strings.Split(s.planned(op.UID), "\n")
		for _, r := range remarks {
			n := 1 + slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, r.line) })
			if n == 0 {
				s.fail("the plan of %q has no line %q", key, r.line)
				continue
			}
			comments = append(comments, model.NewComment{Kind: r.kind, Blocking: r.blocking, Place: model.PlaceAt([]byte(s.planned(op.UID)), n, n), Text: r.says})
		}
		op.Args = model.Feedback{Comments: comments}
	})
}

// planned is the last plan of a task.
func (s *story) planned(uid model.UID) string {
	for _, op := range slices.Backward(s.ops) {
		if op.UID == uid && op.Name == model.DefinePlan {
			return model.ArgsOf[model.NewPlan](&op).Text
		}
	}
	return ""
}

// reply is what became of a remark.
type reply struct {
	how  model.CommentState
	says string
}

// revise is a plan that answers the remarks of the last one, in their order.
func (s *story) revise(by model.Actor, key, body string, replies ...reply) {
	s.do(by, model.DefinePlan, key, func(op *model.Op) {
		plan := model.NewPlan{Text: s.text(key, "plan", body)}
		for i, r := range replies {
			plan.Answers = append(plan.Answers, model.CommentAnswer{Comment: new(model.ReviewFile).NewID("demo-comments-"+key, i), Resolution: r.how, Text: r.says})
		}
		op.Args = plan
	})
}

func (s *story) ask(by model.Actor, key string, q model.NewRequest) {
	s.do(by, model.Ask, key, func(op *model.Op) { op.Args = q })
}

func (s *story) milestone(id, name, what string) {
	s.tick()
	s.ops = append(s.ops, model.Op{Name: model.CreateMilestone, Actor: ann, At: s.now, Args: model.MilestoneEdit{
		ID: id, Name: &name, Description: &what,
	}})
}

// start begins an attempt.
func (s *story) start(by model.Actor, key string) {
	s.do(by, model.Start, key, func(op *model.Op) { op.Args = model.NewRun{ID: s.begin(key)} })
}

// over is what is known of the attempt at a task that ends now; nil for nothing.
func (s *story) over(key string) *model.RunReport {
	t := s.trial(key)
	if t == nil || t.end == nil {
		return nil
	}
	if s.now.Before(t.at) {
		s.fail("%s ends at %s, and its log at %s", t.run, s.now, t.at)
	}
	t.end.Attempt = t.attempt
	return t.end
}

func (s *story) complete(by model.Actor, key, summary string) {
	s.do(by, model.WorkCompleted, key, func(op *model.Op) {
		op.Args = model.Completion{Summary: s.text(key, "result", summary), Report: s.over(key)}
	})
}

func (s *story) approve(by model.Actor, keys ...string) {
	for _, key := range keys {
		s.do(by, model.ReviewAccepted, key, nil)
	}
}

// finish takes a task from its objective to done: a plan, a nod, a run, a result, a nod.
func (s *story) finish(agent, person model.Actor, key, plan, summary string) {
	s.plan(agent, key, plan)
	s.accept(person, key)
	s.start(agent, key)
	s.now = s.now.Add(38 * time.Minute)
	s.complete(agent, key, summary)
	s.approve(person, key)
}

func (s *story) stumble(by model.Actor, key, details string) {
	s.do(by, model.RaiseError, key, func(op *model.Op) { op.Args = model.ErrorReport{Details: details, Report: s.over(key)} })
}

func (s *story) because(by model.Actor, name model.Name, key, reason string) {
	s.do(by, name, key, func(op *model.Op) { op.Reason = reason })
}

// bring imports a task as another tool left it.
func (s *story) bring(key, name, objective string, parent string, after []model.UID) {
	t := &model.Task{
		UID: s.uid(key), DependsOn: after, HasStatus: true, HasObjective: true,
		Config: model.Config{UID: s.uid(key), Name: name, CreatedBy: legacy, CreatedAt: s.now, ParentUID: s.uid(parent)},
		Status: model.StatusFile{CurrentState: model.ObjectiveDefined, LastUpdatedAt: s.now, ObjectiveRevision: 1, Revision: 1},
		Spec:   &model.Spec{GoalType: "feature", Source: "tickets.csv"},
	}
	s.ops = append(s.ops, model.Op{Name: model.ImportTask, UID: t.UID, Actor: legacy, At: s.now, Args: model.Imported{
		Task: t, Objective: strings.TrimSpace(objective) + "\n",
		Events: []model.Event{{Name: model.CreateTask, UID: t.UID, At: s.now, Actor: legacy, To: model.ObjectiveDefined, Summary: "from tickets.csv"}},
	}})
}
