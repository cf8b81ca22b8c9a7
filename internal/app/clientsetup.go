package app

import (
	"cmp"
	"os"
	"time"

	"vespe/agents/hook"
	"vespe/cli/core"
	"vespe/engine"
	"vespe/engine/proc"
	"vespe/engine/worker"
	"vespe/internal/config"
)

// procSelf is the program of a process, on Linux.
const procSelf = "/proc/self/exe"

// loopSetup makes the loops that run workers, as the person has set them.
func loopSetup(c *config.Config, p Process) *engine.Setup {
	self := cmp.Or(p.Executable, os.Args[0])
	guard := self
	if _, err := os.Stat(procSelf); err == nil && p.Executable == executable() {
		guard = procSelf // the program that runs, though another was put in its place since
	}
	return &engine.Setup{
		User: c.Workers(), Environ: func() []string { return p.Environ }, Getenv: p.getenv, Now: time.Now,
		Vespe: self, Guard: []string{guard, proc.GuardVerb}, Client: clientSetup(self),
	}
}

var _ core.Loops = (*engine.Setup)(nil)

// clientSetup makes the clients of workers ask people here: see engine.Options.
func clientSetup(vespe string) func(format, dir string, env []string) ([]string, error) {
	return func(format, dir string, env []string) ([]string, error) {
		client := map[string]string{worker.FormatClaude: hook.ClaudeCode, worker.FormatCodex: hook.Codex}[format]
		files, args, err := hook.Worker(client, vespe, dir, env)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if err := os.WriteFile(f.Name, f.Body, 0o600); err != nil {
				return nil, err
			}
		}
		return args, nil
	}
}
