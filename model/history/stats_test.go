package history

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

var epoch = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// lived makes a chronicle from events given as "hours after the epoch, name, from, to, actor".
func lived(uid model.UID, events ...model.Event) *Chronicle {
	for i := range events {
		events[i].UID = uid
	}
	return NewChronicle(uid, events)
}

func ev(hours float64, name model.Name, to model.State, actor model.Actor) model.Event {
	e := model.Event{Name: name, To: to, Actor: actor, At: epoch.Add(time.Duration(hours * float64(time.Hour)))}
	switch name {
	case model.DefinePlan:
		e.Details = []model.ExtraField{{Key: "revision", Value: []byte("1")}}
	case model.Start:
		e.Details = []model.ExtraField{model.TextField("run", "run-1")}
	}
	return e
}

// twoTasks is one task that was done after 20 hours, and one that waited for it.
func twoTasks() (*snapshot.Snapshot, *Journal) {
	first := &model.Task{UID: "tsk-a", HasStatus: true, HasPlan: true, Status: model.StatusFile{
		CurrentState: model.Completed, Review: &model.Review{Of: "work", Verdict: model.VerdictAccepted}, AcceptedPlan: &model.AcceptedPlan{PlanRevision: 1},
	}}
	second := &model.Task{UID: "tsk-b", HasStatus: true, HasPlan: true, DependsOn: []model.UID{"tsk-a"}, Status: model.StatusFile{
		CurrentState: model.Working, CurrentRun: "run-1", AcceptedPlan: &model.AcceptedPlan{PlanRevision: 1},
	}}
	first.Config.UID, second.Config.UID = first.UID, second.UID
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{first, second}})
	j := New(9, []*Chronicle{
		lived("tsk-b",
			ev(1, model.CreateTask, model.Created, "human:ann"), ev(2, model.DefineObjective, model.ObjectiveDefined, "human:ann"),
			ev(4, model.DefinePlan, model.PlanDefined, "agent:c"), ev(5, model.AcceptPlan, model.PlanDefined, "human:ann"),
			ev(30, model.Start, model.Working, "agent:c")),
		lived("tsk-a",
			ev(0, model.CreateTask, model.Created, "human:ann"), ev(0, model.DefineObjective, model.ObjectiveDefined, "human:ann"),
			ev(1, model.DefinePlan, model.PlanDefined, "agent:c"), ev(3, model.RejectPlan, model.ObjectiveDefined, "human:ann"),
			ev(4, model.DefinePlan, model.PlanDefined, "agent:c"), ev(6, model.AcceptPlan, model.Working, "human:ann"),
			ev(7, model.Start, model.Working, "agent:c"), ev(9, model.RaiseError, model.Errored, "agent:c"), ev(10, model.Retry, model.Working, "agent:c"),
			ev(10, model.Start, model.Working, "agent:c"), ev(18, model.WorkCompleted, model.Completed, "agent:c"), ev(20, model.ReviewAccepted, model.Completed, "human:ann")),
	})
	return s, j
}

func TestSpans(t *testing.T) {
	s, j := twoTasks()
	now := epoch.Add(40 * time.Hour)
	say := func(uid model.UID) (out []string) {
		for _, sp := range j.Spans(s, j.Of(uid), now) {
			open := ""
			if sp.Open {
				open = " open"
			}
			out = append(out, fmt.Sprintf("%s %v%s", sp.Status, sp.Length(), open))
		}
		return out
	}
	if got, want := say("tsk-a"), []string{
		"created 0s", "planning 1h0m0s", "review plan 2h0m0s", "planning 1h0m0s", "review plan 2h0m0s", "ready 1h0m0s", "running 2h0m0s",
		"error 1h0m0s", "running 8h0m0s", "review work 2h0m0s", "done 0s open",
	}; !slices.Equal(got, want) {
		t.Errorf("the first was\n%q, want\n%q", got, want)
	}
	// Until the other was completed it was blocked.
	if got, want := say("tsk-b"), []string{
		"created 1h0m0s", "planning 2h0m0s", "review plan 1h0m0s", "blocked 13h0m0s", "ready 12h0m0s", "running 10h0m0s open",
	}; !slices.Equal(got, want) {
		t.Errorf("the second was\n%q, want\n%q", got, want)
	}
	tl := j.Timeline(s, "tsk-b", now)
	if tl.Waited[model.ForTasks] != 13*3600 || tl.Waited[model.ForPeople] != 3600 || tl.Rounds != 1 || len(tl.Within[4]) != 0 || len(tl.Within[5]) != 1 {
		t.Errorf("its timeline is %+v", tl)
	}
	if j.Timeline(s, "tsk-none", now) != nil {
		t.Error("nothing has a timeline")
	}
}

