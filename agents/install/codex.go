package install

import (
	"path/filepath"
	"strings"

	"vespe/agents/hook"
	"vespe/agents/install/tomledit"
)

// The permission profile of Codex in which .vespe can be read only.
const (
	codexProfile   = "vespe"
	codexWorkspace = ":workspace"
	codexRoots     = ":workspace_roots"
	codexTimeout   = 600 // seconds that a tool may take; a wait of vespe's ends after 45
)

// tomlText is a TOML text, changed by position.
type tomlText struct{ *tomledit.Doc }

// Undo takes an edit back.
func (d tomlText) Undo(e edit) error {
	if e.TOML == nil {
		return nil
	}
	_, err := d.Doc.Undo(*e.TOML)
	return err
}

// codex are the files of Codex.
func (s *Setup) codex() ([]target, error) {
	dir := filepath.Join(s.Root, ".codex")
	if s.Scope == User {
		var err error
		if dir, err = s.home("CODEX_HOME", ".codex"); err != nil {
			return nil, err
		}
	}
	events := hook.CodexEvents()
	hooks := jsonTarget(filepath.Join(dir, "hooks.json"), func(st *steps) {
		for _, e := range events {
			st.add(e.Entry(s.Program, s.Client), "hooks", e.Name)
		}
	}, func(d jsonText, _ strip) error { return s.stripHooks(d) })
	hooks.stale, hooks.strict = s.staleHooks(events), true
	return []target{
		{
			path: filepath.Join(dir, "config.toml"),
			open: func(text []byte) (document, error) {
				d, err := tomledit.Parse(text)
				return tomlText{d}, err
			},
			want: func(d document) ([]edit, error) {
				var out []edit
				edits, err := s.codexConfig(d.(tomlText).Doc)
				for i := range edits {
					out = append(out, edit{TOML: &edits[i]})
				}
				return out, err
			},
			strip: func(d document, how strip) error { return stripCodex(d.(tomlText).Doc, how) },
		},
		hooks,
	}, nil
}

func (s *Setup) codexConfig(d *tomledit.Doc) ([]tomledit.Edit, error) {
	edits, err := d.SetTable([]tomledit.KeyValue{
		{Key: "command", Value: s.Program},
		{Key: "args", Value: []string{serverArg}},
		{Key: "tool_timeout_sec", Value: codexTimeout, Default: true},
		// None of the tools decides anything, and codex exec refuses what it would have to ask about.
		{Key: "default_tools_approval_mode", Value: "approve", Default: true},
	}, "mcp_servers", serverName)
	if err != nil || !s.Sandbox {
		return edits, err
	}
	if _, old := d.Get("sandbox_mode"); old {
		return edits, &tomledit.Error{
			Line: d.Line("sandbox_mode"),
			Why:  "with sandbox_mode Codex takes no permission profile, and its older sandbox cannot keep a directory of the project from being written: take sandbox_mode out to use --sandbox",
		}
	}
	readOnly := []tomledit.KeyValue{{Key: ".vespe", Value: "read"}}
	profile := codexProfile
	switch is, ok := d.Get("default_permissions"); {
	case ok && is == ":read-only":
		return edits, nil // nothing can be written at all
	case ok && is != codexWorkspace && is != codexProfile:
		name, _ := is.(string)
		if name == "" || strings.HasPrefix(name, ":") {
			return edits, &tomledit.Error{Line: d.Line("default_permissions"), Why: "with the profile " + name + " there is no sandbox: choose another to use --sandbox"}
		}
		profile = name // a person's own
	default:
		more, err := d.SetTable([]tomledit.KeyValue{{Key: "extends", Value: codexWorkspace}}, "permissions", codexProfile)
		if edits = append(edits, more...); err != nil {
			return edits, err
		}
	}
	more, err := d.SetTable(readOnly, "permissions", profile, "filesystem", codexRoots)
	if edits = append(edits, more...); err != nil {
		return edits, err
	}
	if profile == codexProfile {
		more, err = d.Set(codexProfile, "default_permissions")
		edits = append(edits, more...)
	}
	return edits, err
}

// stripCodex takes away what is vespe's by its name.
func stripCodex(d *tomledit.Doc, how strip) error {
	if v, _ := d.Get("mcp_servers", serverName); how >= stripRunning && isServer(v) {
		if _, err := d.RemoveTable("mcp_servers", serverName); err != nil {
			return err
		}
	}
	if how < stripAll {
		return nil
	}
	if is, _ := d.Get("default_permissions"); is == codexProfile {
		if _, err := d.RemoveKey("default_permissions"); err != nil {
			return err
		}
	}
	if extends, _ := d.Get("permissions", codexProfile, "extends"); extends == codexWorkspace {
		_, err := d.RemoveTable("permissions", codexProfile)
		return err
	}
	return nil
}
