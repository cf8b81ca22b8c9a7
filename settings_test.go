package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/keymap"
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
