package mcpserver

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store"
)

// stuck is how long a test waits before it reports that something never came. It says nothing about speed.
const stuck = 3 * time.Minute

// Without a store the server is there all the same, and each tool says what to do; once there is one, it is found.
func TestWithoutAStore(t *testing.T) {
	k := &stand{t: t, dir: t.TempDir(), env: map[string]string{}}
	cs := k.client(nil)
	for tool, in := range everyTool("tsk-0123abcd", "req-0123abcd") {
		if tool == "permission_prompt" {
			continue // answers in its own form
		}
		text := k.refused(cs, tool, in)
		if !strings.Contains(text, "no store") || !strings.Contains(text, "vespe init") {
			t.Errorf("%s says %q", tool, text)
		}
	}
	s, err := store.Init(k.dir, store.Options{Scratch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if list := k.call(cs, "task_list", nil); list["total"] != 0.0 {
		t.Errorf("in the new store there are %v", list)
	}
}

// everyTool is a call of each tool that is right by its schema.
func everyTool(uid model.UID, review string) map[string]args {
	return map[string]args{
		"task_next":         {},
		"task_get":          {"id": uid},
		"plan_submit":       {"task_id": uid, "base_version": 0, "plan_md": "Do it."},
		"review_wait":       {"review_id": review, "wait_s": 0},
		"ask_human":         {"task_id": uid, "title": "Which port?"},
		"task_report":       {"id": uid, "summary": "It is done."},
		"task_create":       {"items": []any{args{"name": "new"}}, "idempotency_key": "k1"},
		"task_update":       {"id": uid, "rev": 1, "patch": args{"name": "other"}},
		"task_list":         {},
		"search":            {"query": "word"},
		"permission_prompt": {"tool_name": "Bash", "input": args{"command": "ls"}, "tool_use_id": "toolu_1"},
	}
}

// A store that is moved away is missed, and found again when it is back, and another in its place is another.
func TestAStoreThatIsMoved(t *testing.T) {
	k := newStand(t)
	k.task("parser")
	cs := k.client(nil)
	if list := k.call(cs, "task_list", nil); list["total"] != 1.0 {
		t.Fatalf("there are %v", list)
	}
	place, aside := filepath.Join(k.dir, store.Name), filepath.Join(k.dir, "aside")
	move(t, place, aside)
	if text := k.refused(cs, "task_list", nil); !strings.Contains(text, "no store") {
		t.Errorf("while it is away: %q", text)
	}
	move(t, aside, place)
	if list := k.call(cs, "task_list", nil); list["total"] != 1.0 {
		t.Errorf("when it is back: %v", list)
	}
	move(t, place, aside)
	other, err := store.Init(k.dir, store.Options{Scratch: true})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if list := k.call(cs, "task_list", nil); list["total"] != 0.0 {
		t.Errorf("in the other: %v", list)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// A store of a newer format is read, and not written: each tool that writes says why.
func TestAStoreThatIsForReadingOnly(t *testing.T) {
	k := newStand(t)
	uid := k.task("parser")
	path := filepath.Join(k.dir, store.Name, "store.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(b), fmt.Sprintf(`"format":%d`, store.Format), fmt.Sprintf(`"format":%d`, store.Format+1), 1)
	if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	cs := k.client(nil)
	if got := k.call(cs, "task_get", args{"id": uid}); got["name"] != "parser" {
		t.Errorf("it is read as %v", got)
	}
	for _, tool := range []string{"plan_submit", "ask_human", "task_create"} {
		if text := k.refused(cs, tool, everyTool(uid, "")[tool]); !strings.Contains(text, "format") {
			t.Errorf("%s says %q", tool, text)
		}
	}
}

// The end of the input ends the server, also while a call waits; and so does the context, which is SIGTERM's.
func TestTheServerEnds(t *testing.T) {
	for _, how := range []string{"input", "signal"} {
		t.Run(how, func(t *testing.T) {
			k := newStand(t)
			review := k.plan(k.task("parser"))
			fromClient, in := io.Pipe()
			out, toClient := io.Pipe()
			ctx, signal := context.WithCancel(t.Context())
			defer signal()
			ended := make(chan error, 1)
			go func() { ended <- Serve(ctx, fromClient, toClient, k.options()) }()
			w := newWire(t, in, out)
			w.initialize("2025-11-25", "{}")
			w.ask("tools/call", `{"name":"task_list","arguments":{}}`)
			w.request("tools/call", fmt.Sprintf(`{"name":"review_wait","arguments":{"review_id":%q}}`, review))
			if how == "input" {
				_ = in.Close()
			} else {
				signal()
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Errorf("it ends with %v", err)
				}
			case <-time.After(stuck):
				t.Fatal("it does not end")
			}
		})
	}
}

// A call that is canceled waits no longer.
func TestACanceledCallEndsAtOnce(t *testing.T) {
	k := newStand(t)
	review := k.plan(k.task("parser"))
	w := k.wire()
	w.initialize("2025-11-25", "{}")
	id := w.request("tools/call", fmt.Sprintf(`{"name":"review_wait","arguments":{"review_id":%q,"wait_s":45}}`, review))
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"enough"}}`, id))
	msg := w.read()
	for msg["id"] != float64(id) {
		msg = w.read()
	}
	if got := within(msg, "result", "structuredContent", "state"); got == "pending" { // as it would say 45 seconds later
		t.Errorf("it ends with %v", msg)
	}
}

// Anyone who gave a token is told every five seconds that a call still waits, and anyone who gave none is not.
func TestACallThatWaitsSaysSo(t *testing.T) {
	t.Parallel()
	k := newStand(t)
	review := k.plan(k.task("parser"))
	w := k.wire()
	w.initialize("2025-11-25", "{}")
	silent := w.request("tools/call", fmt.Sprintf(`{"name":"review_wait","arguments":{"review_id":%q,"wait_s":6}}`, review))
	res := w.ask("tools/call", fmt.Sprintf(`{"name":"review_wait","arguments":{"review_id":%q,"wait_s":6},"_meta":{"progressToken":"p1"}}`, review))
	if within(res, "result", "structuredContent", "state") != "pending" {
		t.Errorf("the wait ends with %v", res)
	}
	// Without a token there comes nothing but the answer.
	answered := func(msg map[string]any) bool { return msg["id"] == float64(silent) && msg["method"] == nil }
	for !slices.ContainsFunc(w.seen, answered) {
		w.seen = append(w.seen, w.read())
	}
	told := slices.DeleteFunc(w.seen, answered)
	if len(told) == 0 {
		t.Fatal("meanwhile there came nothing")
	}
	for i, msg := range told {
		p := within(msg, "params")
		at, _ := within(p, "progress").(float64)
		if msg["method"] != "notifications/progress" || within(p, "progressToken") != "p1" || at < float64(5*(i+1)) || within(p, "total") != 6.0 {
			t.Errorf("the %d. is %v", i+1, msg)
		}
	}
}
