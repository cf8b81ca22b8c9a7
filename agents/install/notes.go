package install

import (
	"os"
	"path/filepath"
	"runtime"
)

// Below is what Claude Code does in a directory below the project, and in a git worktree.
const Below = "Claude Code reads a project's hooks, permissions and sandbox only where you start it in the project's own directory, not in one below. " +
	"A git worktree has them once they are committed. With `--scope user` the hooks work everywhere."

// notes are what is left for the person to do, and what the client cannot do.
func (s *Setup) notes() (out []string) {
	switch s.Client {
	case ClaudeCode:
		out = append(out, "Open sessions don't reload settings: restart them.")
		if s.Scope == Project {
			out = append(out, "Claude Code uses a project's hooks, permissions and server once you trust the project: it asks when you start there.", Below)
		}
		out = append(out, "The sandbox of Claude Code needs bubblewrap and socat on Linux; without them it doesn't start (failIfUnavailable).")
		if s.Sandbox && s.Scope == User {
			out = append(out, "The sandbox in your own settings can't protect .vespe from commands. Use --scope project.")
		}
	case Codex:
		out = append(out, "Codex skips hooks until you trust them: run codex and type /hooks. Do so again after each change.")
		if s.Scope == Project {
			out = append(out, "Codex reads .codex of a project once you trust the project.")
		}
		out = append(out,
			"Codex can't defer a call. A gated call waits in its hook, and Codex with it, until you decide. If a hook fails, Codex makes the call.")
	case OpenCode:
		out = append(out,
			"opencode has no hooks that wait for a person and no sandbox. Plans and questions come through the tools; only its permissions limit its own commands.")
	case Generic:
		out = append(out, "For any MCP client:\n"+s.MCPServers())
	}
	if s.Program != serverName && s.Scope == Project && s.Client != Generic {
		out = append(out, "`vespe` on your PATH doesn't start this program, so the files name "+s.Program+". Anyone who uses them needs vespe there.")
	}
	switch {
	case s.Client == Generic:
	case s.Client == OpenCode:
		out = append(out, "Level 0: a command of the agent can write into .vespe.")
	case s.Sandbox && (s.Client != ClaudeCode || s.Scope != User):
		out = append(out, "Level 1: the agent's commands can't write into .vespe. Neither can the command line of vespe in the sandbox: agents use the tools. `vespe agent doctor` inside a session says whether it holds.",
			"The sandbox is recommended: "+whySandbox+" To turn it off: vespe install "+s.Client+" --remove, then --no-sandbox.")
	default:
		level := "Level 0: the agent's file tools can't write into .vespe, its commands can."
		if !s.Sandbox {
			level += " --sandbox is recommended: " + whySandbox
		}
		out = append(out, level)
	}
	return out
}

// whySandbox is why the sandbox is recommended.
const whySandbox = "of 45 attempts by an agent to approve its own work, 10 succeeded without it and none with it."

// CanSandbox reports a client whose sandbox can run here.
func (s *Setup) CanSandbox(lookPath func(string) (string, error)) bool {
	switch s.Client {
	case Codex:
		return true
	case ClaudeCode:
		for _, program := range []string{"bwrap", "socat"} {
			if _, err := lookPath(program); err != nil && runtime.GOOS == "linux" {
				return false
			}
		}
		return true
	}
	return false
}

// ProgramName is how a program is to be called: by its name where that, on this PATH, is it, else by its path.
func ProgramName(executable string, lookPath func(string) (string, error)) string {
	found, err := lookPath(serverName)
	if err != nil {
		return executable
	}
	a, errA := os.Stat(found)
	b, errB := os.Stat(executable)
	if abs, err := filepath.Abs(found); errA == nil && errB == nil && err == nil && abs == found && os.SameFile(a, b) {
		return serverName
	}
	return executable
}
