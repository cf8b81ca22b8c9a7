package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

// stand is a store, and what is needed to serve it.
type stand struct {
	t   testing.TB
	dir string
	env map[string]string
	s   *store.Store // of the person
	log logged
}

// logged is what a server tells people.
type logged struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

const ann = model.Actor("human:ann")

func newStand(t testing.TB) *stand {
	t.Helper()
	k := &stand{t: t, dir: t.TempDir(), env: map[string]string{}}
	var err error
	if k.s, err = store.Init(k.dir, store.Options{Trusted: true, Scratch: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.s.Close() })
	return k
}

func (k *stand) options() Options {
	return Options{
		Open:   func() (*store.Store, error) { return open(k.dir) },
		Getenv: func(name string) string { return k.env[name] }, Version: "v0.0.0-test", Log: &k.log,
	}
}

func open(dir string) (*store.Store, error) {
	root, err := store.Find(dir)
	if err != nil {
		return nil, err
	}
	return store.Open(root, store.Options{Scratch: true})
}

// do does something as the person.
func (k *stand) do(op model.Op) snapshot.Applied {
	k.t.Helper()
	if op.Actor == "" {
		op.Actor = ann
	}
	if _, err := k.s.Refresh(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
	applied, err := k.s.Do(k.t.Context(), op)
	if err != nil {
		k.t.Fatal(err)
	}
	return applied
}

// task is a new task with an objective.
func (k *stand) task(name string) model.UID {
	k.t.Helper()
	return k.do(model.Op{Name: model.CreateTask, Args: model.NewTask{Name: name, Objective: "Make " + name + " work."}}).Change.Tasks[0].UID
}

// plan gives a task a plan, as an agent, and is the id of its review.
func (k *stand) plan(uid model.UID) string {
	k.t.Helper()
	k.do(model.Op{Name: model.DefinePlan, UID: uid, Actor: "agent:other", Args: model.NewPlan{Text: "Do it carefully."}})
	return desk.PlanReviewID(uid, k.now(uid).Status.PlanRevision)
}

// now is a task as the log has it.
func (k *stand) now(uid model.UID) *model.Task {
	k.t.Helper()
	snap, err := k.s.Refresh(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	t, ok := snap.Task(uid)
	if !ok {
		k.t.Fatalf("there is no task %s", uid)
	}
	return t
}

// requests are all requests.
func (k *stand) requests() []model.Request {
	k.t.Helper()
	snap, err := k.s.Refresh(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	return snap.Requests()
}

// serve runs a server, and gives what a client reads and writes.
func (k *stand) serve(o Options) (in io.WriteCloser, out io.ReadCloser) {
	k.t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := Serve(ctx, fromClient, toClient, o)
		_ = toClient.Close()
		done <- err
	}()
	k.t.Cleanup(func() {
		_ = in.Close()
		_ = out.Close()
		cancel()
		if err := <-done; err != nil && !strings.Contains(err.Error(), "closed pipe") {
			k.t.Errorf("the server ends with %v", err)
		}
	})
	return in, out
}

// client is the SDK's client at a server.
func (k *stand) client(o *mcp.ClientOptions) *mcp.ClientSession {
	k.t.Helper()
	return k.clientAs("test-client", o)
}

func (k *stand) clientAs(name string, o *mcp.ClientOptions) *mcp.ClientSession {
	k.t.Helper()
	in, out := k.serve(k.options())
	c := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, o)
	cs, err := c.Connect(k.t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { _ = cs.Close() })
	return cs
}

type args map[string]any

// call calls a tool that has to give a result, as an object.
func (k *stand) call(cs *mcp.ClientSession, tool string, in args) map[string]any {
	k.t.Helper()
	res := k.result(cs, tool, in)
	if res.IsError {
		k.t.Fatalf("%s %v: %s", tool, in, textOf(res))
	}
	out, is := res.StructuredContent.(map[string]any)
	if !is {
		k.t.Fatalf("%s gives %#v", tool, res.StructuredContent)
	}
	if next, _ := out["next_action"].(string); next == "" {
		k.t.Errorf("%s gives no next_action: %v", tool, out)
	}
	return out
}

// refused calls a tool that has to fail, and gives what it says.
func (k *stand) refused(cs *mcp.ClientSession, tool string, in args) string {
	k.t.Helper()
	res := k.result(cs, tool, in)
	if !res.IsError {
		k.t.Fatalf("%s %v is done: %s", tool, in, textOf(res))
	}
	text := textOf(res)
	if !strings.HasPrefix(text, "E_") || !strings.Contains(text, "\nNext: ") {
		k.t.Errorf("%s fails with %q, which says no code, or not what to do", tool, text)
	}
	return text
}

func (k *stand) result(cs *mcp.ClientSession, tool string, in args) *mcp.CallToolResult {
	k.t.Helper()
	res, err := cs.CallTool(k.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any(in)})
	if err != nil {
		k.t.Fatalf("%s %v: %v", tool, in, err)
	}
	return res
}

func textOf(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if t, is := c.(*mcp.TextContent); is {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// wire is a client that writes the lines itself.
type wire struct {
	t    testing.TB
	in   io.Writer
	out  chan string // lines; a client that only writes must not make the server wait
	id   int
	meta string // of each request; "" for none
	seen []map[string]any
}

func (k *stand) wire() *wire {
	k.t.Helper()
	in, out := k.serve(k.options())
	return newWire(k.t, in, out)
}

func newWire(t testing.TB, in io.Writer, out io.Reader) *wire {
	w := &wire{t: t, in: in, out: make(chan string, 10_000)}
	go func() {
		defer close(w.out)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			w.out <- line
		}
	}()
	return w
}

func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// read is the next message.
func (w *wire) read() map[string]any {
	w.t.Helper()
	var line string
	select {
	case line = <-w.out:
	case <-time.After(stuck):
		w.t.Fatal("no message comes")
	}
	var msg map[string]any
	if err := json.Unmarshal([]byte(line), &msg); err != nil {
		w.t.Fatalf("%v in %q", err, line)
	}
	return msg
}

// ask sends a request and gives its answer; what else comes meanwhile is in seen.
func (w *wire) ask(method, params string) map[string]any {
	w.t.Helper()
	id := w.request(method, params)
	for {
		msg := w.read()
		if msg["id"] == float64(id) && msg["method"] == nil {
			return msg
		}
		w.seen = append(w.seen, msg)
	}
}

// request sends a request and does not wait.
func (w *wire) request(method, params string) (id int) {
	w.t.Helper()
	w.id++
	if w.meta != "" {
		rest := strings.TrimPrefix(params, "{")
		if rest != "}" {
			rest = "," + rest
		}
		params = `{"_meta":` + w.meta + rest
	}
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, w.id, method, params))
	return w.id
}

// initialize begins a session of an older version.
func (w *wire) initialize(version, capabilities string) map[string]any {
	w.t.Helper()
	res := w.ask("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"wire","version":"1"}}`, version, capabilities))
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return res
}

// within is a part of a message, named by its keys.
func within(v any, keys ...string) any {
	for _, key := range keys {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}
