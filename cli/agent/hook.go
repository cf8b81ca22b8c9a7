package agent

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/agents/hook"
	"vespe/agents/prime"
	"vespe/cli/core"
	"vespe/model"
	"vespe/model/guidelines"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) hookVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "hook CLIENT EVENT", Short: "Handle a hook event of an agent client",
		Long: "Handle an event of Claude Code (claude-code) or Codex (codex). `vespe install` makes the client\n" +
			"run this with the event as JSON on standard input; the answer goes to standard output.\n\n" +
			"A plan becomes a revision of a task's plan and needs a review. A question becomes a request, and\n" +
			"so does a call that matches the gate (vespe agent gate). Without a store the answer is {}, and the\n" +
			"client works as it would without vespe. Even after an error, the exit code is 0 and there is an\n" +
			"answer: clients ignore a hook that fails.",
		Example: "  vespe agent hook claude-code PreToolUse < event.json",
		GroupID: "agent", Args: cobra.ArbitraryArgs, DisableFlagParsing: true,
		ValidArgs: []string{hook.ClaudeCode, hook.Codex},
	}
	// A flag that is wrong, or an actor that is none, must not keep the hook from answering.
	c.PersistentPreRunE = func(*cobra.Command, []string) error { return nil }
	c.RunE = func(cmd *cobra.Command, args []string) error {
		var words []string
		for _, arg := range args {
			if arg == "-h" || arg == "--help" {
				return cmd.Help()
			}
			if !strings.HasPrefix(arg, "-") {
				words = append(words, arg)
			}
		}
		// Flags of all verbs, and their values, come before the client.
		words = words[max(0, slices.IndexFunc(words, func(w string) bool { return w == hook.ClaudeCode || w == hook.Codex })):]
		words = append(words, "", "")
		a.Hooked = true
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGHUP)
		defer stop()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		stopped := make(chan os.Signal, 1)
		signal.Notify(stopped, syscall.SIGTERM)
		defer signal.Stop(stopped)
		go func() {
			select {
			case <-stopped:
				cancel(hook.ErrStopped)
			case <-ctx.Done():
			}
		}()
		if a.StdoutClosed != nil {
			gone := a.StdoutClosed()
			go func() {
				select {
				case <-gone:
					cancel(hook.ErrGone)
				case <-ctx.Done():
				}
			}()
		}
		return hook.Run(ctx, a.hookDeps(), words[0], words[1])
	}
	return c
}

func (a *app) hookDeps() hook.Deps {
	return hook.Deps{
		Stdin: a.Stdin, Stdout: a.Stdout, Person: a.Person(), Getenv: a.Getenv, Dir: a.Dir, OwnStore: a.Here, Vespe: a.Executable, Now: a.Now, Rules: a.Gate, Own: a.OwnFiles,
		Sender: func() (int, error) { return hook.SenderOf(a.Stdin) }, PID: os.Getpid(), Proc: os.DirFS("/proc"),
		Open: func(root string) (*store.Store, error) { return store.Open(root, a.Options()) },
		Prime: func(ctx context.Context, d *desk.Desk) (string, error) {
			_, snap, err := d.View(ctx)
			if err != nil {
				return "", err
			}
			return prime.Text(snap, prime.Options{
				Actor: d.Actor(), Task: model.UID(a.Getenv("VESPE_TASK")), ReadOnly: d.Store().ReadOnly() != "",
				Guidelines: d.Store().QuotedGuidelines(ctx, guidelines.InPrime),
			}), nil
		},
	}
}

// gateObject is what the gate says of a call.
type gateObject struct {
	Tool  string   `json:"tool"`
	Level string   `json:"level"` // free, gated or denied
	Why   []string `json:"why"`
	Risk  string   `json:"risk"`
	Risks []string `json:"risk_because"`
}

func (a *app) gateVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "gate TOOL [INPUT]", Short: "Show which agent calls wait for a person",
		Long: "Show what the gate does with an agent's tool call, and which rule applies. Nothing runs, and no\n" +
			"one is asked. INPUT is the tool's JSON input or its short form: a command for Bash, a path for a\n" +
			"file tool, - to read it from standard input. The rules are [gate] in your config.toml and gate in\n" +
			"the store's config.json.\n\n" +
			"Exit codes: 0 the client decides · 5 it would wait for a person · 6 it would be denied.",
		Example: "  vespe agent gate Bash 'cd x && git push --force'\n  vespe agent gate Write infra/main.tf --json",
		GroupID: "agent", Args: core.Between(1, 2),
	}
	c.RunE = func(_ *cobra.Command, args []string) error {
		p, root, err := a.gatePolicy()
		if err != nil {
			return err
		}
		call, err := a.gateCall(args, root)
		if err != nil {
			return err
		}
		return a.judged(call, p.Judge(call))
	}
	return c
}

// gatePolicy is what the person and the store say; "" where there is no store, and the person's rules are all.
func (a *app) gatePolicy() (p hook.Policy, root string, err error) {
	p.Own = a.Gate
	root, err = a.Find()
	if err != nil && core.CodeOf(err) == model.CodeNotFound && a.StartDir == "" && a.Getenv("VESPE_STORE") == "" {
		return p, "", nil
	}
	if err != nil {
		return p, "", err
	}
	s, err := a.Open()
	if err != nil {
		return p, "", err
	}
	policy, err := s.Policy()
	p.Store = policy.Gate()
	return p, root, err
}

// gateCall is the call that the arguments mean.
func (a *app) gateCall(args []string, root string) (*hook.Call, error) {
	dir, err := a.Start()
	if err != nil {
		return nil, err
	}
	if root == "" {
		root = dir
	}
	call := &hook.Call{Tool: args[0], Places: hook.PlacesIn(dir, root, a.Getenv, a.OwnFiles...)}
	call.Places.Vespe = a.Executable
	text := ""
	if len(args) == 2 {
		text = args[1]
	}
	if text == "-" {
		if text, err = a.ReadText("-", "input"); err != nil {
			return nil, err
		}
	}
	switch {
	case strings.HasPrefix(strings.TrimSpace(text), "{"):
		call.Input = jsontext.Value(text)
		if !call.Input.IsValid() {
			return nil, core.Usagef("the input is not a JSON object")
		}
		return call, nil
	case text == "":
		call.Input = jsontext.Value("{}")
		return call, nil
	}
	key := "file_path"
	if call.Tool == "Bash" {
		key = "command"
	}
	call.Input, err = json.Marshal(map[string]string{key: text})
	return call, err
}

func (a *app) judged(call *hook.Call, v hook.Verdict) error {
	o := gateObject{Tool: call.Tool, Level: [...]string{"free", "gated", "denied"}[v.Level], Why: v.Why, Risk: v.Risk, Risks: v.Risks}
	if a.JSON {
		if err := a.PrintMember("gate", o); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(a.Stdout, [...]string{"free: the client decides", "gated: it would wait for a person", "denied"}[v.Level])
		for _, why := range v.Why {
			fmt.Fprintln(a.Stdout, "  "+visible.String(why))
		}
		if v.Risk != "" {
			line := "risk: " + v.Risk
			if len(v.Risks) > 0 {
				line += " (" + visible.Line(strings.Join(v.Risks, ", ")) + ")"
			}
			fmt.Fprintln(a.Stdout, line)
		}
	}
	switch v.Level {
	case hook.Gated:
		return &core.Shown{Code: core.ExitPending}
	case hook.Denied:
		return &core.Shown{Code: core.ExitDenied}
	}
	return nil
}
