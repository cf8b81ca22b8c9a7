package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/agents/mcpserver"
	"vespe/store"
	"vespe/store/storetest"
)

// echoed is what the bare tool takes and gives, which the reads are compared with.
type echoed struct {
	ID string `json:"id"`
}

// echo is a server of the SDK with nothing but a tool that gives back what it takes.
func echo() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in echoed) (*mcp.CallToolResult, echoed, error) {
		return nil, in, nil
	})
	return s
}

// mcpReads are the calls that are measured, each with what it takes the n-th time.
var mcpReads = []struct {
	tool string
	args func(n int64) map[string]any
}{
	{"task_get", func(n int64) map[string]any { return object{"id": string(storetest.UID(int(n*7919) % 10_000))} }},
	{"task_list", func(int64) map[string]any { return object{"limit": 20} }},
	{"task_next", func(int64) map[string]any { return object{} }},
	{"review_wait", func(n int64) map[string]any {
		return object{"review_id": fmt.Sprintf("plan-%s-1", storetest.UID(int(n*7919)%10_000)), "wait_s": 0}
	}},
}

// mcpCalls is how long a thousand calls take, of a client that has a few under way at once, as agents with
// subagents have.
func mcpCalls(b *testing.B, cs *mcp.ClientSession, tool string, args func(int64) map[string]any) time.Duration {
	const calls, atOnce = 1000, 4
	var next atomic.Int64
	began := time.Now()
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for n := next.Add(1); n <= calls; n = next.Add(1) {
				res, err := cs.CallTool(b.Context(), &mcp.CallToolParams{Name: tool, Arguments: args(n)})
				if err != nil || res.IsError && tool != "review_wait" {
					b.Errorf("%s: %v %+v", tool, err, res)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}

// BenchmarkMCPReads is how long a thousand calls of each tool that reads take in a store of 10,000 tasks, on two
// cores, over the transport in memory, where the client has its part of the two, and over standard input and output
// of a process of its own.
func BenchmarkMCPReads(b *testing.B) {
	dir := scaledStore(b, 10_000)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	bin := binary(b)
	ways := []struct {
		name    string
		connect func(b *testing.B) (ours, bare *mcp.ClientSession)
	}{
		{"memory", func(b *testing.B) (ours, bare *mcp.ClientSession) {
			server := mcpserver.New(mcpserver.Options{
				Open: func() (*store.Store, error) { return store.Open(dir, store.Options{}) }, Getenv: func(string) string { return "" }, Log: os.Stderr,
			})
			b.Cleanup(func() { _ = server.Close() })
			return inMemory(b, server.Run), inMemory(b, echo().Run)
		}},
		{"stdio", func(b *testing.B) (ours, bare *mcp.ClientSession) {
			return process(b, exec.Command(bin, "-C", dir, "mcp")), process(b, echoProcess(b))
		}},
	}
	for _, way := range ways {
		ours, bare := way.connect(b)
		for _, read := range mcpReads {
			b.Run(way.name+"/"+read.tool, func(b *testing.B) {
				mcpCalls(b, ours, read.tool, read.args) // what the first calls read is in memory then
				var took, floor time.Duration
				for b.Loop() {
					took += mcpCalls(b, ours, read.tool, read.args)
					floor += mcpCalls(b, bare, "echo", func(int64) map[string]any { return object{"id": "x"} })
				}
				b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms/1000-calls≤1000")
				b.ReportMetric(float64(b.N)*1000/took.Seconds(), "calls/s")
				b.ReportMetric(float64(took)/float64(floor), "x-bare-SDK")
			})
		}
	}
}

// inMemory is a client at a server of this process.
func inMemory(b *testing.B, run func(context.Context, mcp.Transport) error) *mcp.ClientSession {
	b.Helper()
	here, there := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = run(ctx, there) // it ends because the client does
	}()
	cs := connected(b, here)
	b.Cleanup(func() {
		_ = cs.Close()
		cancel()
		<-ended
	})
	return cs
}

// process is a client at a server of its own process, which has two cores.
func process(b *testing.B, c *exec.Cmd) *mcp.ClientSession {
	b.Helper()
	c.Env = append(os.Environ(), "GOMAXPROCS=2")
	cs := connected(b, &mcp.CommandTransport{Command: c})
	b.Cleanup(func() { _ = cs.Close() })
	return cs
}

func connected(b *testing.B, t mcp.Transport) *mcp.ClientSession {
	b.Helper()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(b.Context(), t, nil)
	if err != nil {
		b.Fatal(err)
	}
	return cs
}

// echoProcess is this test program as the bare server: see TestMCPEcho.
func echoProcess(b *testing.B) *exec.Cmd {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	return exec.Command(self, "-test.run=^TestMCPEcho$", "-test.count=1", echoFlag)
}

// echoFlag makes TestMCPEcho serve.
const echoFlag = "serve-echo"

// TestMCPEcho is no test: it is the process of the bare server.
func TestMCPEcho(t *testing.T) {
	if len(os.Args) == 0 || os.Args[len(os.Args)-1] != echoFlag {
		t.SkipNow()
	}
	_ = echo().Run(context.Background(), &mcp.StdioTransport{}) // until its client goes
	os.Exit(0)
}
