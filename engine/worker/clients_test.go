//go:build unix

package worker

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vespe/model/runlog"
)

// client is a program that takes what its name is called with, keeps it, and prints what a client of that
// name does.
const client = `#!/bin/sh
printf '%s\n' "$@" > "$KEEP/argv"
cat > "$KEEP/stdin"
env > "$KEEP/env"
touch a.go
cat "$KEEP/stream"
test -z "$SIGNAL" || kill -"$SIGNAL" $$
exit "$CODE"
`

// streams are what clients print that did their work, and what ends a stream that is a failure.
var streams = map[string]struct{ done, failed string }{
	"claude": {
		claudeStart + `{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"a.go","content":""}}],"usage":{"input_tokens":9,"output_tokens":4}},"session_id":"SID"}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"File created successfully"}]},"session_id":"SID"}
{"is_error":false,"result":"Wrote a.go.","total_cost_usd":0.02,"type":"result","subtype":"success","session_id":"SID","num_turns":2,"terminal_reason":"completed","permission_denials":[]}
`,
		`{"type":"result","subtype":"error_max_budget_usd","is_error":true,"session_id":"SID"}`,
	},
	"codex": {
		`{"type":"thread.started","thread_id":"SID"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"file_change","changes":[{"path":"a.go","kind":"add"}],"status":"completed"}}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Wrote a.go."}}
{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":4}}
`,
		`{"type":"turn.failed","error":{"message":"usage limit reached"}}`,
	},
	"opencode": {
		`{"type":"step_start","sessionID":"SID","part":{"type":"step-start"}}
{"type":"tool_use","sessionID":"SID","part":{"type":"tool","callID":"c1","tool":"write","state":{"status":"completed","input":{"filePath":"a.go","content":""},"output":"ok"}}}
{"type":"text","sessionID":"SID","part":{"type":"text","text":"Wrote a.go."}}
{"type":"step_finish","sessionID":"SID","part":{"type":"step-finish","reason":"stop","cost":0.02,"tokens":{"input":9,"output":4,"reasoning":0,"cache":{"read":0,"write":0}}}}
`,
		`{"type":"error","sessionID":"SID","error":{"name":"APIError","data":{"message":"Rate limit exceeded"}}}`,
	},
}

// Each built-in worker is started as its client is called, and understood by what it prints.
func TestBuiltInWorkers(t *testing.T) {
	for _, tpl := range BuiltIn() {
		stream, ok := streams[tpl.Name]
		if !ok {
			continue // command has no argv of its own
		}
		for name, c := range map[string]struct {
			stream string
			code   string
			signal string
			done   bool
		}{
			"done":                 {stream.done, "0", "", true},
			"done, with a failure": {stream.done, "1", "", false},
			"failed":               {stream.failed, "0", "", false},
			"ended":                {strings.SplitAfter(stream.done, "\n")[0], "0", "TERM", false},
			"silent":               {"", "0", "", false},
		} {
			t.Run(tpl.Name+" "+name, func(t *testing.T) {
				keep, work := t.TempDir(), t.TempDir()
				write(t, filepath.Join(keep, tpl.Name), client, 0o755)
				write(t, filepath.Join(keep, "stream"), c.stream, 0o600)
				run := "run-" + filepath.Base(filepath.Dir(keep)) // no other's: a run is ended by its name, wherever it was started
				job := Job{Prompt: "Write a.go.\n", PromptFile: keep + "/prompt.md", Worktree: work, Run: run, Task: "tsk-1", Store: "/repo", Vespe: "vespe"}
				out, code, signal := start(t, &tpl, job, keep, work, "CODE="+c.code, "SIGNAL="+c.signal)
				p := NewParser(tpl.Format)
				p.Dir = work
				events := printed(p, string(out))
				o := p.Outcome()
				if why := o.Failed(code, signal); (why == "") != c.done {
					t.Errorf("%q after %d %s\n%+v", why, code, signal, o)
				}
				if b, err := os.ReadFile(filepath.Join(keep, "stdin")); err != nil || string(b) != job.Prompt {
					t.Errorf("it was told %q, %v", b, err)
				}
				if name != "done" {
					return
				}
				if o.Said != "Wrote a.go." || o.Session != "SID" || o.In == 0 || o.Out == 0 || !slices.ContainsFunc(events, func(e runlog.Event) bool { return e.Kind == runlog.KindEdit && e.Path == "a.go" }) {
					t.Errorf("%+v\n%+v", o, events)
				}
				// The same session continues with the answer.
				job.Session, job.Reply = o.Session, "Yes.\n"
				start(t, &tpl, job, keep, work, "CODE=0", "SIGNAL=")
				argv, err := os.ReadFile(filepath.Join(keep, "argv"))
				if told, _ := os.ReadFile(filepath.Join(keep, "stdin")); err != nil || string(told) != "Yes.\n" || !strings.Contains(string(argv), "\nSID\n") {
					t.Errorf("%v, told %q, called with %q", err, told, argv)
				}
				env, _ := os.ReadFile(filepath.Join(keep, "env"))
				if !bytes.Contains(env, []byte("VESPE_ACTOR=agent:"+tpl.Name+"\n")) {
					t.Errorf("its environment is %s", env)
				}
			})
		}
	}
}

func write(t *testing.T, path, body string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(body), mode); err != nil {
		t.Fatal(err)
	}
}

// start runs a worker whose program lies in keep, and answers with what it printed and how it ended.
func start(t *testing.T, tpl *Template, job Job, keep, dir string, env ...string) (out []byte, code int, signal string) {
	t.Helper()
	argv, own, stdin, err := tpl.Command(job)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(keep, argv[0]), argv[1:]...) //nolint:gosec // ours
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	cmd.Env = append(append(os.Environ(), "KEEP="+keep), append(own, env...)...)
	out, err = cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if code = cmd.ProcessState.ExitCode(); code < 0 {
		signal = "SIGTERM"
	}
	return out, code, signal
}
