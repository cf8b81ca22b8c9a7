//go:build clients

package clients

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Request is what a client shows its model in one turn.
type Request struct {
	// Turn counts from 1.
	Turn int
	// System is what the client tells the model beforehand.
	System string
	// Tools are the names of what the model may call, sorted, as the client calls them.
	Tools []string
	// Said is what the person and the client said, in order; the model's own words are not among it.
	Said []string
	// Now is what of it came after the model's last words.
	Now []string
	// Results are what the tools answered, in order, since the beginning of the session.
	Results []Result
	// Body is the request as it came.
	Body json.RawMessage
	// Gone is closed when the client waits no longer, or the test has ended.
	Gone <-chan struct{}
}

// Result is what a call of a tool came to, as the model reads it.
type Result struct {
	ID, Text string
	Error    bool
}

// Last is what the last call came to; a Result that is empty where there is none.
func (r *Request) Last() Result {
	if len(r.Results) == 0 {
		return Result{}
	}
	return r.Results[len(r.Results)-1]
}

// Result is what the call id came to; a Result that is empty where it is not there.
func (r *Request) Result(id string) Result {
	i := slices.IndexFunc(r.Results, func(x Result) bool { return x.ID == id })
	if i < 0 {
		return Result{}
	}
	return r.Results[i]
}

// Heard reports whether the client said this anywhere.
func (r *Request) Heard(part string) bool {
	return strings.Contains(r.System, part) || said(r.Said, part)
}

// HearsNow reports whether the client said this after the model's last words.
func (r *Request) HearsNow(part string) bool { return said(r.Now, part) }

func said(list []string, part string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
}

// hear takes up what was said.
func (r *Request) hear(s string) {
	r.Said = append(r.Said, s)
	r.Now = append(r.Now, s)
}

// Step is one thing that the model does: it says Text, or calls Tool with Input.
type Step struct {
	Text string
	Tool string
	// ID names the call; "" gets one that no other call has.
	ID    string
	Input any
}

// Say is a turn's text.
func Say(text string) []Step { return []Step{{Text: text}} }

// Call is a call of one tool, with a word before it as models have it.
func Call(tool string, input any) []Step {
	return []Step{{Text: "I call " + tool + "."}, {Tool: tool, Input: input}}
}

// Turn decides what the model does next. It runs beside the test: it may report with Errorf, not with
// Fatal, and may wait for what the test does, though not longer than until Gone.
type Turn func(r *Request) []Step

// Script is what the model does, turn by turn.
type Script struct {
	t     testing.TB
	url   string
	mu    sync.Mutex
	turns []Turn
	asked int      // turns that were taken
	calls int      // ids of calls that were given
	said  int      // ids of messages
	paths []string // what was asked on the side
	// stopped is closed when the test ends: nobody waits for an answer anymore.
	stopped chan struct{}
}

func start(t testing.TB, routes func(*Script, *http.ServeMux), turns []Turn) *Script {
	t.Helper()
	s := &Script{t: t, turns: turns, stopped: make(chan struct{})}
	mux := http.NewServeMux()
	routes(s, mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.aside(r)
		http.NotFound(w, r)
	})
	server := httptest.NewServer(mux)
	s.url = server.URL
	t.Cleanup(func() {
		close(s.stopped)
		server.CloseClientConnections()
		server.Close()
	})
	return s
}

// URL is where the endpoint is, without a slash at the end.
func (s *Script) URL() string { return s.url }

// Then adds turns to the end.
func (s *Script) Then(turns ...Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = append(s.turns, turns...)
}

// Done reports an error for each turn that no client came to.
func (s *Script) Done() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if left := len(s.turns) - s.asked; left > 0 {
		s.t.Errorf("%d of %d turns were not asked for", left, len(s.turns))
	}
}

// Asked is how many turns were taken.
func (s *Script) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Aside are the requests that were no turns, as METHOD PATH.
func (s *Script) Aside() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.paths)
}

func (s *Script) aside(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths = append(s.paths, r.Method+" "+r.URL.Path)
}

// take is the next turn's steps. Past the end the model says that it is done, which is an error: the
// client asked more often than the test knows of.
func (s *Script) take(r *Request) []Step {
	s.mu.Lock()
	r.Turn = s.asked + 1
	var turn Turn
	if s.asked < len(s.turns) {
		turn = s.turns[s.asked]
	}
	s.asked++
	s.mu.Unlock()
	var steps []Step
	if turn == nil {
		s.errorf("turn %d is one more than the script has; the last result was %+v, and last was said %q", r.Turn, r.Last(), r.Now)
	} else {
		steps = slices.Clone(turn(r))
	}
	if len(steps) == 0 {
		steps = Say("Done.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range steps {
		if steps[i].Tool != "" && steps[i].ID == "" {
			s.calls++
			steps[i].ID = fmt.Sprintf("call_%04d", s.calls)
		}
	}
	return steps
}

// errorf reports to the test, unless it has ended.
func (s *Script) errorf(format string, args ...any) {
	select {
	case <-s.stopped:
	default:
		s.t.Errorf(format, args...)
	}
}

// send writes one event of a stream.
func send(w http.ResponseWriter, kind string, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		return // of maps and texts only
	}
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, b)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// text is the text of a content, which is a text or a list of blocks that have one.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var blocks []struct{ Text string }
	if json.Unmarshal(raw, &blocks) != nil {
		return string(raw)
	}
	var parts []string
	for _, b := range blocks {
		parts = append(parts, b.Text)
	}
	return strings.Join(parts, "\n")
}

// decoded reads a request into in, and returns its body. It answers one that is wrong.
func decoded(w http.ResponseWriter, r *http.Request, in any) (body json.RawMessage, ok bool) {
	err := json.NewDecoder(r.Body).Decode(&body)
	if err == nil {
		err = json.Unmarshal(body, in)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return body, err == nil
}
