package model

import (
	"encoding/binary"
	"math"
	"time"
	"unsafe"
)

// coder writes values to bytes or reads them from there. One function a type names its
// fields once and serves both ways, so that what is written is what is read.
//
// Writing changes nothing but b: others may be reading what is written.
//
// Reading never fails loudly: what the bytes cannot give is zero, and bad is set. Texts
// that are read share the bytes, which must therefore never change.
type coder struct {
	b     []byte // written so far; or what is left to read
	write bool
	bad   bool
}

func (c *coder) fail() { c.bad, c.b = true, nil }

func (c *coder) u64(n *uint64) {
	if c.write {
		c.b = binary.AppendUvarint(c.b, *n)
		return
	}
	v, k := binary.Uvarint(c.b)
	if k <= 0 {
		c.fail()
		*n = 0
		return
	}
	*n, c.b = v, c.b[k:]
}

func (c *coder) i64(n *int64) {
	u := uint64(*n<<1) ^ uint64(*n>>63)
	if c.u64(&u); !c.write {
		*n = int64(u>>1) ^ -int64(u&1)
	}
}

func (c *coder) num(n *int) {
	v := int64(*n)
	if c.i64(&v); !c.write {
		*n = int(v)
	}
}

func (c *coder) flag(f *bool) {
	u := uint64(0)
	if *f {
		u = 1
	}
	if c.u64(&u); !c.write {
		*f = u == 1
	}
}

func (c *coder) float(f *float64) {
	u := math.Float64bits(*f)
	if c.u64(&u); !c.write {
		*f = math.Float64frombits(u)
	}
}

// take is the next n bytes.
func (c *coder) take(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.fail()
		return nil
	}
	out := c.b[:n:n]
	c.b = c.b[n:]
	return out
}

func word[S ~string](c *coder, s *S) {
	n := uint64(len(*s))
	c.u64(&n)
	if c.write {
		c.b = append(c.b, *s...)
		return
	}
	*s = S(shared(c.take(n)))
}

// shared is b as a text, without a copy.
func shared(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

// raw tells nil from empty.
func (c *coder) raw(b *[]byte) {
	n := uint64(len(*b)) + 1
	if *b == nil {
		n = 0
	}
	c.u64(&n)
	switch {
	case c.write:
		c.b = append(c.b, *b...)
	case n == 0:
		*b = nil
	default:
		*b = c.take(n - 1)
	}
}

// time is kept to the nanosecond, in UTC.
func (c *coder) time(t *time.Time) {
	var mark uint64 // 0: the zero time; else 1 + nanoseconds
	var sec int64
	if !t.IsZero() {
		mark, sec = uint64(t.Nanosecond())+1, t.Unix()
	}
	c.u64(&mark)
	if mark == 0 {
		if !c.write {
			*t = time.Time{}
		}
		return
	}
	c.i64(&sec)
	if c.write {
		return
	}
	if mark > 1e9 {
		c.fail()
		return
	}
	*t = time.Unix(sec, int64(mark-1)).UTC()
}

// firstRoom bounds what a count that was read may allocate before its elements are seen.
const firstRoom = 16

// each tells nil from empty. An element takes at least a byte.
func each[T any](c *coder, list *[]T, one func(*T)) {
	n := uint64(len(*list)) + 1
	if *list == nil {
		n = 0
	}
	c.u64(&n)
	switch {
	case c.write:
		for i := range *list {
			one(&(*list)[i])
		}
		return
	case n == 0:
		*list = nil
		return
	case n-1 > uint64(len(c.b)):
		c.fail()
		return
	}
	out := make([]T, 0, min(n-1, firstRoom))
	for range n - 1 {
		var x T
		one(&x)
		if c.bad {
			return
		}
		out = append(out, x)
	}
	*list = out
}

// opt is a value that may be nil.
func opt[T any](c *coder, p **T, one func(*T)) {
	there := *p != nil
	c.flag(&there)
	if !c.write {
		*p = nil
		if there {
			*p = new(T)
		}
	}
	if there {
		one(*p)
	}
}

func words[S ~string](c *coder, list *[]S) { each(c, list, func(s *S) { word(c, s) }) }

func (c *coder) fields(list *[]ExtraField) {
	each(c, list, func(f *ExtraField) {
		word(c, &f.Key)
		c.raw(&f.Value)
	})
}

func (c *coder) extra(x *Extra) { c.fields((*[]ExtraField)(x)) }

func (c *coder) lists(lists *[][]string) { each(c, lists, func(l *[]string) { words(c, l) }) }
