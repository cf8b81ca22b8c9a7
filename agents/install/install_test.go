package install

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/agents/hook"
	"vespe/agents/install/settings"
)

// place is a person's home with a project in it.
type place struct {
	t    interface{ Fatal(args ...any) }
	dir  string
	env  map[string]string
	root string
}

func newPlace(t interface{ Fatal(args ...any) }, dir string) *place {
	p := &place{t: t, dir: dir, root: filepath.Join(dir, "project")}
	p.env = map[string]string{"HOME": filepath.Join(dir, "home")}
	for _, d := range []string{p.root, p.env["HOME"]} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *place) setup(client string, scope Scope, sandbox bool) *Setup {
	return &Setup{Client: client, Scope: scope, Root: p.root, Getenv: func(k string) string { return p.env[k] }, Program: "vespe", Sandbox: sandbox}
}

func (p *place) write(name, text string) {
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) read(name string) string {
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.t.Fatal(err)
	}
	return string(b)
}

// tree is every file and directory, with its text.
func (p *place) tree() string {
	var b strings.Builder
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(p.dir, path)
		b.WriteString(rel + "\n")
		if !d.IsDir() {
			text, err := os.ReadFile(path)
			b.WriteString(string(text) + "\n--\n")
			return err
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return b.String()
}

func (p *place) apply(plan *Plan, err error) *Plan {
	if err != nil {
		p.t.Fatal(err)
	}
	if err := plan.Apply(); err != nil {
		p.t.Fatal(err)
	}
	return plan
}

// The notes name the level that the written settings reach: your own ones of Claude Code can't name a project's .vespe.
func TestTheLevelIsThatOfWhatIsWritten(t *testing.T) {
	ways(func(client string, scope Scope, sandbox bool) {
		want := "Level 0"
		switch {
		case client == Generic:
			want = ""
		case sandbox && (client == Codex || client == ClaudeCode && scope == Project):
			want = "Level 1"
		}
		got := ""
		for _, n := range newPlace(t, t.TempDir()).setup(client, scope, sandbox).notes() {
			if level, _, ok := strings.Cut(n, ":"); ok && strings.HasPrefix(level, "Level") {
				got += level
			}
		}
		if got != want {
			t.Errorf("%s, %v, sandbox %v: %q, want %q", client, scope, sandbox, got, want)
		}
	})
}

// ways are all set-ups there are.
func ways(visit func(client string, scope Scope, sandbox bool)) {
	for _, client := range Clients() {
		for _, scope := range []Scope{Project, User} {
			for _, sandbox := range []bool{false, true} {
				visit(client, scope, sandbox)
			}
		}
	}
}

// texts are what a person may have in the files of the clients.
var texts = map[string][]string{
	"json": {
		"", "{}", "{ }\n", "// mine\n", "{\n\t\"model\": \"x\", // why\n\t\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]},\n}\n",
		"\xef\xbb\xbf{\r\n  \"permissions\": {\r\n    \"allow\": [\"Bash(ls)\"], /* c */\r\n    \"deny\": []\r\n  },\r\n  \"mcpServers\": { }, \"mcp\": {\"other\": {}}\r\n}",
		`{"sandbox":{"enabled":false,"filesystem":{"denyWrite":["/x"]}},"permission":"ask","mcpServers":{"vespe":{"command":"old","args":["serve"],"env":{"A":"b"}}}}`,
		"{\n    \"permission\": {\"edit\": \"ask\", \"bash\": {\"*\": \"ask\"}},\n    \"permissions\": {\"deny\": [\"Edit(/.vespe/**)\"]}\n}\n",
	},
	"toml": {
		"", "# mine\nmodel = \"x\" # why\n\n[mcp_servers.other]\ncommand = 'y'", "default_permissions = \":workspace\"\r\n[features]\r\nhooks = true\r\n",
		"[permissions.own]\nextends = ':workspace'\n[permissions.own.filesystem.\":workspace_roots\"]\n'.git' = 'read' # x\n[mcp_servers.vespe]\ncommand = 'old' # its own\nargs = [\n  'a',\n]\ntool_timeout_sec = 5\n",
	},
	"md": {"", "# Project\n\nMy words.", "# Project\r\n\r\nMine.\r\n", "no heading\n\n\n"},
}

var files = map[string]string{
	"project/.claude/settings.json": "json", "project/.mcp.json": "json", "home/.claude/settings.json": "json", "home/.claude.json": "json",
	"project/.codex/config.toml": "toml", "project/.codex/hooks.json": "json", "home/.codex/config.toml": "toml", "home/.codex/hooks.json": "json",
	"project/opencode.json": "json", "project/opencode.jsonc": "json", "home/.config/opencode/opencode.json": "json",
	"project/AGENTS.md": "md", "project/CLAUDE.md": "md",
}

// mine are words of the texts that no client and no vespe writes.
var mine = []string{
	"mine", "// why", "/* c */", "Bash(ls)", `"model"`, `"other"`, "/x", `"bash"`, "# why", "'y'", "hooks = true", "[permissions.own]", "'.git' = 'read' # x", "My words.", "no heading",
}

// Whatever a person has, an installation taken back leaves nothing of vespe and all that is theirs, and one that is made
// twice does nothing the second time.
func TestInstallAndRemove(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		p := newPlace(t, filepath.Join(dir, "case"))
		defer os.RemoveAll(p.dir)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			kind := files[name]
			if rapid.IntRange(0, 2).Draw(t, "has "+name) > 0 {
				p.write(name, rapid.SampledFrom(texts[kind]).Draw(t, name))
			}
		}
		s := p.setup(rapid.SampledFrom(Clients()).Draw(t, "client"), rapid.SampledFrom([]Scope{Project, User}).Draw(t, "scope"), rapid.Bool().Draw(t, "sandbox"))
		before := p.tree()
		plan := p.apply(s.Install())
		with := p.tree()
		again, err := s.Install()
		if err != nil || again.Changed() {
			t.Fatalf("the second time there is something to do: %v\n%s", err, with)
		}
		if p.apply(again, nil); p.tree() != with {
			t.Fatal("the second time something was changed")
		}
		p.apply(s.Remove())
		after := p.tree()
		for _, word := range mine {
			if strings.Count(after, word) != strings.Count(before, word) {
				t.Fatalf("%s was lost: taken back it is\n%s\nand was\n%s", word, after, before)
			}
		}
		for _, f := range plan.Files {
			if b, err := os.ReadFile(f.Path); f.Changed() && err == nil && bytes.Contains(b, []byte("vespe")) && !bytes.Contains(f.Was, []byte("vespe")) {
				t.Fatalf("taken back %s is\n%s", f.Path, b)
			}
		}
		if none, err := s.Remove(); err != nil || none.Changed() || len(none.Notes) > 0 {
			t.Fatalf("there is more to take back: %v %+v", err, none)
		}
	})
}

