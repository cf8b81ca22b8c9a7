package app

import (
	"os"

	"vespe/agents/hook"
	"vespe/engine/worker"
)

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
