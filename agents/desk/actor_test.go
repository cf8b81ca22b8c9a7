package desk

import (
	"testing"

	"vespe/model"
)

func TestWhoActs(t *testing.T) {
	for _, c := range []struct {
		name   string
		env    map[string]string
		client string
		want   model.Actor
	}{
		{"a known client is the agent that its commands run as", nil, "claude-code", "agent:claude-code"},
		{"also where it says what it connects from", nil, "codex-mcp-client", "agent:codex"},
		{"in any case", nil, "Gemini-CLI-MCP-Client", "agent:gemini"},
		{"what only begins alike is not it", nil, "amplifier", "mcp_client:amplifier"},
		{"any other client", nil, "Claude Desktop 2", "mcp_client:claude-desktop-2"},
		{"with nothing hidden in its name", nil, "a\u202eb\x1b[31m", "mcp_client:a-u-202e-b--31m"},
		{"without a name", nil, "", "mcp_client:unknown"},
		{"without a name in a known environment", map[string]string{"CLAUDECODE": "1"}, "", "agent:claude-code"},
		{"VESPE_ACTOR goes first", map[string]string{"VESPE_ACTOR": "agent:bob", "VESPE_AGENT": "eve"}, "claude-code", "agent:bob"},
		{"but a person's is not the agent's", map[string]string{"VESPE_ACTOR": "human:ann"}, "claude-code", "agent:claude-code"},
		{"nor is vespe's own", map[string]string{"VESPE_ACTOR": "system:vespe"}, "opencode", "agent:opencode"},
		{"then VESPE_AGENT", map[string]string{"VESPE_AGENT": "eve", "CLAUDECODE": "1"}, "claude-code", "agent:eve"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ActorFor(func(k string) string { return c.env[k] }, c.client)
			if err != nil || got != c.want {
				t.Errorf("it is %q, %v; want %q", got, err, c.want)
			}
		})
	}
	for _, bad := range []map[string]string{{"VESPE_ACTOR": "bob"}, {"VESPE_AGENT": "a\nb"}} {
		if got, err := ActorFor(func(k string) string { return bad[k] }, "claude-code"); err == nil {
			t.Errorf("%v makes %q", bad, got)
		}
	}
}

func TestOneAgentIsOneActorInCommandsAndTools(t *testing.T) {
	clients := map[string]string{"claude-code": "claude-code", "codex": "codex-mcp-client", "opencode": "opencode", "gemini": "gemini-cli-mcp-client", "cursor": "cursor-vscode", "amp": "amp-mcp-client"}
	for _, m := range Marks() {
		if m.Name == "" {
			continue
		}
		command := AgentHere(func(k string) string { return map[string]string{m.Variable: "1"}[k] })
		tool, err := ActorFor(func(string) string { return "" }, clients[m.Name])
		if err != nil || string(tool) != model.Agent+":"+command {
			t.Errorf("%s: commands are %q's, tools %q's, %v", m.Variable, command, tool, err)
		}
	}
}

func TestADeskIsNobodysButAnAgents(t *testing.T) {
	for _, who := range []model.Actor{"human:ann", "system:vespe", "ann", "", "agent:"} {
		if _, err := New(nil, Options{Actor: who}); err == nil {
			t.Errorf("%q has a desk", who)
		}
	}
}
