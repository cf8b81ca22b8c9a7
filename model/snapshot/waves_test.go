package snapshot_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/schedule"
	"vespe/model/snapshot"
)

// wavesText is waves as lines: names, and what each came late for.
func wavesText(s *snapshot.Snapshot, waves []schedule.Wave) string {
	var b strings.Builder
	for k, w := range waves {
		fmt.Fprintf(&b, "%d %s:", k+1, model.Lasting(w.Takes))
		for _, t := range w.Tasks {
			fmt.Fprintf(&b, " %s", s.UID(int(t.Task)))
			if t.With >= 0 {
				fmt.Fprintf(&b, "(%s has %s)", s.UID(int(t.With)), t.File)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestWaves(t *testing.T) {
	ready := func(more ...func(*model.Task)) func(*model.Task) {
		return snapshot.InState(model.PlanDefined, append(more, snapshot.Accepted)...)
	}
	modifies := func(files ...string) func(*model.Task) {
		return func(t *model.Task) {
			if t.Spec == nil {
				t.Spec = &model.Spec{}
			}
			t.Spec.FilesToModify = files
		}
	}
	tests := func(files ...string) func(*model.Task) {
		return func(t *model.Task) { t.Spec = &model.Spec{TestFiles: files} }
	}
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{
		snapshot.Node("busy", snapshot.InState(model.Working, snapshot.Accepted, snapshot.Running, modifies("./a/x.go"))),
		snapshot.Node("busy2", snapshot.InState(model.Working, snapshot.Accepted, snapshot.Running, modifies("a/x.go"))),
		snapshot.Node("x", ready(modifies("a/x.go"))),
		snapshot.Node("high", ready(snapshot.Prio(model.High), modifies("b.go", "c.go"))),
		snapshot.Node("low", ready(snapshot.Prio(model.Low), modifies("c.go"))),
		snapshot.Node("unread", snapshot.InState(model.PlanDefined, snapshot.Prio(model.Critical), modifies("d.go"))),
		snapshot.Node("go", ready(modifies("d.go"))),
		snapshot.Node("dir", ready(modifies("lib"))),
		snapshot.Node("deep", ready(modifies("lib/sub/f.go"))),
		snapshot.Node("t1", ready(tests("f_test.go"))), snapshot.Node("t2", ready(tests("f_test.go"))),
		snapshot.Node("after", ready(), "low"),
		snapshot.Node("top", ready(modifies("b.go"))), snapshot.Under("part", "top", ready(modifies("b.go"))),
		snapshot.Node("dead", snapshot.InState(model.Failed)), snapshot.Node("never", ready(), "dead"),
	}})
	want := `1 1m: busy busy2 high deep go t1
2 1m: dir(deep has lib) part(high has b.go) t2(t1 has f_test.go) x(busy has a/x.go) low(high has c.go) unread(go has d.go)
3 1m: top after
`
	if got := wavesText(s, schedule.Of(s).Waves(0)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var sizes []int
	for _, w := range schedule.Of(s).Waves(2) {
		sizes = append(sizes, len(w.Tasks))
	}
	if fmt.Sprint(sizes) != "[2 2 2 2 3 2 1]" { // top only closes what is below it, and keeps nobody busy
		t.Errorf("with two workers: %v\n%s", sizes, wavesText(s, schedule.Of(s).Waves(2)))
	}
}

// Each open task that is not stuck stands in one wave, after all that it waits for, beside nobody
// who touches its files, and in no later wave than it has to.
func TestWavesKeepApartWhatCannotBeDoneAtOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := snapshot.GenInput(rt)
		for _, task := range in.Tasks {
			task.Spec = &model.Spec{FilesToModify: rapid.SliceOfN(rapid.SampledFrom([]string{"a", "a/b", "a/b/c", "./d", "d", "e/f"}), 0, 3).Draw(rt, "files")}
		}
		s := snapshot.New(in)
		c := schedule.Of(s)
		workers := rapid.IntRange(0, 3).Draw(rt, "workers")
		waves := schedule.Of(s).Waves(workers)
		at := map[int32]int{}
		for k, w := range waves {
			for _, x := range w.Tasks {
				if _, twice := at[x.Task]; twice {
					rt.Fatalf("%s stands in two waves", s.UID(int(x.Task)))
				}
				at[x.Task] = k
			}
		}
		if len(at) != c.Open {
			rt.Fatalf("%d of %d tasks are in waves", len(at), c.Open)
		}
		for v, k := range at {
			first := 0
			for _, d := range c.WaitsFor(int(v)) {
				first = max(first, at[d]+1)
			}
			runs := s.Status(int(v)) == model.StatusRunning
			if k < first || runs && k != first {
				rt.Fatalf("%s is in wave %d, it could be in %d\n%s", s.UID(int(v)), k, first, wavesText(s, waves))
			}
			for wave := first; wave <= k; wave++ {
				clash, busy := false, 0
				for _, x := range waves[wave].Tasks {
					if effort, _ := c.Effort(int(x.Task)); x.Task == v || effort == 0 {
						continue
					}
					busy++
					clash = clash || touches(s, v, x.Task) && !(runs && s.Status(int(x.Task)) == model.StatusRunning)
				}
				effort, _ := c.Effort(int(v))
				full := workers > 0 && busy >= workers
				if free := effort == 0 || !clash && !full; free != (wave == k) && !runs {
					rt.Fatalf("%s is in wave %d; in %d it meets a file %v, all are busy %v\n%s", s.UID(int(v)), k, wave, clash, full, wavesText(s, waves))
				}
			}
		}
	})
}

// touches compares files one by one.
func touches(s *snapshot.Snapshot, v, w int32) bool {
	for _, a := range s.At(int(v)).Spec.FilesToModify {
		for _, b := range s.At(int(w)).Spec.FilesToModify {
			a, b := path.Clean(a), path.Clean(b)
			if a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/") {
				return true
			}
		}
	}
	return false
}
