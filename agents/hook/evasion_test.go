package hook

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"vespe/model"
)

func TestALineIsReadThroughWhateverRunsIt(t *testing.T) {
	p := Policy{Own: model.GateRules{Commands: []string{"git push --force"}}}
	for _, line := range []string{
		`bash -o pipefail -c 'git push --force'`, `bash -eo pipefail -c 'git push --force'`, `bash +e -c 'git push --force'`, `bash --rcfile x -c 'git push --force'`,
		`echo --force | xargs git push`, `echo push --force | xargs git`, `trap 'git push --force' EXIT`, `alias g='git push --force'; g`, `git -c alias.p=push p --force`,
		`git config alias.p 'push --force' && git p`, `git push origin +main`, `source /dev/stdin <<< 'git push --force'`, `. <(echo git push --force)`, `bash /dev/stdin <<< 'git push --force'`,
		`su -c 'git push --force' bob`, `script -qc 'git push --force' /dev/null`, `flock x -c 'git push --force'`, `watch 'git push --force'`, `parallel 'git push --force' ::: 1`,
		`python3 -c "import os; os.system('git push --force')"`, `perl -e 'system("git push --force")'`, "python3 - <<'X'\nimport subprocess\nsubprocess.run(['git','push','--force'])\nX",
		`node -e "require('child_process').execSync('git push --force')"`, `python3 -c "$X"`,
		`taskset 1 git push --force`, `taskset -c 0,1 git push --force`, `chrt -f 10 git push --force`, `systemd-run --user --scope git push --force`, `unshare -r git push --force`, `nsenter -t 1 -m git push --force`,
		`setpriv --no-new-privs git push --force`, `fakeroot git push --force`, `uv run git push --force`, `uv run --with x git push --force`, `npm exec -- git push --force`, `npx git push --force`, `npx -c 'git push --force'`,
		`npm exec -c 'git push --force'`, `pnpm dlx git push --force`, `yarn exec git push --force`, `poetry run git push --force`, `mise x -- git push --force`, `direnv exec . git push --force`, `git submodule foreach 'git push --force'`,
		`git submodule foreach git push --force`, `git -C x submodule --quiet foreach git push --force`, `git rebase -x 'git push --force' main`, `git rebase --exec='git push --force' main`, `git rebase --exec 'git push --force' main`,
		`git bisect run git push --force`, `git bisect run sh -c 'git push --force'`, `watch -n 1 git push --force`, `gdb --args git push --force`, `ltrace git push --force`, `xvfb-run -a git push --force`, `sudo -u root $X`, `env -u X $X`, `eval '$X'`, `su -c '$X' bob`, `nix develop -c $X`, `prlimit --nproc=1 git push --force`,
		`numactl -N 0 git push --force`, `timeout -k 5 10 git push --force`, `flock /tmp/l git push --force`, `gosu bob git push --force`, `hyperfine 'git push --force'`, `entr git push --force`, `tmux new -d 'git push --force'`, `screen -dm git push --force`,
		`dbus-run-session -- git push --force`, `git filter-branch --tree-filter 'git push --force'`, `bundle exec git push --force`, `nix-shell --run 'git push --force'`, `nix develop -c git push --force`, `conda run -n x git push --force`, `time -p git push --force`,
	} {
		if v := p.Judge(bash(line)); v.Level != Gated {
			t.Errorf("%q is %v: %q", line, v.Level, v.Why)
		}
	}
	for _, line := range []string{
		`bash -o pipefail -c 'git push'`, `bash -e x.sh`, `git push origin main`, `git push origin a:b`, `echo x | xargs git status`, `echo x | xargs ls`, `trap - EXIT`, `trap`, `source venv/bin/activate`,
		`uv run pytest -k push`, `npx eslint .`, `git rebase main`, `git bisect start`, `npm exec -- eslint --force`, `tmux ls`, `git submodule update --init`, `taskset 1 make`, `pnpm install --force`, `git rebase --exec 'make test' main`,
		`python3 -c 'print(1)'`, `node -e "console.log(/a/.exec('a'))"`, `python3 x.py`, `alias`, `unset X`, `env X=$X ls`, `timeout 5 grep -r 'git push --force' .`,
	} {
		if v := p.Judge(bash(line)); v.Level != Free {
			t.Errorf("%q is %v: %q", line, v.Level, v.Why)
		}
	}
	if v := (&Policy{Own: model.GateRules{Paths: []string{"/root/**"}}}).Judge(bash(`cp x ~root/y`)); v.Level != Gated {
		t.Error("the home of another is no path that may be anywhere")
	}
}

