package hook

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// File is a file that a worker's client is set up with.
type File struct {
	Name string // absolute
	Body []byte
}

// Worker is how the client of a worker of the loop is made to ask people here, besides what its person has set up:
// files that are to be written, in dir, and arguments for the client. vespe is this program, and env the environment of
// the worker, of which the MCP server gets what tells it whom it serves. A client that is not known is left as it is.
//
// Claude Code gets the hooks, the MCP server, and its permission_prompt tool for what its own rules would ask its
// person. Codex gets the server alone: it runs no hook that its person has not trusted, and exec asks nobody.
func Worker(client, vespe, dir string, env []string) (files []File, args []string, err error) {
	own := map[string]string{}
	for _, kv := range env {
		if key, value, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(key, "VESPE_") {
			own[key] = value
		}
	}
	switch client {
	case ClaudeCode:
		settings := File{Name: filepath.Join(dir, "claude-settings.json")}
		servers := File{Name: filepath.Join(dir, "claude-mcp.json")}
		if settings.Body, err = encode(map[string]any{"hooks": hooksOf(vespe)}); err != nil {
			return nil, nil, err
		}
		servers.Body, err = encode(map[string]any{"mcpServers": map[string]any{"vespe": map[string]any{
			"type": "stdio", "command": vespe, "args": []string{"mcp"}, "env": own, "alwaysLoad": true,
		}}})
		return []File{settings, servers}, []string{
			"--settings", settings.Name, "--mcp-config", servers.Name, "--strict-mcp-config", "--permission-prompt-tool", ownTools + "permission_prompt",
		}, err
	case Codex:
		set := func(key, value string) { args = append(args, "-c", "mcp_servers.vespe."+key+"="+value) }
		set("command", tomlText(vespe))
		set("args", `["mcp"]`)
		set("tool_timeout_sec", "600")
		set("default_tools_approval_mode", `"approve"`) // exec would refuse what is to be approved
		for _, key := range slices.Sorted(maps.Keys(own)) {
			set("env."+key, tomlText(own[key]))
		}
		return nil, args, nil
	}
	return nil, nil, nil
}

// hooksOf are the hooks of a worker: nothing is to be known of at its start but its prompt, and its end is the loop's.
func hooksOf(vespe string) map[string]any {
	out := map[string]any{}
	for _, e := range ClaudeEvents() {
		if !slices.Contains([]string{PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure}, e.Name) {
			continue
		}
		out[e.Name] = []any{e.Entry(vespe, ClaudeCode)}
	}
	return out
}

// tomlText is a text as TOML writes it; JSON's form is one of TOML's.
func tomlText(s string) string {
	b, err := json.Marshal(strings.ToValidUTF8(s, "\ufffd"))
	if err != nil {
		return `""`
	}
	return strings.ReplaceAll(string(b), "\x7f", `\u007f`)
}

func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	return append(b, '\n'), err
}
