package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Worker is the scripted worker of the live demo. It does what a coding agent does, as vespe sees it: it reads a
// prompt, works in a worktree, runs commands, asks, and says all of it as a client does. It knows the tasks of the
// demo, and no others.
type Worker struct {
	Prompt []byte
	Dir    string // the worktree
	Vespe  string // the program
	Task   string // its uid
	Out    io.Writer
	Pace   float64 // of its pauses: 1 is that of a person, 0 is none
	// Wait pauses; Exec runs a command in the worktree and returns what it prints and its exit code.
	Wait func(context.Context, time.Duration)
	Exec func(ctx context.Context, argv []string) (out string, code int, err error)

	name    string
	said    int // bytes
	calls   int
	failure error
}

// ruleQuestion is what the worker asks about rules, with what may be chosen.
const (
	ruleQuestion = "Two rules match one payee: which one wins?"
	firstRule    = "the first in the file"
	longestRule  = "the longest pattern"
	ruleDetail   = `With these two lines, where does "Corner Bookshop" go?

    Corner* = Expenses:Food
    Corner Bookshop = Expenses:Books

- **the first in the file**: to Food. The order of the file decides, and is visible there.
- **the longest pattern**: to Books. The exact rule counts wherever it stands, and lines may be sorted.

Nothing is written yet; either takes a minute.
`
)

// script is what is done for a task, by its name, in a line each: say TEXT, read FILE, put WORK, try COMMAND. The first
// attempt may be another than those after it.
func (w *Worker) script() []string {
	all, err := live.ReadFile("live/scripts.txt")
	if err != nil {
		w.failure = err
	}
	for _, head := range []string{fmt.Sprintf("%s, attempt 1", w.name), w.name} {
		_, rest, ok := strings.Cut(string(all), "# "+head+"\n")
		if ok && (head == w.name || w.attempt(1)) {
			text, _, _ := strings.Cut(rest, "\n\n")
			return strings.Split(strings.TrimSpace(text), "\n")
		}
	}
	return nil
}

func (w *Worker) follow(ctx context.Context, script []string) {
	for _, line := range script {
		switch do, what, _ := strings.Cut(line, " "); do {
		case "say":
			w.say(ctx, what)
		case "read":
			w.read(ctx, what)
		case "put":
			w.put(ctx, what)
		case "try":
			w.try(ctx, strings.Fields(what)...)
		}
	}
}

// mapRules asks first, and does as it is told.
func mapRules(ctx context.Context, w *Worker) {
	which := "rules-first"
	switch told := w.section("Decisions"); {
	case !strings.Contains(told, ruleQuestion):
		w.say(ctx, "The objective does not say which rule wins where two match. That is not for me to choose.")
		w.shell(ctx, shellLine([]string{w.Vespe, "request", "ask", w.Task, "--title", ruleQuestion, "--options", firstRule + "," + longestRule, "--detail", "-"})+" <<'EOF'\n"+ruleDetail+"EOF")
		w.say(ctx, "I asked, and stop until somebody has answered.")
		return
	case strings.Contains(told, longestRule):
		which = "rules-longest"
		w.say(ctx, "The longest pattern wins, then.")
	default:
		w.say(ctx, "The first in the file wins, then.")
	}
	w.put(ctx, which)
	w.try(ctx, "sh", "test/rules_test.sh")
	w.try(ctx, "make", "test")
	w.say(ctx, "`ledgerline rules` maps a payee as you decided; the test says so, too.")
}

// Work does a task. Its error is for anyone who called it without a run of the demo.
func (w *Worker) Work(ctx context.Context) error {
	readme, err := os.ReadFile(filepath.Join(w.Dir, "README.md"))
	seed, serr := live.ReadFile(projectDir + "/README.md")
	if err != nil || serr != nil || !bytes.Equal(readme, seed) {
		return fmt.Errorf("this isn't a worktree of `vespe demo --live`, and the scripted worker runs only there")
	}
	head, _, _ := strings.Cut(string(w.Prompt), "\n")
	w.name = strings.TrimPrefix(head, "# ")
	w.line(object{"type": "system", "subtype": "init", "session_id": "demo-" + w.Task, "cwd": w.Dir, "model": "none: a script, and its cost is made up"})
	script := w.script()
	switch {
	case w.name == "Map payees to accounts by rules":
		mapRules(ctx, w)
	case script == nil:
		w.end("The script of the demo knows only the tasks that came with it. For other tasks, set your own [worker] in config.toml.")
		return w.failure
	default:
		w.follow(ctx, script)
	}
	w.end("")
	return w.failure
}

type object = map[string]any

// line prints one line as a client does.
func (w *Worker) line(o object) {
	b, err := json.Marshal(o, json.Deterministic(true))
	if err == nil {
		_, err = w.Out.Write(append(b, '\n'))
	}
	if err != nil && w.failure == nil {
		w.failure = err
	}
}

