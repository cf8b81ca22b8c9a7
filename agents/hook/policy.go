package hook

import (
	"fmt"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/model"
	"vespe/model/visible"
)

// Policy is what a person and a store say of the calls that wait. Each of them can only ask for more.
type Policy struct {
	Own    model.GateRules // of the person's config.toml
	Store  model.GateRules // of the store's config.json
	Before model.GateRules // that this file had earlier in the session
}

// Call is a call of a tool that an agent's client is about to make.
type Call struct {
	Tool   string
	Input  jsontext.Value
	Places Places
}

// Level is what becomes of a call.
type Level int

// The levels.
const (
	Free   Level = iota // it is the client's to decide
	Gated               // a person decides
	Denied              // nobody can allow it
)

// Verdict is what the policy says of a call.
type Verdict struct {
	Level Level
	Why   []string // the rules that it falls under, each with who set it; of one that is denied, the order to the agent
	Risk  string   // of the call: low, medium or high
	Risks []string // why
	// Command is what a shell would run; "" of a tool that is no shell.
	Command string
}

// Judge says what becomes of a call. Nothing is run, and nothing changed: links are followed on disk.
func (p *Policy) Judge(c *Call) Verdict {
	v := Verdict{}
	if isOwnTool(c.Tool) {
		return v // what they do they ask for themselves
	}
	var s *script
	if line, ok := c.command(); ok {
		if line == "" {
			v.Level, v.Why = Denied, []string{"This call has no command. Pass it as text."}
			return v
		}
		got := readScript(line, c.Places.Home)
		s, v.Command = &got, line
		if why := got.disguises(line, c.Places.Vespe); why != "" {
			v.Level, v.Why = Denied, []string{why}
			return v
		}
	}
	touched := c.touched()
	if s != nil {
		touched = append(touched, s.touched(&c.Places)...)
	}
	v.Risk, v.Risks = riskOf(c, s, touched)
	if why := trespass(c, s, touched); why != "" {
		v.Level, v.Why = Denied, []string{why}
		return v
	}
	if what := c.Places.binds(touched); what != "" {
		v.Level, v.Why = Gated, append(v.Why, what+" decides what an agent may do here")
	}
	if what := c.Places.redirects(touched); what != "" {
		v.Level, v.Why = Gated, append(v.Why, what+" says which store this directory uses")
	}
	own := s != nil && s.onlyVespe(c.Places.Vespe)
	p.gate(&v, func(g *model.GateRules) []string {
		if own { // it asks for itself; but what names it, or a file, is meant
			g = &model.GateRules{Commands: g.Commands, Paths: g.Paths, Reads: g.Reads}
		}
		return c.under(g, s, touched, v.Risk)
	})
	return v
}

// writes are the paths that written files may have.
func writes(touched []touch) iter.Seq2[*touch, string] {
	return func(yield func(*touch, string) bool) {
		for i := range touched {
			for _, at := range touched[i].at {
				if touched[i].write && !yield(&touched[i], at) {
					return
				}
			}
		}
	}
}

