package admin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
	"vespe/store/trust"
)

func (a *app) trustVerb() *cobra.Command {
	var revoke, list bool
	c := &cobra.Command{
		Use: "trust [DIR]", Short: "Allow a store's programs, or writes to another user's store",
		Long: "Until you trust a store, it can't make vespe start a program, and a store that someone\n" +
			"else owns is read-only. A store that init or demo created here is trusted. Trust covers one\n" +
			"directory with one store_id (each clone is a separate store), the current score_command of its\n" +
			"rules, and the current worker settings of its config.json that run a program (argv, setup) or\n" +
			"replace a person's decision (integrate, untested). A changed setting has no effect until you\n" +
			"trust the store again. vespe shows all of this and asks first. Only a person can trust a store, at\n" +
			"their own terminal; scripts need accept_without_terminal under [cli] of config.toml. The list is\n" +
			"in ~/.local/state/vespe/trusted.json ($XDG_STATE_HOME).",
		Example: "  vespe store trust\n  vespe store trust ~/project --revoke\n  vespe store trust --list --json",
		GroupID: "store", Args: core.Between(0, 1),
	}
	c.Flags().BoolVar(&revoke, "revoke", false, "stop trusting the store")
	c.Flags().BoolVar(&list, "list", false, "list the trusted stores")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		dir, err := a.Start()
		if err != nil {
			return err
		}
		given := len(args) == 1
		if given {
			dir = core.Absolute(dir, args[0])
		} else if a.StartDir == "" && a.Getenv("VESPE_STORE") != "" {
			if dir, err = a.Find(); err != nil {
				return err
			}
		}
		switch {
		case list && (revoke || len(args) > 0):
			return core.Usagef("--list can't be combined with anything else")
		case list:
			return a.listTrusted()
		}
		if revoke {
			return a.revoke(dir, given)
		}
		if err := a.mayTrust(); err != nil {
			return err
		}
		return a.trust(cmd, dir, given)
	}
	return c
}

// mayTrust holds trust, which lets programs run, to the rule of an acceptance: a person, at a terminal of their own.
func (a *app) mayTrust() error {
	if err := a.GuardPerson("trust", "", "", false); err != nil {
		return err
	}
	actor, err := a.Writer()
	if err == nil && actor.Kind() != model.Human {
		err = &model.Refusal{
			Code: model.CodeDenied, Op: "trust", Guard: "person", Why: fmt.Sprintf("only a person can trust a store, not %s", actor),
			Hint: "a person must run `vespe store trust` in their own terminal",
		}
	}
	return err
}

// trust trusts the store that dir lies in; one that was given must be it.
func (a *app) trust(cmd *cobra.Command, dir string, given bool) error {
	root, err := store.Find(dir)
	if err != nil {
		return err
	}
	if given && root != dir {
		return &model.Refusal{
			Code: model.CodeNotFound, Op: "trust", Guard: "trust", Why: dir + " is not a store: it has no .vespe",
			Hint: "it is inside the store of " + root + "; to trust that one: vespe store trust " + root,
		}
	}
	s, err := store.Open(root, a.Options())
	if err != nil {
		return err
	}
	defer s.Close()
	if s.ID() == "" {
		if err := s.Identify(cmd.Context()); err != nil {
			return err
		}
	}
	command, err := s.ScoreCommand()
	if err != nil {
		return err
	}
	policy, err := s.Policy()
	if err != nil {
		return err
	}
	worker := core.NeedsTrust(policy.Worker())
	allows := allowed(command, worker)
	if err := a.confirmTrust(s.Root(), allows); err != nil {
		return err
	}
	if err := a.Registry().Add(trust.Store{Root: root, ID: s.ID(), At: a.Now(), How: "trust", ScoreCommand: command, Worker: worker}); err != nil {
		return &model.Refusal{
			Code: model.CodeRefused, Op: "trust", Guard: "trust", Why: "it can't be saved: " + err.Error(),
			Hint: "set HOME or XDG_STATE_HOME to a directory of your own",
		}
	}
	a.PrintWarnings(s.RecordGit(cmd.Context())) // what waited for it
	return a.printTrust(trustObject{s.Root(), s.ID(), true, command, worker}, strings.Join(append([]string{"Trusted " + visible.Line(s.Root())}, allows...), "\n"))
}

