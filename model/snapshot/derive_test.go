package snapshot

import (
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
)

// statusCase makes one task, and what it depends on, and says what it should read as.
type statusCase struct {
	name string
	edit func(t *model.Task)
	dep  model.State // "": no dependency; "?": one that is not there; "self": itself
	want model.Status
}

func accepted(t *model.Task) { t.Status.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1} }

func inState(s model.State, more ...func(*model.Task)) func(*model.Task) {
	return func(t *model.Task) {
		t.Status.CurrentState = s
		t.HasObjective = s != model.Created
		t.HasPlan = s == model.PlanDefined || s == model.Working || s == model.Completed
		for _, f := range more {
			f(t)
		}
	}
}

func paused(why string) func(*model.Task) {
	return func(t *model.Task) { t.Status.IsPaused, t.Status.PauseReason = true, why }
}

func running(t *model.Task)    { t.Status.CurrentRun = "run-1" }
func noPlan(t *model.Task)     { t.HasPlan = false }
func withChange(t *model.Task) { t.Status.ChangedBecause = []model.ChangeReason{{File: "plan.md"}} }
func brokenFile(t *model.Task) { t.Problems = []model.Problem{{Severity: model.Error, Reason: "bad"}} }

func oddFile(t *model.Task) { t.Problems = []model.Problem{{Severity: model.Warning, Reason: "odd"}} }

func workVerdict(verdict string) func(*model.Task) {
	return func(t *model.Task) { t.Status.Review = &model.Review{Of: "work", Verdict: verdict} }
}

func statusCases() []statusCase {
	return []statusCase{
		{"nothing stored", func(*model.Task) {}, "", model.StatusCreated},
		{"created", inState(model.Created), "", model.StatusCreated},
		{"objective", inState(model.ObjectiveDefined), "", model.StatusPlanning},
		{"plan", inState(model.PlanDefined), "", model.StatusReviewPlan},
		{"plan state without a plan", inState(model.PlanDefined, noPlan), "", model.StatusPlanning},
		{"plan known by its revision", inState(model.PlanDefined, noPlan, func(t *model.Task) { t.Status.PlanRevision = 2 }), "", model.StatusReviewPlan},
		{"accepted", inState(model.PlanDefined, accepted), "", model.StatusReady},
		{"accepted, working", inState(model.Working, accepted), "", model.StatusReady},
		{"live run", inState(model.Working, accepted, running), "", model.StatusRunning},
		{"a run before working counts for nothing", inState(model.PlanDefined, accepted, running), "", model.StatusReady},
		{"working from outside", inState(model.Working, running), "", model.StatusReviewPlan},
		{"working from outside without a plan", inState(model.Working, noPlan, running), "", model.StatusPlanning},
		{"replanned", inState(model.Replanned), "", model.StatusReplan},
		{"completed", inState(model.Completed), "", model.StatusReviewWork},
		{"completed, plan review only", inState(model.Completed, func(t *model.Task) { t.Status.Review = &model.Review{Of: "plan", Verdict: "accepted"} }), "", model.StatusReviewWork},
		{"completed, rejected", inState(model.Completed, workVerdict("rejected")), "", model.StatusReviewWork},
		{"completed and reviewed", inState(model.Completed, workVerdict("accepted")), "", model.StatusDone},
		{"paused over review of work", inState(model.Completed, paused("lunch")), "", model.StatusPaused},
		{"waiting over review of work", inState(model.Completed, paused("hitl: is it worth reading?")), "", model.StatusWaiting},
		{"a pause does not outlive the review", inState(model.Completed, workVerdict("accepted"), paused("lunch")), "", model.StatusDone},
		{"error", inState(model.Errored), "", model.StatusError},
		{"failed", inState(model.Failed), "", model.StatusFailed},
		{"aborted", inState(model.Aborted), "", model.StatusAborted},
		{"no such state", inState("dancing"), "", model.StatusProblem},
		{"unreadable", inState(model.Working, brokenFile), "", model.StatusProblem},
		{"a warning changes nothing", inState(model.Created, oddFile), "", model.StatusCreated},

		{"unmet dependency", inState(model.PlanDefined, accepted), model.Working, model.StatusBlocked},
		{"unmet dependency, working", inState(model.Working, accepted), model.PlanDefined, model.StatusBlocked},
		{"dependency undone under a run", inState(model.Working, accepted, running), model.Replanned, model.StatusBlocked},
		{"met dependency", inState(model.PlanDefined, accepted), model.Completed, model.StatusReady},
		{"failed dependency", inState(model.PlanDefined, accepted), model.Failed, model.StatusBlocked},
		{"aborted dependency", inState(model.PlanDefined, accepted), model.Aborted, model.StatusBlocked},
		{"unknown dependency", inState(model.PlanDefined, accepted), "?", model.StatusBlocked},
		{"unmet dependency, plan undecided", inState(model.PlanDefined), model.Working, model.StatusReviewPlan},
		{"unmet dependency, no plan yet", inState(model.ObjectiveDefined), model.Working, model.StatusPlanning},
		{"in a cycle", inState(model.PlanDefined, accepted), "self", model.StatusBlocked},
		{"in a cycle, nothing yet", inState(model.Created), "self", model.StatusBlocked},
		{"in a cycle, plan undecided", inState(model.PlanDefined), "self", model.StatusReviewPlan},
		{"in a cycle, done", inState(model.Completed, workVerdict("accepted")), "self", model.StatusDone},

		// Each status wins over the next.
		{"problem over aborted", inState(model.Aborted, brokenFile), "", model.StatusProblem},
		{"aborted over changed", inState(model.Aborted, withChange), "", model.StatusAborted},
		{"failed over changed", inState(model.Failed, withChange, paused("hitl")), "", model.StatusFailed},
		{"error over changed", inState(model.Errored, withChange), "", model.StatusError},
		{"error over waiting", inState(model.Errored, paused("hitl")), "", model.StatusError},
		{"changed over waiting", inState(model.Working, accepted, withChange, paused("hitl")), "", model.StatusChanged},
		{"changed over done", inState(model.Completed, withChange, workVerdict("accepted")), "", model.StatusChanged},
		{"waiting over review", inState(model.PlanDefined, paused("hitl")), "", model.StatusWaiting},
		{"waiting with text", inState(model.Working, accepted, paused("hitl: which port?")), "", model.StatusWaiting},
		{"paused over running", inState(model.Working, accepted, running, paused("lunch")), "", model.StatusPaused},
		{"paused without a reason", inState(model.Created, paused("")), "", model.StatusPaused},
		{"paused over blocked", inState(model.Working, accepted, paused("lunch")), model.Created, model.StatusPaused},
		{"subtasks over running", inState(model.Working, accepted, running, paused("subtasks")), "", model.StatusSubtasks},
	}
}

