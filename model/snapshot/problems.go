package snapshot

import (
	"cmp"
	"fmt"
	"slices"

	"vespe/model"
)

// problemList is every problem of a snapshot, and which of them concern which task.
type problemList struct {
	all []model.Problem
	of  map[model.UID][]int32 // ascending
}

// Problems is everything wrong with the store, its tasks, the tree and the graph, by
// path, line and code. Do not modify it.
func (s *Snapshot) Problems() []model.Problem { return s.allProblems().all }

// ProblemsOf is what of Problems concerns task i. A cycle is listed once, and concerns
// each of its members.
func (s *Snapshot) ProblemsOf(i int) []model.Problem {
	list := s.allProblems()
	at := list.of[s.tasks.uid(int32(i))]
	if len(at) == 0 {
		return nil
	}
	out := make([]model.Problem, len(at))
	for k, p := range at {
		out[k] = list.all[p]
	}
	return out
}

func findProblems(s *Snapshot) problemList {
	all := slices.Clone(s.problems)
	for _, i := range s.flawed {
		for _, p := range s.tasks.peek(i).Problems {
			p.UID = s.tasks.uid(i)
			all = append(all, p)
		}
	}
	all = s.tree.problems(&s.tasks, all)
	all = s.graph.problems(&s.tasks, all)
	all = s.tasks.milestoneProblems(s.milestoneFile, all)
	slices.SortStableFunc(all, func(a, b model.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Reason, b.Reason))
	})
	list := problemList{all: all, of: map[model.UID][]int32{}}
	for k, p := range all {
		if p.UID == "" {
			continue
		}
		list.of[p.UID] = append(list.of[p.UID], int32(k))
	}
	list.spread(&s.tasks, s.tree.cycles, codeParentCycle)
	list.spread(&s.tasks, s.graph.Cycles, codeCycle)
	return list
}

// The codes of problems that are told once for several tasks.
const (
	codeCycle       = "cycle"
	codeParentCycle = "parent-cycle"
)

// spread gives the problem of the first member of each cycle to the others.
func (list *problemList) spread(b *book, cycles [][]int32, code string) {
	for _, c := range cycles {
		for _, k := range list.of[b.uid(c[0])] {
			if list.all[k].Code != code {
				continue
			}
			for _, v := range c[1:] {
				uid := b.uid(v)
				at, _ := slices.BinarySearch(list.of[uid], k)
				list.of[uid] = slices.Insert(list.of[uid], at, k)
			}
			break
		}
	}
}

// warn is a problem that leaves its task usable.
func (b *book) warn(i int32, file, code, reason, hint string) model.Problem {
	uid := b.uid(i)
	return model.Problem{
		UID: uid, Path: taskPath(uid, file), Severity: model.Warning,
		Code: code, Reason: reason, Hint: hint,
	}
}

// problems appends what parent_uid has wrong.
func (t *tree) problems(b *book, out []model.Problem) []model.Problem {
	const file = "config.json"
	for _, i := range t.orphans {
		out = append(out, b.warn(i, file, "orphan",
			fmt.Sprintf("its parent %s is not in this store; shown as a root", b.peek(i).Config.ParentUID),
			"restore the parent, or remove parent_uid from the file"))
	}
	for _, i := range t.selves {
		out = append(out, b.warn(i, file, "self-parent",
			"it names itself as its parent; shown as a root", "fix parent_uid"))
	}
	for _, c := range t.cycles {
		out = append(out, b.warn(c[0], file, codeParentCycle,
			"tasks are each other's parents: "+SpellCycle(c, b.title)+"; all are shown as roots",
			"fix parent_uid of one of them"))
	}
	return out
}

// problems appends what depends_on has wrong.
func (g *dependencyGraph) problems(b *book, out []model.Problem) []model.Problem {
	const file = "dependencies.json"
	for _, d := range g.dangling {
		out = append(out, b.warn(d.from, file, "dangling-dependency",
			fmt.Sprintf("it depends on %s, which is not in this store, and stays blocked", d.uid),
			"restore that task, or remove the dependency"))
	}
	for _, i := range g.Selves {
		out = append(out, b.warn(i, file, "self-dependency",
			"it depends on itself, and stays blocked", "remove the dependency"))
	}
	for _, c := range g.Cycles {
		if len(c) == 1 {
			continue // told as a self-dependency
		}
		ring := g.RingThrough(c[0])
		reason := "dependency cycle: " + SpellCycle(ring, b.title)
		if more := len(c) - len(ring); more > 0 {
			reason += fmt.Sprintf("; %d more involved", more)
		}
		out = append(out, b.warn(c[0], file, codeCycle, reason+"; all of these are blocked",
			"remove one of these dependencies"))
	}
	return out
}

// Unmerged is how many files have conflicts in them that vespe resolves.
func Unmerged(s *Snapshot) (n int) {
	count := func(ps []model.Problem) {
		for _, p := range ps {
			if p.Code == model.CodeConflictMarks && p.Hint == model.ContinueHint {
				n++
			}
		}
	}
	count(s.problems)
	for _, i := range s.flawed {
		count(s.tasks.peek(i).Problems)
	}
	return n
}
