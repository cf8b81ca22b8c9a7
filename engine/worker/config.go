package worker

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vespe/internal/tomltext"
	"vespe/model"
)

// User is what a person has set for workers in their own config.toml.
type User struct {
	Policy    model.WorkerPolicy
	Templates []Template         // their own; one with the name of a built-in one takes its place
	Wrong     []tomltext.Mistake // what can't be used: nothing runs until it is corrected

	own func(string) string
}

// Tables are the tables of config.toml about workers.
type Tables struct {
	Worker  policyTable    `toml:"worker" form:"must be [worker]"`
	Workers map[string]any `toml:"workers" form:"must be tables such as [workers.mine]" doc:"a worker of your own, or another form of a built-in one"`
}

// policyTable is [worker].
type policyTable struct {
	Use       string        `toml:"use" read:"worker" form:"may be the name of a worker" doc:"the worker"`
	Parallel  int           `toml:"parallel" read:"count" form:"may be a whole number from 1 up" unset:"1" doc:"workers at a time"`
	Wall      time.Duration `toml:"wall" read:"time" form:"may be a time such as \"45m\", or \"none\"" unset:"1h" doc:"time for one attempt"`
	Silence   time.Duration `toml:"silence" read:"time" form:"may be a time such as \"10m\", or \"none\"" unset:"20m" doc:"time without a line of output"`
	Output    int64         `toml:"output" read:"bytes" form:"may be bytes such as \"64MiB\", or \"none\"" unset:"64MiB" doc:"size of the output"`
	MaxCost   float64       `toml:"max_cost" read:"cost" form:"may be US dollars above 0, or \"none\"" unset:"none" doc:"cost of one attempt, for clients that know such a limit"`
	MaxTurns  int           `toml:"max_turns" read:"turns" form:"may be a whole number from 1 up, or \"none\"" unset:"none" doc:"turns of one attempt, likewise"`
	Integrate string        `toml:"integrate" enum:"reviewed verified never" unset:"reviewed" doc:"when work reaches your branch"`
	Untested  string        `toml:"untested" enum:"ask accept" unset:"ask" doc:"work that no test covers"`
}

// templateTable is [workers.NAME].
type templateTable struct {
	Argv   Argv           `toml:"argv" form:"may be a list of texts: a program and its arguments"`
	Resume Argv           `toml:"resume" form:"may be a list of texts: a program and its arguments"`
	Format string         `toml:"format" enum:"claude codex opencode text"`
	Prompt string         `toml:"prompt" enum:"arg stdin file"`
	Env    map[string]any `toml:"env" form:"must be a table of texts"`
}

// Argv is a program and its arguments.
type Argv []string

// FromTOML implements tomltext.Own.
func (a *Argv) FromTOML(value any) bool {
	list, ok := value.([]any)
	for _, v := range list {
		arg, isText := v.(string)
		ok = ok && isText && !strings.ContainsRune(arg, 0)
		*a = append(*a, arg)
	}
	return ok && len(*a) > 0 && (*a)[0] != ""
}

var readers = map[string]tomltext.Reader{
	"worker": tomltext.Read(func(s string) (string, bool) { return s, model.ValidWorker(s) }),
	"count":  tomltext.Read(func(s string) (int, bool) { n, ok := model.ParseTurns(s); return n, ok && n > 0 }),
	"time":   tomltext.Read(model.ParseWait),
	"bytes":  tomltext.Read(model.ParseBytes),
	"cost":   tomltext.Read(model.ParseCost),
	"turns":  tomltext.Read(model.ParseTurns),
}

// ReadUser takes [worker] and [workers.NAME] from what config.toml says. own makes a path of one that
// the person wrote: it never leads into a worktree.
func ReadUser(said map[string]any, own func(string) string) User {
	u := User{own: own}
	var t Tables
	ours := map[string]any{}
	for _, name := range []string{"worker", "workers"} {
		if said[name] != nil {
			ours[name] = said[name]
		}
	}
	u.Wrong = tomltext.Fill(ours, "", &t, readers)
	w := t.Worker
	u.Policy = model.WorkerPolicy{
		Use: w.Use, Parallel: w.Parallel, Wall: w.Wall, Silence: w.Silence, Output: w.Output, MaxCost: w.MaxCost, MaxTurns: w.MaxTurns,
		Integrate: w.Integrate, Untested: w.Untested,
	}
	for _, name := range slices.Sorted(maps.Keys(t.Workers)) {
		at := "workers." + name
		in, ok := t.Workers[name].(map[string]any)
		switch {
		case !ok:
			u.wrong(at, "%s is %v; it must be a table, [%s]", at, t.Workers[name], at)
		case !model.ValidWorker(name):
			u.wrong(at, "%s: use lowercase letters, digits and dashes for the name of a worker", at)
		case name == FromStoreName:
			u.wrong(at, "%s: this name is reserved for the worker of a store; use another one", at)
		default:
			u.template(name, at, in)
		}
	}
	if p := &u.Policy; p.Use != "" && p.Use != FromStoreName && !u.has(p.Use) {
		u.wrong("worker.use", "worker.use is %q; there are %s", p.Use, strings.Join(u.names(), ", "))
	}
	return u
}

