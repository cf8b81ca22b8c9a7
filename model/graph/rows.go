package graph

import "slices"

// Rows is a set of edges in compressed sparse rows: the edges of i are
// To[Off[i]:Off[i+1]]. Two slices hold them all, so that walking 100k tasks touches
// memory in order. Rows that have changed stand apart, so that the next one after a
// change of a few shares all the rest.
type Rows struct {
	Off []int32 // one more than there are rows in To
	To  []int32

	apart Pages[[]int32] // rows that are not in To, nil for those that are; no pages: none
	n     int32          // rows in all, where there are some apart
	aside int            // how many are apart
}

// Of is the row of i. It is a view: appending to it copies, writing to it is a mistake.
func (a *Rows) Of(i int32) []int32 {
	if a.apart.list != nil {
		return a.lookAside(i)
	}
	lo, hi := a.Off[i], a.Off[i+1]
	return a.To[lo:hi:hi]
}

func (a *Rows) lookAside(i int32) []int32 {
	if row := *a.apart.At(i); row != nil {
		return row
	}
	if int(i)+1 >= len(a.Off) {
		return a.To[:0:0]
	}
	lo, hi := a.Off[i], a.Off[i+1]
	return a.To[lo:hi:hi]
}

// Degree is how many edges i has.
func (a *Rows) Degree(i int32) int32 { return int32(len(a.Of(i))) }

// Len is the number of rows.
func (a *Rows) Len() int32 {
	if a.apart.list != nil {
		return a.n
	}
	return int32(len(a.Off) - 1)
}

// With is a copy with n rows, some of them replaced.
func (a *Rows) With(n int32, rows map[int32][]int32) Rows {
	out := *a
	if a.apart.list == nil {
		out.apart = ZeroPages[[]int32](int(a.Len()))
	}
	edit := Editor[[]int32]{Pages: out.apart.Longer(int(n)), own: map[int32]bool{}}
	for i, row := range rows {
		at := edit.Change(i)
		if *at == nil {
			out.aside++
		}
		if *at = slices.Clip(row); row == nil {
			*at = []int32{}
		}
	}
	out.apart, out.n = edit.Pages, n
	return out
}

// Aside is how many rows stand apart.
func (a *Rows) Aside() int { return a.aside }

// Crowded says whether so many rows stand apart that it is time for one without.
func (a *Rows) Crowded() bool { return a.aside > 1024+len(a.Off)/16 }

// Flat is an equal one with no rows apart.
func (a *Rows) Flat() Rows {
	if a.apart.list == nil {
		return *a
	}
	out := Rows{Off: make([]int32, 1, a.n+1), To: make([]int32, 0, len(a.To))}
	for i := range a.n {
		out.To = append(out.To, a.Of(i)...)
		out.Off = append(out.Off, int32(len(out.To)))
	}
	return out
}

// Equal reports whether both have the same edges.
func (a *Rows) Equal(b *Rows) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !slices.Equal(a.Of(i), b.Of(i)) {
			return false
		}
	}
	return true
}

// Reversed turns every edge round. Rows come out ascending.
func (a *Rows) Reversed() Rows {
	flat := a.Flat()
	n := len(flat.Off) - 1
	r := Rows{Off: make([]int32, n+1), To: make([]int32, len(flat.To))}
	for _, t := range flat.To {
		r.Off[t+1]++
	}
	for i := range n {
		r.Off[i+1] += r.Off[i]
	}
	fill := append([]int32(nil), r.Off[:n]...)
	for i := range int32(n) {
		for _, t := range flat.Of(i) {
			r.To[fill[t]] = i
			fill[t]++
		}
	}
	return r
}
