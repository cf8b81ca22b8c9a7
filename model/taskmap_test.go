package model

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawn is a map as text: nodes with what they hide, then edges.
func drawn(s *Snapshot, m *TaskMap) string {
	var b strings.Builder
	name := func(k int32) string {
		n := m.Nodes[k]
		switch n.Kind {
		case MapTask:
			return string(s.UID(int(n.Task)))
		case MapGroup:
			return fmt.Sprintf("[%s %d]", n.Key, n.Count)
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

func TestMapOfANeighbourhood(t *testing.T) {
	open := inState(Created)
	tasks := []*Task{
		node("a", open), node("b", open, "a"), node("c", open, "b"), node("d", open, "c", "a"), node("e", open, "d"),
		node("side", open, "b"),
	}
	s := NewSnapshot(Input{Tasks: tasks})
	for _, c := range []struct {
		q    MapQuery
		want string
	}{
		{MapQuery{Root: "c", Radius: 1}, "b{1 1} c* d{1 1} | b>c | c>d"},
		{MapQuery{Root: "c", Radius: 2}, "a b{0 1} c* d e | a>b | b>c | c>d | a>d | d>e"},
		{MapQuery{Root: "c", Radius: 2, Extent: MapUpstream}, "a{0 1} b{0 1} c*{0 1} | a>b | b>c"},
		{MapQuery{Root: "c", Extent: MapDownstream}, "c*{1 0} d{1 0} e | c>d | d>e"},
		{MapQuery{Extent: MapTasks, Tasks: []int32{0, 1, 3}}, "a b{0 2} d{1 1} | a>b | a>d"},
		{MapQuery{Root: "nobody", Radius: 1}, ""},
	} {
		if got := drawn(s, s.Map(c.q)); got != c.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.q, got, c.want)
		}
	}
	m := s.Map(MapQuery{Root: "c", Show: func(i int) bool { return s.UID(i) != "b" }})
	if got, want := drawn(s, m), "c*{1 0} d{1 0} e | c>d | d>e"; got != want || m.Left != 1 {
		t.Errorf("without b, %d left out:\ngot  %s\nwant %s", m.Left, got, want)
	}
}

// hub is a task that n others depend on; every third of them is done.
func hub(n int) []*Task {
	tasks := []*Task{node("hub", inState(Created))}
	for k := range n {
		state := Created
		if k%3 == 0 {
			state = Aborted
		}
		tasks = append(tasks, node(UID(fmt.Sprintf("n%02d", k)), inState(state), "hub"))
	}
	return tasks
}

func TestMapFoldsSiblings(t *testing.T) {
	s := NewSnapshot(Input{Tasks: hub(12)})
	got := drawn(s, s.Map(MapQuery{Root: "hub", Radius: 1}))
	want := "hub* n01 n02 n04 n05 n07 n08 n10 n11 (>:hub +4)"
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "hub>(>:hub +4)") {
		t.Errorf("what is over is folded first:\ngot  %s\nwant %s …", got, want)
	}
	got = drawn(s, s.Map(MapQuery{Root: "hub", Radius: 1, More: map[string]int{">:hub": 3}}))
	if strings.Contains(got, "+") || strings.Count(got, "hub>n") != 12 {
		t.Errorf("a fold of one is no fold: %s", got)
	}
	stay := func(uid UID) bool { return uid == "n00" }
	if got = drawn(s, s.Map(MapQuery{Root: "hub", Radius: 1, Stay: stay})); !strings.HasPrefix(got, "hub* n00 n01 n02") || strings.Contains(got, " n11") {
		t.Errorf("what was shown stays: %s", got)
	}
	all := make([]int32, s.Len())
	for i := range all {
		all[i] = int32(i)
	}
	if got = drawn(s, s.Map(MapQuery{Extent: MapTasks, Tasks: all})); !strings.HasPrefix(got, strings.Replace(want, "*", "", 1)) {
		t.Errorf("leaves of a set are folded as well: %s", got)
	}
	if got = drawn(s, s.Map(MapQuery{Root: "hub", Radius: 1, Most: 4})); !strings.HasPrefix(got, "hub* n01 n02 n04 (>:hub +9)") {
		t.Errorf("with room for four: %s", got)
	}
}

