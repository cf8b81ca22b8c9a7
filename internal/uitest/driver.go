package uitest

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
)

// Options say how a workbench is started.
type Options struct {
	W, H  int // 120×40 when zero
	Store *Store
	// Change adjusts what the workbench is given, before it starts.
	Change func(*ui.Deps)
	// Profile is the terminal's; true color when zero.
	Profile colorprofile.Profile
	// Bare leaves the renderer out, which is faster; frames are checked all the same.
	Bare bool
	// KeepUnread lets the test end while a failure is on screen.
	KeepUnread bool
}

// Driver presses keys on a running workbench and looks at its frames. Every method that
// sends something returns when the program is idle again.
type Driver struct {
	T     *testing.T
	Store *Store
	Keys  *keymap.Keymap
	App   *ui.App

	opt  Options
	p    *tea.Program
	done chan error
	out  output
	eye  *eye
}

// output is what the renderer writes, on a goroutine of its own.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// eye sees every frame of the program.
type eye struct {
	mu     sync.Mutex
	w, h   int
	view   tea.View
	frames int
	checks checker
	err    error
}

// spy wraps the workbench so that every frame is checked.
type spy struct {
	*ui.App
	eye *eye
}

func (s spy) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if m, ok := msg.(tea.WindowSizeMsg); ok {
		s.eye.mu.Lock()
		s.eye.w, s.eye.h = m.Width, m.Height
		s.eye.mu.Unlock()
	}
	_, cmd := s.App.Update(msg)
	return s, cmd
}

func (s spy) View() tea.View {
	v := s.App.View()
	s.eye.mu.Lock()
	defer s.eye.mu.Unlock()
	s.eye.view = v
	s.eye.frames++
	if s.eye.err == nil {
		s.eye.err = s.eye.checks.frame(v.Content, s.eye.w, s.eye.h)
	}
	return v
}

// Run starts a workbench inside a synctest bubble, hands it to f and ends it. The store's
// goroutines, the timers and the program all belong to the bubble: time stands still
// unless f sleeps.
func Run(t *testing.T, o Options, f func(*Driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t.Helper()
		d := start(t, o)
		defer d.stop()
		f(d)
		d.check()
	})
}

func start(t *testing.T, o Options) *Driver {
	t.Helper()
	if o.W == 0 {
		o.W, o.H = 120, 40
	}
	if o.Store == nil {
		o.Store = NewStore()
	}
	if o.Profile == 0 {
		o.Profile = colorprofile.TrueColor
	}
	o.Store.start()
	deps := Deps(o.Store)
	if o.Change != nil {
		o.Change(&deps)
	}
	d := &Driver{
		T: t, Store: o.Store, Keys: deps.Keymap, App: ui.New(t.Context(), deps),
		opt: o, done: make(chan error, 1), eye: &eye{},
	}
	opts := []tea.ProgramOption{
		tea.WithInput(nil), tea.WithOutput(&d.out), tea.WithoutSignalHandler(), tea.WithoutCatchPanics(),
		tea.WithWindowSize(o.W, o.H), tea.WithColorProfile(o.Profile),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}),
	}
	if o.Bare {
		opts = append(opts, tea.WithoutRenderer())
	}
	d.p = tea.NewProgram(spy{d.App, d.eye}, opts...)
	go func() {
		_, err := d.p.Run()
		d.done <- err
	}()
	d.idle()
	return d
}

// check fails the test over a failure that nobody read.
func (d *Driver) check() {
	d.T.Helper()
	d.idle()
	if unread := d.App.Unread(); len(unread) > 0 && !d.opt.KeepUnread {
		d.T.Errorf("failures that were never read: %q\n%s", unread, d.Screen())
	}
}

// stop ends the program, also after a test that failed, and lets every timer that is left
// run out: a bubble must not end before its goroutines.
func (d *Driver) stop() {
	d.p.Quit()
	if err := <-d.done; err != nil {
		d.T.Errorf("the program ended with %v", err)
	}
	time.Sleep(time.Minute)
}

