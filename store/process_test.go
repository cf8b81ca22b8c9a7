package store

import (
	"fmt"
	"io"
	"os"
	"testing"

	"vespe/internal/modeltest"
	"vespe/store/fsys"
)

// A test that starts processes, of git or its own, is not run beside others: from fork to exec a child
// holds the locks of every store that is open in this process, and who only tries a lock finds it taken.
func TestMain(m *testing.M) {
	if os.Getenv(mergeEnv) != "" {
		os.Exit(mergeAsGitAsks(os.Args[1:]))
	}
	if job := os.Getenv(linearEnv); job != "" {
		if err := workLinear(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	modeltest.Checks("40") // TestTortureProperties has ten times as many
	code := m.Run()
	removeTemplates()
	os.Exit(code)
}

// noLockFS is a file system without locks: only the link orders writers.
type noLockFS struct{ fsys.FS }

type nopCloser struct{}

func (nopCloser) Close() error { return nil }

func (noLockFS) TryLock(string) (io.Closer, error) { return nopCloser{}, nil }

// unlocked is the system's file system without locks, for Options.FS.
func unlocked(root string) (fsys.FS, error) {
	f, err := fsys.OpenFS(root)
	return noLockFS{f}, err
}
