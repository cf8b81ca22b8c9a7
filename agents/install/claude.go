package install

import (
	"maps"
	"path/filepath"
	"slices"

	"vespe/agents/hook"
	"vespe/agents/install/settings"
)

// claudeTools is the permission rule for the tools of the server: none of them decides anything.
const claudeTools = "mcp__vespe__*"

// claude are the files of Claude Code. In permission rules a path with one slash is below the project, in the
// sandbox one without any is; rules of Edit are for all tools that write files.
func (s *Setup) claude() ([]target, error) {
	if s.Scope == Project {
		return []target{
			s.claudeSettings(filepath.Join(s.Root, ".claude", "settings.json"), "Edit(/.vespe/**)", ".vespe"),
			s.claudeServers(filepath.Join(s.Root, ".mcp.json")),
		}, nil
	}
	dir, err := s.home("CLAUDE_CONFIG_DIR", ".claude")
	if err != nil {
		return nil, err
	}
	state, err := s.home("CLAUDE_CONFIG_DIR") // beside ~/.claude, but in a directory that was named
	if err != nil {
		return nil, err
	}
	return []target{
		s.claudeSettings(filepath.Join(dir, "settings.json"), "Edit(**/.vespe/**)", ""),
		s.claudeServers(filepath.Join(state, ".claude.json")),
	}, nil
}

func (s *Setup) claudeServers(path string) target {
	t := textTarget(path, func(st *steps) { s.setServer(st, true) },
		func(d settings.Doc, _ strip) error { return stripServer(d, "mcpServers") })
	t.strict = true
	return t
}

func (s *Setup) claudeSettings(path, deny, denyWrite string) target {
	events := hook.ClaudeEvents()
	t := textTarget(path, func(st *steps) {
		for _, e := range events {
			st.add(e.Entry(s.Program, s.Client), "hooks", e.Name)
		}
		st.add(claudeTools, "permissions", "allow")
		st.add(deny, "permissions", "deny")
		if s.Scope == Project { // they count once the person trusts the project
			st.add(serverName, "enabledMcpjsonServers")
			st.add(denyWrite, "sandbox", "filesystem", "denyWrite")
		}
		if s.Sandbox {
			for _, name := range slices.Backward(slices.Sorted(maps.Keys(sandboxed))) {
				st.set(sandboxed[name], "sandbox", name)
			}
		}
	}, func(d settings.Doc, how strip) error {
		if err := s.stripHooks(d); err != nil || how < stripAll {
			return err
		}
		return stripClaude(d.(*settings.JSON))
	})
	t.stale, t.strict = s.staleHooks(events), true
	return t
}

// sandboxed are the settings that turn the sandbox on.
var sandboxed = map[string]bool{"enabled": true, "failIfUnavailable": true, "allowUnsandboxedCommands": false}

// stripClaude takes away what is known to be vespe's by its text alone: rules. The sandbox stays on: a person may have
// turned it on before.
func stripClaude(d *settings.JSON) error {
	for _, list := range []struct {
		path  []string
		rules []string
	}{
		{[]string{"permissions", "allow"}, []string{claudeTools}},
		{[]string{"permissions", "deny"}, []string{"Edit(/.vespe/**)", "Edit(**/.vespe/**)"}},
		{[]string{"enabledMcpjsonServers"}, []string{serverName}},
		{[]string{"sandbox", "filesystem", "denyWrite"}, []string{".vespe"}},
	} {
		err := d.Remove(func(v any) bool {
			rule, _ := v.(string)
			return slices.Contains(list.rules, rule)
		}, list.path...)
		if err != nil {
			return err
		}
	}
	return nil
}
