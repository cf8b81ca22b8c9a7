package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"
)

// config is the person's own configuration directory, $XDG_CONFIG_HOME/vespe (~/.config/vespe), and
// its config.toml as it was read when the program began. It is never in a store, which other people
// and agents write to.
type config struct {
	getenv func(string) string
	dir    string // "" where there is none
	body   []byte
	said   map[string]any // what config.toml says

	unread, unparsed error // why it says nothing
}

// loadConfig reads it. A file that is not there is no error.
func loadConfig(getenv func(string) string) *config {
	c := &config{getenv: getenv, dir: configDir(getenv)}
	if c.dir == "" {
		return c
	}
	c.body, c.unread = readOptional(c.path())
	if c.unparsed = toml.Unmarshal(c.body, &c.said); c.unparsed != nil {
		c.said = nil // none of the file counts
	}
	return c
}

// path is that of config.toml.
func (c *config) path() string { return filepath.Join(c.dir, "config.toml") }

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
