package hook

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"vespe/internal/lazyregexp"
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

// has reports a word of a command that meets a condition.
func (c *command) has(is func(text string) bool) bool {
	return slices.ContainsFunc(c.words, func(w word) bool { return is(w.text) })
}

// script is what a line for a shell would run, as far as that can be read.
type script struct {
	commands []command
	writes   []word   // where output is redirected to
	reads    []word   // where input comes from
	dirs     []word   // where it goes with cd
	sets     []word   // variables that it sets, as NAME=VALUE
	code     []string // what is given to programs of other languages to run
	unsure   string   // why it cannot be surely read; ""
}

const (
	maxScript   = 256 << 10 // bytes that are parsed
	maxNested   = 5         // shells within shells
	maxBraces   = 200       // words that {a,b} may become
	maxBrackets = 8 << 10   // "(": the parser calls itself for each that is open
	maxWords    = 20_000    // of all commands that are looked into
)

// Why a script can't be read for certain.
const (
	unknownProgram = "what it runs is only known at run time"
	unknownInput   = "a shell gets input that is only known at run time"
	pipedInput     = "a shell runs its input"
	startsPrograms = "it starts a program that runs other programs"
)

// reading collects a script.
type reading struct {
	*script
	home    string
	seen    int                       // words of commands
	fed     map[*syntax.CallExpr]bool // shells whose script stands after them
	piped   bool                      // something may get text from elsewhere
	aliases []string                  // their names
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

// An expression that sets a variable, and the names in it.
var (
	setting = lazyregexp.New(`(^|[^=!<>])=($|[^=])|\+\+|--`)
	names   = lazyregexp.New(`[A-Za-z_]\w*|[$"'\\]`)
)

// expression takes the variables that an expression may set.
func (r *reading) expression(text string) {
	if !setting.Get().MatchString(text) {
		return
	}
	for _, name := range names.Get().FindAllString(strings.TrimPrefix(text, "$"), -1) {
		if strings.Contains(`$"'\`, name) {
			name = unknownName
		}
		r.sets = append(r.sets, word{text: name + "=", unsure: true})
	}
}

func (r *reading) read(src string, depth int) {
	if len(src) > maxScript || depth > maxNested || strings.Count(src, "(") > maxBrackets || strings.ContainsRune(src, 0) {
		r.doubt("it is too long, too deep or has a NUL byte")
		return
	}
	r.piped = r.piped || pipes.Get().MatchString(src)
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
			if words := r.all(n.Args); len(words) > 0 {
				r.run(words, depth, r.fed[n])
			}
		case *syntax.Assign:
			w := word{}
			if n.Value != nil {
				w = r.word(n.Value)
			}
			if n.Name != nil {
				w.text = n.Name.Value + "=" + w.text
			}
			r.sets = append(r.sets, w)
			r.told("", w, depth)
		case *syntax.WordIter: // of for and select
			r.sets = append(r.sets, word{text: n.Name.Value + "=", unsure: true})
			for _, w := range r.all(n.Items) {
				r.sets = append(r.sets, word{text: n.Name.Value + "=" + w.text, unsure: true})
			}
		case *syntax.LetClause, *syntax.ArithmCmd, *syntax.ArithmExp, *syntax.CStyleLoop:
			r.expression(src[n.Pos().Offset():n.End().Offset()])
		case *syntax.ParamExp:
			if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word.Lit() == "P" {
				r.doubt(unknownProgram)
			}
			if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				r.sets = append(r.sets, word{text: unknownName, unsure: true})
			}
		case *syntax.CoprocClause:
			r.doubt("it has a coprocess")
		}
		return true
	})
}

// unknownName stands for the name of a variable, or a part of it, that is not known before the script runs.
const unknownName = "\x00"

// all are the words that some words of a script become.
func (r *reading) all(args []*syntax.Word) []word {
	var out []word
	for _, w := range args {
		out = append(out, r.words(w)...)
	}
	return out
}

// redirects are the files of a statement, and the script that a shell gets on its standard input.
func (r *reading) redirects(s *syntax.Stmt, depth int) {
	call, _ := s.Cmd.(*syntax.CallExpr)
	for _, d := range s.Redirs {
		input := d.Hdoc
		op := d.Op.String()
		switch {
		case strings.HasPrefix(op, "<<"):
			if input == nil {
				input = d.Word
			}
			if call != nil && input != nil {
				r.feed(call, r.word(input), depth)
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

// shells run a script that they are given. The foreign ones have a syntax or options of their own.
const foreignShells = "fish csh tcsh pwsh powershell nu elvish xonsh"

var (
	shells  = wordList{text: "sh bash rbash zsh dash ash ksh mksh oksh yash posh " + foreignShells}
	foreign = wordList{text: foreignShells}
)

// interpreters run programs of other languages. Only what these say in plain words counts.
var interpreters = wordList{text: `
	python pypy perl ruby node nodejs deno bun php lua Rscript osascript awk gawk mawk nawk expect tclsh`}

// interprets reports a program that runs what it is given, whatever its version.
func interprets(program string) bool {
	return interpreters.has(strings.TrimRight(program, "0123456789."))
}

// feed reads the text that a call gets on its standard input.
func (r *reading) feed(call *syntax.CallExpr, input word, depth int) {
	words := r.all(call.Args)
	runs := func(w word) bool { return interprets(path.Base(w.text)) || shells.has(path.Base(w.text)) }
	i := slices.IndexFunc(words, runs)
	if i < 0 || slices.ContainsFunc(words[i+1:], runs) || i > 0 && !wrappers.has(path.Base(words[0].text)) {
		return
	}
	given := command{words: words[i+1:]}
	if given.has(func(s string) bool { return !strings.HasPrefix(s, "-") }) &&
		!given.has(func(s string) bool { return s == "-" || s == "-s" }) {
		return
	}
	r.fed[call] = true
	name := path.Base(words[i].text)
	if interprets(name) {
		r.program(name, input.text)
	}
	if input.unsure || !interprets(name) {
		r.again(input, unknownInput, depth)
	}
}

// run takes the words of a command, and of those that it runs in turn.
func (r *reading) run(words []word, depth int, fed bool) {
	c := command{name: words[0], words: words[1:]}
	if c.name.unsure && c.name.text != "[" {
		r.doubt(unknownProgram)
		return
	}
	r.commands = append(r.commands, c)
	if r.seen += len(words); r.seen > maxWords || depth > maxNested {
		r.doubt("it runs too many commands")
		return
	}
	switch name := c.program(); {
	case name == "cd" || name == "pushd":
		if len(c.words) > 0 {
			r.dirs = append(r.dirs, c.words[len(c.words)-1])
		}
	case name == "source" || name == ".":
		if len(c.words) > 0 && (c.words[0].unsure || isInput(c.words[0].text)) {
			r.doubt(unknownInput)
		}
	case name == "at" || name == "batch":
		r.doubt(pipedInput)
	case interprets(name):
		r.interpret(&c, fed)
	case shells.has(name):
		r.shell(&c, depth, fed)
	case r.starts(&c):
		r.doubt(startsPrograms)
	}
	asks := c.program() == "command" && len(c.words) > 0 && strings.EqualFold(c.words[0].text, "-v")
	if wrappers.has(c.program()) && !asks {
		r.wrapper(&c, c.words, depth, fed)
	}
	if verb, ok := strings.CutPrefix(c.program(), "git-"); ok {
		r.run(append([]word{{text: "git"}, {text: verb}}, c.words...), depth+1, fed)
	}
	if slices.Contains(r.aliases, c.name.text) {
		r.doubt("it runs an alias")
	}
	for i, w := range c.words {
		if r.told(c.program(), w, depth); slices.Contains(wrappersOf(c.program()), w.text) {
			r.wrapper(&c, c.words[i+1:], depth, fed)
		} else if run := attached(c.program(), w); run.text != "" {
			r.wrapper(&c, append([]word{run}, c.words[i+1:]...), depth, fed)
		}
		if i > 0 && configured.has(c.program()) {
			r.told(c.program(), word{text: c.words[i-1].text + "=" + w.text, unsure: w.unsure}, depth)
		}
	}
}

// Words that say what another name runs, and words that hold what is run. The program that gets them stands before.
var (
	renames = lazyregexp.New(`^git (?i:--config-env|alias\.|include(if)?\.|--exec-path=)|^env (-[0iv]*S(=?\S*[\s\\]|[^=])|--sp)|` +
		`^hash -\w*p|^enable -\w*f|^(compgen|complete) -\w*[CFW]|^(mapfile|readarray) -\w*C|^\S* BASH_ALIASES=|` +
		"^\\S* GIT_(CONFIG(_[CKVPGS]\\w*)?|EXEC_PATH)=|^\\S* ((BASH_)?ENV|PS4)=(?s:.*)(\\$\\(|`|@P|/dev/)|^\\S* (BASH_ENV|PS4)=.*\x00")
	holds = lazyregexp.New(`^(?:git (?i:core\.(?:fsmonitor|editor|pager|sshcommand|askpass)|pager\.\w+|diff\.external|sequence\.editor|` +
		`\S+\.(?:cmd|command|textconv|clean|smudge|process|driver|helper|program))|rsync (?:-\w*e|--rsh)|` +
		`(?:ssh|scp|sftp) (?:-o=?)?(?i:proxycommand|localcommand|knownhostscommand)|(?:scp|sftp) -S|man (?:-P|--pager)|tar (?:--checkpoint-action=exec|exec|--to-command|--use-compress-program)|` +
		`\S* (?:(?:GIT_(?:SEQUENCE_)?)?EDITOR|(?:GIT_)?PAGER|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|VISUAL|PROMPT_COMMAND))=!?((?s:.*))$`)
)

// configured are the programs whose words these expressions match. The rest of them match assignments.
var configured = wordList{text: `git env hash enable compgen complete mapfile readarray rsync ssh scp sftp man tar`}

// told reads what a word, or a variable where there is no program, has run.
func (r *reading) told(program string, w word, depth int) {
	if !configured.has(program) && !strings.Contains(w.text, "=") {
		return
	}
	text := program + " " + w.text
	if renames.Get().MatchString(text) && !strings.HasSuffix(text, "=/dev/null") {
		r.doubt("it says what another name runs")
	}
	if m := holds.Get().FindStringSubmatch(text); m != nil {
		r.again(word{text: m[1], unsure: w.unsure}, unknownProgram, depth)
	}
}

// Words of interpreters: before a program, before a value, without a program. What leads text into one. A text of awk.
var (
	beforeProgram = lazyregexp.New(`^(-\w*[ceErp]|--eval|--print|eval)$`)
	beforeValue   = lazyregexp.New(`^(-[WXICdrFv]|--require|--import|--loader)$`)
	needsNone     = lazyregexp.New(`:(-[Vh]|--(version|help|test).*)$|^py.*:-m.|^(perl|ruby|node|bun|lua)[0-9.]*:-v$|^php:-[vmi]$`)
	pipes         = lazyregexp.New(`(^|[^|])\|([^|]|$)|<|>\(`)
	awkText       = lazyregexp.New(`"(\\.|[^"\\])*"`)
)

// interpret takes the programs among the words of an interpreter, and doubts one that takes them from its input.
func (r *reading) interpret(c *command, fed bool) {
	awk, before, bare := strings.HasSuffix(c.program(), "awk"), "", true // bare: its program, or a file, is still to come
	for _, w := range c.words {
		option, value := strings.HasPrefix(w.text, "-"), beforeValue.Get().MatchString(before)
		unknown := w.unsure && strings.Trim(w.text, "\x00") == ""
		if unknown && strings.HasPrefix(before, "-") && !awk ||
			bare && w.unsure && (option || awk && !value || beforeProgram.Get().MatchString(before)) {
			r.doubt("a program gets arguments that are only known at run time")
		}
		code := strings.ContainsAny(w.text, " ('\"`")
		if code {
			r.program(c.program(), w.text)
		}
		if bare && !value && (w.text == "-" || isInput(w.text)) {
			break
		}
		bare = bare && !code && !needsNone.Get().MatchString(c.program()+":"+w.text) &&
			(option || value || unknown || w.text == "run" || w.text == "eval")
		before = w.text
	}
	if bare && r.piped && !fed {
		r.doubt(pipedInput)
	}
}

// startsOthers is how programs are started from the usual languages; the name of one stands before what it matches.
var startsOthers = lazyregexp.New(`(?s)\bos\.(system|popen|exec|spawn|posix_spawn)|\bsubprocess\b|\bchild_process\b|` +
	`\bsystem2?\s*[("']|\bpopen\b|\bproc_open\b|\bshell_exec\b|\bqx\b|\bspawn(Sync)?\(|\bexec(Sync|File|FileSync)\(|` +
	`\bDeno\.Command\b|\bBun\.spawn|(^|[^.\w])exec\s*["'(]|\bpassthru\b|\b(exec|spawn)[lv]p?e?\s*\(|` +
	`\bp(osix_spawn|cntl_exec)|\bfrom\s+os\s+import\b[^\n]*\b(system|popen|exec|spawn)|\bOpen3\b|\bopen[23]\b|\bdo shell script\b|` +
	"^(perl|ruby|php)[0-9.]*:.*(`|%x[^\\w\\s=;,)]|\\bopen\\b[^;\\n|]*\\|([^|]|$))|" +
	`^(perl|ruby|expect|tclsh)[0-9.]*:.*\b(spawn|exec|system)\b\s*[^\s/=;,.)]|` +
	`^\w*awk:.*\x01.*([^|]\|&?\s*(""|getline)|\bprintf?\b[^;}/\n|]*\|&?\s*[\w(]|@\w+\s*\()|` +
	`^\w*awk:.*/[^/"\n]*("[^/"\n]*"[^/"\n]*)*"[^/"\n]*/.*\|.*\x01`)

// program takes a program of another language.
func (r *reading) program(language, text string) {
	r.code = append(r.code, text)
	if strings.HasSuffix(language, "awk") {
		text += "\x01" + awkText.Get().ReplaceAllString(text, `""`)
	}
	if startsOthers.Get().MatchString(language + ":" + text) {
		r.doubt(startsPrograms)
	}
}

// again reads a word as a script; unless says why one that is not known can't be.
func (r *reading) again(w word, unless string, depth int) {
	if w.unsure {
		r.doubt(unless)
		return
	}
	r.read(w.text, depth+1)
}

// isInput reports a file that is what a program is given by a pipe or a redirection.
func isInput(file string) bool {
	return file == "/dev/stdin" || strings.HasPrefix(file, "/dev/fd/") || strings.HasPrefix(file, "/proc/self/fd/")
}

// shell reads what a shell is told to run with -c, and doubts one that is piped to.
func (r *reading) shell(c *command, depth int, fed bool) {
	script, stdin := false, false // -c: the first word that is no option is the script; -s: none is
	for i := 0; i < len(c.words); i++ {
		w := c.words[i]
		option, long := strings.HasPrefix(w.text, "-") || strings.HasPrefix(w.text, "+"), strings.HasPrefix(w.text, "--")
		value := 1 + strings.IndexAny(w.text, "oO") // where an option of this word takes the next; 0
		if option && (strings.ContainsAny(w.text, blanks) || !long && value > 0 && value < len(w.text) ||
			foreign.has(c.program())) {
			r.doubt("a shell gets unusual options")
		}
		switch {
		case script && !option:
			r.again(w, unknownProgram, depth)
			return
		case w.unsure:
			r.doubt("a shell gets options that are only known at run time")
			return
		case slices.Contains([]string{"--rcfile", "--init-file", "--emulate"}, w.text):
			i++
		case long:
			script = script || strings.HasSuffix(w.text, "command")
		case option:
			script = script || strings.Contains(w.text, "c")
			stdin = stdin || strings.Contains(w.text, "s")
			i += min(value, 1)
		case isInput(w.text):
			r.doubt(unknownInput)
			return
		case !stdin:
			return // a script in a file, which is a program like others
		}
	}
	if !fed { // what follows << is read with the statement; anything else comes by a pipe
		r.doubt(pipedInput)
	}
}
