//go:build clients

package clients

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// Anthropic starts an endpoint that speaks the Messages API (ANTHROPIC_BASE_URL). It ends with the test.
func Anthropic(t testing.TB, turns ...Turn) *Script {
	t.Helper()
	return start(t, func(s *Script, mux *http.ServeMux) {
		mux.HandleFunc("POST /v1/messages", s.messages)
		mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, r *http.Request) {
			s.aside(r)
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"input_tokens":10}`)
		})
		mux.HandleFunc("/{$}", s.hello)
	}, turns)
}

// hello answers a client that only looks whether somebody is there.
func (s *Script) hello(w http.ResponseWriter, r *http.Request) {
	s.aside(r)
	w.WriteHeader(http.StatusOK)
}

type anthropicRequest struct {
	Model    string
	Stream   bool
	System   json.RawMessage
	Tools    []struct{ Name string }
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
}

type anthropicBlock struct {
	Type, Text string
	ToolUseID  string `json:"tool_use_id"`
	IsError    bool   `json:"is_error"`
	Content    json.RawMessage
}

func (s *Script) messages(w http.ResponseWriter, r *http.Request) {
	var in anthropicRequest
	body, ok := decoded(w, r, &in)
	if !ok {
		return
	}
	var steps []Step
	if len(in.Tools) == 0 { // a title, a summary, whether the key is good
		s.aside(r)
		steps = Say("A title")
	} else {
		req := in.request(body)
		req.Gone = r.Context().Done()
		steps = s.take(req)
	}
	if in.Stream {
		s.streamMessage(w, in.Model, steps)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var content []any
	for _, st := range steps {
		content = append(content, st.anthropic(st.Input))
	}
	m := s.message(in.Model, content)
	m["stop_reason"] = stopReason(steps)
	_ = json.NewEncoder(w).Encode(m) //nolint:errchkjson // the client may have gone
}

// request is what the model is shown.
func (in *anthropicRequest) request(body json.RawMessage) *Request {
	r := &Request{System: text(in.System), Body: body}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	slices.Sort(r.Tools)
	for _, m := range in.Messages {
		var blocks []anthropicBlock
		switch {
		case m.Role == "assistant":
			r.Now = nil
			continue
		case json.Unmarshal(m.Content, &blocks) != nil:
			r.hear(text(m.Content))
			continue
		}
		for _, b := range blocks {
			switch b.Type {
			case "text":
				r.hear(b.Text)
			case "tool_result":
				r.Results = append(r.Results, Result{ID: b.ToolUseID, Text: text(b.Content), Error: b.IsError})
			}
		}
	}
	return r
}

// anthropic is a step as a block of a message.
func (st *Step) anthropic(input any) map[string]any {
	if st.Tool == "" {
		return map[string]any{"type": "text", "text": st.Text}
	}
	return map[string]any{"type": "tool_use", "id": st.ID, "name": st.Tool, "input": input}
}

func stopReason(steps []Step) string {
	if slices.ContainsFunc(steps, func(st Step) bool { return st.Tool != "" }) {
		return "tool_use"
	}
	return "end_turn"
}

// message is one of the model; each has an id of its own, by which clients count tokens.
func (s *Script) message(model string, content []any) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said++
	return map[string]any{
		"id": fmt.Sprintf("msg_%04d", s.said), "type": "message", "role": "assistant", "model": model, "content": content, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
	}
}

func (s *Script) streamMessage(w http.ResponseWriter, model string, steps []Step) {
	w.Header().Set("Content-Type", "text/event-stream")
	send(w, "message_start", map[string]any{"type": "message_start", "message": s.message(model, []any{})})
	for i, st := range steps {
		empty := st
		empty.Text = ""
		send(w, "content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": empty.anthropic(map[string]any{})})
		delta := map[string]any{"type": "text_delta", "text": st.Text}
		if st.Tool != "" {
			input, err := json.Marshal(st.Input)
			if err != nil {
				s.errorf("the input of %s: %v", st.Tool, err)
			}
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
		}
		send(w, "content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": delta})
		send(w, "content_block_stop", map[string]any{"type": "content_block_stop", "index": i})
	}
	send(w, "message_delta", map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stopReason(steps), "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 5}})
	send(w, "message_stop", map[string]any{"type": "message_stop"})
}
