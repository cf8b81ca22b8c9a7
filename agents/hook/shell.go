package hook

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command as far as it can be known without running anything.
type word struct {
	text   string
	unsure bool // a variable, a substitution or a pattern: it may be anything
	quoted bool // it surely is one word
}

// command is a program that a script would run.
type command struct {
	name  word // as it was written
	words []word
}

// program is the command's name without its directory.
func (c *command) program() string { return path.Base(c.name.text) }

// script is what a line for a shell would run, as far as that can be read.
type script struct {
	commands []command
	writes   []word   // where output is redirected to
	reads    []word   // where input comes from
	dirs     []word   // where it goes with cd
	sets     []word   // variables that it sets or takes away, as NAME=VALUE
	code     []string // what is given to programs of other languages to run
	unsure   string   // why it cannot be surely read; ""
}

const (
	maxScript   = 256 << 10 // bytes that are parsed
	maxNested   = 5         // shells within shells
	maxBraces   = 200       // words that {a,b} may become
	maxBrackets = 8 << 10   // "(": the parser calls itself for each that is open
)

// reading collects a script.
type reading struct {
	*script
	home string
	seen int                       // commands
	fed  map[*syntax.CallExpr]bool // shells whose script stands after them
}

// readScript reads a line for a POSIX shell or bash. home is what ~ and $HOME stand for; "" when it is not known.
func readScript(src, home string) script {
	s := script{}
	r := reading{script: &s, home: home, fed: map[*syntax.CallExpr]bool{}}
	r.read(src, 0)
	return s
}

func (r *reading) doubt(why string) {
	if r.unsure == "" {
		r.unsure = why
	}
}

func (r *reading) read(src string, depth int) {
	if len(src) > maxScript || depth > maxNested || strings.Count(src, "(") > maxBrackets || strings.ContainsRune(src, 0) {
		r.doubt("it is too long, too deep or has a NUL byte")
		return
	}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src), "")
	if err != nil {
		r.doubt("it is not a valid shell script")
		return
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			r.redirects(n, depth)
		case *syntax.CallExpr:
			r.call(n, depth)
		case *syntax.Assign:
			w := word{}
			if n.Value != nil {
				w = r.word(n.Value)
			}
			name, _, _ := strings.Cut(w.text, "=")
			switch {
			case n.Name != nil:
				w.text = n.Name.Value + "=" + w.text
			case w.unsure && strings.Contains(name, "\x00"):
				w.text = unknownName + "="
			}
			r.sets = append(r.sets, w)
		case *syntax.LetClause:
			for _, x := range n.Exprs {
				r.counts(x)
			}
		case *syntax.WordIter: // of for and select
			r.sets = append(r.sets, word{text: n.Name.Value + "=", unsure: true})
		case *syntax.ParamExp:
			if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				name := n.Param.Value
				if n.Excl {
					name = unknownName
				}
				r.sets = append(r.sets, word{text: name + "=", unsure: true})
			}
		case *syntax.BinaryArithm:
			if op := n.Op.String(); strings.HasSuffix(op, "=") && !slices.Contains([]string{"==", "!=", "<=", ">="}, op) {
				r.counts(n.X)
			}
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				r.counts(n.X)
			}
		case *syntax.CoprocClause:
			r.doubt("it has a coprocess")
		}
		return true
	})
}

// unknownName stands for the name of a variable, or a part of it, that is not known before the script runs.
const unknownName = "\x00"

// counts takes a variable that arithmetic sets.
func (r *reading) counts(x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok {
		if name := r.word(w); strings.Contains(name.text, "=") {
			r.sets = append(r.sets, name)
		} else {
			r.sets = append(r.sets, word{text: name.text + "=", unsure: name.unsure})
		}
	}
}

// redirects are the files of a statement, and the script that a shell gets on its standard input.
func (r *reading) redirects(s *syntax.Stmt, depth int) {
	call, _ := s.Cmd.(*syntax.CallExpr)
	for _, d := range s.Redirs {
		script := d.Hdoc
		op := d.Op.String()
		switch {
		case strings.HasPrefix(op, "<<"):
			if script == nil {
				script = d.Word
			}
			if call == nil || script == nil {
				continue
			}
			if r.readsCode(call) {
				r.interpret(r.word(script))
				continue
			}
			if !r.readsScript(call) {
				continue
			}
			r.fed[call] = true
			if w := r.word(script); w.unsure {
				r.doubt("a shell gets input that is only known at run time")
			} else {
				r.read(w.text, depth+1)
			}
		case strings.Contains(op, ">"):
			for _, w := range r.words(d.Word) {
				if !strings.Contains(op, "&") || !isNumber(w.text) && w.text != "-" {
					r.writes = append(r.writes, w)
				}
			}
		default:
			r.reads = append(r.reads, r.words(d.Word)...)
		}
	}
}

// shells run a script that they are given.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "fish"}

