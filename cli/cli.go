package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vespe/engine/worker"
	"vespe/internal/lazyregexp"
	"vespe/model"
	"vespe/model/history"
	"vespe/store"
	"vespe/store/statedir"
)

// Deps is everything the command line takes from outside, so that it can be run in a
// test without a process of its own.
type Deps struct {
	Args       []string // without the program's name
	Stdin      io.Reader
	Stdout     io.Writer
	Stderr     io.Writer
	Getenv     func(string) string
	Environ    func() []string   // the whole environment, for git; os.Environ when nil
	GitName    func() string     // git's user.name; "" where there is none; may be nil
	Account    func() string     // the account's name, for when no variable says who this is; may be nil
	Dir        string            // where the search for a store begins
	IsTerminal bool              // standard output is a terminal
	Size       func() (w, h int) // of it, in cells; nil or 0 where it is not known
	// StdoutClosed is closed once nobody reads standard output any more; nil where that cannot be told. Only a hook
	// that waits asks: everybody else learns of it by writing.
	StdoutClosed  func() <-chan struct{}
	StdinTerminal bool
	// StderrTerminal says that standard error is a terminal.
	StderrTerminal bool
	// Gate is what the person says of calls of agents that wait.
	Gate model.GateRules
	// OwnFiles are the person's files by which it is known who approved: no agent writes them.
	OwnFiles []string
	// Strict is what holds because rules in the person's settings cannot be read.
	Strict []string
	// Keys are those that the person signs with, and believes; nil: none.
	Keys Keys
	// StartConsent is the least risk of tasks that the person wants to be asked about before an agent
	// starts them: low, medium, high, or "" for none. A project can ask for more.
	StartConsent string
	// Scorer makes what scores tasks: see store.Options. root is the store's directory.
	Scorer func(own []string, root string) store.Scorer
	// Reflector distils reflections with the person's own program; nil: it is done by counting.
	Reflector Reflector
	// Workers is what the person has set for workers.
	Workers worker.User
	// Shell opens the person's shell in the worktree of a run, on this terminal; nil: there is none.
	Shell func(dir, run string) error
	// Loops makes the loop that runs workers; nil: there is none.
	Loops Loops
	// GitInit makes a directory a git repository and commits what is in it but for the store.
	GitInit func(ctx context.Context, dir string) error
	// VerdictsFromScripts: the person lets verdicts be given without a terminal.
	VerdictsFromScripts bool
	// VerdictsInsideAgents: the person lets verdicts be given in an agent's environment.
	VerdictsInsideAgents bool
	// Executable is the path of this program, for what starts it and for what is written into settings; ""
	// where it is not known.
	Executable string
	Now        func() time.Time
	Rand       io.Reader
	Version    string
	// Workbench opens the terminal workbench on the store that open opens, and returns when it is closed.
	Workbench func(ctx context.Context, open OpenForWorkbench) error
}

// Keys signs approvals and says how far to believe a signature.
type Keys interface {
	model.Attestor
	CanSign() bool
	Sign(ctx context.Context, statement []byte) (string, error)
}

// WorkbenchOptions is what the command line decides for the workbench.
type WorkbenchOptions struct {
	Actor   model.Actor
	NoColor bool
	// Worker is the one that loops use which are started from the workbench; "" for the one that is set.
	Worker string
	// Live opens the workbench on its runs with a loop that works, and ends that loop when it is left.
	Live bool
}

// OpenForWorkbench opens the store for the workbench.
type OpenForWorkbench func() (*store.Store, WorkbenchOptions, error)

// app is one call of the program. Its Stdout is buffered: Main writes it out at the end.
type app struct {
	Deps
	out     *bufio.Writer  // Stdout
	direct  io.Writer      // what out writes to
	opened  []*store.Store // Main closes them, after the answer: closing may take a while
	dir     string
	here    bool
	json    bool
	as      string
	noColor bool
	who     model.Actor // who sits at the keyboard, once somebody has asked
	wrote   bool        // a transaction was committed: what goes wrong from here on does not undo it

	hooked bool // a hook was answered: its client takes any exit code but 0 for no answer

	past bool // what is printed is how it was

	journal *history.Journal // what happened, as far as it was read

	onScreen atomic.Bool // the workbench is
}

// outBuffer is how much of an answer is gathered before it is written.
const outBuffer = 64 << 10