// idle waits until the program has nothing to do and checks every frame since.
func (d *Driver) idle() {
	d.T.Helper()
	synctest.Wait()
	d.eye.mu.Lock()
	defer d.eye.mu.Unlock()
	if d.eye.err != nil {
		d.T.Fatalf("bad frame: %v\n%s", d.eye.err, ansi.Strip(d.eye.view.Content))
	}
}

// Send hands any message to the program.
func (d *Driver) Send(msgs ...tea.Msg) *Driver {
	d.T.Helper()
	for _, m := range msgs {
		d.p.Send(m)
		d.idle()
	}
	return d
}

// reading is how long the driver looks at a question before it answers: longer than the
// moment in which a question takes none.
const reading = 300 * time.Millisecond

// Press presses the keys that the keymap binds to each action; one without keys is chosen from the palette. A question is read before
// it is answered; Key and Type do not wait.
func (d *Driver) Press(actions ...keymap.Action) *Driver {
	d.T.Helper()
	for _, a := range actions {
		if spec, _ := d.Keys.Spec(a); slices.Contains(spec.Scopes, keymap.Confirm) {
			d.Sleep(reading)
		} else if a == keymap.CommentsSend { // it is not taken right behind the key that ended a text
			d.Sleep(time.Second)
		}
		if keys := d.Keys.Keys(a); len(keys) > 0 {
			d.Key(strings.Fields(keys[0])...)
			continue
		}
		d.Palette(a)
	}
	return d
}

// Palette chooses an action from the palette, by its title.
func (d *Driver) Palette(a keymap.Action) *Driver {
	d.T.Helper()
	spec, ok := d.Keys.Spec(a)
	if !ok || spec.Hidden {
		d.T.Fatalf("action %q is not in the palette", a)
	}
	return d.Press(keymap.Palette).Paste(spec.Title).Press(keymap.PickerChoose)
}

// Off checks that an action cannot be done, and that its key says why; without a key, that the palette does.
func (d *Driver) Off(a keymap.Action, why ...string) *Driver {
	d.T.Helper()
	if len(d.Keys.Keys(a)) > 0 {
		return d.Press(a).See(why...)
	}
	spec, _ := d.Keys.Spec(a)
	return d.Press(keymap.Palette).Paste(spec.Title).See(why...).Key("esc")
}

// Key presses raw keys, for overlays that own the keyboard.
func (d *Driver) Key(keys ...string) *Driver {
	d.T.Helper()
	for _, k := range keys {
		m, err := KeyMsg(k)
		if err != nil {
			d.T.Fatal(err)
		}
		d.Send(m)
	}
	return d
}

// Type types text into whatever takes it.
func (d *Driver) Type(s string) *Driver {
	d.T.Helper()
	for _, r := range s {
		k := tea.Key{Code: r, Text: string(r)}
		d.p.Send(tea.KeyPressMsg(k))
	}
	d.idle()
	return d
}

// Paste gives a text to whatever takes it, in one piece: the screen is drawn once for it.
func (d *Driver) Paste(s string) *Driver {
	d.T.Helper()
	return d.Send(tea.PasteMsg{Content: s})
}

// Resize changes the size of the terminal.
func (d *Driver) Resize(w, h int) *Driver {
	d.T.Helper()
	return d.Send(tea.WindowSizeMsg{Width: w, Height: h})
}

// Click presses and releases the left button on a cell.
func (d *Driver) Click(x, y int) *Driver {
	d.T.Helper()
	return d.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}, tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// Drag moves the left button from one cell to another.
func (d *Driver) Drag(x0, y0, x1, y1 int) *Driver {
	d.T.Helper()
	return d.Send(
		tea.MouseClickMsg{X: x0, Y: y0, Button: tea.MouseLeft},
		tea.MouseMotionMsg{X: x1, Y: y1, Button: tea.MouseLeft},
		tea.MouseReleaseMsg{X: x1, Y: y1, Button: tea.MouseLeft},
	)
}

