package worker

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"vespe/internal/lazyregexp"
)

// The ways of a prompt to a worker.
const (
	PromptArg   = "arg"   // as an argument, where {prompt} stands
	PromptStdin = "stdin" // on its standard input
	PromptFile  = "file"  // in the file {prompt_file}, which VESPE_PROMPT_FILE names as well
)

// Template says how a worker is started: an argv list, never a line for a shell. The first argument is
// the program. In every argument, and in every value of Env, these stand for what a Job has:
//
//	{prompt} {prompt_file} {worktree} {session} {run} {task} {store} {vespe} {tools} {max_cost} {max_turns} {reply}
//
// and an argument that is {client} and nothing else for those by which the worker's client asks people here.
//
// An argument with {max_cost} or {max_turns} falls away where there is no such limit, and with one that
// is nothing else the option before it. Anything else in braces is left as it is.
type Template struct {
	Name   string
	Format string // one of Formats
	Argv   []string
	// Resume continues with the session {session}; the person's answer takes the prompt's way, and is
	// {reply} as well. nil: the worker cannot be resumed.
	Resume []string
	Prompt string            // PromptArg, PromptStdin or PromptFile
	Env    map[string]string // besides its environment
	From   string            // who says so: FromBuiltIn, FromUser or FromStore
}

// Job is what a worker is started for.
type Job struct {
	Prompt     string
	PromptFile string // absolute, in which the prompt stands
	Worktree   string // absolute
	Session    string // of a client that is to be resumed, or whose session gets a name; see SessionID
	Run, Task  string
	Store      string // root of the store, absolute
	Vespe      string // this program
	// Verify are the commands by which the work is verified: a worker may run them without being asked,
	// as vespe runs them afterwards.
	Verify   [][]string
	MaxCost  float64
	MaxTurns int
	Reply    string // what to continue with; "" unless the session is resumed
	// Deferred says that the session is resumed for the sake of a call that its client put off, which it makes
	// again by itself; Reply may be "" then.
	Deferred bool
	Client   []string // arguments by which the worker's client asks people here
}

// maxArg is how long one argument may be, in bytes: Linux takes 128 KiB.
const maxArg = 120 << 10

// placeholders are the words that stand for what a job has.
var placeholders = []string{"prompt", "prompt_file", "worktree", "session", "run", "task", "store", "vespe", "tools", "max_cost", "max_turns", "reply", clientWord}

// clientWord stands for several arguments.
const clientWord = "client"

var placeholder = lazyregexp.New(`\{[a-z_]+\}`)

// values are what the placeholders stand for.
func (j *Job) values() map[string]string {
	v := map[string]string{
		"prompt": j.Prompt, "prompt_file": j.PromptFile, "worktree": j.Worktree, "session": j.Session, "run": j.Run, "task": j.Task,
		"store": j.Store, "vespe": j.Vespe, "reply": j.Reply, "tools": j.tools(), "max_cost": "", "max_turns": "",
	}
	if j.MaxCost > 0 {
		v["max_cost"] = strconv.FormatFloat(j.MaxCost, 'f', -1, 64)
	}
	if j.MaxTurns > 0 {
		v["max_turns"] = strconv.Itoa(j.MaxTurns)
	}
	return v
}

// tools are what a worker may run without being asked, as Claude Code's --allowedTools takes it: vespe,
// and the commands by which the work is verified. One that this form cannot hold is left out.
func (j *Job) tools() string {
	list := []string{"Bash(" + j.Vespe + ":*)"}
	for _, argv := range j.Verify {
		if plain := strings.Join(argv, " "); plain != "" && !strings.ContainsFunc(plain, func(r rune) bool {
			return r < ' ' || strings.ContainsRune(",()*:;&|<>$`\"'\\{}#!~?[]", r)
		}) {
			list = append(list, "Bash("+plain+":*)")
		}
	}
	return strings.Join(list, ",")
}

// Command is what starts the worker: its argv, what its environment has besides (KEY=VALUE), and what
// it reads on its standard input. With a reply in the job the session is resumed.
func (t *Template) Command(j Job) (argv, env []string, stdin []byte, err error) {
	from, text := t.Argv, j.Prompt
	named := strings.Contains(strings.Join(t.Argv, " "), "{session}")
	if j.Session == "" && named {
		j.Session = SessionID(j.Run)
	}
	if j.Reply != "" || j.Deferred {
		from, text = t.Resume, j.Reply
		switch {
		case !t.CanResume():
			return nil, nil, nil, fmt.Errorf("the worker %s can't resume a session", t.Name)
		case j.Session == "":
			return nil, nil, nil, fmt.Errorf("the worker %s gave no session to resume", t.Name)
		}
	}
	values := j.values()
	argv = fill(from, values, j.Client)
	if len(argv) == 0 || argv[0] == "" {
		return nil, nil, nil, fmt.Errorf("the worker %s has no program", t.Name)
	}
	if t.From == FromStore && strings.Contains(argv[0], "/") && !path.IsAbs(argv[0]) {
		argv[0] = path.Join(j.Store, argv[0]) // not one of the worktree, which workers write
	}
	for _, arg := range argv {
		switch {
		case len(arg) > maxArg:
			return nil, nil, nil, fmt.Errorf("the prompt is too long for an argument of %s (%d KiB): set prompt = \"stdin\" or \"file\"", t.Name, len(arg)>>10)
		case strings.ContainsRune(arg, 0):
			return nil, nil, nil, fmt.Errorf("an argument of the worker %s contains a NUL byte", t.Name)
		}
	}
	if t.Prompt == PromptStdin {
		stdin = []byte(text)
	}
	return argv, t.environ(&j, values), stdin, nil
}

