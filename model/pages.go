package model

import "slices"

// pageSize is how many elements a page holds: few enough that copying one is cheap, many
// enough that the list of pages is short.
const pageSize = 256

// pages is a fixed-length slice cut into pages, so that a copy which changes a few
// elements shares all the other pages with the original.
type pages[T any] struct{ list [][]T }

func newPages[T any](n int) pages[T] {
	all := make([]T, n)
	p := pages[T]{list: make([][]T, 0, (n+pageSize-1)/pageSize)}
	for len(all) > 0 {
		k := min(pageSize, len(all))
		p.list = append(p.list, all[:k:k])
		all = all[k:]
	}
	return p
}

// zeroPages is n zero elements that share one page: only copies of it may be written to.
func zeroPages[T any](n int) pages[T] {
	var p pages[T]
	zero := make([]T, min(n, pageSize))
	for ; n > 0; n -= pageSize {
		p.list = append(p.list, zero[:min(n, pageSize)])
	}
	return p
}

func (p *pages[T]) at(i int32) *T { return &p.list[i/pageSize][i%pageSize] }

// editor makes a changed copy of a pages.
type editor[T any] struct {
	pages[T]
	own map[int32]bool // pages that are copied already
}

func (p *pages[T]) edit() *editor[T] {
	return &editor[T]{pages: pages[T]{list: slices.Clone(p.list)}, own: map[int32]bool{}}
}

// change is the element to write to; its page is copied the first time.
func (e *editor[T]) change(i int32) *T {
	k := i / pageSize
	if !e.own[k] {
		e.list[k] = slices.Clone(e.list[k])
		e.own[k] = true
	}
	return e.at(i)
}

// longer is a copy with room for n elements, which shares every full page with the
// original.
func (p *pages[T]) longer(n int) pages[T] {
	out := pages[T]{list: slices.Clone(p.list)}
	if k := len(out.list); k > 0 && len(out.list[k-1]) < pageSize {
		last := make([]T, min(pageSize, n-(k-1)*pageSize))
		copy(last, out.list[k-1])
		out.list[k-1] = last
	}
	for len(out.list)*pageSize < n {
		out.list = append(out.list, make([]T, min(pageSize, n-len(out.list)*pageSize)))
	}
	return out
}
