package snapshot

import (
	"maps"
	"slices"
	"strings"

	"vespe/model"
)

// FilterValues are the values that the tasks of the store give a key of a filter that has no
// closed list of them, sorted: names of tasks with subtasks for under:, names of actors for
// by:, labels, goal types, and milestones. It decodes no task.
func FilterValues(s *Snapshot, key string) []string {
	all := map[string]bool{}
	if key == "milestone" {
		all[model.NoMilestone] = true
		for _, m := range s.Milestones() {
			all[m.ID] = true
		}
	}
	for _, part := range inParts(s.tasks.n, func(from, to int) map[string]bool { return valuesIn(s, key, from, to) }) {
		maps.Copy(all, part)
	}
	delete(all, "")
	return slices.Sorted(maps.Keys(all))
}

func valuesIn(s *Snapshot, key string, from, to int) map[string]bool {
	seen := map[string]bool{}
	last := "" // nearly always the same again
	add := func(v string) {
		if v != last {
			last, seen[v] = v, true
		}
	}
	for i := int32(from); int(i) < to; i++ {
		switch key {
		case "under":
			if s.tree.kids.Degree(i) > 0 {
				add(s.tasks.name(i))
			}
		case "by":
			h := s.tasks.head(i)
			add(bare(h.by))
			add(bare(h.assigned))
		case "label":
			for _, l := range s.tasks.searched(i).labels {
				add(l)
			}
		case "type":
			add(s.tasks.head(i).goal)
		}
	}
	return seen
}

// bare is the name of an actor of the form kind:name; "" for one of another.
func bare(a model.Actor) string {
	_, name, _ := strings.Cut(string(a), ":")
	return name
}
