package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Drawing Markdown takes packages that initialize for longer than a verb runs. So `make` builds two executables:
// vespe, which has every verb, and beside it this one, which vespe becomes when it opens the workbench.
const (
	name = "vespe"
	part = "vespe-workbench"
)

// header is how far into an executable its build ID is looked for, in bytes.
const header = 64 << 10

// BecomePart has the program become the part that holds the workbench, which lies beside it.
// It accepts only the part with that build ID: the one that was built together with it.
func BecomePart(buildID string) func(context.Context, Workbench) error {
	return func(_ context.Context, w Workbench) error {
		self := executable()
		path := filepath.Join(filepath.Dir(self), part)
		if self == "" || buildID == "" {
			return errors.New("this vespe was built without the workbench; build it with make")
		}
		switch same, err := hasBuildID(path, buildID); {
		case err != nil:
			return fmt.Errorf("can't open the workbench: %w; install vespe again", err)
		case !same:
			return fmt.Errorf("can't open the workbench: %s has a different version than %s; install vespe again", path, self)
		}
		err := syscall.Exec(path, append([]string{part}, w.Args...), os.Environ()) //nolint:gosec // a part of vespe
		return fmt.Errorf("can't open the workbench: %s: %w", path, err)
	}
}

// hasBuildID reports whether an executable has that build ID.
func hasBuildID(path, id string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, header))
	return bytes.Contains(b, []byte(id)), err
}

// isPart reports whether this process is the part that holds the workbench.
func isPart() bool {
	self, err := os.Executable()
	return err == nil && filepath.Base(self) == part
}

// executable is the path of vespe, also for the part; "" where it is not known.
func executable() string {
	self, err := os.Executable()
	if err == nil && filepath.Base(self) == part {
		return filepath.Join(filepath.Dir(self), name)
	}
	if err != nil {
		return "" // what needs it says so
	}
	return self
}