// What a shell makes of a line is more than its words: its options, other shells and languages, aliases, variables.
func TestNoTrickOfAShellHidesWhatWaits(t *testing.T) {
	p := Policy{Own: model.GateRules{Commands: []string{"git push"}}}
	for _, line := range []string{
		`bash -c -x 'git push'`, `bash -c -- 'git push'`, `bash -oe pipefail -c 'git push'`, `bash -xO extglob -c 'git push'`, `bash -co pipefail 'git push'`, `bash +c 'git push'`, `zsh -oextendedglob -c 'git push' x`, `zsh --emulate sh -c 'git push'`,
		`bash -s x <<< 'git push'`, `curl x | bash -s stable`, `bash -c -- '-x; git push' <<< x`,
		`rbash -c 'git push'`, `csh -c 'git push'`, `tcsh -c 'git push'`, `mksh -c 'git push'`, `yash -c 'git push'`, `pwsh -c 'git push'`, `pwsh -Command git push`, `pwsh -e Z2l0IHB1c2g=`, `nu -c '^git push'`, `nu --commands '^git push'`, `posh -c 'git push'`,
		`oksh -c 'git push'`, `elvish -c 'git push'`, `xonsh -c 'git push'`, `echo git push | nu`, `fish -C 'git push' x`, `fish --command='git push'`, `fish -p x -c 'git push'`,
		`echo push | xargs -I{} git {}`, `echo 'git push' | xargs -I{} sh -c '{}'`, `find /usr/bin/git -exec {} push \;`, `echo git | xargs -I{} {} push`, `parallel {} push ::: git`, `xargs -I% git %`, `xargs -i git {}`, `xargs --replace=X git X`,
		`xargs -I X git X`, `xargs -0I X git X`, `xargs -0IX git X`, `xargs -iX git X`, `xargs -n 1 -I % git %`, `xargs -I% sudo git %`, `xargs -I% sh -c 'git %'`, `fd git /usr/bin -x {} push`, `fd git /usr/bin -x {//}/git push`, `parallel {1} {2} ::: git ::: push`, `parallel git {.} ::: push.x`,
		`find . -exec echo {} \; -exec git push \;`, `find . -exec git -C {} push \;`,
		`echo 'import os; os.system("git push")' | python3`, `echo x | python3 -`, `echo x | python3 - x`, `echo x | node`, `echo x | perl`, `echo x | python3 -u`, `echo x | python3 -v`, `echo x | python3 -W ignore`, `echo x | node -r fs`, `echo x | python3 /dev/stdin`, `echo x | timeout 5 python3`, `echo x | env -i python3`,
		`{ python3; } <<< 'import os; os.system("git push")'`, `f() { python3; }; echo x | f`, `python3 <(echo x)`, `bash -c $'echo x \x7c python3'`, `python3 - x <<< 'import os; os.system("git push")'`, `uv run python - <<< 'import os; os.system("git push")'`, `timeout 5 bash <<< 'git push'`, `python3 <<< "$X"`, `echo x | awk -f - f`, `echo x | php`,
		`X='import os; os.system("git push")'; python3 -c "$X "`, `python3 -c"$X "`, `node --eval="$X "`, `node --eval "$X "`, `perl -ne "$X 1"`, `ruby -e "1;$X"`, `deno eval "$X "`, `php -r "$X;"`, `awk "$X {}" f`, `awk -F : "$X {}" f`,
		`perl -e 'exec "git push"'`, "perl -e 'print `git push`'", "ruby -e 'puts `git push`'", "ruby -e'`git push`'", `ruby -e 'puts %x(git push)'`, `python3 -c 'from os import execvp; execvp("git", ["git", "push"])'`, `python3 -c 'import os as o; o.execlp("git", "git", "push")'`, `python3 -c 'from os import system as s; s("git push")'`,
		`php -r 'exec("git push");'`, "php -r '`git push`;'", `php -r 'passthru("git push");'`, `perl -e 'exec qw(git push)'`, `perl -e 'exec git, push'`, `echo x | perl -mstrict`, `echo x | deno run -`, `sudo -u python3 bash -s <<< 'git push'`, `echo x > >(python3)`, `gawk '/"/ {print | "git push"}' f`, `perl -e 'system qw(git push)'`, `perl -e 'open(F, "git push|")'`, `ruby -e 'exec "git push"'`, `lua -e 'os.execute("git push")'`, `Rscript -e 'system2("git", "push")'`, `osascript -e 'do shell script "git push"'`,
		`awk 'BEGIN{system("git push")}'`, `gawk 'BEGIN{"git push" | getline}'`, `mawk 'BEGIN{c="git push"; c | getline x}'`, `nawk '{print | "git push"}' f`, `awk '{c="git push"; print $1 | c}' f`, `awk -F: -v x=1 'BEGIN{system("git push")}'`, `gawk 'BEGIN{f="system"; @f("git push")}'`, `expect -c 'spawn git push'`, `tclsh <<< 'exec git push'`,
		"shopt -s expand_aliases\nalias g=git\ng push", "alias g=git x='g push'; x", `git -c ALIAS.p=push p`, `git --config-env=alias.p=X p`, `git --config-env alias.p=X p`, `git -c include.path=x p`, `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p`,
		`export GIT_CONFIG_GLOBAL=x; git p`, `env GIT_CONFIG_PARAMETERS=x git p`, `BASH_ALIASES[g]=git; g push`, `/usr/lib/git-core/git-push`, `git-push`, `git-push origin main`, `sudo git-push`,
		`$'git\0zz' push`, `git $'push\0zz'`,
		`env -vS'git push'`, `env -S 'git\_push'`, `env -iS 'git push'`, `env -S git push`, `env -Sgit push`, `env --split-string='git push'`, `env --split-string 'git push'`, `env --split=git push`, `env -S '-i git push'`, `env -u X -S 'git "push"'`,
		`hash -p /usr/bin/git x; x push`, `x='$(git push)'; echo "${x@P}"`, `compgen -C 'git push'`, `mapfile -C 'git push' -c 1 x < f`, `readarray -tC 'git push' x < f`, `complete -C 'git push' x`,
		`git -c core.fsmonitor='git push' status`, `git -c core.editor='git push' commit`, `git -c core.pager='git push' log`, `git -c CORE.sshCommand='git push' fetch`, `git config core.pager 'git push'`, `git -c credential.helper='!git push' fetch`, `git -c "core.pager=$X" log`,
		`GIT_EDITOR='git push' git commit`, `GIT_PAGER='git push' git log`, `export PAGER='git push'; git log`, `GIT_SSH_COMMAND='git push;' git fetch`, `GIT_EXTERNAL_DIFF='git push' git diff`, `env EDITOR='git push' crontab -e`, `EDITOR='git push' crontab -e`, `BASH_ENV='$(git push)' bash x.sh`, "ENV='`git push`' sh x.sh",
		`PS4='$(git push)' bash -x x.sh`, `PROMPT_COMMAND='git push' bash -i x.sh`, `GIT_EDITOR="$X" git commit`, `BASH_ENV=/dev/stdin bash x.sh <<< 'git push'`,
		`tar cf x --checkpoint=1 --checkpoint-action=exec='git push' f`, `tar cf x --checkpoint-action 'exec=git push' f`, `tar xf x --to-command='git push'`, `rsync -e 'git push' a b`, `rsync -ave 'git push' a b`, `rsync --rsh='git push' a b`, `ssh -o ProxyCommand='git push' x`, `ssh -oProxyCommand='git push' x`,
		"make -f - <<'X'\nall:\n\tgit push\nX", `printf 'a:\n\tgit push' | make -f -`, `echo x | gmake -f/dev/stdin`, `echo x | make --file=-`, `make --eval='a: ; git push' a`, `make -E 'a: ; git push' a`, `make SHELL='git push'`, `make -f "$X"`,
		`sed '1e git push' x`, `sed -n '1e' x`, `sed 's/.*/git push/e' x`, `sed -e 's|x|git push|ge' x`, `sed --expression='e git push' x`, `sed -n -e p -e '$!{e git push' -e '}' x`, `sed "$X" x`, `sed -f - x <<< 'e git push'`, `echo 'git push' | sed s/x/y/e`,
		`vim -c '!git push' x`, `vim -es '+!git push' +q`, `nvim --headless --cmd 'call system("git push")' +q`, `ex -sc '!git push|q' x`, `ed x <<< '!git push'`, `echo '!git push' | ed`, `ex -s x < f`, `emacs --batch --eval '(shell-command "git push")'`, `emacs -Q -batch -l x.el`, `vim -S x.vim`,
		`fd . -xgit push`, `fd . -Xgit push`, `fd . --exec=git push`, `fd . --exec-batch=git push`,
		`ssh -o PermitLocalCommand=yes -o LocalCommand='git push' x`, `ssh -oKnownHostsCommand='git push' x`, `scp -o ProxyCommand='git push' a b:c`, `sftp -oProxyCommand='git push' x`, `scp -S 'git push' a b:c`, `gdb -batch -ex 'shell git push'`, `gdb -ex '!git push'`, `sqlite3 x '.shell git push'`, `psql -c '\! git push'`, `man -P 'git push' ls`, `m4 <<< 'syscmd(git push)'`,
	} {
		if v := p.Judge(bash(line)); v.Level != Gated {
			t.Errorf("%q is %v: %q", line, v.Level, v.Why)
		}
	}
	for _, line := range []string{
		`bash -c -x 'git status'`, `bash -euo pipefail -c 'make'`, `bash -x x.sh -c conf`, `bash -lc 'ls'`, `sh -c 'echo "$1"' _ "$X"`, `nu x.nu`, `zsh -fc ls`, `dash -e x.sh`, `bash -s x <<< 'ls'`, `bash --norc x.sh`,
		`find . -name '*.go' -exec gofmt -l {} \;`, `find . -exec grep -l x {} +`, `ls | xargs -I{} cat {}`, `ls | xargs -I {} cp {} {}.bak`, `xargs -I% mv % x/%`, `find . -exec sh -c 'wc -l "$1"' _ {} \;`, `fd -e go -x gofmt -l {}`, `parallel gzip {} ::: a b`, `ls | xargs sed -i s/a/b/`, `ls | xargs grep -il x`,
		`find src -exec chmod 644 {} \; -exec ls {} \;`, `git ls-files | xargs -I{} git log -1 -- {}`, `git rebase HEAD@{1}`, `xargs -r -I{} mv {} x`,
		`python3 --version`, `node -v`, `python3 -m pytest`, `python3 x.py`, `ruby -v`, `python3 x.py "$ARG"`, `python3 -V 2>&1 | head`, `cat x | python3 x.py`, `cat x | python3 -m json.tool`, `cat x | python3 -c 'import sys; print(sys.stdin.read())'`, `cat x | perl -ne 'print'`, `cat x | node -p 1`, `cat x | perl -pe's/a b/c/'`,
		`cat x | python3 -mjson.tool`, `command -v python3 | head`, `command -v node >/dev/null || echo no`, `for f in *.py; do python3 "$f"; done`, `python3 "$DIR/x.py" | tail`, "python3 - x <<'X'\nprint(1)\nX", "uv run python - <<'X'\nprint(1)\nX", "timeout 5 python3 <<'X'\nprint(1)\nX", `uv run python -m pytest 2>&1 | tail`,
		`python3 x.py -c "$DIR/conf"`, `awk '{print $1}'`, `ls | awk '{print $1}' | sort`, `awk -F: '{print $1}' f`, `awk -F "$SEP" '{print $1}' f`, `awk -v x="$X" '$1 > x || $2 < x' f`, `awk '/foo|bar/ {print}' f`, `awk '{print $1"|"$2}' f | head`, `awk '{print "a | b"}' f`, `awk 'NR % 2 && /x/ {printf "%s\n", $1}' "$F"`, `awk -f x.awk f`,
		`python3 -c 'from os import path; print(path.sep)'`, `python3 -c 'import os as o; print(o.getcwd())'`, `node -e 'console.log(` + "`x`" + `)'`, `perl -e 'print 1'`, `ruby -rjson -e 'puts 1'`, `php -r 'echo 1;' | cat`, `php -l x.php`, `php -m | grep x`, `perl -pi -e 's/exec/run/' x`, `python3 -c 'import os; os.open("f", os.O_RDWR | os.O_CREAT)'`, `python3 -c 'print("the system works")'`, `expect x.exp`,
		`alias`, `alias ll='ls -l'`, `alias ll='ls -l'; ls`, `git -c user.name='Joe Blow' commit -m x`, `git --exec-path`, `git config --get alias`, `GIT_CONFIG_NOSYSTEM=1 git status`, `GIT_CONFIG_GLOBAL=/dev/null git status`, `git-lfs pull`, `git-status`, `echo git-push`,
		`$'git\x20' status`, `echo $'a\tb'`, `env -u X ls`, `env A=1 make -S`, `env CC=x cmake -S . -B y`, `ENV=$X make`,
		`hash -r`, `echo "${x@Q}"`, `mapfile -t x < f`, `compgen -c`, `git -c core.pager=cat log`, `git -c core.editor=true rebase --continue`, `git -c core.pager='less -R' log`, `git -c core.fsmonitor=false status`, `git config core.editor`, `EDITOR=vim git commit`, `GIT_EDITOR=true git rebase --continue`, `GIT_PAGER=cat git log`, `PAGER= git log`,
		`GIT_SSH_COMMAND='ssh -i k' git fetch`, `PS4='+(${BASH_SOURCE}:${LINENO}): ' bash -x x.sh`, `BASH_ENV=x.sh bash y.sh`, `GIT_SEQUENCE_EDITOR=: git rebase -i main`, `tar czf x.tgz a`, `tar -I zstd -cf x a`, `rsync -ae 'ssh -p 22' a b`, `rsync -av --exclude x a b`, `ssh -o StrictHostKeyChecking=no x ls`,
		`make`, `make -f x.mk test`, `make -j4 CC=gcc`, `make -C x -B`, `make test | tail`, `cat x | make test`,
		`sed -n 1,3p x`, `sed 's/e/x/' x`, `sed -e 's/a/b/g' -e '/e/d' src/e`, `sed 's|a/e|b|' x`, `sed -n '/x/,/e/p' x`, `sed '/re/i text e' x`, `sed -i.bak 's/one e/two/' x`, `cat x | sed -E 's/(a|e)/b/g'`, `sed -n "$N"p x`, `sed "s/a/$X/g" x`, `sed -n '$p' x`, `sed y/abe/xyz/ x`, `sed -f x.sed y`,
		`vim x`, `vim +12 x`, `ed x`, `emacs x`, `fd -x gofmt -l`, `fd . -xgofmt -l`, `sqlite3 x 'select 1'`, `psql -c 'select 1'`, `scp a b:c`, `gdb -batch -ex bt x`, `man ls`, `cat x | sqlite3 y 'select 1'`,
	} {
		if v := p.Judge(bash(line)); v.Level != Free {
			t.Errorf("%q is %v: %q", line, v.Level, v.Why)
		}
	}
}

