package rail

import (
	"slices"

	"vespe/model/snapshot"
)

// kept says which tasks the graph shows, by task.
type kept []bool

// newGraph takes the edges between kept tasks out of a snapshot. node maps the graph's
// nodes to tasks, ascending; loose are the kept tasks without any edge.
func newGraph(s *snapshot.Snapshot, keep kept) (g *graph, node, loose []int32) {
	n := s.Len()
	of := make([]int32, n)
	edges := 0
	for i := range n {
		of[i] = -1
		if !keep[i] {
			continue
		}
		out := s.Dependents(i)
		if keep.any(out) || keep.any(s.DependsOn(i)) {
			of[i] = int32(len(node))
			node = append(node, int32(i))
			edges += len(out)
		} else {
			loose = append(loose, int32(i))
		}
	}
	g = &graph{n: len(node), start: make([]int32, 1, len(node)+1), to: make([]int32, 0, edges)}
	for _, i := range node {
		for _, d := range s.Dependents(int(i)) {
			if of[d] >= 0 {
				g.to = append(g.to, of[d])
			}
		}
		g.start = append(g.start, int32(len(g.to)))
	}
	return g, node, loose
}

func (k kept) any(tasks []int32) bool {
	return slices.ContainsFunc(tasks, func(t int32) bool { return k[t] })
}