// allowed is what trust in a store allows, in words.
func allowed(score []string, w trust.Worker) (lines []string) {
	if len(score) > 0 {
		lines = append(lines, "`vespe task prioritize` may run its score_command: "+argvLine(score))
	}
	if len(w.Argv) > 0 {
		lines = append(lines, "vespe may run its worker.argv as a worker: "+argvLine(w.Argv))
	}
	for _, argv := range w.Setup {
		lines = append(lines, "vespe may run its worker.setup in each worktree: "+argvLine(argv))
	}
	if w.Integrate != "" {
		lines = append(lines, "worker.integrate is verified: work reaches its branch before a person reviews it")
	}
	if w.Branch != "" {
		lines = append(lines, fmt.Sprintf("worker.branch is %s: work reaches it before a person reviews it", visible.Line(strconv.Quote(w.Branch))))
	}
	if w.Target != "" {
		lines = append(lines, fmt.Sprintf("worker.target is %s: accepted work reaches it", visible.Line(strconv.Quote(w.Target))))
	}
	if w.Untested != "" {
		lines = append(lines, "worker.untested is accept: work without any tests counts as verified")
	}
	return lines
}

// argvLine is an argv as it can be told apart from any other.
func argvLine(argv []string) string { return visible.Line(fmt.Sprintf("%q", argv)) }

// confirmTrust asks the person at the terminal, after it has said what trust allows.
func (a *app) confirmTrust(root string, allows []string) error {
	if !a.Asks() {
		return nil
	}
	allows = append([]string{"vespe may run git for it, and write to it"}, allows...)
	fmt.Fprintf(a.Stderr, "Trust %s?\n  %s\n", visible.Line(root), strings.Join(allows, "\n  "))
	return a.Confirm("trust", "Trust it?")
}

// revoke takes a directory that was given by its name alone: a store that is gone may still be
// on the list, and is not the one around it.
func (a *app) revoke(dir string, given bool) error {
	root := dir
	if outer, err := store.Find(dir); err == nil && !given {
		root = outer
	}
	was, err := a.Registry().Remove(root)
	if err != nil {
		return err
	}
	if !was {
		return &model.Refusal{
			Code: model.CodeNotFound, Op: "trust", Guard: "trust", Why: "the store in " + root + " is not trusted", Hint: "`vespe store trust --list` lists the trusted stores",
		}
	}
	return a.printTrust(trustObject{Root: root}, visible.Line(root)+" is no longer trusted")
}

// trustObject is what became of trust in a store.
type trustObject struct {
	Root         string       `json:"root"`
	StoreID      string       `json:"store_id,omitempty"`
	Trusted      bool         `json:"trusted"`
	ScoreCommand []string     `json:"score_command,omitempty"`
	Worker       trust.Worker `json:"worker,omitzero"`
}

func (a *app) printTrust(o trustObject, line string) error {
	if a.JSON {
		return core.WriteJSON(a.Stdout, o)
	}
	fmt.Fprintln(a.Stdout, line)
	return nil
}

func (a *app) listTrusted() error {
	stores, err := a.Registry().List()
	if err != nil {
		return err
	}
	if a.JSON {
		return core.WriteJSON(a.Stdout, struct {
			File   string        `json:"file"`
			Stores []trust.Store `json:"stores"`
		}{a.Registry().Path(), append([]trust.Store{}, stores...)})
	}
	for _, s := range stores {
		_, err = fmt.Fprintf(a.Stdout, "%s  %s %s  %s\n", visible.Line(s.Root), s.How, s.At.Format(time.DateOnly), visible.Line(s.ID))
	}
	if len(stores) == 0 {
		_, err = fmt.Fprintln(a.Stdout, "No trusted stores.")
	}
	return errors.Join(err)
}
