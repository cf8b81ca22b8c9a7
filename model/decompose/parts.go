package decompose

import (
	"slices"

	"vespe/model"
	"vespe/model/complexity"
)

// Divide proposes parts of a task's own files and criteria. Where the way gives no two parts, all is in one, to be taken
// apart by hand.
func Divide(t *model.Task, way complexity.Way) *Proposal {
	pieces, err := complexity.Divide(t.Work(), way)
	if err != nil {
		p := Parts(t, []complexity.Work{t.Work()})
		p.Form, p.Why, p.Items[0].Focus = Form(way), err.Error(), ""
		p.number()
		return p
	}
	p := Parts(t, pieces)
	p.Form = Form(way)
	return p
}

// Ways proposes parts in every way, and says which of them to take: the one that is suggested, or else the first that
// gives two parts.
func Ways(t *model.Task, limits complexity.Limits) (all []*Proposal, at int) {
	suggested := complexity.Suggest(t.Complexity(limits))
	at = -1
	for i, way := range complexity.Ways() {
		p := Divide(t, way)
		if all = append(all, p); p.Why == "" && (at < 0 || way == suggested) {
			at = i
		}
	}
	return all, max(0, at)
}

// Parts proposes parts that were given. The title of each says what it is about.
func Parts(t *model.Task, parts []complexity.Work) *Proposal {
	p := &Proposal{List: &List{Form: FormParts}, Task: t, Fates: make([]Fate, len(parts))}
	for _, w := range parts {
		it := Item{Work: w, Focus: w.Title, parsing: parsing{group: -1}}
		for _, list := range it.lists() {
			*list = slices.Clone(*list) // what is moved is moved in these
		}
		p.Items = append(p.Items, it)
	}
	p.number()
	return p
}

// number gives parts of the work their letters, names and order. What has nothing to do is not made.
func (p *Proposal) number() {
	if p.Hash != "" {
		return
	}
	before, n := []Need(nil), 0
	for i := range p.Items {
		it := &p.Items[i]
		if it.Needs = nil; it.IsEmpty() {
			it.Key, p.Fates[i] = "-", Fate{Out: true, Fixed: true, Why: "it has nothing to do"}
			continue
		}
		p.Fates[i] = Fate{Fixed: true, Why: "every file and criterion must be in exactly one part"}
		it.Key, it.Needs = complexity.Letter(n), before
		if !it.Named {
			it.Title = partTitle(p.Task.Config.Name, n, it.Focus)
		}
		before, n = []Need{{it.Key, "the part before it", 0}}, n+1
	}
}

// lists are the files and criteria of an item by kind.
func (it *Item) lists() [NumKinds]*[]string {
	return [...]*[]string{&it.Create, &it.Modify, &it.Tests, &it.Criteria}
}

// Kind says what an item has to do with a piece.
type Kind int

// The kinds, in the order in which the pieces of an item are listed.
const (
	Creates Kind = iota
	Modifies
	Tests
	Criterion
	NumKinds = iota
)

// Piece is a file or a criterion of an item.
type Piece struct {
	Kind Kind
	Text string
}

// Pieces are the files and criteria of an item.
func (it *Item) Pieces() []Piece {
	var out []Piece
	for kind, list := range it.lists() {
		for _, s := range *list {
			out = append(out, Piece{Kind(kind), s})
		}
	}
	return out
}

// Move moves piece k of a part of the work into another part, or into a new one where to is behind the last. It returns
// which piece of that part it is then.
func (p *Proposal) Move(from, k, to int) int {
	piece := p.Items[from].Pieces()[k]
	if to == len(p.Items) {
		p.Items, p.Fates = append(p.Items, Item{Work: complexity.Work{Story: p.Items[from].Story}, parsing: parsing{group: -1}}), append(p.Fates, Fate{})
	}
	own, other := p.Items[from].lists()[piece.Kind], p.Items[to].lists()[piece.Kind]
	at := slices.Index(*own, piece.Text)
	*own = slices.Delete(*own, at, at+1)
	*other = append(*other, piece.Text)
	whole := (&Item{Work: p.Task.Work()}).lists()[piece.Kind]
	slices.SortStableFunc(*other, func(a, b string) int { return slices.Index(*whole, a) - slices.Index(*whole, b) })
	p.number()
	return slices.Index(p.Items[to].Pieces(), piece)
}

// Swap lets one part of the work be done in place of another.
func (p *Proposal) Swap(i, k int) {
	p.Items[i], p.Items[k] = p.Items[k], p.Items[i]
	p.number()
}

// Name gives an item another title.
func (p *Proposal) Name(i int, title string) {
	p.Items[i].Title, p.Items[i].Named = title, true
}
