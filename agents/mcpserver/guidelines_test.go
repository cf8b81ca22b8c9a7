package mcpserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/store"
)

// The guidelines of the project reach anyone who plans over MCP: in the instructions, in each prompt and with each task.
func TestGuidelinesReachPlanners(t *testing.T) {
	for _, era := range eras {
		t.Run(era.version, func(t *testing.T) {
			k := newStand(t)
			k.task("a")
			if err := os.WriteFile(filepath.Join(k.dir, store.Name, "guidelines.txt"), []byte("mark-guideline\u202e\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			w := k.wire()
			var instructions any
			if strings.HasPrefix(era.version, "2025") {
				instructions = within(w.initialize(era.version, "{}"), "result", "instructions")
			} else {
				w.meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
				instructions = within(w.ask("server/discover", "{}"), "result", "instructions")
			}
			said := map[string]any{
				"instructions": instructions,
				"prompt":       within(w.ask("prompts/get", `{"name":"plan"}`), "result"),
				"task_next":    within(w.ask("tools/call", `{"name":"task_next","arguments":{}}`), "result"),
			}
			for where, text := range said {
				b, err := json.Marshal(text)
				if err != nil {
					t.Fatal(err)
				}
				s := string(b)
				if !strings.Contains(s, "The project's guidelines") || !strings.Contains(s, "mark-guideline") || strings.Contains(s, "\u202e") {
					t.Errorf("%s says %s", where, s)
				}
			}
		})
	}
}
