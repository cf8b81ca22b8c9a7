// Package doctor checks how agents' clients are connected to vespe: the programs and their
// versions, the settings that vespe wrote, trust in hooks, and whether the server and the hooks
// answer.
//
// It starts programs: the clients on the person's PATH, to get their versions and Codex's hooks,
// and vespe itself. Each has an argument list and a time limit, and runs in a directory outside any
// project.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vespe/agents/install"
	"vespe/internal/lazyregexp"
)

// State is how a check went.
type State string

// The states, the worst last.
const (
	None State = "none" // there is nothing to check, and nothing is wrong
	OK   State = "ok"
	Warn State = "warn" // it works, with a limit
	Bad  State = "bad"
)

// Check is one thing that was looked at.
type Check struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	Text  string `json:"text"`
	Do    string `json:"do,omitempty"` // what a person does about it
}

// Client is what was found of one client.
type Client struct {
	Name    string  `json:"client"`
	Program string  `json:"program,omitempty"` // its path; "" where it is not on the PATH
	Version string  `json:"version,omitempty"`
	SetUp   bool    `json:"set_up"`
	Checks  []Check `json:"checks"`
}

// Report is all of it.
type Report struct {
	Vespe   []Check  `json:"vespe"`
	Clients []Client `json:"clients"`
	Reach   Reach    `json:"reach"`
}

// Bad reports that something is wrong with vespe, or with a client that is set up.
func (r *Report) Bad() bool {
	bad := func(c Check) bool { return c.State == Bad }
	return slices.ContainsFunc(r.Vespe, bad) || slices.ContainsFunc(r.Clients, func(c Client) bool {
		return slices.ContainsFunc(c.Checks, func(k Check) bool {
			settings := k.Name == string(install.Project) || k.Name == string(install.User) // that cannot be read: nobody knows then
			return bad(k) && (c.SetUp || settings)
		})
	})
}

// Options say what is checked.
type Options struct {
	Root    string // the directory of the store; "" for none
	Twin    string // in a git worktree the directory that has Root's place there, whose settings clients read; "" elsewhere
	Getenv  func(string) string
	Program string // how vespe is called in settings
	Vespe   string // the path of vespe itself; "" where it is not known: then it is not started
	Home    string // a directory of no project, in which programs are started
	Inside  string // the agent whose environment this is; "" for none
	Limit   time.Duration
	Strict  []string // what holds because rules cannot be read, a sentence each
}

// DefaultLimit is how long a program may take to answer.
const DefaultLimit = 20 * time.Second

// Run checks everything.
func Run(ctx context.Context, o Options) Report {
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	r := Report{Reach: Probe(o.Root, o.Inside)}
	for _, why := range o.Strict {
		r.Vespe = append(r.Vespe, Check{"rules", Bad, why, "correct the file"})
	}
	if o.Vespe == "" {
		r.Vespe = append(r.Vespe, Check{"server", None, "the path of this program is unknown, so its server and hooks were not started", ""})
	} else {
		r.Vespe = append(r.Vespe, o.server(ctx))
		r.Vespe = append(r.Vespe, o.hooks(ctx)...)
	}
	for _, name := range []string{install.ClaudeCode, install.Codex, install.OpenCode} {
		r.Clients = append(r.Clients, o.client(ctx, name))
	}
	return r
}

// programs are the clients' programs, and the oldest version that everything here was seen to work with.
var programs = map[string]struct{ name, since, before string }{
	install.ClaudeCode: {"claude", "2.1.329", "its hooks allow a call when they fail"},
	install.Codex:      {"codex", "0.169.0", "its permission profiles and hooks may differ"},
	install.OpenCode:   {"opencode", "1.18.33", "its permissions may differ"},
}

func (o *Options) client(ctx context.Context, name string) Client {
	p := programs[name]
	c := Client{Name: name}
	if path, err := exec.LookPath(p.name); err == nil {
		if c.Program, err = filepath.Abs(path); err != nil {
			c.Program = path
		}
		c.Checks = append(c.Checks, o.version(ctx, &c, p.since, p.before))
	}
	for _, scope := range []install.Scope{install.Project, install.User} {
		if scope == install.Project && o.Root == "" {
			continue
		}
		check, found := o.settings(name, scope)
		c.SetUp = c.SetUp || found
		c.Checks = append(c.Checks, check)
	}
	if name == install.ClaudeCode && o.Root != "" && o.onlyProject(name) {
		do := "start it in " + o.project() + ", or `vespe install " + name + " --scope user`"
		c.Checks = append(c.Checks, Check{"below", Warn, install.Below, do})
	}
	if c.Program == "" {
		state, do := None, ""
		if c.SetUp {
			state, do = Warn, "install it, or `vespe install "+name+" --remove`"
		}
		c.Checks = slices.Insert(c.Checks, 0, Check{"program", state, p.name + " is not on the PATH", do})
	}
	if name == install.Codex && c.Program != "" && c.SetUp {
		c.Checks = append(c.Checks, o.trusted(ctx, c.Program))
	}
	return c
}

