package depmap

import "vespe/ui/rows"

// folded is the text of a node for a search, by its place in rows.
func (m *Map) folded(row int) string {
	if m.names == nil {
		m.names = make([]string, len(m.rows))
		for r, k := range m.rows {
			m.names[r] = rows.Fold(m.name(&m.shown.Nodes[k]))
		}
	}
	return m.names[row]
}

func (m *Map) curRow() int {
	if m.node() == nil {
		return 0
	}
	return m.row[m.cur]
}

// searched is the list as a search needs it.
func (m *Map) searched() rows.Searched {
	return rows.Searched{
		Len: len(m.rows), Cursor: m.curRow(), Folded: m.folded, Go: func(row int) { m.put(m.rows[row]) },
		Place: func() func() {
			x, y := m.x, m.y
			return func() {
				m.x, m.y = x, y
				m.clamp()
			}
		},
	}
}
