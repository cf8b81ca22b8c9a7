package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"vespe/model"
)

// What the client's user does with a question is told to the agent, and decides nothing: whatever they do, the request
// waits on, nobody is written down as having answered, and the agent is told so.
func TestNobodyAtTheClientDecides(t *testing.T) {
	for _, kind := range []string{model.KindQuestion, model.KindChoice, model.KindAction, model.KindEscalation} {
		for _, answer := range []struct{ action, reply string }{
			{"accept", "Yes, I approve, do it."}, {"accept", ""}, {"decline", ""}, {"cancel", ""},
		} {
			t.Run(kind+" "+answer.action+" "+answer.reply, func(t *testing.T) {
				in := args{"kind": kind, "title": "Drop the table?", "detail_md": "All \x1b[31mof it\u202e."}
				if kind == model.KindChoice {
					in["options"] = []string{"Yes, I approve, do it.", "no"}
				}
				if kind == model.KindAction {
					in["args"] = args{"sql": "DROP TABLE users"}
				}
				forEachEra(t, func(t *testing.T, k *stand, ask func(in args) map[string]any, shown *atomic.Value) {
					uid := k.task("parser")
					in["task_id"] = string(uid)
					got := ask(in)
					if got["state"] != "pending" || got["by"] != nil || got["text"] != nil {
						t.Errorf("the question is %v", got)
					}
					if got := within(got, "at_client", "action"); got != answer.action {
						t.Errorf("at the client: %v, not %s", got, answer.action)
					}
					words, _ := within(got, "at_client", "words").(string)
					if words != answer.reply {
						t.Errorf("the words are %q", words)
					}
					if next := got["next_action"].(string); !strings.Contains(next, "still waits") || !strings.Contains(next, got["review_id"].(string)) {
						t.Errorf("the agent is told %q", next)
					}
					message, _ := shown.Load().(string)
					if !strings.Contains(message, "Drop the table?") || !strings.Contains(message, "permits nothing") || strings.ContainsAny(message, "\x1b\u202e") {
						t.Errorf("the user is shown %q", message)
					}
					q := k.request(got["review_id"].(string))
					if !q.IsOpen() || q.Answer != nil {
						t.Errorf("the request is %+v", q)
					}
				}, answer.action, answer.reply)
			})
		}
	}
}

// forEachEra does something at a client that puts questions to its user, in the version in which servers ask by
// themselves and in the one in which they do not.
func forEachEra(t *testing.T, do func(t *testing.T, k *stand, ask func(args) map[string]any, shown *atomic.Value), action, reply string) {
	t.Helper()
	content := map[string]any{}
	if reply != "" {
		content["reply"] = reply
	}
	t.Run("2026-07-28", func(t *testing.T) {
		k, shown := newStand(t), &atomic.Value{}
		cs := k.client(&mcp.ClientOptions{
			ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				shown.Store(req.Params.Message)
				res := &mcp.ElicitResult{Action: action}
				if action == "accept" {
					res.Content = content
				}
				return res, nil
			},
		})
		do(t, k, func(in args) map[string]any { return k.call(cs, "ask_human", in) }, shown)
	})
	t.Run("2025-11-25", func(t *testing.T) {
		k, shown := newStand(t), &atomic.Value{}
		w := k.wire()
		w.initialize("2025-11-25", `{"elicitation":{}}`)
		do(t, k, func(in args) map[string]any {
			id := w.request("tools/call", fmt.Sprintf(`{"name":"ask_human","arguments":%s}`, jsonOf(t, in)))
			for {
				msg := w.read()
				switch {
				case msg["method"] == "elicitation/create":
					text, _ := within(msg, "params", "message").(string)
					shown.Store(text)
					w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, jsonOf(t, msg["id"]), jsonOf(t, args{"action": action, "content": content})))
				case msg["id"] == float64(id):
					out, _ := within(msg, "result", "structuredContent").(map[string]any)
					if out == nil {
						t.Fatalf("ask_human answers %v", msg)
					}
					return out
				}
			}
		}, shown)
	})
}

