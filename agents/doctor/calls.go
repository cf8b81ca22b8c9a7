package doctor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"vespe/agents/hook"
	"vespe/agents/install"
)

// maxSaid is how much of what a program says is looked at, in bytes.
const maxSaid = 4 << 20

// output runs a program and returns the beginning of its standard output.
func (o *Options) output(ctx context.Context, input []byte, dir string, argv ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	c := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // a program of the person's PATH, or vespe
	var said, wrong bounded
	c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, bytes.NewReader(input), &said, &wrong
	c.WaitDelay = time.Second
	err := c.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %s", o.Limit)
	}
	if line := wrong.line(); err != nil && line != "" {
		err = fmt.Errorf("%w: %s", err, line)
	}
	return said.String(), err
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if room := maxSaid - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// line is the last line.
func (b *bounded) line() string {
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	line := strings.TrimSpace(lines[len(lines)-1])
	return line[:min(len(line), 300)]
}

// conversation is JSON-RPC with a program, a message a line.
type conversation struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	wrong  bounded
	id     int
	cancel context.CancelFunc
	over   sync.Once
}

func start(ctx context.Context, dir string, env []string, argv ...string) (*conversation, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &conversation{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), cancel: cancel} //nolint:gosec // a program of the person's PATH, or vespe
	c.cmd.Dir, c.cmd.Stderr, c.cmd.WaitDelay = dir, &c.wrong, time.Second
	if env != nil {
		c.cmd.Env = env
	}
	in, err := c.cmd.StdinPipe()
	out, errOut := c.cmd.StdoutPipe()
	if err = errors.Join(err, errOut); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	c.in, c.out = in, bufio.NewScanner(out)
	c.out.Buffer(nil, maxSaid)
	return c, nil
}

// stop lets the program end by itself when its input does, for a moment.
func (c *conversation) stop() {
	c.over.Do(func() {
		_ = c.in.Close()
		late := time.AfterFunc(2*time.Second, c.cancel)
		_ = c.cmd.Wait() // how it ends says nothing anymore
		late.Stop()
		c.cancel()
	})
}

func (c *conversation) notify(method string) error {
	return c.send(map[string]any{"jsonrpc": "2.0", "method": method})
}

func (c *conversation) send(message map[string]any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(b, '\n'))
	return err
}

// do sends a request and reads up to its answer.
func (c *conversation) do(method string, params, result any) error {
	c.id++
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params}); err != nil {
		return c.ended(err)
	}
	for c.out.Scan() {
		var m struct {
			ID     *int            `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(c.out.Bytes(), &m) != nil || m.ID == nil || *m.ID != c.id || m.Method != "" {
			continue // a notification, or a request that needs no answer here
		}
		switch {
		case m.Error != nil:
			return errors.New(method + ": " + m.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
	return c.ended(c.out.Err())
}

// ended is why there is no answer.
func (c *conversation) ended(err error) error {
	c.stop() // what it said last is there then
	if line := c.wrong.line(); line != "" {
		return errors.New("it ended: " + line)
	}
	return errors.Join(errors.New("it ended without an answer"), err)
}

// server starts the MCP server as a client would, and asks for its tools.
func (o *Options) server(ctx context.Context) Check {
	ctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	dir := o.Root
	if dir == "" {
		dir = o.Home
	}
	c, err := start(ctx, dir, nil, o.Vespe, "mcp")
	if err != nil {
		return Check{"server", Bad, err.Error(), ""}
	}
	defer c.stop()
	var hello struct{ ProtocolVersion string }
	var list struct {
		Tools []struct{ Name string }
	}
	err = c.do("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "vespe-doctor", "version": "1"},
	}, &hello)
	if err == nil {
		err = errors.Join(c.notify("notifications/initialized"), c.do("tools/list", map[string]any{}, &list))
	}
	if err == nil && len(list.Tools) == 0 {
		err = errors.New("it has no tools")
	}
	if err != nil {
		return Check{"server", Bad, "`vespe agent mcp` does not answer: " + err.Error(), "run `vespe agent mcp` by hand, and look at `vespe store doctor`"}
	}
	return Check{"server", OK, fmt.Sprintf("`vespe agent mcp` answers with %d tools, in MCP %s", len(list.Tools), hello.ProtocolVersion), ""}
}

// hooks plays events as clients send them: one that nothing is said against, and a write into the store past
// vespe, which is to be denied.
func (o *Options) hooks(ctx context.Context) (out []Check) {
	for _, client := range []string{install.ClaudeCode, install.Codex} {
		out = append(out, o.hook(ctx, client))
	}
	return out
}

func (o *Options) hook(ctx context.Context, client string) Check {
	dir := o.Root
	if dir == "" {
		dir = o.Home
	}
	play := func(tool string, input map[string]any) (string, error) {
		payload, err := json.Marshal(map[string]any{
			"session_id": "00000000-0000-4000-8000-000000000000", "transcript_path": os.DevNull, "cwd": dir, "permission_mode": "default",
			"hook_event_name": hook.PreToolUse, "tool_name": tool, "tool_use_id": "toolu_vespe_doctor", "tool_input": input,
		})
		if err != nil {
			return "", err
		}
		said, err := o.output(ctx, payload, dir, o.Vespe, "hook", client, hook.PreToolUse)
		var answer struct {
			HookSpecificOutput struct{ PermissionDecision string } `json:"hookSpecificOutput"`
		}
		if text := strings.TrimSpace(said); err == nil && text != "" {
			if err = json.Unmarshal([]byte(text), &answer); err != nil {
				err = fmt.Errorf("its answer is not JSON: %w", err)
			}
		}
		return answer.HookSpecificOutput.PermissionDecision, err
	}
	name := "hook " + client
	read, err := play("Read", map[string]any{"file_path": filepath.Join(dir, "README.md")})
	if err != nil {
		return Check{name, Bad, "`vespe agent hook " + client + "` does not answer: " + err.Error(), ""}
	}
	if read == "deny" {
		return Check{name, Warn, "reading a file is gated", "look at [gate] in config.toml and gate in .vespe/config.json"}
	}
	if o.Root == "" {
		return Check{name, OK, "it answers", ""}
	}
	write, err := play("Write", map[string]any{"file_path": filepath.Join(dir, ".vespe", "tmp", "x"), "content": "x"})
	switch {
	case err != nil:
		return Check{name, Bad, err.Error(), ""}
	case write != "deny":
		return Check{name, Bad, "a direct write into .vespe is not denied", ""}
	}
	return Check{name, OK, "it answers, and denies a direct write into .vespe", ""}
}
