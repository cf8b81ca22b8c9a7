package records

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// Report says what an import did not or could not do.
type Report struct {
	Created    int      // tasks that the operations make
	Updated    int      // tasks that were there and that the operations bring up to date
	Unchanged  int      // records whose tasks were there already and are left alone
	NotCarried []string // one line for each kind of thing, with how many and examples
	Problems   []model.Problem

	kinds map[string][]string // what → ids
	order []string
}

// Count notes that what is said is true of the record with this id; each kind becomes one line.
func (r *Report) Count(what, id string) {
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

// Finish writes the counted kinds out as lines.
func (r *Report) Finish() Report {
	const examples = 3
	for _, what := range r.order {
		ids := r.kinds[what]
		line := fmt.Sprintf("%s (%d: %s", what, len(ids), strings.Join(ids[:min(examples, len(ids))], ", "))
		if len(ids) > examples {
			line += ", …"
		}
		r.NotCarried = append(r.NotCarried, line+")")
	}
	return *r
}

func (r *Report) noted(c *Converted) {
	for _, what := range c.notes {
		r.Count(what, c.ID)
	}
}
