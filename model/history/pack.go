package history

import (
	"encoding/binary"
	"errors"
	"time"
	"unique"

	"vespe/model"
)

// errPacked says that bytes are no packed journal.
var errPacked = errors.New("not a packed journal")

// Pack is a journal as bytes, for Unpack: the words that repeat, and then each chronicle, all
// numbers as varints.
func (j *Journal) Pack() []byte {
	p := packer{ids: map[unique.Handle[string]]uint64{}}
	for _, c := range j.tasks {
		p.chronicle(c)
	}
	out := binary.AppendUvarint(nil, j.head)
	out = binary.AppendUvarint(out, uint64(len(p.words)))
	for _, w := range p.words {
		out = appendText(out, w)
	}
	out = binary.AppendUvarint(out, uint64(len(j.tasks)))
	return append(out, p.buf...)
}

type packer struct {
	ids   map[unique.Handle[string]]uint64
	words []string
	buf   []byte
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func (p *packer) word(h unique.Handle[string]) {
	id, ok := p.ids[h]
	if !ok {
		id = uint64(len(p.words))
		p.ids[h], p.words = id, append(p.words, h.Value())
	}
	p.buf = binary.AppendUvarint(p.buf, id)
}

func (p *packer) chronicle(c *Chronicle) {
	p.buf = appendText(p.buf, string(c.UID))
	p.buf = binary.AppendUvarint(p.buf, uint64(c.Unread))
	p.buf = binary.AppendUvarint(p.buf, uint64(len(c.Moments)))
	at := int64(0)
	for i := range c.Moments {
		m := &c.Moments[i]
		p.buf = binary.AppendVarint(p.buf, m.at-at)
		at = m.at
		p.buf = binary.AppendVarint(p.buf, m.seq)
		for _, h := range []unique.Handle[string]{m.actor, m.name, m.channel, m.from, m.to} {
			p.word(h)
		}
		p.buf = appendText(appendText(p.buf, m.Summary), m.Reason)
	}
	undone := undoneIn(c.Moments)
	p.buf = binary.AppendUvarint(p.buf, uint64(len(undone)))
	for _, k := range undone {
		p.buf = binary.AppendUvarint(p.buf, uint64(k))
	}
	p.buf = binary.AppendUvarint(p.buf, uint64(len(c.Stages)))
	for _, s := range c.Stages {
		p.buf = append(binary.AppendUvarint(p.buf, uint64(s.Moment)), byte(s.Status))
	}
}

// undoneIn are the moments that were taken back.
func undoneIn(moments []Moment) (out []int) {
	for k := range moments {
		if moments[k].Undone {
			out = append(out, k)
		}
	}
	return out
}

// Unpack reads what Pack made. Of other bytes it says that they are none.
func Unpack(b []byte) (*Journal, error) {
	u := unpacker{rest: string(b)}
	head := u.uvarint()
	words := make([]unique.Handle[string], u.count(1))
	for i := range words {
		words[i] = unique.Make(u.text())
	}
	tasks := make([]*Chronicle, u.count(3))
	for i := range tasks {
		tasks[i] = u.chronicle(words)
	}
	if u.bad || u.rest != "" {
		return nil, errPacked
	}
	for i := range tasks {
		if i > 0 && tasks[i-1].UID >= tasks[i].UID {
			return nil, errPacked
		}
	}
	return &Journal{head: head, tasks: tasks, order: orderOf(tasks)}, nil
}

// unpacker reads from the front; bad once something was not there.
type unpacker struct {
	rest string
	bad  bool
}

func (u *unpacker) fail() {
	u.bad, u.rest = true, ""
}

func (u *unpacker) uvarint() uint64 {
	var v uint64
	for i := range min(len(u.rest), binary.MaxVarintLen64) {
		c := u.rest[i]
		if i == binary.MaxVarintLen64-1 && c > 1 {
			break
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			u.rest = u.rest[i+1:]
			return v
		}
	}
	u.fail()
	return 0
}

func (u *unpacker) varint() int64 {
	v := u.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// count is how many things follow that take so many bytes at least.
func (u *unpacker) count(least int) int {
	n := u.uvarint()
	if n > uint64(len(u.rest)/least) {
		u.fail()
		return 0
	}
	return int(n)
}

func (u *unpacker) text() string {
	n := u.count(1)
	s := u.rest[:n]
	u.rest = u.rest[n:]
	return s
}

func (u *unpacker) chronicle(words []unique.Handle[string]) *Chronicle {
	c := &Chronicle{UID: model.UID(u.text()), Unread: int(u.uvarint() & 0xffff)}
	c.Moments = make([]Moment, u.count(9))
	at := int64(0)
	for i := range c.Moments {
		m := &c.Moments[i]
		at += u.varint()
		m.at, m.seq = at, u.varint()
		for _, h := range []*unique.Handle[string]{&m.actor, &m.name, &m.channel, &m.from, &m.to} {
			id := u.uvarint()
			if id >= uint64(len(words)) {
				u.fail()
				*h = unique.Make("")
				continue
			}
			*h = words[id]
		}
		m.Summary, m.Reason = u.text(), u.text()
	}
	for range u.count(1) {
		k := u.uvarint()
		if k >= uint64(len(c.Moments)) {
			u.fail()
			return c
		}
		c.Moments[k].Undone = true
	}
	c.Stages = make([]Stage, u.count(2))
	for i := range c.Stages {
		k := u.uvarint()
		if k >= uint64(len(c.Moments)) || len(u.rest) == 0 || int(u.rest[0]) >= model.NumStatuses {
			u.fail()
			return c
		}
		c.Stages[i] = Stage{At: time.UnixMilli(c.Moments[k].at).UTC(), Status: model.Status(u.rest[0]), Moment: int(k)}
		u.rest = u.rest[1:]
	}
	return c
}
