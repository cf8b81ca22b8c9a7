package hook

import (
	"slices"
	"strings"

	"vespe/internal/lazyregexp"
)

// wrappers are programs that run a command, or a line for a shell, that they are given.
var wrappers = wordList{text: `
	sudo doas su runuser sg gosu su-exec fakeroot pkexec setpriv capsh chroot unshare nsenter proot bwrap firejail
	systemd-run dbus-run-session xvfb-run setarch linux32 linux64 arch env direnv mise asdf nix nix-shell poetry pdm rye
	hatch pixi pipenv pipx uv uvx conda mamba bundle npx npm pnpm yarn bunx bun nice ionice chrt taskset numactl prlimit
	cpulimit timeout time nohup setsid stdbuf unbuffer script flock strace ltrace gdb valgrind perf caffeinate chronic
	tini dumb-init torsocks proxychains proxychains4 rlwrap xargs parallel watch entr hyperfine nodemon command builtin
	exec busybox toybox tmux screen eval trap alias`}

// leading are wrappers that may take words of their own before the command.
var leading = wordList{text: `su runuser chroot gosu su-exec flock setarch direnv nix perf proot bwrap firejail tmux screen npm pnpm yarn`}

// wrappersOf are words with which a program runs a command.
func wrappersOf(program string) []string {
	switch program {
	case "git":
		return []string{"submodule", "bisect", "rebase", "difftool", "filter-branch"}
	case "find":
		return []string{"-exec", "-execdir", "-ok", "-okdir"}
	case "fd":
		return []string{"-x", "-X", "--exec", "--exec-batch"}
	}
	return nil
}

// attached is the program that stands behind such a word in one with it; no text where none does.
func attached(program string, w word) word {
	if program != "fd" {
		return word{}
	}
	for _, flag := range []string{"--exec-batch=", "--exec=", "-x", "-X"} {
		if run, ok := strings.CutPrefix(w.text, flag); ok {
			return word{text: run, unsure: w.unsure}
		}
	}
	return word{}
}

// What stands for input in a command that is run for each, and the options of xargs and parallel that say what does:
// with it in the next word, in the same word, or without.
var (
	holes   = lazyregexp.New(`\{[^{}A-Za-z\s]*\}|\{=`)
	marking = lazyregexp.New(`^(?:(-[0rtx]*[IJ])|-[0rtx]*i|--re\w*=?)(.*)$`)
	marked  = lazyregexp.New(`^-[0rtx]*(?:[IJ].|i)`)
)

// filled are the words of such a command, in which the input isn't known.
func filled(words []word) []word {
	out, mark, next := slices.Clone(words), "{}", false
	for i, w := range words {
		text := strings.ReplaceAll(holes.Get().ReplaceAllLiteralString(w.text, "\x00"), mark, "\x00")
		m := marking.Get().FindStringSubmatch(w.text)
		switch {
		case next && w.text != "":
			mark = w.text
		case m != nil && m[2] != "":
			mark = m[2]
		case text != w.text:
			out[i] = word{text: text, unsure: true, quoted: true}
		}
		next = m != nil && m[1] != "" && m[2] == ""
	}
	return out
}

// runWords are verbs of wrappers: what follows is the command.
var runWords = []string{"run", "exec", "x", "dlx", "foreach", "develop", "shell"}

// wrapper reads what a wrapper runs. Where that begins is not known for certain. So a word that may be the value of an
// option counts as the beginning of a command, too, and every word with blanks as a line.
func (r *reading) wrapper(c *command, words []word, depth int, fed bool) {
	adds := word{text: "\x00", unsure: true} // what these read
	fills := c.program() == "xargs" || c.program() == "parallel"
	switch r.seen += len(words); {
	case r.seen > maxWords:
		r.doubt("it runs too many commands")
		return
	case fills && len(words) > 0 && words[len(words)-1] != adds:
		words = append(filled(words), adds)
	case fills || c.program() != "git" && wrappersOf(c.program()) != nil:
		words = filled(words)
	}
	line := slices.Contains([]string{"eval", "trap", "alias"}, c.program())
	first, value := true, false // value: the word may be that of the option before it
	for i, w := range words {
		option := strings.HasPrefix(w.text, "-")
		before, set, assigns := strings.Cut(w.text, "=")
		switch {
		case assigns && (c.program() == "alias" || option && strings.ContainsAny(set, blanks) && !strings.ContainsAny(before, blanks)):
			r.again(word{text: set, unsure: w.unsure}, unknownProgram, depth)
			r.aliases = append(r.aliases, before)
		case assigns && w.unsure && bareName.Get().MatchString(before): // of a value that is not known
		case w.unsure && first:
			r.doubt(unknownProgram)
			return
		case w.unsure || isNumber(w.text):
		case strings.ContainsAny(w.text, blanks), (line || value) && strings.ContainsAny(w.text, "$`"):
			r.again(word{text: strings.TrimPrefix(w.text, "-S")}, unknownProgram, depth)
			first = false
		case option, assigns && !strings.HasPrefix(w.text, "/"): // or an assignment, as env takes them
		default:
			r.run(words[i:], depth+1, fed)
			first = first && (value || slices.Contains(runWords, w.text))
			run := command{name: w, words: words[i+1:]}
			if run.look() || r.seen > maxWords || !first && !leading.has(c.program()) {
				return
			}
		}
		value = option && !assigns && !(fills && marked.Get().MatchString(w.text))
	}
}

var bareName = lazyregexp.New(`^[A-Za-z_]\w*$`)

// blanks part the words of a line.
const blanks = " \t\n;|&"

func isNumber(s string) bool {
	return s != "" && strings.Trim(strings.TrimRight(s, "smhd"), "0123456789.") == ""
}