// environ is what a worker's environment has besides that of vespe: the template's, and what tells
// vespe itself, wherever below it is called, whom it serves.
func (t *Template) environ(j *Job, values map[string]string) []string {
	var env []string
	for _, key := range slices.Sorted(maps.Keys(t.Env)) {
		env = append(env, key+"="+replace(t.Env[key], values))
	}
	return append(env, "VESPE_RUN_ID="+j.Run, "VESPE_TASK="+j.Task, "VESPE_ACTOR="+t.Actor(), "VESPE_AGENT="+t.Name,
		"VESPE_STORE="+j.Store, "VESPE_PROMPT_FILE="+j.PromptFile, "VESPE_WORKTREE="+j.Worktree)
}

// Actor is who the worker acts as.
func (t *Template) Actor() string { return "agent:" + t.Name }

// CanResume reports whether the worker can continue with a session.
func (t *Template) CanResume() bool { return len(t.Resume) > 0 }

// fill puts what a job has into an argv.
func fill(argv []string, values map[string]string, client []string) []string {
	var out []string
	for i, arg := range argv {
		if arg == "{"+clientWord+"}" {
			out = append(out, client...)
			continue
		}
		if !lacks(arg, values) {
			out = append(out, replace(arg, values))
			continue
		}
		alone := placeholder.Get().FindString(arg) == arg
		if alone && i > 0 && strings.HasPrefix(argv[i-1], "-") && !lacks(argv[i-1], values) {
			out = out[:len(out)-1]
		}
	}
	return out
}

// lacks reports that an argument names a limit that there is none of.
func lacks(arg string, values map[string]string) bool {
	return strings.Contains(arg, "{max_cost}") && values["max_cost"] == "" || strings.Contains(arg, "{max_turns}") && values["max_turns"] == ""
}

// replace puts in values; what they hold is not looked at again.
func replace(arg string, values map[string]string) string {
	return placeholder.Get().ReplaceAllStringFunc(arg, func(m string) string {
		if v, ok := values[m[1:len(m)-1]]; ok {
			return v
		}
		return m
	})
}

// SessionID is the name that the session of a run gets where a client lets its caller choose one: a UUID
// that follows from the run's id, so that it is known whatever became of who started the run.
func SessionID(run string) string {
	if run == "" {
		return ""
	}
	h := sha256.Sum256([]byte("vespe session " + run))
	b := h[:16]
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// BuiltIn are the workers that vespe knows. What they may do without being asked is little: anyone who
// wants more sets the argv of their own.
func BuiltIn() []Template {
	claude := []string{"--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits", "--allowedTools", "{tools}", "--max-turns", "{max_turns}", "--max-budget-usd", "{max_cost}", "{client}"}
	// Its sandbox would keep it from writing to the store, which lies outside of the worktree.
	codex := []string{"codex", "exec", "--json", "-s", "workspace-write", "--add-dir", "{store}/.vespe", "{client}"}
	list := []Template{
		{
			Name: "claude", Format: FormatClaude, Prompt: PromptStdin,
			Argv:   append([]string{"claude", "-p", "--session-id", "{session}"}, claude...),
			Resume: append([]string{"claude", "-p", "--resume", "{session}"}, claude...),
		},
		{
			Name: "codex", Format: FormatCodex, Prompt: PromptStdin,
			Argv:   append(slices.Clone(codex), "-C", "{worktree}", "-"),
			Resume: append(slices.Clone(codex), "-C", "{worktree}", "resume", "{session}", "-"),
		},
		{
			Name: "opencode", Format: FormatOpencode, Prompt: PromptStdin,
			Argv:   []string{"opencode", "run", "--format", "json"},
			Resume: []string{"opencode", "run", "--format", "json", "--session", "{session}"},
		},
		{Name: "command", Format: FormatText, Prompt: PromptStdin},
	}
	for i := range list {
		list[i].From = FromBuiltIn
	}
	return list
}