// Main runs one call and returns its exit code.
func Main(ctx context.Context, d Deps) int {
	a := newApp(d)
	root := a.root()
	root.SetArgs(filterArgs(root, d.Args))
	err := root.ExecuteContext(ctx)
	if errors.Is(err, syscall.EPIPE) {
		err = nil
	}
	if err != nil {
		a.printError(err)
	}
	code := exitCode(err)
	if werr := a.out.Flush(); werr != nil && !errors.Is(werr, syscall.EPIPE) {
		fmt.Fprintln(d.Stderr, "vespe: the answer could not be written:", werr)
		switch {
		case a.wrote && (code == exitOK || code == exitFailed):
			fmt.Fprintln(d.Stderr, "  what was asked for is done; repeated with the same --op-id it answers again")
			code = exitUnsure
		case code == exitOK:
			code = exitFailed
		}
	}
	for _, s := range a.opened {
		if cerr := s.Close(); cerr != nil && code == exitOK {
			fmt.Fprintln(d.Stderr, "vespe: closing the store:", cerr)
			code = exitFailed
		}
	}
	if a.hooked {
		code = exitOK
	}
	// cobra keeps the completions of flags for as long as the process runs, and by way of them
	// the app: whoever calls Main again and again must not pay for each call's buffer and stores.
	*a = app{}
	return code
}

// ForWorkbench reports whether the arguments have a verb that opens the workbench.
func ForWorkbench(d Deps) bool {
	root := newApp(d).root()
	c, _, err := root.Find(filterArgs(root, d.Args))
	return err == nil && (c == root || c.Name() == "demo")
}

func newApp(d Deps) *app {
	a := &app{Deps: d, out: bufio.NewWriterSize(d.Stdout, outBuffer), direct: d.Stdout}
	a.Stdout = a.out
	return a
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "vespe",
		Short: "The review desk for work done by AI agents",
		Long: "vespe is the review desk for work done by AI agents. Agents write objectives, plans and\n" +
			"results as plain files under .vespe/; people read, accept, reject and look back.\n\n" +
			"Without a verb it opens the workbench. When standard output is not a terminal it prints\n" +
			"the task tree and what waits for a person.",
		Example: "  vespe                       # open the workbench\n" +
			"  vespe demo                  # a believable store to try it on\n" +
			"  vespe new \"Parse config\" --objective objective.md\n" +
			"  vespe next --json           # what an agent should do next",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usagef("unknown verb %q; %s", args[0], suggestion(cmd, args[0]))
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.checkFlags(cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.openOrPrint(cmd.Context()) },
		SilenceErrors:     true,
		SilenceUsage:      true,
		Version:           a.Version,
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.PersistentFlags().StringVarP(&a.dir, "dir", "C", "", "look for the store from this directory")
	root.PersistentFlags().BoolVar(&a.here, "here", false, "use the store of this git worktree, not the main one")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON object")
	root.PersistentFlags().StringVar(&a.as, "as", "", "act as KIND:NAME (human, agent, system, mcp_client)")
	root.PersistentFlags().BoolVar(&a.noColor, "no-color", false, "no colors; NO_COLOR does the same")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		text, _, _ := strings.Cut(err.Error(), ": strconv.")
		return usagef("%s; see `%s --help`", text, cmd.CommandPath())
	})
	root.AddGroup(
		&cobra.Group{ID: "look", Title: "Look"},
		&cobra.Group{ID: "edit", Title: "Write"},
		&cobra.Group{ID: "life", Title: "Lifecycle"},
		&cobra.Group{ID: "run", Title: "Run"},
		&cobra.Group{ID: "agent", Title: "Agents"},
		&cobra.Group{ID: "store", Title: "Store"},
	)
	for _, verbs := range []func(*app) []*cobra.Command{lookVerbs, writeVerbs, lifecycleVerbs, runVerbs, agentVerbs, adminVerbs} {
		root.AddCommand(verbs(a)...)
	}
	if doctor, _, err := root.Find([]string{"doctor"}); err == nil {
		doctor.AddCommand(doctorAgentsVerb(a))
	}
	a.completionVerb(root)
	a.setHelp(root)
	_ = root.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(
		[]string{model.Human + ":", model.Agent + ":", model.System + ":", model.MCPClient + ":"},
		cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp))
	return root
}

