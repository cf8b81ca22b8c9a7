package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"pgregory.net/rapid"
)

// What is no message is answered, with its id where it has one, and the next message is read.
func TestWhatIsNoMessageIsAnswered(t *testing.T) {
	for _, c := range []struct{ name, line, id, says string }{
		{"words", "hello", "null", "not JSON"},
		{"half an object", `{"jsonrpc":"2.0","id":7,"method":`, "7", "not JSON"},
		{"a number", "42", "null", `not a JSON-RPC message: send an object with "jsonrpc": "2.0"`},
		{"a text", `"ping"`, "null", `not a JSON-RPC message: send an object with "jsonrpc": "2.0"`},
		{"null", "null", "null", `not a JSON-RPC message: send an object with "jsonrpc": "2.0"`},
		{"another version", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, `"a"`, "version"},
		{"an id that is none", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "null", "message"},
		{"an array", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", "one a line"},
		{"too much", `{"jsonrpc":"2.0","id":9,"method":"x","params":{"a":"` + strings.Repeat("a", maxLine) + `"}}`, "9", "send less"},
		{"too much, the id at its end", `{"jsonrpc":"2.0","method":"x","params":{"a":"` + strings.Repeat("a", maxLine) + `"},"id":9}`, "null", "send less"},
	} {
		t.Run(c.name, inBubble(func(t *testing.T) {
			var out strings.Builder
			conn, err := (&Lines{In: strings.NewReader(c.line + "\r\n\n  \n" + `{"jsonrpc":"2.0","id":1,"method":"after"}`), Out: &out}).Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			msg, err := conn.Read(t.Context())
			if r, is := msg.(*jsonrpc.Request); err != nil || !is || r.Method != "after" {
				t.Fatalf("after it comes %v, %v", msg, err)
			}
			if _, err := conn.Read(t.Context()); !errors.Is(err, io.EOF) {
				t.Errorf("at the end: %v", err)
			}
			var answer struct {
				ID    json.RawMessage
				Error struct{ Message string }
			}
			if err := json.Unmarshal([]byte(out.String()), &answer); err != nil {
				t.Fatalf("%v in %q", err, out.String())
			}
			if string(answer.ID) != c.id || !strings.Contains(answer.Error.Message, c.says) {
				t.Errorf("it is answered with %s", out.String())
			}
		}))
	}
}

// inBubble is a test whose time passes as soon as it waits.
func inBubble(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

// A result that cannot be written is an error under its id, not silence.
func TestAResultThatCannotBeWritten(t *testing.T) {
	r, w := io.Pipe()
	conn, err := (&Lines{In: strings.NewReader(""), Out: w}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	id, err := jsonrpc.MakeID(3.0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- conn.Write(context.Background(), &jsonrpc.Response{ID: id, Result: json.RawMessage(`{"a":`)})
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil || <-done != nil {
		t.Fatal(err)
	}
	if !strings.Contains(line, `"id":3`) || !strings.Contains(line, "cannot be written") {
		t.Errorf("the answer is %s", line)
	}
}

// Closing ends a read that waits for input that does not come.
func TestCloseEndsARead(t *testing.T) {
	in, w := io.Pipe()
	defer w.Close()
	conn, err := (&Lines{In: in, Out: io.Discard}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := conn.Read(context.Background())
		done <- err
	}()
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, io.EOF) {
		t.Errorf("the read ends with %v", err)
	}
}

// Whatever bytes come, every line is a message or is answered, and nothing is written that is no JSON.
func TestAnyInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.OneOf(
			rapid.StringMatching(`[^\n]*`),
			rapid.SampledFrom([]string{`{"jsonrpc":"2.0","id":1,"method":"a"}`, `{"jsonrpc":"2.0","id":1}`, `{"id":1e400}`, `{"jsonrpc":"2.0","id":"\u0000","method":"b"}`, "[]", "null", "{}"}),
		)).Draw(t, "lines")
		var out strings.Builder
		conn, err := (&Lines{In: strings.NewReader(strings.Join(lines, "\n")), Out: &out}).Connect(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		taken := 0
		for {
			var msg jsonrpc.Message
			if msg, err = conn.Read(context.Background()); err != nil {
				break
			}
			q, is := msg.(*jsonrpc.Request)
			if !is || !q.IsCall() {
				taken++
				continue
			}
			// A call that nobody answers would be waited for when the input ends.
			if err := conn.Write(context.Background(), &jsonrpc.Response{ID: q.ID, Result: json.RawMessage("{}")}); err != nil {
				t.Fatal(err)
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		answers := 0
		for answer := range strings.Lines(out.String()) {
			answers++
			if !json.Valid([]byte(answer)) {
				t.Fatalf("%q is no JSON", answer)
			}
		}
		given := 0
		for _, l := range lines {
			if strings.TrimSpace(strings.Trim(l, "\v\f")) != "" {
				given++
			}
		}
		if taken+answers < given || taken+answers > len(lines) {
			t.Fatalf("of %d lines %d are messages and %d are answered", given, taken, answers)
		}
	})
}
