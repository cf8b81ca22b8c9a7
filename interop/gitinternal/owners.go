package gitinternal

import (
	"cmp"
	"maps"
	"slices"
)

// own finds the task that each object belongs to: the one that its run is of, else the nearest by what
// names what.
func (g *gathering) own() {
	links := map[string][]string{}
	link := func(a, b string) {
		links[a], links[b] = append(links[a], b), append(links[b], a)
	}
	isTask := func(id string) bool {
		_, comes := g.tasks[id]
		_, here := g.here[id]
		return (comes || here) && !isLoose(g.kept[id])
	}
	for _, id := range slices.Sorted(maps.Keys(g.all)) {
		o := g.all[id]
		for _, to := range refs(o.fields) {
			link(id, to)
		}
		if task := o.ref("task"); o.typ == "run" && isTask(task) {
			g.owner[id] = task
		} else if in := g.keepers(id); len(in) > 0 {
			g.owner[id] = in[0]
		}
	}
	ends := maps.Clone(g.kept)
	for id, r := range g.tasks {
		ends[id] = r.Fields
	}
	for id, fields := range ends {
		if isTask(id) {
			for _, to := range append(runIDs(fields), text(fields, "intent")) {
				if d, ok := uuid(to); ok {
					link(id, d)
				}
			}
		}
	}
	queue := slices.Sorted(maps.Keys(g.owner))
	for _, id := range slices.Sorted(maps.Keys(links)) {
		if isTask(id) {
			queue = append(queue, id)
		}
	}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		task := cmp.Or(g.owner[id], id)
		for _, to := range slices.Sorted(slices.Values(links[id])) {
			if _, known := g.all[to]; known && g.owner[to] == "" {
				g.owner[to] = task
				queue = append(queue, to)
			}
		}
	}
	g.share()
}

// keepers are the tasks that keep an object already, but for the one of what belongs to none. What a task keeps
// it goes on to keep, so that the same import changes nothing.
func (g *gathering) keepers(id string) []string {
	in := slices.DeleteFunc(slices.Clone(g.keptIn[id]), func(task string) bool { return isLoose(g.kept[task]) })
	slices.Sort(in)
	return in
}

// share gives a task the plans by which it was worked on, no matter who they belong to.
func (g *gathering) share() {
	for id, o := range g.all {
		task := g.owner[id]
		if o.typ != "run" || task == "" {
			continue
		}
		seen := map[string]bool{}
		for p := o.ref("plan"); p != "" && !seen[p]; {
			seen[p] = true
			plan, ok := g.all[p]
			if !ok || plan.typ != "plan" {
				break
			}
			g.copies[task] = append(g.copies[task], p)
			p = plan.ref("previous")
		}
	}
}
