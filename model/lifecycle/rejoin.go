package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// Rejoin brings what a status says of subtasks and requests in line with these. A merge of two clones repeats what each
// of them did, and each knew only half of them. below are the task's children, about gives all requests about it.
func Rejoin(t *model.Task, below []*model.Task, about func() []model.Request) {
	st := &t.Status
	over := map[model.UID]bool{}
	done, total := 0, 0
	for _, c := range below {
		over[c.UID] = c.Ended()
		if c.Status.CurrentState == model.Aborted {
			continue
		}
		if total++; c.Status.CurrentState == model.Completed {
			done++
		}
	}
	if total > 0 {
		st.Progress = fmt.Sprintf("%d/%d", done, total)
	}
	st.SubtaskUIDs = slices.DeleteFunc(st.SubtaskUIDs, func(c model.UID) bool { return over[c] })
	if t.Ended() {
		return
	}
	st.IsPaused = st.IsPaused || st.PauseReason != "" // one clone answered what held it, the other one was asked more
	switch st.PauseKind() {
	case "other":
		return
	case "hitl":
		if _, words, _ := strings.Cut(st.PauseReason, ":"); strings.TrimSpace(words) == "" {
			return // somebody's pause without words
		}
		requests := about()
		slices.SortFunc(requests, func(a, b model.Request) int {
			return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID)) // as a snapshot has them
		})
		held := slices.DeleteFunc(slices.Clone(requests), func(r model.Request) bool { return !r.IsOpen() || !r.Holds() })
		both := []string{model.HeldTitles(held), ownWords(st.PauseReason, requests)}
		if both = slices.DeleteFunc(both, func(s string) bool { return s == "" }); len(both) > 0 {
			st.PauseReason = "hitl: " + strings.Join(both, "; ")
			return
		}
	}
	switch {
	case len(st.SubtaskUIDs) == 0:
		if st.IsPaused {
			unpause(t)
		}
	case st.IsPaused || st.CurrentState == model.Working:
		if !st.IsPaused {
			st.PreviousState = st.CurrentState
		}
		st.IsPaused, st.PauseReason = true, "subtasks"
	}
}

// ownWords are those of a pause for a person that are not the titles of requests.
func ownWords(pause string, requests []model.Request) string {
	_, rest, _ := strings.Cut(pause, ":")
	rest = strings.TrimSpace(rest)
	for i := 0; i < len(requests); i++ {
		left, ok := strings.CutPrefix(rest, model.HeldTitles(requests[i:i+1]))
		if ok && (left == "" || strings.HasPrefix(left, "; ")) {
			rest, i = strings.TrimPrefix(left, "; "), -1
		}
	}
	return rest
}
