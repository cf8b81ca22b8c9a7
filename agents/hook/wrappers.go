package hook

import (
	"slices"
	"strings"
)

// wrapper says how a program is told which command to run. Options are words with blanks between them.
type wrapper struct {
	values string // options whose value is the next word
	lines  string // options whose value is a line for a shell
	before int    // words of its own that may stand before the command; none where only lines are run
}

const (
	none  = -1
	some  = 3
	many  = 20
	npx   = "-p --package --node-options"
	uvRun = "-p -w --python --with --with-editable --with-requirements --directory --project --env-file --package --extra --group --from --index"
	pane  = "-s -n -t -c -x -y -F -e -l"
)

// wrappers are programs, some with the verbs, that run a command that they are given.
var wrappers = map[string]wrapper{
	// as somebody else, or with other rights
	"sudo": {values: "-u -g -h -p -C -T -U -r -t -D -R --user --group", before: 1}, "doas": {values: "-u -C", before: 1}, "su": {values: "-s", lines: "-c --command", before: 1},
	"runuser": {values: "-u", lines: "-c --command"}, "sg": {lines: "-c --command"}, "gosu": {before: 1}, "su-exec": {before: 1}, "fakeroot": {values: "-l -s -i -f -b"}, "pkexec": {values: "--user"},
	"setpriv": {values: "--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig"}, "capsh": {lines: "-c", before: none},
	// somewhere else
	"chroot": {before: 1}, "unshare": {values: "-S -G -R -w --root --wd"}, "nsenter": {values: "-t -S -G --target --setuid --setgid"}, "proot": {before: many}, "bwrap": {before: many}, "firejail": {before: many},
	"systemd-run": {values: "-u -p -E -M -H -t --unit --property --setenv --slice --working-directory"}, "dbus-run-session": {}, "xvfb-run": {values: "-s -n -f -e -l -p -w"}, "setarch": {before: 1}, "linux32": {}, "linux64": {}, "arch": {},
	// with another environment
	"env": {values: "-u -C --unset --chdir"}, "direnv exec": {before: 1}, "mise x": {before: some}, "mise exec": {before: some}, "asdf exec": {}, "nix develop": {before: some}, "nix shell": {before: some}, "nix-shell": {lines: "--run --command", before: none},
	"poetry run": {}, "pdm run": {}, "rye run": {}, "hatch run": {}, "pixi run": {}, "pipenv run": {}, "pipx run": {}, "uv run": {values: uvRun}, "uvx": {values: uvRun}, "conda run": {values: "-n -p --name --prefix"}, "mamba run": {values: "-n -p"},
	"bundle exec": {}, "npx": {values: npx, lines: "-c --call"}, "npm exec": {values: npx, lines: "-c --call"}, "npm x": {values: npx, lines: "-c --call"}, "pnpm exec": {}, "pnpm dlx": {}, "yarn exec": {}, "yarn dlx": {}, "bunx": {}, "bun x": {},
	// with another share of the machine, or watched
	"nice": {values: "-n"}, "ionice": {values: "-c -n -p"}, "chrt": {}, "taskset": {before: 1}, "numactl": {values: "-N -m -C -i -p"}, "prlimit": {}, "cpulimit": {values: "-l"}, "timeout": {values: "-s -k", before: 1}, "time": {values: "-f -o"},
	"nohup": {}, "setsid": {}, "stdbuf": {values: "-i -o -e"}, "unbuffer": {}, "script": {lines: "-c --command"}, "flock": {values: "-w -E", lines: "-c --command", before: 1}, "strace": {values: "-e -o -p"}, "ltrace": {values: "-e -o -p -n -u"},
	"gdb": {values: "-ex -x"}, "valgrind": {}, "perf": {before: some}, "caffeinate": {values: "-t -w"}, "chronic": {}, "tini": {}, "dumb-init": {}, "torsocks": {}, "proxychains": {}, "proxychains4": {}, "rlwrap": {},
	// again and again
	"xargs": {values: "-I -n -P -L -d -E -s -a"}, "parallel": {values: "-j -I"}, "watch": {values: "-n"}, "entr": {}, "hyperfine": {values: "-w -r -m -M -n", lines: "-p -s -c --prepare --setup --cleanup"}, "nodemon": {lines: "-x --exec", before: none},
	// of the shell's own
	"command": {}, "builtin": {}, "exec": {values: "-a"}, "busybox": {}, "toybox": {},
	// in a terminal
	"tmux new": {values: pane}, "tmux new-session": {values: pane}, "tmux neww": {values: pane}, "tmux new-window": {values: pane}, "tmux splitw": {values: pane}, "tmux split-window": {values: pane}, "tmux send": {values: "-t"}, "tmux send-keys": {values: "-t"},
	"tmux run": {values: "-t"}, "tmux run-shell": {values: "-t"}, "screen": {values: "-S -t -c -h -s -T"},
	// by git
	"git submodule foreach": {}, "git bisect run": {}, "git rebase": {lines: "-x --exec", before: none}, "git difftool": {lines: "-x --extcmd", before: none},
	"git filter-branch": {lines: "--setup --tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --tag-name-filter", before: none},
}

