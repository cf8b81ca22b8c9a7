package snapshot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/schedule"
	"vespe/model/snapshot"
)

func TestWhyNextSaysWhatCountsForItsPlace(t *testing.T) {
	ready := func(more ...func(*model.Task)) func(*model.Task) {
		return snapshot.InState(model.PlanDefined, append(more, snapshot.Accepted)...)
	}
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{
		snapshot.Node("high", ready(snapshot.Since(5), snapshot.Prio(model.High))),
		snapshot.Node("long", ready(snapshot.Since(9), snapshot.Takes(120))), snapshot.Node("l2", snapshot.InState(model.Created), "long"), snapshot.Node("l3", snapshot.InState(model.Created, snapshot.Takes(300)), "l2"),
		snapshot.Node("old", ready(snapshot.Since(1))),
		snapshot.Node("young", ready(snapshot.Since(2))),
	}})
	for uid, want := range map[model.UID]string{
		"high": `1 of 4
its priority is high
nothing waits for it
it comes before "LONG": it has the higher priority`,
		"long": `2 of 4
it has no priority, which counts as medium
the longest chain from this task takes 8m, through "L2" → "L3"
it comes after "HIGH": that one has the higher priority
it comes before "OLD": it starts the longer chain (8m vs. 1m)`,
		"young": `4 of 4
it has no priority, which counts as medium
nothing waits for it
it comes after "OLD": that one was created first`,
		"l2": "",
	} {
		i, _ := s.Index(uid)
		got := ""
		if st, ok := schedule.Of(s).WhyNext(i); ok {
			got = strings.Join(append([]string{fmt.Sprintf("%d of %d", st.Place, st.Of)}, st.Reasons...), "\n")
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", uid, got, want)
		}
	}
}

func TestProspects(t *testing.T) {
	blocked := snapshot.InState(model.PlanDefined, snapshot.Accepted)
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{
		snapshot.Node("a", snapshot.InState(model.PlanDefined, snapshot.Accepted, snapshot.Takes(600))), snapshot.Node("b", blocked, "a"), snapshot.Node("c", blocked),
		snapshot.Node("dead", snapshot.InState(model.Failed)), snapshot.Node("u", blocked, "dead"), snapshot.Node("v", blocked, "u"),
		snapshot.Node("over", snapshot.InState(model.Completed)),
		snapshot.Node("r1", blocked, "r2"), snapshot.Node("r2", blocked, "r1"),
	}})
	for uid, want := range map[model.UID]string{
		"a":    "it takes about 10m, based on its 1 run\nit is on the critical path: any delay moves the overall finish",
		"b":    "it takes about 1m by its complexity\nit can end in 11m at the earliest: 1 task comes before it, \"A\" last\nit is on the critical path: any delay moves the overall finish",
		"c":    "it takes about 1m by its complexity\nit can slip 10m before it delays the overall finish",
		"v":    "it takes about 1m by its complexity\nit can never be completed: \"DEAD\" failed; remove the dependency on it, or depend on another task",
		"r2":   "it takes about 1m by its complexity\nit can never be completed: dependency cycle: \"R1\" → \"R2\" → \"R1\"; remove one of these dependencies",
		"over": "",
	} {
		i, _ := s.Index(uid)
		if got := strings.Join(schedule.Of(s).Prospects(i), "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", uid, got, want)
		}
	}
}

func TestLasting(t *testing.T) {
	for s, want := range map[int]string{0: "0s", 1: "1s", 59: "59s", 60: "1m", 61: "2m", 3541: "1h00m", 3600: "1h00m", 3661: "1h02m", 86399: "1d0h", 86400: "1d0h", 200000: "2d8h"} {
		if got := model.Lasting(time.Duration(s) * time.Second); got != want {
			t.Errorf("%d seconds are %s, want %s", s, got, want)
		}
	}
}
