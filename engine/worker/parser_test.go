package worker

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/model/runlog"
)

var now = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// told is an event in short, for comparing.
func told(e runlog.Event) string {
	s := string(e.Kind)
	for _, part := range []string{e.Tool, e.ID, e.Path} {
		if part != "" {
			s += " " + part
		}
	}
	if e.Done {
		s += " done"
	}
	if e.Failed {
		s += " failed"
	}
	if e.Exit != 0 {
		s += fmt.Sprint(" exit ", e.Exit)
	}
	if e.Kind == runlog.KindCost {
		s += fmt.Sprintf(" $%g %d %d", e.Cost, e.In, e.Out)
	}
	if e.Text != "" {
		s += " | " + strings.ReplaceAll(e.Text, "\n", "/")
	}
	return s
}

func run(t *testing.T, format, stream string) ([]string, Outcome) {
	t.Helper()
	p := NewParser(format)
	p.Dir = "/wt/run-1"
	var out []string
	for _, e := range printed(p, stream) {
		if !e.At.Equal(now) {
			t.Errorf("an event without a time: %+v", e)
		}
		out = append(out, told(e))
	}
	return out, p.Outcome()
}

// printed are the events of all that a worker prints.
func printed(p *Parser, stream string) (all []runlog.Event) {
	for line := range strings.Lines(stream) {
		all = append(all, p.Line([]byte(line), now)...)
	}
	return all
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("events:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

const claudeStart = `{"type":"system","subtype":"init","cwd":"/wt/run-1","session_id":"0199a213-81c0","tools":["Bash","Edit"],"model":"claude-opus-5-5","permissionMode":"acceptEdits","claude_code_version":"2.1.329","uuid":"u0"}
`

func TestClaude(t *testing.T) {
	got, o := run(t, FormatClaude, claudeStart+
		`{"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"thinking","thinking":"hm"}],"usage":{"input_tokens":5,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":3}},"parent_tool_use_id":null,"session_id":"0199a213-81c0"}
{"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"I look\u001b[31m first"}],"usage":{"input_tokens":5,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":3}},"session_id":"0199a213-81c0"}
{"message":{"content":[{"input":{"command":"go test ./...","description":"Run tests"},"name":"Bash","id":"toolu_1","type":"tool_use"}],"usage":{"input_tokens":5,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":40},"id":"msg_1"},"type":"assistant"}
{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"Exit code 1\n--- FAIL: TestA","is_error":true}]},"session_id":"0199a213-81c0"}
{"type":"assistant","message":{"id":"msg_2","content":[{"type":"tool_use","id":"toolu_2","name":"Edit","input":{"file_path":"/wt/run-1/pkg/a.go","old_string":"x","new_string":"y"}},{"type":"tool_use","id":"toolu_3","name":"Write","input":{"file_path":"/etc/passwd","content":"x"}}],"usage":{"input_tokens":1,"output_tokens":2}}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"updated"},{"type":"image","source":{}}]},{"type":"tool_result","tool_use_id":"toolu_3","content":"not allowed","is_error":true}]}}
{"type":"assistant","message":{"id":"msg_3","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":1,"output_tokens":2}}}
{"duration_ms":1240,"total_cost_usd":0.125,"usage":{"input_tokens":7,"cache_creation_input_tokens":10,"cache_read_input_tokens":300,"output_tokens":50},"permission_denials":[],"terminal_reason":"completed","is_error":false,"num_turns":3,"subtype":"success","session_id":"0199a213-81c0","result":"Done.","type":"result"}
`)
	same(t, got, []string{
		"note | Claude Code 2.1.329, model claude-opus-5-5",
		"cost $0 115 3",
		"message | I look\x1b[31m first",
		"command Bash toolu_1 | go test ./...",
		"cost $0 115 40",
		"command Bash toolu_1 done failed exit 1 | Exit code 1/--- FAIL: TestA",
		"tool Edit toolu_2 | pkg/a.go", "tool Write toolu_3 | /etc/passwd",
		"cost $0 116 42",
		"tool Edit toolu_2 done | updated/[image]",
		"edit Edit toolu_2 pkg/a.go done",
		"tool Write toolu_3 done failed | not allowed",
		"message | Done.",
		"cost $0 117 44",
		"cost $0.125 317 50",
	})
	want := Outcome{Format: FormatClaude, Known: true, Session: "0199a213-81c0", Cost: .125, In: 317, Out: 50, Turns: 3, Said: "Done."}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("outcome %+v", o)
	}
}

// What a client says of its end counts, not its exit code.
func TestHowWorkersEnd(t *testing.T) {
	denied := `{"type":"result","subtype":"success","is_error":false,"result":"I may not.","session_id":"s","permission_denials":[{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"git push"}}],"total_cost_usd":0.01}`
	deferred := `{"type":"result","subtype":"success","is_error":false,"stop_reason":"tool_deferred","terminal_reason":"tool_deferred","session_id":"s","deferred_tool_use":{"id":"toolu_9","name":"Bash","input":{"command":"make deploy"}},"permission_denials":[]}`
	for name, c := range map[string]struct {
		format, stream string
		code           int
		signal         string
		why            string
	}{
		"denied":              {FormatClaude, denied, 0, "", ""},
		"done, exit code 1":   {FormatClaude, denied, 1, "", "it ended with exit code 1"},
		"deferred":            {FormatClaude, deferred, 0, "", ""},
		"interrupted":         {FormatClaude, `{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["interrupted"]}`, 0, "", "error_during_execution: interrupted"},
		"turns":               {FormatClaude, `{"type":"result","subtype":"error_max_turns","is_error":true}`, 1, "", "error_max_turns"},
		"api":                 {FormatClaude, `{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","result":"API Error: Connection refused"}`, 1, "", "api_error: API Error: Connection refused"},
		"an error of no name": {FormatClaude, `{"type":"result","is_error":true}`, 0, "", "error"},
		"terminated":          {FormatClaude, claudeStart, 143, "", "it ended with exit code 143 without a result"},
		"killed":              {FormatClaude, claudeStart, -1, "SIGKILL", "it ended by SIGKILL without a result"},
		"half a result":       {FormatClaude, `{"type":"result","subtype":"succ`, 0, "", "it ended with exit code 0 without a result"},
		"codex":               {FormatCodex, `{"type":"turn.started"}` + "\n" + `{"type":"turn.completed","usage":{}}`, 0, "", ""},
		"codex failed":        {FormatCodex, `{"type":"turn.failed","error":{"message":"usage limit"}}`, 1, "", "usage limit"},
		"codex again":         {FormatCodex, `{"type":"error","message":"Reconnecting... 1/5"}` + "\n" + `{"type":"turn.completed","usage":{}}`, 0, "", ""},
		"codex, no network":   {FormatCodex, `{"type":"error","message":"Reconnecting... 1/5"}`, -1, "SIGTERM", "Reconnecting... 1/5"},
		"codex at work":       {FormatCodex, `{"type":"turn.started"}`, 0, "", "it ended with exit code 0 without a result"},
		"opencode":            {FormatOpencode, `{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop"}}`, 0, "", ""},
		"opencode, length":    {FormatOpencode, `{"type":"step_finish","part":{"reason":"length"}}`, 0, "", "the model stopped with the reason length"},
		"opencode, refused": {
			FormatOpencode, `{"type":"tool_use","part":{"callID":"c","tool":"bash","state":{"status":"error","input":{"command":"rm -rf x"},"error":"The user rejected permission to use this specific tool call."}}}` + "\n" +
				`{"type":"step_finish","part":{"reason":"tool-calls"}}`, 0, "", "it ended with exit code 0 after it was denied bash rm -rf x",
		},
		"text":         {FormatText, "all done\n", 0, "", ""},
		"text, failed": {FormatText, "no\n", 3, "", "it ended with exit code 3"},
		"text, killed": {FormatText, "", 0, "SIGKILL", "it ended by SIGKILL"},
		"of no format": {"yaml", "all done", 0, "", ""},
	} {
		_, o := run(t, c.format, c.stream)
		if why := o.Failed(c.code, c.signal); why != c.why {
			t.Errorf("%s: %q, want %q", name, why, c.why)
		}
	}
	got, o := run(t, FormatClaude, denied)
	same(t, got, []string{"note | denied: Bash git push", "cost $0.01 0 0"})
	if !reflect.DeepEqual(o.Denied, []string{"Bash git push"}) {
		t.Errorf("denied %q", o.Denied)
	}
	if _, o = run(t, FormatClaude, deferred); o.Deferred == nil || o.Deferred.ID != "toolu_9" {
		t.Errorf("deferred %+v", o.Deferred)
	}
}

func TestCodex(t *testing.T) {
	got, o := run(t, FormatCodex, `{"type":"thread.started","thread_id":"0199a213-81c0-7800"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"**Looking**"}}
{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"bash -lc ls","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.updated","item":{"id":"item_1","type":"command_execution","command":"bash -lc ls","aggregated_output":"do","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"bash -lc ls","aggregated_output":"docs\nsrc\n","exit_code":0,"status":"completed"}}
{"type":"item.completed","item":{"id":"item_2","type":"command_execution","command":"bash -lc false","aggregated_output":"","exit_code":1,"status":"failed"}}
{"type":"item.started","item":{"id":"item_3","type":"todo_list","items":[{"text":"Scan","completed":true},{"text":"Write it","completed":false}]}}
{"type":"item.completed","item":{"id":"item_4","type":"file_change","changes":[{"path":"/wt/run-1/docs/a.md","kind":"add"},{"path":"b.md","kind":"update"}],"status":"completed"}}
{"type":"item.completed","item":{"id":"item_5","type":"file_change","changes":[{"path":"c.md","kind":"update"}],"status":"failed"}}
{"type":"item.started","item":{"id":"item_6","type":"mcp_tool_call","server":"docs","tool":"search","arguments":{"q":"x"},"result":null,"error":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_6","type":"mcp_tool_call","server":"docs","tool":"search","arguments":{"q":"x"},"result":null,"error":{"message":"tool timeout"},"status":"failed"}}
{"type":"item.completed","item":{"id":"item_7","type":"error","message":"command output truncated"}}
not JSON: a warning that reached the stream
{"type":"item.completed","item":{"id":"item_8","type":"of a later version"}}
{"type":"item.completed","item":{"id":"item_9","type":"agent_message","text":"Done."}}
{"type":"turn.completed","usage":{"input_tokens":24763,"cached_input_tokens":24448,"output_tokens":122,"reasoning_output_tokens":10}}
`)
	same(t, got, []string{
		"command shell item_1 | bash -lc ls",
		"command shell item_1 done | docs/src/",
		"command shell item_2 | bash -lc false",
		"command shell item_2 done failed exit 1",
		"progress | 1 of 2 steps: Write it",
		"edit file_change item_4 docs/a.md done | add", "edit file_change item_4 b.md done | update",
		"tool file_change item_5 | c.md", "tool file_change item_5 done failed",
		`tool docs.search item_6 | {"q":"x"}`, "tool docs.search item_6 done failed | tool timeout",
		"note | codex: command output truncated",
		"raw | not JSON: a warning that reached the stream",
		`raw | {"type":"item.completed","item":{"id":"item_8","type":"of a later version"}}`,
		"message | Done.",
		"cost $0 24763 122",
	})
	if got, _ := run(t, FormatCodex, `{"type":"error","message":"Reconnecting... waiting for network"}`+"\n"+`{"type":"error","message":"usage limit"}`); got[0] != "note | Reconnecting... waiting for network" || got[1] != "error | usage limit" {
		t.Errorf("errors %q", got)
	}
	want := Outcome{Format: FormatCodex, Known: true, Session: "0199a213-81c0-7800", In: 24763, Out: 122, Turns: 1, Said: "Done."}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("outcome %+v", o)
	}
}

