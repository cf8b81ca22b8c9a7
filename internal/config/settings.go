package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"vespe/keymap"
	"vespe/themes"
	"vespe/ui"
)

// Workbench is what a person has set for the workbench, in their own configuration
// directory: never in a store, which other people and agents write to.
type Workbench struct {
	Keymap *keymap.Keymap
	Theme  themes.Theme
	Themes []themes.Theme
	Dark   *bool // nil: the terminal is asked
	Mouse  bool
	ASCII  bool
	Notify ui.Notify
	Wrong  []string // what was not understood and left as it is by default
}

// settingsFile is config.toml.
type settingsFile struct {
	Theme      string
	Background string // "dark", "light" or "auto"
	Mouse      *bool
	ASCII      bool
	Notify     string // "off", "bell" or "osc9"
}

// Workbench is what config.toml says of the workbench, with keys.toml and themes/*.toml beside it.
// Files that are not there are no error; what in them is not understood is in wrong, and everything
// else counts.
func (c *Config) Workbench() Workbench {
	s := Workbench{Keymap: keymap.Default(), Themes: themes.Bundled(), Mouse: true}
	var file settingsFile
	if c.dir != "" {
		s.read(c, &file)
	}
	switch file.Background {
	case "", "auto":
	case "dark", "light":
		dark := file.Background == "dark"
		s.Dark = &dark
	default:
		s.complain("config.toml: background is %q; it may be dark, light or auto", file.Background)
	}
	if file.Mouse != nil {
		s.Mouse = *file.Mouse
	}
	switch file.Notify {
	case "", string(ui.NotifyOff):
		s.Notify = ui.NotifyOff
	case string(ui.NotifyBell), string(ui.NotifyOSC9):
		s.Notify = ui.Notify(file.Notify)
	default:
		s.complain("config.toml: notify is %q; it may be off, bell or osc9", file.Notify)
	}
	s.ASCII = file.ASCII || c.getenv("TERM") == "linux"
	if file.Theme != "" && !s.choose(file.Theme) {
		var names []string
		for _, t := range s.Themes {
			names = append(names, t.Name)
		}
		s.complain("config.toml: there is no theme %q; there are %s", file.Theme, strings.Join(names, ", "))
		file.Theme = ""
	}
	if file.Theme == "" {
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

func (s *Workbench) read(c *Config, file *settingsFile) {
	s.decode(c, file)
	path := filepath.Join(c.dir, "keys.toml")
	b, err := readOptional(path)
	if err == nil {
		var keys map[keymap.Action][]string
		if keys, err = keymap.Parse(b); err == nil {
			var own *keymap.Keymap
			if own, err = s.Keymap.With(keys); err == nil {
				s.Keymap = own
			}
		}
	}
	if err != nil {
		s.complain("%s: %v; none of its keys count until you correct it", path, err)
	}
	s.readThemes(filepath.Join(c.dir, "themes"))
}

// forms are what config.toml may say.
var forms = map[string]string{
	"theme":           "the name of a theme in quotes",
	"background":      `"dark", "light" or "auto"`,
	"mouse":           "true or false",
	"ascii":           "true or false",
	"notify":          `"off", "bell" or "osc9"`,
	"approvals":       "a table: see docs/config.md",
	"hitl":            "a table: see docs/config.md",
	"cli":             "a table: see docs/config.md",
	"gate":            "a table: see docs/config.md",
	"worker":          "a table: see docs/config.md",
	"workers":         "a table: see docs/config.md",
	"reflect_command": `a list of texts: a program and its arguments`,
	"score_command":   `a list of texts: a program and its arguments`,
}

// decode takes config.toml key by key, so that one that is wrong takes none of the others.
func (s *Workbench) decode(c *Config, file *settingsFile) {
	path := c.path()
	var bad *toml.DecodeError
	switch {
	case c.unread != nil:
		s.complain("%s: %v; none of the file counts", path, c.unread)
	case errors.As(c.unparsed, &bad):
		line, _ := bad.Position()
		s.complain("%s: line %d: %v; none of the file counts", path, line, c.unparsed)
	case c.unparsed != nil:
		s.complain("%s: %v; none of the file counts", path, c.unparsed)
	default:
		for _, wrong := range c.Rules().Wrong {
			s.complain("%s: %s", path, wrong)
		}
		for _, w := range c.workerTables().Wrong {
			s.complain("%s: %s", path, w.Says)
		}
		for _, wrong := range c.Gate().Wrong {
			s.complain("%s: %s", path, wrong)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.said)) {
		ok := true
		switch value := c.said[key]; key {
		case "approvals", "hitl", "cli", "gate", "worker", "workers": // what is wrong there is said of all of them together
			continue
		case "score_command", "reflect_command":
			_, ok = argvOf(value)
		case "theme":
			file.Theme, ok = value.(string)
		case "background":
			file.Background, ok = value.(string)
		case "mouse":
			var on bool
			if on, ok = value.(bool); ok {
				file.Mouse = &on
			}
		case "notify":
			file.Notify, ok = value.(string)
		case "ascii":
			file.ASCII, ok = value.(bool)
		default:
			s.complain("%s: %s is not known; there are %s", path, key, strings.Join(slices.Sorted(maps.Keys(forms)), ", "))
		}
		if !ok {
			s.complain("%s: line %d: %s is %v; it may be %s", path, lineOf(c.body, key), key, c.said[key], forms[key])
		}
	}
}

// lineOf is the line that a key is set in, from 1.
func lineOf(b []byte, key string) int { return lineIn(b, "", key) }

// lineIn is the line that a key of a table is set in, or that the table begins with; 1 where neither is
// written in the plain way.
func lineIn(b []byte, table, key string) int {
	n, at, in := 0, 1, table == ""
	for line := range bytes.Lines(b) {
		n++
		text := strings.TrimSpace(string(line))
		if head, ok := strings.CutPrefix(text, "["); ok {
			name, _, _ := strings.Cut(strings.TrimLeft(head, "["), "]")
			if name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(" \"'\t", r) }), ""); key != "" && name == strings.TrimPrefix(table+"."+key, ".") {
				return n
			}
			if in = name == table; in {
				at = n
				if key == "" {
					return n
				}
			}
			continue
		}
		name, _, _ := strings.Cut(text, "=")
		name = strings.Trim(name, " \t\"'")
		if in && name == key || table != "" && name == strings.TrimSuffix(table+"."+key, ".") {
			return n
		}
	}
	return at
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