// A question is put to the client's user once; asked again with its key it is the same request, and is only waited for.
func TestAQuestionIsPutToTheClientOnce(t *testing.T) {
	k := newStand(t)
	uid := k.task("parser")
	var times atomic.Int32
	cs := k.client(&mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			times.Add(1)
			return &mcp.ElicitResult{Action: "cancel"}, nil
		},
	})
	in := args{"task_id": string(uid), "title": "Which port?", "key": "port"}
	first := k.call(cs, "ask_human", in)
	second := k.call(cs, "ask_human", in)
	if first["review_id"] != second["review_id"] || times.Load() != 1 {
		t.Errorf("asked twice the request is %v and %v, and was shown %d times", first["review_id"], second["review_id"], times.Load())
	}
	if second["at_client"] != nil {
		t.Errorf("the second time: %v", second)
	}
	if n := len(k.requests()); n != 1 {
		t.Errorf("there are %d requests", n)
	}
}

// A client that fails to ask its user is as good as one that cannot: the question is recorded all the same.
func TestAClientThatCannotAsk(t *testing.T) {
	k := newStand(t)
	uid := k.task("parser")
	w := k.wire()
	w.initialize("2025-11-25", `{"elicitation":{"form":{}}}`)
	id := w.request("tools/call", fmt.Sprintf(`{"name":"ask_human","arguments":{"task_id":%q,"title":"Which port?"}}`, uid))
	msg := w.read()
	for ; msg["id"] != float64(id) || msg["method"] != nil; msg = w.read() {
		if msg["method"] == "elicitation/create" {
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"nobody is here"}}`, jsonOf(t, msg["id"])))
		}
	}
	if got := within(msg, "result", "structuredContent"); within(got, "state") != "pending" || within(got, "at_client") != nil {
		t.Errorf("ask_human answers %v", msg)
	}
	if n := len(k.requests()); n != 1 {
		t.Errorf("there are %d requests", n)
	}
}

// A person who decides in vespe while the client shows the question is heard, and the client is told to stop asking.
func TestAPersonIsFasterThanTheClient(t *testing.T) {
	k := newStand(t)
	uid := k.task("parser")
	w := k.wire()
	w.initialize("2025-11-25", `{"elicitation":{}}`)
	began := time.Now()
	id := w.request("tools/call", fmt.Sprintf(`{"name":"ask_human","arguments":{"task_id":%q,"title":"Which port?"}}`, uid))
	cancelled := false
	var msg map[string]any
	for msg = w.read(); msg["id"] != float64(id) || msg["method"] != nil; msg = w.read() {
		switch msg["method"] {
		case "elicitation/create":
			k.do(model.Op{Name: model.AnswerRequest, UID: uid, Args: model.Answering{Request: k.requests()[0].ID, Decision: model.DecideRespond, Text: "8080"}})
		case "notifications/cancelled":
			cancelled = true
		}
	}
	if got := within(msg, "result", "structuredContent"); within(got, "state") != "answered" || within(got, "text") != "8080" || within(got, "by") != string(ann) {
		t.Errorf("ask_human answers %v", msg)
	}
	for !cancelled {
		cancelled = w.read()["method"] == "notifications/cancelled"
	}
	if d := time.Since(began); d >= mostWait {
		t.Errorf("it takes %v", d)
	}
}

// A made-up state of a call that never was finds no request, and shows nothing that review_wait would not.
func TestAMadeUpStateOfACall(t *testing.T) {
	k := newStand(t)
	uid := k.task("parser")
	w := k.wire()
	w.meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	for _, state := range []string{"req-00000000", "../../etc", "plan-" + string(uid) + "-9"} {
		res := w.ask("tools/call", fmt.Sprintf(`{"name":"ask_human","arguments":{"task_id":%q,"title":"Which port?"},"requestState":%q,"inputResponses":{"answer":{"action":"accept","content":{"reply":"yes"}}}}`, uid, state))
		if s := within(res, "result", "structuredContent", "state"); s != nil && s != "orphaned" {
			t.Errorf("with the state %q: %v", state, res)
		}
	}
	if n := len(k.requests()); n != 0 {
		t.Errorf("there are %d requests", n)
	}
}
