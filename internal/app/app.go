package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"vespe/cli"
	"vespe/cli/core"
	"vespe/engine"
	"vespe/engine/proc"
	"vespe/internal/config"
	"vespe/internal/signing"
	"vespe/internal/tty"
	"vespe/interop/demo"
	"vespe/store/statedir"
)

// Program is what a main package decides.
type Program struct {
	// Version is what the linker set; "" for what the module says.
	Version string
	// Workbench opens the workbench and returns when the person leaves it.
	Workbench func(context.Context, Workbench) error
}

// Workbench is what the workbench is opened with.
type Workbench struct {
	Open    core.OpenForWorkbench
	Args    []string // of a call of vespe that opens it
	Config  *config.Config
	Keys    *signing.Keys
	Loops   *engine.Setup
	Version string
}

// Process is what one call of vespe is given by the system, so that tests can make calls without a process each.
type Process struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string
	Dir            string // the working directory
	Executable     string // the path of vespe; "" where it is not known
	Terminal       core.Terminal
}

// getenv is the value of a variable; "" when it is not set.
func (p Process) getenv(name string) string {
	for _, kv := range slices.Backward(p.Environ) {
		if key, value, _ := strings.Cut(kv, "="); key == name {
			return value
		}
	}
	return ""
}

// Main runs vespe on the process's arguments, environment and standard files, and returns its exit code.
func Main(p Program) int {
	if len(os.Args) > 1 && os.Args[1] == proc.GuardVerb {
		return proc.GuardMain(os.Args[2:])
	}
	if len(os.Args) > 1 && os.Args[1] == demo.WorkerVerb {
		return demoWorker(os.Args[2:])
	}
	collect := tty.DelayGC(os.Getenv)
	// A closed pipe is the error of a write, which cli.Main knows what to make of; without
	// this it would end the process. A child does not inherit it, as it would an ignored one.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	dir, err := os.Getwd()
	if err != nil && slices.Contains(os.Args[1:min(3, len(os.Args))], "hook") {
		dir, err = string(os.PathSeparator), nil // a hook always answers
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "vespe: the working directory cannot be read:", err)
		return 1
	}
	setHome(accountHome)
	if open := p.Workbench; open != nil {
		p.Workbench = func(ctx context.Context, w Workbench) error {
			collect()
			return open(ctx, w)
		}
	}
	return Run(context.Background(), p, Process{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Environ: os.Environ(), Dir: dir, Executable: executable(),
		Terminal: core.Terminal{
			IsTerminal:     term.IsTerminal(int(os.Stdout.Fd())),
			Size:           terminalSize,
			StdinTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
			StderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
			StdoutClosed:   tty.StdoutClosed,
		},
	})
}

// Run runs one call of vespe and returns its exit code.
func Run(ctx context.Context, p Program, c Process) int {
	conf := config.Load(c.getenv)
	rules := conf.Rules()
	keys := signingKeys(rules, c)
	version := cmp.Or(p.Version, moduleVersion())
	loops := loopSetup(conf, c)
	d := core.Deps{
		Args: c.Args, Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr,
		Getenv: c.getenv, Environ: func() []string { return c.Environ }, Dir: c.Dir,
		Terminal: c.Terminal,
		Settings: core.Settings{
			StartConsent: rules.StartConsent,
			Workers:      conf.Workers(),
			Gate:         conf.Gate(),
			OwnFiles:     rules.Signing.Files(),
			Strict:       conf.Strict(),
			Keys:         keys,
		},
		Programs: core.Programs{
			Scorer:     scorer(conf),
			Loops:      loops,
			Shell:      openShell,
			GitInit:    func(ctx context.Context, dir string) error { return gitInit(ctx, c.Environ, dir) },
			Executable: c.Executable,
		},
		VerdictsFromScripts: rules.AcceptWithoutTerminal, VerdictsInsideAgents: rules.AcceptInsideAgents,
		GitName: func() string { return gitName(c.Environ, c.getenv("PATH"), c.Dir) },
		Account: account,
		Now:     time.Now, Rand: rand.Reader, Version: version,
	}
	if p.Workbench != nil {
		d.Workbench = func(ctx context.Context, open core.OpenForWorkbench, args []string) error {
			return p.Workbench(ctx, Workbench{Open: open, Args: args, Config: conf, Keys: keys, Loops: loops, Version: version})
		}
	}
	if isPart() && !cli.ForWorkbench(d) {
		fmt.Fprintf(c.Stderr, "vespe: %s only opens the workbench; run %s\n", part, name)
		return 64
	}
	return cli.Main(ctx, d)
}

// terminalSize is that of the terminal that standard output is; 0 where it is none.
func terminalSize() (w, h int) {
	w, h, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0, 0
	}
	return w, h
}

// moduleVersion is what the build says of the program's version.
func moduleVersion() string {
	if bi, ok := debug.ReadBuildInfo(); ok && bi.Main.Version != "" {
		return bi.Main.Version
	}
	return "devel"
}

// signingKeys are those of the person who runs the program.
func signingKeys(rules config.Rules, p Process) *signing.Keys {
	c := rules.Signing
	if dir := statedir.CachePath(p.getenv); dir != "" {
		c.Remembered = filepath.Join(dir, "signatures")
	}
	return signing.New(c, p.Environ)
}
