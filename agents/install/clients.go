package install

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vespe/agents/hook"
	"vespe/agents/install/settings"
)

const (
	serverName = "vespe"
	serverArg  = "mcp"
)

// steps makes several changes, up to the first that fails.
type steps struct {
	d   settings.Doc
	err error
}

func (s *steps) set(value any, path ...string) {
	if s.err == nil {
		s.err = s.d.Set(value, path...)
	}
}

func (s *steps) add(value any, path ...string) {
	if s.err == nil {
		s.err = s.d.(*settings.JSON).Add(value, path...)
	}
}

// has reports that there is something at a path.
func (s *steps) has(path ...string) bool {
	if s.err != nil {
		return false
	}
	_, ok, err := s.d.Get(path...)
	s.err = err
	return ok
}

// textTarget is a target of JSON or of TOML.
func textTarget(path string, want func(s *steps), take func(d settings.Doc, how strip) error) target {
	return target{
		path: path,
		open: func(text []byte) (document, error) {
			if filepath.Ext(path) == ".toml" {
				return settings.ParseTOML(text)
			}
			return settings.ParseJSON(text)
		},
		want: func(d document) error {
			s := &steps{d: d.(settings.Doc)}
			want(s)
			return s.err
		},
		strip: func(d document, how strip) error { return take(d.(settings.Doc), how) },
	}
}

// targets are the files of the client.
func (s *Setup) targets() ([]target, error) {
	var out []target
	var err error
	switch s.Client {
	case ClaudeCode:
		out, err = s.claude()
	case Codex:
		out, err = s.codex()
	case OpenCode:
		out, err = s.opencode()
	}
	if err != nil || s.Scope == User {
		return out, err
	}
	out = append(out, markdownTarget(filepath.Join(s.Root, "AGENTS.md")))
	if s.Client == ClaudeCode && s.ownMemory() {
		own := markdownTarget(filepath.Join(s.Root, "CLAUDE.md"))
		own.alone = true
		out = append(out, own)
	}
	return out, nil
}

// ownMemory reports that Claude Code reads a CLAUDE.md here, and by way of it no AGENTS.md; or that vespe's section is
// in it from before.
func (s *Setup) ownMemory() bool {
	body, err := os.ReadFile(filepath.Join(s.Root, "CLAUDE.md"))
	if err != nil {
		return false
	}
	return bytes.Contains(body, []byte(beginMark)) || !slices.ContainsFunc(strings.Fields(string(body)), func(w string) bool { return w == "@AGENTS.md" || w == "@./AGENTS.md" })
}

// ErrNoHome says that a person has no place for settings of their own.
var ErrNoHome = errors.New("HOME is not set")

// home is a directory below the person's own, or the one that a variable names.
func (s *Setup) home(variable string, parts ...string) (string, error) {
	if dir := s.Getenv(variable); variable != "" && filepath.IsAbs(dir) {
		return dir, nil
	}
	if home := s.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(append([]string{home}, parts...)...), nil
	}
	return "", fmt.Errorf("%w for your own settings of %s", ErrNoHome, s.Client)
}

// IsHook reports that a command line is a hook of vespe for a client, wherever vespe lay.
func IsHook(command, client string) bool {
	before, ok := strings.CutSuffix(command[:max(0, strings.LastIndexByte(command, ' '))], " hook "+client)
	return ok && path.Base(strings.TrimSuffix(filepath.ToSlash(before), "'")) == serverName
}

// handlers are the hooks of an entry.
func handlers(group any) []any {
	g, _ := group.(map[string]any)
	list, _ := g["hooks"].([]any)
	return list
}

func (s *Setup) ours(handler any) bool {
	h, _ := handler.(map[string]any)
	command, _ := h["command"].(string)
	return IsHook(command, s.Client)
}

// hookGroups are the entries of the hooks, by their event.
func hookGroups(d settings.Doc) map[string][]any {
	all, _, _ := d.Get("hooks")
	events, _ := all.(map[string]any)
	out := map[string][]any{}
	for event, list := range events {
		out[event], _ = list.([]any)
	}
	return out
}

// staleHooks reports a hook of vespe that is none of those that are wanted.
func (s *Setup) staleHooks(events []hook.Event) func(document) bool {
	return func(doc document) (stale bool) {
		for event, groups := range hookGroups(doc.(settings.Doc)) {
			groups = slices.DeleteFunc(groups, func(g any) bool { return !slices.ContainsFunc(handlers(g), s.ours) })
			i := slices.IndexFunc(events, func(e hook.Event) bool { return e.Name == event })
			stale = stale || len(groups) > 1 || len(groups) == 1 && (i < 0 || !settings.Same(groups[0], events[i].Entry(s.Program, s.Client)))
		}
		return stale
	}
}

// stripHooks takes the hooks of vespe away, and the entries and lists that have no other.
func (s *Setup) stripHooks(doc settings.Doc) error {
	d := doc.(*settings.JSON)
	for event := range hookGroups(d) {
		if err := d.Remove(func(g any) bool {
			list := handlers(g)
			return len(list) > 0 && !slices.ContainsFunc(list, func(h any) bool { return !s.ours(h) })
		}, "hooks", event); err != nil {
			return err
		}
		for i, g := range hookGroups(d)[event] {
			if !slices.ContainsFunc(handlers(g), s.ours) {
				continue
			}
			if err := d.Remove(s.ours, "hooks", event, fmt.Sprint(i), "hooks"); err != nil {
				return err
			}
		}
	}
	return nil
}

// leftHooks are the hooks of another than vespe's form that name it: "PreToolUse: sh run-vespe.sh".
func leftHooks(d settings.Doc) (left []string) {
	for event, groups := range hookGroups(d) {
		for _, g := range groups {
			for _, handler := range handlers(g) {
				h, _ := handler.(map[string]any)
				if command, _ := h["command"].(string); strings.Contains(command, serverName) {
					left = append(left, event+": "+command)
				}
			}
		}
	}
	slices.Sort(left)
	return left
}

// isServer reports that an entry of MCP servers runs vespe.
func isServer(v any) bool {
	m, _ := v.(map[string]any)
	argv, _ := m["args"].([]any)
	command, ok := m["command"].(string)
	if list, isList := m["command"].([]any); isList && len(list) > 0 {
		command, ok = list[0].(string)
		argv = list[1:]
	}
	return ok && path.Base(filepath.ToSlash(command)) == serverName && len(argv) > 0 && argv[0] == serverArg
}

// stripServer takes the server away, and what held it alone.
func stripServer(d settings.Doc, holder string) error {
	v, ok, err := d.Get(holder, serverName)
	if !ok || err != nil || !isServer(v) {
		return err
	}
	return d.Delete(holder, serverName)
}

// MCPServers is the server for any client that reads the usual form.
func (s *Setup) MCPServers() string {
	d, _ := settings.ParseJSON(nil)
	_ = d.Set(s.server(), "mcpServers", serverName)
	return string(d.Bytes())
}

func (s *Setup) server() map[string]any {
	return map[string]any{"command": s.Program, "args": []string{serverArg}}
}

// setServer makes sure of the server in the usual form. What else a person has set of it stays.
func (s *Setup) setServer(st *steps, typed bool) {
	if !st.has("mcpServers", serverName) {
		server := s.server()
		if typed {
			server["type"] = "stdio"
		}
		st.set(server, "mcpServers", serverName)
		return
	}
	s.runServer(st, "mcpServers")
}

// runServer makes sure of how the server is called.
func (s *Setup) runServer(st *steps, holder string) {
	st.set(s.Program, holder, serverName, "command")
	st.set([]string{serverArg}, holder, serverName, "args")
}
