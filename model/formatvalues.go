package model

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"vespe/model/packing"
)

// in makes a method or function for a type one for any value of that type.
func in[T any](of func(p *T)) func(reflect.Value) {
	return func(v reflect.Value) { of(v.Addr().Interface().(*T)) }
}

// valueFor is how values of one type are read, written and packed by functions for that type.
func valueFor[T any](read func(*reader, *members, *T), write func(*writer, T), pack func(*packing.Coder, *T)) value {
	return value{
		read:  func(r *reader, m *members, v reflect.Value) { read(r, m, v.Addr().Interface().(*T)) },
		empty: reflect.Value.IsZero,
		write: func(w *writer, v reflect.Value) { write(w, *v.Addr().Interface().(*T)) },
		pack:  func(c *packing.Coder, v reflect.Value) { pack(c, v.Addr().Interface().(*T)) },
	}
}

// listFor is valueFor for a list, which says nothing while it is empty.
func listFor[T any](read func(*reader, *members, *[]T), write func(*writer, []T), pack func(*packing.Coder, *[]T), own func(*[]T)) value {
	x := valueFor(read, write, pack)
	x.empty = noItems
	x.own = in(own)
	return x
}

func noItems(v reflect.Value) bool { return v.Len() == 0 }

// valueOf is how values of a type are read and written where the tag does not say.
func valueOf(t reflect.Type) value {
	switch t {
	case reflect.TypeFor[State]():
		return asText(reads((*reader).state))
	case reflect.TypeFor[Priority]():
		return asText(reads((*reader).priority))
	case reflect.TypeFor[UID]():
		return asText(reads((*reader).uid))
	case reflect.TypeFor[time.Time]():
		x := valueFor((*reader).time, (*writer).timeValue, (*packing.Coder).Time)
		x.empty = func(v reflect.Value) bool { return v.Addr().Interface().(*time.Time).IsZero() }
		return x
	case reflect.TypeFor[[]string]():
		return listFor(func(r *reader, m *members, p *[]string) { readTexts(r, m, p) }, list[string], packing.Words[string], ownList)
	case reflect.TypeFor[[]UID]():
		return listFor(func(r *reader, m *members, p *[]UID) { r.uids(m, p) }, list[UID], packing.Words[UID], ownList)
	case reflect.TypeFor[[][]string]():
		return listFor((*reader).commands, (*writer).lists, (*packing.Coder).Lists, func(p *[][]string) {
			*p = slices.Clone(*p)
			for i := range *p {
				ownList(&(*p)[i])
			}
		})
	case reflect.TypeFor[[]byte]():
		x := listFor((*reader).rawObject, (*writer).raw, (*packing.Coder).Raw, func(p *[]byte) { *p = bytes.Clone(*p) })
		x.empty = reflect.Value.IsNil
		return x
	case reflect.TypeFor[[]ExtraField]():
		return listFor((*reader).fields, func(w *writer, x []ExtraField) { w.verbatim(x) }, func(c *packing.Coder, l *[]ExtraField) { packFields(c, l) },
			func(p *[]ExtraField) { *p = Extra(*p).Clone() })
	case reflect.TypeFor[Extra]():
		return value{own: in(func(p *Extra) { *p = p.Clone() }), pack: func(c *packing.Coder, v reflect.Value) { PackExtra(c, v.Addr().Interface().(*Extra)) }}
	case reflect.TypeFor[struct{}](): // a key that is passed over
		return value{
			read: func(*reader, *members, reflect.Value) {}, empty: reflect.Value.IsZero, pack: func(*packing.Coder, reflect.Value) {},
		}
	}
	return valueOfKind(t)
}

func valueOfKind(t reflect.Type) value {
	switch t.Kind() {
	case reflect.String:
		return asText(func(r *reader, m *members, v reflect.Value) {
			if s, ok := r.text(m); ok {
				v.SetString(s)
			}
		})
	case reflect.Bool:
		return valueFor((*reader).bool, func(w *writer, b bool) { w.buf = strconv.AppendBool(w.buf, b) }, (*packing.Coder).Bool)
	case reflect.Int:
		return value{
			read:  reads((*reader).int),
			empty: reflect.Value.IsZero,
			write: func(w *writer, v reflect.Value) { w.buf = strconv.AppendInt(w.buf, v.Int(), 10) },
			pack: func(c *packing.Coder, v reflect.Value) {
				n := v.Int()
				if c.Int(&n); !c.Writing {
					v.SetInt(n)
				}
			},
		}
	case reflect.Int64:
		return valueFor(count[int64], func(w *writer, n int64) { w.buf = strconv.AppendInt(w.buf, n, 10) }, (*packing.Coder).Int)
	case reflect.Uint64:
		return valueFor(count[uint64], func(w *writer, n uint64) { w.buf = strconv.AppendUint(w.buf, n, 10) }, (*packing.Coder).Uint)
	case reflect.Float64:
		x := valueFor((*reader).number, func(w *writer, f float64) { w.buf = strconv.AppendFloat(w.buf, f, 'f', -1, 64) }, (*packing.Coder).Float)
		x.empty = func(v reflect.Value) bool { f := v.Float(); return f == 0 || math.IsNaN(f) || math.IsInf(f, 0) }
		return x
	case reflect.Pointer:
		return objectValue(newFormat(t.Elem()))
	case reflect.Slice:
		return objectsValue(t, newFormat(t.Elem()))
	}
	panic("no field of a file has the type " + t.String())
}

