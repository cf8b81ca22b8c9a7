package hook

import (
	"path"
	"slices"
	"strings"

	"vespe/internal/lazyregexp"

	"mvdan.cc/sh/v3/syntax"
)

// interpreters run programs that they are given as text. What these do is not read; only what they say in plain
// words counts.
var interpreters = []string{"python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "Rscript", "osascript"}

// codeFlag is an option whose value is a program.
var codeFlag = lazyregexp.New(`^(-[A-Za-z]*[ceErp]|--eval|--print|eval)$`)

// startsOthers is how programs are started from the usual languages.
var startsOthers = lazyregexp.New(`\bos\.(system|popen|exec|spawn|posix_spawn)|\bsubprocess\b|\bchild_process\b|\bsystem\s*[("']|\bpopen\b|\bproc_open\b|\bshell_exec\b|\bqx\b|\bspawn(Sync)?\(|\bexec(Sync|File|FileSync)\(|\bDeno\.Command\b|\bBun\.spawn`)

// changesFiles is how files are written or removed from the usual languages.
var changesFiles = lazyregexp.New(`(?i)write|unlink|remove|rmdir|rmtree|rm\(|rmSync|rename|replace\(|truncate|mkdir|touch|dump|copy|move|symlink|chmod|append|["'][rwab]*[wax+][rwab+t]*["']|>`)

// interprets reports a program that runs what it is given, whatever its version.
func interprets(program string) bool {
	program = strings.TrimRight(program, "0123456789.")
	return slices.Contains(interpreters, program)
}

// interpret takes a program of another language.
func (r *reading) interpret(w word) {
	if w.unsure && strings.Trim(w.text, "\x00") == "" {
		r.doubt("a program gets arguments that are only known at run time")
		return
	}
	r.code = append(r.code, w.text)
	if startsOthers.Get().MatchString(w.text) {
		r.doubt("it starts a program that runs other programs")
	}
}

// readsCode reports a call of an interpreter that takes its program from its standard input.
func (r *reading) readsCode(c *syntax.CallExpr) bool {
	var words []word
	for _, w := range c.Args {
		words = append(words, r.words(w)...)
	}
	if len(words) == 0 || !interprets(path.Base(words[0].text)) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(w word) bool { return !strings.HasPrefix(w.text, "-") || codeFlag.Get().MatchString(w.text) })
}

// writesStore reports a program that says it would change files, and names a store's.
func writesStore(code string) bool {
	return strings.Contains(strings.ToLower(code), ".vespe") && changesFiles.Get().MatchString(code)
}