func (w *Worker) assistant(block object) {
	w.calls++
	w.line(object{"type": "assistant", "message": object{
		"id": fmt.Sprintf("msg-%d", w.calls), "content": []any{block}, "usage": object{"input_tokens": w.tokens(), "output_tokens": w.said / bytesPerToken},
	}})
	w.said = 0
}

// What the made-up cost is made of.
const (
	bytesPerToken = 4
	inPrice       = 3e-6 // US dollars a token
)

// tokens are what a model would be given each time.
func (w *Worker) tokens() int { return len(w.Prompt) / bytesPerToken }

// pause waits as long as somebody would need who writes n bytes.
func (w *Worker) pause(ctx context.Context, n int) {
	w.said += n
	d := 600*time.Millisecond + time.Duration(min(n, 800))*4*time.Millisecond
	w.Wait(ctx, time.Duration(float64(d)*w.Pace))
}

func (w *Worker) say(ctx context.Context, text string) {
	w.pause(ctx, len(text))
	w.assistant(object{"type": "text", "text": text})
}

// call tells of a call of a tool, does it and tells of what it gave.
func (w *Worker) call(ctx context.Context, tool string, in object, wait int, do func() (out string, failed bool)) {
	w.pause(ctx, wait)
	id := fmt.Sprintf("call-%d", w.calls)
	w.assistant(object{"type": "tool_use", "id": id, "name": tool, "input": in})
	w.Wait(ctx, time.Duration(w.Pace*float64(500*time.Millisecond)))
	out, failed := do()
	w.line(object{"type": "user", "message": object{"content": []any{object{"type": "tool_result", "tool_use_id": id, "content": out, "is_error": failed}}}})
}

func (w *Worker) read(ctx context.Context, name string) {
	w.call(ctx, "Read", object{"file_path": filepath.Join(w.Dir, name)}, 100, func() (string, bool) {
		b, err := os.ReadFile(filepath.Join(w.Dir, name))
		if err != nil {
			return err.Error(), true
		}
		return string(b), false
	})
}

// put writes what a piece of work consists of, file by file. Where all of it is there already, the work was sent
// back: what a script has to offer then is a note.
func (w *Worker) put(ctx context.Context, work string) {
	changed := false
	err := write(workDir+"/"+work, w.Dir, func(name string, body []byte) error {
		to := filepath.Join(w.Dir, filepath.FromSlash(name))
		if was, err := os.ReadFile(to); err == nil && bytes.Equal(was, body) {
			return nil
		}
		changed = true
		w.call(ctx, "Write", object{"file_path": to, "content": string(body)}, len(body), func() (string, bool) { return "written", false })
		return nil
	})
	if err == nil && !changed {
		w.say(ctx, "This was sent back, and a script has nothing better to offer: an agent would do what you said. I leave a note.")
		err = os.WriteFile(filepath.Join(w.Dir, "NOTES.md"), []byte("Sent back by a person: "+w.name+"\n\n"+w.section("Rejected before")), 0o644)
	}
	if err != nil && w.failure == nil {
		w.failure = err
	}
}

// try runs a command in the worktree.
func (w *Worker) try(ctx context.Context, argv ...string) {
	w.command(ctx, shellLine(argv), argv)
}

// shell runs a line of a shell.
func (w *Worker) shell(ctx context.Context, line string) {
	w.command(ctx, line, []string{"sh", "-c", line})
}

func (w *Worker) command(ctx context.Context, line string, argv []string) {
	w.call(ctx, "Bash", object{"command": line}, 120, func() (string, bool) {
		out, code, err := w.Exec(ctx, argv)
		switch {
		case err != nil:
			return err.Error(), true
		case code != 0:
			return fmt.Sprintf("Exit code %d\n%s", code, out), true
		}
		return out, false
	})
}

// shellLine is a command as somebody would type it.
func shellLine(argv []string) string {
	out := make([]string, len(argv))
	for i, arg := range argv {
		out[i] = arg
		if strings.ContainsAny(arg, " ,:?'") {
			out[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// end is the last line; why says what the worker could not do.
func (w *Worker) end(why string) {
	o := object{
		"type": "result", "subtype": "success", "is_error": why != "", "num_turns": w.calls, "result": why,
		"total_cost_usd": float64(w.calls*w.tokens()) * inPrice,
	}
	w.line(o)
}

// attempt reports whether this is attempt n.
func (w *Worker) attempt(n int) bool {
	return bytes.Contains(w.Prompt, fmt.Appendf(nil, ", attempt %d of ", n))
}

// section is the text below a heading of the prompt.
func (w *Worker) section(heading string) string {
	_, rest, _ := strings.Cut(string(w.Prompt), "\n## "+heading+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	return strings.TrimSpace(text)
}