func TestOpencode(t *testing.T) {
	got, o := run(t, FormatOpencode, `{"type":"step_start","timestamp":1767036059338,"sessionID":"ses_4947","part":{"id":"prt_1","type":"step-start"}}
{"type":"tool_use","timestamp":1767036061199,"sessionID":"ses_4947","part":{"id":"prt_2","type":"tool","callID":"r9bQ","tool":"bash","state":{"status":"completed","input":{"command":"echo hello","description":"Print"},"output":"hello\n","title":"Print","metadata":{"output":"hello\n","exit":0}}}}
{"type":"tool_use","sessionID":"ses_4947","part":{"type":"tool","callID":"e1","tool":"edit","state":{"status":"completed","input":{"filePath":"/wt/run-1/a.go","oldString":"x","newString":"y"},"output":"ok"}}}
{"type":"tool_use","sessionID":"ses_4947","part":{"type":"tool","callID":"b2","tool":"bash","state":{"status":"completed","input":{"command":"false"},"output":"","metadata":{"exit":1}}}}
{"type":"step_finish","sessionID":"ses_4947","part":{"type":"step-finish","reason":"tool-calls","cost":0.25,"tokens":{"input":100,"output":10,"reasoning":5,"cache":{"read":50,"write":7}}}}
{"type":"step_start","sessionID":"ses_4947","part":{}}
{"type":"text","sessionID":"ses_4947","part":{"type":"text","text":"hello"}}
{"type":"step_finish","sessionID":"ses_4947","part":{"reason":"stop","cost":0.5,"tokens":{"input":1,"output":2,"reasoning":0,"cache":{"read":0,"write":0}}}}
`)
	same(t, got, []string{
		"command bash r9bQ | echo hello", "command bash r9bQ done | hello/",
		"tool edit e1 | a.go", "tool edit e1 done | ok", "edit edit e1 a.go done",
		"command bash b2 | false", "command bash b2 done failed exit 1",
		"cost $0.25 157 15", "message | hello", "cost $0.75 158 17",
	})
	want := Outcome{Format: FormatOpencode, Known: true, Session: "ses_4947", Cost: .75, In: 158, Out: 17, Turns: 2, Said: "hello"}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("outcome %+v", o)
	}
	if _, o = run(t, FormatOpencode, `{"type":"error","sessionID":"s","error":{"name":"APIError","data":{"message":"Rate limit exceeded","statusCode":429}}}`); o.Err != "Rate limit exceeded" || !o.Known {
		t.Errorf("outcome %+v", o)
	}
}

