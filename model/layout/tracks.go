package layout

// assignTracks gives every wire with a bend a track and returns how many there are. Wires that
// overlap have different ones. Their order from left to right keeps lines apart that may not touch,
// and has as few crossings as moving one at a time finds.
func assignTracks(wires []*wire) int {
	var bent []*wire
	for _, w := range wires {
		if w.bent() {
			bent = append(bent, w)
		}
	}
	n := len(bent)
	cost := make([]int, n*n) // that i stands left of j, less the reverse
	for i, a := range bent {
		for j, b := range bent[:i] {
			d := leftOf(a, b) - leftOf(b, a)
			cost[i*n+j], cost[j*n+i] = d, -d
		}
	}
	order := allowed(cost, n)
	prefer := make([]int, n*n)
	for i, a := range order {
		for j, b := range order {
			prefer[i*n+j] = cost[a*n+b]
		}
	}
	var scratch []int
	budget := never
	insert(order, prefer, &scratch, &budget)
	tracks := 0
	for k, i := range order {
		bent[i].track = 0
		for _, j := range order[:k] {
			if cost[j*n+i] < 0 && overlap(bent[i], bent[j]) {
				bent[i].track = max(bent[i].track, bent[j].track+1)
			}
		}
		for !free(bent, order[:k], i) {
			bent[i].track++
		}
		tracks = max(tracks, bent[i].track+1)
	}
	return tracks
}

// free says whether no other wire is in the way of one on its track.
func free(bent []*wire, others []int, i int) bool {
	for _, j := range others {
		if bent[j].track == bent[i].track && overlap(bent[i], bent[j]) {
			return false
		}
	}
	return true
}

func overlap(a, b *wire) bool { return a.lo <= b.hi && b.lo <= a.hi }

// leftOf is what it costs that the track of a is left of that of b: the crossings of one's upright
// part with the other's flat ones. It may not be where they would touch.
func leftOf(a, b *wire) int {
	if !overlap(a, b) {
		return 0
	}
	if a.then == b {
		return 0
	}
	if b.then == a {
		return never
	}
	sum := 0
	if a.lo < b.exit && b.exit < a.hi {
		sum++
	}
	for _, e := range a.ends {
		if e.row == b.exit {
			return never
		}
		if b.lo <= e.row && e.row <= b.hi {
			sum++
		}
	}
	return sum
}

// allowed is an order in which no wire stands where it may not; of those that may stand leftmost
// the first comes first.
func allowed(cost []int, n int) []int {
	const must = -never / 2
	waits := make([]int, n)
	for k, d := range cost {
		if d < must {
			waits[k%n]++
		}
	}
	order := make([]int, 0, n)
	for i, k := range waits {
		if k == 0 {
			order = append(order, i)
		}
	}
	for k := 0; k < len(order); k++ {
		for j := range n {
			if cost[order[k]*n+j] < must {
				if waits[j]--; waits[j] == 0 {
					order = append(order, j)
				}
			}
		}
	}
	if len(order) < n {
		panic("layout: wires wait for each other")
	}
	return order
}