func TestStats(t *testing.T) {
	s, j := twoTasks()
	now := epoch.Add(40 * time.Hour)
	st := j.Stats(s, nil, time.Time{}, now)
	if st.Tasks != 2 || st.Events != 17 || !st.From.Equal(epoch) || len(st.Days) != 3 {
		t.Errorf("%d tasks, %d events from %v, %d days", st.Tasks, st.Events, st.From, len(st.Days))
	}
	for f, want := range map[Flows]int{FlowCreated: 2, FlowPlanned: 3, FlowAccepted: 2, FlowSentBack: 1, FlowStarted: 3, FlowFinished: 1, FlowDone: 1, FlowErrors: 1, FlowFailed: 0} {
		if st.Flow[f].Total != want {
			t.Errorf("%s: %d, want %d", f, st.Flow[f].Total, want)
		}
	}
	if d := st.Flow[FlowStarted].Daily; !slices.Equal(d, []int{2, 1, 0}) {
		t.Errorf("started by day %v", d)
	}
	if !slices.Equal(st.Rounds, []int{0, 1, 1}) || !slices.Equal(st.Retries, []int{1, 1}) {
		t.Errorf("rounds %v, retries %v", st.Rounds, st.Retries)
	}
	h := time.Hour
	if st.Waited != [model.NumParties]Seconds{model.ForPeople: 8 * 3600, model.ForAgents: (14 + 24) * 3600, model.ForTasks: 13 * 3600} {
		t.Errorf("waited %v", st.Waited)
	}
	if st.Verdict.N != 4 || st.Verdict.Median != 2*h || st.Lead.N != 1 || st.Lead.Total != 20*3600 || st.Work.Median != 8*h {
		t.Errorf("verdict %v, lead %v, work %v", st.Verdict, st.Lead, st.Work)
	}
	if st.InStatus[model.StatusRunning].Now != 1 || st.InStatus[model.StatusDone].Now != 1 || st.InStatus[model.StatusBlocked].Total != 13*3600 {
		t.Errorf("%v", st.InStatus)
	}
	// What lies before the time does not count, and what lasts over its beginning counts from there.
	late := j.Stats(s, func(uid model.UID) bool { return uid == "tsk-b" }, epoch.Add(20*h), now)
	if late.Tasks != 1 || late.Events != 1 || late.Flow[FlowAccepted].Total != 0 || late.InStatus[model.StatusReady].Total != 10*3600 || late.InStatus[model.StatusBlocked].N != 0 {
		t.Errorf("later: %+v", late)
	}
	none := New(0, nil).Stats(snapshot.New(snapshot.Input{}), nil, time.Time{}, now)
	if none.Tasks != 0 || none.Events != 0 || none.WaitedShare(model.ForPeople) != 0 || none.PerDay(FlowDone) != 0 {
		t.Errorf("of nothing: %+v", none)
	}
}

