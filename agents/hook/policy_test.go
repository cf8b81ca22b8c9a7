package hook

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/model"
)

// bash is a call of a shell in a project.
func bash(line string) *Call {
	b, err := json.Marshal(map[string]string{"command": line, "description": "x"})
	if err != nil {
		panic(err)
	}
	return &Call{Tool: "Bash", Input: b, Places: Places{CWD: "/p", Root: "/p", Home: "/home/ann"}}
}

func tool(name, input string) *Call {
	return &Call{Tool: name, Input: []byte(input), Places: Places{CWD: "/p/sub", Root: "/p", Home: "/home/ann"}}
}

func TestACommandIsGatedHoweverItIsWritten(t *testing.T) {
	p := Policy{Own: model.GateRules{Commands: []string{"git push", "rm -rf *", "deploy"}}}
	for _, line := range []string{
		`git push`, `git push origin main`, `git  push`, `git -C /x push`, `git --no-pager push`, `/usr/bin/git push`, `"git" push`, `g"i"t push`, `\git push`, `'git' 'push'`,
		`g''it pu""sh`, `$'git' $'\x70ush'`, "git \\\npush", `cd x && git push`, `true; git push`, `true || git push`, `true | git push`, `(git push)`, `{ git push; }`, `git push &`,
		"true\ngit push", `! git push`, `if true; then git push; fi`, `for i in 1; do git push; done`, `while git push; do :; done`, `f() { git push; }; f`, `echo $(git push)`, "echo `git push`",
		`cat <(git push)`, `x=$(git push)`, `export X=$(git push)`, `A=1 git push`, `env A=1 git push`, `env -u X git push`, `command git push`, `exec git push`, `nohup git push`, `time git push`,
		`timeout 5 git push`, `timeout -s KILL 5s git push`, `sudo git push`, `sudo -u root git push`, `xargs git push`, `echo main | xargs -n1 git push origin`, `nice -n 5 git push`, `bash -c 'git push'`, `bash -lc "git push"`,
		`sh -c "sh -c 'git push'"`, `eval git push`, `eval "git push"`, `env -S "git push"`, "bash <<EOF\ngit push\nEOF", `bash <<< "git push"`, `find . -exec git push {} \;`, `{git,push}`, `git {push,}`,
		`git push 2>&1 | tail -1`, `case x in x) git push;; esac`, `trap 'x' EXIT; git push`, `[[ -f x ]] && git push`,
		// What it runs cannot be known.
		`$X push`, `git $X`, `${G} push`, `$(echo git) push`, `"$X"`, `git $(echo push)`, "git `echo push`", `bash -c "$X"`, `eval "$X"`, `echo 'git push' | sh`, `curl x | bash`, `x=git; $x push`,
		// It is no script at all.
		`git push "`, `((`, `if git push`, "a\x00b",
		`rm -rf /x`, `rm -fr x`, `rm -r -f x`, `rm x -r -f`, `rm --recursive --force x`, `rm -Rf x`, `rm $FLAGS x`, `deploy`, `./deploy now`, `bin/deploy`,
	} {
		if v := p.Judge(bash(line)); v.Level != Gated || len(v.Why) == 0 {
			t.Errorf("%q is %v: %q", line, v.Level, v.Why)
		}
	}
	for _, line := range []string{
		`git status`, `git pull`, `echo git push`, `echo "git push"`, `git commit -m "git push"`, `git log --grep push-it`, `rm -f x`, `rm x`, `ls -rf`, `rmdir x`, `# git push`, `grep -rf x`,
		`git commit -m "$(cat <<'EOF'` + "\npush\nEOF\n)\"", `git log $X`, `git commit -m "$MSG"`, `git -C "$DIR" status`, `cat $FILE`, `go test ./...`, "cat <<EOF\ngit push\nEOF",
		`make test 2>&1 | tail -20`, `for f in *.go; do gofmt -l "$f"; done`, `undeploy`,
	} {
		if v := p.Judge(bash(line)); v.Level != Free {
			t.Errorf("%q is %v: %q", line, v.Level, v.Why)
		}
	}
}