func TestMapOfALargeSet(t *testing.T) {
	var tasks []*Task
	var all []int32
	for k := range 60 {
		uid := UID(fmt.Sprintf("a%02d", k))
		all = append(all, int32(k))
		if k < 30 {
			tasks = append(tasks, node(uid, inState(Created)))
			continue
		}
		tasks = append(tasks, node(uid, inState(Created), UID(fmt.Sprintf("a%02d", 30+(k-29)%30)))) // a ring of 30
	}
	s := NewSnapshot(Input{Tasks: tasks})
	m := s.Map(MapQuery{Extent: MapTasks, Tasks: all})
	if n := len(m.Nodes); n != 24+30+1 || m.Nodes[n-1].Key != "alone" || m.Nodes[n-1].Count != 6 {
		t.Errorf("of 30 alone: %s", drawn(s, m))
	}
	for _, e := range m.Edges {
		if !e.Cycle {
			t.Fatalf("%v is in the ring", e)
		}
	}
	if got, want := drawn(s, s.Map(MapQuery{Root: "a31", Most: 2})), "a31*{0 1} a32{1 0} | a32@a31"; got != want {
		t.Errorf("what has no room at all is hidden:\ngot  %s\nwant %s", got, want)
	}
	m = s.Map(MapQuery{Extent: MapTasks, Tasks: all, Most: 10})
	got := map[string]int{}
	for _, n := range m.Nodes {
		got[n.Key] += n.Count
	}
	if len(m.Nodes) != 12 || got["alone"] != 30 || got["rest"] != 20 {
		t.Errorf("with room for ten: %s", drawn(s, m))
	}
}

func TestMapOfWhatHoldsATaskBack(t *testing.T) {
	blocked := inState(PlanDefined, accepted)
	s := NewSnapshot(Input{Tasks: []*Task{
		node("a", blocked, "b", "done"), node("b", blocked, "p"), node("done", inState(Completed), "b"),
		node("p", inState(Working, accepted, paused("subtasks"), func(t *Task) { t.Status.SubtaskUIDs = []UID{"kid", "ended"} })),
		node("kid", blocked, "x"), node("ended", inState(Completed)), node("x", inState(Created)), node("y", inState(Created), "a"),
	}})
	want := "a*{1 1} b{0 1} kid p x | b>a | p>b | x>kid | kid~p"
	if got := drawn(s, s.Map(MapQuery{Root: "a", Extent: MapBlocked})); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := drawn(s, s.Map(MapQuery{Root: "x", Extent: MapBlocked})); got != "x*{0 1}" {
		t.Errorf("nothing holds x back: %s", got)
	}
}

func TestMapOfASubtree(t *testing.T) {
	below := func(parent UID, task *Task) *Task { task.Config.ParentUID = parent; return task }
	open := inState(Created)
	s := NewSnapshot(Input{Tasks: []*Task{
		node("p", open), below("p", node("a", open)), below("p", node("b", open, "a")), below("b", node("c", open, "a", "z")), node("z", open),
	}})
	want := "a b{0 0} c{1 0} p"
	for _, root := range []UID{"p", "a"} {
		got := drawn(s, s.Map(MapQuery{Root: root, Extent: MapSubtree}))
		if got = strings.ReplaceAll(got, "*", ""); got != strings.ReplaceAll(want, "{0 0}", "")+" | a>b | a>c" {
			t.Errorf("from %s: %s", root, got)
		}
	}
	if got := drawn(s, s.Map(MapQuery{Root: "b", Extent: MapSubtree})); got != "b*{1 0} c{2 0}" {
		t.Errorf("from b: %s", got)
	}
	q := MapQuery{Root: "z", Extent: MapAround, Groups: map[string]bool{s.GroupAround(2, 4, MapByParent): true}}
	if got := drawn(s, s.Map(q)); got != "[p:p 1]{1 0} z* | z>[p:p 1]" {
		t.Errorf("c folded into what is farthest above it: %s", got)
	}
	if got := s.GroupAround(2, 0, MapByParent); got != "p:b" {
		t.Errorf("the group around c without a is %q", got)
	}
	if a, b := s.GroupsOf(2, MapByParent), s.GroupsOf(4, MapByParent); !slices.Equal(a, []string{"p:b", "p:p"}) || len(b) > 0 {
		t.Errorf("groups %q, %q", a, b)
	}
	for want, others := range map[string][]int32{"p:p": {4, 0}, "p:b": {0, 1}, "": {4}} {
		if got := s.GroupWith(2, others, MapByParent); got != want {
			t.Errorf("the group of c with one of %d is %q, want %q", others, got, want)
		}
	}
}

func TestMapOfTheCriticalPath(t *testing.T) {
	below := func(parent UID, task *Task) *Task { task.Config.ParentUID = parent; return task }
	open := inState(Created)
	s := NewSnapshot(Input{Tasks: []*Task{
		node("a", open), node("b", open, "a"), node("p", open), below("p", node("kid", open, "b")), node("last", open, "p"), node("side", open), node("z", open, "side"),
	}})
	want := "a b kid last p | a>b | b>kid | p>last | kid~p"
	if got := drawn(s, s.Map(MapQuery{Root: "side", Extent: MapCritical})); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := drawn(s, s.Map(MapQuery{Extent: MapCritical, Most: 2})); !strings.Contains(got, "(rest +3)") {
		t.Errorf("with room for two: %s", got)
	}
}

