package model

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// statusCase makes one task, and what it depends on, and says what it should read as.
type statusCase struct {
	name string
	edit func(t *Task)
	dep  State // "": no dependency; "?": one that is not there; "self": itself
	want Status
}

func accepted(t *Task) { t.Status.AcceptedPlan = &AcceptedPlan{PlanRevision: 1} }

func inState(s State, more ...func(*Task)) func(*Task) {
	return func(t *Task) {
		t.Status.CurrentState = s
		t.HasObjective = s != Created
		t.HasPlan = s == PlanDefined || s == Working || s == Completed
		for _, f := range more {
			f(t)
		}
	}
}

func paused(why string) func(*Task) {
	return func(t *Task) { t.Status.IsPaused, t.Status.PauseReason = true, why }
}

func running(t *Task)    { t.Status.CurrentRun = "run-1" }
func noPlan(t *Task)     { t.HasPlan = false }
func withChange(t *Task) { t.Status.ChangedBecause = []ChangeReason{{File: "plan.md"}} }
func brokenFile(t *Task) { t.Problems = []Problem{{Severity: Error, Reason: "bad"}} }
func oddFile(t *Task)    { t.Problems = []Problem{{Severity: Warning, Reason: "odd"}} }

func workVerdict(verdict string) func(*Task) {
	return func(t *Task) { t.Status.Review = &Review{Of: "work", Verdict: verdict} }
}

func statusCases() []statusCase {
	return []statusCase{
		{"nothing stored", func(*Task) {}, "", StatusCreated},
		{"created", inState(Created), "", StatusCreated},
		{"objective", inState(ObjectiveDefined), "", StatusPlanning},
		{"plan", inState(PlanDefined), "", StatusReviewPlan},
		{"plan state without a plan", inState(PlanDefined, noPlan), "", StatusPlanning},
		{"plan known by its revision", inState(PlanDefined, noPlan, func(t *Task) { t.Status.PlanRevision = 2 }), "", StatusReviewPlan},
		{"accepted", inState(PlanDefined, accepted), "", StatusReady},
		{"accepted, working", inState(Working, accepted), "", StatusReady},
		{"live run", inState(Working, accepted, running), "", StatusRunning},
		{"a run before working counts for nothing", inState(PlanDefined, accepted, running), "", StatusReady},
		{"working from outside", inState(Working, running), "", StatusReviewPlan},
		{"working from outside without a plan", inState(Working, noPlan, running), "", StatusPlanning},
		{"replanned", inState(Replanned), "", StatusReplan},
		{"completed", inState(Completed), "", StatusReviewWork},
		{"completed, plan review only", inState(Completed, func(t *Task) { t.Status.Review = &Review{Of: "plan", Verdict: "accepted"} }), "", StatusReviewWork},
		{"completed, rejected", inState(Completed, workVerdict("rejected")), "", StatusReviewWork},
		{"completed and reviewed", inState(Completed, workVerdict("accepted")), "", StatusDone},
		{"paused over review of work", inState(Completed, paused("lunch")), "", StatusPaused},
		{"waiting over review of work", inState(Completed, paused("hitl: is it worth reading?")), "", StatusWaiting},
		{"a pause does not outlive the review", inState(Completed, workVerdict("accepted"), paused("lunch")), "", StatusDone},
		{"error", inState(Errored), "", StatusError},
		{"failed", inState(Failed), "", StatusFailed},
		{"aborted", inState(Aborted), "", StatusAborted},
		{"no such state", inState("dancing"), "", StatusProblem},
		{"unreadable", inState(Working, brokenFile), "", StatusProblem},
		{"a warning changes nothing", inState(Created, oddFile), "", StatusCreated},

		{"unmet dependency", inState(PlanDefined, accepted), Working, StatusBlocked},
		{"unmet dependency, working", inState(Working, accepted), PlanDefined, StatusBlocked},
		{"dependency undone under a run", inState(Working, accepted, running), Replanned, StatusBlocked},
		{"met dependency", inState(PlanDefined, accepted), Completed, StatusReady},
		{"failed dependency", inState(PlanDefined, accepted), Failed, StatusBlocked},
		{"aborted dependency", inState(PlanDefined, accepted), Aborted, StatusBlocked},
		{"unknown dependency", inState(PlanDefined, accepted), "?", StatusBlocked},
		{"unmet dependency, plan undecided", inState(PlanDefined), Working, StatusReviewPlan},
		{"unmet dependency, no plan yet", inState(ObjectiveDefined), Working, StatusPlanning},
		{"in a cycle", inState(PlanDefined, accepted), "self", StatusBlocked},
		{"in a cycle, nothing yet", inState(Created), "self", StatusBlocked},
		{"in a cycle, plan undecided", inState(PlanDefined), "self", StatusReviewPlan},
		{"in a cycle, done", inState(Completed, workVerdict("accepted")), "self", StatusDone},

		// Each status wins over the next.
		{"problem over aborted", inState(Aborted, brokenFile), "", StatusProblem},
		{"aborted over changed", inState(Aborted, withChange), "", StatusAborted},
		{"failed over changed", inState(Failed, withChange, paused("hitl")), "", StatusFailed},
		{"error over changed", inState(Errored, withChange), "", StatusError},
		{"error over waiting", inState(Errored, paused("hitl")), "", StatusError},
		{"changed over waiting", inState(Working, accepted, withChange, paused("hitl")), "", StatusChanged},
		{"changed over done", inState(Completed, withChange, workVerdict("accepted")), "", StatusChanged},
		{"waiting over review", inState(PlanDefined, paused("hitl")), "", StatusWaiting},
		{"waiting with text", inState(Working, accepted, paused("hitl: which port?")), "", StatusWaiting},
		{"paused over running", inState(Working, accepted, running, paused("lunch")), "", StatusPaused},
		{"paused without a reason", inState(Created, paused("")), "", StatusPaused},
		{"paused over blocked", inState(Working, accepted, paused("lunch")), Created, StatusPaused},
		{"subtasks over running", inState(Working, accepted, running, paused("subtasks")), "", StatusSubtasks},
	}
}

