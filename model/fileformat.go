package model

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"vespe/model/packing"
)

// A JSON file of a task is a struct, and so is each object in it. The tag `file` of a field names its key and says what is
// special about it. How the file is read, written, copied and packed into a checkpoint follows from that alone.
//
// After the key, separated by commas:
//
//	always    it is written when it says nothing, too
//	vital     a key that looks like this one is an error: two readers could see two tasks
//	lone      in a list of such objects, a text in place of one is this field of it
//	short     … and one that says nothing else is written so
//	as=NAME   its values are read or written in a form of their own: see valueNamed
//	head      it is in the part of a record that filters look at, so that it is not packed again (head)
//
// Keys are written in the order of the fields. A field of type Extra keeps the unknown keys. A field without the tag is in
// no file, and is copied and packed.

// format is what the tags of a struct say.
type format struct {
	fields []formatField // all, in their order
	keyed  []int         // those with a key
	keys   []string      // their keys
	vital  []string
	extra  int // the field of type Extra; -1: there is none
	lone   int // the field that a text alone is; -1: there is none
	short  bool
}

type formatField struct {
	key    string
	always bool
	head   bool
	value
}

// value is how values of one type are read from JSON, written, copied and packed.
type value struct {
	read  func(r *reader, m *members, v reflect.Value)
	empty func(v reflect.Value) bool // it says nothing
	write func(w *writer, v reflect.Value)
	own   func(v reflect.Value) // copies what v shares with what it was copied from; nil: it shares nothing
	pack  func(c *packing.Coder, v reflect.Value)
}

// formatOf is the format of a struct, made when it is first asked for.
func formatOf[T any]() func() *format {
	return sync.OnceValue(func() *format { return newFormat(reflect.TypeFor[T]()) })
}

func newFormat(t reflect.Type) *format {
	f := &format{extra: -1, lone: -1}
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := strings.Split(sf.Tag.Get("file"), ",")
		x := formatField{key: tag[0]}
		as := ""
		for _, option := range tag[1:] {
			switch name, arg, _ := strings.Cut(option, "="); name {
			case "always":
				x.always = true
			case "vital":
				f.vital = append(f.vital, x.key)
			case "lone", "short":
				f.lone, f.short = i, name == "short"
			case "head":
				x.head = true
			case "as":
				as = arg
			default:
				panic(fmt.Sprintf("%s.%s: no such option of a field: %q", t, sf.Name, option))
			}
		}
		x.value = valueOf(sf.Type)
		if as != "" {
			x.value = valueNamed(as, x.value)
		}
		if sf.Type == reflect.TypeFor[Extra]() {
			f.extra = i
		}
		if x.key != "" {
			f.keyed, f.keys = append(f.keyed, i), append(f.keys, x.key)
		}
		f.fields = append(f.fields, x)
	}
	return f
}

// read reads the members of an object into a struct, and returns the set of the keys that were there.
func (f *format) read(r *reader, m *members, v reflect.Value) (seen uint64) {
	at := -1
	for m.next() {
		if k := f.find(m.bare(), at+1); k >= 0 {
			at = k
			seen |= 1 << k
			field := f.keyed[k]
			f.fields[field].read(r, m, v.Field(field))
			continue
		}
		switch {
		case r.strange != nil:
			r.strange(m)
		case r.of != "":
			r.foreign(m, f.keys)
		case f.extra < 0:
			r.dropped(m)
		default:
			r.unknown(m, f.keys, f.vital...)
		}
	}
	return seen
}

// find returns the place of a key in f.keys, or -1. It starts at from, because most files have their keys in order.
func (f *format) find(key []byte, from int) int {
	for i := range f.keys {
		if i += from; i >= len(f.keys) {
			i -= len(f.keys)
		}
		if f.keys[i] == string(key) {
			return i
		}
	}
	return -1
}

// has reports whether read has seen one of the format's keys. It panics on any other key.
func (f *format) has(seen uint64, key string) bool { return seen&(1<<slices.Index(f.keys, key)) != 0 }

// write writes the members of an object.
func (f *format) write(w *writer, v reflect.Value) {
	for _, i := range f.keyed {
		x := &f.fields[i]
		if field := v.Field(i); w.member(x.key, x.empty(field), x.always) {
			x.write(w, field)
		}
	}
	w.rest(f.keys)
}

// extraOf are the unknown keys of an object.
func (f *format) extraOf(v reflect.Value) Extra {
	if f.extra < 0 {
		return nil
	}
	return *v.Field(f.extra).Addr().Interface().(*Extra)
}

func (f *format) setExtra(v reflect.Value, extra Extra) {
	if f.extra >= 0 {
		*v.Field(f.extra).Addr().Interface().(*Extra) = extra
	}
}

func (f *format) own(v reflect.Value) {
	for i := range f.fields {
		if own := f.fields[i].own; own != nil {
			own(v.Field(i))
		}
	}
}

func (f *format) pack(c *packing.Coder, v reflect.Value) {
	for i := range f.fields {
		if x := &f.fields[i]; !x.head {
			x.pack(c, v.Field(i))
		}
	}
}

// encoded is a file with the object that p points to.
func encoded[T any](f *format, p *T) []byte {
	v := reflect.ValueOf(p).Elem()
	w := writer{buf: make([]byte, 0, 512), extra: f.extraOf(v)}
	w.open('{')
	f.write(&w, v)
	return w.file()
}

// cloned is a deep copy of what p points to; nil of nil. Nothing of it is shared but immutable texts.
func cloned[T any](f *format, p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	f.own(reflect.ValueOf(&c).Elem())
	return &c
}

// packed packs or unpacks what p points to.
func packed[T any](c *packing.Coder, f *format, p *T) { f.pack(c, reflect.ValueOf(p).Elem()) }
