package agent

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"vespe/agents/doctor"
	"vespe/agents/install"
	"vespe/agents/prime"
	"vespe/cli/core"
	"vespe/model"
	"vespe/model/guidelines"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) installVerb() *cobra.Command {
	var f installFlags
	c := &cobra.Command{
		Use: "install CLIENT", Short: "Set up an agent client for vespe, or remove the setup",
		Long: "Set up claude-code, codex, opencode, or generic (any other): hooks, the MCP server, permissions\n" +
			"and a short section in AGENTS.md. It shows the changes to each file and asks first; without\n" +
			"a terminal it needs --yes. Running it again changes nothing.\n\n" +
			"Settings are changed in place: comments, order and your own settings stay. An invalid\n" +
			"file stops the setup before anything is written. --remove removes what\n" +
			"vespe wrote; a sandbox stays on.\n\n" +
			"--scope project (the default) writes beside the store, for everyone who works there; --scope user\n" +
			"writes to your own settings, for all projects.\n\n" +
			"The sandbox of Claude Code and Codex is recommended. The first setup in a project turns it on if it\n" +
			"can run. The agent's commands then can't write into .vespe. The agent uses the MCP tools instead.\n" +
			"--no-sandbox skips it; --sandbox always turns it on.",
		Example:   "  vespe install claude-code --dry-run\n  vespe install codex --scope user --sandbox\n  vespe install claude-code --remove",
		GroupID:   "agent",
		Args:      core.Between(1, 1),
		ValidArgs: install.Clients(),
	}
	c.Flags().StringVar(&f.scope, "scope", string(install.Project), "project, or user: your own settings")
	c.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "show the changes without making them")
	c.Flags().BoolVar(&f.remove, "remove", false, "remove what was written")
	c.Flags().BoolVar(&f.sandbox, "sandbox", false, "prevent the agent's commands from writing into .vespe")
	c.Flags().BoolVar(&f.noSandbox, "no-sandbox", false, "don't set up the client's sandbox")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "make the changes without asking")
	c.MarkFlagsMutuallyExclusive("remove", "sandbox", "no-sandbox")
	c.MarkFlagsMutuallyExclusive("dry-run", "yes")
	_ = c.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{string(install.Project), string(install.User)}, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = func(_ *cobra.Command, args []string) error { return a.install(args[0], f) }
	return c
}

type installFlags struct {
	scope                        string
	dryRun, remove, sandbox, yes bool
	noSandbox                    bool
}

// setup is what the flags ask for.
func (a *app) setup(client string, f installFlags) (*install.Setup, error) {
	s := &install.Setup{
		Client: client, Scope: install.Scope(f.scope), Getenv: a.Getenv,
		Program: a.Program(), Sandbox: f.sandbox,
	}
	known := false
	for _, name := range install.Clients() {
		known = known || name == client
	}
	switch {
	case !known:
		return nil, core.Usagef("unknown client %q; the clients are %s", client, strings.Join(install.Clients(), ", "))
	case s.Scope != install.Project && s.Scope != install.User:
		return nil, core.Usagef("--scope is %q; it must be project or user", f.scope)
	case f.sandbox && (client == install.OpenCode || client == install.Generic):
		return nil, core.Usagef("--sandbox works only with claude-code and codex; vespe can't set up a sandbox for %s", client)
	case s.Scope == install.User && client == install.Generic:
		return nil, core.Usagef("generic has no user settings; omit --scope")
	}
	root, err := a.Find()
	if err != nil && s.Scope == install.Project {
		return nil, err
	}
	s.Root = root
	return s, nil
}

// fileObject is a file that is changed, with how.
type fileObject struct {
	Path   string `json:"path"`
	Action string `json:"action"` // create, change, remove, none
	Diff   string `json:"diff,omitempty"`
}

type installObject struct {
	Client string       `json:"client"`
	Scope  string       `json:"scope"`
	Remove bool         `json:"remove,omitempty"`
	DryRun bool         `json:"dry_run,omitempty"`
	Done   bool         `json:"done"` // the files are so now
	Files  []fileObject `json:"files"`
	Notes  []string     `json:"notes,omitempty"`
	Left   []string     `json:"left,omitempty"` // hooks that a removal leaves, because vespe didn't write them
}

