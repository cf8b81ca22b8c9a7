package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

// served is a store, and how servers on it are started.
type served struct {
	t   testing.TB
	dir string
	bin string
	env []string
}

func newServed(t testing.TB) *served {
	k := &served{t: t, dir: t.TempDir(), bin: binary(t)}
	k.env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "VESPE_") }), "GIT_CONFIG_GLOBAL=/dev/null")
	k.vespe("init")
	return k
}

// vespe runs a verb, as a person.
func (k *served) vespe(args ...string) string {
	k.t.Helper()
	c := exec.Command(k.bin, append([]string{"-C", k.dir, "--as", "human:ann"}, args...)...)
	var log bytes.Buffer
	c.Env, c.Stderr, c.Stdin = k.env, &log, strings.NewReader("Make it.\n")
	out, err := c.Output()
	if err != nil {
		k.t.Fatalf("vespe %q: %v: %s%s", args, err, out, log.String())
	}
	return string(out)
}

// server is one process of vespe mcp, and the official client at it.
type server struct {
	*mcp.ClientSession
	t   testing.TB
	cmd *exec.Cmd
	log *bytes.Buffer
}

func (k *served) server(name string) *server {
	k.t.Helper()
	v := &server{t: k.t, cmd: exec.Command(k.bin, "-C", k.dir, "mcp"), log: &bytes.Buffer{}}
	v.cmd.Env, v.cmd.Stderr = k.env, v.log
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil)
	ctx, cancel := context.WithTimeout(k.t.Context(), time.Minute)
	defer cancel()
	var err error
	if v.ClientSession, err = client.Connect(ctx, &mcp.CommandTransport{Command: v.cmd}, nil); err != nil {
		k.t.Fatalf("%v: %s", err, v.log)
	}
	k.t.Cleanup(func() { _ = v.Close() })
	return v
}

// try calls a tool, and gives its result as an object, or why there is none.
func (v *server) try(tool string, args map[string]any) (map[string]any, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	res, err := v.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return nil, err
	}
	if res.IsError {
		text, err := json.Marshal(res.Content)
		return nil, fmt.Errorf("%s %v: %s %w", tool, args, text, err)
	}
	out, _ := res.StructuredContent.(map[string]any)
	return out, nil
}

func (v *server) call(tool string, args map[string]any) map[string]any {
	v.t.Helper()
	out, err := v.try(tool, args)
	if err != nil {
		v.t.Fatal(err)
	}
	return out
}

// snapshot is the store as it is on disk.
func (k *served) snapshot() *snapshot.Snapshot {
	k.t.Helper()
	s, err := store.Open(k.dir, store.Options{ReadOnly: true})
	if err != nil {
		k.t.Fatal(err)
	}
	defer s.Close()
	snap, err := s.Load(k.t.Context(), nil)
	if err != nil {
		k.t.Fatal(err)
	}
	for _, p := range snap.Problems() {
		k.t.Errorf("the store has a problem: %+v", p)
	}
	return snap
}

type object = map[string]any

// made is the uid of the first task that a call made.
func made(t testing.TB, res object) string {
	t.Helper()
	tasks, _ := res["tasks"].([]any)
	if len(tasks) == 0 {
		t.Fatalf("no task was made: %v", res)
	}
	id, _ := tasks[0].(object)["id"].(string)
	return id
}

// A server that is killed in the middle loses nothing that it said was done, and the same keys again at another
// server make nothing twice.
func TestMCPKilled(t *testing.T) {
	const tasks = 60
	k := newServed(t)
	v := k.server("claude-code")
	said := map[int]string{}
	keyed := func(n int) object {
		return object{"items": []any{object{"name": fmt.Sprint("task ", n), "objective": "Make it."}}, "idempotency_key": fmt.Sprint("key-", n)}
	}
	killed := make(chan struct{})
	for n := range tasks {
		if n == tasks/3 {
			go func() {
				_ = v.cmd.Process.Signal(syscall.SIGKILL)
				close(killed)
			}()
		}
		res, err := v.try("task_create", keyed(n))
		if err != nil {
			break // it is dead
		}
		said[n] = made(t, res)
	}
	<-killed
	if len(said) < tasks/3 || len(said) == tasks {
		t.Fatalf("it was killed after %d tasks", len(said))
	}
	again := k.server("claude-code")
	for n := range tasks {
		uid := made(t, again.call("task_create", keyed(n)))
		if was := said[n]; was != "" && was != uid {
			t.Errorf("task %d was %s, and is made again as %s", n, was, uid)
		}
	}
	if n := k.snapshot().Len(); n != tasks {
		t.Errorf("there are %d tasks, not %d", n, tasks)
	}
	k.vespe("verify")
}