func TestProgramsInALineDoNotWriteIntoAStore(t *testing.T) {
	p := Policy{}
	for _, line := range []string{
		`python3 -c "open('.vespe/config.json','w').write('{}')"`, "python3 <<'X'\nimport pathlib\npathlib.Path('.vespe/x').write_text('')\nX", `node -e "require('fs').writeFileSync('.vespe/config.json','')"`,
		`perl -e 'unlink ".vespe/config.json"'`, `ruby -e 'File.write(".vespe/x", 1)'`, `perl -pi -e 's/a/b/' .vespe/config.json`, `find . -delete`, `find . -exec rm -rf {} +`, `vespe export --output .vespe/config.json`,
		`python3 -c "open('.vespe/x','w').write('$X')"`,
		`python3 -c "print(open('.vespe/config.json').read())"`, // what it does with the file isn't read
	} {
		if v := p.Judge(bash(line)); v.Level != Denied {
			t.Errorf("%q is %v: %q", line, v.Level, v.Why)
		}
	}
	for _, line := range []string{
		`python3 -c "open('x','w').write('')"`, `find . -name '*.pyc' -delete`, `vespe export --output x.json`,
	} {
		if v := p.Judge(bash(line)); v.Level != Free {
			t.Errorf("%q is %v: %q", line, v.Level, v.Why)
		}
	}
}