func TestToolsAreGatedByName(t *testing.T) {
	p := Policy{Store: model.GateRules{Tools: []string{"WebFetch", "mcp__db__*", "mcp__vespe__*"}}}
	for name, want := range map[string]Level{
		"WebFetch": Gated, "mcp__db__drop": Gated, "mcp__dbx__drop": Free, "webfetch": Free, "Bash": Free, "mcp__vespe__plan_submit": Free,
	} {
		if v := p.Judge(tool(name, `{"command":"true"}`)); v.Level != want {
			t.Errorf("%s is %v: %q", name, v.Level, v.Why)
		}
	}
	if v := p.Judge(tool("WebFetch", `{}`)); len(v.Why) != 1 || !strings.Contains(v.Why[0], ".vespe/config.json") {
		t.Errorf("who asked for it is not said: %q", v.Why)
	}
}

func TestAStoreOnlyAsksForMore(t *testing.T) {
	own := model.GateRules{Commands: []string{"git push"}, Risk: model.RiskHigh}
	for _, s := range []model.GateRules{{}, {Risk: model.RiskNever}, {Tools: []string{"x"}}} {
		p := Policy{Own: own, Store: s}
		for _, line := range []string{"git push", "sudo ls"} {
			if v := p.Judge(bash(line)); v.Level != Gated {
				t.Errorf("with %+v %q is %v", s, line, v.Level)
			}
		}
	}
	if v := (&Policy{Store: model.GateRules{Unread: ".vespe/config.json: it is empty"}}).Judge(tool("Read", `{"file_path":"/p/x"}`)); v.Level != Gated {
		t.Error("rules that cannot be read gate nothing")
	}
}

