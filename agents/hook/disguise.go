package hook

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"vespe/agents/desk"
	"vespe/internal/lazyregexp"
	"vespe/model"
	"vespe/model/lifecycle"
)

// The orders to an agent that would run vespe as somebody else, or in a person's place.
const (
	beYourself = "Don't run vespe as another user. Only a person can decide this. " +
		"Leave the environment as it is (HOME, XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME, VESPE_ACTOR, VESPE_AGENT and what your client sets), and ask with ask_human or `vespe request ask`."
	sayItPlainly = "vespe can't parse this command line, which mentions vespe. Run vespe as a command of its own."
	leaveIt      = "Don't run this vespe verb: it is for the person, or for your client's own hooks. " +
		"Ask the person with ask_human or `vespe request ask`, and wait for the answer."
)

// settingsVars are the variables by which vespe finds the person's settings, what they trust and what it has checked.
var settingsVars = []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"}

// clientVars are the variables by which vespe knows an agent, and whether a person sits at its session.
func clientVars() []string {
	out := []string{"CLAUDE_CODE_ENTRYPOINT"}
	for _, m := range desk.Marks() {
		out = append(out, m.Variable)
	}
	return out
}

// terminals are programs that give a command a terminal where no person sits.
var terminals = []string{"script", "unbuffer", "expect", "tmux", "screen", "dtach", "abduco", "zellij", "socat", "ttyd"}

// personVerbs are the verbs of the command line that no agent runs, with their groups and by their older names: a
// person's, and the hook, by which the agent's client reports what a person answered there.
var personVerbs = sync.OnceValue(func() []string {
	out := []string{"trust", "store trust", "integrate", "run integrate", "confirm", "plan confirm", "hook", "agent hook"}
	for _, t := range lifecycle.Table() {
		if t.Who == model.WhoHuman || t.Who == model.WhoHumanOrSystem {
			out = append(out, t.Name.Verb(), t.Name.CommandPath())
		}
	}
	return out
})

// personGroup reports the group of a person's verb.
func personGroup(word string) bool {
	return slices.ContainsFunc(personVerbs(), func(verb string) bool { return strings.HasPrefix(verb, word+" ") })
}

// vespeWord is vespe as a word of a line.
const vespeWord = `(?:^|[\s'"=;&|(/:])vespe(?:-workbench)?(?:$|[\s'";&|),])`

// workbench is the program that opens the workbench, in which a person decides.
const workbench = "vespe-workbench"

var (
	saysVespe = lazyregexp.New(vespeWord)
	// decides is a line that runs vespe with a person's verb.
	decides = sync.OnceValue(func() *regexp.Regexp {
		verbs := strings.ReplaceAll(strings.Join(personVerbs(), "|"), " ", `['",\s]+(?:-.*['",\s])?`) // flags may stand between
		return regexp.MustCompile(vespeWord + `(?:.*[\s'",\[])?(?:` + verbs + `)(?:$|[\s'",;&|)\]])`)
	})
	// hooks is a line that runs vespe's hook, whatever vespe is called there.
	hooks = lazyregexp.New(`(?:^|[\s'"(\[])hook['",\s]+(?:` + ClaudeCode + `|` + Codex + `|\S+['",\s]+(?:` + strings.Join(events, "|") + `))(?:$|\W)`)
)

// decided reports a line that runs vespe with a verb that no agent runs.
func decided(line string) bool {
	return decides().MatchString(line) || hooks.Get().MatchString(line)
}

