package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"vespe/internal/storetest"
	"vespe/store"
)

// Where nothing is ready, `next` tells of a few acceptances from elsewhere, and how many there are.
func TestNextTellsOfAFewAcceptedElsewhere(t *testing.T) {
	c := at(t, t.TempDir())
	c.must("init")
	if err := storetest.Write(filepath.Join(c.dir, store.Name), storetest.Project(200), 0); err != nil {
		t.Fatal(err)
	}
	out := c.must("next")
	if n := strings.Count(out, "elsewhere, unsigned\n"); !strings.HasPrefix(out, "Nothing is ready.\n") || n != 10 ||
		!strings.Contains(out, " more: vespe inbox --limit 0 lists all\n") {
		t.Errorf("%d are told of:\n%s", n, out)
	}
}
