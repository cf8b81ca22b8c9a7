package install

import (
	"fmt"
	"path/filepath"
	"strings"

	"vespe/agents/hook"
	"vespe/agents/install/settings"
)

// The permission profile of Codex in which .vespe can be read only.
const (
	codexProfile   = "vespe"
	codexWorkspace = ":workspace"
	codexRoots     = ":workspace_roots"
	codexTimeout   = 600 // seconds that a tool may take; a wait of vespe's ends after 45
)

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
	hooks := textTarget(filepath.Join(dir, "hooks.json"), func(st *steps) {
		for _, e := range events {
			st.add(e.Entry(s.Program, s.Client), "hooks", e.Name)
		}
	}, func(d settings.Doc, _ strip) error { return s.stripHooks(d) })
	hooks.stale, hooks.strict = s.staleHooks(events), true
	return []target{textTarget(filepath.Join(dir, "config.toml"), s.codexConfig, stripCodex), hooks}, nil
}

func (s *Setup) codexConfig(st *steps) {
	const servers = "mcp_servers"
	has := st.has(servers, serverName)
	s.runServer(st, servers)
	if !has { // a person who has the server already may have set these
		st.set(codexTimeout, servers, serverName, "tool_timeout_sec")
		// None of the tools decides anything, and codex exec refuses what it would have to ask about.
		st.set("approve", servers, serverName, "default_tools_approval_mode")
	}
	if s.Sandbox && st.err == nil {
		s.codexSandbox(st)
	}
}

func (s *Setup) codexSandbox(st *steps) {
	const old, key = "sandbox_mode", "default_permissions"
	line := st.d.(*settings.TOML).Line
	if st.has(old) {
		st.err = fmt.Errorf("line %d: with sandbox_mode Codex takes no permission profile, and its older sandbox cannot keep a directory "+
			"of the project from being written: take sandbox_mode out to use --sandbox", line(old))
		return
	}
	is, ok, _ := st.d.Get(key)
	profile, _ := is.(string)
	switch {
	case profile == ":read-only":
		return // nothing can be written at all
	case !ok || profile == codexWorkspace || profile == codexProfile:
		profile = codexProfile
		st.set(codexWorkspace, "permissions", profile, "extends")
	case profile == "" || strings.HasPrefix(profile, ":"):
		st.err = fmt.Errorf("line %d: with the profile %s there is no sandbox: choose another to use --sandbox", line(key), profile)
		return
	}
	st.set("read", "permissions", profile, "filesystem", codexRoots, ".vespe")
	if profile == codexProfile {
		st.set(profile, key)
	}
}

// stripCodex takes away what is vespe's by its name.
func stripCodex(d settings.Doc, how strip) error {
	if err := stripServer(d, "mcp_servers"); err != nil || how < stripAll {
		return err
	}
	if is, _, _ := d.Get("default_permissions"); is == codexProfile {
		if err := d.Delete("default_permissions"); err != nil {
			return err
		}
	}
	if extends, _, _ := d.Get("permissions", codexProfile, "extends"); extends == codexWorkspace {
		return d.Delete("permissions", codexProfile)
	}
	return nil
}