// completionVerb makes cobra's verb like the others: an example each, and what is no shell is refused.
func (a *app) completionVerb(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	c.Args, c.RunE = between(0, 0), a.needsVerb
	c.Example = "  vespe completion bash"
	for _, shell := range c.Commands() {
		shell.Example = "  " + shell.CommandPath()
	}
}

// checkFlags refuses what no verb can mean: a flag whose value is empty, which is how an
// unset variable of a script arrives, and an actor that is none.
func (a *app) checkFlags(cmd *cobra.Command) error {
	var empty string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Value.Type(), "string") && f.Name != messageFlag && blank(f.Value) {
			empty = f.Name
		}
	})
	if empty != "" {
		return usagef("--%s is empty: give it a value, or leave it out", empty)
	}
	if err := cmd.ValidateFlagGroups(); err != nil {
		return usagef("%s; see `%s --help`", together(err), cmd.CommandPath())
	}
	_, err := a.named()
	return err
}

// flagGroup finds the flags in cobra's words about those that were given and do not go together.
var flagGroup = lazyregexp.New(`; \[([^\]]+)\] were all set$`)

// together says which flags do not go together.
func together(err error) string {
	m := flagGroup.Get().FindStringSubmatch(err.Error())
	if m == nil {
		return err.Error()
	}
	return "--" + strings.Join(strings.Fields(m[1]), " and --") + " do not go together"
}

// anyNumber of arguments.
const anyNumber = 1 << 30

// between checks the number of arguments.
func between(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		var wrong string
		switch n := len(args); {
		case n > most && cmd.HasSubCommands():
			return usagef("`%s` has no verb %q; see `%s --help`", cmd.CommandPath(), args[0], cmd.CommandPath())
		case n < least:
			wrong = "an argument is missing"
			if least-n > 1 {
				wrong = fmt.Sprintf("%d arguments are missing", least-n)
			}
		case n > most:
			wrong = "too many arguments"
		default:
			return nil
		}
		use := strings.TrimSuffix(cmd.CommandPath(), cmd.Name()) + cmd.Use
		return usagef("%s; usage: `%s`; see `%s --help`", wrong, use, cmd.CommandPath())
	}
}

func blank(v pflag.Value) bool {
	if list, ok := v.(pflag.SliceValue); ok {
		return slices.ContainsFunc(list.GetSlice(), func(s string) bool { return strings.TrimSpace(s) == "" })
	}
	return strings.TrimSpace(v.String()) == ""
}

// mostSuggested is how many verbs are suggested for one that does not exist.
const mostSuggested = 3

// suggestion names the verbs that begin with a word or are near to it. In a short word every letter counts.
func suggestion(cmd *cobra.Command, word string) string {
	cmd.SuggestionsMinimumDistance = min(2, (len(word)+2)/3)
	if names := cmd.SuggestionsFor(word); len(names) > 0 {
		return "did you mean " + strings.Join(names[:min(len(names), mostSuggested)], " or ") + "?"
	}
	return "see `vespe --help`"
}

// openOrPrint is vespe without a verb.
func (a *app) openOrPrint(ctx context.Context) error {
	if a.opens() {
		return a.workbench(ctx, a.open, WorkbenchOptions{})
	}
	s, snap, err := a.loadFiles(ctx)
	if err != nil {
		return err
	}
	return a.printTree(snap, snap.Roots(), reportsOf(ctx, s))
}

// opens reports whether there is a terminal for the workbench.
func (a *app) opens() bool { return !a.json && a.IsTerminal && !a.dumb() && a.Workbench != nil }

// workbench opens the workbench.
func (a *app) workbench(ctx context.Context, open func() (*store.Store, error), o WorkbenchOptions) error {
	if err := a.out.Flush(); err != nil {
		return err
	}
	defer a.onScreen.Store(false)
	return a.Workbench(ctx, func() (_ *store.Store, _ WorkbenchOptions, err error) {
		o.NoColor = a.plain()
		if o.Actor, err = a.deskActor(); err != nil {
			return nil, o, err
		}
		s, err := open()
		a.onScreen.Store(err == nil)
		return s, o, err
	})
}

// plain reports that no colors are wanted.
func (a *app) plain() bool { return a.noColor || a.Getenv("NO_COLOR") != "" || a.dumb() }

