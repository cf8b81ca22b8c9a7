package worker

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vespe/model"
)

// User is what a person has set for workers in their own config.toml.
type User struct {
	Policy    model.WorkerPolicy
	Templates []Template // their own; one with the name of a built-in one takes its place
	Wrong     []Mistake  // what was not understood: nothing is run until it is mended

	own func(string) string
}

// Mistake is an entry of config.toml that is not understood.
type Mistake struct {
	Table, Key string // "worker", "use"; a key that is "" is the table itself
	Says       string
}

// ReadUser takes [worker] and [workers.NAME] from what config.toml says. own makes a path of one that
// the person wrote: it never leads into a worktree.
func ReadUser(said map[string]any, own func(string) string) User {
	u := User{own: own}
	if t, ok := u.table(said, "worker", "[worker]"); ok {
		u.policy(t)
	}
	tables, _ := u.table(said, "workers", "tables such as [workers.mine]")
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		at := "workers." + name
		t, ok := tables[name].(map[string]any)
		switch {
		case !ok:
			u.wrong("workers", name, "%s is %v; it must be a table, [%s]", at, tables[name], at)
		case !model.ValidWorker(name):
			u.wrong(at, "", "%s: a worker's name has small letters, digits and dashes", at)
		case name == FromStoreName:
			u.wrong(at, "", "%s: this is what the worker of a store is called; take another name", at)
		default:
			u.template(name, at, t)
		}
	}
	if p := &u.Policy; p.Use != "" && p.Use != FromStoreName && !u.has(p.Use) {
		u.wrong("worker", "use", "worker.use is %q; there are %s", p.Use, strings.Join(u.names(), ", "))
	}
	return u
}

func (u *User) wrong(table, key, format string, args ...any) {
	u.Wrong = append(u.Wrong, Mistake{table, key, fmt.Sprintf(format, args...)})
}

func (u *User) table(said map[string]any, name, form string) (map[string]any, bool) {
	t, ok := said[name].(map[string]any)
	if said[name] != nil && !ok {
		u.wrong("", name, "%s is %v; it must be %s", name, said[name], form)
	}
	return t, ok
}

// text is a value as a person writes it, and false for what is no text and no number.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64, float64:
		return fmt.Sprint(v), true
	}
	return "", false
}

// set reads one value by way of its text.
func set[T any](u *User, dst *T, key string, v any, read func(string) (T, bool), form string) {
	s, ok := text(v)
	if ok {
		var got T
		if got, ok = read(s); ok {
			*dst = got
		}
	}
	if !ok {
		u.wrong("worker", key, "worker.%s is %v; it may be %s", key, v, form)
	}
}

func oneOf(words ...string) func(string) (string, bool) {
	return func(s string) (string, bool) { return s, slices.Contains(words, s) }
}

// policy reads [worker].
func (u *User) policy(t map[string]any) {
	p := &u.Policy
	for _, key := range slices.Sorted(maps.Keys(t)) {
		switch v := t[key]; key {
		case "use":
			set(u, &p.Use, key, v, func(s string) (string, bool) { return s, model.ValidWorker(s) }, "the name of a worker")
		case "parallel":
			set(u, &p.Parallel, key, v, func(s string) (int, bool) { n, ok := model.ParseTurns(s); return n, ok && n > 0 }, "a whole number from 1 up")
		case "wall":
			set(u, &p.Wall, key, v, model.ParseWait, `a time such as "45m", or "none"`)
		case "silence":
			set(u, &p.Silence, key, v, model.ParseWait, `a time such as "10m", or "none"`)
		case "output":
			set(u, &p.Output, key, v, model.ParseBytes, `bytes such as "64MiB", or "none"`)
		case "max_cost":
			set(u, &p.MaxCost, key, v, model.ParseCost, `US dollars above 0, or "none"`)
		case "max_turns":
			set(u, &p.MaxTurns, key, v, model.ParseTurns, `a whole number from 1 up, or "none"`)
		case "integrate":
			set(u, &p.Integrate, key, v, oneOf(model.IntegrateReviewed, model.IntegrateVerified, model.IntegrateNever), "reviewed, verified or never")
		case "untested":
			set(u, &p.Untested, key, v, oneOf(model.UntestedAsk, model.UntestedAccept), "ask or accept")
		default:
			u.wrong("worker", key, "worker.%s is not known; there are integrate, max_cost, max_turns, output, parallel, silence, untested, use, wall", key)
		}
	}
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
	for _, key := range slices.Sorted(maps.Keys(t)) {
		v := t[key]
		switch key {
		case "argv", "resume":
			argv, ok := argvOf(v)
			if why := misplaced(argv); ok && why != "" {
				u.wrong(at, key, "%s.%s: %s", at, key, why)
			} else if !ok {
				u.wrong(at, key, "%s.%s is %v; it may be a list of texts: a program and its arguments", at, key, v)
			}
			if ok && strings.Contains(argv[0], "/") && !strings.HasPrefix(argv[0], "{") {
				argv[0] = u.own(argv[0])
			}
			if key == "argv" {
				base.Argv = argv
			} else {
				base.Resume = argv
			}
		case "format":
			if base.Format, _ = v.(string); !slices.Contains(Formats(), base.Format) {
				u.wrong(at, key, "%s.format is %v; it may be %s", at, v, strings.Join(Formats(), ", "))
			}
		case "prompt":
			if base.Prompt, _ = v.(string); !slices.Contains([]string{PromptArg, PromptStdin, PromptFile}, base.Prompt) {
				u.wrong(at, key, "%s.prompt is %v; it may be arg, stdin or file", at, v)
			}
		case "env":
			base.Env = u.environ(at, v)
		default:
			u.wrong(at, key, "%s.%s is not known; there are argv, env, format, prompt, resume", at, key)
		}
	}
	if len(u.Wrong) > before {
		return
	}
	if why := base.complete(); why != "" {
		u.wrong(at, "", "%s: %s", at, why)
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
			return "the program cannot be the prompt"
		case placeholder.Get().FindString(arg) == arg && arg != "" && !slices.Contains(placeholders, name):
			return fmt.Sprintf("%s is not known; there are {%s}", arg, strings.Join(placeholders, "} {"))
		}
	}
	return ""
}

// environ reads env.
func (u *User) environ(at string, v any) map[string]string {
	t, ok := v.(map[string]any)
	if !ok {
		u.wrong(at, "env", "%s.env is %v; it must be a table of texts", at, v)
		return nil
	}
	env := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(t)) {
		value, ok := t[key].(string)
		switch {
		case !ok || strings.ContainsRune(value, 0):
			u.wrong(at, "env", "%s.env.%s is %v; it must be a text", at, key, t[key])
		case key == "" || strings.ContainsAny(key, "=\x00"):
			u.wrong(at, "env", "%s.env: %q cannot be the name of a variable", at, key)
		case strings.HasPrefix(key, "VESPE_"):
			u.wrong(at, "env", "%s.env.%s: what begins with VESPE_ vespe sets itself", at, key)
		default:
			env[key] = value
		}
	}
	return env
}

// argvOf is a list of texts that begins with a program.
func argvOf(v any) (argv []string, ok bool) {
	list, ok := v.([]any)
	for _, x := range list {
		arg, isText := x.(string)
		if !isText || strings.ContainsRune(arg, 0) {
			return nil, false
		}
		argv = append(argv, arg)
	}
	return argv, ok && len(argv) > 0 && argv[0] != ""
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
