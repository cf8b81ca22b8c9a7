package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vespe/internal/tomltext"
	"vespe/keymap"
	"vespe/themes"
)

// Workbench is what a person has set for the workbench, in their own configuration
// directory: never in a store, which other people and agents write to.
type Workbench struct {
	Keymap  *keymap.Keymap
	Theme   themes.Theme
	Themes  []themes.Theme
	Dark    *bool // nil: the terminal is asked
	Mouse   bool
	Phrases []string // offered where the person writes; nil: a few
	ASCII   bool
	Notify  string   // off, bell or osc9
	Wrong   []string // the settings that are invalid; their defaults hold
}

// Workbench is what config.toml says of the workbench, with keys.toml and themes/*.toml beside it.
// Files that are not there are no error. An entry that is wrong is in Wrong, and all others count.
func (c *Config) Workbench() Workbench {
	s := Workbench{Keymap: keymap.Default(), Themes: themes.Bundled(), Mouse: c.file.Mouse, Phrases: c.file.Phrases, Notify: c.file.Notify}
	if c.broken != nil {
		s.complain("%v; the file is ignored", c.broken)
	}
	for _, wrong := range c.mistakes(func(string) bool { return true }) {
		s.complain("%s: %s", c.path(), wrong)
	}
	if c.dir != "" {
		s.readKeys(filepath.Join(c.dir, "keys.toml"))
		s.readThemes(filepath.Join(c.dir, "themes"))
	}
	if c.file.Background != "auto" {
		dark := c.file.Background == "dark"
		s.Dark = &dark
	}
	s.ASCII = c.file.ASCII || c.getenv("TERM") == "linux"
	if !s.choose(c.file.Theme) {
		var names []string
		for _, t := range s.Themes {
			names = append(names, t.Name)
		}
		wrong := tomltext.Mistake{Key: "theme", Says: fmt.Sprintf("unknown theme %q; the themes are %s", c.file.Theme, strings.Join(names, ", "))}
		s.complain("%s: %s", c.path(), wrong.At(c.lines))
		s.choose(themes.Default)
	}
	return s
}

func (s *Workbench) complain(format string, args ...any) {
	s.Wrong = append(s.Wrong, fmt.Sprintf(format, args...))
}

// choose takes a theme by its name, if there is one.
func (s *Workbench) choose(name string) bool {
	i := slices.IndexFunc(s.Themes, func(t themes.Theme) bool { return t.Name == name })
	if i >= 0 {
		s.Theme = s.Themes[i]
	}
	return i >= 0
}

// readKeys takes the keys of a file: each entry that is right.
func (s *Workbench) readKeys(path string) {
	b, err := readOptional(path)
	if err != nil {
		s.complain("%s: %v", path, err)
		return
	}
	own, wrong := s.Keymap.Read(b)
	for _, err := range wrong {
		s.complain("%s: %v", path, err)
	}
	s.Keymap = own
}

// readThemes adds the person's own themes; one with the name of another takes its place.
func (s *Workbench) readThemes(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.complain("%v", err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".toml" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		b, err := os.ReadFile(path)
		if err != nil {
			s.complain("%v", err)
			continue
		}
		t, err := themes.Parse(b)
		if err != nil {
			s.complain("%s: %v", path, err)
			continue
		}
		same := func(o themes.Theme) bool { return o.Name == t.Name }
		if i := slices.IndexFunc(s.Themes, same); i >= 0 {
			s.Themes[i] = t
		} else {
			s.Themes = append(s.Themes, t)
		}
	}
}