func (u *User) wrong(key, format string, args ...any) {
	u.Wrong = append(u.Wrong, tomltext.Mistake{Key: key, Says: fmt.Sprintf(format, args...)})
}

// template reads [workers.NAME]. What it does not say is as in the built-in one of the same name, but
// one with an argv of its own is resumed only as it says itself.
func (u *User) template(name, at string, t map[string]any) {
	base := Template{Name: name, Format: FormatText}
	for _, b := range BuiltIn() {
		if b.Name == name {
			base = b
		}
	}
	base.From = FromUser
	before := len(u.Wrong)
	if t["argv"] != nil {
		base.Resume, base.Prompt = nil, ""
	}
	said := templateTable{Format: base.Format, Prompt: base.Prompt}
	u.Wrong = append(u.Wrong, tomltext.Fill(t, at, &said, nil)...)
	base.Format, base.Prompt = said.Format, said.Prompt
	for _, c := range []struct {
		key  string
		said Argv
		dst  *[]string
	}{{"argv", said.Argv, &base.Argv}, {"resume", said.Resume, &base.Resume}} {
		switch why := misplaced(c.said); {
		case len(c.said) == 0:
			continue
		case why != "" && len(u.Wrong) == before:
			u.wrong(at+"."+c.key, "%s.%s: %s", at, c.key, why)
		case strings.Contains(c.said[0], "/") && !strings.HasPrefix(c.said[0], "{"):
			c.said[0] = u.own(c.said[0])
		}
		*c.dst = c.said
	}
	if said.Env != nil {
		base.Env = u.environ(at+".env", said.Env)
	}
	if len(u.Wrong) > before {
		return
	}
	if why := base.complete(); why != "" {
		u.wrong(at, "%s: %s", at, why)
		return
	}
	u.Templates = append(u.Templates, base)
}

// complete fills in how the prompt is given, and says why a worker could not be started.
func (t *Template) complete() string {
	all := strings.Join(t.Argv, " ")
	if t.Prompt == "" {
		switch {
		case strings.Contains(all, "{prompt}"):
			t.Prompt = PromptArg
		case strings.Contains(all, "{prompt_file}"):
			t.Prompt = PromptFile
		default:
			t.Prompt = PromptStdin
		}
	}
	again := strings.Join(t.Resume, " ")
	switch {
	case len(t.Argv) == 0:
		return "it has no argv"
	case t.Prompt == PromptArg && !strings.Contains(all, "{prompt}"):
		return "prompt is arg, and argv has no {prompt}"
	case len(t.Resume) > 0 && !strings.Contains(again, "{session}"):
		return "resume has no {session}"
	case len(t.Resume) > 0 && t.Prompt != PromptStdin && !strings.Contains(again, "{reply}"):
		return "resume has no {reply}"
	}
	return ""
}

// misplaced is what is wrong with the placeholders of an argv.
func misplaced(argv []string) string {
	for i, arg := range argv {
		name := strings.TrimSuffix(strings.TrimPrefix(arg, "{"), "}")
		switch {
		case i == 0 && strings.Contains(arg, "{prompt}"), i == 0 && strings.Contains(arg, "{reply}"):
			return "the prompt can't be the program"
		case placeholder.Get().FindString(arg) == arg && arg != "" && !slices.Contains(placeholders, name):
			return fmt.Sprintf("unknown %s; known are {%s}", arg, strings.Join(placeholders, "} {"))
		}
	}
	return ""
}

// environ reads env.
func (u *User) environ(at string, t map[string]any) map[string]string {
	env := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(t)) {
		value, ok := t[key].(string)
		switch {
		case !ok || strings.ContainsRune(value, 0):
			u.wrong(at, "%s.%s is %v; it must be a string", at, key, t[key])
		case key == "" || strings.ContainsAny(key, "=\x00"):
			u.wrong(at, "%s: %q is not a valid variable name", at, key)
		case strings.HasPrefix(key, "VESPE_"):
			u.wrong(at, "%s.%s: vespe sets the variables that begin with VESPE_", at, key)
		default:
			env[key] = value
		}
	}
	return env
}

// All are the person's templates and the built-in ones that can be started, by their names.
func (u *User) All() []Template {
	list := slices.Clone(u.Templates)
	for _, b := range BuiltIn() {
		if len(b.Argv) > 0 && !slices.ContainsFunc(list, func(t Template) bool { return t.Name == b.Name }) {
			list = append(list, b)
		}
	}
	slices.SortFunc(list, func(a, b Template) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (u *User) names() []string {
	var names []string
	for _, t := range u.All() {
		names = append(names, t.Name)
	}
	return names
}

func (u *User) has(name string) bool { return slices.Contains(u.names(), name) }
