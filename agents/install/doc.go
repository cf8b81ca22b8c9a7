// Package install sets agents' clients up to work with vespe, and takes that back: hooks, the MCP
// server, permissions and the sandbox in the settings of Claude Code, Codex and opencode, and a short section
// in AGENTS.md.
//
// # A person's files
//
// The settings are the person's. They are changed by position (package settings, section.go): no byte of
// theirs changes. Nothing is written before a Plan was made of everything: a file that cannot be read or
// understood stops all of it, with its line. A Plan is a set of files as they are and as they will be; who
// calls shows it, asks, and applies it. A file is written whole beside the old one and put in its place, with
// its mode; a symbolic link is followed to what it names, in a project only where that lies in the project.
//
// # Taking it back
//
// Every edit is remembered in the person's state directory (records.go), with what it was before: Remove of
// an Install gives the files from before byte for byte, and leaves what was edited since. Without that record,
// in another clone or on another machine, what vespe writes is known by what it is.
//
// # What is written where
//
//	client       scope    files
//	claude-code  project  .claude/settings.json (hooks, permissions, sandbox), .mcp.json, AGENTS.md, CLAUDE.md
//	claude-code  user     ~/.claude/settings.json, ~/.claude.json
//	codex        project  .codex/config.toml (server, permission profile), .codex/hooks.json, AGENTS.md
//	codex        user     ~/.codex/config.toml, ~/.codex/hooks.json
//	opencode     project  opencode.json or opencode.jsonc (server, permission), AGENTS.md
//	opencode     user     ~/.config/opencode/opencode.json or opencode.jsonc
//	generic      project  AGENTS.md; MCPServers is printed for any other client
//
// CLAUDE.md is only touched where it is there and does not import AGENTS.md. Directories that the clients take
// from the environment (CLAUDE_CONFIG_DIR, CODEX_HOME, XDG_CONFIG_HOME) are honoured.
//
// # How far an agent is kept from .vespe
//
// Level 0: nothing but words and hooks keeps a process of the same account from writing. Level 1: the client's
// sandbox keeps the agent's commands from it, and only the MCP server and the hooks, which run outside, write.
// Setup.Sandbox asks for level 1, for Claude Code and Codex; opencode has no sandbox. That a verdict is a
// person's even then is a matter of signatures (package signing), whose levels are others.
package install
