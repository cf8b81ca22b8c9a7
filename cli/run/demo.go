package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
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
		Use: "demo [DIR]", Short: "Create a demo store to try vespe, and open it",
		Long: "Create a store of about 40 tasks in DIR (default: vespe-demo) and open it. An existing demo is\n" +
			"opened as it is. It opens with a two-minute tour, which you can leave at any time.\n\n" +
			"With --live it creates a smaller project (default: vespe-live) in its own git repository, and\n" +
			"the loop works on it while you watch. Its worker is a script that comes with vespe. It calls no\n" +
			"model and costs nothing, and your settings stay as they are. One attempt fails, one task asks you\n" +
			"a question, and one plan needs your review. It needs git, make and sh. The loop ends with the\n" +
			"workbench or, if standard output is not a terminal, when nothing can continue.",
		Example: "  vespe demo\n  vespe demo --live\n  vespe demo /tmp/try --no-open",
		GroupID: "store", Args: core.Between(0, 1),
	}
	c.Flags().BoolVar(&f.noOpen, "no-open", false, "create it without opening it")
	c.Flags().BoolVar(&f.live, "live", false, "a project that the loop works on while you watch")
	c.Flags().Float64Var(&f.pace, "pace", 1, "with --live: how slowly the script works; 0 means no pauses")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if f.pace < 0 || f.pace > maxPace {
			return core.Usagef("--pace must be a number from 0 to %d", maxPace)
		}
		base, err := a.Start()
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
		return a.demo(cmd.Context(), core.Absolute(base, name), f)
	}
	return c
}

// maxPace is the slowest that the script of the live demo can be.
const maxPace = 100

func (a *app) demo(ctx context.Context, dir string, f demoFlags) error {
	made := a.storyDemo()
	if f.live {
		made = a.liveDemo(f.pace)
	}
	s, err := a.demoStore(ctx, dir, made)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	switch {
	case f.noOpen && a.JSON:
		return a.PrintMember("root", dir)
	case f.noOpen:
		shown := visible.Line(dir)
		fmt.Fprintf(a.Stdout, "The demo is in %s. Open it with: vespe -C %s\n", shown, shown)
		if f.live {
			fmt.Fprintf(a.Stdout, "Start work on it with: vespe -C %s run --worker %s\n", shown, worker.FromStoreName)
		}
		return nil
	}
	a.StartDir = dir
	if f.live {
		return a.live(ctx, dir)
	}
	if !a.Opens() {
		return a.OpenOrPrint(ctx)
	}
	err = a.OpenWorkbench(ctx, a.Open, core.WorkbenchOptions{Tour: true})
	if again, no := filepath.Rel(a.Dir, dir); err == nil && no == nil {
		fmt.Fprintf(a.Stdout, "Open the demo again with: cd %s && vespe\n", visible.Line(again))
	}
	return err
}

// making is how a store of a demo is made.
type making struct {
	build  func(ctx context.Context, dir string) error // all of its files, in a directory of their own
	finish func(ctx context.Context, s *store.Store) error
}

// demoHalf is the directory in which a demo is made, beside what it becomes.
const demoHalf = ".vespe-demo-unfinished"