func TestText(t *testing.T) {
	got, o := run(t, FormatText, "one\r\n\ntwo\x1b[2J\nthree")
	same(t, got, []string{"message | one", "message | two\x1b[2J", "message | three"})
	if o.Said != "three" {
		t.Errorf("said %q", o.Said)
	}
}

// A run that was resumed continues counting, and what a client tells of the whole session counts once.
func TestTotalsGoOnWhereTheProcessBeforeEnded(t *testing.T) {
	first := Outcome{Cost: 1, In: 1000, Out: 100, Turns: 2, Session: "s"}
	const (
		claude = `{"type":"result","subtype":"success","total_cost_usd":%v,"num_turns":1,"session_id":"%s","usage":{"input_tokens":10,"output_tokens":1}}`
		codex  = `{"type":"thread.started","thread_id":"%s"}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":%d,"output_tokens":%d}}`
	)
	for name, c := range map[string]struct{ format, lines string }{
		"claude, of the session":     {FormatClaude, fmt.Sprintf(claude, 1.5, "s")},
		"claude, of the process":     {FormatClaude, fmt.Sprintf(claude, 0.5, "s")},
		"claude, of another session": {FormatClaude, fmt.Sprintf(claude, 0.5, "other")},
		"codex":                      {FormatCodex, fmt.Sprintf(codex, "s", 1010, 101)},
		"codex, another session":     {FormatCodex, fmt.Sprintf(codex, "other", 10, 1)},
		"opencode":                   {FormatOpencode, `{"type":"step_finish","part":{"reason":"stop","cost":0.5,"tokens":{"input":10,"output":1}}}`},
	} {
		p := NewParser(c.format)
		p.Carry(&first)
		for line := range strings.Lines(c.lines) {
			p.Line([]byte(line), now)
		}
		cost := 1.5
		if c.format == FormatCodex { // tells none
			cost = 1
		}
		if o := p.Outcome(); o.Cost != cost || o.In != 1010 || o.Out != 101 || o.Turns != 3 {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("a", 3<<20)
	p := NewParser(FormatClaude)
	got := p.Line([]byte(`{"type":"user","message":{"content":[{"tool_use_id":"t1","type":"tool_result","is_error":false,"content":"`+long+`"}]}}`), now)
	if len(got) != 1 || got[0].Kind != runlog.KindTool || !got[0].Done || got[0].ID != "t1" || len(got[0].Text) > maxResult+100 {
		t.Fatalf("%d events, the first %s", len(got), told(got[0])[:100])
	}
	p = NewParser(FormatCodex)
	got = p.Line([]byte(long), now)
	if len(got) != 1 || got[0].Kind != runlog.KindRaw || len(got[0].Text) != MaxLine || got[0].Cut != 2<<20 {
		t.Errorf("%d bytes kept, %d cut", len(got[0].Text), got[0].Cut)
	}
	if line := got[0].Line(); len(line) > runlog.MaxLine {
		t.Errorf("a line of %d bytes", len(line))
	}
}

// JSON means the same whatever the order of its keys.
func TestTheOrderOfKeysDoesNotMatter(t *testing.T) {
	value := map[string]any{"type": "result", "subtype": "success", "is_error": false, "result": "ok", "session_id": "s", "total_cost_usd": .5, "num_turns": 2}
	var keys []string
	for k := range value {
		keys = append(keys, k)
	}
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		for _, k := range rapid.Permutation(keys).Draw(t, "keys") {
			v, _ := json.Marshal(value[k])
			parts = append(parts, fmt.Sprintf("%q:%s", k, v))
		}
		p := NewParser(FormatClaude)
		p.Line([]byte("{"+strings.Join(parts, ",")+"}"), now)
		if o := p.Outcome(); !o.Known || o.Cost != .5 || o.Session != "s" || o.Said != "ok" || o.Turns != 2 {
			t.Fatalf("%+v", o)
		}
	})
}

