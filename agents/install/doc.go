// Package install connects agents' clients to vespe, and undoes that. It writes hooks, the MCP
// server, permissions and the sandbox into the settings of Claude Code, Codex and opencode, and a
// short section into AGENTS.md. docs/agents.md lists the files of each client.
//
// # A person's files
//
// The settings belong to the person. Package settings and section.go edit them in place, so no
// other byte changes. A Plan holds every file as it is and as it will be. It is complete before
// anything is written: an unreadable or invalid file stops all of it, with its line. The caller
// shows the Plan, asks, and applies it. A file is written whole beside the old one and then
// replaces it, with the same mode. A symbolic link is followed, in a project only to a file of the
// project.
//
// CLAUDE.md changes only if it exists and doesn't import AGENTS.md. CLAUDE_CONFIG_DIR, CODEX_HOME
// and XDG_CONFIG_HOME apply.
//
// # Undo
//
// Remove recognizes what vespe wrote by its content: hooks and servers that run vespe, the section
// between its marks, and rules by their text. So it works in any clone, and keeps a person's edits.
//
// # Levels of protection
//
// Level 0: only instructions and hooks stop a process of the same account from writing into .vespe.
// Level 1: the client's sandbox stops the agent's commands, and only the MCP server and the hooks,
// outside of it, write there. Setup.Sandbox selects level 1 for Claude Code and Codex; opencode has
// no sandbox. Proof that a verdict is a person's is a matter of signatures (package signing), with
// its own levels.
package install
