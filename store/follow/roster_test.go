package follow

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/snapshot"
)

// rosterOf is a snapshot of tasks by number.
func rosterOf(numbers ...int) *snapshot.Snapshot {
	var in snapshot.Input
	for _, n := range numbers {
		uid := model.UID(fmt.Sprintf("tsk-%032x", n))
		in.Tasks = append(in.Tasks, &model.Task{UID: uid, Config: model.Config{UID: uid}})
	}
	return snapshot.New(in)
}

// A task keeps its number whatever comes and goes, and the counts are right.
func TestRosterKeepsNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r roster
		given := map[model.UID]int32{}
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			snap := rosterOf(rapid.SliceOfNDistinct(rapid.IntRange(0, 30), 0, 20, rapid.ID[int]).Draw(t, "tasks")...)
			r.update(snap)
			for i := range snap.Len() {
				n, ok := r.number(snap.UID(i))
				if was, known := given[snap.UID(i)]; !ok || r.uids[n] != snap.UID(i) || known && was != n {
					t.Fatalf("%s has the number %d (%v), was %d (%v)", snap.UID(i), n, ok, was, known)
				}
				given[snap.UID(i)] = n
				if rapid.Bool().Draw(t, "watched") {
					r.setWatched(n, true)
				}
			}
			here, watched := 0, 0
			for i := range r.len() {
				_, in := snap.Index(r.uids[i])
				if in != r.here[i] || !in && r.watched[i] {
					t.Fatalf("%s: in the store %v, here %v, watched %v", r.uids[i], in, r.here[i], r.watched[i])
				}
				here += btoi(r.here[i])
				watched += btoi(r.watched[i])
			}
			if here != r.nHere || watched != r.nWatched || r.unwatched() != here-watched {
				t.Fatalf("counts %d and %d, are %d and %d", r.nHere, r.nWatched, here, watched)
			}
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