const mostVerbs = 4 // words in which a wrapper's verb is looked for: those before it may be values of options

// wrapperOf is what a program does with the words that it is given, and those after its verb.
func wrapperOf(name string, words []word) (w wrapper, rest []word, ok bool) {
	if w, ok = wrappers[name]; ok {
		return w, words, true
	}
	last := ""
	n := 0
	for i, verb := range words {
		if strings.HasPrefix(verb.text, "-") {
			continue
		}
		if w, ok = wrappers[name+" "+verb.text]; ok {
			return w, words[i+1:], true
		}
		if w, ok = wrappers[name+" "+last+" "+verb.text]; ok {
			return w, words[i+1:], true
		}
		last = verb.text
		if n++; n == mostVerbs {
			break
		}
	}
	return w, nil, false
}

// wrapped reads what a wrapper runs. Where that begins is not always sure, so every word at which it might is
// taken for a command: of a rule too many nobody is harmed.
func (r *reading) wrapped(name string, words []word, depth int) {
	how, words, ok := wrapperOf(name, words)
	if !ok {
		return
	}
	values := strings.Fields(how.values)
	first := true
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case strings.HasPrefix(w.text, "-") && !w.unsure:
			if name == "env" && (w.text == "-S" || strings.HasPrefix(w.text, "--split-string") || strings.HasPrefix(w.text, "-S")) {
				rest := append([]word{{text: strings.TrimPrefix(strings.TrimPrefix(w.text, "--split-string="), "-S")}}, words[i+1:]...)
				r.again(rest, depth)
				return
			}
			if line, ok := how.line(words[i:]); ok {
				r.again(line, depth)
				if how.before != none {
					return
				}
				continue
			}
			if slices.Contains(values, w.text) {
				i++
			}
			if name == "env" && (w.text == "-u" || w.text == "--unset") && i < len(words) {
				r.sets = append(r.sets, word{text: words[i].text + "=", unsure: words[i].unsure})
			}
		case how.before == none:
		case strings.Contains(w.text, "=") && (name == "env" || name == "sudo"):
			r.sets = append(r.sets, w)
		case strings.Contains(w.text, "=") && !strings.HasPrefix(w.text, "/") && name != "xargs":
			// an assignment, as env takes them
		case w.unsure && first:
			r.doubt("what it runs is only known at run time")
			return
		case w.unsure:
		case isNumber(w.text):
		default:
			if strings.ContainsAny(w.text, " \t\n;|&") { // watch and parallel take a line
				r.again([]word{w}, depth)
			}
			r.run(given(name, words[i:]), depth+1, false)
			if how.before--; how.before < 0 {
				return
			}
			first = false
		}
	}
}

// line is the line that a program gives to a shell, of its words from an option on.
func (w *wrapper) line(words []word) (line []word, ok bool) {
	flag := words[0].text
	for option := range strings.FieldsSeq(w.lines) {
		switch long := strings.HasPrefix(option, "--"); {
		case long && strings.HasPrefix(flag, option+"="):
			return []word{{text: flag[len(option)+1:], unsure: words[0].unsure}}, true
		case len(words) < 2:
		case flag == option, !long && !strings.HasPrefix(flag, "--") && strings.HasSuffix(flag, option[1:]):
			return words[1:2], true
		}
	}
	return nil, false
}
