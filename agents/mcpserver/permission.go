package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/agents/desk"
	"vespe/model/visible"
)

// Prompted is a call that a client asks to be permitted.
type Prompted struct {
	Tool      string          `json:"tool_name" jsonschema:"the tool to call"`
	Input     json.RawMessage `json:"input" jsonschema:"its input"`
	ToolUseID string          `json:"tool_use_id,omitempty" jsonschema:"id of the call; the same id is the same request"`
}

// Permission decides whether a call is permitted, and gives the answer as the client reads it. It may wait for a
// person, and tells progress meanwhile. It has no error: what cannot be found out is denied.
type Permission func(ctx context.Context, d *desk.Desk, p Prompted, progress func(time.Duration)) string

// denial is an answer that says no.
type denial struct {
	Behavior string `json:"behavior"`
	Message  string `json:"message"`
}

func permissionPrompt() tool {
	in := schemaOf[Prompted](true) // a client may come to say more
	resolved := resolve(in)
	return tool{
		name: "permission_prompt", title: "Ask for permission", in: in, most: 8 << 20,
		about: "Not for you: clients call it themselves (--permission-prompt-tool mcp__vespe__permission_prompt) instead of asking their user. " +
			"The answer is a text: {\"behavior\":\"allow\",\"updatedInput\":{…}} or {\"behavior\":\"deny\",\"message\":\"…\"}.",
		do: func(ctx context.Context, c *call, args json.RawMessage) (*mcp.CallToolResult, error) {
			p, err := taken[Prompted]("permission_prompt", resolved, args, true)
			switch {
			case err != nil:
				return nil, err
			case c.server.o.Permission == nil:
				return nil, &desk.Error{Code: desk.CodeRefused, Message: "this server doesn't decide permissions", Next: "Ask with ask_human instead, and do not do it unless a person says yes."}
			}
			return permitted(c.server.o.Permission(ctx, c.desk, p, c.progress(0))), nil
		},
		failed: func(err error) *mcp.CallToolResult {
			return permitted(denied("NOT PERMITTED: no one could be asked. Do not do it, in this or any other way. " + visible.String(err.Error())))
		},
	}
}

func permitted(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func denied(why string) string {
	b, err := encode(denial{"deny", why})
	if err != nil {
		return `{"behavior":"deny","message":"nobody could be asked"}`
	}
	return string(b)
}
