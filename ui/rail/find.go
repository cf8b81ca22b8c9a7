package rail

import "vespe/ui/rows"

// folded is the text of a row for a search.
func (r *Rail) folded(row int) string {
	if r.names == nil {
		r.names = make([]string, r.snap.Len())
		for i := range r.names {
			r.names[i] = rows.Fold(r.snap.Name(i))
		}
	}
	if i := r.task(row); i >= 0 {
		return r.names[i]
	}
	return ""
}
