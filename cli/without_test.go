package cli

import (
	"strings"
	"testing"

	"vespe/agents/desk"
	"vespe/cli/core"
)

const partedPlan = "# Plan\n\n## Now\n\n## Both\n\n## Later\n"

// What is left out is named where it is accepted, where it is made to hold again, and where a later
// acceptance takes it in; in a review only with the revision that was accepted so.
func TestWhatIsLeftOutIsNamed(t *testing.T) {
	c := fresh(t)
	const uid = "parted"
	c.must("new", uid)
	c.must("define-objective", uid, "it works")
	c.must("define-plan", uid, partedPlan)
	c.must("reject-plan", uid, "-m", "shorter")
	c.must("define-plan", uid, partedPlan+"less\n")
	c.must("new", "ground")
	c.must("dep", "add", uid, "ground")
	out := c.must("accept-plan", uid, "--without", "Later", "--without", "Now")
	if want := `2 parts of it are left out: the section "Later" and the section "Now"`; !strings.Contains(out, want) {
		t.Errorf("%q lacks %q", out, want)
	}
	for revision, want := range map[string][]string{"1": nil, "2": {"Later"}, "0": {"Later"}} {
		var o desk.PlanReview
		c.object(&o, "review", uid, "--revision", revision)
		if len(o.Excluded) != 2*len(want) || len(want) > 0 && o.Excluded[0] != want[0] {
			t.Errorf("the review of revision %s leaves out %q", revision, o.Excluded)
		}
		md := c.must("review", uid, "--revision", revision, "--md")
		if strings.Contains(md, "not accepted") != (want != nil) {
			t.Errorf("revision %s: %s", revision, md)
		}
	}
	for _, description := range []string{"a", "b"} {
		c.must("set", uid, "description="+description)
		if description == "a" {
			if out := c.must("revalidate", uid); !strings.Contains(out, `2 parts of it are still left out: the section "Later" and the section "Now"`) {
				t.Errorf("made to hold again: %q", out)
			}
			continue
		}
		code, out, errs := c.run("accept-plan", uid, "--without", "Later")
		if want := `this acceptance includes what the previous one left out: the section "Now"`; code != core.ExitOK || !strings.Contains(errs+out, want) {
			t.Errorf("exit code %d: %q %q lacks %q", code, out, errs, want)
		}
	}
}