func TestStatusByTable(t *testing.T) {
	for _, c := range statusCases() {
		t.Run(c.name, func(t *testing.T) {
			task, dep := &Task{UID: "tsk-a"}, &Task{UID: "tsk-b"}
			c.edit(task)
			tasks := []*Task{task}
			switch c.dep {
			case "":
			case "?":
				task.DependsOn = []UID{"tsk-z"}
			case "self":
				task.DependsOn = []UID{"tsk-a"}
			default:
				task.DependsOn = []UID{"tsk-b"}
				inState(c.dep)(dep)
				tasks = append(tasks, dep)
			}
			if got := NewSnapshot(Input{Tasks: tasks}).Status(0); got != c.want {
				t.Errorf("status is %q, want %q", got, c.want)
			}
		})
	}
}

func TestAbortedDependencyByPolicy(t *testing.T) {
	task, dep := &Task{UID: "tsk-a", DependsOn: []UID{"tsk-b"}}, &Task{UID: "tsk-b"}
	inState(PlanDefined, accepted)(task)
	inState(Aborted)(dep)
	for policy, want := range map[string]Status{
		"": StatusBlocked, "completed": StatusBlocked, "completed_or_aborted": StatusReady,
	} {
		s := NewSnapshot(Input{Tasks: []*Task{task, dep}, Policy: Policy{DependencyPolicy: policy}})
		if got := s.Status(0); got != want {
			t.Errorf("policy %q: %q, want %q", policy, got, want)
		}
	}
}

func TestUnreadableDependencyIsUnmet(t *testing.T) {
	task, dep := &Task{UID: "tsk-a", DependsOn: []UID{"tsk-b"}}, &Task{UID: "tsk-b"}
	inState(PlanDefined, accepted)(task)
	inState(Completed, brokenFile)(dep)
	if got := NewSnapshot(Input{Tasks: []*Task{task, dep}}).Status(0); got != StatusBlocked {
		t.Errorf("%q behind a dependency whose files are broken, want blocked", got)
	}
}

// Readiness as docs/format/statuses.md defines it, computed without the code that derives it.
func TestReadinessHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := genInput(rt)
		s := NewSnapshot(in)
		for i := range s.Len() {
			task, st := s.At(i), s.Status(i)
			free := true
			for _, uid := range task.DependsOn {
				dep, ok := s.Task(uid)
				switch {
				case !ok, uid == task.UID, dep.Unreadable():
					free = false
				case dep.Status.CurrentState == Completed:
				case dep.Status.CurrentState == Aborted && in.Policy.DependencyPolicy == "completed_or_aborted":
				default:
					free = false
				}
			}
			out := false
			for p := int(s.Parent(i)); p >= 0; p = int(s.Parent(p)) {
				above := s.At(p).Status
				out = out || above.CurrentState == Failed || above.IsPaused && strings.HasPrefix(above.PauseReason, "excluded: ")
			}
			switch st {
			case StatusReady, StatusRunning:
				if !free || out && st == StatusReady || s.InCycle(i) || task.Status.AcceptedPlan == nil || task.Status.IsPaused {
					rt.Fatalf("%s is %s: dependencies met %v, in a cycle %v, %+v", task.UID, st, free, s.InCycle(i), task.Status)
				}
			case StatusBlocked:
				if free && !out && !s.InCycle(i) {
					rt.Fatalf("%s is blocked by nothing", task.UID)
				}
			}
		}
	})
}

func TestWorstFirstHasEveryStatusOnce(t *testing.T) {
	seen := map[Status]bool{}
	for _, st := range WorstFirst() {
		seen[st] = true
	}
	if len(seen) != NumStatuses || len(WorstFirst()) != NumStatuses {
		t.Errorf("WorstFirst has %d statuses, %d of them different, want %d", len(WorstFirst()), len(seen), NumStatuses)
	}
	c := Counts{}
	c[StatusDone], c[StatusAborted] = 9, 9
	if c.Worst() != StatusDone || c.Sum() != 18 {
		t.Errorf("worst of done and aborted is %q, sum %d", c.Worst(), c.Sum())
	}
	c[StatusReady] = 1
	if c.Worst() != StatusReady {
		t.Errorf("worst is %q, want ready over what has ended", c.Worst())
	}
}
