package hook

import (
	"slices"
	"strings"

	"vespe/internal/lazyregexp"
)

// Words by which programs that are no interpreters start others, after the program's name and each with a NUL before it;
// and programs that do what their input says, which may be to start others.
var (
	startingWords = lazyregexp.New(`^g?make(.*\x00)?(-f(\x00?(-|/dev/)|\x00\x00)|--(make)?file=(-|/dev/)|-E|--eval|SHELL=)|` +
		`^(n?vim?|ex|r?view|vimdiff)\b.*\x00(-\w*[cSs]|--cmd|\+\D)|^emacs.*\x00-(-?(eval|load|script|batch|funcall)|[lf]\b)|` +
		`^gdb\b.*\x00(-?-ex\w*[\x00=])?(shell|!|pipe|\||python|make)|^sqlite3\b.*\x00\.(sh|sy)|^psql\b.*\\!|^(mysql|mariadb)\b.*(\bsystem\b|\\!)`)
	starters   = wordList{text: `make gmake vi vim nvim ex view rview vimdiff emacs emacs-nox emacsclient gdb sqlite3 psql mysql mariadb`}
	obeysInput = wordList{text: `ed red ex m4 dc`}
)

// Where a program of sed runs a command: as a command of its own, and as a flag of s. sedFlag is an option before a program.
var (
	sedRuns = lazyregexp.New(`(^|[;{}\n0-9$!])\s*e(\s|$)|^/.*/\s*e\s|[^\w\s\\]\s*[gpIiMm0-9]*e[gpIiMm0-9]*\s*([;}\n]|$)`)
	sedFlag = lazyregexp.New(`^(-\w*[ef]|--(expression|file))$`)
)

// starts reports a command that has other programs started, in a way that is not read any further.
func (r *reading) starts(c *command) bool {
	switch {
	case c.program() == "sed":
		return c.sedRuns()
	case r.piped && obeysInput.has(c.program()):
		return true
	case !starters.has(c.program()):
		return false
	}
	line := []string{c.program()}
	for _, w := range c.words {
		line = append(line, w.text)
	}
	return startingWords.Get().MatchString(strings.Join(line, "\x00"))
}

// sedRuns reports a sed whose program runs commands, or is not known.
func (c *command) sedRuns() bool {
	flagged := slices.ContainsFunc(c.words, func(w word) bool {
		return sedFlag.Get().MatchString(w.text) || strings.HasPrefix(w.text, "--expression=")
	})
	before := ""
	for _, w := range c.words {
		text, long := strings.CutPrefix(w.text, "--expression=")
		program := long || sedFlag.Get().MatchString(before) || !flagged && !strings.HasPrefix(text, "-")
		file := strings.HasSuffix(before, "f") || before == "--file"
		if program && (text == "\x00" || !file && sedRuns.Get().MatchString(text) || file && (text == "-" || isInput(text))) {
			return true
		}
		flagged, before = flagged || program, w.text
	}
	return false
}
