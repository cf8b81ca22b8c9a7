// Command vespe is the review desk for work done by AI agents: a terminal workbench and a
// command line over the plain files of a .vespe directory.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"vespe/cli"
	"vespe/engine/proc"
	"vespe/interop/demo"
	"vespe/model/visible"
	"vespe/signing"
	"vespe/store"
	"vespe/store/drafts"
	"vespe/store/index"
	"vespe/store/statedir"
	"vespe/ui"
)

// version is set by the linker; a build without it says what the module says.
var version string

func main() {
	if len(os.Args) > 1 && os.Args[1] == guardVerb {
		os.Exit(proc.GuardMain(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == demo.WorkerVerb {
		os.Exit(demoWorker(os.Args[2:]))
	}
	os.Exit(run())
}

func run() int {
	collect := patience(os.Getenv)
	// A closed pipe is the error of a write, which cli.Main knows what to make of; without
	// this it would end the process. A child does not inherit it, as it would an ignored one.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	dir, err := os.Getwd()
	if err != nil && len(os.Args) > 1 && os.Args[1] == "hook" {
		dir, err = string(os.PathSeparator), nil // a hook always answers
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "vespe: the working directory cannot be read:", err)
		return 1
	}
	self, err := os.Executable()
	if err != nil {
		self = "" // what needs it says so
	}
	setHome(accountHome)
	config := loadConfig(os.Getenv)
	own := config.ownRules()
	keys := own.keys()
	return cli.Main(context.Background(), cli.Deps{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Dir: dir,
		IsTerminal:     term.IsTerminal(int(os.Stdout.Fd())),
		Size:           terminalSize,
		StdinTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		StderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		StartConsent:   own.startConsent,
		Scorer:         config.scorer,
		Reflector:      config.reflector(),
		Workers:        config.workers(),
		Gate:           config.gate().rules,
		OwnFiles:       own.signing.Files(),
		Strict:         config.strict(),
		OutputGone:     outputGone,
		Loops:          config.loops(),
		Shell:          openShell,
		GitInit:        gitInit,
		Keys:           keys, VerdictsFromScripts: own.acceptWithoutTerminal, VerdictsInsideAgents: own.acceptInsideAgents,
		GitName:    func() string { return gitName(os.Environ()) },
		Account:    account,
		Executable: self,
		Now:        time.Now, Rand: rand.Reader, Version: versionString(),
		Workbench: func(ctx context.Context, s *store.Store, o cli.WorkbenchOptions) error {
			collect()
			return workbench(ctx, s, o, config, keys)
		},
	})
}

// terminalSize is that of the terminal that standard output is; 0 where it is none.
func terminalSize() (w, h int) {
	w, h, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0, 0
	}
	return w, h
}

func versionString() string {
	if version != "" {
		return version
	}
	if bi, ok := debug.ReadBuildInfo(); ok && bi.Main.Version != "" {
		return bi.Main.Version
	}
	return "devel"
}

// workbench runs the terminal program on a store until the person leaves it.
func workbench(ctx context.Context, s *store.Store, o cli.WorkbenchOptions, config *config, keys *signing.Keys) error {
	set, loops := config.settings(), config.loops()
	editor, err := newEditor(os.Getenv)
	if err != nil {
		return err
	}
	shell, err := newShell(os.Getenv)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	loop := newDeskLoop(loops, s, o.Worker, o.Live)
	if o.Live {
		end, err := live(ctx, loop)
		if err != nil {
			return err
		}
		defer end()
	}
	s.Follow(ctx, store.FollowOptions{Rest: newThrift(os.Getenv).rest})
	texts := index.NewLive(s, index.LiveOptions{
		Options: index.Options{State: statedir.Path(os.Getenv)}, Wait: searchMoment, Readers: searchReaders,
	})
	defer func() {
		cancel()
		_ = texts.Close() // whatever it is left as is made good by the next
	}()
	app := ui.New(ctx, ui.Deps{
		Search: texts, Store: s, Editor: editor, Keys: keys, Drafts: drafts.Open(os.Getenv), Journal: s, Plans: s, Confirms: s, Runs: s, Loop: loop, OnRuns: o.Live, Shell: shell, Now: time.Now, NewID: newID, NewUID: s.NewUID, Actor: o.Actor,
		Keymap: set.keymap, Theme: set.theme, Themes: set.themes, Dark: set.dark,
		NoSuspend: !canSuspend(), NoColor: o.NoColor, ASCII: set.ascii, Mouse: set.mouse, Notify: set.notify, Settings: set.wrong, Strict: config.strict(), Name: storeName(s.Root()), ReadOnly: s.ReadOnly(), Version: versionString(),
	})
	opts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(frameRate)}
	if o.NoColor {
		// The library's own detection overlooks NO_COLOR=yes.
		opts = append(opts, tea.WithColorProfile(colorprofile.Ascii))
	}
	var program *tea.Program
	opts = append(opts, tea.WithFilter(new(pace).filter(func() *tea.Program { return program })))
	program = tea.NewProgram(faulty(app), opts...)
	unhang := onHangup(program)
	_, err = program.Run()
	unhang()
	patience := time.AfterFunc(time.Second, func() {
		fmt.Fprintln(os.Stderr, "vespe: git is recording what you did; ctrl+c leaves the rest for the next time")
	})
	app.KeepDrafts()
	left := append(app.Leftovers(), s.RecordGit(context.Background())...)
	patience.Stop()
	for _, line := range left {
		fmt.Fprintln(os.Stderr, "vespe: "+visible.Line(line))
	}
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return errors.New("the workbench stopped because of a fault of its own (above); nothing that was committed is lost")
	case errors.Is(err, tea.ErrInterrupted):
		return nil
	}
	return err
}

const (
	// searchMoment is how long an answer to what is typed waits for the index to be brought up to date.
	searchMoment = 60 * time.Millisecond
	// searchReaders is how many tasks are read for it at once, beside the keys.
	searchReaders = 2
)

// frameRate is how often a second the screen may be drawn: the renderer's own limit,
// because the wait for the next frame is most of the time from a key to the screen. When
// nothing happens it is drawn less often (pace).
const frameRate = 120

func newID() string {
	var b [16]byte
	// crypto/rand does not fail: it ends the process instead.
	_, _ = rand.Read(b[:])
	return fmt.Sprintf("op-%x", b)
}
