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

// SearchStart begins a search: from here, and back to here when it is cancelled.
func (m *Map) SearchStart() {
	m.find.Start(m.curRow(), m.y)
	m.searchX = m.x
	m.dirty = true
}

// SearchType looks for another text in the names and goes to its first match at or after
// the place where the search began. It returns the number of matches.
func (m *Map) SearchType(query string) int {
	if m.Len() == 0 {
		return 0
	}
	if !m.find.Typing() {
		m.SearchStart()
	}
	row, total, ok := m.find.Type(query, len(m.rows), m.folded)
	m.put(m.rows[min(row, len(m.rows)-1)])
	if !ok {
		m.backToOrigin()
	}
	return total
}

func (m *Map) backToOrigin() {
	_, m.y = m.find.Origin()
	m.x = m.searchX
	m.clamp()
}

// SearchAccept ends typing and stays at the match.
func (m *Map) SearchAccept() { m.find.Accept(); m.dirty = true }

// SearchCancel ends the search and goes back to where it began.
func (m *Map) SearchCancel() {
	if m.find.Typing() && m.Len() > 0 {
		row, _ := m.find.Origin()
		m.put(m.rows[min(row, len(m.rows)-1)])
		m.backToOrigin()
	}
	m.SearchClear()
}

// SearchClear ends the search and its highlights; the cursor stays.
func (m *Map) SearchClear() { m.find.Clear(); m.dirty = true }

// SearchNext goes to the next match (1) or the previous one (-1), around the end if it
// must. ok is false when nothing matches.
func (m *Map) SearchNext(d int) (wrapped, ok bool) {
	if m.Len() == 0 {
		return false, false
	}
	row, wrapped, ok := m.find.Next(d, m.curRow(), len(m.rows), m.folded)
	if ok {
		m.put(m.rows[row])
	}
	return wrapped, ok
}

// Searching is what is looked for, and which of how many matches the cursor is on.
func (m *Map) Searching() (query string, at, total int) {
	if m.Len() == 0 {
		return "", 0, 0
	}
	at, total = m.find.At(m.curRow(), len(m.rows), m.folded)
	return m.find.Query(), at, total
}