// Of what an installation made alone, nothing is left but a sandbox that is on: a person may have turned it on before.
func TestRemoveLeavesNothing(t *testing.T) {
	ways(func(client string, scope Scope, sandbox bool) {
		p := newPlace(t, t.TempDir())
		s := p.setup(client, scope, sandbox)
		before := p.tree()
		p.apply(s.Install())
		p.apply(s.Remove())
		if after := p.tree(); sandbox && client == "claude-code" {
			if !strings.Contains(after, `"enabled": true`) || strings.Contains(after, "vespe") {
				t.Errorf("%s %s: left is\n%s", client, scope, after)
			}
		} else if strings.NewReplacer("home/.config\n", "", "home/.config/opencode\n", "").Replace(after) != before {
			t.Errorf("%s %s, sandbox %v: it is\n%s\nand was\n%s", client, scope, sandbox, after, before)
		}
	})
}

func TestWhatIsWritten(t *testing.T) {
	for name, c := range map[string]struct {
		client  string
		scope   Scope
		sandbox bool
		file    string
		want    []string
	}{
		"hooks":        {ClaudeCode, Project, false, "project/.claude/settings.json", []string{`"command": "vespe hook claude-code PreToolUse"`, `"onFailure": "block"`, `"matcher": "*"`, `"mcp__vespe__*"`, `"Edit(/.vespe/**)"`, `".vespe"`}},
		"server":       {ClaudeCode, Project, false, "project/.mcp.json", []string{"\"vespe\": {\n      \"type\": \"stdio\",\n      \"command\": \"vespe\",\n      \"args\": [\"mcp\"]\n    }"}},
		"sandbox":      {ClaudeCode, Project, true, "project/.claude/settings.json", []string{`"enabled": true`, `"failIfUnavailable": true`, `"allowUnsandboxedCommands": false`}},
		"own":          {ClaudeCode, User, false, "home/.claude/settings.json", []string{`"Edit(**/.vespe/**)"`}},
		"own server":   {ClaudeCode, User, false, "home/.claude.json", []string{`"mcpServers"`}},
		"codex":        {Codex, Project, true, "project/.codex/config.toml", []string{"default_permissions = \"vespe\"\n", "[mcp_servers.vespe]\ncommand = \"vespe\"\nargs = [\"mcp\"]\ntool_timeout_sec = 600\ndefault_tools_approval_mode = \"approve\"\n", "[permissions.vespe]\nextends = \":workspace\"\n", "[permissions.vespe.filesystem.\":workspace_roots\"]\n\".vespe\" = \"read\"\n"}},
		"codex hooks":  {Codex, User, false, "home/.codex/hooks.json", []string{`"vespe hook codex PreToolUse"`, `"Stop"`}},
		"opencode":     {OpenCode, Project, false, "project/opencode.json", []string{`"$schema": "https://opencode.ai/config.json"`, `"command": ["vespe", "mcp"]`, `".vespe/*": "deny"`, `"vespe_*": "allow"`}},
		"own opencode": {OpenCode, User, false, "home/.config/opencode/opencode.json", []string{`"type": "local"`}},
		"section":      {Generic, Project, false, "project/AGENTS.md", []string{"<!-- vespe:begin", "vespe prime", "<!-- vespe:end -->\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, t.TempDir())
			p.apply(p.setup(c.client, c.scope, c.sandbox).Install())
			got := p.read(c.file)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%s has no %s:\n%s", c.file, want, got)
				}
			}
			if c.sandbox != strings.Contains(got, "enabled\": true") && c.client == ClaudeCode && strings.HasSuffix(c.file, "settings.json") {
				t.Errorf("the sandbox is on without being asked for:\n%s", got)
			}
		})
	}
}

