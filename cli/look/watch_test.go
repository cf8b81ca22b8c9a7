package look

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"

	"vespe/cli/core"
)

// On a terminal an answer takes the place of the one before it, however long and wide it is.
func TestAWatchedAnswerIsDrawnOver(t *testing.T) {
	const w, h = 40, 10
	for name, lines := range map[string][]int{
		"few lines":   {3, 4, 2},
		"wide lines":  {-3, -4, -2, 3},
		"many lines":  {30, 31, -50, 2},
		"none at all": {0, 3, 0, -9, -10, 9},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			a := &app{core.NewApp(core.Deps{Stdout: &out, Terminal: core.Terminal{IsTerminal: true, Size: func() (int, int) { return w, h }}, Getenv: func(string) string { return "" }})}
			em := vt.NewEmulator(w, h)
			fmt.Fprint(em, "$ vespe ls --watch\r\n")
			rows, scrolled := -1, 0
			for k, n := range lines {
				long := ""
				if n < 0 {
					n, long = -n, strings.Repeat(" wide 日本", 10)
				}
				var answer bytes.Buffer
				for i := range n {
					fmt.Fprintf(&answer, "answer %d line %d\x1b[31m%s\x1b[0m\n", k, i, long)
				}
				var err error
				if rows, err = a.showAgain(rows, answer.Bytes()); err != nil {
					t.Fatal(err)
				}
				fmt.Fprint(em, strings.ReplaceAll(out.String(), "\n", "\r\n"))
				out.Reset()
				screen := em.String()
				if k > 0 && strings.Contains(screen, fmt.Sprintf("answer %d", k-1)) {
					t.Errorf("answer %d: of the one before there is\n%s", k, screen)
				}
				for i := range min(n, h-2) {
					if !strings.Contains(screen, fmt.Sprintf("answer %d line %d", k, i)) {
						t.Errorf("answer %d: line %d is missing:\n%s", k, i, screen)
					}
				}
				if more := fmt.Sprintf("… %d more", n-(h-2)); n > h-1 && !strings.Contains(screen, more) {
					t.Errorf("answer %d: %q is missing:\n%s", k, more, screen)
				}
				scrolled = em.ScrollbackLen()
			}
			if scrolled > 1 { // the command itself
				t.Errorf("%d lines went into the scrollback", scrolled)
			}
		})
	}
}