var versionNumber = lazyregexp.New(`\d+\.\d+\.\d+`)

func (o *Options) version(ctx context.Context, c *Client, since, before string) Check {
	out, err := o.output(ctx, nil, o.Home, c.Program, "--version")
	c.Version = versionNumber.Get().FindString(out)
	switch {
	case err != nil:
		return Check{"program", Bad, c.Program + " --version: " + err.Error(), "run it by hand"}
	case c.Version == "":
		return Check{"program", Warn, c.Program + " does not say its version", ""}
	case older(c.Version, since):
		return Check{"program", Warn, fmt.Sprintf("%s is older than %s: %s", c.Version, since, before), "update it"}
	}
	return Check{"program", OK, c.Version + " at " + c.Program, ""}
}

func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range bs {
		x, _ := strconv.Atoi(as[i])
		y, _ := strconv.Atoi(bs[i])
		if x != y {
			return x < y
		}
	}
	return false
}

// settings says whether what vespe writes is in the settings of a client as it is to be.
func (o *Options) settings(client string, scope install.Scope) (c Check, found bool) {
	s := o.setup(client, scope)
	call := "`vespe install " + client + " --scope " + string(scope) + "`"
	show := call + " shows what to change"
	main := *s
	if main.Root = o.Root; scope == install.Project && s.Root != o.Root && main.Found() {
		call = "commit what `vespe install` wrote in " + o.Root + " and bring it into this worktree, or `vespe install " + client + " --scope user`"
		show = call
		if !s.Found() && !o.setup(client, install.User).Found() {
			return Check{string(scope), Bad, "set up in the main checkout only: in this worktree " + client + " reads none of that", call}, true
		}
	}
	plan, err := s.Install()
	found = s.Found()
	switch {
	case errors.Is(err, install.ErrNoHome):
		return Check{string(scope), None, err.Error(), ""}, false
	case err != nil:
		return Check{string(scope), Bad, strings.TrimSuffix(err.Error(), install.Unchanged), "fix the file, then " + call}, found
	case !found:
		return Check{string(scope), None, "not set up", call}, false
	case plan.Changed():
		var files []string
		for i := range plan.Files {
			if plan.Files[i].Changed() {
				files = append(files, plan.Files[i].Path)
			}
		}
		return Check{string(scope), Bad, "differs from what vespe installs: " + strings.Join(files, ", "), show}, true
	}
	for i := range plan.Files {
		if why := plan.Files[i].Unread; why != "" {
			return Check{string(scope), Bad, why, ""}, true
		}
	}
	return Check{string(scope), OK, "set up", ""}, true
}

// onlyProject reports a client that is set up in the project, and not in the person's own settings.
func (o *Options) onlyProject(client string) bool {
	return o.setup(client, install.Project).Found() && !o.setup(client, install.User).Found()
}

// setup is a client's as it is read here.
func (o *Options) setup(client string, scope install.Scope) *install.Setup {
	return &install.Setup{Client: client, Scope: scope, Root: o.project(), Getenv: o.Getenv, Program: o.Program}
}

// project is the directory whose settings clients read; "" for none.
func (o *Options) project() string { return cmp.Or(o.Twin, o.Root) }

// trusted asks Codex whether it runs the hooks.
func (o *Options) trusted(ctx context.Context, program string) Check {
	ctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	call, err := start(ctx, o.Home, nil, program, "app-server")
	if err != nil {
		return Check{"hooks", Bad, err.Error(), ""}
	}
	defer call.stop()
	where := cmp.Or(o.project(), o.Home)
	var list struct {
		Data []struct {
			Hooks []struct {
				Command, EventName, TrustStatus string
				Enabled                         bool
			}
		}
	}
	err = call.do("initialize", map[string]any{"clientInfo": map[string]string{"name": "vespe", "version": "1"}}, nil)
	if err == nil {
		err = errors.Join(call.notify("initialized"), call.do("hooks/list", map[string]any{"cwds": []string{where}}, &list))
	}
	if err != nil {
		return Check{"hooks", Warn, "can't tell which hooks Codex trusts: " + err.Error(), "type /hooks in codex"}
	}
	var trusted, not []string
	for _, d := range list.Data {
		for _, h := range d.Hooks {
			switch {
			case !install.IsHook(h.Command, install.Codex):
			case h.Enabled && (h.TrustStatus == "trusted" || h.TrustStatus == "managed"):
				trusted = append(trusted, h.EventName)
			default:
				not = append(not, h.EventName)
			}
		}
	}
	switch {
	case len(not) > 0:
		return Check{"hooks", Bad, fmt.Sprintf("Codex skips %d of %d hooks, which you have not trusted: %s", len(not), len(not)+len(trusted), strings.Join(not, ", ")), "run codex, type /hooks, and trust them"}
	case len(trusted) == 0:
		return Check{"hooks", Bad, "Codex finds no vespe hooks here", "trust the project in codex, then run this again"}
	}
	return Check{"hooks", OK, fmt.Sprintf("%d hooks are trusted", len(trusted)), ""}
}
