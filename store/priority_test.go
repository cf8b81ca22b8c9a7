package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/model/snapshot"
	"vespe/store/follow"
	"vespe/store/layout"
	"vespe/store/parallel"
	"vespe/store/score"
)

func writeRules(t testing.TB, s *Store, body string) {
	t.Helper()
	path := vespe(s, "rules/priority.yml")
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	write(t, path, body)
}

const invoices = "patterns:\n  - {regex: invoice, priority: medium}\n  - {regex: fraud, priority: critical}\ndefault: low\n"

// ruled is "PRIORITY by RULE" of a task.
func ruled(t testing.TB, snap *snapshot.Snapshot, uid model.UID) string {
	t.Helper()
	sp := task(t, snap, uid).Spec
	if sp == nil {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%s by %s", sp.Priority, sp.RuledPriority()))
}

func TestRulesSetThePriorityOfWhatIsMadeAndChanged(t *testing.T) {
	s := newStore(t)
	writeRules(t, s, invoices)
	a := do(t, s, model.Op{ID: "op", Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "one", Objective: "Pay the INVOICE\n"}})
	uid := a.Change.Tasks[0].UID
	wantEqual(t, "made with", ruled(t, a.Snapshot, uid), "medium by patterns[1] invoice")
	if a.Change.Summary != `Created "one"` {
		t.Errorf("%q", a.Change.Summary)
	}
	a = do(t, s, model.Op{Name: model.DefineObjective, UID: uid, Actor: robot, Args: model.NewObjective{Text: "Look into the fraud\n"}})
	wantEqual(t, "with another objective", ruled(t, a.Snapshot, uid), "critical by patterns[2] fraud")
	// A person's own priority wins, and goes back to the rules when it is taken away.
	set := func(value string) string {
		a := do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "priority", Value: value}}}})
		return ruled(t, a.Snapshot, uid)
	}
	wantEqual(t, "given", set("low"), "low by")
	do(t, s, model.Op{Name: model.DefineObjective, UID: uid, Actor: robot, Args: model.NewObjective{Text: "invoice\n"}})
	wantEqual(t, "given, and then", ruled(t, load(t, open(t, s.Root(), testOptions())), uid), "low by")
	wantEqual(t, "taken away", set(""), "medium by patterns[1] invoice")
	// As by hand: another priority than the rule's was given by somebody.
	path := vespe(s, layout.TaskFile(uid, layout.SpecFile))
	write(t, path, strings.Replace(read(t, path), `"priority": "medium"`, `"priority": "high"`, 1))
	snap := load(t, s)
	if sp := task(t, snap, uid).Spec; !sp.GivenPriority() || sp.Priority != model.High {
		t.Errorf("by hand: %+v", sp)
	}
	do(t, s, model.Op{Name: model.DefineObjective, UID: uid, Actor: robot, Args: model.NewObjective{Text: "fraud\n"}})
	events := eventsOf(t, s, uid)
	var by []string
	for _, e := range events {
		if e.Name == model.Prioritize {
			by = append(by, fmt.Sprintf("%s: %s", e.Actor, e.Summary))
		}
	}
	if len(by) != 3 || by[0] != `system:rules: Set the priority of "one" to medium. The rule is patterns[1] invoice.` {
		t.Errorf("%q", by)
	}
	if again := do(t, s, model.Op{ID: "op", Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "one", Objective: "Pay the INVOICE\n"}}); !again.Replayed {
		t.Error("it was made twice")
	}
	if ps, err := s.Fsck().Doctor(t.Context()); err != nil || len(ps) > 0 {
		t.Errorf("doctor: %v %v", ps, err)
	}
}

