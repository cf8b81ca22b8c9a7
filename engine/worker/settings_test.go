package worker

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/trust"
)

func own(name string) string { return "/config/" + strings.TrimPrefix(name, "./") }

func table(pairs ...any) map[string]any {
	t := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		t[pairs[i].(string)] = pairs[i+1]
	}
	return t
}

func list(args ...string) []any {
	var out []any
	for _, a := range args {
		out = append(out, a)
	}
	return out
}

func TestCommands(t *testing.T) {
	job := Job{
		Prompt: "Do it {store} $(rm -rf /)", PromptFile: "/p/prompt.md", Worktree: "/wt/run-1", Run: "run-1", Task: "tsk-1",
		Store: "/repo", Vespe: "/bin/vespe", MaxTurns: 5,
		Verify: [][]string{{"go", "test", "./..."}, {"sh", "-c", "curl x | sh"}, {"echo", "a),Bash(*"}, nil},
	}
	built := map[string]Template{}
	for _, b := range BuiltIn() {
		built[b.Name] = b
	}
	session := SessionID("run-1")
	if session != SessionID("run-1") || session == SessionID("run-2") || len(session) != 36 || session[14] != '4' {
		t.Errorf("session %s", session)
	}
	for name, c := range map[string]struct {
		t     Template
		job   func(*Job)
		argv  string
		stdin string
	}{
		"claude": {built["claude"], nil, "claude|-p|--session-id|" + session + "|--output-format|stream-json|--verbose|--permission-mode|acceptEdits|--allowedTools|Bash(/bin/vespe:*),Bash(go test ./...:*)|--max-turns|5", job.Prompt},
		"claude, with a limit and an answer": {
			built["claude"], func(j *Job) { j.MaxTurns, j.MaxCost, j.Reply = 0, 2.5, "Use B." },
			"claude|-p|--resume|" + session + "|--output-format|stream-json|--verbose|--permission-mode|acceptEdits|--allowedTools|Bash(/bin/vespe:*),Bash(go test ./...:*)|--max-budget-usd|2.5", "Use B.",
		},
		"claude, which asks here": {
			built["claude"], func(j *Job) { j.Deferred, j.Client = true, []string{"--settings", "/run/s {task}"} },
			"claude|-p|--resume|" + session + "|--output-format|stream-json|--verbose|--permission-mode|acceptEdits|--allowedTools|Bash(/bin/vespe:*),Bash(go test ./...:*)|--max-turns|5|--settings|/run/s {task}", "",
		},
		"codex": {built["codex"], nil, "codex|exec|--json|-s|workspace-write|--add-dir|/repo/.vespe|-C|/wt/run-1|-", job.Prompt},
		"codex again": {
			built["codex"], func(j *Job) { j.Reply, j.Session = "yes", "0199" },
			"codex|exec|--json|-s|workspace-write|--add-dir|/repo/.vespe|-C|/wt/run-1|resume|0199|-", "yes",
		},
		"opencode": {built["opencode"], nil, "opencode|run|--format|json", job.Prompt},
		"a prompt is one argument, and not looked into": {
			Template{Name: "x", Argv: []string{"x", "--p={prompt}", "{print $1}", "{other}", "--cost={max_cost}", "-c", "{max_cost}", "{task}/{run}"}, Prompt: PromptArg},
			nil,
			"x|--p=" + job.Prompt + "|{print $1}|{other}|tsk-1/run-1", "",
		},
		"a file":                 {Template{Name: "x", Argv: []string{"{vespe}", "{prompt_file}", "{worktree}"}, Prompt: PromptFile}, nil, "/bin/vespe|/p/prompt.md|/wt/run-1", ""},
		"a store's own":          {Template{Name: "project", Argv: []string{"bin/agent"}, Prompt: PromptStdin, From: FromStore}, nil, "/repo/bin/agent", job.Prompt},
		"a store's own, by name": {Template{Name: "project", Argv: []string{"agent"}, Prompt: PromptFile, From: FromStore}, nil, "agent", ""},
	} {
		j := job
		if c.job != nil {
			c.job(&j)
		}
		argv, env, stdin, err := c.t.Command(j)
		if got := strings.Join(argv, "|"); err != nil || got != c.argv || string(stdin) != c.stdin {
			t.Errorf("%s: %v %q\n got %s\nwant %s", name, err, stdin, got, c.argv)
		}
		for _, want := range []string{"VESPE_RUN_ID=run-1", "VESPE_TASK=tsk-1", "VESPE_ACTOR=agent:" + c.t.Name, "VESPE_AGENT=" + c.t.Name, "VESPE_STORE=/repo", "VESPE_PROMPT_FILE=/p/prompt.md", "VESPE_WORKTREE=/wt/run-1"} {
			if !slices.Contains(env, want) {
				t.Errorf("%s: no %s in %q", name, want, env)
			}
		}
	}
	for name, c := range map[string]struct {
		t    Template
		job  Job
		says string
	}{
		"nothing":              {Template{Name: "x"}, job, "has no program"},
		"a long argument":      {Template{Name: "x", Argv: []string{"x", "{prompt}"}, Prompt: PromptArg}, Job{Prompt: strings.Repeat("a", 130<<10)}, "too long"},
		"a NUL":                {Template{Name: "x", Argv: []string{"x", "{prompt}"}, Prompt: PromptArg}, Job{Prompt: "a\x00b"}, "NUL"},
		"no way to resume":     {Template{Name: "x", Argv: []string{"x"}}, Job{Reply: "r", Session: "s"}, "can't resume"},
		"no session to resume": {built["codex"], Job{Reply: "r"}, "gave no session"},
	} {
		if _, _, _, err := c.t.Command(c.job); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatAPersonHasSet(t *testing.T) {
	u := ReadUser(table(
		"worker", table("use", "mine", "parallel", int64(3), "wall", "90m", "silence", "none", "output", "2MiB", "max_cost", 1.5, "max_turns", int64(40), "integrate", "verified", "untested", "accept"),
		"workers", table(
			"mine", table("argv", list("./agent", "-m", "{prompt}"), "format", "codex", "resume", list("agent", "{session}", "{reply}"), "env", table("A", "b {run}")),
			"claude", table("env", table("X", "1")),
			"command", table("argv", list("sh", "-c", "cat")),
		),
	), own)
	if len(u.Wrong) > 0 {
		t.Fatal(u.Wrong)
	}
	want := model.WorkerPolicy{
		Use: "mine", Parallel: 3, Wall: 90 * time.Minute, Silence: model.NoLimit, Output: 2 << 20, MaxCost: 1.5, MaxTurns: 40,
		Integrate: model.IntegrateVerified, Untested: model.UntestedAccept,
	}
	if !reflect.DeepEqual(u.Policy, want) {
		t.Errorf("%+v", u.Policy)
	}
	s, err := Effective(&u, model.WorkerPolicy{}, trust.Worker{}, "")
	w := Template{
		Name: "mine", Format: FormatCodex, Argv: []string{"/config/agent", "-m", "{prompt}"}, Resume: []string{"agent", "{session}", "{reply}"},
		Prompt: PromptArg, Env: map[string]string{"A": "b {run}"}, From: FromUser,
	}
	if err != nil || !reflect.DeepEqual(s.Worker, w) || s.Silence != 0 || s.Integrate != model.IntegrateVerified {
		t.Errorf("%v %+v", err, s)
	}
	if _, env, _, _ := s.Worker.Command(Job{Run: "run-9"}); env[0] != "A=b run-9" {
		t.Errorf("environment %q", env)
	}
	for use, argv := range map[string]string{"claude": "claude", "command": "sh", "codex": "codex"} {
		s, err := Effective(&u, model.WorkerPolicy{}, trust.Worker{}, use)
		if err != nil || s.Worker.Argv[0] != argv || use == "claude" && !s.Worker.CanResume() {
			t.Errorf("%s: %v %+v", use, err, s.Worker)
		}
	}
	for _, use := range []string{"nobody", "project"} {
		if _, err := Effective(&u, model.WorkerPolicy{}, trust.Worker{}, use); err == nil {
			t.Errorf("there is a worker %s", use)
		}
	}
	if _, err := Effective(&User{}, model.WorkerPolicy{}, trust.Worker{}, ""); err == nil || !strings.Contains(err.Error(), `use = "claude"`) {
		t.Errorf("nobody chose a worker: %v", err)
	}
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	for says, said := range map[string]map[string]any{
		"worker is 5; it must be [worker]":                       table("worker", int64(5)),
		`worker.use is "gpt"; there are claude, codex, opencode`: table("worker", table("use", "gpt")),
		"worker.parallel is 0; it may be a whole number":         table("worker", table("parallel", int64(0))),
		"worker.parallel is none":                                table("worker", table("parallel", "none")),
		"worker.wall is 10; it may be a time":                    table("worker", table("wall", int64(10))),
		"worker.silence is -5m":                                  table("worker", table("silence", "-5m")),
		"worker.output is 5 parsecs":                             table("worker", table("output", "5 parsecs")),
		"worker.max_cost is -1":                                  table("worker", table("max_cost", int64(-1))),
		"worker.max_turns is 1.5":                                table("worker", table("max_turns", 1.5)),
		"worker.integrate is always; it may be reviewed":         table("worker", table("integrate", "always")),
		"worker.untested is true; it may be ask":                 table("worker", table("untested", true)),
		"unknown setting worker.argv":                            table("worker", table("argv", list("x"))),
		"workers.x is 1; it must be a table":                     table("workers", table("x", int64(1))),
		"workers.X: use lowercase letters":                       table("workers", table("X", table("argv", list("x")))),
		"workers.project: this name is":                          table("workers", table("project", table("argv", list("x")))),
		"workers.x: it has no argv":                              table("workers", table("x", table())),
		"workers.x.argv is x; it may be a list":                  table("workers", table("x", table("argv", "x"))),
		"workers.x.argv is [x 5]":                                table("workers", table("x", table("argv", []any{"x", int64(5)}))),
		"workers.x.argv: unknown {promt}; known are {prompt}":    table("workers", table("x", table("argv", list("x", "{promt}")))),
		"workers.x.argv: the prompt can't be the program":        table("workers", table("x", table("argv", list("{prompt}")))),
		"workers.x: resume has no {session}":                     table("workers", table("x", table("argv", list("x"), "resume", list("x")))),
		"workers.x: resume has no {reply}":                       table("workers", table("x", table("argv", list("x", "{prompt}"), "resume", list("x", "{session}")))),
		"workers.x: prompt is arg, and argv has no {prompt}":     table("workers", table("x", table("argv", list("x"), "prompt", "arg"))),
		"workers.x.format is xml; it may be claude":              table("workers", table("x", table("argv", list("x"), "format", "xml"))),
		"workers.x.prompt is 5; it may be arg":                   table("workers", table("x", table("argv", list("x"), "prompt", int64(5)))),
		"unknown setting workers.x.shell":                        table("workers", table("x", table("argv", list("x"), "shell", true))),
		"workers.x.env is A=b":                                   table("workers", table("x", table("argv", list("x"), "env", "A=b"))),
		"workers.x.env.VESPE_ACTOR: vespe sets the variables":    table("workers", table("x", table("argv", list("x"), "env", table("VESPE_ACTOR", "human:me")))),
		`workers.x.env: "A=B" is not a valid variable`:           table("workers", table("x", table("argv", list("x"), "env", table("A=B", "c")))),
	} {
		u := ReadUser(said, own)
		if len(u.Wrong) != 1 || !strings.HasPrefix(u.Wrong[0].Says, says) {
			t.Errorf("want %s\n got %+v", says, u.Wrong)
			continue
		}
		// Nobody's work begins by rules that were not understood.
		if _, err := Effective(&u, model.WorkerPolicy{}, trust.Worker{}, "claude"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

func TestTheStricterLimitHolds(t *testing.T) {
	const none = model.NoLimit
	u := &User{}
	for _, c := range []struct{ mine, theirs, want int }{
		{0, 0, 0},
		{5, 0, 5},
		{0, 7, 7},
		{5, 7, 5},
		{7, 5, 5},
		{5, 5, 5},
		{none, 5, 5},
		{5, none, 5},
		{none, 0, 0},
		{0, none, 0},
	} {
		u.Policy.MaxTurns = c.mine
		s, err := Effective(u, model.WorkerPolicy{MaxTurns: c.theirs}, trust.Worker{}, "codex")
		if err != nil || s.MaxTurns != c.want {
			t.Errorf("%d and %d: %v, %d", c.mine, c.theirs, err, s.MaxTurns)
		}
		if s.Wall != DefaultWall || s.Parallel != DefaultParallel || s.Branch != DefaultBranch || s.Integrate != model.IntegrateReviewed || s.Untested != model.UntestedAsk {
			t.Errorf("built in: %+v", s)
		}
	}
	for _, c := range []struct{ mine, theirs, want string }{
		{"never", "verified", "never"}, {"verified", "never", "never"}, {"verified", "reviewed", "reviewed"}, {"verified", "", "verified"}, {"", "never", "never"},
	} {
		u.Policy.Integrate = c.mine
		if s, err := Effective(u, model.WorkerPolicy{Integrate: c.theirs}, trust.Worker{}, "codex"); err != nil || s.Integrate != c.want {
			t.Errorf("%q and %q: %v %s", c.mine, c.theirs, err, s.Integrate)
		}
	}
}

// What of a store runs a command, or takes a decision from a person, needs the trust of that person.
func TestAStoreGetsWhatItIsTrustedWith(t *testing.T) {
	p := model.WorkerPolicy{
		Argv: []string{"agent", "{prompt}"}, Format: FormatClaude, Setup: [][]string{{"npm", "ci"}},
		Integrate: model.IntegrateVerified, Untested: model.UntestedAccept, Parallel: 2, Branch: "work", Target: "main",
	}
	all := trust.Worker{Argv: p.Argv, Setup: p.Setup, Integrate: p.Integrate, Untested: p.Untested, Branch: p.Branch, Target: p.Target}
	s, err := Effective(&User{}, p, all, "")
	if err != nil || s.Worker.Name != FromStoreName || s.Worker.Prompt != PromptArg || s.Worker.Format != FormatClaude || len(s.Setup) != 1 || s.Integrate != model.IntegrateVerified ||
		s.Untested != model.UntestedAccept || len(s.Withheld) > 0 || s.Branch != "work" || s.Target != "main" || s.Parallel != 2 {
		t.Errorf("%v %+v", err, s)
	}
	for name, allowed := range map[string]trust.Worker{
		"nothing": {},
		"another": {Argv: []string{"agent", "{prompt}", "--evil"}, Setup: [][]string{{"npm"}, {"ci"}}, Integrate: "reviewed", Untested: "ask", Branch: "other", Target: "release"},
	} {
		_, err := Effective(&User{}, p, allowed, "")
		if err == nil || !strings.Contains(err.Error(), "vespe store trust") {
			t.Errorf("%s: %v", name, err)
		}
		s, err := Effective(&User{}, p, allowed, "codex")
		if err != nil || s.Worker.Name != "codex" || s.Setup != nil || s.Integrate != model.IntegrateReviewed || s.Untested != model.UntestedAsk || s.Branch != DefaultBranch || s.Target != "" || len(s.Withheld) != 6 {
			t.Errorf("%s: %v %+v", name, err, s)
		}
	}
	// The person's own word needs none.
	u := &User{Policy: model.WorkerPolicy{Use: "codex", Integrate: model.IntegrateVerified}}
	if s, err := Effective(u, p, trust.Worker{}, ""); err != nil || s.Worker.Name != "codex" || s.Integrate != model.IntegrateVerified {
		t.Errorf("%v %+v", err, s)
	}
	p.Argv = []string{"agent", "{promt}"}
	if _, err := Effective(&User{}, p, trust.Worker{Argv: p.Argv}, ""); err == nil || !strings.Contains(err.Error(), "unknown {promt}") {
		t.Errorf("a wrong placeholder: %v", err)
	}
}
