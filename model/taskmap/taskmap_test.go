package taskmap

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/internal/modeltest"
	"vespe/model"
	"vespe/model/snapshot"
)

// drawn is a map as text: nodes with what they hide, then edges.
func drawn(s *snapshot.Snapshot, m *Map) string {
	var b strings.Builder
	name := func(k int32) string {
		n := m.Nodes[k]
		if n.Kind == Task {
			return string(s.UID(int(n.Task)))
		}
		return fmt.Sprintf("(%s +%d)", n.Key, n.Count)
	}
	for k, n := range m.Nodes {
		b.WriteString(name(int32(k)))
		if k == m.Root {
			b.WriteByte('*')
		}
		if n.HiddenUp+n.HiddenDown > 0 {
			fmt.Fprintf(&b, "{%d %d}", n.HiddenUp, n.HiddenDown)
		}
		b.WriteByte(' ')
	}
	for _, e := range m.Edges {
		sign := ">"
		switch {
		case e.Cycle:
			sign = "@"
		case e.Waits:
			sign = "~"
		}
		fmt.Fprintf(&b, "| %s%s%s ", name(e.From), sign, name(e.To))
	}
	return strings.TrimSpace(b.String())
}

func TestMapOfANeighborhood(t *testing.T) {
	open := modeltest.InState(model.Created)
	tasks := []*model.Task{
		modeltest.Node("a", open), modeltest.Node("b", open, "a"), modeltest.Node("c", open, "b"), modeltest.Node("d", open, "c", "a"), modeltest.Node("e", open, "d"),
		modeltest.Node("side", open, "b"),
	}
	s := snapshot.New(snapshot.Input{Tasks: tasks})
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{Root: "c", Radius: 1}, "b{1 1} c* d{1 1} | b>c | c>d"},
		{Query{Root: "c", Radius: 2}, "a b{0 1} c* d e | a>b | b>c | c>d | a>d | d>e"},
		{Query{Root: "c", Radius: 2, Extent: Upstream}, "a{0 1} b{0 1} c*{0 1} | a>b | b>c"},
		{Query{Root: "c", Extent: Downstream}, "c*{1 0} d{1 0} e | c>d | d>e"},
		{Query{Extent: Tasks, Tasks: []int32{0, 1, 3}}, "a b{0 2} d{1 1} | a>b | a>d"},
		{Query{Root: "nobody", Radius: 1}, ""},
	} {
		if got := drawn(s, Of(s, c.q)); got != c.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.q, got, c.want)
		}
	}
	m := Of(s, Query{Root: "c", Show: func(i int) bool { return s.UID(i) != "b" }})
	if got, want := drawn(s, m), "c*{1 0} d{1 0} e | c>d | d>e"; got != want || m.Left != 1 {
		t.Errorf("without b, %d left out:\ngot  %s\nwant %s", m.Left, got, want)
	}
}

// hub is a task that n others depend on; every third of them is done.
func hub(n int) []*model.Task {
	tasks := []*model.Task{modeltest.Node("hub", modeltest.InState(model.Created))}
	for k := range n {
		state := model.Created
		if k%3 == 0 {
			state = model.Aborted
		}
		tasks = append(tasks, modeltest.Node(model.UID(fmt.Sprintf("n%02d", k)), modeltest.InState(state), "hub"))
	}
	return tasks
}

func TestMapFoldsSiblings(t *testing.T) {
	s := snapshot.New(snapshot.Input{Tasks: hub(12)})
	got := drawn(s, Of(s, Query{Root: "hub", Radius: 1}))
	want := "hub* n01 n02 n04 n05 n07 n08 n10 n11 (>:hub +4)"
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "hub>(>:hub +4)") {
		t.Errorf("what is over is folded first:\ngot  %s\nwant %s …", got, want)
	}
	got = drawn(s, Of(s, Query{Root: "hub", Radius: 1, More: map[string]int{">:hub": 3}}))
	if strings.Contains(got, "+") || strings.Count(got, "hub>n") != 12 {
		t.Errorf("a fold of one is no fold: %s", got)
	}
	stay := func(uid model.UID) bool { return uid == "n00" }
	if got = drawn(s, Of(s, Query{Root: "hub", Radius: 1, Stay: stay})); !strings.HasPrefix(got, "hub* n00 n01 n02") || strings.Contains(got, " n11") {
		t.Errorf("what was shown stays: %s", got)
	}
	all := make([]int32, s.Len())
	for i := range all {
		all[i] = int32(i)
	}
	if got = drawn(s, Of(s, Query{Extent: Tasks, Tasks: all})); !strings.HasPrefix(got, strings.Replace(want, "*", "", 1)) {
		t.Errorf("leaves of a set are folded as well: %s", got)
	}
	if got = drawn(s, Of(s, Query{Root: "hub", Radius: 1, Most: 4})); !strings.HasPrefix(got, "hub* n01 n02 n04 (>:hub +9)") {
		t.Errorf("with room for four: %s", got)
	}
}

