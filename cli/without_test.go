package cli

import (
	"slices"
	"strings"
	"testing"

	"vespe/agents/desk"
	"vespe/cli/core"
)

const partedPlan = "# Plan\n\n## Now\n\n## Both\n\n## Later\n\n## task:odd\n"

// parted is a task whose plan has sections and subtasks of the same names, and one elsewhere.
func parted(t *testing.T) (c *call, uid string, child map[string]string) {
	t.Helper()
	c = fresh(t)
	create := func(args ...string) string {
		var o struct {
			Task struct {
				UID string `json:"uid"`
			} `json:"task"`
		}
		c.object(&o, append([]string{"new"}, args...)...)
		return o.Task.UID
	}
	uid = create("parent")
	child = map[string]string{"Both": create("Both", "--parent", uid), "child": create("child", "--parent", uid), "Later": create("Later")}
	create("child") // elsewhere
	c.must("define-objective", uid, "it works")
	c.must("define-plan", uid, partedPlan)
	return c, uid, child
}

// A part is a section or a subtask, and what is both has to be told apart. A task elsewhere is no part.
func TestWithoutNamesAPart(t *testing.T) {
	c, uid, child := parted(t)
	for _, tt := range []struct {
		name string
		want string // what is left out, or
		says string // why nothing is
		code int
	}{
		{name: "Now", want: "Now"},
		{name: "Later", want: "Later"},
		{name: "child", want: child["child"]},
		{name: child["child"], want: child["child"]},
		{name: "section:Both", want: "Both"},
		{name: "section: Both ", want: "Both"},
		{name: "task:Both", want: child["Both"]},
		{name: "section:task:odd", want: "task:odd"},
		{name: "Both", says: `"Both" is both a section of the plan and a subtask (` + child["Both"] + "): write section:Both or task:Both", code: core.ExitUsage},
		{name: "section:child", says: `no section "child"`, code: core.ExitFailed},
		{name: "task:Later", says: "not a subtask of it", code: core.ExitFailed},
		{name: "task:nobody", says: "nobody", code: core.ExitNotFound},
		{name: "nobody", says: `no section "nobody"`, code: core.ExitFailed},
	} {
		code, _, errs := c.run("accept-plan", uid, "--without", tt.name)
		if code != tt.code || !strings.Contains(errs, tt.says) {
			t.Errorf("%s: exit code %d, want %d: %s", tt.name, code, tt.code, errs)
			continue
		}
		if code != core.ExitOK {
			continue
		}
		var o struct {
			Task struct {
				Excluded []string `json:"excluded"`
			} `json:"task"`
		}
		c.object(&o, "show", uid)
		if !slices.Equal(o.Task.Excluded, []string{tt.want}) {
			t.Errorf("%s leaves out %q, want %q", tt.name, o.Task.Excluded, tt.want)
		}
		c.must("undo", uid)
	}
}

// What is left out is named where it is accepted, where it is made to hold again, and where a later
// acceptance takes it in; in a review only with the revision that was accepted so.
func TestWhatIsLeftOutIsNamed(t *testing.T) {
	c, uid, _ := parted(t)
	c.must("reject-plan", uid, "-m", "shorter")
	c.must("define-plan", uid, partedPlan+"less\n")
	c.must("new", "ground")
	c.must("dep", "add", uid, "ground")
	out := c.must("accept-plan", uid, "--without", "Later", "--without", "task:child")
	if want := `2 parts of it are left out: the section "Later" and the subtask "child"`; !strings.Contains(out, want) {
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
			if out := c.must("revalidate", uid); !strings.Contains(out, `2 parts of it are still left out: the section "Later" and the subtask "child"`) {
				t.Errorf("made to hold again: %q", out)
			}
			continue
		}
		code, out, errs := c.run("accept-plan", uid, "--without", "Later")
		if want := `this acceptance includes what the previous one left out: the subtask "child"`; code != core.ExitOK || !strings.Contains(errs+out, want) {
			t.Errorf("exit code %d: %q %q lacks %q", code, out, errs, want)
		}
		if !strings.Contains(out, `included again: the subtask "child"`) {
			t.Errorf("%q does not say who goes on", out)
		}
	}
}