func TestStatusByTable(t *testing.T) {
	for _, c := range statusCases() {
		t.Run(c.name, func(t *testing.T) {
			task, dep := &model.Task{UID: "tsk-a"}, &model.Task{UID: "tsk-b"}
			c.edit(task)
			tasks := []*model.Task{task}
			switch c.dep {
			case "":
			case "?":
				task.DependsOn = []model.UID{"tsk-z"}
			case "self":
				task.DependsOn = []model.UID{"tsk-a"}
			default:
				task.DependsOn = []model.UID{"tsk-b"}
				inState(c.dep)(dep)
				tasks = append(tasks, dep)
			}
			if got := New(Input{Tasks: tasks}).Status(0); got != c.want {
				t.Errorf("status is %q, want %q", got, c.want)
			}
		})
	}
}

func TestAbortedDependencyByPolicy(t *testing.T) {
	task, dep := &model.Task{UID: "tsk-a", DependsOn: []model.UID{"tsk-b"}}, &model.Task{UID: "tsk-b"}
	inState(model.PlanDefined, accepted)(task)
	inState(model.Aborted)(dep)
	for policy, want := range map[string]model.Status{
		"": model.StatusBlocked, "completed": model.StatusBlocked, "completed_or_aborted": model.StatusReady,
	} {
		s := New(Input{Tasks: []*model.Task{task, dep}, Policy: model.Policy{DependencyPolicy: policy}})
		if got := s.Status(0); got != want {
			t.Errorf("policy %q: %q, want %q", policy, got, want)
		}
	}
}

func TestUnreadableDependencyIsUnmet(t *testing.T) {
	task, dep := &model.Task{UID: "tsk-a", DependsOn: []model.UID{"tsk-b"}}, &model.Task{UID: "tsk-b"}
	inState(model.PlanDefined, accepted)(task)
	inState(model.Completed, brokenFile)(dep)
	if got := New(Input{Tasks: []*model.Task{task, dep}}).Status(0); got != model.StatusBlocked {
		t.Errorf("%q behind a dependency whose files are broken, want blocked", got)
	}
}

// Readiness as docs/format/statuses.md defines it, computed without the code that derives it.
func TestReadinessHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := genInput(rt)
		s := New(in)
		for i := range s.Len() {
			task, st := s.At(i), s.Status(i)
			free := true
			for _, uid := range task.DependsOn {
				dep, ok := s.Task(uid)
				switch {
				case !ok, uid == task.UID, dep.Unreadable():
					free = false
				case dep.Status.CurrentState == model.Completed:
				case dep.Status.CurrentState == model.Aborted && in.Policy.DependencyPolicy == "completed_or_aborted":
				default:
					free = false
				}
			}
			out := false
			for p := int(s.Parent(i)); p >= 0; p = int(s.Parent(p)) {
				above := s.At(p).Status
				out = out || above.CurrentState == model.Failed
			}
			switch st {
			case model.StatusReady, model.StatusRunning:
				if !free || out && st == model.StatusReady || s.InCycle(i) || task.Status.AcceptedPlan == nil || task.Status.IsPaused {
					rt.Fatalf("%s is %s: dependencies met %v, in a cycle %v, %+v", task.UID, st, free, s.InCycle(i), task.Status)
				}
			case model.StatusBlocked:
				if free && !out && !s.InCycle(i) {
					rt.Fatalf("%s is blocked by nothing", task.UID)
				}
			}
		}
	})
}

func TestWorstFirstHasEveryStatusOnce(t *testing.T) {
	seen := map[model.Status]bool{}
	for _, st := range WorstFirst() {
		seen[st] = true
	}
	if len(seen) != model.NumStatuses || len(WorstFirst()) != model.NumStatuses {
		t.Errorf("WorstFirst has %d statuses, %d of them different, want %d", len(WorstFirst()), len(seen), model.NumStatuses)
	}
	c := Counts{}
	c[model.StatusDone], c[model.StatusAborted] = 9, 9
	if c.Worst() != model.StatusDone || c.Sum() != 18 {
		t.Errorf("worst of done and aborted is %q, sum %d", c.Worst(), c.Sum())
	}
	c[model.StatusReady] = 1
	if c.Worst() != model.StatusReady {
		t.Errorf("worst is %q, want ready over what has ended", c.Worst())
	}
}