func TestMapOfALargeSet(t *testing.T) {
	var tasks []*model.Task
	var all []int32
	for k := range 60 {
		uid := model.UID(fmt.Sprintf("a%02d", k))
		all = append(all, int32(k))
		if k < 30 {
			tasks = append(tasks, modeltest.Node(uid, modeltest.InState(model.Created)))
			continue
		}
		tasks = append(tasks, modeltest.Node(uid, modeltest.InState(model.Created), model.UID(fmt.Sprintf("a%02d", 30+(k-29)%30)))) // a ring of 30
	}
	s := snapshot.New(snapshot.Input{Tasks: tasks})
	m := Of(s, Query{Extent: Tasks, Tasks: all})
	if n := len(m.Nodes); n != 24+30+1 || m.Nodes[n-1].Key != "alone" || m.Nodes[n-1].Count != 6 {
		t.Errorf("of 30 alone: %s", drawn(s, m))
	}
	for _, e := range m.Edges {
		if !e.Cycle {
			t.Fatalf("%v is in the ring", e)
		}
	}
	if got, want := drawn(s, Of(s, Query{Root: "a31", Most: 2})), "a31*{0 1} a32{1 0} | a32@a31"; got != want {
		t.Errorf("what has no room at all is hidden:\ngot  %s\nwant %s", got, want)
	}
	m = Of(s, Query{Extent: Tasks, Tasks: all, Most: 10})
	got := map[string]int{}
	for _, n := range m.Nodes {
		got[n.Key] += n.Count
	}
	if len(m.Nodes) != 12 || got["alone"] != 30 || got["rest"] != 20 {
		t.Errorf("with room for ten: %s", drawn(s, m))
	}
}

func TestMapOfWhatHoldsATaskBack(t *testing.T) {
	blocked := modeltest.InState(model.PlanDefined, modeltest.Accepted)
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{
		modeltest.Node("a", blocked, "b", "done"), modeltest.Node("b", blocked, "p"), modeltest.Node("done", modeltest.InState(model.Completed), "b"),
		modeltest.Node("p", modeltest.InState(model.Working, modeltest.Accepted, modeltest.Paused("subtasks"), func(t *model.Task) { t.Status.SubtaskUIDs = []model.UID{"kid", "ended"} })),
		modeltest.Node("kid", blocked, "x"), modeltest.Node("ended", modeltest.InState(model.Completed)), modeltest.Node("x", modeltest.InState(model.Created)), modeltest.Node("y", modeltest.InState(model.Created), "a"),
	}})
	want := "a*{1 1} b{0 1} kid p x | b>a | p>b | x>kid | kid~p"
	if got := drawn(s, Of(s, Query{Root: "a", Extent: Blocked})); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := drawn(s, Of(s, Query{Root: "x", Extent: Blocked})); got != "x*{0 1}" {
		t.Errorf("nothing holds x back: %s", got)
	}
}

func TestMapOfASubtree(t *testing.T) {
	below := func(parent model.UID, task *model.Task) *model.Task { task.Config.ParentUID = parent; return task }
	open := modeltest.InState(model.Created)
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{
		modeltest.Node("p", open), below("p", modeltest.Node("a", open)), below("p", modeltest.Node("b", open, "a")), below("b", modeltest.Node("c", open, "a", "z")), modeltest.Node("z", open),
	}})
	want := "a b{0 0} c{1 0} p"
	for _, root := range []model.UID{"p", "a"} {
		got := drawn(s, Of(s, Query{Root: root, Extent: Subtree}))
		if got = strings.ReplaceAll(got, "*", ""); got != strings.ReplaceAll(want, "{0 0}", "")+" | a>b | a>c" {
			t.Errorf("from %s: %s", root, got)
		}
	}
	if got := drawn(s, Of(s, Query{Root: "b", Extent: Subtree})); got != "b*{1 0} c{2 0}" {
		t.Errorf("from b: %s", got)
	}
}

