package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// LookPath is the file of a program. A name with a slash in it lies below dir unless it is absolute; any
// other is looked for in the PATH of env, of which only absolute directories count: others would mean one
// thing in a worktree and another elsewhere.
func LookPath(name, dir string, env []string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, executable(path)
	}
	for _, at := range filepath.SplitList(variable(env, "PATH")) {
		if path := filepath.Join(at, name); filepath.IsAbs(at) && executable(path) == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not in PATH", name)
}

func executable(path string) error {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case st.IsDir():
		return &os.PathError{Op: "run", Path: path, Err: syscall.EISDIR}
	case st.Mode()&0o111 == 0:
		return &os.PathError{Op: "run", Path: path, Err: os.ErrPermission}
	}
	return nil
}

// variable is the value of a variable; of several the last counts, as everywhere.
func variable(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}
