package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/snapshot"
)

// wasStopped reports whether a run that somebody else ended was stopped, which leaves its task ready.
func (l *Loop) wasStopped(r *run) bool {
	ctx, cancel := l.aside()
	defer cancel()
	list, err := l.s.Runs(ctx, r.Task)
	return err == nil && slices.ContainsFunc(list, func(x model.Run) bool { return x.ID == r.Run && x.Outcome == model.RunCanceled })
}

// maxNamedWaits is how many things that wait for a person are named in the request about a deadlock.
const maxNamedWaits = 10

// waitsForPeople says what waits for a person, those first behind which the most waits.
func waitsForPeople(snap *snapshot.Snapshot) string {
	list := slices.Clone(snap.Inbox())
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b snapshot.InboxItem) int { return cmp.Compare(b.Behind, a.Behind) })
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s for you:\n\n", count(len(list), "item waits", "items wait"))
	for k, item := range list {
		if k == maxNamedWaits {
			fmt.Fprintf(&b, "- %d more in the inbox\n", len(list)-k)
			break
		}
		fmt.Fprintf(&b, "- %s (%s)", item.Title, item.Kind)
		if item.Behind > 0 {
			fmt.Fprintf(&b, ", %s behind it", count(item.Behind, "task", "tasks"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// leftWords say what each status that is left waits for, of one task and of several.
var leftWords = []struct {
	of        []model.Status
	one, many string
}{
	{[]model.Status{model.StatusWaiting}, "waits for an answer", "wait for an answer"},
	{[]model.Status{model.StatusReviewPlan}, "waits for plan review", "wait for plan review"},
	{[]model.Status{model.StatusChanged}, "has changed since acceptance", "have changed since acceptance"},
	{[]model.Status{model.StatusError}, "failed and waits for a decision", "failed and wait for a decision"},
	{[]model.Status{model.StatusFailed}, "has failed", "have failed"},
	{[]model.Status{model.StatusProblem}, "cannot be read", "cannot be read"},
	{[]model.Status{model.StatusReady}, "is ready", "are ready"},
	{[]model.Status{model.StatusRunning}, "is running elsewhere", "are running elsewhere"},
	{[]model.Status{model.StatusBlocked}, "is blocked", "are blocked"},
	{[]model.Status{model.StatusSubtasks}, "waits for its subtasks", "wait for their subtasks"},
	{[]model.Status{model.StatusPaused}, "is paused", "are paused"},
	{[]model.Status{model.StatusCreated, model.StatusPlanning, model.StatusReplan}, "has no plan yet", "have no plan yet"},
}

// waitWords says of the tasks that are left what they wait for.
func waitWords(snap *snapshot.Snapshot) (out []string) {
	total := snap.Total()
	asked := map[model.UID]bool{} // whose run continues with an answer, while the task is not paused
	for _, q := range snap.Requests() {
		if i, ok := snap.Index(q.TaskUID); ok && q.IsOpen() && snap.Status(i) == model.StatusRunning {
			asked[q.TaskUID] = true
		}
	}
	for _, w := range leftWords {
		n := 0
		for _, st := range w.of {
			n += int(total[st])
			switch st {
			case model.StatusRunning:
				n -= len(asked)
			case model.StatusWaiting:
				n += len(asked)
			}
		}
		switch n {
		case 0:
		case 1:
			out = append(out, "1 "+w.one)
		default:
			out = append(out, fmt.Sprintf("%d %s", n, w.many))
		}
	}
	return out
}
