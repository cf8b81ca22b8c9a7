package workbench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vespe/internal/app"
	"vespe/internal/tty"
	"vespe/keymap"
	"vespe/model/visible"
	"vespe/store/drafts"
	"vespe/store/follow"
	"vespe/store/index"
	"vespe/store/statedir"
	"vespe/ui"
	"vespe/ui/announce"
	"vespe/ui/runview"
)

// Open runs the terminal program on a store until the person leaves it.
func Open(ctx context.Context, w app.Workbench) error {
	s, o, err := w.Open()
	if err != nil {
		return err
	}
	set := w.Config.Workbench()
	editor, err := newEditor(os.Getenv)
	if err != nil {
		return err
	}
	userShell, err := app.NewShell(os.Getenv)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	loop := newLoop(w.Loops, s, o.Worker, o.Live)
	if o.Live {
		end, err := live(ctx, loop)
		if err != nil {
			return err
		}
		defer end()
	}
	s.Follow(ctx, follow.Options{Rest: tty.NewScavenger(os.Getenv).Rest})
	texts := index.NewLive(s, index.LiveOptions{
		Options: index.Options{State: statedir.Path(os.Getenv)}, Wait: searchMoment, Readers: searchReaders,
	})
	defer func() {
		cancel()
		_ = texts.Close() // whatever it is left as is made good by the next
	}()
	var start keymap.Action
	if o.Live {
		start = keymap.ViewRuns
	}
	habits := readHabits()
	bench := ui.New(ctx, ui.Deps{
		Habits: habits,
		Search: texts, Store: s, Editor: editor, Keys: w.Keys, Drafts: drafts.Open(os.Getenv), Journal: s, Plans: s, Confirms: s, Runs: s, Loop: loop, Start: start, Tour: o.Tour, Shell: uiShell(userShell), Now: time.Now, NewID: newID, NewUID: s.NewUID, Actor: o.Actor,
		Keymap: set.Keymap, Theme: set.Theme, Themes: set.Themes, Dark: set.Dark,
		Terminal: ui.Terminal{NoSuspend: !tty.CanSuspend(), NoColor: o.NoColor, ASCII: set.ASCII, Mouse: set.Mouse}, Phrases: set.Phrases, Notify: announce.Way(set.Notify), Settings: set.Wrong, Strict: w.Config.Strict(), Name: filepath.Base(s.Root()), ReadOnly: s.ReadOnly(), Version: w.Version,
	})
	opts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(maxFPS)}
	if o.NoColor {
		// The library's own detection overlooks NO_COLOR=yes.
		opts = append(opts, tea.WithColorProfile(colorprofile.Ascii))
	}
	var program *tea.Program
	opts = append(opts, tea.WithFilter(new(frameRate).Filter(func() *tea.Program { return program })))
	program = tea.NewProgram(faulty(bench), opts...)
	unhang := onHangup(program)
	_, err = program.Run()
	unhang()
	patience := time.AfterFunc(time.Second, func() {
		fmt.Fprintln(os.Stderr, "vespe: recording your changes in git; ctrl+c leaves the rest for the next time")
	})
	bench.KeepDrafts()
	if h := bench.Habits(); !reflect.DeepEqual(h, habits) {
		_ = keepHabits(h) // a convenience
	}
	left := append(bench.Leftovers(), s.RecordGit(context.Background())...)
	patience.Stop()
	for _, line := range left {
		fmt.Fprintln(os.Stderr, "vespe: "+visible.Line(line))
	}
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return errors.New("the workbench crashed because of a bug (see above). No committed change is lost")
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

func newID() string {
	var b [16]byte
	// crypto/rand does not fail: it ends the process instead.
	_, _ = rand.Read(b[:])
	return fmt.Sprintf("op-%x", b)
}

// shell is the person's shell as the workbench opens it.
type shell struct{ *app.Shell }

// uiShell is nil where there is no shell.
func uiShell(s *app.Shell) runview.Shell {
	if s == nil {
		return nil
	}
	return shell{s}
}

// In implements runview.Shell.
func (s shell) In(dir, run string) (tea.ExecCommand, error) { return s.Shell.In(dir, run) }
