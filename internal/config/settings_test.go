package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/keymap"
	"vespe/themes"
)

func withConfig(t *testing.T, files map[string]string) func(string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		path := filepath.Join(dir, "vespe", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return func(k string) string {
		if k == "XDG_CONFIG_HOME" {
			return dir
		}
		return ""
	}
}

func TestSettingsWithoutAFile(t *testing.T) {
	s := Load(withConfig(t, nil)).Workbench()
	if len(s.Wrong) > 0 || s.Theme.Name != "vespe" || s.Dark != nil || !s.Mouse || s.ASCII || s.Notify != "off" {
		t.Fatalf("%+v", s)
	}
}

func TestSettings(t *testing.T) {
	s := Load(withConfig(t, map[string]string{
		"config.toml": "theme = \"contrast\"\nbackground = \"light\"\nmouse = false\nascii = true\nnotify = \"osc9\"\n",
		"keys.toml":   "[keys]\ntask.accept = \"ctrl+t\"\n",
	})).Workbench()
	if len(s.Wrong) > 0 {
		t.Fatal(s.Wrong)
	}
	if s.Theme.Name != "contrast" || s.Dark == nil || *s.Dark || s.Mouse || !s.ASCII || s.Notify != "osc9" {
		t.Fatalf("%+v", s)
	}
	if got := s.Keymap.Keys(keymap.Accept); len(got) != 1 || got[0] != "ctrl+t" {
		t.Fatalf("keys %q", got)
	}
}

func TestSettingsFromHome(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "vespe")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte("mouse = false\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := Load(func(k string) string { return map[string]string{"HOME": home, "TERM": "linux"}[k] }).Workbench()
	if len(s.Wrong) > 0 || s.Mouse {
		t.Errorf("~/.config/vespe was not read: %+v", s)
	}
	if !s.ASCII { // the console of Linux has few glyphs
		t.Error("TERM=linux is not drawn in ASCII")
	}
}

// A directory that is not absolute would be one of the repository that is looked at, and
// its files belong to anyone who wrote that.
func TestSettingsOnlyFromTheirOwnDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"vespe", ".config/vespe"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte("ascii = true\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME"} {
		s := Load(func(k string) string {
			if k == name {
				return "."
			}
			return ""
		}).Workbench()
		if len(s.Wrong) > 0 || s.ASCII {
			t.Errorf("$%s = \".\": the settings of the working directory were read (%v)", name, s.Wrong)
		}
	}
}

