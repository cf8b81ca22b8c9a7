package desk

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/visible"
)

// Mark is an environment variable by which an agent is known.
type Mark struct{ Variable, Name string } // Name is "" where the value is the name

// Marks are environment variables that known agents set in the commands they run, and the one that says which
// agent it is, which goes before them.
// They are an accident guard, not a wall: an agent that hides them is not recognized.
func Marks() []Mark {
	return []Mark{
		{"VESPE_AGENT", ""},
		{"CLAUDECODE", "claude-code"},
		{"CODEX_SANDBOX", "codex"},
		{"CODEX_THREAD_ID", "codex"},
		{"OPENCODE", "opencode"},
		{"GEMINI_CLI", "gemini"},
		{"CURSOR_AGENT", "cursor"},
		{"AMP_THREAD_ID", "amp"},
	}
}

// AgentHere is the agent whose environment this is; "" when there is none.
func AgentHere(getenv func(string) string) string {
	for _, m := range Marks() {
		if v := getenv(m.Variable); v != "" {
			if m.Name == "" {
				return v
			}
			return m.Name
		}
	}
	return ""
}

// clients are the agents by what they call themselves to a server, each with what it begins with: most of them
// add what they connect from.
var clients = []struct{ begins, agent string }{
	{"claude-code", "claude-code"},
	{"codex", "codex"},
	{"opencode", "opencode"},
	{"gemini", "gemini"},
	{"cursor", "cursor"},
	{"amp", "amp"},
}

// ActorFor is who acts for a client of a server or a hook: VESPE_ACTOR where that is an agent or a client, else the
// agent that VESPE_AGENT names, else the known agent that the client is, so that an agent's tools, hooks and commands
// act as one; any other client as itself. A person's VESPE_ACTOR came into the agent's environment with
// everything else of theirs, and does not count.
func ActorFor(getenv func(string) string, client string) (model.Actor, error) {
	if text := getenv("VESPE_ACTOR"); text != "" {
		actor, err := model.ParseActor(text)
		if err != nil {
			return "", fmt.Errorf("VESPE_ACTOR: %w", err)
		}
		if isAgents(actor) {
			return actor, nil
		}
	}
	if name := getenv("VESPE_AGENT"); name != "" {
		return agentActor("VESPE_AGENT", name)
	}
	name := clientName(client)
	for _, c := range clients {
		if rest, ok := strings.CutPrefix(name, c.begins); ok && (rest == "" || strings.HasPrefix(rest, "-")) {
			return model.Actor(model.Agent + ":" + c.agent), nil
		}
	}
	if name == "" {
		if here := AgentHere(getenv); here != "" {
			return agentActor("the environment", here)
		}
		name = "unknown"
	}
	return model.Actor(model.MCPClient + ":" + name), nil
}

// agentActor is an agent by a name that somebody else wrote.
func agentActor(from, name string) (model.Actor, error) {
	actor, err := model.ParseActor(model.Agent + ":" + name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", from, err)
	}
	return actor, nil
}

// mostOfClient is how much of the name that a client gives itself is kept, in bytes.
const mostOfClient = 64

// clientName is what a client calls itself as part of an actor: lower case, in one line, with nothing hidden.
func clientName(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(visible.Line(s)), "-"))
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.', r == '_', r == '/', r == '@':
			return r
		}
		return '-'
	}, s)
	return strings.Trim(s[:min(len(s), mostOfClient)], "-")
}

// isAgents reports an actor that may use a desk.
func isAgents(a model.Actor) bool { return a.Kind() == model.Agent || a.Kind() == model.MCPClient }
