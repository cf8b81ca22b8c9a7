package decompose

import (
	"vespe/model"
	"vespe/model/complexity"
)

// Divide proposes parts of a task's own files and criteria, each after the one before it. Where the way gives no two
// parts, there are none, and Why says why.
func Divide(t *model.Task, way complexity.Way) *Proposal {
	p := &Proposal{List: &List{Form: Form(way)}, Task: t}
	pieces, err := complexity.Divide(t.Work(), way)
	if err != nil {
		p.Why = err.Error()
	}
	for n, w := range pieces {
		it := Item{Key: complexity.Letter(n), Work: w, parsing: parsing{group: -1}}
		it.Title = partTitle(t.Config.Name, n, w.Title)
		if n > 0 {
			it.Needs = []Need{{p.Items[n-1].Key, "the part before it", 0}}
		}
		p.Items = append(p.Items, it)
		p.Fates = append(p.Fates, Fate{Fixed: true, Why: "every file and criterion must be in exactly one part"})
	}
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
