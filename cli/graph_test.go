package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vespe/cli/core"
)

// graphObject is what graph --json prints.
type graphObject struct {
	Root  string
	Nodes []struct {
		HiddenUp   int `json:"hidden_up"`
		HiddenDown int `json:"hidden_down"`
	}
	Edges []struct {
		From, To                 string
		Cycle, Redundant, Turned bool
	}
	More int
}

// hostileNames mean something somewhere.
func hostileNames() []string {
	return []string{
		`x"]; attack -> here; "`, `\N\l\`, `end`, `subgraph`, `--> n0`, `%%{init: {"securityLevel":"loose"}}%%`,
		`<script>alert(1)</script>`, `]]></title><script/>`, `&lt;b&gt; &#34;`, "`**md**`", `#quot;#35;`, `n0[(x)] --- n1{y}`,
		`click n0 call f()`, `a|b|c`, `javascript:alert(1)`, `世界 🎉`, `http://example.org`,
	}
}

// hostileStore has a chain of tasks with such names, each depending on the one before.
func hostileStore(t *testing.T) (*call, []string) {
	c := fresh(t)
	var uids []string
	for _, name := range hostileNames() {
		args := []string{"new", "--", name}
		if n := len(uids); n > 0 {
			args = []string{"new", "--depends", uids[n-1], "--", name}
		}
		var done struct {
			Task struct {
				UID string `json:"uid"`
			} `json:"task"`
		}
		if code := c.object(&done, args...); code != core.ExitOK {
			t.Fatalf("new %q: exit code %d", name, code)
		}
		uids = append(uids, done.Task.UID)
	}
	// A name that vespe would not give, but a file may have.
	path := filepath.Join(c.dir, ".vespe", "tasks", uids[1], "config.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.Replace(b, []byte(`"name": "`), []byte(`"name": "\u202e\u001b[31m\n\ufffe\"; x -> y; `), 1)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return c, uids
}

func TestHostileNamesStayNames(t *testing.T) {
	c, uids := hostileStore(t)
	out := c.must("graph")
	for _, r := range out {
		if r < ' ' && r != '\n' || r == '\u202e' {
			t.Errorf("%q reaches the terminal", r)
		}
	}
	if n := strings.Count(out, "▸"); n != len(uids)-1 {
		t.Errorf("%d arrows, should be %d:\n%s", n, len(uids)-1, out)
	}
}

func TestGraphOfTheCriticalPath(t *testing.T) {
	c, uids := hostileStore(t)
	var o, at graphObject
	if code := c.object(&o, "graph", "--show", "critical"); code != core.ExitOK || len(o.Nodes) < 2 || len(o.Nodes) > len(uids) {
		t.Fatalf("exit code %d: %+v", code, o)
	}
	if code := c.object(&at, "graph", uids[3], "--show", "milestone"); code != core.ExitOK || len(at.Nodes) != 1 {
		t.Errorf("a task in no milestone, exit code %d: %+v", code, at)
	}
}

func TestGraphObject(t *testing.T) {
	c, uids := hostileStore(t)
	c.must("dep", "add", uids[4], uids[2])
	var o graphObject
	if code := c.object(&o, "graph", uids[3], "--radius", "1"); code != core.ExitOK {
		t.Fatal(code)
	}
	if len(o.Nodes) != 3 || len(o.Edges) != 3 || o.Root != uids[3] {
		t.Fatalf("%+v", o)
	}
	for _, e := range o.Edges {
		if e.Redundant != (e.From == uids[2] && e.To == uids[4]) {
			t.Errorf("%+v", e)
		}
	}
	if o.Nodes[0].HiddenUp != 1 || o.Nodes[2].HiddenDown != 1 {
		t.Errorf("%+v", o.Nodes)
	}
	if code := c.object(&o, "graph", "--limit", "4"); code != core.ExitOK || o.More != len(uids)-len(o.Nodes) || len(o.Nodes) > 4 {
		t.Errorf("exit code %d, %d nodes, %d more", code, len(o.Nodes), o.More)
	}
}

// JSON has every task, also those that a drawing folds.
func TestJSONFoldsNothing(t *testing.T) {
	c := fresh(t)
	const alone, leaves = 40, 30
	for i := range alone {
		c.must("new", fmt.Sprintf("alone %d", i))
	}
	c.must("new", "hub")
	for i := range leaves {
		c.must("new", fmt.Sprintf("leaf %d", i), "--depends", "hub")
	}
	for _, args := range [][]string{{"graph"}, {"graph", "hub"}} {
		want := alone + leaves + 1
		if len(args) == 2 {
			want = leaves + 1
		}
		var o graphObject
		if c.object(&o, args...); len(o.Nodes) != want || o.More != 0 {
			t.Errorf("%q: %d nodes and %d more, should be %d", args, len(o.Nodes), o.More, want)
		}
		if out := c.must(args...); !strings.Contains(out, " tasks folded") {
			t.Errorf("%q: nothing says that there are more:\n%s", args, out)
		}
	}
}

func TestCyclesAreMarked(t *testing.T) {
	c := fresh(t)
	uids := map[string]string{}
	for _, name := range []string{"one", "two", "three", "self", "a", "b"} {
		var done struct {
			Task core.TaskObject `json:"task"`
		}
		c.object(&done, "new", name)
		uids[name] = done.Task.UID
	}
	// vespe refuses to close a cycle; a file may have one.
	for name, on := range map[string]string{"one": "three", "two": "one", "three": "two", "self": "self", "a": "b", "b": "a"} {
		path := filepath.Join(c.dir, ".vespe", "tasks", uids[name], "dependencies.json")
		if err := os.WriteFile(path, []byte(`{"depends_on":["`+uids[on]+`"]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := c.must("graph")
	for _, want := range []string{"↺[▸◂┤╮╯]", "⇄▸", "self ↺", "↺ closes a dependency cycle", "⇄ each needs the other"} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("nothing says %q:\n%s", want, out)
		}
	}
	var o graphObject
	c.object(&o, "graph")
	turned := 0
	for _, e := range o.Edges {
		if !e.Cycle {
			t.Errorf("%+v is in a cycle", e)
		}
		if e.Turned {
			turned++
		}
	}
	if len(o.Edges) != 5 || turned != 2 {
		t.Errorf("%d edges, %d turned round: %+v", len(o.Edges), turned, o.Edges)
	}
}