// A verdict or an answer that was taken back is none: it counts as no acceptance, rejection or answer, and
// what it was about has waited on.
func TestStatsLeaveOutWhatWasTakenBack(t *testing.T) {
	undo := func(hours float64, to model.State, details ...model.ExtraField) model.Event {
		e := ev(hours, model.UndoVerdict, to, "human:ann")
		e.Details = details
		return e
	}
	asked := func(e model.Event) model.Event {
		e.Details = []model.ExtraField{model.TextField("request", "req-1"), model.TextField("title", "Which?")}
		return e
	}
	task := &model.Task{UID: "tsk-a", HasStatus: true, HasPlan: true, Status: model.StatusFile{
		CurrentState: model.Completed, Review: &model.Review{Of: "work", Verdict: model.VerdictAccepted}, AcceptedPlan: &model.AcceptedPlan{PlanRevision: 1}, PlanRevision: 1,
	}}
	task.Config.UID = task.UID
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{task}})
	life := lived("tsk-a",
		ev(0, model.CreateTask, model.Created, "human:ann"), ev(0, model.DefineObjective, model.ObjectiveDefined, "human:ann"), ev(1, model.DefinePlan, model.PlanDefined, "agent:c"),
		ev(2, model.RejectPlan, model.ObjectiveDefined, "human:ann"), undo(3, model.PlanDefined, model.TextField("transition", string(model.RejectPlan))),
		ev(4, model.AcceptPlan, model.Working, "human:ann"), undo(5, model.PlanDefined, model.TextField("transition", string(model.AcceptPlan))),
		ev(6, model.AcceptPlan, model.Working, "human:ann"), ev(7, model.Start, model.Working, "agent:c"),
		asked(ev(8, model.Ask, model.Working, "agent:c")), asked(ev(9, model.AnswerRequest, model.Working, "human:ann")),
		undo(9.5, model.Working, model.TextField("request", "req-1")), asked(ev(11, model.AnswerRequest, model.Working, "human:ann")),
		ev(12, model.WorkCompleted, model.Completed, "agent:c"),
		ev(13, model.ReviewAccepted, model.Completed, "human:ann"), undo(14, model.Completed, model.TextField("transition", string(model.ReviewAccepted))),
		ev(17, model.ReviewAccepted, model.Completed, "human:ann"))
	now := epoch.Add(40 * time.Hour)
	j, err := Unpack(New(9, []*Chronicle{life}).Pack()) // as it is kept
	if err != nil {
		t.Fatal(err)
	}
	st := j.Stats(s, nil, time.Time{}, now)
	for f, want := range map[Flows]int{FlowPlanned: 1, FlowAccepted: 1, FlowSentBack: 0, FlowStarted: 1, FlowFinished: 1, FlowDone: 1, FlowAnswered: 1} {
		if st.Flow[f].Total != want {
			t.Errorf("%s: %d, want %d", f, st.Flow[f].Total, want)
		}
	}
	if !slices.Equal(st.Rounds, []int{0, 1}) {
		t.Errorf("rounds %v", st.Rounds)
	}
	h := time.Hour
	if st.Verdict.N != 2 || st.Verdict.Total != 10*3600 || st.Lead.N != 1 || st.Lead.Median != 17*h || st.Answer.N != 1 || st.Answer.Median != 3*h {
		t.Errorf("verdict %v, lead %v, answer %v", st.Verdict, st.Lead, st.Answer)
	}
	if st.Events != 17 {
		t.Errorf("%d events: they happened all the same", st.Events)
	}
	if line := j.Timeline(s, "tsk-a", now); line.Rounds != 2 {
		t.Errorf("the timeline has %d verdicts", line.Rounds)
	}
}