func TestNobodyRunsVespeAsSomebodyElse(t *testing.T) {
	p := Policy{}
	for _, line := range []string{
		`VESPE_ACTOR=human:bob vespe accept-plan x`, `export VESPE_ACTOR=human:bob; vespe accept-plan x`, `env VESPE_ACTOR=human:bob vespe answer x`, `VESPE_ACTOR=$X vespe answer x`,
		`CLAUDECODE= vespe accept-plan x`, `env -u CLAUDECODE vespe accept-plan x`, `unset CLAUDECODE CODEX_SANDBOX; vespe accept-plan x`, `env -i vespe accept-plan x`, `env - /usr/bin/vespe accept-plan x`,
		`HOME=/tmp/h vespe accept-plan x`, `XDG_CONFIG_HOME=/tmp/h vespe next`, `env HOME=/tmp/h vespe next`, `export HOME=/tmp/h; vespe ls`, `HOME=/tmp/h sh -c 'vespe next'`, `sudo HOME=/tmp vespe ls`, `XDG_STATE_HOME=. vespe next`,
		`vespe accept-plan x`, `/usr/local/bin/vespe accept-plan x`, `vespe -C /p accept-plan x`, `vespe --json accept-plan x`, `vespe --as agent:x trust`, `vespe review-accepted x`, `vespe undo x`, `vespe confirm`, `vespe answer x`, `vespe abort x -m no`,
		`command vespe accept-plan x`, `exec vespe trust`, `nohup vespe accept-plan x &`, `true && (vespe revalidate x)`, `echo x | xargs vespe accept-plan`, `vespe $(echo accept-plan) x`, `V=accept-plan; vespe $V x`, `bash -c "vespe accept-plan x"`,
		`sudo -u bob vespe accept-plan x`, `su bob -c 'vespe accept-plan x'`, `ssh localhost vespe accept-plan x`, `tmux new-session -d 'vespe accept-plan x'`, `tmux new-session -d vespe`, `screen -dm vespe`,
		`python3 -c "import os; os.system('vespe accept-plan x')"`, `node -e "require('child_process').execFileSync('vespe',['accept-plan','x'])"`, `python3 -c "import subprocess; subprocess.run(['vespe', 'trust'])"`, `make X='vespe accept-plan x'`, `python3 -c "import os; os.system('HOME=/tmp vespe next')"`,
		`script -qc 'vespe accept-plan x' /dev/null`, `sh -c 'unset CLAUDECODE; vespe accept-plan x'`, `env -u CLAUDECODE -u CODEX_SANDBOX sh -c 'vespe accept-plan x'`,
		`vespe hook claude-code PostToolUse < event.json`, `vespe hook claude-cod[e] PostToolUse`, `vespe hook "$(echo claude-code)" PostToolUse`, `c=claude-code; vespe hook $c PostToolUse`, `vespe -C /p hook`,
		`perl -e "exec qw(vespe hook claude-code PostToolUse)"`, `awk 'BEGIN{system("vespe hook claude-code PostToolUse")}'`, `echo claude-code PostToolUse | xargs vespe hook`, `echo hook claude-code | xargs vespe`,
		`cp $(which vespe) /tmp/v; /tmp/v hook claude-code PostToolUse`, `/tmp/v hook $c PostToolUse < x`, `python3 -c "import subprocess; subprocess.run(['/tmp/v', 'hook', 'claude-code', 'PostToolUse'])"`, `taskset 1 vespe hook claude-code Stop`,
		`read HOME <<< /tmp; vespe next`, `read -r x HOME < f; vespe next`, `printf -v HOME /tmp; vespe next`, `for HOME in /tmp; do vespe next; done`, `select HOME in /tmp; do vespe next; done`, `declare -x HOME=/tmp; vespe next`,
		`f() { local HOME=/tmp; vespe next; }; f`, `: ${HOME:=/tmp}; vespe next`, `unset HOME; : ${HOME=/tmp}; vespe next`, `((HOME=1)); vespe next`, `let HOME=1; vespe next`, `let 'HOME=1'; vespe next`, `env -S 'HOME=/tmp vespe next'`, `env --split-string='HOME=/tmp vespe next'`,
		`HOME+=/x vespe next`, `HOME+=/x; vespe next`, `mapfile HOME < f; vespe next`, `readarray -t HOME < f; vespe next`, `getopts a HOME; vespe next`, `declare -n h=HOME; h=/tmp; vespe next`, `builtin export HOME=/tmp; vespe next`, `command export HOME=/tmp; vespe next`,
		`v=HOME; export $v=/tmp; vespe next`, `export "$v"; vespe next`, `printf -v "$v" x; vespe next`, `read "$v" < f; vespe next`, `read "HO"ME < f; vespe next`, `echo $((HOME=1)); vespe next`, `for ((HOME=1;;)); do vespe next; done`, `wait -n -p HOME; vespe next`, `(( $v = 1 )); vespe next`, `(( $v = 1 )); vespe accept-plan x`, `XDG_CACHE_HOME=/tmp vespe ls`, `v=HOME; : ${!v:=/tmp}; vespe next`, `unset "$v"; vespe next`, `declare "$v=x"; vespe next`,
		`systemd-run --user --setenv=HOME=/tmp vespe next`, `systemd-run --user -E HOME=/tmp vespe next`, `typeset HOME=/tmp; vespe next`, `readonly CLAUDECODE=; vespe next`, `export -n CLAUDECODE; vespe next`, `eval HOME=/tmp; vespe next`,
		`taskset 1 vespe accept-plan x`, `uv run vespe accept-plan x`, `git submodule foreach vespe accept-plan x`, `git rebase -x 'vespe accept-plan x' main`, `setpriv vespe trust`, `HOME=/tmp taskset 1 vespe next`,
		`V=vespe; HOME=/tmp $V ls`, `V=/usr/bin/vespe; script -qc "$V accept-plan x"`, `for v in vespe; do $v trust; done`, `set -- vespe; $1 trust`, `read V <<< vespe; HOME=/tmp $V ls`, `V=$(which vespe); HOME=/tmp $V ls`, `HOME=/tmp $(which vespe) ls`,
		`x=HOME=/tmp; env $x vespe ls`, `env "$x" vespe accept-plan x`, `$x vespe accept-plan x`, `X=taskset; $X 1 vespe next`,
		`vespe plan accept x`, `vespe plan --json accept x`, `vespe -C /p plan accept x`, `vespe --json work reject x -m no`, `vespe -C plan store trust`, `vespe plan -C /p accept x`, `vespe request answer x`, `vespe task undo x`, `vespe run integrate --all`,
		`vespe "plan" 'accept' x`, `vespe plan $V x`, `V=plan; vespe $V accept x`, `vespe comment $V x`, `vespe agent hook claude-code Stop`, `vespe agent hook "$(echo claude-code)" Stop`, `taskset 1 vespe plan accept x`, `bash -c "vespe plan --json accept x"`,
		`python3 -c "import subprocess; subprocess.run(['vespe', 'plan', 'accept', 'x'])"`, `node -e "require('child_process').execFileSync('vespe',['plan','accept','x'])"`, `echo x | xargs vespe work accept`, `uv run vespe store trust`,
		`echo accept | xargs -I{} vespe plan {} x`, `echo vespe | xargs -I{} {} plan accept x`,
		`export CLAUDE_CODE_ENTRYPOINT=cli; vespe ls`, `CLAUDECODE=2 vespe ls`, `VESPE_AGENT=codex vespe next`, `env CODEX_SANDBOX=x vespe next`,
	} {
		if v := p.Judge(bash(line)); v.Level != Denied {
			t.Errorf("%q is %v: %q", line, v.Level, v.Why)
		}
	}
	for _, line := range []string{
		`VESPE_ACTOR=agent:codex vespe next`, `vespe search hook`, `NO_COLOR=1 vespe ls`, `env -u CLAUDECODE go test ./...`, `vespe next --json`, `HOME=/tmp/h go test ./...`, `tmux ls`, `vespe -C "$DIR" next`,
		`echo $HOME; vespe next`, `cd "$HOME" && vespe next`, `ls ${HOME}/x; vespe ls`, `grep HOME= f; vespe ls`, `echo "${HOME:-/tmp}"; vespe ls`, `read x < f; vespe ls`, `export PATH=$PATH:x; vespe ls`, `X=$HOME/x; vespe ls`, `echo "$X" | vespe define-plan x`,
		`[ "$((n+1))" = 2 ] && vespe ls`, `for f in *; do vespe show "$f"; done`, `printf '%s' "$X" | vespe define-plan x`, `vespe search HOME`, `foo --opt=$X; vespe ls`, `X[$i]=1; vespe ls`, `((n++)); vespe ls`, `export X="$Y"; vespe ls`,
		`vespe plan define x "trust the store"`, `vespe plan comments "$X"`, `vespe comment add "$X" words`, `vespe task new accept`, `vespe task list trust`, `vespe work done x "accept it"`, `vespe run trust`, `vespe show plan`,
		`vespe request ask x --title "may I run vespe plan accept?"`, `git commit -m "document vespe plan accept"`, `vespe task resume x`, `vespe agent prime`,
		`vespe show undo`, `vespe new "accept-plan of x"`, `vespe ask x --title "may I run vespe accept-plan?"`, `git commit -m "document vespe accept-plan"`, `grep -r "vespe accept-plan" docs`, `go build -o vespe . && ./vespe next`, `vespe resume x`,
		`cd /src/vespe && $GO test ./...`, `source .venv/bin/activate; vespe next`,
		`git commit -m "vespe hook claude-code"`, `grep -r "vespe hook claude-code" .`, `git hook run pre-commit`, `CLAUDE_CODE_ENTRYPOINT=cli go test ./...`,
	} {
		if v := p.Judge(bash(line)); v.Level != Free {
			t.Errorf("%q is %v: %q", line, v.Level, v.Why)
		}
	}
}

