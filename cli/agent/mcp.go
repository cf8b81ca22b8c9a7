package agent

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/agents/hook"
	"vespe/agents/mcpserver"
	"vespe/cli/core"
	"vespe/model"
	"vespe/store"
)

func (a *app) mcpVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "mcp", Short: "Serve agents over MCP on standard input and output",
		Long: "Serve the store to one client over the Model Context Protocol: JSON-RPC, one message per line, on\n" +
			"standard input and output. Clients start it themselves (`vespe install`, or\n" +
			"`claude mcp add vespe -- vespe agent mcp`). Only the protocol goes to standard output; messages for\n" +
			"people go to standard error. Any number of servers, command lines and workbenches may use one\n" +
			"store at once.\n\n" +
			"No tool decides for a person. People answer in the workbench or with `vespe request answer`.\n\n" +
			"It acts as --as or VESPE_ACTOR if that is an agent or an mcp_client, else as the agent in\n" +
			"VESPE_AGENT, else under the client's own name: agent:claude-code and the like for known clients,\n" +
			"mcp_client:NAME for others. Without a store it still serves, and every tool says what to do.\n\n" +
			"It ends when its input ends, and at SIGTERM.",
		Example: "  vespe agent mcp\n  vespe agent mcp -C ~/project\n  claude mcp add vespe -- vespe agent mcp",
		GroupID: "agent", Args: core.Between(0, 0),
	}
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		var actor model.Actor
		if a.As != "" {
			as, err := a.Actor()
			if err != nil {
				return err
			}
			if as.Kind() != model.Agent && as.Kind() != model.MCPClient {
				return core.Usagef("--as %s: an MCP server must act as an agent or an mcp_client", as)
			}
			actor = as
		}
		ctx, stop := core.Interruptible(cmd.Context())
		defer stop()
		return mcpserver.Serve(ctx, a.Stdin, a.Direct, mcpserver.Options{
			Open: a.openForAgents, Permission: a.permission, Getenv: a.Getenv, Actor: actor, Now: a.Now, Version: a.Version, Log: a.Stderr,
		})
	}
	return c
}

// permission decides for the tool that clients ask where they would ask their user.
func (a *app) permission(ctx context.Context, d *desk.Desk, p mcpserver.Prompted, progress func(time.Duration)) string {
	asked := hook.Prompter{Getenv: a.Getenv, Rules: a.Gate, Own: a.OwnFiles, Dir: a.Dir, Now: a.Now}
	return asked.Permission(ctx, d, hook.PromptedCall{Tool: p.Tool, Input: p.Input, ToolUseID: p.ToolUseID}, progress).Text()
}

// openForAgents finds the store and opens it, for who closes it himself.
func (a *app) openForAgents() (*store.Store, error) {
	root, err := a.Find()
	if err != nil {
		return nil, err
	}
	return store.Open(root, a.Options())
}