// reads makes a reader for one type one for any value of that type.
func reads[T any](read func(*reader, *members, *T)) func(*reader, *members, reflect.Value) {
	return func(r *reader, m *members, v reflect.Value) { read(r, m, v.Addr().Interface().(*T)) }
}

// asText is a text that is read in a way of its own.
func asText(read func(*reader, *members, reflect.Value)) value {
	return value{
		read:  read,
		empty: func(v reflect.Value) bool { return v.Len() == 0 },
		write: func(w *writer, v reflect.Value) { w.buf = appendQuoted(w.buf, v.String()) },
		pack: func(c *packing.Coder, v reflect.Value) {
			s := v.String()
			if packing.Word(c, &s); !c.Writing {
				v.SetString(s)
			}
		},
	}
}

// objectValue is an object; nil where there is none.
func objectValue(f *format) value {
	return value{
		read: func(r *reader, m *members, v reflect.Value) {
			sub, in, ok := r.object(m, "an object")
			if !ok {
				return
			}
			p := reflect.New(v.Type().Elem())
			f.read(&sub, &in, p.Elem())
			if r.join(m, &sub) {
				f.setExtra(p.Elem(), sub.extra)
				v.Set(p)
			}
		},
		empty: reflect.Value.IsNil,
		write: func(w *writer, v reflect.Value) { f.object(w, v.Elem()) },
		own: func(v reflect.Value) {
			if !v.IsNil() {
				c := reflect.New(v.Type().Elem())
				c.Elem().Set(v.Elem())
				f.own(c.Elem())
				v.Set(c)
			}
		},
		pack: func(c *packing.Coder, v reflect.Value) {
			there := !v.IsNil()
			if c.Bool(&there); !c.Writing {
				v.SetZero()
				if there {
					v.Set(reflect.New(v.Type().Elem()))
				}
			}
			if there {
				f.pack(c, v.Elem())
			}
		},
	}
}

// object writes an object in another.
func (f *format) object(w *writer, v reflect.Value) {
	outer := w.nested('{', f.extraOf(v))
	f.write(w, v)
	w.endNested('}', outer)
}

// objectsValue is a list of objects; of texts, too, where the object has a field that a text alone stands for. One text in
// place of the list is a list of one then.
func objectsValue(t reflect.Type, f *format) value {
	return value{
		read:  func(r *reader, m *members, v reflect.Value) { f.readList(r, m, v) },
		empty: noItems,
		write: func(w *writer, v reflect.Value) {
			outer := w.nested('[', nil)
			for i := range v.Len() {
				w.item()
				if x := v.Index(i); f.short && f.saysOnly(x, f.lone) {
					f.fields[f.lone].write(w, x.Field(f.lone))
				} else {
					f.object(w, x)
				}
			}
			w.endNested(']', outer)
		},
		own: func(v reflect.Value) {
			if v.IsNil() {
				return
			}
			c := reflect.MakeSlice(t, v.Len(), v.Len())
			reflect.Copy(c, v)
			for i := range c.Len() {
				f.own(c.Index(i))
			}
			v.Set(c)
		},
		pack: func(c *packing.Coder, v reflect.Value) {
			n := uint64(v.Len()) + 1
			if v.IsNil() {
				n = 0
			}
			c.Uint(&n)
			switch {
			case c.Writing:
				for i := range v.Len() {
					f.pack(c, v.Index(i))
				}
				return
			case n == 0:
				v.SetZero()
				return
			case n-1 > uint64(len(c.Bytes)): // an element takes at least a byte
				c.Fail()
				return
			}
			out := reflect.MakeSlice(t, 0, int(min(n-1, packing.FirstRoom))) //nolint:gosec // it is bounded
			for range n - 1 {
				x := reflect.New(t.Elem()).Elem()
				if f.pack(c, x); c.Bad {
					return
				}
				out = reflect.Append(out, x)
			}
			v.Set(out)
		},
	}
}