// Wheel turns the wheel over a cell, down when n is positive.
func (d *Driver) Wheel(x, y, n int) *Driver {
	d.T.Helper()
	b := tea.MouseWheelDown
	if n < 0 {
		b, n = tea.MouseWheelUp, -n
	}
	for range n {
		d.Send(tea.MouseWheelMsg{X: x, Y: y, Button: b})
	}
	return d
}

// Sleep lets simulated time pass.
func (d *Driver) Sleep(t time.Duration) *Driver {
	d.T.Helper()
	time.Sleep(t)
	d.idle()
	return d
}

// Copied is everything that was put on the terminal's clipboard (OSC 52), in order. It
// needs the renderer.
func (d *Driver) Copied() []string {
	d.T.Helper()
	d.Sleep(reading) // what is written comes with the next frame
	var out []string
	for _, part := range strings.Split(d.out.String(), "\x1b]52;c;")[1:] {
		coded := part[:strings.IndexAny(part+"\a", "\a\x1b")]
		b, err := base64.StdEncoding.DecodeString(coded)
		if err != nil {
			d.T.Fatalf("the clipboard was sent %q: %v", coded, err)
		}
		out = append(out, string(b))
	}
	return out
}

// Written is everything that the program has sent to the terminal. It needs the renderer.
func (d *Driver) Written() string {
	d.T.Helper()
	d.Sleep(reading) // what is written comes with the next frame
	return d.out.String()
}

// View is the last view of the program.
func (d *Driver) View() tea.View {
	d.eye.mu.Lock()
	defer d.eye.mu.Unlock()
	return d.eye.view
}

// Frames is how many frames have been drawn.
func (d *Driver) Frames() int {
	d.eye.mu.Lock()
	defer d.eye.mu.Unlock()
	return d.eye.frames
}

// Screen is the last frame without its colors.
func (d *Driver) Screen() string { return ansi.Strip(d.View().Content) }

// Line is one line of the screen, counted from 0.
func (d *Driver) Line(y int) string {
	lines := strings.Split(d.Screen(), "\n")
	if y < 0 || y >= len(lines) {
		return ""
	}
	return lines[y]
}

// Find is the first cell of the first line that holds text; -1 when no line does.
func (d *Driver) Find(text string) (x, y int) {
	for y, l := range strings.Split(d.Screen(), "\n") {
		if before, _, ok := strings.Cut(l, text); ok {
			return ansi.StringWidth(before), y
		}
	}
	return -1, -1
}

// See fails unless every text is on screen.
func (d *Driver) See(texts ...string) *Driver {
	d.T.Helper()
	for _, text := range texts {
		if !strings.Contains(d.Screen(), text) {
			d.T.Fatalf("%q is not on screen:\n%s", text, d.Screen())
		}
	}
	return d
}

// Hidden fails when one of the texts is on screen.
func (d *Driver) Hidden(texts ...string) *Driver {
	d.T.Helper()
	for _, text := range texts {
		if strings.Contains(d.Screen(), text) {
			d.T.Fatalf("%q is on screen:\n%s", text, d.Screen())
		}
	}
	return d
}

// Status fails unless the store gives the task this status.
func (d *Driver) Status(uid model.UID, want model.Status) *Driver {
	d.T.Helper()
	snap := d.Store.Snapshot()
	i, ok := snap.Index(uid)
	if !ok {
		d.T.Fatalf("no task %s", uid)
	}
	if got := snap.Status(i); got != want {
		d.T.Fatalf("%s is %v, want %v\n%s", uid, got, want, d.Screen())
	}
	return d
}

// Ended reports whether the program has ended by itself.
func (d *Driver) Ended() bool {
	select {
	case err := <-d.done:
		d.done <- err
		return true
	default:
		return false
	}
}

// Quits fails unless the program ends by itself now.
func (d *Driver) Quits() {
	d.T.Helper()
	synctest.Wait()
	if !d.Ended() {
		d.T.Fatalf("the program still runs:\n%s", d.Screen())
	}
}