func TestVespeIsFreeWhereItIsVespeAlone(t *testing.T) {
	p := Policy{Own: model.GateRules{Tools: []string{"Bash"}, Paths: []string{"infra/**"}, Reads: []string{".env"}, Risk: model.RiskLow}}
	for line, want := range map[string]Level{
		`vespe next --json`: Free, `vespe ask x --title y`: Free, `PATH=/tmp:$PATH vespe next`: Gated, `vespe define-plan x < infra/x`: Free, `vespe define-plan x < .env`: Gated, `vespe export --output infra/x`: Gated, `./vespe next`: Gated,
	} {
		if v := p.Judge(bash(line)); v.Level != want {
			t.Errorf("%q is %v: %q", line, v.Level, v.Why)
		}
	}
	p = Policy{Own: model.GateRules{Commands: []string{"vespe run"}}}
	if v := p.Judge(bash(`vespe run --until-idle`)); v.Level != Gated {
		t.Error("a person's rule that names vespe is passed over")
	}
	if v := p.Judge(bash(`vespe ls`)); v.Level != Free {
		t.Error("vespe ls waits")
	}
}

func TestACommandIsNoPatchBecauseItSaysSo(t *testing.T) {
	p := Policy{Own: model.GateRules{Commands: []string{"git push"}}}
	if v := p.Judge(bash("git push\n: '\n*** Begin Patch\n*** Update File: x\n'")); v.Level != Gated {
		t.Errorf("it is %v", v.Level)
	}
}

