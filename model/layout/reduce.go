package layout

import "slices"

// reduce marks as Redundant every plain edge between whose ends there is a path of others. From
// each node with several followers the nearest are walked first, and nothing is walked that stands
// behind the last of them in topological order.
func (c *canonical) reduce() {
	out := c.rowsOf(Drawn)
	order, ok := topological(c.n, &out)
	if !ok {
		panic("layout: a cycle is left")
	}
	at := make([]int, c.n)
	for i, v := range order {
		at[v] = i
	}
	seen := make([]int, c.n)
	var stack, byPlace []int
	for v := range c.n {
		if out.degree(v) < 2 {
			continue
		}
		byPlace = append(byPlace[:0], out.edges(v)...)
		slices.SortFunc(byPlace, func(a, b int) int { return at[c.pairs[a].to] - at[c.pairs[b].to] })
		last := at[c.pairs[byPlace[len(byPlace)-1]].to]
		for _, k := range byPlace {
			w := c.pairs[k].to
			if seen[w] == v+1 {
				c.state[c.pairs[k].edge] = Redundant
				continue
			}
			stack = append(stack[:0], w)
			seen[w] = v + 1
			for len(stack) > 0 {
				u := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				for _, x := range out.of(u) {
					if seen[x] != v+1 && at[x] <= last {
						seen[x] = v + 1
						stack = append(stack, x)
					}
				}
			}
		}
	}
}
