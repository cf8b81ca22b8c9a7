package model

import "slices"

// adjacency is a set of edges in compressed sparse rows: the edges of i are
// to[off[i]:off[i+1]]. Two slices hold them all, so that walking 100k tasks touches
// memory in order. Rows that are others by now stand apart, so that the next one after a
// change of a few shares all the rest.
type adjacency struct {
	off []int32 // one more than there are rows in to
	to  []int32

	apart pages[[]int32] // rows that are not in to, nil for those that are; no pages: none
	n     int32          // rows in all, where there are some apart
	aside int            // how many are apart
}

// of is the row of i. It is a view: appending to it copies, writing to it is a mistake.
func (a *adjacency) of(i int32) []int32 {
	if a.apart.list != nil {
		return a.lookAside(i)
	}
	lo, hi := a.off[i], a.off[i+1]
	return a.to[lo:hi:hi]
}

func (a *adjacency) lookAside(i int32) []int32 {
	if row := *a.apart.at(i); row != nil {
		return row
	}
	if int(i)+1 >= len(a.off) {
		return a.to[:0:0]
	}
	lo, hi := a.off[i], a.off[i+1]
	return a.to[lo:hi:hi]
}

func (a *adjacency) degree(i int32) int32 { return int32(len(a.of(i))) }

// len is the number of rows.
func (a *adjacency) len() int32 {
	if a.apart.list != nil {
		return a.n
	}
	return int32(len(a.off) - 1)
}

// with is a copy with n rows, some of which are others.
func (a *adjacency) with(n int32, rows map[int32][]int32) adjacency {
	out := *a
	if a.apart.list == nil {
		out.apart = zeroPages[[]int32](int(a.len()))
	}
	edit := editor[[]int32]{pages: out.apart.longer(int(n)), own: map[int32]bool{}}
	for i, row := range rows {
		at := edit.change(i)
		if *at == nil {
			out.aside++
		}
		if *at = slices.Clip(row); row == nil {
			*at = []int32{}
		}
	}
	out.apart, out.n = edit.pages, n
	return out
}

// crowded says whether so many rows stand apart that it is time for one without.
func (a *adjacency) crowded() bool { return a.aside > 1024+len(a.off)/16 }

// flat is an equal one with no rows apart.
func (a *adjacency) flat() adjacency {
	if a.apart.list == nil {
		return *a
	}
	out := adjacency{off: make([]int32, 1, a.n+1), to: make([]int32, 0, len(a.to))}
	for i := range a.n {
		out.to = append(out.to, a.of(i)...)
		out.off = append(out.off, int32(len(out.to)))
	}
	return out
}

func (a *adjacency) equal(b *adjacency) bool {
	if a.len() != b.len() {
		return false
	}
	for i := range a.len() {
		if !slices.Equal(a.of(i), b.of(i)) {
			return false
		}
	}
	return true
}

// reversed turns every edge round. Rows come out ascending.
func (a *adjacency) reversed() adjacency {
	flat := a.flat()
	n := len(flat.off) - 1
	r := adjacency{off: make([]int32, n+1), to: make([]int32, len(flat.to))}
	for _, t := range flat.to {
		r.off[t+1]++
	}
	for i := range n {
		r.off[i+1] += r.off[i]
	}
	fill := append([]int32(nil), r.off[:n]...)
	for i := range int32(n) {
		for _, t := range flat.of(i) {
			r.to[fill[t]] = i
			fill[t]++
		}
	}
	return r
}
