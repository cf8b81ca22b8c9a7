package store

import (
	"path/filepath"
	"strings"
	"testing"

	"vespe/internal/storetest"
	"vespe/store/layout"
)

// What benchmarks measure are the files that transactions write.
func TestGeneratedFilesAreThoseOfTransactions(t *testing.T) {
	t.Parallel()
	const n = 300
	ops := storetest.Project(n)
	s := initIn(t, fastDir(t), Options{})
	applied := mustGet(s.DoAll(t.Context(), ops))(t)
	dir := fastDir(t)
	must(t, storetest.Write(dir, ops, applied.Seq))
	want, got := tree(t, vespe(s, layout.TasksDir)), tree(t, filepath.Join(dir, layout.TasksDir))
	if want != got {
		t.Errorf("transactions left\n%s\nand what was generated is\n%s", want, got)
	}
	if files := strings.Count(want, "\n"); files < 6*n {
		t.Errorf("only %d files were compared", files)
	}
}
