package admin

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) initVerb() *cobra.Command {
	var nested bool
	c := &cobra.Command{
		Use: "init [DIR]", Short: "Create a store (.vespe/) in this directory",
		Example: "  vespe init\n  vespe init ~/project",
		GroupID: "store", Args: core.Between(0, 1),
	}
	c.Flags().BoolVar(&nested, "nested", false, "allow a store inside the directory of another store")
	c.RunE = func(_ *cobra.Command, args []string) error {
		dir, err := a.Start()
		if err != nil {
			return err
		}
		if nested { // with rules of its own
			if err := a.GuardPerson("init", "", "", true); err != nil {
				return err
			}
		}
		if len(args) == 1 {
			dir = core.Absolute(dir, args[0])
		}
		if outer, err := store.Locate(dir, a.Here); err == nil && outer.Root != dir && !nested {
			no := &model.Refusal{
				Code: model.CodeRefused, Guard: "nested", Why: dir + " is inside the store of " + outer.Root,
				Hint: "use that store, or create one inside it: vespe init --nested",
			}
			if outer.Worktree != "" {
				no.Why = dir + " is in a git worktree of " + outer.Root + ", which has a store"
				no.Hint = "every command here uses that store; to create a separate one: vespe init --here"
			}
			return no
		}
		opt := a.Options()
		opt.AllowNested, opt.OwnStore = nested, a.Here
		s, err := store.Init(dir, opt)
		if err != nil {
			return err
		}
		defer s.Close()
		a.Remember(s, "init")
		if a.JSON {
			return a.PrintMember("root", s.Root())
		}
		fmt.Fprintf(a.Stdout, "Created %s/.vespe\nNext: vespe new NAME, then vespe to open the workbench.\n", visible.Line(s.Root()))
		return nil
	}
	return c
}

func (a *app) versionVerb() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  vespe version --json",
		Args: core.Between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if a.JSON {
				return core.WriteJSON(a.Stdout, struct {
					Version string `json:"version"`
					Go      string `json:"go"`
					Format  int    `json:"format"`
				}{a.Version, runtime.Version(), store.Format})
			}
			fmt.Fprintf(a.Stdout, "vespe %s (%s)\n", a.Version, runtime.Version())
			return nil
		},
	}
}

// verbsVerb lists the verbs with their arguments, for scripts and for docs/cli.md.
func (a *app) verbsVerb() *cobra.Command {
	var markdown bool
	c := &cobra.Command{
		Use: "verbs", Short: "List every verb with its arguments", Example: "  vespe verbs --json",
		Args: core.Between(0, 0),
	}
	c.Flags().BoolVar(&markdown, "markdown", false, "as a Markdown table")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		type verb struct {
			Name  string   `json:"verb"`
			Use   string   `json:"use"`
			Short string   `json:"short"`
			Group string   `json:"group"`
			Old   string   `json:"old_name,omitempty"` // another name, which needs no group
			Flags []string `json:"flags"`
		}
		root := cmd.Root()
		var verbs []verb
		listed := map[string]bool{}
		add := func(c *cobra.Command, group string) {
			flags := []string{}
			c.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name) })
			v := verb{Name: strings.TrimPrefix(c.CommandPath(), "vespe "), Short: c.Short, Group: group, Flags: flags}
			v.Use = v.Name + strings.TrimPrefix(c.Use, c.Name())
			if old := c.Annotations[core.OldName]; old != c.Name() {
				v.Old = old
			}
			verbs, listed[v.Name], listed[c.Annotations[core.OldName]] = append(verbs, v), true, true
		}
		for _, g := range root.Groups() {
			group, _, _ := root.Find([]string{g.ID})
			add(group, g.ID)
			for _, c := range group.Commands() {
				add(c, g.ID)
			}
		}
		for _, c := range root.Commands() {
			if !c.Hidden && !listed[c.Name()] {
				add(c, "")
			}
		}
		if a.JSON {
			return a.PrintMember("verbs", verbs)
		}
		if markdown {
			fmt.Fprint(a.Stdout, "| verb | does | old name |\n|---|---|---|\n")
		}
		w := a.Prose(a.Stdout, 0)
		for _, v := range verbs {
			if !markdown {
				fmt.Fprintln(w, core.Pad(v.Use, 38)+"  "+v.Short)
				continue
			}
			row := fmt.Sprintf("| `%s` | %s | `%s` |\n", strings.ReplaceAll(v.Use, "|", "\\|"), v.Short, v.Old)
			fmt.Fprint(a.Stdout, strings.Replace(row, "``", "", 1))
		}
		return nil
	}
	return c
}
