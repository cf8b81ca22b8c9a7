//go:build clients

package clients

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
)

// codexHook is what Codex says of a hook that it found.
type codexHook struct {
	Key, EventName, Command, CurrentHash, TrustStatus string
	Matcher                                           string
}

// trustHooks trusts every hook that Codex finds, as its own screen for that does: by the hash that Codex
// itself tells. It answers with the hooks as they were before.
func (w *world) trustHooks() []codexHook {
	w.t.Helper()
	before := w.codexHooks()
	edits := []any{}
	for _, h := range before {
		edits = append(edits, map[string]any{
			"keyPath": fmt.Sprintf("hooks.state.%q", h.Key), "mergeStrategy": "upsert",
			"value": map[string]any{"trusted_hash": h.CurrentHash},
		})
	}
	w.appServer("config/batchWrite", map[string]any{"edits": edits})
	for _, h := range w.codexHooks() {
		if h.TrustStatus != "trusted" {
			w.t.Fatalf("the hook is not trusted: %+v", h)
		}
	}
	return before
}

func (w *world) codexHooks() []codexHook {
	w.t.Helper()
	var got struct {
		Data []struct {
			Hooks    []codexHook
			Warnings []string
			Errors   []any
		}
	}
	if err := json.Unmarshal(w.appServer("hooks/list", map[string]any{"cwds": []string{w.repo}}), &got); err != nil {
		w.t.Fatal(err)
	}
	if len(got.Data) != 1 || len(got.Data[0].Errors) > 0 || len(got.Data[0].Warnings) > 0 {
		w.t.Fatalf("Codex lists its hooks as %+v", got)
	}
	return got.Data[0].Hooks
}

// appServer asks `codex app-server` one thing.
func (w *world) appServer(method string, params any) json.RawMessage {
	w.t.Helper()
	c := w.cmd("codex", "app-server")
	in, err := c.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	errs := new(syncBuffer)
	c.Stderr = errs
	if err := c.Start(); err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		in.Close()
		_ = c.Wait()
	}()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for id, m := range []map[string]any{
		{"method": "initialize", "params": map[string]any{"clientInfo": map[string]any{"name": "test", "version": "1"}}},
		{"method": method, "params": params},
	} {
		m["id"] = id
		b, err := json.Marshal(m)
		if err == nil {
			_, err = in.Write(append(b, '\n'))
		}
		if err != nil {
			w.t.Fatal(err)
		}
		for {
			if !lines.Scan() {
				w.t.Fatalf("codex app-server: %v\n%s", lines.Err(), errs)
			}
			var reply struct {
				ID     *int
				Result json.RawMessage
				Error  json.RawMessage
			}
			if err := json.Unmarshal(lines.Bytes(), &reply); err != nil {
				w.t.Fatalf("codex app-server: %v: %s", err, lines.Bytes())
			}
			if reply.ID == nil || *reply.ID != id {
				continue
			}
			if len(reply.Error) > 0 && strings.TrimSpace(string(reply.Error)) != "null" {
				w.t.Fatalf("codex app-server: %s: %s", method, reply.Error)
			}
			if m["method"] == method {
				return reply.Result
			}
			break
		}
	}
	return nil
}
