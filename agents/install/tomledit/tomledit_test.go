package tomledit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func parse(t interface{ Fatalf(string, ...any) }, text string) *Doc {
	d, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

var server = []KeyValue{{Key: "command", Value: "vespe"}, {Key: "args", Value: []string{"mcp"}}, {Key: "tool_timeout_sec", Value: 600, Default: true}}

func TestWhereThingsGo(t *testing.T) {
	const table = "[mcp_servers.vespe]\ncommand = \"vespe\"\nargs = [\"mcp\"]\ntool_timeout_sec = 600\n"
	for name, c := range map[string]struct{ from, want string }{
		"empty":       {"", "profile = \"v\"\n\n" + table},
		"root keys":   {"# mine\nmodel = \"x\" # why\n\n[a]\nb = 1", "# mine\nmodel = \"x\" # why\nprofile = \"v\"\n\n[a]\nb = 1\n\n" + table},
		"no newline":  {"model = 'x'", "model = 'x'\nprofile = \"v\"\n\n" + table},
		"tables only": {"# a\n[a]\n", "profile = \"v\"\n\n# a\n[a]\n\n" + table},
		"crlf":        {"a = 1\r\n", strings.ReplaceAll("a = 1\nprofile = \"v\"\n\n"+table, "\n", "\r\n")},
		"there":       {"profile = \"v\"\n[mcp_servers.vespe] # x\nargs=['mcp']\ncommand='vespe' # y\n", "profile = \"v\"\n[mcp_servers.vespe] # x\nargs=['mcp']\ncommand='vespe' # y\n"},
		"other": {
			"profile = [ 'q', # why\n 's' ] # end\n[mcp_servers.vespe]\nenv = { A = \"=\" }\n\n# next\n[z]\n",
			"profile = \"v\" # end\n[mcp_servers.vespe]\nenv = { A = \"=\" }\ncommand = \"vespe\"\nargs = [\"mcp\"]\n\n# next\n[z]\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, c.from)
			first, err := d.SetTable(server, "mcp_servers", "vespe")
			if err != nil {
				t.Fatal(err)
			}
			second, err := d.Set("v", "profile")
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if name == "empty" {
				want = "profile = \"v\"\n\n" + table
			}
			if got := string(d.Bytes()); got != want {
				t.Errorf("it became\n%q\nwant\n%q", got, want)
			}
			for _, e := range slices.Backward(slices.Concat(first, second)) {
				if ok, err := d.Undo(e); !ok || err != nil {
					t.Errorf("undo %+v: %v %v", e, ok, err)
				}
			}
			if got := string(d.Bytes()); got != c.from {
				t.Errorf("undone it is\n%q\nwant\n%q", got, c.from)
			}
		})
	}
}

func TestWhatIsLeftAlone(t *testing.T) {
	for text, want := range map[string]string{
		"a = 1\nb = \n":   "line 2: ",
		"a = 1\na = 2\n":  "line 2: ",
		"[a]\n[a]\n":      "line 2: ",
		"a = \"\xff\"\n":  "line 1: ",
		"x = [1,\n2\n":    "line ",
		"a = '''\nopen\n": "line ",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"mcp_servers = { }\n":                              "line 1: what leads to mcp_servers.vespe is written in a way that nothing can be added to",
		"\n[mcp_servers]\nvespe = { command = 'other' }\n": "line 3: mcp_servers.vespe is not written as a table with a header",
		"mcp_servers.vespe.args = []\n":                    "line 1: mcp_servers.vespe is not written as a table",
		"mcp_servers.vespe = 3\n":                          "line 1: mcp_servers.vespe is no table",
	} {
		d := parse(t, text)
		if _, err := d.SetTable(server, "mcp_servers", "vespe"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// drawText draws a configuration as people write it.
func drawText(t *rapid.T) string {
	var b strings.Builder
	line := func(choices ...string) { b.WriteString(rapid.SampledFrom(choices).Draw(t, "line")) }
	note := func() { line("", "", "\n", "# note [x] = \"\n", "\n\n", "  # in\n") }
	pairs := func() {
		for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "\"ä =\"", "c.d", "'q'"}), 0, 3, rapid.ID[string]).Draw(t, "keys") {
			note()
			b.WriteString(k + " = ")
			line("1", "'l # no'", `"s \" = #"`, "[1, # one\n  2,\n]", "{ x = 1, y = [2] }", "'''m\n[no]\n'''", "\"\"\"a\n\"\"q\"\"\\\"\n b\"\"\"\"", "2026-01-02T03:04:05Z", "1.5")
			line("\n", " # why\n", "  \n")
		}
	}
	pairs()
	note()
	for _, h := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"[t]", "[mcp_servers.other]", "[ projects . \"/a/b\" ]", "[[list]]", "[features] # on"}), 0, 4, rapid.ID[string]).Draw(t, "headers") {
		b.WriteString(h + "\n")
		pairs()
		note()
	}
	text := b.String()
	if rapid.Bool().Draw(t, "no newline") {
		text = strings.TrimRight(text, "\n")
	}
	if rapid.Bool().Draw(t, "crlf") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return rapid.SampledFrom([]string{"", "", "\xef\xbb\xbf"}).Draw(t, "bom") + text
}