func (a *app) install(client string, f installFlags) error {
	s, err := a.setup(client, f)
	if err != nil {
		return err
	}
	p, err := a.planned(s, f)
	if err != nil {
		return &model.Refusal{Code: model.CodeRefused, Op: "install", Guard: "settings", Why: err.Error()}
	}
	o := installObject{Client: client, Scope: f.scope, Remove: f.remove, DryRun: f.dryRun, Files: filesOf(p), Notes: p.Notes}
	for i := range p.Files {
		for _, hook := range p.Files[i].Left {
			o.Left = append(o.Left, p.Files[i].Path+": "+hook)
		}
	}
	if !a.JSON {
		for _, file := range o.Files {
			fmt.Fprint(a.Prose(a.Stdout, core.Diff), visible.String(file.Diff))
		}
	}
	if p.Changed() && !f.dryRun {
		if err := a.mayInstall(f, len(o.Files)); err != nil {
			return err
		}
	}
	if !f.dryRun {
		if err := p.Apply(); err != nil {
			return &model.Refusal{Code: model.CodeRefused, Op: "install", Guard: "settings", Why: err.Error()}
		}
		o.Done = true
	}
	return a.printInstall(o, p.Changed())
}

// planned is what an installation, or its removal, does. Who sets a project up for the first time and says nothing of
// the sandbox gets it where it can run.
func (a *app) planned(s *install.Setup, f installFlags) (*install.Plan, error) {
	if f.remove {
		return s.Remove()
	}
	p, err := s.Install()
	if err != nil || f.sandbox || f.noSandbox || s.Scope != install.Project || s.Found() || !doctor.CanSandbox(s) {
		return p, err
	}
	s.Sandbox = true
	return s.Install()
}

// mayInstall asks a person: what is set up keeps agents from things, so none of them sets it up.
func (a *app) mayInstall(f installFlags, files int) error {
	if name := a.AgentHere(); name != "" {
		return &model.Refusal{
			Code: model.CodeDenied, Op: "install", Guard: "person",
			Why:  "this is " + name + "'s environment, and only a person can set up agents",
			Hint: "a person must do it in their own terminal; --dry-run shows the changes",
		}
	}
	switch {
	case f.yes:
		return nil
	case !a.Asks() || a.JSON:
		return &model.Refusal{
			Code: model.CodeRefused, Op: "install", Guard: "confirmed", Why: "it needs a person at a terminal; nothing was changed",
			Hint: "--yes makes the changes without asking, --dry-run only shows them",
		}
	}
	if err := a.Out.Flush(); err != nil {
		return err
	}
	question := "Change these files?"
	if files == 1 {
		question = "Change this file?"
	}
	return a.Confirm("install", question)
}

func filesOf(p *install.Plan) []fileObject {
	out := []fileObject{}
	for i := range p.Files {
		f := &p.Files[i]
		o := fileObject{Path: f.Path, Action: "change"}
		was, is := f.Path, f.Path
		switch {
		case !f.Changed():
			continue
		case f.Gone:
			o.Action, is = "remove", "/dev/null"
		case !f.Exists:
			o.Action, was = "create", "/dev/null"
		}
		o.Diff = core.Unified(was, is, string(f.Was), string(f.Is))
		if o.Diff == "" { // an empty file goes, or comes
			o.Diff = fmt.Sprintf("--- %s\n+++ %s\n", was, is)
		}
		out = append(out, o)
	}
	return out
}

func (a *app) printInstall(o installObject, changed bool) error {
	if a.JSON {
		return core.WriteJSON(a.Stdout, o)
	}
	w := a.Prose(a.Stdout, 0)
	switch {
	case !changed && o.Remove:
		fmt.Fprintf(w, "Nothing to do: %s is not set up (%s).\n", o.Client, o.Scope)
	case !changed:
		fmt.Fprintf(w, "Nothing to do: %s is set up (%s).\n", o.Client, o.Scope)
	case o.DryRun:
		fmt.Fprintln(w, "\nNothing was changed.")
	case o.Remove:
		fmt.Fprintf(w, "\nRemoved: %s (%s).\n", o.Client, o.Scope)
	default:
		fmt.Fprintf(w, "\nSet up: %s (%s). `vespe install %s --remove` undoes it.\n", o.Client, o.Scope, o.Client)
	}
	if len(o.Left) > 0 {
		fmt.Fprintln(w, "These hooks stay, because vespe didn't write them. Remove them by hand if you don't want them:")
		for _, hook := range o.Left {
			fmt.Fprintln(w, "  "+visible.Line(hook))
		}
	}
	if !o.Remove && (changed || o.Client == install.Generic) {
		for _, note := range o.Notes {
			fmt.Fprintln(w, visible.String(note))
		}
	}
	return nil
}