func TestMapOfTheCriticalPath(t *testing.T) {
	below := func(parent model.UID, task *model.Task) *model.Task { task.Config.ParentUID = parent; return task }
	open := modeltest.InState(model.Created)
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{
		modeltest.Node("a", open), modeltest.Node("b", open, "a"), modeltest.Node("p", open), below("p", modeltest.Node("kid", open, "b")), modeltest.Node("last", open, "p"), modeltest.Node("side", open), modeltest.Node("z", open, "side"),
	}})
	want := "a b kid last p | a>b | b>kid | p>last | kid~p"
	if got := drawn(s, Of(s, Query{Root: "side", Extent: Critical})); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := drawn(s, Of(s, Query{Extent: Critical, Most: 2})); !strings.Contains(got, "(rest +3)") {
		t.Errorf("with room for two: %s", got)
	}
}

func TestMapOfAMilestone(t *testing.T) {
	open := modeltest.InState(model.Created)
	in := func(id string, task *model.Task) *model.Task { task.Spec = &model.Spec{MilestoneID: id}; return task }
	s := snapshot.New(snapshot.Input{Tasks: []*model.Task{in("m1", modeltest.Node("a", open)), in("m1", modeltest.Node("b", open, "a", "c")), in("m2", modeltest.Node("c", open)), modeltest.Node("d", open)}})
	if got := drawn(s, Of(s, Query{Root: "a", Extent: Milestone})); got != "a* b{1 0} | a>b" {
		t.Error(got)
	}
	if got := drawn(s, Of(s, Query{Root: "d", Extent: Milestone})); got != "d*" {
		t.Error(got)
	}
}

// Whatever is asked for: every dependency between two tasks with nodes of their own is an edge,
// nothing else is, and what is hidden adds up.
func TestMapHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := snapshot.New(modeltest.Draw(rt))
		if s.Len() == 0 {
			return
		}
		root := rapid.IntRange(0, s.Len()-1).Draw(rt, "root")
		q := Query{
			Extent: Extent(rapid.IntRange(0, int(Tasks)).Draw(rt, "extent")), Root: s.UID(root),
			Radius: rapid.IntRange(0, 3).Draw(rt, "radius"), Siblings: rapid.IntRange(1, 4).Draw(rt, "siblings"),
			Most: rapid.IntRange(1, 9).Draw(rt, "most"),
		}
		for i := range s.Len() {
			if rapid.IntRange(0, 2).Draw(rt, "member") > 0 {
				q.Tasks = append(q.Tasks, int32(i))
			}
		}
		m := Of(s, q)
		if again := Of(s, q); !reflect.DeepEqual(m, again) {
			rt.Fatal("two answers to one question")
		}
		checkMap(rt, s, q, m)
	})
}

func checkMap(rt *rapid.T, s *snapshot.Snapshot, q Query, m *Map) {
	at := map[int]int32{}
	keys := map[string]bool{}
	single := 0
	for k, n := range m.Nodes {
		if keys[n.Key] {
			rt.Fatalf("%s is listed twice", n.Key)
		}
		keys[n.Key] = true
		if n.Kind == Task {
			at[int(n.Task)] = int32(k)
			single++
		}
		if n.HiddenUp < 0 || n.HiddenDown < 0 || n.Count < 1 {
			rt.Fatalf("%+v", n)
		}
	}
	if single > max(1, q.Most) {
		rt.Fatalf("%d tasks, %d wanted at most", single, q.Most)
	}
	if q.Extent < Subtree && m.Root < 0 {
		rt.Fatal("the root is not there")
	}
	want, got := 0, 0
	for i, to := range at {
		for _, d := range s.DependsOn(i) {
			if from, ok := at[int(d)]; ok {
				want++
				if !slices.ContainsFunc(m.Edges, func(e Edge) bool { return e.From == from && e.To == to && !e.Waits }) {
					rt.Fatalf("%s>%s is missing: %s", s.UID(int(d)), s.UID(i), drawn(s, m))
				}
			}
		}
	}
	for _, e := range m.Edges {
		from, to := m.Nodes[e.From], m.Nodes[e.To]
		if from.Kind == Task && to.Kind == Task && !e.Waits {
			got++
			if e.Cycle && !(from.Cycle && to.Cycle) {
				rt.Fatalf("an edge of a cycle between tasks of none: %s", drawn(s, m))
			}
		}
	}
	if want != got {
		rt.Fatalf("%d edges between tasks, want %d: %s", got, want, drawn(s, m))
	}
}