// saysOnly reports that all fields of an object but one say nothing.
func (f *format) saysOnly(v reflect.Value, only int) bool {
	for _, i := range f.keyed {
		if i != only && !f.fields[i].empty(v.Field(i)) {
			return false
		}
	}
	return len(f.extraOf(v)) == 0
}

func (f *format) readList(r *reader, m *members, v reflect.Value) {
	want := "a list of objects"
	if f.lone >= 0 {
		want = "a list of texts and objects"
	}
	out := reflect.Zero(v.Type())
	sub := reader{path: r.path, src: r.src}
	add := func(e *members) {
		x := reflect.New(v.Type().Elem()).Elem()
		switch {
		case e.val[0] == '{':
			sub.extra = nil
			in := e.inside()
			f.read(&sub, &in, x)
			f.setExtra(x, sub.extra)
		case isString(e.val) && f.lone >= 0:
			x.Field(f.lone).SetString(unquote(e.val))
		default:
			sub.wrong(e, want+" only")
		}
		out = reflect.Append(out, x)
	}
	switch {
	case m.val[0] == 'n':
		return
	case m.val[0] == '[':
		for e := m.inside(); e.element() && !sub.spoiled; {
			add(&e)
		}
	case isString(m.val) && f.lone >= 0:
		add(m)
	default:
		r.wrong(m, want)
		return
	}
	if r.join(m, &sub) {
		v.Set(out)
	}
}

func ownList[T any](p *[]T) { *p = slices.Clone(*p) }

// valueNamed is how values are read and written that have a form of their own.
func valueNamed(name string, x value) value {
	switch name {
	case "hash": // in older forms, too
		x.read = reads((*reader).hash)
	case "progress":
		x.read = reads((*reader).progress)
	case "risk":
		x.read = reads((*reader).risk)
	case "exit":
		x.read = reads((*reader).exit)
	case "current-state":
		x.read = reads((*reader).currentState)
	case "identity":
		x.read = reads((*reader).identity)
	case "name":
		x.read = reads((*reader).taskName)
	case "file-name":
		x.read = reads((*reader).fileName)
	case "accepted":
		object := x.read
		x.read = func(r *reader, m *members, v reflect.Value) {
			if !r.acceptedHash(m, v.Addr().Interface().(**AcceptedPlan)) {
				object(r, m, v)
			}
		}
	case "changes":
		x.read, x.write = reads((*reader).changes), func(w *writer, v reflect.Value) { w.changes(*v.Addr().Interface().(*[]ChangeReason)) }
	case "hashes":
		x.read, x.write = reads((*reader).hashes), func(w *writer, v reflect.Value) { w.hashes(*v.Addr().Interface().(*[]ContentHash)) }
	case "one-line":
		x.write = func(w *writer, v reflect.Value) { w.oneLine(*v.Addr().Interface().(*[]string)) }
	case "details":
		x.read, x.write = reads((*reader).details), func(w *writer, v reflect.Value) { w.fields(*v.Addr().Interface().(*[]ExtraField)) }
	case "compact":
		x.read, x.empty = reads((*reader).compact), noItems
	case "dependencies":
		x.read = reads((*reader).dependencies)
	case "milestones":
		one := newFormat(reflect.TypeFor[Milestone]())
		x.read = reads(func(r *reader, m *members, dst *[]Milestone) { r.milestones(m, one, dst) })
	case "status-before":
		x.read, x.write = reads((*reader).statusBefore), func(w *writer, v reflect.Value) { w.reindented(v.Bytes()) }
		x.empty = noItems
	case "or-null":
		write := x.write
		x.write = func(w *writer, v reflect.Value) {
			if x.empty(v) {
				w.buf = append(w.buf, "null"...)
				return
			}
			write(w, v)
		}
	default:
		return ruleNamed(name, x)
	}
	return x
}

func packFields(c *packing.Coder, list *[]ExtraField) {
	packing.Each(c, list, func(f *ExtraField) {
		packing.Word(c, &f.Key)
		c.Raw(&f.Value)
	})
}

// PackExtra packs or unpacks unknown keys.
func PackExtra(c *packing.Coder, x *Extra) { packFields(c, (*[]ExtraField)(x)) }

// PackStatus packs or unpacks a status.json.
func PackStatus(c *packing.Coder, st *StatusFile) { packed(c, statusFormat(), st) }

// PackSpec packs or unpacks a spec.json, but for the fields with `head` in their tag.
func PackSpec(c *packing.Coder, s *Spec) { packed(c, specFormat(), s) }

// PackPolicy packs or unpacks a policy.
func PackPolicy(c *packing.Coder, p *Policy) { packed(c, policyFormat(), p) }

// PackRequest packs or unpacks a request.
func PackRequest(c *packing.Coder, q *Request) { packed(c, requestFormat(), q) }
