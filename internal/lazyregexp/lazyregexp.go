// Package lazyregexp compiles a package's regular expressions when they are first used. Each vespe process would pay
// for all of them at its start otherwise: hooks and scripts start one for every call, and use few or none.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first used. It is safe for concurrent use.
type Regexp struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

// New returns the regular expression expr. Its first use panics where expr is invalid. The compiler makes data of it, so
// that a variable of a package costs nothing at the start.
func New(expr string) *Regexp { return &Regexp{expr: expr} }

// Get compiles the expression, once, and returns it.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.expr) })
	return r.re
}
