package workbench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"vespe/internal/app"
	"vespe/ui"
)

// userEditor runs the person's own editor on temporary copies. The command comes from the
// environment and nowhere else: nothing in a store may name one.
type userEditor struct{ argv []string }

// newEditor takes $VISUAL, then $EDITOR; nil when neither is set and there is no vi.
func newEditor(getenv func(string) string) (ui.Editor, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		line := getenv(name)
		if strings.TrimSpace(line) == "" {
			continue
		}
		argv, err := app.SplitCommand(line)
		if err != nil {
			return nil, fmt.Errorf("$%s: %w", name, err)
		}
		return userEditor{argv}, nil
	}
	if path, err := exec.LookPath("vi"); err == nil {
		return userEditor{[]string{path}}, nil
	}
	return nil, nil
}

// Edit implements ui.Editor.
func (e userEditor) Edit(name string, body []byte) (ui.EditSession, error) {
	return e.open(name, body, 0o600)
}

// Read implements ui.Editor.
func (e userEditor) Read(name string, body []byte) (ui.EditSession, error) {
	return e.open(name, body, 0o444) // others are kept out by the directory
}

func (e userEditor) open(name string, body []byte, mode os.FileMode) (ui.EditSession, error) {
	dir, err := os.MkdirTemp("", "vespe-edit-")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, filepath.Base(name))
	if err := os.WriteFile(path, body, mode); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	argv := append(append([]string(nil), e.argv...), path)
	return &editSession{Cmd: exec.Command(argv[0], argv[1:]...), dir: dir, path: path}, nil
}

// editSession is one run of the editor.
type editSession struct {
	*exec.Cmd
	dir, path string
}

// The terminal is the program's to hand over: tea.ExecCommand.
func (s *editSession) SetStdin(r io.Reader)  { s.Stdin = r }
func (s *editSession) SetStdout(w io.Writer) { s.Stdout = w }
func (s *editSession) SetStderr(w io.Writer) { s.Stderr = w }

func (s *editSession) Path() string          { return s.path }
func (s *editSession) Body() ([]byte, error) { return os.ReadFile(s.path) }
func (s *editSession) Discard() error        { return os.RemoveAll(s.dir) }