// Thousands of tasks that wait for years are more than a time.Duration holds.
// What is summed up loses no parts of seconds: many short times are a long one.
func TestStatsOfVeryShortTimes(t *testing.T) {
	task := &model.Task{UID: "tsk-1", HasStatus: true, HasPlan: true, Status: model.StatusFile{CurrentState: model.PlanDefined, PlanRevision: 1}}
	task.Config.UID = task.UID
	short := 0.9 / 3600
	life := lived(task.UID, ev(0, model.CreateTask, model.Created, "human:ann"), ev(short, model.DefineObjective, model.ObjectiveDefined, "human:ann"), ev(2*short, model.DefinePlan, model.PlanDefined, "agent:c"))
	j, snap, now := New(1, []*Chronicle{life}), snapshot.New(snapshot.Input{Tasks: []*model.Task{task}}), epoch.Add(2700*time.Millisecond)
	st := j.Stats(snap, nil, time.Time{}, now)
	if got := st.InStatus[model.StatusReviewPlan]; got.Total != 1 || LastingLong(got.Median) != got.Total.String() {
		t.Errorf("one of 0.9 s is %d s in all", got.Total)
	}
	if st.Waited[model.ForAgents] != 2 || st.Waited[model.ForPeople] != 1 {
		t.Errorf("waited %v", st.Waited)
	}
	if line := j.Timeline(snap, task.UID, now); line.Waited[model.ForAgents] != 2 || line.Waited[model.ForPeople] != 1 {
		t.Errorf("it waited %v", line.Waited)
	}
}

func TestStatsOfVeryLongTimes(t *testing.T) {
	var tasks []*model.Task
	var all []*Chronicle
	for i := range 3000 {
		uid := model.UID(fmt.Sprintf("tsk-%d", 10000+i))
		task := &model.Task{UID: uid, HasStatus: true, HasPlan: true, Status: model.StatusFile{CurrentState: model.PlanDefined, PlanRevision: 1}}
		task.Config.UID = uid
		tasks = append(tasks, task)
		all = append(all, lived(uid, ev(0, model.CreateTask, model.Created, "human:ann"), ev(0, model.DefinePlan, model.PlanDefined, "agent:c")))
	}
	now := epoch.AddDate(2, 0, 0)
	st := New(1, all).Stats(snapshot.New(snapshot.Input{Tasks: tasks}), nil, time.Time{}, now)
	if want := inSeconds(now.Sub(epoch)) * 3000; st.Waited[model.ForPeople] != want || st.InStatus[model.StatusReviewPlan].Total != want || st.WaitedShare(model.ForPeople) != 1 {
		t.Errorf("waited %d s, want %d", st.Waited[model.ForPeople], want)
	}
	if got := st.Waited[model.ForPeople].String(); got != "2193000d" {
		t.Errorf("that is %s", got)
	}
	if len(st.Days) < 700 || st.Flow[FlowCreated].Daily[0] != 3000 {
		t.Errorf("%d days", len(st.Days))
	}
}

// BenchmarkStats is over 10,000 tasks with twelve events each.
func BenchmarkStats(b *testing.B) {
	tasks := make([]*model.Task, 10_000)
	for i := range tasks {
		uid := model.UID(fmt.Sprintf("tsk-%d", 10000+i))
		tasks[i] = &model.Task{UID: uid, HasStatus: true, HasPlan: true, Status: model.StatusFile{
			CurrentState: model.Completed, Review: &model.Review{Of: "work", Verdict: model.VerdictAccepted}, AcceptedPlan: &model.AcceptedPlan{PlanRevision: 1},
		}}
		tasks[i].Config.UID = uid
		if i > 1 {
			tasks[i].DependsOn = []model.UID{tasks[i-1].UID, tasks[i/2].UID}
		}
	}
	s := snapshot.New(snapshot.Input{Tasks: tasks})
	_, two := twoTasks()
	var all []*Chronicle
	for i := range s.Len() {
		c := *two.Of("tsk-a")
		c.UID = s.UID(i)
		all = append(all, &c)
	}
	j := New(1, all)
	now := epoch.Add(4000 * time.Hour)
	for b.Loop() {
		j.Stats(s, nil, time.Time{}, now)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms≤200")
	b.ReportMetric(0, "ns/op")
}