// dumb reports a terminal that can only print lines.
func (a *app) dumb() bool { return a.Getenv("TERM") == "dumb" }

// start is where the search for a store begins.
func (a *app) start() (string, error) {
	if a.dir == "" {
		return a.Dir, nil
	}
	dir := absolute(a.Dir, a.dir)
	if in, err := os.Stat(dir); err != nil || !in.IsDir() {
		return "", &model.Refusal{Code: model.CodeNotFound, Guard: "store", Why: "there is no directory " + dir, Hint: "-C takes a directory"}
	}
	return dir, nil
}

func (a *app) options() store.Options {
	return store.Options{
		CacheDir: a.cacheDir(),
		Scorer:   a.Scorer, Channel: model.ChannelCLI, Now: a.Now, Rand: a.Rand, Owners: a.owners(), Environ: a.Environ,
		Trust:        func(root, id string) bool { return a.registry().Trusted(root, id) },
		TrustCommand: func(root, id string, argv []string) bool { return a.registry().MayRun(root, id, argv) },
		Working:      a.working(), Attestor: a.attestor(), StartConsent: a.StartConsent,
	}
}

// cacheDir is where what was read of stores without a checkpoint is kept; "" for nowhere.
func (a *app) cacheDir() string {
	dir := statedir.CachePath(a.Getenv)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "tasks")
}

// attestor is Keys, or nil as an interface that holds nothing.
func (a *app) attestor() model.Attestor {
	if a.Keys == nil {
		return nil
	}
	return a.Keys
}

// workingEvery is the time between two lines about something that takes long.
const workingEvery = 2 * time.Second

// working tells on standard error what takes long, unless the workbench has the screen.
func (a *app) working() func(what string, done, total int) {
	var last time.Time
	return func(what string, done, total int) {
		if done == 0 {
			last = a.Now()
		}
		if a.onScreen.Load() || a.Now().Sub(last) < workingEvery {
			return
		}
		last = a.Now()
		fmt.Fprintf(a.Stderr, "%s: %d of %d tasks\n", what, done, total)
	}
}

// find is the root of the store that locate finds.
func (a *app) find() (string, error) {
	at, err := a.locate()
	return at.Root, err
}

// locate finds the store that -C lies in, else the one that VESPE_STORE names, else the one that the working
// directory lies in. A worker is given VESPE_STORE, which means that very directory.
func (a *app) locate() (store.Location, error) {
	root := a.Getenv("VESPE_STORE")
	if a.dir != "" || a.here || root == "" {
		dir, err := a.start()
		if err != nil {
			return store.Location{}, err
		}
		return store.Locate(dir, a.here)
	}
	at, err := store.Locate(root, true)
	if !filepath.IsAbs(root) || err != nil || at.Root != filepath.Clean(root) {
		return store.Location{}, &model.Refusal{
			Code: model.CodeNotFound, Guard: "store", Why: "VESPE_STORE is " + root + ", which is not the directory of a store",
			Hint: "set it to the absolute path of the directory that has .vespe, or leave it out",
		}
	}
	return at, nil
}

// open finds and opens the store. Main closes it.
func (a *app) open() (*store.Store, error) {
	root, err := a.find()
	if err != nil {
		return nil, err
	}
	s, err := store.Open(root, a.options())
	if err != nil {
		return nil, err
	}
	a.opened = append(a.opened, s)
	a.notice(s)
	return s, nil
}

// load opens the store and reads it, as far as it must be known before something is
// written: the store looks at the files of the tasks concerned by itself then.
func (a *app) load(ctx context.Context) (*store.Store, *model.Snapshot, error) {
	return a.openAnd(func(s *store.Store) (*model.Snapshot, error) {
		snap, _, err := a.snapshot(ctx, s, false)
		return snap, err
	})
}

// loadFiles opens the store and reads every file of it.
func (a *app) loadFiles(ctx context.Context) (*store.Store, *model.Snapshot, error) {
	return a.openAnd(func(s *store.Store) (*model.Snapshot, error) { return s.Load(ctx, nil) })
}

func (a *app) openAnd(read func(*store.Store) (*model.Snapshot, error)) (*store.Store, *model.Snapshot, error) {
	s, err := a.open()
	if err != nil {
		return nil, nil, err
	}
	snap, err := read(s)
	if err != nil {
		return nil, nil, err
	}
	return s, snap, nil
}