func TestPrioritizeHoldsAllTasksAgainstTheRules(t *testing.T) {
	s := newStore(t)
	one, two, done := create(t, s, "one", "an invoice\n"), create(t, s, "two", "fraud\n"), create(t, s, "three", "fraud\n")
	do(t, s, model.Op{Name: model.SetFields, UID: two, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "priority", Value: "low"}}}})
	do(t, s, model.Op{Name: model.Abort, UID: done, Actor: ann, Reason: "no"})
	writeRules(t, s, invoices)
	dry, err := s.Prioritize(t.Context(), PrioritizeOptions{DryRun: true})
	if err != nil || len(dry.Tasks) != 2 || dry.Applied.Seq != 0 {
		t.Fatalf("%+v %v", dry, err)
	}
	p, err := s.Prioritize(t.Context(), PrioritizeOptions{})
	if err != nil || p.Applied.Seq == 0 {
		t.Fatalf("%+v %v", p, err)
	}
	if a, b := ruled(t, p.Applied.Snapshot, one), ruled(t, p.Applied.Snapshot, two); a != "medium by patterns[1] invoice" || b != "low by" {
		t.Errorf("%q %q", a, b)
	}
	if again, err := s.Prioritize(t.Context(), PrioritizeOptions{}); err != nil || again.Applied.Seq != 0 {
		t.Errorf("again: %+v %v", again.Applied, err)
	}
	// Rules that cannot be read set nothing, are a problem with its line, and hold nothing else up.
	writeRules(t, s, "patterns:\n  - {regex: '(', priority: high}\n")
	_, err = s.Prioritize(t.Context(), PrioritizeOptions{})
	var r *model.Refusal
	if !errors.As(err, &r) || !strings.Contains(r.Why, ".vespe/rules/priority.yml:2: patterns[1]") {
		t.Errorf("%v", err)
	}
	wantEqual(t, "meanwhile", ruled(t, do(t, s, model.Op{Name: model.DefineObjective, UID: one, Actor: ann, Args: model.NewObjective{Text: "fraud\n"}}).Snapshot, one), "medium by patterns[1] invoice")
	for _, cold := range []bool{false, true} {
		if checkpointed(t, s); cold {
			removeCheckpoints(t, s)
		}
		if p, ok := findProblem(load(t, open(t, s.Root(), testOptions())).Problems(), "bad-rule", "rules/priority.yml"); !ok || p.Line != 2 {
			t.Errorf("the problem is %+v", p)
		}
	}
	if ps, err := s.Fsck().Doctor(t.Context()); err != nil || len(ps) != 1 {
		t.Errorf("doctor: %v %v", ps, err)
	}
	// Without rules nothing is set by one.
	must(t, os.Remove(vespe(s, "rules/priority.yml")))
	if p, err = s.Prioritize(t.Context(), PrioritizeOptions{}); err != nil || ruled(t, p.Applied.Snapshot, one) != "by" {
		t.Errorf("%+v %v", p, err)
	}
}

func TestOtherRulesAreAppliedByWhoeverFollows(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	uid := create(t, s, "one", "an invoice\n")
	r := following(t, s, follow.Options{})
	writeRules(t, s, invoices)
	until(t, r, "priority by the rules", func(snap *snapshot.Snapshot, _ model.Update) bool {
		return ruled(t, snap, uid) == "medium by patterns[1] invoice"
	})
	writeRules(t, s, "default: high\n")
	until(t, r, "priority by other rules", func(snap *snapshot.Snapshot, _ model.Update) bool { return ruled(t, snap, uid) == "high by default" })
	writeRules(t, s, "default: [\n")
	until(t, r, "problem", func(snap *snapshot.Snapshot, _ model.Update) bool {
		_, ok := findProblem(snap.Problems(), "bad-yaml", "rules/priority.yml")
		return ok
	})
}

// fakeScorer says how urgent what it is told is.
type fakeScorer struct {
	key   string
	asked *atomic.Int32
}

func (f fakeScorer) Key() string { return f.key }

func (f fakeScorer) Score(_ context.Context, b []byte) (float64, error) {
	f.asked.Add(1)
	switch text := string(b); {
	case strings.Contains(text, "urgent"):
		return .93, nil
	case strings.Contains(text, "mad"):
		return 7, nil
	case strings.Contains(text, "silent"):
		return 0, errors.New("it says nothing")
	}
	return .1, nil
}

func TestScoresAreKeptByContent(t *testing.T) {
	var asked atomic.Int32
	var own []string
	opt := testOptions()
	opt.Trusted = true
	opt.Scorer = func(given []string, _ string) score.Scorer {
		if own = given; len(given) == 0 {
			return nil
		}
		return fakeScorer{"a", &asked}
	}
	s := open(t, newStore(t).Root(), opt)
	urgent, mad, silent := create(t, s, "one", "urgent invoice\n"), create(t, s, "two", "mad\n"), create(t, s, "three", "silent\n")
	writeRules(t, s, invoices+"score_command: [score, --fast]\n")
	p, err := s.Prioritize(t.Context(), PrioritizeOptions{Scores: true})
	if err != nil || asked.Load() != 3 || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "1 of 3 tasks got no score: it says nothing") {
		t.Fatalf("%d asked, %+v %v", asked.Load(), p.Warnings, err)
	}
	if strings.Join(own, " ") != "score --fast" {
		t.Errorf("the command is %q", own)
	}
	for uid, want := range map[model.UID]string{urgent: "critical by score 0.93", mad: "low by default", silent: "low by default"} {
		if got := ruled(t, p.Applied.Snapshot, uid); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, err = s.Prioritize(t.Context(), PrioritizeOptions{Scores: true}); err != nil || asked.Load() != 5 {
		t.Errorf("%d asked: what is known is asked again", asked.Load())
	}
	// What is known counts without anybody being asked, and no longer once it says something else.
	a := do(t, s, model.Op{Name: model.SetFields, UID: urgent, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "x"}}}})
	if got := ruled(t, a.Snapshot, urgent); got != "medium by patterns[1] invoice" || asked.Load() != 5 {
		t.Errorf("%q, %d asked", got, asked.Load())
	}
	a = do(t, s, model.Op{Name: model.SetFields, UID: urgent, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: ""}}}})
	if got := ruled(t, a.Snapshot, urgent); got != "critical by score 0.93" {
		t.Errorf("%q", got)
	}
	// Until it is trusted, nothing in a store names what is run.
	opt.Trusted = false
	unknown := open(t, s.Root(), opt)
	load(t, unknown)
	p, err = unknown.Prioritize(t.Context(), PrioritizeOptions{DryRun: true})
	if err != nil || len(own) != 0 || len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "vespe store trust") {
		t.Errorf("%q %v %v", own, p.Warnings, err)
	}
	// Anyone who trusts it trusts a command that he saw, and none that came since.
	seen := "score --slow"
	opt.Trust = func(string, string) bool { return true }
	opt.TrustCommand = func(_, _ string, argv []string) bool { return strings.Join(argv, " ") == seen }
	owner := open(t, s.Root(), opt)
	load(t, owner)
	for _, seen = range []string{"score --slow", "score --fast"} {
		p, err = owner.Prioritize(t.Context(), PrioritizeOptions{DryRun: true})
		if ran, warned := len(own) > 0, len(p.Warnings) > 0; err != nil || ran == warned || ran != (seen == "score --fast") {
			t.Errorf("seen %q: run %q, %v %v", seen, own, p.Warnings, err)
		}
	}
}

