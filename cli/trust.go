package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
	"vespe/store/trust"
)

func (a *app) registry() *trust.Registry { return trust.Open(a.Getenv) }

// owners are the users whose stores may be written without a word of trust: the one that
// this process runs as, and under sudo the one who called it.
func (a *app) owners() []uint32 {
	me := uint32(os.Geteuid()) //nolint:gosec // an uid has 32 bits
	owners := []uint32{me}
	if me == 0 {
		if n, err := strconv.ParseUint(a.Getenv("SUDO_UID"), 10, 32); err == nil {
			owners = append(owners, uint32(n))
		}
	}
	return owners
}

// remember trusts a store that was made here just now. Where there is no place to remember
// it the store is as good as any other, only that git is off.
func (a *app) remember(s *store.Store, how string) {
	r := a.registry()
	if r.Path() == "" {
		return
	}
	if err := r.Add(trust.Store{Root: s.Root(), ID: s.ID(), At: a.Now(), How: how}); err != nil {
		a.printWarnings([]string{fmt.Sprintf("the store is not remembered as trusted: %v; `vespe trust` tries again", err)})
	}
}

// notice tells people why a store that they can read cannot be written.
func (a *app) notice(s *store.Store) {
	if why := s.ReadOnly(); why != "" {
		a.printWarnings([]string{why + "; it is open for reading only"})
	}
}

func (a *app) trustVerb() *cobra.Command {
	var revoke, list bool
	c := &cobra.Command{
		Use: "trust [DIR]", Short: "Let vespe run git for a store, or write to another user's",
		Long: "Until a store is trusted nothing in it makes vespe start a program, and a store that someone\n" +
			"else owns is only read. A store that was made here by init or demo is trusted. What is\n" +
			"trusted is a directory with one store_id: another clone is another store, and with the\n" +
			"score_command that its rules have now: another one is not run before it is trusted. The list is kept\n" +
			"in ~/.local/state/vespe/trusted.json ($XDG_STATE_HOME).",
		Example: "  vespe trust\n  vespe trust ~/project --revoke\n  vespe trust --list --json",
		GroupID: "store", Args: between(0, 1),
	}
	c.Flags().BoolVar(&revoke, "revoke", false, "trust it no longer")
	c.Flags().BoolVar(&list, "list", false, "list the trusted stores")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		dir, err := a.start()
		if err != nil {
			return err
		}
		given := len(args) == 1
		if given {
			dir = absolute(dir, args[0])
		}
		switch {
		case list && (revoke || len(args) > 0):
			return usagef("--list goes with nothing else")
		case list:
			return a.listTrusted()
		}
		if name := a.agentHere(); name != "" && !revoke {
			return &model.Refusal{
				Code: model.CodeDenied, Op: "trust", Guard: "person",
				Why:  "this is " + name + "'s environment, and only a person says what is trusted",
				Hint: "a person runs `vespe trust` in a terminal of their own",
			}
		}
		if revoke {
			return a.revoke(dir, given)
		}
		return a.trust(cmd, dir, given)
	}
	return c
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
			Hint: "it lies inside the store of " + root + "; to trust that one: vespe trust " + root,
		}
	}
	s, err := store.Open(root, a.options())
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
	if err := a.registry().Add(trust.Store{Root: root, ID: s.ID(), At: a.Now(), How: "trust", ScoreCommand: command}); err != nil {
		return &model.Refusal{
			Code: model.CodeRefused, Op: "trust", Guard: "trust", Why: "it cannot be remembered: " + err.Error(),
			Hint: "set HOME or XDG_STATE_HOME to a directory of your own",
		}
	}
	a.printWarnings(s.RecordGit(cmd.Context())) // what waited for it
	line := "trusted " + visible.Line(s.Root())
	if len(command) > 0 {
		line += "\n`vespe prioritize` may run its score_command: " + visible.Line(fmt.Sprintf("%q", command))
	}
	return a.printTrust(s.Root(), s.ID(), true, command, line)
}

// revoke takes a directory that was given by its name alone: a store that is gone may still be
// on the list, and is not the one around it.
func (a *app) revoke(dir string, given bool) error {
	root := dir
	if outer, err := store.Find(dir); err == nil && !given {
		root = outer
	}
	was, err := a.registry().Remove(root)
	if err != nil {
		return err
	}
	if !was {
		return &model.Refusal{
			Code: model.CodeNotFound, Op: "trust", Guard: "trust", Why: "no store in " + root + " is trusted", Hint: "`vespe trust --list` lists those that are",
		}
	}
	return a.printTrust(root, "", false, nil, visible.Line(root)+" is not trusted any more")
}

func (a *app) printTrust(root, id string, trusted bool, command []string, line string) error {
	if a.json {
		return writeJSON(a.Stdout, struct {
			Root         string   `json:"root"`
			StoreID      string   `json:"store_id,omitempty"`
			Trusted      bool     `json:"trusted"`
			ScoreCommand []string `json:"score_command,omitempty"`
		}{root, id, trusted, command})
	}
	fmt.Fprintln(a.Stdout, line)
	return nil
}

func (a *app) listTrusted() error {
	stores, err := a.registry().List()
	if err != nil {
		return err
	}
	if a.json {
		return writeJSON(a.Stdout, struct {
			File   string        `json:"file"`
			Stores []trust.Store `json:"stores"`
		}{a.registry().Path(), append([]trust.Store{}, stores...)})
	}
	for _, s := range stores {
		_, err = fmt.Fprintf(a.Stdout, "%s  %s %s  %s\n", visible.Line(s.Root), s.How, s.At.Format(time.DateOnly), visible.Line(s.ID))
	}
	if len(stores) == 0 {
		_, err = fmt.Fprintln(a.Stdout, "No store is trusted.")
	}
	return errors.Join(err)
}
