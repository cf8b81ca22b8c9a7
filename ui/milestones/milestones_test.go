package milestones

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/style"
)

// project is a few tasks in milestones of every kind: begun, done, empty, and one that
// nobody has defined.
func project() *snapshot.Snapshot {
	s := viewtest.Snapshot(viewtest.Project())
	var uids []model.UID
	for i := range s.Len() {
		uids = append(uids, s.UID(i))
	}
	third := len(uids) / 3
	done := []model.UID{}
	for i := range s.Len() {
		if s.Status(i) == model.StatusDone && len(done) < 1 {
			done = append(done, s.UID(i))
		}
	}
	ms := model.Milestones{List: []model.Milestone{
		{ID: "beta", Name: "Public beta, of which the name is too long for a narrow pane", TaskIDs: uids[:third]},
		{ID: "v1", Name: "1.0 日本語", TaskIDs: uids[third : 2*third]},
		{ID: "done", Name: "Reached", TaskIDs: done},
		{ID: "some-day"},
		{ID: "evil", Name: "a\x1b[31mb\u202ec"},
	}}
	return s.Amend(snapshot.Amendment{Milestones: &ms})
}

func shown(s *snapshot.Snapshot, w, h int, st *style.Styles) *List {
	v := New(st)
	v.SetEmpty("No milestones yet.")
	v.SetSnapshot(s)
	v.View(w, h)
	return v
}

func TestGolden(t *testing.T) {
	sizes := []viewtest.Size{{Name: "tiny", W: 24, H: 8}, {Name: "narrow", W: 40, H: 12}, {Name: "pane", W: 78, H: 20}, {Name: "wide", W: 150, H: 24}}
	viewtest.Goldens(t, sizes, func(st *style.Styles, size viewtest.Size) viewtest.Viewer {
		v := shown(project(), size.W, size.H, st)
		v.Right()
		v.Move(2)
		return v
	})
}

func TestFramesAreExact(t *testing.T) {
	viewtest.Frames(t, append(viewtest.Stores(), project()), func(st *style.Styles) viewtest.Subject {
		v := New(st)
		more := func(_ *rapid.T, d int) []func() {
			return []func(){v.Left, v.Right, v.FoldAll, v.UnfoldAll, func() { v.Near(viewtest.UID(d + 9)) }}
		}
		wrong := func() string {
			if len(v.rows) > 0 && (v.Cur < 0 || v.Cur >= len(v.rows)) {
				return fmt.Sprintf("the cursor is at %d of %d", v.Cur, len(v.rows))
			}
			return ""
		}
		return viewtest.Subject{List: v, More: more, Wrong: wrong}
	})
}

func TestWithoutMilestones(t *testing.T) {
	v := shown(viewtest.Snapshot(viewtest.Project()), 40, 8, viewtest.Styles(style.Options{Dark: true}))
	if got := viewtest.Text(v, 40, 8); !strings.Contains(got, "No milestones yet.") {
		t.Errorf("%s", got)
	}
	v.SetFilter(func(*snapshot.Snapshot, int) bool { return false })
	v.Move(1)
	v.Toggle()
	v.Left()
	v.Right()
	v.UnfoldAll()
	if _, ok := v.Selected(); ok || v.OnHead() {
		t.Error("something is under the cursor")
	}
}

func TestTheFilterLeavesMilestonesThatHaveWhatPasses(t *testing.T) {
	s := project()
	v := shown(s, 78, 30, viewtest.Styles(style.Options{Dark: true}))
	uid, _ := func() (model.UID, bool) { v.Right(); v.Move(1); return v.Selected() }()
	v.SetFilter(func(s *snapshot.Snapshot, i int) bool { return s.UID(i) == uid })
	got := viewtest.Text(v, 78, 30)
	if !strings.Contains(got, "Public beta") || strings.Contains(got, "1.0") || strings.Contains(got, looseTitle) {
		t.Errorf("%s", got)
	}
	if at, _ := v.Selected(); at != uid {
		t.Errorf("the cursor is on %s", at)
	}
	v.SetUnmatched("Nothing passes")
	v.SetFilter(func(*snapshot.Snapshot, int) bool { return false })
	if got := viewtest.Text(v, 78, 30); !strings.Contains(got, "Nothing passes") {
		t.Errorf("%s", got)
	}
	v.SetFilter(nil)
	if !v.Jump(uid) {
		t.Error("it is not found again")
	}
}

func TestTheMouseFoldsAndChooses(t *testing.T) {
	v := shown(project(), 78, 20, viewtest.Styles(style.Options{Dark: true}))
	if v.Click(foldFrom, 0) || len(v.rows) <= len(v.list)+1 {
		t.Error("a click on the sign does not unfold")
	}
	if !v.Click(20, 1) {
		t.Error("there is no task to click on")
	}
	if _, ok := v.Selected(); !ok {
		t.Error("no task is selected")
	}
	if v.Click(20, 19) && v.Cur != 19 {
		t.Error("a click beside the rows does something")
	}
}