func TestMapOfAMilestone(t *testing.T) {
	open := inState(Created)
	in := func(id string, task *Task) *Task { task.Spec = &Spec{MilestoneID: id}; return task }
	s := NewSnapshot(Input{Tasks: []*Task{in("m1", node("a", open)), in("m1", node("b", open, "a", "c")), in("m2", node("c", open)), node("d", open)}})
	if got := drawn(s, s.Map(MapQuery{Root: "a", Extent: MapMilestone})); got != "a* b{1 0} | a>b" {
		t.Error(got)
	}
	if got := drawn(s, s.Map(MapQuery{Root: "d", Extent: MapMilestone})); got != "d*" {
		t.Error(got)
	}
}

// Two milestones that need each other's tasks close a ring, and no task depends on itself.
func TestInterleavedGroupsAreNoCycle(t *testing.T) {
	in := func(id string, task *Task) *Task { task.Spec = &Spec{MilestoneID: id}; return task }
	open := inState(Created)
	s := NewSnapshot(Input{Tasks: []*Task{
		in("one", node("a", open)), in("two", node("b", open, "a")), in("one", node("c", open, "b")),
		in("two", node("r1", open, "r2")), in("one", node("r2", open, "r1")),
	}})
	q := MapQuery{Root: "b", GroupBy: MapByMilestone, Groups: map[string]bool{"m:one": true, "m:two": true}}
	m := s.Map(q)
	if got, want := drawn(s, m), "[m:one 2] [m:two 1]* | [m:one 2]>[m:two 1] | [m:two 1]>[m:one 2]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if m.Nodes[0].Cycle || m.Nodes[0].Name != "one" {
		t.Errorf("%+v", m.Nodes[0])
	}
	q.Root = "r1"
	if got := drawn(s, s.Map(q)); !strings.Contains(got, "@") {
		t.Errorf("a ring of tasks is one: %s", got)
	}
}

// Whatever is asked for: every dependency between two tasks with nodes of their own is an edge,
// nothing else is, and what is hidden adds up.
func TestMapHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := NewSnapshot(genInput(rt))
		if s.Len() == 0 {
			return
		}
		root := rapid.IntRange(0, s.Len()-1).Draw(rt, "root")
		q := MapQuery{
			Extent: MapExtent(rapid.IntRange(0, int(MapTasks)).Draw(rt, "extent")), Root: s.UID(root),
			Radius: rapid.IntRange(0, 3).Draw(rt, "radius"), Siblings: rapid.IntRange(1, 4).Draw(rt, "siblings"),
			Most: rapid.IntRange(1, 9).Draw(rt, "most"), Groups: map[string]bool{},
		}
		for i := range s.Len() {
			if rapid.IntRange(0, 2).Draw(rt, "member") > 0 {
				q.Tasks = append(q.Tasks, int32(i))
			}
			for _, key := range s.GroupsOf(i, q.GroupBy) {
				if rapid.IntRange(0, 5).Draw(rt, "folded") == 0 {
					q.Groups[key] = true
				}
			}
		}
		m := s.Map(q)
		if again := s.Map(q); !reflect.DeepEqual(m, again) {
			rt.Fatal("two answers to one question")
		}
		checkMap(rt, s, q, m)
	})
}

func checkMap(rt *rapid.T, s *Snapshot, q MapQuery, m *TaskMap) {
	at := map[int]int32{}
	keys := map[string]bool{}
	single := 0
	for k, n := range m.Nodes {
		if keys[n.Key] {
			rt.Fatalf("%s is listed twice", n.Key)
		}
		keys[n.Key] = true
		if n.Kind == MapTask {
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
	if q.Extent < MapSubtree && m.Root < 0 {
		rt.Fatal("the root is not there")
	}
	want, got := 0, 0
	for i, to := range at {
		for _, d := range s.DependsOn(i) {
			if from, ok := at[int(d)]; ok {
				want++
				if !slices.ContainsFunc(m.Edges, func(e MapEdge) bool { return e.From == from && e.To == to && !e.Waits }) {
					rt.Fatalf("%s>%s is missing: %s", s.UID(int(d)), s.UID(i), drawn(s, m))
				}
			}
		}
	}
	for _, e := range m.Edges {
		from, to := m.Nodes[e.From], m.Nodes[e.To]
		if from.Kind == MapTask && to.Kind == MapTask && !e.Waits {
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