// Anyone who is kept in bounds does not set the bounds.
func TestWhatSetsTheBoundsIsNotTheAgentsToChange(t *testing.T) {
	p := Policy{}
	for in, want := range map[string]Level{
		`echo x > ~/.config/vespe/config.toml`: Denied, `rm -rf ~/.config/vespe`: Denied, `rm ~/.local/state/vespe/hooks/x.json`: Denied, `cp x ~/.local/state/vespe/installed.json`: Denied, `cp x ~/.cache/vespe/x`: Denied, `cat ~/.cache/vespe/x`: Free, `echo x > ~/.local/state/vespe/trusted.json`: Denied,
		`cat ~/.config/vespe/config.toml`: Free, `echo x > src/vespe/main.go`: Free, `echo x > hooks/x`: Free, `echo x > ~/.local/state/vespe/worktrees/s/r/main.go`: Free, `rm -rf ~/.local/state/vespe`: Denied, `echo x > ~/src/vespe/config.toml`: Free,
		`echo '{}' > .claude/settings.json`: Gated, `rm -rf ~/.codex`: Gated, `sed -i s/a/b/ ~/.codex/config.toml`: Gated, `cat .claude/settings.json`: Free, `echo x > .claude/commands/x.md`: Free,
	} {
		c := bash(in)
		c.Places = PlacesIn("/p", "/p", func(k string) string { return map[string]string{"HOME": "/home/ann"}[k] })
		if v := p.Judge(c); v.Level != want {
			t.Errorf("%q is %v: %q", in, v.Level, v.Why)
		}
	}
	if v := p.Judge(tool("Edit", `{"file_path":"/p/.claude/settings.local.json"}`)); v.Level != Gated || len(v.Why) != 1 {
		t.Errorf("it is %v: %q", v.Level, v.Why)
	}
}

