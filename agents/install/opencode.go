package install

import (
	"os"
	"path/filepath"

	"vespe/agents/install/settings"
)

const (
	opencodeFiles = ".vespe/*" // a star is any text there
	opencodeTools = "vespe_*"

	opencodeSchema = "https://opencode.ai/config.json"
)

// opencode is the file of opencode: the one that is there, with comments or without.
func (s *Setup) opencode() ([]target, error) {
	dir := s.Root
	if s.Scope == User {
		var err error
		if dir, err = s.home("", ".config"); err != nil {
			return nil, err
		}
		if x := s.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(x) {
			dir = x
		}
		dir = filepath.Join(dir, "opencode")
	}
	path := filepath.Join(dir, "opencode.json")
	if other := path + "c"; !exists(path) && exists(other) {
		path = other
	}
	return []target{textTarget(path, s.opencodeConfig, stripOpencode)}, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (s *Setup) opencodeConfig(st *steps) {
	if !st.has() {
		st.set(opencodeSchema, "$schema")
	}
	argv := []string{s.Program, serverArg}
	if st.has("mcp", serverName) {
		st.set(argv, "mcp", serverName, "command")
	} else {
		st.set(map[string]any{"type": "local", "command": argv, "enabled": true}, "mcp", serverName)
	}
	// Of several rules the last that fits counts. One word for all becomes the first of several.
	for _, path := range [][]string{{"permission"}, {"permission", "edit"}} {
		if st.err != nil {
			return
		}
		is, ok, err := st.d.Get(path...)
		if st.err = err; err != nil || !ok {
			continue
		}
		if word, one := is.(string); one {
			st.set(map[string]any{"*": word}, path...)
		}
	}
	st.set("deny", "permission", "edit", opencodeFiles)
	st.set("allow", "permission", opencodeTools)
}

func stripOpencode(d settings.Doc, how strip) error {
	if err := stripServer(d, "mcp"); err != nil || how < stripAll {
		return err
	}
	for _, rule := range []struct {
		value string
		path  []string
	}{{"deny", []string{"permission", "edit", opencodeFiles}}, {"allow", []string{"permission", opencodeTools}}} {
		is, ok, err := d.Get(rule.path...)
		if err != nil || !ok || !settings.Same(is, rule.value) {
			continue // another form is the person's own
		}
		if err := d.Delete(rule.path...); err != nil {
			return err
		}
	}
	if all, _, _ := d.Get(); settings.Same(all, map[string]any{"$schema": opencodeSchema}) { // what a new file begins with
		return d.Delete("$schema")
	}
	return nil
}