// Only the protocol goes to standard output, whatever happens, and the end of the input and SIGTERM end the server
// well.
func TestMCPSpeaksOnlyTheProtocol(t *testing.T) {
	k := newServed(t)
	lines := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`nonsense`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"task_list","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"task_get","arguments":{"id":"tsk-nowhere"}}}`,
	}, "\n") + "\n"
	for _, dir := range []string{k.dir, t.TempDir()} {
		c := exec.Command(k.bin, "-C", dir, "mcp")
		var out, log bytes.Buffer
		c.Env, c.Stdin, c.Stdout, c.Stderr = k.env, strings.NewReader(lines), &out, &log
		if err := c.Run(); err != nil {
			t.Errorf("%v: %s", err, log.String())
		}
		answered := map[any]bool{}
		for line := range strings.Lines(out.String()) {
			var msg object
			if err := json.Unmarshal([]byte(line), &msg); err != nil || msg["jsonrpc"] != "2.0" {
				t.Errorf("on standard output there is %q", line)
			}
			answered[msg["id"]] = true
		}
		for _, id := range []any{1.0, 2.0, 3.0, nil} { // what was asked is answered, though the input has ended
			if !answered[id] {
				t.Errorf("%v is not answered: %s", id, out.String())
			}
		}
	}
	v := k.server("x")
	v.call("task_list", nil)
	if err := v.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = v.Wait()
	_ = v.Close()
	if code := v.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("at SIGTERM it ends with %d: %s", code, v.log)
	}
}

// Who acts is the agent, by whatever it comes: never the person whose environment it is.
func TestMCPActsAsTheAgent(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		args []string
		want model.Actor
	}{
		{"claude-code", nil, nil, "agent:claude-code"},
		{"some-editor", nil, nil, "mcp_client:some-editor"},
		{"some-editor", []string{"VESPE_ACTOR=human:ann"}, nil, "mcp_client:some-editor"},
		{"some-editor", []string{"VESPE_ACTOR=agent:nightly"}, nil, "agent:nightly"},
		{"some-editor", []string{"VESPE_AGENT=mine"}, nil, "agent:mine"},
		{"some-editor", nil, []string{"--as", "agent:given"}, "agent:given"},
	} {
		k := newServed(t)
		k.env = append(k.env, c.env...)
		v := &server{t: t, cmd: exec.Command(k.bin, append([]string{"-C", k.dir, "mcp"}, c.args...)...), log: &bytes.Buffer{}}
		v.cmd.Env, v.cmd.Stderr = k.env, v.log
		var err error
		if v.ClientSession, err = mcp.NewClient(&mcp.Implementation{Name: c.name, Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: v.cmd}, nil); err != nil {
			t.Fatalf("%v: %s", err, v.log)
		}
		v.call("task_create", object{"items": []any{object{"name": "one"}}, "idempotency_key": "k"})
		if got := k.snapshot().At(0).Config.CreatedBy; got != c.want {
			t.Errorf("%s with %v %v acts as %s, not %s", c.name, c.env, c.args, got, c.want)
		}
		_ = v.Close()
	}
	k := newServed(t)
	c := exec.Command(k.bin, "-C", k.dir, "--as", "human:ann", "mcp")
	c.Env = k.env
	if err := c.Run(); c.ProcessState.ExitCode() != 64 {
		t.Errorf("as a person: %v", err)
	}
}
