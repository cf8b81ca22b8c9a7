package beads

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// Report says what an import did not or could not do.
type Report struct {
	Created    int      // tasks that the operations make
	Unchanged  int      // issues whose tasks were there already
	NotCarried []string // one line for each kind of thing, with how many and examples
	Problems   []model.Problem

	kinds map[string][]string // what → ids
	order []string
}

func (r *Report) count(what, id string) {
	if r.kinds == nil {
		r.kinds = map[string][]string{}
	}
	ids, ok := r.kinds[what]
	if !ok {
		r.order = append(r.order, what)
	}
	if !slices.Contains(ids[max(0, len(ids)-1):], id) {
		r.kinds[what] = append(ids, id)
	}
}

// finish writes the counted kinds out as lines.
func (r *Report) finish() Report {
	const examples = 3
	for _, what := range r.order {
		ids := r.kinds[what]
		line := fmt.Sprintf("%d %s (%s", len(ids), what, strings.Join(ids[:min(examples, len(ids))], ", "))
		if len(ids) > examples {
			line += ", …"
		}
		r.NotCarried = append(r.NotCarried, line+")")
	}
	return *r
}
