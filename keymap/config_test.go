package keymap

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestConfigRoundTrip(t *testing.T) {
	for _, overrides := range []map[Action][]string{nil, {Accept: {"ctrl+y", "Y a"}, Abort: {}, Quit: {"^", `\`, `"`, "'"}}} {
		k, err := Default().With(overrides)
		if err != nil {
			t.Fatal(err)
		}
		parsed, wrong := Parse([]byte(tomlOf(k)))
		if len(wrong) > 0 {
			t.Fatalf("%v in\n%s", wrong, tomlOf(k))
		}
		again, err := Default().With(parsed)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(again.Specs(), k.Specs()) {
			t.Error("the keymap that comes back is another")
		}
		if len(parsed) != len(Actions()) {
			t.Errorf("%d of %d actions are written", len(parsed), len(Actions()))
		}
	}
}

func TestParse(t *testing.T) {
	got, wrong := Parse([]byte(`
theme = "vespe"

[keys]
task.accept = "C-y"          # one key
"move.top" = [
  "g g", # a comment between
  "home",
]
task.abort = []

[keys.view]
raw = "M"

[mouse]
enabled = true
`))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	want := map[Action][]string{Accept: {"ctrl+y"}, MoveTop: {"g g", "home"}, Abort: {}, Raw: {"M"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		src  string
		line int
		want string
	}{
		{"[keys]\ntask.acept = \"a\"\n", 2, `did you mean "task.accept"?`},
		{"[keys]\n\ntask.accept = \"ctl+a\"\n", 3, "not a key"},
		{"[keys]\ntask.accept = 1\n", 2, "a key is a string"},
		{"[keys]\ntask.accept = [\"a\", 1]\n", 2, "a key is a string"},
		{"[keys]\ntask.accept = \"a\"\ntask.accept = \"b\"\n", 3, "set twice, first on line 2"},
		{"task.accept = \"a\"\n", 1, "[keys]"},
		{"\n[kyes]\ntask.accept = \"a\"\n", 2, `did you mean "keys"?`},
		{"[keys]\ntask.accept = \"a\n", 2, ""},
		{"[keys]\ntask.accept = \n", 2, ""},
		{"[keys]\ntask.accept = \"\"\n", 2, "empty"},
	} {
		_, wrong := Parse([]byte(c.src))
		if len(wrong) != 1 || wrong[0].Line != c.line || !strings.Contains(wrong[0].Error(), c.want) {
			t.Errorf("Parse(%q): %v; want line %d and %q", c.src, wrong, c.line, c.want)
		}
	}
}

// An entry that is wrong takes none of the others with it, also one that clashes.
func TestReadTakesWhatIsRight(t *testing.T) {
	k, wrong := Default().Read([]byte("[keys]\ntask.acept = \"a\"\ntask.abort = \"r\"\nmove.top = \"ctrl+y\"\ntask.accept = \"ctl+a\"\n"))
	if got := k.Keys(MoveTop); !reflect.DeepEqual(got, []string{"ctrl+y"}) {
		t.Errorf("move.top has the keys %q", got)
	}
	for _, a := range []Action{Accept, Abort} {
		if got := k.Keys(a); !reflect.DeepEqual(got, Default().Keys(a)) {
			t.Errorf("%s has the keys %q", a, got)
		}
	}
	var lines []int
	for _, w := range wrong {
		lines = append(lines, w.Line)
	}
	if !reflect.DeepEqual(lines, []int{2, 5, 3}) {
		t.Errorf("it reports %v", wrong)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[keys]\ntask.accept = [\"g a\"]\n"))
	f.Add([]byte("keys.task.accept = \"a\"\n[[keys]]\nx = {a=1}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		overrides, wrong := Parse(src)
		if len(wrong) > 0 {
			return
		}
		k, err := Default().With(overrides)
		if err != nil {
			return
		}
		again, wrong := Parse([]byte(tomlOf(k)))
		if len(wrong) > 0 {
			t.Fatalf("%v in what was written for %q", wrong, src)
		}
		if back, err := Default().With(again); err != nil || !reflect.DeepEqual(back.Specs(), k.Specs()) {
			t.Fatalf("%q does not come back: %v", src, err)
		}
	})
}

// tomlOf writes the bindings in force as a [keys] table that Parse reads back, each with its
// help as a comment.
func tomlOf(k *Keymap) string {
	var b strings.Builder
	b.WriteString("[keys]\n")
	for _, group := range Groups() {
		fmt.Fprintf(&b, "\n# %s\n", group)
		for _, s := range k.specs {
			if s.Group != group {
				continue
			}
			quoted := make([]string, len(s.Keys))
			for i, key := range s.Keys {
				quoted[i] = strconv.Quote(key)
			}
			fmt.Fprintf(&b, "%s = [%s] # %s\n", s.Action, strings.Join(quoted, ", "), s.Help)
		}
	}
	return b.String()
}