func (a *app) primeVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "prime", Short: "Print what an agent should know before it starts",
		Long: "Print what vespe is, how to work with it, what the agent must not do, and what is waiting, in less\n" +
			"than 1,500 tokens for any store, plus the project's guidelines. The session-start hook prints the same.",
		Example: "  vespe agent prime\n  vespe agent prime --as agent:codex --json",
		GroupID: "agent", Args: core.Between(0, 0),
	}
	return a.View(c, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, _ []string) ([]model.UID, error) {
		o, err := a.primeOptions(s, snap)
		if err != nil {
			return nil, err
		}
		o.Guidelines = s.QuotedGuidelines(ctx, guidelines.InPrime)
		text := prime.Text(snap, o)
		if a.JSON {
			return nil, core.WriteJSON(a.Stdout, struct {
				Actor model.Actor `json:"actor,omitempty"`
				Task  model.UID   `json:"task,omitempty"`
				Bytes int         `json:"bytes"`
				Text  string      `json:"text"`
			}{o.Actor, o.Task, len(text), text})
		}
		_, err = fmt.Fprint(a.Stdout, text)
		return nil, err
	})
}

func (a *app) primeOptions(s *store.Store, snap *snapshot.Snapshot) (prime.Options, error) {
	actor, err := a.Actor()
	if err != nil {
		return prime.Options{}, err
	}
	o := prime.Options{Actor: actor, ReadOnly: doctor.ReadOnly(s.Root())}
	if actor.Kind() == model.Human {
		o.Actor = "" // a person reads what an agent would
	}
	if ref := a.Getenv("VESPE_TASK"); ref != "" {
		if uid, err := snap.Find(ref); err == nil {
			o.Task = uid
		}
	}
	return o, nil
}

// doctorAgents checks the clients and how far agents reach.
func (a *app) doctorVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "doctor", Aliases: []string{"doctor agents"}, GroupID: "agent", Short: "Check the setup of agent clients, their MCP server and hooks",
		Long: "Check each client: its program and version, whether its settings are as `vespe install` writes\n" +
			"them, whether Codex trusts the hooks, whether the MCP server and the hooks answer, and whether a\n" +
			"write into .vespe is denied. In an agent's session it tries to write into .vespe and reports the\n" +
			"level: at 0 its commands can write there, at 1 its sandbox prevents it. The exit code is 1 if\n" +
			"something that is set up doesn't work. It starts the clients on your PATH to ask for their\n" +
			"versions.",
		Example: "  vespe agent doctor\n  vespe agent doctor --json", Args: core.Between(0, 0),
	}
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := core.Interruptible(cmd.Context())
		defer stop()
		at, err := a.Locate()
		if err != nil && core.CodeOf(err) != model.CodeNotFound {
			return err
		}
		root := at.Root
		r := doctor.Run(ctx, doctor.Options{
			Root: root, Twin: at.Twin, Getenv: a.Getenv, Program: a.Program(), Vespe: a.Executable, Home: doctor.Home(a.Getenv),
			Inside: a.AgentHere(), Strict: a.StrictAt(root),
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		if a.JSON {
			err = core.WriteJSON(a.Stdout, r)
		} else {
			a.printAgents(r, root)
			a.PrintWorktree(at)
		}
		if err == nil && r.Bad() {
			return &core.Shown{Code: core.ExitFailed}
		}
		return err
	}
	return c
}

func (a *app) printAgents(r doctor.Report, root string) {
	w := a.Prose(a.Stdout, 0)
	row := func(c doctor.Check) {
		mark := map[doctor.State]string{doctor.OK: "ok", doctor.Warn: "!", doctor.Bad: "BAD", doctor.None: "-"}[c.State]
		fmt.Fprintf(w, "  %-4s %-17s  %s\n", mark, visible.Line(c.Name), visible.Line(c.Text))
		if c.Do != "" && c.State != doctor.None {
			fmt.Fprintf(w, "       %-17s  → %s\n", "", visible.Line(c.Do))
		}
	}
	where := "no store here"
	if root != "" {
		where = filepath.Clean(root)
	}
	fmt.Fprintf(w, "vespe  (%s)\n", visible.Line(where))
	for _, c := range r.Vespe {
		row(c)
	}
	for _, client := range r.Clients {
		state := ""
		if !client.SetUp {
			state = "  (not set up: vespe install " + client.Name + ")"
		}
		fmt.Fprintf(w, "\n%s%s\n", client.Name, state)
		for _, c := range client.Checks {
			row(c)
		}
	}
	fmt.Fprintln(w, "\n"+visible.Line(r.Reach.Text))
}