// A theme of the person's own is found wherever they keep it, and stands for the bundled
// one of the same name.
func TestOwnThemes(t *testing.T) {
	palette := ""
	for _, token := range themes.Tokens() {
		if token.Default == "" {
			palette += token.Name + " = \"#123456\"\n"
		}
	}
	theme := func(name string) string {
		return "name = \"" + name + "\"\ntitle = \"Mine\"\n[dark]\n" + palette + "[light]\n" + palette
	}
	dir := filepath.Join(t.TempDir(), "a[b")
	at := filepath.Join(dir, "vespe", "themes")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vespe", "mine"} {
		if err := os.WriteFile(filepath.Join(at, name+".toml"), []byte(theme(name)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := Load(func(k string) string {
		if k == "XDG_CONFIG_HOME" {
			return dir
		}
		return ""
	}).Workbench()
	if len(s.Wrong) > 0 {
		t.Fatal(s.Wrong)
	}
	if s.Theme.Title != "Mine" {
		t.Errorf("the bundled theme %q hides the person's own", s.Theme.Title)
	}
	names := map[string]int{}
	for _, theme := range s.Themes {
		names[theme.Name]++
	}
	if names["mine"] != 1 || names["vespe"] != 1 {
		t.Errorf("themes %v", names)
	}
}

// What is wrong is told with its place and form, and takes nothing else with it.
func TestSettingsThatAreWrongSayWhere(t *testing.T) {
	const rest = "\nascii = true\n"
	for name, c := range map[string]struct{ file, body, want string }{
		"unknown key":    {"config.toml", "themes = \"x\"" + rest, "unknown setting themes; known are approvals, ascii, background, cli, gate, hitl, mouse, notify, phrases, score_command, theme"},
		"bad command":    {"config.toml", "score_command = \"score --fast\"" + rest, "line 1: score_command is score --fast; it may be a list of texts"},
		"bad type":       {"config.toml", "\nmouse = 3" + rest, "line 2: mouse is 3; it may be true or false"},
		"unknown theme":  {"config.toml", "theme = \"nope\"" + rest, "contrast"},
		"bad background": {"config.toml", "background = \"blue\"" + rest, "dark, light or auto"},
		"bad worker":     {"config.toml", "mouse = true\n[worker]\nparallel = 2\nwall = 5\n", "line 4: worker.wall is 5; it may be a time"},
		"bad template":   {"config.toml", "mouse = true\n[workers.mine]\n\nargv = \"x\"\n", "line 4: workers.mine.argv is x; it may be a list of texts"},
		"half template":  {"config.toml", "mouse = true\n\n[workers.mine]\n", "line 3: workers.mine: it has no argv"},
		"dotted worker":  {"config.toml", "mouse = true\nworker.use = \"gpt\"\n", "line 2: worker.use is \"gpt\"; there are claude, codex, opencode"},
		"no worker":      {"config.toml", "mouse = true\nworkers = 1\n", "line 2: workers is 1; it must be tables"},
		"no TOML":        {"config.toml", "ascii = true\nmouse = \n", "line 2: "},
		"unknown action": {"keys.toml", "[keys]\ntask.acept = \"a\"\n", "line 2: unknown action \"task.acept\"; did you mean \"task.accept\"?"},
		"clash":          {"keys.toml", "[keys]\ntask.accept = \"r\"\n", "keys.toml"},
		"bad theme file": {"themes/x.toml", "name = 1\n", "x.toml"},
	} {
		s := Load(withConfig(t, map[string]string{c.file: c.body})).Workbench()
		if len(s.Wrong) != 1 || !strings.Contains(s.Wrong[0], c.want) {
			t.Errorf("%s: %q; want %q", name, s.Wrong, c.want)
		}
		if s.Theme.Name != themes.Default || !s.Mouse || s.Dark != nil || s.ASCII != strings.HasSuffix(c.body, rest) {
			t.Errorf("%s: the settings are %+v", name, s)
		}
		if got := s.Keymap.Keys(keymap.Accept); len(got) == 0 || got[0] != keymap.Default().Keys(keymap.Accept)[0] {
			t.Errorf("%s: accept has the keys %q", name, got)
		}
	}
}

// A file that cannot be read lets no approval pass, and the workbench says so.
func TestAConfigThatCannotBeRead(t *testing.T) {
	getenv := withConfig(t, map[string]string{"config.toml/x": ""})
	c := Load(getenv)
	path := filepath.Join(getenv("XDG_CONFIG_HOME"), "vespe", "config.toml")
	if err := c.Rules().Signing.Err; err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("approvals: %v", err)
	}
	if s := c.Workbench(); len(s.Wrong) != 1 || !strings.Contains(s.Wrong[0], path) || s.Theme.Name != themes.Default {
		t.Errorf("settings: %q", s.Wrong)
	}
}

// The settings that docs/config.md shows are valid, each example by itself, and do what they say.
func TestDocumentedSettings(t *testing.T) {
	b, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]int{}
	for _, block := range strings.Split(string(b), "```toml\n# ")[1:] {
		body, _, _ := strings.Cut(block, "```")
		name, body, _ := strings.Cut(body, "\n")
		shown[name]++
		s := Load(withConfig(t, map[string]string{name: body})).Workbench()
		if len(s.Wrong) > 0 {
			t.Errorf("%s:\n%s\n%q", name, body, s.Wrong)
		}
		if got := s.Keymap.Keys(keymap.Accept); name == "keys.toml" && (len(got) != 1 || got[0] != "ctrl+y") {
			t.Errorf("accept has the keys %q, not those of docs/config.md", got)
		}
	}
	if len(shown) != 2 || shown["config.toml"] == 0 || shown["keys.toml"] != 1 {
		t.Errorf("docs/config.md shows %v, not config.toml and one keys.toml", shown)
	}
}