// The files by which it is known who approved are the person's, also where a link leads to them.
func TestWhoApprovedIsNotTheAgentsToChange(t *testing.T) {
	home := t.TempDir()
	for _, dir := range []string{".config", "dotfiles/vespe", ".ssh"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../dotfiles/vespe", filepath.Join(home, ".config/vespe")); err != nil {
		t.Fatal(err)
	}
	p := Policy{}
	for in, want := range map[string]Level{
		`echo x > ~/dotfiles/vespe/config.toml`: Denied, `rm -rf ~/dotfiles`: Denied, `echo x >> ~/.ssh/allowed_signers`: Denied, `cp x ~/.ssh/id`: Denied,
		`cat ~/.ssh/allowed_signers`: Free, `echo x > ~/.ssh/config`: Free, `echo x > ~/dotfiles/vimrc`: Free,
	} {
		c := bash(in)
		c.Places = PlacesIn("/p", "/p", func(k string) string { return map[string]string{"HOME": home}[k] },
			filepath.Join(home, ".ssh/allowed_signers"), filepath.Join(home, ".ssh/id"))
		if v := p.Judge(c); v.Level != want {
			t.Errorf("%q is %v: %q", in, v.Level, v.Why)
		}
	}
}

// What git says of a directory decides which store its rules come from.
func TestTheStoreOfADirectoryIsNotTheAgentsToChoose(t *testing.T) {
	p := Policy{}
	for in, want := range map[string]Level{
		`echo 'gitdir: meta' > .git`: Gated, `mv .git .git2`: Gated, `rm -rf ../.git`: Gated, `echo x > /p/.git/worktrees/a/gitdir`: Gated,
		`git status`: Free, `cat .git`: Free, `echo x > .gitignore`: Free, `rm -rf /tmp/clone/.git`: Free, `echo x > .git/info/exclude`: Free,
	} {
		c := bash(in)
		c.Places = PlacesIn("/p/sub", "/p", func(k string) string { return map[string]string{"HOME": "/home/ann"}[k] })
		if v := p.Judge(c); v.Level != want {
			t.Errorf("%q is %v: %q", in, v.Level, v.Why)
		}
	}
}

// A hook that is set up under another name is one that cannot find out what is to be done.
func TestAnEventThatIsNoneIsTheOneThatTheClientTells(t *testing.T) {
	f := newFixture(t)
	for _, event := range []string{"", "preToolUse", "pre-tool-use"} {
		got := said{}
		var out bytes.Buffer
		d := f.hookDeps(f.event(PreToolUse, map[string]any{"tool_name": "Bash", "tool_use_id": "x", "tool_input": map[string]string{"command": "ls"}}))
		d.Stdout = &out
		if err := Run(t.Context(), d, ClaudeCode, event); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Specific.Permission != "deny" || got.Specific.Event != PreToolUse {
			t.Errorf("%q answers %s", event, &out)
		}
	}
}