// Whatever a client prints, in whatever format, is events.
func FuzzParser(f *testing.F) {
	for _, s := range []string{
		claudeStart, `{"type":"item.completed","item":{"id":"1","type":"command_execution","command":"ls","exit_code":1e99}}`, `{"type":"turn.completed","usage":{"input_tokens":-5}}`,
		`{"type":"tool_use","part":{"tool":"edit","state":{"input":{"filePath":"/x"},"status":"completed"}}}`, `{"type":"step_finish","part":{"cost":-1,"tokens":{"input":1e300}}}`,
		"words\nand more", "", "\n", "{", "null", "[]", `{"type":5}`, `{"type":"result","usage":[],"errors":{},"permission_denials":[1,{}]}`,
		`{"type":"assistant","message":{"content":[5,{"type":"tool_use","input":[]}]}}`, strings.Repeat(`{"a":`, 100), "\xff\x1b]0;x\a\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, format := range Formats() {
			p := NewParser(format)
			events := printed(p, string(b))
			if len(events) > 64+len(b) {
				t.Errorf("%d events of %d bytes", len(events), len(b))
			}
			for _, e := range events {
				if e.Kind == "" || !e.At.Equal(now) || len(e.Text) > MaxLine {
					t.Errorf("%+v", e)
				}
				if _, err := runlog.Parse(e.Line()); err != nil {
					t.Error(err)
				}
			}
			o := p.Outcome()
			if why := o.Failed(0, ""); strings.Contains(why, "\n") || o.Cost < 0 || o.In < 0 || o.Out < 0 {
				t.Errorf("%q %+v", why, o)
			}
		}
	})
}
