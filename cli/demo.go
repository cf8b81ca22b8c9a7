package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"vespe/engine/worker"
	"vespe/interop/demo"
	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
	"vespe/store/trust"
)

// demoFlags are the flags of demo.
type demoFlags struct {
	noOpen, live bool
	pace         float64
}

func (a *app) demoVerb() *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use: "demo [DIR]", Short: "Write a believable store to try vespe on, and open it",
		Long: "Write a store of about 40 tasks into DIR (default: vespe-demo) and open it. A demo that is there already is opened\n" +
			"as it is.\n\n" +
			"With --live it is another, smaller project (default: vespe-live) in a git repository of its own, and the loop works\n" +
			"on it while you look: its worker is a script that vespe brings along. No model is asked, nothing is paid, and your\n" +
			"settings stay as they are. One attempt fails, one task asks you something, and one plan waits for you. It needs git,\n" +
			"make and sh. The loop ends with the workbench; where standard output is no terminal, when nothing can go on.",
		Example: "  vespe demo\n  vespe demo --live\n  vespe demo /tmp/try --no-open",
		GroupID: "store", Args: between(0, 1),
	}
	c.Flags().BoolVar(&f.noOpen, "no-open", false, "only write it")
	c.Flags().BoolVar(&f.live, "live", false, "a project on which the loop works while you look")
	c.Flags().Float64Var(&f.pace, "pace", 1, "with --live: how slow the script is that works; 0 makes no pauses")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if f.pace < 0 || f.pace > maxPace {
			return usagef("--pace is a number from 0 to %d", maxPace)
		}
		base, err := a.start()
		if err != nil {
			return err
		}
		name := "vespe-demo"
		if f.live {
			name = "vespe-live"
		}
		if len(args) == 1 {
			name = args[0]
		}
		return a.demo(cmd.Context(), absolute(base, name), f)
	}
	return c
}

// maxPace is the slowest that the script of the live demo can be.
const maxPace = 100

func (a *app) demo(ctx context.Context, dir string, f demoFlags) error {
	made := a.newDemo
	if f.live {
		made = func(ctx context.Context, dir string) (*store.Store, error) { return a.newLive(ctx, dir, f.pace) }
	}
	s, err := a.demoStore(ctx, dir, made)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	switch {
	case f.noOpen && a.json:
		return writeJSON(a.Stdout, struct {
			Root string `json:"root"`
		}{dir})
	case f.noOpen:
		shown := visible.Line(dir)
		fmt.Fprintf(a.Stdout, "The demo is in %s. Open it with: vespe -C %s\n", shown, shown)
		if f.live {
			fmt.Fprintf(a.Stdout, "Let it be worked on with: vespe -C %s run --worker %s\n", shown, worker.FromStoreName)
		}
		return nil
	}
	a.dir = dir
	if f.live {
		return a.live(ctx)
	}
	return a.openOrPrint(ctx)
}

// demoStore opens the demo in dir, writing it first when there is none. It writes into a
// directory that is new or empty, never beside somebody's files.
func (a *app) demoStore(ctx context.Context, dir string, made func(context.Context, string) (*store.Store, error)) (*store.Store, error) {
	if root, err := store.Find(dir); err == nil && root == dir {
		return store.Open(dir, a.options())
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, &model.Refusal{
			Code: model.CodeRefused, Op: "demo", Task: dir, Guard: "empty_directory",
			Why: "the directory is not empty", Hint: "name a new one, or one where a demo is",
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	s, err := made(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("writing the demo into %s: %w", dir, err)
	}
	return s, nil
}

// newDemo writes the demo.
func (a *app) newDemo(ctx context.Context, dir string) (*store.Store, error) {
	opt := a.options()
	opt.Name = demo.Name
	s, err := a.told(ctx, dir, opt, demo.Build)
	if err == nil {
		a.remember(s, "demo")
	}
	return s, err
}

// told makes a store in which a story has happened.
func (a *app) told(ctx context.Context, dir string, opt store.Options, tell func(context.Context, *store.Store, time.Time) error) (*store.Store, error) {
	opt.AllowNested = true
	s, err := store.Init(dir, opt)
	if err != nil {
		return nil, err
	}
	if err := tell(ctx, s, a.Now()); err != nil {
		// Half a story is no demo, and it would be opened as one the next time.
		return nil, errors.Join(err, s.Close(), os.RemoveAll(filepath.Join(dir, store.Name)))
	}
	return s, nil
}

// newLive writes the live demo, in a git repository. It is trusted with its worker, which is vespe itself.
func (a *app) newLive(ctx context.Context, dir string, pace float64) (_ *store.Store, err error) {
	defer func() {
		if err != nil { // the directory was empty
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if a.GitInit == nil {
		return nil, usagef("this vespe was built without a loop")
	}
	if err := demo.WriteProject(dir); err != nil {
		return nil, err
	}
	opt := a.options()
	if opt.Config, err = demo.LiveConfig(pace); err != nil {
		return nil, err
	}
	s, err := a.told(ctx, dir, opt, demo.BuildLive)
	if err != nil {
		return nil, err
	}
	p, err := s.Policy()
	if err == nil {
		err = a.GitInit(ctx, dir)
	}
	if err == nil {
		err = a.registry().Add(trust.Store{Root: s.Root(), ID: s.ID(), At: a.Now(), How: "demo", Worker: needsTrust(p.Worker())})
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// live lets the loop work on the live demo while somebody looks.
func (a *app) live(ctx context.Context) error {
	s, err := a.openLoop("demo")
	if err != nil {
		return err
	}
	p, err := s.Policy()
	if err != nil {
		return err
	}
	if !demo.IsLive(p.Worker()) {
		return &model.Refusal{
			Code: model.CodeRefused, Op: "demo", Guard: "live", Why: "the store in " + s.Root() + " was not made by `vespe demo --live`",
			Hint: "name a new directory: vespe demo --live DIR",
		}
	}
	again := visible.Line(s.Root())
	if a.opens() {
		err := a.workbench(ctx, s, WorkbenchOptions{Worker: worker.FromStoreName, Live: true})
		if err == nil {
			fmt.Fprintf(a.Stdout, "The loop ends with the workbench. Go on with: vespe demo --live %s\n", again)
		}
		return err
	}
	desk, err := a.Loops.Desk(s.StoreID())
	if err != nil {
		return err
	}
	// That an attempt fails and that something is left for a person is what the script is like.
	err = a.run(ctx, s, desk, runFlags{idle: true, worker: worker.FromStoreName}, nil)
	if of := (*shown)(nil); errors.As(err, &of) {
		err = nil
	}
	if err == nil && !a.json {
		fmt.Fprintf(a.Stdout, "Look at it with: vespe demo --live %s\n", again)
	}
	return err
}