func TestPathsAreGatedWhateverLeadsThere(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "p")
	for _, d := range []string{"infra/prod", "src"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for at, to := range map[string]string{"src/link": "../infra", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(root, at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "infra/prod/main.tf"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	places := Places{CWD: filepath.Join(root, "src"), Root: root, Home: dir}
	p := Policy{Own: model.GateRules{Paths: []string{"infra/**", "*.env", "/etc/**", "~/.ssh/"}, Reads: []string{"**/secret.*"}}}
	edit := func(path string) *Call {
		b, _ := json.Marshal(map[string]string{"file_path": path, "new_string": "infra/x"})
		return &Call{Tool: "Edit", Input: b, Places: places}
	}
	sh := func(line string) *Call { c := bash(line); c.Places = places; return c }
	for _, c := range []*Call{
		edit("../infra/prod/main.tf"), edit(root + "/infra/new.tf"), edit("link/new.tf"), edit("./link/../infra/x"), edit(root + "/src/../INFRA/x"), edit("prod.env"), edit("/etc/passwd"), edit(dir + "/.ssh/config"),
		edit("../infra"),
		{Tool: "NotebookEdit", Input: []byte(`{"notebook_path":"link/x.ipynb"}`), Places: places},
		{Tool: "mcp__fs__write_file", Input: []byte(`{"path":"link/x"}`), Places: places},
		{Tool: "mcp__fs__write_files", Input: []byte(`{"paths":["a","link/x"]}`), Places: places},
		{Tool: "apply_patch", Input: []byte(`{"command":"*** Begin Patch\n*** Update File: ../infra/prod/main.tf\n@@\n*** End Patch"}`), Places: places},
		{Tool: "Read", Input: []byte(`{"file_path":"` + root + `/src/secret.txt"}`), Places: places},
		sh("cat secret.yml"),
		sh("echo x > ../infra/x"), sh("echo x >> link/x"), sh("rm ../infra/prod/main.tf"), sh("rm -rf .."), sh("rm -rf ../infra"), sh("cd .. && rm infra/x"), sh("cd ../infra; touch x"), sh("sed -i s/a/b/ link/x"), sh("dd of=link/x"),
		sh("cp a link/"), sh("tee ../infra/x"), sh("rm ../inf*/prod/*"), sh("rm $X"), sh("cd $X && rm a"), sh("echo > $X"), sh("find ../infra -delete"), sh(`mv ../inf"r"a x`), sh("ln -s x ../infra/y"), sh("mytool ../infra"),
		sh("cp x " + dir + "/.ssh/config"), sh("cp x ~/.ssh/config"), sh("cp x $HOME/.ssh/config"),
	} {
		if v := p.Judge(c); v.Level == Free {
			t.Errorf("%s %s is %v: %q", c.Tool, c.Input, v.Level, v.Why)
		}
	}
	for _, c := range []*Call{
		edit("main.go"), edit("infra.go"), edit("infra/x"),
		{Tool: "Read", Input: []byte(`{"file_path":"../infra/prod/main.tf"}`), Places: places},
		sh("cat ../infra/prod/main.tf"), sh("grep -r x .. 2>/dev/null"),
		sh("go test $PKG"), sh("rm x"), sh("echo infra/x"), sh("ls link"), sh("cd ../infra && ls"), sh(`go build -o x "$DIR/y"`),
		{Tool: "Grep", Input: []byte(`{"pattern":"x","path":"../infra"}`), Places: places},
	} {
		if v := p.Judge(c); v.Level != Free {
			t.Errorf("%s %s is %v: %q", c.Tool, c.Input, v.Level, v.Why)
		}
	}
	if v := p.Judge(edit("../loop/x")); v.Level != Free {
		t.Errorf("a link to itself is %v", v.Level)
	}
}

func TestNobodyWritesIntoAStorePastVespe(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, ".vespe", "tasks", "tsk-1")
	if err := os.MkdirAll(filepath.Join(store, "result"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".vespe", filepath.Join(dir, "v")); err != nil {
		t.Fatal(err)
	}
	places := Places{CWD: dir, Root: dir}
	at := func(c *Call) *Call { c.Places = places; return c }
	write := func(path string) *Call {
		return at(tool("Write", `{"file_path":"`+path+`","content":"x"}`))
	}
	var p Policy
	for _, c := range []*Call{
		write(".vespe/config.json"), write("v/config.json"), write(store + "/status.json"), write(store + "/plan.md"), write(".VESPE/tasks/tsk-1/plan.md"), write("x/../.vespe/log/1.json"), write(".vespe/tasks/tsk-1/result/../status.json"),
		write("/elsewhere/.vespe/hitl_queue/req-1.json"), write(".vespe"), write(".vespe/tasks/tsk-1/result"),
		at(bash("echo x > .vespe/config.json")), at(bash("rm -rf .vespe")), at(bash("rm -rf .")), at(bash("rm -rf *")), at(bash("sed -i s/a/b/ .vespe/tasks/*/status.json")), at(bash("cp x v/")), at(bash("cd .vespe && rm config.json")), at(bash("git clean -fdx")), at(bash("git clean -xdf .")), at(bash("git clean -fdx $X")), at(bash("git clean -fdx -enode_modules")),
		at(bash("git clean -fdxe node_modules")), at(bash("git clean -fdx .vespe")), at(bash("git clean build . -fdx")), at(bash("git clean -fdx --exclude node_modules")), at(bash("git -C .vespe clean -fdx")),
		at(bash("find .vespe -name x -delete")), at(bash("mv .vespe x")), at(bash("jq . x | tee .vespe/tasks/tsk-1/spec.json")), at(bash("touch .vespe/tasks/$UID/plan.md")), at(bash("git checkout .vespe")), at(bash("python3 fix.py .vespe/config.json")),
	} {
		if v := p.Judge(c); v.Level != Denied || len(v.Why) != 1 || !strings.Contains(v.Why[0], ".vespe") {
			t.Errorf("%s %s is %v: %q", c.Tool, c.Input, v.Level, v.Why)
		}
	}
	for _, c := range []*Call{
		write("main.go"), write(".vespe/tasks/tsk-1/result/report.md"), write("vespe/x.go"), at(tool("Read", `{"file_path":".vespe/config.json"}`)), at(bash("cat .vespe/config.json")), at(bash("grep -r x .vespe | head")), at(bash("vespe show .vespe")),
		at(bash("cp x .vespe/tasks/tsk-1/result/y")), at(bash("git add .vespe && git commit -m x")), at(bash("git clean -fd")), at(bash("git clean -fdx -e .vespe")), at(bash("git clean -fdxe.vespe .")), at(bash("git clean --exclude=.vespe -fdx")), at(bash("git clean --dry-run -fdx")), at(bash("git clean -fdx build")), at(bash("rm -rf $X")), at(bash("git clean -ndx")), at(bash("ls -la > out.txt")), at(bash("vespe ask x --title y --json")),
		at(bash("git diff --stat -- .vespe")),
	} {
		if v := p.Judge(c); v.Level == Denied {
			t.Errorf("%s %s is denied: %q", c.Tool, c.Input, v.Why)
		}
	}
}

func TestRisk(t *testing.T) {
	for line, want := range map[string]string{
		"ls": model.RiskLow, "go test ./...": model.RiskLow, "git push": model.RiskMedium, "rm x": model.RiskMedium, "rm -rf build": model.RiskHigh, "sudo ls": model.RiskHigh, "curl x | sh": model.RiskHigh,
		"git push --force-with-lease": model.RiskHigh, "npm install left-pad": model.RiskMedium, "echo x > /usr/lib/x": model.RiskHigh, "echo x > /tmp/x": model.RiskLow, "echo x > /dev/null": model.RiskLow, "cat /etc/passwd": model.RiskLow,
	} {
		got := (&Policy{}).Judge(bash(line))
		if got.Risk != want || want != model.RiskLow && len(got.Risks) == 0 {
			t.Errorf("%q has risk %s (%q), want %s", line, got.Risk, got.Risks, want)
		}
		gated := (&Policy{Own: model.GateRules{Risk: model.RiskMedium}}).Judge(bash(line))
		if (gated.Level == Gated) != (want != model.RiskLow) {
			t.Errorf("with the gate at medium %q is %v", line, gated.Level)
		}
	}
	for name, want := range map[string]string{"mcp__x__create": model.RiskMedium, "mcp__x__get_issue": model.RiskLow, "WebFetch": model.RiskMedium, "Read": model.RiskLow} {
		if got := (&Policy{}).Judge(tool(name, `{}`)); got.Risk != want {
			t.Errorf("%s has risk %s", name, got.Risk)
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, line := range []string{"git push", "rm -rf $X", "a <<EOF\nb\nEOF", "x=$(y) {a,b}", "bash -c 'eval \"x\"'", "$'\\x41'", "((", "find . -exec a {} +"} {
		f.Add(line, "git push")
	}
	f.Fuzz(func(t *testing.T, line, pattern string) {
		c := bash(line)
		p := Policy{Own: model.GateRules{Commands: []string{pattern}, Paths: []string{pattern}, Reads: []string{pattern}, Tools: []string{pattern}, Risk: "high"}}
		if v := p.Judge(c); v.Level != Free && len(v.Why) == 0 {
			t.Errorf("%q is %v without a reason", line, v.Level)
		}
		if strings.TrimSpace(line) == "git push" {
			p = Policy{Own: model.GateRules{Commands: []string{"git push"}}}
			if p.Judge(c).Level != Gated {
				t.Errorf("%q is not gated", line)
			}
		}
	})
}

// Workers of the loop are told to call vespe by its path: that is vespe, and another program of that name is not.
func TestVespeByItsPathAsksForItself(t *testing.T) {
	p := Policy{Own: model.GateRules{Tools: []string{"Bash"}}}
	for command, want := range map[string]Level{
		"vespe ask x --title y":                 Free,
		"/opt/bin/vespe ask x --title y":        Free,
		"'/opt/bin/vespe' progress x half":      Free,
		"./vespe ask x --title y":               Gated,
		"/tmp/vespe ask x --title y":            Gated,
		"/opt/bin/vespe ask x; make deploy":     Gated,
		"/opt/bin/vespe ask x --title y > f":    Gated,
		"/opt/bin/vespe ask \"$(make deploy)\"": Gated,
	} {
		c := bash(command)
		c.Places.Vespe = "/opt/bin/vespe"
		if v := p.Judge(c); v.Level != want {
			t.Errorf("%s: %v because of %q, want %v", command, v.Level, v.Why, want)
		}
	}
	if v := p.Judge(bash("/opt/bin/vespe ask x --title y")); v.Level != Gated {
		t.Errorf("where its path is not known it is %v", v.Level)
	}
}
