package graph

import "slices"

// PageSize is how many elements a page holds: few enough that copying one is cheap, many
// enough that the list of pages is short.
const PageSize = 256

// Pages is a fixed-length slice cut into pages, so that a copy which changes a few
// elements shares all the other pages with the original.
type Pages[T any] struct{ list [][]T }

// NewPages is n zero elements.
func NewPages[T any](n int) Pages[T] {
	all := make([]T, n)
	p := Pages[T]{list: make([][]T, 0, (n+PageSize-1)/PageSize)}
	for len(all) > 0 {
		k := min(PageSize, len(all))
		p.list = append(p.list, all[:k:k])
		all = all[k:]
	}
	return p
}

// ZeroPages is n zero elements that share one page: only copies of it may be written to.
func ZeroPages[T any](n int) Pages[T] {
	var p Pages[T]
	zero := make([]T, min(n, PageSize))
	for ; n > 0; n -= PageSize {
		p.list = append(p.list, zero[:min(n, PageSize)])
	}
	return p
}

// At is element i.
func (p *Pages[T]) At(i int32) *T { return &p.list[i/PageSize][i%PageSize] }

// Editor makes a changed copy of pages.
type Editor[T any] struct {
	Pages[T]
	own map[int32]bool // pages that are copied already
}

// Edit begins a changed copy.
func (p *Pages[T]) Edit() *Editor[T] {
	return &Editor[T]{Pages: Pages[T]{list: slices.Clone(p.list)}, own: map[int32]bool{}}
}

// Change is the element to write to; its page is copied the first time.
func (e *Editor[T]) Change(i int32) *T {
	k := i / PageSize
	if !e.own[k] {
		e.list[k] = slices.Clone(e.list[k])
		e.own[k] = true
	}
	return e.At(i)
}

// Longer is a copy with room for n elements, which shares every full page with the
// original.
func (p *Pages[T]) Longer(n int) Pages[T] {
	out := Pages[T]{list: slices.Clone(p.list)}
	if k := len(out.list); k > 0 && len(out.list[k-1]) < PageSize {
		last := make([]T, min(PageSize, n-(k-1)*PageSize))
		copy(last, out.list[k-1])
		out.list[k-1] = last
	}
	for len(out.list)*PageSize < n {
		out.list = append(out.list, make([]T, min(PageSize, n-len(out.list)*PageSize)))
	}
	return out
}