// redirects names what a call writes of the files by which git says where the session's directory belongs.
func (p *Places) redirects(touched []touch) string {
	for t, at := range writes(touched) {
		for dir := p.CWD; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
			git := filepath.Join(dir, ".git")
			above := t.deep && inside(git, at)
			if above {
				_, err := os.Lstat(git)
				above = err == nil
			}
			if above || at == git || inside(at, filepath.Join(git, "worktrees")) {
				return t.word
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return ""
}

// gate lets a call wait where it falls under rules.
func (p *Policy) gate(v *Verdict, under func(*model.GateRules) []string) {
	for _, from := range []struct {
		rules *model.GateRules
		name  string
	}{{&p.Own, "config.toml"}, {&p.Store, ".vespe/config.json"}, {&p.Before, ".vespe/config.json earlier in this session"}} {
		for _, rule := range under(from.rules) {
			v.Level, v.Why = Gated, append(v.Why, rule+" ("+from.name+")")
		}
	}
}

// ownTools begins the names of vespe's own tools.
const ownTools = "mcp__vespe__"

// isOwnTool reports one of them, and none of another server whose name begins so.
func isOwnTool(name string) bool {
	tool, ok := strings.CutPrefix(name, ownTools)
	return ok && !strings.Contains(tool, "__")
}

// command is the line that a tool gives to a shell.
func (c *Call) command() (string, bool) {
	in := parseObject(c.Input)
	if c.Tool == "apply_patch" && len(patched(in)) > 0 {
		return "", false
	}
	for _, key := range []string{"command", "cmd", "script"} {
		if s := in.text(key); s != "" {
			return s, true
		}
		if words := texts(in.list(key)); len(words) > 0 {
			return quoteWords(words), true
		}
	}
	return "", c.Tool == "Bash"
}

// quoteWords is a line of which a shell makes these words.
func quoteWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(out, " ")
}

// onlyVespe reports a script that runs nothing but vespe, the one that is found or program, and writes no file.
func (s *script) onlyVespe(program string) bool {
	return s.unsure == "" && len(s.commands) > 0 && len(s.writes)+len(s.sets) == 0 &&
		!slices.ContainsFunc(s.commands, func(c command) bool { return c.name.text != "vespe" && (program == "" || c.name.text != program) })
}

// outputs are the files that vespe is told to write.
func (c *command) outputs() []word {
	var out []word
	for i, w := range c.words {
		if file, ok := strings.CutPrefix(w.text, "--output="); ok {
			out = append(out, word{text: file, unsure: w.unsure})
		} else if i > 0 && (c.words[i-1].text == "--output" || c.words[i-1].text == "-o") {
			out = append(out, w)
		}
	}
	return out
}

// under are the rules that a call falls under, in words.
func (c *Call) under(g *model.GateRules, s *script, touched []touch, risk string) []string {
	var out []string
	if g.Unread != "" {
		out = append(out, "the rules cannot be read, so every call waits: "+visible.Line(g.Unread))
	}
	for _, pattern := range g.Tools {
		if ok, err := path.Match(pattern, c.Tool); ok || err != nil {
			out = append(out, "tool "+visible.Line(pattern))
		}
	}
	if s != nil {
		for _, pattern := range g.Commands {
			if s.runs(pattern) {
				out = append(out, "command "+visible.Line(pattern))
			}
		}
		if s.unsure != "" && len(out) == 0 && len(g.Commands)+len(g.Paths)+len(g.Reads) > 0 {
			out = append(out, "it can't be parsed reliably: "+s.unsure)
		}
	}
	for i := range touched {
		t := &touched[i]
		for _, pattern := range g.Paths {
			if t.write && c.Places.matches(pattern, t) {
				out = append(out, ruled("writes", pattern, t))
			}
		}
		for _, pattern := range g.Reads {
			if c.Places.matches(pattern, t) {
				out = append(out, ruled("reads", pattern, t))
			}
		}
	}
	if g.Risk != "" && g.Risk != model.RiskNever && riskRank(risk) >= riskRank(g.Risk) {
		out = append(out, "risk "+risk)
	}
	return slices.Compact(out)
}

func ruled(does, pattern string, t *touch) string {
	what := visible.Line(strings.ReplaceAll(t.word, "\x00", "…"))
	return fmt.Sprintf("%s %s: path %s", does, what, visible.Line(pattern))
}

func riskRank(risk string) int {
	return slices.Index([]string{model.RiskLow, model.RiskMedium, model.RiskHigh}, risk)
}

// runs reports whether a pattern of commands is about any command of the script.
func (s *script) runs(pattern string) bool {
	words := strings.Fields(pattern)
	return len(words) > 0 && slices.ContainsFunc(s.commands, func(c command) bool { return c.under(words) })
}

// under reports whether a command falls under a pattern: its name, and after it all words of the pattern in their
// order; flags in any. A last * stands for any number of words.
func (c *command) under(pattern []string) bool {
	if !alike(pattern[0], c.program()) && !alike(pattern[0], c.name.text) {
		return false
	}
	rest := pattern[1:]
	if n := len(rest); n > 0 && rest[n-1] == "*" {
		rest = rest[:n-1]
	}
	at, first := 0, true
	for _, want := range rest {
		if strings.HasPrefix(want, "-") {
			if !c.flagged(want) {
				return false
			}
			continue
		}
		found := c.find(want, at, first)
		if found < 0 {
			return false
		}
		at, first = found+1, false
	}
	return true
}

func alike(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return pattern == text || ok && err == nil || err != nil
}

// find is where a word of a pattern stands from a place on; -1 where it does not. What is not known may be any
// word; but where the first word is sought, which mostly says what the program is to do, not what comes after a
// flag, as its value, or after a word that is known.
func (c *command) find(want string, from int, first bool) int {
	known := false
	for i := from; i < len(c.words); i++ {
		w := c.words[i]
		value := i > 0 && strings.HasPrefix(c.words[i-1].text, "-")
		switch {
		case !w.unsure && alikeAcross(want, w.text):
			return i
		case w.unsure && (!first || !known && !value):
			return i
		case !w.unsure && !strings.HasPrefix(w.text, "-") && !value:
			known = true
		}
	}
	return -1
}

// alikeAcross is alike where * stands for slashes, too.
func alikeAcross(pattern, text string) bool {
	return alike(strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(text, "/", "\x01"))
}

// flagged reports whether a command has a flag. Letters of short flags may stand together, in any order, and a
// long flag has its first letter as well: so -rf is about `rm -r --force`. What is not known may be a flag.
func (c *command) flagged(want string) bool {
	long := strings.HasPrefix(want, "--")
	letters := map[rune]bool{}
	for _, w := range c.words {
		text := w.text
		switch {
		case w.unsure && !w.quoted:
			return true
		case w.unsure:
		case text == want || strings.HasPrefix(text, want+"="), c.refspec(want, text):
			return true
		case long && len(text) > 3 && strings.HasPrefix(want, text):
			return true
		case strings.HasPrefix(text, "--") && len(text) > 2:
			letters[rune(text[2])] = true
		case strings.HasPrefix(text, "-"):
			for _, r := range text[1:] {
				letters[r] = true
			}
		}
	}
	if long {
		return len(want) > 2 && letters[rune(want[2])]
	}
	for _, r := range want[1:] {
		if !letters[r] && (r != 'r' || !letters['R']) { // -R is the same to most that have it
			return false
		}
	}
	return len(want) > 1
}

// refspec reports a word of git push that forces, or deletes, as a flag would.
func (c *command) refspec(want, text string) bool {
	if c.program() != "git" || len(text) < 2 || !slices.ContainsFunc(c.words, func(w word) bool { return w.text == "push" }) {
		return false
	}
	switch want {
	case "--force", "-f":
		return text[0] == '+'
	case "--delete", "-d":
		return text[0] == ':'
	}
	return false
}

// trespass is the order to an agent that would write into a store past vespe; "" where it would not.
func trespass(c *Call, s *script, touched []touch) string {
	const order = "Do not write into .vespe yourself: only vespe writes there. It checks each change and keeps the history. " +
		"Use vespe's tools (plan_submit, ask_human, task_report, task_create, task_update) or its commands instead; see `vespe --help`. " +
		"Only the files of a result, in .vespe/tasks/UID/result/, are yours to write."
	for t, at := range writes(touched) {
		switch {
		case slices.ContainsFunc(c.Places.Own, func(dir string) bool { return inside(at, dir) || t.deep && inside(dir, at) }):
			return "Do not change vespe's own settings or memory: they hold what a person decides. Ask the person to do it."
		case ownedByStore(at), t.deep && c.Places.Root != "" && inside(filepath.Join(c.Places.Root, ".vespe"), at):
			return order
		}
	}
	switch {
	case s == nil:
	case slices.ContainsFunc(s.code, func(code string) bool { return strings.Contains(strings.ToLower(code), ".vespe") }):
		return order
	case slices.ContainsFunc(s.commands, command.cleans):
		return "`git clean` with -x would remove the log of .vespe, which git ignores. Say which directories to clean, or add -e .vespe."
	}
	return ""
}

// cleans reports a git clean that removes what git ignores, in all of the tree or in a store.
func (c command) cleans() bool {
	i := slices.IndexFunc(c.words, func(w word) bool { return w.text == "clean" })
	if i < 0 || c.program() != "git" {
		return false
	}
	flags, named, store, spared := "", false, false, false
	for words := c.words[i+1:]; len(words) > 0; words = words[1:] {
		w := words[0].text
		short, pattern, excludes := strings.Cut(w, "e") // -e PATTERN, -ePATTERN
		switch long, isLong := strings.CutPrefix(w, "--exclude"); {
		case isLong:
			pattern, excludes = strings.TrimPrefix(long, "="), true
		case w == "--dry-run":
			return false
		case strings.HasPrefix(w, "--"):
			excludes = false
		case strings.HasPrefix(w, "-"):
			flags += short
		default:
			excludes, named = false, true
			store = store || words[0].unsure || w == "." || strings.Contains(w, ".vespe")
		}
		if excludes && pattern == "" && len(words) > 1 {
			words = words[1:]
			pattern = words[0].text
		}
		spared = spared || excludes && strings.Contains(pattern, ".vespe")
	}
	return strings.ContainsAny(flags, "xX") && !strings.Contains(flags, "n") && (store || !named) && !spared
}

// ownedByStore reports a path in a store that only vespe writes: everything but the files of results.
func ownedByStore(path string) bool {
	parts := strings.Split(filepath.ToSlash(path), "/")
	i := slices.IndexFunc(parts, func(p string) bool { return strings.EqualFold(p, ".vespe") })
	if i < 0 {
		return false
	}
	rest := parts[i+1:]
	return len(rest) < 4 || rest[0] != "tasks" || rest[2] != "result"
}

// settingsFiles are files that set up a client's hooks and servers, and the one with rules of the store outside of .vespe.
var settingsFiles = []string{
	".claude/settings.json", ".claude/settings.local.json", ".codex/config.toml", ".codex/hooks.json", ".mcp.json", ".claude.json",
	"opencode.json", "opencode.jsonc", ".project-config.json",
}

// binds names a file that a call would write, if it is one of those or a program of vespe; "" for none.
func (p *Places) binds(touched []touch) string {
	files := p.Binds
	if p.Vespe != "" {
		files = append(paths(p.Vespe, nil), files...)
		files = append(files, filepath.Join(filepath.Dir(p.Vespe), workbench))
	}
	for t, at := range writes(touched) {
		if slices.ContainsFunc(files, func(file string) bool { return inside(at, file) || t.deep && inside(file, at) }) {
			return t.word
		}
		at = strings.ToLower(at)
		for _, f := range settingsFiles {
			if dir := filepath.Dir(f); strings.HasSuffix(at, "/"+f) || t.deep && dir != "." && strings.HasSuffix(at, "/"+dir) {
				return f
			}
		}
	}
	return ""
}
