package history

import (
	"errors"
	"time"
	"unique"

	"vespe/model"
	"vespe/model/packing"
)

// errPacked says that bytes are no packed journal.
var errPacked = errors.New("not a packed journal")

// Pack is a journal as bytes, for Unpack.
func (j *Journal) Pack() []byte {
	p := packer{Coder: packing.Coder{Writing: true}, ids: map[unique.Handle[string]]uint64{}}
	head, tasks := j.head, j.tasks
	p.journal(&head, &tasks)
	return p.Bytes
}

// Unpack reads what Pack made. Of other bytes it says that they are none. The journal keeps b, which must never change.
func Unpack(b []byte) (*Journal, error) {
	p := packer{Coder: packing.Coder{Bytes: b}}
	var head uint64
	var tasks []*Chronicle
	p.journal(&head, &tasks)
	if p.Bad || len(p.Bytes) > 0 {
		return nil, errPacked
	}
	for i := range tasks {
		if i > 0 && tasks[i-1].UID >= tasks[i].UID {
			return nil, errPacked
		}
	}
	return &Journal{head: head, tasks: tasks, order: orderOf(tasks)}, nil
}

// packer writes a journal or reads one. A word that repeats stands where it comes first; later its number does.
type packer struct {
	packing.Coder
	words []unique.Handle[string]
	ids   map[unique.Handle[string]]uint64 // of words; for writing
}

func (p *packer) journal(head *uint64, tasks *[]*Chronicle) {
	p.Uint(head)
	packing.Each(&p.Coder, tasks, func(c **Chronicle) {
		if !p.Writing {
			*c = new(Chronicle)
		}
		p.chronicle(*c)
	})
}

func (p *packer) chronicle(c *Chronicle) {
	packing.Word(&p.Coder, &c.UID)
	p.Num(&c.Unread)
	at := int64(0)
	packing.Each(&p.Coder, &c.Moments, func(m *Moment) {
		since := m.at - at
		p.Int(&since)
		at += since
		if !p.Writing {
			m.at = at
		}
		p.Int(&m.seq)
		for _, h := range []*unique.Handle[string]{&m.actor, &m.name, &m.channel, &m.from, &m.to} {
			p.word(h)
		}
		packing.Word(&p.Coder, &m.Summary)
		packing.Word(&p.Coder, &m.Reason)
		p.Bool(&m.Undone)
	})
	packing.Each(&p.Coder, &c.Stages, func(s *Stage) {
		k, status := uint64(s.Moment), uint64(s.Status)
		p.Uint(&k)
		p.Uint(&status)
		switch {
		case p.Writing:
		case k >= uint64(len(c.Moments)) || status >= uint64(model.NumStatuses):
			p.Fail()
		default:
			*s = Stage{At: time.UnixMilli(c.Moments[k].at).UTC(), Status: model.Status(status), Moment: int(k)}
		}
	})
}

func (p *packer) word(h *unique.Handle[string]) {
	id, known := p.ids[*h]
	if !known {
		id = uint64(len(p.words))
	}
	p.Uint(&id)
	if id < uint64(len(p.words)) {
		if !p.Writing {
			*h = p.words[id]
		}
		return
	}
	text := ""
	if p.Writing {
		text, p.ids[*h] = h.Value(), id
	} else if id > uint64(len(p.words)) {
		p.Fail()
	}
	packing.Word(&p.Coder, &text)
	if !p.Writing {
		*h = unique.Make(text)
	}
	p.words = append(p.words, *h)
}
