package schedule

import (
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/modeltest"
	"vespe/model/snapshot"
)

// What is behind a few tasks is found without the rest, and is the same.
func TestBehindOfAFewTasksIsThatOfTheSchedule(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := snapshot.New(modeltest.Draw(rt))
		all := make([]int32, s.Len())
		for i := range all {
			all[i] = int32(i)
		}
		some := all[:rapid.IntRange(0, len(all)).Draw(rt, "some")]
		c := Of(s)
		for k, got := range behindOf(s, some) {
			if got != c.behind[k] {
				rt.Fatalf("behind %s of %v: %d, in the schedule %d", s.UID(k), some, got, c.behind[k])
			}
		}
		for _, v := range all {
			if got := behindOf(s, []int32{v})[0]; got != c.behind[v] {
				rt.Fatalf("behind %s alone: %d, in the schedule %d", s.UID(int(v)), got, c.behind[v])
			}
		}
	})
}