// readsScript reports a call of a shell that takes its script from its standard input.
func (r *reading) readsScript(c *syntax.CallExpr) bool {
	var words []word
	for _, w := range c.Args {
		words = append(words, r.words(w)...)
	}
	if len(words) == 0 || !slices.Contains(shells, path.Base(words[0].text)) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(w word) bool { return !strings.HasPrefix(w.text, "-") })
}

// call takes a simple command.
func (r *reading) call(c *syntax.CallExpr, depth int) {
	var words []word
	for _, w := range c.Args {
		words = append(words, r.words(w)...)
	}
	if len(words) > 0 {
		r.run(words, depth, r.fed[c])
	}
}

// run takes the words of a command, and of those that it runs in turn.
func (r *reading) run(words []word, depth int, fed bool) {
	if r.seen++; r.seen > 10_000 || depth > maxNested {
		r.doubt("it runs too many commands")
		return
	}
	c := command{name: words[0], words: words[1:]}
	if c.name.unsure && c.name.text != "[" {
		r.doubt("what it runs is only known at run time")
		return
	}
	r.commands = append(r.commands, c)
	name := c.program()
	switch {
	case name == "cd" || name == "pushd":
		if len(c.words) > 0 {
			r.dirs = append(r.dirs, c.words[len(c.words)-1])
		}
	case name == "eval":
		r.again(c.words, depth)
	case name == "trap":
		if len(c.words) > 1 && !strings.HasPrefix(c.words[0].text, "-") {
			r.again(c.words[:1], depth)
		}
	case name == "alias":
		for _, w := range c.words {
			if _, line, ok := strings.Cut(w.text, "="); ok {
				r.again([]word{{text: line, unsure: w.unsure}}, depth)
			}
		}
	case name == "unset" || name == "source" || name == ".":
		r.builtin(name, c.words)
	case name == "git":
		for i, w := range c.words { // NAME=VALUE after -c, or NAME VALUE after config
			if strings.HasPrefix(w.text, "alias.") && (strings.Contains(w.text, "=") || i < len(c.words)-1) {
				r.doubt("it defines a git alias")
			}
		}
	case interprets(name):
		for i, w := range c.words[:max(0, len(c.words)-1)] {
			if codeFlag.Get().MatchString(w.text) {
				r.interpret(c.words[i+1])
			}
		}
	case slices.Contains(shells, name):
		r.shell(&c, depth, fed)
	case name == "find" || name == "fd":
		r.found(c.words, depth)
	case name == "at" || name == "batch":
		r.doubt("a shell runs its input")
	}
	r.wrapped(name, c.words, depth)
}

// again reads words as a script.
func (r *reading) again(words []word, depth int) {
	var text []string
	for _, w := range words {
		if w.unsure {
			r.doubt("it runs something that is only known at run time")
			return
		}
		text = append(text, w.text)
	}
	r.read(strings.Join(text, " "), depth+1)
}

// builtin reads a command of the shell's own.
func (r *reading) builtin(name string, words []word) {
	for _, w := range words {
		switch {
		case name == "unset":
			r.sets = append(r.sets, word{text: w.text + "=", unsure: w.unsure})
		case w.unsure || isInput(w.text):
			r.doubt("a shell gets input that is only known at run time")
		}
		if name != "unset" {
			return // what follows are the script's own words
		}
	}
}

// isInput reports a file that is what a program is given by a pipe or a redirection.
func isInput(file string) bool {
	return file == "/dev/stdin" || strings.HasPrefix(file, "/dev/fd/") || strings.HasPrefix(file, "/proc/self/fd/")
}

// shellValues are the options of shells that take a value.
var shellValues = []string{"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}

// shell reads what a shell is told to run with -c, and doubts one that is piped to.
func (r *reading) shell(c *command, depth int, fed bool) {
	for i := 0; i < len(c.words); i++ {
		w := c.words[i]
		flag := strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--")
		switch {
		case w.unsure:
			r.doubt("a shell gets options that are only known at run time")
			return
		case flag && strings.Contains(w.text, "c"):
			if i+1 < len(c.words) {
				r.again(c.words[i+1:i+2], depth)
			}
			return
		case slices.Contains(shellValues, w.text), flag && strings.HasSuffix(w.text, "o"):
			i++
		case isInput(w.text):
			r.doubt("a shell gets input that is only known at run time")
			return
		case !strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "+"):
			return // a script in a file, which is a program like others
		}
	}
	if !fed { // what follows << is read with the statement; anything else comes by a pipe
		r.doubt("a shell runs its input")
	}
}

// found reads what find runs for each file.
func (r *reading) found(words []word, depth int) {
	for i, w := range words {
		switch w.text {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			if i+1 < len(words) {
				end := i + 1
				for end < len(words) && words[end].text != ";" && words[end].text != "+" {
					end++
				}
				r.run(words[i+1:end], depth+1, false)
			}
		}
	}
}

// given is a command with what a program adds to it from its input.
func given(name string, words []word) []word {
	if name != "xargs" && name != "parallel" {
		return words
	}
	return append(slices.Clone(words), word{text: "\x00", unsure: true})
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(strings.TrimRight(s, "smhd"), "0123456789.") == ""
}
