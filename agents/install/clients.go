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
	"vespe/agents/install/jsonedit"
)

const (
	serverName = "vespe"
	serverArg  = "mcp"
)

// jsonText is a JSON text with comments, changed by position.
type jsonText struct{ *jsonedit.Doc }

// Undo takes an edit back.
func (d jsonText) Undo(e edit) error {
	if e.JSON == nil {
		return nil
	}
	_, err := d.Doc.Undo(*e.JSON)
	return err
}

func openJSON(text []byte) (document, error) {
	d, err := jsonedit.Parse(text)
	return jsonText{d}, err
}

// steps gathers the edits of several changes, up to the first that fails.
type steps struct {
	d     jsonText
	edits []edit
	err   error
}

func (s *steps) take(edits []jsonedit.Edit, err error) {
	for i := range edits {
		s.edits = append(s.edits, edit{JSON: &edits[i]})
	}
	s.err = err
}

func (s *steps) set(value any, path ...string) {
	if s.err == nil {
		s.take(s.d.Set(value, path...))
	}
}

func (s *steps) add(value any, path ...string) {
	if s.err == nil {
		s.take(s.d.Add(value, path...))
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

// jsonTarget is a target of JSON.
func jsonTarget(path string, want func(s *steps), take func(d jsonText, how strip) error) target {
	return target{
		path: path, open: openJSON,
		want: func(d document) ([]edit, error) {
			s := &steps{d: d.(jsonText)}
			want(s)
			return s.edits, s.err
		},
		strip: func(d document, how strip) error { return take(d.(jsonText), how) },
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
var ErrNoHome = errors.New("HOME is not set: there is no place")

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

// hookGroups calls visit for each entry of the hooks, with its path.
func hookGroups(d jsonText, visit func(event string, at int, group any)) {
	all, _, _ := d.Get("hooks")
	events, _ := all.(map[string]any)
	for event, list := range events {
		groups, _ := list.([]any)
		for i, g := range groups {
			visit(event, i, g)
		}
	}
}

// staleHooks reports a hook of vespe that is none of those that are wanted.
func (s *Setup) staleHooks(events []hook.Event) func(document) bool {
	return func(doc document) (stale bool) {
		seen := map[string]int{}
		hookGroups(doc.(jsonText), func(event string, _ int, group any) {
			if !slices.ContainsFunc(handlers(group), s.ours) {
				return
			}
			i := slices.IndexFunc(events, func(e hook.Event) bool { return e.Name == event })
			seen[event]++
			stale = stale || i < 0 || seen[event] > 1 || !jsonedit.Same(group, events[i].Entry(s.Program, s.Client))
		})
		return stale
	}
}

// stripHooks takes the hooks of vespe away, and the entries and lists that have no other.
func (s *Setup) stripHooks(d jsonText) error {
	for {
		var event string
		at := -1
		hookGroups(d, func(e string, i int, group any) {
			if slices.ContainsFunc(handlers(group), s.ours) {
				event, at = e, i
			}
		})
		if at < 0 {
			return nil
		}
		group := []string{"hooks", event, fmt.Sprint(at)}
		if _, err := d.Remove(s.ours, append(group, "hooks")...); err != nil {
			return err
		}
		if _, err := d.Remove(func(v any) bool {
			g, _ := v.(map[string]any)
			list, ok := g["hooks"].([]any)
			return ok && len(list) == 0
		}, "hooks", event); err != nil {
			return err
		}
		for _, path := range [][]string{{"hooks", event}, {"hooks"}} {
			if _, err := d.Prune(path...); err != nil {
				return err
			}
		}
	}
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
func stripServer(d jsonText, holder string, how strip) error {
	if how < stripRunning {
		return nil
	}
	v, ok, err := d.Get(holder, serverName)
	if !ok || err != nil || !isServer(v) {
		return err
	}
	if _, err := d.Delete(holder, serverName); err != nil {
		return err
	}
	_, err = d.Prune(holder)
	return err
}

// MCPServers is the server for any client that reads the usual form.
func (s *Setup) MCPServers() string {
	d, _ := jsonedit.Parse(nil)
	_, _ = d.Set(s.server(), "mcpServers", serverName)
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
	st.set(s.Program, "mcpServers", serverName, "command")
	st.set([]string{serverArg}, "mcpServers", serverName, "args")
}
