// Package packing writes values to bytes and reads them from there: one function a type serves both ways.
package packing

import (
	"encoding/binary"
	"math"
	"time"
	"unsafe"
)

// Coder writes values to bytes or reads them from there. One function a type names its
// fields once and serves both ways, so that what is written is what is read.
//
// Writing changes nothing but Bytes: others may be reading what is written.
//
// Reading never fails loudly: what the bytes cannot give is zero, and Bad is set. Texts
// that are read share the bytes, which must therefore never change.
type Coder struct {
	Bytes   []byte // written so far; or what is left to read
	Writing bool
	Bad     bool
}

// Fail says that the bytes cannot be read.
func (c *Coder) Fail() { c.Bad, c.Bytes = true, nil }

// Uint is a number from 0.
func (c *Coder) Uint(n *uint64) {
	if c.Writing {
		c.Bytes = binary.AppendUvarint(c.Bytes, *n)
		return
	}
	v, k := binary.Uvarint(c.Bytes)
	if k <= 0 {
		c.Fail()
		*n = 0
		return
	}
	*n, c.Bytes = v, c.Bytes[k:]
}

// Int is a number of 64 bits.
func (c *Coder) Int(n *int64) {
	u := uint64(*n<<1) ^ uint64(*n>>63)
	if c.Uint(&u); !c.Writing {
		*n = int64(u>>1) ^ -int64(u&1)
	}
}

// Num is a number.
func (c *Coder) Num(n *int) {
	v := int64(*n)
	if c.Int(&v); !c.Writing {
		*n = int(v)
	}
}

// Bool is a truth value.
func (c *Coder) Bool(f *bool) {
	u := uint64(0)
	if *f {
		u = 1
	}
	if c.Uint(&u); !c.Writing {
		*f = u == 1
	}
}

// Float is a number, bit by bit.
func (c *Coder) Float(f *float64) {
	u := math.Float64bits(*f)
	if c.Uint(&u); !c.Writing {
		*f = math.Float64frombits(u)
	}
}

// Next is the next n bytes.
func (c *Coder) Next(n uint64) []byte {
	if n > uint64(len(c.Bytes)) {
		c.Fail()
		return nil
	}
	out := c.Bytes[:n:n]
	c.Bytes = c.Bytes[n:]
	return out
}

// Word is a text.
func Word[S ~string](c *Coder, s *S) {
	n := uint64(len(*s))
	c.Uint(&n)
	if c.Writing {
		c.Bytes = append(c.Bytes, *s...)
		return
	}
	*s = S(Shared(c.Next(n)))
}

// Shared is b as a text, without a copy.
func Shared(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

// Raw tells nil from empty.
func (c *Coder) Raw(b *[]byte) {
	n := uint64(len(*b)) + 1
	if *b == nil {
		n = 0
	}
	c.Uint(&n)
	switch {
	case c.Writing:
		c.Bytes = append(c.Bytes, *b...)
	case n == 0:
		*b = nil
	default:
		*b = c.Next(n - 1)
	}
}

// Time is kept to the nanosecond, in UTC.
func (c *Coder) Time(t *time.Time) {
	var mark uint64 // 0: the zero time; else 1 + nanoseconds
	var sec int64
	if !t.IsZero() {
		mark, sec = uint64(t.Nanosecond())+1, t.Unix()
	}
	c.Uint(&mark)
	if mark == 0 {
		if !c.Writing {
			*t = time.Time{}
		}
		return
	}
	c.Int(&sec)
	if c.Writing {
		return
	}
	if mark > 1e9 {
		c.Fail()
		return
	}
	*t = time.Unix(sec, int64(mark-1)).UTC()
}

// FirstRoom bounds what a count that was read may allocate before its elements are seen.
const FirstRoom = 16

// Each tells nil from empty. An element takes at least a byte.
func Each[T any](c *Coder, list *[]T, one func(*T)) {
	n := uint64(len(*list)) + 1
	if *list == nil {
		n = 0
	}
	c.Uint(&n)
	switch {
	case c.Writing:
		for i := range *list {
			one(&(*list)[i])
		}
		return
	case n == 0:
		*list = nil
		return
	case n-1 > uint64(len(c.Bytes)):
		c.Fail()
		return
	}
	out := make([]T, 0, min(n-1, FirstRoom))
	for range n - 1 {
		var x T
		one(&x)
		if c.Bad {
			return
		}
		out = append(out, x)
	}
	*list = out
}

// Opt is a value that may be nil.
func Opt[T any](c *Coder, p **T, one func(*T)) {
	there := *p != nil
	c.Bool(&there)
	if !c.Writing {
		*p = nil
		if there {
			*p = new(T)
		}
	}
	if there {
		one(*p)
	}
}

// Words is a list of texts.
func Words[S ~string](c *Coder, list *[]S) { Each(c, list, func(s *S) { Word(c, s) }) }

// Lists is a list of lists of texts.
func (c *Coder) Lists(lists *[][]string) { Each(c, lists, func(l *[]string) { Words(c, l) }) }
