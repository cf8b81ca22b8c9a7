package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/agents/desk"
)

// permission is what permission_prompt answers, which is one text and no object.
func (k *stand) permission(o Options, in args) (behavior, message string, input any) {
	k.t.Helper()
	toServer, fromServer := k.serve(o)
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "1"}, nil).Connect(k.t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	defer cs.Close()
	res := k.result(cs, "permission_prompt", in)
	if res.IsError || res.StructuredContent != nil || len(res.Content) != 1 {
		k.t.Fatalf("%v is answered with %+v", in, res)
	}
	var answer struct {
		Behavior, Message string
		UpdatedInput      any
	}
	if err := json.Unmarshal([]byte(textOf(res)), &answer); err != nil {
		k.t.Fatalf("%v in %q", err, textOf(res))
	}
	return answer.Behavior, answer.Message, answer.UpdatedInput
}

// Where nobody can be asked, nothing is permitted, and the denial says why: whatever is wrong, the client reads a denial.
func TestPermissionsFailClosed(t *testing.T) {
	k := newStand(t)
	call := everyTool("", "")["permission_prompt"]
	empty := &stand{t: t, dir: t.TempDir(), env: map[string]string{}}
	broken := k.options()
	broken.Permission = func(context.Context, *desk.Desk, Prompted, func(time.Duration)) string { panic("a fault") }
	for name, c := range map[string]struct {
		o    Options
		in   args
		says string
	}{
		"no store":          {empty.options(), call, "vespe init"},
		"nobody decides":    {k.options(), call, "decide permissions"},
		"a fault":           {broken, call, "internal error"},
		"no arguments":      {k.options(), args{}, "tool_name"},
		"input of no shape": {k.options(), args{"tool_name": "Bash", "input": "ls"}, "input"},
	} {
		t.Run(name, func(t *testing.T) {
			behavior, message, _ := k.permission(c.o, c.in)
			if behavior != "deny" || !strings.Contains(message, "NOT PERMITTED") || !strings.Contains(message, c.says) {
				t.Errorf("the answer is %s: %s", behavior, message)
			}
		})
	}
}

// What decides gets the call whole, nulls and what the client comes to say more included, and its answer arrives as it is.
func TestPermissionIsGivenTheCallWhole(t *testing.T) {
	k := newStand(t)
	o := k.options()
	var asked Prompted
	o.Permission = func(_ context.Context, d *desk.Desk, p Prompted, _ func(time.Duration)) string {
		if d.Actor() != "agent:claude-code" {
			t.Errorf("who asks is %s", d.Actor())
		}
		asked = p
		return `{"behavior":"allow","updatedInput":` + string(p.Input) + `}`
	}
	in := args{"tool_name": "Bash", "input": args{"command": "ls", "timeout": nil}, "tool_use_id": "toolu_1", "permission_suggestions": []any{}}
	behavior, _, input := k.permission(o, in)
	if behavior != "allow" || within(input, "command") != "ls" || asked.Tool != "Bash" || asked.ToolUseID != "toolu_1" {
		t.Errorf("the answer is %s %v, asked was %+v", behavior, input, asked)
	}
	if m, _ := input.(map[string]any); len(m) != 2 {
		t.Errorf("the input is %v", input)
	}
}