// disguises is the order to an agent that would run vespe as somebody else: a person, or one whom vespe does not know
// for an agent; and to one that would decide what a person decides. "" where it would neither. line is what was read;
// program is the path of vespe, "" where that is not known.
func (s *script) disguises(line, program string) string {
	runs, told := false, false
	for i := range s.commands {
		c := &s.commands[i]
		switch own := c.program() == "vespe" || program != "" && c.name.text == program; {
		case own && c.decides(), c.program() == workbench:
			return leaveIt
		case own:
			runs = true
		case c.look():
		default:
			line := c.line()
			told = told || saysVespe.Get().MatchString(line)
			if decided(line) {
				return leaveIt
			}
		}
	}
	if slices.ContainsFunc(s.code, func(code string) bool { return decided(code) || strings.Contains(code, workbench) }) {
		return leaveIt
	}
	if s.unsure != "" {
		for _, dir := range s.dirs { // a directory may be called vespe
			line = strings.Replace(line, "cd "+dir.text, "cd .", 1)
		}
		switch {
		case decided(line):
			return leaveIt
		case saysVespe.Get().MatchString(line):
			return sayItPlainly
		}
	}
	if runs && (slices.ContainsFunc(s.sets, unknownOrApart) || slices.ContainsFunc(s.commands, command.setsApart)) {
		return beYourself
	}
	if (runs || told) && slices.ContainsFunc(s.commands, func(c command) bool { return slices.Contains(terminals, c.program()) }) {
		return beYourself
	}
	return ""
}

// setsApart reports a command that may set what tells vespe who runs it, or whose settings count. Much can set a
// variable, so every command counts that is told the name of one.
func (c command) setsApart() bool {
	name := c.program()
	setter := slices.Contains(setters, name)
	switch {
	case name == "printf" && !c.has(func(text string) bool { return strings.HasPrefix(text, "-v") }):
		return false // it prints
	case name == "env" && c.has(func(text string) bool { return text == "-" || text == "-i" || text == "--ignore-environment" }):
		return true
	case !setter && (name == "vespe" || c.look()):
		return false
	}
	return slices.ContainsFunc(c.words, func(w word) bool {
		_, value, assigns := strings.Cut(w.text, "=")
		return setter && w.unsure && !assigns || setsApart(w) || setsApart(word{text: value, unsure: w.unsure})
	})
}

// setters are commands that set a variable of which they are told the name.
var setters = []string{
	"env", "read", "mapfile", "readarray", "printf", "getopts", "export", "declare", "typeset", "local", "readonly", "unset", "let",
}

// unknownOrApart reports an assignment to a variable of a name that is not known, or to one of those.
func unknownOrApart(w word) bool {
	name, _, _ := strings.Cut(w.text, "=")
	return strings.Contains(name, unknownName) || setsApart(w)
}

// setsApart reports a word that may be NAME=VALUE, NAME+=VALUE or NAME for one of those variables.
func setsApart(w word) bool {
	name, value, _ := strings.Cut(w.text, "=")
	if name == "VESPE_ACTOR" && value != "" {
		return w.unsure || !strings.HasPrefix(value, model.Agent+":") && !strings.HasPrefix(value, model.MCPClient+":")
	}
	name, _, _ = strings.Cut(strings.TrimSuffix(name, "+"), "[")
	own := func(name string) bool {
		return name == "VESPE_ACTOR" || slices.Contains(settingsVars, name) || slices.Contains(clientVars(), name)
	}
	return own(name) || own(value)
}

// decides reports a command of vespe whose verb is a person's, or is not known before it runs. Which flags take a value
// is not known here: what follows one may be the verb, or not.
func (c *command) decides() bool {
	groups := []string{""} // that the word may belong to
	for i, w := range c.words {
		afterFlag := i > 0 && strings.HasPrefix(c.words[i-1].text, "-") && !strings.Contains(c.words[i-1].text, "=")
		person := func(group string) bool { return slices.Contains(personVerbs(), group+w.text) }
		switch {
		case strings.HasPrefix(w.text, "-") && !w.unsure:
			continue
		case !w.unsure && slices.ContainsFunc(groups, person), w.unsure && !afterFlag:
			return true
		case personGroup(w.text) && afterFlag:
			groups = append(groups, w.text+" ")
		case personGroup(w.text) && groups[0] == "":
			groups = []string{w.text + " "}
		case !afterFlag:
			return false
		}
	}
	return false
}

// line is what a command says, for a look at what it has others run.
func (c *command) line() string {
	out := c.program()
	for _, w := range c.words {
		out += " " + w.text
	}
	return out
}
