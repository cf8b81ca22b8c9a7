//go:build torture

package store

import (
	"flag"
	"testing"

	"vespe/internal/modeltest"
)

// TestTortureProperties has the properties hold for 400 stores each.
func TestTortureProperties(t *testing.T) {
	was := flag.Lookup(modeltest.RapidChecks).Value.String()
	must(t, flag.Set(modeltest.RapidChecks, "400"))
	t.Cleanup(func() { _ = flag.Set(modeltest.RapidChecks, was) })
	for name, property := range map[string]func(*testing.T){
		"edits interleaved": TestEditsInterleaved, "nobody's bytes": TestNobodysBytesAreLost, "tasks come back": TestTasksComeBackAsTheLogHasThem,
		"looking at now": TestLookingAtNow, "random operations": TestRandomOperationsReopenAsTheyWere,
	} {
		t.Run(name, property)
	}
}