// Directories that the clients take from the environment are theirs.
func TestDirectoriesOfTheEnvironment(t *testing.T) {
	p := newPlace(t, t.TempDir())
	p.env["CLAUDE_CONFIG_DIR"], p.env["CODEX_HOME"], p.env["XDG_CONFIG_HOME"] = filepath.Join(p.dir, "c"), filepath.Join(p.dir, "x"), filepath.Join(p.dir, "o")
	for _, client := range []string{ClaudeCode, Codex, OpenCode} {
		p.apply(p.setup(client, User, false).Install())
	}
	for _, name := range []string{"c/settings.json", "c/.claude.json", "x/config.toml", "x/hooks.json", "o/opencode/opencode.json"} {
		if p.read(name) == "" {
			t.Errorf("there is no %s", name)
		}
	}
	delete(p.env, "HOME")
	delete(p.env, "CODEX_HOME")
	if _, err := p.setup(Codex, User, false).Install(); err == nil || !strings.Contains(err.Error(), "HOME is not set") {
		t.Error(err)
	}
}

// What another path, an older vespe or a person made of it is put right, and what is a person's stays.
func TestOutdated(t *testing.T) {
	p := newPlace(t, t.TempDir())
	p.write("project/.claude/settings.json", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}, {\"type\": \"command\", \"command\": \"/old/vespe hook claude-code Stop\"}]}\n    ],\n    \"Gone\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"'/my dir/vespe' hook claude-code Gone\"}]}]\n  }\n}\n")
	p.write("project/.mcp.json", `{"mcpServers": {"vespe": {"command": "/old/vespe", "args": ["mcp"], "env": {"A": "b"}}}}`)
	s := p.setup(ClaudeCode, Project, false)
	s.Program = "/new dir/vespe"
	p.apply(s.Install())
	got := p.read("project/.claude/settings.json")
	if strings.Contains(got, "/old/") || strings.Contains(got, "Gone") || !strings.Contains(got, `"command": "mine"`) || !strings.Contains(got, `"'/new dir/vespe' hook claude-code Stop"`) {
		t.Errorf("the settings are\n%s", got)
	}
	if got := p.read("project/.mcp.json"); got != `{"mcpServers": {"vespe": {"command": "/new dir/vespe", "args": ["mcp"], "env": {"A": "b"}}}}` {
		t.Errorf("the server is %s", got)
	}
	if again, err := s.Install(); err != nil || again.Changed() {
		t.Error("the second time there is something to do", err)
	}
	s.Program = "vespe"
	p.apply(s.Install())
	if got := p.read("project/.claude/settings.json"); strings.Contains(got, "/new dir") || strings.Count(got, "hook claude-code Stop") != 1 {
		t.Errorf("after another path:\n%s", got)
	}
	p.apply(s.Remove())
	if got := p.read("project/.claude/settings.json"); strings.Contains(got, "vespe") || !strings.Contains(got, "mine") {
		t.Errorf("taken back:\n%s", got)
	}
	if got := p.read("project/.mcp.json"); got != "" {
		t.Errorf("the server taken back is %s", got)
	}
}

