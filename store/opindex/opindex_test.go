package opindex

import (
	"fmt"
	"testing"

	"vespe/store/txlog"
)

// A process that lives on keeps no operation for good as more than 16 bytes, and finds each.
func TestOperationsAreFolded(t *testing.T) {
	x := Index{Log: &txlog.Log{}, recent: map[string][]uint64{}}
	const n = 5 * foldLeast
	id := func(seq int) string { return fmt.Sprint("op", seq) }
	for seq := 1; seq <= n; seq++ {
		x.Add(&txlog.Entry{Seq: uint64(seq), OpID: id(seq), Ops: []txlog.OpRecord{{ID: id(seq)}}})
	}
	if len(x.recent) > foldLeast || x.upto != n {
		t.Errorf("%d operations are kept apart, up to entry %d", len(x.recent), x.upto)
	}
	found := func(table txlog.OpTable, seq int) bool {
		seqs := table.Find(id(seq))
		return len(seqs) == 1 && seqs[0] == uint64(seq)
	}
	for seq := 1; seq <= n; seq++ {
		if seqs := x.lookup(id(seq)); len(seqs) != 1 || seqs[0] != uint64(seq) {
			t.Fatalf("operation %d is in %v", seq, seqs)
		}
	}
	// What is written down for an entry holds nothing of later ones.
	const upto = n / 2
	table := x.UpTo(upto)
	for seq := 1; seq <= n; seq++ {
		if found(table, seq) != (seq <= upto) {
			t.Fatalf("up to %d operation %d is there: %v", upto, seq, found(table, seq))
		}
	}
}