// All tasks of a store held against its rules where nothing would change, for each task; beside it
// what reading their objectives alone costs.
func BenchmarkPrioritize(b *testing.B) {
	s := newStore(b)
	const n = 2000
	var ops []model.Op
	for i := range n {
		ops = append(ops, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: fmt.Sprint(i), Objective: strings.Repeat("read the settings from one file\n", 20)}})
	}
	do(b, s, ops...)
	writeRules(b, s, invoices+"rules:\n  - {when: 'risk == \"high\" && len(files_to_modify) > 1', priority: high}\n")
	mustGet(s.Prioritize(b.Context(), PrioritizeOptions{}))(b)
	snap := load(b, s)
	var all, read time.Duration
	for b.Loop() {
		at := time.Now()
		if p, err := s.Prioritize(b.Context(), PrioritizeOptions{}); err != nil || p.Applied.Seq != 0 {
			b.Fatal(p.Applied.Seq, err)
		}
		all += time.Since(at)
		at = time.Now()
		must(b, parallel.Each(b.Context(), n, func(i int) error {
			_, err := s.Content(b.Context(), snap.UID(i), model.Objective)
			return err
		}))
		read += time.Since(at)
	}
	b.ReportMetric(float64(all)/float64(n)/float64(b.N), "ns/task")
	b.ReportMetric(float64(all)/float64(read), "all/read≤3")
}

// Rules see tasks and objectives that others' operations make, too: the parts of a split, and what a phase found out.
func TestRulesSetThePriorityOfWhatFollows(t *testing.T) {
	s := newStore(t)
	writeRules(t, s, invoices)
	uid := create(t, s, "bill", "an invoice\n")
	set := func(key, value string) model.Op {
		return model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: key, Value: value}}}}
	}
	a := do(t, s, set("acceptance_criteria", "one of them,another"), set("files_to_create", "models/a.go,views/b.go"))
	if got := ruled(t, a.Snapshot, uid); got != "medium by patterns[1] invoice" {
		t.Fatalf("the whole is %q", got)
	}
	whole, _ := a.Snapshot.Task(uid)
	parts := decompose.Divide(whole, complexity.ByLayers).Decomposition()
	a = do(t, s, model.Op{Name: model.Decompose, UID: uid, Actor: ann, Args: parts})
	n := 0
	for _, p := range a.Change.Tasks {
		if p.SplitFrom() == uid {
			n++
			wantEqual(t, "a part", ruled(t, a.Snapshot, p.UID), "medium by patterns[1] invoice")
			a := do(t, s, model.Op{Name: model.DefineObjective, UID: p.UID, Actor: robot, Args: model.NewObjective{Text: "fraud\n"}})
			wantEqual(t, "a part with another objective", ruled(t, a.Snapshot, p.UID), "critical by patterns[2] fraud")
		}
	}
	wantEqual(t, "parts", n, 2)
	a = do(t, s, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "big", Phases: true}})
	big, phase := a.Change.Tasks[0].UID, a.Change.Tasks[1].UID
	for _, op := range []model.Op{
		{Name: model.DefinePlan, Args: model.NewPlan{Text: "think\n"}}, {Name: model.AcceptPlan, Actor: ann}, {Name: model.Start}, {Name: model.WorkCompleted, Args: model.Completion{Summary: "Look into the fraud\n"}},
	} {
		if op.UID = phase; op.Actor == "" {
			op.Actor = robot
		}
		a = do(t, s, op)
	}
	wantEqual(t, "with the objective that its phase found", ruled(t, a.Snapshot, big), "critical by patterns[2] fraud")
}
