//go:build clients

package clients

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// OpenAI starts an endpoint that speaks the Responses API: a model provider of Codex whose base_url is
// URL()+"/v1". It ends with the test.
func OpenAI(t testing.TB, turns ...Turn) *Script {
	t.Helper()
	return start(t, func(s *Script, mux *http.ServeMux) {
		mux.HandleFunc("POST /v1/responses", s.responses)
	}, turns)
}

type openAIRequest struct {
	Instructions string
	Tools        []openAITool
	Input        []openAIItem
}

// openAITool is a function, or a namespace of functions.
type openAITool struct {
	Type, Name string
	Tools      []openAITool
}

type openAIItem struct {
	Type, Role string
	Content    json.RawMessage
	CallID     string `json:"call_id"`
	Output     json.RawMessage
}

func (s *Script) responses(w http.ResponseWriter, r *http.Request) {
	var in openAIRequest
	body, ok := decoded(w, r, &in)
	if !ok {
		return
	}
	req := &Request{System: in.Instructions, Body: body, Gone: r.Context().Done()}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, t.names("")...)
	}
	slices.Sort(req.Tools)
	for _, it := range in.Input {
		switch {
		case it.Type == "message" && it.Role == "assistant", it.Type == "function_call":
			req.Now = nil
		case it.Type == "message":
			req.hear(text(it.Content))
		case it.Type == "function_call_output" || it.Type == "custom_tool_call_output":
			req.Results = append(req.Results, Result{ID: it.CallID, Text: text(it.Output)})
		}
	}
	s.streamResponse(w, s.take(req), in.Tools)
}

// names are what the model calls a tool; one of a namespace is NAMESPACE.TOOL.
func (t *openAITool) names(under string) []string {
	if t.Type != "namespace" {
		return []string{under + t.Name}
	}
	var out []string
	for _, x := range t.Tools {
		out = append(out, x.names(t.Name+".")...)
	}
	return out
}

func (s *Script) streamResponse(w http.ResponseWriter, steps []Step, tools []openAITool) {
	w.Header().Set("Content-Type", "text/event-stream")
	id := fmt.Sprintf("resp_%d", s.Asked())
	send(w, "response.created", map[string]any{"type": "response.created", "response": map[string]any{"id": id}})
	for i, st := range steps {
		item, err := st.openAI(fmt.Sprintf("item_%s_%d", id, i), tools)
		if err != nil {
			s.errorf("%v", err)
			continue
		}
		send(w, "response.output_item.added", map[string]any{"type": "response.output_item.added", "output_index": i, "item": item})
		send(w, "response.output_item.done", map[string]any{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	send(w, "response.completed", map[string]any{"type": "response.completed", "response": map[string]any{
		"id": id, "usage": map[string]any{
			"input_tokens": 10, "input_tokens_details": map[string]any{"cached_tokens": 0},
			"output_tokens": 5, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 15,
		},
	}})
}

// openAI is a step as an item of a response.
func (st *Step) openAI(id string, tools []openAITool) (map[string]any, error) {
	if st.Tool == "" {
		return map[string]any{
			"type": "message", "id": id, "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": st.Text, "annotations": []any{}}},
		}, nil
	}
	input, err := json.Marshal(st.Input)
	if err != nil {
		return nil, fmt.Errorf("the input of %s: %w", st.Tool, err)
	}
	item := map[string]any{"type": "function_call", "id": id, "call_id": st.ID, "name": st.Tool, "arguments": string(input), "status": "completed"}
	for _, t := range tools {
		for _, x := range t.Tools {
			if t.Type == "namespace" && t.Name+"."+x.Name == st.Tool {
				item["namespace"], item["name"] = t.Name, x.Name
			}
		}
	}
	return item, nil
}
