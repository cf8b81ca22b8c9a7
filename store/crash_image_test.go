package store

import (
	"maps"
	"math/rand/v2"
	"time"
)

// crashStep is one call as a journal sees it. Names are effects on directories, so that each
// can be lost without the others.
type crashStep struct {
	names   []nameEffect // at once or not at all
	write   *node        // data was written to it
	at      int          // where
	data    []byte
	time    time.Time
	sync    *node // its data is durable, or its names if it is a directory
	syncAll bool
	acked   uint64 // from here on this entry must survive
}

type nameEffect struct {
	dir, is *node
	name    string
}

// Ways in which names that were not made durable survive.
const (
	inOrder    = iota // one journal for all: a prefix
	byDir             // a prefix for each directory
	anySubset         // each by itself
	crashModes        // how many there are
)

const sector = 512

// makeDurable makes everything that is there durable, and begins the journal anew with it.
func (d *disk) makeDurable() {
	d.steps = nil
	seen := map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		for name, kid := range n.kids {
			d.steps = append(d.steps, crashStep{names: []nameEffect{{n, kid, name}}, time: n.mtime})
			if kid.dir() {
				walk(kid)
			} else if !seen[kid] {
				seen[kid] = true
				d.steps = append(d.steps, crashStep{write: kid, data: kid.data, time: kid.mtime})
			}
		}
	}
	walk(d.root)
	d.base = len(d.steps)
}

// durability says of each of the first k steps whether it was made durable by them.
func (d *disk) durability(k int) []bool {
	out := make([]bool, k)
	synced, all := map[*node]bool{}, false
	for i := k - 1; i >= 0; i-- {
		s := &d.steps[i]
		switch {
		case s.syncAll:
			all = true
		case s.sync != nil:
			synced[s.sync] = true
		}
		out[i] = i < d.base || all || s.write != nil && synced[s.write] || len(s.names) > 0 && synced[s.names[0].dir]
	}
	return out
}

// crash is a disk that holds what this one may hold when the power goes after the first k
// steps: data only as far as it was synced, names only of directories that were, of everything
// else any part.
func (d *disk) crash(k, mode int, r *rand.Rand) *disk {
	durable := d.durability(k)
	upTo, cut := d.base+r.IntN(k-d.base+1), map[*node]int{}
	for i := range k {
		if len(d.steps[i].names) > 0 && mode == inOrder && durable[i] {
			upTo = max(upTo, i+1)
		}
	}
	im := image{nodes: map[*node]*node{}, r: r}
	root := im.of(d.root)
	for i := range k {
		s := &d.steps[i]
		kept := durable[i]
		if len(s.names) > 0 {
			dir := s.names[0].dir
			if _, ok := cut[dir]; !ok {
				cut[dir] = d.base + r.IntN(k-d.base+1)
			}
			switch mode {
			case inOrder:
				kept = i < upTo
			case byDir:
				kept = kept || i < cut[dir]
			default:
				kept = kept || r.IntN(2) == 0
			}
			if kept {
				im.names(s)
			}
		}
		if s.write != nil {
			im.tear(s, kept)
		}
	}
	c := &disk{root: root, made: d.made, clock: d.clock.Add(time.Second), lose: d.lose}
	c.root.count()
	c.makeDurable()
	return c
}

// killed is this disk as it was after the first k steps, when all processes were killed: what
// was not durable is not lost yet.
func (d *disk) killed(k int) *disk {
	im := image{nodes: map[*node]*node{}}
	c := &disk{root: im.of(d.root), made: d.made, clock: d.clock.Add(time.Second), base: d.base, lose: d.lose}
	for i := range k {
		s := d.steps[i]
		switch {
		case len(s.names) > 0:
			im.names(&s)
			was := s.names
			s.names = nil
			for _, e := range was {
				to := nameEffect{dir: im.of(e.dir), name: e.name}
				if e.is != nil {
					to.is = im.of(e.is)
				}
				s.names = append(s.names, to)
			}
		case s.write != nil:
			im.put(&s)
			s.write = im.of(s.write)
		case s.sync != nil:
			s.sync = im.of(s.sync)
		}
		c.steps = append(c.steps, s)
	}
	c.root.count()
	return c
}

// image is a tree of copies of nodes.
type image struct {
	nodes map[*node]*node
	r     *rand.Rand
}

func (im *image) of(n *node) *node {
	c, ok := im.nodes[n]
	if !ok {
		c = &node{ino: n.ino}
		if n.dir() {
			c.kids = map[string]*node{}
		}
		im.nodes[n] = c
	}
	return c
}

func (im *image) names(s *crashStep) {
	for _, e := range s.names {
		dir := im.of(e.dir)
		if dir.mtime = s.time; e.is == nil {
			delete(dir.kids, e.name)
		} else {
			dir.kids[e.name] = im.of(e.is)
		}
	}
}

// put writes to a file.
func (im *image) put(s *crashStep) {
	n := im.of(s.write)
	n.mtime = s.time
	if s.at == 0 && len(n.data) <= len(s.data) {
		n.data = s.data // nobody changes it in place
		return
	}
	n.data = append(append([]byte(nil), n.data...), make([]byte, max(s.at+len(s.data)-len(n.data), 0))...)
	copy(n.data[s.at:], s.data)
}

// tear writes to a file; what is not durable ends somewhere, and sectors of it may be missing.
func (im *image) tear(s *crashStep, durable bool) {
	if durable || im.r.IntN(3) == 0 {
		im.put(s)
		return
	}
	n := im.of(s.write)
	end := min(len(s.data), im.r.IntN(len(s.data)/sector+2)*sector)
	n.data = append(append([]byte(nil), n.data...), make([]byte, max(s.at+end-len(n.data), 0))...)
	for i := 0; i < end; i += sector {
		if im.r.IntN(4) > 0 {
			copy(n.data[s.at+i:], s.data[i:min(i+sector, end)])
		}
	}
	if im.r.IntN(2) == 0 {
		n.mtime = s.time
	}
}

// count sets how many names each file has.
func (n *node) count() {
	for kid := range maps.Values(n.kids) {
		if kid.links++; kid.dir() {
			kid.count()
		}
	}
}
