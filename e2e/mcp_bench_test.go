package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/agents/mcpserver"
	"vespe/internal/storetest"
	"vespe/store"
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
	{"search", func(n int64) map[string]any { return object{"query": "parser", "limit": 10} }},
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
				if err != nil || res.IsError {
					b.Errorf("%s: %v %+v", tool, err, res)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}

// BenchmarkMCPReads is how many calls a second of each tool that reads are answered in a store of 10,000 tasks, on two
// cores, and how much of a processor a thousand take: over the transport in memory, where the client's part is in it,
// and over standard input and output of a process of its own. A bare tool of the SDK in the same run is the floor.
func BenchmarkMCPReads(b *testing.B) {
	dir := scaledStore(b, 10_000)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	bin := binary(b)
	var served *exec.Cmd
	ways := []struct {
		name    string
		connect func(b *testing.B) (ours, bare *mcp.ClientSession)
		used    func(b *testing.B) time.Duration // of the processor, by what is measured
	}{
		{"memory", func(b *testing.B) (ours, bare *mcp.ClientSession) {
			server := mcpserver.New(mcpserver.Options{
				Open: func() (*store.Store, error) { return store.Open(dir, store.Options{}) }, Getenv: func(string) string { return "" }, Log: os.Stderr,
			})
			b.Cleanup(func() { _ = server.Close() })
			return inMemory(b, server.Run), inMemory(b, echo().Run)
		}, func(b *testing.B) time.Duration { return processorTime(b, os.Getpid()) }},
		{"stdio", func(b *testing.B) (ours, bare *mcp.ClientSession) {
			served = exec.Command(bin, "-C", dir, "mcp")
			return process(b, served), process(b, echoProcess(b))
		}, func(b *testing.B) time.Duration { return processorTime(b, served.Process.Pid) }},
	}
	for _, way := range ways {
		ours, bare := way.connect(b)
		for _, read := range mcpReads {
			b.Run(way.name+"/"+read.tool, func(b *testing.B) {
				mcpCalls(b, ours, read.tool, read.args) // what the first calls read is in memory then
				var took, floor, used time.Duration
				for b.Loop() {
					before := way.used(b)
					took += mcpCalls(b, ours, read.tool, read.args)
					used += way.used(b) - before
					floor += mcpCalls(b, bare, "echo", func(int64) map[string]any { return object{"id": "x"} })
				}
				// Two cores have 2,000 ms a second, whatever else the machine does meanwhile.
				unit := "cpu-ms/1000-calls≤2000"
				if read.tool == "search" { // a query has a budget of its own
					unit = "cpu-ms/1000-calls"
				}
				b.ReportMetric(float64(used.Milliseconds())/float64(b.N), unit)
				b.ReportMetric(float64(b.N)*1000/took.Seconds(), "calls/s")
				b.ReportMetric(float64(took)/float64(floor), "x-bare-SDK")
			})
		}
	}
}

// processorTime is how much of the processor a process has used.
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip(err) // not every system tells
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	var ticks int64
	for _, f := range fields[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
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