// demoStore opens the demo in dir, writing it first when there is none. It writes into a
// directory that is new or empty, never beside somebody's files. Until all of it is written nothing of it is in its
// place, so that one that was interrupted is made afresh. Its store moves last.
func (a *app) demoStore(ctx context.Context, dir string, m making) (*store.Store, error) {
	half := filepath.Join(dir, demoHalf)
	if at, err := store.Locate(dir, true); err == nil && at.Root == dir {
		return a.openDemo(dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() != demoHalf {
			return nil, &model.Refusal{
				Code: model.CodeRefused, Op: "create_demo_in", Task: dir, Guard: "empty_directory",
				Why: "the directory is not empty", Hint: "use a new directory, or one with a demo",
			}
		}
	}
	ctx, stop := core.Interruptible(ctx)
	defer stop()
	made := absent(dir)
	if err := errors.Join(os.RemoveAll(half), os.MkdirAll(half, 0o755)); err != nil {
		return nil, err
	}
	if a.StderrTerminal {
		fmt.Fprintf(a.Stderr, "Creating the demo in %s …\n", visible.Line(dir))
	}
	if err := m.build(ctx, half); err != nil {
		err = errors.Join(err, os.RemoveAll(half))
		for _, d := range made {
			_ = os.Remove(d) // a directory that is no longer empty stays
		}
		return nil, fmt.Errorf("can't create the demo in %s: %w", dir, err)
	}
	if err := moveUp(half, dir); err != nil {
		return nil, err
	}
	s, err := store.Open(dir, a.Options())
	if err != nil {
		return nil, err
	}
	if err := m.finish(ctx, s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// absent are the directories on the way to dir that are not there, the deepest first.
func absent(dir string) (out []string) {
	for {
		if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
			return out
		}
		out, dir = append(out, dir), filepath.Dir(dir)
	}
}

// openDemo opens the store in dir, which is a demo.
func (a *app) openDemo(dir string) (*store.Store, error) {
	s, err := store.Open(dir, a.Options())
	if err != nil {
		return nil, err
	}
	// Of a store whose policy can't be read it cannot be known what it is: it is opened as it is.
	if p, err := s.Policy(); err == nil && p.Name != demo.Name {
		return nil, errors.Join(notDemo(dir), s.Close())
	}
	return s, nil
}

// notDemo refuses to open somebody's store as a demo.
func notDemo(dir string) error {
	return &model.Refusal{
		Code: model.CodeRefused, Op: "open_demo", Task: dir, Guard: "demo",
		Why: "its store is not a demo", Hint: "open it with `vespe -C " + visible.Line(dir) + "`, or use a new directory for the demo",
	}
}

// moveUp moves what lies in a directory to the one above it, the store last, and removes the directory.
func moveUp(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	last := slices.IndexFunc(entries, func(e os.DirEntry) bool { return e.Name() == store.Name })
	if last >= 0 {
		entries = append(slices.Delete(slices.Clone(entries), last, last+1), entries[last])
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(from)
}

// storyDemo makes the demo that is looked at.
func (a *app) storyDemo() making {
	return making{
		build: func(ctx context.Context, dir string) error {
			opt := a.Options()
			opt.Name = demo.Name
			return a.told(ctx, dir, opt, demo.Build)
		},
		finish: func(_ context.Context, s *store.Store) error { a.Remember(s, "demo"); return nil },
	}
}

// writingDemo counts on one line of a terminal what is written.
func (a *app) writingDemo(done, total int) {
	if !a.StderrTerminal {
		return
	}
	fmt.Fprintf(a.Stderr, "\r%d of %d changes written", done, total)
	if done == total {
		fmt.Fprintln(a.Stderr)
	}
}

// told makes a store in which a story has happened.
func (a *app) told(ctx context.Context, dir string, opt store.Options, tell func(context.Context, demo.Store, time.Time, func(done, total int)) error) error {
	opt.AllowNested, opt.Scratch = true, true
	s, err := store.Init(dir, opt)
	if err != nil {
		return err
	}
	return errors.Join(tell(ctx, s, a.Now(), a.writingDemo), s.Close())
}

// liveDemo makes the live demo, in a git repository. It is trusted with its worker, which is vespe itself.
func (a *app) liveDemo(pace float64) making {
	return making{
		build: func(ctx context.Context, dir string) error {
			if a.GitInit == nil {
				return core.Usagef("this vespe was built without a loop")
			}
			if err := demo.WriteProject(dir); err != nil {
				return err
			}
			opt := a.Options()
			var err error
			if opt.Config, err = demo.LiveConfig(pace); err != nil {
				return err
			}
			if err := a.told(ctx, dir, opt, demo.BuildLive); err != nil {
				return err
			}
			return a.GitInit(ctx, dir)
		},
		finish: func(_ context.Context, s *store.Store) error {
			p, err := s.Policy()
			if err != nil {
				return err
			}
			return a.Registry().Add(trust.Store{Root: s.Root(), ID: s.ID(), At: a.Now(), How: "demo", Worker: core.NeedsTrust(p.Worker())})
		},
	}
}

// openLive opens the live demo.
func (a *app) openLive() (*store.Store, error) {
	s, err := a.openLoop("demo")
	if err != nil {
		return nil, err
	}
	p, err := s.Policy()
	if err != nil {
		return nil, err
	}
	if !demo.IsLive(p.Worker()) {
		return nil, &model.Refusal{
			Code: model.CodeRefused, Op: "open_demo", Guard: "live", Why: "the store in " + s.Root() + " was not made by `vespe demo --live`",
			Hint: "use a new directory: vespe demo --live DIR",
		}
	}
	return s, nil
}

// live lets the loop work on the live demo in dir while somebody looks.
func (a *app) live(ctx context.Context, dir string) error {
	again := visible.Line(dir)
	if a.Opens() {
		err := a.OpenWorkbench(ctx, a.openLive, core.WorkbenchOptions{Worker: worker.FromStoreName, Live: true})
		if err == nil {
			fmt.Fprintf(a.Stdout, "The loop ends with the workbench. To continue: vespe demo --live %s\n", again)
		}
		return err
	}
	s, err := a.openLive()
	if err != nil {
		return err
	}
	desk, err := a.Loops.Desk(s.StoreID())
	if err != nil {
		return err
	}
	// That an attempt fails and that something is left for a person is what the script is like.
	err = a.run(ctx, s, desk, runFlags{idle: true, worker: worker.FromStoreName}, nil)
	if of := (*core.Shown)(nil); errors.As(err, &of) {
		err = nil
	}
	if err == nil && !a.JSON {
		fmt.Fprintf(a.Stdout, "To look at it: vespe demo --live %s\n", again)
	}
	return err
}
