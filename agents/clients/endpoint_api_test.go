//go:build clients

package clients

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// post sends what a client would, and answers with the stream.
func post(t *testing.T, url, body string) string {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body)) //nolint:noctx // of a test
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %d: %s", err, resp.StatusCode, b)
	}
	return string(b)
}

// shown keeps what a turn was shown.
func shown(into *Request, steps []Step) Turn {
	return func(r *Request) []Step {
		*into = *r
		return steps
	}
}

func has(t *testing.T, stream string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		i := strings.Index(stream, p)
		if i < 0 {
			t.Fatalf("%q is not there, or not in its place, of\n%s", p, stream)
		}
		stream = stream[i+len(p):]
	}
}

func TestTheMessagesAPI(t *testing.T) {
	var first, second Request
	s := Anthropic(t, shown(&first, Call("Bash", map[string]any{"command": "ls"})), shown(&second, Say("Two files.")))
	stream := post(t, s.URL()+"/v1/messages", `{"model":"m","stream":true,"system":[{"type":"text","text":"be brief"}],"tools":[{"name":"Read"},{"name":"Bash"}],
		"messages":[{"role":"user","content":"list it"}]}`)
	has(t, stream, "event: message_start", `"model":"m"`, "I call Bash.", `"name":"Bash"`, `"partial_json":"{\"command\":\"ls\"}"`, `"stop_reason":"tool_use"`, "event: message_stop")
	if first.System != "be brief" || strings.Join(first.Tools, " ") != "Bash Read" || !first.HearsNow("list it") || first.Last() != (Result{}) || first.Turn != 1 {
		t.Errorf("the first turn was shown %+v", first)
	}
	whole := post(t, s.URL()+"/v1/messages", `{"model":"m","tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"list it"},
		{"role":"assistant","content":[{"type":"tool_use","id":"call_0001","name":"Bash","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0001","is_error":true,"content":[{"type":"text","text":"denied"}]},{"type":"text","text":"mind that"}]}]}`)
	has(t, whole, "Two files.", `"stop_reason":"end_turn"`)
	if got := second.Result("call_0001"); got.Text != "denied" || !got.Error || second.HearsNow("list it") || !second.Heard("list it") || !second.HearsNow("mind that") {
		t.Errorf("the second turn was shown %+v", second)
	}
	// What is asked on the side takes no turn.
	post(t, s.URL()+"/v1/messages/count_tokens", `{}`)
	has(t, post(t, s.URL()+"/v1/messages", `{"model":"m","messages":[{"role":"user","content":"a title, please"}]}`), "A title")
	if s.Asked() != 2 || len(s.Aside()) != 2 {
		t.Errorf("%d turns, and aside %q", s.Asked(), s.Aside())
	}
	s.Done()
}

func TestTheResponsesAPI(t *testing.T) {
	var first, second Request
	s := OpenAI(t, shown(&first, Call("mcp__vespe.task_next", map[string]any{"claim": true})))
	s.Then(shown(&second, Say("Nothing is ready.")))
	stream := post(t, s.URL()+"/v1/responses", `{"instructions":"be brief","tools":[{"type":"function","name":"exec_command"},{"type":"namespace","name":"mcp__vespe","tools":[{"type":"function","name":"task_next"}]}],
		"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"what is next?"}]}]}`)
	has(t, stream, "event: response.created", "I call mcp__vespe.task_next.", "response.output_item.done", `"arguments":"{\"claim\":true}"`, `"name":"task_next","namespace":"mcp__vespe"`, "event: response.completed")
	if first.System != "be brief" || strings.Join(first.Tools, " ") != "exec_command mcp__vespe.task_next" || !first.HearsNow("what is next?") {
		t.Errorf("the first turn was shown %+v", first)
	}
	stream = post(t, s.URL()+"/v1/responses", `{"input":[{"type":"message","role":"user","content":"what is next?"},{"type":"function_call","call_id":"call_0001"},
		{"type":"function_call_output","call_id":"call_0001","output":"{\"task\":null}"}]}`)
	has(t, stream, "Nothing is ready.")
	if second.Last().Text != `{"task":null}` || second.HearsNow("what is next?") || second.Turn != 2 {
		t.Errorf("the second turn was shown %+v", second)
	}
	s.Done()
}
