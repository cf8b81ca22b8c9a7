package main

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
	s, err := loadSettings(withConfig(t, nil))
	if err != nil || s.theme.Name != "vespe" || s.dark != nil || !s.mouse || s.ascii {
		t.Fatalf("%+v %v", s, err)
	}
}

func TestSettings(t *testing.T) {
	s, err := loadSettings(withConfig(t, map[string]string{
		"config.toml": "theme = \"contrast\"\nbackground = \"light\"\nmouse = false\nascii = true\n",
		"keys.toml":   "[keys]\ntask.accept = \"ctrl+a\"\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if s.theme.Name != "contrast" || s.dark == nil || *s.dark || s.mouse || !s.ascii {
		t.Fatalf("%+v", s)
	}
	if got := s.keymap.Keys(keymap.Accept); len(got) != 1 || got[0] != "ctrl+a" {
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
	s, err := loadSettings(func(k string) string { return map[string]string{"HOME": home, "TERM": "linux"}[k] })
	if err != nil || s.mouse {
		t.Errorf("~/.config/vespe was not read: %+v %v", s, err)
	}
	if !s.ascii { // the console of Linux has few glyphs
		t.Error("TERM=linux is not drawn in ASCII")
	}
}

// A directory that is not absolute would be one of the repository that is looked at, and
// its files belong to whoever wrote that.
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
		s, err := loadSettings(func(k string) string {
			if k == name {
				return "."
			}
			return ""
		})
		if err != nil || s.ascii {
			t.Errorf("$%s = \".\": the settings of the working directory were read (%v)", name, err)
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
	s, err := loadSettings(func(k string) string {
		if k == "XDG_CONFIG_HOME" {
			return dir
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.theme.Title != "Mine" {
		t.Errorf("the bundled theme %q hides the person's own", s.theme.Title)
	}
	names := map[string]int{}
	for _, theme := range s.themes {
		names[theme.Name]++
	}
	if names["mine"] != 1 || names["vespe"] != 1 {
		t.Errorf("themes %v", names)
	}
}

func TestSettingsThatAreWrongSayWhere(t *testing.T) {
	for name, c := range map[string]struct{ file, body, want string }{
		"unknown key":    {"config.toml", "themes = \"x\"\n", "themes"},
		"bad type":       {"config.toml", "mouse = 3\n", "config.toml"},
		"unknown theme":  {"config.toml", "theme = \"nope\"\n", "contrast"},
		"bad background": {"config.toml", "background = \"blue\"\n", "dark, light or auto"},
		"unknown action": {"keys.toml", "[keys]\ntask.acept = \"a\"\n", "task.accept"},
		"clash":          {"keys.toml", "[keys]\ntask.accept = \"r\"\n", "keys.toml"},
		"bad theme file": {"themes/x.toml", "name = 1\n", "x.toml"},
	} {
		_, err := loadSettings(withConfig(t, map[string]string{c.file: c.body}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}