func install(t *rapid.T, d *Doc) (edits []Edit) {
	do := func(e []Edit, err error) {
		if err != nil {
			t.Fatalf("%v in\n%s", err, d.Bytes())
		}
		edits = append(edits, e...)
	}
	do(d.SetTable(server, "mcp_servers", "vespe"))
	do(d.SetTable([]KeyValue{{Key: "extends", Value: ":workspace"}}, "permissions", "vespe"))
	do(d.SetTable([]KeyValue{{Key: ".vespe", Value: "read"}}, "permissions", "vespe", "filesystem", ":workspace_roots"))
	do(d.Set("vespe", "default_permissions"))
	return edits
}

func subsequence(a, b string) bool {
	for i := 0; i < len(b) && a != ""; i++ {
		if a[0] == b[i] {
			a = a[1:]
		}
	}
	return a == ""
}

// Whatever a person's text is like, what is written goes into it without touching a byte of theirs, the
// second time writes nothing, and taken back it is as it was.
func TestInstallAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		d := parse(t, text)
		edits := install(t, d)
		with := string(d.Bytes())
		if !subsequence(text, with) {
			t.Fatalf("bytes are lost:\n%q\nbecame\n%q", text, with)
		}
		if again := parse(t, with); len(install(t, again)) > 0 || string(again.Bytes()) != with {
			t.Fatalf("the second time it is\n%s", again.Bytes())
		}
		for _, e := range slices.Backward(edits) {
			if ok, err := d.Undo(e); !ok || err != nil {
				t.Fatalf("undo %+v: %v %v in\n%s", e, ok, err, d.Bytes())
			}
		}
		if got := string(d.Bytes()); got != text {
			t.Fatalf("taken back it is\n%q\nand was\n%q\nwith it was\n%q", got, text, with)
		}
	})
}

// Where somebody has changed the text since, what they wrote stays, and what was written goes.
func TestBackAfterEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		d, bare := parse(t, text), parse(t, text)
		edits := install(t, d)
		for n := range rapid.IntRange(1, 4).Draw(t, "own edits") {
			own := fmt.Sprint("own", n)
			table := rapid.SampledFrom([][]string{{own}, {"t"}, {"mcp_servers", own}, {"permissions", own}}).Draw(t, "table")
			for _, to := range []*Doc{d, bare} {
				if _, err := to.SetTable([]KeyValue{{Key: own, Value: "x"}}, table...); err != nil {
					t.Skip(err)
				}
				if _, err := to.Set(n, own+"_key"); err != nil {
					t.Fatal(err)
				}
			}
		}
		// The client itself writes below what was installed.
		if _, err := d.SetTable([]KeyValue{{Key: "approval_mode", Value: "approve"}}, "mcp_servers", "vespe", "tools", "task_next"); err != nil {
			t.Fatal(err)
		}
		for _, e := range slices.Backward(edits) {
			if _, err := d.Undo(e); err != nil {
				t.Fatalf("undo %+v: %v in\n%s", e, err, d.Bytes())
			}
		}
		if !same(any(d.tree), any(bare.tree)) {
			t.Fatalf("it is\n%s\nand without the installation\n%s", d.Bytes(), bare.Bytes())
		}
		for _, note := range []string{"# note [x] = \"", "# why", "  # in", "# one", "# on"} {
			if strings.Count(text, note) != strings.Count(string(d.Bytes()), note) {
				t.Fatalf("a comment is lost: %q in\n%s", note, d.Bytes())
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "a = 1", "[a]\nb = '''\n'''", "a.b = { c = [1,\n2] }\n[[x]]\n", "x = \"\"\"\\\"\"\"\"\"\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := Parse(b)
		if err != nil {
			return
		}
		var edits []Edit
		for _, step := range []func() ([]Edit, error){
			func() ([]Edit, error) { return d.SetTable(server, "mcp_servers", "vespe") },
			func() ([]Edit, error) { return d.Set("v", "profile") },
		} {
			e, err := step()
			if err != nil {
				return
			}
			edits = append(edits, e...)
		}
		for _, e := range slices.Backward(edits) {
			if ok, err := d.Undo(e); !ok || err != nil {
				t.Fatalf("%q: %+v: %v %v", b, e, ok, err)
			}
		}
		if string(d.Bytes()) != string(b) {
			t.Fatalf("%q became %q", b, d.Bytes())
		}
	})
}
