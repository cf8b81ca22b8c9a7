package gitinternal

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Objects are found wherever they lie; one tree in too many places is refused.
func TestTrees(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", ".")
	environ := append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	tree := func(entries string) string { return strings.TrimSpace(gitIn(t, dir, entries, "mktree")) }
	blob := func(text string) string {
		return strings.TrimSpace(gitIn(t, dir, text, "hash-object", "-w", "--stdin"))
	}
	const id = "0197a0a2-3000-7000-8000-000000000001"
	deep := tree("100644 blob " + blob(`{"object_id":"`+id+`","object_type":"task"}`) + "\t" + id + "\n100644 blob " + blob("") + "\tREADME\n")
	for range 2 {
		deep = tree("040000 tree " + deep + "\tdeep\n")
	}
	list, problems, err := readRef(t.Context(), environ, dir, deep)
	if err != nil || len(problems) > 0 || len(list) != 1 || !slices.Equal(list[0].Beside, []string{"deep/deep/README"}) {
		t.Errorf("%v, %+v, %+v", err, problems, list)
	}
	bomb := tree("")
	for range maxDeep - 1 {
		var many strings.Builder
		for i := range 10 {
			fmt.Fprintf(&many, "040000 tree %s\t%d\n", bomb, i)
		}
		bomb = tree(many.String())
	}
	if _, problems, err := readRef(t.Context(), environ, dir, bomb); err != nil || len(problems) != 1 || problems[0].Code != "too-many" {
		t.Errorf("%v %+v", err, problems)
	}
}
