package snapshot

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
)

// wavesText is waves as lines: names, and what each came late for.
func wavesText(s *Snapshot, waves []Wave) string {
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
		return inState(model.PlanDefined, append(more, accepted)...)
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
	s := New(Input{Tasks: []*model.Task{
		node("busy", inState(model.Working, accepted, running, modifies("./a/x.go"))),
		node("busy2", inState(model.Working, accepted, running, modifies("a/x.go"))),
		node("x", ready(modifies("a/x.go"))),
		node("high", ready(prio(model.High), modifies("b.go", "c.go"))),
		node("low", ready(prio(model.Low), modifies("c.go"))),
		node("unread", inState(model.PlanDefined, prio(model.Critical), modifies("d.go"))),
		node("go", ready(modifies("d.go"))),
		node("dir", ready(modifies("lib"))),
		node("deep", ready(modifies("lib/sub/f.go"))),
		node("t1", ready(tests("f_test.go"))), node("t2", ready(tests("f_test.go"))),
		node("after", ready(), "low"),
		node("top", ready(modifies("b.go"))), under("part", "top", ready(modifies("b.go"))),
		node("dead", inState(model.Failed)), node("never", ready(), "dead"),
	}})
	want := `1 1m: busy busy2 high deep go t1
2 1m: dir(deep has lib) part(high has b.go) t2(t1 has f_test.go) x(busy has a/x.go) low(high has c.go) unread(go has d.go)
3 1m: top after
`
	if got := wavesText(s, s.Waves(0)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var sizes []int
	for _, w := range s.Waves(2) {
		sizes = append(sizes, len(w.Tasks))
	}
	if fmt.Sprint(sizes) != "[2 2 2 2 3 2 1]" { // top only closes what is below it, and keeps nobody busy
		t.Errorf("with two workers: %v\n%s", sizes, wavesText(s, s.Waves(2)))
	}
}

// Each open task that is not stuck stands in one wave, after all that it waits for, beside nobody
// who touches its files, and in no later wave than it has to.
func TestWavesKeepApartWhatCannotBeDoneAtOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := genInput(rt)
		for _, task := range in.Tasks {
			task.Spec = &model.Spec{FilesToModify: rapid.SliceOfN(rapid.SampledFrom([]string{"a", "a/b", "a/b/c", "./d", "d", "e/f"}), 0, 3).Draw(rt, "files")}
		}
		s := New(in)
		c := s.Schedule()
		workers := rapid.IntRange(0, 3).Draw(rt, "workers")
		waves := s.Waves(workers)
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
			for _, d := range c.waits.Out.Of(v) {
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
func touches(s *Snapshot, v, w int32) bool {
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
