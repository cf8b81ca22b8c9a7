package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// colored finds a sequence that sets a color.
var colored = regexp.MustCompile("\x1b\\[[0-9;:]*(38|48)[;:][25][;:]|\x1b\\[(3|4|9|10)[0-7]m")

// What a person has set reaches the terminal: their files, and NO_COLOR with any value.
func TestPtySettings(t *testing.T) {
	config := t.TempDir()
	if err := os.Mkdir(filepath.Join(config, "vespe"), 0o755); err != nil {
		t.Fatal(err)
	}
	const file = "mouse = false\nascii = true\nbackground = \"light\"\n"
	if err := os.WriteFile(filepath.Join(config, "vespe", "config.toml"), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	const mouse, background = "\x1b[?1002h", "\x1b]11;?"
	for _, tt := range []struct {
		name                           string
		env                            []string
		color, mouse, asks, rulesASCII bool
	}{
		{name: "nothing set", color: true, mouse: true, asks: true},
		{name: "NO_COLOR", env: []string{"NO_COLOR=yes"}, mouse: true},
		{name: "a file", env: []string{"XDG_CONFIG_HOME=" + config}, color: true, rulesASCII: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := openTerminal(t, binary(t), 100, 30, tt.env...)
			screen := x.tasks()
			x.press("q")
			code, raw := x.end()
			if code != 0 {
				t.Errorf("exit code %d", code)
			}
			for what, c := range map[string]struct{ got, want bool }{
				"colors":         {colored.MatchString(raw), tt.color},
				"the mouse":      {strings.Contains(raw, mouse), tt.mouse},
				"the background": {strings.Contains(raw, background), tt.asks},
				"ASCII only":     {!strings.ContainsFunc(screen, func(r rune) bool { return r > '~' && r != '\u00a0' }), tt.rulesASCII},
			} {
				if c.got != c.want {
					t.Errorf("%s: %v, want %v", what, c.got, c.want)
				}
			}
		})
	}
}

// What nobody has read when the workbench is left is said where it was started, and what
// that quotes of a file is shown, not obeyed.
func TestPtyLeftoversAreSaid(t *testing.T) {
	bin, dir := binary(t), t.TempDir()
	for _, args := range [][]string{{"init"}, {"new", "Plain"}} {
		if out, err := exec.Command(bin, append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, ".vespe", "tasks", "*", "config.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	const name = "Evil\x1b[8m\x1b]0;title\a\u202ename\u3164"
	quoted, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], []byte(strings.Replace(string(b), `"Plain"`, string(quoted), 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	x := openStore(t, bin, dir, 100, 30)
	x.see("Evil")
	x.press("s")
	x.see("Can't start")
	x.press("\x03")
	_, raw := x.end()
	restored(t, raw)
	_, after, _ := strings.Cut(raw, "\x1b[?1049l")
	if !strings.Contains(after, "vespe: Can't start") {
		t.Errorf("the refusal is not said after the workbench: %q", after)
	}
	for _, bad := range []string{"\x1b[8m", "\x1b]0;title", "\u202e", "\u3164"} {
		if strings.Contains(raw, bad) {
			t.Errorf("%q of a task's name reached the terminal", bad)
		}
	}
}