// Whatever happens to the store, lines are exact, the cursor is on a row, and it stays on its task
// while that is there.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := viewtest.NewWorld(rt)
		v := New(viewtest.Styles(style.Options{Dark: true}))
		set := func() *snapshot.Snapshot {
			s := w.Snapshot()
			var ms model.Milestones
			for k := range rapid.IntRange(0, 4).Draw(rt, "milestones") {
				m := model.Milestone{ID: fmt.Sprintf("m%d", k), Name: fmt.Sprintf("milestone %d", k)}
				for i := range s.Len() {
					if rapid.IntRange(0, 2).Draw(rt, "in") == 0 {
						m.TaskIDs = append(m.TaskIDs, s.UID(i))
					}
				}
				ms.List = append(ms.List, m)
			}
			s = s.Amend(snapshot.Amendment{Milestones: &ms})
			v.SetSnapshot(s)
			return s
		}
		s := set()
		width, height := rapid.IntRange(4, 130).Draw(rt, "w"), rapid.IntRange(1, 20).Draw(rt, "h")
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			switch rapid.IntRange(0, 8).Draw(rt, "do") {
			case 0:
				v.Move(rapid.IntRange(-5, 5).Draw(rt, "by"))
			case 1:
				v.Right()
			case 2:
				v.Left()
			case 3:
				v.UnfoldAll()
			case 4:
				v.FoldAll()
			case 5:
				v.Click(rapid.IntRange(0, width).Draw(rt, "x"), rapid.IntRange(0, height).Draw(rt, "y"))
			case 6:
				v.SearchType("1")
				v.SearchNext(1)
				v.SearchCancel()
			case 7:
				uid, on := v.Selected()
				w.Change(rt)
				s = set()
				_, there := s.Index(uid)
				if at, _ := v.Selected(); on && there && at != uid && v.rowOf(uid) >= 0 {
					rt.Fatalf("the cursor left %s for %s", uid, at)
				}
			case 8:
				if s.Len() > 0 {
					v.Jump(s.UID(rapid.IntRange(0, s.Len()-1).Draw(rt, "to")))
				}
			}
			if err := viewtest.Check(v.View(width, height), width, height); err != nil {
				rt.Fatal(err)
			}
			if len(v.rows) > 0 && (v.Cur < 0 || v.Cur >= len(v.rows)) {
				rt.Fatalf("the cursor is at %d of %d", v.Cur, len(v.rows))
			}
		}
	})
}

// inMilestones is a large store with its tasks in ten milestones.
func inMilestones(n int) *snapshot.Snapshot {
	s := viewtest.Snapshot(viewtest.Large(n, 1))
	var ms model.Milestones
	for k := range 10 {
		m := model.Milestone{ID: fmt.Sprintf("m%d", k), Name: fmt.Sprintf("milestone %d", k)}
		for i := k; i < s.Len(); i += 10 {
			m.TaskIDs = append(m.TaskIDs, s.UID(i))
		}
		ms.List = append(ms.List, m)
	}
	return s.Amend(snapshot.Amendment{Milestones: &ms})
}

// A keypress costs the same however many tasks the milestones have.
func BenchmarkMove(b *testing.B) {
	small, large := shown(inMilestones(1000), 78, 40, viewtest.Styles(style.Options{Dark: true})), shown(inMilestones(80_000), 78, 40, viewtest.Styles(style.Options{Dark: true}))
	for _, v := range []*List{small, large} {
		v.UnfoldAll()
		v.View(78, 40)
	}
	step := func(v *List) func(int) {
		return func(n int) {
			for k := range n {
				v.Move(1 - 2*(k/30%2))
				v.View(78, 40)
			}
		}
	}
	viewtest.Ratio(b, step(small), step(large))
}

// Deriving the milestones of another snapshot; beside it what making that snapshot costs.
func BenchmarkDerive(b *testing.B) {
	s := inMilestones(80_000)
	ms := s.MilestoneFile()
	var tasks []*model.Task
	for i := range s.Len() {
		tasks = append(tasks, s.At(i))
	}
	var made, derived time.Duration
	for b.Loop() {
		at := time.Now()
		next := snapshot.New(snapshot.Input{Tasks: tasks, Milestones: ms})
		made += time.Since(at)
		at = time.Now()
		if got := next.Milestones(); len(got) != 10 {
			b.Fatal(len(got))
		}
		derived += time.Since(at)
	}
	b.ReportMetric(float64(derived)/float64(b.N)/float64(s.Len()), "ns/task")
	b.ReportMetric(float64(derived)/float64(made), "derive/make")
}
