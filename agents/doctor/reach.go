package doctor

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"vespe/agents/install"
)

// Reach says how far an agent's commands reach into the store.
type Reach struct {
	Inside string `json:"inside,omitempty"` // the agent whose environment this is; "" outside of any
	// Level is 0 where a command of the agent can write into .vespe, as everything that runs as the same
	// account, and 1 where its sandbox keeps it from that. nil outside of an agent: that says nothing about one.
	Level *int   `json:"level,omitempty"`
	Text  string `json:"text"`
}

// Probe tries to write into the store from inside an agent's environment, where that does no harm.
func Probe(root, inside string) Reach {
	r := Reach{Inside: inside}
	switch {
	case inside == "":
		r.Text = "This isn't an agent's environment, so it can't test what an agent can write: run this from an agent."
		return r
	case root == "":
		r.Text = "No store here."
		return r
	}
	err := tryWrite(root)
	level := 0
	switch {
	case err == nil:
		r.Text = "Level 0: commands of " + inside + " can write into .vespe, like everything that runs as this account."
		if inside == install.ClaudeCode || inside == install.Codex {
			r.Text += " `vespe install " + inside + " --sandbox` prevents that."
		}
	case IsReadOnly(err):
		level = 1
		r.Text = "Level 1: commands of " + inside + " cannot write into .vespe, only the MCP server and the hooks can: use the MCP tools."
	default:
		r.Text = "Can't tell whether .vespe is writable: " + err.Error()
		return r
	}
	r.Level = &level
	return r
}

// ReadOnly reports that this process cannot write into a store, without trying to.
func ReadOnly(root string) bool {
	return IsReadOnly(syscall.Access(filepath.Join(root, ".vespe"), 2)) // W_OK
}

// IsReadOnly reports that an error is that of a file system, or of a sandbox, that lets nothing be written.
func IsReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// tryWrite makes a file in the directory of the store for what is not finished, and takes it away.
func tryWrite(root string) error {
	base, err := os.OpenRoot(filepath.Join(root, ".vespe"))
	if err != nil {
		return err
	}
	defer base.Close()
	name := "probe-" + rand.Text()
	if in, err := base.Lstat("tmp"); err == nil && in.IsDir() {
		name = filepath.Join("tmp", name)
	}
	f, err := base.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), base.Remove(name))
}
