package settings

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func parseTOML(t interface{ Fatalf(string, ...any) }, text string) *TOML {
	d, err := ParseTOML([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

// pair is a key of a table with its value; byDefault only where the table is new.
type pair struct {
	key       string
	value     any
	byDefault bool
}

var server = []pair{{"command", "vespe", false}, {"args", []string{"mcp"}, false}, {"tool_timeout_sec", 600, true}}

// setTable sets the pairs of a table, as an installer does.
func setTable(d *TOML, pairs []pair, path ...string) error {
	_, has, _ := d.Get(path...)
	for _, p := range pairs {
		if has && p.byDefault {
			continue
		}
		if err := d.Set(p.value, append(slices.Clone(path), p.key)...); err != nil {
			return err
		}
	}
	return nil
}

func TestWhereTOMLGoes(t *testing.T) {
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
			d := parseTOML(t, c.from)
			if err := errors.Join(setTable(d, server, "mcp_servers", "vespe"), d.Set("v", "profile")); err != nil {
				t.Fatal(err)
			}
			want := c.want
			if name == "empty" {
				want = "profile = \"v\"\n\n" + table
			}
			if got := string(d.Bytes()); got != want {
				t.Errorf("it became\n%q\nwant\n%q", got, want)
			}
		})
	}
}

func TestWhatTOMLIsLeftAlone(t *testing.T) {
	for text, want := range map[string]string{
		"a = 1\nb = \n":   "line 2: ",
		"a = 1\na = 2\n":  "line 2: ",
		"[a]\n[a]\n":      "line 2: ",
		"a = \"\xff\"\n":  "line 1: ",
		"x = [1,\n2\n":    "line ",
		"a = '''\nopen\n": "line ",
	} {
		if _, err := ParseTOML([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"mcp_servers = { }\n":                              "line 1: can't add mcp_servers.vespe",
		"\n[mcp_servers]\nvespe = { command = 'other' }\n": "line 3: mcp_servers.vespe is not a table with a header",
		"mcp_servers.vespe.args = []\n":                    "line 1: mcp_servers.vespe is not a table",
		"mcp_servers.vespe = 3\n":                          "line 1: mcp_servers.vespe is not a table",
	} {
		d := parseTOML(t, text)
		if err := setTable(d, server, "mcp_servers", "vespe"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// drawTOML draws a configuration as people write it.
func drawTOML(t *rapid.T) string {
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

func installTOML(d *TOML) error {
	return errors.Join(
		setTable(d, server, "mcp_servers", "vespe"), setTable(d, []pair{{"extends", ":workspace", false}}, "permissions", "vespe"),
		setTable(d, []pair{{".vespe", "read", false}}, "permissions", "vespe", "filesystem", ":workspace_roots"), d.Set("vespe", "default_permissions"),
	)
}

// removeTOML takes it back, with what the client itself has written below.
func removeTOML(d *TOML) error {
	return errors.Join(
		setTable(d, []pair{{"approval_mode", "approve", false}}, "mcp_servers", "vespe", "tools", "task_next"),
		d.Delete("default_permissions"), d.Delete("permissions", "vespe"), d.Delete("mcp_servers", "vespe"),
	)
}

func TestTOMLAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		andBack(t, drawTOML(t), parseTOML, installTOML, removeTOML, "# note [x] = \"", "# why", "  # in", "# one", "# on")
	})
}

func FuzzTOML(f *testing.F) {
	for _, s := range []string{"", "a = 1", "[a]\nb = '''\n'''", "a.b = { c = [1,\n2] }\n[[x]]\n", "x = \"\"\"\\\"\"\"\"\"\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := ParseTOML(b)
		if err != nil {
			return
		}
		if setTable(d, server, "mcp_servers", "vespe") != nil || d.Set("v", "profile") != nil {
			return
		}
		again, err := ParseTOML(d.Bytes())
		if err != nil {
			t.Fatalf("%q became %q: %v", b, d.Bytes(), err)
		}
		if v, _, _ := again.Get("profile"); v != "v" {
			t.Fatalf("%q became %q", b, d.Bytes())
		}
	})
}
