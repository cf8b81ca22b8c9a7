package merge

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vespe/model"
)

// manyClones are the events of operations that nobody knew of each other, and of one that knew half of them; and all ids.
func manyClones(n int) (events []model.Event, ids []string) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for i := range n {
		ids = append(ids, fmt.Sprintf("op-%06d", i))
		events = append(events, model.Event{OpID: ids[i], At: at.Add(time.Duration(n-i) * time.Second), After: []string{"first"}})
	}
	events = append(events, model.Event{OpID: "first", At: at}, model.Event{OpID: "last", At: at, After: slices.Clone(ids[:n/2])})
	return events, append(ids, "first", "last")
}

// TestHeadsOfMany: a status.json that names 12,000 operations is merged in no time; each against each takes minutes.
func TestHeadsOfMany(t *testing.T) {
	const n = 12000
	events, ids := manyClones(n)
	h := historyOf(events)
	if got, want := h.heads(ids), append([]string{"last"}, ids[n/2:n]...); !slices.Equal(got, union(want)) {
		t.Errorf("%d heads, not %d", len(got), len(want))
	}
	if o := h.ordered(map[string]bool{"first": true, ids[n-1]: true, ids[0]: true, "last": true}); o[0].id != "first" || o[1].id != ids[n-1] || o[2].id != ids[0] || o[3].id != "last" {
		t.Errorf("the order is %s %s %s %s", o[0].id, o[1].id, o[2].id, o[3].id)
	}
	status := func(last, unmerged []string) []byte {
		return model.EncodeStatus(model.StatusFile{CurrentState: model.PlanDefined, LastOps: last, UnmergedOps: unmerged, Revision: len(last)})
	}
	merged, ok := statuses(status(ids[:n/2], nil), status(ids[n/4:n/2+1], ids[n/2:n]))
	if st, _ := model.DecodeStatus("", merged); !ok || len(st.UnmergedOps) != n/2 {
		t.Errorf("%v, %d operations are unmerged, not %d", ok, len(st.UnmergedOps), n/2)
	}
}

// TestHeadsOfACycle: events that claim to be before each other hide neither.
func TestHeadsOfACycle(t *testing.T) {
	h := historyOf([]model.Event{{OpID: "a", After: []string{"b"}}, {OpID: "b", After: []string{"a"}}})
	if got := h.heads([]string{"a", "b"}); len(got) != 2 {
		t.Errorf("heads are %q", got)
	}
}
