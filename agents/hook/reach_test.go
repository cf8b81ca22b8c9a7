package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
)

// inAProject is a call in a project with a store, by a person who has settings of vespe.
func inAProject(t *testing.T, vars map[string]string) (root string, at func(c *Call) *Call) {
	t.Helper()
	home := t.TempDir()
	root = filepath.Join(home, "p")
	for _, dir := range []string{"p/.vespe/log", "p/.vespe/tasks/tsk-1/result", "p/.claude", "p/infra", "p/src", ".config/vespe"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"p/.vespe/config.json", "p/.vespe/tasks/tsk-1/status.json", ".config/vespe/config.toml"} {
		if err := os.WriteFile(filepath.Join(home, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	places := PlacesIn(root, root, func(k string) string {
		if k == "HOME" {
			return home
		}
		return vars[k]
	})
	places.Vespe = filepath.Join(home, "bin/vespe")
	return root, func(c *Call) *Call { c.Places = places; return c }
}

// judged checks what becomes of lines of a shell.
func judged(t *testing.T, p Policy, at func(*Call) *Call, want Level, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if v := p.Judge(at(bash(line))); v.Level != want {
			t.Errorf("%q is %v, not %v: %q", line, v.Level, want, v.Why)
		}
	}
}

// The workbench is vespe, too, whatever opens it.
func TestTheWorkbenchIsThePersons(t *testing.T) {
	_, at := inAProject(t, nil)
	judged(t, Policy{}, at, Denied, `vespe-workbench`, `/usr/local/bin/vespe-workbench`, `env -u CLAUDECODE script -qec 'vespe-workbench plan accept T1' /dev/null`,
		`env -u CLAUDECODE tmux new -d vespe-workbench`, `script -qec 'stty rows 40 cols 120; vespe-workbench' /dev/null`, `socat - EXEC:vespe-workbench,pty`,
		`python3 -c "import pty; pty.spawn(['vespe-workbench'])"`, `nohup ~/bin/vespe-workbench &`, `$X vespe-workbench`)
	judged(t, Policy{}, at, Free, `grep -r vespe-workbench .`, `ls ~/bin/vespe-workbench`, `git commit -m "open vespe-workbench faster"`)
}

// A path that begins with what is known only at run time is judged by what is known of it.
func TestAPathWithAnUnknownBeginning(t *testing.T) {
	_, at := inAProject(t, nil)
	judged(t, Policy{}, at, Denied,
		`echo {} > $PWD/.vespe/config.json`, `echo {} > "$(pwd)/.vespe/config.json"`, `cp x "$CLAUDE_PROJECT_DIR/.vespe/config.json"`, `rm -rf "$PWD/.vespe"`, `cd $PWD/.vespe && rm config.json`, `cd .vesp? && rm config.json`,
		`D=.vespe; echo {} > $D/config.json`, `D=.vespe && rm -rf "$D"`, `for d in .vespe; do rm $d/config.json; done`, `echo x > ${HOME%/}/.config/vespe/config.toml`, `echo x > "$XDG_CONFIG_HOME/vespe/config.toml"`)
	judged(t, Policy{Own: model.GateRules{Reads: []string{".env"}, Commands: []string{"x"}}}, at, Gated, `cat $PWD/.env`, `cat "$D/.env"`)
	judged(t, Policy{Own: model.GateRules{Commands: []string{"x"}}}, at, Free, `cat $PWD/.vespe/config.json`, `cp x $PWD/.vespe/tasks/tsk-1/result/report.md`, `echo x > $OUT/main.go`, `rm -rf $TMP/build`, `cd $DIR && rm -f x`, `D=src; echo x > $D/y`, `S=.vespe; cat $S/config.json`)
}

// Paths that only a client makes plain are judged as plain ones.
func TestAPathIsJudgedHoweverLongItIs(t *testing.T) {
	root, at := inAProject(t, nil)
	write := func(path string) *Call {
		b, _ := json.Marshal(map[string]string{"file_path": path})
		return at(&Call{Tool: "Write", Input: b})
	}
	for _, path := range []string{root + "/a\n/../.vespe/config.json", root + "/" + strings.Repeat("./", 5000) + ".vespe/config.json", ".vespe/config.json\x00.md", strings.Repeat("a/../", 300_000) + ".vespe/config.json"} {
		if v := (&Policy{}).Judge(write(path)); v.Level != Denied {
			t.Errorf("%.60q of %d bytes is %v", path, len(path), v.Level)
		}
	}
	judged(t, Policy{}, at, Denied, `mkdir $'a\n'; tee $'a\n/../.vespe/config.json' < x`, `tee `+strings.Repeat("./", 3000)+`.vespe/config.json < x`)
	judged(t, Policy{}, at, Free, "git commit -m 'a\n.vespe/x\nb'", "gh pr create --body 'one\n.vespe/config.json\ntwo'")
}

// Options carry files, and some programs that look also write.
func TestFilesInOptions(t *testing.T) {
	_, at := inAProject(t, nil)
	judged(t, Policy{}, at, Denied,
		`sed -Ei s/a/b/ .vespe/config.json`, `sed -ni p .vespe/config.json`, `sed --in-plac s/a/b/ .vespe/config.json`, `cp -t.vespe config.json`, `sort -o.vespe/config.json x`, `sort --out=.vespe/config.json x`, `curl -so.vespe/config.json file:///x`, `wget -qO.vespe/config.json x`,
		`uniq x .vespe/config.json`, `xxd -r x .vespe/config.json`, `git diff --no-index --output=.vespe/config.json /dev/null x`, `git log --output=.vespe/config.json`, `sed -n 'w .vespe/config.json' x`, `sed 's/a/b/w .vespe/config.json' x`,
		`tar -C.vespe -xf x.tar`, `patch -o.vespe/config.json x`, `cp -t ~/.config/vespe x`, `tree -o .vespe/config.json`)
	judged(t, Policy{Own: model.GateRules{Paths: []string{"infra/**"}}}, at, Gated, `cp -tinfra x`)
	judged(t, Policy{Own: model.GateRules{Paths: []string{"infra/**"}}}, at, Free, `sed -n 1,3p .vespe/config.json`, `sed -e s/a/b/ infra/x`, `sort -k2 infra/x`, `uniq infra/x`, `xxd infra/x`, `git diff --stat infra`, `tree -L 2 infra`, `tar -czf x.tgz src`, `sed 's/now/w x/' infra/x`)
}

// A find that changes files changes those of the store unless its tests leave them out.
func TestAFindReachesTheStore(t *testing.T) {
	_, at := inAProject(t, nil)
	judged(t, Policy{}, at, Denied, `find . -name config.json -delete`, `find . -name '*.json' -delete`, `find . -path '*/log/*' -delete`, `find . -mtime +1 -delete`, `find . -type f -exec cp x {} \;`, `find . -iname 'CONFIG.*' -exec tee {} \;`, `find . -type f -exec sh -c 'echo x > "$1"' _ {} \;`, `find . -type f -exec bash -c 'rm "$1"' _ {} \;`,
		`find . -not -path './.git/*' -type f -delete`)
	judged(t, Policy{}, at, Free, `find . -name '*.pyc' -delete`, `find . -path './src/*' -delete`, `find . -not -path '*/.vespe/*' -type f -delete`, `find . -path ./.vespe -prune -o -type f -delete`, `find . -name config.json`, `find . -type f -exec grep -l x {} +`,
		`find src -mtime +1 -delete`, `find . -name '*.go' -exec gofmt -w {} +`)
}

// A link that a line makes leads where it says.
func TestALinkMadeInTheSameLine(t *testing.T) {
	_, at := inAProject(t, nil)
	judged(t, Policy{}, at, Denied, `ln -s ~ h && echo x > h/.config/vespe/config.toml`, `ln -s .vespe v; echo {} > v/config.json`, `ln -sfn $PWD/.vespe v; echo {} > v/config.json`, `ln -s ../.vespe src; echo {} > src/.vespe/config.json`)
	judged(t, Policy{}, at, Gated, `ln -s .claude c && echo '{}' > c/settings.json`)
	judged(t, Policy{}, at, Free, `ln -s src s && echo x > s/y`, `ln -s ~ h && ls h/.config/vespe`)
}

// A worktree that is moved is one that git knows no more.
func TestACheckoutIsMovedByAPerson(t *testing.T) {
	root, at := inAProject(t, nil)
	if err := os.WriteFile(filepath.Join(root, "src", ".git"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	in := func(c *Call) *Call { at(c).Places.CWD = filepath.Join(root, "src"); return c }
	judged(t, Policy{}, in, Gated, `mv ../src ../x`, `mv `+root+`/src /tmp/x`, `rm -rf ../src`)
	judged(t, Policy{}, in, Free, `mv a b`, `rm -rf ../infra`, `mv ../src/a ../b`)
	judged(t, Policy{}, at, Free, `mv src x`)
}

// What says which calls wait, which programs are asked, and this program itself, are changed only with a person.
func TestWhatBindsASessionIsChangedByAPerson(t *testing.T) {
	root, at := inAProject(t, map[string]string{"CLAUDE_CONFIG_DIR": "/tmp/cc", "CODEX_HOME": "/tmp/cx"})
	judged(t, Policy{}, at, Gated, `echo '{}' > .project-config.json`, `rm .PROJECT-config.json`, `echo '{}' > .mcp.json`, `cp x opencode.json`, `cp x ~/.claude.json`, `echo {} > /tmp/cc/settings.json`, `echo {} > /tmp/cx/hooks.json`, `rm -r /tmp/cx`,
		`cp /bin/true ~/bin/vespe`, `ln -sf /tmp/evil ~/bin/vespe-workbench`, `mv ~/bin/vespe x`, `cp /tmp/vespe ~/bin/`)
	judged(t, Policy{}, at, Denied, `echo x > ~/.local/state/vespe/drafts/s/t.json`, `echo x > ~/.local/state/vespe/runs/x`)
	judged(t, Policy{}, at, Free, `cat .project-config.json .mcp.json ~/bin/vespe`, `go build -o vespe .`, `echo x > src/opencode.json.md`)
	if v := (&Policy{}).Judge(at(tool("Write", `{"file_path":"`+root+`/.project-config.json"}`))); v.Level != Gated {
		t.Errorf("it is %v", v.Level)
	}
	if v := (&Policy{}).Judge(at(tool("mcp__vespe__x__write_file", `{"path":".vespe/config.json"}`))); v.Level != Denied {
		t.Errorf("a tool of a server with such a name is %v", v.Level)
	}
}

// The input of a call that isn't what its client sends is refused, and no number of it is taken for another.
func TestAnInputThatIsNone(t *testing.T) {
	for _, in := range []any{"git push", []string{"git push"}, 5, true, map[string]any{"command": 5}, map[string]any{"command": ""}, map[string]any{}} {
		f := newFixture(t)
		f.config(`{"gate": {"commands": ["git push"]}}`)
		f.is(f.call(PreToolUse, "Bash", "x", in), "deny")
	}
	a, b := []byte(`{"amount":9007199254740992}`), []byte(`{"amount":9007199254740993}`)
	if sameJSON(a, b) || !sameJSON([]byte(`{"a":1,"b":0.5}`), []byte(`{ "b": 0.5, "a": 1 }`)) {
		t.Error("two numbers are the same, or the same is two")
	}
}