// A section that several clients share goes with the last of them.
func TestSharedSection(t *testing.T) {
	p := newPlace(t, t.TempDir())
	p.write("project/AGENTS.md", "# Mine\n")
	claude, codex := p.setup(ClaudeCode, Project, false), p.setup(Codex, Project, false)
	p.apply(claude.Install())
	p.apply(codex.Install())
	p.apply(claude.Remove())
	if !strings.Contains(p.read("project/AGENTS.md"), "vespe:begin") {
		t.Error("the section went while Codex needs it")
	}
	// Words of an older vespe are replaced, and what a person wrote behind it stays.
	text := strings.Replace(p.read("project/AGENTS.md"), "People review", "Nobody reviews", 1) + "\nAfter it.\n"
	p.write("project/AGENTS.md", text)
	p.apply(codex.Install())
	if got := p.read("project/AGENTS.md"); strings.Contains(got, "Nobody") || !strings.HasSuffix(got, "\nAfter it.\n") {
		t.Errorf("it is\n%s", got)
	}
	p.apply(codex.Remove())
	if got := p.read("project/AGENTS.md"); got != "# Mine\n\nAfter it.\n" {
		t.Errorf("it is %q", got)
	}
}

// CLAUDE.md is Claude Code's alone: its section goes with that, in whatever order clients are taken back, and when the
// file imports AGENTS.md meanwhile.
func TestTheSectionOfClaudesOwnFileGoesWithIt(t *testing.T) {
	for _, imports := range []string{"", "\nSee @AGENTS.md.\n"} {
		for _, first := range []string{ClaudeCode, Codex, OpenCode} {
			p := newPlace(t, t.TempDir())
			p.write("project/CLAUDE.md", "# Mine\n")
			clients := []string{first}
			for _, c := range []string{ClaudeCode, Codex, OpenCode} {
				p.apply(p.setup(c, Project, false).Install())
				if c != first {
					clients = append(clients, c)
				}
			}
			p.write("project/CLAUDE.md", p.read("project/CLAUDE.md")+imports)
			for _, c := range clients {
				p.apply(p.setup(c, Project, false).Remove())
				if c == ClaudeCode && strings.Contains(p.read("project/CLAUDE.md"), beginMark) {
					t.Errorf("after Claude Code was taken back, %s first, it is %q", first, p.read("project/CLAUDE.md"))
				}
			}
			if got := p.read("project/CLAUDE.md"); got != "# Mine\n"+imports {
				t.Errorf("%s first: it is %q", first, got)
			}
		}
	}
}

