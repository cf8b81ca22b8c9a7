package ui_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/interop/demo"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui"
)

// tale lets the demo's story happen in a store of the tests.
type tale struct{ *uitest.Store }

func (s tale) WriteRunFile(_ context.Context, uid model.UID, run, name string, body []byte) error {
	s.PutRun(uid, run, name, string(body))
	return nil
}

func (s tale) Load(context.Context, func(done, total int)) (*snapshot.Snapshot, error) {
	return s.Snapshot(), nil
}

// camera takes pictures of a workbench.
type camera struct {
	*uitest.Driver
	w, h  int
	shots []shot
}

// hold keeps what is on the screen for a picture, for some seconds of it, as a person who reads it.
func (c *camera) hold(seconds float64) *camera {
	c.Sleep(time.Second)
	c.shots = append(c.shots, shot{c.View().Content, seconds})
	return c
}

// on moves the cursor of the inbox to an item.
func (c *camera) on(title string) *uitest.Driver {
	c.T.Helper()
	for range 30 {
		if _, line := cursorLine(c.Driver); strings.Contains(line, title) {
			return c.Driver
		}
		c.Press(keymap.MoveDown)
	}
	c.T.Fatalf("no %q in the inbox:\n%s", title, c.Screen())
	return nil
}

// Pictures of the documents are what somebody sees who does this with the demo. PICTURES names the directory that they
// are written to (make pictures).
func TestPictures(t *testing.T) {
	for name, p := range map[string]struct {
		w, h int
		do   func(c *camera)
	}{
		"workbench": {120, 32, func(c *camera) { c.on("Parse OFX and QFX") }},
		"request": {100, 28, func(c *camera) {
			c.on("Install mandoc").Press(keymap.Open).Sleep(time.Second).See("sudo apt-get", "medium risk")
		}},
		"accept": {110, 26, func(c *camera) {
			c.on("Parse OFX and QFX").Press(keymap.Accept).Sleep(time.Second).See("It blocks 5 tasks", "y Accept")
		}},
		"board": {130, 36, func(c *camera) {
			c.Press(keymap.ViewTasks, keymap.ViewBoard).See("To plan", "Needs you", "Ready", "In progress", "Ended")
		}},
		"map": {120, 32, func(c *camera) {
			c.Press(keymap.ViewTasks)
			goTo(c.Driver, "Double-entry model")
			c.Press(keymap.ViewMap).See("around Double-entry model")
		}},
		"runs": {120, 32, func(c *camera) {
			c.Press(keymap.ViewRuns, keymap.MoveTop).Sleep(time.Second).See("Dates and numbers", "not tested", "go test")
		}},
		"tour": {110, 30, func(c *camera) {
			c.hold(2).on("Install mandoc").Press(keymap.RequestAccept)
			c.hold(2).Press(keymap.ConfirmYes)
			c.hold(2).on("Parse OFX and QFX")
			c.hold(2).Press(keymap.Open, keymap.MoveDown, keymap.MoveDown)
			c.hold(2).Press(keymap.Comment).Type("Which banks have you seen files of?")
			c.hold(2).Press(keymap.ComposeSend)
			c.hold(2).Press(keymap.Accept)
			c.hold(2).Press(keymap.ConfirmYes)
			c.hold(2).Press(keymap.ViewTasks)
			c.hold(2).Press(keymap.ViewLayout)
			c.hold(2).Press(keymap.ViewLayout)
			c.hold(2).Press(keymap.ViewGraph)
			c.hold(2).Press(keymap.ViewRuns)
			c.hold(2).Press(keymap.ViewHistory)
			c.hold(3)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := uitest.NewStore()
			now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
			if err := demo.Build(t.Context(), tale{s}, now, func(int, int) {}); err != nil {
				t.Fatal(err)
			}
			uitest.Run(t, uitest.Options{Store: s, W: p.w, H: p.h, Change: func(d *ui.Deps) { d.Name = demo.Name }}, func(d *uitest.Driver) {
				c := &camera{Driver: d, w: p.w, h: p.h}
				d.Press(keymap.ViewInbox).Sleep(time.Second)
				p.do(c)
				if len(c.shots) == 0 { // it is a still picture
					c.hold(1)
				}
				dir := os.Getenv("PICTURES")
				if dir == "" {
					return
				}
				if err := os.WriteFile(filepath.Join(dir, name+".svg"), []byte(pictureSVG(c.shots, p.w, p.h)), 0o644); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
