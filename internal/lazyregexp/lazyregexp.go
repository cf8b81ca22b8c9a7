// Package lazyregexp compiles a package's regular expressions when they are first used. Each vespe process would pay
// for all of them at its start otherwise: hooks and scripts start one for every call, and use few or none.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first used. It is safe for concurrent use.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// New returns the regular expression expr. Its first use panics where expr is invalid.
func New(expr string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// Get compiles the expression, once, and returns it.
func (r *Regexp) Get() *regexp.Regexp { return r.compiled() }