func TestOwnMemoryFile(t *testing.T) {
	for text, touched := range map[string]bool{"# Mine\n": true, "See @AGENTS.md for all.\n": false} {
		p := newPlace(t, t.TempDir())
		p.write("project/CLAUDE.md", text)
		p.apply(p.setup(ClaudeCode, Project, false).Install())
		if got := p.read("project/CLAUDE.md"); (got != text) != touched {
			t.Errorf("%q became %q", text, got)
		}
	}
	p := newPlace(t, t.TempDir())
	p.write("project/AGENTS.md", "# Mine\n")
	if err := os.Symlink("AGENTS.md", filepath.Join(p.root, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	p.apply(p.setup(ClaudeCode, Project, false).Install())
	if got := p.read("project/AGENTS.md"); strings.Count(got, "vespe:begin") != 1 {
		t.Errorf("it is\n%s", got)
	}
}

// What cannot be understood stops everything, with its file and its line, and nothing is written.
func TestNothingIsHalf(t *testing.T) {
	for name, c := range map[string]struct{ file, text, client, want string }{
		"syntax":    {"project/.mcp.json", "{\n  \"a\": 1,\n  oops\n}\n", ClaudeCode, ".mcp.json: line 3: "},
		"shape":     {"project/.claude/settings.json", "{\n\"permissions\": {\"allow\": {}}\n}", ClaudeCode, "settings.json: line 2: permissions.allow is not a list"},
		"twice":     {"project/.claude/settings.json", "{\n\"hooks\": {},\n\"hooks\": {}\n}", ClaudeCode, "settings.json: line 3: hooks appears twice"},
		"toml":      {"project/.codex/config.toml", "a = 1\na = 2\n", Codex, "config.toml: line 2: "},
		"old toml":  {"project/.codex/config.toml", "\nsandbox_mode = 'workspace-write'\n", Codex, "config.toml: line 2: with sandbox_mode"},
		"danger":    {"project/.codex/config.toml", "default_permissions = ':danger-full-access'\n", Codex, "config.toml: line 1: with the profile :danger-full-access"},
		"section":   {"project/AGENTS.md", "a\n<!-- vespe:begin -->\n", Generic, "AGENTS.md: line 2: vespe's section has no end"},
		"directory": {"project/opencode.json/x", "", OpenCode, "opencode.json is not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, t.TempDir())
			p.write(c.file, c.text)
			before := p.tree()
			if plan, err := p.setup(c.client, Project, true).Install(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v; want %q", plan, err, c.want)
			}
			if p.tree() != before {
				t.Error("something was written")
			}
		})
	}
}

func TestLinksAndModes(t *testing.T) {
	p := newPlace(t, t.TempDir())
	p.write("home/dotfiles/claude.json", "{\"a\": 1}\n")
	if err := os.MkdirAll(filepath.Join(p.dir, "home/.claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(p.dir, "home/.claude/settings.json")
	if err := os.Symlink("../dotfiles/claude.json", link); err != nil {
		t.Fatal(err)
	}
	p.apply(p.setup(ClaudeCode, User, false).Install())
	if in, err := os.Lstat(link); err != nil || in.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link is gone", err)
	}
	if in, err := os.Stat(link); err != nil || in.Mode().Perm() != 0o600 || !strings.Contains(p.read("home/dotfiles/claude.json"), "PreToolUse") {
		t.Error("the file that it names was not changed in place, with its mode", err)
	}
	// A repository leads nobody to files outside of it.
	if err := os.Symlink(filepath.Join(p.dir, "home/dotfiles/claude.json"), filepath.Join(p.root, ".mcp.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.setup(ClaudeCode, Project, false).Install(); err == nil || !strings.Contains(err.Error(), "outside of the project") {
		t.Error(err)
	}
	loop := newPlace(t, t.TempDir())
	if err := os.Symlink("AGENTS.md", filepath.Join(loop.root, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := loop.setup(Generic, Project, false).Install(); err == nil {
		t.Error("a link to itself is followed")
	}
}

func TestChangedMeanwhile(t *testing.T) {
	p := newPlace(t, t.TempDir())
	p.write("project/.mcp.json", "{}\n")
	plan, err := p.setup(ClaudeCode, Project, false).Install()
	if err != nil {
		t.Fatal(err)
	}
	p.write("project/.mcp.json", "{\"mine\": 1}\n")
	before := p.tree()
	if err := plan.Apply(); err == nil || !strings.Contains(err.Error(), "has changed since it was read") || p.tree() != before {
		t.Error(err)
	}
}

func TestWhoseHook(t *testing.T) {
	for command, want := range map[string]bool{
		"vespe hook claude-code Stop": true, "/a/vespe hook claude-code Stop": true, "'/a b/vespe' hook claude-code Stop": true,
		"vespe hook codex Stop": false, "myvespe hook claude-code Stop": false, "vespe hook claude-code": false, "": false, "vespe": false,
		"echo vespe hook claude-code Stop": false,
	} {
		if got := IsHook(command, ClaudeCode); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
	s := &Setup{Client: ClaudeCode, Program: "/it's/vespe"}
	if got := hook.ClaudeEvents()[0].Command(s.Program, ClaudeCode); got != `'/it'\''s/vespe' hook claude-code PreToolUse` {
		t.Error(got)
	}
	if !settings.Same(map[string]any{"a": 1, "b": []string{"x"}}, map[string]any{"b": []any{"x"}, "a": 1.0}) {
		t.Error("the same values are not the same")
	}
}

func TestProgramName(t *testing.T) {
	dir := t.TempDir()
	exe := filepath.Join(dir, "vespe")
	if err := os.WriteFile(exe, nil, 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "vespe")
	if err := os.WriteFile(other, nil, 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	for want, found := range map[string]string{"vespe": exe, exe: other} {
		if got := ProgramName(exe, func(string) (string, error) { return found, nil }); got != want {
			t.Errorf("with %s on the PATH: %s", found, got)
		}
	}
	if got := ProgramName(exe, func(string) (string, error) { return "", os.ErrNotExist }); got != exe {
		t.Error(got)
	}
}

// A client that reads plain JSON takes nothing of a file with a comment: that is said, and the comment stays.
func TestFilesThatTheClientCannotRead(t *testing.T) {
	p := newPlace(t, t.TempDir())
	p.write("project/.claude/settings.json", "{\n  \"model\": \"x\" // why\n}\n")
	p.write("project/.mcp.json", "{}")
	plan := p.apply(p.setup(ClaudeCode, Project, false).Install())
	if !strings.Contains(p.read("project/.claude/settings.json"), "// why") {
		t.Error("the comment is gone")
	}
	var said []string
	for _, n := range plan.Notes {
		if strings.Contains(n, "reads plain JSON only") {
			said = append(said, n)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "settings.json has a comment or a comma too many in line 2") {
		t.Errorf("it says %q", said)
	}
	p.write("project/opencode.json", "{ /* fine */ }")
	if plan, err := p.setup(OpenCode, Project, false).Install(); err != nil || slices.ContainsFunc(plan.Files, func(f File) bool { return f.Unread != "" }) {
		t.Error("opencode reads comments", err)
	}
}

// A hook that another wrote around vespe stays, and is told of.
func TestRemoveTellsWhatStays(t *testing.T) {
	p := newPlace(t, t.TempDir())
	s := p.setup(ClaudeCode, Project, false)
	p.apply(s.Install())
	p.write("project/.claude/settings.json", strings.Replace(p.read("project/.claude/settings.json"), `"hooks": {`,
		`"hooks": {"Notification": [{"hooks": [{"type": "command", "command": "sh ./run-vespe.sh"}]}],`, 1))
	plan, err := s.Remove()
	p.apply(plan, err)
	var left []string
	for i := range plan.Files {
		left = append(left, plan.Files[i].Left...)
	}
	if want := "Notification: sh ./run-vespe.sh"; len(left) != 1 || left[0] != want || !strings.Contains(p.read("project/.claude/settings.json"), "run-vespe") {
		t.Errorf("%q stays, want %q", left, want)
	}
}
