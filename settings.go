package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"vespe/keymap"
	"vespe/themes"
)

// settings is what a person has set for the workbench, in their own configuration
// directory: never in a store, which other people and agents write to.
type settings struct {
	keymap *keymap.Keymap
	theme  themes.Theme
	themes []themes.Theme
	dark   *bool // nil: the terminal is asked
	mouse  bool
	ascii  bool
}

// settingsFile is config.toml.
type settingsFile struct {
	Theme      string `toml:"theme"`
	Background string `toml:"background"` // "dark", "light" or "auto"
	Mouse      *bool  `toml:"mouse"`
	ASCII      bool   `toml:"ascii"`
}

// loadSettings reads config.toml, keys.toml and themes/*.toml of
// $XDG_CONFIG_HOME/vespe (~/.config/vespe). Files that are not there are no error;
// anything in them that is not understood is.
func loadSettings(getenv func(string) string) (settings, error) {
	s := settings{keymap: keymap.Default(), themes: themes.Bundled(), mouse: true}
	var file settingsFile
	if dir := configDir(getenv); dir != "" {
		if err := s.read(dir, &file); err != nil {
			return s, err
		}
	}
	switch file.Background {
	case "", "auto":
	case "dark", "light":
		dark := file.Background == "dark"
		s.dark = &dark
	default:
		return s, fmt.Errorf("config.toml: background is %q; it may be dark, light or auto", file.Background)
	}
	if file.Mouse != nil {
		s.mouse = *file.Mouse
	}
	s.ascii = file.ASCII || getenv("TERM") == "linux"
	if file.Theme == "" {
		file.Theme = themes.Default
	}
	var names []string
	for _, t := range s.themes {
		if t.Name == file.Theme {
			s.theme = t
			return s, nil
		}
		names = append(names, t.Name)
	}
	return s, fmt.Errorf("config.toml: there is no theme %q; there are %s", file.Theme, strings.Join(names, ", "))
}

func (s *settings) read(dir string, file *settingsFile) error {
	b, err := readOptional(filepath.Join(dir, "config.toml"))
	if err != nil {
		return err
	}
	dec := toml.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(file); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) {
			return fmt.Errorf("%s has keys that are not known:\n%s", filepath.Join(dir, "config.toml"), strict.String())
		}
		var bad *toml.DecodeError
		if errors.As(err, &bad) && len(bad.Key()) > 0 {
			line, _ := bad.Position()
			return fmt.Errorf("%s: line %d: %s cannot have this value; the README shows its form", filepath.Join(dir, "config.toml"), line, strings.Join(bad.Key(), "."))
		}
		return fmt.Errorf("%s: %w", filepath.Join(dir, "config.toml"), err)
	}
	path := filepath.Join(dir, "keys.toml")
	if b, err = readOptional(path); err != nil {
		return err
	}
	keys, err := keymap.Parse(b)
	if err == nil {
		s.keymap, err = s.keymap.With(keys)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return s.readThemes(filepath.Join(dir, "themes"))
}

// readThemes adds the person's own themes; one with the name of another takes its place.
func (s *settings) readThemes(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".toml" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		t, err := themes.Parse(b)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		same := func(o themes.Theme) bool { return o.Name == t.Name }
		if i := slices.IndexFunc(s.themes, same); i >= 0 {
			s.themes[i] = t
		} else {
			s.themes = append(s.themes, t)
		}
	}
	return nil
}

func readOptional(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// configDir is "" where there is none. A path that is not absolute is none: it would lead
// into the repository that vespe is started in.
func configDir(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "vespe")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "vespe")
	}
	return ""
}

// storeName is what the header calls a store that has no name of its own: its directory.
func storeName(root string) string { return filepath.Base(root) }
