package decompose

import "slices"

// places are the items by key.
func (b *List) places() map[string]int {
	out := make(map[string]int, len(b.Items))
	for i := range b.Items {
		out[b.Items[i].Key] = i
	}
	return out
}

// reach says which item waits for which, itself or by way of others.
type reach [][]bool

func (b *List) reach() reach {
	at := b.places()
	m := make(reach, len(b.Items))
	for i := range m {
		m[i] = make([]bool, len(b.Items))
	}
	for i := range b.Items {
		for _, n := range b.Items[i].Needs {
			if on, ok := at[n.Key]; ok {
				m.add(i, on)
			}
		}
	}
	return m
}

// add lets an item wait for another.
func (m reach) add(i, on int) {
	if m[i][on] {
		return
	}
	for a := range m {
		if a != i && !m[a][i] {
			continue
		}
		m[a][on] = true
		for b, reached := range m[on] {
			m[a][b] = m[a][b] || reached
		}
	}
}

// loops are cycles of dependencies that do without the items of out, one through each item that is in one and in no cycle
// that was found before.
func (b *List) loops(out map[string]bool) [][]string {
	at := b.places()
	var found [][]string
	in := make([]bool, len(b.Items))
	for i := range b.Items {
		if in[i] || out[b.Items[i].Key] {
			continue
		}
		if path := b.way(i, at, out); path != nil {
			var keys []string
			for _, k := range path {
				in[k] = true
				keys = append(keys, b.Items[k].Key)
			}
			found = append(found, append(keys, b.Items[i].Key))
		}
	}
	return found
}

// way is the shortest way from an item back to itself, which is not repeated at its end; nil for none.
func (b *List) way(i int, at map[string]int, out map[string]bool) []int {
	from := make([]int, len(b.Items))
	for k := range from {
		from[k] = -1
	}
	queue := []int{i}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, n := range b.Items[v].Needs {
			w, ok := at[n.Key]
			if !ok || out[n.Key] {
				continue
			}
			if w == i {
				path := []int{}
				for k := v; k != i; k = from[k] {
					path = append(path, k)
				}
				path = append(path, i)
				slices.Reverse(path)
				return path
			}
			if from[w] < 0 {
				from[w] = v
				queue = append(queue, w)
			}
		}
	}
	return nil
}
